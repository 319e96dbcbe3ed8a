//! Where the entries of a list stand, and what the mirror lacks of that.

use super::*;

impl MessageList {
    /// How the mirror's list of messages becomes this one.
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        if self.moved {
            for slot in self.slots() {
                let place = self.get(slot).and_then(|entry| entry.place);
                add(&mut parts, place.map_or(Part::New(slot, 0), |place| Part::Keep(place..place + 1)));
            }
            return parts;
        }
        let mut changes = Vec::new();
        for slot in &self.changes {
            if matches!(self.slab.get(*slot), Some(Some(_))) {
                changes.push((self.order.place(*slot).message, *slot, 0));
            }
        }
        parts_of(changes, self.mirrored.message, &|slot, _| Some(self.gone(slot)?.place.is_some()))
    }

    /// The same of the calls.
    pub fn call_parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let calls = |slot: usize| self.slab.get(slot).and_then(Option::as_ref).map_or(0, |entry| entry.calls.len());
        if self.calls_moved {
            for slot in self.order.callers().filter(|slot| self.get(*slot).is_some()) {
                for call in 0..calls(slot) {
                    let place = self.call(At { message: slot, call }).and_then(|call| call.place);
                    add(&mut parts, place.map_or(Part::New(slot, call), |place| Part::Keep(place..place + 1)));
                }
            }
            return parts;
        }
        let mut changes = Vec::new();
        for at in self.new_calls.iter().filter(|at| calls(at.message) > at.call) {
            changes.push((self.order.place(at.message).call + at.call, at.message, at.call));
        }
        for slot in &self.changes {
            let Some(Some(entry)) = self.slab.get(*slot) else { continue };
            let before = self.order.place(*slot).call;
            for (call, _) in entry.calls.iter().enumerate().filter(|(_, state)| entry.gone && state.place.is_some()) {
                changes.push((before + call, *slot, call));
            }
        }
        parts_of(changes, self.mirrored.call, &|slot, call| Some(self.gone(slot)?.calls.get(call)?.place.is_some()))
    }

    /// A message that is gone, whose place is held.
    fn gone(&self, slot: usize) -> Option<&Entry> {
        self.slab.get(slot)?.as_ref().filter(|entry| entry.gone)
    }

    /// The mirror has the lists as they are. Returns what of them has more to tell.
    pub fn sent(&mut self) -> Vec<At> {
        self.saved = self.saved();
        let all = std::mem::take(&mut self.moved);
        let all_calls = std::mem::take(&mut self.calls_moved);
        for slot in std::mem::take(&mut self.changes) {
            match self.slab.get_mut(slot) {
                Some(Some(entry)) if entry.gone => {
                    self.order.remove(slot);
                    if let Some(place) = self.slab.get_mut(slot) {
                        *place = None;
                    }
                }
                Some(Some(entry)) if entry.place.is_none() => {
                    entry.row.set_mirrored();
                    (entry.place, entry.calls_written) = (Some(0), true);
                }
                _ => {}
            }
        }
        for at in std::mem::take(&mut self.new_calls) {
            let call = self.get_mut(at.message).and_then(|entry| entry.calls.get_mut(at.call));
            if let Some(call) = call.filter(|call| call.place.is_none()) {
                (call.place, call.fresh) = (Some(0), true);
            }
        }
        if all || all_calls {
            // Elements that the mirror had keep what it lacks of them.
            for entry in self.slab.iter_mut().flatten() {
                entry.place = Some(0);
                entry.calls.iter_mut().for_each(|state| state.place = Some(0));
            }
        }
        if self.slab.len() > 2 * self.order.size().message + 64 {
            self.compact();
        }
        self.mirrored = self.order.size();
        let touched = std::mem::take(&mut self.touched);
        for at in &touched {
            let Some(entry) = self.get_mut(at.message) else { continue };
            match entry.calls.get_mut(at.call) {
                Some(call) => call.touched = false,
                None => entry.touched = false,
            }
        }
        touched
    }

    /// How many messages, from the first on, are as in the last save, and cannot grow on without a further note.
    pub fn saved(&self) -> usize {
        let mut saved = self.saved;
        for at in &self.touched {
            saved = saved.min(self.order.place(at.message).message);
        }
        saved
    }

    /// A save has them as they are. Places are known once the mirror has what came and went.
    pub fn set_saved(&mut self) {
        self.saved = if self.changes.is_empty() { self.order.size().message } else { 0 };
    }

    /// Gives the messages slots without gaps.
    fn compact(&mut self) {
        let mut entries = Vec::new();
        for slot in self.order.iter() {
            entries.extend(self.slab.get_mut(slot).and_then(Option::take));
        }
        self.replace(entries);
        self.changes.clear();
        self.new_calls.clear();
    }
}
