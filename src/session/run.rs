//! One run: from its request to its outcome.

use super::error::AgentError;
use super::submit::Ticket;
use crate::wire::{Format, keep_private};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The snapshot's own words.
#[non_exhaustive]
pub enum Outcome {
    Success,
    Error,
    Aborted,
    Interrupted,
    Cancelled,
    Truncated,
    /// Never begun: `ifBusy` was "drop", and a run was on.
    Dropped,
}

impl Outcome {
    /// Its name in the snapshot.
    pub fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
            Self::Truncated => "truncated",
            Self::Dropped => "dropped",
        }
    }
}

/// Where a run stands. See the picture in `mod.rs`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Phase {
    /// The request is out, nothing has come back.
    Connecting,
    /// The body is coming.
    Streaming,
    /// The run has ended, the body has not; closed at this time.
    Draining { until: f64 },
    /// The server refused; its body is collected for the error.
    Refused,
}

/// The beginning of a body that may turn out not to be a stream.
#[derive(Debug)]
pub(super) struct Body {
    pub status: u16,
    pub content_type: String,
    /// How the answer says that it is framed.
    pub format: Format,
    bytes: Vec<u8>,
    limit: usize,
}

impl Body {
    pub fn new(status: u16, content_type: &str, limit: usize) -> Self {
        let format = Format::of(content_type);
        Self { status, content_type: content_type.to_owned(), format, bytes: Vec::new(), limit }
    }

    /// Keeps what fits; says whether there is room for more.
    pub fn keep(&mut self, bytes: &[u8]) -> bool {
        let room = self.limit.saturating_sub(self.bytes.len());
        self.bytes.extend(bytes.iter().take(room));
        self.bytes.len() < self.limit
    }

    pub fn error(&self) -> AgentError {
        let body = keep_private(&String::from_utf8_lossy(&self.bytes)).into_owned();
        AgentError::http(self.status, &self.content_type, body)
    }

    /// Whether the answer says of itself that it is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.format != Format::Unknown
    }
}

impl Run {
    /// A run that has ended well, of which nothing else is known.
    pub fn over() -> Self {
        Self {
            ticket: 0,
            request: 0,
            phase: Phase::Streaming,
            body: None,
            events: 0,
            outcome: Outcome::Success,
            ended: None,
            thread_id: None,
            result: None,
            pending_calls: Vec::new(),
            unanswered: Vec::new(),
        }
    }
}

/// The run that is on.
#[derive(Debug)]
pub(super) struct Run {
    pub ticket: Ticket,
    /// Names the request to the border.
    pub request: u32,
    pub phase: Phase,
    pub body: Option<Body>,
    /// Events that came, of any type.
    pub events: usize,
    /// How it has ended, once it has.
    pub outcome: Outcome,
    /// Set by the terminal event; taken back by another RUN_STARTED in the same stream.
    pub ended: Option<(Outcome, Option<AgentError>)>,
    /// The thread that RUN_STARTED named.
    pub thread_id: Option<String>,
    /// JSON text.
    pub result: Option<String>,
    /// Calls that RUN_FINISHED left to the page, and those that interrupts are about.
    pub pending_calls: Vec<String>,
    /// Calls that a success left without an answer: those that it named, or those that the run has not answered.
    pub unanswered: Vec<String>,
}
