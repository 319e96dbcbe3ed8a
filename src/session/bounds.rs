//! What bounds a session beside the limits of a frame: the size of the thread, and the warnings of a run.

use super::{Effect, Session};
use crate::thread::Warning;
use crate::wire::shortened;

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Bytes that came since the thread was measured.
    came: usize,
    /// How many may come before it is measured again.
    room: usize,
    /// Warnings of this run.
    warnings: usize,
}

/// UTF-16 units of a warning's text that are told.
const LONGEST: usize = 1000;

impl Session {
    /// A run begins: its warnings are counted anew.
    pub(super) fn begin_warnings(&mut self) {
        self.bounds.warnings = 0;
    }

    /// So many bytes came for the thread. It is measured when it may have become too large; what came since it was measured
    /// pays for that.
    pub(super) fn took(&mut self, bytes: usize) {
        let bounds = &mut self.bounds;
        bounds.came += bytes;
        if bounds.came > bounds.room {
            bounds.came = 0;
            bounds.room = self.thread.measure(self.options.max_thread_bytes, self.options.max_items);
        }
    }

    /// Whether an effect is to be performed. Of the warnings of a run, only so many are.
    pub(super) fn within_bounds(&mut self, effect: Effect) -> Option<Effect> {
        let Effect::Warning(warning) = effect else { return Some(effect) };
        self.bounds.warnings += 1;
        match self.bounds.warnings.checked_sub(self.options.max_warnings) {
            None | Some(0) => {
                let message = shortened(&warning.message, LONGEST).into_owned();
                Some(Effect::Warning(Warning { message, ..warning }))
            }
            Some(1) => {
                let message = "the run has reported limits.warnings warnings: further ones are left out";
                Some(Effect::Warning(Warning::new("warnings-left-out", message)))
            }
            Some(_) => None,
        }
    }
}
