//! What the user changes: messages, the queue, the state, and answers given one by one.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod support;

use ag_ui_wasm::session::Options;
use serde_json::{Value, json};
use support::Agent;
use support::runs::{finished, outcomes, started, text, user};

fn answered() -> Agent {
    let mut agent = Agent::new(Options::default());
    let [start, content] = text("m", "an answer");
    agent.run(&[started("r"), start, content, event!("TEXT_MESSAGE_END", "messageId": "m"), finished("r")]);
    agent
}

#[test]
fn a_user_message_may_be_replaced_with_all_that_followed_on_it() {
    let mut agent = answered();
    agent.act(|session, now| {
        let unknown =
            session.submit(&json!({"runId": "q", "messages": [user("x", "?")], "replaces": "m"}).to_string(), now);
        assert_eq!(unknown.unwrap_err().code(), "nothing-to-replace");
    });
    agent.submit_json(json!({"runId": "q", "messages": [user("u1", "better")], "replaces": "u0"}));
    let sent: Vec<_> =
        agent.requests[1].1["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(sent, ["better"]);
}

#[test]
fn what_waits_may_be_changed() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    let ticket = agent.submit_json(json!({"runId": "q", "messages": [user("u2", "second")]}));
    agent.act(|session, _| {
        let json = json!({"runId": "q", "messages": [user("u2", "second, but better")]}).to_string();
        assert!(session.edit_queued(ticket, &json).unwrap());
        assert!(!session.edit_queued(99, &json).unwrap());
    });
    assert_eq!(agent.snapshot()["queue"][0]["messages"][0]["content"], "second, but better");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r"), finished("r")]);
    agent.end(request);
    assert_eq!(agent.requests[1].1["messages"][1]["content"], "second, but better");
}

#[test]
fn edits_of_the_state_stay_while_the_server_changes_what_is_beneath() {
    let mut agent = Agent::with(Options::default(), None, Some("{\"a\":1,\"b\":{\"c\":1},\"gone\":1}"));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.act(|session, _| session.set_state("{\"a\":1,\"b\":{\"c\":2}}").unwrap());
    let delta = |operations: Value| event!("STATE_DELTA", "delta": operations);
    let snapshot = agent.events(
        request,
        &[delta(json!([{"op": "replace", "path": "/a", "value": 5}, {"op": "add", "path": "/b/d", "value": 3}, {"op": "remove", "path": "/gone"}]))],
    );
    assert_eq!(snapshot["state"], json!({"a": 5, "b": {"c": 2, "d": 3}}), "the server's patch found what it knows");
    let snapshot = agent.events(request, &[event!("STATE_SNAPSHOT", "snapshot": {"a": 6, "b": {"c": 7}, "gone": 2})]);
    assert_eq!(snapshot["state"], json!({"a": 6, "b": {"c": 2}}));
    agent.events(request, &[finished("r")]);
    agent.end(request);
    // From here the server knows.
    let request = agent.submit("again");
    assert_eq!(agent.requests[1].1["state"], json!({"a": 6, "b": {"c": 2}}));
    agent.head(request, 200, "text/event-stream");
    let snapshot = agent.events(request, &[started("r2"), event!("STATE_SNAPSHOT", "snapshot": {"b": 1})]);
    assert_eq!(snapshot["state"], json!({"b": 1}));
}

#[test]
fn interrupts_may_be_answered_one_by_one() {
    let mut agent = Agent::new(Options::default());
    let open = json!([{"id": "a", "reason": "confirmation"}, {"id": "b", "reason": "confirmation"}]);
    agent.run(&[
        started("r"),
        event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "interrupt", "interrupts": open}),
    ]);
    let answer = |agent: &mut Agent, id: &str, payload: Value| {
        let json =
            json!({"interruptId": id, "status": "resolved", "payload": payload, "run": {"runId": "q", "messages": []}});
        let mut result = None;
        agent.act(|session, now| result = Some(session.answer(&json.to_string(), now)));
        result.unwrap()
    };
    let first = answer(&mut agent, "b", json!(1)).unwrap();
    assert_eq!(agent.requests.len(), 1, "one is missing");
    assert_eq!(agent.snapshot()["interrupts"][1], json!({"id": "b", "reason": "confirmation", "answered": true}));
    assert_eq!(answer(&mut agent, "zzz", json!(1)).unwrap_err().code(), "interrupt-unknown");
    let second = answer(&mut agent, "b", json!(2)).unwrap();
    let third = answer(&mut agent, "a", json!(3)).unwrap();
    let resume = agent.requests[1].1["resume"].clone();
    assert_eq!(
        resume,
        json!([{"interruptId": "b", "status": "resolved", "payload": 2}, {"interruptId": "a", "status": "resolved", "payload": 3}])
    );
    let request = agent.requests[1].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("q"), finished("q")]);
    agent.end(request);
    assert_eq!(outcomes(&agent), [(1, "interrupted"), (first, "dropped"), (third, "success"), (second, "success")]);
    assert_eq!(agent.snapshot()["interrupts"], json!([]));
}
