//! Reads an event from the members of its frame.

use super::super::json::{Fields, Raw};
use super::{Event, EventError, Incoming, Str};
use std::borrow::Cow;
use std::cell::Cell;

const STRING: &str = "a string";
const OBJECT: &str = "an object";
const ARRAY: &str = "an array";
const PRESENT: &str = "present";

/// A member is not what it must be: its name, and what it must be.
struct Wrong(&'static str, &'static str);

/// The members of one event, by the kind that each must have. The methods are called from 60 places: kept out of line
/// they cost a tenth of the module less.
struct EventMembers<'f, 'a> {
    fields: &'f Fields<'a>,
    /// The first member that is wrong, but that the event makes sense without.
    forgiven: Cell<Option<Wrong>>,
}

impl<'a> EventMembers<'_, 'a> {
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

    /// Content of a result.
    fn parts(&self, member: &'static str) -> Result<Raw<'a>, Wrong> {
        match self.any(member)? {
            raw if raw.text().starts_with(['"', '[']) => Ok(raw),
            _ => Err(Wrong(member, "a string or an array of content parts")),
        }
    }

    /// The kind of object that an encrypted value belongs to.
    fn subtype(&self, member: &'static str) -> Result<Str<'a>, Wrong> {
        let known = |subtype: &Str<'_>| matches!(subtype.raw(), "message" | "tool-call");
        self.string(member).ok().filter(known).ok_or(Wrong(member, "\"message\" or \"tool-call\""))
    }

    /// Absent where it is `null`, and where it is no boolean, which is forgiven.
    fn flag(&self, member: &'static str) -> Option<bool> {
        self.fields.some(member)?.boolean().or_else(|| self.forgive(member, "a boolean"))
    }

    /// Reads an optional member. A value of another type counts as absent.
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
        let m = EventMembers { fields, forgiven: Cell::new(None) };
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

// Three steps, and in each the arms, in the order of how often the events come.
impl<'a> Event<'a> {
    /// The event called `name`. Here are the events that stream, and those that wrap other systems' events.
    fn read(name: &str, m: &EventMembers<'_, 'a>) -> Result<Option<Self>, Wrong> {
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
            _ => return Self::read_of_thread(name, m),
        }))
    }

    /// Reads the events that begin, end or replace something in the thread.
    fn read_of_thread(name: &str, m: &EventMembers<'_, 'a>) -> Result<Option<Self>, Wrong> {
        Ok(Some(match name {
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
                content: m.parts("content")?,
            },
            "STATE_SNAPSHOT" => Self::StateSnapshot { snapshot: m.any("snapshot")? },
            "MESSAGES_SNAPSHOT" => Self::MessagesSnapshot { messages: m.shaped("messages", '[', ARRAY)? },
            "ACTIVITY_SNAPSHOT" => Self::ActivitySnapshot {
                message_id: m.string("messageId")?,
                activity_type: m.string("activityType")?,
                content: m.shaped("content", '{', OBJECT)?,
                replace: m.flag("replace").unwrap_or(true),
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
                subtype: m.subtype("subtype")?,
                entity_id: m.string("entityId")?,
                encrypted_value: m.string("encryptedValue")?,
            },
            _ => return Self::read_of_run(name, m),
        }))
    }

    /// Runs, and what they consist of: steps and subagents.
    fn read_of_run(name: &str, m: &EventMembers<'_, 'a>) -> Result<Option<Self>, Wrong> {
        Ok(Some(match name {
            "STEP_STARTED" => Self::StepStarted { step_name: m.string("stepName")? },
            "STEP_FINISHED" => Self::StepFinished { step_name: m.string("stepName")? },
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
