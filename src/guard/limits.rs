//! How many events may be shown in a time. Counted for the agent, whatever sessions its events name, because a server that
//! chose the session could choose a fresh limit.

use super::policy::Policy;
use super::refused::{Key, Of};
use crate::wire::{At, Index};
use std::collections::VecDeque;

/// How many different events of a run are remembered for a replay of it.
const MOST: usize = 4096;

/// The recently shown events.
#[derive(Debug, Default)]
pub struct RateLimits {
    /// When the second began that is counted, and how many came in it.
    second: (f64, u64),
    /// Of each velocity, the times of those in its window: at most as many as it allows.
    recent: Vec<VecDeque<f64>>,
    /// How often each event of this run has passed (`message`), and how often a replay may repeat it uncounted (`call`).
    passed: Index,
}

impl RateLimits {
    pub fn new(policy: &Policy) -> Self {
        let recent = policy.velocities.iter().map(|_| VecDeque::new()).collect();
        Self { second: (f64::NEG_INFINITY, 0), recent, passed: Index::new() }
    }

    /// A run begins: nothing of an earlier one is replayed.
    pub fn begin(&mut self) {
        self.passed = Index::new();
    }

    /// The run is replayed from its beginning: what has passed is not counted again.
    pub fn begin_again(&mut self) {
        for (_, times) in self.passed.iter_mut() {
            *times = At { message: 0, call: times.call.saturating_add(times.message) };
        }
    }

    /// Counts an event that the policy allows, unless it is one too many. Blocked events do not count.
    pub fn pass(&mut self, policy: &Policy, event_type: &str, id: Option<Key>, now: f64) -> Result<(), String> {
        if policy.per_second.is_none() && policy.velocities.is_empty() {
            return Ok(());
        }
        let key = id.unwrap_or(Key::new(Of::Message, "")).with(event_type.as_bytes()).to_string();
        match self.passed.get_mut(&key).filter(|times| times.call > 0) {
            Some(times) => times.call -= 1,
            None => self.count(policy, event_type, now)?,
        }
        if self.passed.len() < MOST {
            self.passed.note(&key, At::default());
        }
        self.passed.get_mut(&key).into_iter().for_each(|times| times.message += 1);
        Ok(())
    }

    fn count(&mut self, policy: &Policy, event_type: &str, now: f64) -> Result<(), String> {
        if now - self.second.0 >= 1000.0 {
            self.second = (now, 0);
        }
        if let Some(most) = policy.per_second.filter(|most| self.second.1 >= *most) {
            return Err(format!("rate limit exceeded: {most} events per second"));
        }
        let of_type = |name: &Option<String>| name.as_deref().is_none_or(|name| name == event_type);
        for (velocity, recent) in policy.velocities.iter().zip(&mut self.recent) {
            while recent.front().is_some_and(|at| now - at >= velocity.window) {
                recent.pop_front();
            }
            if of_type(&velocity.event_type) && recent.len() as u64 >= velocity.most {
                let (most, seconds) = (velocity.most, (velocity.window / 1000.0) as u64);
                return Err(format!("velocity limit exceeded: {most} {event_type} events in {seconds} seconds"));
            }
        }
        self.second.1 += 1;
        for (velocity, recent) in policy.velocities.iter().zip(&mut self.recent) {
            if of_type(&velocity.event_type) {
                recent.push_back(now);
            }
        }
        Ok(())
    }
}
