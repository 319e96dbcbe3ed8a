//! Warnings.

use super::text::shortened;
use super::write::JsonWriter;

/// UTF-16 units of a warning's text that are reported.
const LONGEST: usize = 1000;

/// Something odd that was dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Stable code.
    pub code: &'static str,
    /// The tag of the protocol's rule that was broken, in `docs/rules.md`.
    pub rule: Option<&'static str>,
    /// For people.
    pub message: String,
    /// The `type` of the event it is about, where that is known.
    pub event_type: Option<String>,
}

impl Warning {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, rule: None, message: message.into(), event_type: None }
    }

    /// The warning as it is reported, as number `count` of a run that reports at most so many; the first one beyond says that others are left out.
    pub(crate) fn within(mut self, count: usize, most: usize) -> Option<Self> {
        match count.checked_sub(most) {
            None | Some(0) => {
                self.message = shortened(&self.message, LONGEST).into_owned();
                Some(self)
            }
            Some(1) => {
                let message = "the run has reported limits.warnings warnings: further ones are left out";
                Some(Self::new("warnings-left-out", message))
            }
            Some(_) => None,
        }
    }

    /// Writes it as the page reads it: `{code, rule?, message, eventType?}`.
    pub(crate) fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("code", self.code).optional("rule", self.rule).string("message", &self.message);
        object.optional("eventType", self.event_type.as_deref());
    }
}
