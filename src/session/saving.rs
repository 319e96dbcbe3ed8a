//! Saves that the session asks for, and what waits for them: a request that cannot be sent twice and a call of a page's
//! tool leave only once a save that knows of them was written. Sees effects on their way out; `mod.rs` says when a save is
//! due.
//!
//! ```text
//!  Open, Execute ──► parked ──► Effect::Save { holds: true } ──► saved() ──► Open, Execute
//!                      └─► Close, Abandon: never sent
//! ```
//!
//! The border calls `saved` within a bounded time, whatever becomes of the store: here is no clock.

use super::{Effect, Session, Target};
use std::collections::VecDeque;

/// What of a session is on its way into the store.
#[derive(Debug, Default)]
pub(super) struct Saving {
    /// A save has to be written.
    due: bool,
    /// Names the last one.
    number: u32,
    /// What waits, each for the save of this number.
    parked: VecDeque<(u32, Effect)>,
    /// What has waited.
    ready: VecDeque<Effect>,
}

impl Saving {
    /// Something has happened that must not be lost.
    pub fn ask(&mut self) {
        self.due = true;
    }

    fn park(&mut self, effect: Effect) {
        self.due = true;
        self.parked.push_back((self.number.wrapping_add(1), effect));
    }

    /// Takes back what waits, if this is about it.
    fn take_back(&mut self, effect: &Effect) -> Option<Effect> {
        let at = self.parked.iter().position(|(_, parked)| match (parked, effect) {
            (Effect::Open { request, .. }, Effect::Close { request: closed }) => request == closed,
            (Effect::Execute { tool_call_id, .. }, Effect::Abandon { tool_call_id: given_up }) => {
                tool_call_id == given_up
            }
            _ => false,
        })?;
        self.parked.remove(at).map(|(_, effect)| effect)
    }
}

impl Session {
    /// The next effect of a session that somebody saves.
    pub(super) fn poll_saving(&mut self) -> Option<Effect> {
        if let Some(effect) = self.saving.ready.pop_front() {
            return Some(effect);
        }
        while let Some(effect) = self.effects.pop_front() {
            match self.saving.take_back(&effect) {
                // The server knows nothing of a run whose request was never sent.
                Some(Effect::Open { run_id, .. }) => self
                    .effects
                    .retain(|effect| !matches!(effect, Effect::StopRemote { run_id: stopped } if *stopped == run_id)),
                Some(_) => {}
                None => match effect {
                    Effect::Open { target: Target::Run, .. } if !self.options.network.posts => self.saving.park(effect),
                    Effect::Execute { .. } => self.saving.park(effect),
                    _ => return Some(effect),
                },
            }
        }
        // A session that was disposed of has nothing left to be saved: that was taken before.
        if !std::mem::take(&mut self.saving.due) || self.disposed {
            return None;
        }
        self.saving.number = self.saving.number.wrapping_add(1);
        let number = self.saving.number;
        let holds = self.saving.parked.iter().any(|(wanted, _)| *wanted == number);
        Some(Effect::Save { number, save: self.save(), holds })
    }

    /// The save of this number was written, or need not be waited for any longer.
    pub fn saved(&mut self, number: u32, now: f64) {
        while self.saving.parked.front().is_some_and(|(wanted, _)| *wanted <= number) {
            let Some((_, effect)) = self.saving.parked.pop_front() else { return };
            // Until now the connection was not idle, but not there yet.
            if let (Effect::Open { request, .. }, Some(run)) = (&effect, &mut self.run)
                && *request == run.request
            {
                run.heard = now;
                self.watch();
            }
            self.saving.ready.push_back(effect);
        }
    }
}
