//! One frame of the binary framing → the JSON text of the same event.

/// Why a binary frame is no event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undecodable {
    /// Well-formed, but of an event that this protocol does not have.
    UnknownEvent,
    /// What is wrong with it.
    Broken(&'static str),
}

/// Appends the event to `out`.
pub fn to_json(frame: &[u8], max_depth: usize, out: &mut String) -> Result<(), Undecodable> {
    let _ = (frame, max_depth, out);
    Err(Undecodable::UnknownEvent)
}
