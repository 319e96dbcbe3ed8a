//! From unsent marks to patch operations. The cost follows what changed, not how long the thread is; only where the
//! application or a replay has given the list anew is all of it looked through.

use super::Thread;
use super::entry::{CallPhase, CallState, Entry, Unsent};
use super::list::{At, MessageList};
use super::patch::{Patch, Path};
use crate::wire::{Content, JsonWriter, ToolCall, write_json, write_string};

/// Writes the messages and calls that came, went, or changed.
pub(super) fn write(thread: &mut Thread, patch: &mut Patch) {
    let list = &mut thread.list;
    patch.rebuild("\"messages\"", thread.sent_messages, &list.parts(thread.sent_messages), |out, slot, _| {
        if let Some(entry) = list.get(slot) {
            entry.write(out);
        }
    });
    let mut linked = Vec::new();
    patch.rebuild("\"toolCalls\"", thread.sent_calls, &list.call_parts(thread.sent_calls), |out, slot, call| {
        if let Some(entry) = list.get(slot) {
            write_call(entry, call, out);
            if Linked::all().any(|link| link.is_long(entry)) {
                linked.push((slot, call));
            }
        }
    });
    let (messages, calls) = list.sent();
    (thread.sent_messages, thread.sent_calls) = (list.size().message, list.size().call);
    for slot in messages {
        // What is new was written as it is.
        if list.get(slot).is_some_and(Entry::lacks) {
            let at = list.place(slot).message;
            list.get_mut(slot).into_iter().for_each(|entry| message(at, entry, patch));
        }
    }
    for at in calls {
        call(list, at, patch);
    }
    // By now the mirror has the messages as they are.
    for (slot, call) in linked {
        link(list, slot, call, patch);
    }
}

fn message(at: usize, entry: &mut Entry, patch: &mut Patch) {
    if entry.unsent.whole {
        patch.reconcile(&format!("\"messages\",{at}"), |out| entry.write(out));
        entry.sent_whole();
        return;
    }
    let path = |member: &str| format!("\"messages\",{at},\"{member}\"");
    if std::mem::take(&mut entry.unsent.replaced) {
        patch.reconcile(&path("content"), |out| entry.write_content(out));
        entry.unsent.text_sent = entry.message.content.text().len();
        entry.unsent.content = Default::default();
    } else if let Some(tail) = tail(entry.message.content.text(), &mut entry.unsent.text_sent) {
        patch.append(&[&path("content")], tail);
    }
    if let Some(reasoning) = &entry.reasoning
        && let Some(tail) = tail(&reasoning.text, &mut entry.unsent.reasoning_sent)
    {
        patch.append(&[&path("reasoning")], tail);
    }
    if let Content::Document(document) = &entry.message.content {
        entry.unsent.content.write(&path("content"), document, patch);
    }
    if std::mem::take(&mut entry.unsent.activity_type)
        && let Some(kind) = &entry.message.activity_type
    {
        patch.text(&path("activityType"), kind);
    }
    if std::mem::take(&mut entry.unsent.encrypted_value) {
        let (name, value) = match &entry.reasoning {
            Some(reasoning) => ("reasoningEncryptedValue", &reasoning.encrypted_value),
            None => ("encryptedValue", &entry.message.encrypted_value),
        };
        value.iter().for_each(|value| patch.text(&path(name), value));
    }
    entry.unsent.metadata.write(entry.message.metadata.as_ref(), &path("metadata"), patch);
    if std::mem::take(&mut entry.unsent.duration)
        && let (Some(name), Some(total)) = (entry.duration_name(), entry.reasoning_time.total)
    {
        patch.set(&path(name), |out| out.push_str(&total.to_string()));
    }
    if std::mem::take(&mut entry.unsent.delivery) {
        patch.text(&path("delivery"), entry.delivery.name());
    }
}

/// What the mirror lacks of a text.
fn tail<'t>(text: &'t str, sent: &mut usize) -> Option<&'t str> {
    let tail = text.get(*sent..).filter(|tail| !tail.is_empty())?;
    *sent = text.len();
    Some(tail)
}

impl Entry {
    /// Whether the mirror lacks something of the message itself.
    fn lacks(&self) -> bool {
        let Unsent { touched: _, whole, delivery, duration, text_sent, reasoning_sent, replaced, .. } = self.unsent;
        let Unsent { activity_type, encrypted_value, ref metadata, ref content, .. } = self.unsent;
        let marked = whole || delivery || duration || replaced || activity_type || encrypted_value;
        let reasoning = self.reasoning.as_ref().is_some_and(|reasoning| reasoning.text.len() > reasoning_sent);
        marked
            || reasoning
            || self.message.content.text().len() > text_sent
            || metadata.whole
            || !metadata.keys.is_empty()
            || !content.is_empty()
    }

    /// The mirror has the message as it is. Its calls' arguments went with it.
    pub(super) fn sent_whole(&mut self) {
        let touched = self.unsent.touched;
        self.unsent = Unsent {
            touched,
            text_sent: self.message.content.text().len(),
            reasoning_sent: self.reasoning.as_ref().map_or(0, |reasoning| reasoning.text.len()),
            ..Unsent::default()
        };
        self.place.get_or_insert(0);
        for (call, state) in self.message.tool_calls.iter().zip(&mut self.calls) {
            state.sent_in_message(call);
        }
    }
}

impl CallState {
    /// The mirror's message has the call as it is.
    fn sent_in_message(&mut self, call: &ToolCall) {
        self.args_in_message = call.arguments.len();
        (self.in_message, self.renamed, self.encrypted_value) = (true, false, false);
        self.args_replaced_in_message = false;
        self.metadata = Default::default();
    }
}

/// Writes what the mirror lacks of one call.
fn call(list: &mut MessageList, at: At, patch: &mut Patch) {
    let place = list.place(at.message);
    let Some(entry) = list.get_mut(at.message) else { return };
    in_message(place.message, at.call, entry, patch);
    let place_of_call = place.call + at.call;
    if entry.calls.get(at.call).is_some_and(|state| state.changed) {
        // The arguments stay what they are in the mirror, so only the members around them are written.
        write_members(place_of_call, entry, at.call, patch);
    }
    let (Some(tool_call), Some(state)) = (entry.message.tool_calls.get(at.call), entry.calls.get_mut(at.call)) else {
        return;
    };
    arguments(place_of_call, place.message, at.call, tool_call, state, patch);
}

/// Writes what the mirror's message lacks of a call, but for arguments that have grown.
fn in_message(position: usize, at: usize, entry: &mut Entry, patch: &mut Patch) {
    let (Some(call), Some(state)) = (entry.message.tool_calls.get(at), entry.calls.get_mut(at)) else { return };
    let path = |list: &str, rest: &str| format!("\"messages\",{position},\"{list}\"{rest}");
    if !state.in_message {
        // The first one makes the lists.
        let (item, [open, close]) = if at == 0 { (String::new(), ["[", "]"]) } else { (format!(",{at}"), ["", ""]) };
        patch.set(&path("toolCalls", &item), |out| {
            out.push_str(open);
            call.write(out);
            out.push_str(close);
        });
        patch.set(&path("toolCallIds", &item), |out| {
            out.push_str(open);
            write_string(out, &call.id);
            out.push_str(close);
        });
        return state.sent_in_message(call);
    }
    let path = |member: &str| path("toolCalls", &format!(",{at},{member}"));
    if std::mem::take(&mut state.renamed) {
        patch.text(&path("\"function\",\"name\""), &call.name);
    }
    if let (true, Some(value)) = (std::mem::take(&mut state.encrypted_value), &call.encrypted_value) {
        patch.text(&path("\"encryptedValue\""), value);
    }
    if std::mem::take(&mut state.args_replaced_in_message) {
        patch.text(&path("\"function\",\"arguments\""), &call.arguments);
        state.args_in_message = call.arguments.len();
    }
    state.metadata.write(call.metadata.as_ref(), &path("\"metadata\""), patch);
}

fn write_members(place: usize, entry: &mut Entry, at: usize, patch: &mut Patch) {
    let (Some(tool_call), Some(state)) = (entry.message.tool_calls.get(at), entry.calls.get_mut(at)) else { return };
    (state.changed, state.unseen) = (false, false);
    let path = |member: &str| format!("\"toolCalls\",{place},\"{member}\"");
    patch.text(&path("name"), &tool_call.name);
    patch.text(&path("status"), state.status.name());
    patch.text(&path("phase"), state.phase.name());
    if let Some(result) = &state.result {
        patch.reconcile(&path("result"), |out| write_json(out, result));
    }
    if let Some(error) = &state.error {
        patch.text(&path("error"), error);
    } else if std::mem::take(&mut state.error_gone) {
        patch.remove(&path("error"));
    }
    if std::mem::take(&mut state.args_replaced) {
        patch.set(&path("args"), |out| out.push_str("{}"));
        patch.text(&path("argsText"), "");
    }
}

fn arguments(place: usize, position: usize, at: usize, call: &ToolCall, state: &mut CallState, patch: &mut Patch) {
    let in_message = format!("\"messages\",{position},\"toolCalls\",{at},\"function\",\"arguments\"");
    let in_call = format!("\"toolCalls\",{place},\"argsText\"");
    let from = state.args_sent;
    if state.args_in_message == from {
        if let Some(text) = tail(&call.arguments, &mut state.args_sent) {
            patch.append(&[&in_call, &in_message], text);
        }
    } else {
        // The message was written whole, the call was not; or the other way round.
        if let Some(text) = tail(&call.arguments, &mut state.args_in_message) {
            patch.append(&[&in_message], text);
        }
        if let Some(text) = tail(&call.arguments, &mut state.args_sent) {
            patch.append(&[&in_call], text);
        }
    }
    state.args_in_message = state.args_sent;
    let root = format!("\"toolCalls\",{place},\"args\"");
    if let Some(text) = call.arguments.get(from..).filter(|text| !text.is_empty()) {
        state.args.feed(text, &Path(&root), patch.ops());
    }
    if state.phase != CallPhase::InputStreaming {
        state.args.finish(&Path(&root), patch.ops());
    }
}

/// What a call has from its message. One that is long is not written for each of the message's calls.
#[derive(Clone, Copy)]
enum Linked {
    Id,
    Owner,
}

/// How long such an id may be that is written again: as long as what says where it stands.
const SHORT_ID: usize = 128;

impl Linked {
    fn all() -> impl Iterator<Item = Self> {
        [Self::Id, Self::Owner].into_iter()
    }

    fn of(self, entry: &Entry) -> Option<&str> {
        match self {
            Self::Id => Some(&entry.message.id),
            Self::Owner => entry.message.subagent_run_id.as_deref(),
        }
    }

    fn is_long(self, entry: &Entry) -> bool {
        self.of(entry).is_some_and(|id| id.len() > SHORT_ID)
    }

    /// What is written of it with the call.
    fn written(self, entry: &Entry) -> Option<&str> {
        self.of(entry).map(|id| if id.len() > SHORT_ID { "" } else { id })
    }
}

/// Copies what is long to a call from its message, which the mirror has.
fn link(list: &mut MessageList, slot: usize, at: usize, patch: &mut Patch) {
    let place = list.place(slot);
    let Some(entry) = list.get(slot) else { return };
    let (message, call) = (place.message, place.call + at);
    for link in Linked::all().filter(|link| link.is_long(entry)) {
        let (from, to) = match link {
            Linked::Id => ("id", "messageId"),
            Linked::Owner => ("subagentRunId", "subagentRunId"),
        };
        let (from, path) = (format!("/messages/{message}/{from}"), format!("/toolCalls/{call}/{to}"));
        patch.apply("", &format!("[{{\"op\":\"copy\",\"from\":\"{from}\",\"path\":\"{path}\"}}]"));
    }
}

/// Writes a call as the snapshot has it, but for its arguments, which follow.
fn write_call(entry: &Entry, at: usize, out: &mut String) {
    let (Some(call), Some(state)) = (entry.message.tool_calls.get(at), entry.calls.get(at)) else { return };
    let mut object = JsonWriter::object(out);
    object.string("id", &call.id).string("name", &call.name);
    object.member("args").push_str("{}");
    object.string("argsText", "").optional("messageId", Linked::Id.written(entry));
    object.optional("subagentRunId", Linked::Owner.written(entry));
    state.write_members(&mut object);
    object.close();
}
