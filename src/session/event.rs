//! From a frame to what it changes: read, judged by the rules, reduced.
//!
//! ```text
//!  frame ─┬─ a plain delta of what is open ────────────────────────────────────────► thread
//!         └─ any other ─► dialect ─► grammar ─► guard ─► chunks ─► order ─► run ──────► thread
//! ```

use super::earlier::Place;
use super::outbox::Boundary;
use super::run::Phase;
use super::words::Outcome;
use super::{AgentError, Effect, ErrorKind, Session, Target};
use crate::dialect::Taken;
#[cfg(feature = "codecs")]
use crate::rules::grammar::{self, Unknown};
use crate::rules::{Repair, Violation, opener};
use crate::thread::{Ending, Warning};
#[cfg(feature = "codecs")]
use crate::wire::frame_type;
use crate::wire::{
    Delta, Event, EventError, Fields, Frame, Incoming, PROTOCOL_VERSION, Raw, Str, Undecodable, frame_fields, shown_id,
};

/// Kinds of what is reported once; see [`super::once::Once`].
pub(super) const CUSTOM: &str = "custom";
pub(super) const USAGE: &str = "usage";

impl Session {
    /// Takes a frame. Whether others that are alike may come as one.
    pub(super) fn take(&mut self, frame: Result<&Frame<'_>, Undecodable>, now: f64) -> bool {
        if self.broken() {
            return false;
        }
        match frame {
            Ok(frame) => {
                if frame.left_out > 0 {
                    let message = format!("{} content parts are not of AG-UI 1.0", frame.left_out);
                    self.report_warning(Warning { rule: Some("P5"), ..Warning::new("part-unknown", message) });
                }
                if frame.own_id {
                    self.note_id(frame.id);
                }
                self.frame(frame, now);
                // The rest of the read counts no more.
                if self.broken() {
                    self.note_id(frame.id);
                }
            }
            Err(reason @ Undecodable::UnknownEvent) => self.not_decodable("event-unknown", "T16", format!("{reason}")),
            Err(reason) => self.not_decodable("frame-not-decodable", "T16", format!("{reason}")),
        }
        // Now, and not after the read, so that their order does not depend on how the network cuts.
        if self.thread.has_warnings() {
            self.report_thread_warnings();
        }
        self.intake.coalesces()
    }

    /// Notes the stream's last event id. It outlives its connection; a dialect may have one of its own.
    pub(super) fn note_id(&mut self, id: &str) {
        let joins = self.run.as_ref().is_some_and(|run| run.target == Target::Resume);
        if id != self.last_event_id && !(id.is_empty() && (joins || self.intake.has_dialect())) {
            id.clone_into(&mut self.last_event_id);
        }
    }

    /// Reports what the thread found odd in the stream.
    pub(super) fn report_thread_warnings(&mut self) {
        for warning in self.thread.take_warnings() {
            self.report_warning(warning);
        }
    }

    pub(super) fn not_decodable(&mut self, code: &'static str, rule: &'static str, message: String) {
        self.violation(Violation { code, rule, repair: Repair::Drop, message }, None);
    }

    fn frame(&mut self, frame: &Frame<'_>, now: f64) {
        // Nothing has come in between, so what was found out about the last one holds.
        if let (1.., true, Some(delta)) = (frame.alike, self.intake.coalesces(), &frame.delta) {
            return self.grow(delta, frame.alike, now);
        }
        self.intake.set_coalesces(false);
        // Some servers end a stream this way.
        if frame.data == "[DONE]" || self.is_repeated(frame) {
            return;
        }
        if self.translate(|dialect, out| dialect.frame(frame, out), now) == Some(Taken::Taken) {
            return;
        }
        if !self.options.events
            && let Some(delta) = &frame.delta
            && self.intake.is_plain(delta)
        {
            // Marks of frames are looked at one by one.
            let coalesces = !self.intake.has_dialect() && self.options.network.resume.is_none();
            self.intake.set_coalesces(coalesces);
            return self.grow(delta, 1, now);
        }
        if let Err(error) = self.general(frame.data, now)
            // A frame that the lost connection cut; that the stream was cut is reported anyway.
            && !frame.unterminated
        {
            self.malformed(error.code(), Repair::Drop, &error);
        }
    }

    /// Takes content that `frames` frames have added together.
    fn grow(&mut self, delta: &Delta<'_>, frames: u32, now: f64) {
        self.progressed(None, frames);
        self.first_token(delta.delta, now);
        self.thread.grow(delta);
        // Frames that are odd come one by one, so that each is reported.
        if self.thread.has_warnings() {
            self.intake.set_coalesces(false);
        }
        self.weigh(delta.delta.raw().len());
        self.keep_limits();
    }

    pub(super) fn report_event(&mut self, event: &'static str, data: &str) {
        if self.options.events && self.progress.told.tell(event) {
            let mut json = String::new();
            crate::wire::write_json(&mut json, data);
            self.outbox.push(Effect::Event(json));
        }
    }

    /// Takes a frame that is no plain delta.
    pub(super) fn general(&mut self, data: &str, now: f64) -> Result<(), EventError> {
        let depth = self.options.max_depth;
        let fields = frame_fields(data, depth)?;
        if self.is_known(&fields, now) {
            return Ok(());
        }
        if let Some(converted) = self.intake.modernize(&fields, self.verdict.run_id().unwrap_or_default()) {
            return self.members(&frame_fields(&converted, depth)?, &converted, now);
        }
        self.members(&fields, data, now)
    }

    fn members(&mut self, fields: &Fields<'_>, data: &str, now: f64) -> Result<(), EventError> {
        #[cfg(feature = "codecs")]
        if self.options.strict && !self.is_grammatical(fields)? {
            return Ok(());
        }
        let mut forgiven = None;
        let mut incoming = Incoming::read(fields, &mut |error| forgiven = Some(error))?;
        if !self.options.protocol.tags() {
            if is_subagent(&incoming.event) {
                return Err(EventError::Unknown(incoming.event.name().to_owned()));
            }
            incoming.subagent_run_id = None;
        }
        if let Some(error) = forgiven
            && self.malformed("member-malformed", Repair::Keep, &error) == Repair::Drop
        {
            return Ok(());
        }
        self.progressed(Some(&incoming.event), 1);
        #[cfg(feature = "guard")]
        if self.intake.is_guarded() {
            self.through_gate(incoming, fields, data, now);
            return Ok(());
        }
        self.report_event(incoming.event.name(), data);
        self.weigh(data.len());
        let event = incoming.event.name();
        let mut chunks = self.intake.lend_chunks();
        let result = chunks.expand(incoming, &mut |incoming| self.event(incoming, now));
        self.intake.put_chunks(chunks);
        if let Err(violation) = result {
            self.violation(violation, Some(event.to_owned()));
        }
        Ok(())
    }

    pub(super) fn malformed(&mut self, code: &'static str, repair: Repair, error: &EventError) -> Repair {
        let violation = Violation { code, rule: error.rule(), repair, message: format!("{error}") };
        self.violation(violation, error.event_type().map(str::to_owned))
    }

    /// Whether strict rules let an event pass. What AG-UI 1.0 does not describe is told.
    #[cfg(feature = "codecs")]
    fn is_grammatical(&mut self, fields: &Fields<'_>) -> Result<bool, EventError> {
        let event = frame_type(fields)?.into_owned();
        let checked = grammar::check(fields, &mut |Unknown { code, rule, pointer }| {
            let message = format!("{pointer} is not described by AG-UI 1.0, and left out");
            let (rule, event_type) = (Some(rule), Some(event.clone()));
            self.report_warning(Warning { rule, event_type, ..Warning::new(code, message) });
        });
        let passes = checked.is_ok();
        if let Err(violation) = checked {
            self.violation(violation, Some(event));
        }
        Ok(passes)
    }

    /// An empty delta is no token: servers open a stream with one.
    fn first_token(&mut self, delta: Str<'_>, now: f64) {
        if delta.raw().is_empty() {
            return;
        }
        self.verdict.token(now);
    }

    /// Whether a broken rule, or a limit, has ended the run: nothing more of it is taken.
    pub(super) fn broken(&self) -> bool {
        matches!(self.ended_by(), Some(ErrorKind::Protocol | ErrorKind::Limit))
    }

    /// So many bytes came for the thread, which may be too large by now.
    fn weigh(&mut self, bytes: usize) {
        if self.intake.weighs(bytes) {
            self.intake.set_room(self.thread.measure(self.options.max_thread_bytes, self.options.max_items));
        }
    }

    /// Ends the run where the thread would exceed a limit.
    fn keep_limits(&mut self) {
        if let (Some(exceeded), Some(run)) = (self.thread.take_exceeded(), &mut self.run) {
            run.ended = Some((Outcome::Error, Some(AgentError::exceeded(exceeded))));
            self.intake.set_coalesces(false);
        }
    }

    pub(super) fn ended_by(&self) -> Option<ErrorKind> {
        let (_, error) = self.run.as_ref()?.ended.as_ref()?;
        error.as_ref().map(|error| error.kind)
    }

    /// A rule was broken: the end of the run if they are strict, a warning if they are not. Says what to do now.
    pub(super) fn violation(&mut self, violation: Violation, event_type: Option<String>) -> Repair {
        // What is known was judged when it came first.
        if self.earlier.place() == Place::Known {
            return Repair::Drop;
        }
        let Violation { code, rule, repair, message } = violation;
        let rule = Some(rule);
        // What AG-UI 1.0 does not know is no mistake: a later version may.
        if self.options.strict && code != "event-unknown" {
            let code = Some(code.to_owned());
            let error = AgentError { code, rule, event_type, ..AgentError::new(ErrorKind::Protocol, message, false) };
            if let Some(run) = &mut self.run {
                run.ended = Some((Outcome::Error, Some(error)));
            }
            return Repair::Drop;
        }
        self.report_warning(Warning { rule, event_type, ..Warning::new(code, message) });
        repair
    }

    /// Something odd that no rule forbids.
    fn warn(&mut self, code: &'static str, event: &'static str, message: impl Into<String>) {
        let warning = Warning { event_type: Some(event.to_owned()), ..Warning::new(code, message) };
        self.report_warning(warning);
    }

    pub(super) fn event(&mut self, incoming: &Incoming<'_>, now: f64) {
        if self.broken() || self.is_greeting(incoming) {
            return;
        }
        if let Some(violation) = self.intake.check(incoming) {
            match self.judge(violation, incoming.event.name()) {
                Repair::Drop => return,
                Repair::Open => opener(incoming).into_iter().for_each(|start| self.reduce(&start, now)),
                Repair::Keep => {}
            }
        }
        self.reduce(incoming, now);
    }

    pub(super) fn reduce(&mut self, incoming: &Incoming<'_>, now: f64) {
        // A run after one that has ended, in the same body.
        let mut another = false;
        // Of an earlier run, which the page has not seen, and which has ended.
        let new = self.earlier.place() == Place::New;
        match incoming.event {
            Event::TextMessageContent { delta, .. }
            | Event::ToolCallArgs { delta, .. }
            | Event::ReasoningMessageContent { delta, .. } => self.first_token(delta, now),
            Event::Custom { name, value } => {
                if !self.progress.told.tell(CUSTOM) {
                    return;
                }
                let mut json = String::new();
                crate::wire::write_json(&mut json, value.text());
                self.outbox.push(Effect::Custom { name: name.to_text(), value: json });
            }
            Event::RunStarted { thread_id, run_id, protocol_version, .. } => {
                self.intake.run_started();
                self.progress.started = true;
                if self.earlier.lacks() {
                    self.thread.close_interrupts();
                }
                if let Some(run) = &mut self.run {
                    another = run.ended.take().is_some();
                    run.phase = Phase::Streaming;
                    run.thread_id = thread_id.map(Str::to_text);
                }
                self.verdict.went_on(run_id.map(Str::to_text).filter(|id| !new && is_a_name(id)));
                if protocol_version.is_some_and(|version| is_newer(&version.decode())) {
                    let message = format!("the peer speaks a later version than {PROTOCOL_VERSION}");
                    self.warn("protocol-newer", "RUN_STARTED", message);
                }
            }
            _ => {}
        }
        let mut counted = *incoming;
        if let Event::RunFinished { usage, .. } | Event::RunError { usage, .. } = &mut counted.event
            && usage.is_some()
            && !self.progress.told.tell(USAGE)
        {
            *usage = None;
        }
        self.thread.apply(&counted, now);
        self.keep_limits();
        match incoming.event {
            Event::RunStarted { input, .. } => {
                if input.is_some() {
                    self.review_calls();
                }
                if another {
                    self.checkpoint_once(Boundary::RunStarted, None, now);
                }
            }
            Event::StepStarted { step_name } => self.checkpoint_once(Boundary::StepStarted, Some(step_name), now),
            Event::StepFinished { step_name } => self.checkpoint_once(Boundary::StepFinished, Some(step_name), now),
            Event::ToolCallResult { tool_call_id, .. } => self.answered_elsewhere(&tool_call_id.decode()),
            Event::MessagesSnapshot { .. } => {
                self.answered_by_snapshot();
                self.review_calls();
            }
            Event::ToolCallEnd { tool_call_id } if !new => self.call_ready(&tool_call_id.decode()),
            Event::RunFinished { thread_id, run_id, result, outcome, .. } => {
                // Who joins may have missed where a call began or ended.
                if self.run.as_ref().is_some_and(|run| run.joined.is_some()) {
                    self.thread.claim_calls(self.progress.behind.as_deref());
                }
                if !new {
                    for id in self.thread.unanswered_calls() {
                        self.call_ready(&id);
                    }
                    self.drop_gone_calls();
                    self.check_identity(thread_id, run_id);
                }
                self.run_finished(result, outcome, now);
            }
            Event::RunError { message, code, .. } => {
                let mut error = AgentError::new(ErrorKind::Run, message.to_text(), true);
                error.code = code.map(Str::to_text);
                self.terminal(Outcome::Error, Some(error), Vec::new(), now);
            }
            _ => {}
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
        if differs(run_id, self.verdict.run_id()) || differs(thread_id, thread) {
            self.warn("run-mismatch", "RUN_FINISHED", "it names another run or thread than RUN_STARTED did");
        }
    }

    fn run_finished(&mut self, result: Option<Raw<'_>>, outcome: Option<Raw<'_>>, now: f64) {
        let fields = outcome.and_then(Raw::object);
        let kind = fields.as_ref().and_then(|fields| fields.get("type")).and_then(Raw::string);
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
        if outcome == Outcome::Interrupted
            && fields.as_ref().and_then(|f| f.some("interrupts")?.array()).is_none_or(|list| list.is_empty())
        {
            self.warn(
                "interrupts-missing",
                "RUN_FINISHED",
                "the outcome is an interrupt without interrupts: there is nothing to reply to",
            );
        }
        let pending = fields.and_then(|fields| fields.some("pendingToolCallIds")).and_then(Raw::array);
        let pending = pending.unwrap_or_default().into_iter().filter_map(Raw::string).map(String::from);
        let named: Vec<String> = pending.collect();
        let interrupts = self.thread.interrupted_calls();
        if let Some(run) = &mut self.run {
            run.unanswered = if named.is_empty() { self.thread.unanswered_calls() } else { named.clone() };
        }
        // Of several runs in one stream, the last success gives the result.
        if let (Outcome::Success, Some(run)) = (outcome, &mut self.run) {
            run.result = result.map(|result| result.text().to_owned());
        }
        self.terminal(outcome, None, named.into_iter().chain(interrupts).collect(), now);
    }

    /// The run has ended; its body may continue for a while.
    pub(super) fn terminal(&mut self, outcome: Outcome, error: Option<AgentError>, pending: Vec<String>, now: f64) {
        if self.earlier.place() == Place::New {
            let ending = if error.is_none() { Ending::Complete } else { Ending::Error };
            self.thread.end_run(ending, &pending, &|_| false, now);
            self.earlier.ended = Some((outcome, error));
            return self.outbox.changed(true);
        }
        // No submit waits for a run that is over.
        let until = if self.queue.is_empty() && !self.goes_on(outcome) { now + self.options.grace_ms } else { now };
        self.conclude(outcome, error.clone(), &pending, now);
        if let Some(run) = &mut self.run {
            run.ended = Some((outcome, error));
            run.pending_calls = pending;
            run.phase = Phase::Draining { until };
            self.outbox.wake(Some(until));
        }
        self.checkpoint_once(Boundary::RunFinished, None, now);
        self.outbox.changed(true);
    }
}

/// Whether a server's id of a run is one: addresses are made with it, in which these two mean something else.
pub(super) fn is_a_name(id: &str) -> bool {
    !matches!(id, "" | "." | "..")
}

/// Whether the event is about a subagent itself.
fn is_subagent(event: &Event<'_>) -> bool {
    matches!(event, Event::SubagentStarted { .. } | Event::SubagentFinished { .. } | Event::SubagentError { .. })
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

/// Without a guard, as it is where nobody asked for one.
#[cfg(not(feature = "guard"))]
impl Session {
    pub(super) fn report_guard(&self) {}

    pub(super) fn admits_made(&self, _: impl FnOnce(&mut crate::wire::JsonWriter<'_>), _: f64) -> bool {
        true
    }

    pub(super) fn withheld(&self, _: f64) -> Option<&'static str> {
        None
    }
}
