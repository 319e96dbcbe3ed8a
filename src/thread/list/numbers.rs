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
            repeats |= last.insert(wire_id(call.id()).0, At::default()).is_some();
        }
        if !repeats {
            return;
        }
        let here = |entry: &Entry| self.get(self.by_id.get(entry.id())?.message);
        let known = |entry: &Entry, at: usize| {
            let known = here(entry)?.calls.get(at)?.id();
            let same = wire_id(known).0 == wire_id(entry.calls.get(at)?.id()).0;
            same.then(|| known.to_owned())
        };
        let mut taken = Index::new();
        for entry in entries.iter() {
            taken.extend((0..entry.calls.len()).filter_map(|at| Some((known(entry, at)?, At::default()))));
        }
        for entry in entries {
            for at in 0..entry.calls.len() {
                let known = known(entry, at);
                let Some(call) = entry.calls.get_mut(at) else { continue };
                let (wire, own) = wire_id(call.id());
                let place = last.entry(wire).or_default();
                let mut id = known.unwrap_or_default();
                if id.is_empty() {
                    let mut next = own.max(place.message + 1);
                    while taken.contains_key(&numbered(wire, next)) {
                        next += 1;
                    }
                    id = numbered(wire, next);
                }
                place.message = wire_id(&id).1;
                call.row.set_text(OWN_ID, &id);
            }
            if let Some(id) = entry.call_id().map(String::from) {
                let known = here(entry).and_then(Entry::call_id).map(wire_id).filter(|known| known.0 == id);
                let number = known.map(|known| known.1).or(last.get(&id).map(|at| at.message));
                entry.row.set_text(CALL_ID, &numbered(&id, number.unwrap_or_default()));
            }
        }
    }

    pub(super) fn index_call(&mut self, id: &str, at: At) {
        self.by_call.add(id, at, |_| false);
        let (id, number) = wire_id(id);
        if number > 1 {
            let last = self.again.entry(id).or_default();
            last.message = last.message.max(number);
        }
    }
}
