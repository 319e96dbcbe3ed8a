//! Where what comes over a connection that joins a run stands: it is known from an earlier connection, or of an earlier run, or it
//! is ours, and new. A frame is placed by its mark and by how its connection begins, an event by the run that it is of.

use crate::pipeline::EventSink;
use crate::rules::{Repair, Violation};
use crate::session::Session;
use crate::session::rejoin::{RejoinAnswer, Resume};
use crate::session::types::{AgentError, ErrorKind, Outcome};
use crate::wire::{Event, Fields, Frame, Incoming, frame_fields, frame_type};

/// Violations that a joined stream may have: it begins in the middle, or repeats events.
const EXPECTED: [&str; 7] = [
    "already-open",
    "not-open",
    "run-not-started",
    "run-not-finished",
    "left-open",
    "subagent-reused",
    "subagent-parent-unknown",
];

impl Session {
    /// Whether a frame was taken before, over another connection, or says how things stood before; and makes room for one that
    /// tells all again.
    pub(super) fn is_repeated(&mut self, frame: &Frame<'_>, now: f64) -> bool {
        let depth = self.options.max_depth;
        let Some(resume) = &self.options.network.resume else { return false };
        let joined = self.run.as_ref().and_then(|run| run.joined).filter(|_| !self.rejoin.progress.opening.decided);
        let speaks = self.intake.has_dialect();
        // Frames are looked into where their mark does not say all.
        let looks = frame.unterminated || joined.is_some() && !speaks;
        let fields = if looks { frame_fields(frame.data, depth).ok() } else { None };
        let kind = fields.as_ref().and_then(|fields| frame_type(fields).ok()).unwrap_or_default();
        // The last frame of a lost connection, which lacks its end: it comes again whole. A torn one says nothing, and its mark is
        // not one of what was read.
        if frame.unterminated
            && (fields.is_none() || !matches!(&*kind, "RUN_FINISHED" | "RUN_ERROR") && self.can_join())
        {
            return true;
        }
        if self.rejoin.progress.is_repeated(resume, frame, depth) {
            return true;
        }
        let Some(expected) = joined else { return false };
        if let Some(fields) = fields.as_ref().filter(|_| !speaks)
            && self.options.network.hydrates()
            && self.is_stale(&kind, fields, frame.data, now)
        {
            return true;
        }
        self.note_beginning(expected, if speaks { "" } else { &kind });
        false
    }

    /// Whether the server says how things stood before the run: it is at work on it. With the list of messages that has what the
    /// run was asked with, the run is over.
    fn is_stale(&mut self, kind: &str, fields: &Fields<'_>, data: &str, now: f64) -> bool {
        let mut list = fields.list("messages").into_iter();
        let has = |id: &str| list.any(|item| item.object().and_then(|item| item.text("id")).as_deref() == Some(id));
        let over =
            kind == "MESSAGES_SNAPSHOT" && self.rejoin.progress.last_message_before_run.as_deref().is_none_or(has);
        let Some(run) = &mut self.run else { return true };
        (run.streamed, run.works) = (true, !over);
        run.events += 1;
        if !over {
            if kind == "STATE_SNAPSHOT" {
                run.held = Some(data.to_owned());
            }
            return true;
        }
        if let Some(state) = run.held.take() {
            // It was read already.
            let _ = self.event(&state, false, now);
        }
        false
    }

    /// Goes back to where the thread was before the run, where the stream tells the run from its beginning. `kind`: the type of the
    /// event that it begins with.
    fn note_beginning(&mut self, expected: RejoinAnswer, kind: &str) {
        if !self.rejoin.progress.is_beginning(expected, kind) || self.rejoin.progress.baseline.is_none() {
            return;
        }
        let (greeted, stated) = self.rejoin.progress.replay(expected);
        if let Some(run) = &mut self.run {
            // From here on it is a stream like any other.
            run.joined = greeted.then_some(RejoinAnswer::Rest);
            run.replays = true;
        }
        self.intake.pipeline.start_over();
        self.begin_dialect_again();
        self.intake.guard.iter_mut().for_each(|guard| guard.begin_again());
        // Where a thread is told, what is shown stays until its run comes.
        if self.intake.has_dialect() || !self.rejoin.earlier.is_before() {
            self.rewind(stated);
        }
    }

    /// Forgets what the run has said so far, for it is replayed. `stated`: it has said the state already.
    fn rewind(&mut self, stated: bool) {
        if let Some(baseline) = self.rejoin.progress.rewind() {
            self.page.detach(self.thread.roll_back(baseline, stated));
        }
    }

    /// Whether what comes is of a run that the thread has already: a replay of the thread tells of all its runs.
    pub(super) fn is_known(&mut self, fields: &Fields<'_>, now: f64) -> bool {
        if !self.options.network.resume.as_ref().is_some_and(Resume::replays_threads) && !self.rejoin.earlier.has_all()
        {
            return false;
        }
        let kind = frame_type(fields).unwrap_or_default();
        if kind == "RUN_STARTED" {
            let id = fields.text("runId").filter(|id| !id.is_empty());
            self.rejoin.earlier.started(id.as_deref(), self.verdict.run_id());
        }
        if !self.rejoin.earlier.is_known() {
            self.rewind(false);
            return false;
        }
        if let Some(run) = &mut self.run {
            run.events += 1;
            run.streamed = true;
        }
        let over = self.rejoin.earlier.is_over();
        if over && kind == "RUN_FINISHED" {
            self.take_outcome(fields.get("result"), fields.some("outcome"), now);
        } else if over && kind == "RUN_ERROR" {
            let error = AgentError::new(ErrorKind::Run, &fields.text("message").unwrap_or_default(), true);
            self.terminal(Outcome::Error, Some(error), Vec::new(), now);
        }
        true
    }

    /// Whether the event says only what a page that joins must know, and this one knows.
    pub(super) fn is_greeting(&self, incoming: &Incoming<'_>) -> bool {
        let Event::RunStarted { run_id, .. } = incoming.event else { return false };
        let same = run_id.is_none_or(|id| Some(&*id.decode()) == self.verdict.run_id());
        // After the end of a run it begins another one.
        let joined = self.run.as_ref().is_some_and(|run| run.joined.is_some() && run.end().is_none());
        same && self.rejoin.progress.started && joined
    }

    /// The repair of an event that breaks a rule because its stream begins in the middle, or repeats events.
    pub(super) fn excused(&self, violation: &Violation, event: &Event<'_>) -> Option<Repair> {
        if !EXPECTED.contains(&violation.code) || self.run.as_ref().is_none_or(|run| run.joined.is_none()) {
            return None;
        }
        // The stream opened these items before this page was there.
        Some(if event.is_end() { Repair::Keep } else { violation.repair })
    }
}
