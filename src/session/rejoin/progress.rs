//! How far a stream was read, and what of it comes again. Pure.

use super::once::Once;
use super::policy::{RejoinAnswer, Resume};
use crate::thread::{At, Baseline, Index};
use crate::wire::{Frame, hash};

/// How far the stream of a run was read, over all of its connections.
#[derive(Debug, Default)]
pub(in crate::session) struct Progress {
    /// The mark of the last event.
    pub cursor: Option<String>,
    /// The mark of the first one: a connection that begins with it tells the run from its beginning.
    pub first: Option<String>,
    /// RUN_STARTED has come.
    pub started: bool,
    /// It has come at some time: a stream that begins without it does not begin the run.
    pub(super) announced: bool,
    /// It tells the whole thread.
    pub opens: bool,
    /// The thread before the run, where it may be replayed.
    pub baseline: Option<Baseline>,
    /// A replay has begun, and nothing has come of it yet but what the thread has.
    pub(super) rewinds: bool,
    /// The last message of the thread when the run began.
    pub last_message_before_run: Option<String>,
    /// The same of the last run that has begun in its stream.
    pub part: Option<String>,
    /// The counts of reports: events, CUSTOM events, token counts, checkpoints, warnings, decisions.
    pub(super) reported: Once,
    /// The session was restored while this run was in progress, and the run has not ended since.
    pub restored: bool,
    /// Marks that do not grow, with the connection that they came over.
    seen: Index,
    connection: usize,
    /// The mark at the beginning of this connection, where marks grow.
    floor: Option<u64>,
    /// The same where they need not, of a page that has seen no other.
    known: Option<u64>,
    /// It has seen no other mark, and that is no number.
    blind: bool,
    pub opening: Opening,
    /// How the connections have left the thread, as hashes.
    ends: Vec<u64>,
}

/// The beginning of a connection that joins the run, as far as it has shown where it begins.
#[derive(Debug, Default)]
pub(in crate::session) struct Opening {
    /// Its first mark has come.
    marked: bool,
    /// It begins where the run does, and has not come to the cursor.
    skips: bool,
    /// An event has come whose mark is new: it has gone beyond the cursor that it began with.
    pub advanced: bool,
    /// How it begins is known.
    pub decided: bool,
    /// It has said that the run has begun, and what the state is.
    greeted: bool,
    stated: bool,
}

impl Progress {
    #[inline(never)]
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The last message before the run that is told now.
    pub fn part(&self) -> Option<&str> {
        self.part.as_deref().or(self.last_message_before_run.as_deref())
    }

    /// Another connection joins the run. Gives the cursor that it continues after.
    pub fn reconnect(&mut self) -> Option<String> {
        self.connection += 1;
        self.opening = Opening::default();
        let number = self.cursor.as_ref().and_then(|cursor| cursor.parse().ok());
        self.floor = number;
        // A page that was loaded anew has no other mark.
        if let (true, Some(cursor)) = (self.seen.is_empty(), &self.cursor) {
            self.seen.insert(cursor.clone(), At::default());
            (self.known, self.blind) = (number, number.is_none());
        }
        self.cursor.clone()
    }

    /// Notes a frame. Says whether it came over an earlier connection already. Within one connection frames may share a
    /// mark: those that a server made of one thing.
    pub fn is_repeated(&mut self, resume: &Resume, frame: &Frame<'_>, max_depth: usize) -> bool {
        // A frame without a mark stands where the marks beside it do.
        let Some((mark, number)) = resume.mark(frame, max_depth) else { return self.opening.skips };
        let repeated = match (number, self.floor) {
            (Some(number), Some(floor)) => number <= floor,
            (Some(_), None) => false,
            (None, _) => {
                let connection = At { message: self.connection, call: 0 };
                let known = self.known.is_some_and(|known| mark.parse().is_ok_and(|number: u64| number <= known));
                known || self.seen.note(&mark, connection) != connection
            }
        };
        let begins = !std::mem::replace(&mut self.opening.marked, true) && self.first.as_ref() == Some(&mark);
        // Up to the cursor all is known, also where this page has not seen the mark.
        if begins && self.connection > 0 && self.cursor.is_some() {
            self.opening.skips = true;
        }
        if self.opening.skips && (repeated || self.blind) {
            self.opening.skips = self.cursor.as_ref() != Some(&mark);
            return true;
        }
        if !repeated {
            (self.opening.skips, self.opening.advanced) = (false, true);
            self.first.get_or_insert_with(|| mark.clone());
            self.cursor = Some(mark);
        }
        repeated
    }

    /// A connection has left the thread as `json` says. Whether no earlier one has.
    pub fn ends_otherwise(&mut self, json: &str) -> bool {
        let hash = hash(json);
        let new = !self.ends.contains(&hash);
        if new {
            self.ends.push(hash);
        }
        new
    }

    /// Notes an event of a connection that joins the run, by its type. Says whether it tells the run from its beginning:
    /// what comes first decides, and `expected` where that says nothing.
    pub fn is_beginning(&mut self, expected: RejoinAnswer, kind: &str) -> bool {
        let opening = &mut self.opening;
        let snapshot = kind.ends_with("SNAPSHOT");
        opening.decided = expected != RejoinAnswer::Snapshot || !matches!(kind, "RUN_STARTED" | "STATE_SNAPSHOT");
        opening.greeted |= kind == "RUN_STARTED";
        opening.stated |= kind == "STATE_SNAPSHOT";
        let goes_on = ["CONTENT", "ARGS", "END", "FINISHED", "ERROR"].iter().any(|end| kind.ends_with(end));
        match expected {
            RejoinAnswer::Rest => false,
            RejoinAnswer::Snapshot => opening.decided && opening.greeted && !snapshot && !goes_on && !kind.is_empty(),
            RejoinAnswer::Replay => !(self.announced && (snapshot || goes_on)),
        }
    }

    /// The run is replayed from its beginning. Says of what came before that was known whether it was RUN_STARTED, and
    /// whether it was the state.
    pub fn replay(&mut self, expected: RejoinAnswer) -> (bool, bool) {
        let Opening { greeted, stated, .. } = self.opening;
        let early = expected == RejoinAnswer::Snapshot;
        (self.started, self.part, self.rewinds) = (early && greeted, None, true);
        (early && greeted, early && stated)
    }

    /// Where the thread goes back to, once after [`Self::replay`]: what comes now is of the run.
    pub fn rewind(&mut self) -> Option<&Baseline> {
        let baseline = self.baseline.as_ref()?;
        if !std::mem::take(&mut self.rewinds) {
            return None;
        }
        self.reported.replay();
        Some(baseline)
    }
}
