//! Finding the entries of a list: by id, by call, and by what answers a call.

use super::*;

impl MessageList {
    /// Whether [`Self::find_same`] may find something.
    pub(in crate::thread) fn may_have(&self, message: &Message) -> bool {
        match result_key(message) {
            Some(key) => self.by_result.get(&key).is_some(),
            None => self.by_id.get(&message.id).is_some(),
        }
    }

    pub(super) fn index(&mut self, slot: usize) {
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let at = At { message: slot, call: 0 };
        let result = result_key(&entry.message);
        let slab = &self.slab;
        // Some servers give a result the id of the message that calls.
        let yields = |at: At| {
            result.is_none()
                && slab.get(at.message).and_then(Option::as_ref).is_some_and(|e| result_key(&e.message).is_some())
        };
        self.by_id.add(&entry.message.id, at, yields);
        self.last = usize::MAX;
        self.index_parts(slot);
    }

    /// Notes all of a message but its id and its calls.
    pub(super) fn index_parts(&mut self, slot: usize) {
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let at = At { message: slot, call: 0 };
        if let Some(key) = &result_key(&entry.message) {
            self.by_result.add(key, at, |_| false);
        }
        if let Some(call) = &entry.message.tool_call_id {
            self.answers.insert(call.clone(), at);
        }
    }

    pub(super) fn index_calls(&mut self, slot: usize) {
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let calls = entry.calls.len();
        for (call, tool_call) in entry.message.tool_calls.iter().enumerate() {
            let at = At { message: slot, call };
            self.by_call.add(&tool_call.id, at, |_| false);
            self.new_calls.push(at);
        }
        self.order.set_calls(slot, calls);
        for call in 0..calls {
            self.change_call(At { message: slot, call });
        }
    }

    pub(super) fn unindex(&mut self, slot: usize) {
        self.unindex_parts(slot);
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let id = &entry.message.id;
        let slab = &self.slab;
        let message = |at: At| slab.get(at.message)?.as_ref().filter(|e| !e.gone && at.message != slot);
        let is = |at: At| message(at).is_some_and(|entry| entry.message.id == *id);
        self.by_id.remove(id, At { message: slot, call: 0 }, &is);
    }

    pub(super) fn unindex_parts(&mut self, slot: usize) {
        self.unindex_calls(slot);
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let at = At { message: slot, call: 0 };
        let slab = &self.slab;
        let message = |at: At| slab.get(at.message)?.as_ref().filter(|e| !e.gone && at.message != slot);
        if let Some(key) = result_key(&entry.message) {
            let is = |at| message(at).is_some_and(|entry| result_key(&entry.message).as_ref() == Some(&key));
            self.by_result.remove(&key, at, &is);
        }
        if let Some(call) = &entry.message.tool_call_id
            && self.answers.get(call) == Some(&at)
        {
            self.answers.remove(call);
        }
    }

    pub(super) fn unindex_calls(&mut self, slot: usize) {
        self.last_call = None;
        let Some(entry) = self.slab.get(slot).and_then(Option::as_ref) else { return };
        let slab = &self.slab;
        for (call, ToolCall { id, .. }) in entry.message.tool_calls.iter().enumerate() {
            let is = |at: At| {
                let entry = slab.get(at.message).and_then(Option::as_ref).filter(|e| !e.gone && at.message != slot);
                entry.and_then(|entry| entry.message.tool_calls.get(at.call)).is_some_and(|call| call.id == *id)
            };
            self.by_call.remove(id, At { message: slot, call }, &is);
        }
    }
}
