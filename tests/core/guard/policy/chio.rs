//! Chio's own events, which say what class they are of.

use super::*;

fn chio(id: &str, kind: &str, class: &str, target: Value, payload: Value) -> Value {
    let mut event = json!({"event_id": id, "timestamp": 1, "agent_id": "a", "session_id": "s", "event_type": kind,
        "classification": class, "payload": payload});
    if !target.is_null() {
        event["target"] = target;
    }
    event
}

fn chio_run(policy: Value, events: &[Value]) -> Agent {
    let mut agent = Agent::guarded(Some("chio"), policy, Options { strict: true, ..Options::default() });
    agent.run(events);
    agent
}

#[test]
fn chios_events_are_judged_once_by_what_they_are() {
    let chat = json!({"component_type": "chat", "component_id": "main"});
    let events = [
        chio("1", "text_stream", "display", chat.clone(), json!({"text": "Hi"})),
        chio("2", "state_update", "mutate", Value::Null, json!({"path": "/a", "value": 1})),
        chio("3", "navigation", "navigate", Value::Null, json!({"url": "/x"})),
        chio("4", "notification", "alert", json!({"component_type": "toast"}), json!({})),
    ];
    let policy = json!({"restricted_classifications": ["navigate"], "allow_display_without_capability": true});
    let mut agent = chio_run(policy, &events);
    assert_eq!(counters(&agent), json!({"forwarded": 3, "blocked": 1, "total": 4}));
    let customs: Vec<_> = agent.custom.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(customs, ["chio.state_update", "chio.notification"]);
    assert_eq!(agent.snapshot()["state"], json!({"a": 1}));
    assert_eq!(
        agent.decisions[0],
        json!({"allowed": true, "classification": "display", "eventType": "text_stream", "direction": "outbound", "eventId": "1",
            "target": {"componentType": "chat", "componentId": "main"}, "at": 1000})
    );
    assert_eq!(agent.decisions[2]["reason"], "capability required for Navigate events");
}

#[test]
fn chios_classes_are_compared_where_asked() {
    let events = [
        chio("1", "navigation", "display", Value::Null, json!({})),
        chio("2", "lifecycle", "create", Value::Null, json!({"action": "blink"})),
        chio("3", "text_stream", "display", Value::Null, json!({"text": "ok"})),
    ];
    let mut policy = open();
    let lenient = chio_run(policy.clone(), &events);
    assert_eq!(counters(&lenient)["blocked"], 0);
    policy["compare_classification"] = json!(true);
    let agent = chio_run(policy, &events);
    let reasons: Vec<_> = agent.decisions.iter().map(|decision| decision["reason"].as_str().unwrap_or("")).collect();
    let mismatch = "event classification mismatch: supplied display, derived navigate";
    assert_eq!(reasons, [mismatch, "lifecycle AG-UI event action is not classifiable: blink", ""]);
}

#[test]
fn receipts_reach_the_application_whatever_the_policy() {
    let receipts = fixture("chio/01-sse-default-config.receipts.jsonl");
    let receipts: Vec<Value> =
        String::from_utf8(receipts).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let agent = chio_run(json!({}), &receipts);
    assert_eq!(agent.custom.len(), receipts.len());
    assert_eq!(counters(&agent)["total"], 0);
}

/// An AG-UI frame has no say in its own class, in whatever members it says it.
#[test]
fn ag_ui_events_do_not_classify_themselves() {
    let spoof = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "refund", "classification": "display",
        "rawEvent": {"classification": "display"});
    for dialect in [None, Some("chio")] {
        let policy = json!({"restricted_classifications": ["submit"], "allow_display_without_capability": true});
        let mut agent = Agent::guarded(dialect, policy, Options::default());
        agent.run(&[event!("RUN_STARTED", "threadId": "t", "runId": "r"), spoof.clone()]);
        assert_eq!(agent.snapshot()["toolCalls"], json!([]));
    }
}

#[test]
fn a_text_whose_beginning_was_blocked_goes_on_whole() {
    let mut policy = open();
    policy["velocity"] = json!({"match": {"event_type": "navigation"}, "max_invocations": 0, "window_seconds": 9});
    policy["allow_components"] = json!(["chat"]);
    let (chat, other) = (json!({"component_type": "chat"}), json!({"component_type": "spoof"}));
    let events = [
        chio("1", "text_stream", "display", other, json!({"text": "no"})),
        chio("2", "navigation", "navigate", Value::Null, json!({})),
        chio("3", "text_stream", "display", chat, json!({"text": "yes"})),
    ];
    let mut agent = chio_run(policy, &events);
    let messages = agent.snapshot()["messages"].clone();
    assert_eq!((messages.as_array().unwrap().len(), &messages[1]["content"]), (2, &json!("yes")));
    assert_eq!(agent.snapshot()["outcome"], "success");
}
