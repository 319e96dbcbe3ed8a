//! Open interrupts stand before the next run: it begins with an answer to every one of them, or not at all. Here are the
//! answers: those that wait for the others, and those that the last run took along.
//!
//! A submit that comes during a run cannot know what that run will ask. If it asks something, the submit waits in the
//! queue, after the one that answers.

mod partial;

pub(super) use partial::Partial;

use super::queue::NOBODY;
use super::submit::{RESUME, Submit};
use super::types::{Misuse, Ticket};
use crate::document::{SUBMIT_RESUME, Start};
use crate::thread::Thread;
use crate::wire::{At, Fields, Gather, Index, JsonWriter, Raw};
use partial::Partials;

#[derive(Debug, Default)]
pub(super) struct InterruptReplies {
    /// Answers to interrupts, while others wait for theirs.
    partial: Partials,
    /// The answers that the last run was sent with, until it has ended well.
    resumed: Option<String>,
}

/// The consequences of an answer.
#[derive(Debug)]
pub(super) struct Answered {
    /// The answers that will not be sent, with the interrupt if it has expired.
    pub dropped: Vec<(Ticket, Option<String>)>,
    /// All are answered: the `resume` of the run, and those who gave the other answers.
    pub resume: Option<(String, Vec<Ticket>)>,
}

impl InterruptReplies {
    /// How many answers wait whose end is waited for.
    pub fn len(&self) -> usize {
        self.partial.list.iter().filter(|partial| partial.ticket != NOBODY).count()
    }

    /// The answers that go with the run.
    pub fn resume(&self) -> Option<&str> {
        self.resumed.as_deref()
    }

    /// Until when an answer to this interrupt may be sent. `running`: a run is in progress.
    pub fn judge(&self, id: &str, entry: &str, thread: &Thread, running: bool, now: f64) -> Result<f64, Misuse> {
        // The run in progress took an answer along: a double click answers twice and means it once.
        let taken = || {
            let resumed = self.resume().filter(|_| running);
            resumed.is_some_and(|json| answers(json).iter().any(|(taken, _)| *taken == id))
        };
        let Some(expires) = thread.report.interrupts.expiry(id).filter(|_| !taken()) else {
            return Err(Misuse::InterruptUnknown(id.to_owned()));
        };
        let until = if is_cancellation(entry) { f64::INFINITY } else { expires };
        if until <= now {
            return Err(Misuse::InterruptExpired(id.to_owned()));
        }
        Ok(until)
    }

    /// Takes an answer that was judged.
    pub fn answer(&mut self, answer: Partial, thread: &mut Thread, now: f64) -> Answered {
        let mut dropped = Vec::new();
        // A second answer replaces the first. An answer that has expired since it was given must not be sent, nor one to
        // an interrupt that is no longer open.
        if let Some(again) = self.partial.list.take(&answer.id) {
            dropped.push((again.ticket, None));
        }
        let interrupts = &mut thread.report.interrupts;
        for gone in self.partial.take_stale(now, interrupts) {
            let expired = gone.until <= now && interrupts.expiry(&gone.id).is_some();
            if expired {
                interrupts.mark_answered(&gone.id, false);
            }
            dropped.push((gone.ticket, expired.then_some(gone.id)));
        }
        // An id names one question, however often it stands in the list.
        if self.partial.list.len() + 1 != interrupts.count().0 {
            interrupts.mark_answered(&answer.id, true);
            self.partial.push(answer);
            return Answered { dropped, resume: None };
        }
        let others = self.partial.list.iter().map(|partial| partial.entry.as_str());
        let entries: Vec<&str> = others.chain([answer.entry.as_str()]).gather();
        let resume = format!("[{}]", entries.join(","));
        // The run may be stopped, or fail: then all are open again.
        Answered { dropped, resume: Some((resume, self.drop_answers(thread))) }
    }

    /// A submit goes out, with the answers that belong to it. Gives those whose answers it does not take along.
    pub fn send(&mut self, submit: &Submit, thread: &mut Thread) -> Vec<Ticket> {
        self.resumed = self.answers(submit, thread);
        self.drop_answers(thread)
    }

    /// Nothing waits for other answers: the interrupts are as open as they were. Gives those who wait for them.
    pub fn drop_answers(&mut self, thread: &mut Thread) -> Vec<Ticket> {
        let reopen = |partial: Partial| {
            thread.report.interrupts.mark_answered(&partial.id, false);
            partial.ticket
        };
        self.partial.take_all().into_iter().map(reopen).gather()
    }

    /// A run has ended with interrupts, some of which may be those that are answered.
    pub fn mark(&self, thread: &mut Thread) {
        self.partial.list.iter().for_each(|partial| thread.report.interrupts.mark_answered(&partial.id, true));
    }

    /// Drops the answers to interrupts that are no longer open; and all, where no interrupt is left to wait for: nothing would send them.
    pub fn drop_stale(&mut self, thread: &mut Thread) -> Vec<Ticket> {
        if self.partial.list.len() == 0 {
            return Vec::new();
        }
        let interrupts = &thread.report.interrupts;
        let stale = self.partial.take_stale(f64::NEG_INFINITY, interrupts);
        let mut dropped: Vec<Ticket> = stale.into_iter().map(|gone| gone.ticket).gather();
        if self.partial.list.len() == interrupts.count().0 {
            dropped.extend(self.drop_answers(thread));
        }
        dropped
    }

    /// The run has ended well, or is forgotten: its answers are not sent again.
    pub fn ended(&mut self) {
        self.resumed = None;
    }

    /// Whether a run may begin so.
    pub fn admit(&self, submit: &Submit, thread: &Thread, now: f64) -> Result<(), Misuse> {
        let open = thread.report.interrupts.list();
        if open.is_empty() || !submit.speaks() {
            // A page that was loaded anew may know more than its agent, so answers go to the server unjudged.
            return Ok(());
        }
        let json = self.answers(submit, thread).unwrap_or_default();
        // How often each is asked, and how often it is answered; whether all answers to it are cancellations.
        let (mut asked, mut answered) = (Index::new(), Index::new());
        for (id, _) in &open {
            let message = asked.note(id, At::default()).message + 1;
            asked.insert(*id, At { message, call: 0 });
        }
        let answers = answers(&json);
        for (id, cancelled) in &answers {
            let At { message, call } = answered.note(id, At::default());
            answered.insert(&**id, At { message: message + 1, call: call | usize::from(!*cancelled) });
        }
        let missing: Vec<&str> = open.iter().map(|(id, _)| *id).filter(|id| !answered.contains_key(id)).gather();
        if !missing.is_empty() {
            return Err(Misuse::InterruptsOpen(missing.join(", ")));
        }
        for (id, expires) in &open {
            if expires.is_some_and(|expires| expires <= now) && answered.get(id).is_some_and(|answer| answer.call > 0) {
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

    /// The answers that go with a run. A retry answers again; a regenerated run is not answered any
    /// more, which is said with a cancellation.
    fn answers(&self, submit: &Submit, thread: &Thread) -> Option<String> {
        match (submit.row.some(SUBMIT_RESUME), submit.start) {
            (Some(given), _) => Some(given.to_owned()),
            (None, Start::Submit | Start::Attach | Start::Unasked | Start::Continues | Start::Opens) => None,
            (None, Start::Retry) => self.resumed.clone(),
            (None, Start::Regenerate) => cancellations(thread),
        }
    }

    /// Writes `resumed`, and as `replies` the answers that wait for others.
    pub fn save(&self, object: &mut JsonWriter<'_>) {
        if let Some(resumed) = &self.resumed {
            object.json("resumed", resumed);
        }
        if self.partial.list.len() > 0 {
            let mut list = JsonWriter::array(object.member("replies"));
            self.partial.list.iter().for_each(|partial| list.item().push_str(&partial.entry));
            list.close();
        }
    }

    /// Nobody waits for the end of the answers of a save.
    pub fn restore(&mut self, fields: &Fields<'_>, thread: &mut Thread) {
        self.resumed = fields.some("resumed").filter(|raw| raw.array().is_some()).map(|raw| raw.text().to_owned());
        for fields in fields.list("replies").into_iter().filter_map(Raw::object) {
            let (Some(id), Some(entry)) = (fields.text("interruptId"), RESUME.read_entry(&fields)) else { continue };
            if let Ok(until) = self.judge(&id, &entry, thread, false, f64::NEG_INFINITY) {
                thread.report.interrupts.mark_answered(&id, true);
                self.partial.list.take(&id);
                self.partial.push(Partial { ticket: NOBODY, id: id.into_owned(), entry, until });
            }
        }
        self.drop_stale(thread);
    }
}

fn cancellations(thread: &Thread) -> Option<String> {
    let open = thread.report.interrupts.list();
    let json = JsonWriter::array_text(|list| {
        for (id, _) in &open {
            JsonWriter::object(list.item()).string("interruptId", id).string("status", "cancelled");
        }
    });
    (!open.is_empty()).then_some(json)
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
        if let (Some(id), Some(status)) = (fields.text("interruptId"), fields.get("status")) {
            answers.push((id.into_owned(), status.text() == "\"cancelled\""));
        }
    }
    answers
}
