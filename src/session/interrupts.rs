//! Open interrupts stand before the next run: it begins with an answer to every one of them, or not at all.
//!
//! A submit that comes while a run is on cannot know what that run will ask. If it asks something, the submit waits in the
//! queue, behind the one that answers.

use super::Session;
use super::submit::{Misuse, Start, Submit};
use crate::wire::{JsonWriter, Raw};

impl Session {
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
