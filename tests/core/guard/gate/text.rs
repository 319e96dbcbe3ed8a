//! Text, reasoning, and the thinking of AG-UI 0.0.

use super::*;

pub const ROWS: &[Row] = &[
    ("TEXT_MESSAGE_START", text_start),
    ("TEXT_MESSAGE_CONTENT", text_content),
    ("TEXT_MESSAGE_CHUNK", text_chunk),
    ("REASONING_START", reasoning_start),
    ("REASONING_MESSAGE_START", reasoning_message_start),
    ("REASONING_MESSAGE_CONTENT", reasoning_content),
    ("REASONING_MESSAGE_CHUNK", reasoning_chunk),
    ("REASONING_ENCRYPTED_VALUE", encrypted_value),
    ("THINKING_* of AG-UI 0.0", thinking),
];

fn text_start() {
    let end = event!("TEXT_MESSAGE_END", "messageId": "m");
    row(restricts(&["display"]), &[event!("TEXT_MESSAGE_START", "messageId": "m", "name": MARK), end]);
}

fn text_content() {
    let content = event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": MARK);
    let (start, end) = (event!("TEXT_MESSAGE_START", "messageId": "m"), event!("TEXT_MESSAGE_END", "messageId": "m"));
    row(restricts(&["display"]), &[start, content.clone(), end]);
    // Tolerant rules open the message: that counts.
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "TEXT_MESSAGE_START"}, "max_invocations": 0, "window_seconds": 9});
    row_in(policy, &[content.clone(), content], &[false]);
}

fn text_chunk() {
    let chunk = event!("TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "a");
    row(restricts(&["display"]), &[chunk, event!("TEXT_MESSAGE_CHUNK", "delta": MARK)]);
}

fn reasoning_start() {
    let span = [event!("REASONING_START", "messageId": MARK), event!("REASONING_END", "messageId": MARK)];
    row(restricts(&["display"]), &span);
}

fn reasoning_message(content: &str) -> Vec<Value> {
    vec![
        event!("REASONING_MESSAGE_START", "messageId": "m", "role": "reasoning"),
        event!("REASONING_MESSAGE_CONTENT", "messageId": "m", "delta": content),
        event!("REASONING_MESSAGE_END", "messageId": "m"),
    ]
}

fn reasoning_message_start() {
    let mut events = reasoning_message("a");
    events[0]["metadata"] = json!({"a": MARK});
    row(restricts(&["display"]), &events);
}

fn reasoning_content() {
    row(restricts(&["display"]), &reasoning_message(MARK));
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "REASONING_MESSAGE_START"}, "max_invocations": 0, "window_seconds": 9});
    row_in(policy, &reasoning_message(MARK)[1..2], &[false]);
}

fn reasoning_chunk() {
    row(restricts(&["display"]), &[event!("REASONING_MESSAGE_CHUNK", "messageId": "m", "delta": MARK)]);
}

fn encrypted_value() {
    let mut events = reasoning_message("a");
    events.push(event!("REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "m", "encryptedValue": MARK));
    row(restricts(&["display"]), &events);
    // It came before its call, or after it.
    let value = event!("REASONING_ENCRYPTED_VALUE", "subtype": "tool-call", "entityId": "c", "encryptedValue": MARK);
    let mut events = called("c", "bad");
    events.push(value.clone());
    row(only("tool"), &events);
    events.insert(0, value);
    row(only("tool"), &events);
}

fn thinking() {
    let events = [
        event!("THINKING_TEXT_MESSAGE_START"),
        event!("THINKING_TEXT_MESSAGE_CONTENT", "delta": MARK),
        event!("THINKING_TEXT_MESSAGE_END"),
    ];
    row(restricts(&["display"]), &events);
}
