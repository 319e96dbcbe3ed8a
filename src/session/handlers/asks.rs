//! Requests of the application for runs: submits, retries and regenerations wait and begin by one rule.

use crate::document::{IfAwaiting, IfBusy, OF, REPLACES, Start};
use crate::session::Session;
use crate::session::run::Run;
use crate::session::submit::Submit;
use crate::session::types::{Misuse, Outcome, Ticket};
use crate::thread::Warning;
use crate::wire::keep_private;

impl Session {
    /// Asks for a run with new messages. `json`: `{messages, state?, resume?, tools?, context?, forwardedProps?, runId,
    /// ifBusy?, ifAwaiting?, unasked?}`. `unasked`: events have come over a connection that is kept open, and the run is theirs:
    /// nothing is sent; `"continues"`: they continue the last answer; `"opens"`: they tell the whole thread.
    pub fn submit(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.ask(json, Start::Submit, None, now)
    }

    /// Runs the thread again, without what a failed or stopped run left unfinished. `json` as for [`Self::submit`],
    /// and `newMessageId?`: the id that the last user message takes, for servers that keep the thread by ids.
    pub fn retry(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.ask(json, Start::Retry, None, now)
    }

    /// Cuts the thread after the user message that led to an assistant message, or after the last user message, and runs it again.
    /// `json` as for [`Self::retry`], and `of?`: the message, if `message_id` does not name it.
    pub fn regenerate(&mut self, message_id: Option<&str>, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.ask(json, Start::Regenerate, message_id, now)
    }

    pub(super) fn ask(&mut self, json: &str, start: Start, of: Option<&str>, now: f64) -> Result<Ticket, Misuse> {
        self.alive()?;
        let (mut submit, if_busy) = Submit::read(&keep_private(json), self.options.max_depth, start)?;
        if of.is_some() {
            submit.row.set_some(OF, of);
        }
        let first = self.goes_first(submit.start);
        let lost = first && self.run.is_some();
        // A run that has ended, but for the end of its body, keeps nobody waiting; who waited before goes first.
        let over = !first && !self.is_running();
        if first || over && !self.any_in_line(now) || if_busy == IfBusy::Replace {
            self.replies.admit(&submit, &self.thread, now)?;
        }
        if over {
            self.close(now);
            // A submit ends what was left, also for those that wait.
            if self.any_in_line(now) {
                self.end_left(now);
            }
            self.next(now);
        }
        let busy = !lost && (self.run.is_some() || self.is_working());
        if busy && if_busy == IfBusy::Reject {
            return Err(Misuse::Busy);
        }
        let awaiting = !busy && !lost && self.awaits_people();
        if awaiting && submit.is_if_awaiting(IfAwaiting::Reject) {
            return Err(Misuse::Awaiting);
        }
        let waits = busy && matches!(if_busy, IfBusy::Queue | IfBusy::Steer)
            || awaiting && submit.is_if_awaiting(IfAwaiting::Wait);
        if waits && self.queue.submits().len() >= self.options.max_queue {
            return Err(Misuse::QueueFull);
        }
        if !busy {
            self.has_what_it_cuts(&submit)?;
        }
        let ticket = self.queue.tickets.give(submit.run_id());
        submit.ticket = ticket;
        if !submit.unknown.is_empty() {
            let message = format!("left out of the request: {}", std::mem::take(&mut submit.unknown).join(", "));
            let warning = Warning { rule: Some("A4"), ..Warning::new("property-unknown", message) };
            self.outbox.warn(warning);
        }
        match if_busy {
            IfBusy::Drop if busy => self.settle(ticket, submit.run_id(), Outcome::Dropped),
            IfBusy::Replace if busy => {
                self.queue.push_front(submit);
                self.stop(now);
            }
            _ if first => {
                if self.run.as_mut().is_some_and(Run::end_lost) {
                    self.close(now);
                }
                self.queue.push_front(submit);
            }
            _ => self.queue.push(submit),
        }
        self.end_left(now);
        self.next(now);
        self.outbox.saving.due = true;
        self.outbox.changed(true);
        Ok(ticket)
    }

    /// Whether the answer that was cut is asked again, before what waits: after a loss, and after a run or a page was left.
    fn goes_first(&self, start: Start) -> bool {
        let again = matches!(start, Start::Retry | Start::Regenerate);
        let left = self.rejoin.detached || self.rejoin.progress.restored;
        again && self.run.as_ref().map_or(left, |run| run.is_lost())
    }

    /// Whether the thread has the messages that a submit cuts off.
    fn has_what_it_cuts(&self, submit: &Submit) -> Result<(), Misuse> {
        if submit.start == Start::Regenerate && !self.thread.can_rewind(submit.row.some(OF)) {
            return Err(Misuse::NothingToRegenerate);
        }
        match submit.row.some(REPLACES) {
            Some(id) if !self.thread.has_user_message(id) => Err(Misuse::NothingToReplace),
            _ => Ok(()),
        }
    }

    /// Changes a submit that waits (`json` as for [`Self::submit`]): members that `json` lacks stay, and a retry stays a
    /// retry, a regenerate a regenerate. False if it no longer waits.
    pub fn edit_queued(&mut self, ticket: Ticket, json: &str) -> Result<bool, Misuse> {
        self.alive()?;
        let json = keep_private(json);
        let (edited, _) = Submit::read(&json, self.options.max_depth, Start::Submit)?;
        if !self.queue.edit(ticket, &json, edited) {
            return Ok(false);
        }
        self.outbox.saving.due = true;
        self.outbox.changed(true);
        Ok(true)
    }
}
