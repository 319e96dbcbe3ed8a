//! What happens to events before they are reduced: chunk expansion. Event → events or a violation; messages are
//! never touched here.

mod chunks;

pub use chunks::ChunkExpander;

/// A rule of the protocol that the peer broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Stable code of the warning or error.
    pub code: &'static str,
    /// The rule's tag in `docs/rules.md`.
    pub rule: &'static str,
    /// What was expected and what came.
    pub message: String,
}
