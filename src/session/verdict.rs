//! How the agent stands: its status, the last run's id, how that run ended, and how long it took. Nothing else writes these.

use super::types::{AgentError, Outcome};
use crate::document::*;
use crate::wire::{JsonWriter, Str};

/// When the last run began, and how long it took; milliseconds.
#[derive(Debug)]
struct Timing {
    started: f64,
    first_token: Option<f64>,
    duration: Option<f64>,
}

#[derive(Debug)]
pub(super) struct Verdict {
    pub row: Row,
    timing: Option<Timing>,
    /// The last run has ended with its connection, or had none.
    pub is_cut: bool,
    /// The session takes no more calls.
    pub disposed: bool,
}

impl Default for Verdict {
    /// As the first snapshot has it (`js/snapshot/initial.ts`).
    fn default() -> Self {
        let mut verdict = Self { row: Row::new(AGENT), timing: None, is_cut: false, disposed: false };
        verdict.stands(Standing::Idle, None, None);
        verdict.row.set_mirrored();
        verdict
    }
}

impl Verdict {
    /// There was no run.
    pub fn clear(&mut self) {
        self.stands(Standing::Idle, None, None);
        self.row.set(RUN_ID, Value::None);
        self.timing = None;
        self.row.set(RUN_TIMING, Value::None);
    }

    fn stands(&mut self, standing: Standing, outcome: Option<Outcome>, error: Option<&AgentError>) {
        self.set_standing(standing);
        self.set_outcome(outcome);
        self.is_cut = outcome == Some(Outcome::Truncated) || error.is_some_and(AgentError::is_of_connection);
        let mut json = String::new();
        error.into_iter().for_each(|error| error.write(&mut json));
        self.row.set_some(RUN_ERROR, error.map(|_| json.as_str()));
    }

    fn set_standing(&mut self, standing: Standing) {
        self.row.set_word(AGENT_STATUS, standing as u8);
        self.row.set_text(IS_LOADING, if standing == Standing::Running { "true" } else { "false" });
    }

    fn set_outcome(&mut self, outcome: Option<Outcome>) {
        self.row.set(RUN_OUTCOME, outcome.map_or(Value::None, |outcome| Value::Word(outcome as u8)));
    }

    fn set_timing(&mut self) {
        let Some(timing) = &self.timing else { return };
        let round = |ms: f64| ms.round() as u64;
        let json = JsonWriter::object_text(|object| {
            object
                .number("startedAt", Some(round(timing.started)))
                .number("firstTokenMs", timing.first_token.map(round))
                .number("durationMs", timing.duration.map(round));
        });
        self.row.set(RUN_TIMING, Value::Text(json));
    }

    /// A run begins.
    pub fn begun(&mut self, run_id: &str, now: f64) {
        self.works();
        self.row.set_text(RUN_ID, run_id);
        self.timing = Some(Timing { started: now, first_token: None, duration: None });
        self.set_timing();
    }

    /// The stream has begun a run, under another name where it gives one: after the end of one, the agent is running again.
    pub fn went_on(&mut self, run_id: Option<String>) {
        self.works();
        if run_id.is_some() {
            self.named(run_id);
        }
        if let Some(timing) = &mut self.timing {
            timing.duration = None;
            self.set_timing();
        }
    }

    /// The page is at work, also after the end of its run.
    pub fn works(&mut self) {
        self.stands(Standing::Running, None, None);
    }

    /// The last run is called this.
    pub fn named(&mut self, run_id: Option<String>) {
        self.row.set_some(RUN_ID, run_id.as_deref());
    }

    /// Text has come. An empty delta is no token: servers open a stream with one.
    pub fn token(&mut self, delta: Str<'_>, now: f64) {
        let first = |timing: &&mut Timing| timing.first_token.is_none() && !delta.raw().is_empty();
        if let Some(timing) = self.timing.as_mut().filter(first) {
            timing.first_token = Some(now - timing.started);
            self.set_timing();
        }
    }

    /// The run has ended. `goes_on`: the turn continues by itself.
    pub fn ended(&mut self, outcome: Outcome, error: Option<&AgentError>, goes_on: bool, now: f64) {
        let standing = match error {
            Some(_) => Standing::Error,
            None if goes_on => Standing::Running,
            None => Standing::Idle,
        };
        self.stands(standing, (!goes_on).then_some(outcome), error);
        if let Some(timing) = &mut self.timing {
            timing.duration.get_or_insert(now - timing.started);
            self.set_timing();
        }
    }

    /// The run was left to the server.
    pub fn detach(&mut self) {
        self.set_standing(Standing::Idle);
    }

    /// The page is done with the calls of a run that has ended this way.
    pub fn rested(&mut self, outcome: Outcome) {
        if self.row.word(AGENT_STATUS) == Standing::Running as u8 {
            self.set_standing(Standing::Idle);
            self.set_outcome(Some(outcome));
        }
    }

    /// The last run was cut; `cause` for people.
    pub fn cut(&mut self, cause: &str) {
        let error = AgentError::truncated(Some(cause));
        self.stands(Standing::Error, Some(Outcome::Truncated), Some(&error));
    }

    pub fn run_id(&self) -> Option<&str> {
        self.row.some(RUN_ID)
    }

    /// Whether the last run has this id.
    pub fn is_of(&self, run_id: &str) -> bool {
        self.run_id() == Some(run_id)
    }

    /// How the last run has ended.
    pub fn outcome(&self) -> Option<Outcome> {
        Outcome::numbered(self.row.word(RUN_OUTCOME)).filter(|_| self.row.has(RUN_OUTCOME))
    }
}
