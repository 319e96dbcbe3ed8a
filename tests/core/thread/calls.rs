//! Tool calls: who holds them, how they continue, and where their results go.

use crate::support::Agent;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn start(id: &str) -> Value {
    event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": "f")
}

fn start_in(id: &str, parent: &str) -> Value {
    event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": "f", "parentMessageId": parent)
}

fn args(id: &str, delta: &str) -> Value {
    event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": delta)
}

fn end(id: &str) -> Value {
    event!("TOOL_CALL_END", "toolCallId": id)
}

fn result(message: &str, call: &str, content: impl Into<Value>) -> Value {
    event!("TOOL_CALL_RESULT", "messageId": message, "toolCallId": call, "content": content.into())
}

fn text(id: &str, delta: &str) -> Value {
    event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta)
}

fn text_start(id: &str) -> Value {
    event!("TEXT_MESSAGE_START", "messageId": id)
}

fn finished() -> Value {
    event!("RUN_FINISHED", "threadId": "t", "runId": "r")
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

#[test]
fn a_result_that_comes_before_its_call_answers_it_and_stands_after_it() {
    let (mut agent, request) = Agent::started();
    let events = [result("t", "c", "1"), text_start("m"), text("m", "so"), start("c"), args("c", "{}"), end("c")];
    let snapshot = agent.events(request, &events);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "m", "c", "t"]);
    let call = &snapshot["toolCalls"][0];
    assert_eq!((&call["phase"], &call["result"]), (&json!("output-available"), &json!(1)));
    agent.event(request, finished());
    agent.end(request);
    assert_eq!(agent.settled[0].1.get("pendingToolCallIds"), None, "nobody has to answer it");
}

#[test]
fn a_call_goes_through_its_phases() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(request, &[start_in("c", "m")]);
    assert_eq!(
        snapshot["toolCalls"],
        json!([{"id": "c", "name": "f", "args": {}, "argsText": "", "messageId": "m", "status": "running",
            "phase": "input-streaming"}])
    );
    assert_eq!(snapshot["messages"][1]["delivery"], "streaming");
    let snapshot = agent.events(request, &[args("c", "{\"city\":\"Pa")]);
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"city": "Pa"}));
    assert_eq!(snapshot["toolCalls"][0]["argsText"], "{\"city\":\"Pa");
    let snapshot = agent.events(request, &[args("c", "ris\"}"), end("c")]);
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"city": "Paris"}));
    assert_eq!(snapshot["toolCalls"][0]["phase"], "input-available");
    assert_eq!(snapshot["toolCalls"][0]["status"], "running");
    assert_eq!(
        snapshot["messages"][1],
        json!({"id": "m", "role": "assistant", "toolCallIds": ["c"], "delivery": "complete", "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"city\":\"Paris\"}"}}]})
    );
    let snapshot = agent.events(request, &[result("r1", "c", "{\"sun\":true}")]);
    assert_eq!(snapshot["toolCalls"][0]["phase"], "output-available");
    assert_eq!(snapshot["toolCalls"][0]["status"], "complete");
    assert_eq!(snapshot["toolCalls"][0]["result"], json!({"sun": true}), "JSON is parsed");
    assert_eq!(
        snapshot["messages"][2],
        json!({"id": "r1", "role": "tool", "toolCallId": "c", "content": "{\"sun\":true}", "delivery": "complete"})
    );
    assert!(agent.warnings.is_empty());
}

#[test]
fn the_holder_of_a_call() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(
        request,
        &[
            start("own"),
            start_in("own2", ""),
            text_start("m"),
            start_in("known", "m"),
            start_in("unknown", "n"),
            event!("TOOL_CALL_START", "toolCallId": "null", "toolCallName": "f", "parentMessageId": null),
            event!("TOOL_CALL_START", "toolCallId": "tagged", "toolCallName": "f", "subagentRunId": "s"),
        ],
    );
    assert_eq!(ids(&snapshot["messages"]), ["u0", "own", "own2", "m", "n", "null", "tagged"]);
    let holders: Vec<_> = snapshot["toolCalls"].as_array().unwrap().iter().map(|call| &call["messageId"]).collect();
    assert_eq!(holders, ["own", "own2", "m", "n", "null", "tagged"]);
    assert_eq!(snapshot["messages"][6]["subagentRunId"], "s");
    assert_eq!(snapshot["toolCalls"][5]["subagentRunId"], "s");
    assert_eq!(snapshot["messages"][4].get("content"), None);
    assert!(agent.warnings.is_empty());
}

#[test]
fn a_parent_that_is_not_the_assistants_holds_no_call() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(request, &[start_in("c", "u0")]);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "c"]);
    assert_eq!(snapshot["toolCalls"][0]["messageId"], "c");
    // The call's own id is the assistant's already: no second message with one id.
    let snapshot = agent.events(request, &[text_start("d"), start_in("d", "u0")]);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "c", "d"]);
    assert_eq!(snapshot["messages"][2]["toolCallIds"], json!(["d"]));
    assert_eq!(agent.warnings, ["call-parent-not-assistant"; 2]);
}

#[test]
fn text_joins_the_message_that_a_call_has_opened() {
    let (mut agent, request) = Agent::started();
    let events = [start_in("c", "m"), end("c"), text_start("m"), text("m", "Hi")];
    let snapshot = agent.events(request, &events);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "m"]);
    assert_eq!(snapshot["messages"][1]["content"], "Hi");
    assert_eq!(snapshot["messages"][1]["delivery"], "streaming");
    assert_eq!(snapshot["messages"][1]["toolCallIds"], json!(["c"]));
}

#[test]
fn calls_side_by_side() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[start_in("a", "m"), start_in("b", "m"), args("a", "{\"x\":"), args("b", "[1,")]);
    let snapshot = agent.events(request, &[args("a", "1}"), args("b", "2]"), end("b")]);
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"x": 1}));
    assert_eq!(snapshot["toolCalls"][1]["args"], json!([1, 2]));
    assert_eq!(snapshot["toolCalls"][0]["phase"], "input-streaming");
    assert_eq!(snapshot["messages"][1]["delivery"], "streaming");
    assert_eq!(snapshot["messages"][1]["toolCalls"][1]["function"]["arguments"], "[1,2]");
    assert_eq!(agent.events(request, &[end("a")])["messages"][1]["delivery"], "complete");
}

#[test]
fn a_call_that_is_started_again_is_renamed_and_goes_on() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[start_in("c", "m"), args("c", "{\"a\":")]);
    let again = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "g", "parentMessageId": "elsewhere",
        "metadata": {"k": 1});
    let snapshot = agent.events(request, &[again, args("c", "1}")]);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "m"]);
    assert_eq!(snapshot["toolCalls"].as_array().unwrap().len(), 1);
    assert_eq!(snapshot["toolCalls"][0]["name"], "g");
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"a": 1}));
    let call = &snapshot["messages"][1]["toolCalls"][0];
    assert_eq!(call["function"], json!({"name": "g", "arguments": "{\"a\":1}"}));
    assert_eq!(call["metadata"], json!({"k": 1}));
    assert_eq!(agent.warnings, ["already-open", "call-renamed"]);
}

#[test]
fn metadata_of_a_call_is_the_calls_not_the_messages() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(
        request,
        &[
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "metadata": {"a": 1, "b": 1}),
            event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}", "metadata": {"b": 2}),
            event!("TOOL_CALL_END", "toolCallId": "c", "metadata": {"c": 3}),
            event!("TOOL_CALL_RESULT", "messageId": "r1", "toolCallId": "c", "content": "", "metadata": {"d": 4}),
        ],
    );
    assert_eq!(snapshot["messages"][1]["toolCalls"][0]["metadata"], json!({"a": 1, "b": 2, "c": 3}));
    assert_eq!(snapshot["messages"][1].get("metadata"), None);
    assert_eq!(snapshot["messages"][2]["metadata"], json!({"d": 4}));
}

#[test]
fn events_of_unknown_calls() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(request, &[args("x", "{}"), end("x"), result("r1", "x", "late")]);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "r1"], "a result is kept, whoever asked for it");
    assert_eq!(agent.warnings, ["not-open", "call-unknown", "not-open"]);
}

#[test]
fn results_follow_the_message_that_called() {
    let (mut agent, request) = Agent::started();
    let snapshot = agent.events(
        request,
        &[
            start_in("a", "m"),
            start_in("b", "m"),
            text_start("n"),
            text("n", "later"),
            start_in("d", "o"),
            result("rb", "b", "B"),
            result("ra", "a", "A"),
            result("rd", "d", "D"),
        ],
    );
    assert_eq!(ids(&snapshot["messages"]), ["u0", "m", "rb", "ra", "n", "o", "rd"]);
    // Calls after the insertion are still found.
    let snapshot = agent.events(request, &[text("n", "!"), args("d", "[7"), args("d", "]")]);
    assert_eq!(snapshot["messages"][4]["content"], "later!");
    assert_eq!(snapshot["messages"][5]["toolCalls"][0]["function"]["arguments"], "[7]");
    assert_eq!(snapshot["toolCalls"][2]["args"], json!([7]));
}

#[test]
fn a_result_that_is_repeated_is_one_and_the_last_one_counts() {
    let (mut agent, request) = Agent::started();
    let events = [start("c"), result("r1", "c", "one"), result("r1", "c", "one")];
    let snapshot = agent.events(request, &events);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "c", "r1"]);
    let snapshot = agent.events(request, &[result("r1", "c", "two")]);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "c", "r1"]);
    assert_eq!(snapshot["messages"][2]["content"], "two");
    assert_eq!(snapshot["toolCalls"][0]["result"], "two");
}

#[test]
fn parallel_results_that_share_a_message_id_are_all_kept() {
    let (mut agent, request) = Agent::started();
    let events = [start_in("a", "m"), start_in("b", "m"), result("shared", "a", "A"), result("shared", "b", "B")];
    let snapshot = agent.events(request, &events);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "m", "shared", "shared"]);
    assert_eq!(snapshot["toolCalls"][0]["result"], "A");
    assert_eq!(snapshot["toolCalls"][1]["result"], "B");
    // Also when the server repeats them all.
    let tool =
        |call: &str, content: &str| json!({"id": "shared", "role": "tool", "toolCallId": call, "content": content});
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": ""}});
    let messages = json!([
        {"id": "u0", "role": "user", "content": "go"},
        {"id": "m", "role": "assistant", "toolCalls": [call("a"), call("b")]},
        tool("a", "A"), tool("b", "B"),
    ]);
    let snapshot = agent.events(request, &[event!("MESSAGES_SNAPSHOT", "messages": messages)]);
    assert_eq!(ids(&snapshot["messages"]), ["u0", "m", "shared", "shared"]);
    assert_eq!(snapshot["messages"][2]["content"], "A");
    assert_eq!(snapshot["messages"][3]["content"], "B");
    assert_eq!(snapshot["toolCalls"][0]["result"], "A");
}

#[test]
fn results_of_every_kind() {
    let parts = json!([{"type": "text", "text": "see"}, {"type": "image", "source": {"type": "url", "value": "u"}}]);
    for (content, parsed) in [
        (json!("plain"), json!("plain")),
        (json!(""), json!("")),
        (json!("[1,2"), json!("[1,2")),
        (json!(" {\"a\": null} "), json!({"a": null})),
        (json!("12"), json!(12)),
        (json!("\"quoted\""), json!("quoted")),
        (parts.clone(), parts.clone()),
    ] {
        let (mut agent, request) = Agent::started();
        let snapshot = agent.events(request, &[start("c"), result("r1", "c", content.clone())]);
        assert_eq!(snapshot["toolCalls"][0]["result"], parsed, "{content}");
        assert_eq!(snapshot["messages"][2]["content"], content);
    }
}

#[test]
fn the_end_of_the_run_settles_its_calls() {
    for (how, status, phase, input) in [
        ("finish", "complete", "input-available", "input-available"),
        ("error", "error", "output-error", "output-error"),
        ("stop", "error", "output-error", "output-error"),
        ("cut", "error", "output-error", "output-error"),
    ] {
        let (mut agent, request) = Agent::started();
        agent.events(request, &[start("done"), end("done"), result("r1", "done", "ok")]);
        agent.events(request, &[start("c"), args("c", "{}"), end("c"), start("d"), args("d", "{\"x\":[1")]);
        match how {
            "finish" => agent.event(request, finished()),
            "error" => agent.event(request, event!("RUN_ERROR", "message": "boom")),
            "stop" => agent.act(|session, now| session.stop(now)),
            _ => agent.end(request),
        }
        let calls = &agent.snapshot()["toolCalls"];
        assert_eq!(calls[0]["phase"], "output-available", "{how}");
        assert_eq!((&calls[1]["status"], &calls[1]["phase"]), (&json!(status), &json!(phase)), "{how}");
        assert_eq!((&calls[2]["status"], &calls[2]["phase"]), (&json!(status), &json!(input)), "{how}");
        assert_eq!(calls[2]["args"], json!({"x": []}), "{how}: what was read stays");
        assert_eq!(calls[1]["error"].is_string(), status == "error", "{how}");
    }
}

#[test]
fn calls_that_wait_for_the_page_go_on_waiting() {
    let named = json!({"type": "success", "pendingToolCallIds": ["c"]});
    let asked = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "tool_call", "toolCallId": "c"}]});
    for outcome in [named, asked] {
        let (mut agent, request) = Agent::started();
        let finished = event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome);
        agent.events(request, &[start("c"), end("c"), start("d"), end("d"), finished]);
        agent.end(request);
        let calls = &agent.snapshot()["toolCalls"];
        assert_eq!(calls[0]["status"], "running");
        assert_eq!(calls[0]["phase"], "input-available");
        assert_eq!(calls[1]["status"], "complete");
        // The next run brings the answer, without starting the call again.
        let snapshot = agent.run(&[result("r1", "c", "\"done\""), finished_again()]);
        assert_eq!(snapshot["toolCalls"][0]["status"], "complete");
        assert_eq!(snapshot["toolCalls"][0]["result"], "done");
        assert_eq!(ids(&snapshot["messages"])[..3], ["u0", "c", "r1"]);
    }
}

fn finished_again() -> Value {
    event!("RUN_FINISHED", "threadId": "t", "runId": "r2")
}

#[test]
fn an_answer_that_comes_after_all_takes_the_error_away() {
    let (mut agent, request) = Agent::started();
    agent.events(request, &[start("c"), end("c"), event!("RUN_ERROR", "message": "boom")]);
    agent.end(request);
    assert!(agent.snapshot()["toolCalls"][0]["error"].is_string());
    let snapshot = agent.run(&[result("r1", "c", "ok"), finished_again()]);
    assert_eq!(snapshot["toolCalls"][0]["status"], "complete");
    assert_eq!(snapshot["toolCalls"][0].get("error"), None);
}

#[test]
fn calls_of_loaded_messages_have_their_results() {
    let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}});
    let loaded = json!([
        {"id": "m", "role": "assistant", "toolCalls": [call("a", "{\"x\":[1,\"é\"]}"), call("b", "7"), call("c", "no")]},
        {"id": "ra", "role": "tool", "toolCallId": "a", "content": "{\"y\":2}"},
        {"id": "rb", "role": "tool", "toolCallId": "b", "content": "partial", "error": "failed"},
    ]);
    let mut agent = Agent::with(Options::default(), Some(&loaded.to_string()), None);
    let calls = &agent.snapshot()["toolCalls"];
    assert_eq!(calls[0]["args"], json!({"x": [1, "é"]}));
    assert_eq!(calls[0]["result"], json!({"y": 2}));
    assert_eq!(calls[0]["phase"], "output-available");
    assert_eq!(calls[1]["args"], json!(7));
    assert_eq!(calls[1]["phase"], "output-error");
    assert_eq!(calls[1]["error"], "failed");
    assert_eq!(calls[1]["result"], "partial");
    assert_eq!(calls[2]["args"], json!({}));
    assert_eq!(calls[2]["argsText"], "no");
    assert_eq!(calls[2]["phase"], "input-available");
}

#[test]
fn a_result_that_the_application_sends_answers_its_call() {
    let (mut agent, request) = Agent::started();
    let pending = json!({"type": "success", "pendingToolCallIds": ["c"]});
    agent.events(
        request,
        &[start("c"), end("c"), event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": pending)],
    );
    agent.end(request);
    let answer = json!({"id": "mine", "role": "tool", "toolCallId": "c", "content": "42"});
    agent.submit_json(json!({"runId": "r2", "messages": [answer]}));
    assert_eq!(agent.snapshot()["toolCalls"][0]["result"], 42);
    assert_eq!(agent.snapshot()["toolCalls"][0]["status"], "complete");
    assert_eq!(agent.sent()["messages"][2]["content"], "42");
}

#[test]
fn calls_have_the_long_ids_of_their_message_wherever_it_stands() {
    let (mut agent, request) = Agent::started();
    let [p, s, q] = ["p", "s", "q"].map(|id| id.repeat(300));
    let owned = event!("TEXT_MESSAGE_START", "messageId": p, "subagentRunId": s);
    agent.events(request, &[start("a"), owned, start_in("b", &p), start_in("c", &p), start_in("d", &q)]);
    let check = |agent: &mut Agent, expected: Value| {
        let calls = agent.snapshot()["toolCalls"].as_array().unwrap().clone();
        let ids = calls.iter().map(|call| json!([call["id"], call["messageId"], call["subagentRunId"]]));
        assert_eq!(Value::from_iter(ids), expected);
    };
    check(&mut agent, json!([["a", "a", null], ["b", p, s], ["c", p, s], ["d", q, null]]));
    // The same in one patch, in another order.
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": ""}});
    let list = json!([
        {"id": "x", "role": "user", "content": "new"},
        {"id": q, "role": "assistant", "toolCalls": [call("d"), call("e")]},
        {"id": p, "role": "assistant", "subagentRunId": s, "toolCalls": [call("a"), call("c")]},
    ]);
    agent.events(request, &[event!("MESSAGES_SNAPSHOT", "messages": list)]);
    let calls = agent.snapshot()["toolCalls"].as_array().unwrap().clone();
    for call in calls {
        let (id, owner) =
            if ["d", "e"].contains(&call["id"].as_str().unwrap()) { (&q, None) } else { (&p, Some(s.as_str())) };
        assert_eq!((&call["messageId"], call["subagentRunId"].as_str()), (&json!(id), owner), "{call}");
    }
}
