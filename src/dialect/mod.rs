//! Foreign frames → AG-UI 1.0 frames, one file a system. Uses `wire`.
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
mod legacy;
#[cfg(feature = "ngaf")]
mod ngaf;
#[cfg(feature = "open-search")]
mod open_search;

pub use legacy::Thinking;

use crate::wire::Frame;
#[cfg(any(feature = "agent-os", feature = "open-search"))]
use crate::wire::{Fields, JsonWriter, Raw};
#[cfg(any(feature = "agent-os", feature = "open-search"))]
use std::borrow::Cow;
use std::fmt;

/// A system's way of speaking.
pub trait Dialect {
    /// A request goes out: nothing of an earlier body is open, unless this one joins its run.
    fn begin(&mut self, request: &Begun<'_>);

    /// The body of that request, where it is not AG-UI's. `input`: a `RunAgentInput` as JSON text.
    fn body(&mut self, input: &str) -> Option<String> {
        let _ = input;
        None
    }

    /// Takes a frame, or lets it pass as the AG-UI event that it is.
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Output) -> Taken;

    /// The body has ended as the server wanted it to.
    fn end(&mut self, out: &mut Output) {
        let _ = out;
    }

    /// Whether the page must not execute a call with these arguments (JSON text).
    fn withholds(&self, args: &str) -> bool {
        let _ = args;
        false
    }

    /// The arguments that the page executes a call with, where they are not those that the events brought.
    fn arguments<'a>(&self, args: &'a str) -> Option<&'a str> {
        let _ = args;
        None
    }
}

impl fmt::Debug for dyn Dialect {
    // Not what it remembers: a table of that for every dialect weighs as much as a small dialect does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dialect")
    }
}

/// A request of a run.
#[derive(Debug, Clone, Copy)]
pub struct Begun<'a> {
    /// The conversation's id.
    pub thread_id: &'a str,
    /// The run's id.
    pub run_id: &'a str,
    /// It goes on with a run that an earlier request has begun.
    pub joins: bool,
    /// How far an earlier stream was read, as [`Output::cursor`] or the ids of frames told; empty: none was.
    pub cursor: &'a str,
}

/// What becomes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is an AG-UI event, behind those that are in the output.
    Pass,
    /// The output has what it means.
    Taken,
}

/// What a dialect makes, in order.
#[derive(Debug, Default)]
pub struct Output {
    items: Vec<Item>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
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
    /// An AG-UI event that comes outside of any run, where the rules of order have no place for it.
    Aside(String),
    /// Token counts, as `usage` of RUN_FINISHED has them, that the server tells in another way.
    Usage(String),
    /// An interrupt is open no more: its run goes on, or is over.
    Answered(String),
}

impl Output {
    /// Adds an event: JSON text of an object with a `type`.
    pub fn event(&mut self, json: impl Into<String>) {
        self.items.push(Item::Event(json.into()));
    }

    /// Adds a complaint about a frame.
    pub fn malformed(&mut self, code: &'static str, message: impl Into<String>) {
        self.items.push(Item::Malformed { code, message: message.into() });
    }

    /// Adds a warning.
    pub fn warning(&mut self, code: &'static str, message: impl Into<String>) {
        self.items.push(Item::Warning { code, message: message.into() });
    }

    /// Says how far the stream was read.
    pub fn cursor(&mut self, cursor: impl Into<String>) {
        self.items.push(Item::Cursor(cursor.into()));
    }

    /// Adds an event that comes outside of any run: it is told and reduced, and no rule of order judges it.
    pub fn aside(&mut self, json: impl Into<String>) {
        self.items.push(Item::Aside(json.into()));
    }

    /// Adds token counts: JSON text of a list as `usage` of RUN_FINISHED.
    pub fn usage(&mut self, json: impl Into<String>) {
        self.items.push(Item::Usage(json.into()));
    }

    /// Says that an interrupt is open no more.
    pub fn answered(&mut self, interrupt: impl Into<String>) {
        self.items.push(Item::Answered(interrupt.into()));
    }

    /// What there is, in order; nothing is left.
    pub fn take(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.items)
    }
}

/// The dialect of that name. `settings`: JSON text of an object, which the dialect's file describes. `None`: this build does
/// not have it, or cannot read the settings.
pub fn named(name: &str, settings: &str) -> Option<Box<dyn Dialect>> {
    let known = DIALECTS.iter().find(|(known, _)| *known == name);
    known.and_then(|(_, make)| make(settings))
}

/// Whether this build has dialects: without any, what asks for them is left out of it.
pub const ANY: bool = !DIALECTS.is_empty();

type Make = fn(&str) -> Option<Box<dyn Dialect>>;

/// Those of this build.
const DIALECTS: &[(&str, Make)] = &[
    #[cfg(feature = "agent-os")]
    ("agent-os", agent_os::AgentOs::make),
    #[cfg(feature = "ngaf")]
    ("ngaf", ngaf::make),
    #[cfg(feature = "open-search")]
    ("open-search", open_search::OpenSearch::make),
];

/// The text member of that name.
#[cfg(any(feature = "agent-os", feature = "open-search"))]
#[inline(never)]
fn string<'a>(fields: &Fields<'a>, name: &str) -> Option<Cow<'a, str>> {
    fields.get(name).and_then(Raw::string)
}

/// The members of the object of that name.
#[cfg(any(feature = "agent-os", feature = "open-search"))]
#[inline(never)]
fn object<'a>(fields: &Fields<'a>, name: &str) -> Option<Fields<'a>> {
    fields.get(name).and_then(Raw::object)
}

/// The elements of the array of that name.
#[cfg(any(feature = "agent-os", feature = "open-search"))]
#[inline(never)]
fn array<'a>(fields: &Fields<'a>, name: &str) -> Vec<Raw<'a>> {
    fields.get(name).and_then(Raw::array).unwrap_or_default()
}

/// Writes the members whose keys are wanted, as they are.
#[cfg(any(feature = "agent-os", feature = "open-search"))]
#[inline(never)]
fn copy(out: &mut JsonWriter<'_>, fields: &Fields<'_>, wanted: &dyn Fn(&str) -> bool) {
    for (key, value) in fields.iter().filter(|(key, _)| wanted(key)) {
        out.member(&key).push_str(value.text());
    }
}
