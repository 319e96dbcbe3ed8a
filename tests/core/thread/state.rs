//! State, activities, and what runs report beside messages: steps, subagents, usage, interrupts, custom events.

use crate::support::Agent;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn state(snapshot: Value) -> Value {
    event!("STATE_SNAPSHOT", "snapshot": snapshot)
}

fn delta(operations: Value) -> Value {
    event!("STATE_DELTA", "delta": operations)
}

fn activity(content: Value) -> Value {
    event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": content)
}

fn finished() -> Value {
    event!("RUN_FINISHED", "threadId": "t", "runId": "r")
}

fn started(run: &str) -> Value {
    event!("RUN_STARTED", "threadId": "t", "runId": run)
}

#[test]
fn any_value_may_be_the_state() {
    let (mut agent, request) = Agent::started();
    for value in [json!({"a": {"b": [1]}}), json!([1]), json!(null), json!(0), json!(false), json!(""), json!("x")] {
        assert_eq!(agent.events(request, &[state(value.clone())])["state"], value);
    }
}

#[test]
fn deltas_of_every_kind() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(
        request,
        &[
            state(json!({"list": [1, 2, 3], "a/b": {"~": 0}, "old": {"x": 1}})),
            delta(json!([
                {"op": "test", "path": "/list/0", "value": 1.0},
                {"op": "add", "path": "/list/-", "value": 4},
                {"op": "add", "path": "/list/1", "value": {"n": null}},
                {"op": "replace", "path": "/a~1b/~0", "value": "é"},
                {"op": "move", "from": "/old", "path": "/new"},
                {"op": "copy", "from": "/new", "path": "/copy"},
                {"op": "replace", "path": "/copy/x", "value": 2},
                {"op": "remove", "path": "/list/0"},
            ])),
            delta(json!([])),
            delta(json!([{"op": "add", "path": "/later", "value": {"deep": [[]]}}])),
        ],
    );
    assert_eq!(
        snapshot["state"],
        json!({"list": [{"n": null}, 2, 3, 4], "a/b": {"~": "é"}, "new": {"x": 1}, "copy": {"x": 2},
            "later": {"deep": [[]]}})
    );
    assert!(agent.warnings.is_empty());
    let shown = agent.snapshot()["state"].clone();
    agent.end(request);
    agent.submit("more");
    assert_eq!(agent.sent()["state"], shown, "the server gets what the page shows");
}

#[test]
fn a_delta_may_replace_or_remove_everything() {
    let (mut agent, request) = Agent::started();
    let replace = delta(json!([{"op": "replace", "path": "", "value": [1]}, {"op": "add", "path": "/0", "value": 0}]));
    assert_eq!(agent.events(request, &[replace])["state"], json!([0, 1]));
    agent.submit_json(json!({"runId": "r2", "ifBusy": "replace"}));
    assert_eq!(agent.sent()["state"], json!([0, 1]), "the server gets what the page shows");
    let request = agent.requests[1].0;
    agent.head(request, 200, "text/event-stream");
    assert_eq!(agent.events(request, &[delta(json!([{"op": "remove", "path": ""}]))])["state"], Value::Null);
}

#[test]
fn a_delta_that_fails_changes_nothing_and_the_next_one_counts() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[state(json!({"a": 1}))]);
    for bad in [
        json!([{"op": "add", "path": "/b", "value": 1}, {"op": "test", "path": "/a", "value": 2}]),
        json!([{"op": "add", "path": "/b", "value": 1}, {"op": "remove", "path": "/none"}]),
        json!([{"op": "add", "path": "/b"}]),
        json!([{"op": "move", "from": "/none", "path": "/b"}]),
        json!([{"op": "add", "path": "/none/deeper", "value": 1}]),
        json!([7]),
    ] {
        assert_eq!(agent.events(request, &[delta(bad.clone())])["state"], json!({"a": 1}), "{bad}");
        assert_eq!(agent.patch(), None, "{bad}");
    }
    assert_eq!(agent.warnings, ["state-patch-failed"; 6]);
    let good = delta(json!([{"op": "add", "path": "/b", "value": 2}]));
    assert_eq!(agent.events(request, &[good])["state"], json!({"a": 1, "b": 2}));
}

#[test]
fn the_state_goes_back_to_the_server_unless_it_is_null() {
    let mut agent = Agent::with(Options::default(), None, Some("{\"a\":1}"));
    agent.run(&[started("r"), delta(json!([{"op": "add", "path": "/b", "value": 2}])), finished()]);
    assert_eq!(agent.sent()["state"], json!({"a": 1}));
    agent.run(&[started("r2"), state(Value::Null), finished()]);
    assert_eq!(agent.sent()["state"], json!({"a": 1, "b": 2}));
    agent.submit("more");
    assert_eq!(agent.sent().get("state"), None);
}

#[test]
fn an_activity_is_made_replaced_and_patched() {
    let (mut agent, request) = Agent::started();
    let first = event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {"steps": []},
        "subagentRunId": "s", "metadata": {"x": 1});
    let snapshot = agent.events(request, &[first]);
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "a", "role": "activity", "activityType": "PLAN", "content": {"steps": []}, "subagentRunId": "s",
            "metadata": {"x": 1}, "delivery": "complete"})
    );
    let patch = event!("ACTIVITY_DELTA", "messageId": "a", "activityType": "PLAN", "metadata": {"y": 2},
        "patch": [{"op": "add", "path": "/steps/-", "value": "one"}]);
    let snapshot = agent.events(request, &[patch]);
    assert_eq!(snapshot["messages"][1]["content"], json!({"steps": ["one"]}));
    assert_eq!(snapshot["messages"][1]["metadata"], json!({"x": 1, "y": 2}));
    assert_eq!(snapshot["messages"][1]["subagentRunId"], "s");
    // Replaced: the metadata stays, the owner does not.
    let second = event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "MAP", "content": {"new": 1},
        "metadata": {"x": 3});
    assert_eq!(
        agent.events(request, &[second])["messages"][1],
        json!({"id": "a", "role": "activity", "activityType": "MAP", "content": {"new": 1},
            "metadata": {"x": 3, "y": 2}, "delivery": "complete"})
    );
    // Left alone: only the metadata merges.
    let kept = event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {}, "replace": false,
        "metadata": {"z": 4});
    let snapshot = agent.events(request, &[kept]);
    assert_eq!(snapshot["messages"][1]["activityType"], "MAP");
    assert_eq!(snapshot["messages"][1]["content"], json!({"new": 1}));
    assert_eq!(snapshot["messages"][1]["metadata"], json!({"x": 3, "y": 2, "z": 4}));
}

#[test]
fn a_patch_of_an_activity_may_fail_and_may_change_its_type() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[activity(json!({"n": 1}))]);
    let patch = |kind: &str, operations: Value| {
        event!("ACTIVITY_DELTA", "messageId": "a", "activityType": kind, "patch": operations,
        "metadata": {"last": kind})
    };
    let fails = patch("MAP", json!([{"op": "replace", "path": "/none", "value": 1}]));
    let snapshot = agent.events(request, &[fails]);
    assert_eq!(snapshot["messages"][1]["content"], json!({"n": 1}));
    assert_eq!(snapshot["messages"][1]["activityType"], "PLAN");
    assert_eq!(snapshot["messages"][1]["metadata"], json!({"last": "MAP"}), "metadata merges in any case");
    let no_object = patch("MAP", json!([{"op": "replace", "path": "", "value": "text"}]));
    assert_eq!(agent.events(request, &[no_object])["messages"][1]["content"], json!({"n": 1}));
    let changes = patch("MAP", json!([{"op": "replace", "path": "/n", "value": 2}]));
    let snapshot = agent.events(request, &[changes]);
    assert_eq!(snapshot["messages"][1]["content"], json!({"n": 2}));
    assert_eq!(snapshot["messages"][1]["activityType"], "MAP");
    let other = event!("ACTIVITY_DELTA", "messageId": "u0", "activityType": "X", "patch": []);
    let unknown = event!("ACTIVITY_DELTA", "messageId": "none", "activityType": "X", "patch": []);
    agent.events(request, &[other, unknown]);
    assert_eq!(agent.warnings[..2], ["activity-patch-failed"; 2]);
    assert_eq!(agent.warnings[2..], ["message-unknown"; 2]);
}

#[test]
fn an_activity_may_take_the_place_of_another_message() {
    let (mut agent, request) = Agent::started();
    let start = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "a");
    let args = |delta: &str| event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": delta);
    agent.events(request, &[event!("TEXT_MESSAGE_START", "messageId": "a", "metadata": {"old": 1}), start, args("{")]);
    let kept = event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {}, "replace": false,
        "metadata": {"x": 1});
    let snapshot = agent.events(request, &[kept]);
    assert_eq!(snapshot["messages"][1]["role"], "assistant");
    assert_eq!(snapshot["messages"][1]["metadata"], json!({"old": 1}));
    let snapshot = agent.events(request, &[activity(json!({"n": 1}))]);
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "a", "role": "activity", "activityType": "PLAN", "content": {"n": 1}, "delivery": "complete"})
    );
    assert_eq!(snapshot["toolCalls"], json!([]), "its calls went with the message");
    let snapshot = agent.events(request, &[args("}")]);
    assert_eq!(snapshot["toolCalls"], json!([]));
    assert_eq!(agent.warnings, ["call-unknown"]);
}

#[test]
fn steps_run_and_end() {
    let (mut agent, request) = Agent::started();
    let step = |kind: &str, name: &str| json!({"type": kind, "stepName": name});
    agent.events(request, &[step("STEP_STARTED", "a"), step("STEP_STARTED", "b")]);
    agent.now += 40.0;
    let tagged = event!("STEP_STARTED", "stepName": "a", "subagentRunId": "s");
    let snapshot = agent.events(request, &[step("STEP_FINISHED", "a"), tagged]);
    assert_eq!(
        snapshot["steps"],
        json!([
            {"name": "a", "status": "complete", "durationMs": 40},
            {"name": "b", "status": "running"},
            {"name": "a", "status": "running", "subagentRunId": "s"},
        ])
    );
    agent.events(request, &[step("STEP_FINISHED", "a")]);
    assert_eq!(agent.warnings, ["not-open"], "the other \"a\" is the subagent's");
    agent.now += 10.0;
    let snapshot = agent.events(request, &[finished()]);
    assert_eq!(snapshot["steps"][1], json!({"name": "b", "status": "complete", "durationMs": 50}));
    assert_eq!(agent.events(request, &[started("r2")])["steps"], json!([]), "a run has steps of its own");
    let snapshot = agent.events(request, &[step("STEP_STARTED", "c"), event!("RUN_ERROR", "message": "boom")]);
    assert_eq!(snapshot["steps"][0]["status"], "error");
}

#[test]
fn subagents_are_a_tree() {
    let (mut agent, request) = Agent::started();
    let start = |id: &str, parent: Option<&str>| event!("SUBAGENT_STARTED", "subagentRunId": id, "name": format!("n-{id}"), "parentSubagentRunId": parent);
    let snapshot = agent.events(
        request,
        &[
            event!("SUBAGENT_STARTED", "subagentRunId": "a", "name": "n-a", "description": "d", "parentToolCallId": "c",
                "parentMessageId": "m"),
            start("b", Some("a")),
            start("c", Some("b")),
            start("lost", Some("nobody")),
            event!("SUBAGENT_FINISHED", "subagentRunId": "c", "result": {"x": 1}),
            event!("SUBAGENT_ERROR", "subagentRunId": "b", "message": "boom", "code": "E"),
        ],
    );
    assert_eq!(
        snapshot["subagents"],
        json!([
            {"subagentRunId": "a", "name": "n-a", "description": "d", "parentToolCallId": "c", "parentMessageId": "m",
                "status": "running", "children": [
                {"subagentRunId": "b", "name": "n-b", "parentSubagentRunId": "a", "status": "error", "error": "boom",
                    "children": [
                    {"subagentRunId": "c", "name": "n-c", "parentSubagentRunId": "b", "status": "complete",
                        "result": {"x": 1}, "children": []}]}]},
            {"subagentRunId": "lost", "name": "n-lost", "parentSubagentRunId": "nobody", "status": "running",
                "children": []},
        ])
    );
    let unknown = event!("SUBAGENT_FINISHED", "subagentRunId": "x");
    agent.events(request, &[unknown, finished()]);
    assert_eq!(agent.warnings, ["subagent-parent-unknown", "not-open", "left-open"]);
    assert_eq!(agent.snapshot()["subagents"][0]["status"], "complete");
    assert_eq!(agent.snapshot()["subagents"][0]["children"][0]["status"], "error");
}

#[test]
fn subagents_that_are_their_own_parents_do_no_harm() {
    let (mut agent, request) = Agent::started();
    let start = |id: &str, parent: &str| event!("SUBAGENT_STARTED", "subagentRunId": id, "name": id, "parentSubagentRunId": parent);
    let snapshot = agent.events(request, &[start("self", "self"), start("x", "y"), start("y", "x")]);
    assert_eq!(snapshot["subagents"][0]["subagentRunId"], "self");
    let chain: Vec<Value> = (1..500).map(|at| start(&at.to_string(), &(at - 1).to_string())).collect();
    for event in chain {
        agent.event(request, event);
    }
    let snapshot = agent.snapshot();
    let mut at = &snapshot["subagents"];
    let mut depth = 0;
    while let Some(last) = at.as_array().unwrap().last() {
        (at, depth) = (&last["children"], depth + 1);
    }
    assert!((2..=64).contains(&depth), "how deep the tree goes is bounded");
}

#[test]
fn a_suspended_subagent_outlives_its_run() {
    let (mut agent, request) = Agent::started();
    let start = |id: &str| event!("SUBAGENT_STARTED", "subagentRunId": id, "name": id);
    let suspended = json!({"type": "suspended", "interruptIds": ["i1"]});
    let snapshot = agent.events(
        request,
        &[
            start("a"),
            start("b"),
            event!("SUBAGENT_FINISHED", "subagentRunId": "a", "outcome": suspended),
            finished(),
            started("r2"),
        ],
    );
    assert_eq!(
        snapshot["subagents"],
        json!([{"subagentRunId": "a", "name": "a", "status": "suspended", "interruptIds": ["i1"], "children": []}])
    );
    let snapshot = agent.events(request, &[start("a")]);
    assert_eq!(snapshot["subagents"].as_array().unwrap().len(), 1);
    assert_eq!(snapshot["subagents"][0]["status"], "running");
}

#[test]
fn usage_adds_up_by_provider_and_model() {
    let mut agent = Agent::new(Options::default());
    let usage = |list: Value| event!("RUN_FINISHED", "threadId": "t", "runId": "r", "usage": list);
    agent.run(&[usage(json!([
        {"provider": "p", "model": "m", "inputTokens": 10, "outputTokens": 5, "totalTokens": 15},
        {"inputTokens": 1},
        {"provider": "p", "model": "m", "inputTokens": 1, "cachedInputTokens": 0},
    ]))]);
    let failed = event!("RUN_ERROR", "message": "x", "usage": [
        {"provider": "p", "model": "m", "inputTokens": 100, "outputTokens": 1.5},
        {"provider": "p", "model": "other", "reasoningTokens": 3}, 7,
    ]);
    let snapshot = agent.run(&[failed]);
    assert_eq!(
        snapshot["usage"],
        json!([
            {"provider": "p", "model": "m", "inputTokens": 111, "outputTokens": 5, "totalTokens": 15,
                "cachedInputTokens": 0},
            {"inputTokens": 1},
            {"provider": "p", "model": "other", "reasoningTokens": 3},
        ])
    );
}

#[test]
fn interrupts_stay_open_until_a_run_ends_without_them() {
    let mut agent = Agent::new(Options::default());
    let interrupts = json!([
        {"id": "i1", "reason": "confirmation", "message": "Sure?", "responseSchema": {"type": "object"}, "expiresAt": null},
        {"id": "i2", "reason": "shop:stock", "metadata": {"x": null}},
        {"reason": "without an id"},
    ]);
    let outcome = json!({"type": "interrupt", "interrupts": interrupts});
    let snapshot =
        agent.run(&[started("r"), event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome)]);
    let open = json!([
        {"id": "i1", "reason": "confirmation", "message": "Sure?", "responseSchema": {"type": "object"}},
        {"id": "i2", "reason": "shop:stock", "metadata": {"x": null}},
    ]);
    assert_eq!(snapshot["interrupts"], open);
    assert_eq!(snapshot["outcome"], "interrupted");
    assert_eq!(snapshot["status"], "idle");
    assert_eq!(agent.settled[0].1["outcome"], "interrupted");
    // A run that fails leaves them open; one that is cancelled or succeeds does not.
    assert_eq!(agent.run(&[started("r2"), event!("RUN_ERROR", "message": "x")])["interrupts"], open);
    let cancelled =
        event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "cancelled"}, "result": 1);
    let snapshot = agent.run(&[started("r3"), cancelled]);
    assert_eq!(snapshot["interrupts"], json!([]));
    assert_eq!(snapshot["outcome"], "cancelled");
    assert_eq!(agent.settled[2].1.get("result"), None, "a cancelled run has no result");
}

#[test]
fn an_unknown_outcome_is_a_success_with_a_warning() {
    let mut agent = Agent::new(Options::default());
    let finished = event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "paused"});
    assert_eq!(agent.run(&[started("r"), finished])["outcome"], "success");
    assert_eq!(agent.warnings, ["outcome-unknown"]);
}

#[test]
fn custom_and_raw_events_are_no_state() {
    let (mut agent, request) = Agent::started();
    agent.events(
        request,
        &[
            event!("CUSTOM", "name": "state_update", "value": {"a": 1}),
            event!("CUSTOM", "name": "nothing", "value": null),
            event!("RAW", "event": {"x": 1}, "source": "s"),
        ],
    );
    assert_eq!(agent.custom, [("state_update".to_owned(), json!({"a": 1})), ("nothing".to_owned(), Value::Null)]);
    assert_eq!(agent.patch(), None);
    assert!(agent.warnings.is_empty());
}

#[test]
fn several_runs_in_one_body() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let text = |id: &str| {
        [
            event!("TEXT_MESSAGE_START", "messageId": id),
            event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": id),
            event!("TEXT_MESSAGE_END", "messageId": id),
        ]
    };
    agent.now += 5.0;
    agent.events(request, &[started("r1")]);
    agent.events(request, &text("first"));
    agent.now += 5.0;
    let snapshot = agent.events(request, &[event!("RUN_FINISHED", "threadId": "t", "runId": "r1", "result": {"n": 1})]);
    assert_eq!(snapshot["status"], "idle");
    assert_eq!(snapshot["timing"]["durationMs"], 10);
    agent.now += 10.0;
    let snapshot = agent.events(request, &[started("r2")]);
    assert_eq!((&snapshot["status"], &snapshot["runId"]), (&json!("running"), &json!("r2")));
    assert_eq!(snapshot.get("outcome"), None);
    assert_eq!(snapshot["timing"].get("durationMs"), None, "the request goes on");
    agent.events(request, &text("second"));
    agent.now += 10.0;
    let outcome = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "confirmation"}]});
    agent.events(request, &[event!("RUN_FINISHED", "threadId": "t", "runId": "r2", "outcome": outcome)]);
    assert!(agent.settled.is_empty(), "the submit is settled once, at the end");
    agent.end(request);
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 3);
    assert_eq!(snapshot["outcome"], "interrupted");
    assert_eq!(snapshot["timing"], json!({"startedAt": 1000, "firstTokenMs": 5, "durationMs": 30}));
    assert_eq!(agent.settled.len(), 1);
    assert_eq!(agent.settled[0].1, json!({"runId": "r2", "outcome": "interrupted", "result": {"n": 1}}));
}

#[test]
fn a_second_run_in_one_body_that_is_cut_is_truncated() {
    let mut agent = Agent::new(Options::default());
    let start = event!("TEXT_MESSAGE_START", "messageId": "m");
    let snapshot = agent.run(&[started("r1"), finished(), started("r2"), start]);
    assert_eq!(snapshot["outcome"], "truncated");
    assert_eq!(snapshot["messages"][1]["delivery"], "error");
}

#[test]
fn chunks_make_messages_and_calls() {
    let mut agent = Agent::new(Options::default());
    let snapshot = agent.run(&[
        started("r"),
        event!("REASONING_MESSAGE_CHUNK", "messageId": "m", "delta": "why"),
        event!("TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Hel"),
        event!("TEXT_MESSAGE_CHUNK", "delta": "lo"),
        event!("TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m", "delta": "{\"a\":"),
        event!("TOOL_CALL_CHUNK", "delta": "1}"),
        finished(),
    ]);
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 2);
    assert_eq!(snapshot["messages"][1]["reasoning"], "why");
    assert_eq!(snapshot["messages"][1]["content"], "Hello");
    assert_eq!(snapshot["messages"][1]["delivery"], "complete");
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"a": 1}));
    assert_eq!(snapshot["toolCalls"][0]["phase"], "input-available");
    assert!(agent.warnings.is_empty());
}
