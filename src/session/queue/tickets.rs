//! Every ticket that was given, until it is settled: each settles exactly once.
//!
//! A ticket is the core's own number of a submit. Everybody else calls that by its name: the id of its run.

use crate::session::types::Ticket;

/// A ticket that is never open: nobody waits for it, and its end is not reported.
pub(in crate::session) const NOBODY: Ticket = Ticket::MAX;

/// The tickets whose end has not been reported.
#[derive(Debug, Default)]
pub(in crate::session) struct Tickets {
    last: Ticket,
    /// In the order of their numbers, each with its name.
    open: Vec<(Ticket, String)>,
    /// Tickets that settle with another one, which stands first: in the order of those.
    joined: Vec<(Ticket, Ticket)>,
}

impl Tickets {
    /// Gives the next ticket.
    pub fn give(&mut self, name: &str) -> Ticket {
        self.last = self.last.wrapping_add(1).max(1);
        self.open.push((self.last, name.to_owned()));
        self.last
    }

    /// The open ticket of that name; of several the last, which has joined the run of the others.
    pub fn named(&self, name: &str) -> Option<Ticket> {
        Some(self.open.iter().rfind(|(_, open)| open == name)?.0)
    }

    /// `ticket` settles when `first` does, with the same result. For ticket 0 nobody waits.
    pub fn join(&mut self, ticket: Ticket, first: Ticket) {
        if !self.is_open(ticket) {
            return;
        }
        let at = self.joined.partition_point(|(with, _)| *with <= first);
        self.joined.insert(at, (first, ticket));
    }

    /// Ends a ticket, and those that were joined to it. Gives those that were open, with their names. Ticket 0, that of a run
    /// that nobody asked for, ends each time.
    pub fn settle(&mut self, ticket: Ticket) -> Vec<(Ticket, String)> {
        let mut ended = vec![ticket];
        let mut at = 0;
        while let Some(first) = ended.get(at).copied() {
            let [from, to] =
                [first, first.saturating_add(1)].map(|with| self.joined.partition_point(|(w, _)| *w < with));
            ended.extend(self.joined.drain(from..to).map(|(_, joined)| joined));
            at += 1;
        }
        let mut settled = Vec::new();
        for ticket in ended {
            match self.find(ticket) {
                Ok(at) => settled.push(self.open.remove(at)),
                Err(_) if ticket == 0 => settled.push((0, String::new())),
                Err(_) => {}
            }
        }
        settled
    }

    fn find(&self, ticket: Ticket) -> Result<usize, usize> {
        self.open.binary_search_by_key(&ticket, |(open, _)| *open)
    }

    pub fn is_open(&self, ticket: Ticket) -> bool {
        self.find(ticket).is_ok()
    }

    /// How many are open, without those that settle when another one does.
    pub fn alone(&self) -> usize {
        self.open.len() - self.joined.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ticket_settles_once_and_takes_along_those_that_were_joined() {
        let mut tickets = Tickets::default();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| tickets.give(name));
        tickets.join(a, b);
        tickets.join(b, c);
        tickets.join(0, c);
        assert_eq!(tickets.joined.len(), 2);
        assert!(tickets.is_open(a) && !tickets.is_open(0));
        let named = |ticket, name: &str| (ticket, name.to_owned());
        assert_eq!(tickets.settle(c), [named(c, "c"), named(b, "b"), named(a, "a")]);
        assert!(tickets.settle(c).is_empty());
        assert!(tickets.settle(a).is_empty());
        assert_eq!(tickets.settle(0), [named(0, "")]);
        assert!(tickets.open.iter().map(|(ticket, _)| *ticket).eq([d]));
    }

    #[test]
    fn of_several_with_one_name_the_last_is_meant() {
        let mut tickets = Tickets::default();
        let [a, again] = ["a", "a"].map(|name| tickets.give(name));
        assert_eq!(["a", "b"].map(|name| tickets.named(name)), [Some(again), None]);
        tickets.settle(again);
        assert_eq!(tickets.named("a"), Some(a));
        tickets.settle(a);
        assert_eq!(tickets.named("a"), None);
    }
}
