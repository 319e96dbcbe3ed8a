//! Submits, and the events that runs consist of.

use super::Agent;
use crate::event;
use serde_json::{Value, json};

pub fn user(id: &str, text: &str) -> Value {
    json!({"id": id, "role": "user", "content": text})
}

pub fn input(run: &str, text: &str) -> Value {
    json!({"runId": run, "messages": [user(run, text)]})
}

pub fn busy(run: &str, policy: &str) -> Value {
    json!({"runId": run, "messages": [user(run, policy)], "ifBusy": policy})
}

pub fn started(run: &str) -> Value {
    event!("RUN_STARTED", "threadId": "t", "runId": run)
}

pub fn finished(run: &str) -> Value {
    event!("RUN_FINISHED", "threadId": "t", "runId": run)
}

pub fn failed() -> Value {
    event!("RUN_ERROR", "message": "boom", "code": "E1")
}

pub fn text(id: &str, delta: &str) -> [Value; 2] {
    [event!("TEXT_MESSAGE_START", "messageId": id), event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta)]
}

/// An agent whose run "r" streams: "Hello" is shown.
pub fn streaming() -> (Agent, u32) {
    let (mut agent, request) = Agent::started();
    agent.events(request, &text("m", "Hello"));
    (agent, request)
}

pub fn outcomes(agent: &Agent) -> Vec<(u32, &str)> {
    agent.settled.iter().map(|(ticket, result)| (*ticket, result["outcome"].as_str().unwrap())).collect()
}
