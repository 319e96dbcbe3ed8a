//! The shapes of AG-UI 1.0 as data: the members of what stands inside of events, once for both wires. Those of the events
//! stand in their rows, in `event/table.rs`.
//!
//! The strict grammar checks JSON against these tables, the binary reader turns protobuf into that JSON with them, and what the
//! application gives of them is brought into their shape (`session/submit/shapes.rs`).
//! Uses nothing of the crate.
//!
//! The presence of members follows from the tables: on the binary wire a scalar that JSON requires has no presence
//! (absent is its default), every other one has; a value that JSON calls opaque is a `google.protobuf.Value`, and an
//! opaque object a `Struct`.

mod items;

pub(crate) use items::{ACTIVITY, CONTEXT, DECLARED_TOOL, OF_PARTS, PART, RESUME};
pub(super) use items::{INPUT, INTERRUPT, RUN_OUTCOME, SUBAGENT_OUTCOME};

pub(super) use MemberType::{
    Any, Code, Content, Count, Flag, Integer, Is, Many, Object, Pointer, Schema, Some as AtLeastOne, Text, Word,
};
use Need::{Carrier, Nullable, NullableInMessages, Optional, OrEmpty, Required};

/// The type of a member.
#[derive(Clone, Copy)]
pub(crate) enum MemberType {
    /// A string.
    Text,
    /// A string out of a set.
    Word(&'static [&'static str]),
    /// A string that is a JSON Pointer.
    Pointer,
    /// `true` or `false`.
    Flag,
    /// A whole number within ±(2^53 − 1).
    Integer,
    /// A whole number from 0 to 2^53 − 1.
    Count,
    /// Any JSON; opaque.
    Any,
    /// Any object; opaque.
    Object,
    /// The same, but a `Value` on the binary wire.
    Schema,
    /// A described object.
    Is(&'static Shape),
    /// An array of such objects; `None`: of strings.
    Many(Option<&'static Shape>),
    /// An array with at least one element.
    Some(Option<&'static Shape>),
    /// A string or an array of content parts.
    Content,
    /// On the binary wire the number of one of the shape's variants, in JSON its name.
    Code,
}

impl MemberType {
    /// Whether it is a string.
    pub(super) fn is_text(self) -> bool {
        matches!(self, Text | Word(_) | Pointer)
    }

    /// Whether it is a number on the binary wire.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Integer | Count | Flag | Code)
    }
}

/// Whether a member must be there, and what `null` is for it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Need {
    Required,
    /// `null` is malformed.
    Optional,
    /// Optional; `null` is read as absent, as versions before 1.0 wrote it.
    Nullable,
    /// The same, but not in a TOOL_CALL_RESULT.
    NullableInMessages,
    /// Optional; the binary wire, which cannot tell, reads absent as an empty list.
    OrEmpty,
    /// Not a member in JSON, but where the binary wire carries a part of one.
    Carrier,
}

/// A member.
pub(crate) struct Field {
    pub name: &'static str,
    pub kind: MemberType,
    pub need: Need,
    /// Which variants of the shape have it, a bit for each.
    pub of: u8,
    /// Its number on the binary wire; 0: carriers carry it.
    pub number: u8,
}

impl Field {
    const fn of(self, variants: u8) -> Self {
        Self { of: variants, ..self }
    }
}

/// An object, or a union of objects that a tag tells apart.
pub(crate) struct Shape {
    /// The member that names the variant; empty: there are no variants.
    pub tag: &'static str,
    pub variants: &'static [&'static str],
    /// Whether the binary wire has a message of its own for each variant, rather than one for all.
    pub arms: bool,
    /// Whether members that are not described belong here.
    pub open: bool,
    pub fields: &'static [Field],
}

/// An event: its members beside those of [`BASE`]. Those stand in field 1 of the binary wire.
pub(crate) struct EventShape {
    pub name: &'static str,
    /// Its number in the envelope of the binary wire.
    pub envelope: u8,
    /// The number that [`BASE`] has for it on the binary wire.
    pub code: u8,
    pub shape: Shape,
}

/// Every variant.
pub(crate) const ALL: u8 = 0xFF;

const fn field(number: u8, name: &'static str, kind: MemberType, need: Need) -> Field {
    Field { name, kind, need, of: ALL, number }
}

pub(super) const fn must(number: u8, name: &'static str, kind: MemberType) -> Field {
    field(number, name, kind, Required)
}

pub(super) const fn may(number: u8, name: &'static str, kind: MemberType) -> Field {
    field(number, name, kind, Optional)
}

pub(super) const fn nullable(number: u8, name: &'static str, kind: MemberType) -> Field {
    field(number, name, kind, Nullable)
}

pub(super) const fn carrier(number: u8, name: &'static str, kind: MemberType) -> Field {
    field(number, name, kind, Carrier)
}

/// A member that tolerant rules do without.
pub(super) const fn forgiven(number: u8, name: &'static str, kind: MemberType) -> Field {
    must(number, name, kind)
}

/// The text of a chunk.
pub(super) const fn chunk(number: u8, name: &'static str, kind: MemberType) -> Field {
    may(number, name, kind)
}

/// The subagent that something happens in.
pub(super) const fn owner(number: u8) -> Field {
    may(number, "subagentRunId", Text)
}

/// The subagent that something is about.
pub(super) const fn subject(number: u8) -> Field {
    must(number, "subagentRunId", Text)
}

pub(super) const fn many(shape: &'static Shape) -> MemberType {
    Many(Some(shape))
}

const fn object(fields: &'static [Field]) -> Shape {
    Shape { tag: "", variants: &[], arms: false, open: false, fields }
}

const fn union(tag: &'static str, variants: &'static [&'static str], fields: &'static [Field]) -> Shape {
    Shape { tag, variants, arms: false, open: false, fields }
}

const fn arms(variants: &'static [&'static str], fields: &'static [Field]) -> Shape {
    Shape { arms: true, ..union("type", variants, fields) }
}

pub(super) const fn event(name: &'static str, envelope: u8, code: u8, fields: &'static [Field]) -> EventShape {
    EventShape { name, envelope, code, shape: object(fields) }
}

/// The members that every event may have.
pub(crate) static BASE: Shape = object(&[
    carrier(1, "type", Code),
    may(2, "timestamp", Integer),
    nullable(3, "rawEvent", Any),
    may(4, "metadata", Object),
]);

pub(super) const PARTS: MemberType = many(&items::PART);
pub(super) const PATCH: MemberType = many(&items::OPERATION);
pub(super) const MESSAGES: MemberType = many(&items::MESSAGE);
pub(super) const TEXTS: MemberType = Many(None);
pub(super) const USAGES: MemberType = many(&items::USAGE);
pub(super) const ROLES: MemberType = Word(&["developer", "system", "assistant", "user"]);
