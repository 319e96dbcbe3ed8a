//! The session as the end of the pipeline: which frames it takes, and what it makes of the rules that they break.

use crate::dialect::{self, Occasion};
use crate::pipeline::{EventSink, Pipeline, Source, StreamRules};
use crate::rules::{Repair, Violation};
use crate::session::Session;
use crate::session::rejoin::Report;
use crate::session::run::{BodyRest, Run};
use crate::session::types::{AgentError, Effect, ErrorKind, Target};
use crate::thread::{Warning, numbered};
use crate::wire::{Delta, DeltaKind, Event, Fields, Frame, Incoming, Str, Undecodable};

impl EventSink for Session {
    fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.intake.pipeline
    }

    fn rules(&self) -> StreamRules {
        let options = &self.options;
        StreamRules { strict: options.strict, tags: options.protocol.tags(), depth: options.max_depth }
    }

    /// Unless an earlier telling of the run has led to it.
    fn report_warning(&mut self, warning: Warning) {
        if self.rejoin.is_new(Report::Warning(warning.code)) {
            self.outbox.warn(warning);
        }
    }

    fn broken_by(&mut self, violation: Violation) {
        if let Some(run) = &mut self.run {
            run.fail(AgentError::broken(violation));
        }
    }

    fn wants(&mut self, frame: Result<&Frame<'_>, Undecodable>) -> bool {
        if self.broken()
            || !self.intake.has_dialect() && self.is_unread(frame.is_ok_and(|frame| frame.data == "[DONE]"))
        {
            return false;
        }
        frame.into_iter().filter(|frame| frame.own_id).for_each(|frame| self.note_id(frame.id));
        true
    }

    fn translated(&mut self, frame: &Frame<'_>, now: f64) -> bool {
        self.is_repeated(frame, now) || self.translate(Occasion::Frame(frame), now)
    }

    fn is_plain(&mut self, delta: &Delta<'_>) -> bool {
        let is_judged = self.options.events.delta(delta.kind)
            || self.intake.is_guarded()
            || delta.kind == DeltaKind::Args && self.thread.repeats_calls();
        !is_judged && self.intake.pipeline.expects(delta)
    }

    fn grow(&mut self, delta: &Delta<'_>, frame: &Frame<'_>, now: f64) {
        self.progressed(frame.alike.max(1));
        self.verdict.token(delta.delta, now);
        self.thread.grow(delta);
        // Marks of frames are looked at one by one. So are frames that are odd, so that each is reported.
        self.intake.pipeline.coalesces =
            self.thread.warnings.is_empty() && !self.intake.has_dialect() && self.options.network.resume.is_none();
        self.weigh(delta.delta.raw().len());
    }

    fn taken(&mut self, frame: Option<&Frame<'_>>) {
        // The rest of the read no longer counts.
        if self.broken() {
            frame.into_iter().for_each(|frame| self.note_id(frame.id));
        }
        // Now, and not after the read, so that their order does not depend on how the network cuts.
        if !self.thread.warnings.is_empty() {
            self.report_thread_warnings();
        }
    }

    fn knows(&mut self, fields: &Fields<'_>, _: &str, _: bool, now: f64) -> Result<bool, Violation> {
        Ok(self.is_known(fields, now))
    }

    fn convert(&mut self, fields: &Fields<'_>) -> Option<String> {
        self.intake.pipeline.thinking.convert(fields, self.verdict.run_id().unwrap_or_default())
    }

    fn came(&mut self, source: &mut Source<'_, '_>) {
        self.progressed(1);
        if !self.intake.is_guarded() {
            self.report_event(source.event, source.data);
        }
    }

    fn gate(&mut self, one: &Incoming<'_>, source: &mut Source<'_, '_>, made: bool, now: f64) {
        match self.intake.is_guarded() {
            true => super::guard::through_gate(self, one, source, made, now),
            false => self.order(one, source, made, now),
        }
    }

    fn is_over(&self, one: &Incoming<'_>) -> bool {
        self.broken() || self.is_greeting(one)
    }

    fn judge(&mut self, violation: Violation, event: &Event<'_>) -> Repair {
        match self.excused(&violation, event) {
            Some(repair) => repair,
            None => self.violation(violation),
        }
    }

    fn reduce(&mut self, one: &Incoming<'_>, _: Option<&Source<'_, '_>>, _: bool, now: f64) {
        let own;
        let mut one = *one;
        if let Some((call, number)) = self.number_of_call(&mut one.event) {
            own = numbered(call.raw(), number);
            *call = Str::from_raw(&own);
        }
        if let Some(begins) = self.before(&mut one, now) {
            self.thread.apply(&one, now);
            self.keep_limits();
            self.after(&one, begins, now);
        }
    }

    /// Ends the run if the thread is too large by now: the bytes are in it, so that one frame alone is measured as well. After a
    /// run has ended that is left to the next one.
    fn weigh(&mut self, bytes: usize) {
        if self.intake.pipeline.weighs(bytes) && self.is_running() {
            self.intake.pipeline.set_room(self.thread.measure(self.options.max_thread_bytes, self.options.max_items));
        }
        if self.thread.exceeded.is_some() {
            self.keep_limits();
        }
    }

    /// A known frame was judged when it came first.
    fn is_judged(&self) -> bool {
        self.rejoin.earlier.is_known()
    }

    fn unreadable(&mut self, frame: &Fields<'_>) {
        self.name_dialect(frame);
    }
}

impl Session {
    /// Notes the stream's last event id. It outlives its connection; a dialect may have one of its own.
    pub(super) fn note_id(&mut self, id: &str) {
        let joins = self.run.as_ref().is_some_and(|run| run.target == Target::Resume);
        if !(id.is_empty() && (joins || self.intake.has_dialect())) {
            id.clone_into(&mut self.rejoin.last_event_id);
        }
    }

    /// Reports what the thread found odd in the stream.
    pub(super) fn report_thread_warnings(&mut self) {
        std::mem::take(&mut self.thread.warnings).into_iter().for_each(|warning| self.report_warning(warning));
    }

    /// Ends a run of whose stream nothing can be read without the dialect that its frames show, and names that.
    fn name_dialect(&mut self, frame: &Fields<'_>) {
        let broken = self.broken();
        let run = self.run.as_mut().filter(|run| broken || run.events == 0);
        let Some(run) = run.filter(|_| !self.intake.has_dialect()) else { return };
        let Some(name) = dialect::shown_by(frame) else { return };
        let message = ["a stream of another system: expected the option dialect: \"", name, "\""].concat();
        run.fail(AgentError::new(ErrorKind::Protocol, &message, false));
    }

    pub(super) fn report_event(&mut self, event: &'static str, data: &str) {
        if self.options.events.event(event) && self.rejoin.is_new(Report::Event(event)) {
            let mut json = String::new();
            crate::wire::write_json(&mut json, data);
            self.outbox.push(Effect::Event(json));
        }
    }

    /// Whether a broken rule, or a limit, has ended the run: nothing more of it is taken.
    #[inline(always)]
    pub(super) fn broken(&self) -> bool {
        let error = self.run.as_ref().and_then(|run| run.end()?.1.as_ref());
        error.is_some_and(AgentError::breaks)
    }

    #[inline(always)]
    pub(super) fn has_ended(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.end().is_some())
    }

    /// Whether a run is in progress that has not ended.
    pub(super) fn is_running(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.end().is_none())
    }

    /// Ends the run where the thread would exceed a limit.
    pub(super) fn keep_limits(&mut self) {
        if let (Some(exceeded), Some(run)) = (self.thread.exceeded.take(), &mut self.run) {
            run.fail(AgentError::exceeded(exceeded));
            self.intake.pipeline.coalesces = false;
        }
    }

    /// Whether the run's body is no longer read, for something waits for its end. `over`: the body has ended.
    #[inline(always)]
    pub(super) fn is_unread(&mut self, over: bool) -> bool {
        let Some(rest) = self.run.as_mut().and_then(Run::rest) else { return false };
        if *rest == BodyRest::Read {
            return false;
        }
        if !over && std::mem::replace(rest, BodyRest::Reported) == BodyRest::Unread {
            let message = "what the server says after the end of the run is not read: the next run waits";
            self.report_warning(Warning::new("run-unread", message));
        }
        true
    }

    /// Something odd that no rule forbids.
    pub(super) fn warn(&mut self, code: &'static str, event: &'static str, message: impl Into<String>) {
        let warning = Warning { event_type: Some(event.to_owned()), ..Warning::new(code, message) };
        self.report_warning(warning);
    }
}
