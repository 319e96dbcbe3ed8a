//! One message of the thread, with what the snapshot adds to it and with what the mirror has of it already.

use super::args::ArgsReader;
use super::list::{At, Index};
use super::patch::Patch;
use super::state::UnsentDocument;
use crate::wire::{Content, Fields, JsonWriter, Message, Note, Protocol, Raw, Role, Tree, write_json, write_string};

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

/// What the mirror lacks of some metadata.
#[derive(Debug, Default)]
pub(super) struct UnsentMetadata {
    /// The member itself is new.
    pub whole: bool,
    pub keys: Vec<String>,
}

impl UnsentMetadata {
    /// Merges an event's metadata into a target's: key by key, values replaced whole (AG-UI's metadata rule).
    #[inline(always)]
    pub fn merge(&mut self, target: &mut Option<Tree>, metadata: Option<Raw<'_>>) {
        if let Some(metadata) = metadata {
            self.merge_some(target, metadata);
        }
    }

    #[inline(never)]
    fn merge_some(&mut self, target: &mut Option<Tree>, metadata: Raw<'_>) {
        let Some(fields) = metadata.object() else { return };
        self.whole |= target.is_none();
        self.keys.extend(fields.iter().map(|(key, _)| key.into_owned()));
        super::merge_metadata(target, Some(metadata));
    }

    /// Writes the members that are new or other. `path`: to the metadata.
    pub fn write(&mut self, metadata: Option<&Tree>, path: &str, patch: &mut Patch) {
        let Self { whole, keys } = std::mem::take(self);
        let Some(metadata) = metadata else { return };
        if whole {
            return patch.reconcile(path, |out| metadata.write(out));
        }
        let mut written = Index::new();
        for key in keys {
            if let (Some(value), None) = (metadata.member(&key), written.get(&key)) {
                let mut path = format!("{path},");
                write_string(&mut path, &key);
                patch.reconcile(&path, |out| value.write(out));
                written.insert(key, At::default());
            }
        }
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
    /// The content is another, not only more.
    pub replaced: bool,
    pub activity_type: bool,
    pub encrypted_value: bool,
    pub metadata: UnsentMetadata,
    /// Patches on the content of an activity.
    pub content: UnsentDocument,
}

/// A message of the thread.
#[derive(Debug)]
pub(super) struct Entry {
    pub message: Message,
    /// Set once it is in the mirror's list; its index there, while the list is being rebuilt.
    pub place: Option<usize>,
    /// Not in the list; its place is, until the mirror knows.
    pub gone: bool,
    /// Noted for the end of the run.
    pub open: bool,
    /// The number of its class, and the last merge that kept it.
    pub class: usize,
    pub stamp: usize,
    /// The length of the text when its room was given back last.
    fitted: usize,
    /// The calls before this one have their arguments.
    idle_until: usize,
    pub delivery: Delivery,
    /// Opened by an event of a stream, so a later stream with its id may continue writing.
    pub streamed: bool,
    /// The page's own answer to a call, which the server has not seen: no snapshot of its takes it away.
    pub local: bool,
    /// It is an answer of the page, whether the server has seen it or not: it is kept as long as its call is.
    pub page: bool,
    /// TEXT_MESSAGE_START came, its END did not.
    pub text_open: bool,
    pub reasoning: Option<Reasoning>,
    pub reasoning_time: Stopwatch,
    /// One for each of `message.tool_calls`.
    pub calls: Vec<CallState>,
    pub unsent: Unsent,
}

impl Entry {
    #[inline(never)]
    pub fn new(message: Message, delivery: Delivery) -> Self {
        Self {
            message,
            place: None,
            gone: false,
            open: false,
            class: usize::MAX,
            stamp: 0,
            fitted: 0,
            idle_until: 0,
            delivery,
            streamed: false,
            local: false,
            page: false,
            text_open: false,
            reasoning: None,
            reasoning_time: Stopwatch::default(),
            calls: Vec::new(),
            unsent: Unsent::default(),
        }
    }

    /// Reads a message in the snapshot's shape: AG-UI's, with the snapshot's extras where it has them.
    pub fn read(fields: Option<&Fields<'_>>, notes: &mut Vec<Note>) -> Result<Self, &'static str> {
        let message = Message::read(fields, notes)?;
        let mut entry = Self::new(message, Delivery::Complete);
        // The page's answers have such an id, also where a server tells them again.
        let call = entry.message.tool_call_id.as_deref();
        entry.page = call.is_some_and(|call| entry.message.id.strip_suffix("-result") == Some(call));
        fields.into_iter().for_each(|fields| entry.read_extras(fields));
        // One id in one message is one call, however often a server lists it.
        let mut listed = Index::new();
        entry.message.tool_calls.retain(|call| listed.insert(call.id.clone(), At::default()).is_none());
        entry.calls.resize_with(entry.message.tool_calls.len(), CallState::given);
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
        // A string that grew has room for as much again, which nobody else can have. One that is opened again and again
        // for a little more keeps some.
        if let Content::Text(text) = &mut self.message.content
            && text.capacity() - text.len() > text.len() / 4
            && text.len() / 2 >= self.fitted
        {
            text.shrink_to_fit();
            self.fitted = text.len();
        }
    }

    /// The same, unless its text or a call continues: a message that only reasons or calls has no END of its own.
    pub fn complete_if_idle(&mut self) {
        // A call streams at its beginning only.
        let streams = |call: &CallState| call.phase == CallPhase::InputStreaming;
        while self.calls.get(self.idle_until).is_some_and(|call| !streams(call)) {
            self.idle_until += 1;
        }
        if !self.text_open && self.idle_until >= self.calls.len() {
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

    /// Writes the content as the snapshot has it.
    pub fn write_content(&self, out: &mut String) {
        match &self.message.content {
            Content::Text(text) => write_string(out, text),
            Content::Parts(tree) | Content::Document(tree) => tree.write(out),
            Content::None => out.push_str("null"),
        }
    }

    /// The calls are others than they were.
    pub fn calls_changed(&mut self) {
        self.idle_until = 0;
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
    /// As that of the message, in the list of calls.
    pub place: Option<usize>,
    /// Noted for the next patch, and for the end of the run.
    pub touched: bool,
    pub open: bool,
    /// The mirror's message has it.
    pub in_message: bool,
    /// In the message it has other arguments, another name, encrypted value or metadata.
    pub args_replaced_in_message: bool,
    pub renamed: bool,
    pub encrypted_value: bool,
    pub metadata: UnsentMetadata,
    /// Bytes of the arguments that were found to be JSON, or not.
    pub checked: Option<usize>,
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
    /// The mirror has another name, or other arguments and not only fewer.
    pub unseen: bool,
    /// It came with a list of messages, and nobody has looked whether it was in the thread before.
    pub given: bool,
}

impl CallState {
    /// A call whose arguments are about to stream.
    pub fn streaming() -> Self {
        Self {
            place: None,
            touched: false,
            open: false,
            in_message: false,
            args_replaced_in_message: false,
            renamed: false,
            encrypted_value: false,
            metadata: UnsentMetadata::default(),
            checked: None,
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
            unseen: false,
            given: false,
        }
    }

    /// The mirror has got it, without its arguments.
    pub fn sent_new(&mut self) {
        self.place = Some(0);
        (self.changed, self.args_replaced, self.unseen) = (false, false, false);
    }

    /// A call of a message that came whole.
    pub fn given() -> Self {
        Self { status: CallStatus::Complete, phase: CallPhase::InputAvailable, given: true, ..Self::streaming() }
    }

    /// Takes the answer: the content of a tool message, or its error.
    pub fn answer(&mut self, content: &Content, error: Option<&str>) {
        self.answer_json(result_json(content), error);
    }

    /// The same, of JSON text.
    pub fn answer_json(&mut self, json: String, error: Option<&str>) {
        self.result = Some(json);
        self.error_gone = (self.error_gone || self.error.is_some()) && error.is_none();
        self.error = error.map(Into::into);
        (self.status, self.phase) = match error {
            None => (CallStatus::Complete, CallPhase::OutputAvailable),
            Some(_) => (CallStatus::Error, CallPhase::OutputError),
        };
        self.changed = true;
    }

    /// Whether it has not this answer.
    pub fn has_other(&self, json: &str, error: Option<&str>) -> bool {
        !self.is_echoed(json, error) && (self.result.as_deref() != Some(json) || self.error.as_deref() != error)
    }

    /// Whether the server says again what the page has answered, and has no way to say that it is an error, or that the call was
    /// denied: what the page knows of the call's end stays.
    pub fn is_echoed(&self, json: &str, error: Option<&str>) -> bool {
        self.result.as_deref() == Some(json)
            && (self.phase == CallPhase::Denied
                || error.is_none()
                    && self.error.as_ref().is_some_and(|own| result_json(&Content::Text(own.clone())) == json))
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
pub(super) fn result_json(content: &Content) -> String {
    // Results nested deeper than this stay text. Nothing reads them recursively but `JSON.parse`.
    const RESULT_DEPTH: usize = 512;
    let mut json = String::new();
    match content {
        Content::Text(text) if Raw::parse(text, RESULT_DEPTH).is_ok() => json.push_str(text),
        Content::Text(text) => write_string(&mut json, text),
        Content::Parts(tree) | Content::Document(tree) => tree.write(&mut json),
        Content::None => json.push_str("null"),
    }
    json
}
