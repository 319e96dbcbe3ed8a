//! Which events the application wants to hear of.

use super::DeltaKind;
use super::gather::Gather;
use super::text::pieces;

/// The types of events that the application asked for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    all: bool,
    types: Vec<String>,
}

impl Wanted {
    /// Types with commas between them, or `*`.
    pub fn read(types: &str) -> Self {
        let types = pieces(types, b',').into_iter().filter(|name| !name.is_empty()).map(String::from).gather();
        Self { all: types == ["*"], types }
    }

    /// Whether events of this type are wanted.
    pub fn event(&self, name: &str) -> bool {
        self.all || self.types.iter().any(|wanted| wanted == name)
    }

    /// Whether content events of this kind are wanted.
    pub fn delta(&self, kind: DeltaKind) -> bool {
        self.event(kind.names().0)
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
        assert!(Wanted::read("*").event("LATER") && Wanted::read("*").delta(DeltaKind::Text));
        assert!(!Wanted::read("").event("RUN_FINISHED") && !Wanted::read("").event(""));
    }
}
