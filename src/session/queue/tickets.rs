//! Every ticket that was given, until it is settled: each settles exactly once.

use crate::session::words::Ticket;

/// The tickets whose end has not been reported.
#[derive(Debug, Default)]
pub(super) struct Tickets {
    last: Ticket,
    /// In the order of their numbers.
    open: Vec<Ticket>,
    /// Tickets that settle with another one, which stands first: in the order of those.
    joined: Vec<(Ticket, Ticket)>,
}

impl Tickets {
    /// Gives the next ticket.
    pub fn give(&mut self) -> Ticket {
        self.last = self.last.wrapping_add(1).max(1);
        self.open.push(self.last);
        self.last
    }

    /// `ticket` settles when `first` does, with the same result. For ticket 0 nobody waits.
    pub fn join(&mut self, ticket: Ticket, first: Ticket) {
        if !self.is_open(ticket) {
            return;
        }
        let at = self.joined.partition_point(|(with, _)| *with <= first);
        self.joined.insert(at, (first, ticket));
    }

    /// Ends a ticket, and those that were joined to it. Gives those that were open. Ticket 0, that of a run that nobody
    /// asked for, ends each time.
    pub fn settle(&mut self, ticket: Ticket) -> Vec<Ticket> {
        let mut ended = vec![ticket];
        let mut at = 0;
        while let Some(first) = ended.get(at).copied() {
            let [from, to] =
                [first, first.saturating_add(1)].map(|with| self.joined.partition_point(|(w, _)| *w < with));
            ended.extend(self.joined.drain(from..to).map(|(_, joined)| joined));
            at += 1;
        }
        ended.retain(|ticket| match self.open.binary_search(ticket) {
            Ok(at) => {
                self.open.remove(at);
                true
            }
            Err(_) => *ticket == 0,
        });
        ended
    }

    /// The tickets that have not ended.
    pub fn open(&self) -> &[Ticket] {
        &self.open
    }

    pub fn is_open(&self, ticket: Ticket) -> bool {
        self.open.binary_search(&ticket).is_ok()
    }

    /// How many settle when another one does.
    pub fn joined(&self) -> usize {
        self.joined.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ticket_settles_once_and_takes_along_those_that_were_joined() {
        let mut tickets = Tickets::default();
        let [a, b, c, d] = [(); 4].map(|()| tickets.give());
        tickets.join(a, b);
        tickets.join(b, c);
        tickets.join(0, c);
        assert_eq!(tickets.joined(), 2);
        assert!(tickets.is_open(a) && !tickets.is_open(0));
        assert_eq!(tickets.settle(c), [c, b, a]);
        assert!(tickets.settle(c).is_empty());
        assert!(tickets.settle(a).is_empty());
        assert_eq!(tickets.settle(0), [0]);
        assert_eq!(tickets.open(), [d]);
    }
}
