//! Paths into a JSON document (RFC 6901): empty, or tokens, each after a slash.

pub(crate) use json_patch::jsonptr::Token;

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
    let (token, rest) = tokens.split_at_checked(end)?;
    Some((Token::from_encoded(token).ok()?, rest))
}

/// The path to the container, and the last token.
pub(crate) fn split_back(path: &str) -> Option<(&str, Token<'_>)> {
    let slash = path.bytes().rposition(|byte| byte == b'/')?;
    Some((path.get(..slash)?, Token::from_encoded(path.get(slash + 1..)?).ok()?))
}
