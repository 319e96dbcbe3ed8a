//! Calls of the page that the server, a replay or the application changes: what is executed is what was shown and approved,
//! once, and a result stands after its call.

mod approvals;
mod echoes;
mod joined;
mod places;
mod reused;

use crate::support::Agent;
use crate::support::runs::{finished, outcomes, started, user};
use ag_ui_wasm::session::{Network, Options, Resume};
use serde_json::{Value, json};

fn call(id: &str, name: &str, args: &str) -> Vec<Value> {
    called(id, "m", name, args)
}

fn called(id: &str, message: &str, name: &str, args: &str) -> Vec<Value> {
    vec![
        event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": message),
        event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": args),
        event!("TOOL_CALL_END", "toolCallId": id),
    ]
}

fn submit() -> Value {
    let tools = json!([
        {"name": "page"}, {"name": "asked", "needsApproval": true}, {"name": "other", "needsApproval": true},
        {"name": "human", "manual": true}, {"name": "asked-human", "manual": true, "needsApproval": true}
    ]);
    json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools})
}

/// An agent whose run "r" has brought these calls, which the page shows.
fn calling(calls: &[Vec<Value>]) -> (Agent, u32) {
    calling_with(Options::default(), calls)
}

fn calling_with(options: Options, calls: &[Vec<Value>]) -> (Agent, u32) {
    let mut agent = Agent::new(options);
    agent.submit_json(submit());
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.events(request, &calls.concat());
    agent.snapshot();
    (agent, request)
}

fn says(agent: &mut Agent, method: &str, json: Value) -> bool {
    let mut counts = false;
    agent.act(|session, now| {
        let json = json.to_string();
        counts = match method {
            "approve" => session.approve(&json, now),
            "deny" => session.deny(&json, now),
            "hold" => session.hold(&json, now),
            _ => session.settle_call(&json, now),
        }
        .unwrap();
    });
    counts
}

/// Approves what the page shows.
fn approve(agent: &mut Agent, id: &str) -> bool {
    let shown = shown(agent, id);
    says(agent, "approve", json!({"toolCallId": id, "seen": {"name": shown["name"], "argsText": shown["argsText"]}}))
}

fn settle(agent: &mut Agent, id: &str, result: &str) -> bool {
    says(agent, "settle", json!({"toolCallId": id, "result": result}))
}

fn shown(agent: &mut Agent, id: &str) -> Value {
    let snapshot = agent.snapshot();
    snapshot["toolCalls"].as_array().unwrap().iter().find(|call| call["id"] == id).cloned().unwrap_or_default()
}

fn assistant(id: &str, calls: &[(&str, &str, &str)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, args)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}}))
        .collect();
    json!({"id": id, "role": "assistant", "toolCalls": calls})
}

fn snapshot(messages: &[Value]) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

fn end(agent: &mut Agent, request: u32, run: &str) {
    agent.event(request, finished(run));
    agent.end(request);
}

fn sse(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

fn ran(agent: &Agent) -> Vec<(&str, &str, String)> {
    agent.executed.iter().map(|(id, name, args)| (id.as_str(), name.as_str(), args.to_string())).collect()
}

/// Lists that providers refuse: a result without a call before it, one apart from it, a second one.
fn refuses(messages: &[Value]) -> Option<String> {
    let (mut open, mut answered): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for message in messages {
        if message["role"] == "tool" {
            let id = message["toolCallId"].as_str().unwrap().to_owned();
            if !open.contains(&id) {
                return Some(format!("the result of {id} without its call"));
            }
            if answered.contains(&id) {
                return Some(format!("two results of {id}"));
            }
            answered.push(id);
        } else if message["role"] != "reasoning" {
            open.clear();
        }
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().unwrap().to_owned();
            // An id may come again, for another call.
            answered.retain(|answered| *answered != id);
            open.push(id);
        }
    }
    None
}
