//! How the agent stands: its status, the last run's id, how that run ended, and how long it took. Nothing else writes these.

use super::words::{AgentError, Outcome};
use crate::wire::JsonWriter;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Status {
    #[default]
    Idle,
    Running,
    Error,
}

/// When the last run began, and how long it took; milliseconds.
#[derive(Debug)]
struct Timing {
    started: f64,
    first_token: Option<f64>,
    duration: Option<f64>,
}

#[derive(Debug, Default)]
pub(super) struct Verdict {
    status: Status,
    run_id: Option<String>,
    error: Option<AgentError>,
    outcome: Option<Outcome>,
    timing: Option<Timing>,
    disposed: bool,
}

impl Verdict {
    /// There was no run.
    pub fn clear(&mut self) {
        *self = Self { disposed: self.disposed, ..Self::default() };
    }

    /// The session takes no more calls.
    pub fn dispose(&mut self) {
        self.disposed = true;
    }

    pub fn is_disposed(&self) -> bool {
        self.disposed
    }

    /// A run begins.
    pub fn begun(&mut self, run_id: String, now: f64) {
        self.works();
        self.run_id = Some(run_id);
        self.timing = Some(Timing { started: now, first_token: None, duration: None });
    }

    /// The stream has begun a run, under another name where it gives one: after the end of one, the agent is running again.
    pub fn went_on(&mut self, run_id: Option<String>) {
        self.works();
        if run_id.is_some() {
            self.run_id = run_id;
        }
        if let Some(timing) = &mut self.timing {
            timing.duration = None;
        }
    }

    /// The page is at work, also after the end of its run.
    pub fn works(&mut self) {
        (self.status, self.error, self.outcome) = (Status::Running, None, None);
    }

    /// The last run is called this.
    pub fn named(&mut self, run_id: Option<String>) {
        self.run_id = run_id;
    }

    /// Text has come.
    pub fn token(&mut self, now: f64) {
        if let Some(timing) = self.timing.as_mut().filter(|timing| timing.first_token.is_none()) {
            timing.first_token = Some(now - timing.started);
        }
    }

    /// The run has ended. `goes_on`: the turn continues by itself.
    pub fn ended(&mut self, outcome: Outcome, error: Option<AgentError>, goes_on: bool, now: f64) {
        self.status = match error {
            Some(_) => Status::Error,
            None if goes_on => Status::Running,
            None => Status::Idle,
        };
        self.error = error;
        self.outcome = (!goes_on).then_some(outcome);
        if let Some(timing) = &mut self.timing {
            timing.duration.get_or_insert(now - timing.started);
        }
    }

    /// The run was left to the server.
    pub fn left(&mut self) {
        self.status = Status::Idle;
    }

    /// The page is done with the calls of a run that has ended this way.
    pub fn rested(&mut self, outcome: Outcome) {
        if self.status == Status::Running {
            (self.status, self.outcome) = (Status::Idle, Some(outcome));
        }
    }

    /// The last run was cut; `cause` for people.
    pub fn cut(&mut self, cause: &str) {
        let error = Some(AgentError::truncated(Some(cause)));
        (self.status, self.outcome, self.error) = (Status::Error, Some(Outcome::Truncated), error);
    }

    /// The snapshot's word.
    pub fn status(&self) -> &'static str {
        match self.status {
            Status::Idle => "idle",
            Status::Running => "running",
            Status::Error => "error",
        }
    }

    pub fn run_id(&self) -> Option<&str> {
        self.run_id.as_deref()
    }

    /// The same; empty, if there was no run.
    pub fn run_name(&self) -> String {
        self.run_id.clone().unwrap_or_default()
    }

    /// Whether the last run has this id.
    pub fn is_of(&self, run_id: &str) -> bool {
        self.run_id() == Some(run_id)
    }

    pub fn error(&self) -> Option<&AgentError> {
        self.error.as_ref()
    }

    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Writes the snapshot's `timing`, if there was a run.
    pub fn write_timing(&self, out: &mut String) {
        let Some(timing) = &self.timing else { return };
        let round = |ms: f64| ms.round() as u64;
        let mut object = JsonWriter::object(out);
        object
            .number("startedAt", Some(round(timing.started)))
            .number("firstTokenMs", timing.first_token.map(round))
            .number("durationMs", timing.duration.map(round));
        object.close();
    }
}
