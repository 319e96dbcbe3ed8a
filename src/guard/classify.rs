//! The seven classes of Chio's events, and which of them an event is of by what it says.

use super::event::ChioEvent;
pub(super) use crate::wire::Classification;
use crate::wire::{Fields, Raw};

/// In the order of the enum: the name on the wire, and as Chio's texts for people have it.
const NAMES: [(Classification, &str, &str); 7] = [
    (Classification::Display, "display", "Display"),
    (Classification::Mutate, "mutate", "Mutate"),
    (Classification::Navigate, "navigate", "Navigate"),
    (Classification::Create, "create", "Create"),
    (Classification::Destroy, "destroy", "Destroy"),
    (Classification::Submit, "submit", "Submit"),
    (Classification::Alert, "alert", "Alert"),
];

impl Classification {
    pub const ALL: [Self; 7] =
        [Self::Display, Self::Mutate, Self::Navigate, Self::Create, Self::Destroy, Self::Submit, Self::Alert];

    pub fn of(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known, _)| *known == name).map(|(class, ..)| *class)
    }

    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// With a capital.
    pub fn title(self) -> &'static str {
        self.entry().2
    }

    fn entry(self) -> (Self, &'static str, &'static str) {
        NAMES.iter().find(|(class, ..)| *class == self).copied().unwrap_or((self, "", ""))
    }

    /// Its place in a set.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The types that are of one class, whatever they hold.
const OF_TYPE: [(&str, Classification); 6] = [
    ("text_stream", Classification::Display),
    ("state_update", Classification::Mutate),
    ("navigation", Classification::Navigate),
    ("form_action", Classification::Submit),
    ("notification", Classification::Alert),
    ("error", Classification::Alert),
];

/// The class of each action that a lifecycle event may name.
const OF_ACTION: [(&str, Classification); 16] = [
    ("create", Classification::Create),
    ("created", Classification::Create),
    ("mount", Classification::Create),
    ("mounted", Classification::Create),
    ("open", Classification::Create),
    ("opened", Classification::Create),
    ("destroy", Classification::Destroy),
    ("destroyed", Classification::Destroy),
    ("unmount", Classification::Destroy),
    ("unmounted", Classification::Destroy),
    ("close", Classification::Destroy),
    ("closed", Classification::Destroy),
    ("update", Classification::Mutate),
    ("updated", Classification::Mutate),
    ("change", Classification::Mutate),
    ("changed", Classification::Mutate),
];

/// The class of an event by its type and payload, or why there is none, in Chio's words.
pub(crate) fn derive(event: &ChioEvent<'_>) -> Result<Classification, String> {
    let name = event.name();
    if event.is_custom() {
        return Err(format!("custom AG-UI event type cannot be server-classified: {name}"));
    }
    if let Some((_, class)) = OF_TYPE.iter().find(|(known, _)| *known == name) {
        return Ok(*class);
    }
    if name != "lifecycle" {
        return Err(format!("unknown AG-UI event type: {name}"));
    }
    let said = event.payload().and_then(Raw::object).and_then(|payload| action(&payload));
    let Some(action) = said else { return Err("lifecycle AG-UI event missing classifiable action".to_owned()) };
    let found = OF_ACTION.iter().find(|(known, _)| *known == action).map(|(_, class)| *class);
    found.ok_or_else(|| format!("lifecycle AG-UI event action is not classifiable: {action}"))
}

fn action(payload: &Fields<'_>) -> Option<String> {
    let said = ["action", "lifecycle", "event"].into_iter().find_map(|name| payload.text(name))?;
    Some(said.to_ascii_lowercase())
}
