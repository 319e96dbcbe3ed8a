//! Warnings about a value.

/// Something odd about a message, that was dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Stable code of the warning.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

impl Note {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}
