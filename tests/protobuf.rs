//! The binary wire: frames become what the official decoder makes of them, and nothing makes the reader fall over.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

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
    let cases: Vec<(String, Value)> =
        serde_json::from_str(include_str!("fixtures/protobuf/cases.json")).unwrap();
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
