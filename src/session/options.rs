//! How a session is to work.

use super::rejoin::Network;
use super::settings::{Setting, settings};
use super::types::Misuse;
use crate::wire::{Fields, Protocol, Raw, Wanted};

settings! {
    /// How a session is to work. Every limit is the application's to set.
    #[derive(Debug, Clone)]
    Options {
        /// The conversation's id.
        thread_id: String = String::new();
        /// A broken rule ends the run with an error, instead of a warning.
        strict: bool = false;
        /// Bodies may be in the binary framing, default yes.
        binary: bool = true;
        /// The server's version of AG-UI, default 1.0.
        protocol: Protocol = Protocol::CURRENT;
        /// The events that are reported as they came (`Effect::Event`), default none.
        events: Wanted = Wanted::default();
        /// Bytes of one frame, default 10 MiB.
        max_frame_bytes: usize = 10 * 1024 * 1024, "frameBytes";
        /// Bytes of a frame that is read in steps, default 64 KiB.
        long_event: usize = Self::LONG_EVENT;
        /// Bytes of the state, and of an activity's content, as JSON, default 16 MiB.
        max_state_bytes: usize = 16 * 1024 * 1024, "stateBytes";
        /// Bytes of the whole thread, default 64 MiB.
        max_thread_bytes: usize = 64 * 1024 * 1024, "threadBytes";
        /// Elements of each list of the thread: messages, calls, steps, subagents, interrupts, usage.
        max_items: usize = 100_000, "items";
        /// Warnings that a run reports, default 1,000.
        max_warnings: usize = 1000, "warnings";
        /// Bytes kept of a body that is no stream, default 64 KiB.
        max_error_body_bytes: usize = 64 * 1024, "errorBodyBytes";
        /// Milliseconds that such a body is waited for, default 5,000.
        error_body_ms: f64 = 5000.0, "errorBodyMs";
        /// Submits that may wait, default 32.
        max_queue: usize = 32, "queue";
        /// Levels of nesting in a frame, and in a document that patches build, default 512.
        max_depth: usize = 512, "depth";
        /// Checkpoints that the application keeps, default 100; 0: none are written.
        max_history: usize = 100, "history";
        /// Milliseconds that a body may stay open after its run has ended, default 1,000.
        grace_ms: f64 = 1000.0, "graceMs";
        /// Somebody keeps its saves ([`super::Effect::Save`]), default no.
        saves: bool = false, "saves";
        /// The policy for network failures.
        network: Network = Network::default();
    }
}

impl Options {
    /// The default of [`Options::long_event`]: some milliseconds' worth of work.
    pub const LONG_EVENT: usize = 64 * 1024;

    /// Reads `{threadId, rules?, binary?, protocol?, events?, saves?, network?}` and the limits: `{frameBytes?, stateBytes?, threadBytes?,
    /// items?, warnings?, errorBodyBytes?, errorBodyMs?, queue?, depth?, history?, graceMs?}`, all of them whole numbers.
    pub fn read(fields: &Fields<'_>) -> Result<Self, Misuse> {
        let strict = fields.text("rules").as_deref() == Some("strict");
        if strict && !cfg!(feature = "codecs") {
            return Err(Misuse::Input("the full module"));
        }
        let protocol = fields.text("protocol").map_or(Some(Protocol::CURRENT), |version| Protocol::parse(&version));
        let mut options = Self {
            thread_id: fields.text("threadId").unwrap_or_default().into_owned(),
            strict,
            binary: cfg!(feature = "codecs") && fields.yes("binary"),
            protocol: protocol.ok_or(Misuse::Input("1.0 or 0.0.x"))?,
            events: Wanted::read(&fields.text("events").unwrap_or_default()),
            network: Network::read(fields.get("network").map_or("{}", Raw::text))?,
            ..Self::default()
        };
        options.read_limits(fields);
        Ok(options)
    }

    /// Reads the limits.
    pub(crate) fn read_limits(&mut self, fields: &Fields<'_>) {
        self.take(fields);
        // The reader recurses; this much fits the stack of every engine.
        self.max_depth = self.max_depth.min(4096);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Options {
        Options::read(&Raw::parse_object(json, 8).unwrap().unwrap()).unwrap()
    }

    #[test]
    fn what_is_absent_is_the_default() {
        assert_eq!(format!("{:?}", read(r#"{"binary":true}"#)), format!("{:?}", Options::default()));
    }

    #[test]
    fn each_limit_is_read() {
        let json = r#"{"frameBytes":1,"stateBytes":2,"threadBytes":3,"items":4,"warnings":5,"errorBodyBytes":6,"errorBodyMs":7,"queue":8,"depth":9,"history":10,"graceMs":11}"#;
        let options = read(json);
        let Options { max_frame_bytes, max_state_bytes, max_thread_bytes, max_items, max_warnings, .. } = options;
        assert_eq!([max_frame_bytes, max_state_bytes, max_thread_bytes, max_items, max_warnings], [1, 2, 3, 4, 5]);
        let Options { max_error_body_bytes, error_body_ms, max_queue, max_depth, max_history, grace_ms, .. } = options;
        assert_eq!([max_error_body_bytes, max_queue, max_depth, max_history], [6, 8, 9, 10]);
        assert_eq!([error_body_ms, grace_ms], [7.0, 11.0]);
        assert_eq!(read(r#"{"depth":1000000000}"#).max_depth, 4096);
    }
}
