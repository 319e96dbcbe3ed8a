//! Text that may hold half of a surrogate pair.
//!
//! Servers cut text anywhere in UTF-16, so `"\ud83d"` may come in one delta and `"\ude42"` in the next. A Rust
//! `String` cannot hold a half. Each half is therefore kept as one code point of the last 2,048 of the
//! Supplementary Private Use Area-B (U+10F800 + the half's offset), and is written as a `\uXXXX` escape, so that
//! two neighbors join again in JavaScript. The few genuine characters of that range are kept as their own two
//! halves ([`keep_private`]), which makes the mapping lossless. See `docs/decisions/0001-halves-in-strings.md`.

use super::scan::{first_non_ascii, non_ascii, special, special_or};
use std::borrow::Cow;

const FIRST_HALF: u32 = 0xD800;
const KEPT_AS: u32 = 0x10_F800;
/// The first UTF-8 byte of every character that [`KEPT_AS`] maps to: U+100000 and above.
const LEAD: u8 = 0xF4;

fn half(unit: u32) -> char {
    char::from_u32(unit - FIRST_HALF + KEPT_AS).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The UTF-16 unit that `c` stands for, where it stands for a half.
fn unit(c: char) -> Option<u32> {
    (c as u32).checked_sub(KEPT_AS).map(|offset| offset + FIRST_HALF)
}

/// Rewrites genuine characters of the range that halves are kept in. Borrows unless there are any.
pub(crate) fn keep_private(text: &str) -> Cow<'_, str> {
    if memchr::memchr(LEAD, text.as_bytes()).is_none() || !text.chars().any(|c| unit(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(in_halves(text, |c| unit(c).is_some()))
}

/// With some of the characters that are pairs as their two halves.
fn in_halves(text: &str, cut: fn(char) -> bool) -> String {
    let mut halves = String::with_capacity(text.len() + 4);
    for c in text.chars() {
        if cut(c) {
            halves.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| half(u32::from(u))));
        } else {
            halves.push(c);
        }
    }
    halves
}

/// At most so many UTF-16 units of a text; what is cut ends with an ellipsis, and no pair of halves is cut in two.
pub(crate) fn shortened(text: &str, units: usize) -> Cow<'_, str> {
    if text.len() <= units {
        return Cow::Borrowed(text);
    }
    let (mut left, mut end) = (units, 0);
    for c in text.chars() {
        let Some(rest) = left.checked_sub(unit(c).map_or(c.len_utf16(), |_| 1)) else {
            let kept = text.get(..end).unwrap_or_default();
            // The second half of what the last one begins.
            let first = |unit: u32| (0xD800..0xDC00).contains(&unit);
            let kept = match (kept.chars().next_back().filter(|c| unit(*c).is_some_and(first)), unit(c)) {
                (Some(half), Some(0xDC00..)) => kept.strip_suffix(half).unwrap_or(kept),
                _ => kept,
            };
            return Cow::Owned([kept, "\u{2026}"].concat());
        };
        (left, end) = (rest, end + c.len_utf8());
    }
    Cow::Borrowed(text)
}

/// The rest of `text` after its prefix `start`, compared as JavaScript compares strings: a pair that came in halves may
/// be one character in the other one. `None`: `text` does not begin with it.
pub(crate) fn text_after<'t>(start: &str, text: &'t str) -> Option<Cow<'t, str>> {
    if let Some(rest) = text.strip_prefix(start) {
        return Some(Cow::Borrowed(rest));
    }
    // Only where halves are the two can differ.
    if memchr::memchr(LEAD, start.as_bytes()).is_none() && memchr::memchr(LEAD, text.as_bytes()).is_none() {
        return None;
    }
    let is_pair = |c: char| c.len_utf16() == 2 && unit(c).is_none();
    let text = in_halves(text, is_pair);
    text.strip_prefix(&in_halves(start, is_pair)).map(|rest| Cow::Owned(rest.to_owned()))
}

/// Two texts, of which the first may be absent, as one that no other two have.
pub(crate) fn pair(first: Option<&str>, second: &str) -> String {
    let length = first.map(|first| first.len().to_string()).unwrap_or_default();
    [&*length, ":", first.unwrap_or_default(), second].concat()
}

/// An id as warnings show it.
pub(crate) fn shown_id(id: &str) -> Cow<'_, str> {
    shortened(id, 100)
}

/// A text before the first of a byte, and after it. The library looks for characters of any kind, which is a kilobyte more.
pub(crate) fn cut(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = memchr::memchr(byte, text.as_bytes())?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// The pieces of a text between the bytes that separate them.
pub(crate) fn pieces(mut text: &str, separator: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    while let Some((piece, rest)) = cut(text, separator) {
        pieces.push(piece);
        text = rest;
    }
    pieces.push(text);
    pieces
}

/// A name in snake case as it is in camel case.
pub(crate) fn to_camel(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(letters.as_str());
    }
    camel
}

/// The error for an invalid escape in a string.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadEscape;

/// Where the inside of a JSON string literal ends that begins at `at`, and whether it has escapes. `Err`: where it has
/// something that no literal has, or stops.
#[inline(always)]
pub(super) fn string_end(bytes: &[u8], at: usize) -> Result<(usize, bool), usize> {
    let at = at + special(bytes.get(at..).unwrap_or_default());
    if bytes.get(at) == Some(&b'"') { Ok((at, false)) } else { escaped_end(bytes, at) }
}

/// The same from the first byte that is not plain.
#[inline(never)]
fn escaped_end(bytes: &[u8], mut at: usize) -> Result<(usize, bool), usize> {
    let mut escaped = false;
    loop {
        // Where there is an escape there often is another one.
        while bytes.get(at) == Some(&b'\\') {
            escaped = true;
            at += match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                Some(b'u') if bytes.get(at + 2..).is_some_and(|rest| hex4(rest).is_some()) => 6,
                _ => return Err(at),
            };
        }
        match bytes.get(at) {
            Some(b'"') => return Ok((at, escaped)),
            Some(0x20..) => {}
            // A control character, or the end.
            _ => return Err(at),
        }
        at += special(bytes.get(at..).unwrap_or_default());
    }
}

/// Decodes the inside of a JSON string literal. Borrows unless there is an escape.
pub(crate) fn unescape(raw: &str) -> Result<Cow<'_, str>, BadEscape> {
    let bytes = raw.as_bytes();
    let Some(first) = memchr::memchr(b'\\', bytes) else { return Ok(Cow::Borrowed(raw)) };
    let mut text = String::with_capacity(raw.len());
    let (mut begin, mut at) = (0, first);
    loop {
        text.push_str(raw.get(begin..at).ok_or(BadEscape)?);
        // Where there is an escape there often is another one.
        while bytes.get(at) == Some(&b'\\') {
            let escape = *bytes.get(at + 1).ok_or(BadEscape)?;
            at += 2;
            let char = match escape {
                b'"' | b'\\' | b'/' => escape,
                b'b' => 0x8,
                b'f' => 0xc,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'u' => {
                    let (char, used) = code_point(bytes.get(at..).unwrap_or_default())?;
                    text.push(char);
                    at += used;
                    continue;
                }
                _ => return Err(BadEscape),
            };
            text.push(char::from(char));
        }
        begin = at;
        let rest = raw.get(at..).ok_or(BadEscape)?;
        match memchr::memchr(b'\\', rest.as_bytes()) {
            Some(step) => at += step,
            None => {
                text.push_str(rest);
                return Ok(Cow::Owned(text));
            }
        }
    }
}

/// The UTF-16 of the inside of a checked literal, as it came.
pub(crate) fn utf16(raw: &str) -> Vec<u16> {
    let raw = keep_private(raw);
    let mut units = Vec::with_capacity(raw.len());
    for c in unescape(&raw).unwrap_or_default().chars() {
        match unit(c) {
            Some(half) => units.push(half as u16),
            None => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        }
    }
    units
}

/// Reads the `XXXX` after `\u`, and the second escape of a pair; returns how many bytes that took.
fn code_point(text: &[u8]) -> Result<(char, usize), BadEscape> {
    let first = hex4(text).ok_or(BadEscape)?;
    if let Some(c) = char::from_u32(first) {
        return Ok((c, 4));
    }
    let second = text.get(4..).and_then(|rest| rest.strip_prefix(b"\\u")).and_then(hex4);
    if let (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) = (first, second) {
        let c = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
        // A pair of the range that halves are kept in stays two halves.
        if let (Some(c), false) = (char::from_u32(c), c >= KEPT_AS) {
            return Ok((c, 10));
        }
    }
    Ok((half(first), 4))
}

fn hex4(text: &[u8]) -> Option<u32> {
    let digits: &[u8; 4] = text.first_chunk()?;
    digits.iter().try_fold(0, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))
}

/// Writes `text` as a JSON string literal.
pub(crate) fn write_string(out: &mut String, text: &str) {
    // Doubling would leave as much behind, which WebAssembly never gives back. But many long texts must not each move all that
    // stands before them.
    let room = text.len() + text.len() / 8;
    if text.len() > 16 * 1024 && out.capacity() - out.len() < room {
        out.reserve_exact(room.max(out.len() / 4));
    }
    out.push('"');
    write_escaped(out, text, special_or::<LEAD>);
    out.push('"');
}

/// A text as a JSON string literal.
#[inline(never)]
pub(crate) fn quoted(text: &str) -> String {
    let mut json = String::new();
    write_string(&mut json, text);
    json
}

/// Writes text that is JSON already, with its halves as escapes.
pub(crate) fn write_json(out: &mut String, json: &str) {
    write_escaped(out, json, |bytes| memchr::memchr(LEAD, bytes).unwrap_or(bytes.len()));
}

fn write_escaped(out: &mut String, text: &str, special: impl Fn(&[u8]) -> usize) {
    let mut rest = text;
    loop {
        let (plain, tail) = rest.split_at_checked(special(rest.as_bytes())).unwrap_or((rest, ""));
        out.push_str(plain);
        let mut chars = tail.chars();
        let Some(c) = chars.next() else { return };
        write_char(out, c);
        rest = chars.as_str();
    }
}

/// Writes a character of a JSON string literal.
pub(crate) fn write_char(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if (c as u32) < 0x20 => write_unit(out, c as u32),
        c => match unit(c) {
            Some(unit) => write_unit(out, unit),
            None => out.push(c),
        },
    }
}

/// JSON for an engine, which takes half the time for one of nothing but ASCII: other characters become escapes, where they
/// are few. Where they are many, the escapes would take longer than they save.
pub(crate) fn for_engine(json: String) -> String {
    let (mut rest, mut others) = (json.as_str(), non_ascii(json.as_bytes()));
    if others == 0 || others > json.len() / 8 {
        return json;
    }
    // An escape is at most three times as long as its character, a pair of them for four bytes as well.
    let mut ascii = String::with_capacity(json.len() + 2 * others);
    while others > 0 {
        let (plain, tail) = rest.split_at_checked(first_non_ascii(rest.as_bytes())).unwrap_or((rest, ""));
        ascii.push_str(plain);
        let mut chars = tail.chars();
        let Some(c) = chars.next() else { return ascii };
        c.encode_utf16(&mut [0; 2]).iter().for_each(|&unit| write_unit(&mut ascii, u32::from(unit)));
        (rest, others) = (chars.as_str(), others - c.len_utf8());
    }
    ascii.push_str(rest);
    ascii
}

/// Writes a UTF-16 unit as an escape.
pub(crate) fn write_unit(out: &mut String, unit: u32) {
    let digit = |shift: u32| {
        let digit = (unit >> shift & 0xF) as u8;
        digit + if digit < 10 { b'0' } else { b'a' - 10 }
    };
    let escape = [b'\\', b'u', digit(12), digit(8), digit(4), digit(0)];
    out.push_str(std::str::from_utf8(&escape).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_survive_and_join() {
        let high = unescape("a\\ud83d").unwrap();
        let low = unescape("\\ude42b").unwrap();
        assert_eq!(quoted(&format!("{high}{low}")), "\"a\\ud83d\\ude42b\"");
        assert_eq!(unescape("\\ud83d\\ude42").unwrap(), "🙂");
        assert_eq!(quoted(&unescape("\\udc00\\ud800x").unwrap()), "\"\\udc00\\ud800x\"");
    }

    #[test]
    fn what_comes_after_is_found_as_javascript_sees_it() {
        let halves = [unescape("a\\ud83d").unwrap(), unescape("\\ude42b").unwrap()].concat();
        let rest = |start: &str, text: &str| text_after(start, text).map(|rest| quoted(&rest));
        assert_eq!(rest("a", "ab").as_deref(), Some("\"b\""));
        assert_eq!(rest("b", "ab"), None);
        assert_eq!(rest("a🙂", &halves).as_deref(), Some("\"b\""));
        assert_eq!(rest(&halves, "a🙂b🙂c").as_deref(), Some("\"\\ud83d\\ude42c\""));
        assert_eq!(rest(&unescape("a\\ud83d").unwrap(), "a🙂b").as_deref(), Some("\"\\ude42b\""));
        assert_eq!(rest("a🙃", &halves), None);
    }

    #[test]
    fn characters_of_the_kept_range_stay_themselves() {
        let genuine = "x\u{10F800}\u{10FFFF}y";
        let kept = keep_private(genuine);
        assert_eq!(quoted(&kept), "\"x\\udbfe\\udc00\\udbff\\udfffy\"");
        assert_eq!(unescape("\\udbfe\\udc00").unwrap(), keep_private("\u{10F800}"));
        assert!(matches!(keep_private("plain \u{10F7FF}"), Cow::Borrowed(_)));
    }

    #[test]
    fn an_engine_gets_ascii_where_little_else_is_in_it() {
        let plain = "[\"nothing but \\\"ASCII\\\", in a text of several blocks of sixteen bytes\"]";
        assert_eq!(for_engine(plain.to_owned()), plain);
        let few = format!("{plain}ü{plain}🙂{plain}é\u{FFFD}");
        let escaped = few.replace('ü', "\\u00fc").replace('🙂', "\\ud83d\\ude42").replace('é', "\\u00e9");
        assert_eq!(for_engine(few), escaped.replace('\u{FFFD}', "\\ufffd"));
        let many = "погода в Цюрихе солнечная";
        assert_eq!(for_engine(many.to_owned()), many);
    }

    #[test]
    fn long_texts_are_cut_where_javascript_sees_a_character_end() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "abc\u{2026}");
        assert_eq!(shortened("aüüb", 3), "aüü\u{2026}");
        assert_eq!(shortened("ab🙂", 3), "ab\u{2026}");
        assert_eq!(shortened("a🙂b", 3), "a🙂\u{2026}");
        // Two halves that came apart are one character to JavaScript.
        let halves = [unescape("ab\\ud83d").unwrap(), unescape("\\ude42c").unwrap()].concat();
        assert_eq!(shortened(&halves, 3), "ab\u{2026}");
        assert_eq!(shortened(&unescape("ab\\ud83dxyz").unwrap(), 3), unescape("ab\\ud83d\u{2026}").unwrap());
    }

    #[test]
    fn escapes() {
        assert_eq!(string_end("a\\n\\\"\\u0041\\/\\\\\\ud83dü\"x".as_bytes(), 0), Ok((23, true)));
        assert_eq!(string_end(b"plain, and longer than a block\"", 2), Ok((30, false)));
        assert_eq!(unescape("a\\n\\\"\\u0041\\/\\\\").unwrap(), "a\n\"A/\\");
        assert_eq!(quoted("\u{1}\"\\\n€"), "\"\\u0001\\\"\\\\\\n€\"");
        for bad in ["\\x", "\\", "\\u12", "\\u12g4", "\\u+123"] {
            assert_eq!(unescape(bad), Err(BadEscape), "{bad}");
            assert!(string_end(format!("{bad}\"").as_bytes(), 0).is_err(), "{bad}");
        }
    }
}
