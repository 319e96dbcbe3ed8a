//! Checkpoints: what the snapshot was where a run or a step began or ended. They are kept by the mirror, whose snapshots
//! share what did not change; the core says where they are.
//!
//! A boundary may lie in the middle of a read, and the mirror takes patches when it likes. So the operations up to a
//! boundary are written when it comes, with `["c", [], checkpoint]` after them, and stand before those of the next patch.

use super::Session;
use crate::thread::{Patch, Warning};
use crate::wire::{JsonWriter, Str};

/// Where a checkpoint lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Boundary {
    /// The request is about to go out.
    RunStarted,
    /// However it ended.
    RunFinished,
    StepStarted,
    StepFinished,
}

impl Boundary {
    fn name(self) -> &'static str {
        match self {
            Self::RunStarted => "run-started",
            Self::RunFinished => "run-finished",
            Self::StepStarted => "step-started",
            Self::StepFinished => "step-finished",
        }
    }
}

impl Session {
    /// The same for a boundary that the stream tells of, which a replay tells of again.
    pub(super) fn mark_once(&mut self, boundary: Boundary, step: Option<Str<'_>>, now: f64) {
        if self.progress.told.tell(boundary.name()) {
            self.mark(boundary, step, now);
        }
    }

    /// The snapshot is to be kept as it is now.
    #[inline(never)]
    pub(super) fn mark(&mut self, boundary: Boundary, step: Option<Str<'_>>, now: f64) {
        if self.options.max_history == 0 {
            return;
        }
        // Lists that a boundary changes are written whole: many boundaries in one read must not add up without end.
        let (before, limit) = (self.marked.len(), self.options.max_frame_bytes);
        if before > limit {
            return;
        }
        let mut patch = Patch::behind(std::mem::take(&mut self.marked));
        self.write_patch(&mut patch);
        let ops = patch.ops();
        ops.push_str("[\"c\",[],");
        let mut object = JsonWriter::object(ops);
        // The run is the snapshot's.
        object.string("kind", boundary.name());
        object.optional("stepName", step.map(Str::decode).as_deref()).number("at", Some(now.round() as u64));
        object.close();
        ops.push_str("],");
        self.marked = std::mem::take(ops);
        self.marks += 1;
        if self.marked.len() > limit {
            let message = "too much has changed since the last notification: its later checkpoints are left out";
            self.effects.push_back(super::Effect::Warning(Warning::new("history-too-large", message)));
        }
    }
}
