//! Results whose calls are not in the thread.

use crate::document::{ANSWERED_CALL, Row};
use crate::thread::{At, Index};

/// Answers of the page to calls that the thread lacks: a list of messages has taken them away, or a replay has yet to bring
/// them. By the call's id.
#[derive(Debug, Default)]
pub(super) struct Detached {
    answers: Vec<Option<Row>>,
    index: Index,
}

impl Detached {
    pub fn push(&mut self, answer: Row) {
        let at = At { message: self.answers.len(), call: 0 };
        self.index.note(answer.text(ANSWERED_CALL), at);
        self.answers.push(Some(answer));
    }

    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.answers.iter().flatten()
    }

    pub fn has(&self, call: &str) -> bool {
        self.index.contains_key(call)
    }

    /// Takes the answer to a call.
    pub fn take(&mut self, call: &str) -> Option<Row> {
        let at = self.index.remove(call)?.message;
        self.answers.get_mut(at)?.take()
    }
}
