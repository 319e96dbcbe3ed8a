//! Runs that the page stops, leaves, or joins from elsewhere.

use super::*;
use crate::support::SessionCalls;

#[test]
fn stop_while_waiting() {
    let mut agent = cut(resume("last-event-id"));
    agent.submit_json(input("b", "2"));
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.stopped, ["r"], "the server is told");
    assert_eq!((outcomes(&agent), agent.closed.len()), (vec![(1, "aborted")], 0));
    assert_eq!(agent.requests.len(), 2, "the next one goes");
    assert_eq!(agent.targets[1].0, Target::Run);
    // Its stream has nothing to do with the ids of the other.
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("r:0", &started("b")));
    agent.bytes(2, &frame("r:1", &finished("b")));
    agent.end(2);
    assert_eq!(outcomes(&agent), [(1, "aborted"), (2, "success")]);
    assert_eq!(agent.warnings, [] as [&str; 0]);
}

#[test]
fn the_server_is_notified_of_a_stop_once_and_of_no_end() {
    let (mut agent, request) = streaming();
    agent.events(request, &[finished("r")]);
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.stopped, [] as [&str; 0]);
    agent.submit("again");
    agent.act(|session, now| session.stop(now));
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.stopped, ["r"]);
    // A page that leaves has not asked for the run's end.
    let (mut agent, request) = streaming();
    agent.act(|session, now| session.dispose(now));
    assert_eq!((agent.stopped.as_slice(), agent.closed.as_slice()), (&[] as &[String], &[request][..]));
}

#[test]
fn a_run_that_was_left_is_joined_again() {
    let mut agent = strict(resume("last-event-id"));
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    let [start, hello] = text("m", "Hello");
    for (id, event) in [started("r"), start, hello].iter().enumerate() {
        agent.bytes(request, &frame(&format!("r:{id}"), event));
    }
    agent.act(|session, now| session.disconnect(now));
    agent.act(|session, now| session.disconnect(now));
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], snapshot.get("outcome"), snapshot.get("error")), (&json!("idle"), None, None));
    assert_eq!(snapshot["connection"], json!({"phase": "closed", "attempt": 0, "lastEventId": "r:2"}));
    assert_eq!((outcomes(&agent), agent.closed.as_slice()), (vec![(1, "disconnected")], &[request][..]));
    assert_eq!(agent.stopped, [] as [&str; 0]);
    let late = frame("r:3", &content("m", " late"));
    agent.bytes(request, &late);
    assert_eq!(agent.patch(), None);
    assert_eq!(crate::support::parse(&agent.session.save())["cursor"], "r:2");

    assert_eq!(agent.session.attach("{}", agent.now), Ok(2));
    assert_eq!(agent.session.attach("{}", agent.now), Err(Misuse::Busy));
    agent.act(|_, _| {});
    assert_eq!(agent.targets[1], (Target::Resume, "r".into(), Some("r:2".into())));
    assert_eq!(agent.snapshot()["status"], "running");
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("r:3", &content("m", " you")));
    agent.bytes(2, &frame("r:4", &ended("m")));
    agent.bytes(2, &frame("r:5", &finished("r")));
    agent.end(2);
    assert_eq!(agent.texts(), ["Hello you"]);
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (2, "success")]);
    assert_eq!(agent.warnings, [] as [&str; 0]);
}

#[test]
fn another_page_joins_a_run() {
    for (by, cursor) in [("last-event-id", true), ("snapshot", false), ("replay", false)] {
        let mut agent = strict(resume(by));
        let input = json!({"runId": "r", "cursor": if cursor { json!("r:2") } else { Value::Null }});
        agent.session.attach(&input.to_string(), 0.0).unwrap();
        agent.act(|_, _| {});
        assert_eq!(agent.targets[0], (Target::Resume, "r".into(), cursor.then(|| "r:2".into())));
        agent.head(1, 200, SSE);
        let [start, hello] = text("m", "Hello");
        let messages = event!("MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "content": "Hello"}]);
        match by {
            "last-event-id" => agent.events(1, &[hello]),
            "snapshot" => agent.events(1, &[messages]),
            _ => agent.events(1, &[started("r"), start, hello]),
        };
        agent.events(1, &[content("m", " you"), ended("m"), finished("r")]);
        agent.end(1);
        ends_well(&mut agent, &["Hello you"]);
    }
}

#[test]
fn what_cannot_be_joined() {
    let mut agent = agent(resume("snapshot"));
    assert_eq!(agent.session.attach("{}", 0.0), Err(Misuse::NothingToAttach), "no run is known");
    agent.session.attach(r#"{"runId":"x"}"#, 0.0).unwrap();
    agent.act(|_, _| {});
    agent.head(1, 404, "text/plain");
    agent.end(1);
    assert_eq!((agent.snapshot()["error"]["status"].clone(), outcomes(&agent)), (json!(404), vec![(1, "error")]));
    let mut agent = self::agent(Network::default());
    assert_eq!(agent.session.attach(r#"{"runId":"x"}"#, 0.0), Err(Misuse::NothingToAttach), "no way is known");
}

#[test]
fn a_run_that_was_left_is_over_when_another_begins() {
    let (mut agent, _) = streaming();
    let waiting = agent.submit_json(input("b", "2"));
    agent.act(|session, now| session.disconnect(now));
    assert_eq!(agent.requests.len(), 1, "what waits does not run beside it");
    agent.submit_json(input("c", "3"));
    assert_eq!(agent.requests.len(), 2, "until the user wants it");
    assert_eq!(agent.snapshot()["messages"][1]["delivery"], "aborted");
    agent.head(2, 200, SSE);
    agent.events(2, &[started("b"), finished("b")]);
    agent.end(2);
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (waiting, "success")]);
}

#[test]
fn after_a_run_that_was_left_who_waited_goes_before_a_submit_that_does_not_wait() {
    for (if_busy, outcome) in [("reject", None), ("drop", Some("dropped"))] {
        let (mut agent, _) = streaming();
        agent.submit_json(input("b", "2"));
        agent.act(|session, now| session.disconnect(now));
        let hasty = json!({"runId": "c", "messages": [user("c", "3")], "ifBusy": if_busy}).to_string();
        agent.act(|session, now| {
            assert_eq!(session.submit(&hasty, now).err(), outcome.is_none().then_some(Misuse::Busy))
        });
        assert_eq!(agent.targets[1].1, "b");
        assert_eq!(outcomes(&agent).get(1).map(|(_, outcome)| *outcome), outcome);
        assert_eq!(agent.snapshot()["queue"], json!([]));
    }
}

#[test]
fn a_call_of_a_run_that_was_left_and_cut_out_of_the_thread_holds_nobody() {
    let mut agent = strict(resume("last-event-id"));
    let pay = json!([{"name": "pay", "needsApproval": true}]);
    agent.submit_json(json!({"runId": "a", "messages": [user("a", "1")], "pageTools": pay}));
    let waiting = agent.submit_json(input("b", "2"));
    agent.head(1, 200, SSE);
    let call = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "pay");
    for (id, event) in [started("a"), call, event!("TOOL_CALL_END", "toolCallId": "c")].iter().enumerate() {
        agent.bytes(1, &frame(&id.to_string(), event));
    }
    assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "awaiting-approval");
    agent.act(|session, now| session.disconnect(now));
    agent.act(|session, _| session.set_messages("[]").unwrap());
    let approval = r#"{"toolCallId":"c"}"#;
    agent.act(|session, now| assert_eq!(session.approve(approval, now), Ok(false), "nothing shows what it is"));
    assert_eq!((agent.requests.len(), &agent.snapshot()["toolCalls"]), (1, &json!([])));
    // As with every run that was left: the next submit ends it, and who waited comes first.
    agent.submit_json(input("c", "3"));
    assert_eq!(agent.targets[1].1, "b");
    agent.head(2, 200, SSE);
    agent.events(2, &[started("b"), finished("b")]);
    agent.end(2);
    assert_eq!(agent.targets[2].1, "c");
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (waiting, "success")]);
}

#[test]
fn the_answer_that_was_left_is_asked_for_again_before_what_waits() {
    let mut agent = cut(resume("last-event-id"));
    agent.submit_json(input("b", "2"));
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.act(|session, now| session.disconnect(now));
    assert_eq!(agent.requests.len(), 2, "what waits stays there");
    agent.act(|session, now| drop(session.retry(&json!({"runId": "again"}).to_string(), now)));
    assert_eq!(agent.requests.last().map(|(_, body)| body["runId"].clone()), Some(json!("again")));
    assert_eq!(agent.snapshot()["queue"][0]["runId"], "b");
}
