//! The one pass over JSON text.

use super::{Fields, JsonError, Raw, is_number};
use crate::wire::text::string_end;
#[cfg(feature = "hector")]
use crate::wire::{JsonWriter, text::unescape, write_string};
#[cfg(feature = "chio")]
use serde_json::{Map, Value};

/// A position in JSON text, which is read from its beginning to its end.
pub(in crate::wire) struct Reader<'a> {
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

    /// Goes on where another reader has stopped, in text that is known to be JSON.
    pub fn from(text: &'a str, at: usize) -> Self {
        Self { at, ..Self::new(text, usize::MAX) }
    }

    fn surprise<T>(&self) -> Result<T, JsonError> {
        Err(JsonError::Syntax { at: self.at })
    }

    /// How much is read.
    pub fn at(&self) -> usize {
        self.at
    }

    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and takes the byte after it.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<u8> {
        self.space();
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    #[inline(always)]
    pub(super) fn space(&mut self) {
        self.at = spaces_end(self.text.as_bytes(), self.at);
    }

    pub(super) fn end(&mut self) -> Result<(), JsonError> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { self.surprise() }
    }

    #[inline(always)]
    pub fn since(&self, start: usize) -> &'a str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(super) fn fields(&mut self) -> Result<Fields<'a>, JsonError> {
        let fields = self.members()?;
        self.end()?;
        Ok(fields)
    }

    pub(super) fn members(&mut self) -> Result<Fields<'a>, JsonError> {
        let mut fields = Fields::default();
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

    #[cfg(feature = "chio")]
    pub(super) fn tree(&mut self) -> Result<Value, JsonError> {
        Ok(match self.open() {
            Some(b'{') => {
                let mut map = Map::new();
                self.sequence(b'{', |reader| {
                    let (key, _) = reader.key()?;
                    map.insert(crate::wire::text::unescape(key).unwrap_or_default().into_owned(), reader.tree()?);
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

    /// See [`Raw::rewrite`].
    #[cfg(feature = "hector")]
    pub(super) fn rewrite(&mut self, out: &mut String) -> Result<(), JsonError> {
        match self.open() {
            Some(b'{') => {
                let mut object = JsonWriter::object(out);
                self.sequence(b'{', |reader| {
                    let (key, _) = reader.key()?;
                    reader.rewrite(object.member(&unescape(key).unwrap_or_default()))
                })
            }
            Some(_) => {
                let mut list = JsonWriter::array(out);
                self.sequence(b'[', |reader| reader.rewrite(list.item()))
            }
            None => {
                let leaf = self.value(0)?;
                match leaf.string() {
                    Some(text) => write_string(out, &text),
                    None => out.push_str(leaf.text()),
                }
                Ok(())
            }
        }
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
    pub(super) fn sequence(
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

    /// The same, where the key stands.
    pub fn key_place(&mut self) -> Result<((usize, usize), bool), JsonError> {
        self.space();
        let start = self.at + 1;
        let (key, escaped) = self.key()?;
        Ok(((start, start + key.len()), escaped))
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
