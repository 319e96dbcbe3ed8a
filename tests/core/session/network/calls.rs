//! Calls of the page that were made, answered or missed while nobody listened.

use super::*;
use crate::support::SessionCalls;

#[test]
fn what_the_page_executes_outlives_the_connection() {
    let mut agent = strict(resume("last-event-id"));
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [{"name": "f"}]}));
    agent.submit_json(input("b", "2"));
    agent.head(1, 200, SSE);
    let call = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f");
    for (id, event) in [started("r"), call, event!("TOOL_CALL_END", "toolCallId": "c")].iter().enumerate() {
        agent.bytes(1, &frame(&id.to_string(), event));
    }
    agent.act(|session, now| session.disconnect(now));
    assert_eq!(agent.abandoned, [] as [&str; 0]);
    let answer = json!({"toolCallId": "c", "result": 1}).to_string();
    agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true)));
    assert_eq!((agent.requests.len(), agent.snapshot()["status"].as_str()), (1, Some("idle")), "nothing begins");
    agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(3)));
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("3", &finished("r")));
    agent.end(2);
    assert_eq!(agent.targets[2].1, "r-1", "the run that follows");
    agent.head(3, 200, SSE);
    agent.events(3, &[started("r-1"), finished("r-1")]);
    agent.end(3);
    assert_eq!(agent.targets[3].1, "b", "then who waited");
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (3, "success")]);
}

/// A call of the page, in a run that has not ended: `c`, for `f`.
fn calls(network: Network, tool: Value) -> Agent {
    let mut agent = strict(network);
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [tool]}));
    agent.head(1, 200, SSE);
    let call = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f");
    for (id, event) in [started("r"), call, event!("TOOL_CALL_END", "toolCallId": "c")].iter().enumerate() {
        agent.bytes(1, &frame(&format!("r:{id}"), event));
    }
    agent
}

/// The messages as the server of [`calls`] knows them, with more calls of `f`, and perhaps answers.
fn known(calls: &[&str], answers: &[&str]) -> Value {
    let function = json!({"name": "f", "arguments": "{}"});
    let call = |id: &&str| json!({"id": id, "role": "assistant", "toolCalls": [{"id": id, "type": "function", "function": function}]});
    let answer =
        |id: &&str| json!({"id": format!("{id}-answer"), "role": "tool", "toolCallId": id, "content": "known"});
    let messages = [user("u", "go")].into_iter().chain(calls.iter().map(call)).chain(answers.iter().map(answer));
    event!("MESSAGES_SNAPSHOT", "messages": messages.collect::<Vec<_>>())
}

#[test]
fn an_answer_that_was_given_while_nobody_listened_is_sent() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.act(|session, now| session.disconnect(now));
    let answer = json!({"toolCallId": "c", "result": "done"}).to_string();
    agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true)));
    agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(2)));
    agent.head(2, 200, SSE);
    // The server does not know of it yet.
    agent.events(2, &[known(&["c"], &[]), finished("r")]);
    agent.end(2);
    assert_eq!(agent.executed.len(), 1);
    assert_eq!((&agent.targets[2].1, &agent.sent()["messages"][2]["content"]), (&"r-1".into(), &json!("done")));
}

#[test]
fn a_call_that_was_made_while_nobody_listened_is_executed() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.cut(1);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &[known(&["c", "missed"], &[]), finished("r")]);
    let executed: Vec<&str> = agent.executed.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(executed, ["c", "missed"], "each once");
}

#[test]
fn calls_that_were_missed_are_executed_in_their_order() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.cut(1);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    // One is known of by the snapshot, the next by the stream, until that is cut as well.
    agent.events(request, &[known(&["c", "missed"], &[])]);
    agent.event(request, event!("TOOL_CALL_START", "toolCallId": "later", "toolCallName": "f"));
    agent.cut(request);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &[known(&["c", "missed", "later"], &[]), finished("r")]);
    let executed: Vec<&str> = agent.executed.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(executed, ["c", "missed", "later"]);
}

#[test]
fn a_call_that_a_snapshot_answers_holds_nobody() {
    for tool in [json!({"name": "f", "needsApproval": true}), json!({"name": "f"})] {
        let executes = tool.get("needsApproval").is_none();
        let mut agent = calls(resume("snapshot"), tool);
        agent.cut(1);
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.events(request, &[known(&["c"], &["c"]), finished("r")]);
        agent.end(request);
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "output-available");
        assert_eq!(agent.abandoned.len(), usize::from(executes));
        ends_well(&mut agent, &[]);
    }
}

#[test]
fn calls_of_a_run_that_was_stopped_are_not_those_of_the_next() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.event(1, event!("TOOL_CALL_START", "toolCallId": "half", "toolCallName": "f"));
    agent.act(|session, now| session.stop(now));
    agent.submit_json(json!({"runId": "s", "messages": [user("v", "no")], "pageTools": [{"name": "f"}]}));
    // Its RUN_STARTED is lost.
    agent.head(2, 200, SSE);
    agent.cut(2);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &[finished("s")]);
    assert_eq!(agent.executed.len(), 1, "the one before");
}

#[test]
fn people_are_still_asked_by_a_page_that_was_loaded_anew_and_joins() {
    for by in ["last-event-id", "replay", "prelude"] {
        let agent = calls(resume(by), json!({"name": "f", "needsApproval": true}));
        let saved = agent.session.save();
        let mut agent = strict(resume(by));
        agent.act(|session, now| session.restore(&saved, now).unwrap());
        let input = json!({"pageTools": [{"name": "f", "needsApproval": true}]}).to_string();
        agent.act(|session, now| assert_eq!(session.attach(&input, now), Ok(1)));
        agent.head(1, 200, SSE);
        let call = [
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ];
        match by {
            "replay" => agent.events(1, &[started("r"), call[0].clone(), call[1].clone()]),
            "prelude" => agent.events(1, &[started("r"), known(&["c"], &[])]),
            _ => agent.snapshot(),
        };
        agent.bytes(1, &frame("r:3", &finished("r")));
        agent.end(1);
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "awaiting-approval", "{by}");
        agent.act(|session, now| assert_eq!(session.approve(r#"{"toolCallId":"c"}"#, now), Ok(true)));
        assert_eq!(agent.executed.len(), 1);
    }
}

#[test]
fn a_page_that_was_loaded_anew_hears_the_end_of_what_it_did_not_see_begin() {
    let saved = cut(resume("last-event-id")).session.save();
    let mut agent = strict(resume("last-event-id"));
    agent.act(|session, now| session.restore(&saved, now).unwrap());
    agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(1)));
    agent.head(1, 200, SSE);
    agent.bytes(1, &frame("r:3", &ended("m")));
    agent.bytes(1, &frame("r:4", &finished("r")));
    agent.end(1);
    ends_well(&mut agent, &["Hello"]);
}
