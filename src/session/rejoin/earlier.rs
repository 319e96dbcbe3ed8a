//! A replay may tell a whole thread: every run of it, one after the other, in one stream. Which of them is the one that was
//! to be joined, and how those before it are handled. Pure.
//!
//! ```text
//!  RUN_STARTED a … RUN_FINISHED a   RUN_STARTED b … RUN_FINISHED b   RUN_STARTED c …
//!  └── earlier: known or new ───────────────────────┘                └── joined, and all after it
//! ```

use crate::session::types::RunEnd;
use crate::thread::{At, Index};
use crate::wire::{JsonWriter, Raw};

/// Where a stream stands.
#[derive(Debug, Default)]
enum StreamPlace {
    /// In the run in progress, or in one after it.
    #[default]
    Joined,
    /// In the run that is joined, of which the thread has all.
    Over,
    /// Before the first run of a thread that is replayed whole.
    Begin,
    /// In an earlier run that the thread has already.
    Known,
    /// In an earlier run that the thread does not have, which may have ended.
    New(Option<RunEnd>),
}

/// How much the thread has of the run in progress, and of those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Has {
    /// The runs before it, and of it what has come.
    #[default]
    Earlier,
    /// There are none before it, for the thread is new.
    Alone,
    /// It lacks those before it.
    Nothing,
    /// All of it, too: only its end is waited for.
    All,
}

/// The runs before the one that is on.
#[derive(Debug, Default)]
pub(in crate::session) struct Earlier {
    /// Ids of runs that a stream has begun here.
    runs: Index,
    /// The server has given a run another name than it was asked for with.
    renames: bool,
    /// The id of the run that a replay begins with, as the server or the application has named it.
    first: Option<String>,
    /// The thread is not new: the server may know runs of it that this session does not.
    old: bool,
    has: Has,
    place: StreamPlace,
}

impl Earlier {
    /// Another run is in progress. `first`: its id, where that is not ours alone.
    pub(super) fn begin(&mut self, first: Option<String>) {
        (self.first, self.has, self.place) = (first, Has::Earlier, StreamPlace::Joined);
    }

    /// The thread was cleared, or comes from a save: its runs may be known to the server.
    pub(super) fn set_old(&mut self) {
        self.old = true;
    }

    /// A run has begun in a thread that was empty, or not.
    pub(super) fn set_alone(&mut self, empty: bool) {
        if empty && !self.old {
            self.has = Has::Alone;
        }
        self.old = true;
    }

    /// Whether the thread lacks what a replay tells of earlier runs.
    pub fn set_lacks(&mut self, lacks: bool) {
        match self.has {
            Has::Earlier | Has::Nothing => self.has = if lacks { Has::Nothing } else { Has::Earlier },
            Has::Alone | Has::All => {}
        }
    }

    pub fn lacks(&self) -> bool {
        self.has == Has::Nothing
    }

    /// The thread has all of the run that is joined.
    pub(super) fn set_over(&mut self) {
        self.has = Has::All;
    }

    /// Whether the thread has all of the run that is joined: it had ended before the page was loaded anew.
    pub fn has_all(&self) -> bool {
        self.has == Has::All
    }

    /// Whether what comes is of the run that is joined, and known.
    pub fn is_over(&self) -> bool {
        matches!(self.place, StreamPlace::Over)
    }

    /// Whether the thread has the run already that what comes is of.
    pub fn is_known(&self) -> bool {
        matches!(self.place, StreamPlace::Over | StreamPlace::Known)
    }

    /// Whether what comes is of an earlier run that the thread does not have.
    pub fn is_new(&self) -> bool {
        matches!(self.place, StreamPlace::New(_))
    }

    /// Whether earlier runs of the thread are to come before the run that is joined.
    pub fn is_before(&self) -> bool {
        matches!(self.place, StreamPlace::Begin | StreamPlace::Known | StreamPlace::New(_))
    }

    /// Another connection begins, with the run that it is for.
    pub fn connect(&mut self) {
        self.place = StreamPlace::Joined;
    }

    /// It tells of the thread from its first run.
    pub fn tells_thread(&mut self) {
        self.place = StreamPlace::Begin;
    }

    /// RUN_STARTED has come. `ours`: the id that the run in progress was asked for with.
    pub fn started(&mut self, id: Option<&str>, ours: Option<&str>) {
        let before = self.is_before();
        let is_ours = match (id, self.first.as_deref()) {
            (None, _) => true,
            (Some(id), Some(first)) => id == first,
            // A server that names runs itself has not named this one yet.
            (Some(id), None) => {
                let unnamed = self.renames && !self.runs.contains_key(id);
                Some(id) == ours || !before || self.has == Has::Alone || unnamed
            }
        };
        self.place = match self.has {
            // Once more, where the run has several parts.
            Has::All if is_ours && (before || self.is_over()) => StreamPlace::Over,
            _ if is_ours || !before => StreamPlace::Joined,
            Has::Nothing => StreamPlace::New(None),
            _ => StreamPlace::Known,
        };
        if let (false, None, Some(id)) = (self.is_before(), &self.first, id) {
            self.first = Some(id.to_owned());
            self.renames |= Some(id) != ours;
        }
        if let Some(id) = id {
            self.runs.insert(id.to_owned(), At::default());
        }
    }

    /// An earlier run that the thread lacked has ended.
    pub fn set_ended(&mut self, end: RunEnd) {
        self.place = StreamPlace::New(Some(end));
    }

    /// How the last of those runs has ended.
    pub fn take_ended(&mut self) -> Option<RunEnd> {
        if let StreamPlace::New(end) = &mut self.place { end.take() } else { None }
    }

    /// Whether a page that is loaded anew needs any of it before it joins a run.
    pub(super) fn renames(&self) -> bool {
        self.renames
    }

    /// Writes what a page needs of it that is loaded anew: `{runs, first?, renames?, lacks?, over?}`.
    pub(super) fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.strings("runs", self.runs.keys()).optional("first", self.first.as_deref());
        for (name, is) in [("renames", self.renames), ("lacks", self.lacks()), ("over", self.has_all())] {
            if is {
                object.flag(name, true);
            }
        }
    }

    pub(super) fn restore(raw: Raw<'_>) -> Option<Self> {
        let fields = raw.object()?;
        fields.get("runs")?.array()?;
        let runs = Index::of(fields.strings("runs"));
        let first = fields.text("first").map(String::from);
        let is = |name: &str| fields.get(name).is_some();
        let has = match (is("over"), is("lacks")) {
            (true, _) => Has::All,
            (_, true) => Has::Nothing,
            _ => Has::Earlier,
        };
        Some(Self { runs, first, renames: is("renames"), has, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RunPlace::{Joined, Known, New};

    #[derive(Debug, PartialEq)]
    enum RunPlace {
        Joined,
        Known,
        New,
    }

    fn place(earlier: &mut Earlier, run: &str, ours: &str) -> RunPlace {
        earlier.started(Some(run), Some(ours));
        match (earlier.is_known(), earlier.is_new()) {
            (true, _) => Known,
            (_, true) => New,
            _ => Joined,
        }
    }

    fn places(earlier: &mut Earlier, runs: &[&str], ours: &str) -> Vec<RunPlace> {
        earlier.tells_thread();
        runs.iter().map(|id| place(earlier, id, ours)).collect()
    }

    #[test]
    fn what_stands_before_the_run_is_known() {
        let mut earlier = Earlier::default();
        earlier.begin(None);
        earlier.connect();
        assert_eq!(place(&mut earlier, "a", "a"), Joined);
        earlier.begin(None);
        earlier.connect();
        assert_eq!(place(&mut earlier, "b", "b"), Joined);
        assert_eq!(places(&mut earlier, &["x", "a", "b", "c"], "b"), [Known, Known, Joined, Joined]);
        assert_eq!(places(&mut earlier, &["x"], "b"), [Known]);
    }

    #[test]
    fn a_run_that_the_server_names_itself_is_found_before_and_after_it_is_named() {
        let mut earlier = Earlier::default();
        earlier.connect();
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
        earlier.set_over();
        assert_eq!(places(&mut earlier, &["a", "b"], "b"), [Known, Known]);
        assert!(earlier.is_over());
        assert_eq!(place(&mut earlier, "c", "b"), Joined, "nobody has told of it");
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
        earlier.connect();
        assert_eq!(place(&mut earlier, "other", "c"), Joined);
    }
}
