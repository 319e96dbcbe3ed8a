//! The guard's questions about the thread. Each costs what it brings, however long the thread is.

use super::Thread;
use super::entry::Entry;
use crate::document::{ACTIVITY_TYPE, CALL_ID, REASONING, ROLE, Role};
use crate::wire::Raw;

impl Thread {
    /// Whether the thread has a message of this id and kind, and whether it has it just so.
    pub(crate) fn compare(&mut self, message: Raw<'_>) -> Option<bool> {
        let given = Entry::read(message.object().as_ref(), &mut Vec::new()).ok()?;
        let entry = self.list.find(given.id()).and_then(|at| self.list.get(at))?;
        if entry.same(&given) {
            return Some(true);
        }
        let same_kind = entry.row.same(&given.row, 1 << ROLE | 1 << ACTIVITY_TYPE | 1 << CALL_ID);
        // Reasoning that has been folded into the answer.
        let folded = given.role() == Role::Reasoning && entry.row.has(REASONING);
        (same_kind || folded).then_some(false)
    }
}
