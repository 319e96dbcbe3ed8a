//! Foreign frames → AG-UI 1.0 frames, one file a system. Uses `wire`; asks `guard`, where there is one.
//!
//! ```text
//!  frame ─► Dialect::frame ─┬─ Taken: the events in Output ──┐
//!                           └─ Pass: the frame as it came ───┴─► rules ─► thread
//! ```
//!
//! A dialect stands before the rules, so what it makes is judged as AG-UI is, in strict mode too. It keeps what it has to
//! remember from one frame to the next; nothing else in the core knows its name.

#[cfg(feature = "agent-os")]
mod agent_os;
#[cfg(feature = "chio")]
mod chio;
#[cfg(feature = "hector")]
mod hector;
mod legacy;
#[cfg(feature = "ngaf")]
mod ngaf;
#[cfg(feature = "open-search")]
mod open_search;

pub use legacy::Thinking;

use crate::guard::HeldGuard;
use crate::wire::{Fields, Frame, JsonWriter};
use std::fmt;

/// A system's way of speaking.
pub trait Dialect {
    /// A request goes out: nothing of an earlier body is open, unless this one joins its run.
    fn begin(&mut self, request: &RunRequest<'_>);

    /// The body of that request, where it is not AG-UI's. `input`: a `RunAgentInput` as JSON text.
    fn body(&mut self, _input: &str) -> Option<String> {
        None
    }

    /// The body of a request that joins the run of this id, where one has a body.
    fn rejoin(&mut self, _run_id: &str) -> Option<String> {
        None
    }

    /// The value of `Accept`, where that is not an event stream alone.
    fn accept(&self) -> Option<&'static str> {
        None
    }

    /// Whether an `Accept` that the application has set asks for another form than the dialect's settings. `None`: the
    /// application's own is not kept.
    fn contradicts(&self, _accept: &str) -> Option<bool> {
        None
    }

    /// Takes a frame, or lets it pass as the AG-UI event that it is.
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Output) -> Taken;

    /// The request was answered with JSON text, and not with a stream. An answer that no dialect takes is an error.
    fn answer(&mut self, _body: &str, _out: &mut Output) {}

    /// The body has ended as the server wanted it to.
    fn end(&mut self, _out: &mut Output) {}

    /// The stream is lost for good, before the run has ended.
    fn lost(&mut self, _out: &mut Output) {}

    /// Whether the page must not execute a call with these arguments (JSON text).
    fn withholds(&self, _args: &str) -> bool {
        false
    }

    /// The arguments that the page executes a call with, where they are not those that the events brought.
    fn arguments<'a>(&self, _args: &'a str) -> Option<&'a str> {
        None
    }
}

impl fmt::Debug for dyn Dialect {
    // Not what it remembers: a table of that for every dialect weighs as much as a small dialect does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dialect")
    }
}

/// An occasion for a dialect to speak.
#[derive(Debug, Clone, Copy)]
pub enum Occasion<'a> {
    /// [`Dialect::frame`].
    Frame(&'a Frame<'a>),
    /// [`Dialect::answer`].
    Answer(&'a str),
    /// [`Dialect::end`].
    End,
    /// [`Dialect::lost`].
    Lost,
}

/// A request of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// The conversation's id.
    pub thread_id: &'a str,
    /// The run's id.
    pub run_id: &'a str,
    /// It continues a run that an earlier request has begun.
    pub joins: bool,
    /// Nobody has asked anything since the last run, which ended because nothing came for a while.
    pub continues: bool,
    /// How far an earlier stream was read, as [`OutputItem::Cursor`] or the ids of frames told; empty: none was.
    pub cursor: &'a str,
}

/// The outcome for a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is an AG-UI event, after those that are in the output.
    Pass,
    /// The output has what it means.
    Taken,
}

/// The items that a dialect makes, in order.
#[derive(Debug, Default)]
pub struct Output {
    items: Vec<OutputItem>,
    /// The guard that judges a frame before it becomes events, and the time.
    pub(crate) guard: Option<HeldGuard>,
    pub(crate) now: f64,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub enum OutputItem {
    /// An AG-UI event as JSON text.
    Event(String),
    /// A frame, or a part of one, that cannot be read: the end of the run under strict rules, else a warning.
    Malformed {
        /// Stable, to be filtered by.
        code: &'static str,
        /// For people.
        message: String,
    },
    /// Something odd that was dealt with, and that no rule forbids.
    Warning {
        /// Stable, to be filtered by.
        code: &'static str,
        /// For people.
        message: String,
    },
    /// How far the stream was read, as the server counts.
    Cursor(String),
    /// Something for those who hear custom events, that is no event of AG-UI.
    Custom {
        /// As the name of a CUSTOM event.
        name: String,
        /// JSON text.
        value: String,
    },
    /// The text of a message is this one, whatever the stream has made of it.
    Text {
        /// The message.
        message_id: String,
        /// All of it.
        text: String,
    },
    /// The guard has judged what the rest of the events come from.
    Judged,
    /// An AG-UI event that comes outside of any run, where the rules of order have no place for it.
    Aside(String),
    /// Token counts, as `usage` of RUN_FINISHED has them, that the server tells in another way.
    Usage(String),
    /// An interrupt is open no more: its run continues, or is over.
    Answered(String),
    /// The result of a call, which an event has brought, is one of failure.
    Failed {
        /// The call.
        call: String,
        /// The message of the failure.
        error: String,
    },
}

impl Output {
    /// Adds an event: JSON text of an object with a `type`.
    pub fn event(&mut self, json: impl Into<String>) {
        self.items.push(OutputItem::Event(json.into()));
    }

    /// Adds an event of these strings, and of members that are JSON text.
    #[inline(never)]
    pub fn say(&mut self, kind: &str, strings: &[(&str, &str)], json: &[(&str, &str)]) {
        self.event(JsonWriter::object_text(|event| {
            event.string("type", kind);
            for (name, text) in strings {
                event.string(name, text);
            }
            for (name, value) in json {
                event.member(name).push_str(value);
            }
        }));
    }

    /// Adds a complaint about a frame.
    pub fn malformed(&mut self, code: &'static str, message: impl Into<String>) {
        self.items.push(OutputItem::Malformed { code, message: message.into() });
    }

    /// Adds a warning.
    pub fn warning(&mut self, code: &'static str, message: impl Into<String>) {
        self.items.push(OutputItem::Warning { code, message: message.into() });
    }

    /// Adds anything else.
    pub fn push(&mut self, item: OutputItem) {
        self.items.push(item);
    }

    /// The items that follow need no judgment, or the application judges them.
    pub fn judged(&mut self) {
        self.items.push(OutputItem::Judged);
    }

    /// Whether an event of Chio's may be shown. The events that it is translated to are not judged again.
    #[cfg(feature = "chio")]
    pub(crate) fn allows(&mut self, event: &crate::wire::Fields<'_>) -> bool {
        let now = self.now;
        let allowed = self.guard.as_mut().is_none_or(|guard| guard.own(event, now));
        if allowed {
            self.judged();
        }
        allowed
    }

    /// Adds an event that comes outside of any run: it is told and reduced, and no rule of order judges it.
    pub fn aside(&mut self, json: impl Into<String>) {
        self.items.push(OutputItem::Aside(json.into()));
    }

    /// Takes all items, in order.
    pub fn take(&mut self) -> Vec<OutputItem> {
        std::mem::take(&mut self.items)
    }
}

/// The dialect of that name. `settings`: JSON text of an object, which the dialect's file describes. `None`: this build does
/// not have it, or cannot read the settings.
pub fn named(name: &str, settings: &str) -> Option<Box<dyn Dialect>> {
    let known = DIALECTS.iter().find(|(known, _)| *known == name);
    known.and_then(|(_, make)| make(settings))
}

/// The names of those that this build has.
pub fn names() -> String {
    DIALECTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Which of some words a setting is: its place among them, that of the first where it is not given. `None`: it is another.
#[cfg(any(feature = "chio", feature = "hector", feature = "open-search"))]
fn choice(settings: &Fields<'_>, name: &str, words: &[&str]) -> Option<usize> {
    let Some(given) = settings.some(name) else { return Some(0) };
    let given = given.string()?;
    words.iter().position(|word| *word == given)
}

/// The dialect that a stream needs whose frames cannot be read: the name that one of its members shows.
pub(crate) fn shown_by(frame: &Fields<'_>) -> Option<&'static str> {
    let starts = |member: &str, value: &str| frame.get(member).is_some_and(|found| found.text().starts_with(value));
    // Activities have objects as content in AG-UI, too.
    let is = |(member, value, name): &&(&str, &str, &str)| {
        starts(member, value) && (*name != "ngaf" || starts("type", "\"TOOL_CALL_RESULT"))
    };
    SIGNS.iter().find(is).map(|sign| sign.2)
}

/// Members, how their values begin, and the dialects that they are of.
const SIGNS: [(&str, &str, &str); 8] = [
    ("agUiFrames", "[", "agent-os"),
    ("event_type", "\"", "chio"),
    ("eventId", "\"", "hector"),
    ("task", "{", "hector"),
    ("statusUpdate", "{", "hector"),
    ("jsonrpc", "\"2", "hector"),
    ("content", "{", "ngaf"),
    ("error", "\"Error processing request", "open-search"),
];

/// Whether this build has dialects: without any, what asks for them is left out of it.
pub const ANY: bool = !DIALECTS.is_empty();

type Make = fn(&str) -> Option<Box<dyn Dialect>>;

/// The dialects of this build.
const DIALECTS: &[(&str, Make)] = &[
    #[cfg(feature = "agent-os")]
    ("agent-os", agent_os::AgentOs::make),
    #[cfg(feature = "chio")]
    ("chio", chio::Chio::make),
    #[cfg(feature = "hector")]
    ("hector", hector::new),
    #[cfg(feature = "ngaf")]
    ("ngaf", ngaf::make),
    #[cfg(feature = "open-search")]
    ("open-search", open_search::OpenSearch::make),
];
