//! The snapshot: messages, calls, state, runs.

mod args;
mod calls;
mod history;
mod limits;
mod messages;
mod patches;
mod snapshot;
mod state;
