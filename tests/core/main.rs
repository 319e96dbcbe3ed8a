//! The core without JavaScript, a folder for each room of `src`: bytes and commands in, patches and effects out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[macro_use]
#[path = "../support/mod.rs"]
mod support;

mod dialect;
mod guard;
mod journal;
mod rules;
mod session;
mod stepper;
mod thread;
mod wire;
