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

    /// Numbers the calls of a list that have one id, as they stand in it; those of messages that are here have their numbers.
    pub(in crate::thread) fn number_calls(&self, entries: &mut [Entry]) {
        let mut last = Index::new();
        for entry in entries {
            let here = if self.repeats() { self.by_id.get(entry.id()).map(|at| at.message) } else { None };
            for (at, call) in entry.calls.iter_mut().enumerate() {
                let known = here.and_then(|message| self.call(At { message, call: at })).map(|call| wire_id(call.id()));
                let (id, own) = wire_id(call.id());
                let place = last.entry(id).or_default();
                let next = own.max(place.message + 1);
                place.message = known.filter(|known| known.0 == id).map_or(next, |known| known.1);
                if place.message > 1 {
                    let id = numbered(id, place.message);
                    call.row.set_text(OWN_ID, &id);
                }
            }
            if let Some(id) = entry.call_id().map(String::from) {
                let known = here.and_then(|message| self.get(message)?.call_id()).map(wire_id);
                let number = known.filter(|known| known.0 == id).map(|known| known.1);
                let number = number.or(last.get(&id).map(|at| at.message)).unwrap_or_default();
                if number > 1 {
                    entry.row.set_text(CALL_ID, &numbered(&id, number));
                }
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
