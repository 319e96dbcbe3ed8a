//! Hector: the form that it has for AG-UI, its native one, and its version 2.

mod broken;
mod parts;
mod requests;
mod versions;

use super::{at_every_cut, fixture, json_fixture, played};
use crate::support::Agent;
use ag_ui_wasm::session::{Network, Options, Resume, Target};
use serde_json::{Value, json};
use std::collections::HashMap;

const RECORDED: [(&str, &str); 9] = [
    ("01-agui-task-thinking-tool-text", "rest"),
    ("02-a2a-native-same-run", "rest"),
    ("03-a2a-native-agui-prefixed-metadata", "rest"),
    ("04-agui-flat-document-form", "rest"),
    ("05-agui-tool-error-task-failed", "rest"),
    ("07-agui-service-error", "rest"),
    ("08-agui-truncated", "rest"),
    ("09-agui-task-snapshot-states", "rest"),
    ("10-a2a-native-approval-v1", "json-rpc"),
];

fn body(name: &str) -> Vec<u8> {
    fixture(&format!("hector/{name}.sse"))
}

fn expected(name: &str) -> Value {
    json_fixture(&format!("hector/{name}.expected.json"))
}

fn agent(settings: Value, strict: bool) -> Agent {
    Agent::speaking("hector", settings, Options { strict, ..Options::default() })
}

fn of_route(route: &str) -> Agent {
    agent(json!({"route": route}), true)
}

/// Plays frames, whole.
fn play(settings: Value, frames: &str) -> Agent {
    played(agent(settings, false), [frames.as_bytes()])
}

fn frame(event: &str, data: Value) -> String {
    if event.is_empty() { format!("data: {data}\n\n") } else { format!("event: {event}\ndata: {data}\n\n") }
}

fn message(part: Value) -> String {
    frame("message", json!({"message": {"contextId": "c", "taskId": "k", "role": "ROLE_AGENT", "parts": [part]}}))
}

fn result(result: Value) -> String {
    frame("", json!({"jsonrpc": "2.0", "id": "1", "result": result}))
}

fn types(agent: &Agent) -> Vec<&str> {
    agent.events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn event<'a>(agent: &'a Agent, of: &str) -> &'a Value {
    agent.events.iter().find(|event| event["type"] == of).unwrap_or_else(|| panic!("no {of}: {:?}", agent.events))
}

/// Puts what the client made in place of the ids that stand for it.
fn fill(expected: &Value, actual: &Value, made: &mut HashMap<String, String>) -> Value {
    let is_made = |text: &str| text.starts_with("00000000-0000-4000-8000-") || text.starts_with("<client");
    match (expected, actual) {
        (Value::String(text), Value::String(other)) if is_made(text) && text != other => {
            Value::String(made.entry(text.clone()).or_insert_with(|| other.clone()).clone())
        }
        (Value::Array(items), _) => {
            items.iter().enumerate().map(|(at, item)| fill(item, &actual[at], made)).collect::<Vec<_>>().into()
        }
        (Value::Object(members), _) => {
            members.iter().map(|(key, item)| (key.clone(), fill(item, &actual[key], made))).collect()
        }
        _ => expected.clone(),
    }
}

/// The view that the recordings call a reduction, of the snapshot and of the custom events.
fn reduction(agent: &mut Agent) -> Value {
    let updates: Vec<Value> = agent
        .custom
        .iter()
        .filter(|(name, _)| name == "hector.task_update")
        .map(|(_, value)| value["status"].clone())
        .collect();
    let started = agent.events.iter().find(|event| event["type"] == "RUN_STARTED").cloned().unwrap();
    let snapshot = agent.snapshot().clone();
    let messages = snapshot["messages"].as_array().unwrap();
    let blocks: Vec<Value> = messages
        .iter()
        .filter(|message| message["role"] != "user" && message["role"] != "tool" && message["content"].is_string())
        .map(|message| {
            let kind = if message["role"] == "reasoning" { "thinking" } else { "text" };
            json!({"id": message["id"], "kind": kind, "text": message["content"], "open": message["delivery"] == "streaming"})
        })
        .collect();
    let all = |kind: &str| -> String {
        blocks.iter().filter(|block| block["kind"] == kind).map(|block| block["text"].as_str().unwrap()).collect()
    };
    let calls: Vec<Value> = snapshot["toolCalls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| {
            let answer = messages.iter().find(|message| message["toolCallId"] == call["id"]);
            let failed = answer.is_some_and(|answer| answer["metadata"]["hector"]["isError"] == true);
            json!({"id": call["id"], "name": call["name"], "args": call["args"], "result": call["result"], "isError": failed})
        })
        .collect();
    let error = &snapshot["error"];
    json!({
        "status": if error.is_object() { "error" } else { "finished" },
        "error": if error.is_object() { json!({"message": error["message"], "code": error["code"]}) } else { Value::Null },
        "text": all("text"), "thinking": all("thinking"), "blocks": blocks, "toolCalls": calls, "taskUpdates": updates,
        "threadId": started["threadId"], "runId": started["runId"],
    })
}

#[test]
fn every_recording_reaches_its_events_and_its_reduction_however_it_is_cut_under_strict_rules() {
    for (name, route) in RECORDED {
        let (events, reduced) = at_every_cut(
            &body(name),
            || of_route(route),
            |agent| {
                assert_eq!(agent.warnings, [""; 0], "{name}");
                (Value::from(agent.events.clone()), reduction(agent))
            },
        );
        let expected = expected(name);
        let mut made = HashMap::new();
        assert_eq!(fill(&expected["canonical"], &events, &mut made), events, "{name}");
        assert_eq!(fill(&expected["reduction"], &reduced, &mut made), reduced, "{name}");
    }
}

#[test]
fn an_unknown_address_reads_the_same() {
    for (name, route) in RECORDED {
        let [known, guessed] = [json!({"route": route}), json!({})].map(|settings| {
            let agent = played(agent(settings, true), [&*body(name)]);
            agent.events
        });
        assert_eq!(known, guessed, "{name}");
    }
}

#[test]
fn both_forms_of_a_run_reach_the_same() {
    let [form, native] = ["01-agui-task-thinking-tool-text", "02-a2a-native-same-run"].map(|name| {
        let mut agent = played(of_route("rest"), [&*body(name)]);
        let reduced = reduction(&mut agent);
        ["text", "thinking", "toolCalls", "taskUpdates", "threadId", "runId"].map(|view| reduced[view].clone())
    });
    assert_eq!(form, native);
}

#[test]
fn ag_ui_itself_passes() {
    let frames = [
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "n"}),
        json!({"type": "TOOL_CALL_END", "toolCallId": "c"}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    ];
    let bytes: String = frames.iter().map(|event| frame("", event.clone())).collect();
    let agent = played(agent(json!({}), true), [bytes.as_bytes()]);
    assert_eq!(types(&agent), ["RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_END", "RUN_FINISHED"]);
}
