//! The tables of what a snapshot says of the agent itself, and of its connection.

use super::table::{Kind, Member, table};

table! {
    /// How an agent stands, and how its last run has ended.
    AGENT {
        IS_LOADING = Member::new("isLoading", Kind::Json),
        AGENT_STATUS = Member::new("status", Kind::Word(AGENT_STATUSES)),
        RUN_ID = Member::new("runId", Kind::Text),
        RUN_OUTCOME = Member::new("outcome", Kind::Word(OUTCOMES)),
        RUN_ERROR = Member::new("error", Kind::Json),
        RUN_TIMING = Member::new("timing", Kind::Json),
    }
}

table! {
    CONNECTION {
        CONNECTION_PHASE = Member::new("phase", Kind::Word(CONNECTION_PHASES)),
        ATTEMPT = Member::new("attempt", Kind::Count),
        RETRY_AT = Member::new("retryAt", Kind::Count),
        LAST_EVENT_ID = Member::new("lastEventId", Kind::Text),
    }
}

const AGENT_STATUSES: &[&str] = &["idle", "running", "error"];

const CONNECTION_PHASES: &[&str] = &["closed", "connecting", "open", "reconnecting"];

/// How a run may end.
pub(crate) const OUTCOMES: &[&str] =
    &["success", "error", "aborted", "interrupted", "cancelled", "truncated", "dropped", "disconnected"];
