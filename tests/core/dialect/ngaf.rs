//! The ngaf dialect: `tests/fixtures/dialects/ngaf`. Its Agent contract is computed in `js/systems/ngaf/index.ts`.

use super::*;

fn ngaf(strict: bool) -> Agent {
    Agent::speaking("ngaf", json!({}), Options { strict, ..Options::default() })
}

/// A stream's snapshot, the same at every cut, under both rules.
fn snapshot(body: &[u8], warnings: &[&str]) -> Value {
    let of = |agent: &mut Agent| {
        assert_eq!(agent.warnings, warnings);
        agent.snapshot().clone()
    };
    let tolerant = at_every_cut(body, || ngaf(false), of);
    assert_eq!(at_every_cut(body, || ngaf(true), of), tolerant);
    tolerant
}

fn sse(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

fn run(events: &[Value]) -> Vec<u8> {
    let mut all = vec![event!("RUN_STARTED", "threadId": "t", "runId": "r")];
    all.extend_from_slice(events);
    all.push(event!("RUN_FINISHED", "threadId": "t", "runId": "r"));
    sse(&all)
}

#[test]
fn the_whole_tour() {
    let snapshot = snapshot(&fixture("ngaf/01-reasoning-text-tool-state.sse"), &[]);
    let expected = &json_fixture("ngaf/01-reasoning-text-tool-state.expected.json")["agentV2"]["agent"];
    let (message, wanted) = (&snapshot["messages"][1], &expected["messages"][0]);
    for member in ["id", "role", "content", "reasoning", "toolCallIds"] {
        assert_eq!(message[member], wanted[member], "{member}");
    }
    let (call, wanted) = (&snapshot["toolCalls"][0], &expected["toolCalls"][0]);
    for member in ["id", "name", "args", "status", "result"] {
        assert_eq!(call[member], wanted[member], "{member}");
    }
    assert_eq!(snapshot["state"], expected["state"]);
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("success")));
}

#[test]
fn custom_events_are_told() {
    let agent = played(ngaf(false), [&*fixture("ngaf/01-reasoning-text-tool-state.sse")]);
    let told: Vec<Value> = agent.custom.iter().map(|(name, data)| json!({"name": name, "data": data})).collect();
    let expected = &json_fixture("ngaf/01-reasoning-text-tool-state.expected.json")["agentV2"]["agent"];
    assert_eq!(Value::Array(told), expected["customEvents"]);
}

#[test]
fn the_clock_times_the_reasoning() {
    let body = fixture("ngaf/01-reasoning-text-tool-state.sse");
    let expected = json_fixture("ngaf/01-reasoning-text-tool-state.expected.json");
    let mut agent = ngaf(false);
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let body = String::from_utf8(body).unwrap();
    for (frame, at) in body.split_inclusive("\n\n").zip(expected["arrivalClockMs"].as_array().unwrap()) {
        agent.now = at.as_f64().unwrap();
        agent.bytes(request, frame.as_bytes());
    }
    let wanted = &expected["agentV2"]["agent"]["messages"][0]["reasoningDurationMs"];
    assert_eq!(&agent.snapshot()["messages"][1]["reasoningDurationMs"], wanted);
}

#[test]
fn arguments_in_pieces() {
    let snapshot = snapshot(&fixture("ngaf/02-fragmented-tool-args.sse"), &[]);
    let expected = &json_fixture("ngaf/02-fragmented-tool-args.expected.json")["agentV2"]["agent"]["toolCalls"][0];
    assert_eq!(snapshot["toolCalls"][0]["args"], expected["args"]);
    assert_eq!(snapshot["toolCalls"][0]["result"], "ok");
    assert_eq!(snapshot["messages"][1]["id"], "msg_7");
}

#[test]
fn a_question_and_a_subagent() {
    // The patch that does not apply is reported, and only that is lost.
    let snapshot = snapshot(&fixture("ngaf/04-interrupt-and-subagent.sse"), &["activity-patch-failed"]);
    let expected = &json_fixture("ngaf/04-interrupt-and-subagent.expected.json")["agentV2"]["agent"];
    let interrupt = &snapshot["interrupts"][0];
    assert_eq!(interrupt["metadata"]["value"], expected["interrupt"]["value"]);
    assert_eq!(interrupt["message"], "Approve refund of $42?");
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("interrupted")));
    let subagent = &snapshot["subagents"][0];
    assert_eq!(
        json!([subagent["name"], subagent["status"], subagent["parentToolCallId"]]),
        json!(["researcher", "complete", "tc_sub"])
    );
    assert_eq!(snapshot["messages"][1]["content"]["text"], "Found 3 sources");
}

#[test]
fn a_question_is_no_custom_event() {
    let agent = played(ngaf(false), [&*fixture("ngaf/04-interrupt-and-subagent.sse")]);
    assert!(agent.custom.is_empty());
    // Listeners have it as it came.
    let raw: Vec<&Value> = agent.events.iter().filter(|event| event["type"] == "RAW").collect();
    assert_eq!(raw.len(), 1);
    assert_eq!((&raw[0]["source"], &raw[0]["event"]["name"]), (&json!("ngaf"), &json!("on_interrupt")));
}

#[test]
fn the_answer_goes_as_a_command() {
    let mut agent = played(ngaf(false), [&*fixture("ngaf/04-interrupt-and-subagent.sse")]);
    let id = agent.snapshot()["interrupts"][0]["id"].clone();
    let resume = json!([{"interruptId": id, "status": "resolved", "payload": {"answer": "yes"}}]);
    let props = json!({"tenant": 7, "command": {"goto": "x"}});
    agent.submit_json(json!({"runId": "s", "messages": [], "resume": resume, "forwardedProps": props}));
    let sent = agent.sent();
    assert_eq!(sent["forwardedProps"], json!({"tenant": 7, "command": {"goto": "x", "resume": {"answer": "yes"}}}));
    assert!(sent.get("resume").is_none());
    assert_eq!(sent["threadId"], "t");
}

#[test]
fn a_cancelled_question_is_left() {
    let mut agent = played(ngaf(false), [&*fixture("ngaf/04-interrupt-and-subagent.sse")]);
    let id = agent.snapshot()["interrupts"][0]["id"].clone();
    let resume = json!([{"interruptId": id, "status": "cancelled"}]);
    agent.submit_json(json!({"runId": "s", "messages": [], "resume": resume, "forwardedProps": {"a": 1}}));
    assert_eq!(agent.sent()["forwardedProps"], json!({"a": 1}));
    assert!(agent.sent().get("resume").is_none());
}

#[test]
fn questions_of_ag_ui_are_answered_as_they_are() {
    let asked = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "confirmation"}]});
    let mut agent = ngaf(true);
    agent.run(&[
        event!("RUN_STARTED", "threadId": "t", "runId": "r"),
        event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": asked),
    ]);
    let resume = json!([{"interruptId": "i", "status": "resolved", "payload": 1}]);
    agent.submit_json(json!({"runId": "s", "messages": [], "resume": resume}));
    assert_eq!(agent.sent()["resume"], resume);
}

#[test]
fn a_question_ends_a_run_that_has_no_other_end() {
    let body = sse(&[
        event!("RUN_STARTED", "threadId": "t", "runId": "r"),
        event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "subagent", "content": {"status": "running"}),
        event!("CUSTOM", "name": "on_interrupt", "value": "Sure?"),
    ]);
    let snapshot = snapshot(&body, &[]);
    assert_eq!(snapshot["outcome"], "interrupted");
    assert_eq!(snapshot["interrupts"][0]["message"], "Sure?");
    assert_eq!(snapshot["interrupts"][0]["metadata"]["value"], "Sure?");
    assert_eq!(snapshot["subagents"][0]["name"], "subagent");
}

#[test]
fn the_last_of_several_questions_stands() {
    let ask = |text: &str| event!("CUSTOM", "name": "on_interrupt", "value": text);
    let snapshot = snapshot(&run(&[ask("one"), ask("two")]), &["interrupt-replaced"]);
    assert_eq!(snapshot["interrupts"].as_array().unwrap().len(), 1);
    assert_eq!(snapshot["interrupts"][0]["message"], "two");
}

#[test]
fn the_dialect_of_the_documents() {
    let snapshot = snapshot(&fixture("ngaf/05-doc-dialect-lenient.sse"), &["event-unknown"]);
    let (message, call) = (&snapshot["messages"][1], &snapshot["toolCalls"][0]);
    assert_eq!(message["content"], "Done.");
    assert_eq!(message["reasoning"], "thinking...");
    assert_eq!(call["args"], json!({"q": "angular"}));
    assert_eq!(call["result"], json!({"hits": 3}));
    let result = snapshot["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    assert_eq!(result["id"], "c1:result");
    assert_eq!(result["content"], "{\"hits\":3}");
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("success")));
}

#[test]
fn what_is_missing_is_what_the_product_takes_instead() {
    let body = run(&[
        event!("TEXT_MESSAGE_START", "role": "robot"),
        event!("TEXT_MESSAGE_CONTENT", "delta": "a"),
        event!("TEXT_MESSAGE_CONTENT"),
        event!("TEXT_MESSAGE_END"),
        event!("REASONING_MESSAGE_START", "messageId": "x"),
        event!("REASONING_MESSAGE_CONTENT", "messageId": "x", "delta": null),
        event!("REASONING_MESSAGE_CHUNK", "messageId": "x"),
        event!("REASONING_MESSAGE_END", "messageId": "x"),
        event!("STATE_SNAPSHOT"),
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "n"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        event!("TOOL_CALL_RESULT", "toolCallId": "c", "content": [1, 2], "role": "function"),
        event!("CUSTOM", "name": "state_update", "value": "{\"a\":[1]}"),
    ]);
    let snapshot = snapshot(&body, &[]);
    assert_eq!(json!([snapshot["messages"][1]["id"], snapshot["messages"][1]["content"]]), json!(["unknown", "a"]));
    assert_eq!(snapshot["toolCalls"][0]["result"], json!([1, 2]));
    let agent = played(ngaf(true), [&*body]);
    assert_eq!(agent.custom, [("state_update".to_owned(), json!({"a": [1]}))]);
}

#[test]
fn what_came_is_told_beside_what_it_was_made_into() {
    let agent = played(ngaf(false), [&*fixture("ngaf/05-doc-dialect-lenient.sse")]);
    let result = agent.events.iter().find(|event| event["type"] == "TOOL_CALL_RESULT").unwrap();
    assert_eq!(result["rawEvent"]["source"], "ngaf");
    assert_eq!(result["rawEvent"]["event"]["content"], json!({"hits": 3}));
    // Nothing is said of what passes.
    assert!(agent.events.iter().find(|event| event["type"] == "TEXT_MESSAGE_START").unwrap().get("rawEvent").is_none());
}

#[test]
fn bad_input_warns_and_loses_nothing() {
    let shown = [
        event!("RUN_STARTED", "threadId": "t", "runId": "r"),
        event!("TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "kept"),
    ];
    let deep = format!("{{\"type\":\"CUSTOM\",\"name\":\"x\",\"value\":{}1{}}}", "[".repeat(2000), "]".repeat(2000));
    let wrong = |frame: Value| frame.to_string();
    for (bad, code) in [
        ("{".to_owned(), "frame-not-json"),
        ("[]".to_owned(), "frame-not-object"),
        (deep, "frame-too-deep"),
        (wrong(json!({"type": "TOOL_CALL_RESULT", "content": {}})), "event-malformed"),
        (wrong(json!({"type": "ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "subagent"})), "event-malformed"),
        (wrong(json!({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": 7})), "event-malformed"),
        (wrong(json!({"type": "CUSTOM", "value": "{}"})), "event-malformed"),
        (wrong(json!({"type": "NO_SUCH_EVENT"})), "event-unknown"),
    ] {
        let mut agent = ngaf(false);
        let request = agent.submit("go");
        agent.head(request, 200, "text/event-stream");
        agent.bytes(request, &sse(&shown));
        agent.bytes(request, format!("data: {bad}\n\n").as_bytes());
        assert_eq!(agent.warnings, [code], "{bad:.100}");
        assert_eq!(agent.snapshot()["messages"][1]["content"], "kept");
        agent.bytes(request, &sse(&[event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": " on")]));
        assert_eq!(agent.snapshot()["messages"][1]["content"], "kept on");
    }
}

#[test]
fn damaged_streams_do_not_panic() {
    let mut seed = 0x5EED_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for name in ["01-reasoning-text-tool-state", "04-interrupt-and-subagent", "05-doc-dialect-lenient"] {
        let body = fixture(&format!("ngaf/{name}.sse"));
        for round in 0..1500 {
            let mut damaged = body.clone();
            for _ in 0..=random(4) {
                let at = random(damaged.len());
                match random(4) {
                    0 => damaged[at] = random(256) as u8,
                    1 => drop(damaged.drain(at..(at + random(40)).min(body.len()).min(damaged.len()).max(at))),
                    2 => damaged.truncate(at + 1),
                    _ => {
                        let piece = damaged[at..(at + random(60)).min(damaged.len())].to_vec();
                        damaged.splice(at..at, piece);
                    }
                }
                if damaged.is_empty() {
                    damaged.push(b'\n');
                }
            }
            let mut agent = played(ngaf(round % 2 == 0), [&*damaged]);
            assert_ne!(agent.snapshot()["status"], "running", "{}", String::from_utf8_lossy(&damaged));
        }
    }
}
