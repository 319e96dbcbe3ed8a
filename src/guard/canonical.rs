//! Canonical JSON as Chio hashes and signs it: RFC 8785 with two differences. Whole numbers that fit 64 bits keep their
//! digits, also past 2^53; and U+007F to U+009F are written as escapes.

use crate::wire::{JsonWriter, Raw, utf16, write_char, write_number, write_unit};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Reads a number as a double. Given from outside: the reader of Rust's library would be a tenth of the module.
pub type ReadNumber = fn(&str) -> f64;

/// As deep as Chio's own parser goes.
const DEPTH: usize = 127;

/// The canonical form of a JSON text, or what is wrong with it.
pub fn canonicalize(json: &str, read: ReadNumber) -> Result<String, &'static str> {
    let raw = Raw::parse(json, DEPTH).map_err(|_| "not JSON, or nested too deep")?;
    let mut out = String::new();
    write(&mut out, raw, read)?;
    Ok(out)
}

/// Appends the canonical form of a value.
pub fn write(out: &mut String, raw: Raw<'_>, read: ReadNumber) -> Result<(), &'static str> {
    if let Some(fields) = raw.object() {
        // Keys are sorted by their UTF-16. A heap: the sort of Rust's library would cost 4 kB.
        let mut keys = BinaryHeap::new();
        for (place, (key, _)) in fields.raw().iter().enumerate() {
            keys.push(Reverse((utf16(key), place)));
        }
        let mut object = JsonWriter::object(out);
        while let Some(Reverse((key, place))) = keys.pop() {
            // Of several with one key, the last is kept.
            if keys.peek().is_some_and(|Reverse((next, _))| *next == key) {
                continue;
            }
            let Some((_, value)) = fields.raw().get(place) else { continue };
            let member = object.item();
            write_text(member, &key)?;
            member.push(':');
            write(member, *value, read)?;
        }
        return Ok(());
    }
    if let Some(items) = raw.array() {
        let mut list = JsonWriter::array(out);
        return items.into_iter().try_for_each(|item| write(list.item(), item, read));
    }
    match (raw.literal(), raw.text()) {
        (Some(text), _) => write_text(out, &utf16(text.raw())),
        (None, word @ ("null" | "true" | "false")) => {
            out.push_str(word);
            Ok(())
        }
        (None, number) => write_digits(out, number, read),
    }
}

fn write_digits(out: &mut String, text: &str, read: ReadNumber) -> Result<(), &'static str> {
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        if let Ok(whole) = text.parse::<u64>() {
            out.push_str(&whole.to_string());
            return Ok(());
        }
        if let Ok(whole) = text.parse::<i64>() {
            out.push_str(&whole.to_string());
            return Ok(());
        }
    }
    let value = read(text);
    if !value.is_finite() {
        return Err("a number that is too large");
    }
    write_number(out, value);
    Ok(())
}

fn write_text(out: &mut String, units: &[u16]) -> Result<(), &'static str> {
    out.push('"');
    for c in char::decode_utf16(units.iter().copied()) {
        match c.map_err(|_| "half of a surrogate pair")? {
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            c @ ('"' | '\\' | ..' ') => write_char(out, c),
            c @ '\u{7F}'..'\u{A0}' => write_unit(out, c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> Result<String, &'static str> {
        canonicalize(json, |text| text.parse().unwrap())
    }

    #[test]
    fn numbers() {
        for (json, expected) in [
            ("9223372036854775807", "9223372036854775807"),
            ("18446744073709551615", "18446744073709551615"),
            ("18446744073709551616", "18446744073709552000"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-9223372036854775809", "-9223372036854776000"),
            ("-0", "0"),
            ("5.0", "5"),
            ("1E2", "100"),
            ("0.1e-6", "1e-7"),
        ] {
            assert_eq!(canonical(json).unwrap(), expected);
        }
        assert!(canonical("1e400").is_err());
    }

    #[test]
    fn what_cannot_be_canonical() {
        for json in ["\"\\ud800\"", "{\"\\udc00\":1}", "{", "", "nul", &"[".repeat(500)] {
            assert!(canonical(json).is_err(), "{json}");
        }
    }

    #[test]
    fn keys() {
        assert_eq!(
            canonical(r#"{"b":1,"a":2,"\u0062":3,"a":{"d":1,"c":[]}}"#).unwrap(),
            r#"{"a":{"c":[],"d":1},"b":3}"#
        );
        assert_eq!(canonical("{\"\u{FB33}\":1,\"\u{1F600}\":2}").unwrap(), "{\"\u{1F600}\":2,\"\u{FB33}\":1}");
    }
}
