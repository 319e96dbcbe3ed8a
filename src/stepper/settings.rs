//! How a stepper is to work.

use crate::wire::{Fields, Protocol, Raw};

/// The stages of reading, each with all before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepperStage {
    /// Frames become events, of whatever type.
    Frames,
    /// Old and malformed events are dealt with, and chunks are expanded.
    Chunks,
    /// The order of events is judged.
    Order,
}

/// How a stepper is to work. Every limit is the application's to set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// A broken rule ends the stream with an error, instead of a warning; default no.
    pub strict: bool,
    /// How far it goes, default [`StepperStage::Order`].
    pub stage: StepperStage,
    /// The server's version of AG-UI, default 1.0.
    pub protocol: Protocol,
    /// Deltas of one message or call that wait one after the other become one event, default no.
    pub join: bool,
    /// Makes the ids unique that THINKING_* events are given.
    pub run_id: String,
    /// Bytes of one frame, default 10 MiB.
    pub frame_bytes: usize,
    /// Bytes of the state, and of an activity's content, as JSON, default 16 MiB.
    pub state_bytes: usize,
    /// Bytes of the whole thread, default 64 MiB.
    pub thread_bytes: usize,
    /// Elements of one list of the thread, default 100,000.
    pub items: usize,
    /// Warnings that are reported, default 1,000.
    pub warnings: usize,
    /// Levels of nesting in a frame, and in a document that patches build, default 512.
    pub depth: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strict: false,
            stage: StepperStage::Order,
            protocol: Protocol::CURRENT,
            join: false,
            run_id: String::new(),
            frame_bytes: 10 * 1024 * 1024,
            state_bytes: 16 * 1024 * 1024,
            thread_bytes: 64 * 1024 * 1024,
            items: 100_000,
            warnings: 1000,
            depth: 512,
        }
    }
}

impl Settings {
    /// Reads `{rules?, stage?, protocol?, join?, runId?, frameBytes?, stateBytes?, threadBytes?, items?, warnings?, depth?}`. `null`, which is
    /// what JSON makes of `Infinity`, is no limit. `None` where it is no object.
    pub fn read(json: &str) -> Option<Self> {
        let fields = Fields::read(json, 8)?;
        let text = |name: &str| fields.text(name);
        let limit = |name: &str, default: usize| match fields.get(name) {
            Some(value) if value.is_null() => usize::MAX,
            // A whole number: reading others would be a large part of the module.
            Some(value) => value.text().parse().unwrap_or(usize::MAX),
            None => default,
        };
        let default = Self::default();
        Some(Self {
            strict: text("rules").as_deref() == Some("strict"),
            stage: match text("stage").as_deref() {
                Some("frames") => StepperStage::Frames,
                Some("chunks") => StepperStage::Chunks,
                _ => StepperStage::Order,
            },
            protocol: text("protocol").and_then(|version| Protocol::parse(&version)).unwrap_or(default.protocol),
            join: fields.get("join").and_then(Raw::boolean).unwrap_or(default.join),
            run_id: text("runId").map(Into::into).unwrap_or_default(),
            frame_bytes: limit("frameBytes", default.frame_bytes),
            state_bytes: limit("stateBytes", default.state_bytes),
            thread_bytes: limit("threadBytes", default.thread_bytes),
            items: limit("items", default.items),
            warnings: limit("warnings", default.warnings),
            // The reader recurses; this much fits the stack of every engine.
            depth: limit("depth", default.depth).min(4096),
        })
    }
}
