//! Leaving a run to the server, and joining one that continues there.

use crate::document::{Delivery, REPLACES, SUBMIT_MESSAGES, SUBMIT_RUN, Start};
use crate::session::Session;
use crate::session::submit::Submit;
use crate::session::types::{Misuse, Outcome, Ticket};
use crate::wire::{Fields, keep_private};

impl Session {
    /// Leaves the run in progress to the server: nothing is reported of it until [`Self::attach`] joins it again.
    pub fn disconnect(&mut self, now: f64) {
        if !self.is_running() {
            return self.stop(now);
        }
        self.hang_up();
        self.outbox.wake(None);
        let Some(run) = self.run.take() else { return };
        // Calls that the page executes continue.
        self.page.turn.ticket = None;
        self.rejoin.detached = true;
        self.verdict.detach();
        self.settle_run(run.ticket, Outcome::Disconnected, None, None);
        self.outbox.changed(true);
    }

    /// Joins a run that continues at the server. `json`: `{runId?, name?, cursor?, tools?, context?, forwardedProps?}`; without
    /// a run's id it is the last run of this session.
    pub fn attach(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.alive()?;
        if self.is_running() {
            return Err(Misuse::Busy);
        }
        let json = keep_private(json);
        let (mut submit, _) = Submit::read(&json, self.options.max_depth, Start::Attach)?;
        if submit.run_id().is_empty() {
            submit.row.set_some(SUBMIT_RUN, self.verdict.run_id());
        }
        if submit.run_id().is_empty() || self.options.network.resume.is_none() {
            return Err(Misuse::NothingToAttach);
        }
        self.close(now);
        // The run that follows on the page's calls has begun.
        if self.run.is_some() {
            return Err(Misuse::Busy);
        }
        if !self.verdict.is_of(submit.run_id()) {
            self.end_last(now);
            self.rejoin.begin_other(submit.run_id().to_owned());
        } else if self.rejoin.progress.baseline.is_none() && self.verdict.outcome() != Some(Outcome::Truncated) {
            // It has ended here, and the page was loaded anew since.
            self.rejoin.begin_over(submit.run_id().to_owned());
        }
        if !self.rejoin.detached {
            // The open items have been closed in the thread.
            self.intake.pipeline.forget_open();
            self.rejoin.progress.started = false;
        }
        let fields = Fields::read(&json, self.options.max_depth).unwrap_or_default();
        if let Some(cursor) = fields.some("cursor").and_then(crate::wire::Raw::string) {
            self.rejoin.progress.cursor = Some(cursor.into_owned());
        }
        // The page may not know the id of the last run.
        let ticket = self.queue.tickets.give(fields.text("name").as_deref().unwrap_or(submit.run_id()));
        submit.ticket = ticket;
        // One that waits is on already, begun by another page that could not save that.
        let waiting = self.queue.submits().iter().find(|waiting| waiting.run_id() == submit.run_id());
        if let Some(waiting) = waiting.map(|waiting| waiting.ticket).and_then(|ticket| self.queue.take(ticket)) {
            self.queue.tickets.join(waiting.ticket, ticket);
            submit.row.assume(waiting.row, 1 << SUBMIT_MESSAGES | 1 << REPLACES);
        }
        self.begin(submit, now);
        Ok(ticket)
    }

    /// A run that was left is not waited for.
    pub(super) fn end_left(&mut self, now: f64) {
        if std::mem::take(&mut self.rejoin.detached) {
            self.thread.end_run(Delivery::Aborted, &[], &|_| false, now);
        }
    }

    /// Another run takes the place of the last one, which may have been left, here or by the page before.
    pub(super) fn end_last(&mut self, now: f64) {
        self.end_left(now);
        if std::mem::take(&mut self.rejoin.progress.restored) {
            self.give_up_restored();
        }
    }
}
