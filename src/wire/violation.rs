//! Rules of the protocol that a peer has broken.

use super::json::JsonError;

/// A rule of the protocol that the peer broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Stable code of the warning or error.
    pub code: &'static str,
    /// The rule's tag in `docs/rules.md`.
    pub rule: &'static str,
    /// The repair by tolerant rules.
    pub repair: Repair,
    /// The expected and the actual event, in words.
    pub message: String,
    /// The `type` of the event, where it has one.
    pub event_type: Option<String>,
}

/// The repair by tolerant rules of an event that breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repair {
    /// Reduce it all the same.
    Keep,
    /// Leave it out.
    Drop,
    /// Open the message that it continues first.
    Open,
}

impl Violation {
    /// The code of an event that AG-UI 1.0 does not have.
    pub(crate) const UNKNOWN: &'static str = "event-unknown";

    /// One for which an event, or what should have been one, is left out.
    #[inline(never)]
    pub(crate) fn new(code: &'static str, rule: &'static str, message: impl Into<String>) -> Self {
        Self { code, rule, repair: Repair::Drop, message: message.into(), event_type: None }
    }

    /// An event of this type: AG-UI 1.0 does not have it.
    pub(crate) fn unknown(name: &str) -> Self {
        Self::new(Self::UNKNOWN, "G1", format!("\"{name}\" is not an event of AG-UI 1.0")).of(name)
    }

    /// The same, of an event of this type.
    pub(crate) fn of(self, event: &str) -> Self {
        Self { event_type: Some(event.to_owned()), ..self }
    }
}

impl From<JsonError> for Violation {
    fn from(error: JsonError) -> Self {
        match error {
            JsonError::Syntax { at } => Self::new("frame-not-json", "T9", format!("the frame is not JSON (byte {at})")),
            JsonError::TooDeep => Self::new("frame-too-deep", "T9", "the frame is nested deeper than limits.depth"),
        }
    }
}
