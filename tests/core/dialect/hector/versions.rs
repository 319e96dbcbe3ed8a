//! Its versions: what version 2 replaces and asks, and what older ones call otherwise.

use super::*;

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
