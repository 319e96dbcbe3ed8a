//! From a frame to events: read, judged by the rules.
//!
//! ```text
//!  frame ─┬─ a plain delta of what is open ────────────────────────────────────────► thread
//!         └─ any other ─► dialect ─► grammar ─► guard ─► chunks ─► order ─► event ─► thread
//! ```

use crate::dialect::{self, Taken};
use crate::pipeline::{EventSink, Pipeline};
use crate::rules::{Code, Repair, Violation};
use crate::session::Session;
use crate::session::rejoin::Report;
use crate::session::types::{AgentError, Effect, ErrorKind, Target};
use crate::thread::Warning;
use crate::wire::{Delta, DeltaKind, EventError, Fields, Frame, Incoming, Str, Undecodable, frame_fields};

impl Session {
    /// Takes a frame. Whether others that are alike may come as one.
    pub(super) fn take(&mut self, frame: Result<&Frame<'_>, Undecodable>, now: f64) -> bool {
        if self.broken()
            || !self.intake.has_dialect() && self.is_unread(frame.is_ok_and(|frame| frame.data == "[DONE]"))
        {
            return false;
        }
        if let Some(frame) = self.decoded(frame) {
            if frame.own_id {
                self.note_id(frame.id);
            }
            self.frame(frame, now);
            // The rest of the read no longer counts.
            if self.broken() {
                self.note_id(frame.id);
            }
        }
        // Now, and not after the read, so that their order does not depend on how the network cuts.
        if self.thread.has_warnings() {
            self.report_thread_warnings();
        }
        self.intake.pipeline.coalesces
    }

    /// Notes the stream's last event id. It outlives its connection; a dialect may have one of its own.
    pub(super) fn note_id(&mut self, id: &str) {
        let joins = self.run.as_ref().is_some_and(|run| run.target == Target::Resume);
        if !(id.is_empty() && (joins || self.intake.has_dialect())) {
            self.rejoin.set_last_event_id(id);
        }
    }

    /// Reports what the thread found odd in the stream.
    pub(super) fn report_thread_warnings(&mut self) {
        for warning in self.thread.take_warnings() {
            self.report_warning(warning);
        }
    }

    pub(super) fn frame(&mut self, frame: &Frame<'_>, now: f64) {
        // Nothing has come in between, so what was found out about the last one holds.
        if let (1.., true, Some(delta)) = (frame.alike, self.intake.pipeline.coalesces, &frame.delta) {
            return self.grow(delta, frame.alike, now);
        }
        self.intake.pipeline.coalesces = false;
        // Some servers end a stream this way.
        if frame.data == "[DONE]" || self.is_repeated(frame, now) {
            return;
        }
        if self.translate(|dialect, out| dialect.frame(frame, out), now) == Some(Taken::Taken) {
            return;
        }
        if let Some(delta) = &frame.delta
            && !self.options.events.delta(delta.kind)
            && self.intake.is_plain(delta)
            && !(delta.kind == DeltaKind::Args && self.thread.repeats_calls())
        {
            // Marks of frames are looked at one by one.
            let coalesces = !self.intake.has_dialect() && self.options.network.resume.is_none();
            self.intake.pipeline.coalesces = coalesces;
            return self.grow(delta, 1, now);
        }
        if let Err(error) = self.general(frame.data, now)
            // A frame that the lost connection cut; that the stream was cut is reported anyway.
            && !frame.unterminated
        {
            self.malformed(Code::of(&error), Repair::Drop, &error);
            let fields = Fields::read(frame.data, self.options.max_depth);
            fields.into_iter().for_each(|fields| self.name_dialect(&fields));
        }
    }

    /// Ends a run of whose stream nothing can be read without the dialect that its frames show, and names that.
    fn name_dialect(&mut self, frame: &Fields<'_>) {
        let broken = self.broken();
        let run = self.run.as_mut().filter(|run| broken || run.events == 0);
        let Some(run) = run.filter(|_| !self.intake.has_dialect()) else { return };
        let Some(name) = dialect::shown_by(frame) else { return };
        let message = ["a stream of another system: expected the option dialect: \"", name, "\""].concat();
        run.fail(AgentError::new(ErrorKind::Protocol, message, false));
    }

    /// Takes content that `frames` frames have added together.
    pub(super) fn grow(&mut self, delta: &Delta<'_>, frames: u32, now: f64) {
        self.progressed(frames);
        self.first_token(delta.delta, now);
        self.thread.grow(delta);
        // Frames that are odd come one by one, so that each is reported.
        if self.thread.has_warnings() {
            self.intake.pipeline.coalesces = false;
        }
        self.weigh(delta.delta.raw().len());
    }

    pub(super) fn report_event(&mut self, event: &'static str, data: &str) {
        if self.options.events.event(event) && self.rejoin.is_new(Report::Event(event)) {
            let mut json = String::new();
            crate::wire::write_json(&mut json, data);
            self.outbox.push(Effect::Event(json));
        }
    }

    /// Takes a frame that is no plain delta.
    pub(super) fn general(&mut self, data: &str, now: f64) -> Result<(), EventError> {
        if self.is_unread(false) {
            return Ok(());
        }
        let depth = self.options.max_depth;
        let fields = frame_fields(data, depth)?;
        if self.is_known(&fields, now) {
            return Ok(());
        }
        if let Some(converted) =
            self.intake.pipeline.thinking.convert(&fields, self.verdict.run_id().unwrap_or_default())
        {
            return self.members(&frame_fields(&converted, depth)?, &converted, now);
        }
        self.members(&fields, data, now)
    }

    fn members(&mut self, fields: &Fields<'_>, data: &str, now: f64) -> Result<(), EventError> {
        self.read_event(fields, |session, incoming| {
            session.progressed(1);
            session.take_event(incoming, fields, data, now);
            // The frame is in the thread by then, so that one frame alone is measured as well.
            session.weigh(data.len());
        })
    }

    /// Takes an event, by the guard's gate where there is one.
    #[cfg_attr(not(feature = "guard"), expect(unused_variables, reason = "the gate reads the fields"))]
    fn take_event(&mut self, incoming: Incoming<'_>, fields: &Fields<'_>, data: &str, now: f64) {
        #[cfg(feature = "guard")]
        if self.intake.is_guarded() {
            return self.through_gate(incoming, fields, data, now);
        }
        self.report_event(incoming.event.name(), data);
        self.expanded(incoming, |session, incoming| session.event(incoming, now));
    }

    /// An empty delta is no token: servers open a stream with one.
    pub(super) fn first_token(&mut self, delta: Str<'_>, now: f64) {
        if delta.raw().is_empty() {
            return;
        }
        self.verdict.token(now);
    }

    /// Whether a broken rule, or a limit, has ended the run: nothing more of it is taken.
    #[inline(always)]
    pub(super) fn broken(&self) -> bool {
        self.has_ended() && matches!(self.ended_by(), Some(ErrorKind::Protocol | ErrorKind::Limit))
    }

    #[inline(always)]
    pub(super) fn has_ended(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.ended.is_some())
    }

    /// Whether a run is in progress that has not ended.
    pub(super) fn is_running(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.ended.is_none())
    }

    /// So many bytes came for the thread, and are in it: ends the run if it is too large by now. After a run has ended that
    /// is left to the next one.
    fn weigh(&mut self, bytes: usize) {
        if self.intake.pipeline.weighs(bytes) && self.run.is_some() && !self.has_ended() {
            self.intake.pipeline.set_room(self.thread.measure(self.options.max_thread_bytes, self.options.max_items));
        }
        if self.thread.has_exceeded() {
            self.keep_limits();
        }
    }

    /// Ends the run where the thread would exceed a limit.
    pub(super) fn keep_limits(&mut self) {
        if let (Some(exceeded), Some(run)) = (self.thread.take_exceeded(), &mut self.run) {
            run.fail(AgentError::exceeded(exceeded));
            self.intake.pipeline.coalesces = false;
        }
    }

    /// Whether the run's body is no longer read, for something waits for its end. `over`: the body has ended.
    #[inline(always)]
    fn is_unread(&mut self, over: bool) -> bool {
        let Some(run) = self.run.as_mut().filter(|run| run.closed) else { return false };
        if !over && !std::mem::replace(&mut run.unread, true) {
            let message = "what the server says after the end of the run is not read: the next run waits";
            self.report_warning(Warning::new("run-unread", message));
        }
        true
    }

    pub(super) fn ended_by(&self) -> Option<ErrorKind> {
        let (_, error) = self.run.as_ref()?.ended.as_ref()?;
        error.as_ref().map(|error| error.kind)
    }

    /// Something odd that no rule forbids.
    pub(super) fn warn(&mut self, code: &'static str, event: &'static str, message: impl Into<String>) {
        let warning = Warning { event_type: Some(event.to_owned()), ..Warning::new(code, message) };
        self.report_warning(warning);
    }
}

impl EventSink for Session {
    fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.intake.pipeline
    }

    fn is_strict(&self) -> bool {
        self.options.strict
    }

    fn tags(&self) -> bool {
        self.options.protocol.tags()
    }

    /// Unless an earlier telling of the run has led to it.
    fn report_warning(&mut self, warning: Warning) {
        if self.rejoin.is_new(Report::Warning(warning.code)) {
            self.outbox.warn(warning);
        }
    }

    fn broken_by(&mut self, violation: Violation, event_type: Option<String>) {
        if let Some(run) = &mut self.run {
            run.fail(AgentError::broken(violation, event_type));
        }
    }

    /// A known frame was judged when it came first.
    fn is_judged(&self) -> bool {
        self.rejoin.earlier.is_known()
    }

    #[cfg(feature = "codecs")]
    fn refused_by_grammar(&mut self, fields: &Fields<'_>) {
        self.name_dialect(fields);
    }
}
