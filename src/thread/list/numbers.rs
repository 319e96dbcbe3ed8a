//! Numbers of calls: an id that comes again in a later run is another call's (`docs/decisions/0050-ids-of-calls-that-come-again.md`).

use super::*;
use crate::document::{CALL_ID, OWN_ID, numbered, wire_id};

impl MessageList {
    /// Whether several calls have one id.
    pub(in crate::thread) fn repeats(&self) -> bool {
        !self.again.is_empty()
    }

    /// The number of the last call that has an id.
    pub(in crate::thread) fn last_number(&mut self, id: &str) -> usize {
        let Some(last) = self.again.get_mut(id) else { return 1 };
        while last.message > 1 && self.by_call.get(&numbered(id, last.message)).is_none() {
            last.message -= 1;
        }
        last.message
    }

    /// Numbers the calls of a list that have one id: those of messages that are here as they are, the others as they stand in it.
    pub(in crate::thread) fn number_calls(&self, entries: &mut [Entry]) {
        let mut last = Index::new();
        let mut repeats = self.repeats();
        for call in entries.iter().flat_map(|entry| &entry.calls) {
            repeats |= last.insert(call.id(), At::default()).is_some();
        }
        if !repeats {
            return;
        }
        // A message that is here keeps the numbers of its calls, and of the one that it answers.
        let here = |entry: &Entry| self.get(self.by_id.get(entry.id())?.message);
        let mut taken = Index::new();
        for (message, entry) in entries.iter_mut().enumerate() {
            let known = here(entry).map_or(&[][..], |known| &known.calls);
            for (call, known) in entry.calls.iter_mut().zip(known) {
                if call.id() == wire_id(known.id()).0 {
                    call.row.set_text(OWN_ID, known.id());
                    taken.insert(known.id(), At { message, call: 0 });
                }
            }
        }
        let mut last = Index::new();
        for (message, entry) in entries.iter_mut().enumerate() {
            for call in &mut entry.calls {
                let (wire, mut number) = wire_id(call.id());
                let before = last.note(wire, At::default()).message;
                if taken.get(call.id()).is_none_or(|of| of.message != message) {
                    number = number.max(before + 1);
                    while taken.contains_key(&numbered(wire, number)) {
                        number += 1;
                    }
                }
                last.insert(wire, At { message: number, call: 0 });
                let id = numbered(wire, number);
                call.row.set_text(OWN_ID, &id);
            }
            if let Some(id) = entry.call_id().map(str::to_owned) {
                let mut number = last.get(&id).map_or(0, |at| at.message);
                // Results of several calls may have one id: each call has one of them, after it.
                let known = here(entry).and_then(Entry::call_id).unwrap_or_default();
                let (wire, own) = wire_id(known);
                if wire == id
                    && let Some(of) = taken.get_mut(known).filter(|of| of.message < message && of.call == 0)
                {
                    (of.call, number) = (1, own);
                }
                entry.row.set_text(CALL_ID, &numbered(&id, number));
            }
        }
    }

    pub(super) fn index_call(&mut self, id: &str, at: At) {
        self.by_call.add(id, at, |_| false);
        let (id, number) = wire_id(id);
        if number > 1 {
            let last = self.again.get(id).map_or(0, |at| at.message);
            self.again.insert(id, At { message: number.max(last), call: 0 });
        }
    }
}
