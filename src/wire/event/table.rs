//! The events of AG-UI 1.0. A row describes all of an event: its name, the class that a policy finds it in, its members as
//! both wires have them, and which of them the reducer is given.

use super::read::EventMembers;
use super::{Classification, Raw, Str};
use crate::wire::shapes::*;

events! {
    TextMessageContent = "TEXT_MESSAGE_CONTENT", 2, 1, Display, owner(4) {
        message_id: must(2, "messageId", Text),
        delta: must(3, "delta", Text),
    }
    ToolCallArgs = "TOOL_CALL_ARGS", 5, 4, Submit, owner(4) {
        tool_call_id: must(2, "toolCallId", Text),
        delta: must(3, "delta", Text),
    }
    ReasoningMessageContent = "REASONING_MESSAGE_CONTENT", 27, 26, Display, owner(2) {
        message_id: must(3, "messageId", Text),
        delta: must(4, "delta", Text),
    }
    StateDelta = "STATE_DELTA", 8, 7, Mutate, owner(3) { delta: must(2, "delta", PATCH) }
    TextMessageChunk = "TEXT_MESSAGE_CHUNK", 17, 19, Display, owner(6) {
        message_id: may(2, "messageId", Text),
        role: may(3, "role", ROLES),
        delta: chunk(4, "delta", Text),
        name: may(5, "name", Text),
    }
    ToolCallChunk = "TOOL_CALL_CHUNK", 18, 20, Submit, owner(6) {
        tool_call_id: may(2, "toolCallId", Text),
        tool_call_name: may(3, "toolCallName", Text),
        parent_message_id: nullable(4, "parentMessageId", Text),
        delta: chunk(5, "delta", Text),
    }
    ReasoningMessageChunk = "REASONING_MESSAGE_CHUNK", 29, 28, Display, owner(2) {
        message_id: may(3, "messageId", Text),
        delta: chunk(4, "delta", Text),
    }
    TextMessageStart = "TEXT_MESSAGE_START", 1, 0, Display, owner(5) {
        message_id: must(2, "messageId", Text),
        role: may(3, "role", ROLES),
        name: may(4, "name", Text),
    }
    TextMessageEnd = "TEXT_MESSAGE_END", 3, 2, Display, owner(3) { message_id: must(2, "messageId", Text) }
    ToolCallStart = "TOOL_CALL_START", 4, 3, Submit, owner(5) {
        tool_call_id: must(2, "toolCallId", Text),
        tool_call_name: must(3, "toolCallName", Text),
        parent_message_id: nullable(4, "parentMessageId", Text),
    }
    ToolCallEnd = "TOOL_CALL_END", 6, 5, Submit, owner(3) { tool_call_id: must(2, "toolCallId", Text) }
    StateSnapshot = "STATE_SNAPSHOT", 7, 6, Mutate, owner(3) { snapshot: must(2, "snapshot", Any) }
    MessagesSnapshot = "MESSAGES_SNAPSHOT", 9, 8, Mutate { messages: must(2, "messages", MESSAGES) }
    Raw = "RAW", 10, 9, Display, owner(4) { event: forgiven(2, "event", Any), source: may(3, "source", Text) }
    Custom = "CUSTOM", 11, 10, Submit, owner(4) { name: must(2, "name", Text), value: forgiven(3, "value", Any) }
    RunStarted = "RUN_STARTED", 12, 11, Display {
        thread_id: forgiven(2, "threadId", Text),
        run_id: forgiven(3, "runId", Text),
        input: may(5, "input", Is(&INPUT)),
        protocol_version: may(6, "protocolVersion", Text),
    } [may(4, "parentRunId", Text)]
    RunFinished = "RUN_FINISHED", 13, 12, Display {
        thread_id: forgiven(2, "threadId", Text),
        run_id: forgiven(3, "runId", Text),
        result: nullable(4, "result", Any),
        outcome: nullable(0, "outcome", Is(&RUN_OUTCOME)),
        usage: may(7, "usage", USAGES),
    } [
        carrier(5, "outcome", Text),
        carrier(6, "interrupts", many(&INTERRUPT)),
        carrier(8, "pendingToolCallIds", TEXTS),
    ]
    RunError = "RUN_ERROR", 14, 13, Display {
        code: may(2, "code", Text),
        message: forgiven(3, "message", Text),
        usage: may(4, "usage", USAGES),
    }
    StepStarted = "STEP_STARTED", 15, 14, Display, owner(3) { step_name: must(2, "stepName", Text) }
    StepFinished = "STEP_FINISHED", 16, 15, Display, owner(3) { step_name: must(2, "stepName", Text) }
    SubagentStarted = "SUBAGENT_STARTED", 19, 16, Display, subject(2) {
        name: must(3, "name", Text),
        description: may(4, "description", Text),
        parent_subagent_run_id: may(5, "parentSubagentRunId", Text),
        parent_tool_call_id: may(6, "parentToolCallId", Text),
        parent_message_id: may(7, "parentMessageId", Text),
    }
    SubagentFinished = "SUBAGENT_FINISHED", 20, 17, Display, subject(2) {
        result: nullable(3, "result", Any),
        outcome: may(0, "outcome", Is(&SUBAGENT_OUTCOME)),
    } [carrier(4, "outcome", Text), carrier(5, "interruptIds", TEXTS)]
    SubagentError = "SUBAGENT_ERROR", 21, 18, Display, subject(2) {
        message: forgiven(3, "message", Text),
        code: may(4, "code", Text),
    }
    ToolCallResult = "TOOL_CALL_RESULT", 22, 21, Display, owner(2) {
        message_id: must(3, "messageId", Text),
        tool_call_id: must(4, "toolCallId", Text),
        content: must(0, "content", Content),
    } [carrier(5, "content", Text), may(6, "role", Word(&["tool"])), carrier(7, "contentParts", PARTS)]
    ActivitySnapshot = "ACTIVITY_SNAPSHOT", 23, 22, Create, owner(2) {
        message_id: must(3, "messageId", Text),
        activity_type: must(4, "activityType", Text),
        content: must(5, "content", Object),
        replace: may(6, "replace", Flag),
    }
    ActivityDelta = "ACTIVITY_DELTA", 24, 23, Mutate, owner(2) {
        message_id: must(3, "messageId", Text),
        activity_type: must(4, "activityType", Text),
        patch: must(5, "patch", PATCH),
    }
    ReasoningStart = "REASONING_START", 25, 24, Display, owner(2) { message_id: must(3, "messageId", Text) }
    ReasoningMessageStart = "REASONING_MESSAGE_START", 26, 25, Display, owner(2) { message_id: must(3, "messageId", Text) } [
        must(4, "role", Word(&["reasoning"])),
    ]
    ReasoningMessageEnd = "REASONING_MESSAGE_END", 28, 27, Display, owner(2) { message_id: must(3, "messageId", Text) }
    ReasoningEnd = "REASONING_END", 30, 29, Display, owner(2) { message_id: must(3, "messageId", Text) }
    ReasoningEncryptedValue = "REASONING_ENCRYPTED_VALUE", 31, 30, Display, owner(2) {
        subtype: must(3, "subtype", Word(&["message", "tool-call"])),
        entity_id: must(4, "entityId", Text),
        encrypted_value: must(5, "encryptedValue", Text),
    }
}
