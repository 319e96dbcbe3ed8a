//! Lists of events.

mod compact;
