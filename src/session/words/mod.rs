//! The words of a session that its border knows, too. Uses nothing else of the session.

mod effect;
mod error;
mod misuse;
mod outcome;

pub use effect::{Effect, Target};
pub use error::{AgentError, ErrorKind};
pub use misuse::Misuse;
pub use outcome::Outcome;

/// Names a submit until it is settled.
pub type Ticket = u32;
