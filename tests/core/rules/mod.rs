//! What a stream must keep to.

mod grammar;
mod order;
