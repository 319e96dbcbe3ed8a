//! The shapes of AG-UI 1.0 as data: the members of every event and of what stands inside of events, once for both wires.
//!
//! The strict grammar checks JSON against these tables, and the binary reader turns protobuf into that JSON with them.
//! Uses nothing of the crate.
//!
//! What is not said per member follows from it: on the binary wire a scalar that JSON requires has no presence (absent
//! is its default), every other one has; what JSON calls opaque is a `google.protobuf.Value`, and an opaque object a
//! `Struct`.

use Kind::{
    Any, Code, Content, Count, Flag, Integer, Is, Many, Object, Pointer, Schema, Some as AtLeastOne, Text, Word,
};
use Need::{Carrier, Nullable, NullableInMessages, Optional, OrEmpty, Required};

/// What a member holds.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A string.
    Text,
    /// A string out of a set.
    Word(Words),
    /// A string that is a JSON Pointer.
    Pointer,
    /// `true` or `false`.
    Flag,
    /// A whole number within ±(2^53 − 1).
    Integer,
    /// A whole number from 0 to 2^53 − 1.
    Count,
    /// Any JSON; opaque.
    Any,
    /// Any object; opaque.
    Object,
    /// The same, but a `Value` on the binary wire.
    Schema,
    /// A described object.
    Is(Item),
    /// An array.
    Many(Item),
    /// An array with at least one element.
    Some(Item),
    /// A string or an array of content parts.
    Content,
    /// On the binary wire the number of one of the shape's variants, in JSON its name.
    Code,
}

/// The sets of words.
#[derive(Clone, Copy)]
pub(crate) enum Words {
    Roles,
    Tool,
    Reasoning,
    Subtypes,
    Function,
    Statuses,
}

impl Words {
    pub(crate) fn list(self) -> &'static [&'static str] {
        match self {
            Self::Roles => &["developer", "system", "assistant", "user"],
            Self::Tool => &["tool"],
            Self::Reasoning => &["reasoning"],
            Self::Subtypes => &["message", "tool-call"],
            Self::Function => &["function"],
            Self::Statuses => &["resolved", "cancelled"],
        }
    }
}

/// What stands inside of events.
#[derive(Clone, Copy)]
pub(crate) enum Item {
    Text,
    Message,
    Call,
    Function,
    Part,
    Source,
    Operation,
    Input,
    Tool,
    Context,
    Resume,
    Interrupt,
    Usage,
    RunOutcome,
    SubagentOutcome,
}

impl Item {
    /// Its shape, unless it is a string.
    #[inline(never)]
    pub(crate) fn shape(self) -> Option<&'static Shape> {
        Some(match self {
            Self::Text => return None,
            Self::Message => &MESSAGE,
            Self::Call => &CALL,
            Self::Function => &FUNCTION,
            Self::Part => &PART,
            Self::Source => &SOURCE,
            Self::Operation => &OPERATION,
            Self::Input => &INPUT,
            Self::Tool => &DECLARED_TOOL,
            Self::Context => &CONTEXT,
            Self::Resume => &RESUME,
            Self::Interrupt => &INTERRUPT,
            Self::Usage => &USAGE,
            Self::RunOutcome => &RUN_OUTCOME,
            Self::SubagentOutcome => &SUBAGENT_OUTCOME,
        })
    }
}

/// Whether a member must be there, and what `null` is for it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Need {
    Required,
    /// `null` is malformed.
    Optional,
    /// Optional; `null` is read as absent, as versions before 1.0 wrote it.
    Nullable,
    /// The same, but not in a TOOL_CALL_RESULT.
    NullableInMessages,
    /// Optional; the binary wire, which cannot tell, reads absent as an empty list.
    OrEmpty,
    /// Not a member in JSON, but where the binary wire carries a part of one.
    Carrier,
}

/// The names of members. A byte says which: pointers would make the tables three times as large.
static NAMES: [&str; 73] = [
    "type",
    "timestamp",
    "rawEvent",
    "metadata",
    "messageId",
    "role",
    "name",
    "delta",
    "toolCallId",
    "toolCallName",
    "parentMessageId",
    "snapshot",
    "messages",
    "event",
    "source",
    "value",
    "threadId",
    "runId",
    "parentRunId",
    "input",
    "protocolVersion",
    "result",
    "outcome",
    "interrupts",
    "usage",
    "pendingToolCallIds",
    "code",
    "message",
    "stepName",
    "subagentRunId",
    "description",
    "parentSubagentRunId",
    "parentToolCallId",
    "interruptIds",
    "content",
    "contentParts",
    "activityType",
    "replace",
    "patch",
    "subtype",
    "entityId",
    "encryptedValue",
    "id",
    "toolCalls",
    "error",
    "activityContent",
    "function",
    "arguments",
    "text",
    "mimeType",
    "provider",
    "op",
    "path",
    "from",
    "state",
    "tools",
    "context",
    "forwardedProps",
    "resume",
    "parameters",
    "interruptId",
    "status",
    "payload",
    "reason",
    "responseSchema",
    "expiresAt",
    "model",
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "reasoningTokens",
    "cachedInputTokens",
    "cacheWriteInputTokens",
];

/// A member.
pub(crate) struct Field {
    /// Its place in [`NAMES`].
    name: u8,
    pub kind: Kind,
    pub need: Need,
    /// Which variants of the shape have it, a bit for each.
    pub of: u8,
    /// Its number on the binary wire; 0: carriers carry it.
    pub number: u8,
}

impl Field {
    #[inline(never)]
    pub(crate) fn name(&self) -> &'static str {
        NAMES.get(usize::from(self.name)).copied().unwrap_or_default()
    }

    const fn of(self, variants: u8) -> Self {
        Self { of: variants, ..self }
    }
}

/// An object, or a union of objects that a tag tells apart.
pub(crate) struct Shape {
    /// The member that names the variant; empty: there are no variants.
    pub tag: &'static str,
    pub variants: &'static [&'static str],
    /// Whether the binary wire has a message of its own for each variant, rather than one for all.
    pub arms: bool,
    /// Whether members that are not described belong here.
    pub open: bool,
    pub fields: &'static [Field],
}

/// An event: what it has beside the members of [`BASE`]. Those stand in field 1 of the binary wire.
pub(crate) struct EventShape {
    pub name: &'static str,
    /// The number that [`BASE`] has for it on the binary wire.
    pub code: u8,
    pub shape: Shape,
}

/// Every variant.
pub(crate) const ALL: u8 = 0xFF;

/// Runs at compile time: a name that is not in [`NAMES`] does not compile.
const fn field(number: u8, name: &'static str, kind: Kind, need: Need) -> Field {
    let (mut at, mut rest): (u8, &[&str]) = (0, &NAMES);
    while let [first, others @ ..] = rest {
        if is_same(first.as_bytes(), name.as_bytes()) {
            break;
        }
        (at, rest) = (at + 1, others);
    }
    assert!(!rest.is_empty(), "no such name");
    Field { name: at, kind, need, of: ALL, number }
}

/// `==`, which compile time does not have for slices.
const fn is_same(mut a: &[u8], mut b: &[u8]) -> bool {
    while let ([x, more_a @ ..], [y, more_b @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (more_a, more_b);
    }
    a.is_empty() && b.is_empty()
}

const fn must(number: u8, name: &'static str, kind: Kind) -> Field {
    field(number, name, kind, Required)
}

const fn may(number: u8, name: &'static str, kind: Kind) -> Field {
    field(number, name, kind, Optional)
}

const fn owner(number: u8) -> Field {
    may(number, "subagentRunId", Text)
}

const fn object(fields: &'static [Field]) -> Shape {
    Shape { tag: "", variants: &[], arms: false, open: false, fields }
}

const fn union(tag: &'static str, variants: &'static [&'static str], fields: &'static [Field]) -> Shape {
    Shape { tag, variants, arms: false, open: false, fields }
}

const fn arms(variants: &'static [&'static str], fields: &'static [Field]) -> Shape {
    Shape { arms: true, ..union("type", variants, fields) }
}

const fn event(name: &'static str, code: u8, fields: &'static [Field]) -> EventShape {
    EventShape { name, code, shape: object(fields) }
}

const PARTS: Kind = Many(Item::Part);
const PATCH: Kind = Many(Item::Operation);
const MESSAGES: Kind = Many(Item::Message);
const TEXTS: Kind = Many(Item::Text);
const USAGES: Kind = Many(Item::Usage);
const ROLES: Kind = Word(Words::Roles);

/// What every event may have.
pub(crate) static BASE: Shape = object(&[
    field(1, "type", Code, Carrier),
    may(2, "timestamp", Integer),
    field(3, "rawEvent", Any, Nullable),
    may(4, "metadata", Object),
]);

/// The events, in the order of their numbers in the binary envelope, which begin with 1.
pub(crate) static EVENTS: [EventShape; 31] = [
    event(
        "TEXT_MESSAGE_START",
        0,
        &[must(2, "messageId", Text), may(3, "role", ROLES), may(4, "name", Text), owner(5)],
    ),
    event("TEXT_MESSAGE_CONTENT", 1, &[must(2, "messageId", Text), must(3, "delta", Text), owner(4)]),
    event("TEXT_MESSAGE_END", 2, &[must(2, "messageId", Text), owner(3)]),
    event(
        "TOOL_CALL_START",
        3,
        &[
            must(2, "toolCallId", Text),
            must(3, "toolCallName", Text),
            field(4, "parentMessageId", Text, Nullable),
            owner(5),
        ],
    ),
    event("TOOL_CALL_ARGS", 4, &[must(2, "toolCallId", Text), must(3, "delta", Text), owner(4)]),
    event("TOOL_CALL_END", 5, &[must(2, "toolCallId", Text), owner(3)]),
    event("STATE_SNAPSHOT", 6, &[must(2, "snapshot", Any), owner(3)]),
    event("STATE_DELTA", 7, &[must(2, "delta", PATCH), owner(3)]),
    event("MESSAGES_SNAPSHOT", 8, &[must(2, "messages", MESSAGES)]),
    event("RAW", 9, &[must(2, "event", Any), may(3, "source", Text), owner(4)]),
    event("CUSTOM", 10, &[must(2, "name", Text), must(3, "value", Any), owner(4)]),
    event(
        "RUN_STARTED",
        11,
        &[
            must(2, "threadId", Text),
            must(3, "runId", Text),
            may(4, "parentRunId", Text),
            may(5, "input", Is(Item::Input)),
            may(6, "protocolVersion", Text),
        ],
    ),
    event(
        "RUN_FINISHED",
        12,
        &[
            must(2, "threadId", Text),
            must(3, "runId", Text),
            field(4, "result", Any, Nullable),
            field(0, "outcome", Is(Item::RunOutcome), Nullable),
            field(5, "outcome", Text, Carrier),
            field(6, "interrupts", Many(Item::Interrupt), Carrier),
            may(7, "usage", USAGES),
            field(8, "pendingToolCallIds", TEXTS, Carrier),
        ],
    ),
    event("RUN_ERROR", 13, &[may(2, "code", Text), must(3, "message", Text), may(4, "usage", USAGES)]),
    event("STEP_STARTED", 14, &[must(2, "stepName", Text), owner(3)]),
    event("STEP_FINISHED", 15, &[must(2, "stepName", Text), owner(3)]),
    event(
        "TEXT_MESSAGE_CHUNK",
        19,
        &[may(2, "messageId", Text), may(3, "role", ROLES), may(4, "delta", Text), may(5, "name", Text), owner(6)],
    ),
    event(
        "TOOL_CALL_CHUNK",
        20,
        &[
            may(2, "toolCallId", Text),
            may(3, "toolCallName", Text),
            field(4, "parentMessageId", Text, Nullable),
            may(5, "delta", Text),
            owner(6),
        ],
    ),
    event(
        "SUBAGENT_STARTED",
        16,
        &[
            must(2, "subagentRunId", Text),
            must(3, "name", Text),
            may(4, "description", Text),
            may(5, "parentSubagentRunId", Text),
            may(6, "parentToolCallId", Text),
            may(7, "parentMessageId", Text),
        ],
    ),
    event(
        "SUBAGENT_FINISHED",
        17,
        &[
            must(2, "subagentRunId", Text),
            field(3, "result", Any, Nullable),
            may(0, "outcome", Is(Item::SubagentOutcome)),
            field(4, "outcome", Text, Carrier),
            field(5, "interruptIds", TEXTS, Carrier),
        ],
    ),
    event("SUBAGENT_ERROR", 18, &[must(2, "subagentRunId", Text), must(3, "message", Text), may(4, "code", Text)]),
    event(
        "TOOL_CALL_RESULT",
        21,
        &[
            owner(2),
            must(3, "messageId", Text),
            must(4, "toolCallId", Text),
            must(0, "content", Content),
            field(5, "content", Text, Carrier),
            may(6, "role", Word(Words::Tool)),
            field(7, "contentParts", PARTS, Carrier),
        ],
    ),
    event(
        "ACTIVITY_SNAPSHOT",
        22,
        &[
            owner(2),
            must(3, "messageId", Text),
            must(4, "activityType", Text),
            must(5, "content", Object),
            may(6, "replace", Flag),
        ],
    ),
    event(
        "ACTIVITY_DELTA",
        23,
        &[owner(2), must(3, "messageId", Text), must(4, "activityType", Text), must(5, "patch", PATCH)],
    ),
    event("REASONING_START", 24, &[owner(2), must(3, "messageId", Text)]),
    event(
        "REASONING_MESSAGE_START",
        25,
        &[owner(2), must(3, "messageId", Text), must(4, "role", Word(Words::Reasoning))],
    ),
    event("REASONING_MESSAGE_CONTENT", 26, &[owner(2), must(3, "messageId", Text), must(4, "delta", Text)]),
    event("REASONING_MESSAGE_END", 27, &[owner(2), must(3, "messageId", Text)]),
    event("REASONING_MESSAGE_CHUNK", 28, &[owner(2), may(3, "messageId", Text), may(4, "delta", Text)]),
    event("REASONING_END", 29, &[owner(2), must(3, "messageId", Text)]),
    event(
        "REASONING_ENCRYPTED_VALUE",
        30,
        &[
            owner(2),
            must(3, "subtype", Word(Words::Subtypes)),
            must(4, "entityId", Text),
            must(5, "encryptedValue", Text),
        ],
    ),
];

// The variants of a message, as bits.
const INSTRUCTION: u8 = 0b11;
const ASSISTANT: u8 = 1 << 2;
const USER: u8 = 1 << 3;
const TOOL: u8 = 1 << 4;
pub(crate) const ACTIVITY: u8 = 1 << 5;
const REASONING: u8 = 1 << 6;
/// The messages that may consist of content parts.
pub(crate) const OF_PARTS: u8 = USER | TOOL;

static MESSAGE: Shape = union(
    "role",
    &["developer", "system", "assistant", "user", "tool", "activity", "reasoning"],
    &[
        must(1, "id", Text),
        must(2, "role", Text),
        must(0, "content", Text).of(INSTRUCTION | REASONING),
        may(0, "content", Text).of(ASSISTANT),
        must(0, "content", Content).of(OF_PARTS),
        must(0, "content", Object).of(ACTIVITY),
        field(3, "content", Text, Carrier),
        may(4, "name", Text).of(INSTRUCTION | ASSISTANT | USER),
        may(5, "toolCalls", Many(Item::Call)).of(ASSISTANT),
        must(6, "toolCallId", Text).of(TOOL),
        may(7, "error", Text).of(TOOL),
        field(8, "contentParts", PARTS, Carrier),
        may(9, "metadata", Object),
        owner(10),
        may(11, "encryptedValue", Text).of(!ACTIVITY),
        must(12, "activityType", Text).of(ACTIVITY),
        field(13, "activityContent", Object, Carrier),
    ],
);

static CALL: Shape = object(&[
    must(1, "id", Text),
    must(2, "type", Word(Words::Function)),
    must(3, "function", Is(Item::Function)),
    may(4, "metadata", Object),
    may(5, "encryptedValue", Text),
]);

static FUNCTION: Shape = object(&[must(1, "name", Text), must(2, "arguments", Text)]);

static PART: Shape = arms(
    &["text", "image", "audio", "video", "document"],
    &[
        must(1, "text", Text).of(1),
        may(2, "id", Text).of(1),
        may(3, "metadata", Any).of(1),
        must(1, "source", Is(Item::Source)).of(!1),
        field(2, "metadata", Any, NullableInMessages).of(!1),
        may(3, "id", Text).of(!1),
    ],
);

static SOURCE: Shape = arms(
    &["data", "url", "file"],
    &[
        must(1, "value", Text),
        must(2, "mimeType", Text).of(1),
        may(2, "mimeType", Text).of(2),
        may(2, "provider", Text).of(4),
        may(3, "mimeType", Text).of(4),
    ],
);

/// RFC 6902 has members that an operation does not define ignored.
static OPERATION: Shape = Shape {
    open: true,
    ..union(
        "op",
        &["add", "remove", "replace", "move", "copy", "test"],
        &[
            must(1, "op", Code),
            must(2, "path", Pointer),
            must(3, "from", Pointer).of(0b01_1000),
            must(4, "value", Any).of(0b10_0101),
        ],
    )
};

static INPUT: Shape = object(&[
    must(1, "threadId", Text),
    must(2, "runId", Text),
    may(3, "parentRunId", Text),
    field(4, "state", Any, Nullable),
    must(5, "messages", MESSAGES),
    field(6, "tools", Many(Item::Tool), OrEmpty),
    field(7, "context", Many(Item::Context), OrEmpty),
    field(8, "forwardedProps", Any, Nullable),
    field(9, "resume", Many(Item::Resume), OrEmpty),
    may(10, "protocolVersion", Text),
]);

static DECLARED_TOOL: Shape = object(&[
    must(1, "name", Text),
    must(2, "description", Text),
    field(3, "parameters", Any, Nullable),
    may(4, "metadata", Object),
]);

static CONTEXT: Shape = object(&[must(1, "description", Text), must(2, "value", Text)]);

static RESUME: Shape = object(&[
    must(1, "interruptId", Text),
    must(2, "status", Word(Words::Statuses)),
    field(3, "payload", Any, Nullable),
    may(4, "metadata", Object),
]);

static INTERRUPT: Shape = object(&[
    must(1, "id", Text),
    must(2, "reason", Text),
    may(3, "message", Text),
    may(4, "toolCallId", Text),
    may(5, "responseSchema", Schema),
    may(6, "expiresAt", Text),
    may(7, "metadata", Schema),
    owner(8),
]);

static USAGE: Shape = object(&[
    may(1, "provider", Text),
    may(2, "model", Text),
    may(3, "inputTokens", Count),
    may(4, "outputTokens", Count),
    may(5, "totalTokens", Count),
    may(6, "reasoningTokens", Count),
    may(7, "cachedInputTokens", Count),
    may(8, "cacheWriteInputTokens", Count),
]);

/// On the binary wire the carriers of its event carry it.
static RUN_OUTCOME: Shape = union(
    "type",
    &["success", "interrupt", "cancelled"],
    &[
        must(0, "type", Text),
        may(0, "pendingToolCallIds", TEXTS).of(1),
        must(0, "interrupts", AtLeastOne(Item::Interrupt)).of(2),
    ],
);

/// The same.
static SUBAGENT_OUTCOME: Shape =
    union("type", &["success", "suspended"], &[must(0, "type", Text), may(0, "interruptIds", TEXTS).of(2)]);
