//! Messages of AG-UI 1.0, read from JSON and written to it.

use super::json::{Fields, Raw};
use super::parts;
use super::protocol::Protocol;
use super::tree::Tree;
use super::write::JsonWriter;

/// Who a message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The specification's own names.
#[non_exhaustive]
pub enum Role {
    Developer,
    System,
    Assistant,
    User,
    Tool,
    Activity,
    Reasoning,
}

impl Role {
    /// The role called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "developer" => Self::Developer,
            "system" => Self::System,
            "assistant" => Self::Assistant,
            "user" => Self::User,
            "tool" => Self::Tool,
            "activity" => Self::Activity,
            "reasoning" => Self::Reasoning,
            _ => return None,
        })
    }

    /// Its name in AG-UI.
    pub fn name(self) -> &'static str {
        match self {
            Self::Developer => "developer",
            Self::System => "system",
            Self::Assistant => "assistant",
            Self::User => "user",
            Self::Tool => "tool",
            Self::Activity => "activity",
            Self::Reasoning => "reasoning",
        }
    }
}

/// Something odd about a message, that was dealt with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Stable code of the warning.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

impl Note {
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// What a message says.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Nothing: an assistant message that only calls tools.
    None,
    /// Text.
    Text(String),
    /// A list of content parts.
    Parts(Tree),
    /// The payload of an activity.
    Document(Tree),
}

impl Content {
    /// A string or an array of content parts.
    pub fn read(raw: Raw<'_>, notes: &mut Vec<Note>) -> Option<Self> {
        match raw.string() {
            Some(text) => Some(Self::Text(text.into_owned())),
            None => raw.text().starts_with('[').then(|| Self::Parts(parts::read(raw, notes))),
        }
    }

    /// The text, where it is one.
    pub fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            _ => "",
        }
    }

    /// Appends to the text. What was not text becomes it.
    pub fn append(&mut self, delta: &str) {
        match self {
            Self::Text(text) => text.push_str(delta),
            Self::None | Self::Parts(_) | Self::Document(_) => *self = Self::Text(delta.to_owned()),
        }
    }

    pub(crate) fn write(&self, object: &mut JsonWriter<'_>) {
        match self {
            Self::None => {}
            Self::Text(text) => {
                object.string("content", text);
            }
            Self::Parts(tree) | Self::Document(tree) => tree.write(object.member("content")),
        }
    }
}

/// A tool call as an assistant message holds it.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // The specification's own names.
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// The arguments as text. A model may have written invalid JSON.
    pub arguments: String,
    pub encrypted_value: Option<String>,
    pub metadata: Option<Tree>,
}

impl ToolCall {
    fn read(fields: &Fields<'_>) -> Option<Self> {
        let function = fields.get("function")?.object()?;
        Some(Self {
            id: string(fields, "id")?,
            name: string(&function, "name")?,
            arguments: string(&function, "arguments").unwrap_or_default(),
            encrypted_value: string(fields, "encryptedValue"),
            metadata: metadata(fields),
        })
    }

    /// Writes the call in AG-UI's shape.
    pub fn write(&self, out: &mut String) {
        let mut call = JsonWriter::object(out);
        call.string("id", &self.id).string("type", "function");
        let mut function = JsonWriter::object(call.member("function"));
        function.string("name", &self.name).string("arguments", &self.arguments);
        function.close();
        call.optional("encryptedValue", self.encrypted_value.as_deref());
        call.tree("metadata", self.metadata.as_ref());
        call.close();
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // The specification's own names.
pub struct Message {
    pub id: String,
    pub role: Role,
    pub content: Content,
    pub name: Option<String>,
    pub tool_calls: Vec<ToolCall>,
    pub tool_call_id: Option<String>,
    pub error: Option<String>,
    pub activity_type: Option<String>,
    pub metadata: Option<Tree>,
    pub encrypted_value: Option<String>,
    pub subagent_run_id: Option<String>,
}

impl Message {
    /// An empty message.
    pub fn new(id: &str, role: Role) -> Self {
        Self {
            id: id.to_owned(),
            role,
            content: Content::None,
            name: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            error: None,
            activity_type: None,
            metadata: None,
            encrypted_value: None,
            subagent_run_id: None,
        }
    }

    /// Reads a message. `Err`: what it must have and has not.
    pub fn read(fields: Option<&Fields<'_>>, notes: &mut Vec<Note>) -> Result<Self, &'static str> {
        let fields = fields.ok_or("an object")?;
        let id = string(fields, "id").ok_or("an object with a string \"id\"")?;
        let role = fields.get("role").and_then(Raw::string).and_then(|role| Role::parse(&role));
        let role = role.ok_or("an object with a \"role\" of AG-UI 1.0")?;
        let content = fields.some("content");
        let content = match role {
            Role::Activity => content.filter(|raw| raw.is_object()).map(|raw| Content::Document(Tree::read(raw))),
            Role::User | Role::Tool => match content {
                // A tool that returned nothing.
                None if role == Role::Tool => Some(Content::Text(String::new())),
                content => content.and_then(|raw| Content::read(raw, notes)),
            },
            Role::Assistant => Some(match content.and_then(Raw::string) {
                Some(text) => Content::Text(text.into_owned()),
                None => Content::None,
            }),
            _ => content.and_then(Raw::string).map(|text| Content::Text(text.into_owned())),
        };
        // What a role does not have is another one's, by mistake.
        let of = |has: bool, name: &str| if has { string(fields, name) } else { None };
        let named = matches!(role, Role::Developer | Role::System | Role::Assistant | Role::User);
        let mut tool_calls = Vec::new();
        let calls = fields.some("toolCalls").filter(|_| role == Role::Assistant);
        calls.into_iter().for_each(|calls| {
            calls.each(&mut |_, fields| match fields.and_then(ToolCall::read) {
                Some(call) => tool_calls.push(call),
                None => notes
                    .push(Note::new("message-malformed", "a tool call was left out: expected an id and a function")),
            });
        });
        Ok(Self {
            id,
            role,
            content: content.ok_or("a message with the \"content\" of its role")?,
            name: of(named, "name"),
            tool_calls,
            tool_call_id: of(role == Role::Tool, "toolCallId"),
            error: of(role == Role::Tool, "error"),
            activity_type: of(role == Role::Activity, "activityType"),
            metadata: metadata(fields),
            encrypted_value: of(role != Role::Activity, "encryptedValue"),
            subagent_run_id: string(fields, "subagentRunId"),
        })
    }

    /// Writes the message in AG-UI's shape.
    pub fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        self.write_members(&mut object);
        object.close();
    }

    pub(crate) fn write_members(&self, object: &mut JsonWriter<'_>) {
        object.string("id", &self.id).string("role", self.role.name());
        self.content.write(object);
        self.write_rest(object, true);
    }

    /// Writes the message for a server that speaks `protocol`; says how many parts of it were left out.
    pub(crate) fn write_outgoing(&self, out: &mut String, protocol: Protocol) -> usize {
        let mut object = JsonWriter::object(out);
        object.string("id", &self.id).string("role", self.role.name());
        let mut left_out = 0;
        match &self.content {
            Content::Parts(parts) if !protocol.media_parts() => {
                left_out = parts::write_old(&mut object, parts, protocol);
            }
            Content::None if !protocol.part_lists() => {
                object.string("content", "");
            }
            content => content.write(&mut object),
        }
        self.write_rest(&mut object, protocol.tags());
        object.close();
        left_out
    }

    fn write_rest(&self, object: &mut JsonWriter<'_>, tags: bool) {
        object.optional("name", self.name.as_deref());
        if !self.tool_calls.is_empty() {
            let mut calls = JsonWriter::array(object.member("toolCalls"));
            for call in &self.tool_calls {
                call.write(calls.item());
            }
            calls.close();
        }
        object
            .optional("toolCallId", self.tool_call_id.as_deref())
            .optional("error", self.error.as_deref())
            .optional("activityType", self.activity_type.as_deref())
            .optional("encryptedValue", self.encrypted_value.as_deref())
            .optional("subagentRunId", self.subagent_run_id.as_deref().filter(|_| tags))
            .tree("metadata", self.metadata.as_ref());
    }
}

pub(crate) fn string(fields: &Fields<'_>, name: &str) -> Option<String> {
    fields.get(name).and_then(Raw::string).map(Into::into)
}

fn metadata(fields: &Fields<'_>) -> Option<Tree> {
    fields.some("metadata").filter(|raw| raw.is_object()).map(Tree::read)
}
