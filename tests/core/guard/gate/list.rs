//! Lists of messages, of the server and of the application.

use super::*;

pub const ROWS: &[Row] = &[
    ("MESSAGES_SNAPSHOT", list_itself),
    ("MESSAGES_SNAPSHOT: a message", list_message),
    ("MESSAGES_SNAPSHOT: reasoning", list_reasoning),
    ("MESSAGES_SNAPSHOT: a call", list_call),
    ("MESSAGES_SNAPSHOT: a call with another name", list_renames),
    ("MESSAGES_SNAPSHOT: a result", list_result),
    ("MESSAGES_SNAPSHOT: an activity", list_activity),
    ("RUN_STARTED: `input.messages`", input_messages),
];

fn list_itself() {
    row(restricts(&["mutate"]), &[list(vec![json!({"id": "m", "role": "assistant", "content": MARK})])]);
}

fn list_message() {
    for role in ["assistant", "user", "system", "developer"] {
        row(restricts(&["display"]), &[list(vec![json!({"id": "m", "role": role, "content": MARK})])]);
    }
    // An element that is no message is emitted to listeners.
    row_in(restricts(&["display"]), &[event!("MESSAGES_SNAPSHOT", "messages": [MARK, [MARK]])], &[false]);
    // Text and calls of one message are judged apart.
    let both = json!({"id": "m", "role": "assistant", "content": MARK, "name": MARK, "toolCalls": [call("c", "ok")]});
    row(restricts(&["display"]), &[list(vec![both.clone()])]);
    let mut agent = play(&restricts(&["display"]), true, Framing::Sse, &[started(), list(vec![both]), finished()], 99);
    assert_eq!(agent.snapshot()["toolCalls"][0]["name"], "ok");
    assert_eq!(agent.snapshot()["messages"][0].get("content"), None);
    // A message that calls and has no text shows what else it has.
    for (name, value) in [("name", json!(MARK)), ("metadata", json!({"a": MARK})), ("encryptedValue", json!(MARK))] {
        for text in [None, Some("")] {
            let mut calling = json!({"id": "m", "role": "assistant", "toolCalls": [call("c", "ok")]});
            text.into_iter().for_each(|text| calling["content"] = json!(text));
            calling[name] = value.clone();
            row(restricts(&["display"]), &[list(vec![calling.clone()])]);
            let mut agent =
                play(&restricts(&["display"]), true, Framing::Sse, &[started(), list(vec![calling]), finished()], 99);
            assert_eq!(agent.snapshot()["toolCalls"][0]["name"], "ok", "{name}");
        }
    }
}

fn list_reasoning() {
    row(restricts(&["display"]), &[list(vec![json!({"id": "m", "role": "reasoning", "content": MARK})])]);
    let mut policy = open();
    policy["restricted_classifications"] = json!(["navigate"]);
    policy["classifications"] = json!({"REASONING_MESSAGE_START": "navigate"});
    let folded = json!({"id": "m", "role": "assistant", "content": "Hi", "reasoning": MARK});
    row_in(policy.clone(), &[list(vec![folded.clone()])], &[false]);
    let mut agent = play(&policy, false, Framing::Sse, &[started(), list(vec![folded]), finished()], 99);
    assert_eq!(agent.snapshot()["messages"][0]["content"], "Hi");
}

fn list_call() {
    row(only("tool"), &[list(vec![assistant("m", vec![call("c", MARK)])])]);
    row(restricts(&["submit"]), &[list(vec![assistant("m", vec![call("c", MARK)])])]);
    let mixed = list(vec![assistant("m", vec![call("c", MARK), call("d", "ok")])]);
    row(only("tool"), std::slice::from_ref(&mixed));
    let mut agent = play(&only("tool"), true, Framing::Sse, &[started(), mixed, finished()], 99);
    assert_eq!(agent.snapshot()["toolCalls"].as_array().unwrap().len(), 1);
    // The key comes twice, and once in escapes: the guard reads what the thread reads.
    let twice = r#"{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"assistant","toolCalls":[],"tool\u0043alls":[{"id":"c","type":"function","function":{"name":"ok","n\u0061me":"FORBID\u0044EN","arguments":"{}"}}]}]}"#;
    let body = format!("data: {}\n\ndata: {twice}\n\ndata: {}\n\n", started(), finished());
    let mut agent = Agent::guarded(None, only("tool"), Options::default());
    answered(&mut agent, "text/event-stream", body.as_bytes(), 50);
    assert!(!seen(&mut agent).contains(MARK));
    assert_eq!(agent.snapshot()["toolCalls"], json!([]));
}

fn list_renames() {
    // Of a call that streams, that is complete, that the page executes.
    for at in [1, 2, 3] {
        let mut events = called("c", "ok");
        events.insert(at, list(vec![assistant("c", vec![call("c", MARK)])]));
        row_in(only("tool"), &events, &[false]);
    }
    // Approved after it was renamed.
    let mut agent = Agent::guarded(None, with(open(), "allow_ids", json!(["tool:asks"])), Options::default());
    let mut events = vec![started()];
    events.extend(called("c", "asks"));
    events.push(list(vec![assistant("c", vec![call("c", MARK)])]));
    events.push(finished());
    answered(&mut agent, "text/event-stream", Framing::Sse.body(&events).as_bytes(), 99);
    agent.act(|session, now| drop(session.approve(r#"{"toolCallId":"c"}"#, now)));
    assert!(agent.executed.iter().all(|(_, name, _)| name != MARK), "{:?}", agent.executed);
    assert!(!seen(&mut agent).contains(MARK));
}

fn list_result() {
    let result = json!({"id": "r1", "role": "tool", "toolCallId": "c", "content": MARK});
    let calls = assistant("m", vec![call("c", "bad")]);
    row(only("tool"), &[list(vec![calls.clone(), result.clone()])]);
    row(restricts(&["submit"]), &[list(vec![result.clone(), calls])]);
    row(only("tool"), &[list(vec![result.clone()])]);
    row(restricts(&["display"]), &[list(vec![assistant("m", vec![call("c", "ok")]), result])]);
}

fn list_activity() {
    let of = |kind: &str, content: &str| {
        list(vec![json!({"id": "v", "role": "activity", "activityType": kind, "content": {"a": content}})])
    };
    row(only("activity"), &[of(MARK, "x")]);
    row(only("activity"), &[of("bad", MARK)]);
    row(restricts(&["create"]), &[of("ok", MARK)]);
    row(only("activity"), &[activity("ok", "x"), of(MARK, "x")]);
}

fn input_messages() {
    let brought = |messages: Vec<Value>| {
        with(
            started(),
            "input",
            json!({"threadId": "t", "runId": "r", "messages": messages, "tools": [], "context": [], "state": {}, "forwardedProps": {}}),
        )
    };
    row(restricts(&["display"]), &[brought(vec![json!({"id": "m", "role": "user", "content": MARK})])]);
    row(only("tool"), &[brought(vec![assistant("m", vec![call("c", MARK)])])]);
    row(
        only("activity"),
        &[brought(vec![json!({"id": "v", "role": "activity", "activityType": MARK, "content": {}})])],
    );
}
