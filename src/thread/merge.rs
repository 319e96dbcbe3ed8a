//! MESSAGES_SNAPSHOT, and lists of messages that the application gives.

use super::entry::{Delivery, Entry, Reasoning};
use super::list::{At, Index, MessageList};
use crate::wire::{Content, Message, Note, Raw, Role};

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
        for raw in messages.array().unwrap_or_default() {
            match Entry::read(raw, &mut given.notes) {
                Ok(entry) => given.push(entry),
                Err(expected) => {
                    let message = format!("a message was left out: expected {expected}");
                    given.notes.push(Note::new("message-malformed", message));
                    let id = raw.object().and_then(|fields| fields.get("id")).and_then(Raw::string);
                    given.unreadable_ids.extend(id.map(String::from));
                }
            }
        }
        given
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

    fn protects(&self, entry: &Entry, snapshot_has_activity: bool) -> bool {
        match self {
            Self::Default => !snapshot_has_activity,
            Self::Every => false,
            Self::Types(types) => !types.iter().any(|t| Some(t) == entry.message.activity_type.as_ref()),
            Self::None => true,
        }
    }
}

/// What makes a message of a snapshot the one that is here: its id, and for a result its call too, because servers give
/// the results of parallel calls one id.
fn identity(message: &Message) -> String {
    match (message.role, &message.tool_call_id) {
        (Role::Tool, Some(call)) => format!("{}\0{call}", message.id),
        _ => message.id.clone(),
    }
}

/// Merges a snapshot into the list: local order stays, known messages are replaced, unknown ones follow.
pub(super) fn merge(list: &mut MessageList, given: Given, authority: &Authority) {
    let Given { entries, unreadable_ids, .. } = given;
    let has = |role: Role| entries.iter().any(|entry| entry.message.role == role);
    let (has_activity, has_reasoning) =
        (has(Role::Activity), has(Role::Reasoning) || entries.iter().any(|entry| entry.reasoning.is_some()));
    // Of several with one id the last replaces a local message; all are appended if there is none.
    let mut last = Index::new();
    for (message, entry) in entries.iter().enumerate() {
        last.insert(identity(&entry.message), At { message, call: 0 });
    }
    let local = list.take();
    // Of the snapshot's messages, those that stand in for a local one are not appended.
    let mut known = Index::new();
    for id in local.iter().map(|entry| identity(&entry.message)).filter(|id| last.contains_key(id)) {
        known.insert(id, At { message: 0, call: 0 });
    }
    let mut slots: Vec<Option<Entry>> = entries.into_iter().map(Some).collect();
    let mut merged = Vec::with_capacity(local.len() + slots.len());
    for mut entry in local {
        if let Some(at) = last.get(&identity(&entry.message)) {
            if let Some(new) = slots.get_mut(at.message).and_then(Option::take) {
                replace(&mut entry, new, has_reasoning);
                merged.push(entry);
            }
            continue;
        }
        let protected = match entry.message.role {
            Role::Activity => authority.protects(&entry, has_activity),
            Role::Reasoning => !has_reasoning,
            _ => false,
        };
        if protected || entry.local || unreadable_ids.contains(&entry.message.id) {
            merged.push(entry);
        }
    }
    merged.extend(slots.into_iter().flatten().filter(|entry| !known.contains_key(&identity(&entry.message))));
    list.replace(merged);
    link_results(list);
}

/// Puts the snapshot's version in place of a local message, which keeps its place in the mirror, and its calls theirs.
fn replace(local: &mut Entry, new: Entry, snapshot_has_reasoning: bool) {
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
    let mut old_calls: Vec<_> =
        std::mem::take(&mut local.message.tool_calls).into_iter().zip(std::mem::take(&mut local.calls)).collect();
    local.calls = message
        .tool_calls
        .iter()
        .zip(calls)
        .map(|(call, given)| match old_calls.iter().position(|(old, _)| old.id == call.id) {
            Some(at) => {
                let (old, mut state) = old_calls.swap_remove(at);
                if old.arguments != call.arguments {
                    state.args_sent = 0;
                    state.args_replaced = true;
                    state.args = Default::default();
                }
                state.changed = true;
                state
            }
            None => given,
        })
        .collect();
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

/// Gives each call the answer that stands in the list, where it has none yet or another one.
pub(super) fn link_results(list: &mut MessageList) {
    let mut answers = Vec::new();
    for entry in list.entries().iter().filter(|entry| entry.message.role == Role::Tool) {
        if let Some(id) = &entry.message.tool_call_id {
            answers.push((id.clone(), entry.message.content.clone(), entry.message.error.clone()));
        }
    }
    for (id, content, error) in answers {
        let Some(at) = list.find_call(&id) else { continue };
        if let Some(call) = list.entries_mut().get_mut(at.message).and_then(|entry| entry.calls.get_mut(at.call)) {
            call.answer_if_new(&content, error.as_deref());
        }
    }
}

/// Makes the list the one that the application gives. What is the same keeps its identity.
pub(super) fn assign(list: &mut MessageList, given: Given) {
    let mut local: Vec<Option<Entry>> = list.take().into_iter().map(Some).collect();
    let mut index = Index::new();
    for (message, entry) in local.iter().flatten().enumerate() {
        index.entry(identity(&entry.message)).or_insert(At { message, call: 0 });
    }
    let assigned = given.entries.into_iter().map(|new| {
        let at = index.get(&identity(&new.message));
        let Some(mut entry) = at.and_then(|at| local.get_mut(at.message)).and_then(Option::take) else { return new };
        let delivery = new.delivery;
        replace(&mut entry, new, true);
        entry.unsent.delivery |= entry.delivery != delivery;
        entry.delivery = delivery;
        entry
    });
    list.replace(assigned.collect());
    link_results(list);
}
