//! The tables of objects inside of events.

use super::*;

// The variants of a message, as bits.
const INSTRUCTION: u8 = 0b11;
const ASSISTANT: u8 = 1 << 2;
const USER: u8 = 1 << 3;
const TOOL: u8 = 1 << 4;
pub(crate) const ACTIVITY: u8 = 1 << 5;
const REASONING: u8 = 1 << 6;
/// The messages that may consist of content parts.
pub(crate) const OF_PARTS: u8 = USER | TOOL;

pub(crate) static MESSAGE: Shape = union(
    "role",
    &["developer", "system", "assistant", "user", "tool", "activity", "reasoning"],
    &[
        must(1, "id", Text),
        must(2, "role", Text),
        must(0, "content", Text).of(INSTRUCTION | REASONING),
        may(0, "content", Text).of(ASSISTANT),
        must(0, "content", Content).of(OF_PARTS),
        must(0, "content", Object).of(ACTIVITY),
        carrier(3, "content", Text),
        may(4, "name", Text).of(INSTRUCTION | ASSISTANT | USER),
        may(5, "toolCalls", many(&CALL)).of(ASSISTANT),
        must(6, "toolCallId", Text).of(TOOL),
        may(7, "error", Text).of(TOOL),
        carrier(8, "contentParts", PARTS),
        may(9, "metadata", Object),
        owner(10),
        may(11, "encryptedValue", Text).of(!ACTIVITY),
        must(12, "activityType", Text).of(ACTIVITY),
        carrier(13, "activityContent", Object),
    ],
);

pub(crate) static CALL: Shape = object(&[
    must(1, "id", Text),
    must(2, "type", Word(&["function"])),
    must(3, "function", Is(&FUNCTION)),
    may(4, "metadata", Object),
    may(5, "encryptedValue", Text),
]);

pub(crate) static FUNCTION: Shape = object(&[must(1, "name", Text), must(2, "arguments", Text)]);

pub(crate) static PART: Shape = arms(
    &["text", "image", "audio", "video", "document"],
    &[
        must(1, "text", Text).of(1),
        may(2, "id", Text).of(1),
        may(3, "metadata", Any).of(1),
        must(1, "source", Is(&SOURCE)).of(!1),
        field(2, "metadata", Any, NullableInMessages).of(!1),
        may(3, "id", Text).of(!1),
    ],
);

pub(crate) static SOURCE: Shape = arms(
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
pub(crate) static OPERATION: Shape = Shape {
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

pub(crate) static INPUT: Shape = object(&[
    must(1, "threadId", Text),
    must(2, "runId", Text),
    may(3, "parentRunId", Text),
    nullable(4, "state", Any),
    must(5, "messages", MESSAGES),
    field(6, "tools", many(&DECLARED_TOOL), OrEmpty),
    field(7, "context", many(&CONTEXT), OrEmpty),
    nullable(8, "forwardedProps", Any),
    field(9, "resume", many(&RESUME), OrEmpty),
    may(10, "protocolVersion", Text),
]);

pub(crate) static DECLARED_TOOL: Shape = object(&[
    must(1, "name", Text),
    must(2, "description", Text),
    nullable(3, "parameters", Any),
    may(4, "metadata", Object),
]);

pub(crate) static CONTEXT: Shape = object(&[must(1, "description", Text), must(2, "value", Text)]);

pub(crate) static RESUME: Shape = object(&[
    must(1, "interruptId", Text),
    must(2, "status", Word(&["resolved", "cancelled"])),
    nullable(3, "payload", Any),
    may(4, "metadata", Object),
]);

pub(crate) static INTERRUPT: Shape = object(&[
    must(1, "id", Text),
    must(2, "reason", Text),
    may(3, "message", Text),
    may(4, "toolCallId", Text),
    may(5, "responseSchema", Schema),
    may(6, "expiresAt", Text),
    may(7, "metadata", Schema),
    owner(8),
]);

pub(crate) static USAGE: Shape = object(&[
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
pub(crate) static RUN_OUTCOME: Shape = union(
    "type",
    &["success", "interrupt", "cancelled"],
    &[
        must(0, "type", Text),
        may(0, "pendingToolCallIds", TEXTS).of(1),
        must(0, "interrupts", AtLeastOne(Some(&INTERRUPT))).of(2),
    ],
);

/// The same.
pub(crate) static SUBAGENT_OUTCOME: Shape =
    union("type", &["success", "suspended"], &[must(0, "type", Text), may(0, "interruptIds", TEXTS).of(2)]);
