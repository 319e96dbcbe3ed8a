//! Places in lists, found by id.

use std::collections::HashMap;

/// The slot of a message, and for a tool call its place among that message's calls; or a place in any other list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct At {
    pub message: usize,
    pub call: usize,
}

/// Places by id. One type for all look-ups, so that the code of the map is in the module once.
pub(crate) type Index = HashMap<String, At>;
