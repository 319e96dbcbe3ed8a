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
pub(super) use once::Report;
pub use policy::{Network, Resume};
pub(super) use policy::{RejoinAnswer, retry_after};

use crate::thread::Thread;
use crate::wire::{Fields, JsonWriter, Tree};
use earlier::Earlier;
use progress::Progress;

#[derive(Debug, Default)]
pub(super) struct Rejoin {
    pub progress: Progress,
    pub earlier: Earlier,
    /// The last run was left to the server: nothing of it is closed, until it is joined or not waited for any longer.
    pub detached: bool,
    pub last_event_id: String,
    /// Names the last request.
    pub requests: u32,
}

impl Rejoin {
    /// The thread was cleared.
    pub fn clear(&mut self) {
        self.progress.clear();
        self.earlier = Earlier::default();
        self.earlier.set_old();
        self.detached = false;
        self.last_event_id.clear();
    }

    /// A run begins that was not on before. `empty`: so far the thread has no messages.
    pub fn begin(&mut self, empty: bool) {
        self.progress.clear();
        self.earlier.begin(None);
        self.earlier.set_alone(empty);
    }

    /// A run is joined that is not the last one of this session.
    pub fn begin_other(&mut self, run_id: String) {
        self.progress.clear();
        self.earlier.begin(Some(run_id));
    }

    /// A run is joined that has ended here, and whose page was loaded anew since.
    pub fn begin_over(&mut self, run_id: String) {
        self.earlier.begin(Some(run_id));
        self.earlier.set_over();
    }

    /// Whether the last run has not ended as far as anybody knows. `connected`: whether the run in progress has not.
    pub fn is_unfinished(&self, connected: Option<bool>) -> bool {
        self.detached || connected.unwrap_or(self.progress.restored)
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

    /// Writes what a page needs that is loaded anew: `cursor`, `first` and `behind`, `usageTold`; of a run that was cut, `checkpoint` and `server`, the state
    /// that the server knows beneath edits; `earlier` of a thread that the server replays whole.
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
        object.optional("cursor", self.progress.cursor.as_deref()).optional("first", self.progress.first.as_deref());
        object.optional("behind", self.progress.last_message_before_run.as_deref());
        // The run may be reported again, from its beginning.
        let usage_reports = self.progress.reported.known(Report::Usage) as u64;
        object.number("usageTold", Some(usage_reports).filter(|reports| *reports > 0));
        if joinable {
            object.tree("server", thread.state.beneath());
            if let Some(baseline) = &self.progress.baseline {
                thread.write_baseline(baseline, object.member("checkpoint"));
            }
        }
        if whole_threads && (running || self.earlier.renames()) || running && self.earlier.has_all() {
            self.earlier.save(object.member("earlier"));
        }
    }

    /// The session is another one, which was saved; `thread` is its thread.
    pub fn restore(&mut self, fields: &Fields<'_>, thread: &mut Thread) {
        let string = |name: &str| fields.text(name).map(String::from);
        self.last_event_id = string("lastEventId").unwrap_or_default();
        self.progress.clear();
        (self.progress.cursor, self.progress.first) = (string("cursor"), string("first"));
        self.progress.announced = true;
        self.progress.last_message_before_run = string("behind");
        if let Some(server) = fields.get("server") {
            thread.state.put_over(Tree::read(server));
        }
        self.progress.baseline = fields.some("checkpoint").and_then(|raw| thread.read_baseline(raw));
        if let Some(reports) = fields.whole("usageTold") {
            self.progress.reported.restore(Report::Usage, usize::try_from(reports).unwrap_or_default());
        }
        self.earlier = fields.some("earlier").and_then(Earlier::restore).unwrap_or_default();
        self.earlier.set_old();
    }
}
