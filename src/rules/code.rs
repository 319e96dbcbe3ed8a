//! The stable codes of broken rules.

use crate::wire::EventError;

/// The kind of rule that was broken. Names in the API: [`Code::as_str`], described in `docs/rules.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // As the codes say.
pub enum Code {
    RunNotStarted,
    RunNotFinished,
    EventAfterEnd,
    NotOpen,
    AlreadyOpen,
    OwnerConflict,
    LeftOpen,
    SubagentReused,
    SubagentParentUnknown,
    ChunkWithoutId,
    ChunkAmbiguous,
    ChunkConflict,
    ChunkOwner,
    ChunkWithoutName,
    EventUnknown,
    EventMalformed,
    MemberMalformed,
    FrameNotDecodable,
    /// How a frame, or a frame of another system, could not be read.
    Frame(&'static str),
}

impl Code {
    /// The code of a frame that is no event.
    pub fn of(error: &EventError) -> Self {
        match error {
            EventError::Unknown(_) => Self::EventUnknown,
            EventError::Member { .. } => Self::EventMalformed,
            EventError::Json(_) | EventError::NotObject | EventError::NoType => Self::Frame(error.code()),
        }
    }

    /// The code that warnings and errors have.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RunNotStarted => "run-not-started",
            Self::RunNotFinished => "run-not-finished",
            Self::EventAfterEnd => "event-after-end",
            Self::NotOpen => "not-open",
            Self::AlreadyOpen => "already-open",
            Self::OwnerConflict => "owner-conflict",
            Self::LeftOpen => "left-open",
            Self::SubagentReused => "subagent-reused",
            Self::SubagentParentUnknown => "subagent-parent-unknown",
            Self::ChunkWithoutId => "chunk-without-id",
            Self::ChunkAmbiguous => "chunk-ambiguous",
            Self::ChunkConflict => "chunk-conflict",
            Self::ChunkOwner => "chunk-owner",
            Self::ChunkWithoutName => "chunk-without-name",
            Self::EventUnknown => "event-unknown",
            Self::EventMalformed => "event-malformed",
            Self::MemberMalformed => "member-malformed",
            Self::FrameNotDecodable => "frame-not-decodable",
            Self::Frame(code) => code,
        }
    }
}
