//! Calls of tools, and their results.

use super::*;

pub const ROWS: &[Row] = &[
    ("TOOL_CALL_START", call_start),
    ("TOOL_CALL_ARGS", call_args),
    ("TOOL_CALL_CHUNK", call_chunk),
    ("TOOL_CALL_RESULT", call_result),
];

fn call_start() {
    row(only("tool"), &called("c", MARK));
    row(restricts(&["submit"]), &called("c", MARK));
    // A second START renames the call: tolerant rules take it so.
    for at in [1, 2, 3] {
        let mut events = called("c", "ok");
        events.insert(at, event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": MARK));
        row_in(only("tool"), &events, &[false]);
    }
}

fn call_args() {
    let mut events = called("c", "bad");
    events[1]["delta"] = json!(format!("{{\"a\":\"{MARK}\"}}"));
    row(only("tool"), &events);
    row(restricts(&["submit"]), &events);
}

fn call_chunk() {
    let first = event!("TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": MARK, "delta": "{");
    row(only("tool"), &[first, event!("TOOL_CALL_CHUNK", "delta": "}")]);
    // Arguments of the blocked stream do not go to the one before it.
    let events = [
        event!("TOOL_CALL_CHUNK", "toolCallId": "a", "toolCallName": "ok", "delta": "{}"),
        event!("TOOL_CALL_CHUNK", "toolCallId": "b", "toolCallName": "bad", "delta": "{"),
        event!("TOOL_CALL_CHUNK", "delta": MARK),
    ];
    row(only("tool"), &events);
    // The name comes with a later chunk, or changes.
    for first in [json!(null), json!("ok")] {
        let mut opener = event!("TOOL_CALL_CHUNK", "toolCallId": "c", "delta": "{");
        if first.is_string() {
            opener["toolCallName"] = first;
        }
        let events = [opener, event!("TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": MARK, "delta": "}")];
        let mut agent = play(&only("tool"), false, Framing::Sse, &[vec![started()], events.to_vec()].concat(), 9);
        assert!(!seen(&mut agent).contains(MARK));
    }
}

fn call_result() {
    let result = event!("TOOL_CALL_RESULT", "messageId": "r1", "toolCallId": "c", "content": MARK);
    let mut events = called("c", "bad");
    events.push(result.clone());
    row(only("tool"), &events);
    row(restricts(&["submit"]), &events);
    row(restricts(&["display"]), &events);
    // Its call is not known.
    row(only("tool"), std::slice::from_ref(&result));
    // It comes in a later run.
    let mut agent =
        play(&restricts(&["submit"]), false, Framing::Sse, &[vec![started()], events, vec![finished()]].concat(), 99);
    answered(&mut agent, "text/event-stream", Framing::Sse.body(&[started(), result, finished()]).as_bytes(), 99);
    assert!(!seen(&mut agent).contains(MARK));
}
