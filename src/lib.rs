//! A client for agents that speak AG-UI: bytes in, patches out.
//!
//! The crate is a sans-IO state machine. [`session::Session`] takes what happens (the application submits, bytes
//! arrive, time passes) and returns effects to perform and a patch that brings a snapshot up to date. In the
//! published package `browser`, compiled for wasm32 only, performs the effects.
#![cfg_attr(not(target_arch = "wasm32"), forbid(unsafe_code))]
// How many lines a function may have: clippy.toml.
#![deny(clippy::too_many_lines)]

pub mod dialect;
mod document;
pub mod guard;
pub mod journal;
mod pipeline;
pub mod rules;
pub mod session;
pub mod stepper;
pub mod thread;
pub mod wire;

#[cfg(target_arch = "wasm32")]
pub mod browser;
