//! A run that was asked for again, and brings nothing.

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
