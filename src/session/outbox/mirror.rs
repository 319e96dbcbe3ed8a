//! The state of the mirror, and the patches that bring it up to date. Of the snapshot, the thread writes its own part.

use crate::document::*;
use crate::session::queue::Queue;
use crate::session::run::Run;
use crate::session::types::Ticket;
use crate::session::verdict::Verdict;
use crate::thread::Thread;
use crate::wire::{Cutter, JsonWriter, Str};

/// The parts of a snapshot.
pub(in crate::session) struct Shown<'s> {
    pub thread: &'s mut Thread,
    pub verdict: &'s mut Verdict,
    pub queue: &'s mut Queue,
}

#[derive(Debug)]
pub(in crate::session) struct Mirror {
    /// The snapshot's `connection`.
    connection: Row,
    /// The submits that it has.
    queue: Vec<Ticket>,
    /// The changes that the mirror lacks up to the last checkpoint: operations of the next patch.
    pub marked: String,
    /// The rest of a patch that is taken in parts.
    rest: Option<Cutter>,
}

impl Default for Mirror {
    /// The first snapshot (`js/snapshot/initial.ts`).
    fn default() -> Self {
        let mut connection = Row::new(CONNECTION);
        connection.set_word(CONNECTION_PHASE, ConnectionPhase::Closed as u8);
        connection.set(ATTEMPT, Value::count(0));
        connection.set_mirrored();
        Self { connection, queue: Vec::new(), marked: String::new(), rest: None }
    }
}

impl Mirror {
    /// Notes how the connection stands.
    pub fn connect(&mut self, phase: ConnectionPhase, run: Option<&Run>, last_event_id: &str) {
        let row = &mut self.connection;
        row.set_word(CONNECTION_PHASE, phase as u8);
        row.set(ATTEMPT, Value::count(run.map_or(0, |run| run.attempt.into())));
        let retry_at = run.and_then(Run::retry_at).map(|at| Value::count(at.round() as u64));
        row.set(RETRY_AT, retry_at.unwrap_or_default());
        row.set_some(LAST_EVENT_ID, Some(last_event_id).filter(|id| !id.is_empty()));
    }

    /// The patch that brings the snapshot up to date; `None` if it is. A longer one than `bytes` comes in parts.
    #[inline(never)]
    pub fn take_patch(&mut self, shown: &mut Shown<'_>, bytes: usize) -> Option<String> {
        if let Some(part) = self.rest.as_mut().and_then(|rest| rest.part(bytes)) {
            return Some(part);
        }
        self.rest = None;
        let mut patch = Patch::continuing(std::mem::take(&mut self.marked));
        self.write(shown, &mut patch);
        let patch = patch.finish()?;
        if patch.len() <= bytes {
            return Some(patch);
        }
        match Cutter::new(patch).uncut(bytes) {
            Ok(patch) => Some(patch),
            Err(rest) => self.rest.insert(rest).part(bytes),
        }
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
        self.write(shown, &mut patch);
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

    /// Writes what the mirror lacks.
    fn write(&mut self, shown: &mut Shown<'_>, patch: &mut Patch) {
        shown.thread.write_patch(patch);
        if std::mem::take(&mut shown.queue.changed) {
            self.write_queue(shown.queue, patch);
        }
        shown.verdict.row.write_changes(&[(0, "")], patch);
        self.connection.write_changes(&[(0, "\"connection\"")], patch);
    }

    /// Writes what waits that the mirror has not, or not as it is: however much waits, each is written once.
    fn write_queue(&mut self, queue: &mut Queue, patch: &mut Patch) {
        let length = self.queue.len();
        // The same from the beginning on.
        let same = self.queue.iter().zip(queue.submits()).take_while(|(sent, submit)| **sent == submit.ticket).count();
        let sent = self.queue.split_off(same);
        let (mut parts, mut from) = (Vec::new(), 0);
        add_part(&mut parts, Part::Keep(0..same));
        for (at, submit) in queue.submits().iter().enumerate().skip(same) {
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
            queue.submits().get(at).into_iter().for_each(|submit| submit.write(out));
        });
        for edited in std::mem::take(&mut queue.edited) {
            let at = self.queue.iter().position(|ticket| *ticket == edited);
            if let Some((at, submit)) = at.and_then(|at| Some((at, queue.submits().get(at)?))) {
                patch.reconcile(&format!("\"queue\",{at}"), |out| submit.write(out));
            }
        }
    }
}
