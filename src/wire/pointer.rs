//! Paths into a JSON document (RFC 6901): empty, or tokens, each after a slash.

use super::text::cut;
use std::borrow::Cow;

/// A token as it stands in a path: with `~0` for a tilde, and `~1` for a slash.
#[derive(Debug, Clone)]
pub(crate) struct Token<'a>(Cow<'a, str>);

impl<'a> Token<'a> {
    /// The token of a key.
    pub fn new(key: &'a str) -> Self {
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

    pub fn from_encoded(token: &'a str) -> Option<Self> {
        is_encoded(token).then_some(Self(token.into()))
    }

    pub fn encoded(&self) -> &str {
        &self.0
    }

    /// The key.
    pub fn decoded(&self) -> Cow<'_, str> {
        let (mut key, mut rest) = (String::new(), self.encoded());
        while let Some((plain, code)) = cut(rest, b'~') {
            key.push_str(plain);
            key.push(if code.starts_with('1') { '/' } else { '~' });
            rest = code.get(1..).unwrap_or_default();
        }
        if key.is_empty() { rest.into() } else { (key + rest).into() }
    }
}

/// Whether no tilde stands in a text but as `~0` or `~1`.
fn is_encoded(text: &str) -> bool {
    let mut after_tilde = false;
    let fine = text.bytes().all(|byte| {
        let fits = !after_tilde || byte == b'0' || byte == b'1';
        after_tilde = byte == b'~';
        fits
    });
    fine && !after_tilde
}

/// Whether a text is a path.
pub(crate) fn is_pointer(text: &str) -> bool {
    is_encoded(text) && (text.is_empty() || text.starts_with('/'))
}

/// The first token of a path, and the path from there.
pub(crate) fn split_front(path: &str) -> Option<(Token<'_>, &str)> {
    let tokens = path.get(1..)?;
    let end = memchr::memchr(b'/', tokens.as_bytes()).unwrap_or(tokens.len());
    let (token, rest) = tokens.split_at_checked(end)?;
    Some((Token::from_encoded(token)?, rest))
}

/// The path to the container, and the last token.
pub(crate) fn split_back(path: &str) -> Option<(&str, Token<'_>)> {
    let slash = path.bytes().rposition(|byte| byte == b'/')?;
    Some((path.get(..slash)?, Token::from_encoded(path.get(slash + 1..)?)?))
}
