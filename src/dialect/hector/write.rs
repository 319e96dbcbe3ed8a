//! Texts and JSON texts, as the events of this dialect need them. Uses `wire`.

use crate::dialect::{Output, OutputItem};
use crate::wire::{Fields, JsonWriter, Raw, write_value};
use std::borrow::Cow;

/// An event of these strings, and of members that are JSON text.
#[inline(never)]
pub(super) fn say(out: &mut Output, event: &str, strings: &[(&str, &str)], json: &[(&str, &str)]) {
    out.event(JsonWriter::object_text(|object| {
        object.string("type", event);
        for (name, value) in strings {
            object.string(name, value);
        }
        for (name, value) in json {
            object.member(name).push_str(value);
        }
    }));
}

/// Tells the page of something that is no event of AG-UI.
pub(super) fn tell(out: &mut Output, name: &str, value: String) {
    out.push(OutputItem::Custom { name: name.to_owned(), value });
}

/// JSON text without white space: how servers space it differs by their build.
#[inline(never)]
pub(super) fn compact(raw: Raw<'_>) -> String {
    let mut text = String::new();
    write_value(&mut text, &raw.value());
    text
}

/// The members of an object, in the same way.
#[inline(never)]
pub(super) fn compact_fields(fields: &Fields<'_>) -> String {
    JsonWriter::object_text(|object| {
        for (name, raw) in fields.iter() {
            write_value(object.member(&name), &raw.value());
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
