//! Open interrupts stand before the next run: it begins with an answer to every one of them, or not at all.
//!
//! A submit that comes during a run cannot know what that run will ask. If it asks something, the submit waits in the
//! queue, after the one that answers.

use super::Session;
use super::given::RESUME;
use super::partial::Partial;
use super::submit::{IfAwaiting, Start, Submit};
use super::words::Outcome;
use super::words::{Misuse, Ticket};
use crate::thread::Warning;
use crate::wire::{Index, JsonWriter, Raw, keep_private};

impl Session {
    /// Answers one interrupt: `{interruptId, status, payload?, metadata?, run}`, where `run` is as for
    /// [`Self::submit`]. With the last answer the run begins; every ticket settles with it. One that has expired is
    /// refused here, unless it is cancelled; the answers to others stay.
    pub fn answer(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.alive()?;
        let json = keep_private(json);
        let expected = Misuse::Input("an object with an \"interruptId\", a \"status\" and a \"run\"");
        let fields = Raw::parse_object(&json, self.options.max_depth).ok().flatten().ok_or(expected.clone())?;
        let id = fields.get("interruptId").and_then(Raw::string).ok_or(expected.clone())?.into_owned();
        let run = fields.get("run").ok_or(expected.clone())?.text();
        let entry = RESUME.read_entry(&fields).ok_or(expected)?;
        let (mut submit, _) = Submit::read(run, self.options.max_depth, Start::Submit)?;
        // The run in progress took an answer along: who answers twice by a double click means it once.
        let taken = || {
            let resumed = self.resumed.as_deref().filter(|_| self.run.is_some());
            resumed.is_some_and(|json| answers(json).iter().any(|(taken, _)| *taken == id))
        };
        let Some(expires) = self.thread.question(&id).filter(|_| !taken()) else {
            return Err(Misuse::InterruptUnknown(id));
        };
        let until = if is_cancellation(&entry) { f64::INFINITY } else { expires };
        if until <= now {
            return Err(Misuse::InterruptExpired(id));
        }
        let ticket = self.queue.give();
        // Who answers again means the second answer. One that has expired since it was given must not be sent, nor one to
        // what is open no more.
        if let Some(again) = self.partial.take(&id) {
            self.settle(again.ticket, &submit.run_id, Outcome::Dropped, None, None);
        }
        let (questions, asked) = self.thread.questions();
        let thread = &self.thread;
        for gone in self.partial.take_stale(now, asked, |id| thread.question(id).is_some()) {
            if gone.until <= now && self.thread.question(&gone.id).is_some() {
                self.thread.mark_answered(&gone.id, false);
                let message = format!("interrupt {} expired before all had a reply: it can only be cancelled", gone.id);
                self.outbox.warn(Warning::new("interrupt-expired", message));
            }
            self.settle(gone.ticket, &submit.run_id, Outcome::Dropped, None, None);
        }
        // An id names one question, however often it stands in the list.
        if self.partial.len() + 1 == questions {
            let others = self.partial.iter().map(|partial| partial.entry.as_str());
            let entries: Vec<&str> = others.chain([entry.as_str()]).collect();
            submit.resume = Some(format!("[{}]", entries.join(",")));
            for partial in self.partial.take_all() {
                self.queue.join(partial.ticket, ticket);
            }
            submit.ticket = ticket;
            self.queue.push_front(submit);
            self.next(now);
        } else {
            self.thread.mark_answered(&id, true);
            self.partial.push(Partial { ticket, id, entry, until });
        }
        self.outbox.ask_for_save();
        self.outbox.changed(true);
        Ok(ticket)
    }

    /// Answers that no run has taken along are useless.
    pub(super) fn drop_answers(&mut self, outcome: Outcome) {
        for partial in self.partial.take_all() {
            // Its interrupt is as open as it was.
            self.thread.mark_answered(&partial.id, false);
            self.outbox.changed(true);
            self.settle(partial.ticket, "", outcome, None, None);
        }
    }

    /// Takes the next submit that may run out of the queue.
    pub(super) fn next_in_line(&mut self, now: f64) -> Option<Submit> {
        let ticket = self.queue.iter().find(|submit| self.may_begin(submit, now))?.ticket;
        self.queue.take(ticket)
    }

    /// Whether a submit that waits may run.
    pub(super) fn any_in_line(&self, now: f64) -> bool {
        self.queue.iter().any(|submit| self.may_begin(submit, now))
    }

    fn may_begin(&self, submit: &Submit, now: f64) -> bool {
        let waits = self.awaits_people() && submit.if_awaiting == IfAwaiting::Wait;
        !waits && self.admit(submit, now).is_ok()
    }

    /// Whether a run may begin so.
    pub(super) fn admit(&self, submit: &Submit, now: f64) -> Result<(), Misuse> {
        let open = self.thread.open_interrupts();
        if open.is_empty() || !submit.speaks() {
            // A page that was loaded anew may know more than its agent, so answers go to the server unjudged.
            return Ok(());
        }
        let json = self.answers(submit).unwrap_or_default();
        // How often each is asked, and how often it is answered; whether all answers to it are cancellations.
        let (mut asked, mut answered) = (Index::new(), Index::new());
        for (id, _) in &open {
            asked.entry((*id).to_owned()).or_default().message += 1;
        }
        let answers = answers(&json);
        for (id, cancelled) in &answers {
            let answer = answered.entry(id.clone()).or_default();
            answer.message += 1;
            answer.call |= usize::from(!*cancelled);
        }
        let missing: Vec<&str> = open.iter().map(|(id, _)| *id).filter(|id| !answered.contains_key(*id)).collect();
        if !missing.is_empty() {
            return Err(Misuse::InterruptsOpen(missing.join(", ")));
        }
        for (id, expires) in &open {
            if expires.is_some_and(|expires| expires <= now) && answered.get(*id).is_some_and(|answer| answer.call > 0)
            {
                return Err(Misuse::InterruptExpired((*id).to_owned()));
            }
        }
        // One answer does for all interrupts of an id; or there is one for each of them, in their order.
        let count = |ids: &Index, id: &String| ids.get(id).map_or(0, |at| at.message);
        match answers.iter().find(|(id, _)| count(&answered, id) > count(&asked, id)) {
            Some((id, _)) => Err(Misuse::InterruptUnknown(id.clone())),
            None => Ok(()),
        }
    }

    /// The answers that go with a run. What is tried again is answered again; what is regenerated is not answered any
    /// more, which is said with a cancellation.
    pub(super) fn answers(&self, submit: &Submit) -> Option<String> {
        match (&submit.resume, &submit.start) {
            (Some(given), _) => Some(given.clone()),
            (None, Start::Submit | Start::Attach | Start::Unasked { .. }) => None,
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

/// Whether a `resume` entry says that nobody answers.
fn is_cancellation(entry: &str) -> bool {
    answers(&format!("[{entry}]")).iter().any(|(_, cancelled)| *cancelled)
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
