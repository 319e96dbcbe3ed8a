//! JSON Patch: the state is what a plain implementation of RFC 6902 makes of it, and a patch that fails leaves no trace.

use super::{reference, seeded};
use crate::support::SessionCalls;
use crate::support::streams::Random;
use crate::support::{Agent, parse};
use ag_ui_wasm::session::Options;
use ag_ui_wasm::wire::Raw;
use serde_json::{Map, Value, json};

/// Lines of the input are patches; where they are not, patches are made of them.
pub fn patches(data: &[u8]) {
    let (mut random, bytes) = seeded(data);
    let text = String::from_utf8_lossy(bytes);
    let mut agent = Agent::new(Options { max_depth: 300, max_frame_bytes: 1 << 24, ..Options::default() });
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.event(request, json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
    let mut state = json!({"list": [1, {"a": 2.0}], "n": 1, "t": "x", "deep": {"a": {"b": [[], {}]}}});
    agent.event(request, json!({"type": "STATE_SNAPSHOT", "snapshot": state}));
    let mut activity = state.clone();
    agent.event(
        request,
        json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "v", "activityType": "plan", "content": activity}),
    );
    for line in text.lines().take(200) {
        let json = reference::private(line);
        let given = Raw::parse(&json, 60).map(reference::value);
        let patch = match given {
            Ok(Value::Array(operations)) => Value::Array(operations),
            _ => made(&mut random, line.as_bytes(), &state),
        };
        let operations = patch.as_array().unwrap();
        // The limits keep a document from growing for ever; this target ignores its size.
        if weight(&state) > 20_000 || weight(&activity) > 20_000 {
            break;
        }
        let warnings = agent.warnings.len();
        let mut patched = state.clone();
        let applied = reference::patch(&mut patched, operations).is_ok() && depth(&patched) < 60;
        if depth(&patched) >= 60 {
            break;
        }
        agent.event(request, json!({"type": "STATE_DELTA", "delta": patch}));
        let failed = agent.warnings[warnings..].iter().any(|code| code == "state-patch-failed");
        assert_eq!(applied, !failed, "{patch}\non {state}\n{:?}", &agent.warnings[warnings..]);
        if applied {
            state = patched;
        }
        let mut patched = activity.clone();
        let applied = reference::patch(&mut patched, operations).is_ok() && patched.is_object();
        let warnings = agent.warnings.len();
        agent.event(
            request,
            json!({"type": "ACTIVITY_DELTA", "messageId": "v", "activityType": "plan", "patch": patch}),
        );
        let failed = agent.warnings[warnings..].iter().any(|code| code == "activity-patch-failed");
        assert_eq!(applied, !failed, "{patch}\non the activity {activity}");
        if applied {
            activity = patched;
        }
        if random.one_in(3) {
            compare(&mut agent, &state, &activity);
        }
    }
    compare(&mut agent, &state, &activity);
    // The next request has the same messages, in the same order.
    let saved = agent.session.save();
    assert_eq!(parse(&saved)["state"].to_string(), state.to_string(), "saved in another way: {saved}");
}

fn compare(agent: &mut Agent, state: &Value, activity: &Value) {
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["state"].to_string(), state.to_string());
    let message = snapshot["messages"].as_array().unwrap().iter().find(|message| message["id"] == "v").unwrap();
    assert_eq!(message["content"].to_string(), activity.to_string());
}

fn weight(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(map) => 1 + map.iter().map(|(key, value)| key.len() + weight(value)).sum::<usize>(),
        Value::String(text) => 1 + text.len(),
        _ => 1,
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// A patch of which nearly every operation fits the document; each byte decides on one.
fn made(random: &mut Random, bytes: &[u8], document: &Value) -> Value {
    let operations = bytes.iter().take(12).map(|byte| {
        let mut path = String::new();
        place(random, document, &mut path);
        let mut from = String::new();
        place(random, document, &mut from);
        match byte % 9 {
            0 | 1 => json!({"op": "add", "path": path, "value": value(random, *byte)}),
            2 => json!({"op": "remove", "path": path}),
            3 => json!({"op": "replace", "path": path, "value": value(random, *byte)}),
            4 => json!({"op": "move", "from": from, "path": path}),
            5 => json!({"op": "copy", "from": from, "path": path}),
            6 => {
                let found = document.pointer(&path).cloned().unwrap_or(Value::Null);
                json!({"op": "test", "path": path, "value": found})
            }
            7 => {
                let op = ["jump", "test", "add"][random.below(3)];
                json!({"op": op, "path": path, "value": 1})
            }
            _ => {
                path.push_str(["/new", "/-", "/0", "/list", "/~0~1", "/01", "/~2"][random.below(7)]);
                json!({"op": "add", "path": path, "value": value(random, *byte)})
            }
        }
    });
    operations.collect()
}

/// A place in the document, or beside it.
fn place(random: &mut Random, at: &Value, path: &mut String) {
    if random.one_in(4) {
        return;
    }
    match at {
        Value::Object(map) if !map.is_empty() => {
            let (key, value) = map.iter().nth(random.below(map.len())).unwrap();
            path.push('/');
            path.push_str(&key.replace('~', "~0").replace('/', "~1"));
            place(random, value, path);
        }
        Value::Array(items) => {
            let index = random.below(items.len() + 1);
            path.push_str(&format!("/{index}"));
            if let Some(value) = items.get(index) {
                place(random, value, path);
            }
        }
        _ if random.one_in(8) => path.push_str("/x"),
        _ => {}
    }
}

fn value(random: &mut Random, byte: u8) -> Value {
    match random.below(8) {
        0 => json!([byte, [], {}]),
        1 => json!({"k": byte, "__proto__": {"a": null}}),
        2 => Value::Null,
        3 => json!("text \u{1F600}"),
        4 => serde_json::from_str(["1.0", "1e0", "12345678901234567890.50", "-0"][random.below(4)]).unwrap(),
        5 => Value::Object(Map::from_iter([(String::new(), json!(1)), ("a/b~c".to_owned(), json!([1]))])),
        _ => json!(byte),
    }
}
