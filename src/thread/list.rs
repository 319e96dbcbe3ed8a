//! The messages in order, found by id in constant time.
//!
//! A message keeps its slot while it is in the list, wherever it stands: what is inserted or removed costs nothing for
//! those that stay. What came and went since the last patch is noted, so that the patch is written from that alone; only
//! where the list was given anew is all of it looked through.

mod alignment;
mod arrange;
mod changes;
mod entries;
mod index;
mod numbers;

use super::entry::Entry;
use super::finder::Finder;
use super::merged::Merged;
use crate::document::{add_part as add, *};
use crate::wire::{At, Gather, Index, same};
pub(super) use arrange::Stand;
use entries::Entries;

/// The classes of messages that a snapshot treats alike where it does not name them. Those of the page's own answers stay; activities of
/// each type have a class after these.
const OF_PAGE: usize = 0;
pub(super) const PLAIN: usize = 1;
pub(super) const REASONED: usize = 2;
const ACTIVITIES: usize = 3;

/// In the place of a call's number: the message itself.
pub(super) const ITSELF: usize = usize::MAX;

#[derive(Debug, Default)]
pub(super) struct MessageList {
    slab: Vec<Option<Entry>>,
    /// With those that are gone and that the mirror has.
    pub order: Order,
    /// How many messages, and calls, the mirror has.
    pub mirrored: Place,
    by_id: Finder,
    by_call: Finder,
    /// The highest number of the calls of each id that several have.
    again: Index,
    /// Results, by their id and call.
    by_result: Finder,
    /// The last result of each call.
    answers: Index,
    /// Where the last look-up ended: a stream writes many deltas to one message.
    last: usize,
    last_call: Option<At>,
    /// The messages ([`ITSELF`]) and calls with unsent changes.
    touched: Vec<At>,
    /// The entries that are new, or gone, since the last patch.
    changes: Vec<usize>,
    new_calls: Vec<At>,
    /// The list, or that of the calls, was given anew: places say where in the mirror's list each element is.
    moved: bool,
    calls_moved: bool,
    /// The messages and calls that the end of a run has to end.
    open: Vec<At>,
    /// Calls that wait for the page: only a bad end ends them.
    held_calls: Vec<At>,
    /// Slots by their class; a message that has changed its class may stand in several.
    classes: Vec<Vec<usize>>,
    activity_types: Index,
    /// The last merge.
    stamp: usize,
    /// So many messages, from the first on, are as in the last save; but for what has changed since the last patch.
    saved: usize,
    /// How far calls were claimed for the run that was joined: the message after which they are, and the slot of the last one.
    pub claimed: Option<(Option<String>, usize)>,
}

impl MessageList {
    /// The messages in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.after(None).map(|(_, entry)| entry)
    }

    /// Their slots.
    pub fn slots(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.after(None).map(|(slot, _)| slot)
    }

    /// The messages after the one in a slot, with their slots; all, where there is no such slot.
    pub fn after(&self, slot: Option<usize>) -> Entries<'_> {
        Entries { list: self, slots: slot.map_or_else(|| self.order.iter(), |slot| self.order.after(slot)) }
    }

    pub fn get(&self, slot: usize) -> Option<&Entry> {
        self.slab.get(slot)?.as_ref().filter(|entry| !entry.gone)
    }

    /// The message in a slot, for the one who writes the patch.
    #[inline(never)]
    pub fn get_mut(&mut self, slot: usize) -> Option<&mut Entry> {
        self.slab.get_mut(slot)?.as_mut().filter(|entry| !entry.gone)
    }

    /// The message in a slot, to be changed: it goes into the next patch.
    pub fn change(&mut self, slot: usize) -> Option<&mut Entry> {
        let entry = self.slab.get_mut(slot)?.as_mut().filter(|entry| !entry.gone)?;
        if !entry.touched {
            entry.touched = true;
            self.touched.push(At { message: slot, call: ITSELF });
        }
        if !entry.open && (entry.delivery() == Delivery::Streaming || entry.reasons.runs()) {
            entry.open = true;
            self.open.push(At { message: slot, call: ITSELF });
        }
        Some(entry)
    }

    /// A call, to be changed: it goes into the next patch.
    pub fn change_call(&mut self, at: At) -> Option<&mut Call> {
        let entry = self.slab.get_mut(at.message)?.as_mut().filter(|entry| !entry.gone)?;
        let call = entry.calls.get_mut(at.call)?;
        if !call.touched {
            call.touched = true;
            self.touched.push(at);
        }
        if !call.open {
            call.open = true;
            self.open.push(at);
        }
        Some(call)
    }

    /// A call as it is.
    pub fn call(&self, at: At) -> Option<&Call> {
        self.get(at.message)?.calls.get(at.call)
    }

    /// The slot of the first message with this id; a result, only if there is no other.
    pub fn find(&mut self, id: &str) -> Option<usize> {
        if self.get(self.last).is_some_and(|entry| same(entry.id(), id)) {
            return Some(self.last);
        }
        self.last = self.by_id.get(id)?.message;
        Some(self.last)
    }

    /// The slot of the message that a message of a snapshot takes the place of: by its id, and for a result by its call
    /// too, because servers give the results of parallel calls one id.
    pub fn find_same(&self, entry: &Entry) -> Option<usize> {
        match entry.result_key() {
            Some(key) => self.by_result.get(&key).map(|at| at.message),
            None => {
                let slot = self.by_id.get(entry.id())?.message;
                self.get(slot).filter(|entry| entry.result_key().is_none()).map(|_| slot)
            }
        }
    }

    /// The slot of the result of a call with this id.
    pub fn find_result(&self, id: &str, call: &str) -> Option<usize> {
        self.by_result.get(&key_of_result(id, call)).map(|at| at.message)
    }

    /// Whether there is any result.
    pub fn has_results(&self) -> bool {
        !self.by_result.is_empty()
    }

    /// The slot of the last result of a call.
    pub fn answer_of(&self, call: &str) -> Option<usize> {
        self.answers.get(call).map(|at| at.message)
    }

    /// Adds to the text of the message that was found last, if it has this id, and grows already.
    #[inline(always)]
    pub fn grow_last(&mut self, id: &str, delta: &str) -> bool {
        let Some(Some(entry)) = self.slab.get_mut(self.last) else { return false };
        let streams = entry.row.word(DELIVERY) == Delivery::Streaming as u8;
        match entry.touched && streams && !entry.gone && same(entry.id(), id) {
            true => entry.row.growing(CONTENT).map(|text| text.push_str(delta)).is_some(),
            false => false,
        }
    }

    pub fn find_call(&mut self, id: &str) -> Option<At> {
        let is = |at: At| self.call(at).is_some_and(|call| same(call.id(), id));
        if let Some(at) = self.last_call.filter(|at| is(*at)) {
            return Some(at);
        }
        self.last_call = Some(self.by_call.get(id)?);
        self.last_call
    }

    pub fn has_call(&self, id: &str) -> bool {
        self.by_call.get(id).is_some()
    }

    pub fn push(&mut self, entry: Entry) -> usize {
        self.put(entry, Insertion::End)
    }

    /// Adds a message there. Returns its slot.
    pub fn put(&mut self, entry: Entry, place: Insertion) -> usize {
        let slot = self.slab.len();
        self.order.put(Item { slot, calls: entry.calls.len(), follows: entry.role() == Role::Tool }, place);
        self.slab.push(Some(entry));
        self.changes.push(slot);
        self.change(slot);
        self.index(slot);
        self.index_calls(slot);
        self.classify(slot);
        slot
    }

    /// Adds a call to the message in a slot.
    pub fn add_call(&mut self, slot: usize, call: Call) {
        let Some(entry) = self.change(slot) else { return };
        let at = At { message: slot, call: entry.calls.len() };
        let id = call.id().to_owned();
        entry.calls.push(call);
        // The first one makes the lists.
        if at.call == 0 {
            entry.row.mark(CALLS);
        }
        self.order.change(slot, &|item| item.calls += 1);
        self.index_call(&id, at);
        self.new_calls.push(at);
        self.change_call(at);
    }

    /// Puts another message of the same id in the place of the one in a slot, whose calls go with it.
    pub fn supplant(&mut self, slot: usize, mut entry: Entry) {
        self.calls_move();
        self.unindex_parts(slot);
        let Some(old) = self.slab.get_mut(slot).and_then(Option::as_mut) else { return };
        old.row.assume(entry.row, Members::MAX);
        old.row.mark(CALLS);
        entry.row = std::mem::take(&mut old.row);
        entry.place = old.place;
        *old = entry;
        self.change(slot);
        self.index_parts(slot);
        self.index_calls(slot);
        self.replaced(slot);
    }

    /// The message in a slot may have another role.
    pub fn replaced(&mut self, slot: usize) {
        let follows = self.get(slot).is_some_and(|entry| entry.role() == Role::Tool);
        self.order.change(slot, &|item| item.follows = follows);
        self.classify(slot);
    }

    /// Takes a message out.
    pub fn remove(&mut self, slot: usize) {
        self.saved = self.saved.min(self.order.place(slot).message);
        self.unindex(slot);
        let Some(entry) = self.get_mut(slot) else { return };
        let sent = entry.place.is_some();
        if sent && !self.moved {
            // Its place is held until the mirror knows. What it holds is not needed.
            if let Some(entry) = self.get_mut(slot) {
                entry.gone = true;
                entry.row.set(CONTENT, Value::None);
            }
            self.order.change(slot, &|item| item.follows = true);
            self.changes.push(slot);
        } else {
            self.order.remove(slot);
            if let Some(place) = self.slab.get_mut(slot) {
                *place = None;
            }
        }
    }

    /// The calls of the message in a slot are about to be others; then [`Self::index_calls`].
    pub fn begin_calls(&mut self, slot: usize) {
        self.calls_move();
        self.unindex_calls(slot);
    }

    /// Takes all entries out, to be put back in another order with [`Self::replace`].
    pub fn take(&mut self) -> Vec<Entry> {
        self.move_all();
        let entries = self.order.iter().filter_map(|slot| self.slab.get_mut(slot)?.take()).filter(|entry| !entry.gone);
        entries.gather()
    }

    pub fn replace(&mut self, entries: Vec<Entry>) {
        let Self { mirrored, moved, calls_moved, stamp, .. } = *self;
        *self = Self { mirrored, moved, calls_moved, stamp, ..Self::default() };
        for mut entry in entries {
            (entry.open, entry.touched, entry.class) = (false, false, usize::MAX);
            for state in &mut entry.calls {
                (state.open, state.touched) = (false, false);
            }
            self.push(entry);
        }
    }

    /// Notes where in the mirror's lists each element is, for the lists are to be written anew.
    fn move_all(&mut self) {
        self.calls_move();
        if std::mem::replace(&mut self.moved, true) {
            return;
        }
        let mut place = 0;
        for slot in self.order.iter() {
            if let Some(Some(entry)) = self.slab.get_mut(slot) {
                settle(&mut entry.place, &mut place);
            }
        }
    }

    /// The same of the calls alone.
    fn calls_move(&mut self) {
        if std::mem::replace(&mut self.calls_moved, true) {
            return;
        }
        let mut place = 0;
        for slot in self.order.callers() {
            if let Some(Some(entry)) = self.slab.get_mut(slot) {
                entry.calls.iter_mut().for_each(|state| settle(&mut state.place, &mut place));
            }
        }
    }

    /// Notes what a message is for snapshots; to be called when that has changed.
    pub fn classify(&mut self, slot: usize) {
        let Some(entry) = self.slab.get_mut(slot).and_then(Option::as_mut) else { return };
        let class = match (entry.page, entry.role()) {
            (true, _) => OF_PAGE,
            (_, Role::Activity) => {
                let next = At { message: ACTIVITIES + self.activity_types.len(), call: 0 };
                self.activity_types.note(entry.row.text(ACTIVITY_TYPE), next).message
            }
            (_, Role::Reasoning) => REASONED,
            _ => PLAIN,
        };
        if std::mem::replace(&mut entry.class, class) == class {
            return;
        }
        if self.classes.len() <= class {
            self.classes.resize_with(class + 1, Vec::new);
        }
        if let Some(slots) = self.classes.get_mut(class) {
            slots.push(slot);
        }
    }

    /// The classes of activities of all types.
    pub fn activities(&self) -> Vec<usize> {
        (ACTIVITIES..ACTIVITIES + self.activity_types.len()).gather()
    }

    /// The class of activities of one type, if there were any.
    pub fn activities_of(&self, kind: &str) -> Option<usize> {
        self.activity_types.get(kind).map(|at| at.message)
    }

    /// The server has seen the page's answers.
    pub fn release_local(&mut self) {
        for slot in self.classes.first_mut().map(std::mem::take).unwrap_or_default() {
            if let Some(entry) = self.get_mut(slot) {
                (entry.local, entry.class) = (false, usize::MAX);
            }
            self.classify(slot);
        }
    }

    /// Begins to merge: nothing is kept so far.
    pub fn begin_merge(&mut self) {
        self.stamp += 1;
    }

    /// This one is kept by the merge. Whether it was not kept before.
    pub fn keep(&mut self, slot: usize) -> bool {
        let stamp = self.stamp;
        self.get_mut(slot).is_some_and(|entry| std::mem::replace(&mut entry.stamp, stamp) != stamp)
    }

    /// Takes out what is of a class, and was neither kept nor `stays`.
    pub fn sweep(&mut self, class: usize, stays: &dyn Fn(&Entry) -> bool, merged: &mut Merged) {
        let slots = self.classes.get_mut(class).map(std::mem::take).unwrap_or_default();
        let mut kept = Vec::new();
        for slot in slots {
            let Some(entry) = self.get(slot).filter(|entry| entry.class == class) else { continue };
            if entry.stamp == self.stamp || stays(entry) {
                kept.push(slot);
            } else {
                merged.leave_all(entry);
                self.remove(slot);
            }
        }
        if let Some(slots) = self.classes.get_mut(class) {
            *slots = kept;
        }
    }

    /// Takes what the end of a run may have to end; `held`: with the calls that wait for the page.
    pub fn take_open(&mut self, held: bool) -> Vec<At> {
        let mut open = std::mem::take(&mut self.open);
        if held {
            open.append(&mut self.held_calls);
        }
        open
    }

    /// One of these stays open, and is looked at again when the next run ends; `held`: only by a bad end.
    pub fn stays_open(&mut self, at: At, held: bool) {
        if held { self.held_calls.push(at) } else { self.open.push(at) }
    }

    /// One of these is closed.
    pub fn close(&mut self, at: At) {
        let Some(entry) = self.get_mut(at.message) else { return };
        match entry.calls.get_mut(at.call) {
            Some(call) => call.open = false,
            None => entry.open = false,
        }
    }

    /// A new request: what waits for the page is looked at again.
    pub fn reopen_held(&mut self) {
        self.open.append(&mut self.held_calls);
    }
}

impl Entry {
    /// A result's id and call.
    pub fn result_key(&self) -> Option<String> {
        self.call_id().filter(|_| self.role() == Role::Tool).map(|call| key_of_result(self.id(), call))
    }
}

fn key_of_result(id: &str, call: &str) -> String {
    [id, "\0", call].concat()
}

/// Where in the mirror's list an element is that the mirror has.
fn settle(place: &mut Option<usize>, next: &mut usize) {
    if let Some(place) = place {
        *place = *next;
        *next += 1;
    }
}
