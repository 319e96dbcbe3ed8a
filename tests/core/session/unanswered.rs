//! What a server says again, and what it does not say: arguments of a call that has its answer, and a run that brings nothing.

use crate::support::Agent;
use crate::support::runs::{finished, input, started, user};
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn ask(agent: &mut Agent, run: &str) {
    agent.submit_json(input(run, "again"));
}

/// Answers the last request with these events in a run.
fn answer(agent: &mut Agent, events: &[Value]) {
    let (request, run) = (agent.requests.last().unwrap().0, agent.targets.last().unwrap().1.clone());
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[&[started(&run)], events, &[finished(&run)]].concat());
    agent.end(request);
}

fn text(id: &str, delta: &str) -> Vec<Value> {
    vec![
        event!("TEXT_MESSAGE_START", "messageId": id),
        event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta),
        event!("TEXT_MESSAGE_END", "messageId": id),
    ]
}

fn snapshot(messages: &[Value]) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

/// In the same run, in a later one, and without a START.
#[test]
fn a_call_that_has_its_answer_gets_no_more_arguments() {
    let call = [
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "search"),
        event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"n\":1}"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
    ];
    let result = event!("TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "found");
    for later in [false, true] {
        for from in [0, 1] {
            let mut agent = Agent::new(Options::default());
            ask(&mut agent, "r");
            let first = [&call[..], std::slice::from_ref(&result)].concat();
            if later {
                answer(&mut agent, &first);
                ask(&mut agent, "r2");
                answer(&mut agent, &call[from..]);
            } else {
                answer(&mut agent, &[&first, &call[from..]].concat());
            }
            assert_eq!(agent.snapshot()["toolCalls"][0]["argsText"], "{\"n\":1}", "{later} {from}");
            assert!(agent.warnings.contains(&"call-repeated".to_owned()), "{later} {from}: {:?}", agent.warnings);
            ask(&mut agent, "r3");
            assert_eq!(agent.sent()["messages"][1]["toolCalls"][0]["function"]["arguments"], "{\"n\":1}");
        }
    }
}

/// A server that keeps the thread ignores a message whose id it knows.
#[test]
fn a_retry_that_brings_nothing_says_so() {
    for (events, warned) in [
        (vec![], true),
        (vec![event!("STATE_SNAPSHOT", "snapshot": {})], true),
        (vec![snapshot(&[user("r", "again")])], true),
        (vec![event!("STATE_SNAPSHOT", "snapshot": {"n": 1})], false),
        (vec![event!("CUSTOM", "name": "n", "value": 1)], false),
        (text("m", "so"), false),
    ] {
        for method in ["submit", "retry", "regenerate"] {
            let mut agent = Agent::new(Options::default());
            ask(&mut agent, "r");
            answer(&mut agent, if method == "regenerate" { text("x", "first") } else { vec![] }.as_slice());
            assert_eq!(agent.warnings, [] as [&str; 0]);
            agent.act(|session, now| {
                let input = json!({"runId": "r-1", "messages": []}).to_string();
                let ticket = match method {
                    "submit" => session.submit(&input, now),
                    "retry" => session.retry(&input, now),
                    _ => session.regenerate(None, &input, now),
                };
                assert!(ticket.is_ok());
            });
            answer(&mut agent, &events);
            let expected = if warned && method != "submit" { vec!["retry-unanswered"] } else { vec![] };
            assert_eq!(agent.warnings, expected, "{method} {events:?}");
        }
    }
}
