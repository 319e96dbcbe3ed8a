//! The seven classes of Chio's events, and which of them an event is of by what it says.

use super::event::ChioEvent;
pub(super) use crate::wire::Classification;
use crate::wire::{Fields, Raw};

impl Classification {
    /// As Chio's texts for people have it. (The module has no `{:?}`.)
    pub fn title(self) -> String {
        let mut title = self.name().to_owned();
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        title
    }

    /// Its place in a set.
    pub fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The class of an event by its type and payload, or why there is none, in Chio's words.
pub(crate) fn derive(event: &ChioEvent<'_>) -> Result<Classification, String> {
    let name = event.name();
    if event.is_custom() {
        return Err(format!("custom AG-UI event type cannot be server-classified: {name}"));
    }
    match name {
        "text_stream" => Ok(Classification::Display),
        "state_update" => Ok(Classification::Mutate),
        "navigation" => Ok(Classification::Navigate),
        "form_action" => Ok(Classification::Submit),
        "notification" | "error" => Ok(Classification::Alert),
        "lifecycle" => {
            let said = event.payload().and_then(Raw::object).and_then(|payload| action(&payload));
            of_action(&said.ok_or("lifecycle AG-UI event missing classifiable action")?)
        }
        _ => Err(format!("unknown AG-UI event type: {name}")),
    }
}

/// The class of an action that a lifecycle event names, as what is to be done or as what was done.
fn of_action(action: &str) -> Result<Classification, String> {
    match action {
        "create" | "created" | "mount" | "mounted" | "open" | "opened" => Ok(Classification::Create),
        "destroy" | "destroyed" | "unmount" | "unmounted" | "close" | "closed" => Ok(Classification::Destroy),
        "update" | "updated" | "change" | "changed" => Ok(Classification::Mutate),
        _ => Err(format!("lifecycle AG-UI event action is not classifiable: {action}")),
    }
}

fn action(payload: &Fields<'_>) -> Option<String> {
    let said = ["action", "lifecycle", "event"].into_iter().find_map(|name| payload.text(name))?;
    Some(said.to_ascii_lowercase())
}
