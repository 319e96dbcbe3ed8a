//! The tables of what runs report beside messages: steps, subagents, token counts, interrupts.

use super::table::{Kind, Member, table};
use super::words::Status;

table! {
    STEP {
        STEP_NAME = Member::new("name", Kind::Text),
        STEP_STATUS = Member::new("status", Kind::Word(Status::WORDS)),
        STEP_OWNER = Member::new("subagentRunId", Kind::Text),
        STEP_TIME = Member::new("durationMs", Kind::Count),
    }
}

table! {
    SUBAGENT {
        SUBAGENT_ID = Member::new("subagentRunId", Kind::Text),
        SUBAGENT_NAME = Member::new("name", Kind::Text),
        DESCRIPTION = Member::new("description", Kind::Text),
        PARENT = Member::new("parentSubagentRunId", Kind::Text),
        PARENT_CALL = Member::new("parentToolCallId", Kind::Text),
        PARENT_MESSAGE = Member::new("parentMessageId", Kind::Text),
        SUBAGENT_STATUS = Member::new("status", Kind::Word(Status::WORDS)),
        SUBAGENT_RESULT = Member::new("result", Kind::Json),
        SUBAGENT_ERROR = Member::new("error", Kind::Text),
        INTERRUPT_IDS = Member::new("interruptIds", Kind::Json),
    }
}

table! {
    /// Token counts.
    USAGE {
        PROVIDER = Member::new("provider", Kind::Text),
        MODEL = Member::new("model", Kind::Text),
        FIRST_COUNT = Member::new("inputTokens", Kind::Count),
        _OUTPUT = Member::new("outputTokens", Kind::Count),
        _TOTAL = Member::new("totalTokens", Kind::Count),
        _REASONING = Member::new("reasoningTokens", Kind::Count),
        _CACHED_INPUT = Member::new("cachedInputTokens", Kind::Count),
        _CACHE_WRITE = Member::new("cacheWriteInputTokens", Kind::Count),
    }
}

table! {
    /// All but its id is handed on as it came.
    INTERRUPT {
        INTERRUPT_ID = Member::new("id", Kind::Text),
        INTERRUPT_OWNER = Member::new("subagentRunId", Kind::Json),
        INTERRUPTED_CALL = Member::new("toolCallId", Kind::Json),
        EXPIRES = Member::new("expiresAt", Kind::Json),
        /// It is answered while others are not.
        ANSWERED = Member::new("answered", Kind::Json).of(0),
        _REASON = Member::new("reason", Kind::Json),
        _MESSAGE = Member::new("message", Kind::Json),
        _RESPONSE_SCHEMA = Member::new("responseSchema", Kind::Json),
        _METADATA = Member::new("metadata", Kind::Json),
    }
}
