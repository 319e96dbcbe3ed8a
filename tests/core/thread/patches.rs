//! Patches are as small as what changed: what did not change is not in them, so it keeps its identity in the mirror.

use crate::support::Agent;
use crate::support::SessionCalls;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

/// A thread of 500 questions and 500 answers, a state of 10,000 rows, and a run that has opened the message "m".
fn long() -> (Agent, u32) {
    let messages: Vec<Value> = (0..500)
        .flat_map(|at| {
            [
                json!({"id": format!("q{at}"), "role": "user", "content": "Why?"}),
                json!({"id": format!("a{at}"), "role": "assistant", "content": "Because.", "toolCalls": [
                    {"id": format!("c{at}"), "type": "function", "function": {"name": "f", "arguments": "{\"x\":1}"}}]}),
            ]
        })
        .collect();
    let rows: Vec<Value> = (0..10_000).map(|row| json!({"row": row, "text": "unchanged"})).collect();
    let (messages, state) = (Value::from(messages).to_string(), json!({"rows": rows}).to_string());
    let mut agent = Agent::with(Options::default(), Some(&messages), Some(&state));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.event(request, event!("RUN_STARTED", "threadId": "t", "runId": "r"));
    agent.event(request, event!("TEXT_MESSAGE_START", "messageId": "m"));
    agent.snapshot();
    (agent, request)
}

fn patch_of(agent: &mut Agent, request: u32, event: Value) -> Value {
    agent.event(request, event);
    agent.patch().map_or(Value::Null, |patch| crate::support::parse(&patch))
}

fn text(delta: &str) -> Value {
    event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta)
}

#[test]
fn a_delta_in_a_long_thread_is_a_few_bytes() {
    let (mut agent, request) = long();
    agent.event(request, text("x"));
    agent.snapshot();
    agent.event(request, text("Hel"));
    agent.event(request, text("lo"));
    assert_eq!(agent.patch().unwrap(), r#"[["+",["messages",1001,"content"],"Hello"]]"#);
    assert_eq!(agent.patch(), None);
}

#[test]
fn what_changes_nothing_gives_no_patch() {
    let (mut agent, request) = long();
    agent.event(request, text("the first token"));
    agent.snapshot();
    for event in [
        text(""),
        event!("TEXT_MESSAGE_START", "messageId": "m"),
        event!("RAW", "event": 1),
        event!("CUSTOM", "name": "n", "value": 1),
        event!("REASONING_START", "messageId": "s"),
        event!("STATE_DELTA", "delta": [{"op": "replace", "path": "/none", "value": 1}]),
        event!("STATE_DELTA", "delta": []),
        event!("TEXT_MESSAGE_END", "messageId": "unknown"),
        event!("RUN_STARTED", "threadId": "t", "runId": "r"),
    ] {
        assert_eq!(patch_of(&mut agent, request, event.clone()), Value::Null, "{event}");
    }
}

#[test]
fn a_new_message_carries_itself_and_no_other() {
    let (mut agent, request) = long();
    let patch = patch_of(&mut agent, request, event!("TEXT_MESSAGE_START", "messageId": "n"));
    assert_eq!(
        patch,
        json!([["o", ["messages"],
            [[0, 1002], {"id": "n", "role": "assistant", "content": "", "delivery": "streaming"}]]])
    );
    let result = event!("TOOL_CALL_RESULT", "messageId": "r0", "toolCallId": "c0", "content": "ok");
    let patch = patch_of(&mut agent, request, result);
    let tool = json!({"id": "r0", "role": "tool", "content": "ok", "toolCallId": "c0", "delivery": "complete"});
    assert_eq!(patch[0], json!(["o", ["messages"], [[0, 2], tool, [2, 1003]]]));
    assert!(patch.to_string().len() < 500, "{patch}");
}

#[test]
fn a_state_delta_touches_one_row() {
    let (mut agent, request) = long();
    let operations = json!([{"op": "replace", "path": "/rows/17/text", "value": "new"}]);
    let patch = patch_of(&mut agent, request, event!("STATE_DELTA", "delta": operations));
    assert_eq!(patch, json!([["p", ["state"], operations]]));
    assert_eq!(agent.mirror.0["state"]["rows"][17]["text"], "new");
}

#[test]
fn an_activity_delta_touches_its_own_part() {
    let (mut agent, request) = long();
    let content = json!({"steps": ["one"], "title": "Plan"});
    agent.event(request, event!("ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "PLAN", "content": content));
    agent.snapshot();
    let operations = json!([{"op": "add", "path": "/steps/-", "value": "two"}]);
    let delta = event!("ACTIVITY_DELTA", "messageId": "p", "activityType": "PLAN", "patch": operations);
    assert_eq!(patch_of(&mut agent, request, delta), json!([["p", ["messages", 1002, "content"], operations]]));
}

#[test]
fn a_snapshot_of_what_is_known_changes_nothing() {
    let (mut agent, request) = long();
    let local = agent.snapshot()["messages"].clone();
    let mut messages: Vec<Value> = local.as_array().unwrap()[..1001].to_vec();
    for message in &mut messages {
        let message = message.as_object_mut().unwrap();
        message.remove("delivery");
        message.remove("toolCallIds");
    }
    let open = json!({"id": "m", "role": "assistant", "content": ""});
    messages.push(open.clone());
    let snapshot = |messages: &[Value]| event!("MESSAGES_SNAPSHOT", "messages": messages);
    assert_eq!(patch_of(&mut agent, request, snapshot(&messages)), Value::Null);
    // The content of one message is another one: only that is in the patch.
    messages[7]["content"] = json!("Nobody knows.");
    let patch = patch_of(&mut agent, request, snapshot(&messages));
    assert_eq!(patch[0][1], json!(["messages", 7, "content"]));
    assert!(patch.to_string().len() < 1_000, "{patch}");
    // One has gone: the rest is moved, not written.
    messages.remove(4);
    let patch = patch_of(&mut agent, request, snapshot(&messages));
    assert_eq!(patch, json!([["o", ["messages"], [[0, 4], [5, 1002]]]]));
}

#[test]
fn deltas_of_arguments_are_written_once_for_both_places() {
    let (mut agent, request) = long();
    let start = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m");
    agent.event(request, start);
    agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"a\":\"x"));
    agent.snapshot();
    let patch = patch_of(&mut agent, request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "yz"));
    assert_eq!(
        patch,
        json!([
            ["+", ["toolCalls", 500, "argsText"], "yz", ["messages", 1001, "toolCalls", 0, "function", "arguments"]],
            ["+", ["toolCalls", 500, "args", "a"], "yz"],
        ])
    );
}

#[test]
fn the_end_of_a_run_touches_what_was_open() {
    let (mut agent, request) = long();
    agent.event(request, text("x"));
    agent.snapshot();
    let patch = patch_of(&mut agent, request, event!("RUN_FINISHED", "threadId": "t", "runId": "r"));
    let operations = patch.as_array().unwrap().iter();
    let paths: Vec<&Value> =
        operations.filter(|operation| operation[0] != "c").map(|operation| &operation[1]).collect();
    assert_eq!(
        paths,
        [
            &json!(["messages", 1001, "delivery"]),
            &json!(["isLoading"]),
            &json!(["status"]),
            &json!(["outcome"]),
            &json!(["timing"])
        ]
    );
    agent.end(request);
    let patch = agent.patch().unwrap();
    assert_eq!(patch, r#"[["~",["connection","phase"],"closed"]]"#);
}

#[test]
fn messages_that_the_application_sets_again_are_the_same() {
    let (mut agent, request) = long();
    agent.event(request, text("x"));
    agent.end(request);
    let messages = agent.snapshot()["messages"].to_string();
    agent.act(|session, _| session.set_messages(&messages).unwrap());
    assert_eq!(agent.patch(), None);
}

/// Events about few ids, so that they meet: same seed, same events.
fn any_event(next: &mut dyn FnMut(usize) -> usize) -> Value {
    let (id, call) = (["m", "n", "o", "u0"][next(4)], ["c", "d", "m"][next(3)]);
    let args = ["{\"a\":", "[1,", "\"x\\", "u0041\"", "2]", "}", " ", "nul"][next(8)];
    let message = |next: &mut dyn FnMut(usize) -> usize| {
        let id = ["m", "n", "o", "u0", "p"][next(5)];
        let call = ["c", "d"][next(2)];
        match next(6) {
            0 => json!({"id": id, "role": "user", "content": "from the server"}),
            1 => json!({"id": id, "role": "assistant", "content": "text"}),
            2 => json!({"id": id, "role": "assistant", "toolCalls": [
                {"id": call, "type": "function", "function": {"name": "f", "arguments": "{\"a\":"}}]}),
            3 => json!({"id": id, "role": "reasoning", "content": "why"}),
            4 => json!({"id": id, "role": "tool", "toolCallId": call, "content": "7"}),
            _ => json!({"id": id, "role": "activity", "activityType": "PLAN", "content": {"n": [1]}}),
        }
    };
    let operations = match next(3) {
        0 => json!([{"op": "add", "path": "/n", "value": [next(9)]}]),
        1 => json!([{"op": "add", "path": "/n/-", "value": {}}]),
        _ => json!([{"op": "copy", "from": "/n", "path": "/o"}, {"op": "remove", "path": "/n"}]),
    };
    let subtype = ["message", "tool-call"][next(2)];
    match next(22) {
        0 | 1 => event!("TEXT_MESSAGE_START", "messageId": id),
        2 | 3 => event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "ab"),
        4 => event!("TEXT_MESSAGE_END", "messageId": id, "metadata": {"k": 1}),
        5 => event!("REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"),
        6 => event!("REASONING_MESSAGE_CONTENT", "messageId": id, "delta": "hm"),
        7 => event!("REASONING_MESSAGE_END", "messageId": id),
        8 | 9 => event!("TOOL_CALL_START", "toolCallId": call, "toolCallName": "f", "parentMessageId": id),
        10..=12 => event!("TOOL_CALL_ARGS", "toolCallId": call, "delta": args),
        13 => event!("TOOL_CALL_END", "toolCallId": call),
        14 => event!("TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": args),
        15 => event!("ACTIVITY_SNAPSHOT", "messageId": id, "activityType": "PLAN", "content": {"n": []}),
        16 => event!("ACTIVITY_DELTA", "messageId": id, "activityType": "PLAN", "patch": operations),
        17 => event!("STATE_DELTA", "delta": operations),
        18 => {
            event!("REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": id, "encryptedValue": "s")
        }
        19 => event!("RUN_FINISHED", "threadId": "t", "runId": "r"),
        20 => event!("RUN_STARTED", "threadId": "t", "runId": "r", "input": {"messages": [message(next)]}),
        _ => {
            let length = next(5);
            let messages: Vec<Value> = (0..length).map(|_| message(next)).collect();
            event!("MESSAGES_SNAPSHOT", "messages": messages)
        }
    }
}

#[test]
fn however_often_it_is_published_the_snapshot_is_the_same() {
    for seed in 0..1_500_u64 {
        let mut state = seed;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let (mut often, request) = Agent::started();
        let (mut once, _) = Agent::started();
        let mut events = Vec::new();
        for _ in 0..40 {
            let event = any_event(&mut next);
            once.event(request, event.clone());
            often.event(request, event.clone());
            events.push(event);
            if next(3) == 0 {
                often.snapshot();
            }
        }
        // The order of an object's members is not compared: a patch that sets one puts it last.
        assert_eq!(often.snapshot(), once.snapshot(), "seed {seed}: {}", Value::from(events));
        // Messages that a page keeps and returns are the thread, too.
        let kept = Agent::with(Options::default(), Some(&once.snapshot()["messages"].to_string()), None);
        assert!(kept.warnings.is_empty(), "seed {seed}: {}", once.snapshot()["messages"]);
    }
}
