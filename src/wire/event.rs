//! The 31 event types of AG-UI 1.0, read in place from one frame.

use super::json::{Fields, JsonError, Raw};
use super::text::unescape;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

/// A string as it stands in a frame: the inside of its JSON literal, checked, not decoded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Str<'a> {
    raw: &'a str,
    escaped: bool,
}

impl<'a> Str<'a> {
    pub(super) fn new(raw: &'a str, escaped: bool) -> Self {
        Self { raw, escaped }
    }

    /// The inside of a literal that may have escapes.
    pub(crate) fn from_raw(raw: &'a str) -> Self {
        Self { raw, escaped: memchr::memchr(b'\\', raw.as_bytes()).is_some() }
    }

    pub(super) fn is_escaped(self) -> bool {
        self.escaped
    }

    /// The inside of the literal.
    pub(crate) fn raw(self) -> &'a str {
        self.raw
    }

    /// The text. Borrows unless it has escapes.
    pub fn decode(self) -> Cow<'a, str> {
        if self.escaped { unescape(self.raw).unwrap_or_default() } else { Cow::Borrowed(self.raw) }
    }

    /// The text, to be kept.
    pub fn to_text(self) -> String {
        self.decode().into_owned()
    }
}

impl PartialEq for Str<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw || self.decode() == other.decode()
    }
}

/// One event with what every event may carry.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// What happened.
    pub event: Event<'a>,
    /// The subagent that it happened in; absent: the parent agent.
    pub subagent_run_id: Option<Str<'a>>,
    /// Open metadata, an object.
    pub metadata: Option<Raw<'a>>,
}

/// What happened. Members have the names of the specification; optional ones read `null` as absent. What the
/// specification requires, but the event makes sense without, is optional here.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // The specification's own names.
// Exhaustive: `tests/growth/main.rs` has a row for each.
pub enum Event<'a> {
    RunStarted {
        thread_id: Option<Str<'a>>,
        run_id: Option<Str<'a>>,
        protocol_version: Option<Str<'a>>,
        input: Option<Raw<'a>>,
    },
    RunFinished {
        thread_id: Option<Str<'a>>,
        run_id: Option<Str<'a>>,
        result: Option<Raw<'a>>,
        outcome: Option<Raw<'a>>,
        usage: Option<Raw<'a>>,
    },
    RunError {
        message: Str<'a>,
        code: Option<Str<'a>>,
        usage: Option<Raw<'a>>,
    },
    StepStarted {
        step_name: Str<'a>,
    },
    StepFinished {
        step_name: Str<'a>,
    },
    TextMessageStart {
        message_id: Str<'a>,
        role: Option<Str<'a>>,
        name: Option<Str<'a>>,
    },
    TextMessageContent {
        message_id: Str<'a>,
        delta: Str<'a>,
    },
    TextMessageEnd {
        message_id: Str<'a>,
    },
    TextMessageChunk {
        message_id: Option<Str<'a>>,
        role: Option<Str<'a>>,
        delta: Option<Str<'a>>,
        name: Option<Str<'a>>,
    },
    ToolCallStart {
        tool_call_id: Str<'a>,
        tool_call_name: Str<'a>,
        parent_message_id: Option<Str<'a>>,
    },
    ToolCallArgs {
        tool_call_id: Str<'a>,
        delta: Str<'a>,
    },
    ToolCallEnd {
        tool_call_id: Str<'a>,
    },
    ToolCallChunk {
        tool_call_id: Option<Str<'a>>,
        tool_call_name: Option<Str<'a>>,
        parent_message_id: Option<Str<'a>>,
        delta: Option<Str<'a>>,
    },
    ToolCallResult {
        message_id: Str<'a>,
        tool_call_id: Str<'a>,
        content: Raw<'a>,
    },
    StateSnapshot {
        snapshot: Raw<'a>,
    },
    StateDelta {
        delta: Raw<'a>,
    },
    MessagesSnapshot {
        messages: Raw<'a>,
    },
    ActivitySnapshot {
        message_id: Str<'a>,
        activity_type: Str<'a>,
        content: Raw<'a>,
        replace: bool,
    },
    ActivityDelta {
        message_id: Str<'a>,
        activity_type: Str<'a>,
        patch: Raw<'a>,
    },
    Raw {
        event: Raw<'a>,
        source: Option<Str<'a>>,
    },
    Custom {
        name: Str<'a>,
        value: Raw<'a>,
    },
    ReasoningStart {
        message_id: Str<'a>,
    },
    ReasoningEnd {
        message_id: Str<'a>,
    },
    ReasoningMessageStart {
        message_id: Str<'a>,
    },
    ReasoningMessageContent {
        message_id: Str<'a>,
        delta: Str<'a>,
    },
    ReasoningMessageEnd {
        message_id: Str<'a>,
    },
    ReasoningMessageChunk {
        message_id: Option<Str<'a>>,
        delta: Option<Str<'a>>,
    },
    ReasoningEncryptedValue {
        subtype: Str<'a>,
        entity_id: Str<'a>,
        encrypted_value: Str<'a>,
    },
    SubagentStarted {
        name: Str<'a>,
        description: Option<Str<'a>>,
        parent_subagent_run_id: Option<Str<'a>>,
        parent_tool_call_id: Option<Str<'a>>,
        parent_message_id: Option<Str<'a>>,
    },
    SubagentFinished {
        result: Option<Raw<'a>>,
        outcome: Option<Raw<'a>>,
    },
    SubagentError {
        message: Str<'a>,
        code: Option<Str<'a>>,
    },
}

/// Why a frame is no event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventError {
    /// Not JSON, or nested too deep.
    Json(JsonError),
    /// JSON, but no object.
    NotObject,
    /// An object without a `type`.
    NoType,
    /// A `type` that AG-UI 1.0 does not have.
    Unknown(String),
    /// A required member is missing, or a member is not what it must be.
    Member {
        /// The event's `type`.
        event: String,
        /// The member's name.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
    },
}

impl EventError {
    /// The stable code that a warning about it carries.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(JsonError::Syntax { .. }) => "frame-not-json",
            Self::Json(JsonError::TooDeep) => "frame-too-deep",
            Self::NotObject => "frame-not-object",
            Self::NoType => "frame-without-type",
            Self::Unknown(_) => "event-unknown",
            Self::Member { .. } => "event-malformed",
        }
    }

    /// The tag of the rule that the frame breaks, in `docs/rules.md`.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Json(_) => "T9",
            Self::NotObject | Self::NoType => "T10",
            Self::Unknown(_) => "G1",
            Self::Member { .. } => "G4",
        }
    }

    /// The event's `type`, where it has one.
    pub fn event_type(&self) -> Option<&str> {
        match self {
            Self::Unknown(event) | Self::Member { event, .. } => Some(event),
            _ => None,
        }
    }
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(JsonError::Syntax { at }) => write!(f, "the frame is not JSON (byte {at})"),
            Self::Json(JsonError::TooDeep) => f.write_str("the frame is nested deeper than limits.depth"),
            Self::NotObject => f.write_str("the frame is JSON, but not an object"),
            Self::NoType => f.write_str("the frame has no \"type\""),
            Self::Unknown(name) => write!(f, "\"{name}\" is not an event of AG-UI 1.0"),
            Self::Member { event, member, expected } => write!(f, "{event}: \"{member}\" must be {expected}"),
        }
    }
}

impl From<JsonError> for EventError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

const STRING: &str = "a string";
const OBJECT: &str = "an object";
const ARRAY: &str = "an array";
const PRESENT: &str = "present";

/// A member is not what it must be: its name, and what it must be.
struct Wrong(&'static str, &'static str);

/// The members of one event, by the kind that each must have. The methods are called from 60 places: kept out of line
/// they cost a tenth of the module less.
struct Members<'f, 'a> {
    fields: &'f Fields<'a>,
    /// The first member that is wrong, but that the event makes sense without.
    forgiven: Cell<Option<Wrong>>,
}

impl<'a> Members<'_, 'a> {
    #[inline(never)]
    fn string(&self, member: &'static str) -> Result<Str<'a>, Wrong> {
        self.fields.get(member).and_then(Raw::literal).ok_or(Wrong(member, STRING))
    }

    /// Absent where it is `null`, and where it is no string, which is forgiven.
    #[inline(never)]
    fn optional(&self, member: &'static str) -> Option<Str<'a>> {
        let raw = self.fields.some(member)?;
        raw.literal().or_else(|| self.forgive(member, STRING))
    }

    /// The same of a member that the specification requires.
    #[inline(never)]
    fn wanted(&self, member: &'static str) -> Option<Str<'a>> {
        self.fields.get(member).and_then(Raw::literal).or_else(|| self.forgive(member, STRING))
    }

    /// A chunk that carries its provider's own event is content, if only of no length.
    fn chunk_delta(&self) -> Option<Str<'a>> {
        self.optional("delta").or_else(|| self.fields.some("rawEvent").map(|_| Str::default()))
    }

    fn any(&self, member: &'static str) -> Result<Raw<'a>, Wrong> {
        self.fields.get(member).ok_or(Wrong(member, PRESENT))
    }

    /// Encoders that leave out what is null leave out such values too.
    fn any_or_null(&self, member: &'static str) -> Raw<'a> {
        self.fields.get(member).or_else(|| self.forgive(member, PRESENT)).unwrap_or(Raw::NULL)
    }

    #[inline(never)]
    fn shaped(&self, member: &'static str, open: char, expected: &'static str) -> Result<Raw<'a>, Wrong> {
        self.fields.get(member).filter(|raw| raw.text().starts_with(open)).ok_or(Wrong(member, expected))
    }

    #[inline(never)]
    fn object(&self, member: &'static str) -> Option<Raw<'a>> {
        let raw = self.fields.some(member)?;
        if raw.is_object() { Some(raw) } else { self.forgive(member, OBJECT) }
    }

    /// What may be absent, and is not what it must be, is taken as absent.
    fn forgive<T>(&self, member: &'static str, expected: &'static str) -> Option<T> {
        self.forgiven.set(Some(self.forgiven.take().unwrap_or(Wrong(member, expected))));
        None
    }
}

/// The members of one frame.
pub fn frame_fields(frame: &str, max_depth: usize) -> Result<Fields<'_>, EventError> {
    Raw::parse_object(frame, max_depth)?.ok_or(EventError::NotObject)
}

/// The `type` of a frame.
pub fn frame_type<'a>(fields: &Fields<'a>) -> Result<Cow<'a, str>, EventError> {
    fields.get("type").and_then(Raw::string).filter(|name| !name.is_empty()).ok_or(EventError::NoType)
}

impl<'a> Incoming<'a> {
    /// Reads one frame: its members, and its type (see [`frame_type`]). A member that is wrong, but that the event makes
    /// sense without, is left out and reported.
    pub fn read(fields: &Fields<'a>, forgiven: &mut dyn FnMut(EventError)) -> Result<Self, EventError> {
        let event = frame_type(fields)?;
        let m = Members { fields, forgiven: Cell::new(None) };
        let error =
            |Wrong(member, expected)| EventError::Member { event: event.clone().into_owned(), member, expected };
        let read =
            Event::read(&event, &m).map_err(error)?.ok_or_else(|| EventError::Unknown(event.clone().into_owned()))?;
        let tag = if read.may_be_of_a_subagent() { m.optional("subagentRunId") } else { None };
        let incoming = Self { event: read, subagent_run_id: tag, metadata: m.object("metadata") };
        if let Some(wrong) = m.forgiven.take() {
            forgiven(error(wrong));
        }
        Ok(incoming)
    }
}

impl<'a> Event<'a> {
    // The order of the arms is the order of how often the events come.
    fn read(name: &str, m: &Members<'_, 'a>) -> Result<Option<Self>, Wrong> {
        Ok(Some(match name {
            "TEXT_MESSAGE_CONTENT" => {
                Self::TextMessageContent { message_id: m.string("messageId")?, delta: m.string("delta")? }
            }
            "TOOL_CALL_ARGS" => Self::ToolCallArgs { tool_call_id: m.string("toolCallId")?, delta: m.string("delta")? },
            "REASONING_MESSAGE_CONTENT" => {
                Self::ReasoningMessageContent { message_id: m.string("messageId")?, delta: m.string("delta")? }
            }
            "STATE_DELTA" => Self::StateDelta { delta: m.shaped("delta", '[', ARRAY)? },
            "TEXT_MESSAGE_CHUNK" => Self::TextMessageChunk {
                message_id: m.optional("messageId"),
                role: m.optional("role"),
                delta: m.chunk_delta(),
                name: m.optional("name"),
            },
            "TOOL_CALL_CHUNK" => Self::ToolCallChunk {
                tool_call_id: m.optional("toolCallId"),
                tool_call_name: m.optional("toolCallName"),
                parent_message_id: m.optional("parentMessageId"),
                delta: m.chunk_delta(),
            },
            "REASONING_MESSAGE_CHUNK" => {
                Self::ReasoningMessageChunk { message_id: m.optional("messageId"), delta: m.chunk_delta() }
            }
            "RAW" => Self::Raw { event: m.any_or_null("event"), source: m.optional("source") },
            "CUSTOM" => Self::Custom { name: m.string("name")?, value: m.any_or_null("value") },
            "TEXT_MESSAGE_START" => Self::TextMessageStart {
                message_id: m.string("messageId")?,
                role: m.optional("role"),
                name: m.optional("name"),
            },
            "TEXT_MESSAGE_END" => Self::TextMessageEnd { message_id: m.string("messageId")? },
            "TOOL_CALL_START" => Self::ToolCallStart {
                tool_call_id: m.string("toolCallId")?,
                tool_call_name: m.string("toolCallName")?,
                parent_message_id: m.optional("parentMessageId"),
            },
            "TOOL_CALL_END" => Self::ToolCallEnd { tool_call_id: m.string("toolCallId")? },
            "TOOL_CALL_RESULT" => Self::ToolCallResult {
                message_id: m.string("messageId")?,
                tool_call_id: m.string("toolCallId")?,
                content: match m.any("content")? {
                    raw if raw.text().starts_with(['"', '[']) => raw,
                    _ => return Err(Wrong("content", "a string or an array of content parts")),
                },
            },
            "STEP_STARTED" => Self::StepStarted { step_name: m.string("stepName")? },
            "STEP_FINISHED" => Self::StepFinished { step_name: m.string("stepName")? },
            "STATE_SNAPSHOT" => Self::StateSnapshot { snapshot: m.any("snapshot")? },
            "MESSAGES_SNAPSHOT" => Self::MessagesSnapshot { messages: m.shaped("messages", '[', ARRAY)? },
            "ACTIVITY_SNAPSHOT" => Self::ActivitySnapshot {
                message_id: m.string("messageId")?,
                activity_type: m.string("activityType")?,
                content: m.shaped("content", '{', OBJECT)?,
                replace: m
                    .fields
                    .some("replace")
                    .and_then(|raw| raw.boolean().or_else(|| m.forgive("replace", "a boolean")))
                    .unwrap_or(true),
            },
            "ACTIVITY_DELTA" => Self::ActivityDelta {
                message_id: m.string("messageId")?,
                activity_type: m.string("activityType")?,
                patch: m.shaped("patch", '[', ARRAY)?,
            },
            "REASONING_START" => Self::ReasoningStart { message_id: m.string("messageId")? },
            "REASONING_END" => Self::ReasoningEnd { message_id: m.string("messageId")? },
            "REASONING_MESSAGE_START" => Self::ReasoningMessageStart { message_id: m.string("messageId")? },
            "REASONING_MESSAGE_END" => Self::ReasoningMessageEnd { message_id: m.string("messageId")? },
            "REASONING_ENCRYPTED_VALUE" => Self::ReasoningEncryptedValue {
                subtype: m
                    .string("subtype")
                    .ok()
                    .filter(|subtype| matches!(subtype.raw(), "message" | "tool-call"))
                    .ok_or(Wrong("subtype", "\"message\" or \"tool-call\""))?,
                entity_id: m.string("entityId")?,
                encrypted_value: m.string("encryptedValue")?,
            },
            "RUN_STARTED" => Self::RunStarted {
                thread_id: m.wanted("threadId"),
                run_id: m.wanted("runId"),
                protocol_version: m.optional("protocolVersion"),
                input: m.object("input"),
            },
            "RUN_FINISHED" => Self::RunFinished {
                thread_id: m.wanted("threadId"),
                run_id: m.wanted("runId"),
                result: m.fields.some("result"),
                outcome: m.object("outcome"),
                usage: m.fields.some("usage"),
            },
            "RUN_ERROR" => Self::RunError {
                message: m.wanted("message").unwrap_or_default(),
                code: m.optional("code"),
                usage: m.fields.some("usage"),
            },
            "SUBAGENT_STARTED" => {
                m.string("subagentRunId")?;
                Self::SubagentStarted {
                    name: m.string("name")?,
                    description: m.optional("description"),
                    parent_subagent_run_id: m.optional("parentSubagentRunId"),
                    parent_tool_call_id: m.optional("parentToolCallId"),
                    parent_message_id: m.optional("parentMessageId"),
                }
            }
            "SUBAGENT_FINISHED" => {
                m.string("subagentRunId")?;
                Self::SubagentFinished { result: m.fields.some("result"), outcome: m.object("outcome") }
            }
            "SUBAGENT_ERROR" => {
                m.string("subagentRunId")?;
                Self::SubagentError { message: m.wanted("message").unwrap_or_default(), code: m.optional("code") }
            }
            _ => return Ok(None),
        }))
    }
}

impl Event<'_> {
    /// Whether a `subagentRunId` has a meaning on it.
    fn may_be_of_a_subagent(&self) -> bool {
        !matches!(
            self,
            Self::RunStarted { .. } | Self::RunFinished { .. } | Self::RunError { .. } | Self::MessagesSnapshot { .. }
        )
    }

    /// The event's `type`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::TextMessageContent { .. } => "TEXT_MESSAGE_CONTENT",
            Self::ToolCallArgs { .. } => "TOOL_CALL_ARGS",
            Self::ReasoningMessageContent { .. } => "REASONING_MESSAGE_CONTENT",
            Self::StateDelta { .. } => "STATE_DELTA",
            Self::TextMessageChunk { .. } => "TEXT_MESSAGE_CHUNK",
            Self::ToolCallChunk { .. } => "TOOL_CALL_CHUNK",
            Self::ReasoningMessageChunk { .. } => "REASONING_MESSAGE_CHUNK",
            Self::Raw { .. } => "RAW",
            Self::Custom { .. } => "CUSTOM",
            Self::TextMessageStart { .. } => "TEXT_MESSAGE_START",
            Self::TextMessageEnd { .. } => "TEXT_MESSAGE_END",
            Self::ToolCallStart { .. } => "TOOL_CALL_START",
            Self::ToolCallEnd { .. } => "TOOL_CALL_END",
            Self::ToolCallResult { .. } => "TOOL_CALL_RESULT",
            Self::StepStarted { .. } => "STEP_STARTED",
            Self::StepFinished { .. } => "STEP_FINISHED",
            Self::StateSnapshot { .. } => "STATE_SNAPSHOT",
            Self::MessagesSnapshot { .. } => "MESSAGES_SNAPSHOT",
            Self::ActivitySnapshot { .. } => "ACTIVITY_SNAPSHOT",
            Self::ActivityDelta { .. } => "ACTIVITY_DELTA",
            Self::ReasoningStart { .. } => "REASONING_START",
            Self::ReasoningEnd { .. } => "REASONING_END",
            Self::ReasoningMessageStart { .. } => "REASONING_MESSAGE_START",
            Self::ReasoningMessageEnd { .. } => "REASONING_MESSAGE_END",
            Self::ReasoningEncryptedValue { .. } => "REASONING_ENCRYPTED_VALUE",
            Self::RunStarted { .. } => "RUN_STARTED",
            Self::RunFinished { .. } => "RUN_FINISHED",
            Self::RunError { .. } => "RUN_ERROR",
            Self::SubagentStarted { .. } => "SUBAGENT_STARTED",
            Self::SubagentFinished { .. } => "SUBAGENT_FINISHED",
            Self::SubagentError { .. } => "SUBAGENT_ERROR",
        }
    }
}
