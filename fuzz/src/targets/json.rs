//! JSON and events: accepted is what `serde_json` accepts, with the same value; the fast reading of content is the slow one.

use super::{reference, seeded};
use ag_ui_wasm::wire::{Delta, DeltaKind, Event, Incoming, Raw, Utf8Decoder, frame_fields};
use serde_json::Value;

const DEPTH: usize = 100;

pub fn json(data: &[u8]) {
    let (_, bytes) = seeded(data);
    let mut text = String::new();
    let mut decoder = Utf8Decoder::default();
    decoder.feed(bytes, &mut |piece| text.push_str(piece));
    decoder.finish(&mut |piece| text.push_str(piece));
    document(&text);
    for line in text.lines() {
        frame(line.strip_prefix("data: ").unwrap_or(line));
    }
}

fn document(text: &str) {
    let ours = Raw::parse(text, DEPTH);
    let theirs = serde_json::from_str::<Value>(text);
    match (&ours, &theirs) {
        (Ok(raw), Ok(value)) => {
            // Only a pair that is written as escapes may mean a character of the range that halves are kept in.
            if !text.contains("\\uD") && !text.contains("\\ud") {
                same(&reference::value(*raw), value);
            }
        }
        (Ok(_), Err(error)) => {
            let halves = text.contains("\\uD") || text.contains("\\ud");
            assert!(halves, "accepted, but {error}: {text}");
        }
        (Err(error), Ok(value)) => assert!(deep(value) > DEPTH, "refused ({error:?}): {text}"),
        (Err(_), Err(_)) => {}
    }
    let fields = Raw::parse_object(text, DEPTH);
    assert_eq!(fields.is_ok(), ours.is_ok());
    let Ok(raw) = ours else { return };
    assert_eq!(fields.unwrap().is_some(), raw.is_object());
    assert_eq!(Raw::parse(raw.text(), DEPTH).unwrap().text(), raw.text());
    if let Some(fields) = raw.object() {
        let members: Vec<(String, &str)> = fields.iter().map(|(key, value)| (key.into_owned(), value.text())).collect();
        for (key, _) in &members {
            let last = members.iter().rev().find(|(other, _)| other == key).unwrap();
            assert_eq!(fields.get(key).unwrap().text(), last.1);
            if members.len() > 50 {
                break;
            }
        }
    }
    for item in raw.array().unwrap_or_default() {
        assert!(Raw::parse(item.text(), DEPTH).is_ok());
    }
}

fn deep(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(deep).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(deep).max().unwrap_or(0),
        _ => 0,
    }
}

fn same(ours: &Value, theirs: &Value) {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => {
            assert_eq!(reference::decimal(a.as_str()), reference::decimal(b.as_str()));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| same(a, b));
        }
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "other members");
            a.iter().for_each(|(key, a)| same(a, &b[key]));
        }
        (a, b) => assert_eq!(a, b),
    }
}

/// A frame is read the same in the fast way and in the slow one.
fn frame(text: &str) {
    let fields = frame_fields(text, DEPTH);
    let mut forgiven = 0;
    let event = fields.as_ref().ok().map(|fields| Incoming::read(fields, &mut |_| forgiven += 1));
    let Some(delta) = Delta::read(text) else { return };
    let incoming = event.expect("what the fast way reads is an event").expect("and the slow way reads it");
    assert_eq!(forgiven, 0);
    let (kind, id, content) = match incoming.event {
        Event::TextMessageContent { message_id, delta } => (DeltaKind::Text, message_id, delta),
        Event::ReasoningMessageContent { message_id, delta } => (DeltaKind::Reasoning, message_id, delta),
        Event::ToolCallArgs { tool_call_id, delta } => (DeltaKind::Args, tool_call_id, delta),
        other => panic!("read as a delta: {other:?}"),
    };
    assert_eq!((delta.kind, delta.id.decode(), delta.delta.decode()), (kind, id.decode(), content.decode()));
    assert!(incoming.subagent_run_id.is_none() && incoming.metadata.is_none());
}
