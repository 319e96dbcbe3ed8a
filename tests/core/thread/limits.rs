//! Input that would exceed a limit of the thread is not applied: the run ends with an error, and the snapshot stays.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::{finished, outcomes, started, text};
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

/// An agent whose run has begun, with room for 1,000 bytes of state.
fn small(state: &str) -> (Agent, u32) {
    let mut agent = Agent::with(Options { max_state_bytes: 1000, ..Options::default() }, None, Some(state));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    (agent, request)
}

fn assert_exceeded(agent: &mut Agent, shown: &Value) {
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["state"], *shown, "what is shown stays");
    assert_eq!(snapshot["error"]["kind"], "limit");
    assert_eq!(snapshot["error"]["code"], "state-too-large");
    assert_eq!(snapshot["error"]["retryable"], false);
    assert_eq!(snapshot["status"], "error");
    assert_eq!(outcomes(agent), [(1, "error")]);
}

#[test]
fn a_state_snapshot_that_is_too_large() {
    let (mut agent, request) = small("{\"a\":1}");
    let [start, content] = text("m", "before");
    let [_, after] = text("m", " and after");
    agent.events(
        request,
        &[start, content, event!("STATE_SNAPSHOT", "snapshot": {"b": "x".repeat(1000)}), after, finished("r")],
    );
    assert_exceeded(&mut agent, &json!({"a": 1}));
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["messages"][1]["content"], "before", "nothing more of the run is taken");
    assert_eq!(snapshot["messages"][1]["delivery"], "error");
    // The thread continues.
    let request = agent.submit("again");
    agent.head(request, 200, "text/event-stream");
    let snapshot =
        agent.events(request, &[started("r2"), event!("STATE_SNAPSHOT", "snapshot": {"b": 2}), finished("r2")]);
    assert_eq!(snapshot["state"], json!({"b": 2}));
    assert_eq!(snapshot["error"], Value::Null);
}

fn copy(from: &str, path: &str) -> Value {
    json!({"op": "copy", "from": from, "path": path})
}

fn delta(operations: &[Value]) -> Value {
    event!("STATE_DELTA", "delta": operations)
}

#[test]
fn patches_that_make_the_state_too_large() {
    let shown = json!({"a": "x".repeat(400)});
    let add = json!({"op": "add", "path": "/c", "value": "x".repeat(700)});
    for operations in [
        vec![delta(&[add])],
        vec![delta(&[copy("/a", "/b"), copy("/a", "/c")])],
        vec![delta(&[copy("", "/b"), copy("", "/b/c"), copy("", "/b/d"), json!({"op": "remove", "path": "/b"})])],
    ] {
        let (mut agent, request) = small(&shown.to_string());
        agent.events(request, &operations);
        assert_exceeded(&mut agent, &shown);
    }
}

#[test]
fn copies_count_from_patch_to_patch() {
    let shown = json!({"a": "x".repeat(400)});
    let (mut agent, request) = small(&shown.to_string());
    agent.events(request, &[delta(&[copy("/a", "/b")])]);
    let both = json!({"a": "x".repeat(400), "b": "x".repeat(400)});
    assert_eq!(agent.snapshot()["state"], both);
    agent.events(request, &[delta(&[copy("/a", "/c")]), finished("r")]);
    assert_exceeded(&mut agent, &both);
    // One that is removed again has cost as much.
    let large = "x".repeat(100_000);
    let options = Options { max_state_bytes: 300_000, ..Options::default() };
    let mut agent = Agent::with(options, None, Some(&json!({"a": large}).to_string()));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let pair = delta(&[copy("/a", "/b"), json!({"op": "remove", "path": "/b"})]);
    agent.events(request, &[started("r"), pair.clone(), pair.clone(), pair.clone(), pair]);
    assert_eq!(agent.snapshot()["error"]["code"], "state-too-large");
    // Small ones are paid for by what they are asked for with.
    let (mut agent, request) = small("{\"a\":[1,2,3]}");
    let pair = delta(&[copy("/a", "/b"), json!({"op": "remove", "path": "/b"})]);
    let many: Vec<Value> = (0..2_000).map(|_| pair.clone()).collect();
    agent.events(request, &many);
    assert_eq!(agent.snapshot()["error"], Value::Null);
}

#[test]
fn a_state_that_is_too_large_already_may_become_smaller() {
    let shown = json!({"a": "x".repeat(4_000), "b": "x".repeat(4_000)});
    let (mut agent, request) = small(&shown.to_string());
    agent.events(
        request,
        &[delta(&[json!({"op": "remove", "path": "/a"}), json!({"op": "add", "path": "/c", "value": 1})])],
    );
    assert_eq!(agent.snapshot()["state"], json!({"b": "x".repeat(4_000), "c": 1}));
    agent.events(request, &[delta(&[json!({"op": "add", "path": "/d", "value": 1})])]);
    assert_exceeded(&mut agent, &json!({"b": "x".repeat(4_000), "c": 1}));
}

#[test]
fn the_content_of_an_activity() {
    let (mut agent, request) = small("{}");
    let content = json!({"a": "x".repeat(400)});
    agent.events(request, &[event!("ACTIVITY_SNAPSHOT", "messageId": "p", "activityType": "PLAN", "content": content)]);
    let patch = json!([copy("/a", "/b"), copy("/a", "/c")]);
    agent.events(request, &[event!("ACTIVITY_DELTA", "messageId": "p", "activityType": "PLAN", "patch": patch)]);
    assert_exceeded(&mut agent, &json!({}));
    assert_eq!(agent.snapshot()["messages"][1]["content"], content);
}

#[test]
fn a_state_under_an_edit() {
    let (mut agent, request) = small("{\"a\":[]}");
    agent.act(|session, _| session.set_state("{\"a\":[1]}").unwrap());
    let add = json!({"op": "add", "path": "/a/-", "value": "x".repeat(1000)});
    agent.events(request, &[delta(&[add])]);
    assert_exceeded(&mut agent, &json!({"a": [1]}));
}

#[test]
fn a_thread_that_is_too_large() {
    let options = Options { max_thread_bytes: 2000, ..Options::default() };
    let mut agent = Agent::with(options, None, None);
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    let mut at = 0;
    while agent.snapshot()["error"].is_null() && at < 100 {
        agent.events(request, &text(&format!("m{at}"), &"x".repeat(100)));
        at += 1;
    }
    assert!((5..=20).contains(&at), "{at} messages");
    let snapshot = agent.snapshot().clone();
    assert_eq!(snapshot["error"]["kind"], "limit");
    assert_eq!(snapshot["error"]["code"], "thread-too-large");
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 1 + at, "what is shown stays");
    assert_eq!(outcomes(&agent), [(1, "error")]);
}

type Make = fn(usize) -> Value;

/// Events that make a list longer.
const LISTS: [(&str, Make); 5] = [
    ("messages", |at| event!("TEXT_MESSAGE_CONTENT", "messageId": format!("m{at}{}", "x".repeat(90)), "delta": "x")),
    ("calls", |at| event!("TOOL_CALL_START", "toolCallId": format!("c{at}{}", "x".repeat(90)), "toolCallName": "f")),
    ("steps", |at| event!("STEP_STARTED", "stepName": format!("{at}{}", "x".repeat(90)))),
    ("subagents", |at| event!("SUBAGENT_STARTED", "subagentRunId": format!("{at}{}", "x".repeat(90)), "name": "n")),
    (
        "activities",
        |at| event!("ACTIVITY_SNAPSHOT", "messageId": format!("{at}{}", "x".repeat(90)), "activityType": "t", "content": {}),
    ),
];

/// How the run ends where `make` comes a hundred times.
fn filled(options: Options, make: Make) -> Value {
    let mut agent = Agent::with(options, None, None);
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    for at in 0..100 {
        agent.events(request, &[make(at)]);
    }
    agent.snapshot()["error"].clone()
}

#[test]
fn every_list_of_the_thread_counts() {
    for (name, make) in LISTS {
        let error = filled(Options { max_thread_bytes: 2000, ..Options::default() }, make);
        assert_eq!(error["code"], "thread-too-large", "{name}");
    }
}

#[test]
fn a_list_with_too_many_elements() {
    for (name, make) in LISTS {
        let error = filled(Options { max_items: 50, ..Options::default() }, make);
        assert_eq!((&error["kind"], &error["code"]), (&json!("limit"), &json!("thread-too-large")), "{name}");
        assert!(error["message"].as_str().unwrap().contains("limits.items (50)"), "{error}");
        assert_eq!(filled(Options { max_items: 200, ..Options::default() }, make), Value::Null, "{name}");
    }
}

/// A list of messages with a hundred.
fn hundred() -> Value {
    let messages: Vec<Value> =
        (0..100).map(|at| json!({"id": format!("m{at}"), "role": "user", "content": "x"})).collect();
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

#[test]
fn one_frame_alone_keeps_the_limit_and_so_does_an_agent_with_a_guard() {
    let policy = json!({"restricted_classifications": [], "allow_display_without_capability": true});
    for guarded in [false, true] {
        for (max_items, fails) in [(50, true), (200, false)] {
            let options = Options { max_items, ..Options::default() };
            let mut agent = if guarded { Agent::guarded(None, policy.clone(), options) } else { Agent::new(options) };
            let request = agent.submit("go");
            agent.head(request, 200, "text/event-stream");
            let snapshot = agent.events(request, &[started("r"), hundred()]);
            assert_eq!(snapshot["error"]["code"] == "thread-too-large", fails, "{guarded} {snapshot}");
        }
    }
}

#[test]
fn a_run_that_warns_too_often_is_reported_once() {
    let mut agent = Agent::with(Options { max_warnings: 3, ..Options::default() }, None, None);
    for run in ["r", "r2"] {
        let request = agent.submit("go");
        agent.head(request, 200, "text/event-stream");
        agent.events(request, &[started(run)]);
        agent.warnings.clear();
        for at in 0..10 {
            agent.events(request, &[event!("UNKNOWN", "at": at)]);
        }
        assert_eq!(agent.warnings, ["event-unknown", "event-unknown", "event-unknown", "warnings-left-out"]);
        agent.events(request, &[finished(run)]);
        agent.end(request);
    }
}
