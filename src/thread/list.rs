//! The messages in order, found by id in constant time.

use super::entry::{Delivery, Entry};
use crate::wire::{Content, same};
use std::collections::HashMap;

/// Where a message stands, and for a tool call its place among that message's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct At {
    pub message: usize,
    pub call: usize,
}

/// Positions by id. One type for all look-ups, so that the code of the map is in the module once.
pub(crate) type Index = HashMap<String, At>;

#[derive(Debug, Default)]
pub(super) struct MessageList {
    entries: Vec<Entry>,
    /// The first message of each id.
    by_id: Index,
    by_call: Index,
    /// Where the last look-up ended: a stream writes many deltas to one message.
    last: usize,
    last_call: Option<At>,
    /// Positions of messages with something unsent; not valid after the list was restructured.
    pub touched: Vec<usize>,
    /// Messages or calls came, went or moved since the last patch.
    pub restructured: bool,
}

impl MessageList {
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn entries_mut(&mut self) -> &mut [Entry] {
        &mut self.entries
    }

    pub fn get(&self, at: usize) -> Option<&Entry> {
        self.entries.get(at)
    }

    /// The message at `at`, to be changed: it goes into the next patch.
    pub fn change(&mut self, at: usize) -> Option<&mut Entry> {
        let entry = self.entries.get_mut(at)?;
        if !entry.unsent.touched {
            entry.unsent.touched = true;
            self.touched.push(at);
        }
        Some(entry)
    }

    /// The position of the first message with this id.
    pub fn find(&mut self, id: &str) -> Option<usize> {
        if self.entries.get(self.last).is_some_and(|entry| same(&entry.message.id, id)) {
            return Some(self.last);
        }
        self.last = self.by_id.get(id)?.message;
        Some(self.last)
    }

    /// Adds to the text of the message that was found last, if it has this id, and grows already.
    #[inline(always)]
    pub fn grow_last(&mut self, id: &str, delta: &str) -> bool {
        let Some(entry) = self.entries.get_mut(self.last) else { return false };
        let grows = entry.unsent.touched && entry.delivery == Delivery::Streaming && same(&entry.message.id, id);
        match &mut entry.message.content {
            Content::Text(text) if grows => {
                text.push_str(delta);
                true
            }
            _ => false,
        }
    }

    pub fn find_call(&mut self, id: &str) -> Option<At> {
        let is = |at: At| self.call_id(at).is_some_and(|found| same(found, id));
        if let Some(at) = self.last_call.filter(|at| is(*at)) {
            return Some(at);
        }
        self.last_call = Some(*self.by_call.get(id)?);
        self.last_call
    }

    fn call_id(&self, at: At) -> Option<&str> {
        self.entries.get(at.message)?.message.tool_calls.get(at.call).map(|call| call.id.as_str())
    }

    pub fn push(&mut self, entry: Entry) -> usize {
        let at = self.entries.len();
        self.insert(at, entry);
        at
    }

    pub fn insert(&mut self, at: usize, entry: Entry) {
        let last = at == self.entries.len();
        self.entries.insert(at, entry);
        self.restructured = true;
        if last {
            self.index(at);
        } else {
            self.reindex();
        }
    }

    /// Notes a call that was added to the message at `at`.
    pub fn index_call(&mut self, at: usize) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.unsent.whole = true;
        }
        self.restructured = true;
        self.index(at);
    }

    /// Puts another message in the place of the one at `at`, whose calls go with it.
    pub fn supplant(&mut self, at: usize, mut entry: Entry) {
        let Some(old) = self.entries.get_mut(at) else { return };
        entry.place = old.place;
        entry.unsent.whole = true;
        *old = entry;
        self.restructured = true;
        self.reindex();
    }

    /// Takes all entries out, to be put back in another order with [`Self::replace`].
    pub fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    pub fn replace(&mut self, entries: Vec<Entry>) {
        self.entries = entries;
        self.restructured = true;
        self.reindex();
    }

    fn index(&mut self, at: usize) {
        let Some(entry) = self.entries.get(at) else { return };
        if !self.by_id.contains_key(&entry.message.id) {
            self.by_id.insert(entry.message.id.clone(), At { message: at, call: 0 });
        }
        for (call, tool_call) in entry.message.tool_calls.iter().enumerate() {
            if !self.by_call.contains_key(&tool_call.id) {
                self.by_call.insert(tool_call.id.clone(), At { message: at, call });
            }
        }
    }

    fn reindex(&mut self) {
        self.by_id.clear();
        self.by_call.clear();
        self.last = 0;
        self.last_call = None;
        for at in 0..self.entries.len() {
            self.index(at);
        }
    }
}
