//! The 31 event types of AG-UI 1.0, read in place from one frame.

#[macro_use]
mod row;
mod read;
mod table;

use super::json::Raw;
use super::text::unescape;
use super::words;
pub use read::{frame_fields, frame_type};
use std::borrow::Cow;
pub(crate) use table::EVENTS;
pub use table::Event;

/// A string as it stands in a frame: the inside of its JSON literal, checked, not decoded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Str<'a> {
    raw: &'a str,
    pub(super) escaped: bool,
}

impl<'a> Str<'a> {
    pub(super) fn new(raw: &'a str, escaped: bool) -> Self {
        Self { raw, escaped }
    }

    /// The inside of a literal that may have escapes.
    pub(crate) fn from_raw(raw: &'a str) -> Self {
        Self { raw, escaped: memchr::memchr(b'\\', raw.as_bytes()).is_some() }
    }

    /// The inside of the literal.
    pub(crate) fn raw(self) -> &'a str {
        self.raw
    }

    /// The text. Borrows unless it has escapes.
    pub fn decode(self) -> Cow<'a, str> {
        if self.escaped { unescape(self.raw).unwrap_or_default() } else { Cow::Borrowed(self.raw) }
    }

    /// The text, to be kept.
    pub fn to_text(self) -> String {
        self.decode().into_owned()
    }
}

impl PartialEq for Str<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw || self.decode() == other.decode()
    }
}

impl Event<'_> {
    /// Whether it ends a message, a call or reasoning, and shows nothing by itself.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self, Self::TextMessageEnd { .. } | Self::ToolCallEnd { .. } | Self::ReasoningMessageEnd { .. })
    }
}

/// One event with what every event may carry.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// The event itself.
    pub event: Event<'a>,
    /// The subagent that it happened in; absent: the parent agent.
    pub subagent_run_id: Option<Str<'a>>,
    /// Open metadata, an object.
    pub metadata: Option<Raw<'a>>,
}

words! {
    /// The effect of an event on the page, which policies are about.
    #[derive(Default)]
    pub(crate) Classification {
        #[default]
        Display = "display",
        Mutate = "mutate", Navigate = "navigate", Create = "create", Destroy = "destroy", Submit = "submit", Alert = "alert",
    }
}
