//! Capabilities: their time, how they are presented, and what they are bound to.

use super::*;

fn token(issued_at: u64, expires_at: u64, tool: &str, constraints: Value) -> Value {
    let grant = json!({"server_id": "ag-ui", "tool_name": tool, "operations": ["invoke"], "constraints": constraints});
    json!({"id": "c", "issuer": "i", "subject": "s", "scope": {"grants": [grant]}, "issued_at": issued_at, "expires_at": expires_at, "signature": "x"})
}

#[test]
fn capabilities_have_their_time() {
    // The clock stands at one second.
    for (issued, expires, reason) in [
        (1, 2, None),
        (0, 1, Some("capability time validation failed: capability expired at 1")),
        (2, 9, Some("capability time validation failed: capability not yet valid (not_before: 2)")),
    ] {
        let policy = json!({"capabilities": [token(issued, expires, "display", json!([]))]});
        let agent = run(ag_ui(policy, true), &conversation());
        let of = |name: &str| agent.decisions.iter().find(|decision| decision["eventType"] == name).unwrap();
        assert_eq!(of("STATE_SNAPSHOT").get("reason").and_then(Value::as_str), reason);
        assert_eq!(of("TEXT_MESSAGE_START")["allowed"], true, "for what is not restricted any token does");
    }
}

#[test]
fn capabilities_are_presented_anew() {
    let mut agent = ag_ui(json!({}), true);
    agent.session.present(&json!([token(0, 9, "*", json!([]))]).to_string()).unwrap();
    assert!(agent.session.present("[{}]").is_err(), "what is no token changes nothing");
    let mut agent = run(agent, &conversation());
    assert_eq!(agent.snapshot()["state"], json!({"a": 1, "b": 2}));
    assert_eq!(counters(&agent)["blocked"], 0);
}

#[test]
fn capabilities_as_they_were_signed() {
    let text = token(0, 9, "*", json!([])).to_string().replace("\"id\":\"c\"", "\"id\":1.10");
    let agent = run(ag_ui(json!({"capabilities": [text]}), true), &conversation());
    assert_eq!(counters(&agent)["blocked"], 0);
    for wrong in [format!("{text},{text}"), "{".to_owned(), "1".to_owned(), String::new()] {
        let mut agent = ag_ui(json!({}), true);
        assert!(agent.session.present(&json!([wrong]).to_string()).is_err(), "a string has one token");
    }
}

#[test]
fn capabilities_that_are_bound() {
    let bound = json!([
        {"type": "custom", "value": ["target_component_type", "tool"]},
        {"type": "custom", "value": ["target_component_id", "refund"]},
    ]);
    let policy = json!({"bind_capability": true, "allow_display_without_capability": true, "capabilities": [token(0, 9, "submit", bound)]});
    let mut agent = run(ag_ui(policy, true), &conversation()[9..10]);
    assert_eq!(agent.snapshot()["toolCalls"][0]["name"], "refund");
    assert_eq!(counters(&agent), json!({"forwarded": 1, "blocked": 0, "total": 1}));
}
