//! How far a stream was read, and what of it comes again. Pure.

use super::once::Once;
use super::policy::Resume;
use crate::thread::{At, Checkpoint, Index};
use crate::wire::Frame;

/// How far the stream of a run was read, over all of its connections.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The mark of the last event.
    pub cursor: Option<String>,
    /// RUN_STARTED has come.
    pub started: bool,
    /// The thread before the run, where it may be replayed.
    pub checkpoint: Option<Checkpoint>,
    /// A replay has begun, and nothing has come of it yet but what the thread has.
    pub rewinds: bool,
    /// The last message of the thread when the run began.
    pub behind: Option<String>,
    /// What was reported: events, CUSTOM events, token counts, checkpoints, warnings, decisions.
    pub told: Once,
    /// The session was restored while this run was in progress, and the run has not ended since.
    pub restored: bool,
    /// Marks that do not grow, with the connection that they came over.
    seen: Index,
    connection: usize,
    /// The mark at the beginning of this connection, where marks grow.
    floor: Option<u64>,
}

impl Progress {
    /// Another connection begins.
    pub fn reconnect(&mut self) {
        self.connection += 1;
        self.floor = self.cursor.as_ref().and_then(|cursor| cursor.parse().ok());
    }

    /// Notes a frame. Says whether it came over an earlier connection already. Within one connection frames may share a
    /// mark: those that a server made of one thing.
    pub fn is_repeated(&mut self, resume: &Resume, frame: &Frame<'_>, max_depth: usize) -> bool {
        let Some((mark, number)) = resume.mark(frame, max_depth) else { return false };
        let repeated = match (number, self.floor) {
            (Some(number), Some(floor)) => number <= floor,
            (Some(_), None) => false,
            (None, _) => {
                let connection = At { message: self.connection, call: 0 };
                *self.seen.entry(mark.clone()).or_insert(connection) != connection
            }
        };
        if !repeated {
            self.cursor = Some(mark);
        }
        repeated
    }
}
