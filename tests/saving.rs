//! An agent that is saved and restored goes on where it was, and does nothing twice.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::string_slice)]

mod support;

use ag_ui_wasm::session::Options;
use serde_json::{Value, json};
use support::Agent;
use support::runs::{finished, started, text, user};

fn restored(saved: &str) -> Agent {
    let mut agent = Agent::new(Options::default());
    agent.act(|session, now| session.restore(saved, now).unwrap());
    agent
}

/// What the snapshot says of the thread itself.
fn thread(agent: &mut Agent) -> Value {
    let snapshot = agent.snapshot();
    json!([snapshot["messages"], snapshot["toolCalls"], snapshot["state"], snapshot["interrupts"], snapshot["queue"]])
}

fn calling(tool: Value) -> (Agent, u32) {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [tool], "context": [{"description": "d", "value": "v"}]}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(
        request,
        &[
            started("r"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"half\": \"\\ud83d\"}"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ],
    );
    (agent, request)
}

#[test]
fn a_thread_at_rest_comes_back_as_it_was() {
    let mut agent = Agent::with(Options::default(), None, Some("{\"n\":12345678901234567890}"));
    let [start, content] = text("m", "hel\u{1F642}lo");
    let ask = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "confirmation"}]});
    let call = [
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        event!("TOOL_CALL_RESULT", "toolCallId": "c", "messageId": "t", "content": "{\"ok\":true}"),
    ];
    let end = [
        event!("TEXT_MESSAGE_END", "messageId": "m"),
        event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": ask),
    ];
    agent.run(&[&[started("r"), start, content], &call[..], &end].concat());
    let saved = agent.session.save();
    let mut again = restored(&saved);
    assert_eq!(thread(&mut again), thread(&mut agent));
    assert_eq!(again.session.save(), saved, "and is saved as the same");
    assert_eq!(again.snapshot()["status"], "idle");
    // The interrupt still stands before the next run.
    again.act(|session, now| {
        let refused = session.submit(&json!({"runId": "q", "messages": []}).to_string(), now);
        assert_eq!(refused.unwrap_err().code(), "interrupts-open");
    });
}

#[test]
fn a_run_that_was_on_is_truncated_and_what_waited_waits() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.events(request, &text("m", "half an ans"));
    agent.submit_json(json!({"runId": "q", "messages": [user("u2", "and then?")]}));
    let mut again = restored(&agent.session.save());
    let snapshot = again.snapshot();
    assert_eq!(snapshot["messages"][1]["content"], "half an ans");
    assert_eq!(snapshot["messages"][1]["delivery"], "aborted");
    assert_eq!((&snapshot["outcome"], &snapshot["error"]["retryable"]), (&json!("truncated"), &json!(true)));
    assert_eq!(snapshot["queue"].as_array().unwrap().len(), 1);
    assert!(again.requests.is_empty(), "nothing is sent unasked");
}

#[test]
fn people_may_answer_after_a_reload() {
    let (mut agent, request) = calling(json!({"name": "f", "needsApproval": true}));
    agent.event(request, finished("r"));
    agent.end(request);
    let mut again = restored(&agent.session.save());
    assert_eq!(again.snapshot()["toolCalls"][0]["phase"], "awaiting-approval");
    again.act(|session, now| assert!(session.approve("{\"toolCallId\":\"c\"}", now).unwrap()));
    assert_eq!(again.executed.len(), 1);
    again.act(|session, now| assert!(session.settle_call("{\"toolCallId\":\"c\",\"result\":1}", now).unwrap()));
    let input = &again.requests[0].1;
    assert_eq!((&input["runId"], &input["context"][0]["value"]), (&json!("r-1"), &json!("v")));
    assert_eq!(input["messages"][2]["content"], "1");
}

#[test]
fn a_tool_that_was_at_work_is_not_executed_again() {
    let (agent, _) = calling(json!({"name": "f"}));
    assert_eq!(agent.executed.len(), 1);
    let mut again = restored(&agent.session.save());
    assert!(again.executed.is_empty());
    assert_eq!(again.snapshot()["toolCalls"][0]["phase"], "output-error");
    assert_eq!(again.snapshot()["messages"][2]["error"], "The page was left before the tool was done.");
    // Nor when the server sends the call once more.
    let request = again.submit("go on");
    again.head(request, 200, "text/event-stream");
    again.events(
        request,
        &[
            started("r2"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ],
    );
    assert!(again.executed.is_empty());
}

#[test]
fn the_agent_is_told_that_the_page_was_left_before_its_tool_was_done() {
    let (mut agent, request) = calling(json!({"name": "f"}));
    agent.event(request, finished("r"));
    agent.end(request);
    let again = restored(&agent.session.save());
    assert!(again.executed.is_empty());
    let input = &again.requests[0].1;
    assert_eq!((&input["runId"], &input["context"][0]["value"]), (&json!("r-1"), &json!("v")));
    assert_eq!(input["messages"][2]["error"], "The page was left before the tool was done.");
    // Once: a page that is left again, and comes back, asks no more than a retry.
    let mut third = restored(&again.session.save());
    assert!(third.requests.is_empty());
    assert_eq!(third.snapshot()["outcome"], "truncated");
}

#[test]
fn an_answer_that_was_not_sent_goes_out_after_a_reload() {
    let (mut agent, _) = calling(json!({"name": "f"}));
    agent.act(|session, now| assert!(session.settle_call("{\"toolCallId\":\"c\",\"result\":1}", now).unwrap()));
    let mut again = restored(&agent.session.save());
    let request = again.submit("go on");
    // What this request carries, the server has seen.
    assert_eq!(again.requests[0].1["messages"][2]["content"], "1");
    let mut other = restored(&agent.session.save());
    other.act(|session, now| drop(session.submit("{\"runId\":\"x\",\"messages\":[]}", now)));
    assert_eq!(other.requests[0].1["messages"][2]["content"], "1");
    again.head(request, 200, "text/event-stream");
    let snapshot = again.events(request, &[started("r2"), event!("MESSAGES_SNAPSHOT", "messages": [user("u", "go")])]);
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 1, "so its snapshot counts");
}

#[test]
fn a_damaged_save_is_refused_and_changes_nothing() {
    let (agent, _) = calling(json!({"name": "f", "needsApproval": true}));
    let saved = agent.session.save();
    let mut fresh = Agent::new(Options::default());
    let before = fresh.snapshot().clone();
    let cuts = (0..saved.len()).filter(|at| saved.is_char_boundary(*at)).map(|at| saved[..at].to_owned());
    let others = ["null", "[]", "{}", "{\"v\":2}", "{\"v\":1,\"threadId\":7}"].map(str::to_owned);
    let renamed = ["messages", "state", "queue", "handled", "interrupts", "threadId", "calls", "stage"]
        .map(|name| saved.replacen(&format!("\"{name}\""), "\"x\"", 1));
    for damaged in cuts.chain(others).chain(renamed.into_iter().take(7)) {
        fresh
            .act(|session, now| assert_eq!(session.restore(&damaged, now).unwrap_err().code(), "restore", "{damaged}"));
    }
    assert_eq!(fresh.snapshot(), &before);
}
