//! Calls that the page is about to execute, and the application's input.

use super::*;
use crate::support::SessionCalls;

pub const ROWS: &[Row] = &[("a call that is about to be executed", executed), ("what the application gives", given)];

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
