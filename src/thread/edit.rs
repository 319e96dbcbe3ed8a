//! Edits of the messages: what the application has changed in a list that it was shown, done to the list as it is now.
//!
//! ```text
//!  before ──── difference ───► after        removed, changed, added, moved: by role and id
//!     │                          │
//!   (came since)              (came since, and what was changed)
//!     ▼                          ▼
//!    now ────────────────────► edited
//! ```
//!
//! Applies an edit of the application. An unchanged message stays as it is, however far it has come since. In a changed
//! message the changed members count; text that has grown since goes after the text that the edit sets, as later text
//! does.

use super::entry::Entry;
use super::list::{MessageList, Stand};
use super::mask;
use super::merge::{NewMessages, replace_at};
use super::merged::Merged;
use super::queue::PlacesByKey;
use crate::document::*;
use crate::wire::{Gather, Raw, Tree, Warning};

/// A message that the application was shown.
#[derive(Debug, Default)]
struct ShownMessage {
    key: String,
    /// Not needed where it was left as it was.
    entry: Option<Entry>,
    streams: bool,
    /// Where it is now.
    slot: Option<usize>,
    /// It was reasoning, and is part of its answer now.
    folded: bool,
    /// It is as it was.
    unchanged: bool,
    /// It is wanted.
    stays: bool,
}

/// A message that the application wants.
#[derive(Debug)]
enum WantedMessage {
    /// One that it was shown, as it is.
    Shown(usize),
    New(Box<Entry>),
}

/// An edit, read.
#[derive(Debug, Default)]
pub(super) struct Edit {
    /// `None`: what is there.
    before: Option<Vec<ShownMessage>>,
    after: Vec<WantedMessage>,
    pub notes: Vec<Warning>,
}

impl Edit {
    /// Reads `after`, a list of messages, and of numbers of messages in `before` that are left as they are. Of those `before`
    /// has to say no more than `id`, `role` and `toolCallId`.
    pub fn read(before: Option<Raw<'_>>, after: Raw<'_>) -> Self {
        let mut edit = Self { before: before.map(read_shown), ..Self::default() };
        let mut given = NewMessages::default();
        for raw in after.array().unwrap_or_default() {
            match raw.whole().filter(|_| edit.before.is_some()) {
                None => given.take(raw.object().as_ref()),
                Some(at) => {
                    edit.give(&mut given);
                    edit.after.push(WantedMessage::Shown(at as usize));
                }
            }
        }
        edit.give(&mut given);
        edit.notes = given.notes;
        edit
    }

    fn give(&mut self, given: &mut NewMessages) {
        self.after.extend(given.entries.drain(..).map(|entry| WantedMessage::New(Box::new(entry))));
    }

    /// Does it. Returns the ids of the messages that it has added.
    pub fn apply(self, list: &mut MessageList, merged: &mut Merged) -> Vec<String> {
        let mut unseen = Unseen::new(list);
        let all = || list.iter().map(|entry| ShownMessage { key: key_of(entry), ..ShownMessage::default() }).gather();
        let mut before = self.before.unwrap_or_else(all);
        unseen.locate(&mut before, list);
        for wanted in &self.after {
            if let WantedMessage::Shown(at) = wanted {
                before.get_mut(*at).into_iter().for_each(|shown| shown.unchanged = true);
            }
        }
        let changed = before.iter().map(|shown| (!shown.unchanged).then(|| shown.key.clone()));
        let mut changed = PlacesByKey::new(changed.gather());
        list.begin_merge();
        let (mut stands, mut last) = (Vec::new(), 0);
        for wanted in self.after {
            let (at, entry) = match wanted {
                WantedMessage::Shown(at) => (Some(at), None),
                WantedMessage::New(entry) => (changed.take(&key_of(&entry)), Some(entry)),
            };
            let mut nothing = ShownMessage::default();
            let shown = at.and_then(|at| before.get_mut(at)).unwrap_or(&mut nothing);
            if std::mem::replace(&mut shown.stays, true) {
                continue;
            }
            if let (Some(at), Some(_)) = (at, shown.slot) {
                merged.reordered |= at < last;
                last = at;
            }
            // An unchanged message that is gone stays gone.
            let slot = match entry {
                None => shown.slot,
                Some(entry) => {
                    let slot = shown.slot.or_else(|| unseen.take(&key_of(&entry)));
                    match slot {
                        None => stands.push(Stand::New(entry)),
                        Some(slot) => rewrite(list, slot, shown, *entry, merged),
                    }
                    slot
                }
            };
            stands.extend(slot.filter(|slot| list.keep(*slot)).map(Stand::Known));
        }
        for shown in before.iter().filter(|shown| !shown.stays) {
            leave(list, shown, merged);
        }
        merged.fresh = list.arrange(stands, merged.reordered);
        merged.slots = list.slots().gather();
        let added = merged.fresh.iter().filter_map(|slot| Some(list.get(*slot)?.id().to_owned()));
        added.gather()
    }
}

fn read_shown(list: Raw<'_>) -> Vec<ShownMessage> {
    let read = |raw: Raw<'_>| {
        let fields = raw.object();
        let text = |name: &str| fields.as_ref().and_then(|fields| fields.text(name)).unwrap_or_default();
        ShownMessage {
            key: key(&text("role"), &text("id"), Some(&*text("toolCallId"))),
            entry: Entry::read(fields.as_ref(), &mut Vec::new()).ok(),
            streams: text("delivery") == Delivery::Streaming.name(),
            ..ShownMessage::default()
        }
    };
    list.array().unwrap_or_default().into_iter().map(read).gather()
}

/// The key of a message: an id alone may be that of a result, and of reasoning, too.
fn key(role: &str, id: &str, call: Option<&str>) -> String {
    [role, " ", id, "\0", call.filter(|_| role == Role::Tool.name()).unwrap_or_default()].concat()
}

fn key_of(entry: &Entry) -> String {
    key(entry.role().name(), entry.id(), entry.call_id())
}

/// The messages that the application was not shown: they came since.
struct Unseen {
    slots: Vec<usize>,
    places: PlacesByKey,
}

impl Unseen {
    fn new(list: &MessageList) -> Self {
        let places = PlacesByKey::new(list.iter().map(|entry| Some(key_of(entry))).gather());
        Self { slots: list.slots().gather(), places }
    }

    fn take(&mut self, key: &str) -> Option<usize> {
        self.slots.get(self.places.take(key)?).copied()
    }

    /// Finds what was shown.
    fn locate(&mut self, before: &mut [ShownMessage], list: &MessageList) {
        for shown in before.iter_mut() {
            shown.slot = self.take(&shown.key);
        }
        for shown in before.iter_mut().filter(|shown| shown.slot.is_none()) {
            let Some(entry) = shown.entry.as_mut().filter(|entry| entry.role() == Role::Reasoning) else {
                continue;
            };
            let answer = key(Role::Assistant.name(), entry.id(), None);
            let place = self.places.peek(&answer).and_then(|place| self.slots.get(place));
            if place.and_then(|slot| list.get(*slot)).is_some_and(|entry| entry.row.has(REASONING)) {
                entry.fold(Role::Assistant, Value::None);
                (shown.slot, shown.folded) = (self.take(&answer), true);
            }
        }
    }
}

/// A message is no longer wanted.
fn leave(list: &mut MessageList, shown: &ShownMessage, merged: &mut Merged) {
    let Some(slot) = shown.slot else { return };
    if !shown.folded {
        list.get(slot).into_iter().for_each(|entry| merged.leave_all(entry));
        list.remove(slot);
    } else if let Some(entry) = list.change(slot) {
        for member in [REASONING, REASONING_ENCRYPTED, REASONING_TIME] {
            entry.row.set(member, Value::None);
        }
    }
}

/// Makes a message what the edit has made of it.
fn rewrite(list: &mut MessageList, slot: usize, shown: &ShownMessage, mut after: Entry, merged: &mut Merged) {
    let Some(local) = list.get(slot) else { return };
    if shown.folded {
        after.fold(Role::Assistant, Value::None);
    }
    // Only the server ends a message that streams.
    let streams = shown.streams || local.delivery() == Delivery::Streaming;
    let before = shown.entry.as_ref();
    let left = streams || before.is_some_and(|before| before.delivery() == after.delivery());
    let delivery = if left { local.delivery() } else { after.delivery() };
    let new = match before {
        Some(before) if !before.same(local) => merge(before, after, local),
        _ => after,
    };
    replace_at(list, slot, new, true, merged);
    list.change(slot).into_iter().for_each(|entry| entry.set_delivery(delivery));
}

/// The message as it is now, with what the edit has changed in it.
fn merge(before: &Entry, after: Entry, now: &Entry) -> Entry {
    let tree = |entry: &Entry| {
        let mut json = String::new();
        entry.write(&mut json);
        Tree::read(Raw::known(&json))
    };
    let merged = mask::merge(&tree(before), &tree(&after), &tree(now), true).to_json();
    Entry::read(Raw::known(&merged).object().as_ref(), &mut Vec::new()).unwrap_or(after)
}
