//! Tool calls and their results.

use super::entry::{CallPhase, CallState, CallStatus, Delivery, Entry, result_json};
use super::list::{At, Index};
use super::{Thread, merge_metadata};
use crate::wire::{Content, Gather, JsonError, Message, Raw, Role, Str, ToolCall, shown_id};

/// How long the id of a subagent may be that an answer of the page has from its call's message.
const MOST_COPIED: usize = 4096;

/// The error of a call that its run has left open.
const UNANSWERED: &str = "The run ended before the call was answered.";

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
        parent: Option<Str<'_>>,
        owner: Option<&str>,
        metadata: Option<Raw<'_>>,
    ) {
        self.report.called(id);
        if let Some(at) = self.list.find_call(id) {
            self.call_again(at, name, metadata);
            return;
        }
        let encrypted_value = self.take_early_value(true, id);
        let parent = parent.map(Str::decode).filter(|parent| !parent.is_empty());
        let at = self.holder(id, parent.as_deref(), owner);
        let mut call = ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: String::new(),
            encrypted_value,
            metadata: None,
        };
        merge_metadata(&mut call.metadata, metadata);
        self.list.add_call(at, call, CallState::streaming());
        self.adopt_result(id);
    }

    /// A call that the thread has is started again: it may be renamed, and its arguments continue.
    fn call_again(&mut self, at: At, name: &str, metadata: Option<Raw<'_>>) {
        let Some((call, state)) = self.list.change_call(at) else { return };
        state.metadata.merge(&mut call.metadata, metadata);
        if call.name != name {
            name.clone_into(&mut call.name);
            (state.renamed, state.changed, state.unseen) = (true, true, true);
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
                    self.list.classify(at);
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
        if let Some((call, state)) = self.list.change_call(at) {
            call.arguments.push_str(delta);
            state.metadata.merge(&mut call.metadata, metadata);
        }
    }

    pub(super) fn call_end(&mut self, id: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.known_call(id, "TOOL_CALL_END") else { return };
        let Some((call, state)) = self.list.change_call(at) else { return };
        state.metadata.merge(&mut call.metadata, metadata);
        if state.phase == CallPhase::InputStreaming {
            state.phase = CallPhase::InputAvailable;
            state.changed = true;
        }
        // A call may end again and again.
        let known = state.checked.replace(call.arguments.len()) == Some(call.arguments.len());
        let readable = known
            || call.arguments.trim().is_empty()
            || !matches!(Raw::parse(&call.arguments, super::args::MAX_DEPTH), Err(JsonError::Syntax { .. }));
        if let Some(entry) = self.list.change(at.message) {
            entry.complete_if_idle();
        }
        if !readable {
            self.warn("args-not-json", "TOOL_CALL_END", format!("the arguments of \"{}\" are not JSON", shown_id(id)));
        }
    }

    fn known_call(&mut self, id: &str, event: &'static str) -> Option<At> {
        let at = self.list.find_call(id);
        if at.is_none() {
            self.warn("call-unknown", event, format!("no tool call has the id \"{}\"", shown_id(id)));
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
        let mut differs = false;
        if let Some(at) = caller
            && let Some((_, state)) = self.list.change_call(at)
        {
            let json = result_json(&content);
            differs = state.result.is_some() && state.has_other(&json, None);
            if !state.is_echoed(&json, None) {
                state.answer_json(json, None);
            }
        }
        if differs {
            self.warn_of_result(call_id);
        }
        // The same answer again, as servers that replay send it, is one answer.
        let mut message = Message::new(message_id, Role::Tool);
        message.tool_call_id = Some(call_id.to_owned());
        if let Some(entry) = self.list.find_same(&message).and_then(|slot| self.list.change(slot)) {
            entry.message.content = content;
            entry.unsent.metadata.merge(&mut entry.message.metadata, metadata);
            entry.unsent.replaced = true;
            return;
        }
        self.supersede_result(call_id);
        message.content = content;
        message.subagent_run_id = owner.map(Into::into);
        merge_metadata(&mut message.metadata, metadata);
        self.add_result(caller, Entry::new(message, Delivery::Complete));
    }

    /// Marks the result that a call has as one of failure, where its event could not say so.
    pub(crate) fn fail_call(&mut self, id: &str, error: &str) {
        let Some(at) = self.list.find_call(id) else { return };
        let call = self.list.change(at.message).and_then(|entry| entry.calls.get_mut(at.call));
        if let Some(call) = call.filter(|call| call.result.is_some()) {
            call.answer(&Content::Text(error.to_owned()), Some(error));
        }
    }

    /// The calls whose run has failed before they had a result; `over`: and those that a run in progress has left open.
    pub(crate) fn failed_calls(&self, over: bool) -> impl Iterator<Item = &str> {
        let failed = move |state: &CallState| {
            state.result.is_none()
                && (state.phase == CallPhase::OutputError || over && state.status == CallStatus::Running)
        };
        let of = move |entry: &'_ Entry| -> Vec<usize> {
            (0..entry.calls.len()).filter(|&at| entry.calls.get(at).is_some_and(failed)).gather()
        };
        self.list.iter().flat_map(move |entry| {
            of(entry).into_iter().filter_map(|at| Some(entry.message.tool_calls.get(at)?.id.as_str()))
        })
    }

    /// The run of a call has failed, as a save says.
    pub(crate) fn restore_failed(&mut self, id: &str) {
        let Some(at) = self.list.find_call(id) else { return };
        if let Some((_, state)) = self.list.change_call(at).filter(|(_, state)| state.result.is_none()) {
            state.end(false);
        }
    }

    /// Name and arguments of a call, and whether it has its answer.
    pub(crate) fn call(&mut self, id: &str) -> Option<(String, String, bool)> {
        let at = self.list.find_call(id)?;
        let (call, state) = self.list.call(at)?;
        Some((call.name.clone(), call.arguments.clone(), state.result.is_some()))
    }

    /// The name that a call has.
    pub(crate) fn call_name(&mut self, id: &str) -> Option<&str> {
        let at = self.list.find_call(id)?;
        Some(&self.list.get(at.message)?.message.tool_calls.get(at.call)?.name)
    }

    /// Whether a call has its answer; `None`: there is no such call.
    pub(crate) fn is_answered(&mut self, id: &str) -> Option<bool> {
        let at = self.list.find_call(id)?;
        Some(self.list.call(at)?.1.result.is_some())
    }

    /// Gives the calls of these tools that a run has left open an error as their result; `result_of`: the id of its message.
    pub(crate) fn answer_given_up(&mut self, of_page: &dyn Fn(&str) -> bool, result_of: fn(&str) -> String) {
        let mut ids = Vec::new();
        for entry in self.list.iter() {
            for (call, state) in entry.message.tool_calls.iter().zip(&entry.calls) {
                if state.is_given_up() && of_page(&call.name) {
                    ids.push(call.id.clone());
                }
            }
        }
        for id in ids {
            // Two calls of one id have one result.
            if self.is_answered(&id) == Some(false) {
                self.answer_call(&id, &result_of(&id), UNANSWERED, Some(UNANSWERED), false);
            }
        }
    }

    /// Where a run began: at the message that was the last one then or, where that is not known, at the last message of the user.
    fn begin_of_run(&mut self, behind: Option<&str>) -> Option<usize> {
        behind.and_then(|id| self.list.find(id)).or_else(|| {
            let user = |slot: &usize| self.list.get(*slot).is_some_and(|entry| entry.message.role == Role::User);
            self.list.slots().rev().find(user)
        })
    }

    /// The calls of a run that no more comes of have failed; `of_page`: those that the page still answers.
    pub(crate) fn give_up_calls(&mut self, behind: Option<&str>, of_page: &dyn Fn(&str) -> bool) {
        let mut ids = Vec::new();
        let begin = self.begin_of_run(behind);
        for (_, entry) in self.list.after(begin) {
            ids.extend(entry.message.tool_calls.iter().map(|call| call.id.clone()).filter(|id| !of_page(id)));
        }
        for id in ids {
            self.restore_failed(&id);
        }
    }

    /// Takes all calls after a message that have no answer for the run's own. Where it is not known, or not there, that is
    /// the last message of the user.
    pub(crate) fn claim_calls(&mut self, behind: Option<&str>) {
        // A later run over the same connection continues where the last one ended.
        let known = self.claimed.take().filter(|(then, _)| then.as_deref() == behind);
        let begin = known.and_then(|(_, slot)| self.list.find_slot(slot)).or_else(|| self.begin_of_run(behind));
        let mut last = begin;
        for (slot, entry) in self.list.after(begin) {
            last = Some(slot);
            let calls = entry.message.tool_calls.iter().zip(&entry.calls);
            for (call, _) in calls.filter(|(_, state)| state.result.is_none()) {
                // Once more, for its place: the stream may have mentioned a later one before.
                self.report.answered(&call.id);
                self.report.called(&call.id);
            }
        }
        self.claimed = last.map(|slot| (behind.map(Into::into), self.list.note_slot(slot)));
    }

    /// Takes the ids of calls that lists of messages have brought answers to since the last call.
    pub(crate) fn take_answered(&mut self) -> Vec<String> {
        std::mem::take(&mut self.answered)
    }

    /// What the page or its people do about a call.
    pub(crate) fn set_call_phase(&mut self, id: &str, phase: CallPhase) {
        let Some(at) = self.list.find_call(id) else { return };
        if let Some((_, state)) = self.list.change_call(at) {
            state.status = CallStatus::Running;
            state.phase = phase;
            state.changed = true;
        }
    }

    /// Somebody has given a call other arguments (JSON text).
    pub(crate) fn replace_args(&mut self, id: &str, args: &str) {
        let Some(at) = self.list.find_call(id) else { return };
        let Some((call, state)) = self.list.change_call(at) else { return };
        args.clone_into(&mut call.arguments);
        state.replace_args();
        (state.changed, state.unseen) = (true, true);
    }

    /// The page answers a call. The message goes after the one that calls.
    pub(crate) fn answer_call(&mut self, id: &str, message_id: &str, content: &str, error: Option<&str>, denied: bool) {
        let Some(at) = self.list.find_call(id) else { return };
        let content = Content::Text(content.to_owned());
        let owner = self.list.get(at.message).and_then(|entry| entry.message.subagent_run_id.as_ref());
        // Each answer would have another copy of what the server has said once.
        let owner = owner.filter(|owner| owner.len() <= MOST_COPIED).cloned();
        if let Some((_, state)) = self.list.change_call(at) {
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
        let mut entry = Entry::new(message, Delivery::Complete);
        (entry.local, entry.page) = (true, true);
        self.add_result(Some(at), entry);
    }

    /// The messages with answers of the page that the server has not seen.
    pub(crate) fn unsent_answers(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|entry| entry.local).map(|entry| entry.message.id.as_str())
    }

    /// The same of a thread that was saved.
    pub(crate) fn restore_unsent(&mut self, ids: &[String]) {
        // Whether all calls that were at work are there is not known.
        self.calls_lost = true;
        let mut unsent = Index::new();
        for id in ids {
            unsent.insert(id.clone(), At::default());
        }
        for slot in self.list.slots().gather() {
            if let Some(entry) = self.list.change(slot) {
                entry.local = unsent.contains_key(&entry.message.id);
                entry.page |= entry.local;
            }
            self.list.classify(slot);
        }
    }

    /// Whether the answer that a call has is the message with this id, which the page gives its own. The server has not seen it.
    pub(crate) fn claim_answer(&mut self, call: &str, message_id: &str) -> bool {
        let Some(slot) = self.list.answer_of(call) else { return false };
        let Some(entry) = self.list.change(slot).filter(|entry| entry.message.id == message_id) else { return false };
        (entry.local, entry.page) = (true, true);
        self.list.classify(slot);
        true
    }

    /// A run begins, and the server is told everything.
    pub(crate) fn sent(&mut self) {
        self.report.forget_calls();
        self.claimed = None;
        self.list.release_local();
        self.list.reopen_held();
        self.state.sent();
        self.copies = super::Copies::default();
    }

    /// Adds a result after the message that calls and the results that it has, or at the end.
    pub(super) fn add_result(&mut self, caller: Option<At>, result: Entry) {
        let Some(at) = caller else {
            self.list.push(result);
            return;
        };
        let last = self.list.last_after(at.message);
        self.list.insert_after(last, result);
    }

    /// The run is over: nothing streams. Calls that wait for an answer (`pending`, and those `of_page`) continue
    /// waiting.
    pub(crate) fn end_run(&mut self, ending: Ending, pending: &[String], of_page: &dyn Fn(&str) -> bool, now: f64) {
        for slot in self.list.take_open() {
            if let Some(entry) = self.list.change(slot) {
                entry.end(ending, now);
            }
        }
        let well = ending == Ending::Complete;
        let open = self.list.take_open_calls(!well);
        let mut named = Index::new();
        for id in pending.iter().filter(|_| well && !open.is_empty()) {
            named.insert(id.clone(), At::default());
        }
        for at in open {
            let Some((call, state)) = self.list.call(at) else { continue };
            let runs = state.status == CallStatus::Running;
            match runs && well {
                true if named.contains_key(&call.id) => self.list.stays_open(at, false),
                true if of_page(&call.id) => self.list.stays_open(at, true),
                _ => {
                    if let Some((_, state)) = self.list.change_call(at).filter(|_| runs) {
                        state.end(well);
                    }
                    self.list.close_call(at);
                }
            }
        }
        self.report.ended(ending == Ending::Complete, now);
    }
}

impl Entry {
    fn end(&mut self, ending: Ending, now: f64) {
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
    }
}

impl CallState {
    fn end(&mut self, well: bool) {
        self.changed = true;
        if well {
            // The server keeps the answer to itself.
            self.status = CallStatus::Complete;
            if self.phase == CallPhase::InputStreaming {
                self.phase = CallPhase::InputAvailable;
            }
        } else {
            self.status = CallStatus::Error;
            self.phase = CallPhase::OutputError;
            self.error = Some(UNANSWERED.to_owned());
        }
    }

    /// The run has ended before there was a result.
    pub fn is_given_up(&self) -> bool {
        self.phase == CallPhase::OutputError && self.result.is_none()
    }

    /// The arguments are others now.
    pub fn replace_args(&mut self) {
        self.args_sent = 0;
        (self.args_replaced, self.args_replaced_in_message) = (true, true);
        self.args = Default::default();
        self.checked = None;
    }
}
