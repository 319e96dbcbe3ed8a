//! The gate: what the guard forbids is neither shown nor executed, whatever brings it. `docs/guard.md` has a table of every way
//! in; each row has its test here.

use super::*;
use crate::support::streams::{Random, Streams};
use std::collections::BTreeSet;

/// Stands wherever a stream says something that its row's policy forbids.
const MARK: &str = "FORBIDDEN";

fn open() -> Value {
    json!({"restricted_classifications": [], "allow_display_without_capability": true})
}

fn restricts(classes: &[&str]) -> Value {
    json!({"restricted_classifications": classes, "allow_display_without_capability": true})
}

/// Of the components of a type only `ok`.
fn only(kind: &str) -> Value {
    let mut policy = open();
    policy["allow_components"] = json!(["tool", "activity", "custom"]);
    policy["allow_ids"] = json!([format!("{kind}:ok")]);
    policy
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Framing {
    Sse,
    Lines,
    Array,
}

const FRAMINGS: [Framing; 3] = [Framing::Sse, Framing::Lines, Framing::Array];

impl Framing {
    fn content_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::Lines => "application/x-ndjson",
            Self::Array => "application/json",
        }
    }

    fn body(self, events: &[Value]) -> String {
        let texts: Vec<String> = events.iter().map(Value::to_string).collect();
        match self {
            Self::Sse => texts.iter().map(|text| format!("data: {text}\n\n")).collect(),
            Self::Lines => texts.join("\n") + "\n",
            Self::Array => format!("[{}]", texts.join(",")),
        }
    }
}

/// Submits with page tools of every name, and answers with a body.
fn answered(agent: &mut Agent, content_type: &str, body: &[u8], size: usize) {
    let tools = json!([{"name": MARK}, {"name": "ok"}, {"name": "asks", "needsApproval": true}]);
    let message = json!({"id": "u", "role": "user", "content": "go"});
    agent.submit_json(json!({"runId": "r", "messages": [message], "pageTools": tools, "maxFollowUps": 0}));
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, content_type);
    for read in body.chunks(size) {
        agent.bytes(request, read);
        agent.snapshot();
    }
    agent.end(request);
    agent.snapshot();
}

fn started() -> Value {
    event!("RUN_STARTED", "threadId": "t", "runId": "r")
}

fn finished() -> Value {
    event!("RUN_FINISHED", "threadId": "t", "runId": "r")
}

/// All that a page can see of an agent, but what the guard itself says.
fn seen(agent: &mut Agent) -> String {
    let snapshot = agent.snapshot().clone();
    let settled: Vec<_> = agent.settled.iter().map(|(_, result)| result.clone()).collect();
    let sent: Vec<_> = agent.requests.iter().map(|(_, body)| body.clone()).collect();
    let executed: Vec<_> = agent.executed.iter().map(|(id, name, args)| json!([id, name, args])).collect();
    json!([snapshot, agent.custom, agent.events, executed, settled, sent]).to_string()
}

fn play(policy: &Value, strict: bool, framing: Framing, events: &[Value], size: usize) -> Agent {
    let options = Options { strict, ..Options::default() };
    let mut agent = Agent::guarded(None, policy.clone(), options);
    answered(&mut agent, framing.content_type(), framing.body(events).as_bytes(), size);
    agent
}

/// Plays a run with these events: what they bring is seen without the policy, and is not with it, in both rule sets, in every
/// framing, in reads of any size. What else comes is seen.
fn row(policy: Value, events: &[Value]) {
    row_in(policy, events, &[true, false]);
}

fn row_in(policy: Value, events: &[Value], rules: &[bool]) {
    let mut all = events.to_vec();
    if all[0]["type"] != "RUN_STARTED" {
        all.insert(0, started());
    }
    if !["RUN_FINISHED", "RUN_ERROR"].contains(&all.last().unwrap()["type"].as_str().unwrap()) {
        all.push(finished());
    }
    for &strict in rules {
        for framing in FRAMINGS {
            for size in [1, 7, usize::MAX] {
                let mut agent = play(&open(), strict, framing, &all, size);
                assert!(seen(&mut agent).contains(MARK), "an open policy shows it: {framing:?} strict {strict}");
                assert_eq!(agent.snapshot()["error"]["kind"].as_str().filter(|kind| *kind == "protocol"), None);
                let mut agent = play(&policy, strict, framing, &all, size);
                let seen = seen(&mut agent);
                assert!(!seen.contains(MARK), "{framing:?} strict {strict} reads of {size}: {seen}");
                let error = &agent.snapshot()["error"];
                assert!(error.is_null() || error["kind"] == "run", "the order is not broken: {error}");
                assert!(agent.warnings.contains(&"event-blocked".to_owned()));
                assert!(agent.decisions.iter().any(|decision| decision["allowed"] == false));
            }
        }
    }
}

fn call(id: &str, name: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
}

fn assistant(id: &str, calls: Vec<Value>) -> Value {
    json!({"id": id, "role": "assistant", "toolCalls": calls})
}

fn list(messages: Vec<Value>) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

fn with(mut event: Value, name: &str, value: Value) -> Value {
    event[name] = value;
    event
}

fn called(id: &str, name: &str) -> Vec<Value> {
    vec![
        event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name),
        event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": "{}"),
        event!("TOOL_CALL_END", "toolCallId": id),
    ]
}

fn interrupted(interrupts: Value) -> Value {
    with(finished(), "outcome", json!({"type": "interrupt", "interrupts": interrupts}))
}

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
    // What belongs to the blocked stream does not go to the one before it.
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

fn state_snapshot() {
    row(restricts(&["mutate"]), &[event!("STATE_SNAPSHOT", "snapshot": {"a": MARK})]);
}

fn state_delta() {
    row(restricts(&["mutate"]), &[event!("STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": MARK}])]);
}

fn activity(kind: &str, content: &str) -> Value {
    event!("ACTIVITY_SNAPSHOT", "messageId": "v", "activityType": kind, "content": {"a": content}, "replace": true)
}

fn activity_snapshot() {
    row(only("activity"), &[activity(MARK, "x")]);
    row(only("activity"), &[activity("bad", MARK)]);
    row(restricts(&["create"]), &[activity("ok", MARK)]);
    row(only("activity"), &[activity("ok", "x"), activity(MARK, "x")]);
    row(
        only("activity"),
        &[
            event!("TEXT_MESSAGE_START", "messageId": "v"),
            event!("TEXT_MESSAGE_END", "messageId": "v"),
            activity(MARK, "x"),
        ],
    );
}

fn activity_delta() {
    let delta = |kind: &str, value: &str| event!("ACTIVITY_DELTA", "messageId": "v", "activityType": kind, "patch": [{"op": "add", "path": "/b", "value": value}]);
    row(only("activity"), &[activity("ok", "x"), delta(MARK, "x")]);
    row(restricts(&["mutate"]), &[activity("ok", "x"), delta("ok", MARK)]);
    row(only("activity"), &[activity("bad", "x"), delta("bad", MARK)]);
}

fn list_itself() {
    row(restricts(&["mutate"]), &[list(vec![json!({"id": "m", "role": "assistant", "content": MARK})])]);
}

fn list_message() {
    for role in ["assistant", "user", "system", "developer"] {
        row(restricts(&["display"]), &[list(vec![json!({"id": "m", "role": role, "content": MARK})])]);
    }
    // What is no message is told to listeners.
    row_in(restricts(&["display"]), &[event!("MESSAGES_SNAPSHOT", "messages": [MARK, [MARK]])], &[false]);
    // Text and calls of one message are judged apart.
    let both = json!({"id": "m", "role": "assistant", "content": MARK, "name": MARK, "toolCalls": [call("c", "ok")]});
    row(restricts(&["display"]), &[list(vec![both.clone()])]);
    let mut agent = play(&restricts(&["display"]), true, Framing::Sse, &[started(), list(vec![both]), finished()], 99);
    assert_eq!(agent.snapshot()["toolCalls"][0]["name"], "ok");
    assert_eq!(agent.snapshot()["messages"][0].get("content"), None);
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

fn interrupts() {
    let asks = json!([{"id": "i", "reason": "ask", "message": MARK, "metadata": {"a": MARK}}]);
    row(restricts(&["submit"]), &[interrupted(asks.clone())]);
    row(restricts(&["display"]), &[interrupted(asks)]);
    // About a call that was blocked, and one that is not there.
    let about = interrupted(json!([{"id": "i", "reason": "tool", "message": MARK, "toolCallId": "c"}]));
    row(only("tool"), &[called("c", "bad"), vec![about.clone()]].concat());
    row(only("tool"), std::slice::from_ref(&about));
    let other = interrupted(
        json!([{"id": "i", "reason": "tool", "message": MARK, "toolCallId": "c"}, {"id": "j", "reason": "x", "message": "fine"}]),
    );
    let mut agent = play(&only("tool"), true, Framing::Sse, &[started(), other], 99);
    assert_eq!(agent.snapshot()["interrupts"].as_array().unwrap().len(), 1);
    assert_eq!(agent.snapshot()["outcome"], "interrupted");
}

fn run_result() {
    row(restricts(&["display"]), &[with(finished(), "result", json!({"a": MARK}))]);
}

fn run_usage() {
    row(restricts(&["display"]), &[with(finished(), "usage", json!([{"model": MARK, "inputTokens": 1}]))]);
}

fn run_error() {
    let error = event!("RUN_ERROR", "message": MARK, "code": MARK);
    row(restricts(&["display"]), std::slice::from_ref(&error));
    let mut agent = play(&restricts(&["display"]), true, Framing::Sse, &[started(), error], 99);
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["error"]["kind"], &snapshot["outcome"]), (&json!("run"), &json!("error")));
}

fn failures() {
    for (policy, shown) in [(open(), true), (restricts(&["display"]), false)] {
        let mut agent = Agent::guarded(None, policy.clone(), Options::default());
        let request = agent.submit("go");
        agent.head(request, 500, "application/json");
        agent.bytes(request, json!({"error": MARK}).to_string().as_bytes());
        agent.end(request);
        assert_eq!(seen(&mut agent).contains(MARK), shown);
        assert_eq!(agent.snapshot()["error"]["status"], 500);
        for ends in [ag_ui_wasm::session::Session::failed, ag_ui_wasm::session::Session::denied] {
            let mut agent = Agent::guarded(None, policy.clone(), Options::default());
            let request = agent.submit("go");
            agent.head(request, 200, "text/event-stream");
            agent.event(request, started());
            agent.act(|session, now| ends(session, request, MARK, now));
            assert_eq!(seen(&mut agent).contains(MARK), shown);
            assert_eq!(agent.snapshot()["status"], "error");
        }
    }
}

fn steps() {
    let (a, b) = (format!("{MARK} a"), format!("{MARK} b"));
    let events = [
        event!("STEP_STARTED", "stepName": a),
        event!("STEP_STARTED", "stepName": b),
        event!("STEP_FINISHED", "stepName": a),
        event!("STEP_FINISHED", "stepName": b),
        event!("STEP_STARTED", "stepName": a),
        event!("STEP_FINISHED", "stepName": a),
    ];
    row(restricts(&["display"]), &events);
    let all = [vec![started()], events.to_vec(), vec![finished()]].concat();
    let mut agent = play(&restricts(&["display"]), true, Framing::Sse, &all, 99);
    let statuses: Vec<_> =
        agent.snapshot()["steps"].as_array().unwrap().iter().map(|step| step["status"].clone()).collect();
    assert_eq!(statuses, ["complete", "complete", "complete"]);
}

fn subagent(name: &str) -> Vec<Value> {
    vec![
        event!("SUBAGENT_STARTED", "subagentRunId": "s", "name": name),
        event!("TEXT_MESSAGE_START", "messageId": "m", "subagentRunId": "s"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": name, "subagentRunId": "s"),
        event!("TEXT_MESSAGE_END", "messageId": "m", "subagentRunId": "s"),
        event!("SUBAGENT_FINISHED", "subagentRunId": "s", "result": name),
    ]
}

fn subagent_started() {
    row(restricts(&["display"]), &subagent(MARK));
    // What happens in it is blocked with it, in a list of messages too.
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "SUBAGENT_STARTED"}, "max_invocations": 0, "window_seconds": 9});
    let mut events = subagent(MARK);
    events.push(list(vec![json!({"id": "x", "role": "assistant", "content": MARK, "subagentRunId": "s"})]));
    row(policy, &events);
    // The call that has started it was blocked.
    let mut events = called("c", "bad");
    events.extend(subagent(MARK));
    events[3]["parentToolCallId"] = json!("c");
    row(only("tool"), &events);
}

/// A policy whose token is no longer valid when the last event comes.
fn expires(events: &[Value]) {
    let token = json!({"id": "c", "issuer": "i", "subject": "s", "scope": {"grants": [{"server_id": "ag-ui"}]}, "issued_at": 0, "expires_at": 2, "signature": "x"});
    let mut policy = restricts(&["display"]);
    policy["capabilities"] = json!([token]);
    for strict in [true, false] {
        let mut agent = Agent::guarded(None, policy.clone(), Options { strict, ..Options::default() });
        let request = agent.submit("go");
        agent.head(request, 200, "text/event-stream");
        agent.event(request, started());
        let (last, before) = events.split_last().unwrap();
        for event in before {
            agent.event(request, event.clone());
        }
        assert!(!seen(&mut agent).contains(MARK));
        agent.now += 5000.0;
        agent.event(request, last.clone());
        agent.event(request, finished());
        agent.end(request);
        assert!(!seen(&mut agent).contains(MARK));
        assert_eq!(agent.snapshot()["outcome"], "success");
    }
}

fn subagent_finished() {
    let mut events = subagent("x");
    events[4]["result"] = json!(MARK);
    expires(&events);
}

fn subagent_error() {
    let mut events = subagent("x");
    events[4] = event!("SUBAGENT_ERROR", "subagentRunId": "s", "message": MARK, "code": MARK);
    expires(&events);
}

fn custom() {
    row(only("custom"), &[event!("CUSTOM", "name": MARK, "value": 1)]);
    row(restricts(&["submit"]), &[event!("CUSTOM", "name": "ok", "value": MARK)]);
}

fn raw() {
    row(restricts(&["display"]), &[event!("RAW", "event": {"a": MARK})]);
    for wrapped in [
        event!("CUSTOM", "name": MARK, "value": 1),
        event!("TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": MARK),
        list(vec![assistant("m", vec![call("c", MARK)])]),
    ] {
        let mut policy = open();
        policy["allow_ids"] = json!(["tool:ok", "custom:ok"]);
        row(policy, &[event!("RAW", "event": wrapped, "source": "ngaf")]);
    }
}

fn raw_event() {
    let mut policy = open();
    policy["allow_ids"] = json!(["tool:ok", "custom:ok"]);
    for wrapped in [
        event!("CUSTOM", "name": MARK, "value": 1),
        json!({"source": "ngaf", "event": event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": MARK)}),
    ] {
        let start = event!("TEXT_MESSAGE_START", "messageId": "m", "rawEvent": wrapped.clone());
        row_raw(&policy, &[start, event!("TEXT_MESSAGE_END", "messageId": "m")]);
        row_raw(&policy, &[event!("TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "x", "rawEvent": wrapped)]);
    }
    // A frame of Chio's in a frame of AG-UI's.
    let wrapped = json!({"event_id": "1", "timestamp": 1, "agent_id": "a", "event_type": "navigation", "classification": "navigate",
        "payload": {"url": MARK}});
    let start = event!("TEXT_MESSAGE_START", "messageId": "m", "rawEvent": wrapped);
    row_raw(&restricts(&["navigate"]), &[start, event!("TEXT_MESSAGE_END", "messageId": "m")]);
    // An event that lost something does not carry what it was.
    let whole = list(vec![assistant("m", vec![call("c", MARK)])]);
    row(policy, &[with(whole.clone(), "rawEvent", whole)]);
}

fn row_raw(policy: &Value, events: &[Value]) {
    let all = [vec![started()], events.to_vec(), vec![finished()]].concat();
    assert!(seen(&mut play(&open(), true, Framing::Sse, &all, 99)).contains(MARK));
    let mut agent = play(policy, true, Framing::Sse, &all, 99);
    assert!(!seen(&mut agent).contains(MARK));
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), 2, "the event itself passes");
}

fn executed() {
    // Saved under a policy that allows it, and restored under one that does not.
    let policy = with(open(), "allow_ids", json!(["tool:ok"]));
    let events = [vec![started()], called("c", "asks"), vec![finished()]].concat();
    let mut first = Agent::guarded(None, open(), Options::default());
    answered(&mut first, "text/event-stream", Framing::Sse.body(&events).as_bytes(), 99);
    let save = first.session.save();
    for (policy, runs) in [(open(), true), (policy, false)] {
        let mut agent = Agent::guarded(None, policy, Options::default());
        agent.act(|session, now| session.restore(&save, now).unwrap());
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "awaiting-approval");
        agent.act(|session, now| assert!(session.approve(r#"{"toolCallId":"c"}"#, now).unwrap()));
        assert_eq!(!agent.executed.is_empty(), runs);
        let phase = if runs { "executing" } else { "denied" };
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], phase);
        assert_eq!(agent.warnings.contains(&"event-blocked".to_owned()), !runs);
    }
    // The token has expired between the request and the approval.
    let token = json!({"id": "c", "issuer": "i", "subject": "s", "scope": {"grants": [{"server_id": "ag-ui"}]}, "issued_at": 0, "expires_at": 2, "signature": "x"});
    let mut policy = restricts(&["submit"]);
    policy["capabilities"] = json!([token]);
    let mut agent = Agent::guarded(None, policy, Options::default());
    answered(&mut agent, "text/event-stream", Framing::Sse.body(&events).as_bytes(), 99);
    agent.now += 5000.0;
    agent.act(|session, now| drop(session.approve(r#"{"toolCallId":"c"}"#, now)));
    assert!(agent.executed.is_empty());
}

fn given() {
    let messages = json!([assistant("m", vec![call("c", MARK)]), {"id": "n", "role": "assistant", "content": MARK}]);
    let mut agent = Agent::guarded(None, json!({}), Options::default());
    agent.act(|session, _| session.set_messages(&messages.to_string()).unwrap());
    agent.act(|session, _| session.set_state(&json!({"a": MARK}).to_string()).unwrap());
    assert_eq!(agent.snapshot()["toolCalls"][0]["name"], MARK);
    let save = agent.session.save();
    let mut agent = Agent::guarded(None, json!({}), Options::default());
    agent.act(|session, now| session.restore(&save, now).unwrap());
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["messages"][1]["content"], &snapshot["state"]["a"]), (&json!(MARK), &json!(MARK)));
    // A server that repeats it shows nothing new; one that changes it is judged.
    let mut policy = restricts(&["display"]);
    policy["allow_ids"] = json!(["tool:ok"]);
    let mut agent = Agent::guarded(None, policy, Options::default());
    agent.act(|session, _| session.set_messages(&messages.to_string()).unwrap());
    let mut repeated = messages.as_array().unwrap().clone();
    repeated.push(json!({"id": "u", "role": "user", "content": "go"}));
    answered(
        &mut agent,
        "text/event-stream",
        Framing::Sse.body(&[started(), list(repeated), finished()]).as_bytes(),
        99,
    );
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), 3);
    assert!(agent.decisions.iter().all(|decision| decision["allowed"] == true));
    assert!(agent.executed.is_empty());
}

const ROWS: &[(&str, fn())] = &[
    ("TEXT_MESSAGE_START", text_start),
    ("TEXT_MESSAGE_CONTENT", text_content),
    ("TEXT_MESSAGE_CHUNK", text_chunk),
    ("REASONING_START", reasoning_start),
    ("REASONING_MESSAGE_START", reasoning_message_start),
    ("REASONING_MESSAGE_CONTENT", reasoning_content),
    ("REASONING_MESSAGE_CHUNK", reasoning_chunk),
    ("REASONING_ENCRYPTED_VALUE", encrypted_value),
    ("THINKING_* of AG-UI 0.0", thinking),
    ("TOOL_CALL_START", call_start),
    ("TOOL_CALL_ARGS", call_args),
    ("TOOL_CALL_CHUNK", call_chunk),
    ("TOOL_CALL_RESULT", call_result),
    ("STATE_SNAPSHOT", state_snapshot),
    ("STATE_DELTA", state_delta),
    ("ACTIVITY_SNAPSHOT", activity_snapshot),
    ("ACTIVITY_DELTA", activity_delta),
    ("MESSAGES_SNAPSHOT", list_itself),
    ("MESSAGES_SNAPSHOT: a message", list_message),
    ("MESSAGES_SNAPSHOT: reasoning", list_reasoning),
    ("MESSAGES_SNAPSHOT: a call", list_call),
    ("MESSAGES_SNAPSHOT: a call with another name", list_renames),
    ("MESSAGES_SNAPSHOT: a result", list_result),
    ("MESSAGES_SNAPSHOT: an activity", list_activity),
    ("RUN_STARTED: `input.messages`", input_messages),
    ("RUN_FINISHED: an interrupt", interrupts),
    ("RUN_FINISHED: `result`", run_result),
    ("RUN_FINISHED: `usage`", run_usage),
    ("RUN_ERROR: `message`, `code`", run_error),
    ("an HTTP error, a closed WebSocket", failures),
    ("STEP_*: `stepName`", steps),
    ("SUBAGENT_STARTED", subagent_started),
    ("SUBAGENT_FINISHED: `result`", subagent_finished),
    ("SUBAGENT_ERROR: `message`, `code`", subagent_error),
    ("CUSTOM", custom),
    ("RAW", raw),
    ("`rawEvent`", raw_event),
    ("a call that is about to be executed", executed),
    ("what the application gives", given),
];

#[test]
fn every_way_in_of_the_documentation_is_closed() {
    let docs = include_str!("../../../docs/guard.md");
    let (_, table) = docs.split_once("| way in | as |").unwrap();
    let documented: Vec<&str> = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with("| "))
        .map(|line| line[2..].split(" | ").next().unwrap().trim())
        .collect();
    let tested: Vec<&str> = ROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(documented, tested, "the table of docs/guard.md and the tests of its rows");
    for (name, test) in ROWS {
        if let Err(panic) = std::panic::catch_unwind(test) {
            let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            panic!("{name}: {message}");
        }
    }
}

/// The events that AG-UI has, as the rows name them: a new one has no row.
#[test]
fn every_event_has_a_row() {
    let source = include_str!("../../../src/wire/event.rs");
    let names = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Self::")?.split_once("} => \"")?.1.strip_suffix("\","));
    let is_event = |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let names: BTreeSet<&str> = names.filter(|name| is_event(name) && !name.ends_with("_END")).collect();
    assert!(names.len() > 20);
    for name in names {
        let family = name.split('_').next().unwrap();
        let row = |row: &str| row.split(':').next() == Some(name) || row.starts_with(&format!("{family}_*"));
        assert!(ROWS.iter().any(|(title, _)| row(title)), "{name}");
    }
}

#[test]
fn the_binary_framing_is_judged_as_well() {
    // RUN_STARTED, TEXT_MESSAGE_START, its CONTENT "hi" and END, RUN_FINISHED.
    let frames = [
        "620a0a02080b1201741a0172",
        "0a050a0012016d",
        "120b0a02080112016d1a026869",
        "1a070a02080212016d",
        "6a0a0a02080c1201741a0172",
    ];
    let mut body = Vec::new();
    for hex in frames {
        body.extend((hex.len() as u32 / 2).to_be_bytes());
        body.extend((0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()));
    }
    for (policy, messages) in [(open(), 2), (restricts(&["display"]), 1)] {
        let mut agent = Agent::guarded(None, policy, Options { strict: true, ..Options::default() });
        answered(&mut agent, "application/vnd.ag-ui.event+proto", &body, 3);
        assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), messages);
        assert_eq!(agent.snapshot()["outcome"], "success");
    }
}

/// What a dialect says in its own ways goes through the gate, too.
#[test]
fn dialects_have_no_door_of_their_own() {
    for (dialect, folder) in
        [("agent-os", "agentos"), ("open-search", "opensearch"), ("hector", "hector"), ("ngaf", "ngaf")]
    {
        let path = format!("{}/tests/fixtures/dialects/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut played = 0;
        for file in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            if file.path().extension().is_none_or(|kind| kind != "sse") {
                continue;
            }
            let body = std::fs::read(file.path()).unwrap();
            let mut agent = Agent::guarded(Some(dialect), json!({}), Options::default());
            let request = agent.submit("go");
            agent.head(request, 200, "text/event-stream");
            agent.bytes(request, &body);
            agent.end(request);
            let snapshot = agent.snapshot().clone();
            let shown = json!([
                &snapshot["messages"].as_array().unwrap()[1..],
                snapshot["toolCalls"],
                snapshot["subagents"],
                snapshot["interrupts"],
                snapshot["usage"]
            ]);
            assert_eq!(shown, json!([[], [], [], [], []]), "{:?}", file.path());
            assert_eq!(snapshot["state"], json!({}), "{:?}", file.path());
            assert!(agent.custom.is_empty() && agent.executed.is_empty(), "{:?} {:?}", file.path(), agent.custom);
            played += 1;
        }
        assert!(played > 0, "{path}");
    }
}

/// The error of a call that failed is its result.
#[test]
fn errors_of_calls_are_judged() {
    let body = fixture("hector/05-agui-tool-error-task-failed.sse");
    let errors = |policy: Value| {
        let mut agent = played(Agent::guarded(Some("hector"), policy, Options::default()), [body.as_slice()]);
        let calls = agent.snapshot()["toolCalls"].as_array().unwrap().clone();
        assert_eq!(calls.len(), 1);
        calls[0].get("result").is_some()
    };
    assert!(errors(open()) && !errors(restricts(&["display"])));
}

/// A call is executed at the time of its END, not at that of its START.
#[test]
fn a_token_that_expires_while_a_call_streams() {
    let token = json!({"id": "c", "issuer": "i", "subject": "s", "scope": {"grants": [{"server_id": "ag-ui"}]}, "issued_at": 0, "expires_at": 2, "signature": "x"});
    let policy = with(restricts(&["submit"]), "capabilities", json!([token]));
    for (later, executed) in [(500.0, 1), (5000.0, 0)] {
        let mut agent = Agent::guarded(None, policy.clone(), Options::default());
        let message = json!({"id": "u", "role": "user", "content": "go"});
        agent.submit_json(json!({"runId": "r", "messages": [message], "pageTools": [{"name": "ok"}]}));
        let request = agent.requests.last().unwrap().0;
        agent.head(request, 200, "text/event-stream");
        agent.event(request, started());
        let [start, args, end] = called("c", "ok").try_into().unwrap();
        agent.event(request, start);
        agent.event(request, args);
        agent.now += later;
        agent.event(request, end);
        assert_eq!(agent.executed.len(), executed);
    }
}

/// A replay tells a run again: what was shown is shown again, and no more than that for the limits.
#[test]
fn a_replay_is_counted_once() {
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "TOOL_CALL_START"}, "max_invocations": 2, "window_seconds": 60});
    let network = ag_ui_wasm::session::Network::read(r#"{"attempts":5,"by":"replay","seed":5}"#).unwrap();
    let options = Options { network, ..Options::default() };
    let mut agent = Agent::guarded(None, policy, options);
    let mut request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let tell = |agent: &mut Agent, request: u32, ids: &[&str]| {
        agent.event(request, started());
        for id in ids {
            called(id, "x").into_iter().for_each(|event| agent.event(request, event));
        }
    };
    tell(&mut agent, request, &["a", "b", "c"]);
    for ids in [&["a", "b", "c"][..], &["a", "b", "d", "e"]] {
        agent.end(request);
        agent.now = agent.wake.unwrap();
        agent.act(ag_ui_wasm::session::Session::tick);
        request = agent.requests.last().unwrap().0;
        agent.head(request, 200, "text/event-stream");
        tell(&mut agent, request, ids);
        let calls: Vec<_> =
            agent.snapshot()["toolCalls"].as_array().unwrap().iter().map(|call| call["id"].clone()).collect();
        assert_eq!(calls, ["a", "b"]);
    }
}

#[test]
fn a_list_counts_what_is_new_in_it() {
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "TEXT_MESSAGE_START"}, "max_invocations": 2, "window_seconds": 60});
    let text = |id: &str, content: &str| json!({"id": id, "role": "assistant", "content": content});
    let user = json!({"id": "u", "role": "user", "content": "go"});
    let one = list(vec![user.clone(), text("a", "1"), text("b", "2")]);
    let two = list(vec![user, text("a", "1"), text("b", "two"), text("c", "3")]);
    let agent = &mut play(&policy, true, Framing::Sse, &[started(), one, two, finished()], 99);
    let contents: Vec<_> =
        agent.snapshot()["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(contents, ["go", "1", "two"]);
    let carriers: BTreeSet<_> = agent.decisions.iter().filter_map(|decision| decision["carrier"].as_str()).collect();
    assert_eq!(carriers, BTreeSet::from(["MESSAGES_SNAPSHOT"]));
}

/// A bound token is for the arguments of the call that it is for.
#[test]
fn bound_capabilities_reach_the_arguments_of_their_call() {
    let constraints = json!([
        {"type": "custom", "value": ["target_component_type", "tool"]},
        {"type": "custom", "value": ["target_component_id", "ok"]},
    ]);
    let grant =
        json!({"server_id": "ag-ui", "tool_name": "submit", "operations": ["invoke"], "constraints": constraints});
    let token = json!({"id": "c", "issuer": "i", "subject": "s", "scope": {"grants": [grant]}, "issued_at": 0, "expires_at": 9, "signature": "x"});
    let mut policy = restricts(&["submit"]);
    policy["bind_capability"] = json!(true);
    policy["capabilities"] = json!([token]);
    let events = [vec![started()], called("c", "ok"), called("d", MARK), vec![finished()]].concat();
    let mut agent = play(&policy, true, Framing::Sse, &events, 99);
    assert_eq!(agent.executed.len(), 1);
    assert!(!seen(&mut agent).contains(MARK));
}

/// A stream that strict rules accept is accepted after any policy, and shows what the listeners were told.
#[test]
fn no_policy_breaks_a_legal_stream() {
    let (mut legal, mut cut) = (0, 0);
    for seed in 0..1500 {
        let events = Streams::new(seed).events();
        let body = Framing::Sse.body(&events);
        let strict = Options { strict: true, ..Options::default() };
        let mut plain = Agent::new(strict.clone());
        answered(&mut plain, "text/event-stream", body.as_bytes(), 99);
        if plain.snapshot()["error"]["kind"] == "protocol" {
            continue;
        }
        legal += 1;
        let mut random = Random::new(seed);
        let policy = any_policy(&mut random);
        let mut agent = Agent::guarded(None, policy.clone(), strict);
        answered(&mut agent, "text/event-stream", body.as_bytes(), 99);
        let error = &agent.snapshot()["error"];
        assert_ne!(error["kind"], "protocol", "seed {seed}: {policy} {error}");
        assert_eq!(agent.snapshot()["outcome"], plain.snapshot()["outcome"], "seed {seed}: {policy}");
        if agent.decisions.iter().any(|decision| decision["allowed"] == false) {
            cut += 1;
        }
        // An open policy changes nothing.
        let mut agent = Agent::guarded(None, open(), Options { strict: true, ..Options::default() });
        answered(&mut agent, "text/event-stream", body.as_bytes(), 99);
        assert_eq!(agent.snapshot(), plain.snapshot(), "seed {seed}");
        assert_eq!(agent.warnings, plain.warnings, "seed {seed}");
    }
    assert!(legal > 250 && cut > 150, "{legal} {cut}");
}

const CLASSES: [&str; 7] = ["display", "mutate", "navigate", "create", "destroy", "submit", "alert"];

fn any_policy(random: &mut Random) -> Value {
    let restricted: Vec<_> = CLASSES.iter().filter(|_| random.one_in(4)).collect();
    let mut policy =
        json!({"restricted_classifications": restricted, "allow_display_without_capability": !random.one_in(6)});
    if random.one_in(3) {
        policy["max_events_per_second"] = json!(random.below(20));
    }
    if random.one_in(3) {
        let names = ["TEXT_MESSAGE_START", "TOOL_CALL_START", "TOOL_CALL_ARGS", "SUBAGENT_STARTED", "STEP_STARTED"];
        let name = random.pick(&names);
        policy["velocity"] =
            json!({"match": {"event_type": name}, "max_invocations": random.below(3), "window_seconds": 60});
    }
    if random.one_in(2) {
        policy["allow_components"] = json!(["tool", "activity", "custom"]);
        policy["allow_ids"] = json!(["tool:ok", "activity:plan", "custom:ok"]);
    }
    policy
}

/// A server that wants something shown or executed: it uses few ids for everything, in any order.
struct Hostile {
    random: Random,
}

impl Hostile {
    fn id(&mut self) -> &'static str {
        self.random.pick(&["a", "b", "c", "u"])
    }

    fn tool(&mut self) -> &'static str {
        self.random.pick(&["ok", "bad-tool", "OK", "ok ", "asks"])
    }

    fn call(&mut self) -> Value {
        let (id, name) = (self.id(), self.tool());
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"a\":\"class-submit\"}"}})
    }

    fn message(&mut self) -> Value {
        let (id, call) = (self.id(), self.id());
        let mut message = match self.random.below(7) {
            0 => {
                json!({"id": id, "role": self.random.pick(&["user", "system", "developer"]), "content": "class-display"})
            }
            1 => json!({"id": id, "role": "reasoning", "content": "class-display"}),
            2 => json!({"id": id, "role": "tool", "toolCallId": call, "content": "class-display result-of"}),
            3 => {
                let kind = self.random.pick(&["plan", "bad-activity"]);
                json!({"id": id, "role": "activity", "activityType": kind, "content": {"a": "class-create"}})
            }
            4 => json!({"id": id, "role": "assistant", "content": "class-display", "reasoning": "class-display"}),
            5 => {
                json!({"id": id, "role": "assistant", "content": "class-display", "toolCalls": [self.call(), self.call()]})
            }
            _ => json!({"id": id, "role": "assistant", "toolCalls": [self.call()]}),
        };
        if self.random.one_in(4) {
            message["subagentRunId"] = json!(self.id());
        }
        message
    }

    fn messages(&mut self) -> Vec<Value> {
        (0..self.random.below(4)).map(|_| self.message()).collect()
    }

    fn event(&mut self) -> Value {
        let (id, call, name) = (self.id(), self.id(), self.tool());
        let kind = self.random.pick(&["plan", "bad-activity"]);
        let mut event = match self.random.below(34) {
            0 => event!("TEXT_MESSAGE_START", "messageId": id, "name": "class-display"),
            1 => event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "class-display"),
            2 => event!("TEXT_MESSAGE_END", "messageId": id),
            3 => event!("TEXT_MESSAGE_CHUNK", "messageId": id, "delta": "class-display"),
            4 => event!("TEXT_MESSAGE_CHUNK", "delta": "class-display"),
            5 => event!("REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"),
            6 => event!("REASONING_MESSAGE_CONTENT", "messageId": id, "delta": "class-display"),
            7 => event!("REASONING_MESSAGE_CHUNK", "messageId": id, "delta": "class-display"),
            8 => {
                event!("REASONING_ENCRYPTED_VALUE", "subtype": self.random.pick(&["message", "tool-call"]), "entityId": id, "encryptedValue": "class-display")
            }
            9..12 => event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": call),
            12 => event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": "{\"a\":\"class-submit\"}"),
            13 | 14 => event!("TOOL_CALL_END", "toolCallId": id),
            15 => {
                event!("TOOL_CALL_CHUNK", "toolCallId": id, "toolCallName": name, "delta": "{\"a\":\"class-submit\"}")
            }
            16 => event!("TOOL_CALL_CHUNK", "toolCallId": id, "delta": " "),
            17 => event!("TOOL_CALL_CHUNK", "delta": "\"class-submit\""),
            18 => event!("TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": "class-display"),
            19 => event!("STATE_SNAPSHOT", "snapshot": {"a": "class-mutate"}),
            20 => event!("STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": "class-mutate"}]),
            21..24 => event!("MESSAGES_SNAPSHOT", "messages": self.messages()),
            24 => {
                event!("ACTIVITY_SNAPSHOT", "messageId": id, "activityType": kind, "content": {"a": "class-create"}, "replace": self.random.one_in(2))
            }
            25 => {
                event!("ACTIVITY_DELTA", "messageId": id, "activityType": kind, "patch": [{"op": "add", "path": "/a", "value": "class-mutate"}])
            }
            26 => event!("CUSTOM", "name": self.random.pick(&["ok", "bad-custom"]), "value": "class-submit"),
            27 => {
                let inner = self.event();
                event!("RAW", "source": "ngaf", "event": inner)
            }
            28 => event!("STEP_STARTED", "stepName": format!("class-display {id}")),
            29 => event!("STEP_FINISHED", "stepName": format!("class-display {id}")),
            30 => event!("SUBAGENT_STARTED", "subagentRunId": id, "name": "class-display", "parentToolCallId": call),
            31 => event!("SUBAGENT_FINISHED", "subagentRunId": id, "result": "class-display"),
            32 => event!("THINKING_TEXT_MESSAGE_CONTENT", "delta": "class-display"),
            _ => self.finished(),
        };
        if event["type"].as_str().unwrap() != "RAW" && self.random.one_in(9) {
            let inner = self.event();
            event["rawEvent"] = if self.random.one_in(2) { inner } else { json!({"source": "ngaf", "event": inner}) };
        }
        if event.get("subagentRunId").is_none() && self.random.one_in(6) {
            event["subagentRunId"] = json!(self.id());
        }
        event
    }

    fn finished(&mut self) -> Value {
        let (id, call) = (self.id(), self.id());
        match self.random.below(5) {
            0 => event!("RUN_ERROR", "message": "class-display", "code": "class-display"),
            1 => with(finished(), "result", json!("class-display")),
            2 => interrupted(json!([{"id": id, "reason": "ask", "message": "class-display class-submit"}])),
            3 => interrupted(
                json!([{"id": id, "reason": "tool", "toolCallId": call, "message": "class-display class-submit"}]),
            ),
            _ => finished(),
        }
    }

    fn body(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let mut begins = started();
            if self.random.one_in(3) {
                begins["input"] =
                    json!({"threadId": "t", "runId": "r", "messages": self.messages(), "tools": [], "context": []});
            }
            events.push(begins);
            for _ in 0..self.random.below(14) {
                events.push(self.event());
            }
            events.push(self.finished());
        }
        events
    }
}

/// Whatever a server sends, whatever is forbidden: it is neither shown, nor told, nor executed.
#[test]
fn a_hostile_server_gets_nothing_through() {
    let rounds = std::env::var("GATE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1000);
    let (mut forbidden, mut shown) = (0, 0);
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let policy = any_policy(&mut random);
        let strict = random.one_in(4);
        let mut agent = Agent::guarded(None, policy.clone(), Options { strict, ..Options::default() });
        let mut hostile = Hostile { random: Random::new(seed ^ 0x5EED) };
        for run in 0..1 + random.below(3) {
            let events = hostile.body();
            let framing = FRAMINGS[random.below(3)];
            let mut body = framing.body(&events);
            if random.one_in(3) {
                body.truncate(random.below(body.len()));
            }
            let open = agent.snapshot()["interrupts"].as_array().unwrap().clone();
            let resume: Vec<Value> =
                open.iter().map(|one| json!({"interruptId": one["id"], "status": "cancelled"})).collect();
            let tools: Vec<Value> = ["ok", "bad-tool", "OK", "ok "].iter().map(|name| json!({"name": name})).collect();
            let mut tools = json!(tools);
            tools.as_array_mut().unwrap().push(json!({"name": "asks", "needsApproval": true}));
            let message = json!({"id": format!("u{run}"), "role": "user", "content": "go"});
            let input = json!({"runId": format!("r{run}"), "messages": [message], "pageTools": tools, "maxFollowUps": 0,
                "resume": if resume.is_empty() { Value::Null } else { json!(resume) }});
            let accepted = agent.session.submit(&input.to_string(), agent.now);
            agent.act(|_, _| {});
            let request = agent.requests.last().map_or(0, |(request, _)| *request);
            if accepted.is_err() {
                break;
            }
            agent.head(request, 200, framing.content_type());
            for read in body.as_bytes().chunks(1 + random.below(200)) {
                agent.bytes(request, read);
                if random.one_in(3) {
                    for id in ["a", "b", "c"] {
                        agent.act(|session, now| drop(session.approve(&json!({"toolCallId": id}).to_string(), now)));
                    }
                }
            }
            agent.end(request);
            if random.one_in(3) {
                let save = agent.session.save();
                let mut restored = Agent::guarded(None, policy.clone(), Options { strict, ..Options::default() });
                restored.act(|session, now| drop(session.restore(&save, now)));
                std::mem::swap(&mut agent, &mut restored);
                check(&mut restored, &policy, seed, &mut forbidden, &mut shown);
            }
        }
        check(&mut agent, &policy, seed, &mut forbidden, &mut shown);
    }
    assert!(forbidden > rounds / 2 && shown > rounds / 4, "{forbidden} {shown}");
}

fn check(agent: &mut Agent, policy: &Value, seed: u64, forbidden: &mut u64, shown: &mut u64) {
    agent.snapshot();
    // What is no stream is a string, whatever it looks like.
    let errors = agent.settled.iter_mut().map(|(_, result)| &mut result["error"]);
    for error in errors.chain([&mut agent.mirror.0["error"]]).filter(|error| error["kind"] == "http") {
        error["body"] = Value::Null;
    }
    let seen = seen(agent);
    let mut never: Vec<String> = Vec::new();
    let free = policy["allow_display_without_capability"] == true;
    let restricted = policy["restricted_classifications"].as_array().unwrap();
    for class in CLASSES {
        if !free || restricted.contains(&json!(class)) {
            never.push(format!("class-{class}"));
        }
    }
    if policy.get("allow_ids").is_some() {
        never.extend(["bad-tool", "bad-activity", "bad-custom", "\"OK\"", "\"ok \"", "\"asks\""].map(Into::into));
    }
    // The page's own tools stand in what it sends.
    for mark in &never {
        assert!(!seen.contains(mark.as_str()), "seed {seed}: {mark} of {policy}\n{seen}");
    }
    let names: Vec<_> = agent.executed.iter().map(|(_, name, _)| name.as_str()).collect();
    if never.contains(&"class-submit".to_owned()) {
        assert!(names.is_empty(), "seed {seed}: {names:?}");
    }
    *forbidden += u64::from(!never.is_empty());
    *shown += u64::from(seen.contains("class-"));
}
