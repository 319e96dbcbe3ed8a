//! The guard: what is blocked leaves no trace but the decision.

mod capabilities;
mod chio;
mod outgoing;

use super::*;

fn ag_ui(policy: Value, strict: bool) -> Agent {
    Agent::guarded(None, policy, Options { strict, ..Options::default() })
}

fn run(mut agent: Agent, events: &[Value]) -> Agent {
    let mut all = vec![event!("RUN_STARTED", "threadId": "t", "runId": "r")];
    all.extend(events.iter().cloned());
    all.push(event!("RUN_FINISHED", "threadId": "t", "runId": "r"));
    agent.run(&all);
    agent
}

fn told(agent: &Agent) -> Vec<&str> {
    agent.events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn counters(agent: &Agent) -> Value {
    serde_json::from_str(&agent.session.guard_counters().unwrap()).unwrap()
}

fn conversation() -> Vec<Value> {
    vec![
        event!("STEP_STARTED", "stepName": "s"),
        event!("TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hi"),
        event!("TEXT_MESSAGE_END", "messageId": "m"),
        event!("REASONING_START", "messageId": "k"),
        event!("REASONING_MESSAGE_START", "messageId": "k", "role": "reasoning"),
        event!("REASONING_MESSAGE_CONTENT", "messageId": "k", "delta": "hm"),
        event!("REASONING_MESSAGE_END", "messageId": "k"),
        event!("REASONING_END", "messageId": "k"),
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "refund"),
        event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        event!("TOOL_CALL_RESULT", "messageId": "r1", "toolCallId": "c", "content": "done"),
        event!("STATE_SNAPSHOT", "snapshot": {"a": 1}),
        event!("STATE_DELTA", "delta": [{"op": "add", "path": "/b", "value": 2}]),
        event!("ACTIVITY_SNAPSHOT", "messageId": "v", "activityType": "plan", "content": {"x": 1}, "replace": true),
        event!("ACTIVITY_DELTA", "messageId": "v", "activityType": "plan", "patch": [{"op": "add", "path": "/y", "value": 1}]),
        event!("SUBAGENT_STARTED", "subagentRunId": "sub", "name": "helper"),
        event!("SUBAGENT_FINISHED", "subagentRunId": "sub"),
        event!("CUSTOM", "name": "page.go", "value": 1),
        event!("RAW", "event": {"x": 1}),
        event!("STEP_FINISHED", "stepName": "s"),
    ]
}

/// Nothing restricted, nothing needed.
fn open() -> Value {
    json!({"restricted_classifications": [], "allow_display_without_capability": true})
}

#[test]
fn an_open_policy_changes_nothing() {
    for strict in [true, false] {
        let mut plain = Agent::new(Options { strict, ..Options::default() });
        plain.run(&{
            let mut all = vec![event!("RUN_STARTED", "threadId": "t", "runId": "r")];
            all.extend(conversation());
            all.push(event!("RUN_FINISHED", "threadId": "t", "runId": "r"));
            all
        });
        let mut guarded = run(ag_ui(open(), strict), &conversation());
        for part in ["messages", "toolCalls", "state", "subagents", "outcome"] {
            assert_eq!(guarded.snapshot()[part], plain.snapshot()[part], "{part}");
        }
        assert_eq!(guarded.snapshot()["outcome"], "success");
        assert_eq!(guarded.warnings, plain.warnings);
        assert!(guarded.decisions.iter().all(|decision| decision["allowed"] == true));
    }
}

#[test]
fn chios_defaults_need_a_capability_for_everything() {
    let mut agent = run(ag_ui(json!({}), true), &conversation());
    let snapshot = agent.snapshot().clone();
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 1, "the user's own");
    assert_eq!(
        (&snapshot["toolCalls"], &snapshot["state"], &snapshot["subagents"]),
        (&json!([]), &json!({}), &json!([]))
    );
    assert_eq!(snapshot["outcome"], "success", "a run that is blocked ends all the same");
    assert_eq!(told(&agent), ["RUN_STARTED", "STEP_STARTED", "STEP_FINISHED", "RUN_FINISHED"]);
    assert!(agent.custom.is_empty());
    let reason = |name: &str| {
        agent.decisions.iter().find(|decision| decision["eventType"] == name).unwrap()["reason"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(reason("TEXT_MESSAGE_START"), "no capability token provided");
    assert_eq!(reason("TOOL_CALL_START"), "capability required for Submit events");
    assert_eq!(reason("STATE_DELTA"), "capability required for Mutate events");
    assert_eq!(reason("ACTIVITY_SNAPSHOT"), "capability required for Create events");
    assert_eq!(reason("CUSTOM"), "capability required for Submit events");
    assert_eq!(agent.warnings, ["event-blocked"], "said once a run");
    let blocked = agent.decisions.len();
    assert_eq!(counters(&agent), json!({"forwarded": 0, "blocked": blocked, "total": blocked}));
}

#[test]
fn only_what_is_restricted_is_kept_back() {
    for strict in [true, false] {
        let policy = json!({"restricted_classifications": ["submit"], "allow_display_without_capability": true});
        let mut agent = run(ag_ui(policy, strict), &conversation());
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["toolCalls"], json!([]));
        assert_eq!(snapshot["state"], json!({"a": 1, "b": 2}));
        assert_eq!(snapshot["outcome"], "success");
        assert!(agent.custom.is_empty() && agent.executed.is_empty());
        assert!(!told(&agent).iter().any(|name| name.starts_with("TOOL") || *name == "CUSTOM"));
        assert_eq!(agent.warnings, ["event-blocked"]);
    }
}

#[test]
fn classes_of_the_application() {
    let policy = json!({"restricted_classifications": ["navigate"], "allow_display_without_capability": true,
        "classifications": {"CUSTOM": "navigate"}});
    let agent = run(ag_ui(policy, true), &conversation());
    assert!(agent.custom.is_empty());
    let decision = agent.decisions.iter().find(|decision| decision["eventType"] == "CUSTOM").unwrap();
    assert_eq!(decision["classification"], "navigate");
}

#[test]
fn components() {
    let blocked = |policy: Value| {
        let mut base = open();
        base.as_object_mut().unwrap().extend(policy.as_object().unwrap().clone());
        let agent = run(ag_ui(base, true), &conversation());
        let names: Vec<String> = agent
            .decisions
            .iter()
            .filter(|decision| decision["reason"] == "unknown component id")
            .map(|decision| decision["eventType"].as_str().unwrap().to_owned())
            .collect();
        names.join(" ")
    };
    assert_eq!(blocked(json!({"allow_components": ["tool", "activity", "custom"]})), "");
    assert_eq!(blocked(json!({"allow_components": ["tool", "activity"]})), "CUSTOM");
    assert_eq!(blocked(json!({"allow_components": ["activity"], "allow_ids": ["tool:refund", "custom:page.go"]})), "");
    let narrowed = json!({"allow_components": ["tool", "activity", "custom"], "allow_ids": ["tool:search"]});
    assert_eq!(blocked(narrowed), "TOOL_CALL_START", "where ids of a component are listed, only those");
    assert_eq!(blocked(json!({"allow_ids": []})), "TOOL_CALL_START ACTIVITY_SNAPSHOT CUSTOM");
}

#[test]
fn chunks_of_what_was_blocked() {
    let policy = json!({"restricted_classifications": ["submit"], "allow_display_without_capability": true});
    for strict in [true, false] {
        let events = [
            event!("TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "refund", "delta": "{"),
            event!("TOOL_CALL_CHUNK", "delta": "}"),
            event!("TEXT_MESSAGE_CHUNK", "messageId": "m", "role": "assistant", "delta": "a"),
            event!("TEXT_MESSAGE_CHUNK", "delta": "b"),
        ];
        let mut agent = run(ag_ui(policy.clone(), strict), &events);
        assert_eq!(agent.snapshot()["toolCalls"], json!([]));
        assert_eq!(agent.snapshot()["messages"][1]["content"], "ab");
        assert_eq!(agent.snapshot()["outcome"], "success");
        assert_eq!(agent.warnings, ["event-blocked"]);
    }
}

#[test]
fn nothing_comes_of_what_was_blocked_when_it_began() {
    for strict in [true, false] {
        let mut policy = open();
        policy["velocity"] =
            json!([{"match": {"event_type": "TEXT_MESSAGE_START"}, "max_invocations": 1, "window_seconds": 60}]);
        let events: Vec<Value> = ["a", "b"]
            .iter()
            .flat_map(|id| {
                [
                    event!("TEXT_MESSAGE_START", "messageId": id, "role": "assistant"),
                    event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": id),
                    event!("TEXT_MESSAGE_END", "messageId": id),
                ]
            })
            .collect();
        let mut agent = run(ag_ui(policy, strict), &events);
        let texts: Vec<&Value> =
            agent.snapshot()["messages"].as_array().unwrap().iter().skip(1).map(|m| &m["content"]).collect();
        assert_eq!(texts, ["a"]);
        assert_eq!(agent.snapshot()["outcome"], "success");
        let reasons: Vec<_> = agent.decisions.iter().filter_map(|decision| decision["reason"].as_str()).collect();
        assert_eq!(
            reasons,
            ["velocity limit exceeded: 1 TEXT_MESSAGE_START events in 60 seconds", "what it belongs to was blocked"]
        );
    }
}

#[test]
fn subagents_that_were_blocked() {
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "SUBAGENT_STARTED"}, "max_invocations": 0, "window_seconds": 1});
    let events = [
        event!("SUBAGENT_STARTED", "subagentRunId": "one", "name": "helper"),
        event!("SUBAGENT_STARTED", "subagentRunId": "two", "name": "helper", "parentSubagentRunId": "one"),
        event!("TEXT_MESSAGE_START", "messageId": "m", "role": "assistant", "subagentRunId": "two"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "x", "subagentRunId": "two"),
        event!("TEXT_MESSAGE_END", "messageId": "m", "subagentRunId": "two"),
        event!("SUBAGENT_FINISHED", "subagentRunId": "two"),
        event!("SUBAGENT_FINISHED", "subagentRunId": "one"),
    ];
    let mut agent = run(ag_ui(policy, true), &events);
    assert_eq!(agent.snapshot()["outcome"], "success");
    assert_eq!((agent.snapshot()["subagents"].clone(), told(&agent)), (json!([]), vec!["RUN_STARTED", "RUN_FINISHED"]));
}

#[test]
fn a_snapshot_of_messages_is_no_way_around() {
    let with_call = event!("MESSAGES_SNAPSHOT", "messages": [
        {"id": "u0", "role": "user", "content": "go"},
        {"id": "m", "role": "assistant", "toolCalls": [{"id": "c", "type": "function", "function": {"name": "refund", "arguments": "{}"}}]},
    ]);
    let policy = |class: &str| json!({"restricted_classifications": [class], "allow_display_without_capability": true});
    for (class, blocked) in [("submit", true), ("mutate", true), ("navigate", false)] {
        let mut agent = run(ag_ui(policy(class), true), std::slice::from_ref(&with_call));
        assert_eq!(agent.snapshot()["toolCalls"].as_array().unwrap().is_empty(), blocked, "{class}");
    }
}

#[test]
fn rates() {
    let mut policy = open();
    policy["max_events_per_second"] = json!(3);
    let mut agent = ag_ui(policy, false);
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.event(request, event!("RUN_STARTED", "threadId": "t", "runId": "r"));
    agent.event(request, event!("TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"));
    for second in 0..2 {
        for part in ["a", "b", "c", "d", "e"] {
            agent.event(request, event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": part));
        }
        agent.now += 1000.0;
        let _ = second;
    }
    // The end of a message shows nothing: it comes, however fast.
    agent.event(request, event!("TEXT_MESSAGE_END", "messageId": "m"));
    agent.event(request, event!("RUN_FINISHED", "threadId": "t", "runId": "r"));
    agent.end(request);
    assert_eq!(agent.snapshot()["messages"][1]["content"], "ababc");
    assert_eq!(agent.snapshot()["messages"][1]["delivery"], "complete");
    assert_eq!(counters(&agent), json!({"forwarded": 6, "blocked": 5, "total": 11}));
    assert_eq!(agent.decisions.last().unwrap()["reason"], "rate limit exceeded: 3 events per second");
}

#[test]
fn policies_that_cannot_be_read() {
    let guard = |json: &str| ag_ui_wasm::guard::Guard::new(json).is_ok();
    assert!(guard("{}"));
    for bad in [
        "",
        "[]",
        r#"{"restricted_classifications":["all"]}"#,
        r#"{"restricted_classifications":"submit"}"#,
        r#"{"allow_display_without_capability":1}"#,
        r#"{"max_events_per_second":-1}"#,
        r#"{"allow_ids":[1]}"#,
        r#"{"velocity":[{"max_invocations":1}]}"#,
        r#"{"inbound":true}"#,
        r#"{"capabilities":[{"issued_at":1}]}"#,
        r#"{"classifications":{"CUSTOM":"x"}}"#,
    ] {
        assert!(!guard(bad), "{bad}");
    }
}

/// Whatever a policy blocks of a legal stream, what is left is legal.
#[test]
fn no_policy_breaks_the_order() {
    let mut seed = 11_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    let classes = ["display", "mutate", "navigate", "create", "destroy", "submit", "alert"];
    let steps = conversation();
    for round in 0..400 {
        let restricted: Vec<_> = classes.iter().filter(|_| random(4) == 0).collect();
        let mut policy =
            json!({"restricted_classifications": restricted, "allow_display_without_capability": random(5) > 0});
        if random(2) == 0 {
            policy["max_events_per_second"] = json!(random(9));
        }
        let velocities: Vec<Value> = (0..random(4))
            .map(|_| {
                let name = steps[random(steps.len())]["type"].clone();
                json!({"match": {"event_type": name}, "max_invocations": random(3), "window_seconds": 1 + random(2)})
            })
            .collect();
        policy["velocity"] = json!(velocities);
        if random(3) == 0 {
            policy["allow_ids"] = json!(["tool:refund"]);
        }
        let mut agent = ag_ui(policy.clone(), true);
        let request = agent.submit("go");
        agent.head(request, 200, "text/event-stream");
        agent.event(request, event!("RUN_STARTED", "threadId": "t", "runId": "r"));
        for turn in 0..4 {
            for step in &steps {
                let mut step = step.clone();
                for id in ["messageId", "toolCallId", "subagentRunId"] {
                    if let Some(text) = step[id].as_str().map(|text| format!("{text}{turn}")) {
                        step[id] = json!(text);
                    }
                }
                agent.event(request, step);
                agent.now += [0.0, 100.0, 700.0][random(3)];
            }
        }
        agent.event(request, event!("RUN_FINISHED", "threadId": "t", "runId": "r"));
        agent.end(request);
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["outcome"], "success", "round {round}: {policy} {}", snapshot["error"]);
        let odd = agent
            .warnings
            .iter()
            .find(|code| !["event-blocked", "state-patch-failed", "activity-patch-failed"].contains(&code.as_str()));
        assert_eq!(odd, None, "round {round}: {policy}");
    }
}

/// More blocked beginnings than are kept: nothing of them comes through for it.
#[test]
fn a_flood_of_blocked_beginnings() {
    let policy = json!({"restricted_classifications": ["submit"], "allow_display_without_capability": true});
    let starts = (0..5000).map(|i| event!("TOOL_CALL_START", "toolCallId": format!("c{i}"), "toolCallName": "x"));
    let results = (0..5000).map(
        |i| event!("TOOL_CALL_RESULT", "messageId": format!("r{i}"), "toolCallId": format!("c{i}"), "content": "x"),
    );
    let events: Vec<Value> = starts.chain(results).collect();
    let mut agent = run(ag_ui(policy, true), &events);
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), 1);
    assert_eq!(agent.snapshot()["outcome"], "success");
}

/// A member that is not known, and the nearest one that is.
#[test]
fn policies_name_what_they_do_not_know() {
    for (policy, named) in [
        (
            r#"{"allow_component":[]}"#,
            r#""allow_component" is no known member of the policy; the nearest is "allow_components""#,
        ),
        (
            r#"{"allowComponent":[]}"#,
            r#""allowComponent" is no known member of the policy; the nearest is "allowComponents""#,
        ),
        (r#"{"velocity":{"max_invocation":1}}"#, r#"the nearest is "max_invocations""#),
        (r#"{"restricted_classifications":["submitt"]}"#, r#"in "restrictedClassifications"; the nearest is "submit""#),
        (r#"{"allow_components":null}"#, "null"),
        (r#"{"allow_ids":[],"allowIds":[]}"#, "twice"),
        (r#"{"inbound":[]}"#, "must be an object"),
        (r#"{"velocity":{"max_invocations":1,"window_seconds":0}}"#, "from 1 on"),
        (r#"{"capability_scopes":[{"scope_id":"","allow_event_types":[],"allow_targets":[]}]}"#, "not empty"),
    ] {
        let error = ag_ui_wasm::guard::Guard::new(policy).unwrap_err();
        assert!(error.contains(named), "{policy}: {error}");
    }
}
