//! Tool calls and their results.

use super::entry::{CallPhase, CallState, CallStatus, Delivery, Entry};
use super::list::At;
use super::{Thread, merge_metadata};
use crate::wire::{Content, JsonError, Message, Raw, Role, ToolCall};

/// How a run ended, for what it left open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Complete,
    Aborted,
    Error,
}

impl Thread {
    pub(super) fn call_start(
        &mut self,
        id: &str,
        name: &str,
        parent: Option<&str>,
        owner: Option<&str>,
        metadata: Option<Raw<'_>>,
    ) {
        self.report.called(id);
        if let Some(at) = self.list.find_call(id) {
            self.call_again(at, name, metadata);
            return;
        }
        let encrypted_value = self.take_early_value(true, id);
        let at = self.holder(id, parent.filter(|parent| !parent.is_empty()), owner);
        let Some(entry) = self.list.change(at) else { return };
        let mut call = ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: String::new(),
            encrypted_value,
            metadata: None,
        };
        merge_metadata(&mut call.metadata, metadata);
        entry.message.tool_calls.push(call);
        entry.calls.push(CallState::streaming());
        self.list.index_call(at);
    }

    /// A call that the thread has is started again: it may be renamed, and its arguments go on.
    fn call_again(&mut self, at: At, name: &str, metadata: Option<Raw<'_>>) {
        let Some(entry) = self.list.change(at.message) else { return };
        let (Some(call), Some(state)) = (entry.message.tool_calls.get_mut(at.call), entry.calls.get_mut(at.call))
        else {
            return;
        };
        entry.unsent.whole |= merge_metadata(&mut call.metadata, metadata);
        if call.name != name {
            name.clone_into(&mut call.name);
            entry.unsent.whole = true;
            state.changed = true;
            self.warn("call-renamed", "TOOL_CALL_START", "the call was started before under another name");
        }
    }

    /// The assistant message that a new call goes to.
    fn holder(&mut self, call: &str, parent: Option<&str>, owner: Option<&str>) -> usize {
        let mut id = parent.unwrap_or(call);
        if let Some(at) = self.list.find(id) {
            match self.list.get(at).map(|entry| entry.message.role) {
                Some(Role::Assistant) => return at,
                // Reasoning that led to the call, under the id of the message to come.
                Some(Role::Reasoning) => {
                    if let Some(entry) = self.list.change(at) {
                        entry.fold(Role::Assistant, Content::None);
                    }
                    return at;
                }
                _ => {
                    self.warn("call-parent-not-assistant", "TOOL_CALL_START", "the parent is not an assistant message")
                }
            }
            // The call's own id, unless that is taken too.
            id = call;
            if let Some(at) = self.list.find(id)
                && self.list.get(at).is_some_and(|entry| entry.message.role == Role::Assistant)
            {
                return at;
            }
        }
        self.open_message(Message::new(id, Role::Assistant), owner)
    }

    pub(super) fn call_args(&mut self, id: &str, delta: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.known_call(id, "TOOL_CALL_ARGS") else { return };
        let Some(entry) = self.list.change(at.message) else { return };
        if let Some(call) = entry.message.tool_calls.get_mut(at.call) {
            call.arguments.push_str(delta);
            entry.unsent.whole |= merge_metadata(&mut call.metadata, metadata);
        }
    }

    pub(super) fn call_end(&mut self, id: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.known_call(id, "TOOL_CALL_END") else { return };
        let Some(entry) = self.list.change(at.message) else { return };
        let (Some(call), Some(state)) = (entry.message.tool_calls.get_mut(at.call), entry.calls.get_mut(at.call))
        else {
            return;
        };
        entry.unsent.whole |= merge_metadata(&mut call.metadata, metadata);
        if state.phase == CallPhase::InputStreaming {
            state.phase = CallPhase::InputAvailable;
            state.changed = true;
        }
        let readable = call.arguments.trim().is_empty()
            || !matches!(Raw::parse(&call.arguments, super::args::MAX_DEPTH), Err(JsonError::Syntax { .. }));
        entry.complete_if_idle();
        if !readable {
            self.warn("args-not-json", "TOOL_CALL_END", format!("the arguments of \"{id}\" are not JSON"));
        }
    }

    fn known_call(&mut self, id: &str, event: &'static str) -> Option<At> {
        let at = self.list.find_call(id);
        if at.is_none() {
            self.warn("call-unknown", event, format!("no tool call has the id \"{id}\""));
        }
        at
    }

    pub(super) fn call_result(
        &mut self,
        message_id: &str,
        call_id: &str,
        content: Raw<'_>,
        owner: Option<&str>,
        metadata: Option<Raw<'_>>,
    ) {
        let mut notes = Vec::new();
        let content = Content::read(content, &mut notes);
        self.warn_of(notes);
        let Some(content) = content else { return };
        self.report.answered(call_id);
        let caller = self.list.find_call(call_id);
        if let Some(at) = caller
            && let Some(call) = self.list.change(at.message).and_then(|entry| entry.calls.get_mut(at.call))
        {
            call.answer(&content, None);
        }
        // The same answer again, as servers that replay send it, is one answer.
        let is = |entry: &Entry| {
            entry.message.id == message_id
                && entry.message.role == Role::Tool
                && entry.message.tool_call_id.as_deref() == Some(call_id)
        };
        if let Some(at) = self.list.entries().iter().rposition(is) {
            if let Some(entry) = self.list.change(at) {
                entry.message.content = content;
                merge_metadata(&mut entry.message.metadata, metadata);
                entry.unsent.whole = true;
            }
            return;
        }
        let mut message = Message::new(message_id, Role::Tool);
        message.content = content;
        message.tool_call_id = Some(call_id.to_owned());
        message.subagent_run_id = owner.map(Into::into);
        merge_metadata(&mut message.metadata, metadata);
        let place = caller.map_or(self.list.entries().len(), |at| self.behind_results(at.message));
        self.list.insert(place, Entry::new(message, Delivery::Complete));
    }

    /// Name and arguments of a call, and whether it has its answer.
    pub(crate) fn call(&mut self, id: &str) -> Option<(String, String, bool)> {
        let at = self.list.find_call(id)?;
        let entry = self.list.get(at.message)?;
        let (call, state) = (entry.message.tool_calls.get(at.call)?, entry.calls.get(at.call)?);
        Some((call.name.clone(), call.arguments.clone(), state.result.is_some()))
    }

    /// What the page or its people do about a call.
    pub(crate) fn set_call_phase(&mut self, id: &str, phase: CallPhase) {
        let Some(at) = self.list.find_call(id) else { return };
        if let Some(state) = self.list.change(at.message).and_then(|entry| entry.calls.get_mut(at.call)) {
            state.status = CallStatus::Running;
            state.phase = phase;
            state.changed = true;
        }
    }

    /// Somebody has given a call other arguments (JSON text).
    pub(crate) fn replace_args(&mut self, id: &str, args: &str) {
        let Some(at) = self.list.find_call(id) else { return };
        let Some(entry) = self.list.change(at.message) else { return };
        let (Some(call), Some(state)) = (entry.message.tool_calls.get_mut(at.call), entry.calls.get_mut(at.call))
        else {
            return;
        };
        args.clone_into(&mut call.arguments);
        state.args_sent = 0;
        state.args_replaced = true;
        state.args = Default::default();
        state.changed = true;
        entry.unsent.whole = true;
    }

    /// The page answers a call. The message goes behind the one that calls.
    pub(crate) fn answer_call(&mut self, id: &str, message_id: &str, content: &str, error: Option<&str>, denied: bool) {
        let Some(at) = self.list.find_call(id) else { return };
        let content = Content::Text(content.to_owned());
        let owner = self.list.get(at.message).and_then(|entry| entry.message.subagent_run_id.clone());
        if let Some(state) = self.list.change(at.message).and_then(|entry| entry.calls.get_mut(at.call)) {
            state.answer(&content, error);
            if denied {
                state.phase = CallPhase::Denied;
            }
        }
        let mut message = Message::new(message_id, Role::Tool);
        message.content = content;
        message.tool_call_id = Some(id.to_owned());
        message.error = error.map(Into::into);
        message.subagent_run_id = owner;
        let place = self.behind_results(at.message);
        let mut entry = Entry::new(message, Delivery::Complete);
        entry.local = true;
        self.list.insert(place, entry);
    }

    /// The messages with answers of the page that the server has not seen.
    pub(crate) fn unsent_answers(&self) -> impl Iterator<Item = &str> {
        self.list.entries().iter().filter(|entry| entry.local).map(|entry| entry.message.id.as_str())
    }

    /// The same of a thread that was saved.
    pub(crate) fn restore_unsent(&mut self, ids: &[String]) {
        for entry in self.list.entries_mut() {
            entry.local = ids.contains(&entry.message.id);
        }
    }

    /// A run begins, and the server is told everything.
    pub(crate) fn sent(&mut self) {
        self.report.forget_calls();
        self.list.entries_mut().iter_mut().for_each(|entry| entry.local = false);
        self.state.sent();
    }

    /// Behind the calling message and the tool messages that follow it.
    fn behind_results(&self, caller: usize) -> usize {
        let behind = self.list.entries().iter().skip(caller + 1);
        caller + 1 + behind.take_while(|entry| entry.message.role == Role::Tool).count()
    }

    /// The run is over: nothing streams any more. Calls that wait for the page (`pending`) go on waiting.
    pub(crate) fn end_run(&mut self, ending: Ending, pending: &[String], now: f64) {
        for at in 0..self.list.entries().len() {
            let open = self.list.get(at).is_some_and(|entry| {
                entry.delivery == Delivery::Streaming
                    || entry.reasoning_time.runs()
                    || entry.calls.iter().any(|call| call.status == CallStatus::Running)
            });
            if open && let Some(entry) = self.list.change(at) {
                entry.end(ending, pending, now);
            }
        }
        self.report.ended(ending == Ending::Complete, now);
    }
}

impl Entry {
    fn end(&mut self, ending: Ending, pending: &[String], now: f64) {
        self.unsent.duration |= self.reasoning_time.stop(now);
        self.text_open = false;
        if self.delivery == Delivery::Streaming {
            self.delivery = match ending {
                Ending::Complete => Delivery::Complete,
                Ending::Aborted => Delivery::Aborted,
                Ending::Error => Delivery::Error,
            };
            self.unsent.delivery = true;
        }
        for (call, state) in self.message.tool_calls.iter().zip(&mut self.calls) {
            if state.status != CallStatus::Running || (ending == Ending::Complete && pending.contains(&call.id)) {
                continue;
            }
            state.changed = true;
            if ending == Ending::Complete {
                // The server keeps the answer to itself.
                state.status = CallStatus::Complete;
                if state.phase == CallPhase::InputStreaming {
                    state.phase = CallPhase::InputAvailable;
                }
            } else {
                state.status = CallStatus::Error;
                state.phase = CallPhase::OutputError;
                state.error = Some("The run ended before the call was answered.".to_owned());
            }
        }
    }
}
