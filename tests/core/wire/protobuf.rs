//! The binary wire: frames become what the official decoder makes of them, and nothing makes the reader fall over.

use ag_ui_wasm::wire::{Limits, Undecodable, to_json};
use serde_json::Value;

const LIMITS: Limits = Limits { depth: 512, bytes: 10 << 20 };

fn base64(text: &str) -> Vec<u8> {
    let digit = |c| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.trim_end_matches('=').bytes().map(digit).collect();
    let bits = |group: &[u8]| group.iter().enumerate().fold(0u32, |bits, (i, d)| bits | u32::from(*d) << (18 - 6 * i));
    digits.chunks(4).flat_map(|group| bits(group).to_be_bytes()[1..group.len()].to_vec()).collect()
}

/// The frames, and what the official decoder makes of each; how it was made: tests/fixtures/protobuf/make.mjs.
fn cases() -> Vec<(Vec<u8>, Value)> {
    let cases: Vec<(String, Value)> = serde_json::from_str(include_str!("../../fixtures/protobuf/cases.json")).unwrap();
    cases.into_iter().map(|(frame, event)| (base64(&frame), event)).collect()
}

/// The same, with numbers as JavaScript has them.
fn normal(value: Value) -> Value {
    match value {
        Value::Number(number) => {
            let double: f64 = number.to_string().parse().unwrap();
            // The tests' serde_json keeps digits: so they have to be JavaScript's.
            if double == 0.0 { 0.into() } else { Value::Number(number) }
        }
        Value::Array(items) => items.into_iter().map(normal).collect(),
        Value::Object(map) => map.into_iter().map(|(key, item)| (key, normal(item))).collect(),
        other => other,
    }
}

#[test]
fn frames_become_what_the_official_decoder_makes_of_them() {
    let mut wrong = 0;
    for (frame, expected) in cases() {
        let mut json = String::from("before");
        let result = to_json(&frame, LIMITS, &mut json);
        let event = match result {
            Ok(_) => normal(serde_json::from_str(&json["before".len()..]).unwrap_or_else(|e| panic!("{e}: {json}"))),
            Err(Undecodable::UnknownEvent) => "unknown".into(),
            Err(_) => "broken".into(),
        };
        if event != normal(expected.clone()) {
            wrong += 1;
            let hex: String = frame.iter().map(|b| format!("{b:02x}")).collect();
            println!("{hex}\n  {event}\n  {expected}\n  {result:?}");
        }
    }
    assert_eq!(wrong, 0);
}

/// Deterministic numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

#[test]
fn damaged_frames_become_json_or_an_error() {
    let mut random = Random(1);
    let frames: Vec<_> = cases().into_iter().map(|(frame, _)| frame).collect();
    let mut json = String::new();
    for _ in 0..40_000 {
        let mut frame = frames[random.below(frames.len())].clone();
        for _ in 0..=random.below(4) {
            let at = random.below(frame.len() + 1);
            match random.below(4) {
                0 => frame.truncate(at),
                1 => frame.insert(at, random.below(256) as u8),
                2 => drop(frame.splice(at..at, frames[random.below(frames.len())].iter().take(40).copied())),
                _ => frame.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.below(8)),
            }
        }
        json.clear();
        match to_json(&frame, LIMITS, &mut json) {
            Ok(_) => drop(serde_json::from_str::<Value>(&json).unwrap_or_else(|e| panic!("{e}: {json}"))),
            Err(_) => assert!(json.is_empty(), "of a frame that is no event nothing is written"),
        }
    }
}

/// A field with bytes in it.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7F {
        field.push(length as u8 | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend(bytes);
    field
}

fn snapshot(value: &[u8]) -> Vec<u8> {
    field(7, &[field(1, &[8, 6]), field(2, value)].concat())
}

#[test]
fn nesting_is_limited() {
    let nested = |depth| (0..depth).fold(vec![0x20, 1], |value, _| field(6, &field(1, &value)));
    let limits = |depth| Limits { depth, ..LIMITS };
    let mut json = String::new();
    assert_eq!(to_json(&snapshot(&nested(99)), limits(103), &mut json), Ok(0));
    assert!(json.ends_with(&format!("{}true{}}}", "[".repeat(99), "]".repeat(99))));
    assert_eq!(to_json(&snapshot(&nested(200)), limits(103), &mut json), Err(Undecodable::TooDeep));
    assert_eq!(to_json(&snapshot(&nested(20_000)), LIMITS, &mut json), Err(Undecodable::TooDeep));
}

#[test]
fn a_small_frame_does_not_become_a_large_text() {
    let empty: Vec<u8> = field(2, &[]).repeat(1000);
    let frame = field(9, &[field(1, &[8, 8]), empty].concat());
    let mut json = String::new();
    assert_eq!(to_json(&frame, Limits { bytes: 5000, ..LIMITS }, &mut json), Err(Undecodable::TooLong));
    assert_eq!(json, "");
    assert_eq!(to_json(&frame, LIMITS, &mut json), Ok(0));
    assert!(json.len() > 5000);
    let exact = |bytes: usize| to_json(&frame, Limits { bytes, ..LIMITS }, &mut String::new());
    assert_eq!((exact(json.len()), exact(json.len() - 1)), (Ok(0), Err(Undecodable::TooLong)), "to the byte");
}

#[test]
fn a_message_in_a_thousand_pieces_at_every_depth_takes_no_more_than_it_is_long() {
    // Joining the pieces by copying them at every depth would take 500 times the frame.
    let mut value = vec![0x20, 1];
    for _ in 0..500 {
        value = field(6, &field(1, &value)).into_iter().chain(field(6, &[])).collect();
    }
    let mut json = String::new();
    let limits = Limits { depth: 600, ..LIMITS };
    assert_eq!(to_json(&snapshot(&value), limits, &mut json), Ok(0));
}

#[test]
fn content_events_read_like_those_of_the_text_wire() {
    let mut json = String::new();
    let text = "\u{10F800} \"";
    let frame = field(2, &[field(1, &[8, 1]), field(2, b"m"), field(3, text.as_bytes())].concat());
    to_json(&frame, LIMITS, &mut json).unwrap();
    // The first is of the range that halves are kept in: it stands as its two halves.
    assert_eq!(json, r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\udbfe\udc00 \""}"#);
}

#[test]
fn parts_that_are_not_known_are_counted() {
    // A text part, one without anything, one of a later version, an image from nowhere known.
    let parts = [field(1, &field(1, b"a")), Vec::new(), field(9, b""), field(2, &field(1, &field(7, b"")))];
    let parts: Vec<u8> = parts.iter().flat_map(|part| field(7, part)).collect();
    // TOOL_CALL_RESULT is number 22: its tag takes two bytes.
    let body = [field(1, &[8, 21]), parts].concat();
    let frame = [&[0xB2, 0x01, body.len() as u8], &body[..]].concat();
    let mut json = String::new();
    assert_eq!(to_json(&frame, LIMITS, &mut json), Ok(3));
    assert!(json.contains(r#""content":[{"type":"text","text":"a"}]"#), "{json}");
}
