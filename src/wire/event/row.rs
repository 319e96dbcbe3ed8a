//! The form of a row of `table.rs`, and all that is made of the rows.
//!
//! ```text
//!     Event = "TYPE", its number in the binary envelope, and as a type there, its class, its subagent {
//!         member: need(number on the binary wire, "name", kind),
//!     } [members that nobody here reads]
//! ```
//!
//! The rows are tried in their order, so events that stream come first. The needs, beside those of `shapes.rs`: `forgiven` is
//! required, but tolerant rules do without it. An event with `owner` may happen in a subagent, one with `subject` is
//! about a subagent; the number there is that of `subagentRunId` on the binary wire.

macro_rules! events {
    ($($event:ident = $type:literal, $envelope:literal, $code:literal, $class:ident $(, $owner:ident($tag:literal))? {
        $($member:ident: $need:ident($number:literal, $name:literal, $($kind:tt)+)),* $(,)?
    } $([$($unread:expr),* $(,)?])?)*) => {
        /// An event of AG-UI. Members have the names of the specification; optional ones read `null` as absent. A
        /// member that the specification requires, but without which the event makes sense, is optional here.
        #[derive(Debug, Clone, Copy)]
        #[allow(missing_docs)] // The specification's own names.
        // Exhaustive: the reducer has an arm for each.
        pub enum Event<'a> {
            $($event { $($member: member!(type $need $($kind)+)),* },)*
        }

        impl<'a> Event<'a> {
            /// The `type` of every event.
            pub const TYPES: &'static [&'static str] = &[$($type),*];

            /// Reads the event called `name`; `m` says whether it can be read. In its caller it would make the module larger.
            #[inline(never)]
            pub(super) fn read(name: &str, m: &EventMembers<'_, 'a>) -> Option<Self> {
                Some(match name {
                    $($type => {
                        $(subagent!(check $owner m);)?
                        Self::$event { $($member: member!(read m $need $name $($kind)+)),* }
                    })*
                    _ => return None,
                })
            }

            /// The event's `type`.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$event { .. } => $type,)*
                }
            }

            /// The first two of its members that are strings and must be there: the id that it is about, and what it brings for that.
            #[allow(unused_variables)]
            pub(crate) fn texts(&self) -> [Option<Str<'a>>; 2] {
                match *self {
                    $(Self::$event { $($member),* } => texts!([] $(($need $($kind)+, $member))*),)*
                }
            }

            /// Whether a `subagentRunId` has a meaning on it.
            pub(super) fn may_be_of_a_subagent(&self) -> bool {
                match self {
                    $(Self::$event { .. } => subagent!(may $($owner)?),)*
                }
            }

            /// The effect that it has on the page.
            pub(crate) fn class(&self) -> Classification {
                match self {
                    $(Self::$event { .. } => Classification::$class,)*
                }
            }
        }

        pub(crate) static EVENTS: [EventShape; Event::TYPES.len()] = [
            $(event($type, $envelope, $code, &[
                $($owner($tag),)?
                $($need($number, $name, $($kind)+),)*
                $($($unread,)*)?
            ]),)*
        ];
    };
}

/// The type of a member, and how it is read.
macro_rules! member {
    (type must Text) => { Str<'a> };
    (type must Word $words:tt) => { Str<'a> };
    (type forgiven Any) => { Raw<'a> };
    (type must $($kind:tt)+) => { Raw<'a> };
    (type may Flag) => { bool };
    (type $need:ident Text) => { Option<Str<'a>> };
    (type may ROLES) => { Option<Str<'a>> };
    (type $need:ident $($kind:tt)+) => { Option<Raw<'a>> };

    (read $m:ident must $name:literal Text) => { $m.string($name) };
    (read $m:ident must $name:literal Word $words:tt) => { $m.subtype($name) };
    (read $m:ident must $name:literal Any) => { $m.any($name) };
    (read $m:ident must $name:literal Content) => { $m.parts($name) };
    (read $m:ident must $name:literal Object) => { $m.must_object($name) };
    (read $m:ident must $name:literal $list:ident) => { $m.list($name) };
    (read $m:ident forgiven $name:literal Text) => { $m.wanted($name) };
    (read $m:ident forgiven $name:literal Any) => { $m.any_or_null($name) };
    (read $m:ident chunk $name:literal Text) => { $m.chunk_delta($name) };
    (read $m:ident may $name:literal Flag) => { $m.flag($name).unwrap_or(true) };
    (read $m:ident $need:ident $name:literal Text) => { $m.optional($name) };
    (read $m:ident may $name:literal ROLES) => { $m.optional($name) };
    (read $m:ident $need:ident $name:literal Is $of:tt) => { $m.object($name) };
    (read $m:ident $need:ident $name:literal $($kind:tt)+) => { $m.fields.some($name) };
}

/// The first two of the members that are strings and must be there.
macro_rules! texts {
    ([$id:ident $text:ident] $($rest:tt)*) => { [Some($id), Some($text)] };
    ([$($text:ident)*] (must Text, $member:ident) $($rest:tt)*) => { texts!([$($text)* $member] $($rest)*) };
    ([$($text:ident)*] $other:tt $($rest:tt)*) => { texts!([$($text)*] $($rest)*) };
    ([$id:ident]) => { [Some($id), None] };
    ([]) => { [None, None] };
}

/// Which subagent an event belongs to.
macro_rules! subagent {
    (may) => {
        false
    };
    (may $owner:ident) => {
        true
    };
    (check owner $m:ident) => {};
    (check subject $m:ident) => {
        $m.string("subagentRunId");
    };
}
