//! JSON read in place (RFC 8259).
//!
//! One pass checks a value and finds the ends of an object's members; nothing is copied until a caller asks for a
//! decoded string or a whole [`Value`]. A [`Raw`] is the text of one value that has been checked, so it can be
//! handed on as it is.

use super::event::Str;
use super::text::{string_end, unescape};
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
        let mut reader = Reader::new(self.0, usize::MAX);
        let is_array = reader.next() == Some(b'[');
        // It is known to be JSON.
        let _ = is_array.then(|| {
            reader.sequence(b'[', |reader| {
                reader.space();
                let start = reader.at;
                match reader.peek() {
                    Some(b'{') => {
                        let fields = reader.members()?;
                        take(Raw(reader.since(start)), Some(&fields));
                    }
                    _ => take(reader.value(0)?, None),
                }
                Ok(())
            })
        });
        is_array
    }

    /// The value as a tree. Of a key that comes twice, the last one counts.
    pub fn value(self) -> Value {
        Reader::new(self.0, usize::MAX).tree().unwrap_or_default()
    }

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
}

/// The string that is the JSON text, not decoded, where it is one.
pub(super) fn literal(text: &str) -> Option<Str<'_>> {
    text.strip_prefix('"')?.strip_suffix('"').map(Str::from_raw)
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

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    max_depth: usize,
    /// The brackets of the containers that are open in what is skipped.
    opened: Vec<u8>,
}

// Every byte of what is no plain delta passes here, several times. The module is built for size, so what is looked at byte
// by byte is inlined by hand, and the place is kept in a local variable.
impl<'a> Reader<'a> {
    pub fn new(text: &'a str, max_depth: usize) -> Self {
        Self { text, at: 0, max_depth, opened: Vec::new() }
    }

    fn surprise<T>(&self) -> Result<T, JsonError> {
        Err(JsonError::Syntax { at: self.at })
    }

    /// How much is read.
    pub fn at(&self) -> usize {
        self.at
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and takes the byte after it.
    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        self.space();
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    #[inline(always)]
    fn space(&mut self) {
        self.at = spaces_end(self.text.as_bytes(), self.at);
    }

    fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { self.surprise() }
    }

    #[inline(always)]
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn fields(&mut self) -> Result<Fields<'a>, JsonError> {
        let fields = self.members()?;
        self.end()?;
        Ok(fields)
    }

    fn members(&mut self) -> Result<Fields<'a>, JsonError> {
        let mut fields = Fields::new();
        if self.next() != Some(b'{') {
            return self.surprise();
        }
        self.sequence(b'{', |reader| {
            let (key, escaped) = reader.key()?;
            let value = reader.value(1)?;
            fields.push(key, escaped, value);
            Ok(())
        })?;
        Ok(fields)
    }

    /// Takes the bracket that opens a container, where one comes next.
    pub fn open(&mut self) -> Option<u8> {
        self.space();
        let byte = self.peek().filter(|byte| matches!(byte, b'{' | b'['))?;
        self.at += 1;
        Some(byte)
    }

    fn tree(&mut self) -> Result<Value, JsonError> {
        Ok(match self.open() {
            Some(b'{') => {
                let mut map = Map::new();
                self.sequence(b'{', |reader| {
                    let (key, _) = reader.key()?;
                    map.insert(unescape(key).unwrap_or_default().into_owned(), reader.tree()?);
                    Ok(())
                })?;
                Value::Object(map)
            }
            Some(_) => {
                let mut items = Vec::new();
                self.sequence(b'[', |reader| reader.tree().map(|item| items.push(item)))?;
                Value::Array(items)
            }
            None => self.value(0)?.leaf(),
        })
    }

    /// The value that comes next, which stands in `depth` containers.
    pub fn value(&mut self, depth: usize) -> Result<Raw<'a>, JsonError> {
        self.space();
        let start = self.at;
        self.skip(depth)?;
        Ok(Raw(self.since(start)))
    }

    /// Takes a value, of any depth without recursion.
    fn skip(&mut self, depth: usize) -> Result<(), JsonError> {
        self.opened.clear();
        loop {
            if depth + self.opened.len() > self.max_depth {
                return Err(JsonError::TooDeep);
            }
            match self.next() {
                Some(open @ (b'{' | b'[')) => {
                    if !self.closes(open) {
                        self.opened.push(open);
                        if open == b'{' {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(byte) => self.scalar(byte)?,
                None => return self.surprise(),
            }
            while let Some(&open) = self.opened.last() {
                if !self.goes_on(open)? {
                    self.opened.pop();
                    continue;
                }
                if open == b'{' {
                    self.key()?;
                }
                break;
            }
            if self.opened.is_empty() {
                return Ok(());
            }
        }
    }

    /// The rest of a value that is no container.
    #[inline(always)]
    fn scalar(&mut self, first: u8) -> Result<(), JsonError> {
        match first {
            b'"' => self.string().map(drop),
            b't' => self.literal("rue"),
            b'f' => self.literal("alse"),
            b'n' => self.literal("ull"),
            b'-' | b'0'..=b'9' => self.number(first),
            _ => self.surprise(),
        }
    }

    fn number(&mut self, first: u8) -> Result<(), JsonError> {
        let start = self.at - 1;
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let mut plain = matches!(first, b'1'..=b'9');
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {}
                b'.' | b'e' | b'E' | b'+' | b'-' => plain = false,
                _ => break,
            }
            at += 1;
        }
        self.at = at;
        if plain || is_number(self.since(start)) { Ok(()) } else { self.surprise() }
    }

    /// Takes what closes a container, where that comes next. In ASCII it is two further than `open`, its other bracket.
    pub fn closes(&mut self, open: u8) -> bool {
        self.space();
        let closes = self.peek() == Some(open + 2);
        self.at += usize::from(closes);
        closes
    }

    /// Takes the comma after an item, or what closes its container: false.
    pub fn goes_on(&mut self, open: u8) -> Result<bool, JsonError> {
        match self.next() {
            Some(b',') => Ok(true),
            Some(byte) if byte == open + 2 => Ok(false),
            _ => self.surprise(),
        }
    }

    /// Comma-separated items up to what closes their container, of which the bracket `open` is read.
    fn sequence(
        &mut self,
        open: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        if self.closes(open) {
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.goes_on(open)? {
                return Ok(());
            }
        }
    }

    pub fn key(&mut self) -> Result<(&'a str, bool), JsonError> {
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
        match string_end(self.text.as_bytes(), start) {
            Ok((end, escaped)) => {
                self.at = end;
                let inner = self.since(start);
                self.at += 1;
                Ok((inner, escaped))
            }
            Err(at) => {
                self.at = at;
                self.surprise()
            }
        }
    }

    fn literal(&mut self, rest: &str) -> Result<(), JsonError> {
        if !self.text.as_bytes().get(self.at..).is_some_and(|text| text.starts_with(rest.as_bytes())) {
            return self.surprise();
        }
        self.at += rest.len();
        Ok(())
    }
}

/// Where white space ends that may begin at `at`.
#[inline(always)]
fn spaces_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
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
mod tests;
