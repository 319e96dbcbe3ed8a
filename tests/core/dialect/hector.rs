//! Hector: the form that it has for AG-UI, its native one, and its version 2.

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
fn version_2_replaces_pieces_by_the_whole_and_asks() {
    let expected = expected("11-v2-a2a-jsonrpc-approval");
    let reached = at_every_cut(
        &body("11-v2-a2a-jsonrpc-approval"),
        || of_route("v2"),
        |agent| {
            assert_eq!(agent.warnings, [""; 0]);
            let signature = event(agent, "REASONING_ENCRYPTED_VALUE")["encryptedValue"].clone();
            let custom = agent.custom.clone();
            let status = |of: &str| custom.iter().rfind(|(name, _)| name == of).unwrap().1.clone();
            let (tool, last) = (status("hector.tool_status"), status("hector.task_update"));
            let started = event(agent, "RUN_STARTED").clone();
            let snapshot = agent.snapshot();
            let interrupts = snapshot["interrupts"].as_array().unwrap();
            let messages = snapshot["messages"].as_array().unwrap();
            let said = |role: &str| messages.iter().find(|m| m["role"] == role && m["content"].is_string()).unwrap();
            let (call, thought) = (&snapshot["toolCalls"][0], said("reasoning"));
            json!({
                "taskId": started["runId"], "contextId": started["threadId"], "state": last["status"], "final": true,
                "text": said("assistant")["content"],
                "thinking": [{"id": thought["id"], "content": thought["content"], "signature": signature,
                    "status": if thought["delivery"] == "complete" { "completed" } else { "active" }}],
                "toolCalls": [{"id": call["id"], "name": call["name"], "args": call["args"], "status": tool["status"],
                    "content": tool["content"], "isError": false}],
                "pendingApproval": {
                    "prompt": interrupts[0]["message"], "taskId": interrupts[0]["metadata"]["hector"]["taskId"],
                    "toolCallIds": interrupts.iter().map(|open| &open["toolCallId"]).collect::<Vec<_>>(),
                },
            })
        },
    );
    assert_eq!(reached, expected["reduction"]);

    let mut agent = played(of_route("v2"), [&*body("11-v2-a2a-jsonrpc-approval")]);
    assert_eq!(agent.snapshot()["outcome"], "interrupted");
    assert_eq!(agent.snapshot()["toolCalls"][0]["result"], Value::Null, "an approval that is awaited is no result");
    let answer = |payload: Value| json!({"runId": "r2", "resume": [{"interruptId": "toolu_1", "status": "resolved", "payload": payload}]});
    agent.submit_json(answer(json!({"decision": "approve"})));
    let (mut request, mut sent) = (expected["approvalRequest"].clone(), agent.sent().clone());
    assert_eq!(sent["id"], "r2");
    (request["id"], sent["id"]) = (Value::Null, Value::Null);
    assert_eq!(sent, request);
    for (payload, decision) in [
        (json!("yes"), "approve"),
        (json!({"approved": true}), "approve"),
        (json!(true), "approve"),
        (json!({"decision": "deny"}), "deny"),
        (json!({"reason": "no idea"}), "deny"),
        (json!("perhaps"), "deny"),
        (json!(1), "deny"),
    ] {
        let mut agent = played(of_route("v2"), [&*body("11-v2-a2a-jsonrpc-approval")]);
        agent.submit_json(answer(payload));
        assert_eq!(agent.sent()["params"]["message"]["parts"][0]["data"]["decision"], decision);
    }
}

#[test]
fn what_was_approved_goes_on_in_the_next_run() {
    let mut agent = played(of_route("v2"), [&*body("11-v2-a2a-jsonrpc-approval")]);
    agent.submit_json(json!({"runId": "r2", "resume": [{"interruptId": "toolu_1", "status": "resolved"}]}));
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    let update = |parts: Value, metadata: Value| {
        result(json!({"kind": "artifact-update", "taskId": "k2", "contextId": "hector-web-7f3a",
            "artifact": {"artifactId": "a2", "parts": parts}, "metadata": metadata}))
    };
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "bash", "arguments": {"command": "ls"}});
    let answer = |content: &str, status: &str| {
        json!({"author": "assistant", "partial": false,
        "tool_results": [{"tool_call_id": "toolu_1", "content": content, "status": status, "is_error": false}]})
    };
    let frames = [
        update(json!([{"kind": "data", "data": call}]), json!({"author": "assistant", "partial": false})),
        update(Value::Null, answer("a", "working")),
        update(json!([{"kind": "text", "text": "Two"}]), json!({"author": "assistant", "partial": true})),
        update(Value::Null, answer("a b", "success")),
        update(json!([{"kind": "text", "text": "Two files."}]), json!({"author": "assistant", "partial": false})),
        result(json!({"kind": "status-update", "taskId": "k2", "contextId": "hector-web-7f3a", "final": true,
            "status": {"state": "completed"}, "metadata": {"hector:escalate": true}})),
    ];
    agent.bytes(request, frames.concat().as_bytes());
    agent.end(request);
    assert_eq!(agent.warnings, [""; 0]);
    let told = agent.custom.last().unwrap().clone();
    assert_eq!(
        told,
        (
            "hector.task_update".into(),
            json!({"taskId": "k2", "status": "completed", "metadata": {"hector:escalate": true}})
        )
    );
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["outcome"], &snapshot["interrupts"]), (&json!("success"), &json!([])));
    assert_eq!(snapshot["toolCalls"].as_array().unwrap().len(), 1, "a call that is told again is the same");
    assert_eq!(snapshot["toolCalls"][0]["result"], "a b");
    let answer = snapshot["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    assert_eq!(answer["metadata"], json!({"hector": {"status": "success"}}));
    assert_eq!(snapshot["messages"].as_array().unwrap().last().unwrap()["content"], "Two files.");
}

#[test]
fn a_whole_that_differs_from_its_pieces_takes_their_place() {
    let update = |partial: bool, text: &str, thought: &str| {
        result(json!({"kind": "artifact-update", "taskId": "k", "contextId": "c",
            "artifact": {"artifactId": "a", "parts": [{"kind": "text", "text": text}]},
            "metadata": {"author": "x", "partial": partial, "thinking": {"id": "th", "content": thought}}}))
    };
    let done = result(
        json!({"kind": "status-update", "taskId": "k", "contextId": "c", "final": true, "status": {"state": "completed"}}),
    );
    let frames =
        [update(true, "Hullo", "Hmn"), update(false, "Hello you", "Hmm."), update(false, "And more", ""), done];
    let mut agent = played(of_route("v2"), [frames.concat().as_bytes()]);
    assert_eq!(agent.warnings, [""; 0]);
    let messages = agent.snapshot()["messages"].as_array().unwrap();
    let said: Vec<_> = messages
        .iter()
        .skip(1)
        .map(|message| (message["role"].as_str().unwrap(), message["content"].as_str().unwrap()))
        .collect();
    assert_eq!(said, [("reasoning", "Hmm."), ("assistant", "Hello you"), ("assistant", "And more")]);
}

#[test]
fn pieces_of_a_server_that_does_not_call_them_so() {
    let update = |append: bool, text: &str| {
        result(json!({"kind": "artifact-update", "taskId": "k", "contextId": "c", "append": append,
            "artifact": {"artifactId": "a", "parts": [{"kind": "text", "text": text}]}}))
    };
    let frames = [update(false, "One, "), update(true, "two."), update(false, "Another."), update(true, "")];
    let mut agent = played(of_route("v2"), [frames.concat().as_bytes()]);
    let said: Vec<Value> = agent.snapshot()["messages"]
        .as_array()
        .unwrap()
        .iter()
        .skip(1)
        .map(|message| message["content"].clone())
        .collect();
    assert_eq!(said, ["One, two.", "Another."]);
}

#[test]
fn an_error_of_json_rpc() {
    let expected = &expected("13-v2-jsonrpc-error")["reduction"]["error"];
    let body = body("13-v2-jsonrpc-error");
    let error = at_every_cut(&body, || of_route("v2"), |agent| agent.snapshot()["error"].clone());
    assert_eq!(error["message"], expected["message"]);
    assert_eq!(error["code"], expected["code"].to_string());
    assert_eq!(error["kind"], "run");

    // Where the request is refused before any stream, it comes as JSON.
    let json = std::str::from_utf8(&body).unwrap().split("data: ").nth(1).unwrap().trim();
    let mut agent = of_route("v2");
    let request = agent.submit("go");
    agent.head(request, 200, "application/json");
    agent.bytes(request, json.as_bytes());
    agent.end(request);
    let error = &agent.snapshot()["error"];
    assert_eq!((&error["message"], &error["code"]), (&json!("task not found"), &json!("-32001")));
}

#[test]
fn an_approval_of_version_1_is_told_while_the_stream_is_blocked() {
    let agent = played(of_route("rest"), [&*body("10-a2a-native-approval-v1")]);
    let asked = agent.custom.iter().find(|(name, _)| name == "hector.tool_approval").unwrap();
    let prompt = "🔐 Tool Approval Required\n\nTool: execute_command\nls -la\n\nPlease respond with: approve or deny";
    let expected = json!({"toolName": "execute_command", "toolInput": "ls -la", "options": ["approve", "deny"],
        "prompt": prompt, "toolCallId": "call-x", "taskId": "9d0f6b9e-1111-4222-8333-000000000001", "contextId": "hector-web-7f3a"});
    assert_eq!(asked.1, expected);
}

#[test]
fn an_approval_of_version_1_that_ends_the_stream_is_an_interrupt() {
    let whole = String::from_utf8(body("10-a2a-native-approval-v1")).unwrap();
    let (asked, _) = whole.split_once("event: message\ndata: {\"message\":{\"messageId\":\"msg-1764499942000000001\",\"contextId\":\"hector-web-7f3a\",\"taskId\":\"9d0f6b9e-1111-4222-8333-000000000001\",\"role\":\"ROLE_AGENT\",\"parts\":[{\"text\":\"SUCCESS").unwrap();
    let waits = frame(
        "message",
        json!({"statusUpdate": {"taskId": "k", "contextId": "hector-web-7f3a", "final": true,
        "status": {"state": "TASK_STATE_INPUT_REQUIRED"}}}),
    );
    for (route, tail) in [("rest", format!("{waits}event: done\ndata: {{}}\n\n")), ("json-rpc", waits)] {
        let mut agent = played(of_route(route), [asked.as_bytes(), tail.as_bytes()]);
        assert_eq!(agent.warnings, [""; 0]);
        let open = agent.snapshot()["interrupts"].clone();
        assert_eq!(
            (&open[0]["id"], &open[0]["reason"], &open[0]["toolCallId"]),
            (&json!("call-x"), &json!("tool_approval"), &json!("call-x"))
        );
        agent.submit_json(json!({"runId": "r2", "resume": [{"interruptId": "call-x", "status": "cancelled"}]}));
        let sent = agent.sent();
        let message = if route == "rest" { &sent["message"] } else { &sent["params"]["request"] };
        let expected = json!({"contextId": "hector-web-7f3a", "role": "user", "taskId": "9d0f6b9e-1111-4222-8333-000000000001",
            "parts": [{"data": {"data": {"decision": "deny"}}}]});
        assert_eq!(*message, expected);
    }
}

#[test]
fn every_route_has_its_body() {
    let url = json!({"type": "url", "value": "https://f.test/a.png", "mimeType": "image/png"});
    let bytes = json!({"type": "data", "value": "YQ==", "mimeType": "text/plain"});
    let content = json!([{"type": "text", "text": "hi \u{10F900}"}, {"type": "image", "source": url},
        {"type": "document", "source": bytes, "metadata": {"filename": "a.txt"}}]);
    let submit = json!({"runId": "r", "messages": [{"id": "u", "role": "user", "content": content}], "forwardedProps": {"user_id": "7"}});
    let parts = json!([{"text": "hi \u{10F900}"}, {"file": {"fileWithUri": "https://f.test/a.png", "mediaType": "image/png"}},
        {"file": {"fileWithBytes": "YQ==", "mediaType": "text/plain", "name": "a.txt"}}]);
    let v1 = json!({"contextId": "t", "role": "user", "parts": parts});
    let v2 = json!({"contextId": "t", "role": "user", "metadata": {"user_id": "7"}, "parts": [
        {"kind": "text", "text": "hi \u{10F900}"},
        {"kind": "file", "file": {"uri": "https://f.test/a.png", "mimeType": "image/png"}},
        {"kind": "file", "file": {"bytes": "YQ==", "mimeType": "text/plain", "name": "a.txt"}}]});
    let rpc = |params: Value| json!({"jsonrpc": "2.0", "method": "message/stream", "params": params, "id": "r"});
    for (settings, expected) in [
        (json!({"url": "/v1/agents/a/message:stream"}), json!({"message": v1})),
        (json!({}), json!({"message": v1})),
        (json!({"url": "https://h.test/v1/agents/a/stream?format=agui"}), rpc(json!({"request": v1}))),
        (json!({"url": "/agents/a"}), rpc(json!({"message": v2}))),
    ] {
        let mut agent = agent(settings, true);
        agent.submit_json(submit.clone());
        assert_eq!(*agent.sent(), expected);
    }
}

#[test]
fn only_what_is_new_is_sent() {
    let mut agent = played(of_route("rest"), [&*body("01-agui-task-thinking-tool-text")]);
    agent.submit("next");
    let expected = json!({"message": {"contextId": "hector-web-7f3a", "role": "user", "parts": [{"text": "next"}]}});
    assert_eq!(*agent.sent(), expected, "with the context that the server has named");

    // A call that ends a run, with its result; the agent has not spoken after it.
    let mut agent = played(of_route("rest"), [&*body("05-agui-tool-error-task-failed")]);
    agent.submit("next");
    assert_eq!(agent.sent()["message"]["parts"], json!([{"text": "next"}]), "not what the server itself has said");

    // A question without a word of the agent: the message that led to it is not sent again.
    let waits = json!({"kind": "status-update", "taskId": "k", "contextId": "c", "final": true,
        "status": {"state": "input-required", "message": {"parts": [{"kind": "text", "text": "Which one?"}]}}});
    let mut agent = played(of_route("v2"), [result(waits).as_bytes()]);
    let open = agent.snapshot()["interrupts"][0].clone();
    let metadata = json!({"hector": {"taskId": "k"}});
    assert_eq!(
        open,
        json!({"id": "input:k", "reason": "input_required", "message": "Which one?", "metadata": metadata})
    );
    agent.submit_json(
        json!({"runId": "r2", "resume": [{"interruptId": "input:k", "status": "resolved", "payload": "the first"}]}),
    );
    assert_eq!(agent.sent()["params"]["message"]["parts"], json!([{"kind": "text", "text": "the first"}]));
}

#[test]
fn requests_ask_for_the_form() {
    let accepts = |settings: Value| agent(settings, false).session.accept(None);
    let form = Some("application/x-agui-events, text/event-stream;q=0.9".to_owned());
    assert_eq!(accepts(json!({})), form);
    assert_eq!(accepts(json!({"url": "/v1/agents/a/stream"})), form);
    assert_eq!(accepts(json!({"form": "native"})), None);
    assert_eq!(accepts(json!({"format": "native"})), None);
    assert_eq!(accepts(json!({"format": "agui"})), form);
    assert_eq!(accepts(json!({"route": "v2"})), None);
}

#[test]
fn an_accept_of_the_application_is_kept_and_a_contradiction_is_a_warning() {
    for (settings, given, warned) in [
        (json!({}), "application/agui+json", false),
        (json!({}), "text/event-stream", true),
        (json!({"format": "native"}), "application/x-agui-events", true),
        (json!({"format": "native"}), "text/event-stream", false),
    ] {
        let mut agent = agent(settings.clone(), false);
        let mut kept = None;
        agent.act(|session, _| kept = session.accept(Some(given)));
        assert_eq!(kept.as_deref(), Some(given));
        let codes: &[&str] = if warned { &["accept-contradicts"] } else { &[] };
        assert_eq!(agent.warnings, codes, "{settings} {given}");
    }
    assert_eq!(Agent::speaking("agent-os", json!({}), Options::default()).session.accept(Some("x/y")), None);
}

/// The texts that parts become, with how they are marked.
fn blocks(parts: &[Value]) -> Vec<(String, Value)> {
    let frames: String = parts.iter().cloned().map(message).collect();
    let mut agent = play(json!({"form": "native"}), &frames);
    let messages = agent.snapshot()["messages"].as_array().unwrap();
    let shown = messages.iter().filter(|message| message["role"] == "assistant");
    shown
        .map(|message| (message["content"].as_str().unwrap().to_owned(), message["metadata"]["hector"].clone()))
        .collect()
}

#[test]
fn parts_with_an_id_or_a_type_of_their_own_are_blocks_of_their_own() {
    let part = |text: &str, id: &str, kind: &str| json!({"text": text, "metadata": {"agui_event_type": "content_block", "agui_block_id": id, "agui_block_type": kind}});
    let plain = |text: &str| json!({"text": text});
    let code = json!({"blockType": "code"});
    let own = |text: &str, mark: &Value| (text.to_owned(), mark.clone());
    let none = Value::Null;
    let found =
        blocks(&[part("a", "1", "text"), part("b", "1", "text"), part("c", "2", "text"), part("d", "3", "code")]);
    assert_eq!(found, [own("ab", &none), own("c", &none), own("d", &code)]);
    let found = blocks(&[plain("a"), plain("b"), part("x", "", "code"), part("y", "", "code"), plain("c")]);
    assert_eq!(found, [own("ab", &none), own("xy", &code), own("c", &none)]);
}

#[test]
fn parts_of_errors_tasks_and_messages_are_marked() {
    for kind in ["error", "task", "message"] {
        let part = json!({"text": "said", "metadata": {"event_type": kind, "error_code": "E1"}});
        let found = blocks(&[json!({"text": "plain"}), part, json!({"text": "again"})]);
        let mark = json!({"eventType": kind, "errorCode": "E1"});
        let texts: Vec<_> = found.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["plain", "said", "again"]);
        assert_eq!(found[1].1, mark);
    }
}

#[test]
fn a_failed_result_is_an_error_of_its_call() {
    let call = json!({"data": {"data": {"id": "t", "name": "n"}}, "metadata": {"event_type": "tool_call"}});
    let failed = |error: &str, is_error: bool| {
        let data = json!({"tool_call_id": "t", "content": "text", "error": error});
        json!({"data": {"data": data}, "metadata": {"event_type": "tool_call", "is_error": is_error}})
    };
    for (result, status, error) in [
        (failed("", false), "complete", Value::Null),
        (failed("boom", true), "error", json!("boom")),
        (failed("boom", false), "error", json!("boom")),
        (failed("", true), "error", json!("text")),
    ] {
        for form in ["agui", "native"] {
            let frames = [message(call.clone()), message(result.clone()), frame("done", json!({}))].concat();
            let mut agent = play(json!({"form": form}), &frames);
            let call = &agent.snapshot()["toolCalls"][0];
            assert_eq!((&call["status"], &call["error"]), (&json!(status), &error));
        }
    }
}

#[test]
fn a_cut_stream_is_joined_before_it_is_given_up() {
    let resume = Some(Resume::by("snapshot", None, None).unwrap());
    let network = Network { resume, attempts: 1, ..Network::default() };
    let make = |settings: Value| {
        Agent::speaking("hector", settings, Options { strict: true, network: network.clone(), ..Options::default() })
    };
    let mut agent = played(make(json!({"route": "v2"})), [&*body("08-agui-truncated")]);
    assert_eq!(agent.snapshot()["connection"]["phase"], "reconnecting");
    agent.now = agent.wake.unwrap();
    agent.act(|session, now| session.tick(now));
    let (target, run, _) = agent.targets.last().unwrap().clone();
    let task = "9d0f6b9e-1111-4222-8333-000000000001";
    assert_eq!((target, &*run), (Target::Resume, task));
    let expected = json!({"jsonrpc": "2.0", "method": "tasks/resubscribe", "params": {"id": task}, "id": task});
    assert_eq!(*agent.sent(), expected);
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("09-agui-task-snapshot-states"));
    agent.end(request);
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(agent.snapshot()["outcome"], "success");
    let reduced = reduction(&mut agent);
    assert_eq!((&reduced["text"], &reduced["blocks"][0]["open"]), (&json!("Partialrest of the answer"), &json!(false)));
    assert_eq!(agent.events.iter().filter(|event| event["type"] == "RUN_STARTED").count(), 1);

    // One that was left is joined again where it is.
    let mut agent = make(json!({"route": "rest"}));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("08-agui-truncated"));
    agent.act(|session, now| session.disconnect(now));
    agent.act(|session, now| {
        session.attach("{}", now).unwrap();
    });
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("09-agui-task-snapshot-states"));
    agent.end(request);
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(reduction(&mut agent)["text"], "Partialrest of the answer");
    assert_eq!(agent.snapshot()["outcome"], "success");

    // A page that comes later joins it too.
    let mut agent = make(json!({"route": "rest"}));
    agent.act(|session, now| {
        session.attach(&json!({"runId": task}).to_string(), now).unwrap();
    });
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("09-agui-task-snapshot-states"));
    agent.end(request);
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn a_connection_that_fails_is_a_truncated_stream() {
    let mut agent = of_route("rest");
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &body("08-agui-truncated"));
    agent.act(|session, now| session.failed(request, "reset", now));
    let error = &agent.snapshot()["error"];
    assert_eq!(error["code"], "stream_truncated");
    let last = agent.snapshot()["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["content"], "Partial", "nothing that was shown is lost");
}

#[test]
fn ends_without_done() {
    let text = message(json!({"text": "Hello"})).replace(",\"taskId\":\"k\"", "");
    let with_task = message(json!({"text": "Hello"}));
    let working = frame("message", json!({"statusUpdate": {"taskId": "k", "status": {"state": "TASK_STATE_WORKING"}}}));
    let waiting = frame(
        "message",
        json!({"statusUpdate": {"taskId": "k", "final": true, "status": {"state": "TASK_STATE_AUTH_REQUIRED"}}}),
    );
    for (route, frames, outcome) in [
        ("json-rpc", text.clone(), "success"),
        ("v2", text.clone(), "success"),
        ("rest", text.clone(), "error"),
        ("rest", format!("{text}{}", frame("done", json!({}))), "success"),
        ("json-rpc", format!("{working}{with_task}"), "error"),
        ("json-rpc", format!("{with_task}{waiting}"), "success"),
        ("json-rpc", format!("{waiting}{with_task}"), "error"),
    ] {
        let mut agent = play(json!({"route": route}), &frames);
        assert_eq!(agent.snapshot()["outcome"], outcome, "{route}: {frames}");
    }
    let mut agent = play(json!({"route": "json-rpc"}), "");
    assert_eq!(agent.snapshot()["outcome"], "truncated", "nothing has come at all");
}

#[test]
fn tasks_as_they_stand() {
    let task = |state: &str, text: &str| {
        let message = json!({"parts": [{"data": {"data": {}}}, {"text": text}]});
        frame("message", json!({"task": {"id": "k", "contextId": "c", "status": {"state": state, "message": message}}}))
    };
    let done = frame("done", json!({}));
    let outcome = |frames: String| {
        let mut agent = play(json!({"route": "rest"}), &frames);
        let snapshot = agent.snapshot();
        (
            snapshot["outcome"].as_str().unwrap().to_owned(),
            snapshot["error"]["message"].clone(),
            snapshot["error"]["code"].clone(),
        )
    };
    let fine = |outcome: &str| (outcome.to_owned(), Value::Null, Value::Null);
    assert_eq!(outcome(task("TASK_STATE_COMPLETED", "all of it")), fine("success"));
    assert_eq!(
        outcome(task("TASK_STATE_FAILED", "boom") + &done),
        ("error".into(), json!("boom"), json!("TASK_FAILED"))
    );
    assert_eq!(
        outcome(task("TASK_STATE_FAILED", "") + &done),
        ("error".into(), json!("Task failed"), json!("TASK_FAILED"))
    );
    assert_eq!(outcome(task("TASK_STATE_CANCELLED", "") + &done), fine("cancelled"));
    assert_eq!(
        outcome(task("TASK_STATE_REJECTED", "") + &done),
        ("error".into(), json!("task rejected"), json!("rejected"))
    );
    let update = |state: &str, text: &str| {
        let message = json!({"parts": [{"text": text}]});
        frame(
            "message",
            json!({"statusUpdate": {"taskId": "k", "final": true, "status": {"state": state, "message": message}}}),
        )
    };
    assert_eq!(outcome(update("TASK_STATE_CANCELLED", "")), fine("cancelled"));
    assert_eq!(outcome(update("TASK_STATE_REJECTED", "not me")), ("error".into(), json!("not me"), json!("rejected")));
    assert_eq!(
        outcome(frame("task_error", json!({"taskErrror": 1, "errorMessage": "m", "errorCode": "TASK_FAILED"}))),
        ("error".into(), json!("m"), json!("TASK_FAILED"))
    );
    let v2 = |state: &str| {
        result(json!({"kind": "status-update", "taskId": "k", "contextId": "c", "final": true,
        "status": {"state": state, "message": {"parts": [{"kind": "text", "text": "why"}]}}}))
    };
    assert_eq!(outcome(v2("canceled")), fine("cancelled"));
    assert_eq!(outcome(v2("failed")), ("error".into(), json!("why"), json!("failed")));
    let whole = json!({"kind": "task", "id": "k", "contextId": "c", "status": {"state": "completed"},
        "artifacts": [{"artifactId": "a", "parts": [{"kind": "text", "text": "All of it"}]}]});
    let mut agent = play(json!({"route": "v2"}), &result(whole));
    assert_eq!(agent.snapshot()["messages"][1]["content"], "All of it");
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn older_names_of_things() {
    let call = |args: Value| {
        message(
            json!({"data": {"data": {"id": "c", "name": "n", "input": args}}, "metadata": {"part_type": "tool_call"}}),
        )
    };
    for args in [json!({"q": 1}), json!("{\"q\":1}")] {
        let mut agent = play(json!({}), &call(args));
        assert_eq!(agent.snapshot()["toolCalls"][0]["args"], json!({"q": 1}));
    }
    let mut agent =
        play(json!({}), &message(json!({"text": "Hm", "metadata": {"agui_part_type": "thinking", "title": "x"}})));
    assert_eq!(agent.snapshot()["messages"][1]["role"], "reasoning");
    let todo = json!({"data": {"data": {"text": "Plan", "todos": [{"id": "1", "content": "a", "status": "pending"}]}},
        "metadata": {"event_type": "thinking", "block_type": "thinking", "block_id": "th", "thinking_type": "todo"}});
    let mut agent = play(json!({}), &message(todo));
    assert_eq!(agent.snapshot()["messages"][1]["content"], "Plan");
    assert_eq!(agent.custom[0].1["data"]["todos"][0]["content"], "a");
}

#[test]
fn version_1_7_opens_a_thought_for_every_part() {
    let id = json!({"thinkingId": "th"});
    let delta = |text: &str| frame("thinking_delta", json!({"thinkingId": "th", "delta": text}));
    let (start, stop) = (frame("thinking_start", id.clone()), frame("thinking_stop", id));
    let frames = [
        &frame("message_start", json!({"contextId": "c"})),
        &start,
        &delta("a "),
        &stop,
        &start,
        &delta("b"),
        &stop,
        &frame("done", json!({})),
    ];
    let mut agent = played(agent(json!({}), true), frames.map(|frame| frame.as_bytes()));
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(agent.snapshot()["messages"][1]["content"], "a b");
}

#[test]
fn events_that_no_server_sends_yet() {
    let frames = [
        frame("message_start", json!({"messageId": "m", "contextId": "c"})),
        frame("message_delta", json!({"messageId": "m", "delta": "Hello "})),
        frame("message_delta", json!({"messageId": "m", "delta": "you"})),
        frame("message_stop", json!({"messageId": "m"})),
        frame("content_block_start", json!({"blockId": "b", "blockType": "code"})),
        frame("content_block_delta", json!({"blockId": "b", "delta": "1 + 1"})),
        frame("tool_call_start", json!({"toolCallId": "x", "toolName": "n"})),
        frame("tool_call_delta", json!({"toolCallId": "x", "partialInput": "{\"a\":"})),
        frame("tool_call_delta", json!({"toolCallId": "x", "partialInput": "1}"})),
        frame("tool_call_start", json!({"toolCallId": "y", "toolName": "n"})),
        frame("tool_call_stop", json!({"toolCallId": "y", "finalInput": {"b": 2}, "result": "fine"})),
        frame("task_complete", json!({"taskComplete": {"taskId": "k", "result": {"n": 1}}})),
    ];
    let mut agent = played(agent(json!({}), true), frames.iter().map(String::as_bytes));
    assert_eq!(agent.warnings, [""; 0]);
    assert_eq!(event(&agent, "RUN_FINISHED")["result"], json!({"n": 1}));
    let snapshot = agent.snapshot();
    assert_eq!(
        (&snapshot["messages"][1]["content"], &snapshot["messages"][1]["id"]),
        (&json!("Hello you"), &json!("m"))
    );
    assert_eq!(snapshot["messages"][2]["metadata"], json!({"hector": {"blockType": "code"}}));
    assert_eq!(
        (&snapshot["toolCalls"][0]["args"], &snapshot["toolCalls"][1]["args"]),
        (&json!({"a": 1}), &json!({"b": 2}))
    );
    assert_eq!(snapshot["toolCalls"][1]["result"], "fine");
}

#[test]
fn results_of_parallel_calls_are_emitted_once_each() {
    let stop = |id: &str, result: &str| frame("tool_call_stop", json!({"toolCallId": id, "result": result}));
    let start = |id: &str| frame("tool_call_start", json!({"toolCallId": id, "toolName": "n", "input": {"a": 1}}));
    let frames = [
        start("a"),
        start("b"),
        stop("a", "1"),
        stop("b", "x"),
        stop("a", "12"),
        stop("b", "xy"),
        frame("done", json!({})),
    ];
    let agent = played(agent(json!({}), true), frames.iter().map(String::as_bytes));
    let told: Vec<_> = agent
        .events
        .iter()
        .filter(|event| event["type"] == "TOOL_CALL_RESULT")
        .map(|event| &event["content"])
        .collect();
    assert_eq!(told, ["12", "xy"]);
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

#[test]
fn bad_frames_are_told_and_nothing_shown_is_lost() {
    let hello = message(json!({"text": "Hello"}));
    let deep = format!("event: message\ndata: {}1{}\n\n", "[".repeat(100_000), "]".repeat(100_000));
    let late = format!("{}{}", frame("done", json!({})), message(json!({"text": "late"})));
    const BAD: &str = "hector-frame-malformed";
    for (bad, code) in [
        (frame("message", json!({"nothing": 1})), BAD),
        (frame("message", json!({"message": 7})), BAD),
        (frame("message", json!({"message": {"parts": "x"}})), BAD),
        (frame("message", json!({"message": {"parts": [7]}})), BAD),
        (frame("message", json!({"statusUpdate": {"status": "x"}})), BAD),
        (frame("message", json!({"task": {"id": 1}})), BAD),
        (frame("message", json!([])), BAD),
        ("event: content_block_delta\ndata: nonsense\n\n".to_owned(), BAD),
        (result(json!({"kind": "artifact-update", "artifact": 1})), BAD),
        (result(json!({"kind": "artifact-update", "artifact": {"parts": 1}})), BAD),
        (result(json!({"kind": "status-update"})), BAD),
        (frame("", json!({"jsonrpc": "2.0", "result": []})), BAD),
        (deep, BAD),
        (result(json!({"kind": "novelty"})), "hector-event-unknown"),
        (frame("novelty", json!({"eventId": "1", "type": "AGUI_EVENT_TYPE_NOVELTY"})), "hector-event-unknown"),
        (frame("agui_event", json!({})), "hector-event-unknown"),
        (
            frame("message", json!({"statusUpdate": {"status": {"state": "TASK_STATE_DREAMING"}}})),
            "hector-state-unknown",
        ),
        (frame("tool_call_delta", json!({"toolCallId": "no", "partialInput": "x"})), "hector-event-late"),
        (late, "hector-event-late"),
    ] {
        let mut agent = play(json!({"route": "json-rpc"}), &format!("{hello}{bad}"));
        assert_eq!(agent.warnings, [code], "{:.200}", bad);
        assert_eq!(agent.snapshot()["messages"][1]["content"], "Hello", "{:.200}", bad);
        let mut agent = played(of_route("json-rpc"), [hello.as_bytes(), bad.as_bytes()]);
        assert_eq!(agent.snapshot()["messages"][1]["content"], "Hello");
        if code == BAD {
            assert_eq!(agent.snapshot()["error"]["code"], BAD, "strict rules end the run");
        }
    }
}

#[test]
fn hostile_numbers_take_no_time() {
    let many = 20_000;
    let starts: String = (0..many).map(|at| frame("content_block_start", json!({"blockId": at.to_string()}))).collect();
    let calls: String =
        (0..many).map(|at| frame("tool_call_stop", json!({"toolCallId": at.to_string(), "result": "x"}))).collect();
    let thoughts: String = (0..many)
        .map(|at| result(json!({"kind": "artifact-update", "artifact": {"parts": null}, "metadata": {"partial": true, "author": at.to_string(),
            "thinking": {"id": at.to_string(), "content": "x"}}})))
        .collect();
    for frames in [starts, calls, thoughts] {
        let mut agent = play(json!({}), &frames);
        assert!(agent.snapshot()["messages"].as_array().unwrap().len() > 1);
    }
}

#[test]
fn damaged_bytes_do_not_panic() {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below as u64) as usize
    };
    let names = RECORDED.iter().map(|(name, _)| *name).chain(["11-v2-a2a-jsonrpc-approval", "13-v2-jsonrpc-error"]);
    for name in names {
        let whole = body(name);
        for round in 0..300 {
            let mut damaged = whole.clone();
            for _ in 0..=random(4) {
                let at = random(damaged.len());
                match random(3) {
                    0 => damaged[at] = *b"{}[]\",:0ntf\\\n\xff".get(random(14)).unwrap(),
                    1 => drop(damaged.drain(at..(at + 1 + random(40)).min(damaged.len()))),
                    _ => {
                        let copy = damaged[at..(at + random(200)).min(damaged.len())].to_vec();
                        damaged.splice(at..at, copy);
                    }
                }
            }
            let mut agent = played(agent(json!({}), round % 2 == 0), [&*damaged]);
            assert_eq!(agent.snapshot()["isLoading"], false, "{name}: the run ends, whatever comes");
        }
    }
}
