//! The rules of a stream.

mod grammar;
mod order;
