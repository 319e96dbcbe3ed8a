//! OpenSearch ml-commons.

use super::{Agent, Options, at_every_cut, fixture, json_fixture, played};
use serde_json::{Value, json};

const FIXTURES: [&str; 10] = [
    "01-bedrock-text-token-usage",
    "02-backend-tool-then-answer",
    "03a-frontend-tool-pause",
    "03b-frontend-tool-continuation",
    "04-openai-duplicate-terminal",
    "05-history-restore",
    "06-run-error-3.7",
    "07-untyped-error-3.5",
    "09-openai-parallel-calls-merged",
    "10-bedrock-no-args-tool-unclosed",
];

fn stream(name: &str) -> Vec<u8> {
    fixture(&format!("opensearch/{name}.sse"))
}

fn speaking(settings: Value, strict: bool) -> Agent {
    Agent::speaking("open-search", settings, Options { strict, ..Options::default() })
}

fn agent(strict: bool) -> Agent {
    speaking(json!({}), strict)
}

fn sse(events: &[Value]) -> Vec<u8> {
    events.iter().flat_map(|event| format!("data: {event}\n\n").into_bytes()).collect()
}

fn started(run: &str) -> Value {
    event!("RUN_STARTED", "timestamp": 1, "threadId": "t", "runId": run)
}

fn finished(run: &str) -> Value {
    event!("RUN_FINISHED", "timestamp": 2, "threadId": "t", "runId": run)
}

fn call(id: &str, name: &str, args: &[&str]) -> Vec<Value> {
    let pieces = args.iter().map(|delta| event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": delta));
    std::iter::once(event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name))
        .chain(pieces)
        .chain([event!("TOOL_CALL_END", "toolCallId": id)])
        .collect()
}

/// An agent with these page tools that has sent a string, and has read a body.
fn with_tools(mut agent: Agent, input: Value, tools: &[&str], body: &[u8]) -> Agent {
    let mut input = input;
    input["tools"] = tools.iter().map(|name| json!({"name": name, "description": "d"})).collect();
    input["pageTools"] = tools.iter().map(|name| json!({"name": name})).collect();
    agent.submit_json(input);
    read(&mut agent, body);
    agent
}

/// The last request is answered with this body.
fn read(agent: &mut Agent, body: &[u8]) {
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, body);
    agent.end(request);
}

fn asks(text: &str) -> Value {
    json!({"runId": "r", "messages": [{"id": "u", "role": "user", "content": text}]})
}

fn settle(agent: &mut Agent, id: &str, result: Value) {
    let json = json!({"toolCallId": id, "result": result}).to_string();
    agent.act(|session, now| assert!(session.settle_call(&json, now).unwrap()));
}

#[test]
fn fixtures_reach_what_is_expected_at_every_cut() {
    for name in FIXTURES {
        let expected = json_fixture(&format!("opensearch/{name}.expected.json"));
        // The reports of the canonical form beside the events themselves.
        let canonical = expected["canonical"].as_array().unwrap().iter().cloned().map(|mut event| {
            event.as_object_mut().unwrap().retain(|member, _| member != "late" && !member.starts_with("synth"));
            event
        });
        let canonical: Vec<_> = canonical.collect();
        let (snapshot, events, warnings, customs) = at_every_cut(
            &stream(name),
            || agent(true),
            |agent| (agent.snapshot().clone(), agent.events.clone(), agent.warnings.clone(), agent.custom.clone()),
        );
        assert_eq!(events, canonical, "{name}");
        let odd: &[&str] = match &name[..2] {
            "05" => &["member-unknown"],
            "09" => &["calls-merged", "args-not-json"],
            _ => &[],
        };
        assert_eq!(warnings, odd, "{name}");
        let reduction = &expected["reduction"];
        assert_eq!(snapshot["error"]["message"], reduction["error"], "{name}");
        let status = if snapshot["outcome"] == "success" { "finished" } else { "error" };
        assert_eq!(status, reduction["status"], "{name}");
        let sent = customs.iter().find(|(name, _)| name == "token_usage").map(|(_, value)| value.clone());
        assert_eq!(sent.unwrap_or_default(), reduction["tokenUsage"], "{name}");
        let messages = snapshot["messages"].as_array().unwrap().iter().filter(|message| message["id"] != "u0");
        let wanted = reduction["messages"].as_array().unwrap();
        let shown: Vec<_> = messages.collect();
        assert_eq!(shown.len(), wanted.len(), "{name}");
        for (message, wanted) in shown.iter().zip(wanted) {
            for member in ["id", "role", "toolCalls", "toolCallId", "content"] {
                // An image, which AG-UI 1.0 has another part for, and an empty text.
                if member == "content" && (wanted[member].is_array() || wanted[member] == "") {
                    continue;
                }
                assert_eq!(message.get(member), wanted.get(member), "{name}: {member}");
            }
        }
    }
}

#[test]
fn token_usage_counts_also_after_the_end() {
    for name in ["01-bedrock-text-token-usage", "04-openai-duplicate-terminal"] {
        let mut agent = played(agent(true), [&stream(name)[..]]);
        let usage = json!([{"model": "us.anthropic.claude-sonnet-4", "inputTokens": 812, "outputTokens": 64,
            "totalTokens": 876, "cachedInputTokens": 0}]);
        assert_eq!(agent.snapshot()["usage"], usage, "{name}");
        assert_eq!(agent.snapshot()["outcome"], "success");
    }
}

#[test]
fn an_image_of_the_stored_thread_is_a_part_of_ag_ui() {
    let mut agent = played(agent(false), [&stream("05-history-restore")[..]]);
    let part = &agent.snapshot()["messages"][0]["content"][1];
    assert_eq!(
        *part,
        json!({"type": "image", "source": {"type": "data", "value": "iVBORw0KGgo=", "mimeType": "image/png"}})
    );
}

#[test]
fn what_is_no_event_is_an_error_of_the_agent() {
    for (data, message) in [
        (r#"{"error": "Failed to parse request: ag_ui \"off\""}"#, r#"Failed to parse request: ag_ui "off""#),
        // Only double quotes are escaped.
        (r#"{"error": "at C:\data"}"#, r#"{"error": "at C:\data"}"#),
        (r#"{"error": {"reason": "x"}}"#, r#"{"error": {"reason": "x"}}"#),
        ("upstream closed", "upstream closed"),
        ("42", "42"),
        (r#"{"type": 5}"#, r#"{"type": 5}"#),
    ] {
        for (strict, before) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut body = if before { sse(&[started("r")]) } else { Vec::new() };
            body.extend(format!("data: {data}\n\n").into_bytes());
            body.extend(sse(&[finished("r")]));
            let mut agent = played(agent(strict), [&body[..]]);
            let snapshot = agent.snapshot();
            assert_eq!((&snapshot["error"]["kind"], &snapshot["error"]["message"]), (&json!("run"), &json!(message)));
            assert_eq!(snapshot["outcome"], "error");
            assert!(agent.warnings.is_empty());
        }
    }
}

#[test]
fn a_message_over_two_lines_keeps_its_beginning() {
    let body = b"data: {\"error\": \"Error processing request: one\ntwo\"}\n\n";
    let mut agent = played(agent(true), [&body[..]]);
    assert_eq!(agent.snapshot()["error"]["message"], "{\"error\": \"Error processing request: one");
}

#[test]
fn the_first_end_counts() {
    let error = event!("RUN_ERROR", "message": "unexpected chunk");
    for (ends, outcome) in [
        (vec![error.clone(), finished("r")], "error"),
        (vec![finished("r"), error.clone()], "success"),
        (vec![finished("r"), finished("r"), finished("r")], "success"),
    ] {
        let body = sse(&[vec![started("r")], ends].concat());
        let mut agent = played(agent(true), [&body[..]]);
        assert_eq!(agent.snapshot()["outcome"], outcome);
        assert!(agent.warnings.is_empty());
        assert_eq!(agent.events.len(), 2);
    }
}

#[test]
fn a_backend_tool_without_input_ends_before_its_result() {
    let body = sse(&[
        started("r"),
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "get_time"),
        event!("TOOL_CALL_RESULT", "messageId": "m", "toolCallId": "c", "content": "noon", "role": "tool"),
        finished("r"),
    ]);
    let mut agent = played(agent(true), [&body[..]]);
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    assert_eq!(agent.snapshot()["toolCalls"][0]["result"], "noon");
}

#[test]
fn the_page_executes_an_unclosed_call_without_arguments() {
    let mut agent = with_tools(agent(true), asks("hi"), &["get_time"], &stream("10-bedrock-no-args-tool-unclosed"));
    assert_eq!(agent.executed, [("tooluse_N0".to_owned(), "get_time".to_owned(), json!({}))]);
    settle(&mut agent, "tooluse_N0", json!("noon"));
    let calling = &agent.sent()["messages"][1]["toolCalls"][0]["function"];
    assert_eq!(
        *calling,
        json!({"name": "get_time", "arguments": "{}"}),
        "the server refuses arguments that are no JSON"
    );
}

#[test]
fn the_page_executes_the_first_of_merged_calls() {
    let mut agent = with_tools(agent(false), asks("hi"), &["update_query"], &stream("09-openai-parallel-calls-merged"));
    assert_eq!(agent.executed, [("call_A".to_owned(), "update_query".to_owned(), json!({"query": "a"}))]);
    assert_eq!(agent.snapshot()["toolCalls"][0]["args"], json!({"query": "a"}));
    assert!(agent.warnings.contains(&"calls-merged".to_owned()));
    settle(&mut agent, "call_A", json!({"ok": true}));
    assert_eq!(agent.sent()["messages"][1]["toolCalls"][0]["function"]["arguments"], "{\"query\":\"a\"}");
}

#[test]
fn a_paused_run_follows_with_the_whole_thread_or_with_what_is_new() {
    let expected = json_fixture("opensearch/03a-frontend-tool-pause.expected.json");
    for (history, follow_up) in [("full", "followUpRequestFullHistory"), ("new", "followUpRequestServerMemory")] {
        let request = json_fixture("opensearch/03a-frontend-tool-pause.request.json");
        let mut agent = speaking(json!({"history": history}), true);
        let mut input = request.clone();
        input["pageTools"] = json!([{"name": "update_query"}]);
        agent.submit_json(input);
        for member in ["messages", "tools", "context", "state", "forwardedProps"] {
            assert_eq!(agent.sent()[member], request[member], "{history}: {member}");
        }
        read(&mut agent, &stream("03a-frontend-tool-pause"));
        settle(&mut agent, "tooluse_Fe2", json!({"success": true, "rows": 42}));
        assert_eq!(agent.requests.len(), 2, "one run follows");
        let mut wanted = expected[follow_up].clone();
        let answer = wanted["messages"].as_array_mut().unwrap().last_mut().unwrap();
        answer["id"] = json!("tool-result-tooluse_Fe2");
        for member in ["messages", "tools", "context", "state", "forwardedProps"] {
            assert_eq!(agent.sent()[member], wanted[member], "{history}: {member}");
        }
        read(&mut agent, &stream("03b-frontend-tool-continuation"));
        assert_eq!(agent.snapshot()["outcome"], "success");
        agent.submit_json(json!({"runId": "r3", "messages": [{"id": "u3", "role": "user", "content": "and now?"}]}));
        assert_eq!(agent.sent()["messages"].as_array().unwrap().len(), if history == "full" { 5 } else { 1 });
    }
}

#[test]
fn answers_of_the_server_are_no_news_to_it() {
    let mut body = vec![started("r")];
    body.extend(call("page", "ask", &["{}"]));
    body.extend(call("backend", "list", &["{}"]));
    body.push(event!("TOOL_CALL_RESULT", "messageId": "m1", "toolCallId": "backend", "content": "x", "role": "tool"));
    body.push(finished("r"));
    let mut agent = with_tools(speaking(json!({"history": "new"}), true), asks("hi"), &["ask"], &sse(&body));
    settle(&mut agent, "page", json!("yes"));
    let sent = agent.sent()["messages"].as_array().unwrap();
    assert_eq!(*sent, [json!({"id": "tool-result-page", "role": "tool", "toolCallId": "page", "content": "yes"})]);
}

#[test]
fn requests_have_every_member_that_the_server_looks_for() {
    let image = json!({"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}});
    let audio = json!({"type": "audio", "source": {"type": "url", "value": "https://x"}});
    let content = json!([{"type": "text", "text": "look"}, image, audio]);
    for history in ["full", "new"] {
        let mut agent = speaking(json!({"history": history}), false);
        agent.submit_json(json!({"runId": "r", "state": null, "forwardedProps": null,
            "messages": [{"id": "u", "role": "user", "content": content}]}));
        let sent = agent.sent();
        for (member, value) in
            [("state", json!({})), ("forwardedProps", json!({})), ("tools", json!([])), ("context", json!([]))]
        {
            assert_eq!(sent[member], value, "{member}");
        }
        let parts = json!([{"type": "text", "text": "look"}, {"type": "binary", "mimeType": "image/png", "data": "aGk="}, audio]);
        assert_eq!(sent["messages"][0]["content"], parts);
    }
}

/// A stored thread whose last assistant message waits for calls.
fn stored() -> Value {
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"q\":1}"}});
    event!("MESSAGES_SNAPSHOT", "timestamp": 3, "messages": [
        {"id": "s1", "role": "user", "content": "look"},
        {"id": "s2", "role": "assistant", "content": "", "toolCalls": [call("old", "update_query")]},
        {"id": "s3", "role": "user", "content": "and?"},
        {"id": "s4", "role": "assistant", "content": "Trying.", "toolCalls":
            [call("done", "update_query"), call("open", "update_query"), call("backend", "list")]},
        {"id": "s5", "role": "tool", "toolCallId": "done", "content": "ok"},
    ])
}

#[test]
fn the_stored_thread_is_loaded_and_its_open_calls_are_called_again() {
    let body = sse(&[started("restore-17"), stored(), finished("restore-17"), finished("restore-17")]);
    let mut agent = with_tools(agent(true), json!({"runId": "restore-17"}), &["update_query"], &body);
    assert_eq!(agent.requests[0].1["messages"], json!([]));
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    assert_eq!(agent.executed, [("open".to_owned(), "update_query".to_owned(), json!({"q": 1}))]);
    let names: Vec<_> = agent.events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let calls = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"];
    assert_eq!(names, [&["RUN_STARTED", "MESSAGES_SNAPSHOT"], &calls[..], &["RUN_FINISHED"]].concat());
    assert_eq!(agent.events[2]["parentMessageId"], "s4");
    let kept: Vec<_> =
        agent.events[1]["messages"][3]["toolCalls"].as_array().unwrap().iter().map(|call| &call["id"]).collect();
    assert_eq!(kept, ["done", "backend"], "it is out of the list until it is called");
    settle(&mut agent, "open", json!("yes"));
    let sent = agent.sent();
    assert_eq!(sent["runId"], "restore-17-1", "what follows is no request for the thread");
    let answers: Vec<_> =
        sent["messages"].as_array().unwrap().iter().filter_map(|m| m["toolCallId"].as_str()).collect();
    assert_eq!(answers.len(), 2);
    assert!(answers.contains(&"open"));
}

#[test]
fn calls_that_the_page_does_not_have_are_not_called_again() {
    let body = sse(&[started("restore-17"), stored(), finished("restore-17")]);
    let agent = with_tools(agent(true), json!({"runId": "restore-17"}), &["other"], &body);
    assert!(agent.executed.is_empty());
    assert_eq!(agent.events[1], stored());
    // Nor is anything in a snapshot that nobody asked for.
    let body = sse(&[started("r"), stored(), finished("r")]);
    let agent = with_tools(self::agent(true), asks("hi"), &["update_query"], &body);
    assert!(agent.executed.is_empty());
}

#[test]
fn a_thread_with_messages_is_loaded_anew_and_images_stay() {
    let parts = json!([{"type": "text", "text": "look"}, {"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}}]);
    let mut agent = agent(false);
    agent.submit_json(json!({"runId": "r", "messages": [{"id": "s1", "role": "user", "content": parts}]}));
    read(&mut agent, &sse(&[started("r"), finished("r")]));
    agent.submit_json(json!({"runId": "restore-18"}));
    assert_eq!(agent.sent()["messages"], json!([]));
    read(&mut agent, &sse(&[started("restore-18"), stored(), finished("restore-18")]));
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["messages"][0]["content"], parts, "the server keeps the text alone");
    assert_eq!(snapshot["messages"].as_array().unwrap().len(), 5);
}

#[test]
fn calls_stand_in_a_message_of_their_own_where_the_parent_is_not_known() {
    let start = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "earlier");
    let end = event!("TOOL_CALL_END", "toolCallId": "c");
    let text = event!("TEXT_MESSAGE_START", "messageId": "earlier", "role": "assistant");
    let delta = event!("TEXT_MESSAGE_CONTENT", "messageId": "earlier", "delta": "late");
    let close = event!("TEXT_MESSAGE_END", "messageId": "earlier");
    let mut agent = played(agent(true), [&sse(&[started("r"), start, end, text, delta, close, finished("r")])[..]]);
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    let message = &agent.snapshot()["messages"][1];
    assert_eq!((&message["id"], &message["content"]), (&json!("earlier"), &json!("late")), "later text finds it");
}

#[test]
fn requests_have_the_documented_members_alone_unless_all_are_asked_for() {
    let names = |agent: &Agent| agent.sent().as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut agent = speaking(json!({}), true);
    agent.submit_json(asks("hi"));
    let mut found = names(&agent);
    found.sort();
    assert_eq!(found, ["context", "forwardedProps", "messages", "runId", "state", "threadId", "tools"]);
    let mut agent = speaking(json!({"members": "all"}), true);
    agent.submit_json(asks("hi"));
    assert!(names(&agent).contains(&"protocolVersion".to_owned()));
}

/// The ids of the messages of the last request.
fn sent_ids(agent: &Agent) -> Vec<String> {
    let sent = agent.sent()["messages"].as_array().unwrap();
    sent.iter().map(|message| message["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_question_that_was_answered_without_text_is_not_sent_again() {
    let say = |agent: &mut Agent, id: &str| {
        let message = json!({"id": id, "role": "user", "content": id});
        agent.submit_json(json!({"runId": format!("r-{id}"), "messages": [message]}));
    };
    let ends = [sse(&[started("r"), finished("r")]), sse(&[started("r"), event!("RUN_ERROR", "message": "no")])];
    for (end, again) in ends.iter().zip([vec!["u2"], vec!["u1", "u2"]]) {
        let mut agent = speaking(json!({"history": "new"}), true);
        say(&mut agent, "u1");
        read(&mut agent, end);
        say(&mut agent, "u2");
        assert_eq!(sent_ids(&agent), again);
    }
    // Asked for again, it is sent again.
    let mut agent = speaking(json!({"history": "new"}), true);
    say(&mut agent, "u1");
    read(&mut agent, &ends[0]);
    agent.act(|session, now| assert!(session.retry(r#"{"runId":"again"}"#, now).is_ok()));
    assert_eq!(sent_ids(&agent), ["u1"]);
}

#[test]
fn settings_that_are_not_known_are_refused() {
    assert!(ag_ui_wasm::dialect::named("open-search", r#"{"members":"eight"}"#).is_none());
    assert!(ag_ui_wasm::dialect::named("open-search", r#"{"history":"some"}"#).is_none());
    assert!(ag_ui_wasm::dialect::named("open-search", "{}").is_some());
}

#[test]
fn bad_events_are_told_and_nothing_shown_is_lost() {
    let text = [
        event!("TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "shown"),
    ];
    let deep = format!(r#"{{"type":"Custom","name":"n","value":{}1{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    for (data, code) in [
        (r#"{"type":"Custom","value":1}"#, "event-malformed"),
        (r#"{"type":"Custom","name":5,"value":1}"#, "event-malformed"),
        (r#"{"type":"TEXT_MESSAGE_SUNG"}"#, "event-unknown"),
        (r#"{"type":"TOOL_CALL_START","toolCallId":5,"toolCallName":"x"}"#, "event-malformed"),
        (r#"{"type":"MESSAGES_SNAPSHOT","messages":5}"#, "event-malformed"),
        (&deep, "frame-too-deep"),
    ] {
        for strict in [false, true] {
            let about = &data[..data.len().min(80)];
            let mut agent = agent(strict);
            let request = agent.submit("go");
            agent.head(request, 200, "text/event-stream");
            agent.bytes(request, &sse(&[&[started("r")], &text[..]].concat()));
            agent.bytes(request, format!("data: {data}\n\n").as_bytes());
            if strict && code != "event-unknown" {
                assert_eq!(agent.snapshot()["error"]["code"], code, "{about}");
            } else {
                assert_eq!(agent.warnings, [code], "{about}");
            }
            assert_eq!(agent.snapshot()["messages"][1]["content"], "shown", "{about}");
        }
    }
}

#[test]
fn damaged_streams_never_panic() {
    let extra = sse(&[started("restore-17"), stored(), finished("restore-17")]);
    super::damage(FIXTURES.iter().map(|name| stream(name)).chain([extra]), 11, 1500, &mut |random, body| {
        let input = if random.one_in(2) { json!({"runId": "restore-17"}) } else { asks("hi") };
        let mut agent = with_tools(agent(random.one_in(2)), input, &["update_query"], body);
        agent.snapshot();
    });
}

#[test]
fn the_server_gets_the_roles_that_it_names() {
    for history in ["full", "new"] {
        let mut agent = speaking(json!({"name": "open-search", "history": history}), false);
        let message = |id: &str, role: &str| json!({"id": id, "role": role, "content": "x"});
        let activity = json!({"id": "p", "role": "activity", "activityType": "PLAN", "content": {}});
        let messages = json!([
            message("s", "system"),
            message("d", "developer"),
            activity,
            message("r", "reasoning"),
            message("u", "user")
        ]);
        agent.submit_json(json!({"runId": "r", "messages": messages}));
        assert_eq!(sent_ids(&agent), ["u"], "{history}");
    }
}
