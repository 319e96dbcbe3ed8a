//! What the guard asks of the thread. Every question costs what it brings, however long the thread is.

use super::Thread;
use super::entry::Entry;
use crate::wire::{Raw, Role};

impl Thread {
    /// Whether the thread has a message of this id and kind, and whether it has it just so.
    pub(crate) fn compare(&mut self, message: Raw<'_>) -> Option<bool> {
        let given = Entry::read(message.object().as_ref(), &mut Vec::new()).ok()?;
        let entry = self.list.find(&given.message.id).and_then(|at| self.list.get(at))?;
        let (shown, given_message) = (&entry.message, &given.message);
        if shown == given_message && entry.reasoning == given.reasoning {
            return Some(true);
        }
        let same_kind = shown.role == given_message.role
            && shown.activity_type == given_message.activity_type
            && shown.tool_call_id == given_message.tool_call_id;
        // Reasoning that has been folded into the answer.
        let folded = given_message.role == Role::Reasoning && entry.reasoning.is_some();
        (same_kind || folded).then_some(false)
    }
}
