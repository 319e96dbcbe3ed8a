//! How many connections a run may make. Pure: the time is an argument, and time alone fills it.

/// A token bucket. It holds half of what a minute allows and is refilled at half of that rate, so no minute has more
/// connections than the option says, wherever it begins.
#[derive(Debug, Clone, Copy)]
pub(in crate::session) struct Budget {
    /// Half of what a minute allows.
    half: f64,
    remaining: f64,
    at: f64,
}

const MINUTE: f64 = 60_000.0;

impl Budget {
    /// A full one, for so many connections a minute.
    pub fn new(per_minute: f64, now: f64) -> Self {
        let half = (per_minute / 2.0).max(1.0);
        Self { half, remaining: half, at: now }
    }

    /// A connection is made, whatever is left.
    pub fn spend(&mut self, now: f64) {
        self.refill(now);
        self.remaining -= 1.0;
    }

    /// When the next connection may be made: now, or once there is enough left.
    pub fn next(&mut self, now: f64) -> f64 {
        self.refill(now);
        now + (1.0 - self.remaining).max(0.0) * MINUTE / self.half
    }

    fn refill(&mut self, now: f64) {
        let passed = (now - self.at).max(0.0);
        self.remaining = (self.remaining + passed * self.half / MINUTE).min(self.half);
        self.at = self.at.max(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of connections that are made as soon as they may be.
    fn greedy(per_minute: f64, count: usize) -> Vec<f64> {
        let (mut budget, mut now) = (Budget::new(per_minute, 0.0), 0.0);
        let connect = |_| {
            now = budget.next(now);
            budget.spend(now);
            now
        };
        (0..count).map(connect).collect()
    }

    /// The same as `js/network/retry.ts` has them; see `Network::pause`.
    #[test]
    fn connections_are_allowed_when_the_table_says() {
        let table: serde_json::Value = serde_json::from_str(include_str!("table.json")).unwrap();
        for row in table["budgets"].as_array().unwrap() {
            let mut budget = Budget::new(row["perMinute"].as_f64().unwrap(), 0.0);
            for pair in row["asked and allowed"].as_array().unwrap() {
                let [asked, allowed] = std::array::from_fn(|at| pair[at].as_f64().unwrap());
                assert_eq!(budget.next(asked), allowed, "{row}");
                budget.spend(allowed);
            }
        }
    }

    #[test]
    fn no_minute_has_more_than_it_says() {
        for per_minute in [2.0, 6.0, 60.0] {
            let times = greedy(per_minute, 500);
            for (at, from) in times.iter().enumerate() {
                let within = times.iter().skip(at).take_while(|time| *time - from < MINUTE - 0.001).count();
                assert!(within as f64 <= per_minute, "{within} in the minute from {from}");
            }
        }
    }

    #[test]
    fn a_run_of_hours_that_is_cut_every_minute_never_waits() {
        let mut budget = Budget::new(60.0, 0.0);
        for minute in 0..600 {
            let now = f64::from(minute) * MINUTE;
            for _ in 0..3 {
                assert_eq!(budget.next(now), now);
                budget.spend(now);
            }
        }
    }

    #[test]
    fn without_a_limit_nobody_waits_and_a_clock_that_goes_back_gives_nothing() {
        assert!(greedy(9.0e15, 1000).iter().all(|time| *time == 0.0));
        let mut budget = Budget::new(2.0, 1000.0);
        budget.spend(1000.0);
        assert_eq!(budget.next(0.0), MINUTE);
        assert_eq!(budget.next(1000.0 + MINUTE), 1000.0 + MINUTE);
    }
}
