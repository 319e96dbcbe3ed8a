//! How a run may end, and what is said of it then.

use super::{AgentError, Outcome};
use crate::wire::{JsonWriter, write_json};

/// How a run has ended, and why.
pub(in crate::session) type RunEnd = (Outcome, Option<AgentError>);

/// How a run has ended, and what is known of it then.
#[derive(Debug)]
pub(in crate::session) struct Ended {
    pub outcome: Outcome,
    /// JSON text.
    pub result: Option<String>,
    /// Calls that a success left without an answer: those that it named, or those that the run has not answered.
    pub unanswered: Vec<String>,
}

impl Ended {
    /// A run of which only the end is known.
    pub fn new(outcome: Outcome) -> Self {
        Self { outcome, result: None, unanswered: Vec::new() }
    }
}

/// The result that a submit is settled with. `run`: the run that it led to.
pub(in crate::session) fn settlement(
    run_id: &str,
    outcome: Outcome,
    error: Option<&AgentError>,
    run: Option<&Ended>,
) -> String {
    JsonWriter::object_text(|object| {
        object.string("runId", run_id).string("outcome", outcome.name());
        if let Some(error) = error {
            error.write(object.member("error"));
        }
        if let Some(result) = run.and_then(|run| run.result.as_deref()) {
            write_json(object.member("result"), result);
        }
        if let Some(run) = run.filter(|run| outcome == Outcome::Success && !run.unanswered.is_empty()) {
            object.strings("pendingToolCallIds", run.unanswered.iter().map(String::as_str));
        }
    })
}
