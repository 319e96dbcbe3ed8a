//! Bytes to events.

mod cuts;
mod events;
mod framings;
mod protobuf;
mod recordings;
