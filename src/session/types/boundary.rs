//! Checkpoints: what the snapshot was where a run or a step began or ended. They are kept by the mirror, whose snapshots
//! share what did not change; the core says where they are.
//!
//! A boundary may lie in the middle of a read, and the mirror takes patches when it likes. So the operations up to a
//! boundary are written when it comes, with `["c", [], checkpoint]` after them, and stand before those of the next patch:
//! `outbox/mirror.rs` does that.

/// Where a checkpoint lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Boundary {
    /// The request is about to go out.
    RunStarted,
    /// However it ended.
    RunFinished,
    StepStarted,
    StepFinished,
}

impl Boundary {
    pub fn name(self) -> &'static str {
        match self {
            Self::RunStarted => "run-started",
            Self::RunFinished => "run-finished",
            Self::StepStarted => "step-started",
            Self::StepFinished => "step-finished",
        }
    }
}
