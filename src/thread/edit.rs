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
use super::list::MessageList;
use super::merge::{NewMessages, replace};
use super::merged::Merged;
use super::overlay;
use super::queue::PlacesByKey;
use crate::document::*;
use crate::wire::{At, Index};
use crate::wire::{Gather, Note, Raw, Tree, text_after};

/// A message that the application was shown.
#[derive(Debug)]
struct ShownMessage {
    key: String,
    /// Not needed where it was left as it was.
    entry: Option<Entry>,
    streams: bool,
    /// The row where it is now.
    row: Option<usize>,
    /// It was reasoning, and is part of its answer now.
    folded: bool,
    unchanged: bool,
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
    pub notes: Vec<Note>,
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
        let mut rows = EditedList::new(list.take());
        let mut before = self.before.unwrap_or_else(|| rows.all());
        rows.locate(&mut before);
        let length = rows.entries.len();
        let (after, moved) = rows.resolve(&mut before, self.after, merged);
        for shown in before.iter().filter(|shown| !shown.unchanged) {
            rows.leave(shown, merged);
        }
        let order = rows.order(&before, &after, length, moved);
        let fresh: Vec<usize> = (0..order.len()).filter(|at| order.get(*at).is_some_and(|row| *row >= length)).gather();
        list.replace(order.into_iter().filter_map(|row| rows.entries.get_mut(row)?.take()).gather());
        merged.reordered = moved;
        merged.slots = list.slots().gather();
        merged.fresh = fresh.into_iter().filter_map(|at| merged.slots.get(at).copied()).gather();
        let added = merged.fresh.iter().filter_map(|slot| Some(list.get(*slot)?.id().to_owned()));
        added.gather()
    }
}

fn read_shown(list: Raw<'_>) -> Vec<ShownMessage> {
    let read = |raw: Raw<'_>| {
        let fields = raw.object();
        let text = |name: &str| fields.as_ref().and_then(|fields| fields.get(name)?.string()).unwrap_or_default();
        ShownMessage {
            key: key(&text("role"), &text("id"), Some(&*text("toolCallId"))),
            entry: Entry::read(raw.object().as_ref(), &mut Vec::new()).ok(),
            streams: text("delivery") == Delivery::Streaming.name(),
            row: None,
            folded: false,
            unchanged: false,
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

/// The messages that there are, and after them those that come.
struct EditedList {
    entries: Vec<Option<Entry>>,
    /// The messages that the application was not shown: they came since.
    unseen: PlacesByKey,
}

impl EditedList {
    fn new(entries: Vec<Entry>) -> Self {
        let unseen = PlacesByKey::new(entries.iter().map(|entry| Some(key_of(entry))).gather());
        Self { entries: entries.into_iter().map(Some).gather(), unseen }
    }

    /// All, as an application has them that was shown what there is.
    fn all(&self) -> Vec<ShownMessage> {
        let shown = |entry: &Entry| ShownMessage {
            key: key_of(entry),
            entry: None,
            streams: false,
            row: None,
            folded: false,
            unchanged: false,
        };
        self.entries.iter().flatten().map(shown).gather()
    }

    /// Finds what was shown.
    fn locate(&mut self, before: &mut [ShownMessage]) {
        for shown in before.iter_mut() {
            shown.row = self.unseen.take(&shown.key);
        }
        for shown in before.iter_mut().filter(|shown| shown.row.is_none()) {
            let Some(entry) = shown.entry.as_ref().filter(|entry| entry.role() == Role::Reasoning) else {
                continue;
            };
            let answer = key(Role::Assistant.name(), entry.id(), None);
            let reasons = |row: &usize| self.get(*row).is_some_and(|entry| entry.row.has(REASONING));
            if self.unseen.peek(&answer).filter(reasons).is_some() {
                (shown.row, shown.folded) = (self.unseen.take(&answer), true);
            }
        }
    }

    fn get(&self, row: usize) -> Option<&Entry> {
        self.entries.get(row)?.as_ref()
    }

    fn push(&mut self, entry: Entry) -> usize {
        self.entries.push(Some(entry));
        self.entries.len() - 1
    }

    /// The rows of the messages that are wanted, in order, with what the edit has changed in them; and whether it has changed
    /// their order.
    fn resolve(
        &mut self,
        before: &mut [ShownMessage],
        wanted: Vec<WantedMessage>,
        merged: &mut Merged,
    ) -> (Vec<usize>, bool) {
        let mut twice = vec![false; before.len()];
        for wanted in &wanted {
            if let WantedMessage::Shown(at) = wanted
                && let Some(shown) = before.get_mut(*at)
            {
                shown.unchanged = true;
            }
        }
        let changed = before.iter().map(|shown| (!shown.unchanged).then(|| shown.key.clone()));
        let mut changed = PlacesByKey::new(changed.gather());
        let (mut rows, mut last, mut moved) = (Vec::with_capacity(wanted.len()), 0, false);
        for wanted in wanted {
            let (at, entry) = match wanted {
                WantedMessage::Shown(at) => (Some(at), None),
                WantedMessage::New(entry) => (changed.take(&key_of(&entry)), Some(*entry)),
            };
            let shown = at.and_then(|at| before.get_mut(at));
            if let (Some(at), true) = (at, shown.as_ref().is_some_and(|shown| shown.row.is_some())) {
                if twice.get_mut(at).is_none_or(|twice| std::mem::replace(twice, true)) {
                    continue;
                }
                moved |= at < last;
                last = at;
            }
            rows.extend(self.place(shown, entry, merged));
        }
        (rows, moved)
    }

    /// The row of one message that is wanted. An unchanged message that is gone stays gone.
    fn place(&mut self, shown: Option<&mut ShownMessage>, entry: Option<Entry>, merged: &mut Merged) -> Option<usize> {
        let (row, mut before, streams, folded) = match shown {
            Some(shown) => {
                shown.unchanged = true;
                (shown.row, shown.entry.take(), shown.streams, shown.folded)
            }
            None => (None, None, false, false),
        };
        let Some(mut entry) = entry else { return row };
        if folded {
            before.iter_mut().chain([&mut entry]).for_each(|entry| entry.fold(Role::Assistant, Value::None));
        }
        let Some(row) = row.or_else(|| self.unseen.take(&key_of(&entry))) else { return Some(self.push(entry)) };
        if let Some(Some(local)) = self.entries.get_mut(row) {
            rewrite(local, before.as_ref(), entry, streams, merged);
        }
        Some(row)
    }

    /// A message is no longer wanted.
    fn leave(&mut self, shown: &ShownMessage, merged: &mut Merged) {
        let Some(row) = shown.row.and_then(|row| self.entries.get_mut(row)) else { return };
        if let (Some(entry), true) = (row.as_mut(), shown.folded) {
            for member in [REASONING, REASONING_ENCRYPTED, REASONING_TIME] {
                entry.row.set(member, Value::None);
            }
        } else if let Some(entry) = row.take() {
            merged.leave_all(&entry);
        }
    }

    /// Rows in the order that they have from now on: as the edit has them if it has moved some, else as they stand. What stands
    /// in the one list only keeps its place after the one before it; what came since stands before what the edit adds.
    fn order(&self, before: &[ShownMessage], after: &[usize], length: usize, moved: bool) -> Vec<usize> {
        let now: Vec<usize> = (0..length).filter(|row| self.get(*row).is_some()).gather();
        let mut shown = vec![false; self.entries.len()];
        for row in before.iter().filter_map(|shown| shown.row) {
            shown.get_mut(row).into_iter().for_each(|shown| *shown = true);
        }
        let (lead, other) = if moved { (after, &now[..]) } else { (&now[..], after) };
        let mut leads = vec![false; self.entries.len()];
        for row in lead {
            leads.get_mut(*row).into_iter().for_each(|leads| *leads = true);
        }
        let mut followers = vec![Vec::new(); self.entries.len()];
        let (mut first, mut previous) = (Vec::new(), None);
        for row in other {
            if leads.get(*row) == Some(&true) {
                previous = Some(*row);
                continue;
            }
            match previous.and_then(|previous| followers.get_mut(previous)) {
                Some(followers) => followers.push(*row),
                None => first.push(*row),
            }
        }
        let mut order = Vec::with_capacity(self.entries.len());
        let mut waiting = first;
        for row in lead {
            if moved || shown.get(*row) == Some(&true) {
                order.append(&mut waiting);
            }
            order.push(*row);
            followers.get_mut(*row).into_iter().for_each(|rows| waiting.append(rows));
        }
        order.append(&mut waiting);
        order
    }
}

/// Makes a message what the edit has made of it; `before`: what the edit has seen of it, where that is known.
fn rewrite(local: &mut Entry, before: Option<&Entry>, after: Entry, streams: bool, merged: &mut Merged) {
    // Only the server ends a message that streams.
    let streams = streams || local.delivery() == Delivery::Streaming;
    let left = streams || before.is_some_and(|before| before.delivery() == after.delivery());
    let delivery = if left { local.delivery() } else { after.delivery() };
    let new = match before {
        Some(before) if !before.same(local) => merge(before, after, local),
        _ => after,
    };
    replace(local, new, true, merged);
    local.set_delivery(delivery);
}

/// The message as it is now, with what the edit has changed in it.
fn merge(before: &Entry, after: Entry, now: &Entry) -> Entry {
    let tree = |entry: &Entry| {
        let mut json = String::new();
        entry.write(&mut json);
        Raw::parse(&json, usize::MAX).map(Tree::read).unwrap_or_default()
    };
    let mut json = String::new();
    overlay::merge(tree(before), tree(&after), tree(now)).write(&mut json);
    let merged =
        Raw::parse(&json, usize::MAX).ok().and_then(|raw| Entry::read(raw.object().as_ref(), &mut Vec::new()).ok());
    let Some(mut merged) = merged else { return after };
    let says = |entry: &'_ Entry, member: usize| entry.row.text(member).to_owned();
    let mut grow = |member: usize| {
        if let Some(text) = grown([before, &after, now].map(|entry| says(entry, member))) {
            merged.row.set(member, Value::Text(text));
        }
    };
    if after.row.tree(CONTENT).is_none() {
        grow(CONTENT);
    }
    grow(REASONING);
    let places = [before, &after, now].map(|entry| (entry, calls_of(entry)));
    for call in &mut merged.calls {
        let args = |(entry, places): &(&Entry, Index)| {
            let call = places.get(call.id()).and_then(|at| entry.calls.get(at.call));
            call.map_or(String::new(), |call| call.arguments().to_owned())
        };
        if let Some(text) = grown(places.each_ref().map(args)) {
            call.row.set(ARGUMENTS, Value::Text(text));
        }
    }
    merged
}

fn calls_of(entry: &Entry) -> Index {
    let calls = entry.calls.iter().enumerate();
    calls.map(|(call, of)| (of.id().to_owned(), At { message: 0, call })).collect()
}

/// A string that the edit has changed, with what has come after the one that it has seen.
fn grown([before, mut after, now]: [String; 3]) -> Option<String> {
    if before == after {
        return None;
    }
    after.push_str(&text_after(&before, &now).filter(|rest| !rest.is_empty())?);
    Some(after)
}
