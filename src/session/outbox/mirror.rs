//! The state of the mirror, and the patches that bring it up to date. Of the snapshot, the thread writes its own part.

use crate::session::queue::Queue;
use crate::session::verdict::Verdict;
use crate::session::words::{AgentError, Boundary, Ticket};
use crate::thread::{Part, Patch, Thread, add_part};
use crate::wire::{Cutter, JsonWriter, Str};

/// A patch that is longer is taken in parts. The page reads one in a fraction of a frame, whatever is in it.
const PART_BYTES: usize = 32 * 1024;

/// The parts of a snapshot.
pub(in crate::session) struct Shown<'s> {
    pub thread: &'s mut Thread,
    pub verdict: &'s Verdict,
    pub queue: &'s mut Queue,
    pub connection: Connection<'s>,
}

/// The snapshot's `connection`.
pub(in crate::session) struct Connection<'s> {
    pub phase: &'static str,
    pub attempt: u32,
    pub retry_at: Option<f64>,
    pub last_event_id: &'s str,
}

#[derive(Debug)]
pub(super) struct Mirror {
    sent: MirrorState,
    /// The changes that the mirror lacks up to the last checkpoint: operations of the next patch.
    marked: String,
    /// The rest of a patch that is taken in parts.
    rest: Option<Cutter>,
}

/// The state of the mirror. Texts of any length are kept as they are, and other values as JSON.
#[derive(Debug, Default)]
struct MirrorState {
    run_id: Option<String>,
    error: Option<AgentError>,
    last_event_id: String,
    queue: Vec<Ticket>,
    small: [String; 6],
}

/// The paths, in the order of [`small`].
const PATHS: [&str; 6] = [
    "\"status\"",
    "\"outcome\"",
    "\"timing\"",
    "\"connection\",\"phase\"",
    "\"connection\",\"attempt\"",
    "\"connection\",\"retryAt\"",
];

impl Default for Mirror {
    /// The first snapshot (`js/snapshot/initial.ts`).
    fn default() -> Self {
        let sent = MirrorState {
            small: ["\"idle\"", "", "", "\"closed\"", "0", ""].map(str::to_owned),
            ..MirrorState::default()
        };
        Self { sent, marked: String::new(), rest: None }
    }
}

impl Mirror {
    /// The patch that brings the snapshot up to date; `None` if it is.
    pub fn take_patch(&mut self, shown: &mut Shown<'_>) -> Option<String> {
        let mut patch = Patch::continuing(std::mem::take(&mut self.marked));
        self.sent.write(shown, &mut patch);
        patch.finish()
    }

    /// The next part of a patch that is taken in parts.
    pub fn take_rest(&mut self) -> Option<String> {
        let part = self.rest.as_mut().and_then(|rest| rest.part(PART_BYTES));
        if part.is_none() {
            self.rest = None;
        }
        part
    }

    /// The first part of a patch, which may be all of it.
    pub fn first_part(&mut self, patch: String) -> String {
        if patch.len() <= PART_BYTES {
            return patch;
        }
        match Cutter::new(patch).uncut(PART_BYTES) {
            Ok(patch) => patch,
            Err(rest) => self.rest.insert(rest).part(PART_BYTES).unwrap_or_default(),
        }
    }

    pub fn has_sent_checkpoints(&self) -> bool {
        self.marked.is_empty()
    }

    /// Notes what the mirror lacks up to here, and that it is to keep it. Says whether there is too much of it now for more.
    pub fn checkpoint(
        &mut self,
        boundary: Boundary,
        step: Option<Str<'_>>,
        shown: &mut Shown<'_>,
        limit: usize,
        now: f64,
    ) -> bool {
        // Lists that a boundary changes are written whole: many boundaries in one read must not add up without a bound.
        if self.marked.len() > limit {
            return false;
        }
        let mut patch = Patch::continuing(std::mem::take(&mut self.marked));
        self.sent.write(shown, &mut patch);
        let ops = patch.ops();
        ops.push_str("[\"c\",[],");
        let mut object = JsonWriter::object(ops);
        // The run is the snapshot's.
        object.string("kind", boundary.name());
        object.optional("stepName", step.map(Str::decode).as_deref()).number("at", Some(now.round() as u64));
        object.close();
        ops.push_str("],");
        self.marked = std::mem::take(ops);
        self.marked.len() > limit
    }
}

impl MirrorState {
    /// Writes what the mirror lacks.
    fn write(&mut self, shown: &mut Shown<'_>, patch: &mut Patch) {
        shown.thread.write_patch(patch);
        let Shown { verdict, queue, connection, .. } = shown;
        if self.run_id.as_deref() != verdict.run_id() {
            text(patch, "\"runId\"", verdict.run_id());
            self.run_id = verdict.run_id().map(Into::into);
        }
        if self.error.as_ref() != verdict.error() {
            match verdict.error() {
                Some(error) => patch.reconcile("\"error\"", |out| error.write(out)),
                None => patch.remove("\"error\""),
            }
            self.error = verdict.error().cloned();
        }
        if self.last_event_id != connection.last_event_id {
            let id = Some(connection.last_event_id).filter(|id| !id.is_empty());
            text(patch, "\"connection\",\"lastEventId\"", id);
            connection.last_event_id.clone_into(&mut self.last_event_id);
        }
        if queue.take_changed() {
            self.write_queue(queue, patch);
        }
        for ((path, sent), json) in PATHS.into_iter().zip(&mut self.small).zip(small(verdict, connection)) {
            if *sent == json {
                continue;
            }
            if path == "\"status\"" {
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

    /// Writes what waits that the mirror has not, or not as it is: however much waits, each is written once.
    fn write_queue(&mut self, queue: &mut Queue, patch: &mut Patch) {
        let length = self.queue.len();
        // The same from the beginning on.
        let same = self.queue.iter().zip(queue.iter()).take_while(|(sent, submit)| **sent == submit.ticket).count();
        let sent = self.queue.split_off(same);
        let (mut parts, mut from) = (Vec::new(), 0);
        add_part(&mut parts, Part::Keep(0..same));
        for (at, submit) in queue.iter().enumerate().skip(same) {
            self.queue.push(submit.ticket);
            let rest = sent.get(from..).unwrap_or_default();
            let Some(gone) = rest.iter().position(|ticket| *ticket == submit.ticket) else {
                add_part(&mut parts, Part::New(at, 0));
                continue;
            };
            from += gone + 1;
            add_part(&mut parts, Part::Keep(same + from - 1..same + from));
        }
        patch.rebuild("\"queue\"", length, &parts, &mut |out, at, _| {
            queue.get(at).into_iter().for_each(|submit| submit.write(out));
        });
        for edited in queue.take_edited() {
            let at = self.queue.iter().position(|ticket| *ticket == edited);
            if let Some((at, submit)) = at.and_then(|at| Some((at, queue.get(at)?))) {
                patch.reconcile(&format!("\"queue\",{at}"), |out| submit.write(out));
            }
        }
    }
}

/// Fields as JSON, empty where there is none.
fn small(verdict: &Verdict, connection: &Connection<'_>) -> [String; 6] {
    let string = |text: &str| ["\"", text, "\""].concat();
    let mut timing = String::new();
    verdict.write_timing(&mut timing);
    [
        string(verdict.status()),
        verdict.outcome().map(|outcome| string(outcome.name())).unwrap_or_default(),
        timing,
        string(connection.phase),
        connection.attempt.to_string(),
        connection.retry_at.map(|at| (at.round() as u64).to_string()).unwrap_or_default(),
    ]
}

/// Sets a string, or removes it.
fn text(patch: &mut Patch, path: &str, text: Option<&str>) {
    match text {
        Some(text) => patch.text(path, text),
        None => patch.remove(path),
    }
}
