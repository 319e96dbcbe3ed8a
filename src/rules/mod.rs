//! Rules for events before they are reduced: the grammar, chunk expansion, and the order of events. Event →
//! events or a violation; messages are never touched here.

mod chunks;
mod code;
pub mod grammar;
mod lanes;
mod order;

pub use chunks::ChunkExpander;
pub use code::Code;
pub use order::{OrderKeeper, opener};

/// A rule of the protocol that the peer broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Stable code of the warning or error.
    pub code: Code,
    /// The rule's tag in `docs/rules.md`.
    pub rule: &'static str,
    /// The repair by tolerant rules.
    pub repair: Repair,
    /// The expected and the actual event, in words.
    pub message: String,
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
