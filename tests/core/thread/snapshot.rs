//! MESSAGES_SNAPSHOT and RUN_STARTED.input: what of the thread stays, is replaced, goes.

use crate::support::Agent;
use crate::support::streams::Random;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn user(id: &str, content: &str) -> Value {
    json!({"id": id, "role": "user", "content": content})
}

fn assistant(id: &str, content: &str) -> Value {
    json!({"id": id, "role": "assistant", "content": content})
}

fn reasoning(id: &str) -> Value {
    json!({"id": id, "role": "reasoning", "content": "because"})
}

fn activity(id: &str, kind: &str) -> Value {
    json!({"id": id, "role": "activity", "activityType": kind, "content": {"of": id}})
}

fn snapshot(messages: Value) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

/// A run on a thread with these messages, and no user message of its own.
fn loaded(messages: Value) -> (Agent, u32) {
    let mut agent = Agent::with(Options::default(), Some(&messages.to_string()), None);
    agent.submit_json(json!({"runId": "r"}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.snapshot();
    (agent, request)
}

fn ids(snapshot: &Value) -> Vec<&str> {
    snapshot["messages"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}

/// The ids that a snapshot leaves of these local messages.
fn left(local: Value, event: Value) -> Vec<String> {
    let (mut agent, request) = loaded(local);
    ids(agent.events(request, &[event])).into_iter().map(str::to_owned).collect()
}

#[test]
fn the_list_gives_its_order_to_what_it_names() {
    let local = json!([user("1", "a"), activity("p", "PLAN"), assistant("2", "b"), reasoning("q"), user("3", "c")]);
    let given = json!([user("new2", "y"), user("3", "c!"), user("new1", "x"), assistant("2", "b")]);
    let (mut agent, request) = loaded(local);
    let after = agent.events(request, &[snapshot(given)]);
    assert_eq!(
        ids(after),
        ["p", "new2", "3", "new1", "2", "q"],
        "1 is gone; q goes with the message that it stood after"
    );
    assert_eq!(after["messages"][2]["content"], "c!");
    assert_eq!(after["messages"][1]["delivery"], "complete");
}

#[test]
fn a_fresh_page_on_a_stored_thread_has_its_question_where_the_server_has_it() {
    let stored = ["one", "answer 1", "two", "answer 2", "three", "answer 3"];
    let (mut agent, request) = loaded(json!([user("three", "3")]));
    let messages: Value = stored.iter().map(|id| user(id, id)).collect();
    assert_eq!(ids(agent.events(request, &[snapshot(messages)])), stored);
}

/// The rule, told another way: each message that stays without being named follows the one that it stood after.
fn arranged(local: &[Value], given: &[Value]) -> Vec<String> {
    let id = |message: &Value| message["id"].as_str().unwrap().to_owned();
    let has = |role: &str| given.iter().any(|message| message["role"] == role);
    let named = |message: &Value| given.iter().any(|other| id(other) == id(message));
    let stays = |message: &Value| match message["role"].as_str() {
        Some("activity") => !has("activity"),
        Some("reasoning") => !has("reasoning"),
        _ => false,
    };
    let mut heads = vec![(String::new(), Vec::new())];
    for message in local.iter().filter(|message| named(message) || stays(message)) {
        match named(message) {
            true => heads.push((id(message), vec![id(message)])),
            false => heads.last_mut().unwrap().1.push(id(message)),
        }
    }
    let mut all = std::mem::take(&mut heads[0].1);
    for message in given {
        let known = heads.iter().position(|(head, _)| *head == id(message));
        all.extend(known.map_or_else(|| vec![id(message)], |at| heads.swap_remove(at).1));
    }
    all
}

#[test]
fn any_thread_takes_the_order_of_any_list() {
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let mut list = |most: usize| {
            let mut left: Vec<usize> = (0..12).collect();
            let count = random.below(most + 1);
            let mut messages = Vec::new();
            for _ in 0..count {
                let number = left.remove(random.below(left.len()));
                let id = number.to_string();
                messages.push(match number % 6 {
                    0 => activity(&id, "PLAN"),
                    1 => reasoning(&id),
                    2 => assistant(&id, "said"),
                    _ => user(&id, "asked"),
                });
            }
            messages
        };
        let mut local = list(9);
        let (mut agent, request) = loaded(json!(local));
        for _ in 0..3 {
            let given = list(9);
            let expected = arranged(&local, &given);
            let after = agent.events(request, &[snapshot(json!(given))]);
            assert_eq!(ids(after), expected, "seed {seed}: {given:?} after {local:?}");
            local = after["messages"].as_array().unwrap().clone();
        }
    }
}

#[test]
fn an_empty_snapshot_leaves_activities_and_reasoning() {
    let local = json!([user("1", "a"), activity("p", "PLAN"), reasoning("q"), assistant("2", "b")]);
    assert_eq!(left(local, snapshot(json!([]))), ["p", "q"]);
}

#[test]
fn a_snapshot_with_an_activity_or_reasoning_speaks_for_all_of_them() {
    let local = json!([activity("p", "PLAN"), reasoning("q"), user("1", "a")]);
    assert_eq!(left(local.clone(), snapshot(json!([activity("new", "PLAN")]))), ["q", "new"]);
    assert_eq!(left(local, snapshot(json!([reasoning("new")]))), ["p", "new"]);
}

#[test]
fn the_server_may_say_which_activities_it_speaks_for() {
    let local = || json!([activity("p", "P"), activity("q", "Q")]);
    let declared = |client: Value, messages: Value| {
        let event = event!("MESSAGES_SNAPSHOT", "messages": messages, "metadata": {"@ag-ui/client": client});
        left(local(), event)
    };
    let types = |types: Value| json!({"authoritativeActivityTypes": types});
    let new = || json!([activity("new", "Q")]);
    assert_eq!(declared(types(Value::Null), json!([])), [""; 0], "null: for all");
    assert_eq!(declared(types(json!(["P"])), new()), ["q", "new"]);
    assert_eq!(declared(types(json!([])), new()), ["p", "q", "new"]);
    assert_eq!(declared(json!({}), new()), ["new"], "nothing said: as ever");
    for invalid in [types(json!("P")), types(json!(["P", 7])), Value::Null, json!([]), json!(7)] {
        assert_eq!(declared(invalid.clone(), new()), ["p", "q", "new"], "{invalid}");
    }
    // One that the snapshot names is always replaced.
    let changed = json!([{"id": "q", "role": "activity", "activityType": "Q2", "content": {"now": 1}}]);
    let (mut agent, request) = loaded(local());
    let event = event!("MESSAGES_SNAPSHOT", "messages": changed, "metadata": {"@ag-ui/client": types(json!(["P"]))});
    let after = agent.events(request, &[event]);
    assert_eq!(ids(after), ["q"]);
    assert_eq!(after["messages"][0]["content"], json!({"now": 1}));
    assert_eq!(after["messages"][0]["activityType"], "Q2");
}

#[test]
fn a_message_is_replaced_entirely() {
    let call =
        |arguments: &str| json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}});
    let local = json!([
        {"id": "m", "role": "assistant", "content": "a", "metadata": {"x": 1}, "encryptedValue": "s", "name": "Ann",
            "toolCalls": [call("{\"a\":1}"), {"id": "d", "type": "function", "function": {"name": "g", "arguments": ""}}]},
    ]);
    let (mut agent, request) = loaded(local);
    let given = json!([{"id": "m", "role": "assistant", "content": "b", "toolCalls": [call("{\"b\":2}")]}]);
    let after = agent.events(request, &[snapshot(given.clone())]);
    let mut message = given[0].clone();
    message["toolCallIds"] = json!(["c"]);
    message["delivery"] = json!("complete");
    assert_eq!(after["messages"], json!([message]));
    assert_eq!(after["toolCalls"].as_array().unwrap().len(), 1);
    assert_eq!(after["toolCalls"][0]["args"], json!({"b": 2}));
    assert_eq!(after["toolCalls"][0]["argsText"], "{\"b\":2}");
}

#[test]
fn a_message_may_become_another_kind_of_message() {
    let (mut agent, request) = loaded(json!([assistant("m", "a"), activity("n", "PLAN")]));
    let after = agent.events(request, &[snapshot(json!([activity("m", "PLAN"), user("n", "b")]))]);
    assert_eq!(
        after["messages"][0],
        json!({"id": "m", "role": "activity", "activityType": "PLAN", "content": {"of": "m"}, "delivery": "complete"})
    );
    assert_eq!(after["messages"][1], json!({"id": "n", "role": "user", "content": "b", "delivery": "complete"}));
}

#[test]
fn ids_that_come_twice() {
    assert_eq!(left(json!([]), snapshot(json!([user("n", "1"), user("n", "2")]))), ["n", "n"]);
    let (mut agent, request) = loaded(json!([user("k", "0")]));
    let after = agent.events(request, &[snapshot(json!([user("k", "1"), user("k", "2")]))]);
    assert_eq!(ids(after), ["k"]);
    assert_eq!(after["messages"][0]["content"], "2", "the last one counts");
}

#[test]
fn a_message_that_the_snapshot_drops_while_it_streams_is_gone() {
    let (mut agent, request) = Agent::started();
    let text = |delta: &str| event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta);
    let start = event!("TEXT_MESSAGE_START", "messageId": "m");
    let after = agent.events(request, &[start, text("Hel"), snapshot(json!([user("u0", "go")])), text("lo")]);
    assert_eq!(ids(after), ["u0"]);
    assert_eq!(agent.warnings, ["message-unknown"]);
}

#[test]
fn a_message_that_the_snapshot_keeps_goes_on_streaming() {
    let (mut agent, request) = Agent::started();
    let text = |delta: &str| event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta);
    agent.events(request, &[event!("TEXT_MESSAGE_START", "messageId": "m"), text("Hel")]);
    let given = json!([user("u0", "go"), assistant("m", "HELL")]);
    let after = agent.events(request, &[snapshot(given), text("o")]);
    assert_eq!(after["messages"][1]["content"], "HELLo");
    assert_eq!(after["messages"][1]["delivery"], "streaming");
    let after = agent.events(request, &[event!("TEXT_MESSAGE_END", "messageId": "m")]);
    assert_eq!(after["messages"][1]["delivery"], "complete");
}

#[test]
fn a_message_that_the_snapshot_makes_another_while_it_streams_is_written_to_no_more() {
    for other in [activity("m", "PLAN"), user("m", "mine")] {
        let (mut agent, request) = Agent::started();
        let text = |delta: &str| event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta);
        agent.events(request, &[event!("TEXT_MESSAGE_START", "messageId": "m"), text("Hel")]);
        let after = agent.events(request, &[snapshot(json!([other])), text("lo")]);
        assert_eq!(after["messages"][0]["content"], other["content"]);
        assert_eq!(after["messages"][0]["delivery"], "complete");
        assert_eq!(agent.warnings, ["message-not-streamable"]);
    }
}

#[test]
fn a_call_continues_to_stream_after_a_snapshot() {
    let (mut agent, request) = Agent::started();
    let args = |delta: &str| event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": delta);
    let start = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f", "parentMessageId": "m");
    agent.events(request, &[start, args("{\"a\":")]);
    let given = |arguments: &str| {
        json!([user("u0", "go"), {"id": "m", "role": "assistant", "toolCalls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]}])
    };
    // The same arguments, then others.
    let after = agent.events(request, &[snapshot(given("{\"a\":")), args("1")]);
    assert_eq!(after["toolCalls"][0]["argsText"], "{\"a\":1");
    let after = agent.events(request, &[snapshot(given("{\"b\":[2")), args("]}")]);
    assert_eq!(after["toolCalls"][0]["args"], json!({"b": [2]}));
    assert_eq!(after["messages"][1]["toolCalls"][0]["function"]["arguments"], "{\"b\":[2]}");
    assert_eq!(after["toolCalls"][0]["phase"], "input-streaming");
}

#[test]
fn a_call_that_gets_another_place_in_its_message_keeps_its_arguments() {
    let (mut agent, request) = Agent::started();
    let given = |ids: &[&str]| {
        let call =
            |id: &&str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{\"a\":1}"}});
        let calls: Vec<Value> = ids.iter().map(call).collect();
        snapshot(json!([user("u0", "go"), {"id": "m", "role": "assistant", "toolCalls": calls}]))
    };
    // Both come before the page looks.
    for places in [&[&["a", "c"][..], &["a", "b", "c"]], &[&["a", "b", "c"][..], &["c", "a"]]] {
        let after = agent.events(request, &[given(places[0]), given(places[1])]);
        let args: Vec<&Value> = after["toolCalls"].as_array().unwrap().iter().map(|call| &call["args"]).collect();
        assert_eq!(args, vec![&json!({"a": 1}); places[1].len()], "{places:?}");
    }
}

#[test]
fn folded_reasoning_outlives_a_snapshot_without_reasoning() {
    let local = json!([{"id": "m", "role": "assistant", "content": "a", "reasoning": "why", "reasoningDurationMs": 5}]);
    let (mut agent, request) = loaded(local.clone());
    let after = agent.events(request, &[snapshot(json!([assistant("m", "b")]))]);
    assert_eq!(after["messages"][0]["content"], "b");
    assert_eq!(after["messages"][0]["reasoning"], "why");
    assert_eq!(after["messages"][0]["reasoningDurationMs"], 5);
    // As the server got it: two messages with one id.
    let (mut agent, request) = loaded(local);
    let given = json!([{"id": "m", "role": "reasoning", "content": "why not"}, assistant("m", "b")]);
    let after = agent.events(request, &[snapshot(given)]);
    assert_eq!(ids(after), ["m"]);
    assert_eq!(after["messages"][0]["reasoning"], "why not");
    assert_eq!(after["messages"][0]["content"], "b");
}

#[test]
fn elements_that_are_no_messages_are_left_out_and_delete_nothing() {
    let (mut agent, request) = loaded(json!([user("1", "a"), user("2", "b"), user("3", "c")]));
    let given = json!([null, 7, {"id": "2", "role": "wizard", "content": "?"}, {"role": "user", "content": "?"},
        {"id": "3", "role": "user"}, {"id": "4", "role": "assistant", "content": null}]);
    let after = agent.events(request, &[snapshot(given)]);
    assert_eq!(ids(after), ["2", "3", "4"], "the server has 2 and 3, in a form that is not understood");
    assert_eq!(after["messages"][0]["content"], "b");
    assert_eq!(agent.warnings.iter().filter(|code| *code == "message-malformed").count(), 5);
}

#[test]
fn the_input_of_a_run_adds_what_the_thread_has_not() {
    let (mut agent, request) = Agent::started();
    let input = json!({"threadId": "t", "runId": "r", "state": {"ignored": 1}, "messages": [
        user("u0", "changed"), user("n", "1"), user("n", "2"), activity("p", "PLAN"),
        {"id": "m", "role": "assistant", "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"id": "rc", "role": "tool", "toolCallId": "c", "content": "ok"},
    ]});
    let after = agent.events(request, &[event!("RUN_STARTED", "threadId": "t", "runId": "r", "input": input)]);
    assert_eq!(ids(after), ["u0", "n", "p", "m", "rc"]);
    assert_eq!(after["messages"][0]["content"], "go");
    assert_eq!(after["messages"][1]["content"], "1");
    assert_eq!(after["toolCalls"][0]["result"], "ok");
    assert_eq!(after["state"], json!({}));
}
