//! Counts reports, so that each is made once, also where a server replays a run from its beginning. Pure.

use crate::document::Boundary;

/// The kind of a report: those of one kind are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Report {
    /// An event of this type, as it came.
    Event(&'static str),
    /// A CUSTOM event.
    Custom,
    /// Token counts.
    Usage,
    Checkpoint(Boundary),
    /// A warning with this code.
    Warning(&'static str),
    /// A decision of the guard.
    Decision,
}

/// Counts reports by kind. A replay repeats the reports of the earlier connections in their order, so of each kind as many
/// are known as the longest telling has had. How a server cuts its deltas in a replay does not matter for that.
#[derive(Debug, Default)]
pub(super) struct Once(Vec<Counter>);

#[derive(Debug)]
struct Counter {
    kind: Report,
    /// Reports of this telling.
    reported: usize,
    /// The most that an earlier telling has had.
    before: usize,
}

impl Once {
    /// Counts a report of this kind. True: it is new.
    pub fn count(&mut self, kind: Report) -> bool {
        let at = self.0.iter().position(|counter| counter.kind == kind).unwrap_or_else(|| {
            self.0.push(Counter { kind, reported: 0, before: 0 });
            self.0.len() - 1
        });
        self.0.get_mut(at).is_none_or(|counter| {
            counter.reported += 1;
            counter.reported > counter.before
        })
    }

    /// How many reports of this kind are known.
    pub fn known(&self, kind: Report) -> usize {
        self.0.iter().find(|counter| counter.kind == kind).map_or(0, |counter| counter.reported.max(counter.before))
    }

    /// So many reports of this kind were made before the run is read on.
    pub fn restore(&mut self, kind: Report, reported: usize) {
        self.0.push(Counter { kind, reported, before: 0 });
    }

    /// The run is replayed from its beginning.
    pub fn replay(&mut self) {
        for counter in &mut self.0 {
            counter.before = counter.before.max(counter.reported);
            counter.reported = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_ones(once: &mut Once, kind: Report, count: usize) -> Vec<usize> {
        (1..=count).filter(|_| once.count(kind)).collect()
    }

    #[test]
    fn what_was_told_is_not_new() {
        let mut once = Once::default();
        assert_eq!(new_ones(&mut once, Report::Custom, 2), [1, 2]);
        once.replay();
        assert_eq!(new_ones(&mut once, Report::Custom, 4), [3, 4]);
    }

    #[test]
    fn what_was_told_before_a_reload_is_not_new() {
        let mut saved = Once::default();
        new_ones(&mut saved, Report::Usage, 2);
        let mut once = Once::default();
        once.restore(Report::Usage, saved.known(Report::Usage));
        once.replay();
        assert_eq!(new_ones(&mut once, Report::Usage, 3), [3]);
    }

    #[test]
    fn a_shorter_replay_forgets_nothing() {
        let mut once = Once::default();
        assert_eq!(new_ones(&mut once, Report::Custom, 5).len(), 5);
        for shorter in [3, 0, 1, 4] {
            once.replay();
            assert_eq!(new_ones(&mut once, Report::Custom, shorter), [0; 0], "{shorter}");
        }
        once.replay();
        assert_eq!(new_ones(&mut once, Report::Custom, 6), [6]);
    }

    #[test]
    fn kinds_are_counted_apart() {
        let mut once = Once::default();
        assert!(once.count(Report::Custom) && once.count(Report::Usage) && once.count(Report::Usage));
        once.replay();
        assert!(!once.count(Report::Custom) && !once.count(Report::Usage) && !once.count(Report::Usage));
        assert!(
            once.count(Report::Custom)
                && once.count(Report::Usage)
                && once.count(Report::Checkpoint(Boundary::StepStarted))
        );
    }
}
