//! Recorded events: a shorter list that says the same. Uses `wire`, `dialect`, `rules`, `thread`.

mod compact;
mod entry;

pub use compact::compact;
