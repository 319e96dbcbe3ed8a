//! The tables of what a snapshot says beside its thread: how the agent stands, its connection, the submits that wait.

use super::saves::PAGE_TOOL;
use super::table::{Kind, Member, table};
use super::words::{ConnectionPhase, ErrorKind, IfAwaiting, Outcome, Standing};

table! {
    /// How an agent stands, and how its last run has ended.
    AGENT {
        IS_LOADING = Member::new("isLoading", Kind::Json),
        AGENT_STATUS = Member::new("status", Kind::Word(Standing::WORDS)),
        RUN_ID = Member::new("runId", Kind::Text),
        RUN_OUTCOME = Member::new("outcome", Kind::Word(Outcome::WORDS)),
        RUN_ERROR = Member::new("error", Kind::Json),
        RUN_TIMING = Member::new("timing", Kind::Json),
    }
}

table! {
    CONNECTION {
        CONNECTION_PHASE = Member::new("phase", Kind::Word(ConnectionPhase::WORDS)),
        ATTEMPT = Member::new("attempt", Kind::Count),
        RETRY_AT = Member::new("retryAt", Kind::Count),
        LAST_EVENT_ID = Member::new("lastEventId", Kind::Text),
    }
}

table! {
    /// The error of a run, as the package's `AgentError.from` reads it.
    AGENT_ERROR {
        ERROR_KIND = Member::new("kind", Kind::Word(ErrorKind::WORDS)),
        /// For people.
        ERROR_TEXT = Member::new("message", Kind::Text),
        /// Whether the same run may succeed when it is tried again.
        RETRYABLE = Member::new("retryable", Kind::Flag(false)),
        HTTP_STATUS = Member::new("status", Kind::Count),
        /// Milliseconds that the server asks to wait before the next attempt.
        RETRY_AFTER = Member::new("retryAfterMs", Kind::Count),
        /// The server's code, or that of the rule or limit.
        ERROR_CODE = Member::new("code", Kind::Text),
        /// The tag of the protocol's rule that was broken, in `docs/rules.md`.
        BROKEN_RULE = Member::new("rule", Kind::Text),
        /// The `type` of the event that broke it.
        BREAKING_EVENT = Member::new("eventType", Kind::Text),
        /// The beginning of the body that the server answered with.
        ERROR_BODY = Member::new("body", Kind::Text),
        /// The connection was lost before the run had ended, and not closed by the server.
        LOST = Member::new("lost", Kind::Flag(false)),
    }
}

table! {
    /// A submit, as a save has it, and as the snapshot's queue shows it. JSON is kept as text.
    SUBMIT {
        SUBMIT_RUN = Member::new("runId", Kind::Text).at(["runId", "runId"]),
        /// The assistant message to say anew; without one the last.
        OF = Member::new("of", Kind::Text),
        IF_AWAITING = Member::new("ifAwaiting", Kind::Word(IfAwaiting::WORDS)),
        /// The user message that the new one takes the place of.
        REPLACES = Member::new("replaces", Kind::Text),
        /// The id that the last user message takes before the request is made.
        NEW_MESSAGE_ID = Member::new("newMessageId", Kind::Text),
        SUBMIT_MESSAGES = Member::new("messages", Kind::Json).at(["messages", "messages"]),
        SUBMIT_STATE = Member::new("state", Kind::Json),
        SUBMIT_RESUME = Member::new("resume", Kind::Json),
        SUBMIT_TOOLS = Member::new("tools", Kind::Json),
        SUBMIT_CONTEXT = Member::new("context", Kind::Json),
        SUBMIT_PROPS = Member::new("forwardedProps", Kind::Json),
        PAGE_TOOLS = Member::new("pageTools", Kind::List(PAGE_TOOL)),
        /// How many runs may follow on the calls of the page's tools.
        MAX_FOLLOW_UPS = Member::new("maxFollowUps", Kind::Count),
    }
}
