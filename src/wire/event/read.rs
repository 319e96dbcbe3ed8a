//! Reads an event from the members of its frame.

use super::super::json::{Fields, Raw};
use super::super::violation::{Repair, Violation};
use super::{Event, Incoming, Str};
use std::borrow::Cow;
use std::cell::Cell;

const STRING: &str = "a string";
const OBJECT: &str = "an object";
const PRESENT: &str = "present";

/// A member is not what it must be: its name, and what it must be.
struct Wrong(&'static str, &'static str);

/// The members of one event, by the kind that each must have. The methods are called from 60 places: kept out of line
/// they cost a tenth of the module less.
pub(super) struct EventMembers<'f, 'a> {
    pub(super) fields: &'f Fields<'a>,
    /// The first member that the event makes no sense without, and that is wrong.
    failed: Cell<Option<Wrong>>,
    /// The first member that is wrong, but that the event makes sense without.
    forgiven: Cell<Option<Wrong>>,
}

impl<'a> EventMembers<'_, 'a> {
    #[inline(never)]
    pub(super) fn string(&self, member: &'static str) -> Str<'a> {
        self.fields.get(member).and_then(Raw::literal).unwrap_or_else(|| self.fail(member, STRING))
    }

    /// Absent where it is `null`, and where it is no string, which is forgiven.
    #[inline(never)]
    pub(super) fn optional(&self, member: &'static str) -> Option<Str<'a>> {
        let raw = self.fields.some(member)?;
        raw.literal().or_else(|| self.forgive(member, STRING))
    }

    /// The same of a member that the specification requires.
    #[inline(never)]
    pub(super) fn wanted(&self, member: &'static str) -> Option<Str<'a>> {
        self.fields.get(member).and_then(Raw::literal).or_else(|| self.forgive(member, STRING))
    }

    /// A chunk that carries its provider's own event is content, if only of no length.
    pub(super) fn chunk_delta(&self, member: &'static str) -> Option<Str<'a>> {
        self.optional(member).or_else(|| self.fields.some("rawEvent").map(|_| Str::default()))
    }

    pub(super) fn any(&self, member: &'static str) -> Raw<'a> {
        self.fields.get(member).unwrap_or_else(|| self.fail(member, PRESENT))
    }

    /// Encoders that leave out what is null leave out such values too.
    pub(super) fn any_or_null(&self, member: &'static str) -> Raw<'a> {
        self.fields.get(member).or_else(|| self.forgive(member, PRESENT)).unwrap_or_default()
    }

    #[inline(never)]
    pub(super) fn list(&self, member: &'static str) -> Raw<'a> {
        let list = self.fields.get(member).filter(|raw| raw.text().starts_with('['));
        list.unwrap_or_else(|| self.fail(member, "an array"))
    }

    #[inline(never)]
    pub(super) fn object(&self, member: &'static str) -> Option<Raw<'a>> {
        let raw = self.fields.some(member)?;
        if raw.is_object() { Some(raw) } else { self.forgive(member, OBJECT) }
    }

    /// An object that must be there.
    pub(super) fn must_object(&self, member: &'static str) -> Raw<'a> {
        self.object(member).unwrap_or_else(|| self.fail(member, OBJECT))
    }

    /// Content of a result.
    pub(super) fn parts(&self, member: &'static str) -> Raw<'a> {
        let content = self.any(member);
        if content.text().starts_with(['"', '[']) {
            return content;
        }
        self.fail(member, "a string or an array of content parts")
    }

    /// The kind of object that an encrypted value belongs to.
    pub(super) fn subtype(&self, member: &'static str) -> Str<'a> {
        let subtype = self.fields.get(member).and_then(Raw::literal);
        let known = subtype.filter(|subtype| matches!(subtype.raw(), "message" | "tool-call"));
        known.unwrap_or_else(|| self.fail(member, "\"message\" or \"tool-call\""))
    }

    /// Absent where it is `null`, and where it is no boolean, which is forgiven.
    pub(super) fn flag(&self, member: &'static str) -> Option<bool> {
        self.fields.some(member)?.boolean().or_else(|| self.forgive(member, "a boolean"))
    }

    /// The event cannot be read: what is returned does not matter.
    fn fail<T: Default>(&self, member: &'static str, expected: &'static str) -> T {
        note(&self.failed, member, expected);
        T::default()
    }

    /// Reads an optional member. A value of another type counts as absent.
    fn forgive<T>(&self, member: &'static str, expected: &'static str) -> Option<T> {
        note(&self.forgiven, member, expected);
        None
    }
}

/// Notes a member that is wrong: the first one is told.
#[inline(never)]
fn note(first: &Cell<Option<Wrong>>, member: &'static str, expected: &'static str) {
    first.set(Some(first.take().unwrap_or(Wrong(member, expected))));
}

/// The members of one frame.
pub fn frame_fields(frame: &str, max_depth: usize) -> Result<Fields<'_>, Violation> {
    Raw::parse_object(frame, max_depth)?
        .ok_or_else(|| Violation::new("frame-not-object", "T10", "the frame is JSON, but not an object"))
}

/// The `type` of a frame.
pub fn frame_type<'a>(fields: &Fields<'a>) -> Result<Cow<'a, str>, Violation> {
    fields
        .text("type")
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Violation::new("frame-without-type", "T10", "the frame has no \"type\""))
}

impl<'a> Incoming<'a> {
    /// Reads one frame: its members, and its type (see [`frame_type`]). A member that is wrong, but that the event makes
    /// sense without, is left out and reported.
    pub fn read(fields: &Fields<'a>, forgiven: &mut dyn FnMut(Violation)) -> Result<Self, Violation> {
        let event = frame_type(fields)?;
        let m = EventMembers { fields, failed: Cell::new(None), forgiven: Cell::new(None) };
        let wrong = |code, Wrong(member, expected)| {
            Violation::new(code, "G4", format!("{event}: \"{member}\" must be {expected}")).of(&event)
        };
        let read = Event::read(&event, &m).ok_or_else(|| Violation::unknown(&event))?;
        if let Some(what) = m.failed.take() {
            return Err(wrong("event-malformed", what));
        }
        let tag = if read.may_be_of_a_subagent() { m.optional("subagentRunId") } else { None };
        let incoming = Self { event: read, subagent_run_id: tag, metadata: m.object("metadata") };
        if let Some(what) = m.forgiven.take() {
            forgiven(Violation { repair: Repair::Keep, ..wrong("member-malformed", what) });
        }
        Ok(incoming)
    }
}
