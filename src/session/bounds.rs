//! What bounds a session beside the limits of a frame: the size of the thread.

use super::Session;

/// What was counted.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Bytes that came since the thread was measured.
    came: usize,
    /// How many may come before it is measured again.
    room: usize,
}

impl Session {
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
}
