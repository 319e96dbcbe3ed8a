//! Members of a foreign frame, read and copied. Uses `wire`.

use crate::wire::{Fields, JsonWriter, Raw};
use std::borrow::Cow;

/// The text member of that name.
#[inline(never)]
pub(super) fn string<'a>(fields: &Fields<'a>, name: &str) -> Option<Cow<'a, str>> {
    fields.get(name).and_then(Raw::string)
}

/// The members of the object of that name.
#[inline(never)]
pub(super) fn object<'a>(fields: &Fields<'a>, name: &str) -> Option<Fields<'a>> {
    fields.get(name).and_then(Raw::object)
}

/// The elements of the array of that name.
#[inline(never)]
pub(super) fn array<'a>(fields: &Fields<'a>, name: &str) -> Vec<Raw<'a>> {
    fields.get(name).and_then(Raw::array).unwrap_or_default()
}

/// Writes the members whose keys are wanted, as they are.
#[inline(never)]
pub(super) fn copy(out: &mut JsonWriter<'_>, fields: &Fields<'_>, wanted: &dyn Fn(&str) -> bool) {
    for (key, value) in fields.iter().filter(|(key, _)| wanted(key)) {
        out.member(&key).push_str(value.text());
    }
}
