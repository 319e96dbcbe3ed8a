//! Results whose calls are not in the thread.

use crate::thread::{At, Index, LocalAnswer};

/// Answers of the page to calls that the thread lacks: a list of messages has taken them away, or a replay has yet to bring
/// them. By the call's id.
#[derive(Debug, Default)]
pub(super) struct Detached {
    answers: Vec<Option<LocalAnswer>>,
    index: Index,
}

impl Detached {
    pub fn push(&mut self, answer: LocalAnswer) {
        let at = At { message: self.answers.len(), call: 0 };
        self.index.note(&answer.call, at);
        self.answers.push(Some(answer));
    }

    pub fn iter(&self) -> impl Iterator<Item = &LocalAnswer> {
        self.answers.iter().flatten()
    }

    pub fn has(&self, call: &str) -> bool {
        self.index.contains_key(call)
    }

    /// Takes the answer to a call.
    pub fn take(&mut self, call: &str) -> Option<LocalAnswer> {
        let at = self.index.remove(call)?.message;
        self.answers.get_mut(at)?.take()
    }
}
