//! JSON read in place (RFC 8259).
//!
//! One pass checks a value and finds the ends of an object's members; nothing is copied until a caller asks for a
//! decoded string or a whole [`Value`]. A [`Raw`] is the text of one value that has been checked, so it can be
//! handed on as it is.

use super::event::Str;
use super::scan::special;
use super::text::{escapes_are_valid, unescape};
use serde_json::{Map, Number, Value};
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
        self.0.strip_prefix('"')?.strip_suffix('"').map(Str::from_raw)
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
        reader.sequence(b']', |reader| reader.value(0).map(|item| items.push(item))).ok()?;
        Some(items)
    }

    /// The value as a tree. Of a key that comes twice, the last one counts.
    pub fn value(self) -> Value {
        match self.0.as_bytes().first() {
            Some(b'{') => {
                let mut map = Map::new();
                if let Some(fields) = self.object() {
                    for (key, value) in fields.iter() {
                        map.insert(key.into_owned(), value.value());
                    }
                }
                Value::Object(map)
            }
            Some(b'[') => Value::Array(self.array().unwrap_or_default().into_iter().map(Raw::value).collect()),
            Some(b'"') => Value::String(self.string().unwrap_or_default().into_owned()),
            Some(b't') => Value::Bool(true),
            Some(b'f') => Value::Bool(false),
            Some(b'n') | None => Value::Null,
            // The digits are kept as they came: what goes back to the server is not rounded.
            Some(_) => Value::Number(Number::from_string_unchecked(self.0.to_owned())),
        }
    }
}

/// How many members an object may have before they go to the heap. An event rarely has more.
const INLINE: usize = 8;

/// The members of an object, in order, in place.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    inline: [(&'a str, Raw<'a>); INLINE],
    used: usize,
    /// All of them, once there are more.
    heap: Vec<(&'a str, Raw<'a>)>,
    escaped_keys: bool,
}

impl<'a> Fields<'a> {
    fn new() -> Self {
        Self { inline: [("", Raw("null")); INLINE], used: 0, heap: Vec::new(), escaped_keys: false }
    }

    fn push(&mut self, key: &'a str, escaped: bool, value: Raw<'a>) {
        self.escaped_keys |= escaped;
        match self.inline.get_mut(self.used) {
            Some(place) => {
                *place = (key, value);
                self.used += 1;
            }
            None => {
                if self.heap.is_empty() {
                    self.heap.extend_from_slice(&self.inline);
                }
                self.heap.push((key, value));
            }
        }
    }

    /// Every member, with its key as it stands.
    pub(crate) fn raw(&self) -> &[(&'a str, Raw<'a>)] {
        if self.heap.is_empty() { self.inline.get(..self.used).unwrap_or_default() } else { &self.heap }
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
    #[cfg(feature = "guard")]
    #[inline(never)]
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name).and_then(Raw::string)
    }

    /// The elements of the array of that name; none where it is no array.
    #[cfg(feature = "guard")]
    #[inline(never)]
    pub(crate) fn list(&self, name: &str) -> Vec<Raw<'a>> {
        self.get(name).and_then(Raw::array).unwrap_or_default()
    }

    /// Every member, with its key decoded.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'a, str>, Raw<'a>)> {
        self.raw().iter().map(|(key, value)| (unescape(key).unwrap_or_default(), *value))
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    max_depth: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, max_depth: usize) -> Self {
        Self { text, at: 0, max_depth }
    }

    fn surprise<T>(&self) -> Result<T, JsonError> {
        Err(JsonError::Syntax { at: self.at })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and takes the byte behind it.
    fn next(&mut self) -> Option<u8> {
        self.space();
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { self.surprise() }
    }

    fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn fields(&mut self) -> Result<Fields<'a>, JsonError> {
        let mut fields = Fields::new();
        if self.next() != Some(b'{') {
            return self.surprise();
        }
        self.sequence(b'}', |reader| {
            let (key, escaped) = reader.key()?;
            let value = reader.value(1)?;
            fields.push(key, escaped, value);
            Ok(())
        })?;
        self.end()?;
        Ok(fields)
    }

    fn value(&mut self, depth: usize) -> Result<Raw<'a>, JsonError> {
        if depth > self.max_depth {
            return Err(JsonError::TooDeep);
        }
        self.space();
        let start = self.at;
        match self.next() {
            Some(b'"') => self.string().map(drop)?,
            Some(b'{') => self.sequence(b'}', |reader| {
                reader.key()?;
                reader.value(depth + 1).map(drop)
            })?,
            Some(b'[') => self.sequence(b']', |reader| reader.value(depth + 1).map(drop))?,
            Some(b't') => self.literal("rue")?,
            Some(b'f') => self.literal("alse")?,
            Some(b'n') => self.literal("ull")?,
            Some(b'-' | b'0'..=b'9') => {
                while matches!(self.peek(), Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
                    self.at += 1;
                }
                if !is_number(self.since(start)) {
                    return self.surprise();
                }
            }
            _ => return self.surprise(),
        }
        Ok(Raw(self.since(start)))
    }

    /// Comma-separated items up to `close`, the opening bracket being read.
    fn sequence(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            match self.next() {
                Some(b',') => {}
                Some(byte) if byte == close => return Ok(()),
                _ => return self.surprise(),
            }
        }
    }

    fn key(&mut self) -> Result<(&'a str, bool), JsonError> {
        if self.next() != Some(b'"') {
            return self.surprise();
        }
        let key = self.string()?;
        if self.next() != Some(b':') {
            return self.surprise();
        }
        Ok(key)
    }

    /// The inside of a string whose opening quote is read, and whether it has escapes.
    fn string(&mut self) -> Result<(&'a str, bool), JsonError> {
        let start = self.at;
        let mut escaped = false;
        loop {
            self.at += special(self.text.as_bytes().get(self.at..).unwrap_or_default());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                // A control character, or the end.
                _ => return self.surprise(),
            }
        }
        let inner = self.text.get(start..self.at).unwrap_or_default();
        if escaped && !escapes_are_valid(inner) {
            return self.surprise();
        }
        self.at += 1;
        Ok((inner, escaped))
    }

    fn literal(&mut self, rest: &str) -> Result<(), JsonError> {
        if !self.text.get(self.at..).is_some_and(|text| text.starts_with(rest)) {
            return self.surprise();
        }
        self.at += rest.len();
        Ok(())
    }
}

/// Whether `text` is a number by JSON's grammar.
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(rest);
    if whole == 0 || (whole > 1 && rest.starts_with('0')) {
        return false;
    }
    let mut rest = rest.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = fraction.get(count..).unwrap_or_default();
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let count = digits(exponent);
        return count > 0 && count == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::write::write_value;
    use super::*;

    #[test]
    fn accepts_what_json_allows_and_nothing_else() {
        for good in ["0", "-0.5e+10", "\"\"", "[]", "{}", " [1 , {\"a\" : null}] ", "\"\\ud800\"", "true"] {
            assert!(Raw::parse(good, 9).is_ok(), "{good}");
        }
        for bad in [
            "",
            "01",
            "1.",
            ".5",
            "1e",
            "+1",
            "-",
            "tru",
            "truex",
            "\"",
            "\"\\\"",
            "\"\t\"",
            "\"\\x\"",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{a:1}",
            "{\"a\":1,}",
            "[",
            "{\"a\":[}",
            "1 2",
            "nul",
            "'a'",
            "\u{feff}1",
            "1e5.5",
            "--1",
        ] {
            assert!(Raw::parse(bad, 9).is_err(), "{bad}");
            let nested = format!("{{\"x\":{bad}}}");
            assert!(Raw::parse_object(&nested, 9).is_err(), "{nested}");
        }
    }

    #[test]
    fn depth_is_limited() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(Raw::parse(&deep(512), 512).is_ok());
        assert_eq!(Raw::parse(&deep(514), 512), Err(JsonError::TooDeep));
        assert!(Raw::parse(&"[".repeat(100_000), 512).is_err());
    }

    #[test]
    fn members_in_place() {
        let text = r#" {"a":1,"b":"x\ny","a":[2],"\u0063":{"d":null}, "n":null} "#;
        let fields = Raw::parse_object(text, 9).unwrap().unwrap();
        assert_eq!(fields.get("a").unwrap().text(), "[2]", "the last of two counts");
        assert_eq!(fields.get("b").unwrap().string().unwrap(), "x\ny");
        assert_eq!(fields.get("c").unwrap().text(), r#"{"d":null}"#, "escaped keys are keys");
        assert!(fields.get("n").is_some() && fields.some("n").is_none());
        assert!(Raw::parse_object("[1]", 9).unwrap().is_none());
    }

    #[test]
    fn many_members() {
        let members: Vec<_> = (0..30).map(|i| format!("\"k{i}\":{i}")).collect();
        let text = format!("{{{}}}", members.join(","));
        let fields = Raw::parse_object(&text, 9).unwrap().unwrap();
        assert_eq!(fields.iter().count(), 30);
        assert_eq!(fields.get("k29").unwrap().whole(), Some(29));
    }

    #[test]
    fn trees_keep_digits_and_halves() {
        let text = r#"{"a":[12345678901234567890,1.0,1e400],"b":"\ud83d","c":{"__proto__":true}}"#;
        let mut out = String::new();
        write_value(&mut out, &Raw::parse(text, 9).unwrap().value());
        assert_eq!(out, text);
    }
}
