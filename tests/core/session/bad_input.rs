//! Streams of a broken server: the user sees what happened, and nothing that was shown is lost.

use crate::support::SessionCalls;
use crate::support::{Agent, parse};
use ag_ui_wasm::session::{Effect, Options, Session};
use ag_ui_wasm::wire::Wanted;
use serde_json::{Value, json};

/// An agent in the middle of an answer: "Hello" is shown.
fn streaming() -> (Agent, u32) {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("hi");
    agent.head(request, 200, "text/event-stream; charset=utf-8");
    agent.event(request, event!("RUN_STARTED", "threadId": "t", "runId": "r"));
    agent.event(request, event!("TEXT_MESSAGE_START", "messageId": "m"));
    agent.event(request, event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hello"));
    (agent, request)
}

fn finish(agent: &mut Agent, request: u32) {
    agent.event(request, event!("TEXT_MESSAGE_END", "messageId": "m"));
    agent.event(request, event!("RUN_FINISHED", "threadId": "t", "runId": "r"));
    agent.end(request);
}

#[test]
fn content_of_a_message_that_has_ended_is_seen_whatever_stands_between() {
    let (mut agent, request) = streaming();
    let content = |id: &str| event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "x");
    let rest = [
        format!("data: {}", content("m")),
        format!("data: {}", event!("TEXT_MESSAGE_END", "messageId": "m")),
        format!("data: {}", event!("TEXT_MESSAGE_START", "messageId": "n")),
        // Read in another way than those before and after it.
        format!("event: delta\ndata: {}", content("n")),
        format!("data: {}", content("m")),
    ];
    agent.bytes(request, format!("{}\n\n", rest.join("\n\n")).as_bytes());
    assert_eq!(agent.warnings.len(), 1, "{:?}", agent.warnings);
    let alone = {
        let (mut agent, request) = streaming();
        rest.iter().for_each(|frame| agent.bytes(request, format!("{frame}\n\n").as_bytes()));
        agent.warnings
    };
    assert_eq!(agent.warnings, alone);
}

#[test]
fn halves_of_a_surrogate_pair_join() {
    let (mut agent, request) = streaming();
    for half in ["\\ud83d", "\\ude42", "\\ud83d"] {
        let frame = format!("data: {{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"{half}\"}}\n\n");
        agent.bytes(request, frame.as_bytes());
        agent.snapshot();
    }
    // The mirror is given the halves one by one; neighbors are one character there, as in JavaScript.
    let half = char::from_u32(0xD83D - 0xD800 + 0x10_F800).unwrap();
    assert_eq!(agent.snapshot()["messages"][1]["content"], format!("Hello🙂{half}"));
    finish(&mut agent, request);
    // Sent back, they are escapes, of which two make one character.
    agent.submit("again");
    let sent = &agent.requests[1].1["messages"][1]["content"];
    assert_eq!(sent, &parse("\"Hello\\ud83d\\ude42\\ud83d\""));
}

#[test]
fn characters_of_the_range_that_halves_are_kept_in_come_out_as_themselves() {
    // Asserted on the texts themselves, where such a character is written as its two UTF-16 units.
    const UNITS: &str = "\\udbfe\\udc00";
    let genuine = "\u{10F800}";
    let message = json!({"id": "a", "role": "user", "content": genuine});
    let list = json!([message]).to_string();
    let state = json!({"s": genuine}).to_string();
    let options = Options { events: Wanted::read("*"), ..Options::default() };
    let mut session = Session::new(options, Some(&list), Some(&state)).unwrap();
    let submit = json!({"runId": "r", "messages": [{"id": "b", "role": "user", "content": genuine}]});
    session.submit(&submit.to_string(), 0.0).unwrap();
    let Some(Effect::Open { request, body, .. }) = session.poll_effect() else { panic!("a request") };
    assert_eq!(body.matches(UNITS).count(), 3, "{body}");
    session.head(request, 200, "text/event-stream", None, 0.0);
    session.bytes(request, format!("data: {}\n\n", event!("CUSTOM", "name": "n", "value": genuine)).as_bytes(), 0.0);
    let effects: Vec<_> = std::iter::from_fn(|| session.poll_effect()).collect();
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Event(json) if json.contains(UNITS))));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Custom { value, .. } if value.contains(UNITS))));
    assert_eq!(session.take_patch(usize::MAX).unwrap().matches(UNITS).count(), 3);
    session.set_messages(&json!([{"id": "c", "role": "user", "content": genuine}]).to_string()).unwrap();
    session.set_state(&json!([genuine]).to_string()).unwrap();
    assert_eq!(session.take_patch(usize::MAX).unwrap().matches(UNITS).count(), 2);
}

#[test]
fn frames_that_are_no_events_are_dropped_with_a_warning() {
    let (mut agent, request) = streaming();
    for frame in
        ["{oops", "[1]", "null", "{}", "{\"type\":7}", "{\"type\":\"NO_SUCH_EVENT\"}", "{\"type\":\"STATE_DELTA\"}"]
    {
        agent.bytes(request, format!("data: {frame}\n\n").as_bytes());
    }
    agent.bytes(request, b"data: [DONE]\n\n");
    agent.event(request, event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": " there"));
    finish(&mut agent, request);
    assert_eq!(
        agent.warnings,
        [
            "frame-not-json",
            "frame-not-object",
            "frame-not-object",
            "frame-without-type",
            "frame-without-type",
            "event-unknown",
            "event-malformed"
        ]
    );
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["messages"][1]["content"], "Hello there");
    assert_eq!(snapshot["outcome"], "success");
}

#[test]
fn strict_rules_end_the_run_with_an_error_that_names_the_rule() {
    let mut agent = Agent::new(Options { strict: true, ..Options::default() });
    let request = agent.submit("hi");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, b"data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\"}\n\ndata: {oops\n\ndata: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"x\"}\n\n");
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["status"], "error");
    assert_eq!(snapshot["error"]["kind"], "protocol");
    assert_eq!(snapshot["error"]["code"], "frame-not-json");
    assert_eq!(snapshot["error"]["rule"], "T9");
    assert_eq!(snapshot["messages"][1]["content"], "", "what came after it is not read");
    assert_eq!(agent.closed, [request]);
}

#[test]
fn a_cut_connection_keeps_the_partial_text() {
    for cut in [true, false] {
        let (mut agent, request) = streaming();
        agent.bytes(request, b"data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messa");
        if cut {
            agent.act(|session, now| session.failed(request, "socket hang up", now));
        } else {
            agent.end(request);
        }
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["messages"][1]["content"], "Hello");
        assert_eq!(snapshot["messages"][1]["delivery"], "error");
        assert_eq!(snapshot["outcome"], "truncated");
        assert_eq!(snapshot["status"], "error");
        assert_eq!(snapshot["error"]["kind"], "connection");
        assert_eq!(snapshot["error"]["retryable"], true);
        assert_eq!(snapshot["error"]["lost"] == true, cut, "the connection was lost");
        assert_eq!(snapshot["connection"]["phase"], "closed");
        assert!(agent.warnings.is_empty());
        assert_eq!(agent.settled[0].1["outcome"], "truncated");
    }
}

#[test]
fn a_frame_over_the_limit_is_an_error_and_keeps_the_text() {
    let (mut agent, request) = {
        let mut agent = Agent::new(Options { max_frame_bytes: 100, ..Options::default() });
        let request = agent.submit("hi");
        agent.head(request, 200, "text/event-stream");
        (agent, request)
    };
    agent.event(request, event!("TEXT_MESSAGE_START", "messageId": "m"));
    agent.event(request, event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hello"));
    agent.bytes(request, b"data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"delta\":\"");
    agent.bytes(request, &[b'x'; 200]);
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["error"]["kind"], "limit");
    assert_eq!(snapshot["messages"][1]["content"], "Hello");
    assert_eq!(agent.closed, [request]);
}

#[test]
fn nesting_over_the_limit_is_dropped() {
    let (mut agent, request) = streaming();
    let deep = format!("data: {{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{}{}}}\n\n", "[".repeat(600), "]".repeat(600));
    agent.bytes(request, deep.as_bytes());
    finish(&mut agent, request);
    assert_eq!(agent.warnings, ["frame-too-deep"]);
    assert_eq!(agent.snapshot()["outcome"], "success");
}

/// The user's view of an answer that is no stream of events.
fn refused(status: u16, content_type: &str, body: &str) -> Value {
    let mut agent = Agent::new(Options { max_error_body_bytes: 64, ..Options::default() });
    let request = agent.submit("hi");
    agent.head(request, status, content_type);
    if status != 204 {
        agent.bytes(request, body.as_bytes());
        agent.end(request);
    }
    assert_eq!(agent.settled.len(), 1, "settled once");
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["outcome"], "error");
    assert_eq!(snapshot["messages"][0]["content"], "hi", "what the user wrote stays");
    snapshot["error"].clone()
}

#[test]
fn answers_that_are_no_stream() {
    let error = refused(200, "text/html", "<!doctype html>\n\n<p>data: no</p>");
    assert_eq!((&error["kind"], &error["status"]), (&json!("http"), &json!(200)));
    assert_eq!(error["body"], "<!doctype html>\n\n<p>data: no</p>");
    assert_eq!(error["retryable"], false);

    let error = refused(401, "application/json", "{\"error\":{\"message\":\"token expired\"}}");
    assert_eq!((&error["kind"], &error["status"]), (&json!("auth"), &json!(401)));
    assert_eq!(error["message"], "HTTP 401: token expired");

    let error = refused(503, "application/json", "{\"detail\":\"busy\"}");
    assert_eq!((&error["kind"], &error["retryable"]), (&json!("http"), &json!(true)));
    assert_eq!(error["message"], "HTTP 503: busy");

    let error = refused(502, "text/html", &"<html>".repeat(1000));
    assert_eq!(error["message"], "HTTP 502");
    assert_eq!(error["body"].as_str().unwrap().len(), 64, "the body is capped");

    let error = refused(204, "", "");
    assert_eq!((&error["kind"], &error["status"]), (&json!("http"), &json!(204)));

    let error = refused(200, "", "");
    assert_eq!(error["kind"], "http");
}

#[test]
fn an_empty_stream_is_truncated() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("hi");
    agent.head(request, 200, "Text/Event-Stream");
    agent.end(request);
    assert_eq!(agent.snapshot()["outcome"], "truncated");
}

#[test]
fn a_stream_without_its_content_type_is_read() {
    for content_type in ["", "application/json", "text/plain; charset=utf-8"] {
        let mut agent = Agent::new(Options::default());
        let request = agent.submit("hi");
        agent.head(request, 200, content_type);
        finish(&mut agent, request);
        assert_eq!(agent.snapshot()["outcome"], "success", "{content_type}");
    }
}

#[test]
fn no_connection_at_all() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("hi");
    agent.act(|session, now| session.failed(request, "Failed to fetch", now));
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["error"]["kind"], "connection");
    assert_eq!(snapshot["error"]["message"], "The server could not be reached: Failed to fetch");
    assert_eq!(snapshot["outcome"], "error");
}

#[test]
fn a_patch_that_does_not_apply_leaves_the_state() {
    let (mut agent, request) = streaming();
    agent.event(request, event!("STATE_SNAPSHOT", "snapshot": {"a": [1]}));
    agent.event(
        request,
        event!("STATE_DELTA", "delta": [
            {"op": "add", "path": "/b", "value": 1}, {"op": "replace", "path": "/missing", "value": 2},
        ]),
    );
    agent.event(request, event!("STATE_DELTA", "delta": [{"op": "add", "path": "/a/-", "value": 2}]));
    assert_eq!(agent.snapshot()["state"], json!({"a": [1, 2]}));
    assert_eq!(agent.warnings, ["state-patch-failed"]);
}

#[test]
fn strange_keys_are_plain_data() {
    let (mut agent, request) = streaming();
    agent.bytes(
        request,
        b"data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"__proto__\":{\"x\":1},\"constructor\":2}}\n\n",
    );
    agent.event(request, event!("STATE_DELTA", "delta": [{"op": "add", "path": "/__proto__/y", "value": 3}]));
    agent.event(request, event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"));
    for delta in ["{\"__pro", "to__\":{\"a", "\":1},\"constructor\":[2", "]}"] {
        agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": delta));
        agent.snapshot();
    }
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["state"], json!({"__proto__": {"x": 1, "y": 3}, "constructor": 2}));
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"__proto__": {"a": 1}, "constructor": [2]}));
}

#[test]
fn big_integers_keep_their_digits_on_the_way_back() {
    let (mut agent, request) = streaming();
    agent
        .bytes(request, b"data: {\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{\"n\":12345678901234567890,\"f\":1.0}}\n\n");
    finish(&mut agent, request);
    agent.submit("again");
    assert_eq!(agent.requests[1].1["state"].to_string(), r#"{"n":12345678901234567890,"f":1.0}"#);
}

#[test]
fn arguments_that_are_not_json_stay_readable() {
    let (mut agent, request) = streaming();
    agent.event(request, event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"));
    agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"a\":1,\"b\":oops}"));
    agent.event(request, event!("TOOL_CALL_END", "toolCallId": "c"));
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"a": 1}));
    assert_eq!(snapshot["toolCalls"][0]["argsText"], "{\"a\":1,\"b\":oops}");
    assert_eq!(agent.warnings, ["args-not-json"]);
}

#[test]
fn streams_do_not_write_into_what_the_user_wrote() {
    let (mut agent, request) = streaming();
    agent.event(request, event!("TEXT_MESSAGE_START", "messageId": "u0"));
    agent.event(request, event!("TEXT_MESSAGE_CONTENT", "messageId": "u0", "delta": "!"));
    assert_eq!(agent.snapshot()["messages"][0]["content"], "hi");
    assert_eq!(agent.warnings, ["message-not-streamable", "message-not-streamable"]);
}

#[test]
fn a_stream_of_another_system_is_named_in_the_error() {
    let chio = json!({"event_id": "e", "event_type": "lifecycle", "classification": "create", "payload": {}});
    let streams = [
        (json!({"id": 1, "kind": "chat.ingested", "scopeKey": "s", "agUiFrames": []}), "agent-os"),
        (chio, "chio"),
        (json!({"eventId": "e", "type": "AGUI_EVENT_TYPE_TASK_START", "taskStart": {}}), "hector"),
        (json!({"statusUpdate": {"taskId": "t", "status": {}}}), "hector"),
        (json!({"error": "Error processing request: throttled"}), "open-search"),
        (event!("TOOL_CALL_RESULT", "toolCallId": "c", "content": {"hits": 3}), "ngaf"),
    ];
    for (frame, name) in streams {
        for strict in [false, true] {
            let mut agent = Agent::new(Options { strict, ..Options::default() });
            let request = agent.submit("hi");
            agent.head(request, 200, "text/event-stream");
            agent.event(request, frame.clone());
            agent.end(request);
            let error = &agent.settled[0].1["error"];
            assert_eq!(error["kind"], "protocol", "{name}: {error}");
            assert!(error["message"].as_str().unwrap().contains(&format!("\"{name}\"")), "{name}: {error}");
        }
    }
    // An odd frame in the middle of a stream stays a warning.
    let (mut agent, request) = streaming();
    agent.event(request, json!({"error": "Error processing request: throttled"}));
    finish(&mut agent, request);
    assert_eq!(agent.settled[0].1["outcome"], "success");
}
