//! agentOS: ledger rows in envelopes.

use super::{Agent, Options, at_every_cut, fixture, json_fixture, played};
use crate::support::streams::Random;
use ag_ui_wasm::session::{Network, Resume};
use serde_json::{Value, json};

const FIXTURES: [&str; 3] = [
    "01-completed-run.envelope-v2",
    "02-completed-run.envelope-v1",
    "04-policy-reject-product-event-abort.envelope-v2",
];

fn stream(name: &str) -> Vec<u8> {
    fixture(&format!("agentos/{name}.sse"))
}

fn agent(strict: bool) -> Agent {
    Agent::speaking("agent-os", json!({}), Options { strict, ..Options::default() })
}

/// An envelope as a server-sent event.
fn row(id: u64, frames: &[Value]) -> Vec<u8> {
    let envelope = json!({"id": id, "ts": id * 10, "kind": "k", "scopeKey": "conversation:c", "safeEvent": null, "agUiFrames": frames});
    format!("event: ag_ui\ndata: {envelope}\n\n").into_bytes()
}

fn rows(rows: &[&[Value]]) -> Vec<u8> {
    rows.iter().zip(11..).flat_map(|(frames, id)| row(id, frames)).collect()
}

fn custom(name: &str, value: Value) -> Value {
    event!("CUSTOM", "timestamp": 7, "name": name, "value": value)
}

fn started(run: &str) -> Value {
    event!("RUN_STARTED", "threadId": "thread-1", "runId": run)
}

fn finished(run: &str) -> Value {
    event!("RUN_FINISHED", "threadId": "thread-1", "runId": run, "outcome": {"type": "success"})
}

fn interrupted() -> Value {
    let request = json!({"kind": "approval", "subjectRef": "tool:publish", "toolCallId": "call-9", "toolName": "publish",
        "ref": {"kind": "agent.run.input_request", "runId": 11, "turnIndex": 0, "interruptId": "i-9"}});
    custom(
        "agent-os.run.interrupted",
        json!({"runId": 11, "turnIndex": 0, "interruptId": "i-9", "reason": "approval_required",
            "hasResumeSchema": true, "tokensUsed": 5, "inputRequest": request}),
    )
}

fn resumed() -> Value {
    custom("agent-os.run.resumed", json!({"runId": 11, "turnIndex": 0, "interruptId": "i-9", "resumedAtEventId": 15}))
}

/// Every frame of the fixture as AG-UI 1.0 has it.
fn canonical(expected: &Value) -> Vec<Value> {
    let frames = expected["frames"].as_array().unwrap().iter().cloned();
    let translate = |mut frame: Value| {
        let fields = frame.as_object_mut().unwrap();
        if fields["type"] == "REASONING_MESSAGE_START" {
            fields.insert("role".into(), json!("reasoning"));
        } else if fields["type"] == "RUN_ERROR" {
            let metadata = json!({"threadId": fields.remove("threadId"), "runId": fields.remove("runId")});
            fields.insert("metadata".into(), metadata);
        }
        frame
    };
    frames.map(translate).collect()
}

/// The snapshot, the events, the warnings, the custom events.
type Seen = (Value, Vec<Value>, Vec<String>, Vec<(String, Value)>);

fn seen(agent: &mut Agent) -> Seen {
    (agent.snapshot().clone(), agent.events.clone(), agent.warnings.clone(), agent.custom.clone())
}

#[test]
fn fixtures_reach_what_is_expected_at_every_cut() {
    for name in FIXTURES {
        let expected = json_fixture(&format!("agentos/{name}.expected.json"));
        let (snapshot, events, warnings, customs) = at_every_cut(&stream(name), || agent(true), seen);
        assert_eq!(events, canonical(&expected), "{name}");
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let told: Vec<_> =
            expected["reduction"]["custom"].as_array().unwrap().iter().map(|frame| &frame["name"]).collect();
        assert_eq!(customs.iter().map(|(name, _)| name).collect::<Vec<_>>(), told, "{name}");
        let totals = &expected["usageTotals"];
        let usage = json!([{"inputTokens": totals["promptTokens"], "outputTokens": totals["completionTokens"],
            "totalTokens": totals["totalTokens"]}]);
        assert_eq!(snapshot["usage"], usage, "{name}");
        let reduction = &expected["reduction"];
        assert_eq!(snapshot["runId"], reduction["runId"], "{name}");
        let status = if snapshot["outcome"] == "success" { "completed" } else { "aborted" };
        assert_eq!(status, reduction["status"], "{name}");
        let calls: Vec<_> =
            snapshot["toolCalls"].as_array().unwrap().iter().map(|c| (&c["id"], &c["name"], &c["argsText"])).collect();
        let wanted: Vec<_> = reduction["toolCalls"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| (&c["toolCallId"], &c["name"], &c["args"]))
            .collect();
        assert_eq!(calls, wanted, "{name}");
        assert_eq!(snapshot["connection"]["lastEventId"], if name.starts_with("04") { "28" } else { "5" }, "{name}");
    }
}

#[test]
fn the_abort_is_the_error_of_the_run() {
    let mut agent = played(agent(false), [&stream(FIXTURES[2])[..]]);
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["error"]["kind"], "run");
    assert_eq!(snapshot["error"]["code"], "agent.aborted.tool_error");
    assert_eq!(snapshot["error"]["message"], "write_file failed: quota");
}

#[test]
fn envelopes_need_no_name_and_frames_no_envelope() {
    let named = stream(FIXTURES[0]);
    let bare = String::from_utf8(named.clone()).unwrap().replace("event: ag_ui\n", "").into_bytes();
    let expected = json_fixture("agentos/01-completed-run.envelope-v2.expected.json");
    let frames = expected["frames"].as_array().unwrap();
    let alone: Vec<u8> = frames.iter().flat_map(|frame| format!("data: {frame}\n\n").into_bytes()).collect();
    // The last row may lack its end.
    let open = named[..named.len() - 2].to_vec();
    for body in [bare, alone, open] {
        let mut agent = played(agent(true), [&body[..]]);
        assert_eq!(agent.events, canonical(&expected));
        assert_eq!(agent.snapshot()["outcome"], "success");
    }
}

#[test]
fn runs_follow_one_another_in_one_stream() {
    let error = event!("RUN_ERROR", "message": "tool rejected: bash", "code": "tool.rejected", "threadId": "thread-1", "runId": "11");
    let aborted = event!("RUN_ERROR", "message": "gone", "code": "agent.aborted.tool_error", "runId": "11");
    let late = event!("TOOL_CALL_RESULT", "messageId": "r", "toolCallId": "c", "content": "late", "role": "tool");
    let call = [
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "bash"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
    ];
    let text = |id: &str| {
        [
            event!("TEXT_MESSAGE_START", "messageId": id, "role": "assistant"),
            event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": id),
            event!("TEXT_MESSAGE_END", "messageId": id),
        ]
    };
    let body = rows(&[
        &[custom("session.turn.submitted", json!({"id": 11}))],
        &[started("11")],
        &call,
        &[error],
        &[late],
        &[custom("workspace_op.rejected", json!({"id": 15}))],
        &[aborted],
        &[started("18")],
        &text("second"),
        &[finished("18")],
        &[custom("acme.note", json!(1))],
    ]);
    let mut agent = played(agent(true), [&body[..]]);
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    let names: Vec<_> = agent.custom.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["session.turn.submitted", "workspace_op.rejected", "acme.note"]);
    let ends =
        agent.events.iter().filter(|event| event["type"] == "RUN_ERROR" || event["type"] == "RUN_FINISHED").count();
    assert_eq!(ends, 2, "another end of the same run says nothing");
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["runId"], &snapshot["outcome"]), (&json!("18"), &json!("success")));
    assert_eq!(snapshot["toolCalls"][0]["result"], "late");
    assert_eq!(snapshot["messages"].as_array().unwrap().last().unwrap()["content"], "second");
}

#[test]
fn an_interrupted_run_waits_and_goes_on_in_the_same_stream() {
    let text = event!("TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "published", "role": "assistant");
    let between = custom("acme.decided", json!({}));
    let before = rows(&[&[started("11")], &[interrupted()], &[between]]);
    let after: Vec<u8> = [&[resumed()][..], &[text], &[finished("11")]]
        .iter()
        .zip(14..)
        .flat_map(|(frames, id)| row(id, frames))
        .collect();
    let mut agent = agent(true);
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &before);
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("interrupted")));
    let interrupts = snapshot["interrupts"].as_array().unwrap();
    assert_eq!(interrupts.len(), 1);
    assert_eq!(interrupts[0]["id"], "i-9");
    assert_eq!(interrupts[0]["reason"], "approval_required");
    assert_eq!(interrupts[0]["toolCallId"], "call-9");
    assert_eq!(interrupts[0]["metadata"]["kind"], "approval");
    agent.bytes(request, &after[..row(14, &[resumed()]).len()]);
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], &snapshot["runId"]), (&json!("running"), &json!("11")));
    assert_eq!(snapshot["interrupts"], json!([]), "who waits is answered");
    agent.bytes(request, &after[row(14, &[resumed()]).len()..]);
    agent.end(request);
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    let names: Vec<_> = agent.custom.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["agent-os.run.interrupted", "acme.decided", "agent-os.run.resumed"], "each stays");
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["outcome"], "success");
    assert_eq!(snapshot["messages"][1]["content"], "published");
}

#[test]
fn an_answer_goes_with_the_next_request_and_the_run_goes_on_there() {
    let mut agent = agent(true);
    agent = played(agent, [&rows(&[&[started("11")], &[interrupted()]])[..]]);
    assert_eq!(agent.snapshot()["outcome"], "interrupted");
    let payload = json!({"kind": "approval", "approved": true});
    agent.submit_json(
        json!({"runId": "r2", "resume": [{"interruptId": "i-9", "status": "resolved", "payload": payload}]}),
    );
    assert_eq!(agent.sent()["resume"], json!([{"interruptId": "i-9", "status": "resolved", "payload": payload}]));
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    // A host that begins at the beginning repeats the rows that are known.
    agent.bytes(request, &rows(&[&[started("11")], &[interrupted()], &[resumed()], &[finished("11")]]));
    agent.end(request);
    let snapshot = agent.snapshot().clone();
    assert_eq!((&snapshot["outcome"], &snapshot["interrupts"]), (&json!("success"), &json!([])));
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
}

#[test]
fn a_run_that_goes_on_or_fails_without_a_word_waits_no_more() {
    for (rest, outcome) in [(finished("11"), "success"), (event!("RUN_ERROR", "message": "gone"), "error")] {
        let mut agent = played(agent(true), [&rows(&[&[started("11")], &[interrupted()], &[rest]])[..]]);
        assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
        let snapshot = agent.snapshot();
        assert_eq!((&snapshot["outcome"], &snapshot["interrupts"]), (&json!(outcome), &json!([])));
    }
}

#[test]
fn rows_are_taken_once() {
    let body = stream(FIXTURES[0]);
    let mut agent = agent(false);
    for _ in 0..2 {
        agent = played(agent, [&body[..]]);
    }
    let snapshot = agent.snapshot().clone();
    assert_eq!(agent.events.len(), 19, "the second stream brought nothing new");
    assert_eq!(snapshot["outcome"], "truncated");
    assert_eq!(snapshot["usage"][0]["totalTokens"], 18);
    assert_eq!(agent.warnings, ["envelopes-repeated"], "an end without anything new is told");
    // A thread that was cleared is read from its beginning.
    agent.act(|session, now| session.reset(now).unwrap());
    let mut agent = played(agent, [&body[..]]);
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn a_run_goes_on_where_its_connection_was_lost() {
    let body = stream(FIXTURES[0]);
    let text = String::from_utf8(body.clone()).unwrap();
    let rows: Vec<&str> = text.split_inclusive("\n\n").collect();
    let whole = played(agent(false), [&body[..]]).snapshot().clone();
    for by in ["cursor", "replay"] {
        for at in (1..body.len()).step_by(5) {
            let resume = Some(Resume::by(by, Some("id"), Some("after")).unwrap());
            let network = Network { resume, ..Network::default() };
            let mut agent =
                Agent::speaking("agent-os", json!({}), Options { strict: true, network, ..Options::default() });
            let request = agent.submit("go");
            agent.head(request, 200, "text/event-stream");
            agent.bytes(request, &body[..at]);
            agent.act(|session, now| session.failed(request, "lost", now));
            let read = text[..at].matches("\n\n").count();
            if agent.snapshot()["connection"]["phase"] == "reconnecting" {
                let until = agent.wake.unwrap();
                agent.act(|session, _| session.tick(until));
                let (request, sent) = agent.requests.last().unwrap().clone();
                agent.head(request, 200, "text/event-stream");
                if by == "cursor" {
                    assert_eq!(sent["forwardedProps"]["after"], read, "cut at {at}");
                    // A host may begin with the row that was read last.
                    agent.bytes(request, rows[read - 1..].concat().as_bytes());
                } else {
                    agent.bytes(request, &body);
                }
                agent.end(request);
            } else {
                assert!(read == if by == "cursor" { 0 } else { rows.len() } || read == rows.len(), "{by}, cut at {at}");
                if read == 0 {
                    continue;
                }
            }
            assert!(agent.warnings.is_empty(), "{by}, cut at {at}: {:?}", agent.warnings);
            for member in ["messages", "toolCalls", "usage", "outcome", "interrupts", "runId"] {
                assert_eq!(agent.snapshot()[member], whole[member], "{by}, cut at {at}: {member}");
            }
        }
    }
}

#[test]
fn usage_is_the_sum_of_the_turns() {
    let usage = |n: u64| json!({"runId": 11, "turnIndex": n, "usage": {"promptTokens": n, "completionTokens": 1, "totalTokens": n + 1}});
    let body = rows(&[
        &[started("11")],
        &[custom("agent-os.llm.completed", usage(9)), custom("agent-os.llm.usage", usage(9))],
        &[custom("agent-os.llm.usage", json!({"runId": 11, "turnIndex": 1, "usage": null}))],
        &[custom("agent-os.llm.completed", usage(5)), custom("agent-os.llm.usage", usage(5))],
    ]);
    // Also of a run whose stream was cut.
    let mut agent = played(agent(false), [&body[..]]);
    assert_eq!(agent.snapshot()["usage"], json!([{"inputTokens": 14, "outputTokens": 2, "totalTokens": 16}]));
}

#[test]
fn summaries_never_reach_a_tool_of_the_page() {
    let call = |args: &str| {
        [
            started("11"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "lookup"),
            event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": args),
            event!("TOOL_CALL_END", "toolCallId": "c"),
            finished("11"),
        ]
    };
    let redacted = r#"{"redacted":true,"reason":"tool_arguments","type":"string","bytes":13}"#;
    let alone: Vec<u8> = call(redacted).iter().flat_map(|frame| format!("data: {frame}\n\n").into_bytes()).collect();
    for body in [row(1, &call(redacted)), row(1, &call("{}")), alone] {
        for tool in [
            json!({"name": "lookup"}),
            json!({"name": "lookup", "needsApproval": true}),
            json!({"name": "lookup", "manual": true}),
        ] {
            let mut agent = agent(false);
            agent.submit_json(json!({"runId": "r", "messages": [], "pageTools": [tool]}));
            let request = agent.requests[0].0;
            agent.head(request, 200, "text/event-stream");
            agent.bytes(request, &body);
            agent.end(request);
            assert!(agent.executed.is_empty());
            assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "input-available");
            assert_eq!(agent.requests.len(), 1, "no run follows");
        }
    }
}

#[test]
fn the_request_is_what_a_host_takes() {
    let messages = json!([
        {"id": "a", "role": "user", "content": [{"type": "text", "text": "one "}, {"type": "text", "text": "\u{1f680} two"},
            {"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}}], "name": "ada"},
        {"id": "b", "role": "assistant", "content": "hi", "toolCalls": [{"id": "x", "type": "function",
            "function": {"name": "f", "arguments": "{}"}}]},
        {"id": "c", "role": "tool", "toolCallId": "x", "content": "text"},
    ]);
    let tools = json!([{"name": "f", "description": "d", "parameters": {"type": "object"}}]);
    let mut agent = agent(false);
    agent.submit_json(json!({"runId": "r", "messages": messages, "tools": tools, "state": {"n": 1}, "forwardedProps": {"locale": "en"}}));
    assert_eq!(
        *agent.sent(),
        json!({"threadId": "t", "runId": "r", "state": {"n": 1}, "tools": tools, "context": [], "forwardedProps": {"locale": "en"},
            "messages": [{"id": "a", "role": "user", "content": "one \u{1f680} two", "name": "ada"},
                {"id": "b", "role": "assistant", "content": "hi"}, {"id": "c", "role": "tool", "content": "text"}]})
    );
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, &row(1, &[started("11")]));
    assert_eq!(agent.warnings, ["part-not-sent"]);
}

#[test]
fn bad_envelopes_are_told_and_nothing_shown_is_lost() {
    let text = [
        event!("TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "shown"),
    ];
    let deep = format!(r#"{{"id":20,"agUiFrames":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let long = format!(r#"{{"id":20,"agUiFrames":["{}"]}}"#, "x".repeat(1 << 20));
    for (data, code) in [
        (r#"{"id":20,"ts":1,"kind":"k","scopeKey":"s"}"#, "envelope-malformed"),
        (r#"{"id":20,"agUiFrames":{}}"#, "envelope-malformed"),
        (r#"{"id":20,"agUiFrames":null}"#, "envelope-malformed"),
        (r#"{"id":"20","agUiFrames":[]}"#, "envelope-malformed"),
        (r#"{"id":0,"agUiFrames":[]}"#, "envelope-malformed"),
        (r#"{"id":99999999999999999999,"agUiFrames":[]}"#, "envelope-malformed"),
        (r#"{"agUiFrames":[]}"#, "envelope-malformed"),
        (r#"{"id":20,"agUiFrames":[5]}"#, "frame-not-object"),
        (r#"{"id":20,"agUiFrames":[{}]}"#, "frame-without-type"),
        (r#"{"id":20,"agUiFrames":[{"type":"TEXT_MESSAGE_CONTENT","messageId":5,"delta":"x"}]}"#, "event-malformed"),
        (r#"{"id":20,"agUiFrames":[{"type":"TEXT_MESSAGE_SUNG","messageId":"m"}]}"#, "event-unknown"),
        (
            r#"{"id":20,"agUiFrames":[{"type":"CUSTOM","name":"agent-os.run.interrupted","value":{"reason":"x"}}]}"#,
            "interrupt-malformed",
        ),
        (r#"{"id":20,"agUiFrames":["#, "frame-not-json"),
        ("[]", "frame-not-object"),
        (&deep, "frame-too-deep"),
        (&long, "frame-not-object"),
    ] {
        for strict in [false, true] {
            let about = &data[..data.len().min(80)];
            let mut agent = agent(strict);
            let request = agent.submit("go");
            agent.head(request, 200, "text/event-stream");
            agent.bytes(request, &row(11, &[started("11")]));
            agent.bytes(request, &row(12, &text));
            agent.bytes(request, format!("event: ag_ui\ndata: {data}\n\n").as_bytes());
            let error = agent.snapshot()["error"]["code"].clone();
            if strict && code != "event-unknown" {
                assert_eq!(error, code, "{about}");
            } else {
                assert_eq!(agent.warnings, [code], "{about}");
                agent.bytes(
                    request,
                    &row(30, &[event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": " more"), finished("11")]),
                );
                assert_eq!(agent.snapshot()["messages"][1]["content"], "shown more", "{about}");
            }
            assert!(agent.snapshot()["messages"][1]["content"].as_str().unwrap().starts_with("shown"), "{about}");
        }
    }
}

#[test]
fn damaged_streams_never_panic() {
    let bodies: Vec<_> = FIXTURES.iter().map(|name| stream(name)).collect();
    let extra = rows(&[&[started("11")], &[interrupted()], &[resumed()], &[finished("11")]]);
    super::damage(bodies.into_iter().chain([extra]), 7, 1500, &mut |_: &mut Random, body| {
        let mut agent = played(agent(body.len() % 2 == 0), [body]);
        agent.snapshot();
    });
}
