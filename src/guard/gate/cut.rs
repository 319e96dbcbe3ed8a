//! Removes blocked parts from JSON.

use crate::wire::{Fields, JsonWriter, Raw};

/// The elements of a list that `keep` keeps, where that is not all of them.
pub(super) fn filtered(list: Option<Raw<'_>>, keep: &mut dyn FnMut(Raw<'_>) -> bool) -> Option<String> {
    let mut whole = true;
    let list = list?.array()?;
    let json = JsonWriter::array_text(|out| {
        for raw in list {
            if keep(raw) {
                out.item().push_str(raw.text());
            } else {
                whole = false;
            }
        }
    });
    (!whole).then_some(json)
}

/// An object with other members in place of some, or without them. The original of an event is left out, for it has them.
pub(super) fn changed(fields: &Fields<'_>, changes: &[(&str, Option<&str>)]) -> String {
    JsonWriter::changed(fields, &[changes, &[("rawEvent", None)]].concat())
}

/// The members of a message that have no content: its id, its role, and its subagent.
pub(super) const IDENTITY: [&str; 3] = ["id", "role", "subagentRunId"];

/// A message that says nothing, with these calls.
pub(super) fn bare(fields: &Fields<'_>, calls: &str) -> String {
    JsonWriter::object_text(|out| {
        out.copy(fields, &|key| IDENTITY.contains(&key));
        out.member("toolCalls").push_str(calls);
    })
}
