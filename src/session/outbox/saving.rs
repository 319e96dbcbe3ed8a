//! Saves that the session asks for, and what waits for them: a request that cannot be sent twice and a call of a page's
//! tool leave only once a save that knows of them was written. Sees effects on their way out.
//!
//! ```text
//!  Open, Execute ──► parked ──► Effect::Save ──► saved() ──► Open, Execute
//!                      └─► Close, Abandon: never sent
//! ```
//!
//! The border calls `saved` within a bounded time, whatever becomes of the store: here is no clock.

use crate::session::types::{Effect, Target};
use std::collections::VecDeque;

/// How many bytes of saves a server may lead to in a millisecond: each may be the whole thread.
const PACE: f64 = 10_000.0;

/// The saves that are on their way into the store.
#[derive(Debug, Default)]
pub(in crate::session) struct Saving {
    /// A save has to be written at once: something has happened that must not be lost.
    pub due: bool,
    /// The same, once the last one has had its time: a server may do it again and again.
    pub soon: bool,
    /// The time of the last input, and the time from which effects of the server's data may be saved again.
    pub clock: f64,
    paced: f64,
    /// Milliseconds that a whole save is worth.
    pause: f64,
    /// Names the last one.
    number: u32,
    /// The effects that wait, each for the save of this number.
    parked: Vec<(u32, Effect)>,
    /// The effects that have waited.
    ready: VecDeque<Effect>,
}

impl Saving {
    /// When the save that waits for its time is due.
    pub fn due_at(&self) -> Option<f64> {
        (self.soon && !self.due).then_some(self.paced)
    }

    /// Whether there is something to do now, where the alarm is set to that time.
    pub fn is_due(&self, alarm: Option<f64>) -> bool {
        let paced = self.paced;
        let now = self.clock >= paced || alarm.is_none_or(|alarm| paced < alarm);
        !self.ready.is_empty() || self.due || self.soon && now
    }

    /// A save of this length is written. A short one costs next to nothing; for a part of one the page may ask for the whole.
    pub fn written(&mut self, length: usize, part: bool) {
        if !part {
            self.pause = (length as f64 / PACE).floor();
        }
        self.paced = self.clock + self.pause;
    }

    /// The next effect of a session that somebody saves. `posts`: a request may be sent twice.
    pub(super) fn pass(&mut self, effects: &mut VecDeque<Effect>, posts: bool) -> Option<Effect> {
        if let Some(effect) = self.ready.pop_front() {
            return Some(effect);
        }
        while let Some(effect) = effects.pop_front() {
            match self.take_back(&effect) {
                // The server knows nothing of a run whose request was never sent.
                Some(Effect::Open { run_id, .. }) => effects
                    .retain(|effect| !matches!(effect, Effect::StopRemote { run_id: stopped } if *stopped == run_id)),
                Some(_) => {}
                None => match effect {
                    Effect::Open { target: Target::Run, .. } if !posts => {
                        self.due = true;
                        self.park(effect);
                    }
                    Effect::Execute { .. } => {
                        self.soon = true;
                        self.park(effect);
                    }
                    _ => return Some(effect),
                },
            }
        }
        None
    }

    /// The number of the save that is due.
    pub fn take_due(&mut self) -> Option<u32> {
        if !(self.due || self.soon && self.clock >= self.paced) {
            return None;
        }
        (self.due, self.soon) = (false, false);
        self.number = self.number.wrapping_add(1);
        Some(self.number)
    }

    /// The save of this number was written, or need not be waited for any longer. Gives the requests that may leave now.
    pub fn saved(&mut self, number: u32) -> Vec<u32> {
        let mut requests = Vec::new();
        let saved = self.parked.partition_point(|(wanted, _)| *wanted <= number);
        for (_, effect) in self.parked.drain(..saved) {
            if let Effect::Open { request, .. } = effect {
                requests.push(request);
            }
            self.ready.push_back(effect);
        }
        requests
    }

    fn park(&mut self, effect: Effect) {
        self.parked.push((self.number.wrapping_add(1), effect));
    }

    /// Takes back what waits, if this is about it.
    fn take_back(&mut self, effect: &Effect) -> Option<Effect> {
        if !matches!(effect, Effect::Close { .. } | Effect::Abandon { .. }) {
            return None;
        }
        let at = self.parked.iter().position(|(_, parked)| match (parked, effect) {
            (Effect::Open { request, .. }, Effect::Close { request: closed }) => request == closed,
            (Effect::Execute { tool_call_id, .. }, Effect::Abandon { tool_call_id: given_up }) => {
                tool_call_id == given_up
            }
            _ => false,
        })?;
        Some(self.parked.remove(at).1)
    }
}
