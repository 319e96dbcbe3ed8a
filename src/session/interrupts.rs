//! Open interrupts stand before the next run: it begins with an answer to every one of them, or not at all.
//!
//! A submit that comes while a run is on cannot know what that run will ask. If it asks something, the submit waits in the
//! queue, behind the one that answers.

use super::Session;
use super::given::RESUME;
use super::run::Outcome;
use super::submit::{Misuse, Start, Submit, Ticket};
use crate::wire::{JsonWriter, Raw, keep_private};

/// An interrupt that is answered, while others are not.
#[derive(Debug)]
pub(super) struct Partial {
    ticket: Ticket,
    id: String,
    /// The `resume` entry.
    entry: String,
}

impl Session {
    /// Answers one interrupt: `{interruptId, status, payload?, metadata?, run}`, where `run` is as for
    /// [`Self::submit`]. With the last answer the run begins; every ticket settles with it.
    pub fn answer(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.alive()?;
        let json = keep_private(json);
        let expected = Misuse::Input("an object with an \"interruptId\", a \"status\" and a \"run\"");
        let fields = Raw::parse_object(&json, self.options.max_depth).ok().flatten().ok_or(expected.clone())?;
        let id = fields.get("interruptId").and_then(Raw::string).ok_or(expected.clone())?.into_owned();
        let run = fields.get("run").ok_or(expected.clone())?.text();
        let entry = RESUME.read_entry(&fields).ok_or(expected)?;
        let (mut submit, _) = Submit::read(run, self.options.max_depth, Start::Submit)?;
        let open: Vec<String> = self.thread.open_interrupts().iter().map(|(id, _)| (*id).to_owned()).collect();
        // The run that is on took an answer along: who answers twice by a double click means it once.
        let taken = self.run.is_some()
            && self.resumed.as_deref().is_some_and(|json| answers(json).iter().any(|(taken, _)| *taken == id));
        if taken || !open.contains(&id) {
            return Err(Misuse::InterruptUnknown(id));
        }
        let others = self.partial.iter().filter(|partial| partial.id != id);
        let entries: Vec<&str> = others.map(|partial| partial.entry.as_str()).chain([entry.as_str()]).collect();
        let whole = entries.len() == open.len();
        submit.resume = Some(format!("[{}]", entries.join(",")));
        if whole {
            self.admit(&submit, now)?;
        }
        self.tickets = self.tickets.wrapping_add(1);
        let ticket = self.tickets;
        // Who answers again means the second answer.
        if let Some(at) = self.partial.iter().position(|partial| partial.id == id) {
            let partial = self.partial.remove(at);
            self.settle(partial.ticket, &submit.run_id, Outcome::Dropped, None, None);
        }
        if whole {
            self.joined.extend(self.partial.drain(..).map(|partial| (ticket, partial.ticket)));
            submit.ticket = ticket;
            self.queue.push_front(submit);
            self.next(now);
        } else {
            self.thread.mark_answered(&id, true);
            self.partial.push(Partial { ticket, id, entry });
        }
        self.changed(true);
        Ok(ticket)
    }

    /// Answers that no run has taken along are of no use any more.
    pub(super) fn drop_answers(&mut self, outcome: Outcome) {
        for partial in std::mem::take(&mut self.partial) {
            // Its interrupt is as open as it was.
            self.thread.mark_answered(&partial.id, false);
            self.changed(true);
            self.settle(partial.ticket, "", outcome, None, None);
        }
    }

    /// The place in the queue of the next submit that may run.
    pub(super) fn next_in_line(&self, now: f64) -> Option<usize> {
        self.queue.iter().position(|submit| self.admit(submit, now).is_ok())
    }

    /// Whether a run may begin so.
    pub(super) fn admit(&self, submit: &Submit, now: f64) -> Result<(), Misuse> {
        let open = self.thread.open_interrupts();
        if open.is_empty() {
            // A page that was loaded anew may know more than its agent, so answers go to the server unjudged.
            return Ok(());
        }
        let json = self.answers(submit).unwrap_or_default();
        let answers = answers(&json);
        let cancelled = |id: &str| answers.iter().find(|(answered, _)| answered == id).map(|(_, cancelled)| *cancelled);
        let missing: Vec<&str> = open.iter().map(|(id, _)| *id).filter(|id| cancelled(id).is_none()).collect();
        if !missing.is_empty() {
            return Err(Misuse::InterruptsOpen(missing.join(", ")));
        }
        for (id, expires) in &open {
            if expires.is_some_and(|expires| expires <= now) && cancelled(id) == Some(false) {
                return Err(Misuse::InterruptExpired((*id).to_owned()));
            }
        }
        let mut rest = answers.as_slice();
        while let Some(((id, _), others)) = rest.split_first() {
            if !open.iter().any(|(open, _)| open == id) || others.iter().any(|(other, _)| other == id) {
                return Err(Misuse::InterruptUnknown(id.clone()));
            }
            rest = others;
        }
        Ok(())
    }

    /// The answers that go with a run. What is tried again is answered again; what is regenerated is not answered any
    /// more, which is said with a cancellation.
    pub(super) fn answers(&self, submit: &Submit) -> Option<String> {
        match (&submit.resume, &submit.start) {
            (Some(given), _) => Some(given.clone()),
            (None, Start::Submit | Start::Attach) => None,
            (None, Start::Retry) => self.resumed.clone(),
            (None, Start::Regenerate(_)) => self.cancellations(),
        }
    }

    fn cancellations(&self) -> Option<String> {
        let open = self.thread.open_interrupts();
        let mut json = String::new();
        let mut list = JsonWriter::array(&mut json);
        for (id, _) in &open {
            let mut entry = JsonWriter::object(list.item());
            entry.string("interruptId", id).string("status", "cancelled");
            entry.close();
        }
        list.close();
        (!open.is_empty()).then_some(json)
    }
}

/// The interrupts that `resume` entries answer, and whether with a cancellation.
fn answers(resume: &str) -> Vec<(String, bool)> {
    let mut answers = Vec::new();
    for entry in Raw::parse(resume, usize::MAX).ok().and_then(Raw::array).unwrap_or_default() {
        let Some(fields) = entry.object() else { continue };
        if let (Some(id), Some(status)) = (fields.get("interruptId").and_then(Raw::string), fields.get("status")) {
            answers.push((id.into_owned(), status.text() == "\"cancelled\""));
        }
    }
    answers
}
