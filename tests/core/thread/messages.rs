//! Text, reasoning, and what of them goes back to the server.

use crate::support::Agent;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn text_start(id: &str) -> Value {
    event!("TEXT_MESSAGE_START", "messageId": id)
}

fn text(id: &str, delta: &str) -> Value {
    event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta)
}

fn text_end(id: &str) -> Value {
    event!("TEXT_MESSAGE_END", "messageId": id)
}

fn reasoning_start(id: &str) -> Value {
    event!("REASONING_MESSAGE_START", "messageId": id, "role": "reasoning")
}

fn reasoning(id: &str, delta: &str) -> Value {
    event!("REASONING_MESSAGE_CONTENT", "messageId": id, "delta": delta)
}

fn reasoning_end(id: &str) -> Value {
    event!("REASONING_MESSAGE_END", "messageId": id)
}

fn encrypted(subtype: &str, id: &str, value: &str) -> Value {
    event!("REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": id, "encryptedValue": value)
}

fn finished() -> Value {
    event!("RUN_FINISHED", "threadId": "t", "runId": "r")
}

#[test]
fn text_opens_grows_and_ends() {
    let (mut agent, request) = Agent::started();
    let start =
        event!("TEXT_MESSAGE_START", "messageId": "m", "role": "developer", "name": "Ann", "subagentRunId": "s");
    let snapshot = agent.events(request, &[start]);
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "m", "role": "developer", "content": "", "name": "Ann", "subagentRunId": "s", "delivery": "streaming"})
    );
    assert_eq!(agent.events(request, &[text("m", "Hel")])["messages"][1]["content"], "Hel");
    assert_eq!(agent.events(request, &[text("m", ""), text("m", "lo")])["messages"][1]["content"], "Hello");
    assert_eq!(agent.events(request, &[text_end("m")])["messages"][1]["delivery"], "complete");
    assert!(agent.warnings.is_empty());
}

#[test]
fn a_message_without_a_role_is_the_assistants_and_one_with_a_strange_role_too() {
    let (mut agent, request) = Agent::started();
    let strange = event!("TEXT_MESSAGE_START", "messageId": "n", "role": "tool");
    let snapshot = agent.events(request, &[text_start("m"), strange]);
    assert_eq!(snapshot["messages"][1]["role"], "assistant");
    assert_eq!(snapshot["messages"][2]["role"], "assistant");
    assert_eq!(agent.warnings, ["event-malformed"]);
}

#[test]
fn a_message_that_is_opened_again_goes_on() {
    let (mut agent, request) = Agent::started();
    let again = event!("TEXT_MESSAGE_START", "messageId": "m", "role": "user", "name": "other");
    let snapshot = agent.events(request, &[text_start("m"), text("m", "a"), text_end("m"), again, text("m", "b")]);
    let message = &snapshot["messages"][1];
    assert_eq!(message, &json!({"id": "m", "role": "assistant", "content": "ab", "delivery": "streaming"}));
    assert_eq!(agent.events(request, &[text_end("m")])["messages"][1]["delivery"], "complete");
}

#[test]
fn deltas_of_two_messages_may_alternate() {
    let (mut agent, request) = Agent::started();
    let events = [text_start("m"), text_start("n"), text("m", "1"), text("n", "2"), text("m", "3"), text("n", "4")];
    let snapshot = agent.events(request, &events);
    assert_eq!(snapshot["messages"][1]["content"], "13");
    assert_eq!(snapshot["messages"][2]["content"], "24");
}

#[test]
fn deltas_whose_start_was_lost_open_their_message() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(request, &[text("x", "a"), text("x", "b"), text_end("x"), reasoning("y", "c")]);
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "x", "role": "assistant", "content": "ab", "delivery": "complete"})
    );
    assert_eq!(snapshot["messages"][2]["role"], "reasoning");
    assert_eq!(agent.warnings, ["not-open", "not-open"]);
}

#[test]
fn deltas_for_a_message_that_a_snapshot_took_away_are_dropped_with_a_warning() {
    let (mut agent, request) = Agent::started();
    let gone = event!("MESSAGES_SNAPSHOT", "messages": []);
    let snapshot = agent.events(request, &[text_start("x"), gone, text("x", "a"), text_end("x")]);
    assert_eq!(snapshot["messages"], json!([]));
    assert_eq!(agent.warnings, ["message-unknown", "message-unknown"]);
}

#[test]
fn as_many_warnings_come_of_one_read_as_of_many() {
    let gone = event!("MESSAGES_SNAPSHOT", "messages": []);
    let events: Vec<_> = [text_start("x"), gone].into_iter().chain((0..5).map(|_| text("x", "a"))).collect();
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let warnings = |pieces: &[&[u8]]| {
        let (mut agent, request) = Agent::started();
        pieces.iter().for_each(|piece| agent.bytes(request, piece));
        agent.warnings
    };
    assert_eq!(warnings(&[body.as_bytes()]), ["message-unknown"; 5]);
    assert_eq!(warnings(&body.as_bytes().chunks(1).collect::<Vec<_>>()), ["message-unknown"; 5]);
}

#[test]
fn metadata_merges_key_by_key() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(
        request,
        &[
            event!("TEXT_MESSAGE_START", "messageId": "m", "metadata": {"a": {"x": 1}, "b": 1}),
            event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "t", "metadata": {"a": {"y": 2}}),
            event!("TEXT_MESSAGE_END", "messageId": "m", "metadata": {"c": null}),
            event!("TEXT_MESSAGE_START", "messageId": "n", "metadata": {}),
        ],
    );
    assert_eq!(snapshot["messages"][1]["metadata"], json!({"a": {"y": 2}, "b": 1, "c": null}));
    assert_eq!(snapshot["messages"][1]["content"], "t");
    assert_eq!(snapshot["messages"][2]["metadata"], json!({}));
}

#[test]
fn activities_are_no_place_for_text() {
    let (mut agent, request) = Agent::started();
    let activity = event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {"n": 1});
    let start = event!("TEXT_MESSAGE_START", "messageId": "a", "metadata": {"x": 1});
    let snapshot = agent.events(request, &[activity, start, text("a", "no"), reasoning_start("a")]);
    assert_eq!(snapshot["messages"][1]["content"], json!({"n": 1}));
    assert_eq!(snapshot["messages"][1].get("metadata"), None);
    assert_eq!(agent.warnings, ["message-not-streamable"; 3]);
}

#[test]
fn text_goes_on_in_a_message_that_was_loaded() {
    let loaded = json!([{"id": "m", "role": "assistant", "content": "Hel"}]).to_string();
    let mut agent = Agent::with(Options::default(), Some(&loaded), None);
    let snapshot = agent.run(&[text_start("m"), text("m", "lo"), text_end("m"), finished()]);
    assert_eq!(snapshot["messages"][0]["content"], "Hello");
}

#[test]
fn reasoning_with_an_id_of_its_own_is_a_message() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[event!("REASONING_START", "messageId": "span"), reasoning_start("r1")]);
    agent.now += 250.4;
    agent.events(request, &[reasoning("r1", "Hm"), reasoning("r1", "m.")]);
    agent.now += 1000.0;
    let events = [reasoning_end("r1"), event!("REASONING_END", "messageId": "span"), text_start("m"), text("m", "Hi")];
    let snapshot = agent.events(request, &events);
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "r1", "role": "reasoning", "content": "Hmm.", "durationMs": 1250, "delivery": "complete"})
    );
    assert_eq!(snapshot["messages"][2]["content"], "Hi");
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 3, "a span is no message");
}

#[test]
fn metadata_of_reasoning_comes_from_its_message_not_from_its_span() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(
        request,
        &[
            event!("REASONING_START", "messageId": "r1", "metadata": {"span": 1}),
            event!("REASONING_MESSAGE_START", "messageId": "r1", "role": "reasoning", "metadata": {"a": 1}),
            event!("REASONING_MESSAGE_CONTENT", "messageId": "r1", "delta": "x", "metadata": {"b": 2}),
            event!("REASONING_MESSAGE_END", "messageId": "r1", "metadata": {"a": 3}),
        ],
    );
    assert_eq!(snapshot["messages"][1]["metadata"], json!({"a": 3, "b": 2}));
}

#[test]
fn reasoning_that_shares_the_id_of_its_answer_folds_into_it() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[reasoning_start("m"), reasoning("m", "Think")]);
    assert_eq!(agent.snapshot()["messages"][1]["role"], "reasoning");
    agent.now += 300.0;
    let snapshot = agent.events(request, &[reasoning_end("m"), text_start("m"), text("m", "Answer")]);
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "m", "role": "assistant", "content": "Answer", "reasoning": "Think", "reasoningDurationMs": 300,
            "delivery": "streaming"})
    );
    let snapshot = agent.events(request, &[text_end("m")]);
    assert_eq!(snapshot["messages"][1]["delivery"], "complete");
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn reasoning_after_the_answer_folds_too_and_its_spans_add_up() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[reasoning_start("m"), reasoning("m", "One. ")]);
    agent.now += 100.0;
    agent.events(request, &[reasoning_end("m"), text_start("m"), text("m", "Answer"), reasoning_start("m")]);
    agent.now += 20.0;
    let snapshot = agent.events(request, &[reasoning("m", "Two."), reasoning_end("m")]);
    assert_eq!(snapshot["messages"][1]["reasoning"], "One. Two.");
    assert_eq!(snapshot["messages"][1]["reasoningDurationMs"], 120);
    assert_eq!(snapshot["messages"][1]["delivery"], "streaming", "the text has not ended");
    let snapshot = agent.events(request, &[text("m", "!"), text_end("m")]);
    assert_eq!(snapshot["messages"][1]["content"], "Answer!");
    assert_eq!(snapshot["messages"][1]["delivery"], "complete");
    // And once more, after the end of the text.
    agent.events(request, &[reasoning_start("m"), reasoning("m", " Three.")]);
    assert_eq!(agent.snapshot()["messages"][1]["delivery"], "streaming");
    agent.now += 3.0;
    let snapshot = agent.events(request, &[reasoning_end("m")]);
    assert_eq!(snapshot["messages"][1]["reasoning"], "One. Two. Three.");
    assert_eq!(snapshot["messages"][1]["reasoningDurationMs"], 123);
    assert_eq!(snapshot["messages"][1]["delivery"], "complete");
}

#[test]
fn reasoning_never_gets_into_the_answer() {
    let (mut agent, request) = Agent::started();
    // No REASONING_MESSAGE_START.
    let snapshot = agent.events(request, &[text_start("m"), text("m", "Answer"), reasoning("m", "why")]);
    assert_eq!(snapshot["messages"][1]["content"], "Answer");
    assert_eq!(snapshot["messages"][1]["reasoning"], "why");
}

#[test]
fn the_duration_of_reasoning_ends_with_the_run() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[reasoning_start("r1"), reasoning("r1", "x"), reasoning_start("m"), reasoning("m", "y")]);
    agent.events(request, &[text_start("m"), text("m", "z"), text_end("m")]);
    agent.now += 70.0;
    let snapshot = agent.events(request, &[finished()]);
    assert_eq!(snapshot["messages"][1]["durationMs"], 70);
    assert_eq!(snapshot["messages"][1]["delivery"], "complete");
    assert_eq!(snapshot["messages"][2]["reasoningDurationMs"], 70);
}

#[test]
fn a_clock_that_goes_back_gives_no_time() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[reasoning_start("r1")]);
    agent.now -= 500.0;
    assert_eq!(agent.events(request, &[reasoning_end("r1")])["messages"][1]["durationMs"], 0);
}

#[test]
fn reasoning_before_a_call_folds_into_the_message_that_holds_it() {
    let (mut agent, request) = Agent::started();
    let call = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m");
    let snapshot = agent.events(request, &[reasoning_start("m"), reasoning("m", "Look"), reasoning_end("m"), call]);
    let message = &snapshot["messages"][1];
    assert_eq!(message["role"], "assistant");
    assert_eq!(message["reasoning"], "Look");
    assert_eq!(message.get("content"), None);
    assert_eq!(message["toolCallIds"], json!(["c"]));
}

#[test]
fn what_goes_back_to_the_server_is_what_came_from_it() {
    let (mut agent, request) = Agent::started();
    agent.events(
        request,
        &[
            event!("REASONING_MESSAGE_START", "messageId": "m", "role": "reasoning", "subagentRunId": "s"),
            reasoning("m", "Think"),
            encrypted("message", "m", "SECRET"),
            reasoning_end("m"),
            text_start("m"),
            text("m", "Answer"),
            reasoning_start("own"),
            reasoning("own", "More"),
            event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {}),
            finished(),
        ],
    );
    assert_eq!(agent.snapshot()["messages"][1]["reasoningEncryptedValue"], "SECRET");
    agent.end(request);
    agent.submit("more");
    assert_eq!(
        agent.sent()["messages"],
        json!([
            {"id": "u0", "role": "user", "content": "go"},
            {"id": "m", "role": "reasoning", "content": "Think", "encryptedValue": "SECRET", "subagentRunId": "s"},
            {"id": "m", "role": "assistant", "content": "Answer", "subagentRunId": "s"},
            {"id": "own", "role": "reasoning", "content": "More"},
            {"id": "u1", "role": "user", "content": "more"},
        ])
    );
}

#[test]
fn encrypted_values_find_their_message_also_when_they_come_first() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(
        request,
        &[
            encrypted("message", "r1", "early"),
            encrypted("message", "m", "early too"),
            encrypted("message", "holder", "for the holder"),
            encrypted("tool-call", "c", "for the call"),
            reasoning_start("r1"),
            text_start("m"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "holder"),
        ],
    );
    assert_eq!(snapshot["messages"][1]["encryptedValue"], "early");
    assert_eq!(snapshot["messages"][2]["encryptedValue"], "early too");
    assert_eq!(snapshot["messages"][3]["encryptedValue"], "for the holder");
    assert_eq!(snapshot["messages"][3]["toolCalls"][0]["encryptedValue"], "for the call");
    let snapshot = agent.events(request, &[encrypted("message", "r1", ""), encrypted("tool-call", "c", "new")]);
    assert_eq!(snapshot["messages"][1]["encryptedValue"], "", "the last value counts");
    assert_eq!(snapshot["messages"][3]["toolCalls"][0]["encryptedValue"], "new");
    assert!(agent.warnings.is_empty());
}

#[test]
fn an_activity_has_no_encrypted_value() {
    let (mut agent, request) = Agent::started();
    let activity = event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {});
    let snapshot = agent.events(request, &[activity, encrypted("message", "a", "x")]);
    assert_eq!(snapshot["messages"][1].get("encryptedValue"), None);
}

#[test]
fn the_end_of_the_run_says_how_each_open_message_ended() {
    for (how, delivery) in [("finish", "complete"), ("error", "error"), ("stop", "aborted"), ("cut", "error")] {
        let (mut agent, request) = Agent::started();
        agent.events(request, &[text_start("done"), text("done", "x"), text_end("done")]);
        agent.events(request, &[text_start("m"), text("m", "half"), reasoning_start("r1"), reasoning("r1", "y")]);
        match how {
            "finish" => agent.event(request, finished()),
            "error" => agent.event(request, event!("RUN_ERROR", "message": "boom")),
            "stop" => agent.act(|session, now| session.stop(now)),
            _ => agent.end(request),
        }
        let messages = agent.snapshot()["messages"].clone();
        assert_eq!(messages[0]["delivery"], "complete", "{how}");
        assert_eq!(messages[1]["delivery"], "complete", "{how}");
        assert_eq!(messages[2]["delivery"], delivery, "{how}");
        assert_eq!(messages[2]["content"], "half", "{how}");
        assert_eq!(messages[3]["delivery"], delivery, "{how}");
    }
}
