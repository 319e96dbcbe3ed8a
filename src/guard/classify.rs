//! The seven classes of Chio's events, and which of them an event is of by what it says.

use super::event::ChioEvent;
use crate::wire::{Fields, Raw};

/// The effect of an event on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Class {
    #[default]
    Display,
    Mutate,
    Navigate,
    Create,
    Destroy,
    Submit,
    Alert,
}

/// In the order of the enum: the name on the wire, and as Chio's texts for people have it.
const NAMES: [(Class, &str, &str); 7] = [
    (Class::Display, "display", "Display"),
    (Class::Mutate, "mutate", "Mutate"),
    (Class::Navigate, "navigate", "Navigate"),
    (Class::Create, "create", "Create"),
    (Class::Destroy, "destroy", "Destroy"),
    (Class::Submit, "submit", "Submit"),
    (Class::Alert, "alert", "Alert"),
];

impl Class {
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
const OF_TYPE: [(&str, Class); 6] = [
    ("text_stream", Class::Display),
    ("state_update", Class::Mutate),
    ("navigation", Class::Navigate),
    ("form_action", Class::Submit),
    ("notification", Class::Alert),
    ("error", Class::Alert),
];

/// The class of each action that a lifecycle event may name.
const OF_ACTION: [(&str, Class); 16] = [
    ("create", Class::Create),
    ("created", Class::Create),
    ("mount", Class::Create),
    ("mounted", Class::Create),
    ("open", Class::Create),
    ("opened", Class::Create),
    ("destroy", Class::Destroy),
    ("destroyed", Class::Destroy),
    ("unmount", Class::Destroy),
    ("unmounted", Class::Destroy),
    ("close", Class::Destroy),
    ("closed", Class::Destroy),
    ("update", Class::Mutate),
    ("updated", Class::Mutate),
    ("change", Class::Mutate),
    ("changed", Class::Mutate),
];

/// The class of an event by its type and payload, or why there is none, in Chio's words.
pub(crate) fn derive(event: &ChioEvent<'_>) -> Result<Class, String> {
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
    let said = ["action", "lifecycle", "event"].into_iter().find_map(|name| payload.get(name)?.string())?;
    Some(said.to_ascii_lowercase())
}
