//! The queue of submits in their order, and every ticket until it is settled.

mod tickets;

use super::submit::Submit;
use super::types::Ticket;
pub(super) use tickets::NOBODY;
use tickets::Tickets;

#[derive(Debug, Default)]
pub(super) struct Queue {
    submits: Vec<Submit>,
    /// They may be others than at the last notification.
    pub changed: bool,
    /// The submits that were edited since the last notification.
    pub edited: Vec<Ticket>,
    pub tickets: Tickets,
}

impl Queue {
    /// Whether each open ticket is held by exactly one thing that will settle it: a submit here, a ticket that it is joined
    /// to, one of `begun`, or one of `others` things elsewhere. So it counts: as many are held as are open.
    pub fn holds_every_ticket(&self, begun: impl Iterator<Item = Ticket>, others: usize) -> bool {
        let begun = begun.filter(|ticket| self.tickets.is_open(*ticket)).count();
        begun + others + self.submits.len() == self.tickets.alone()
    }

    /// The submits, to be changed.
    fn change(&mut self) -> &mut Vec<Submit> {
        self.changed = true;
        &mut self.submits
    }

    pub fn push(&mut self, submit: Submit) {
        self.change().push(submit);
    }

    /// It goes before all others.
    pub fn push_front(&mut self, submit: Submit) {
        self.change().insert(0, submit);
    }

    pub fn submits(&self) -> &[Submit] {
        &self.submits
    }

    /// Takes the submit of this ticket, if it waits still.
    pub fn take(&mut self, ticket: Ticket) -> Option<Submit> {
        let at = self.submits.iter().position(|submit| submit.ticket == ticket)?;
        Some(self.change().remove(at))
    }

    pub fn take_all(&mut self) -> Vec<Submit> {
        std::mem::take(self.change())
    }

    /// Changes a submit that waits, by the JSON that `edited` was read from. False if it no longer waits.
    pub fn edit(&mut self, ticket: Ticket, json: &str, edited: Submit) -> bool {
        let at = self.submits.iter().position(|submit| submit.ticket == ticket);
        let Some(submit) = at.and_then(|at| self.change().get_mut(at)) else { return false };
        submit.edit(json, edited);
        if !self.edited.contains(&ticket) {
            self.edited.push(ticket);
        }
        true
    }
}
