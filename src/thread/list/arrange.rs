//! The order of a thread as the server has it.
//!
//! A list of messages gives its own order to what it names. A message that it does not name and that stays, such as an
//! activity of the page alone, stays right after the message that it stood after.

use super::{Item, MessageList, Order};
use crate::document::{Insertion, Role};
use crate::thread::entry::Entry;

/// An element of the server's list.
pub(in crate::thread) enum Stand {
    /// A message that is here, by its slot.
    Known(usize),
    New(Box<Entry>),
}

impl MessageList {
    /// Puts the messages into the order of a list, if it `orders`, and the new ones among them. Each known slot stands in it
    /// once. Returns the slots of the new ones. Where the known ones have this order already, what is not named is not
    /// looked at.
    pub(in crate::thread) fn arrange(&mut self, stands: Vec<Stand>, orders: bool) -> Vec<usize> {
        let mut known = Vec::new();
        let mut ordered = true;
        for stand in &stands {
            if let Stand::Known(slot) = stand {
                ordered &= known.last().is_none_or(|last| self.order.precedes(*last, *slot));
                known.push(*slot);
            }
        }
        if orders && !ordered {
            self.reorder(&known);
        }
        let mut fresh = Vec::new();
        let mut waiting = Vec::new();
        for stand in stands {
            match stand {
                Stand::New(entry) => waiting.push(entry),
                Stand::Known(slot) => {
                    for entry in std::mem::take(&mut waiting) {
                        fresh.push(self.put(*entry, Insertion::Before(slot)));
                    }
                }
            }
        }
        waiting.into_iter().for_each(|entry| fresh.push(self.push(*entry)));
        fresh
    }

    /// Gives these messages this order. Every other one goes with the one of these that it stands after.
    fn reorder(&mut self, known: &[usize]) {
        self.move_all();
        self.saved = 0;
        let mut rank = vec![None; self.slab.len()];
        for (at, slot) in known.iter().enumerate() {
            if let Some(rank) = rank.get_mut(*slot) {
                *rank = Some(at + 1);
            }
        }
        let mut last = 0;
        let mut slots = Vec::new();
        for (at, slot) in self.order.iter().enumerate() {
            last = rank.get(slot).copied().flatten().unwrap_or(last);
            slots.push((last, at, slot));
        }
        slots.sort_unstable();
        self.order = Order::default();
        for (.., slot) in slots {
            match self.get(slot) {
                Some(entry) => {
                    let item = Item { slot, calls: entry.calls.len(), follows: entry.role() == Role::Tool };
                    self.order.push(item);
                }
                // The mirror's list is written anew: no place is held for what is gone.
                None => self.slab.get_mut(slot).into_iter().for_each(|place| *place = None),
            }
        }
    }

    /// Whether the last merge has kept this one: its list names it.
    pub(in crate::thread) fn is_kept(&self, slot: usize) -> bool {
        self.get(slot).is_some_and(|entry| entry.stamp == self.stamp)
    }
}
