//! Recorded events: a shorter list that says the same. Uses `wire`, `dialect`, `rules`, `thread`.

mod compact;
mod kept;

pub use compact::compact;
