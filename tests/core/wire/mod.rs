//! Bytes to events.

mod cuts;
mod framings;
mod protobuf;
mod recordings;
