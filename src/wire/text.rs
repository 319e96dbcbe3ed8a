//! Text that may hold half of a surrogate pair.
//!
//! Servers cut text anywhere in UTF-16, so `"\ud83d"` may come in one delta and `"\ude42"` in the next. A Rust
//! `String` cannot hold a half. Each half is therefore kept as one code point of the last 2,048 of the
//! Supplementary Private Use Area-B (U+10F800 + the half's offset), and is written as a `\uXXXX` escape, so that
//! two neighbours join again in JavaScript. The few genuine characters of that range are kept as their own two
//! halves ([`keep_private`]), which makes the mapping lossless. See `docs/decisions/0001-halves-in-strings.md`.

use super::scan::{first_non_ascii, non_ascii, special_or};
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
    let mut kept = String::with_capacity(text.len() + 4);
    for c in text.chars() {
        if unit(c).is_some() {
            kept.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| half(u32::from(u))));
        } else {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}

/// What is wrong with the escapes of a string.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadEscape;

/// Whether every escape in the inside of a JSON string literal is one of JSON's.
pub(crate) fn escapes_are_valid(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let mut at = 0;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += step + 2;
        match bytes.get(at - 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
            Some(b'u') if raw.get(at..).and_then(hex4).is_some() => at += 4,
            _ => return false,
        }
    }
    true
}

/// Decodes the inside of a JSON string literal. Borrows unless there is an escape.
pub(crate) fn unescape(raw: &str) -> Result<Cow<'_, str>, BadEscape> {
    let Some((head, mut rest)) = split(raw) else { return Ok(Cow::Borrowed(raw)) };
    let mut text = String::with_capacity(raw.len());
    text.push_str(head);
    loop {
        let mut chars = rest.chars();
        match chars.next().ok_or(BadEscape)? {
            '"' => text.push('"'),
            '\\' => text.push('\\'),
            '/' => text.push('/'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => {
                let (c, used) = code_point(chars.as_str())?;
                text.push(c);
                chars = chars.as_str().get(used..).ok_or(BadEscape)?.chars();
            }
            _ => return Err(BadEscape),
        }
        match split(chars.as_str()) {
            Some((plain, next)) => {
                text.push_str(plain);
                rest = next;
            }
            None => {
                text.push_str(chars.as_str());
                return Ok(Cow::Owned(text));
            }
        }
    }
}

/// What stands before the first backslash, and what behind it.
fn split(raw: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr(b'\\', raw.as_bytes())?;
    Some((raw.get(..at)?, raw.get(at + 1..)?))
}

/// Reads the `XXXX` behind `\u`, and the second escape of a pair; returns how many bytes that took.
fn code_point(text: &str) -> Result<(char, usize), BadEscape> {
    let first = hex4(text).ok_or(BadEscape)?;
    if let Some(c) = char::from_u32(first) {
        return Ok((c, 4));
    }
    let second = text.get(4..).and_then(|rest| rest.strip_prefix("\\u")).and_then(hex4);
    if let (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) = (first, second) {
        let c = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
        // A pair of the range that halves are kept in stays two halves.
        if let (Some(c), false) = (char::from_u32(c), c >= KEPT_AS) {
            return Ok((c, 10));
        }
    }
    Ok((half(first), 4))
}

fn hex4(text: &str) -> Option<u32> {
    let digits = text.get(..4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

/// Writes `text` as a JSON string literal.
pub(crate) fn write_string(out: &mut String, text: &str) {
    // Growing by half and half again would leave as much behind, which WebAssembly never gives back.
    if text.len() > 16 * 1024 {
        out.reserve_exact(text.len() + text.len() / 8);
    }
    out.push('"');
    write_escaped(out, text, special_or::<LEAD>);
    out.push('"');
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

fn write_char(out: &mut String, c: char) {
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

fn write_unit(out: &mut String, unit: u32) {
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

    fn literal(text: &str) -> String {
        let mut out = String::new();
        write_string(&mut out, text);
        out
    }

    #[test]
    fn halves_survive_and_join() {
        let high = unescape("a\\ud83d").unwrap();
        let low = unescape("\\ude42b").unwrap();
        assert_eq!(literal(&format!("{high}{low}")), "\"a\\ud83d\\ude42b\"");
        assert_eq!(unescape("\\ud83d\\ude42").unwrap(), "🙂");
        assert_eq!(literal(&unescape("\\udc00\\ud800x").unwrap()), "\"\\udc00\\ud800x\"");
    }

    #[test]
    fn characters_of_the_kept_range_stay_themselves() {
        let genuine = "x\u{10F800}\u{10FFFF}y";
        let kept = keep_private(genuine);
        assert_eq!(literal(&kept), "\"x\\udbfe\\udc00\\udbff\\udfffy\"");
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
    fn escapes() {
        assert!(escapes_are_valid("a\\n\\\"\\u0041\\/\\\\\\ud83dü"));
        assert_eq!(unescape("a\\n\\\"\\u0041\\/\\\\").unwrap(), "a\n\"A/\\");
        assert_eq!(literal("\u{1}\"\\\n€"), "\"\\u0001\\\"\\\\\\n€\"");
        for bad in ["\\x", "\\", "\\u12", "\\u12g4", "\\u+123"] {
            assert_eq!(unescape(bad), Err(BadEscape), "{bad}");
            assert!(!escapes_are_valid(bad), "{bad}");
        }
    }
}
