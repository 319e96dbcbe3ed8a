//! How many events may be shown in a time. Counted for the agent, whatever sessions its events name: who could choose the
//! session could choose a fresh limit.

use super::policy::Policy;
use std::collections::VecDeque;

/// What has been shown lately.
#[derive(Debug)]
pub struct Limits {
    /// When the second began that is counted, and how many came in it.
    second: (f64, u64),
    /// Of each velocity, the times of those in its window: at most as many as it allows.
    recent: Vec<VecDeque<f64>>,
}

impl Limits {
    pub fn new(policy: &Policy) -> Self {
        let recent = policy.velocities.iter().map(|_| VecDeque::new()).collect();
        Self { second: (f64::NEG_INFINITY, 0), recent }
    }

    /// Counts an event that the policy allows, unless it is one too many. Those that are blocked do not count.
    pub fn pass(&mut self, policy: &Policy, event_type: &str, now: f64) -> Result<(), String> {
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
