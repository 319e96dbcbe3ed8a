//! Answers to some of the open interrupts, while the others have none: each found by the interrupt's id.

use crate::session::types::Ticket;
use crate::thread::Interrupts;
use crate::wire::Keyed;

/// An interrupt that is answered, while others are not.
#[derive(Debug)]
pub(in crate::session) struct Partial {
    pub ticket: Ticket,
    pub id: String,
    /// The `resume` entry.
    pub entry: String,
    /// When it must not be sent; never, for a cancellation: infinity.
    pub until: f64,
}

/// All of them, in the order in which they came.
#[derive(Debug)]
pub(super) struct Partials {
    pub list: Keyed<Partial>,
    /// No answer may be out of date before this time, as long as the interrupts are those that were looked at.
    until: f64,
    version: u32,
}

impl Default for Partials {
    fn default() -> Self {
        Self { list: Keyed::default(), until: f64::INFINITY, version: 0 }
    }
}

impl Partials {
    pub fn push(&mut self, partial: Partial) {
        self.until = self.until.min(partial.until);
        self.list.push(&partial.id.clone(), partial);
    }

    /// Takes all of them.
    pub fn take_all(&mut self) -> Vec<Partial> {
        std::mem::take(self).list.take_all()
    }

    /// Takes those that are out of date: the time has come, or their interrupt is not open, which is looked at if the interrupts have
    /// become others.
    pub fn take_stale(&mut self, now: f64, interrupts: &Interrupts) -> Vec<Partial> {
        let (_, version) = interrupts.count();
        if self.until > now && self.version == version {
            return Vec::new();
        }
        let mut stale = Vec::new();
        for partial in self.take_all() {
            if partial.until > now && interrupts.expiry(&partial.id).is_some() {
                self.push(partial);
            } else {
                stale.push(partial);
            }
        }
        self.version = version;
        stale
    }
}
