//! The handlers of a session, one for each input of the border; inputs that follow one rule share a file, and `call` has the names of
//! all that the application may ask. A handler asks the parts, and does what they decide; no part knows of another one unless it is
//! handed it.
//!
//! ```text
//!  asks, stop, attach, edits, interrupts, approvals ─► begin ─► connections ◄─ time, network ─► frames ─► events ─► end ─► begin
//!                                                                              place, dialect, guard ──┘     └──► calls
//! ```

mod approvals;
mod asks;
mod attach;
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
mod stop;
mod time;
