//! Paths into a JSON document (RFC 6901): empty, or tokens, each after a slash.

use super::text::cut;
use std::borrow::Cow;

/// Whether a text is a path: no `~` stands in it but as `~0` or `~1`.
pub(crate) fn is_pointer(text: &str) -> bool {
    let mut after_tilde = false;
    let escapes = text.bytes().all(|byte| {
        let fits = !after_tilde || byte == b'0' || byte == b'1';
        after_tilde = byte == b'~';
        fits
    });
    escapes && !after_tilde && (text.is_empty() || text.starts_with('/'))
}

/// The first token of a path, and the path from there.
pub(crate) fn split_front(path: &str) -> Option<(Token<'_>, &str)> {
    let tokens = path.get(1..)?;
    let end = memchr::memchr(b'/', tokens.as_bytes()).unwrap_or(tokens.len());
    tokens.split_at_checked(end).map(|(token, rest)| (Token(token.into()), rest))
}

/// The path to the container, and the last token.
pub(crate) fn split_back(path: &str) -> Option<(&str, Token<'_>)> {
    let slash = path.bytes().rposition(|byte| byte == b'/')?;
    Some((path.get(..slash)?, Token(path.get(slash + 1..)?.into())))
}

/// A token, with its escapes.
#[derive(Debug)]
pub(crate) struct Token<'a>(Cow<'a, str>);

impl<'a> Token<'a> {
    /// The token of a key.
    pub fn of(key: &'a str) -> Self {
        if !key.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
            return Self(key.into());
        }
        let mut token = String::new();
        for c in key.chars() {
            match c {
                '~' => token.push_str("~0"),
                '/' => token.push_str("~1"),
                c => token.push(c),
            }
        }
        Self(token.into())
    }

    pub fn encoded(&self) -> &str {
        &self.0
    }

    /// The key.
    pub fn decoded(&self) -> Cow<'_, str> {
        let (mut key, mut rest) = (String::new(), &*self.0);
        while let Some((start, escape)) = cut(rest, b'~') {
            key.push_str(start);
            key.push(if escape.starts_with('1') { '/' } else { '~' });
            rest = escape.get(1..).unwrap_or_default();
        }
        if key.is_empty() {
            return Cow::Borrowed(rest);
        }
        key.push_str(rest);
        Cow::Owned(key)
    }
}
