//! How a session is to work.

use super::rejoin::Network;
use super::types::Misuse;
use crate::wire::{Fields, Protocol, Raw, Wanted};

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
            saves: fields.yes("saves"),
            network: Network::read(fields.get("network").map_or("{}", Raw::text))?,
            ..Self::default()
        };
        options.read_limits(fields);
        let time = |name: &str, time: &mut f64| *time = fields.whole(name).map_or(*time, |given| given as f64);
        time("errorBodyMs", &mut options.error_body_ms);
        time("graceMs", &mut options.grace_ms);
        Ok(options)
    }

    /// Reads the limits that are whole numbers of bytes and of other things. `null`, which is what JSON makes of `Infinity`, is no
    /// limit.
    pub(crate) fn read_limits(&mut self, fields: &Fields<'_>) {
        let limit = |name: &str, limit: &mut usize| {
            if let Some(given) = fields.get(name) {
                *limit = given.whole().and_then(|given| usize::try_from(given).ok()).unwrap_or(usize::MAX);
            }
        };
        limit("frameBytes", &mut self.max_frame_bytes);
        limit("stateBytes", &mut self.max_state_bytes);
        limit("threadBytes", &mut self.max_thread_bytes);
        limit("items", &mut self.max_items);
        limit("warnings", &mut self.max_warnings);
        limit("errorBodyBytes", &mut self.max_error_body_bytes);
        limit("queue", &mut self.max_queue);
        limit("depth", &mut self.max_depth);
        limit("history", &mut self.max_history);
        // The reader recurses; this much fits the stack of every engine.
        self.max_depth = self.max_depth.min(4096);
    }
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
