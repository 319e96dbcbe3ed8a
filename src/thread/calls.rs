//! Tool calls and their results.

use super::Thread;
use super::entry::{
    Entry, RELOADED, UNANSWERED, answer, has_other, is_echoed, is_given_up, result_json, set_phase, text_json,
};
use super::list::ITSELF;
use crate::document::*;
use crate::wire::{At, Gather, Index, JsonError, Raw, Str, shown_id};

/// How long the id of a subagent may be that an answer of the page has from its call's message.
const MOST_COPIED: usize = 4096;

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
        let encrypted = self.take_early_value(true, id);
        let parent = parent.map(Str::decode).filter(|parent| !parent.is_empty());
        let at = self.holder(id, parent.as_deref(), owner);
        let mut call = Call::new(id, name);
        call.row.set(ENCRYPTED_VALUE, encrypted.map(Value::Text).unwrap_or_default());
        call.row.merge(CALL_METADATA, metadata);
        self.list.add_call(at, call);
        self.adopt_result(id);
    }

    /// The number of the call that a TOOL_CALL_START means, of those that have its id. It is the last one, unless that was made
    /// and answered before this run, which `behind` was the last message before; or in an earlier turn, if nobody has answered it.
    /// Says whether it has its answer.
    pub(crate) fn number_of_start(&mut self, id: &str, before_run: Option<&str>) -> (usize, bool) {
        let number = self.list.last_number(id);
        let own = numbered(id, number);
        let Some(at) = self.list.find_call(&own) else { return (number, false) };
        let Some(result) = self.list.call(at).and_then(Call::result) else { return (number, false) };
        // It is a string of JSON.
        let text = result.get(1..result.len().saturating_sub(1)).unwrap_or_default();
        let given_up = [UNANSWERED, RELOADED].contains(&text);
        // The server has not seen an answer that the page has given during the run.
        let answer = self.list.answer_of(&own).and_then(|slot| self.list.get(slot));
        let seen = answer.is_none_or(|answer| !answer.local);
        let begin = self.begin_of_run(before_run.filter(|_| !given_up));
        if seen && begin.is_some_and(|begin| !self.list.order.precedes(begin, at.message)) {
            return (number + 1, false);
        }
        (number, true)
    }

    /// The number of the call that an event means by an id.
    pub(crate) fn number_of_call(&mut self, id: &str) -> usize {
        self.list.last_number(id)
    }

    /// Whether several calls have one id.
    pub(crate) fn repeats_calls(&self) -> bool {
        self.list.repeats()
    }

    /// A call that the thread has is started again: it may be renamed, and its arguments continue.
    fn call_again(&mut self, at: At, name: &str, metadata: Option<Raw<'_>>) {
        let Some(call) = self.list.change_call(at) else { return };
        call.row.merge(CALL_METADATA, metadata);
        if call.tool() != name {
            call.row.set_text(TOOL, name);
            self.warn("call-renamed", "TOOL_CALL_START", "the call was started before under another name");
        }
    }

    /// The assistant message that a new call goes to.
    fn holder(&mut self, call: &str, parent: Option<&str>, owner: Option<&str>) -> usize {
        let mut id = parent.unwrap_or(call);
        if let Some(at) = self.list.find(id) {
            match self.list.get(at).map(Entry::role) {
                Some(Role::Assistant) => return at,
                // Reasoning that led to the call, under the id of the message to come.
                Some(Role::Reasoning) => {
                    if let Some(entry) = self.list.change(at) {
                        entry.fold(Role::Assistant, Value::None);
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
                && self.list.get(at).is_some_and(|entry| entry.role() == Role::Assistant)
            {
                return at;
            }
        }
        self.open_message(message(id, Role::Assistant), owner)
    }

    pub(super) fn call_args(&mut self, id: &str, delta: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.known_call(id, "TOOL_CALL_ARGS") else { return };
        // An answered call has its arguments.
        let open = |call: &&mut Call| call.result().is_none() || call.checked.is_none();
        if let Some(call) = self.list.change_call(at).filter(open) {
            call.row.grow(ARGUMENTS, delta);
            call.row.merge(CALL_METADATA, metadata);
        }
    }

    pub(super) fn call_end(&mut self, id: &str, metadata: Option<Raw<'_>>) {
        let Some(at) = self.known_call(id, "TOOL_CALL_END") else { return };
        let Some(call) = self.list.change_call(at) else { return };
        call.row.merge(CALL_METADATA, metadata);
        if call.phase() == CallPhase::InputStreaming {
            call.row.set_word(PHASE, CallPhase::InputAvailable as u8);
        }
        // A call may end again and again.
        let length = call.arguments().len();
        let known = call.checked.replace(length) == Some(length);
        let readable = known
            || call.arguments().trim_ascii().is_empty()
            || !matches!(Raw::parse(call.arguments(), ARGS_DEPTH), Err(JsonError::Syntax { .. }));
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
        let content = crate::document::content(content, &mut notes);
        self.warnings.append(&mut notes);
        if !content.is_some() {
            return;
        }
        let mut result = Entry::new(message(message_id, Role::Tool));
        result.row.set_text(CALL_ID, call_id);
        result.row.set(CONTENT, content);
        self.report.answered(call_id);
        let caller = self.list.find_call(call_id);
        let mut differs = false;
        if let Some(at) = caller
            && let Some(call) = self.list.change_call(at)
        {
            let json = result_json(&result.row);
            differs = call.result().is_some() && has_other(call, &json, None);
            if !is_echoed(call, &json, None) {
                answer(call, &json, None);
            }
        }
        if differs {
            self.warn_of_result(call_id);
        }
        // The same answer again, as servers that replay send it, is one answer.
        if let Some(entry) = self.list.find_same(&result).and_then(|slot| self.list.change(slot)) {
            entry.row.assume(result.row, 1 << CONTENT);
            entry.row.merge(METADATA, metadata);
            return;
        }
        // The page's own answer is not needed beside the server's.
        self.list.page_result(call_id).into_iter().for_each(|slot| self.list.remove(slot));
        result.row.set_some(OWNER, owner);
        result.row.merge(METADATA, metadata);
        self.add_result(caller, result);
    }

    /// Marks the result that a call has as one of failure, where its event could not say so.
    pub(crate) fn fail_call(&mut self, id: &str, error: &str) {
        let number = self.list.last_number(id);
        if let Some(call) = self.list.change_call_of(&numbered(id, number)).filter(|call| call.result().is_some()) {
            answer(call, &text_json(error), Some(error));
        }
    }

    /// The calls whose run has failed before they had a result; `over`: and those that a run in progress has left open.
    pub(crate) fn failed_calls(&self, over: bool) -> impl Iterator<Item = &str> {
        let mut failed = Vec::new();
        for call in self.list.iter().flat_map(|entry| &entry.calls) {
            let ended = call.phase() == CallPhase::OutputError || over && call.status() == CallStatus::Running;
            if ended && call.result().is_none() {
                failed.push(call.id());
            }
        }
        failed.into_iter()
    }

    /// The run of a call has failed, as a save says.
    pub(crate) fn restore_failed(&mut self, id: &str) {
        if let Some(call) = self.list.change_call_of(id).filter(|call| call.result().is_none()) {
            end(call, false);
        }
    }

    /// The call that has an id.
    pub(crate) fn call(&mut self, id: &str) -> Option<&Call> {
        self.list.call_of(id)
    }

    /// Name and arguments of a call.
    pub(crate) fn name_and_args(&mut self, id: &str) -> Option<(String, String)> {
        self.call(id).map(|call| (call.tool().to_owned(), call.arguments().to_owned()))
    }

    /// Whether a call has its answer; `None`: there is no such call.
    pub(crate) fn is_answered(&mut self, id: &str) -> Option<bool> {
        self.call(id).map(|call| call.result().is_some())
    }

    /// Gives the calls of these tools that a run has left open an error as their result; `result_of`: the id of its message.
    pub(crate) fn answer_given_up(&mut self, of_page: &dyn Fn(&str) -> bool, result_of: fn(&str) -> String) {
        let mut ids = Vec::new();
        for call in self.list.iter().flat_map(|entry| &entry.calls) {
            if is_given_up(call) && of_page(call.tool()) {
                ids.push(call.id().to_owned());
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
    fn begin_of_run(&mut self, before_run: Option<&str>) -> Option<usize> {
        before_run.and_then(|id| self.list.find(id)).or_else(|| {
            let user = |slot: &usize| self.list.get(*slot).is_some_and(|entry| entry.role() == Role::User);
            self.list.slots().rev().find(user)
        })
    }

    /// The calls of a run that no more comes of have failed; `of_page`: those that the page still answers.
    pub(crate) fn give_up_calls(&mut self, before_run: Option<&str>, of_page: &dyn Fn(&str) -> bool) {
        let mut ids = Vec::new();
        let begin = self.begin_of_run(before_run);
        for (_, entry) in self.list.after(begin) {
            ids.extend(entry.calls.iter().map(|call| call.id().to_owned()).filter(|id| !of_page(id)));
        }
        for id in ids {
            self.restore_failed(&id);
        }
    }

    /// Takes all calls after a message that have no answer for the run's own. Where it is not known, or not there, that is
    /// the last message of the user.
    pub(crate) fn claim_calls(&mut self, before_run: Option<&str>) {
        // A later run over the same connection continues where the last one ended.
        let known = self.list.claimed.take().filter(|(then, _)| then.as_deref() == before_run);
        let known = known.map(|(_, slot)| slot).filter(|slot| self.list.get(*slot).is_some());
        let begin = known.or_else(|| self.begin_of_run(before_run));
        let mut last = begin;
        for (slot, entry) in self.list.after(begin) {
            last = Some(slot);
            for call in entry.calls.iter().filter(|call| call.result().is_none()) {
                // Once more, for its place: the stream may have mentioned a later one before.
                self.report.answered(call.id());
                self.report.called(call.id());
            }
        }
        self.list.claimed = last.map(|slot| (before_run.map(Into::into), slot));
    }

    /// Sets the phase of a call that the page or a person works on.
    pub(crate) fn set_call_phase(&mut self, id: &str, phase: CallPhase) {
        if let Some(call) = self.list.change_call_of(id) {
            set_phase(call, CallStatus::Running, phase);
        }
    }

    /// Somebody has given a call other arguments (JSON text).
    pub(crate) fn replace_args(&mut self, id: &str, args: &str) {
        let Some(call) = self.list.change_call_of(id) else { return };
        call.row.set_text(ARGUMENTS, args);
        call.checked = Some(usize::MAX);
    }

    /// The page answers a call. The message goes after the one that calls.
    pub(crate) fn answer_call(&mut self, id: &str, message_id: &str, content: &str, error: Option<&str>, denied: bool) {
        let Some(at) = self.list.find_call(id) else { return };
        let owner = self.list.get(at.message).and_then(|entry| entry.row.some(OWNER));
        // Each answer would have another copy of what the server has said once.
        let owner = owner.filter(|owner| owner.len() <= MOST_COPIED).map(String::from);
        if let Some(call) = self.list.change_call(at) {
            answer(call, &text_json(content), error);
            if denied {
                call.row.set_word(PHASE, CallPhase::Denied as u8);
            }
        }
        let mut entry = Entry::new(message(message_id, Role::Tool));
        entry.row.set_text(CONTENT, content);
        entry.row.set_text(CALL_ID, id);
        entry.row.set_some(ERROR, error);
        entry.row.set_some(OWNER, owner.as_deref());
        (entry.local, entry.page) = (true, true);
        self.add_result(Some(at), entry);
    }

    /// The messages with answers of the page that the server has not seen.
    pub(crate) fn unsent_answers(&self) -> impl Iterator<Item = &str> {
        self.list.iter().filter(|entry| entry.local).map(Entry::id)
    }

    /// The same of a thread that was saved.
    pub(crate) fn restore_unsent(&mut self, ids: &[String]) {
        // Whether all calls that were at work are there is not known.
        self.calls_lost = true;
        let unsent = Index::of(ids);
        for slot in self.list.slots().gather() {
            if let Some(entry) = self.list.change(slot) {
                entry.local = unsent.contains_key(entry.id());
                entry.page |= entry.local;
            }
            self.list.classify(slot);
        }
    }

    /// Whether the answer that a call has is the message with this id, which the page gives its own. The server has not seen it.
    pub(crate) fn claim_answer(&mut self, call: &str, message_id: &str) -> bool {
        let Some(slot) = self.list.answer_of(call) else { return false };
        let Some(entry) = self.list.change(slot).filter(|entry| entry.id() == message_id) else { return false };
        (entry.local, entry.page) = (true, true);
        self.list.classify(slot);
        true
    }

    /// A run begins, and the server is told everything.
    pub(crate) fn sent(&mut self) {
        self.report.forget_calls();
        self.list.claimed = None;
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
        let last = self.list.order.last_after(at.message);
        self.list.put(result, Insertion::After(last));
    }

    /// The run is over, and what it left open ended so: nothing streams. Calls that wait for an answer (`pending`, and those `of_page`) continue
    /// waiting.
    pub(crate) fn end_run(&mut self, ending: Delivery, pending: &[String], of_page: &dyn Fn(&str) -> bool, now: f64) {
        let well = ending == Delivery::Complete;
        let open = self.list.take_open(!well);
        let named = Index::of(pending.iter().filter(|_| well && !open.is_empty()));
        for at in open {
            if at.call == ITSELF {
                self.list.close(at);
                self.list.change(at.message).into_iter().for_each(|entry| entry.end(ending, now));
                continue;
            }
            let Some(call) = self.list.call(at) else { continue };
            let runs = call.status() == CallStatus::Running;
            match runs && well {
                true if named.contains_key(call.id()) => self.list.stays_open(at, false),
                true if of_page(call.id()) => self.list.stays_open(at, true),
                _ => {
                    if let Some(call) = self.list.change_call(at).filter(|_| runs) {
                        end(call, well);
                    }
                    self.list.close(at);
                }
            }
        }
        self.report.ended(well, now);
    }
}

impl Entry {
    fn end(&mut self, ending: Delivery, now: f64) {
        self.stop_reasoning(now);
        self.text_open = false;
        if self.delivery() == Delivery::Streaming {
            self.set_delivery(ending);
        }
    }
}

/// The run of a call has ended.
fn end(call: &mut Call, well: bool) {
    if !well {
        call.row.set_text(FAILURE, UNANSWERED);
        return set_phase(call, CallStatus::Error, CallPhase::OutputError);
    }
    // The server keeps the answer to itself.
    call.row.set_word(STATUS, CallStatus::Complete as u8);
    if call.phase() == CallPhase::InputStreaming {
        call.row.set_word(PHASE, CallPhase::InputAvailable as u8);
    }
}
