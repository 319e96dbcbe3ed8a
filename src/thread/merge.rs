//! MESSAGES_SNAPSHOT, and lists of messages as they are read.

use super::entry::Entry;
use super::list::{MessageList, PLAIN, REASONED, Stand};
use super::merged::Merged;
use crate::document::*;
use crate::wire::{At, Fields, Gather, Index, Raw, Warning};
use std::borrow::Cow;

/// A list of messages, read.
#[derive(Debug, Default)]
pub(super) struct NewMessages {
    pub entries: Vec<Entry>,
    /// Ids of elements that could not be read: local messages with such an id are not the snapshot's to delete.
    pub unreadable_ids: Vec<String>,
    /// The warnings about the messages.
    pub notes: Vec<Warning>,
}

impl NewMessages {
    /// Reads a JSON array of messages. Reasoning that shares an id with an assistant message is folded into it.
    pub fn read(messages: Raw<'_>) -> Self {
        let mut given = Self::default();
        messages.each(&mut |_, fields| given.take(fields));
        given
    }

    /// Reads one more.
    pub fn take(&mut self, fields: Option<&Fields<'_>>) {
        match Entry::read(fields, &mut self.notes) {
            Ok(entry) => self.push(entry),
            Err(expected) => {
                let message = format!("a message was left out: expected {expected}");
                self.notes.push(Warning::new("message-malformed", message));
                let id = fields.and_then(|fields| fields.get("id")).and_then(Raw::string);
                self.unreadable_ids.extend(id.map(String::from));
            }
        }
    }

    fn push(&mut self, mut entry: Entry) {
        if entry.role() == Role::Assistant
            && !entry.row.has(REASONING)
            && let Some(last) = self.entries.last_mut()
            && last.role() == Role::Reasoning
            && last.id() == entry.id()
        {
            last.fold(Role::Assistant, Value::None);
            let reasoning = std::mem::take(&mut last.row);
            entry.row.assume(reasoning, OF_REASONING | 1 << REASONING_TIME);
            *last = entry;
            return;
        }
        self.entries.push(entry);
    }
}

/// Which local activities a snapshot that does not name them leaves alone.
pub(super) enum Authority {
    /// All, unless the snapshot has an activity.
    Default,
    /// None.
    Every,
    /// All but those of these types.
    Types(Vec<String>),
    /// All.
    None,
}

impl Authority {
    /// Reads the event's `metadata["@ag-ui/client"].authoritativeActivityTypes`.
    pub fn read(metadata: Option<Raw<'_>>) -> Self {
        let Some(declared) = metadata.and_then(Raw::object).and_then(|m| m.get("@ag-ui/client")) else {
            return Self::Default;
        };
        let Some(fields) = declared.object() else { return Self::None };
        let Some(types) = fields.get("authoritativeActivityTypes") else { return Self::Default };
        if types.is_null() {
            return Self::Every;
        }
        let Some(types) = types.array() else { return Self::None };
        let mut names = Vec::new();
        for name in types {
            let Some(name) = name.string() else { return Self::None };
            names.push(name.into_owned());
        }
        Self::Types(names)
    }

    /// The classes of messages of which a snapshot takes away what it does not name.
    fn gone(&self, list: &MessageList, has_activity: bool, has_reasoning: bool) -> Vec<usize> {
        let mut classes = match self {
            Self::Default if has_activity => list.activities(),
            Self::Every => list.activities(),
            Self::Types(types) => types.iter().filter_map(|kind| list.activities_of(kind)).gather(),
            Self::Default | Self::None => Vec::new(),
        };
        classes.push(PLAIN);
        classes.extend(has_reasoning.then_some(REASONED));
        classes
    }
}

/// The identity of a message of a snapshot, by which it is found here: its id, and for a result its call too, because
/// servers give the results of parallel calls one id.
fn identity(entry: &Entry) -> Cow<'_, str> {
    entry.result_key().map_or(entry.id().into(), Cow::Owned)
}

/// Merges a snapshot into the list: known messages are replaced, and the order is the snapshot's; `local_order`: the list's
/// own, and unknown ones follow. Returns the calls that the snapshot has results of. In the same order as before nothing
/// is looked at that the snapshot neither names nor takes away.
/// Calls and results are left to [`super::Thread::settle_results`].
pub(super) fn merge(
    list: &mut MessageList,
    given: NewMessages,
    authority: &Authority,
    local_order: bool,
    merged: &mut Merged,
) -> Vec<String> {
    let NewMessages { entries, unreadable_ids, .. } = given;
    let has = |role: Role| entries.iter().any(|entry| entry.role() == role);
    let (has_activity, has_reasoning) =
        (has(Role::Activity), has(Role::Reasoning) || entries.iter().any(|entry| entry.row.has(REASONING)));
    // Of several with one id the last replaces a local message; all are appended if there is none.
    let mut last = Index::new();
    for (message, entry) in entries.iter().enumerate().filter(|(_, entry)| list.find_same(entry).is_some()) {
        last.insert(identity(entry).into_owned(), At { message, call: 0 });
    }
    let answered = entries.iter().filter_map(|entry| entry.call_id().map(Into::into)).gather();
    list.begin_merge();
    let mut stands = Vec::new();
    for (place, entry) in entries.into_iter().enumerate() {
        let Some(slot) = list.find_same(&entry) else {
            stands.push(Stand::New(Box::new(entry)));
            continue;
        };
        if list.keep(slot) && !local_order {
            stands.push(Stand::Known(slot));
        }
        if last.get(&identity(&entry)).is_some_and(|at| at.message == place) {
            replace_at(list, slot, entry, has_reasoning, merged);
            merged.slots.push(slot);
        }
    }
    let unreadable = Index::of(unreadable_ids);
    let stays = |entry: &Entry| unreadable.contains_key(entry.id());
    for class in authority.gone(list, has_activity, has_reasoning) {
        list.sweep(class, &stays, merged);
    }
    merged.fresh = list.arrange(stands, true);
    merged.arranged = !local_order;
    merged.slots.extend(&merged.fresh);
    answered
}

/// As [`replace`], of a message in the list.
pub(super) fn replace_at(
    list: &mut MessageList,
    slot: usize,
    new: Entry,
    snapshot_has_reasoning: bool,
    merged: &mut Merged,
) {
    let Some(local) = list.get(slot) else { return };
    if local.same_message(&new) && !new.row.has(REASONING) && !snapshot_has_reasoning {
        return;
    }
    let folded = new.role() == Role::Reasoning && local.role() == Role::Assistant;
    let calls = local.calls.len();
    let others = !folded && !local.calls.iter().map(Call::id).eq(new.calls.iter().map(Call::id));
    if others {
        list.begin_calls(slot);
    }
    if let Some(entry) = list.change(slot) {
        replace(entry, new, snapshot_has_reasoning, merged);
        entry.idle_until = 0;
        if others {
            entry.row.mark(CALLS);
        }
    }
    if others {
        list.index_calls(slot);
    } else {
        for call in 0..calls {
            list.change_call(At { message: slot, call });
        }
    }
    list.replaced(slot);
}

/// Puts the snapshot's version in place of a local message, which keeps its place in the mirror, and its calls theirs.
fn replace(local: &mut Entry, mut new: Entry, snapshot_has_reasoning: bool, merged: &mut Merged) {
    // A reasoning message that was folded here, and that the snapshot has as one of its own.
    if new.role() == Role::Reasoning && local.role() == Role::Assistant {
        new.fold(Role::Assistant, Value::None);
        local.row.assume(new.row, OF_REASONING);
        return;
    }
    let mut members = OF_AG_UI;
    if new.row.has(REASONING) || snapshot_has_reasoning {
        members |= OF_REASONING;
    }
    if local.same_message(&new) && local.row.same(&new.row, members) {
        return;
    }
    keep_calls(local, new.calls, merged);
    if !local.row.same(&new.row, 1 << CONTENT) {
        merged.rewritten.push(new.row.text(ID).to_owned());
    }
    if local.role() as u8 != new.row.word(ROLE) {
        // The streams wrote to another message.
        local.set_delivery(Delivery::Complete);
        (local.streamed, local.text_open) = (false, false);
    }
    let timed = new.row.has(TIME) || new.row.has(REASONING_TIME);
    if timed {
        local.reasons = Default::default();
        members |= 1 << TIME | 1 << REASONING_TIME;
    }
    local.row.assume(new.row, members);
    local.place_time();
    if local.delivery() != Delivery::Streaming {
        local.set_delivery(Delivery::Complete);
    }
}

/// The calls of the snapshot's version: those that the local message has too stay as far as they are.
fn keep_calls(local: &mut Entry, new: Vec<Call>, merged: &mut Merged) {
    let mut old = Index::new();
    for (call, known) in local.calls.iter().enumerate() {
        old.note(known.id(), At { message: 0, call });
    }
    let mut old_calls: Vec<_> = std::mem::take(&mut local.calls).into_iter().map(Some).gather();
    for (at, given) in new.into_iter().enumerate() {
        let before = old.get(given.id()).map(|at| at.call);
        let kept = before.and_then(|before| old_calls.get_mut(before)?.take());
        let Some(mut call) = kept else {
            local.calls.push(given);
            continue;
        };
        if before != Some(at) {
            // The lists of what changed, and of what is open, have it at the place that it had.
            (call.touched, call.open) = (false, false);
        }
        if !call.row.same(&given.row, 1 << TOOL | 1 << ARGUMENTS) {
            merged.changed.push(call.id().to_owned());
            call.checked = call.checked.map(|_| usize::MAX);
        }
        call.row.assume(given.row, CALL_OF_AG_UI);
        local.calls.push(call);
    }
    old_calls.iter().flatten().for_each(|call| merged.leave(call));
}
