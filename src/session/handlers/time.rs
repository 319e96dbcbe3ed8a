//! The passing of time: what is to be done if nothing comes.

use crate::session::Session;
use crate::session::run::RunState;

impl Session {
    /// Time has passed.
    pub fn tick(&mut self, now: f64) {
        self.outbox.set_clock(now);
        let (Some(until), Some(run)) = (self.deadline(), &self.run) else { return };
        if now < until {
            // Timers of JavaScript may fire up to a millisecond early.
            self.outbox.woken();
            return self.outbox.wake(Some(until));
        }
        match run.state() {
            RunState::Draining(_) | RunState::Failed => self.close_and_go_on(now),
            RunState::Waiting | RunState::Lost => self.open_again(now),
            RunState::Connecting | RunState::Streaming | RunState::Refused => {
                let tells = run.body_until().is_none_or(|until| now < until);
                // It has fired, and the next one may be for the same time.
                self.outbox.woken();
                // Nothing more is wanted from it, whatever becomes of the run.
                self.hang_up_request();
                match tells {
                    true => {
                        let idle = self.options.network.idle_ms as u64;
                        self.fail(&format!("nothing came for {idle} ms"), now);
                    }
                    // The events so far are all that is waited for.
                    false => self.body_ended(now),
                }
            }
        }
    }

    /// When something is to be done if nothing comes.
    pub(super) fn deadline(&self) -> Option<f64> {
        let run = self.run.as_ref()?;
        if let RunState::Draining(_) | RunState::Waiting | RunState::Lost = run.state() {
            return Some(run.until);
        }
        let idle = self.options.network.idle_ms;
        let idle = (idle > 0.0).then_some(run.heard + idle);
        let body = run.body_until();
        idle.map_or(body, |idle| Some(body.map_or(idle, |body| body.min(idle))))
    }

    /// Asks to be called when something is to be done. A call that comes early asks again.
    pub(in crate::session) fn watch(&mut self) {
        self.outbox.wake_by(self.deadline());
    }
}
