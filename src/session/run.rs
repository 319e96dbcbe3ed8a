//! One run: from its request to its outcome.
//!
//! ```text
//!            opens                 answers                    ends
//!  waiting ────────► connecting ────────────────► streaming ────────► draining
//!     ▲                │  │                           ▲     begins       │
//!     │                │  └──────────► refused        └──────────────────┘
//!     └─── waits, from each before the end, or ───► lost, the pause before the end
//! ```
//!
//! `ends_as` leads from each to failed, where the run takes no more inputs: it is published. So does an input that its state does not
//! expect: it is refused, and its handler goes no further. Without a run the session is idle, or the page is at work (`page`), or the run was left (`rejoin`).

use super::rejoin::{Budget, RejoinAnswer};
use super::types::{AgentError, Outcome, RunEnd, Target, Ticket, is_a_name};
use crate::wire::{Fields, Format, decode};
use std::rc::Rc;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum RunState {
    /// The request is out, nothing has come back.
    #[default]
    Connecting,
    /// The body is coming.
    Streaming,
    /// The run has ended, the body has not.
    Draining(BodyRest),
    /// The server refused; its body is collected for the error.
    Refused,
    /// No request is out; the next one goes in a while.
    Waiting,
    /// The same, but the run ends then.
    Lost,
    /// The run has ended before its body; nothing more of it is taken.
    Failed,
}

impl RunState {
    /// Whether a request is out for a run that has not ended.
    fn has_request(self) -> bool {
        matches!(self, Self::Connecting | Self::Streaming | Self::Refused)
    }

    /// Whether events are taken: a dialect's come without a head.
    fn takes_events(self) -> bool {
        matches!(self, Self::Connecting | Self::Streaming | Self::Draining(_))
    }
}

/// An input that the state of a run does not expect. It has ended the run with an error; who gave it stops there.
#[derive(Debug)]
pub(super) struct Unexpected;

/// The part of a body after the end of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyRest {
    /// It is taken.
    Read,
    /// Something waits for its end: it is not read.
    Unread,
    /// The same, and that is reported, for something has come.
    Reported,
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
        decode(&self.bytes)
    }

    pub fn error(&self) -> AgentError {
        // `as` saturates.
        let retry_after = self.retry_after.map(|ms| ms.round() as u64);
        AgentError::http(self.status, &self.content_type, &self.text(), retry_after)
    }

    /// The run that a server names which answers with no stream.
    pub fn run_id(&self) -> Option<String> {
        let text = self.text();
        let fields = Fields::read(text.trim_ascii(), 64)?;
        let id = ["runId", "run_id", "id"].into_iter().find_map(|name| fields.text(name))?;
        is_a_name(&id).then(|| id.into_owned())
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Whether the answer says of itself that it is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.format != Format::Unknown
    }
}

/// The run in progress.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub ticket: Ticket,
    /// Names the request to the border, while there is one.
    pub request: Option<u32>,
    pub target: Target,
    /// The JSON text that it was begun with.
    pub request_body: Rc<str>,
    /// The `RunAgentInput` that it was made of, and the length of that up to the tools.
    pub input: (Rc<str>, usize),
    state: RunState,
    /// When that state ends by itself.
    pub until: f64,
    /// How the run has ended, or will, where it is lost.
    end: Option<RunEnd>,
    /// The beginning of the body. `None`: the events are a dialect's own, of a connection that has brought none.
    pub body: Option<BodyStart>,
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
        Self { ticket, request_body, input, ..Self::default() }
    }

    /// Something new has come.
    pub fn is_new(&mut self) {
        (self.attempt, self.waited, self.renewed) = (0, 0, false);
    }

    /// Whether the server has refused, or its body may still be no stream: then it is kept.
    pub fn unproven_body(&mut self) -> Option<&mut BodyStart> {
        let (refused, silent) = (self.is_refused(), self.events == 0);
        self.body.as_mut().filter(|body| refused || silent && !body.is_stream())
    }

    pub fn state(&self) -> RunState {
        self.state
    }

    /// The rest of its body, where it has ended.
    #[inline(always)]
    pub fn rest(&mut self) -> Option<&mut BodyRest> {
        if let RunState::Draining(rest) = &mut self.state { Some(rest) } else { None }
    }

    /// When its next connection is made.
    pub fn retry_at(&self) -> Option<f64> {
        (self.state == RunState::Waiting).then_some(self.until)
    }

    /// Whether its connection is lost for good, and only a pause follows.
    pub fn is_lost(&self) -> bool {
        self.state == RunState::Lost
    }

    /// That pause is over. Says whether there was one.
    pub fn end_lost(&mut self) -> bool {
        let lost = self.is_lost();
        if lost {
            self.state = RunState::Failed;
        }
        lost
    }

    pub fn is_refused(&self) -> bool {
        self.state == RunState::Refused
    }

    /// How it has ended, if it has.
    pub fn end(&self) -> Option<&RunEnd> {
        self.end.as_ref().filter(|_| matches!(self.state, RunState::Draining(_) | RunState::Failed))
    }

    /// The same, of a run that is over.
    pub fn take_end(&mut self) -> RunEnd {
        self.end.take().unwrap_or_else(|| (Outcome::Truncated, Some(AgentError::truncated(None))))
    }

    /// Enters a state, from one of which `from` is true. In any other the input is refused.
    fn enters(&mut self, state: RunState, from: fn(RunState) -> bool) -> Result<(), Unexpected> {
        if !from(self.state) {
            self.fail(AgentError::unexpected());
            return Err(Unexpected);
        }
        self.state = state;
        Ok(())
    }

    /// This request goes out.
    pub fn opens(&mut self, request: u32, target: Target) -> Result<(), Unexpected> {
        self.enters(RunState::Connecting, |state| state == RunState::Waiting || state.has_request())?;
        (self.request, self.target, self.body) = (Some(request), target, None);
        Ok(())
    }

    /// The head of its answer has come.
    pub fn answers(&mut self, body: BodyStart) -> Result<(), Unexpected> {
        let state = if body.is_success() { RunState::Streaming } else { RunState::Refused };
        self.enters(state, |state| state == RunState::Connecting).map(|()| self.body = Some(body))
    }

    /// A run begins in the stream. Says whether it comes after one that has ended.
    pub fn begins(&mut self, thread_id: Option<String>) -> Result<bool, Unexpected> {
        let ended = self.end().is_some();
        self.enters(RunState::Streaming, RunState::takes_events)?;
        (self.thread_id, self.end) = (thread_id, None);
        Ok(ended)
    }

    /// The end of the run is this one, whatever comes.
    pub fn ends_as(&mut self, end: RunEnd) {
        self.end = Some(end);
        if !matches!(self.state, RunState::Draining(_)) {
            self.state = RunState::Failed;
        }
    }

    /// It ends with this error.
    pub fn fail(&mut self, error: AgentError) {
        self.ends_as((Outcome::Error, Some(error)));
    }

    /// It ends in its stream, as [`Self::ends_as`] then says; the body may continue until this time.
    pub fn ends(&mut self, until: f64, rest: BodyRest) -> Result<(), Unexpected> {
        self.enters(RunState::Draining(rest), RunState::takes_events).map(|()| self.until = until)
    }

    /// No request is out until then. `lost`: how the run ends then.
    pub fn waits(&mut self, until: f64, lost: Option<RunEnd>) -> Result<(), Unexpected> {
        let state = if lost.is_some() { RunState::Lost } else { RunState::Waiting };
        self.enters(state, RunState::has_request)?;
        (self.until, self.end, self.body, self.request) = (until, lost, None, None);
        Ok(())
    }

    /// How long a body is waited for that is no stream, or has yet to show that it is one.
    pub fn body_until(&self) -> Option<f64> {
        self.body.as_ref().filter(|_| self.events == 0)?.until
    }
}
