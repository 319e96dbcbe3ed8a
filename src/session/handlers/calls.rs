//! Calls of the page in the session: they begin, they are answered, and runs follow on them.

use crate::document::{Stage, Start};
use crate::session::Session;
use crate::session::page::{CallArrival, Turn, show_stage};
use crate::session::submit::Submit;
use crate::session::types::{Effect, Ended, Misuse, Outcome, Ticket, settlement};
use crate::thread::{CallPhase, Warning};
use crate::wire::{Fields, Raw, keep_private};
use std::borrow::Cow;

impl Session {
    /// Whether the page is at work between two runs.
    pub(super) fn is_working(&self) -> bool {
        self.run.is_none() && self.page.turn.is_working()
    }

    /// Whether calls wait for people, after their run.
    pub(super) fn awaits_people(&self) -> bool {
        self.run.is_none() && self.page.turn.awaits_people()
    }

    /// A run begins: of the turn, or of another one. `same`: it is the last one, joined again.
    pub(super) fn begin_turn(&mut self, submit: &Submit, same: bool) {
        self.page.counts(submit.start);
        let turn = &mut self.page.turn;
        let joins = submit.start == Start::Attach;
        if joins && same && turn.has_begun() {
            if let Some(waiting) = turn.join(submit.ticket) {
                self.queue.tickets.join(waiting, submit.ticket);
            }
            return;
        }
        // Nobody has continued without an answer.
        let continues = !joins && !submit.speaks() && turn.waits();
        if continues || turn.is_followed_by(submit) {
            return;
        }
        let left = self.page.leave(submit, &mut self.thread);
        // Another run is joined while the page is at work.
        if let Some(ticket) = left.ticket {
            self.settle_run(ticket, Outcome::Aborted, None, left.last.as_ref());
        }
        // The run was left to the server, and is not joined.
        self.abandon_calls(left.executing());
    }

    /// The arguments of a call are complete. If it is one of the page's, it begins; but never twice.
    pub(super) fn call_ready(&mut self, id: &str) {
        if self.told_again(id) {
            return;
        }
        let intake = &self.intake;
        if let Some(call) = self
            .page
            .call_ready(id, &mut self.thread, |args| intake.dialect().is_some_and(|dialect| dialect.withholds(args)))
        {
            self.take_call(id, call);
        }
    }

    /// A call that comes again is where it was. Says whether it does.
    pub(super) fn told_again(&mut self, id: &str) -> bool {
        let call = self.page.told_again(id, &mut self.thread);
        let known = call.is_some();
        call.into_iter().for_each(|call| self.take_call(id, call));
        known
    }

    fn take_call(&mut self, id: &str, call: CallArrival) {
        match call {
            CallArrival::Stays => {}
            CallArrival::Changed => {
                let message = format!("the call \"{id}\" was changed after the page had begun to execute it");
                self.outbox.warn(Warning::new("call-changed", message));
            }
            CallArrival::Enters { stage, name, args } => {
                self.outbox.saving.soon = true;
                if stage == Stage::Executing {
                    self.execute(id, name, args, false);
                } else {
                    show_stage(id, stage, &mut self.thread);
                }
            }
        }
    }

    /// A call of the page that waits is asked about as it is now.
    pub(super) fn take_up(&mut self, id: &str, stage: Stage) {
        let call = self.page.take_up(id, stage, &mut self.thread);
        self.take_call(id, call);
    }

    pub(super) fn execute(&mut self, id: &str, name: String, args: String, approved: bool) {
        if self.intake.is_guarded() && super::guard::forbids(self, id, &name) {
            return;
        }
        let mut args = if args.trim_ascii().is_empty() { "{}".to_owned() } else { args };
        if let Some(other) = self.intake.dialect().and_then(|dialect| dialect.arguments(&args).map(Into::into)) {
            args = other;
        }
        if Raw::parse(&args, self.options.max_depth).is_err() {
            self.done(id, "The arguments are not JSON.", Some("The arguments are not JSON."), false);
            return;
        }
        self.thread.set_call_phase(id, CallPhase::Executing);
        // Approved after the run has ended: the user waits again.
        if self.run.is_none() && !self.rejoin.detached {
            self.verdict.works();
        }
        let mut json = String::new();
        crate::wire::write_json(&mut json, &args);
        self.outbox.push(Effect::Execute { tool_call_id: id.to_owned(), name, args: json, approved });
    }

    /// A call has its answer.
    pub(super) fn done(&mut self, id: &str, content: &str, error: Option<&str>, denied: bool) {
        self.page.done(id, content, error, denied, &mut self.thread);
    }

    /// The page's tool is done, or somebody has answered: `{toolCallId, result?, error?}`, or a list of these. False where
    /// nobody waits for it.
    pub fn settle_call(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        self.each_call(&keep_private(json), |session, json| session.settle_one(json, now))
    }

    /// Does it with the object, or with each of a list; what is wrong with one does not keep it from the others.
    pub(super) fn each_call(
        &mut self,
        json: &str,
        mut act: impl FnMut(&mut Self, &str) -> Result<bool, Misuse>,
    ) -> Result<bool, Misuse> {
        let Some(list) = Raw::parse(json, usize::MAX).ok().and_then(Raw::array) else { return act(self, json) };
        let mut done = Ok(false);
        for item in list {
            match act(self, item.text()) {
                Ok(acted) => done = done.map(|before| before || acted),
                Err(misuse) => done = Err(misuse),
            }
        }
        done
    }

    fn settle_one(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let (id, fields) = self.of_call(json)?;
        if !self.knows_call(&id) {
            return Ok(false);
        }
        let known = self.page.stage_of(&id).is_some();
        let error = fields.text("error");
        let content = match (fields.get("result"), &error) {
            (Some(raw), _) if !raw.is_null() => match raw.string() {
                Some(text) => text.into_owned(),
                None => raw.text().to_owned(),
            },
            (_, Some(error)) => error.to_string(),
            _ => String::new(),
        };
        if self.thread.has_other_answer(&id, &content, error.as_deref()) {
            let message = format!("the call \"{id}\" has another result already, which stays");
            self.outbox.warn(Warning::new("result-differs", message));
        }
        // A call that no tool of the page is for waits for the server's answer, or for one given by hand.
        if !self.is_open(&id, now) || (!known && self.page.has_handled(&id)) {
            return Ok(false);
        }
        if !known {
            self.page.take_over(&id);
        }
        self.done(&id, &content, error.as_deref(), false);
        self.advance(now);
        Ok(true)
    }

    /// The server has answered one of the page's calls itself.
    pub(super) fn answered_elsewhere(&mut self, id: &str) {
        if self.page.drop_call(id) {
            self.outbox.push(Effect::Abandon { tool_call_id: id.to_owned() });
        }
    }

    /// A list of messages was merged, or set: calls may have been answered, become others, come back, or gone.
    pub(super) fn review_calls(&mut self) {
        let review = std::mem::take(&mut self.thread.review);
        for id in review.answered {
            if self.thread.is_answered(&id) == Some(true) {
                self.answered_elsewhere(&id);
            }
        }
        self.page.detach(review.orphans);
        if let Some(baseline) = &mut self.rejoin.progress.baseline {
            baseline.rewritten(&review.rewritten, &review.changed_calls);
        }
        for id in review.changed_calls {
            self.told_again(&id);
        }
    }

    /// The run has ended: what the page is at for calls that are not in the thread is of no use, nor is what it was at before it was left.
    pub(super) fn drop_gone_calls(&mut self) {
        self.page.give_up_left(&mut self.thread);
        if std::mem::take(&mut self.thread.calls_lost) {
            let gone = self.page.drop_gone(&mut self.thread);
            self.abandon_calls(gone);
        }
    }

    /// Whether a call can still be answered. The application may have taken it out of the thread since, or a snapshot of
    /// the server brought its answer: then nobody waits for it.
    pub(super) fn is_open(&mut self, id: &str, now: f64) -> bool {
        // A run in progress may tell of it yet, or again.
        let may_come = self.rejoin.detached || self.is_running();
        let found = self.thread.is_answered(id).map(|answered| !answered);
        if self.page.stage_of(id).is_none() {
            return found.unwrap_or_default();
        }
        let open = found.unwrap_or(may_come);
        if !open {
            self.page.drop_call(id);
            self.advance(now);
        }
        open
    }

    /// The call that the application means, with what it says of it.
    pub(super) fn of_call<'j>(&self, json: &'j str) -> Result<(Cow<'j, str>, Fields<'j>), Misuse> {
        self.alive()?;
        let fields = Fields::read(json, self.options.max_depth);
        let found = fields.and_then(|fields| Some((fields.text("toolCallId")?, fields)));
        found.ok_or(Misuse::Input("an object with a string \"toolCallId\""))
    }

    /// A call was answered. Where the run has ended, the turn may continue.
    pub(super) fn advance(&mut self, now: f64) {
        self.outbox.saving.due = true;
        self.outbox.changed(true);
        let ended = self.run.as_ref().map(|run| run.end().is_some());
        match ended {
            // The rest of the body is ignored.
            Some(true) if !self.page.turn.executes() => self.close(now),
            Some(_) => return,
            None => self.rest(now),
        }
        self.next(now);
    }

    /// A run has ended well. The turn continues, waits, or is over.
    pub(super) fn run_is_over(&mut self, ticket: Ticket, ended: Ended, now: f64) {
        // It is not the turn's.
        if self.page.turn.ticket != Some(ticket) {
            self.settle_run(ticket, ended.outcome, None, Some(&ended));
        }
        self.page.turn.run_ended(ticket, ended);
        self.rest(now);
    }

    /// Between two runs: another one follows on the page's calls; or the turn waits for people, or is over, and its submit is
    /// told how its last run has ended.
    pub(super) fn rest(&mut self, now: f64) {
        let turn = &mut self.page.turn;
        if !turn.rests() {
            return;
        }
        if !turn.awaits_people() && turn.asks_for_another() {
            if turn.may_follow() {
                let submit = turn.follow();
                return self.begin(submit, now);
            }
            let message = "maxFollowUps runs have followed in a row: no other one is started";
            self.outbox.warn(Warning::new("follow-ups-exhausted", message));
        }
        let ticket = turn.settle(&mut self.thread);
        let Some(last) = &turn.last else { return };
        if self.run.is_none() {
            self.verdict.rested(last.outcome);
        }
        if let Some(ticket) = ticket {
            let json = settlement(self.verdict.run_id().unwrap_or_default(), last.outcome, None, Some(last));
            self.settle_as(ticket, &json);
        }
        self.outbox.changed(true);
        if !self.page.turn.awaits_people() {
            self.page.turn = Turn::default();
        }
    }

    /// The turn has failed or was stopped: what the page is at is ignored.
    pub(super) fn abandon_turn(&mut self) {
        let calls = self.page.abandon();
        self.abandon_calls(calls);
    }

    fn abandon_calls(&mut self, calls: Vec<String>) {
        calls.into_iter().for_each(|tool_call_id| self.outbox.push(Effect::Abandon { tool_call_id }));
    }

    /// Stops what the page does between two runs.
    pub(super) fn stop_working(&mut self, now: f64) {
        let Some((last, ticket)) = self.page.turn.stop() else { return };
        self.conclude(Outcome::Aborted, None, &[], now);
        if let Some(ticket) = ticket {
            self.settle_run(ticket, Outcome::Aborted, None, Some(&last));
        }
        self.outbox.changed(true);
    }
}
