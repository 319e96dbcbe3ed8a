//! The limits of a thread.

/// The most that a thread may hold. A few bytes of a patch can nest or double a document with every operation.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadLimits {
    /// Levels of nesting in the state, and in the content of an activity.
    pub depth: usize,
    /// Bytes of the state, and of the content of an activity, as JSON; and what the copies of a patch add to it.
    pub state_bytes: usize,
}

/// A limit that an input would exceed. The input is not applied: the snapshot stays, and the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LimitExceeded {
    /// Stable code of the error.
    pub code: &'static str,
    /// The application's name of the limit.
    pub option: &'static str,
    pub limit: usize,
}

/// The bytes that copies of patches add. Their length pays for some of it; for the rest there is as much room as for a
/// state: so the copies that a server makes the page keep grow with the length of its data.
#[derive(Debug, Default)]
pub(crate) struct Copies(usize);

impl Copies {
    /// So many bytes of copies are paid for by a byte of a patch.
    const PAID: usize = 64;

    pub fn pay(&mut self, bytes: usize) {
        self.0 = self.0.saturating_sub(bytes.saturating_mul(Self::PAID));
    }

    /// Whether there is room for so many bytes more.
    pub fn spend(&mut self, bytes: usize, limits: ThreadLimits) -> bool {
        self.0 = self.0.saturating_add(bytes);
        self.0 <= limits.state_bytes
    }
}

impl ThreadLimits {
    /// The error for a document that would be larger.
    pub(super) fn exceeded(self) -> LimitExceeded {
        LimitExceeded { code: "state-too-large", option: "limits.stateBytes", limit: self.state_bytes }
    }
}
