//! One message of the thread, with what the snapshot adds to it and with what the mirror has of it already.

use super::args::ArgsReader;
use super::state::UnsentDocument;
use crate::wire::{Content, Fields, JsonWriter, Message, Note, Protocol, Raw, Role, write_json};

/// How far a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Growing.
    Streaming,
    /// Whole.
    Complete,
    /// Cut off by `stop()`.
    Aborted,
    /// Cut off by an error or a lost connection.
    Error,
}

impl Delivery {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Complete => "complete",
            Self::Aborted => "aborted",
            Self::Error => "error",
        }
    }
}

/// Reasoning that shares its id with the message that it led to, and is shown with it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reasoning {
    pub text: String,
    pub encrypted_value: Option<String>,
}

/// How long something took on the core's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Stopwatch {
    started: Option<f64>,
    /// Whole milliseconds; the sum, where it ran several times.
    pub total: Option<u64>,
}

impl Stopwatch {
    pub fn start(&mut self, now: f64) {
        self.started.get_or_insert(now);
    }

    pub fn runs(&self) -> bool {
        self.started.is_some()
    }

    /// Stops; says whether it ran.
    pub fn stop(&mut self, now: f64) -> bool {
        let Some(started) = self.started.take() else { return false };
        // `as` saturates: a clock that went back gives 0.
        self.total = Some(self.total.unwrap_or(0) + (now - started).round() as u64);
        true
    }
}

/// What the mirror lacks of a message.
#[derive(Debug, Default)]
pub(super) struct Unsent {
    /// Listed among the touched ones already.
    pub touched: bool,
    /// More than grown text, delivery and duration: write it whole.
    pub whole: bool,
    pub delivery: bool,
    pub duration: bool,
    /// Bytes of the content, and of the reasoning, that the mirror has.
    pub text_sent: usize,
    pub reasoning_sent: usize,
    /// Patches on the content of an activity.
    pub content: UnsentDocument,
}

/// A message of the thread.
#[derive(Debug)]
pub(super) struct Entry {
    pub message: Message,
    /// Its index in the mirror's list, once it is there.
    pub place: Option<usize>,
    pub delivery: Delivery,
    /// Opened by an event of a stream, so a later stream with its id may go on writing.
    pub streamed: bool,
    /// The page's own answer to a call, which the server has not seen: no snapshot of its takes it away.
    pub local: bool,
    /// TEXT_MESSAGE_START came, its END did not.
    pub text_open: bool,
    pub reasoning: Option<Reasoning>,
    pub reasoning_time: Stopwatch,
    /// One for each of `message.tool_calls`.
    pub calls: Vec<CallState>,
    pub unsent: Unsent,
}

impl Entry {
    pub fn new(message: Message, delivery: Delivery) -> Self {
        Self {
            message,
            place: None,
            delivery,
            streamed: false,
            local: false,
            text_open: false,
            reasoning: None,
            reasoning_time: Stopwatch::default(),
            calls: Vec::new(),
            unsent: Unsent::default(),
        }
    }

    /// Reads a message in the snapshot's shape: AG-UI's, with the snapshot's extras where it has them.
    pub fn read(raw: Raw<'_>, notes: &mut Vec<Note>) -> Result<Self, &'static str> {
        let message = Message::read(raw, notes)?;
        let mut entry = Self::new(message, Delivery::Complete);
        if let Some(fields) = raw.object() {
            entry.read_extras(&fields);
        }
        entry.calls = entry.message.tool_calls.iter().map(|_| CallState::given()).collect();
        Ok(entry)
    }

    fn read_extras(&mut self, fields: &Fields<'_>) {
        let text = |name: &str| fields.get(name).and_then(Raw::string);
        self.delivery = match text("delivery").as_deref() {
            Some("aborted" | "streaming") => Delivery::Aborted,
            Some("error") => Delivery::Error,
            _ => Delivery::Complete,
        };
        let duration = match self.message.role {
            Role::Assistant => {
                self.reasoning = text("reasoning").map(|reasoning| Reasoning {
                    text: reasoning.into_owned(),
                    encrypted_value: text("reasoningEncryptedValue").map(Into::into),
                });
                "reasoningDurationMs"
            }
            Role::Reasoning => "durationMs",
            _ => return,
        };
        self.reasoning_time.total = fields.get(duration).and_then(Raw::whole);
    }

    /// Turns a reasoning message into the assistant message that shares its id.
    pub fn fold(&mut self, role: Role, content: Content) {
        let text = match std::mem::replace(&mut self.message.content, content) {
            Content::Text(text) => text,
            _ => String::new(),
        };
        self.reasoning = Some(Reasoning { text, encrypted_value: self.message.encrypted_value.take() });
        self.message.role = role;
        self.unsent.whole = true;
    }

    /// Nothing more is expected of the message.
    pub fn complete(&mut self) {
        self.unsent.delivery |= self.delivery != Delivery::Complete;
        self.delivery = Delivery::Complete;
        // A text that grew has room for as much again, which nobody else can have.
        if let Content::Text(text) = &mut self.message.content {
            text.shrink_to_fit();
        }
    }

    /// The same, unless its text or a call goes on: a message that only reasons or calls has no END of its own.
    pub fn complete_if_idle(&mut self) {
        if !self.text_open && self.calls.iter().all(|call| call.phase != CallPhase::InputStreaming) {
            self.complete();
        }
    }

    /// Writes what the server is to see of this message, and says how many of its parts are not for it. A folded pair
    /// goes out as the two that came in; activities are for the page.
    pub fn write_outgoing(&self, list: &mut JsonWriter<'_>, protocol: Protocol) -> usize {
        let reasoning = self.reasoning.as_ref().filter(|r| !r.text.is_empty() || r.encrypted_value.is_some());
        if let Some(reasoning) = reasoning {
            let mut message = JsonWriter::object(list.item());
            message
                .string("id", &self.message.id)
                .string("role", Role::Reasoning.name())
                .string("content", &reasoning.text)
                .optional("encryptedValue", reasoning.encrypted_value.as_deref())
                .optional("subagentRunId", self.message.subagent_run_id.as_deref().filter(|_| protocol.tags()));
            message.close();
        }
        // A folded entry that never got more than its reasoning has nothing else to say.
        let bare = reasoning.is_some() && self.message.content == Content::None && self.message.tool_calls.is_empty();
        if bare || self.message.role == Role::Activity {
            return 0;
        }
        self.message.write_outgoing(list.item(), protocol)
    }

    /// Writes the message as the snapshot has it.
    pub fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        self.message.write_members(&mut object);
        if !self.message.tool_calls.is_empty() {
            object.strings("toolCallIds", self.message.tool_calls.iter().map(|call| call.id.as_str()));
        }
        if let Some(reasoning) = &self.reasoning {
            object
                .string("reasoning", &reasoning.text)
                .optional("reasoningEncryptedValue", reasoning.encrypted_value.as_deref());
        }
        if let Some(name) = self.duration_name() {
            object.number(name, self.reasoning_time.total);
        }
        object.string("delivery", self.delivery.name());
        object.close();
    }

    /// What the duration of this message's reasoning is called.
    pub fn duration_name(&self) -> Option<&'static str> {
        match self.message.role {
            Role::Reasoning => Some("durationMs"),
            _ => self.reasoning.as_ref().map(|_| "reasoningDurationMs"),
        }
    }
}

/// Whether a call is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallStatus {
    Running,
    Complete,
    Error,
}

impl CallStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Error => "error",
        }
    }
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallPhase {
    InputStreaming,
    InputAvailable,
    AwaitingApproval,
    Executing,
    Denied,
    OutputAvailable,
    OutputError,
}

impl CallPhase {
    pub fn name(self) -> &'static str {
        match self {
            Self::InputStreaming => "input-streaming",
            Self::InputAvailable => "input-available",
            Self::AwaitingApproval => "awaiting-approval",
            Self::Executing => "executing",
            Self::Denied => "denied",
            Self::OutputAvailable => "output-available",
            Self::OutputError => "output-error",
        }
    }
}

/// What a tool call has beyond its AG-UI shape.
#[derive(Debug)]
pub(super) struct CallState {
    /// Its index in the mirror's list of calls, once it is there.
    pub place: Option<usize>,
    pub status: CallStatus,
    pub phase: CallPhase,
    /// JSON text.
    pub result: Option<String>,
    pub error: Option<String>,
    /// There was an error before, which the mirror may have.
    pub error_gone: bool,
    pub args: ArgsReader,
    /// Name, status, phase, result or error changed.
    pub changed: bool,
    /// Bytes of the arguments that the mirror has in `toolCalls`, and in the message.
    pub args_sent: usize,
    pub args_in_message: usize,
    /// The arguments are others than the mirror has, not only more.
    pub args_replaced: bool,
}

impl CallState {
    /// A call whose arguments are about to stream.
    pub fn streaming() -> Self {
        Self {
            place: None,
            status: CallStatus::Running,
            phase: CallPhase::InputStreaming,
            result: None,
            error: None,
            error_gone: false,
            args: ArgsReader::default(),
            changed: false,
            args_sent: 0,
            args_in_message: 0,
            args_replaced: false,
        }
    }

    /// A call of a message that came whole.
    pub fn given() -> Self {
        Self { status: CallStatus::Complete, phase: CallPhase::InputAvailable, ..Self::streaming() }
    }

    /// Takes the answer: the content of a tool message, or its error.
    pub fn answer(&mut self, content: &Content, error: Option<&str>) {
        self.result = Some(result_json(content));
        self.error_gone = (self.error_gone || self.error.is_some()) && error.is_none();
        self.error = error.map(Into::into);
        (self.status, self.phase) = match error {
            None => (CallStatus::Complete, CallPhase::OutputAvailable),
            Some(_) => (CallStatus::Error, CallPhase::OutputError),
        };
        self.changed = true;
    }

    /// The same, unless it is the answer that the call has.
    pub fn answer_if_new(&mut self, content: &Content, error: Option<&str>) {
        if self.result.as_deref() != Some(&result_json(content)) || self.error.as_deref() != error {
            self.answer(content, error);
        }
    }

    /// Writes the members that say how the call is.
    pub fn write_members(&self, call: &mut JsonWriter<'_>) {
        call.string("status", self.status.name()).string("phase", self.phase.name());
        if let Some(result) = &self.result {
            write_json(call.member("result"), result);
        }
        call.optional("error", self.error.as_deref());
    }
}

/// A tool's answer as JSON: parsed where its text is JSON, else the text; a list of content parts as it is.
fn result_json(content: &Content) -> String {
    let mut json = String::new();
    match content {
        Content::Text(text) if Raw::parse(text, RESULT_DEPTH).is_ok() => json.push_str(text),
        Content::Text(text) => crate::wire::write_string(&mut json, text),
        Content::Value(value) => crate::wire::write_value(&mut json, value),
        Content::None => json.push_str("null"),
    }
    json
}

/// Results nested deeper than this stay text. Nothing reads them recursively but `JSON.parse`.
const RESULT_DEPTH: usize = 512;
