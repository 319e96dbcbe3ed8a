//! How a run may end.

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The snapshot's own words.
#[non_exhaustive]
pub enum Outcome {
    Success,
    Error,
    Aborted,
    Interrupted,
    Cancelled,
    Truncated,
    /// Never begun: `ifBusy` was "drop", and a run was on.
    Dropped,
    /// Left to the server.
    Disconnected,
}

impl Outcome {
    /// Its name in the snapshot.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
            Self::Truncated => "truncated",
            Self::Dropped => "dropped",
            Self::Disconnected => "disconnected",
        }
    }
}
