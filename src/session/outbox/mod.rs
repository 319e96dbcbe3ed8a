//! The outputs of a session: effects, notifications, patches, saves. It decides in which order, and how much; not what.
//!
//! ```text
//!  handlers ► effects ─┬──────────────────► next()        Changed: once until a patch is taken
//!                      └─► saving: parked ──► next()      Wake: only where the time is another one
//!  thread, verdict, queue ──► mirror ──► take_patch()
//! ```

mod mirror;
mod saving;

pub(super) use mirror::Shown;

use super::options::Options;
use super::types::Effect;
use crate::thread::Warning;
use mirror::Mirror;
use saving::Saving;
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct Outbox {
    effects: VecDeque<Effect>,
    /// `Effect::Changed` was given since the last patch; whether as urgent.
    pub notified: Option<bool>,
    /// The time that `Effect::Wake` was given last.
    alarm: Option<f64>,
    /// Warnings that the run has reported.
    pub warnings: usize,
    pub saving: Saving,
    pub mirror: Mirror,
}

/// The next output.
#[derive(Debug)]
pub(super) enum Outgoing {
    Effect(Effect),
    /// A save of this number has to be written.
    Save(u32),
    Nothing,
}

impl Outbox {
    pub fn push(&mut self, effect: Effect) {
        self.effects.push_back(effect);
    }

    pub fn warn(&mut self, warning: Warning) {
        self.push(Effect::Warning(warning));
    }

    /// The snapshot is out of date. Said once until a patch is taken, and again when it becomes urgent.
    pub fn changed(&mut self, urgent: bool) {
        let notified = self.notified.is_some_and(|notified| notified || !urgent);
        if !notified {
            self.notified = Some(urgent);
            self.push(Effect::Changed { urgent });
        }
    }

    /// Asks to be called at this time. Timers of JavaScript may fire up to a millisecond early.
    pub fn wake(&mut self, at: Option<f64>) {
        if self.alarm != at {
            self.alarm = at;
            self.push(Effect::Wake { at });
        }
    }

    /// The same, where the alarm that is set is not a later one.
    pub fn wake_by(&mut self, at: Option<f64>) {
        if at.is_none_or(|at| self.alarm.is_none_or(|alarm| at < alarm)) {
            self.wake(at);
        }
    }

    /// The alarm has fired: the next one may be for the same time.
    pub fn woken(&mut self) {
        self.alarm = None;
    }

    /// So late it is.
    pub fn set_clock(&mut self, now: f64) {
        self.saving.clock = now;
        // Timers of JavaScript may fire early, and the next one may be for the same time.
        if self.alarm.is_some_and(|alarm| Some(alarm) == self.saving.due_at()) {
            self.woken();
        }
    }

    /// The next thing to do.
    pub fn next(&mut self, options: &Options) -> Outgoing {
        loop {
            let effect = if options.saves {
                self.saving.pass(&mut self.effects, options.network.posts)
            } else {
                self.effects.pop_front()
            };
            let Some(effect) = effect else {
                if !options.saves {
                    return Outgoing::Nothing;
                }
                let due = self.saving.take_due();
                if due.is_none() && self.saving.due_at().is_some() {
                    self.wake_by(self.saving.due_at());
                    if let Some(wake) = self.effects.pop_front() {
                        return Outgoing::Effect(wake);
                    }
                }
                return due.map_or(Outgoing::Nothing, Outgoing::Save);
            };
            if let Some(effect) = self.within_bounds(effect, options.max_warnings) {
                return Outgoing::Effect(effect);
            }
        }
    }

    /// Whether `next` has something to give.
    pub fn has_next(&self, options: &Options) -> bool {
        let due = || self.saving.is_due(self.alarm);
        !self.effects.is_empty() || options.saves && due()
    }

    /// Whether an effect is to be performed. Of the warnings of a run, only so many are.
    fn within_bounds(&mut self, effect: Effect, most: usize) -> Option<Effect> {
        let Effect::Warning(warning) = effect else { return Some(effect) };
        self.warnings += 1;
        warning.within(self.warnings, most).map(Effect::Warning)
    }
}
