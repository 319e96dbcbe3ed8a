//! How far a frame may go that is not JSON, and why it is no event. Uses nothing of the crate.

use std::fmt;

/// Why a frame is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undecodable {
    /// A well-formed event that AG-UI 1.0 does not have.
    UnknownEvent,
    /// Nested deeper than the limit.
    TooDeep,
    /// As JSON longer than the limit.
    TooLong,
    /// Not the protobuf of an event: what is wrong.
    Broken(&'static str),
}

impl fmt::Display for Undecodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEvent => f.write_str("the frame has an event that AG-UI 1.0 does not have"),
            Self::TooDeep => f.write_str("the frame is nested deeper than limits.depth"),
            Self::TooLong => f.write_str("the frame is as JSON longer than limits.frameBytes"),
            Self::Broken(what) => write!(f, "the frame is no event in protobuf: {what}"),
        }
    }
}

/// How far a frame may go.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How deep it may be nested.
    pub depth: usize,
    /// How many bytes its JSON may have: a field of two bytes may stand for an object with all its members.
    pub bytes: usize,
}
