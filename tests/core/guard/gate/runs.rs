//! Runs, steps, subagents, and events of an application.

use super::*;

pub const ROWS: &[Row] = &[
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
];

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
    // Its content is blocked with it, in a list of messages too.
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
