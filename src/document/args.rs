//! Tool arguments, read while they stream.
//!
//! Each new piece of the text is read once and becomes operations that bring the parsed arguments in the mirror up to
//! date, so the work is linear in the length of the arguments however they are cut. The mirror has the longest
//! valid reading: strings and containers grow, numbers, `true`, `false` and `null` appear when they are whole.

use super::patch::Path;
use crate::wire::{Raw, Tree, is_number, write_json};

/// Deeper arguments stay text: each level costs memory for as long as it is open.
pub(crate) const MAX_DEPTH: usize = 512;

/// Whether two texts are the same arguments. Servers write a call's arguments anew, with other spaces or in another order: one
/// JSON value is one call. No text is an empty object, as it is for the tool.
pub(crate) fn same_args(one: &str, other: &str) -> bool {
    let read = |text: &str| match text.trim_ascii() {
        "" => Some(Tree::object()),
        text => Raw::parse(text, MAX_DEPTH).ok().map(Tree::read),
    };
    one == other || read(one).is_some_and(|value| read(other).as_ref() == Some(&value))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Expect {
    #[default]
    Value,
    /// A value, or the end of an array that is empty so far.
    ValueOrEnd,
    Key,
    /// A key, or the end of an object that is empty so far.
    KeyOrEnd,
    InKey,
    Colon,
    InString,
    /// A number or a literal, collected in `token`.
    InScalar,
    CommaOrEnd,
    /// The whole value is read.
    Done,
    /// Not JSON: the reading ends here.
    Broken,
}

/// An open container.
#[derive(Debug)]
enum Container {
    /// The index of the current element.
    Array(usize),
    /// The current key, as the inside of a JSON string literal.
    Object(String),
}

#[derive(Debug, Default)]
pub(super) struct ArgsReader {
    expect: Expect,
    stack: Vec<Container>,
    /// A key or a scalar that is not whole yet, or the beginning of an escape.
    token: String,
    /// The key in `token` ends with a backslash whose second character has not come.
    key_escape: bool,
    /// The operation that is being written sets the value at this level of the stack.
    open: Option<usize>,
}

impl ArgsReader {
    /// Reads the next piece and writes operations on the value at `root` to `ops`, each followed by a comma.
    pub fn feed(&mut self, piece: &str, root: &Path<'_>, ops: &mut String) {
        if self.expect == Expect::InString && !piece.is_empty() {
            // A string that the mirror has already grows by an operation of its own.
            ops.push_str("[\"+\",");
            self.write_path(root, ops);
            ops.push_str(",\"");
            let rest = self.string(piece, ops);
            ops.push_str("\"],");
            self.read(rest, root, ops);
        } else {
            self.read(piece, root, ops);
        }
        if let Some(level) = self.open.take() {
            // Close what is open, so that the operation is JSON; the next piece continues inside.
            if self.expect == Expect::InString {
                ops.push('"');
            }
            for container in self.stack.iter().skip(level).rev() {
                ops.push(if matches!(container, Container::Array(_)) { ']' } else { '}' });
            }
            ops.push_str("],");
        }
    }

    /// The arguments are whole: a number or literal that nothing ended is read.
    pub fn finish(&mut self, root: &Path<'_>, ops: &mut String) {
        if self.expect == Expect::InScalar && self.stack.is_empty() {
            self.token_ends(root, ops);
        }
    }

    fn read(&mut self, piece: &str, root: &Path<'_>, ops: &mut String) {
        let mut rest = piece;
        while let Some(byte) = rest.bytes().next() {
            let tail = rest.get(1..).unwrap_or_default();
            rest = match (self.expect, byte) {
                (Expect::InKey, _) => self.key(rest),
                (Expect::InString, _) => self.in_string(rest, ops),
                (Expect::InScalar, _) => self.in_scalar(rest, root, ops),
                (Expect::Broken, _) => return,
                (_, b' ' | b'\n' | b'\r' | b'\t') => tail,
                (Expect::Value | Expect::ValueOrEnd, b'"') => {
                    self.open_value(root, ops);
                    ops.push('"');
                    self.expect = Expect::InString;
                    tail
                }
                (Expect::Value | Expect::ValueOrEnd, b'{' | b'[') => {
                    self.open_value(root, ops);
                    self.open_container(byte, ops);
                    tail
                }
                (Expect::Value | Expect::ValueOrEnd, b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                    self.expect = Expect::InScalar;
                    rest
                }
                (Expect::Key | Expect::KeyOrEnd, b'"') => {
                    self.expect = Expect::InKey;
                    tail
                }
                (Expect::Colon, b':') => {
                    self.expect = Expect::Value;
                    tail
                }
                (Expect::CommaOrEnd, b',') => {
                    self.comma();
                    tail
                }
                (Expect::CommaOrEnd | Expect::ValueOrEnd | Expect::KeyOrEnd, b']' | b'}') => {
                    self.close_container(byte, ops);
                    tail
                }
                _ => {
                    self.expect = Expect::Broken;
                    return;
                }
            };
        }
    }

    /// Reads on in a string; returns what follows it.
    fn in_string<'p>(&mut self, rest: &'p str, ops: &mut String) -> &'p str {
        let rest = self.string(rest, ops);
        if self.expect != Expect::InString {
            ops.push('"');
            if self.expect != Expect::Broken {
                self.close_value(ops);
            }
        }
        rest
    }

    /// Reads on in a number or a literal; returns what follows it.
    fn in_scalar<'p>(&mut self, rest: &'p str, root: &Path<'_>, ops: &mut String) -> &'p str {
        let of_it = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'E' | b'+' | b'-' | b'.');
        let length = rest.as_bytes().iter().take_while(|byte| of_it(byte)).count();
        let (more, tail) = rest.split_at_checked(length).unwrap_or_default();
        // Nearly every one comes whole.
        if self.token.is_empty() && !tail.is_empty() {
            self.scalar(more, root, ops);
            return tail;
        }
        self.token.push_str(more);
        if !tail.is_empty() {
            self.token_ends(root, ops);
        }
        tail
    }

    /// After the comma of a container comes its next item.
    fn comma(&mut self) {
        match self.stack.last_mut() {
            Some(Container::Array(index)) => {
                *index += 1;
                self.expect = Expect::Value;
            }
            Some(Container::Object(_)) => self.expect = Expect::Key,
            None => self.expect = Expect::Broken,
        }
    }

    /// Begins a value: inside the open operation, or as a new one.
    fn open_value(&mut self, root: &Path<'_>, ops: &mut String) {
        if self.open.is_none() {
            ops.push_str("[\"=\",");
            self.write_path(root, ops);
            ops.push(',');
            self.open = Some(self.stack.len());
            return;
        }
        if !matches!(ops.as_bytes().last(), Some(b'[' | b'{')) {
            ops.push(',');
        }
        if let Some(Container::Object(key)) = self.stack.last() {
            ops.push('"');
            write_json(ops, key);
            ops.push_str("\":");
        }
    }

    /// Ends a value, and the operation where it was begun for this value.
    fn close_value(&mut self, ops: &mut String) {
        self.expect = if self.stack.is_empty() { Expect::Done } else { Expect::CommaOrEnd };
        if self.open.take_if(|level| *level == self.stack.len()).is_some() {
            ops.push_str("],");
        }
    }

    fn open_container(&mut self, byte: u8, ops: &mut String) {
        ops.push(char::from(byte));
        if self.stack.len() == MAX_DEPTH {
            ops.push(if byte == b'[' { ']' } else { '}' });
            self.expect = Expect::Broken;
            return;
        }
        (self.expect, _) = if byte == b'[' {
            (Expect::ValueOrEnd, self.stack.push(Container::Array(0)))
        } else {
            (Expect::KeyOrEnd, self.stack.push(Container::Object(String::new())))
        };
    }

    fn close_container(&mut self, byte: u8, ops: &mut String) {
        let fits = match self.stack.last() {
            Some(Container::Array(_)) => byte == b']',
            Some(Container::Object(_)) => byte == b'}',
            None => false,
        };
        if !fits {
            self.expect = Expect::Broken;
            return;
        }
        self.stack.pop();
        // A container that the mirror has already needs no operation to end.
        if self.open.is_some() {
            ops.push(char::from(byte));
        }
        self.close_value(ops);
    }

    fn scalar(&mut self, text: &str, root: &Path<'_>, ops: &mut String) {
        let plain = text.len() < 16 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
        if plain || matches!(text, "true" | "false" | "null") || is_number(text) {
            self.open_value(root, ops);
            ops.push_str(text);
            self.close_value(ops);
        } else {
            self.expect = Expect::Broken;
        }
    }

    /// The number or literal in `token` is whole.
    fn token_ends(&mut self, root: &Path<'_>, ops: &mut String) {
        let mut token = std::mem::take(&mut self.token);
        self.scalar(&token, root, ops);
        token.clear();
        self.token = token;
    }

    /// Reads inside a key; returns what follows it.
    fn key<'p>(&mut self, piece: &'p str) -> &'p str {
        let mut escaped = self.key_escape;
        for (at, byte) in piece.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.token.push_str(piece.get(..at).unwrap_or_default());
                    self.key_escape = false;
                    let key = std::mem::take(&mut self.token);
                    let literal = format!("\"{key}\"");
                    match self.stack.last_mut() {
                        Some(Container::Object(current)) if Raw::parse(&literal, 1).is_ok() => {
                            *current = key;
                            self.expect = Expect::Colon;
                        }
                        _ => self.expect = Expect::Broken,
                    }
                    return piece.get(at + 1..).unwrap_or_default();
                }
                _ => {}
            }
        }
        self.token.push_str(piece);
        self.key_escape = escaped;
        ""
    }

    /// Copies the inside of a string to `ops`, up to and without its closing quote; returns what follows the quote.
    fn string<'p>(&mut self, piece: &'p str, ops: &mut String) -> &'p str {
        let mut rest = piece;
        loop {
            if !self.token.is_empty() {
                rest = self.escape(rest, ops);
                if !self.token.is_empty() || self.expect == Expect::Broken {
                    return "";
                }
            }
            let end = rest.bytes().position(|b| b == b'"' || b == b'\\' || b < 0x20);
            let Some(end) = end else {
                write_json(ops, rest);
                return "";
            };
            let (plain, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            write_json(ops, plain);
            rest = tail.get(1..).unwrap_or_default();
            match tail.as_bytes().first() {
                Some(b'\\') => self.token.push('\\'),
                Some(b'"') => {
                    self.expect = if self.stack.is_empty() { Expect::Done } else { Expect::CommaOrEnd };
                    return rest;
                }
                _ => {
                    self.expect = Expect::Broken;
                    return "";
                }
            }
        }
    }

    /// Completes the escape that `token` begins; returns what follows it.
    fn escape<'p>(&mut self, piece: &'p str, ops: &mut String) -> &'p str {
        for (at, c) in piece.char_indices() {
            let place = self.token.len();
            let fits = match place {
                1 => matches!(c, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u'),
                _ => c.is_ascii_hexdigit(),
            };
            if !fits {
                self.expect = Expect::Broken;
                return "";
            }
            self.token.push(c);
            if (place == 1 && c != 'u') || place == 5 {
                ops.push_str(&self.token);
                self.token.clear();
                return piece.get(at + 1..).unwrap_or_default();
            }
        }
        ""
    }

    fn write_path(&self, root: &Path<'_>, ops: &mut String) {
        ops.push('[');
        ops.push_str(root.0);
        for container in &self.stack {
            ops.push(',');
            match container {
                Container::Array(index) => ops.push_str(&index.to_string()),
                Container::Object(key) => {
                    ops.push('"');
                    write_json(ops, key);
                    ops.push('"');
                }
            }
        }
        ops.push(']');
    }
}
