//! The 31 event types of AG-UI 1.0, read in place from one frame.

mod error;
mod read;

use super::json::Raw;
use super::text::unescape;
pub use error::EventError;
pub use read::{frame_fields, frame_type};
use std::borrow::Cow;

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
    /// The event itself.
    pub event: Event<'a>,
    /// The subagent that it happened in; absent: the parent agent.
    pub subagent_run_id: Option<Str<'a>>,
    /// Open metadata, an object.
    pub metadata: Option<Raw<'a>>,
}

/// An event of AG-UI. Members have the names of the specification; optional ones read `null` as absent. A
/// member that the specification requires, but without which the event makes sense, is optional here.
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
