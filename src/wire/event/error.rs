//! Why a frame is no event.

use super::super::json::JsonError;
use std::fmt;

/// Why a frame is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventError {
    /// Not JSON, or nested too deep.
    Json(JsonError),
    /// JSON, but no object.
    NotObject,
    /// An object without a `type`.
    NoType,
    /// A `type` that AG-UI 1.0 does not have.
    Unknown(String),
    /// A required member is missing, or a member is not what it must be.
    Member {
        /// The event's `type`.
        event: String,
        /// The member's name.
        member: &'static str,
        /// The expected value.
        expected: &'static str,
    },
}

impl EventError {
    /// The stable code that a warning about it carries.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(JsonError::Syntax { .. }) => "frame-not-json",
            Self::Json(JsonError::TooDeep) => "frame-too-deep",
            Self::NotObject => "frame-not-object",
            Self::NoType => "frame-without-type",
            Self::Unknown(_) => "event-unknown",
            Self::Member { .. } => "event-malformed",
        }
    }

    /// The tag of the rule that the frame breaks, in `docs/rules.md`.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Json(_) => "T9",
            Self::NotObject | Self::NoType => "T10",
            Self::Unknown(_) => "G1",
            Self::Member { .. } => "G4",
        }
    }

    /// The event's `type`, where it has one.
    pub fn event_type(&self) -> Option<&str> {
        match self {
            Self::Unknown(event) | Self::Member { event, .. } => Some(event),
            _ => None,
        }
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(JsonError::Syntax { at }) => write!(f, "the frame is not JSON (byte {at})"),
            Self::Json(JsonError::TooDeep) => f.write_str("the frame is nested deeper than limits.depth"),
            Self::NotObject => f.write_str("the frame is JSON, but not an object"),
            Self::NoType => f.write_str("the frame has no \"type\""),
            Self::Unknown(name) => write!(f, "\"{name}\" is not an event of AG-UI 1.0"),
            Self::Member { event, member, expected } => write!(f, "{event}: \"{member}\" must be {expected}"),
        }
    }
}

impl From<JsonError> for EventError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}
