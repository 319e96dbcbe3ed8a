//! From unsent marks to patch operations. The cost follows what changed, not how long the thread is; only where
//! messages or calls came, went or moved is the list looked through once.

use super::Thread;
use super::entry::{CallPhase, CallState, Entry, Unsent};
use super::patch::{Patch, Path};
use crate::wire::{JsonWriter, ToolCall, write_json};

/// Writes the messages that changed.
pub(super) fn messages(thread: &mut Thread, patch: &mut Patch) {
    let list = &mut thread.list;
    if list.restructured {
        let entries = list.entries();
        let places = entries.iter().map(|entry| entry.place);
        patch.reorder("\"messages\"", thread.sent_messages, places, |out, at| {
            if let Some(entry) = entries.get(at) {
                entry.write(out);
            }
        });
        // What is new in the list was written; the rest is looked through for changes.
        for (at, entry) in list.entries_mut().iter_mut().enumerate() {
            match entry.place.replace(at) {
                Some(_) => message(at, entry, patch),
                None => entry.sent_whole(),
            }
        }
        thread.sent_messages = list.entries().len();
        list.touched.clear();
        return;
    }
    // `calls` goes through the touched ones again, and clears them.
    for touched in 0..list.touched.len() {
        let Some(&at) = list.touched.get(touched) else { break };
        if let Some(entry) = list.entries_mut().get_mut(at) {
            message(at, entry, patch);
        }
    }
}

fn message(at: usize, entry: &mut Entry, patch: &mut Patch) {
    if entry.unsent.whole {
        patch.reconcile(&format!("\"messages\",{at}"), |out| entry.write(out));
        entry.sent_whole();
        return;
    }
    let path = |member: &str| format!("\"messages\",{at},\"{member}\"");
    if let Some(tail) = tail(entry.message.content.text(), &mut entry.unsent.text_sent) {
        patch.append(&[&path("content")], tail);
    }
    if let Some(reasoning) = &entry.reasoning
        && let Some(tail) = tail(&reasoning.text, &mut entry.unsent.reasoning_sent)
    {
        patch.append(&[&path("reasoning")], tail);
    }
    entry.unsent.content.write(&path("content"), patch);
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
    /// The mirror has the message as it is. Its calls' arguments went with it.
    fn sent_whole(&mut self) {
        let touched = self.unsent.touched;
        self.unsent = Unsent {
            touched,
            text_sent: self.message.content.text().len(),
            reasoning_sent: self.reasoning.as_ref().map_or(0, |reasoning| reasoning.text.len()),
            ..Unsent::default()
        };
        for (call, state) in self.message.tool_calls.iter().zip(&mut self.calls) {
            state.args_in_message = call.arguments.len();
        }
    }
}

/// Writes the calls that changed; runs behind [`messages`].
pub(super) fn calls(thread: &mut Thread, patch: &mut Patch) {
    let list = &mut thread.list;
    if std::mem::take(&mut list.restructured) {
        let all: Vec<(&Entry, usize)> =
            list.entries().iter().flat_map(|entry| (0..entry.calls.len()).map(move |call| (entry, call))).collect();
        let places = all.iter().map(|(entry, call)| entry.calls.get(*call).and_then(|state| state.place));
        patch.reorder("\"toolCalls\"", thread.sent_calls, places, |out, at| {
            if let Some((entry, call)) = all.get(at) {
                write_call(entry, *call, out);
            }
        });
        thread.sent_calls = all.len();
        let mut place = 0;
        for (at, entry) in list.entries_mut().iter_mut().enumerate() {
            entry.unsent.touched = false;
            for call in 0..entry.calls.len() {
                if let Some(state) = entry.calls.get_mut(call)
                    && state.place.replace(place).is_none()
                {
                    state.changed = false;
                    state.args_replaced = false;
                }
                self::call(at, call, entry, patch);
                place += 1;
            }
        }
        return;
    }
    for at in std::mem::take(&mut list.touched) {
        let Some(entry) = list.entries_mut().get_mut(at) else { continue };
        entry.unsent.touched = false;
        for call in 0..entry.calls.len() {
            self::call(at, call, entry, patch);
        }
    }
}

/// Writes what the mirror lacks of one call: call `at` of the message at `position`.
fn call(position: usize, at: usize, entry: &mut Entry, patch: &mut Patch) {
    let Some(place) = entry.calls.get(at).and_then(|state| state.place) else { return };
    if entry.calls.get(at).is_some_and(|state| state.changed) {
        // The arguments stay what they are in the mirror, so only the members around them are written.
        write_members(place, entry, at, patch);
    }
    let (Some(tool_call), Some(state)) = (entry.message.tool_calls.get(at), entry.calls.get_mut(at)) else { return };
    arguments(place, position, at, tool_call, state, patch);
}

fn write_members(place: usize, entry: &mut Entry, at: usize, patch: &mut Patch) {
    let (Some(tool_call), Some(state)) = (entry.message.tool_calls.get(at), entry.calls.get_mut(at)) else { return };
    state.changed = false;
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

/// Writes a call as the snapshot has it, but for its arguments, which follow.
fn write_call(entry: &Entry, at: usize, out: &mut String) {
    let (Some(call), Some(state)) = (entry.message.tool_calls.get(at), entry.calls.get(at)) else { return };
    let mut object = JsonWriter::object(out);
    object.string("id", &call.id).string("name", &call.name);
    object.member("args").push_str("{}");
    object.string("argsText", "").string("messageId", &entry.message.id);
    object.optional("subagentRunId", entry.message.subagent_run_id.as_deref());
    state.write_members(&mut object);
    object.close();
}
