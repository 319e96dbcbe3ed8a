//! The end of a run, and of the submits that wait for it.

use crate::document::{Boundary, Delivery, SUBMIT_MESSAGES};
use crate::session::Session;
use crate::session::run::RunState;
use crate::session::types::{AgentError, Effect, Ended, Outcome, RunEnd, Ticket, list, settlement};

impl Session {
    /// The end of the run in progress is this one.
    pub(super) fn end_as(&mut self, end: RunEnd) {
        if let Some(run) = &mut self.run {
            run.ends_as(end);
        }
    }

    /// Ends the run in progress before its body has ended.
    pub(super) fn close(&mut self, now: f64) {
        self.hang_up_request();
        self.finish(now);
    }

    /// The same; the next run begins, if one waits.
    pub(super) fn close_and_go_on(&mut self, now: f64) {
        self.close(now);
        self.next(now);
    }

    /// Publishes how the run ended, and settles its submit.
    pub(super) fn finish(&mut self, now: f64) {
        let Some(mut run) = self.run.take() else { return };
        self.intake.drop_body();
        let restored = std::mem::take(&mut self.rejoin.progress.restored);
        self.outbox.wake(None);
        let (outcome, error) = run.take_end();
        if matches!(outcome, Outcome::Success | Outcome::Interrupted) {
            self.drop_gone_calls();
        }
        let dropped = self.replies.drop_stale(&mut self.thread);
        self.settle_dropped(dropped, Outcome::Dropped);
        if restored && !matches!(outcome, Outcome::Success | Outcome::Interrupted | Outcome::Cancelled) {
            self.give_up_restored();
        }
        self.conclude(outcome, error.as_ref(), &run.pending_calls, now);
        if !matches!(run.state(), RunState::Draining(_)) {
            self.checkpoint(Boundary::RunFinished, None, now);
        }
        let ended = Ended { outcome, result: run.result, unanswered: run.unanswered };
        self.outbox.changed(true);
        if matches!(outcome, Outcome::Success | Outcome::Interrupted) {
            if self.rejoin.progress.opens {
                self.settle_answered();
            }
            return self.run_is_over(run.ticket, ended, now);
        }
        self.settle_run(run.ticket, outcome, error.as_ref(), Some(&ended));
    }

    /// The submits that wait and that the opened thread has the answer to are over: another page has sent them, and could not save that.
    fn settle_answered(&mut self) {
        let mut answered = Vec::new();
        for submit in self.queue.submits() {
            let messages = list(submit.row.text(SUBMIT_MESSAGES), self.options.max_depth);
            if messages.is_ok_and(|messages| self.thread.has_answered(messages)) {
                answered.push(submit.ticket);
            }
        }
        for ticket in answered {
            if let Some(submit) = self.queue.take(ticket) {
                self.settle(ticket, submit.run_id(), Outcome::Success);
            }
        }
    }

    /// The run of a save is over without its end: its calls have no answer, but for those that the page is at work on.
    pub(super) fn give_up_restored(&mut self) {
        let page = &self.page;
        self.thread
            .give_up_calls(self.rejoin.progress.last_message_before_run.as_deref(), &|id| page.stage_of(id).is_some());
    }

    /// Nothing grows, and the snapshot says how it ended.
    pub(super) fn conclude(&mut self, outcome: Outcome, error: Option<&AgentError>, pending: &[String], now: f64) {
        let ending = match outcome {
            Outcome::Success | Outcome::Interrupted | Outcome::Cancelled => Delivery::Complete,
            Outcome::Aborted | Outcome::Dropped | Outcome::Disconnected => Delivery::Aborted,
            Outcome::Error | Outcome::Truncated => Delivery::Error,
        };
        let page = &self.page;
        self.thread.end_run(ending, pending, &|id| page.stage_of(id).is_some(), now);
        let goes_on = page.turn.goes_on(outcome);
        if ending == Delivery::Complete {
            self.replies.ended();
        } else {
            self.abandon_turn();
        }
        self.verdict.ended(outcome, error, goes_on, now);
    }

    /// Settles a submit that has led to the last run.
    pub(super) fn settle_run(
        &mut self,
        ticket: Ticket,
        outcome: Outcome,
        error: Option<&AgentError>,
        run: Option<&Ended>,
    ) {
        let run_id = self.verdict.run_id().unwrap_or_default();
        self.settle_as(ticket, &settlement(run_id, outcome, error, run));
    }

    /// Settles a submit that has led to no run.
    pub(super) fn settle(&mut self, ticket: Ticket, run_id: &str, outcome: Outcome) {
        self.settle_as(ticket, &settlement(run_id, outcome, None, None));
    }

    pub(super) fn settle_as(&mut self, ticket: Ticket, json: &str) {
        self.outbox.saving.due = true;
        for (ticket, name) in self.queue.tickets.settle(ticket) {
            self.outbox.push(Effect::Settled { ticket, name, result: json.to_owned() });
        }
    }
}
