//! The words of a session that its border knows, too. Uses nothing else of the session.

mod boundary;
mod effect;
mod error;
mod misuse;
mod outcome;

pub use boundary::Boundary;
pub use effect::{Effect, Target};
pub use error::{AgentError, ErrorKind};
pub use misuse::Misuse;
pub use outcome::Outcome;
pub(super) use outcome::{Ended, settlement};

/// Names a submit until it is settled.
pub type Ticket = u32;
