//! One run: from its request to its outcome.

use super::rejoin::{Budget, RejoinAnswer};
use super::types::{AgentError, Outcome, RunEnd, Target, Ticket, is_a_name};
use crate::wire::{Fields, Format, decode};
use std::rc::Rc;

/// Where a run stands, with what only that state has. See the picture in `mod.rs`.
#[derive(Debug)]
pub(super) enum Phase {
    /// The request is out, nothing has come back.
    Connecting,
    /// The body is coming. `None`: the events are a dialect's own, of a connection that has brought none.
    Streaming(Option<BodyStart>),
    /// The run has ended, the body has not; closed at this time.
    Draining { until: f64, body: Option<BodyStart> },
    /// The server refused; its body is collected for the error.
    Refused(BodyStart),
    /// No request is out; the next one goes at this time. `lost`: none does, the run ends then in this way.
    Waiting { until: f64, lost: Option<RunEnd> },
}

/// The beginning of a body that may turn out not to be a stream.
#[derive(Debug)]
pub(super) struct BodyStart {
    pub status: u16,
    pub content_type: String,
    /// How the answer says that it is framed.
    pub format: Format,
    /// Milliseconds, from `Retry-After`.
    retry_after: Option<f64>,
    bytes: Vec<u8>,
    /// So many of them are nothing yet, and were looked at.
    blank: usize,
    limit: usize,
    /// It is waited for no longer than this, unless an event shows that it is a stream.
    pub until: Option<f64>,
}

impl BodyStart {
    pub fn new(status: u16, content_type: &str, binary: bool, retry_after: Option<f64>, limit: usize) -> Self {
        let format = Format::of(content_type, binary);
        Self {
            status,
            content_type: content_type.to_owned(),
            format,
            retry_after,
            bytes: Vec::new(),
            blank: 0,
            limit,
            until: None,
        }
    }

    /// Keeps what fits; says whether there is room for more.
    pub fn keep(&mut self, bytes: &[u8]) -> bool {
        let room = self.limit.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        self.bytes.len() < self.limit
    }

    /// Whether it may be an event stream whose first event has not come.
    pub fn begins_like_a_stream(&mut self) -> bool {
        if self.blank == 0 && self.bytes.starts_with(b"\xEF\xBB\xBF") {
            self.blank = 3;
        }
        let rest = self.bytes.get(self.blank..).unwrap_or_default();
        let bytes = rest.trim_ascii_start();
        self.blank += rest.len() - bytes.len();
        let fields: [&[u8]; 5] = [b":", b"data:", b"event:", b"id:", b"retry:"];
        fields.iter().any(|field| bytes.starts_with(field) || field.starts_with(bytes))
    }

    pub fn text(&self) -> String {
        decode(&self.bytes).into_owned()
    }

    pub fn error(&self) -> AgentError {
        let body = self.text();
        // `as` saturates.
        let retry_after_ms = self.retry_after.map(|ms| ms.round() as u64);
        AgentError { retry_after_ms, ..AgentError::http(self.status, &self.content_type, body) }
    }

    /// The run that a server names which answers with no stream.
    pub fn run_id(&self) -> Option<String> {
        let text = decode(&self.bytes);
        let fields = Fields::read(text.trim_ascii(), 64)?;
        let id = ["runId", "run_id", "id"].into_iter().find_map(|name| fields.some(name)?.string())?;
        is_a_name(&id).then(|| id.into_owned())
    }

    /// Whether the answer says of itself that it is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.format != Format::Unknown
    }
}

/// The run in progress.
#[derive(Debug)]
pub(super) struct Run {
    pub ticket: Ticket,
    /// Names the request to the border, while there is one.
    pub request: Option<u32>,
    pub target: Target,
    /// The JSON text that it was begun with.
    pub request_body: Rc<str>,
    /// The `RunAgentInput` that it was made of, and the length of that up to the tools.
    pub input: (Rc<str>, usize),
    pub phase: Phase,
    /// Events that came, of any type.
    pub events: usize,
    /// The events of this connection, and the most that an earlier one has brought.
    pub fresh: usize,
    pub best: usize,
    /// A stream of it has begun.
    pub streamed: bool,
    /// This connection continues a stream that was cut or left, or is going to.
    pub joined: Option<RejoinAnswer>,
    /// This connection tells the run from its beginning.
    pub replays: bool,
    /// Connections in a row that brought nothing new.
    pub attempt: u32,
    /// All that were made.
    pub connections: u32,
    /// The server has said over this connection that it is at work; how often it has.
    pub works: bool,
    pub waited: u32,
    /// A state that counts if the list of messages after it does.
    pub held: Option<String>,
    /// Milliseconds, from the server's `retry:`.
    pub base: Option<f64>,
    /// New headers were asked for after a 401, and nothing new has come since.
    pub renewed: bool,
    /// The connections that it may make.
    pub budget: Option<Budget>,
    /// When something came last.
    pub heard: f64,
    /// Set by the terminal event; taken back by another RUN_STARTED in the same stream.
    pub ended: Option<RunEnd>,
    /// Nothing after its end is read; something came.
    pub closed: bool,
    pub unread: bool,
    /// How the thread stood, as a hash, where the answer was asked for once more.
    pub before: Option<u64>,
    /// The thread that RUN_STARTED named.
    pub thread_id: Option<String>,
    /// JSON text.
    pub result: Option<String>,
    /// Calls that RUN_FINISHED left to the page, and those that interrupts are about.
    pub pending_calls: Vec<String>,
    /// Calls that a success left without an answer: those that it named, or those that the run has not answered.
    pub unanswered: Vec<String>,
}

impl Run {
    /// A run that is to be opened.
    pub fn new(ticket: Ticket, request_body: Rc<str>, input: (Rc<str>, usize)) -> Self {
        Self {
            ticket,
            request: None,
            target: Target::Run,
            request_body,
            input,
            phase: Phase::Connecting,
            events: 0,
            fresh: 0,
            best: 0,
            streamed: false,
            joined: None,
            replays: false,
            attempt: 0,
            connections: 0,
            works: false,
            waited: 0,
            held: None,
            closed: false,
            unread: false,
            base: None,
            renewed: false,
            budget: None,
            heard: 0.0,
            ended: None,
            before: None,
            thread_id: None,
            result: None,
            pending_calls: Vec::new(),
            unanswered: Vec::new(),
        }
    }

    /// Something new has come.
    pub fn is_new(&mut self) {
        (self.attempt, self.waited, self.renewed) = (0, 0, false);
    }

    /// The beginning of the body, in case that it is no stream.
    pub fn body(&self) -> Option<&BodyStart> {
        match &self.phase {
            Phase::Streaming(body) | Phase::Draining { body, .. } => body.as_ref(),
            Phase::Refused(body) => Some(body),
            Phase::Connecting | Phase::Waiting { .. } => None,
        }
    }

    /// Whether the server has refused, or its body may still be no stream: then it is kept.
    pub fn unproven_body(&mut self) -> Option<&mut BodyStart> {
        match &mut self.phase {
            Phase::Refused(body) => Some(body),
            Phase::Streaming(body) | Phase::Draining { body, .. } if self.events == 0 => {
                body.as_mut().filter(|body| !body.is_stream())
            }
            Phase::Streaming(_) | Phase::Draining { .. } | Phase::Connecting | Phase::Waiting { .. } => None,
        }
    }

    /// When its next connection is made.
    pub fn retry_at(&self) -> Option<f64> {
        match self.phase {
            Phase::Waiting { until, lost: None } => Some(until),
            _ => None,
        }
    }

    /// Whether its connection is lost for good, and only a pause follows.
    pub fn is_lost(&self) -> bool {
        matches!(self.phase, Phase::Waiting { lost: Some(_), .. })
    }

    /// That pause is over. Says whether there was one.
    pub fn end_lost(&mut self) -> bool {
        let Phase::Waiting { lost, .. } = &mut self.phase else { return false };
        let lost = lost.take();
        let paused = lost.is_some();
        self.ended = lost.or(self.ended.take());
        paused
    }

    /// It ends with this error.
    pub fn fail(&mut self, error: AgentError) {
        self.ended = Some((Outcome::Error, Some(error)));
    }

    pub fn is_refused(&self) -> bool {
        matches!(self.phase, Phase::Refused(_))
    }

    /// A run has begun in the stream. Says whether it comes after one that has ended.
    pub fn started(&mut self, thread_id: Option<String>) -> bool {
        self.phase = Phase::Streaming(self.take_body());
        self.thread_id = thread_id;
        self.ended.take().is_some()
    }

    /// The run has ended; its body may continue until this time.
    pub fn drain(&mut self, until: f64) {
        self.phase = Phase::Draining { until, body: self.take_body() };
    }

    fn take_body(&mut self) -> Option<BodyStart> {
        match std::mem::replace(&mut self.phase, Phase::Connecting) {
            Phase::Streaming(body) | Phase::Draining { body, .. } => body,
            Phase::Refused(body) => Some(body),
            Phase::Connecting | Phase::Waiting { .. } => None,
        }
    }

    /// How long a body is waited for that is no stream, or has yet to show that it is one.
    pub fn body_until(&self) -> Option<f64> {
        self.body().filter(|_| self.events == 0).and_then(|body| body.until)
    }
}
