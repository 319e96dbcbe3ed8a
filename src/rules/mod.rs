//! Rules for events before they are reduced: the grammar, chunk expansion, and the order of events. Event →
//! events or a violation; messages are never touched here.

mod chunks;
pub mod grammar;
mod lanes;
mod order;

pub use crate::wire::{Repair, Violation};
pub use chunks::ChunkExpander;
pub use order::{OrderKeeper, opener};
