//! The effect of an event on the session, before and after it is in the thread.

use crate::document::{Boundary, Delivery, ERROR_CODE};
use crate::session::Session;
use crate::session::rejoin::Report;
use crate::session::run::BodyRest;
use crate::session::types::{AgentError, Effect, ErrorKind, Outcome, is_a_name};
use crate::thread::numbered;
use crate::wire::{Event, Gather, Incoming, PROTOCOL_VERSION, Raw, Str, cut, hash, shown_id};

impl Session {
    /// The call that an event is about, and its number, where several calls have the id that it names.
    pub(super) fn number_of_call<'e, 'a>(&mut self, event: &'e mut Event<'a>) -> Option<(&'e mut Str<'a>, usize)> {
        let starts = matches!(event, Event::ToolCallStart { .. });
        if !starts && !self.thread.repeats_calls() {
            return None;
        }
        let call = call_of(event)?;
        let id = call.decode();
        let number = if starts { self.call_starts(&id) } else { self.thread.number_of_call(&id) };
        (number > 1).then_some((call, number))
    }

    /// Before an event is in the thread. `None`: it does not come there. Says whether another run begins in the stream.
    pub(super) fn before(&mut self, one: &mut Incoming<'_>, now: f64) -> Option<bool> {
        match &mut one.event {
            Event::TextMessageContent { delta, .. }
            | Event::ToolCallArgs { delta, .. }
            | Event::ReasoningMessageContent { delta, .. } => self.verdict.token(*delta, now),
            Event::Custom { name, value } => {
                if !self.rejoin.is_new(Report::Custom) {
                    return None;
                }
                let mut json = String::new();
                crate::wire::write_json(&mut json, value.text());
                self.outbox.push(Effect::Custom { name: name.to_text(), value: json });
            }
            Event::RunStarted { thread_id, run_id, protocol_version, .. } => {
                return self.run_starts(*thread_id, *run_id, *protocol_version);
            }
            // A replay brings the token counts again.
            Event::RunFinished { usage, .. } | Event::RunError { usage, .. }
                if usage.is_some() && !self.rejoin.is_new(Report::Usage) =>
            {
                *usage = None;
            }
            _ => {}
        }
        Some(false)
    }

    /// The effect of an event that is in the thread. `another`: it begins another run in the stream.
    pub(super) fn after(&mut self, one: &Incoming<'_>, another: bool, now: f64) {
        // Of an earlier run, which the page has not seen, and which has ended.
        let new = self.rejoin.earlier.is_new();
        match one.event {
            Event::RunStarted { input, .. } => {
                if input.is_some() {
                    self.review_calls();
                }
                if another || new {
                    self.rejoin.progress.part = self.thread.last_id().map(Into::into);
                }
                if another {
                    self.checkpoint_once(Boundary::RunStarted, None, now);
                }
            }
            Event::StepStarted { step_name } => self.checkpoint_once(Boundary::StepStarted, Some(step_name), now),
            Event::StepFinished { step_name } => self.checkpoint_once(Boundary::StepFinished, Some(step_name), now),
            Event::ToolCallResult { tool_call_id, .. } => self.answered_elsewhere(&tool_call_id.decode()),
            Event::MessagesSnapshot { .. } => self.review_calls(),
            Event::ToolCallEnd { tool_call_id } if !new => self.call_ready(&tool_call_id.decode()),
            Event::RunFinished { thread_id, run_id, result, outcome, .. } => {
                self.run_finishes(thread_id, run_id, new);
                self.take_outcome(result, outcome, now);
            }
            Event::RunError { message, code, .. } => {
                let error = AgentError::new(ErrorKind::Run, &message.unwrap_or_default().decode(), true);
                let error = error.with(ERROR_CODE, code.map(Str::decode).as_deref());
                self.terminal(Outcome::Error, Some(error), Vec::new(), now);
            }
            // They are the thread's alone.
            _ => {}
        }
    }

    /// A call starts, or starts again. Gives its number, of those that have its id.
    fn call_starts(&mut self, id: &str) -> usize {
        let (mut number, mut repeated) = self.thread.number_of_start(id, self.rejoin.progress.part());
        loop {
            let own = numbered(id, number);
            if self.thread.is_answered(&own).is_some() {
                break;
            }
            repeated = self.page.call_begins(&own);
            // A call that was there before the run and was removed keeps its number: it may come back, and so may this one.
            if self.rejoin.progress.opens
                || self.page.has_handled(&own)
                || self.rejoin.progress.baseline.as_ref().is_none_or(|before| !before.has_call(&own))
            {
                break;
            }
            number += 1;
        }
        if repeated {
            self.warn("call-repeated", "TOOL_CALL_START", "the call is not made again");
        }
        number
    }

    /// A run begins, unless it is refused. Says whether it comes after one that has ended, in the same body.
    fn run_starts(&mut self, thread: Option<Str<'_>>, run: Option<Str<'_>>, version: Option<Str<'_>>) -> Option<bool> {
        let another = match &mut self.run {
            Some(run) => run.begins(thread.map(Str::to_text)).ok()?,
            None => false,
        };
        let new = self.rejoin.earlier.is_new();
        self.intake.pipeline.thinking.clear();
        if self.rejoin.run_started() {
            self.thread.report.interrupts.take(Default::default());
        }
        self.verdict.went_on(run.map(Str::to_text).filter(|id| !new && is_a_name(id)));
        if version.is_some_and(|version| is_newer(&version.decode())) {
            let message = format!("the peer speaks a later version than {PROTOCOL_VERSION}");
            self.warn("protocol-newer", "RUN_STARTED", message);
        }
        Some(another)
    }

    /// `new`: it is an earlier run, which the thread lacks.
    fn run_finishes(&mut self, thread: Option<Str<'_>>, run: Option<Str<'_>>, new: bool) {
        // A page that joins a run may have missed where a call began or ended.
        if self.run.as_ref().is_some_and(|run| run.joined.is_some()) {
            self.thread.claim_calls(self.rejoin.progress.last_message_before_run.as_deref());
        }
        if !new {
            for id in self.thread.report.unanswered() {
                self.call_ready(&id);
            }
            self.check_identity(thread, run);
        }
        // Some of the interrupts may be those that it has ended with before: it was replayed.
        self.replies.mark(&mut self.thread);
    }

    /// A server that knows the id of the question may ignore it, so that the answer that was asked for again is none.
    fn warn_of_nothing(&mut self, outcome: Outcome) {
        let before = self.run.as_mut().and_then(|run| run.before.take()).filter(|_| outcome == Outcome::Success);
        if before.is_some_and(|before| before == hash(&self.thread.stands()))
            && !self.rejoin.has_reported(Report::Custom)
        {
            let message = "the answer that was asked for again is none: a server may ignore a message whose id it knows (newMessageId)";
            self.warn("retry-unanswered", "RUN_FINISHED", message);
        }
    }

    /// The end should name the run that was started.
    fn check_identity(&mut self, thread_id: Option<Str<'_>>, run_id: Option<Str<'_>>) {
        let differs = |said: Option<Str<'_>>, started: Option<&str>| {
            said.is_some_and(|said| started.is_some_and(|started| said.decode() != started))
        };
        let thread = self.run.as_ref().and_then(|run| run.thread_id.as_deref());
        // An id that was not taken over at the start says nothing at the end.
        let run_id = run_id.filter(|id| is_a_name(&id.decode()));
        let message = if differs(run_id, self.verdict.run_id()) {
            "its runId is not that of RUN_STARTED"
        } else if differs(thread_id, thread) {
            "its threadId is not that of RUN_STARTED"
        } else {
            return;
        };
        self.warn("run-mismatch", "RUN_FINISHED", message);
    }

    pub(super) fn take_outcome(&mut self, result: Option<Raw<'_>>, outcome: Option<Raw<'_>>, now: f64) {
        let fields = outcome.and_then(Raw::object);
        let kind = fields.as_ref().and_then(|fields| fields.text("type"));
        let outcome = match kind.as_deref() {
            Some("interrupt") => Outcome::Interrupted,
            Some("cancelled") => Outcome::Cancelled,
            None | Some("success") => Outcome::Success,
            Some(other) => {
                let message = format!("the outcome \"{}\" is not one of AG-UI 1.0; read as success", shown_id(other));
                self.warn("outcome-unknown", "RUN_FINISHED", message);
                Outcome::Success
            }
        };
        if outcome == Outcome::Interrupted && fields.as_ref().is_none_or(|fields| fields.list("interrupts").is_empty())
        {
            self.warn(
                "interrupts-missing",
                "RUN_FINISHED",
                "the outcome is an interrupt without interrupts: there is nothing to reply to",
            );
        }
        self.warn_of_nothing(outcome);
        let mut named = fields.map_or_else(Vec::new, |fields| fields.strings("pendingToolCallIds"));
        named.iter_mut().for_each(|id| *id = numbered(id, self.thread.number_of_call(id)));
        let interrupts = self.thread.report.interrupts.calls();
        if let Some(run) = &mut self.run {
            run.unanswered = if named.is_empty() { self.thread.report.unanswered() } else { named.clone() };
        }
        // Of several runs in one stream, the last success gives the result.
        if let (Outcome::Success, Some(run)) = (outcome, &mut self.run) {
            run.result = result.map(|result| result.text().to_owned());
        }
        self.terminal(outcome, None, named.into_iter().chain(interrupts).gather(), now);
    }

    /// The run has ended; its body may continue for a while.
    pub(super) fn terminal(&mut self, outcome: Outcome, error: Option<AgentError>, pending: Vec<String>, now: f64) {
        if self.rejoin.earlier.is_new() {
            let ending = if error.is_none() { Delivery::Complete } else { Delivery::Error };
            self.thread.end_run(ending, &pending, &|_| false, now);
            self.rejoin.earlier.set_ended((outcome, error));
            return self.outbox.changed(true);
        }
        // No submit waits for a run that is over; however the network cuts, nothing after that counts. A replay has to come to
        // where the page was.
        let closed = (!self.queue.submits().is_empty() || self.page.turn.goes_on(outcome))
            && self.run.as_ref().is_none_or(|run| !run.replays);
        let (until, rest) =
            if closed { (now, BodyRest::Unread) } else { (now + self.options.grace_ms, BodyRest::Read) };
        if self.run.as_mut().is_some_and(|run| run.ends(until, rest).is_err()) {
            return;
        }
        self.conclude(outcome, error.as_ref(), &pending, now);
        if let Some(run) = &mut self.run {
            run.pending_calls = pending;
            run.ends_as((outcome, error));
            self.outbox.wake(Some(until));
        }
        self.checkpoint_once(Boundary::RunFinished, None, now);
        self.outbox.changed(true);
    }
}

/// The call that an event is about.
fn call_of<'e, 'a>(event: &'e mut Event<'a>) -> Option<&'e mut Str<'a>> {
    match event {
        Event::ToolCallStart { tool_call_id, .. }
        | Event::ToolCallArgs { tool_call_id, .. }
        | Event::ToolCallEnd { tool_call_id }
        | Event::ToolCallResult { tool_call_id, .. } => Some(tool_call_id),
        Event::ReasoningEncryptedValue { subtype, entity_id, .. } if subtype.raw() == "tool-call" => Some(entity_id),
        _ => None,
    }
}

/// Whether a peer's version is later than ours. One that cannot be read is taken for a later one (AG-UI 1.0).
fn is_newer(version: &str) -> bool {
    let parse = |version: &str| {
        let (major, minor) = cut(version, b'.')?;
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u64>().ok())?;
        Some((digits(major)?, digits(minor)?))
    };
    parse(version).is_none_or(|version| Some(version) > parse(PROTOCOL_VERSION))
}
