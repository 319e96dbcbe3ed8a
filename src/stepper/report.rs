//! The reports of a stepper: broken rules, warnings, limits.

use super::{Stepper, broken};
use crate::rules::{Code, Repair, Violation};
use crate::session::AgentError;
use crate::thread::Warning;
use crate::wire::{EventError, JsonWriter, shortened};

/// UTF-16 units of a warning's text that are reported.
const LONGEST: usize = 1000;

impl Stepper {
    /// Why nothing more of the stream is taken, as JSON text, once all that came before has been settled.
    pub fn failure(&self) -> Option<String> {
        let failure = self.failure.as_ref().filter(|_| self.waiting.is_empty())?;
        let mut json = String::new();
        failure.write(&mut json);
        Some(json)
    }

    /// Takes the warnings that came up since the last call: a JSON array of `{code, message, rule?, eventType?}`.
    pub fn take_warnings(&mut self) -> Option<String> {
        if self.warnings.is_empty() {
            return None;
        }
        let mut json = String::new();
        let mut list = JsonWriter::array(&mut json);
        for Warning { code, rule, message, event_type } in std::mem::take(&mut self.warnings) {
            let mut object = JsonWriter::object(list.item());
            object.string("code", code).string("message", &shortened(&message, LONGEST));
            object.optional("rule", rule).optional("eventType", event_type.as_deref());
            object.close();
        }
        list.close();
        Some(json)
    }

    /// Only so many are reported.
    pub(super) fn warn(&mut self, warning: Warning) {
        self.warned = self.warned.saturating_add(1);
        match self.warned.checked_sub(self.settings.warnings) {
            None | Some(0) => self.warnings.push(warning),
            Some(1) => {
                let message = "the run has reported limits.warnings warnings: further ones are left out";
                self.warnings.push(Warning::new("warnings-left-out", message));
            }
            Some(_) => {}
        }
    }

    /// Reports the thread's warnings, and the limit that it would exceed.
    pub(super) fn note_thread(&mut self) {
        if self.thread.has_warnings() {
            for warning in self.thread.take_warnings() {
                self.warn(warning);
            }
        }
        if let Some(exceeded) = self.thread.take_exceeded() {
            self.waiting.clear();
            self.fail(AgentError::exceeded(exceeded));
        }
    }

    pub(super) fn malformed(&mut self, code: Code, repair: Repair, error: &EventError) -> Repair {
        let violation = Violation { code, rule: error.rule(), repair, message: format!("{error}") };
        self.violation(violation, error.event_type().map(str::to_owned))
    }

    /// A rule was broken: the end of the stream if they are strict, a warning if they are not. Returns what to do now.
    pub(super) fn violation(&mut self, violation: Violation, event_type: Option<String>) -> Repair {
        // An event that AG-UI 1.0 does not have is no mistake: a later version may have it.
        if self.settings.strict && violation.code != Code::EventUnknown {
            self.fail(broken(violation, event_type));
            return Repair::Drop;
        }
        let Violation { code, rule, repair, message } = violation;
        self.warn(Warning { code: code.as_str(), rule: Some(rule), message, event_type });
        repair
    }

    /// So many bytes came for the thread. It is measured when it may have become too large; what came since it was measured
    /// pays for that.
    pub(super) fn took(&mut self, bytes: usize) {
        self.came += bytes;
        if self.came > self.room {
            self.came = 0;
            self.room = self.thread.measure(self.settings.thread_bytes, self.settings.items);
        }
    }
}
