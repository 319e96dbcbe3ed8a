//! Finding the entries of a list: by id, by call, and by what answers a call.

use super::*;

impl MessageList {
    /// The call that has an id, as it is.
    pub fn call_of(&mut self, id: &str) -> Option<&Call> {
        let at = self.find_call(id)?;
        self.call(at)
    }

    /// The same, to be changed.
    pub fn change_call_of(&mut self, id: &str) -> Option<&mut Call> {
        let at = self.find_call(id)?;
        self.change_call(at)
    }

    /// A result is its call's last one, if none is known.
    pub fn note_answer(&mut self, slot: usize) {
        let entry = self.slab.get(slot).and_then(Option::as_ref);
        if let Some(call) = entry.and_then(Entry::call_id) {
            self.answers.note(call, At { message: slot, call: 0 });
        }
    }

    pub(super) fn index(&mut self, slot: usize) {
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let at = At { message: slot, call: 0 };
        let result = entry.result_key();
        let slab = &self.slab;
        // Some servers give a result the id of the message that calls.
        let yields = |at: At| {
            result.is_none() && slab.get(at.message).and_then(Option::as_ref).is_some_and(|e| e.result_key().is_some())
        };
        self.by_id.add(entry.id(), at, yields);
        self.last = usize::MAX;
        self.index_parts(slot);
    }

    /// Notes all of a message but its id and its calls.
    pub(super) fn index_parts(&mut self, slot: usize) {
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let at = At { message: slot, call: 0 };
        if let Some(key) = &entry.result_key() {
            self.by_result.add(key, at, |_| false);
        }
        if let Some(call) = entry.call_id() {
            self.answers.insert(call, at);
        }
    }

    pub(in crate::thread) fn index_calls(&mut self, slot: usize) {
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let ids: Vec<String> = entry.calls.iter().map(|call| call.id().to_owned()).gather();
        let calls = ids.len();
        for (call, id) in ids.into_iter().enumerate() {
            let at = At { message: slot, call };
            self.index_call(&id, at);
            self.new_calls.push(at);
        }
        self.order.change(slot, &|item| item.calls = calls);
        for call in 0..calls {
            self.change_call(At { message: slot, call });
        }
    }

    pub(super) fn unindex(&mut self, slot: usize) {
        self.unindex_parts(slot);
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let id = entry.id();
        let is = |at: At| other(&self.slab, slot, at).is_some_and(|entry| entry.id() == id);
        self.by_id.remove(id, At { message: slot, call: 0 }, &is);
    }

    pub(super) fn unindex_parts(&mut self, slot: usize) {
        self.unindex_calls(slot);
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let at = At { message: slot, call: 0 };
        if let Some(key) = entry.result_key() {
            let is = |at| other(&self.slab, slot, at).is_some_and(|entry| entry.result_key().as_ref() == Some(&key));
            self.by_result.remove(&key, at, &is);
        }
        if let Some(call) = entry.call_id()
            && self.answers.get(call) == Some(&at)
        {
            self.answers.remove(call);
        }
    }

    pub(super) fn unindex_calls(&mut self, slot: usize) {
        self.last_call = None;
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        for (at, call) in entry.calls.iter().enumerate() {
            let call_at = |at: At| other(&self.slab, slot, at)?.calls.get(at.call);
            let is = |at: At| call_at(at).is_some_and(|other| other.id() == call.id());
            self.by_call.remove(call.id(), At { message: slot, call: at }, &is);
        }
    }
}

/// The message at a place, if it is there and not the one in this slot.
fn other(slab: &[Option<Entry>], slot: usize, at: At) -> Option<&Entry> {
    slab.get(at.message)?.as_ref().filter(|entry| !entry.gone && at.message != slot)
}
