//! Which events the application wants to hear of.

use super::DeltaKind;
use super::gather::Gather;
use super::text::pieces;

/// The types of events that the application asked for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    all: bool,
    types: Vec<String>,
    /// By [`DeltaKind`].
    deltas: [bool; 3],
}

impl Wanted {
    /// Types with commas between them, or `*`.
    #[must_use]
    pub fn read(types: &str) -> Self {
        let mut wanted = Self {
            all: types == "*",
            types: pieces(types, b',').into_iter().filter(|name| !name.is_empty()).map(String::from).gather(),
            deltas: [false; 3],
        };
        wanted.deltas =
            [DeltaKind::Text, DeltaKind::Args, DeltaKind::Reasoning].map(|kind| wanted.event(kind.names().0));
        wanted
    }

    /// Every type.
    #[must_use]
    pub fn all() -> Self {
        Self::read("*")
    }

    /// No type at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.all && self.types.is_empty()
    }

    /// Whether events of this type are wanted.
    #[must_use]
    pub fn event(&self, name: &str) -> bool {
        self.all || self.types.iter().any(|wanted| wanted == name)
    }

    /// Whether content events of this kind are wanted.
    #[must_use]
    pub fn delta(&self, kind: DeltaKind) -> bool {
        self.deltas.get(kind as usize).is_some_and(|wanted| *wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_all_and_none() {
        let some = Wanted::read("RUN_STARTED,TOOL_CALL_ARGS");
        assert!(some.event("RUN_STARTED") && some.delta(DeltaKind::Args));
        assert!(!some.event("RUN_FINISHED") && !some.delta(DeltaKind::Text));
        assert!(Wanted::all().event("LATER") && Wanted::all().delta(DeltaKind::Text));
        assert!(Wanted::read("").is_empty() && !some.is_empty() && !Wanted::all().is_empty());
    }
}
