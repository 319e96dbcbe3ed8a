//! Outgoing events are judged, too.

use super::*;

#[test]
fn what_goes_to_the_agent() {
    let decide = |policy: Value, event: Value| {
        let mut agent = ag_ui(policy, true);
        let now = agent.now;
        let json = agent.session.judge_inbound(&event.to_string(), now).unwrap();
        let decision: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(decision["direction"], "inbound");
        assert_eq!(counters(&agent)["total"], 0);
        decision.get("reason").and_then(Value::as_str).unwrap_or("").to_owned()
    };
    let rule = json!({"inbound": {"allow_classifications": ["submit"]}});
    let submit = json!({"event_type": "form_action", "payload": {}});
    assert_eq!(decide(rule.clone(), submit.clone()), "");
    assert_eq!(decide(rule.clone(), json!({"event_type": "navigation"})), "inbound Navigate events are not allowed");
    assert_eq!(
        decide(rule.clone(), json!({"event_type": "form_action", "classification": "create"})),
        "inbound Create events are not allowed"
    );
    let display = json!({"inbound": {"allow_classifications": ["display"]}});
    assert_eq!(
        decide(display.clone(), json!({"event_type": "navigation", "classification": "display"})),
        "inbound Navigate events are not allowed",
        "what an event says of itself lets nothing pass that its type forbids"
    );
    assert_eq!(decide(display, json!({"event_type": {"custom": "x"}, "classification": "display"})), "");
    let unknown = "inbound events must be of a known classification";
    assert_eq!(decide(rule.clone(), json!({"event_type": {"custom": "x"}})), unknown);
    assert_eq!(decide(rule.clone(), json!({"event_type": "form_action", "classification": "nice"})), unknown);
    assert_eq!(decide(rule, json!([1])), "inbound frames must be AG-UI events");
    assert_eq!(decide(json!({"inbound": {}}), submit.clone()), "inbound Submit events are not allowed");
    assert_eq!(decide(json!({}), submit), "", "no rule, no check");
}

#[test]
fn a_submit_is_an_event_that_goes_to_the_agent() {
    let policy = |class: &str| json!({"inbound": {"allow_classifications": [class]}});
    let mut agent = Agent::guarded(Some("chio"), policy("submit"), Options::default());
    agent.submit("hello");
    assert_eq!(agent.sent()["payload"]["text"], "hello");
    let mut agent = Agent::guarded(Some("chio"), policy("navigate"), Options::default());
    let message = json!({"id": "u", "role": "user", "content": "hello"});
    agent.submit_json(json!({"runId": "r", "messages": [message]}));
    assert!(agent.requests.is_empty(), "nothing goes out");
    let snapshot = agent.snapshot().clone();
    assert_eq!((&snapshot["error"]["kind"], &snapshot["error"]["code"]), (&json!("blocked"), &json!("guard")));
    assert_eq!((&snapshot["messages"][0]["content"], &snapshot["isLoading"]), (&json!("hello"), &json!(false)));
    assert_eq!(agent.settled[0].1["outcome"], "error");
}
