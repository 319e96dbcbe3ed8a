//! The tables of what saves have beside the snapshot: the page's tools, its calls, and its answers.

use super::row::Row;
use super::table::{Kind, Member, table};
use super::words::Stage;

table! {
    /// A tool that the page has, as a submit names it.
    PAGE_TOOL {
        TOOL_NAME = Member::new("name", Kind::Text),
        /// The page has no function for it: a person answers.
        MANUAL = Member::new("manual", Kind::Flag(false)),
        NEEDS_APPROVAL = Member::new("needsApproval", Kind::Flag(false)),
        /// Whether its result is worth another run.
        TOOL_FOLLOW_UP = Member::new("followUp", Kind::Flag(true)),
    }
}

table! {
    /// A call that the page executes, or people answer.
    PAGE_CALL {
        PAGE_CALL_ID = Member::new("id", Kind::Text),
        STAGE = Member::new("stage", Kind::Word(Stage::WORDS)),
        FOLLOW_UP = Member::new("followUp", Kind::Flag(false)),
        /// The call when it was taken up, or approved: a save has it in its thread.
        TAKEN_NAME = Member::new("name", Kind::Text).at(["", ""]).of(0),
        TAKEN_ARGS = Member::new("args", Kind::Text).at(["", ""]).of(0),
    }
}

table! {
    /// An answer that the page has given to a call.
    ANSWER {
        ANSWERED_CALL = Member::new("call", Kind::Text),
        ANSWER_CONTENT = Member::new("content", Kind::Text),
        ANSWER_ERROR = Member::new("error", Kind::Text),
        DENIED = Member::new("denied", Kind::Flag(false)),
    }
}

/// An answer that the page has given to a call.
pub(crate) fn local_answer(call: &str, content: &str, error: Option<&str>, denied: bool) -> Row {
    let mut answer = Row::new(ANSWER);
    answer.set_text(ANSWERED_CALL, call);
    answer.set_text(ANSWER_CONTENT, content);
    answer.set_some(ANSWER_ERROR, error);
    answer.set_word(DENIED, denied.into());
    answer
}
