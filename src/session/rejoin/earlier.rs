//! A replay may tell a whole thread: every run of it, one after the other, in one stream. Which of them is the one that was
//! to be joined, and how those before it are handled. Pure.
//!
//! ```text
//!  RUN_STARTED a … RUN_FINISHED a   RUN_STARTED b … RUN_FINISHED b   RUN_STARTED c …
//!  └── earlier: known or new ───────────────────────┘                └── joined, and all after it
//! ```

use crate::session::words::{AgentError, Outcome};
use crate::thread::{At, Index};
use crate::wire::{JsonWriter, Raw};

/// Where a stream stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::session) enum StreamPlace {
    /// In the run in progress, or in one after it.
    #[default]
    Joined,
    /// In an earlier run that the thread has already.
    Known,
    /// In an earlier run that the thread does not have.
    New,
}

/// The runs before the one that is on.
#[derive(Debug, Default)]
pub(super) struct Earlier {
    /// Ids of runs that a stream has begun here.
    runs: Index,
    /// The server has given a run another name than it was asked for with.
    renames: bool,
    /// The id of the run that a replay begins with, as the server or the application has named it.
    first: Option<String>,
    /// The thread lacks the earlier runs.
    lacks: bool,
    /// The thread is not new: the server may know runs of it that this session does not.
    old: bool,
    /// The run is the first one of a new thread, so no run is an earlier one.
    alone: bool,
    /// The thread has all of the run that is joined: only its end is waited for.
    over: bool,
    /// This connection tells of the thread from its beginning, and has not come to the run that is joined.
    before: bool,
    place: StreamPlace,
    /// How the last one of those that the thread lacked has ended.
    ended: Option<(Outcome, Option<AgentError>)>,
}

impl Earlier {
    pub fn place(&self) -> StreamPlace {
        self.place
    }

    /// Another run is in progress. `first`: its id, where that is not ours alone.
    pub fn begin(&mut self, first: Option<String>) {
        let (runs, renames, old) = (std::mem::take(&mut self.runs), self.renames, self.old);
        *self = Self { runs, renames, old, first, ..Self::default() };
    }

    /// The thread was cleared, or comes from a save: its runs may be known to the server.
    pub fn set_old(&mut self) {
        self.old = true;
    }

    /// A run has begun in a thread that was empty, or not.
    pub fn set_alone(&mut self, empty: bool) {
        self.alone = empty && !self.old;
        self.old = true;
    }

    /// Whether the thread lacks what a replay tells of earlier runs.
    pub fn set_lacks(&mut self, lacks: bool) {
        self.lacks = lacks;
    }

    pub fn lacks(&self) -> bool {
        self.lacks
    }

    /// Whether the thread has all of the run that is joined.
    pub fn set_over(&mut self, over: bool) {
        self.over = over;
    }

    pub fn has_all(&self) -> bool {
        self.over
    }

    /// Whether what comes is of the run that is joined, and known.
    pub fn is_over(&self) -> bool {
        self.place == StreamPlace::Known && !self.before
    }

    /// Whether the run that is joined has yet to come.
    pub fn is_before(&self) -> bool {
        self.before
    }

    /// Another connection begins; `replays`: with the first run of the thread.
    pub fn connect(&mut self, replays: bool) {
        (self.before, self.place, self.ended) = (replays, StreamPlace::Joined, None);
    }

    /// RUN_STARTED has come. `ours`: the id that the run in progress was asked for with.
    pub fn started(&mut self, id: Option<&str>, ours: Option<&str>) -> StreamPlace {
        self.ended = None;
        let is_ours = match (id, self.first.as_deref()) {
            (None, _) => true,
            (Some(id), Some(first)) => id == first,
            // A server that names runs itself has not named this one yet.
            (Some(id), None) => {
                Some(id) == ours || !self.before || self.alone || self.renames && !self.runs.contains_key(id)
            }
        };
        self.place = match (self.before, is_ours) {
            // Once more, where the run has several parts.
            (_, true) if self.over && (self.before || self.place == StreamPlace::Known) => StreamPlace::Known,
            (true, false) if self.lacks => StreamPlace::New,
            (true, false) => StreamPlace::Known,
            _ => StreamPlace::Joined,
        };
        if is_ours {
            self.before = false;
        }
        if let (false, None, Some(id)) = (self.before, &self.first, id) {
            self.first = Some(id.to_owned());
            self.renames |= Some(id) != ours;
        }
        if let Some(id) = id {
            self.runs.insert(id.to_owned(), At::default());
        }
        self.place
    }

    /// An earlier run that the thread lacked has ended.
    pub fn set_ended(&mut self, outcome: Outcome, error: Option<AgentError>) {
        self.ended = Some((outcome, error));
    }

    /// How the last of those runs has ended.
    pub fn take_ended(&mut self) -> Option<(Outcome, Option<AgentError>)> {
        self.ended.take()
    }

    /// Whether a page that is loaded anew needs any of it before it joins a run.
    pub fn renames(&self) -> bool {
        self.renames
    }

    /// Writes what a page needs of it that is loaded anew: `{runs, first?, renames?, lacks?, over?}`.
    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.strings("runs", self.runs.keys()).optional("first", self.first.as_deref());
        for (name, is) in [("renames", self.renames), ("lacks", self.lacks), ("over", self.over)] {
            if is {
                object.member(name).push_str("true");
            }
        }
        object.close();
    }

    pub fn restore(raw: Raw<'_>) -> Option<Self> {
        let fields = raw.object()?;
        let id = |raw: Raw<'_>| Some((raw.string()?.into_owned(), At::default()));
        let runs = fields.get("runs")?.array()?.into_iter().filter_map(id).collect();
        let first = fields.some("first").and_then(Raw::string).map(String::from);
        let is = |name: &str| fields.get(name).is_some();
        Some(Self { runs, first, renames: is("renames"), lacks: is("lacks"), over: is("over"), ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use StreamPlace::{Joined, Known, New};

    fn places(earlier: &mut Earlier, runs: &[&str], ours: &str) -> Vec<StreamPlace> {
        earlier.connect(true);
        runs.iter().map(|id| earlier.started(Some(id), Some(ours))).collect()
    }

    #[test]
    fn what_stands_before_the_run_is_known() {
        let mut earlier = Earlier::default();
        earlier.begin(None);
        earlier.connect(false);
        assert_eq!(earlier.started(Some("a"), Some("a")), Joined);
        earlier.begin(None);
        earlier.connect(false);
        assert_eq!(earlier.started(Some("b"), Some("b")), Joined);
        assert_eq!(places(&mut earlier, &["x", "a", "b", "c"], "b"), [Known, Known, Joined, Joined]);
        assert_eq!(places(&mut earlier, &["x"], "b"), [Known]);
    }

    #[test]
    fn a_run_that_the_server_names_itself_is_found_before_and_after_it_is_named() {
        let mut earlier = Earlier::default();
        earlier.connect(false);
        earlier.started(Some("srv-1"), Some("a"));
        earlier.begin(None);
        // Cut before RUN_STARTED.
        assert_eq!(places(&mut earlier, &["srv-1", "srv-2"], "b"), [Known, Joined]);
        assert_eq!(places(&mut earlier, &["srv-1", "srv-2", "srv-3"], "b"), [Known, Joined, Joined]);
    }

    #[test]
    fn runs_that_this_page_never_saw_are_known_where_the_server_keeps_our_names() {
        let mut earlier = Earlier::default();
        earlier.begin(None);
        // Cut before RUN_STARTED.
        assert_eq!(places(&mut earlier, &["x", "y"], "b"), [Known, Known]);
        assert_eq!(places(&mut earlier, &["x", "y", "b"], "b"), [Known, Known, Joined]);
    }

    #[test]
    fn the_first_run_of_a_thread_may_have_any_name() {
        let mut earlier = Earlier::default();
        earlier.begin(None);
        earlier.set_alone(true);
        // Cut before RUN_STARTED.
        assert_eq!(places(&mut earlier, &["x", "y"], "b"), [Joined, Joined]);
        // Cleared by the application, it is no first one.
        let mut earlier = Earlier::default();
        earlier.begin(None);
        earlier.set_alone(true);
        assert_eq!(places(&mut earlier, &["a"], "a"), [Joined]);
        earlier.begin(None);
        earlier.set_alone(true);
        assert_eq!(places(&mut earlier, &["z", "b"], "b"), [Known, Joined]);
    }

    #[test]
    fn what_the_thread_lacks_is_new() {
        let mut earlier = Earlier::default();
        earlier.begin(Some("c".into()));
        earlier.set_lacks(true);
        assert_eq!(places(&mut earlier, &["a", "b", "c", "d"], "c"), [New, New, Joined, Joined]);
        assert_eq!(places(&mut earlier, &["a", "b", "c", "d"], "c"), [New, New, Joined, Joined]);
    }

    #[test]
    fn of_a_run_that_is_over_the_end_is_waited_for() {
        let mut earlier = Earlier::default();
        earlier.begin(Some("b".into()));
        earlier.set_over(true);
        assert_eq!(places(&mut earlier, &["a", "b"], "b"), [Known, Known]);
        assert!(earlier.is_over());
        assert_eq!(earlier.started(Some("c"), Some("b")), Joined, "nobody has told of it");
    }

    #[test]
    fn a_page_that_is_loaded_anew_knows_them_too() {
        let mut earlier = Earlier::default();
        earlier.started(Some("srv-1"), Some("a"));
        earlier.begin(None);
        let mut json = String::new();
        earlier.save(&mut json);
        assert_eq!(json, r#"{"runs":["srv-1"],"renames":true}"#);
        let mut earlier = Earlier::restore(Raw::parse(&json, 8).unwrap()).unwrap();
        assert_eq!(places(&mut earlier, &["srv-1", "srv-2"], "b"), [Known, Joined]);
        json.clear();
        earlier.set_lacks(true);
        earlier.save(&mut json);
        assert!(Earlier::restore(Raw::parse(&json, 8).unwrap()).unwrap().lacks());
    }

    #[test]
    fn a_stream_that_tells_of_one_run_has_no_earlier_ones() {
        let mut earlier = Earlier::default();
        earlier.begin(Some("c".into()));
        earlier.connect(false);
        assert_eq!(earlier.started(Some("other"), Some("c")), Joined);
    }
}
