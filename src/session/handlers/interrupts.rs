//! Answers to interrupts, and which submit may begin.

use crate::document::{IfAwaiting, SUBMIT_RESUME, Start, Value};
use crate::session::Session;
use crate::session::replies::Partial;
use crate::session::submit::{RESUME, Submit};
use crate::session::types::{Misuse, Outcome, Ticket};
use crate::thread::Warning;
use crate::wire::{Fields, keep_private};

impl Session {
    /// Answers one interrupt: `{interruptId, status, payload?, metadata?, run}`, where `run` is as for
    /// [`Self::submit`]. With the last answer the run begins; every ticket settles with it. One that has expired is
    /// refused here, unless it is cancelled; the answers to others stay.
    pub fn answer(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.alive()?;
        let json = keep_private(json);
        const EXPECTED: Misuse = Misuse::Input("an object with an \"interruptId\", a \"status\" and a \"run\"");
        let fields = Fields::read(&json, self.options.max_depth).ok_or(EXPECTED)?;
        let id = fields.text("interruptId").ok_or(EXPECTED)?.into_owned();
        let run = fields.get("run").ok_or(EXPECTED)?.text();
        let entry = RESUME.read_entry(&fields).ok_or(EXPECTED)?;
        let (mut submit, _) = Submit::read(run, self.options.max_depth, Start::Submit)?;
        let until = self.replies.judge(&id, &entry, &self.thread, self.run.is_some(), now)?;
        let ticket = self.queue.tickets.give(submit.run_id());
        let answered = self.replies.answer(Partial { ticket, id, entry, until }, &mut self.thread, now);
        for (ticket, expired) in answered.dropped {
            if let Some(id) = expired {
                let message = format!("interrupt {id} expired before all had a reply: it can only be cancelled");
                self.outbox.warn(Warning::new("interrupt-expired", message));
            }
            self.settle(ticket, submit.run_id(), Outcome::Dropped);
        }
        if let Some((resume, others)) = answered.resume {
            others.into_iter().for_each(|other| self.queue.tickets.join(other, ticket));
            submit.row.set(SUBMIT_RESUME, Value::Text(resume));
            submit.ticket = ticket;
            self.queue.push_front(submit);
            // A run that has ended, but for the end of its body, keeps nobody waiting.
            if !self.is_running() && !self.page.turn.executes() {
                self.close(now);
            }
            self.next(now);
        }
        self.outbox.saving.due = true;
        self.outbox.changed(true);
        Ok(ticket)
    }

    /// Settles the tickets whose answers will not be sent.
    pub(super) fn settle_dropped(&mut self, tickets: Vec<Ticket>, outcome: Outcome) {
        for ticket in tickets {
            self.outbox.changed(true);
            self.settle(ticket, "", outcome);
        }
    }

    /// Takes the next submit that may run out of the queue.
    pub(super) fn next_in_line(&mut self, now: f64) -> Option<Submit> {
        let ticket = self.queue.submits().iter().find(|submit| self.may_begin(submit, now))?.ticket;
        self.queue.take(ticket)
    }

    /// Whether a submit that waits may run.
    pub(super) fn any_in_line(&self, now: f64) -> bool {
        self.queue.submits().iter().any(|submit| self.may_begin(submit, now))
    }

    fn may_begin(&self, submit: &Submit, now: f64) -> bool {
        let waits = self.awaits_people() && submit.is_if_awaiting(IfAwaiting::Wait);
        !waits && self.replies.admit(submit, &self.thread, now).is_ok()
    }
}
