//! The stable codes of broken rules.

use crate::wire::EventError;

/// The kind of rule that was broken, by its name in the API, described in `docs/rules.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(&'static str);

#[allow(missing_docs)] // As the codes say.
impl Code {
    pub const RUN_NOT_STARTED: Self = Self("run-not-started");
    pub const RUN_NOT_FINISHED: Self = Self("run-not-finished");
    pub const EVENT_AFTER_END: Self = Self("event-after-end");
    pub const NOT_OPEN: Self = Self("not-open");
    pub const ALREADY_OPEN: Self = Self("already-open");
    pub const OWNER_CONFLICT: Self = Self("owner-conflict");
    pub const LEFT_OPEN: Self = Self("left-open");
    pub const SUBAGENT_REUSED: Self = Self("subagent-reused");
    pub const SUBAGENT_PARENT_UNKNOWN: Self = Self("subagent-parent-unknown");
    pub const CHUNK_WITHOUT_ID: Self = Self("chunk-without-id");
    pub const CHUNK_AMBIGUOUS: Self = Self("chunk-ambiguous");
    pub const CHUNK_CONFLICT: Self = Self("chunk-conflict");
    pub const CHUNK_OWNER: Self = Self("chunk-owner");
    pub const CHUNK_WITHOUT_NAME: Self = Self("chunk-without-name");
    pub const EVENT_UNKNOWN: Self = Self("event-unknown");
    pub const EVENT_MALFORMED: Self = Self("event-malformed");
    pub const MEMBER_MALFORMED: Self = Self("member-malformed");
    pub const FRAME_NOT_DECODABLE: Self = Self("frame-not-decodable");

    /// How a frame, or a frame of another system, could not be read.
    pub const fn frame(code: &'static str) -> Self {
        Self(code)
    }

    /// The code of a frame that is no event.
    pub fn of(error: &EventError) -> Self {
        Self(error.code())
    }

    /// The code that warnings and errors have.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}
