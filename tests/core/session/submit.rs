//! Submits: what they show and send, who waits and who goes first, and runs that are asked for again.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::*;
use ag_ui_wasm::session::{Misuse, Options};
use serde_json::{Value, json};

fn ids(snapshot: &Value) -> Vec<&str> {
    snapshot["messages"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn a_submit_shows_the_message_at_once_and_sends_it() {
    let mut agent = Agent::new(Options::default());
    agent.submit("hi");
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["messages"], json!([{"id": "u0", "role": "user", "content": "hi", "delivery": "complete"}]));
    assert_eq!(snapshot["status"], "running");
    assert_eq!(snapshot["isLoading"], true);
    assert_eq!(snapshot["runId"], "r");
    assert_eq!(snapshot["connection"], json!({"phase": "connecting", "attempt": 0}));
    assert_eq!(
        agent.sent(),
        &json!({"threadId": "t", "runId": "r", "protocolVersion": "1.0", "state": {}, "tools": [], "context": [],
            "forwardedProps": {}, "messages": [{"id": "u0", "role": "user", "content": "hi"}]})
    );
}

#[test]
fn everything_that_a_submit_may_carry_is_sent() {
    let mut agent = Agent::with(Options::default(), None, Some("{\"kept\":1,\"changed\":1}"));
    let tools = json!([{"name": "f", "description": "d", "parameters": {"type": "object"}}]);
    let context = json!([{"description": "d", "value": "v"}]);
    let resume = json!([{"interruptId": "i", "status": "resolved", "payload": {"ok": true}}]);
    let parts = json!([{"type": "text", "text": "see"}, {"type": "image", "source": {"type": "url", "value": "u"}}]);
    agent.submit_json(json!({
        "runId": "r", "messages": [{"id": "u", "role": "user", "content": parts, "name": "Ann"}], "tools": tools,
        "context": context, "resume": resume, "forwardedProps": {"x": null}, "state": {"changed": 2, "new": 3},
    }));
    let sent = agent.sent();
    assert_eq!(sent["messages"], json!([{"id": "u", "role": "user", "content": parts, "name": "Ann"}]));
    assert_eq!((&sent["tools"], &sent["context"], &sent["resume"]), (&tools, &context, &resume));
    assert_eq!(sent["forwardedProps"], json!({"x": null}));
    assert_eq!(sent["state"], json!({"kept": 1, "changed": 2, "new": 3}));
    assert_eq!(agent.snapshot()["state"], json!({"kept": 1, "changed": 2, "new": 3}));
}

#[test]
fn a_message_that_the_thread_has_is_not_added_again() {
    let mut agent = Agent::new(Options::default());
    agent.run(&[started("r"), finished("r")]);
    agent.submit_json(json!({"runId": "r2", "messages": [user("u0", "go"), user("u1", "new"), user("u1", "new")]}));
    assert_eq!(ids(agent.snapshot()), ["u0", "u1"]);
    assert_eq!(agent.sent()["messages"], json!([user("u0", "go"), user("u1", "new")]));
}

#[test]
fn input_that_is_not_what_it_must_be_changes_nothing() {
    let mut agent = Agent::new(Options::default());
    for json in [
        "",
        "[]",
        "{}",
        r#"{"runId":7}"#,
        r#"{"runId":"r","messages":{}}"#,
        r#"{"runId":"r","ifBusy":"later"}"#,
        r#"{"runId":"r","tools":{}}"#,
        r#"{"runId":"r","resume":"i"}"#,
        r#"{"runId":"r""#,
    ] {
        assert!(matches!(agent.session.submit(json, 0.0), Err(Misuse::Input(_))), "{json}");
    }
    assert!(matches!(agent.session.set_messages("{}"), Err(Misuse::Input(_))));
    assert!(matches!(agent.session.set_state("{"), Err(Misuse::Input(_))));
    assert_eq!(agent.session.poll_effect(), None);
    assert_eq!(agent.patch(), None);
}

#[test]
fn submits_wait_for_their_turn() {
    let (mut agent, request) = streaming();
    let (second, third) = (agent.submit_json(input("b", "2")), agent.submit_json(input("c", "3")));
    let snapshot = agent.snapshot();
    assert_eq!(ids(snapshot), ["u0", "m"]);
    assert_eq!(
        snapshot["queue"],
        json!([{"id": "b", "runId": "b", "messages": [user("b", "2")]},
            {"id": "c", "runId": "c", "messages": [user("c", "3")]}])
    );
    assert_eq!(agent.requests.len(), 1);
    agent.event(request, finished("r"));
    agent.end(request);
    assert_eq!(ids(agent.snapshot()), ["u0", "m", "b"]);
    assert_eq!(agent.requests.len(), 2, "one run at a time");
    assert_eq!(agent.sent()["messages"].as_array().unwrap().len(), 3, "with the answer of the first");
    // Also after a run that fails.
    agent.head(2, 500, "text/plain");
    agent.end(2);
    assert_eq!(agent.snapshot()["status"], "running");
    assert_eq!(ids(agent.snapshot()), ["u0", "m", "b", "c"]);
    agent.head(3, 200, "text/event-stream");
    agent.events(3, &[started("c"), finished("c")]);
    agent.end(3);
    assert_eq!(agent.snapshot()["queue"], json!([]));
    assert_eq!(outcomes(&agent), [(1, "success"), (second, "error"), (third, "success")]);
}

#[test]
fn a_queue_has_a_limit() {
    let mut agent = Agent::new(Options { max_queue: 1, ..Options::default() });
    agent.submit("a");
    agent.submit_json(input("b", "2"));
    assert_eq!(agent.session.submit(&input("c", "3").to_string(), 0.0), Err(Misuse::QueueFull));
    assert_eq!(agent.snapshot()["queue"].as_array().unwrap().len(), 1);
}

#[test]
fn replace_stops_the_run_and_comes_before_what_waits() {
    let (mut agent, request) = streaming();
    agent.submit_json(input("b", "2"));
    agent.submit_json(busy("c", "replace"));
    let snapshot = agent.snapshot();
    assert_eq!(ids(snapshot), ["u0", "m", "c"]);
    assert_eq!(snapshot["messages"][1]["delivery"], "aborted");
    assert_eq!(snapshot["messages"][1]["content"], "Hello", "the partial answer stays");
    assert_eq!(snapshot["status"], "running");
    assert_eq!(snapshot["queue"][0]["id"], "b");
    assert_eq!(agent.closed, [request]);
    assert_eq!(outcomes(&agent), [(1, "aborted")]);
    assert_eq!(agent.requests.len(), 2);
}

#[test]
fn drop_and_reject_leave_the_run_alone() {
    let (mut agent, request) = streaming();
    let dropped = agent.submit_json(busy("b", "drop"));
    assert_eq!(agent.settled, [(dropped, json!({"runId": "b", "outcome": "dropped"}))]);
    assert_eq!(agent.session.submit(&busy("c", "reject").to_string(), 0.0), Err(Misuse::Busy));
    assert_eq!(ids(agent.snapshot()), ["u0", "m"]);
    assert_eq!(agent.snapshot()["queue"], json!([]));
    agent.event(request, finished("r"));
    agent.end(request);
    // Nothing is on: all policies are the same.
    for policy in ["queue", "replace", "drop", "reject"] {
        let mut agent = Agent::new(Options::default());
        agent.submit_json(busy("x", policy));
        assert_eq!(agent.requests.len(), 1, "{policy}");
    }
}

#[test]
fn a_submit_while_the_body_only_drains_starts_at_once() {
    let (mut agent, request) = streaming();
    agent.event(request, finished("r"));
    assert_eq!(agent.requests.len(), 1);
    agent.submit_json(busy("b", "reject"));
    assert_eq!(agent.requests.len(), 2);
    assert_eq!(agent.closed, [request]);
    assert_eq!(outcomes(&agent), [(1, "success")]);
    assert_eq!(ids(agent.snapshot()), ["u0", "m", "b"]);
}

#[test]
fn what_waited_before_goes_before_a_submit_while_the_body_drains() {
    for (policy, begun, waits) in [("queue", "b", 1), ("replace", "c", 0), ("drop", "b", 0), ("reject", "b", 0)] {
        let (mut agent, request) = streaming();
        agent.submit_json(input("b", "2"));
        agent.event(request, finished("r"));
        let result = agent.session.submit(&busy("c", policy).to_string(), agent.now);
        agent.act(|_, _| {});
        assert_eq!(result == Err(Misuse::Busy), policy == "reject", "{policy}");
        assert_eq!(agent.sent()["runId"], begun, "{policy}");
        assert_eq!(agent.snapshot()["queue"].as_array().unwrap().len(), waits, "{policy}");
    }
}

#[test]
fn one_submit_may_be_taken_back() {
    let (mut agent, request) = streaming();
    let (second, third) = (agent.submit_json(input("b", "2")), agent.submit_json(input("c", "3")));
    agent.act(|session, now| session.cancel(second, now));
    agent.act(|session, now| session.cancel(second, now));
    agent.act(|session, now| session.cancel(99, now));
    assert_eq!(agent.settled, [(second, json!({"runId": "b", "outcome": "aborted"}))]);
    assert_eq!(agent.snapshot()["queue"].as_array().unwrap().len(), 1);
    assert_eq!(agent.snapshot()["status"], "running");
    // The one that is on: as stop.
    agent.act(|session, now| session.cancel(1, now));
    assert_eq!(outcomes(&agent), [(second, "aborted"), (1, "aborted")]);
    assert_eq!(agent.closed, [request]);
    assert_eq!(agent.snapshot()["runId"], "c");
    agent.act(|session, now| session.cancel(third, now));
    assert_eq!(agent.snapshot()["status"], "idle");
}

#[test]
fn retry_drops_what_was_left_unfinished_and_nothing_else() {
    let (mut agent, request) = streaming();
    agent.events(request, &[event!("TEXT_MESSAGE_END", "messageId": "m")]);
    agent.events(request, &text("n", "Half"));
    agent.events(request, &[event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"), failed()]);
    agent.end(request);
    assert_eq!(ids(agent.snapshot()), ["u0", "m", "n", "c"]);
    agent.act(|session, now| _ = session.retry("{\"runId\":\"r2\"}", now).unwrap());
    let snapshot = agent.snapshot();
    assert_eq!(ids(snapshot), ["u0", "m"]);
    assert_eq!(snapshot["toolCalls"], json!([]));
    assert_eq!(snapshot.get("error"), None);
    assert_eq!(snapshot["status"], "running");
    assert_eq!(
        agent.sent()["messages"],
        json!([user("u0", "go"), {"id": "m", "role": "assistant", "content": "Hello"}])
    );
    assert_eq!(agent.sent()["runId"], "r2");
}

#[test]
fn retry_sends_no_call_without_its_answer() {
    let (mut agent, request) = streaming();
    for call in ["c", "d"] {
        let start = event!("TOOL_CALL_START", "toolCallId": call, "toolCallName": "f", "parentMessageId": "m");
        agent.events(request, &[start, event!("TOOL_CALL_END", "toolCallId": call)]);
    }
    agent.events(request, &[event!("TEXT_MESSAGE_END", "messageId": "m")]);
    agent.events(request, &[event!("TOOL_CALL_RESULT", "messageId": "a", "toolCallId": "c", "content": "1"), failed()]);
    agent.end(request);
    agent.act(|session, now| _ = session.retry("{\"runId\":\"r2\"}", now).unwrap());
    assert_eq!(ids(agent.snapshot()), ["u0"], "the answer of one call has nothing to stand after");
}

#[test]
fn retry_of_a_run_that_never_answered_sends_the_same_messages() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("hi");
    agent.act(|session, now| session.failed(request, "offline", now));
    agent.act(|session, now| _ = session.retry("{\"runId\":\"r2\"}", now).unwrap());
    assert_eq!(agent.requests[0].1["messages"], agent.requests[1].1["messages"]);
}

#[test]
fn regenerate_answers_the_same_question_again() {
    let mut agent = Agent::new(Options::default());
    for (run, answer) in [("r", "a"), ("r2", "b")] {
        let [start, content] = text(answer, "x");
        agent.run(&[started(run), start, content, finished(run)]);
    }
    assert_eq!(ids(agent.snapshot()), ["u0", "a", "u1", "b"]);
    agent.act(|session, now| _ = session.regenerate(None, "{\"runId\":\"r3\"}", now).unwrap());
    assert_eq!(ids(agent.snapshot()), ["u0", "a", "u1"]);
    assert_eq!(agent.sent()["messages"].as_array().unwrap().len(), 3);
    agent.act(|session, now| session.stop(now));
    // An earlier one: what came after it goes too.
    agent.act(|session, now| _ = session.regenerate(Some("a"), "{\"runId\":\"r4\"}", now).unwrap());
    assert_eq!(ids(agent.snapshot()), ["u0"]);
    agent.act(|session, now| session.stop(now));
    for id in ["a", "u0"] {
        assert_eq!(
            agent.session.regenerate(Some(id), "{\"runId\":\"r5\"}", 0.0),
            Err(Misuse::NothingToRegenerate),
            "{id}"
        );
    }
    assert_eq!(ids(agent.snapshot()), ["u0"]);
    // The answer was stopped before it began.
    agent.act(|session, now| assert!(session.regenerate(None, "{\"runId\":\"r5\"}", now).is_ok()));
    assert_eq!(agent.sent()["messages"], json!([user("u0", "go")]));
}

#[test]
fn regenerate_loses_no_question_that_has_no_answer() {
    let mut agent = failed_second();
    let request = agent.requests.len();
    agent.act(|session, now| _ = session.retry(r#"{"runId":"r3"}"#, now).unwrap());
    agent.act(|session, now| session.failed(request as u32 + 1, "offline", now));
    agent.act(|session, now| session.stop(now));
    assert_eq!(ids(agent.snapshot()), ["u0", "a", "u1"]);
    agent.act(|session, now| _ = session.regenerate(None, r#"{"runId":"r4"}"#, now).unwrap());
    assert_eq!(ids(agent.snapshot()), ["u0", "a", "u1"]);
    let mut empty = Agent::new(Options::default());
    assert_eq!(empty.session.regenerate(None, r#"{"runId":"r"}"#, 0.0), Err(Misuse::NothingToRegenerate));
}

/// A question, its answer, and another question whose run has failed.
fn failed_second() -> Agent {
    let mut agent = Agent::new(Options::default());
    agent.run(&[vec![started("r")], text("a", "x").to_vec(), vec![finished("r")]].concat());
    let parts = json!([{"type": "text", "text": "see"}]);
    let message = json!({"id": "u1", "role": "user", "content": parts, "name": "Ann", "metadata": {"k": 1}});
    agent.submit_json(json!({"runId": "r2", "messages": [message]}));
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[vec![started("r2")], text("b", "half").to_vec(), vec![failed()]].concat());
    agent.end(request);
    agent
}

#[test]
fn a_question_is_asked_again_under_another_id() {
    let mut agent = failed_second();
    let before = agent.snapshot()["messages"][2].clone();
    agent.act(|session, now| _ = session.retry(r#"{"runId":"r3","newMessageId":"new"}"#, now).unwrap());
    assert_eq!(ids(agent.snapshot()), ["u0", "a", "new"]);
    let mut after = agent.snapshot()["messages"][2].clone();
    assert_eq!(agent.sent()["messages"][2]["id"], "new");
    assert_eq!(agent.sent()["messages"][2]["content"], before["content"]);
    after["id"] = json!("u1");
    assert_eq!(after, before, "the rest of the message stays");
    let saved: Value = serde_json::from_str(&agent.session.save()).unwrap();
    assert_eq!(saved["messages"][2]["id"], "new");
    // The answer stands after it, and a snapshot of the server that has the new id adds nothing.
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[vec![started("r3")], text("c", "y").to_vec()].concat());
    let known = agent.sent()["messages"].clone();
    agent.events(request, &[event!("MESSAGES_SNAPSHOT", "messages": known), finished("r3")]);
    agent.end(request);
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap()[2]["id"], "new");
    assert!(!ids(agent.snapshot()).contains(&"u1"));
}

#[test]
fn regenerate_gives_the_question_that_stays_another_id() {
    let mut agent = failed_second();
    agent.act(|session, now| _ = session.regenerate(Some("a"), r#"{"runId":"r3","newMessageId":"new"}"#, now).unwrap());
    assert_eq!(ids(agent.snapshot()), ["new"]);
    assert_eq!(agent.sent()["messages"], json!([user("new", "go")]));
}

#[test]
fn an_id_that_the_thread_has_is_not_given_twice() {
    for id in ["u0", "a", "u1"] {
        let mut agent = failed_second();
        let input = json!({"runId": "r3", "newMessageId": id}).to_string();
        agent.act(|session, now| _ = session.retry(&input, now).unwrap());
        assert_eq!(ids(agent.snapshot()), ["u0", "a", "u1"]);
    }
}

#[test]
fn a_retry_that_waits_keeps_its_new_id_when_it_is_saved_and_edited() {
    let mut agent = Agent::new(Options::default());
    agent.submit("go");
    let mut ticket = 0;
    agent.act(|session, now| ticket = session.retry(r#"{"runId":"r2","newMessageId":"new"}"#, now).unwrap());
    assert!(agent.session.edit_queued(ticket, r#"{"runId":"r2","context":[]}"#).unwrap());
    assert_eq!(ids(agent.snapshot()), ["u0"], "it is given when the run begins");
    let saved = agent.session.save();
    agent.act(|session, now| session.stop(now));
    assert_eq!(ids(agent.snapshot()), ["new"]);
    let mut restored = Agent::new(Options::default());
    restored.act(|session, now| session.restore(&saved, now).unwrap());
    for save in [saved, restored.session.save()] {
        let save: Value = serde_json::from_str(&save).unwrap();
        assert_eq!((&save["queue"][0]["start"], &save["queue"][0]["newMessageId"]), (&json!("retry"), &json!("new")));
    }
}
