//! The replies of a session to calls of the application.

/// The answer to [`crate::session::Session::call`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// There is none.
    Nothing,
    /// Whether somebody waited for it.
    Taken(bool),
    /// JSON text.
    Json(String),
}
