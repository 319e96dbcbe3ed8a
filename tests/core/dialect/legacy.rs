//! Events of AG-UI 0.0, and mistakes that can be forgiven.

use crate::support::Agent;
use crate::support::runs::{finished, started, user};
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn run(strict: bool, events: &[Value]) -> (Agent, Value) {
    let mut agent = Agent::new(Options { strict, ..Options::default() });
    let snapshot = agent.run(events).clone();
    (agent, snapshot)
}

fn thinking(kind: &str) -> Value {
    json!({"type": format!("THINKING_{kind}")})
}

fn thought(delta: &str) -> Value {
    event!("THINKING_TEXT_MESSAGE_CONTENT", "delta": delta)
}

#[test]
fn thinking_becomes_reasoning_with_an_id_of_its_own_for_each_message() {
    let (start, end) = (thinking("TEXT_MESSAGE_START"), thinking("TEXT_MESSAGE_END"));
    let events = [
        started("r"),
        event!("THINKING_START", "title": "Plan"),
        start.clone(),
        thought("why"),
        thought(" not"),
        end.clone(),
        start,
        thought("because"),
        end,
        thinking("END"),
        finished("r"),
    ];
    let (agent, snapshot) = run(true, &events);
    assert_eq!(snapshot["outcome"], "success", "{snapshot}");
    let [_, first, second] = snapshot["messages"].as_array().unwrap().as_slice() else { panic!("{snapshot}") };
    assert_eq!((&first["role"], &first["content"]), (&json!("reasoning"), &json!("why not")));
    assert_eq!((&second["role"], &second["content"]), (&json!("reasoning"), &json!("because")));
    assert_ne!(first["id"], second["id"]);
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
}

#[test]
fn thinking_without_its_start_is_kept_by_tolerant_rules_and_fails_strict_ones() {
    let events = [started("r"), thought("a"), thought("b"), thinking("TEXT_MESSAGE_END"), finished("r")];
    let (agent, snapshot) = run(false, &events);
    assert_eq!(snapshot["messages"][1]["content"], "ab");
    assert_eq!(agent.warnings, ["not-open"]);
    let (_, snapshot) = run(true, &events);
    assert_eq!(snapshot["error"]["rule"], "V26");
    let twice = [started("r"), thinking("START"), thinking("START"), thinking("END"), finished("r")];
    assert_eq!(run(true, &twice).1["error"]["rule"], "V38", "the first span can never end");
    assert_eq!(run(false, &twice).1["outcome"], "success");
}

#[test]
fn what_thinking_left_open_does_not_reach_into_the_next_run() {
    let events = [
        started("r"),
        thinking("START"),
        event!("RUN_ERROR", "message": "boom"),
        started("r2"),
        thinking("START"),
        thinking("END"),
        finished("r2"),
    ];
    assert_eq!(run(true, &events).1["outcome"], "success");
}

#[test]
fn binary_parts_become_media_parts() {
    let content = json!([
        {"type": "text", "text": "look", "extra": 1},
        {"type": "binary", "mimeType": "image/png", "data": "AA==", "filename": "a.png"},
        {"type": "binary", "mimeType": "application/pdf", "url": "https://x.test/a"},
        {"type": "binary", "mimeType": "audio/wav", "data": "BB=="},
        {"type": "audio", "source": {"type": "data", "value": "BB==", "mimeType": "audio/wav"}, "metadata": null},
        {"type": "binary", "mimeType": "image/png", "id": "only"},
        {"type": "hologram", "value": 1},
        {"type": "image", "source": {"type": "ipfs", "value": "x"}},
        {"type": "image", "source": {"type": "url", "value": "x", "more": 1}},
        7,
    ]);
    let expected = json!([
        {"type": "text", "text": "look"},
        {"type": "image", "source": {"type": "data", "value": "AA==", "mimeType": "image/png"}, "metadata": {"filename": "a.png"}},
        {"type": "document", "source": {"type": "url", "value": "https://x.test/a", "mimeType": "application/pdf"}},
        {"type": "audio", "source": {"type": "data", "value": "BB==", "mimeType": "audio/wav"}},
        {"type": "image", "source": {"type": "url", "value": "x"}},
    ]);
    let snapshot = event!("MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "user", "content": content}]);
    let (mut agent, snapshot) = run(false, &[started("r"), snapshot, finished("r")]);
    assert_eq!(snapshot["messages"][0]["content"], expected);
    assert_eq!(agent.warnings, ["part-unknown", "part-unknown", "part-unknown", "part-malformed"]);
    agent.submit("again");
    assert_eq!(agent.requests[1].1["messages"][0]["content"], expected, "and so they go back");
}

#[test]
fn what_an_event_makes_sense_without_is_forgiven() {
    let events = [
        event!("RUN_STARTED", "protocolVersion": 1),
        event!("TEXT_MESSAGE_START", "messageId": "m", "name": 7, "subagentRunId": ["s"], "metadata": "x", "role": "wizard"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hi", "subagentRunId": null, "metadata": null),
        event!("TEXT_MESSAGE_END", "messageId": "m", "timestamp": "now"),
        event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "plan", "content": {}, "replace": "yes"),
        event!("CUSTOM", "name": "n"),
        event!("RUN_FINISHED", "usage": [{"inputTokens": 1.5, "outputTokens": 2}]),
    ];
    let (agent, snapshot) = run(false, &events);
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "m", "role": "assistant", "content": "hi", "delivery": "complete"})
    );
    assert_eq!(snapshot["messages"][2]["content"], json!({}));
    assert_eq!(snapshot["usage"], json!([{"outputTokens": 2}]));
    assert_eq!(snapshot["outcome"], "success");
    assert_eq!(agent.custom, [("n".to_owned(), Value::Null)]);
    let forgiven = agent.warnings.iter().filter(|code| *code == "member-malformed").count();
    assert_eq!((forgiven, agent.warnings.len()), (5, 6), "{:?}", agent.warnings);
}

#[test]
fn a_later_version_of_the_protocol_is_told() {
    for (version, told) in
        [("1.0", false), ("0.9", false), ("1.1", true), ("1.10", true), ("2.0", true), ("1", true), ("v1", true)]
    {
        let start = event!("RUN_STARTED", "threadId": "t", "runId": "r", "protocolVersion": version);
        let (agent, snapshot) = run(true, &[start, finished("r")]);
        assert_eq!(snapshot["outcome"], "success");
        assert_eq!(agent.warnings == ["protocol-newer"], told, "{version}: {:?}", agent.warnings);
    }
}

#[test]
fn an_end_that_names_another_run_is_told() {
    let (agent, snapshot) = run(true, &[started("r"), finished("q")]);
    assert_eq!(snapshot["outcome"], "success");
    assert_eq!(agent.warnings, ["run-mismatch"]);
}

#[test]
fn calls_that_a_success_leaves_open_are_told() {
    let call = |id: &str| {
        [event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": "f"), event!("TOOL_CALL_END", "toolCallId": id)]
    };
    let result = event!("TOOL_CALL_RESULT", "messageId": "x", "toolCallId": "b", "content": "done");
    let events = [&[started("r")], &call("a")[..], &call("b"), &call("c"), &[result]].concat();
    let end = |outcome: Value| event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome);
    for (outcome, expected) in [
        (json!({"type": "success"}), json!(["a", "c"])),
        (json!({"type": "success", "pendingToolCallIds": []}), json!(["a", "c"])),
        (json!({"type": "success", "pendingToolCallIds": ["zzz"]}), json!(["zzz"])),
        (json!({"type": "cancelled"}), Value::Null),
    ] {
        let (agent, _) = run(true, &[events.clone(), vec![end(outcome.clone())]].concat());
        let told = agent.settled[0].1.get("pendingToolCallIds").cloned().unwrap_or_default();
        assert_eq!(told, expected, "{outcome}");
    }
    let (agent, _) = run(true, &[events, vec![finished("r"), started("r2"), finished("r2")]].concat());
    assert_eq!(agent.settled[0].1.get("pendingToolCallIds"), None, "the last run counts");
}

#[test]
fn a_tool_that_returned_nothing_has_answered() {
    let history = json!([user("u", "hi"),
        {"id": "a", "role": "assistant", "content": null, "toolCalls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"id": "t", "role": "tool", "toolCallId": "c", "content": null}]);
    let snapshot = event!("MESSAGES_SNAPSHOT", "messages": history);
    let (_, snapshot) = run(false, &[started("r"), snapshot, finished("r")]);
    assert_eq!(snapshot["messages"][2]["content"], "");
    assert_eq!(snapshot["toolCalls"][0]["phase"], "output-available");
}

#[test]
fn operations_that_json_patch_does_not_have_are_left_out() {
    let delta = event!("STATE_DELTA", "delta": [{"op": "jump", "path": "/x"}, {"op": "add", "path": "/a", "value": 1}]);
    let (agent, snapshot) = run(false, &[started("r"), delta, finished("r")]);
    assert_eq!(snapshot["state"], json!({"a": 1}));
    assert_eq!(agent.warnings, ["patch-op-unknown"]);
}
