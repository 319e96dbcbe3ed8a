//! The effect of an event on the session.

use crate::rules::{Repair, opener};
use crate::session::Session;
use crate::session::rejoin::Report;
use crate::session::types::Boundary;
use crate::session::types::Outcome;
use crate::session::types::{AgentError, Effect, ErrorKind, is_a_name};
use crate::thread::{Ending, numbered};
use crate::wire::{Event, Gather, Incoming, PROTOCOL_VERSION, Raw, Str, hash, shown_id};

impl Session {
    pub(super) fn event(&mut self, incoming: &Incoming<'_>, now: f64) {
        if self.broken() || self.is_greeting(incoming) {
            return;
        }
        if let Some(violation) = self.intake.pipeline.order.check(incoming) {
            match self.judge(violation, &incoming.event) {
                Repair::Drop => return,
                Repair::Open => opener(incoming).into_iter().for_each(|start| self.reduce(&start, now)),
                Repair::Keep => {}
            }
        }
        self.reduce(incoming, now);
    }

    pub(super) fn reduce(&mut self, incoming: &Incoming<'_>, now: f64) {
        let own;
        let mut incoming = *incoming;
        let starts = matches!(incoming.event, Event::ToolCallStart { .. });
        if (starts || self.thread.repeats_calls())
            && let Some(call) = call_of(&mut incoming.event)
        {
            let id = call.decode();
            let number = if starts { self.call_starts(&id) } else { self.thread.number_of_call(&id) };
            // Several calls have the id that it names.
            if number > 1 {
                own = numbered(call.raw(), number);
                *call = Str::from_raw(&own);
            }
        }
        self.reduce_numbered(&incoming, now);
    }

    /// Takes an event whose call has the id that it has in the thread.
    fn reduce_numbered(&mut self, incoming: &Incoming<'_>, now: f64) {
        // Of an earlier run, which the page has not seen, and which has ended.
        let new = self.rejoin.earlier.is_new();
        match incoming.event {
            Event::TextMessageContent { delta, .. }
            | Event::ToolCallArgs { delta, .. }
            | Event::ReasoningMessageContent { delta, .. } => {
                self.first_token(delta, now);
                self.apply(incoming, now);
            }
            Event::Custom { name, value } => self.custom(incoming, name, value, now),
            Event::RunStarted { .. } => self.run_started(incoming, new, now),
            Event::StepStarted { step_name } => self.step(incoming, Boundary::StepStarted, step_name, now),
            Event::StepFinished { step_name } => self.step(incoming, Boundary::StepFinished, step_name, now),
            Event::ToolCallResult { tool_call_id, .. } => {
                self.apply(incoming, now);
                self.answered_elsewhere(&tool_call_id.decode());
            }
            Event::MessagesSnapshot { .. } => {
                self.apply(incoming, now);
                self.answered_by_snapshot();
                self.review_calls();
            }
            Event::ToolCallEnd { tool_call_id } => {
                self.apply(incoming, now);
                if !new {
                    self.call_ready(&tool_call_id.decode());
                }
            }
            Event::RunFinished { .. } => self.run_finished(incoming, new, now),
            Event::RunError { message, code, .. } => {
                self.apply_end(incoming, now);
                let mut error = AgentError::new(ErrorKind::Run, message.to_text(), true);
                error.code = code.map(Str::to_text);
                self.terminal(Outcome::Error, Some(error), Vec::new(), now);
            }
            // They are the thread's alone.
            Event::TextMessageStart { .. }
            | Event::TextMessageEnd { .. }
            | Event::TextMessageChunk { .. }
            | Event::ToolCallStart { .. }
            | Event::ToolCallChunk { .. }
            | Event::StateSnapshot { .. }
            | Event::StateDelta { .. }
            | Event::ActivitySnapshot { .. }
            | Event::ActivityDelta { .. }
            | Event::Raw { .. }
            | Event::ReasoningStart { .. }
            | Event::ReasoningEnd { .. }
            | Event::ReasoningMessageStart { .. }
            | Event::ReasoningMessageEnd { .. }
            | Event::ReasoningMessageChunk { .. }
            | Event::ReasoningEncryptedValue { .. }
            | Event::SubagentStarted { .. }
            | Event::SubagentFinished { .. }
            | Event::SubagentError { .. } => self.apply(incoming, now),
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
            if self.page.has_handled(&own)
                || self.rejoin.progress.checkpoint().is_none_or(|before| !before.has_call(&own))
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

    fn apply(&mut self, incoming: &Incoming<'_>, now: f64) {
        self.thread.apply(incoming, now);
        self.keep_limits();
    }

    /// The same for the end of a run, whose token counts a replay brings again.
    fn apply_end(&mut self, incoming: &Incoming<'_>, now: f64) {
        let mut counted = *incoming;
        if let Event::RunFinished { usage, .. } | Event::RunError { usage, .. } = &mut counted.event
            && usage.is_some()
            && !self.rejoin.is_new(Report::Usage)
        {
            *usage = None;
        }
        self.apply(&counted, now);
    }

    fn step(&mut self, incoming: &Incoming<'_>, boundary: Boundary, name: Str<'_>, now: f64) {
        self.apply(incoming, now);
        self.checkpoint_once(boundary, Some(name), now);
    }

    fn custom(&mut self, incoming: &Incoming<'_>, name: Str<'_>, value: Raw<'_>, now: f64) {
        if self.rejoin.is_new(Report::Custom) {
            let mut json = String::new();
            crate::wire::write_json(&mut json, value.text());
            self.outbox.push(Effect::Custom { name: name.to_text(), value: json });
            self.apply(incoming, now);
        }
    }

    /// `new`: it is an earlier run, which the thread lacks.
    fn run_started(&mut self, incoming: &Incoming<'_>, new: bool, now: f64) {
        let Event::RunStarted { thread_id, run_id, protocol_version, input, .. } = incoming.event else { return };
        self.intake.pipeline.thinking.clear();
        if self.rejoin.run_started() {
            self.thread.close_interrupts();
        }
        // A run after one that has ended, in the same body.
        let mut another = false;
        if let Some(run) = &mut self.run {
            another = run.started(thread_id.map(Str::to_text));
        }
        self.verdict.went_on(run_id.map(Str::to_text).filter(|id| !new && is_a_name(id)));
        if protocol_version.is_some_and(|version| is_newer(&version.decode())) {
            let message = format!("the peer speaks a later version than {PROTOCOL_VERSION}");
            self.warn("protocol-newer", "RUN_STARTED", message);
        }
        self.apply(incoming, now);
        if input.is_some() {
            self.review_calls();
        }
        if another || new {
            self.rejoin.progress.set_part(self.thread.last_id());
        }
        if another {
            self.checkpoint_once(Boundary::RunStarted, None, now);
        }
    }

    /// `new`: it is an earlier run, which the thread lacks.
    fn run_finished(&mut self, incoming: &Incoming<'_>, new: bool, now: f64) {
        let Event::RunFinished { thread_id, run_id, result, outcome, .. } = incoming.event else { return };
        self.apply_end(incoming, now);
        // A page that joins a run may have missed where a call began or ended.
        if self.run.as_ref().is_some_and(|run| run.joined.is_some()) {
            self.thread.claim_calls(self.rejoin.progress.last_message_before_run());
        }
        if !new {
            for id in self.thread.unanswered_calls() {
                self.call_ready(&id);
            }
            self.check_identity(thread_id, run_id);
        }
        self.mark_answers();
        self.take_outcome(result, outcome, now);
    }

    /// A server that knows the id of the question may ignore it, so that the answer that was asked for again is none.
    fn warn_of_nothing(&mut self, outcome: Outcome) {
        let before = self.run.as_mut().and_then(|run| run.before.take()).filter(|_| outcome == Outcome::Success);
        if before.is_some_and(|before| before == hash(&self.stands())) && !self.rejoin.has_reported(Report::Custom) {
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
        let interrupts = self.thread.interrupted_calls();
        if let Some(run) = &mut self.run {
            run.unanswered = if named.is_empty() { self.thread.unanswered_calls() } else { named.clone() };
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
            let ending = if error.is_none() { Ending::Complete } else { Ending::Error };
            self.thread.end_run(ending, &pending, &|_| false, now);
            self.rejoin.earlier.set_ended((outcome, error));
            return self.outbox.changed(true);
        }
        // No submit waits for a run that is over; however the network cuts, nothing after that counts. A replay has to come to
        // where the page was.
        let closed =
            (!self.queue.is_empty() || self.page.goes_on(outcome)) && self.run.as_ref().is_none_or(|run| !run.replays);
        let until = if closed { now } else { now + self.options.grace_ms };
        self.conclude(outcome, error.as_ref(), &pending, now);
        if let Some(run) = &mut self.run {
            run.ended = Some((outcome, error));
            run.pending_calls = pending;
            run.closed = closed;
            run.drain(until);
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
        let (major, minor) = version.split_once('.')?;
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u64>().ok())?;
        Some((digits(major)?, digits(minor)?))
    };
    parse(version).is_none_or(|version| Some(version) > parse(PROTOCOL_VERSION))
}
