//! MESSAGES_SNAPSHOT, and lists of messages as they are read.

use super::entry::{CallState, Delivery, Entry, Reasoning};
use super::list::{At, Class, Index, MessageList, Stand};
use super::results::Merged;
use crate::wire::{Content, Fields, Gather, Message, Note, Raw, Role, ToolCall};
use std::borrow::Cow;

/// A list of messages, read.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub entries: Vec<Entry>,
    /// Ids of elements that could not be read: local messages with such an id are not the snapshot's to delete.
    pub unreadable_ids: Vec<String>,
    /// What was odd about the messages.
    pub notes: Vec<Note>,
}

impl Given {
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
                self.notes.push(Note::new("message-malformed", message));
                let id = fields.and_then(|fields| fields.get("id")).and_then(Raw::string);
                self.unreadable_ids.extend(id.map(String::from));
            }
        }
    }

    fn push(&mut self, mut entry: Entry) {
        if entry.message.role == Role::Assistant
            && entry.reasoning.is_none()
            && let Some(last) = self.entries.last_mut()
            && last.message.role == Role::Reasoning
            && last.message.id == entry.message.id
        {
            last.fold(Role::Assistant, std::mem::replace(&mut entry.message.content, Content::None));
            let reasoning = last.reasoning.take();
            let content = std::mem::replace(&mut last.message.content, Content::None);
            let time = last.reasoning_time;
            *last = entry;
            last.reasoning = reasoning;
            last.reasoning_time = time;
            last.message.content = content;
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
        let names: Option<Vec<String>> =
            types.array().and_then(|list| list.into_iter().map(|raw| raw.string().map(Into::into)).collect());
        names.map_or(Self::None, Self::Types)
    }

    /// The classes of messages of which a snapshot takes away what it does not name.
    fn gone(&self, list: &MessageList, has_activity: bool, has_reasoning: bool) -> Vec<Class> {
        let mut classes = match self {
            Self::Default if has_activity => list.activities(None),
            Self::Every => list.activities(None),
            Self::Types(types) => types.iter().flat_map(|kind| list.activities(Some(kind))).gather(),
            Self::Default | Self::None => Vec::new(),
        };
        classes.push(Class::Plain);
        classes.extend(has_reasoning.then_some(Class::Reasoning));
        classes
    }
}

/// What makes a message of a snapshot the one that is here: its id, and for a result its call too, because servers give
/// the results of parallel calls one id.
fn identity(message: &Message) -> Cow<'_, str> {
    match (message.role, &message.tool_call_id) {
        (Role::Tool, Some(call)) => [&message.id, "\0", call].concat().into(),
        _ => message.id.as_str().into(),
    }
}

/// Merges a snapshot into the list: known messages are replaced, and the order is the snapshot's; `local_order`: the list's
/// own, and unknown ones follow. Returns the calls that the snapshot has results of. In the same order as before nothing
/// is looked at that the snapshot neither names nor takes away.
/// What becomes of calls and results is for [`super::Thread::settle_results`].
pub(super) fn merge(
    list: &mut MessageList,
    given: Given,
    authority: &Authority,
    local_order: bool,
    merged: &mut Merged,
) -> Vec<String> {
    let Given { entries, unreadable_ids, .. } = given;
    let has = |role: Role| entries.iter().any(|entry| entry.message.role == role);
    let (has_activity, has_reasoning) =
        (has(Role::Activity), has(Role::Reasoning) || entries.iter().any(|entry| entry.reasoning.is_some()));
    // Of several with one id the last replaces a local message; all are appended if there is none.
    let mut last = Index::new();
    for (message, entry) in entries.iter().enumerate().filter(|(_, entry)| list.may_have(&entry.message)) {
        last.insert(identity(&entry.message).into_owned(), At { message, call: 0 });
    }
    let answered = entries.iter().filter_map(|entry| entry.message.tool_call_id.clone()).collect();
    list.begin_merge();
    let mut stands = Vec::new();
    for (place, entry) in entries.into_iter().enumerate() {
        let Some(slot) = list.find_same(&entry.message) else {
            stands.push(Stand::New(Box::new(entry)));
            continue;
        };
        if list.keep(slot) && !local_order {
            stands.push(Stand::Known(slot));
        }
        if last.get(&identity(&entry.message)).is_some_and(|at| at.message == place) {
            replace_at(list, slot, entry, has_reasoning, merged);
            merged.slots.push(slot);
        }
    }
    let mut unreadable = Index::new();
    for id in unreadable_ids {
        unreadable.insert(id, At::default());
    }
    let stays = |entry: &Entry| unreadable.contains_key(&entry.message.id);
    for class in authority.gone(list, has_activity, has_reasoning) {
        list.sweep(class, &stays, merged);
    }
    merged.fresh = list.arrange(stands);
    merged.arranged = !local_order;
    merged.slots.extend(&merged.fresh);
    answered
}

/// As [`replace`], of a message in the list.
fn replace_at(list: &mut MessageList, slot: usize, new: Entry, snapshot_has_reasoning: bool, merged: &mut Merged) {
    let ids = |entry: &Entry| entry.message.tool_calls.iter().map(|call| call.id.clone()).gather();
    let Some((before, message)) = list.get(slot).map(|entry| (ids(entry), &entry.message)) else { return };
    if *message == new.message && new.reasoning.is_none() && !snapshot_has_reasoning {
        return;
    }
    let folded = new.message.role == Role::Reasoning && message.role == Role::Assistant;
    let others = !folded && before != ids(&new);
    if others {
        list.begin_calls(slot);
    }
    if let Some(entry) = list.change(slot) {
        replace(entry, new, snapshot_has_reasoning, merged);
        entry.calls_changed();
    }
    if others {
        list.end_calls(slot);
    } else {
        for call in 0..before.len() {
            list.change_call(At { message: slot, call });
        }
    }
    list.replaced(slot);
}

/// Puts the snapshot's version in place of a local message, which keeps its place in the mirror, and its calls theirs.
pub(super) fn replace(local: &mut Entry, new: Entry, snapshot_has_reasoning: bool, merged: &mut Merged) {
    let Entry { message, reasoning, reasoning_time, calls, .. } = new;
    // A reasoning message that was folded here, and that the snapshot has as one of its own.
    if message.role == Role::Reasoning && local.message.role == Role::Assistant {
        let Content::Text(text) = message.content else { return };
        local.reasoning = Some(Reasoning { text, encrypted_value: message.encrypted_value });
        local.unsent.whole = true;
        return;
    }
    let reasoning = if reasoning.is_some() || snapshot_has_reasoning { reasoning } else { local.reasoning.take() };
    if local.message == message && local.reasoning == reasoning {
        return;
    }
    keep_calls(local, &message.tool_calls, calls, merged);
    if local.message.content != message.content {
        merged.rewritten.push(message.id.clone());
    }
    if local.message.role != message.role {
        // What streams wrote to was another message.
        (local.delivery, local.streamed, local.text_open) = (Delivery::Complete, false, false);
    }
    local.message = message;
    local.reasoning = reasoning;
    if reasoning_time.total.is_some() {
        local.reasoning_time = reasoning_time;
    }
    if local.delivery != Delivery::Streaming {
        local.delivery = Delivery::Complete;
    }
    local.unsent.whole = true;
}

/// The calls of the snapshot's version: those that the local message has too stay as far as they are.
fn keep_calls(local: &mut Entry, new: &[ToolCall], states: Vec<CallState>, merged: &mut Merged) {
    let mut old = Index::new();
    for (call, tool_call) in local.message.tool_calls.iter().enumerate() {
        old.entry(tool_call.id.clone()).or_insert(At { message: 0, call });
    }
    let mut old_calls: Vec<_> = std::mem::take(&mut local.message.tool_calls)
        .into_iter()
        .zip(std::mem::take(&mut local.calls))
        .map(Some)
        .gather();
    let mut keep = |call: &ToolCall| {
        let at = old.get(&call.id)?.call;
        Some((at, old_calls.get_mut(at)?.take()?))
    };
    local.calls = new
        .iter()
        .zip(states)
        .enumerate()
        .map(|(at, (call, given))| match keep(call) {
            Some((before, (old, mut state))) => {
                if before != at {
                    // The lists of what changed, and of what is open, have it at the place that it had.
                    (state.touched, state.open) = (false, false);
                }
                if old.name != call.name || old.arguments != call.arguments {
                    state.unseen = true;
                    merged.changed.push(old.id.clone());
                }
                if old.arguments != call.arguments {
                    state.replace_args();
                }
                state.changed = true;
                state
            }
            None => given,
        })
        .gather();
    for (call, state) in old_calls.iter().flatten() {
        merged.leave(&call.id, state);
    }
}
