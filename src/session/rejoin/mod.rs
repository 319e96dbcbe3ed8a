//! One run over several connections: how far its stream was read, what a replay tells again, which of a thread's runs is the
//! one that was to be joined, and what was left to the server. It knows; the handlers act.
//!
//! ```text
//!  policy: when is a request sent again, how does the stream go on?      budget: how many connections may a run make?
//!  progress: where was the stream cut?     once: what was reported?      earlier: of which run is what comes?
//! ```

mod budget;
mod earlier;
mod once;
mod policy;
mod progress;

pub(super) use budget::Budget;
pub(super) use earlier::StreamPlace;
pub(super) use once::Report;
pub(super) use policy::{Answer, retry_after};
pub use policy::{Network, Resume};

use super::types::{AgentError, Outcome};
use crate::thread::{Checkpoint, Thread};
use crate::wire::{Fields, Frame, JsonWriter, Raw};
use earlier::Earlier;
use progress::Progress;

#[derive(Debug, Default)]
pub(super) struct Rejoin {
    progress: Progress,
    earlier: Earlier,
    /// The last run was left to the server: nothing of it is closed.
    detached: bool,
    last_event_id: String,
    /// Names the last request.
    requests: u32,
}

impl Rejoin {
    /// The thread was cleared.
    pub fn clear(&mut self) {
        let requests = self.requests;
        *self = Self { requests, ..Self::default() };
        self.earlier.set_old();
    }

    /// A run begins that was not on before. `empty`: so far the thread has no messages.
    pub fn begin(&mut self, empty: bool) {
        self.progress = Progress::default();
        self.earlier.begin(None);
        self.earlier.set_alone(empty);
    }

    /// A run is joined that is not the last one of this session.
    pub fn begin_other(&mut self, run_id: String) {
        self.progress = Progress::default();
        self.earlier.begin(Some(run_id));
    }

    /// A run is joined that has ended here, and whose page was loaded anew since.
    pub fn begin_over(&mut self, run_id: String) {
        self.earlier.begin(Some(run_id));
        self.earlier.set_over(true);
    }

    /// The thread before the run is to be kept, as the run may be replayed. `lacks`: the thread has seen no run.
    pub fn keep(&mut self, checkpoint: Checkpoint, lacks: bool) {
        self.progress.checkpoint = Some(checkpoint);
        self.earlier.set_lacks(lacks);
    }

    pub fn checkpoint(&mut self) -> Option<&mut Checkpoint> {
        self.progress.checkpoint.as_mut()
    }

    pub fn has_checkpoint(&self) -> bool {
        self.progress.checkpoint.is_some()
    }

    /// The last message of the thread when the run began.
    pub fn set_last_message_before_run(&mut self, message: Option<&str>) {
        self.progress.last_message_before_run = message.map(Into::into);
    }

    pub fn last_message_before_run(&self) -> Option<&str> {
        self.progress.last_message_before_run.as_deref()
    }

    /// Another run begins in the same stream.
    pub fn set_part(&mut self, message: Option<&str>) {
        self.progress.part = message.map(Into::into);
    }

    /// The last message before the run that is told now.
    pub fn part(&self) -> Option<&str> {
        self.progress.part.as_deref().or(self.last_message_before_run())
    }

    /// The run is left to the server.
    pub fn detach(&mut self) {
        self.detached = true;
    }

    pub fn is_detached(&self) -> bool {
        self.detached
    }

    /// The run that was left is joined, or not waited for any longer. Says whether one was.
    pub fn take_detached(&mut self) -> bool {
        std::mem::take(&mut self.detached)
    }

    /// The session was restored while a run was in progress.
    pub fn set_restored(&mut self) {
        self.progress.restored = true;
    }

    pub fn is_restored(&self) -> bool {
        self.progress.restored
    }

    /// That run has ended, or is not waited for any longer. Says whether there was one.
    pub fn take_restored(&mut self) -> bool {
        std::mem::take(&mut self.progress.restored)
    }

    /// Whether the last run has not ended as far as anybody knows. `connected`: whether the run in progress has not.
    pub fn is_unfinished(&self, connected: Option<bool>) -> bool {
        self.detached || connected.unwrap_or(self.progress.restored)
    }

    /// Names the next request.
    pub fn next_request(&mut self) -> u32 {
        self.requests = self.requests.wrapping_add(1).max(1);
        self.requests
    }

    /// Another connection begins, which does not join a run.
    pub fn connect(&mut self) {
        self.earlier.connect(false);
    }

    /// Another connection joins the run. Gives the cursor that it continues after.
    pub fn reconnect(&mut self) -> Option<String> {
        self.progress.reconnect();
        self.progress.cursor.clone()
    }

    /// It tells of the thread from its first run.
    pub fn tells_thread(&mut self) {
        self.earlier.connect(true);
    }

    pub fn cursor(&self) -> Option<&str> {
        self.progress.cursor.as_deref()
    }

    pub fn set_cursor(&mut self, cursor: String) {
        self.progress.cursor = Some(cursor);
    }

    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    pub fn set_last_event_id(&mut self, id: &str) {
        if id != self.last_event_id {
            id.clone_into(&mut self.last_event_id);
        }
    }

    /// Notes a frame. Says whether it came over an earlier connection already.
    pub fn is_repeated(&mut self, resume: &Resume, frame: &Frame<'_>, max_depth: usize) -> bool {
        self.progress.is_repeated(resume, frame, max_depth)
    }

    /// Whether this connection has gone beyond the cursor that it began with.
    pub fn has_advanced(&self) -> bool {
        self.progress.has_advanced()
    }

    /// A connection has left the thread as `json` says. Whether no earlier one has.
    pub fn ends_otherwise(&mut self, json: &str) -> bool {
        self.progress.ends_otherwise(json)
    }

    /// Whether it is known where this connection begins.
    pub fn has_opened(&self) -> bool {
        self.progress.has_opened()
    }

    /// Notes an event of a connection that joins the run. Says whether it tells the run from its beginning.
    pub fn is_beginning(&mut self, expected: Answer, kind: &str) -> bool {
        self.progress.is_beginning(expected, kind)
    }

    /// Whether a report is new, also where a run is replayed.
    pub fn is_new(&mut self, report: Report) -> bool {
        self.progress.reported.count(report)
    }

    /// Whether anything of this kind was reported of the run.
    pub fn has_reported(&self, report: Report) -> bool {
        self.progress.reported.known(report) > 0
    }

    /// RUN_STARTED was taken. Says whether what was open is to be closed: the thread has seen nothing of it.
    pub fn run_started(&mut self) -> bool {
        (self.progress.started, self.progress.announced) = (true, true);
        self.earlier.lacks()
    }

    pub fn has_started(&self) -> bool {
        self.progress.started
    }

    /// RUN_STARTED comes again.
    pub fn forget_start(&mut self) {
        self.progress.started = false;
    }

    /// The run is replayed from its beginning. Says of what came before that was known whether it was RUN_STARTED, and
    /// whether it was the state.
    pub fn replay(&mut self, expected: Answer) -> (bool, bool) {
        let accepted = self.progress.accepted_early(expected);
        self.progress.started = accepted.0;
        self.progress.part = None;
        self.progress.rewinds = true;
        accepted
    }

    /// Whether earlier runs of the thread are to come first.
    pub fn is_before(&self) -> bool {
        self.earlier.is_before()
    }

    /// Where the thread goes back to, once after [`Self::replay`]: what comes now is of the run.
    pub fn rewind(&mut self) -> Option<&Checkpoint> {
        let checkpoint = self.progress.checkpoint.as_ref()?;
        if !std::mem::take(&mut self.progress.rewinds) {
            return None;
        }
        self.progress.reported.replay();
        Some(checkpoint)
    }

    /// A replay of the thread tells RUN_STARTED. `ours`: the id that the run in progress was asked for with.
    pub fn tells_run(&mut self, id: Option<&str>, ours: Option<&str>) {
        self.earlier.started(id, ours);
    }

    /// Of which run is what comes.
    pub fn place(&self) -> StreamPlace {
        self.earlier.place()
    }

    /// Whether the thread has all of the run that is joined: it had ended before the page was loaded anew.
    pub fn has_all(&self) -> bool {
        self.earlier.has_all()
    }

    /// Whether what comes is of the run that is joined, and known.
    pub fn is_over(&self) -> bool {
        self.earlier.is_over()
    }

    /// An earlier run that the thread lacked has ended.
    pub fn earlier_ended(&mut self, outcome: Outcome, error: Option<AgentError>) {
        self.earlier.set_ended(outcome, error);
    }

    /// How the last of those runs has ended.
    pub fn take_earlier_end(&mut self) -> Option<(Outcome, Option<AgentError>)> {
        self.earlier.take_ended()
    }

    /// Writes what a page needs that is loaded anew: `cursor`, `first` and `behind`, `usageTold`, `checkpoint` of a run that was cut, `earlier` of a
    /// thread that the server replays whole.
    pub fn save(
        &self,
        object: &mut JsonWriter<'_>,
        joinable: bool,
        running: bool,
        whole_threads: bool,
        thread: &Thread,
    ) {
        object.optional("lastEventId", Some(self.last_event_id.as_str()).filter(|id| !id.is_empty()));
        // A run that has ended can be joined, too: the page is at work on its calls.
        object.optional("cursor", self.cursor()).optional("first", self.progress.first.as_deref());
        object.optional("behind", self.last_message_before_run());
        // The run may be reported again, from its beginning.
        let usage_reports = self.progress.reported.known(Report::Usage) as u64;
        object.number("usageTold", Some(usage_reports).filter(|reports| *reports > 0));
        if let Some(checkpoint) = self.progress.checkpoint.as_ref().filter(|_| joinable) {
            checkpoint.write(object.member("checkpoint"), thread);
        }
        if whole_threads && (running || self.earlier.renames()) || running && self.has_all() {
            self.earlier.save(object.member("earlier"));
        }
    }

    /// The session is another one, which was saved; `thread` is its thread.
    pub fn restore(&mut self, fields: &Fields<'_>, thread: &mut Thread) {
        let string = |name: &str| fields.some(name).and_then(Raw::string).map(String::from);
        self.last_event_id = string("lastEventId").unwrap_or_default();
        self.progress = Progress::default();
        (self.progress.cursor, self.progress.first) = (string("cursor"), string("first"));
        self.progress.announced = true;
        self.progress.last_message_before_run = string("behind");
        self.progress.checkpoint = fields.some("checkpoint").and_then(|raw| Checkpoint::read(raw, thread));
        if let Some(reports) = fields.some("usageTold").and_then(Raw::whole) {
            self.progress.reported.restore(Report::Usage, usize::try_from(reports).unwrap_or_default());
        }
        self.earlier = fields.some("earlier").and_then(Earlier::restore).unwrap_or_default();
        self.earlier.set_old();
    }
}
