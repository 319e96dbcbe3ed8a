//! The items that a session shows, as its guard asks for them.

use crate::guard::{MessageState, ShownItems};
use crate::rules::OrderKeeper;
use crate::thread::Thread;
use crate::wire::{Incoming, Raw, shortened};

/// The shown thread, for the guard to ask.
pub(in crate::session) struct View<'s>(pub &'s mut Thread, pub &'s OrderKeeper);

impl ShownItems for View<'_> {
    fn call(&mut self, id: &str) -> Option<String> {
        // A list of components has none that is longer; decisions repeat it for each part of the arguments.
        self.0.call(id).map(|call| shortened(call.tool(), 1024).into_owned())
    }

    fn message(&mut self, message: Raw<'_>) -> MessageState {
        match self.0.compare(message) {
            Some(true) => MessageState::Same,
            Some(false) => MessageState::Changed,
            None => MessageState::New,
        }
    }

    fn is_open(&self, incoming: &Incoming<'_>) -> bool {
        self.1.has_open(incoming)
    }
}
