//! The handlers of a session: a file for each side that inputs come from, and for each step on the way of a run. A handler asks the
//! parts, and does what they decide; no part knows of another one unless it is handed it.
//!
//! ```text
//!  asks, edits, interrupts, approvals ─► begin ─► connections ◄─ network ─► frames ─► events ─► end ─► begin
//!                                                           place, dialect, guard ──┘     └──► calls
//! ```

mod approvals;
mod asks;
mod begin;
mod call;
mod calls;
mod connections;
mod dialect;
mod edits;
mod end;
mod events;
mod frames;
pub(super) mod guard;
mod interrupts;
mod network;
mod place;
mod save;
