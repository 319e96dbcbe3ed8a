//! The changes that a list of messages makes to a thread, for the code that settles the consequences.

use super::entry::Entry;
use crate::document::{Call, Row};
use crate::wire::Keyed;

/// The changes that a list of messages has made to calls.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// The messages that it names, and those of them that are new.
    pub slots: Vec<usize>,
    pub fresh: Vec<usize>,
    /// The application has moved messages: a result may stand before its call.
    pub reordered: bool,
    /// A list of the server's has given its order: a result that was here before may stand apart from its call.
    pub arranged: bool,
    /// Calls that stay where they are, with another name or other arguments.
    pub changed: Vec<String>,
    /// Messages whose content is another one.
    pub rewritten: Vec<String>,
    /// Calls that are not where they were: how far each had come.
    pub unmatched: Keyed<Row>,
}

/// The consequences of lists of messages, for the owner of the thread to act on.
#[derive(Debug, Default)]
pub(crate) struct Review {
    /// Calls that they have brought answers to.
    pub answered: Vec<String>,
    /// Calls whose name, arguments or message they have changed.
    pub changed_calls: Vec<String>,
    /// Messages whose content they have replaced.
    pub rewritten: Vec<String>,
    /// Answers of the page whose calls they have taken away.
    pub orphans: Vec<Row>,
}

impl Merged {
    /// A call is not in its message.
    pub fn leave(&mut self, call: &Call) {
        self.unmatched.push(call.id(), call.row.clone());
    }

    /// A message goes, with its calls.
    pub fn leave_all(&mut self, entry: &Entry) {
        entry.calls.iter().for_each(|call| self.leave(call));
    }
}
