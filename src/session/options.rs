//! How a session is to work.

use super::rejoin::Network;
use crate::wire::{Protocol, Wanted};

/// How a session is to work. Every limit is the application's to set.
#[derive(Debug, Clone)]
pub struct Options {
    /// The conversation's id.
    pub thread_id: String,
    /// A broken rule ends the run with an error, instead of a warning.
    pub strict: bool,
    /// Bodies may be in the binary framing, default yes.
    pub binary: bool,
    /// The server's version of AG-UI, default 1.0.
    pub protocol: Protocol,
    /// The events that are reported as they came (`Effect::Event`), default none.
    pub events: Wanted,
    /// Bytes of one frame, default 10 MiB.
    pub max_frame_bytes: usize,
    /// Bytes of a frame that is read in steps, default 64 KiB.
    pub long_event: usize,
    /// Bytes of the state, and of an activity's content, as JSON, default 16 MiB.
    pub max_state_bytes: usize,
    /// Bytes of the whole thread, default 64 MiB.
    pub max_thread_bytes: usize,
    /// Elements of each list of the thread: messages, calls, steps, subagents, interrupts, usage.
    pub max_items: usize,
    /// Warnings that a run reports, default 1,000.
    pub max_warnings: usize,
    /// Bytes kept of a body that is no stream, default 64 KiB.
    pub max_error_body_bytes: usize,
    /// Milliseconds that such a body is waited for, default 5,000.
    pub error_body_ms: f64,
    /// Submits that may wait, default 32.
    pub max_queue: usize,
    /// Levels of nesting in a frame, and in a document that patches build, default 512.
    pub max_depth: usize,
    /// Checkpoints that the application keeps, default 100; 0: none are written.
    pub max_history: usize,
    /// Milliseconds that a body may stay open after its run has ended, default 1,000.
    pub grace_ms: f64,
    /// Somebody keeps its saves ([`super::Effect::Save`]), default no.
    pub saves: bool,
    /// The policy for network failures.
    pub network: Network,
}

impl Options {
    /// The default of [`Options::long_event`]: some milliseconds' worth of work.
    pub const LONG_EVENT: usize = 64 * 1024;
}

impl Default for Options {
    fn default() -> Self {
        Self {
            thread_id: String::new(),
            strict: false,
            binary: true,
            protocol: Protocol::CURRENT,
            events: Wanted::default(),
            max_frame_bytes: 10 * 1024 * 1024,
            long_event: Self::LONG_EVENT,
            max_state_bytes: 16 * 1024 * 1024,
            max_thread_bytes: 64 * 1024 * 1024,
            max_items: 100_000,
            max_warnings: 1000,
            max_error_body_bytes: 64 * 1024,
            error_body_ms: 5000.0,
            max_queue: 32,
            max_depth: 512,
            max_history: 100,
            grace_ms: 1000.0,
            saves: false,
            network: Network::default(),
        }
    }
}
