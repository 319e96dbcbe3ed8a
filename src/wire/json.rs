//! JSON read in place (RFC 8259).
//!
//! One pass checks a value and finds the ends of an object's members; nothing is copied until a caller asks for a
//! decoded string or a whole [`Value`]. A [`Raw`] is the text of one value that has been checked, so it can be
//! handed on as it is.

mod reader;

use super::event::Str;
use super::gather::Gather;
use super::text::unescape;
pub(super) use reader::Reader;
#[cfg(feature = "chio")]
use serde_json::{Number, Value};
use std::borrow::Cow;

/// Why a text is not the JSON that was wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonError {
    /// Not JSON; the byte offset of the first surprise.
    Syntax {
        /// Byte offset in the text.
        at: usize,
    },
    /// Nested deeper than the limit.
    TooDeep,
}

/// The text of one JSON value, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a str);

impl<'a> Raw<'a> {
    /// `null`.
    pub(crate) const NULL: Self = Self("null");

    /// Text that was checked before.
    pub(crate) fn known(text: &'a str) -> Self {
        Self(text)
    }

    /// Checks that `text` is one JSON value, nested no deeper than `max_depth`, with white space around it allowed.
    pub fn parse(text: &'a str, max_depth: usize) -> Result<Self, JsonError> {
        let mut reader = Reader::new(text, max_depth);
        let raw = reader.value(0)?;
        reader.end()?;
        Ok(raw)
    }

    /// Checks `text` and splits it, where it is an object, in one pass. `Ok(None)`: JSON, but no object.
    pub fn parse_object(text: &'a str, max_depth: usize) -> Result<Option<Fields<'a>>, JsonError> {
        let mut reader = Reader::new(text, max_depth);
        reader.space();
        if reader.peek() == Some(b'{') { reader.fields().map(Some) } else { Self::parse(text, max_depth).map(|_| None) }
    }

    /// The value as JSON text.
    pub fn text(self) -> &'a str {
        self.0
    }

    /// Whether the value is `null`.
    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The string, not decoded, where the value is one.
    pub fn literal(self) -> Option<Str<'a>> {
        literal(self.0)
    }

    /// The decoded string, where the value is one.
    pub fn string(self) -> Option<Cow<'a, str>> {
        self.literal().map(Str::decode)
    }

    /// The boolean, where the value is one.
    pub fn boolean(self) -> Option<bool> {
        match self.0 {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The whole number, where the value is one that is written without fraction or exponent.
    pub fn whole(self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Whether the value is an object.
    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// The members, where the value is an object.
    pub fn object(self) -> Option<Fields<'a>> {
        if !self.is_object() {
            return None;
        }
        Reader::new(self.0, usize::MAX).fields().ok()
    }

    /// The elements, where the value is an array.
    pub fn array(self) -> Option<Vec<Raw<'a>>> {
        let mut reader = Reader::new(self.0, usize::MAX);
        if reader.next() != Some(b'[') {
            return None;
        }
        let mut items = Vec::new();
        reader.sequence(b'[', |reader| reader.value(0).map(|item| items.push(item))).ok()?;
        Some(items)
    }

    /// Hands on the elements, where the value is an array, each with its members where it is an object: read once for both.
    pub(crate) fn each(self, take: &mut dyn FnMut(Raw<'a>, Option<&Fields<'a>>)) -> bool {
        let is_array = self.0.starts_with('[');
        if is_array {
            self.each_from(0, usize::MAX, take);
        }
        is_array
    }

    /// The same of an array, from the place that the last call returned up to `until`, or a little further. `None`: that
    /// was all.
    pub(crate) fn each_from(
        self,
        from: usize,
        until: usize,
        take: &mut dyn FnMut(Raw<'a>, Option<&Fields<'a>>),
    ) -> Option<usize> {
        let mut reader = Reader::from(self.0, from.max(1));
        if from == 0 && reader.closes(b'[') {
            return None;
        }
        loop {
            reader.space();
            let start = reader.at();
            // It is known to be JSON.
            match reader.peek() {
                Some(b'{') => {
                    let fields = reader.members().ok()?;
                    take(Raw(reader.since(start)), Some(&fields));
                }
                _ => take(reader.value(0).ok()?, None),
            }
            if !reader.goes_on(b'[').ok()? {
                return None;
            }
            if reader.at() >= until {
                return Some(reader.at());
            }
        }
    }

    /// The value as a tree. Of a key that comes twice, the last one counts.
    #[cfg(feature = "chio")]
    pub fn value(self) -> Value {
        Reader::new(self.0, usize::MAX).tree().unwrap_or_default()
    }

    #[cfg(feature = "chio")]
    fn leaf(self) -> Value {
        match self.0.as_bytes().first() {
            Some(b'"') => Value::String(self.string().unwrap_or_default().into_owned()),
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            Some(b'n') | None => Value::Null,
            // The digits are kept as they came: what goes back to the server is not rounded.
            Some(_) => Value::Number(Number::from_string_unchecked(self.0.to_owned())),
        }
    }

    /// Writes the value in the form that writers of this crate give it: without white space, and with no escapes but those
    /// that a string needs. Numbers keep their digits.
    #[cfg(feature = "hector")]
    pub fn rewrite(self, out: &mut String) {
        // It is known to be JSON.
        let _ = Reader::new(self.0, usize::MAX).rewrite(out);
    }
}

impl Default for Raw<'_> {
    fn default() -> Self {
        Self::NULL
    }
}

/// The string that is the JSON text, not decoded, where it is one.
pub(super) fn literal(text: &str) -> Option<Str<'_>> {
    text.strip_prefix('"')?.strip_suffix('"').map(Str::from_raw)
}

/// The members of an object, in order.
#[derive(Debug, Clone, Default)]
pub struct Fields<'a> {
    members: Vec<(&'a str, Raw<'a>)>,
    escaped_keys: bool,
}

impl<'a> Fields<'a> {
    fn push(&mut self, key: &'a str, escaped: bool, value: Raw<'a>) {
        self.escaped_keys |= escaped;
        self.members.push((key, value));
    }

    /// The members of the object that the text is; `None`: it is something else.
    #[inline(never)]
    pub fn read(text: &'a str, max_depth: usize) -> Option<Self> {
        Raw::parse_object(text, max_depth).ok().flatten()
    }

    /// Every member, with its key as it stands.
    pub(crate) fn raw(&self) -> &[(&'a str, Raw<'a>)] {
        &self.members
    }

    /// The member called `name`; of several, the last one.
    pub fn get(&self, name: &str) -> Option<Raw<'a>> {
        for (key, value) in self.raw().iter().rev() {
            if *key == name || (self.escaped_keys && unescape(key).is_ok_and(|key| key == name)) {
                return Some(*value);
            }
        }
        None
    }

    /// The member called `name`, with `null` read as absent.
    pub fn some(&self, name: &str) -> Option<Raw<'a>> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The text member of that name.
    #[inline(never)]
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name).and_then(Raw::string)
    }

    /// Whether the member of that name is this text.
    #[inline(never)]
    pub(crate) fn is(&self, name: &str, text: &str) -> bool {
        self.text(name).is_some_and(|found| found == text)
    }

    /// The members of the object of that name.
    #[inline(never)]
    pub(crate) fn object(&self, name: &str) -> Option<Fields<'a>> {
        self.get(name).and_then(Raw::object)
    }

    /// The elements of the array of that name; none where it is no array.
    #[inline(never)]
    pub(crate) fn list(&self, name: &str) -> Vec<Raw<'a>> {
        self.get(name).and_then(Raw::array).unwrap_or_default()
    }

    /// The texts in the array of that name.
    #[inline(never)]
    pub(crate) fn strings(&self, name: &str) -> Vec<String> {
        self.list(name).into_iter().filter_map(|raw| raw.string().map(Into::into)).gather()
    }

    /// Whether the member of that name is `true`.
    #[inline(never)]
    pub(crate) fn yes(&self, name: &str) -> bool {
        self.get(name).and_then(Raw::boolean) == Some(true)
    }

    /// The whole number of that name.
    #[inline(never)]
    pub(crate) fn whole(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(Raw::whole)
    }

    /// Every member, with its key decoded.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'a, str>, Raw<'a>)> {
        self.raw().iter().map(|(key, value)| (unescape(key).unwrap_or_default(), *value))
    }
}

/// Whether `text` is a number by JSON's grammar.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let bytes = text.as_bytes();
    let rest = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with(b"0")) {
        return false;
    }
    let mut rest = rest.get(whole..).unwrap_or_default();
    if let [b'.', fraction @ ..] = rest {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = fraction.get(count..).unwrap_or_default();
    }
    match rest {
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        rest => rest.is_empty(),
    }
}

#[cfg(test)]
mod tests;
