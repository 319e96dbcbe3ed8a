//! The messages of a list, one after the other.

use super::MessageList;
use crate::document::Slots;
use crate::thread::entry::Entry;

/// Messages with their slots, in order.
pub(in crate::thread) struct Entries<'l> {
    pub(super) list: &'l MessageList,
    pub(super) slots: Slots<'l>,
}

impl<'l> Iterator for Entries<'l> {
    type Item = (usize, &'l Entry);

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let slot = self.slots.next()?;
            if let Some(entry) = self.list.get(slot) {
                return Some((slot, entry));
            }
        }
    }
}

impl DoubleEndedIterator for Entries<'_> {
    #[inline(never)]
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            let slot = self.slots.next_back()?;
            if let Some(entry) = self.list.get(slot) {
                return Some((slot, entry));
            }
        }
    }
}
