//! The replies of a session to calls of the application.

use super::Ticket;

/// The answer to [`crate::session::Session::call`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// There is none.
    Nothing,
    /// Names the submit.
    Ticket(Ticket),
    /// Whether somebody waited for it.
    Taken(bool),
    /// JSON text.
    Json(String),
}
