//! The snapshot's fields that belong to the agent rather than to the thread.

use super::run::Phase;
use super::{AgentError, Session};
use crate::thread::Patch;
use crate::wire::{Cutter, JsonWriter};

/// A patch that is longer is taken in parts. The page reads one in a fraction of a frame, whatever is in it.
const PART_BYTES: usize = 32 * 1024;

/// What the mirror has. Texts of any length are kept as they are, and the others as JSON.
#[derive(Debug, Default)]
pub(super) struct Published {
    run_id: Option<String>,
    error: Option<AgentError>,
    last_event_id: String,
    queue: String,
    small: [String; 6],
}

/// The paths, in the order of [`Session::small`].
const PATHS: [&str; 6] = [
    "\"status\"",
    "\"outcome\"",
    "\"timing\"",
    "\"connection\",\"phase\"",
    "\"connection\",\"attempt\"",
    "\"connection\",\"retryAt\"",
];

impl Published {
    /// What the mirror starts with (`js/snapshot/initial.ts`).
    pub fn initial() -> Self {
        Self {
            queue: "[]".to_owned(),
            small: ["\"idle\"", "", "", "\"closed\"", "0", ""].map(str::to_owned),
            ..Self::default()
        }
    }
}

impl Session {
    /// The patch that brings the snapshot up to date; `None` if it is.
    pub fn take_patch(&mut self) -> Option<String> {
        self.told = None;
        let mut marked = std::mem::take(&mut self.marked);
        // What changes after a checkpoint is copied for it: those that are not kept are not made.
        let forgotten = std::mem::take(&mut self.marks).saturating_sub(self.options.max_history);
        if forgotten > 0 {
            marked.insert_str(0, &format!("[\"c\",[],{forgotten}],"));
        }
        let mut patch = Patch::behind(marked);
        self.write_patch(&mut patch);
        patch.finish()
    }

    /// The same, a long one in parts, of which the last says that nothing is open: to be asked for one after the other.
    pub fn take_part(&mut self) -> Option<String> {
        let part = self.outgoing.as_mut().and_then(|rest| rest.part(PART_BYTES));
        if part.is_some() {
            return part;
        }
        self.outgoing = None;
        let patch = self.take_patch()?;
        if patch.len() <= PART_BYTES {
            return Some(patch);
        }
        self.outgoing.insert(Cutter::new(patch)).part(PART_BYTES)
    }

    /// Writes what the mirror lacks.
    pub(super) fn write_patch(&mut self, patch: &mut Patch) {
        self.thread.write_patch(patch);
        let sent = &mut self.published;
        if sent.run_id.as_deref() != self.verdict.run_id() {
            text(patch, "\"runId\"", self.verdict.run_id());
            sent.run_id = self.verdict.run_id().map(Into::into);
        }
        if sent.error.as_ref() != self.verdict.error() {
            match self.verdict.error() {
                Some(error) => patch.reconcile("\"error\"", |out| error.write(out)),
                None => patch.remove("\"error\""),
            }
            sent.error = self.verdict.error().cloned();
        }
        if sent.last_event_id != self.last_event_id {
            let id = Some(self.last_event_id.as_str()).filter(|id| !id.is_empty());
            text(patch, "\"connection\",\"lastEventId\"", id);
            sent.last_event_id.clone_from(&self.last_event_id);
        }
        if self.queue.take_changed() {
            let mut json = String::new();
            let mut list = JsonWriter::array(&mut json);
            self.queue.iter().for_each(|submit| submit.write(list.item()));
            list.close();
            if sent.queue != json {
                patch.reconcile("\"queue\"", |out| out.push_str(&json));
                sent.queue = json;
            }
        }
        for (at, json) in self.small().into_iter().enumerate() {
            let (Some(path), Some(sent)) = (PATHS.get(at), self.published.small.get_mut(at)) else { continue };
            if *sent == json {
                continue;
            }
            if *path == "\"status\"" {
                let running = json == "\"running\"";
                patch.set("\"isLoading\"", |out| out.push_str(if running { "true" } else { "false" }));
            }
            if json.is_empty() {
                patch.remove(path);
            } else {
                patch.reconcile(path, |out| out.push_str(&json));
            }
            *sent = json;
        }
    }

    /// Fields as JSON, empty where there is none.
    fn small(&self) -> [String; 6] {
        let string = |text: &str| ["\"", text, "\""].concat();
        let mut timing = String::new();
        self.verdict.write_timing(&mut timing);
        let retry_at = match self.run.as_ref().map(|run| run.phase) {
            Some(Phase::Waiting { until }) => (until.round() as u64).to_string(),
            _ => String::new(),
        };
        [
            string(self.verdict.status()),
            self.verdict.outcome().map(|outcome| string(outcome.name())).unwrap_or_default(),
            timing,
            string(self.connection()),
            self.run.as_ref().map_or(0, |run| run.attempt).to_string(),
            retry_at,
        ]
    }
}

/// Sets a string, or removes it.
fn text(patch: &mut Patch, path: &str, text: Option<&str>) {
    match text {
        Some(text) => patch.text(path, text),
        None => patch.remove(path),
    }
}
