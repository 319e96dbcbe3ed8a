//! A part of an A2A message, as Hector's generations write it. Uses `wire`.

use super::text;
use super::write::{as_text, compact};
use crate::wire::{Fields, Raw};
use std::borrow::Cow;

/// One part: text or data, with its metadata.
pub(super) struct HectorPart<'a> {
    pub text: Cow<'a, str>,
    pub data: Option<Fields<'a>>,
    metadata: Option<Fields<'a>>,
}

impl<'a> HectorPart<'a> {
    /// `None`: it is no part.
    #[inline(never)]
    pub fn read(raw: Raw<'a>) -> Option<Self> {
        let fields = raw.object()?;
        let data = fields.object("data");
        // protobuf wraps the data of version 1 once more.
        let inner = data.as_ref().filter(|_| fields.get("kind").is_none()).and_then(|data| data.object("data"));
        Some(Self { text: text(&fields, "text"), metadata: fields.object("metadata"), data: inner.or(data) })
    }

    /// A member of the metadata, whose name the documents write with a prefix.
    #[inline(never)]
    pub fn tag(&self, name: &str) -> Option<Raw<'a>> {
        let metadata = self.metadata.as_ref()?;
        metadata.some(name).or_else(|| metadata.some(&["agui_", name].concat()))
    }

    /// The same, where it is a text; `otherwise` is an older name of it.
    #[inline(never)]
    pub fn word(&self, name: &str, otherwise: &str) -> Cow<'a, str> {
        let raw = self.tag(name).or_else(|| self.tag(otherwise));
        raw.and_then(Raw::string).unwrap_or_default()
    }

    /// A member of the data as text.
    #[inline(never)]
    pub fn said(&self, name: &str) -> Cow<'a, str> {
        as_text(self.data.as_ref().and_then(|data| data.get(name)))
    }

    /// Of a call: its arguments as JSON text. Older ones are a text that holds them.
    pub fn args(&self) -> String {
        let args = self.data.as_ref().and_then(|data| data.some("arguments").or_else(|| data.some("input")));
        let Some(raw) = args else { return "{}".to_owned() };
        raw.string().filter(|text| !text.is_empty()).map_or_else(|| compact(raw), Cow::into_owned)
    }
}
