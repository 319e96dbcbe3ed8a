//! The end of what the application has asked for: of one submit, of the run in progress, of everything.

use crate::session::Session;
use crate::session::run::Run;
use crate::session::types::{Effect, Outcome, Ticket};

impl Session {
    /// Ends the run in progress. The partial answer stays; the next submit of the queue begins.
    pub fn stop(&mut self, now: f64) {
        self.halt(true, now);
    }

    /// `tells`: the server is told, too.
    pub(super) fn halt(&mut self, tells: bool, now: f64) {
        // The end of a run also ends the wait for a call that is gone, and the turn may continue after that.
        if let Some((Outcome::Success | Outcome::Interrupted, _)) = self.run.as_ref().and_then(Run::end) {
            self.drop_gone_calls();
        }
        let goes_on = self.page.turn.goes_on(Outcome::Success);
        if let Some(run) = &mut self.run {
            let on = run.end().is_none();
            if on || goes_on {
                run.ends_as((Outcome::Aborted, None));
            }
            let run_id = self.verdict.run_id().filter(|_| on && tells).map(String::from);
            self.close(now);
            run_id.into_iter().for_each(|run_id| self.outbox.push(Effect::StopRemote { run_id }));
        } else if self.is_working() {
            self.stop_working(now);
        } else {
            return;
        }
        self.next(now);
    }

    /// Takes one submit back: out of the queue, or as [`Self::stop`] if its run is in progress.
    pub fn cancel(&mut self, ticket: Ticket, now: f64) {
        let working = self.page.turn.ticket == Some(ticket) && self.is_working();
        if working || self.run.as_ref().is_some_and(|run| run.ticket == ticket) {
            self.stop(now);
        } else if let Some(submit) = self.queue.take(ticket) {
            self.settle(ticket, submit.run_id(), Outcome::Aborted);
            self.outbox.changed(true);
        }
    }

    /// Hangs up, and settles everything that waits as aborted. Every later call is a [`Misuse::Disposed`]. The server is not
    /// told: who closes a page has not said that the run is to end.
    pub fn dispose(&mut self, now: f64) {
        self.abandon(false, now);
        self.verdict.disposed = true;
    }

    pub(super) fn abandon(&mut self, tells: bool, now: f64) {
        for submit in self.queue.take_all() {
            self.settle(submit.ticket, submit.run_id(), Outcome::Aborted);
            self.outbox.changed(true);
        }
        let dropped = self.replies.drop_answers(&mut self.thread);
        self.settle_dropped(dropped, Outcome::Aborted);
        self.halt(tells, now);
        self.abandon_turn();
    }
}
