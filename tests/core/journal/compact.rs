//! Compaction: what a session shows after the compacted list is what it shows after the list.

use crate::support::Agent;
use crate::support::runs::{started, text as message};
use crate::support::streams::Streams;
use ag_ui_wasm::journal::compact;
use ag_ui_wasm::session::Options;
use ag_ui_wasm::wire::{Frame, SseParser, Undecodable};
use serde_json::{Value, json};

/// JSON text in which the characters that stand for halves are escapes again.
fn text(value: &Value) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        match (c as u32).checked_sub(0x10_F800) {
            // The first of these is a genuine character in the streams.
            Some(offset) if offset != 1 => out.push_str(&format!("\\u{:04x}", offset + 0xD800)),
            _ => out.push(c),
        }
    }
    out
}

fn lines(events: &[Value]) -> String {
    events.iter().map(|event| text(event) + "\n").collect()
}

/// The snapshot after these events came in one answer.
fn shown(lines: &str, history: &Value, strict: bool, closed: bool) -> Value {
    let options = Options { strict, ..Options::default() };
    let mut agent = Agent::with(options, Some(&text(history)), Some(r#"{"list":[0],"n":1}"#));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let body: String = lines.lines().map(|line| format!("data: {line}\n\n")).collect();
    agent.bytes(request, body.as_bytes());
    if closed {
        agent.end(request);
    }
    agent.snapshot().clone()
}

/// The fault in the compaction of these events, if there is one.
fn fault(events: &[Value], history: &Value) -> Option<String> {
    let before = lines(events);
    let after = compact(&before);
    for strict in [false, true] {
        for closed in [false, true] {
            let (whole, short) = (shown(&before, history, strict, closed), shown(&after, history, strict, closed));
            if whole != short {
                return Some(format!(
                    "strict {strict}, closed {closed}\n--- events\n{before}--- compacted\n{after}\n--- shown\n{whole}\n--- shown then\n{short}"
                ));
            }
        }
    }
    let again = compact(&after);
    (again != after).then(|| format!("not idempotent\n--- events\n{before}--- once\n{after}\n--- twice\n{again}"))
}

/// Leaves out what the fault does not need.
fn shrink(mut events: Vec<Value>, history: &Value) -> Vec<Value> {
    let mut length = events.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < events.len() {
            let mut fewer = events.clone();
            fewer.drain(at..events.len().min(at + length));
            if fault(&fewer, history).is_some() {
                events = fewer;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
    events
}

/// The events of every recording, as lines, by the folder that it is in.
fn recordings() -> Vec<(String, String)> {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/corpus");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(corpus).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "sse") {
                let bytes = std::fs::read(&path).unwrap();
                let mut lines = String::new();
                let mut parser = SseParser::new(1 << 20);
                // Pretty-printed JSON goes onto one line; a line end inside of a string would be no JSON.
                let mut take = |frame: Result<&Frame<'_>, Undecodable>| {
                    lines.extend([&*frame.unwrap().data.replace('\n', " "), "\n"]);
                    false
                };
                parser.feed(&String::from_utf8_lossy(&bytes), &mut take).unwrap();
                parser.finish(&mut take).unwrap();
                found.push((name.clone(), lines));
            }
        }
    }
    assert!(found.len() > 150, "the recordings are there: {}", found.len());
    found
}

#[test]
fn recordings_show_the_same() {
    let mut sizes = std::collections::BTreeMap::<String, [usize; 4]>::new();
    for (folder, before) in recordings() {
        let after = compact(&before);
        for strict in [false, true] {
            let nothing = Value::Array(Vec::new());
            assert_eq!(shown(&after, &nothing, strict, true), shown(&before, &nothing, strict, true), "{before}");
        }
        assert_eq!(compact(&after), after, "{before}");
        let size = [before.lines().count(), after.lines().count(), before.len(), after.len()];
        sizes.entry(folder).or_default().iter_mut().zip(size).for_each(|(sum, n)| *sum += n);
    }
    for (folder, [events, fewer, bytes, less]) in sizes {
        assert!(fewer <= events && less <= bytes, "{folder} has not grown");
        println!("{folder}: {events} events became {fewer}, {bytes} bytes {less}");
    }
}

/// The compacted events; they show what the events do.
fn compacted(events: &[Value], history: &Value) -> Vec<Value> {
    assert_eq!(fault(events, history), None);
    compact(&lines(events)).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same in a run, which is cut off again.
fn compacted_run(events: Vec<Value>) -> Vec<Value> {
    let run = [vec![started("r")], events].concat();
    compacted(&run, &json!([])).split_off(1)
}

fn content(id: &str, delta: &str) -> Value {
    event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta)
}

fn state(delta: Value) -> Value {
    event!("STATE_DELTA", "delta": [delta])
}

#[test]
fn interleaved_messages_keep_their_places() {
    let [[a, a1], [b, b1]] = [message("a", "1"), message("b", "2")];
    let end = |id: &str| event!("TEXT_MESSAGE_END", "messageId": id);
    let shorter =
        compacted_run(vec![a.clone(), a1, b.clone(), b1, content("a", "3"), end("a"), content("b", "4"), end("b")]);
    assert_eq!(shorter, [a, content("a", "13"), b, content("b", "24"), end("a"), end("b")]);
}

#[test]
fn nothing_joins_across_a_list_of_messages() {
    let [start, first] = message("a", "1");
    let list = event!("MESSAGES_SNAPSHOT", "messages": [{"id": "a", "role": "assistant", "content": "new"}]);
    let events = vec![start, first, list, content("a", "2")];
    assert_eq!(compacted_run(events.clone()), events);
}

#[test]
fn patches_join_a_known_document_only() {
    let add = |path: &str, value: u32| state(json!({"op": "add", "path": path, "value": value}));
    let snapshot = |value: Value| event!("STATE_SNAPSHOT", "snapshot": value);
    let unknown = vec![add("/a", 1), add("/b", 2)];
    assert_eq!(compacted_run(unknown.clone()), unknown);
    let failing = state(json!({"op": "remove", "path": "/none"}));
    let known = vec![snapshot(json!({})), add("/a", 1), failing, add("/b", 2)];
    assert_eq!(compacted_run(known), [snapshot(json!({"a": 1, "b": 2}))]);
    let undone = vec![add("/a", 1), snapshot(json!(1)), event!("RAW", "event": 1), snapshot(json!({})), add("/c", 3)];
    assert_eq!(compacted_run(undone), [event!("RAW", "event": 1), snapshot(json!({"c": 3}))]);
}

#[test]
fn an_activity_keeps_its_place_and_gets_its_last_content() {
    let activity =
        |content: Value| event!("ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "plan", "content": content);
    let mut patch = event!("ACTIVITY_DELTA", "messageId": "p", "activityType": "done", "patch": [{"op": "add", "path": "/n", "value": 1}]);
    patch["metadata"] = json!({"k": 1});
    let [start, first] = message("a", "1");
    let shorter =
        compacted_run(vec![activity(json!({"x": 1})), start.clone(), first.clone(), activity(json!({})), patch]);
    let mut joined = activity(json!({"n": 1}));
    joined["activityType"] = json!("done");
    joined["metadata"] = json!({"k": 1});
    assert_eq!(shorter, [joined, start, first]);
}

#[test]
fn an_event_that_closes_a_chunk_stream_stays() {
    let chunk = |delta: &str| event!("TEXT_MESSAGE_CHUNK", "messageId": "a", "delta": delta);
    let snapshot = event!("STATE_SNAPSHOT", "snapshot": {});
    let closing = state(json!({"op": "add", "path": "/a", "value": 1}));
    let shorter =
        compacted_run(vec![snapshot.clone(), chunk("1"), chunk("2"), closing.clone(), chunk("3"), chunk("4")]);
    assert_eq!(shorter, [snapshot, chunk("12"), closing, chunk("34")]);
}

#[test]
fn an_activity_may_take_a_message_with_its_calls_away() {
    let caller = |id: &str| {
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": ""}});
        json!({"id": id, "role": "assistant", "toolCalls": [call]})
    };
    let args = || event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "x");
    let events = vec![
        started("r"),
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
        args(),
        event!("ACTIVITY_SNAPSHOT", "messageId": "first", "activityType": "plan", "content": {}),
        args(),
    ];
    // From here on the other message's call is meant.
    assert_eq!(compacted(&events, &json!([caller("first"), caller("second")])), events);
}

#[test]
fn what_strict_rules_refuse_parts_what_comes_before_and_after() {
    let [start, first] = message("a", "1");
    let refused = event!("TEXT_MESSAGE_END", "messageId": "unknown");
    let events = vec![start, first, refused, content("a", "2"), content("a", "3")];
    let mut shorter = events.clone();
    shorter.truncate(3);
    shorter.push(content("a", "23"));
    assert_eq!(compacted_run(events), shorter);
}

#[test]
fn lines_may_end_in_any_way() {
    let event = |delta: &str| content("m", delta).to_string();
    let expected = compact(&format!("{}\n{}\n", event("a"), event("b")));
    for end in ["\r\n", "\r", "\r\r\n", "\n\r", "\n\n"] {
        let once = compact(&format!("{}{end}{}{end}", event("a"), event("b")));
        assert_eq!(once, expected, "{end:?}");
        assert_eq!(compact(&once), once, "{end:?}");
    }
    // Of what stays as it came, too.
    let once = compact("unreadable\r\r\n{}\r{\"type\":\"CUSTOM\",\"name\":\"n\",\"value\":1}\r\r");
    assert_eq!(once.lines().count(), 3);
    assert_eq!(compact(&once), once);
}

#[test]
fn long_interleaved_lists_come_to_an_end() {
    let ids: Vec<_> = (0..1000).map(|id| id.to_string()).collect();
    let mut events: Vec<_> = ids.iter().map(|id| message(id, "")[0].clone()).collect();
    events.extend((0..100).flat_map(|_| ids.iter().map(|id| content(id, "x"))));
    let list = compact(&lines(&[vec![started("r")], events].concat()));
    assert_eq!(list.lines().count(), 2001);
    assert!(list.lines().last().unwrap().contains(&"x".repeat(100)));
}

#[test]
fn made_up_streams_show_the_same() {
    let seeds = std::env::var("SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(4000);
    let (mut before, mut after, mut legal) = (0, 0, 0);
    for seed in 0..seeds {
        let mut streams = Streams::new(seed);
        let history = Value::Array(streams.history());
        let events = streams.events();
        if fault(&events, &history).is_some() {
            let events = shrink(events, &history);
            panic!("seed {seed}, history {history}\n{}", fault(&events, &history).unwrap_or_default());
        }
        before += events.len();
        let strict = shown(&lines(&events), &history, true, true);
        legal += usize::from(strict["error"]["kind"] != "protocol");
        after += compact(&lines(&events)).lines().count();
    }
    assert!(after < before, "something was joined");
    println!("{before} events became {after}; strict rules allow {legal} of {seeds} streams");
}
