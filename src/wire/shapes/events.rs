//! The events.

use super::*;

/// The members that every event may have.
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
            may(5, "input", Is(ItemShape::Input)),
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
            field(0, "outcome", Is(ItemShape::RunOutcome), Nullable),
            field(5, "outcome", Text, Carrier),
            field(6, "interrupts", Many(ItemShape::Interrupt), Carrier),
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
            may(0, "outcome", Is(ItemShape::SubagentOutcome)),
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
