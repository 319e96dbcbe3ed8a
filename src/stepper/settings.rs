//! How a stepper is to work.

use crate::session::Options;
use crate::wire::{Fields, Protocol, words};

words! {
    /// The stages of reading, each with all before it.
    #[derive(Default)]
    pub StepperStage {
        /// Frames become events, of whatever type.
        Frames = "frames",
        /// Old and malformed events are dealt with, and chunks are expanded.
        Chunks = "chunks",
        /// The order of events is judged.
        #[default]
        Order = "order",
    }
}

/// How a stepper is to work.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// How far it goes, default [`StepperStage::Order`].
    pub stage: StepperStage,
    /// Deltas of one message or call that wait one after the other become one event, default no.
    pub join: bool,
    /// Makes the ids unique that THINKING_* events are given.
    pub run_id: String,
    /// Of these the rules, the server's version, and the limits of frames, of the thread and of warnings. A broken rule ends the
    /// stream, as it ends the run of a session.
    pub options: Options,
}

impl Settings {
    /// Reads `{rules?, stage?, protocol?, join?, runId?}` and the limits, as [`Options::read_limits`] does. `None` where it is no
    /// object.
    pub fn read(json: &str) -> Option<Self> {
        let fields = Fields::read(json, 8)?;
        let text = |name: &str| fields.text(name);
        let protocol = text("protocol").and_then(|version| Protocol::parse(&version)).unwrap_or(Protocol::CURRENT);
        let strict = text("rules").as_deref() == Some("strict");
        let mut options = Options { strict, protocol, ..Options::default() };
        options.read_limits(&fields);
        let stage = text("stage").and_then(|stage| StepperStage::parse(&stage)).unwrap_or_default();
        let run_id = text("runId").map(Into::into).unwrap_or_default();
        Some(Self { stage, join: fields.yes("join"), run_id, options })
    }
}
