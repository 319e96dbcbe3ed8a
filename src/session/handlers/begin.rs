//! The beginning of a run.

use crate::dialect::RunRequest;
use crate::document::*;
use crate::session::Session;
use crate::session::rejoin::Resume;
use crate::session::run::Run;
use crate::session::submit::Submit;
use crate::session::types::{Misuse, Outcome, Target, list, value};
use crate::thread::Warning;
use crate::wire::{JsonWriter, Keyed, RunAgentInput, hash, keep_private, refill};
use std::rc::Rc;

impl Session {
    /// Begins the next run, if none is in progress and one may begin.
    pub(super) fn next(&mut self, now: f64) {
        // The thread of a run that was left is not free.
        while self.run.is_none() && !self.is_working() && !self.rejoin.detached {
            let Some(submit) = self.next_in_line(now) else { return };
            self.begin(submit, now);
        }
    }

    pub(super) fn begin(&mut self, submit: Submit, now: f64) {
        let joins = submit.start == Start::Attach;
        // It has left the queue.
        self.outbox.saving.due = true;
        let same = self.verdict.is_of(submit.run_id());
        let follows = self.page.turn.is_followed_by(&submit);
        // Calls that are cut off need no answer from those who leave them.
        if submit.start == Start::Regenerate {
            self.thread.rewind(submit.row.some(OF));
        }
        self.begin_turn(&submit, same);
        if submit.speaks() {
            let dropped = self.replies.send(&submit, &mut self.thread);
            self.settle_dropped(dropped, Outcome::Dropped);
        }
        if !joins {
            self.end_last(now);
            self.rejoin.begin(self.thread.last_id().is_none());
            self.rejoin.progress.opens = submit.start == Start::Opens;
            // A result whose call was removed may be asked for by the run that follows, and by no other.
            if !follows {
                self.page.detached = Keyed::default();
            }
        }
        self.begin_thread(&submit);
        if !joins {
            self.rejoin.progress.last_message_before_run = self.thread.last_id().map(Into::into);
        }
        self.report_warnings();
        let input = self.write_input(&submit);
        self.outbox.warnings = 0;
        let Submit { ticket, start, row, .. } = submit;
        self.verdict.begun(row.text(SUBMIT_RUN), now);
        if !std::mem::take(&mut self.rejoin.detached) {
            self.intake.pipeline.start_over();
        }
        if self.rejoin.progress.baseline.is_none()
            && self.options.network.resume.as_ref().is_some_and(Resume::may_replay)
        {
            self.review_calls();
            // A thread in which nobody has asked anything has seen no run.
            let lacks = joins && !self.thread.has_turn();
            self.rejoin.earlier.set_lacks(lacks);
            self.rejoin.progress.baseline = Some(self.thread.baseline());
        }
        let body = self.begin_dialect(&input.0, &start);
        if !joins {
            self.intake.guard.iter_mut().for_each(|guard| guard.begin());
        }
        let mut run = Run::new(ticket, body, input);
        let again = matches!(start, Start::Retry | Start::Regenerate);
        run.before = again.then(|| hash(&self.thread.stands()));
        self.send(run, joins, now);
    }

    /// The run's request goes out, unless the guard does not let it.
    fn send(&mut self, run: Run, joins: bool, now: f64) {
        let refused = if self.intake.is_guarded() { super::guard::refuses(self, &run.request_body, now) } else { None };
        self.run = Some(run);
        if let (Some(error), Some(run)) = (refused, &mut self.run) {
            run.fail(error);
            return self.finish(now);
        }
        self.open(if joins { Target::Resume } else { Target::Run }, now);
        if !joins {
            self.checkpoint(Boundary::RunStarted, None, now);
        }
        self.outbox.changed(true);
    }

    /// Applies the submit to the thread.
    fn begin_thread(&mut self, submit: &Submit) {
        let depth = self.options.max_depth;
        if submit.start == Start::Retry {
            self.thread.drop_unfinished();
        }
        // A regenerated answer is cut off, with its calls. A run that is joined may bring results itself.
        if submit.speaks() {
            self.page.answer_given_up(&mut self.thread);
        }
        if let Some(id) = submit.row.some(NEW_MESSAGE_ID) {
            self.thread.rename_question(id);
        }
        if let Some(id) = submit.row.some(REPLACES) {
            self.thread.cut_before(id);
        }
        if let Ok(messages) = list(submit.row.text(SUBMIT_MESSAGES), depth) {
            self.thread.add_messages(messages);
        }
        if let Some(Ok(state)) = submit.row.some(SUBMIT_STATE).map(|json| value(json, depth)) {
            self.thread.state.merge(state);
        }
    }

    /// A request is about to leave. `json`: what the application's options are now (`{tools?, pageTools?, context?,
    /// forwardedProps?}`), which may be others than when the run was submitted. Gives the body, if it is another one by that.
    pub fn refresh(&mut self, request: u32, json: &str, now: f64) -> Result<Option<Rc<str>>, Misuse> {
        let Some(run) = self.run.as_mut().filter(|run| run.request == Some(request)) else { return Ok(None) };
        // A repeated request is sent as it was, and a run that was not asked for has no request.
        if run.target != Target::Run || run.request_body.is_empty() {
            return Ok(None);
        }
        let again = &mut self.page.turn.again;
        if !again.refresh(&keep_private(json), self.options.max_depth)? {
            return Ok(None);
        }
        let (input, begin) = &run.input;
        let mut input = input.get(..*begin).unwrap_or_default().to_owned();
        let [tools, context, props] = [SUBMIT_TOOLS, SUBMIT_CONTEXT, SUBMIT_PROPS].map(|member| again.row.text(member));
        refill(&mut input, tools, context, props, self.replies.resume());
        let input: Rc<str> = input.into();
        let of_dialect = self.intake.dialect_mut().and_then(|dialect| dialect.body(&input));
        let body = of_dialect.map_or_else(|| input.clone(), Rc::from);
        (run.input.0, run.request_body) = (input, body.clone());
        if self.intake.is_guarded()
            && let Some(error) = super::guard::refuses(self, &body, now)
        {
            if let Some(run) = &mut self.run {
                run.fail(error);
            }
            self.close_and_go_on(now);
        }
        Ok(Some(body))
    }

    /// The request's `RunAgentInput`, and its length up to the tools.
    fn write_input(&mut self, submit: &Submit) -> (Rc<str>, usize) {
        let protocol = self.options.protocol;
        let mut left_out = 0;
        let input = RunAgentInput {
            protocol,
            thread_id: &self.options.thread_id,
            run_id: submit.run_id(),
            state: self.thread.state.value(),
            messages: |list: &mut JsonWriter<'_>| left_out = self.thread.write_outgoing(list, protocol),
            tools: submit.row.text(SUBMIT_TOOLS),
            context: submit.row.text(SUBMIT_CONTEXT),
            forwarded_props: submit.row.text(SUBMIT_PROPS),
            resume: self.replies.resume(),
        };
        let (body, begin) = input.write();
        // An attach request carries no new input.
        if submit.speaks() {
            self.thread.sent();
        }
        if left_out > 0 {
            let message = format!("{left_out} content parts that the server does not know are left out of the request");
            let warning = Warning { rule: Some("A4"), ..Warning::new("part-not-sent", message) };
            self.outbox.warn(warning);
        }
        (body.into(), begin)
    }

    /// The value of `Accept`, where the dialect names one; `given`: the application's header.
    pub fn accept(&mut self, given: Option<&str>) -> Option<String> {
        if self.intake.has_dialect() { super::dialect::accept_of_dialect(self, given) } else { None }
    }

    /// Tells the dialect, where there is one, of a run. Gives the body that is sent: the dialect's, or `input`.
    fn begin_dialect(&mut self, input: &Rc<str>, start: &Start) -> Rc<str> {
        let other = if self.intake.has_dialect() { super::dialect::begin_speaking(self, input, start) } else { None };
        let body = other.unwrap_or_else(|| input.clone());
        // Nothing is sent.
        if start.is_unasked() { Rc::default() } else { body }
    }

    /// Tells the dialect, where there is one, that a run is told from its beginning.
    pub(super) fn begin_dialect_again(&mut self) {
        let run_id = self.verdict.run_id().unwrap_or_default();
        let thread_id = &self.options.thread_id;
        self.intake.begin(&RunRequest { thread_id, run_id, joins: false, continues: false, cursor: "" });
    }
}
