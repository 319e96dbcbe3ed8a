//! Texts and JSON texts, as the events of this dialect need them. Uses `wire`.

use crate::wire::{Fields, JsonWriter, Raw};
use std::borrow::Cow;

/// JSON text without white space: how servers space it differs by their build.
#[inline(never)]
pub(super) fn compact(raw: Raw<'_>) -> String {
    let mut text = String::new();
    raw.rewrite(&mut text);
    text
}

/// The members of an object, in the same way.
#[inline(never)]
pub(super) fn compact_fields(fields: &Fields<'_>) -> String {
    JsonWriter::object_text(|object| {
        for (name, raw) in fields.iter() {
            raw.rewrite(object.member(&name));
        }
    })
}

/// A text, or what is none as JSON text; nothing for nothing.
#[inline(never)]
pub(super) fn as_text(raw: Option<Raw<'_>>) -> Cow<'_, str> {
    match raw {
        Some(raw) if !raw.is_null() => raw.string().unwrap_or_else(|| compact(raw).into()),
        _ => Cow::Borrowed(""),
    }
}

/// A text, unless it is empty.
pub(super) fn filled(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}
