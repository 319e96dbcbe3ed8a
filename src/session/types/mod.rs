//! The types of a session that its border knows, too. Uses nothing else of the session.

mod effect;
mod error;
mod misuse;
mod outcome;
mod reply;

pub use crate::document::{ErrorKind, Outcome};
pub use effect::{Effect, Target};
pub use error::AgentError;
pub use misuse::Misuse;
pub(super) use misuse::{list, value};
pub(super) use outcome::{Ended, RunEnd, settlement};
pub use reply::Reply;

/// The core's own number of a submit, until that is settled. Outside of it a submit is called by the id of its run.
pub type Ticket = u32;

/// Whether a server's id of a run is one: addresses are made with it, in which these two mean something else.
pub(super) fn is_a_name(id: &str) -> bool {
    !matches!(id, "" | "." | "..")
}
