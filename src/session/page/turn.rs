//! A submit's run, with the runs that follow on its calls.

use super::calls::PageCalls;
use crate::document::{PAGE_CALL, PAGE_TOOLS, Row, SUBMIT_RUN, Stage, TOOL_NAME, Value};
use crate::session::submit::Submit;
use crate::session::types::{Ended, Outcome, Ticket};
use crate::thread::Thread;
use crate::wire::{Fields, JsonWriter};

/// The default: there is none.
#[derive(Debug, Default)]
pub(in crate::session) struct Turn {
    /// Until it is settled.
    pub ticket: Option<Ticket>,
    /// The submit, for the runs that follow: without its messages.
    pub again: Submit,
    follow_ups: u32,
    pub(super) calls: PageCalls,
    /// How the last run has ended, once it has ended well.
    pub last: Option<Ended>,
}

impl Turn {
    pub fn new(submit: &Submit) -> Self {
        let again = submit.to_follow();
        Self { ticket: Some(submit.ticket), again, follow_ups: 0, calls: PageCalls::default(), last: None }
    }

    /// Whether there is one.
    pub fn has_begun(&self) -> bool {
        self.again.row.has(SUBMIT_RUN)
    }

    /// Whether the page is at work after its last run.
    pub fn is_working(&self) -> bool {
        self.last.is_some() && self.executes()
    }

    /// Whether its last run has ended, and all that the page does for that.
    pub fn rests(&self) -> bool {
        self.last.is_some() && !self.calls.any(&[Stage::Executing, Stage::Abandoned])
    }

    /// The calls that the page executes.
    pub fn executing(&self) -> Vec<String> {
        self.calls.ids(Stage::Executing)
    }

    /// Whether the page executes a call.
    pub fn executes(&self) -> bool {
        self.calls.any(&[Stage::Executing])
    }

    /// Whether calls wait for people.
    pub fn awaits_people(&self) -> bool {
        self.calls.any(&[Stage::Waiting, Stage::Manual])
    }

    /// Whether this run follows on the turn's calls.
    pub fn is_followed_by(&self, submit: &Submit) -> bool {
        self.ticket == Some(submit.ticket) && self.follow_ups > 0
    }

    /// Its last run is joined again, also where the page is still at work after that. Gives the ticket that waits already.
    pub fn join(&mut self, ticket: Ticket) -> Option<Ticket> {
        self.last = None;
        self.ticket.replace(ticket)
    }

    /// A run has ended well, which may be of another turn.
    pub fn run_ended(&mut self, ticket: Ticket, ended: Ended) {
        if self.has_begun() && self.ticket.is_none_or(|own| own == ticket) {
            self.last = Some(ended);
        }
    }

    /// Stops the turn's work between two runs. Returns how the last run has ended, and who waits.
    pub fn stop(&mut self) -> Option<(Ended, Option<Ticket>)> {
        Some((self.last.take()?, self.ticket.take()))
    }

    /// The submit is settled; gives who waits. Calls that were answered since the run has ended are left out.
    pub fn settle(&mut self, thread: &mut Thread) -> Option<Ticket> {
        if let Some(last) = &mut self.last {
            last.unanswered.retain(|id| thread.is_answered(id) != Some(true));
        }
        self.ticket.take()
    }

    /// Whether the page or its people have calls to answer, so that the turn is worth saving.
    pub fn waits(&self) -> bool {
        !self.calls.are_done()
    }

    /// The tool of the page that has this name.
    pub fn tool(&self, name: &str) -> Option<&Row> {
        self.again.row.rows(PAGE_TOOLS).iter().find(|tool| tool.text(TOOL_NAME) == name)
    }

    /// Whether it continues by itself after a run that has ended so.
    pub fn goes_on(&self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Success => self.executes() || self.calls.follow() && self.may_follow(),
            Outcome::Interrupted => self.executes(),
            _ => false,
        }
    }

    /// Whether all calls of a run that has ended with success are done, and one of them is worth another run.
    pub fn asks_for_another(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.outcome == Outcome::Success) && self.calls.follow()
    }

    /// Whether another run may follow.
    pub fn may_follow(&self) -> bool {
        self.follow_ups < self.again.max_follow_ups()
    }

    /// The run that follows.
    pub fn follow(&mut self) -> Submit {
        self.follow_ups += 1;
        self.calls = PageCalls::default();
        self.last = None;
        let ticket = *self.ticket.get_or_insert(0);
        let run_id = format!("{}-{}", self.again.run_id(), self.follow_ups);
        let mut submit = Submit { ticket, ..self.again.to_follow() };
        submit.row.set(SUBMIT_RUN, Value::Text(run_id));
        submit
    }

    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        self.again.save(object.member("run"));
        object.number("followUps", Some(u64::from(self.follow_ups)));
        Row::write_list(self.calls.iter(), object.member("calls"));
    }

    pub fn restore(fields: &Fields<'_>, depth: usize) -> Option<Self> {
        let again = Submit::restore(fields.get("run")?, depth)?;
        let mut calls = PageCalls::default();
        Row::read_list(PAGE_CALL, fields.get("calls")?).into_iter().for_each(|call| calls.push(call));
        let follow_ups = fields.whole("followUps")? as u32;
        Some(Self { ticket: None, again, follow_ups, calls, last: None })
    }
}
