//! Changes by the user: messages, the queue, the state, and answers given one by one.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::{finished, outcomes, started, text, user};
use ag_ui_wasm::session::{Effect, Options, Session};
use serde_json::{Value, json};

fn answered() -> Agent {
    let mut agent = Agent::new(Options::default());
    let [start, content] = text("m", "an answer");
    agent.run(&[started("r"), start, content, event!("TEXT_MESSAGE_END", "messageId": "m"), finished("r")]);
    agent
}

#[test]
fn a_user_message_may_be_replaced_with_all_that_followed_on_it() {
    let mut agent = answered();
    agent.act(|session, now| {
        let unknown =
            session.submit(&json!({"runId": "q", "messages": [user("x", "?")], "replaces": "m"}).to_string(), now);
        assert_eq!(unknown.unwrap_err().code(), "nothing-to-replace");
    });
    agent.submit_json(json!({"runId": "q", "messages": [user("u1", "better")], "replaces": "u0"}));
    let sent: Vec<_> =
        agent.requests[1].1["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(sent, ["better"]);
}

#[test]
fn what_waits_may_be_changed() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    let ticket = agent.submit_json(json!({"runId": "q", "messages": [user("u2", "second")]}));
    agent.act(|session, _| {
        let json = json!({"runId": "q", "messages": [user("u2", "second, but better")]}).to_string();
        assert!(session.edit_queued(ticket, &json).unwrap());
        assert!(!session.edit_queued(99, &json).unwrap());
    });
    assert_eq!(agent.snapshot()["queue"][0]["messages"][0]["content"], "second, but better");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r"), finished("r")]);
    agent.end(request);
    assert_eq!(agent.requests[1].1["messages"][1]["content"], "second, but better");
}

#[test]
fn edits_of_the_state_stay_while_the_server_changes_what_is_beneath() {
    let mut agent = Agent::with(Options::default(), None, Some("{\"a\":1,\"b\":{\"c\":1},\"gone\":1}"));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.act(|session, _| session.set_state("{\"a\":1,\"b\":{\"c\":2}}").unwrap());
    let delta = |operations: Value| event!("STATE_DELTA", "delta": operations);
    let snapshot = agent.events(
        request,
        &[delta(json!([{"op": "replace", "path": "/a", "value": 5}, {"op": "add", "path": "/b/d", "value": 3}, {"op": "remove", "path": "/gone"}]))],
    );
    assert_eq!(snapshot["state"], json!({"a": 5, "b": {"c": 2, "d": 3}}), "the server's patch found what it knows");
    let snapshot = agent.events(request, &[event!("STATE_SNAPSHOT", "snapshot": {"a": 6, "b": {"c": 7}, "gone": 2})]);
    assert_eq!(snapshot["state"], json!({"a": 6, "b": {"c": 2}}));
    agent.events(request, &[finished("r")]);
    agent.end(request);
    // From here the server knows.
    let request = agent.submit("again");
    assert_eq!(agent.requests[1].1["state"], json!({"a": 6, "b": {"c": 2}}));
    agent.head(request, 200, "text/event-stream");
    let snapshot = agent.events(request, &[started("r2"), event!("STATE_SNAPSHOT", "snapshot": {"b": 1})]);
    assert_eq!(snapshot["state"], json!({"b": 1}));
}

#[test]
fn what_the_server_adds_to_a_list_that_was_edited_is_not_lost() {
    let mut agent = Agent::with(Options::default(), None, Some(r#"{"items":["a","b"],"n":1}"#));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.act(|session, _| session.set_state(r#"{"items":["b","mine"],"n":1}"#).unwrap());
    agent.snapshot();
    let delta = event!("STATE_DELTA", "delta": [{"op": "add", "path": "/items/-", "value": "c"}, {"op": "add", "path": "/items/0", "value": "z"}]);
    agent.event(request, delta);
    let patch = agent.patch().unwrap();
    assert_eq!(
        patch,
        r#"[["p",["state"],[{"op":"add","path":"/items/1","value":"c"},{"op":"add","path":"/items/0","value":"z"}]]]"#
    );
    let shown = json!({"items": ["z", "b", "c", "mine"], "n": 1});
    assert_eq!(agent.snapshot()["state"], shown);
    assert_eq!(crate::support::parse(&agent.session.save())["state"], shown);
    agent.events(request, &[event!("STATE_SNAPSHOT", "snapshot": {"items": ["z", "a", "b", "c", "d"], "n": 2})]);
    assert_eq!(agent.snapshot()["state"], json!({"items": ["z", "b", "c", "d", "mine"], "n": 2}));
    agent.events(request, &[finished("r")]);
    agent.end(request);
    agent.submit("again");
    assert_eq!(agent.requests[1].1["state"], json!({"items": ["z", "b", "c", "d", "mine"], "n": 2}));
}

#[test]
fn members_of_the_state_are_sent_in_the_order_that_the_page_shows() {
    let mut agent = Agent::with(Options::default(), None, Some(r#"{"a":1,"b":2,"c":3,"d":{"e":1,"f":2,"g":3}}"#));
    let delta = event!("STATE_DELTA", "delta": [
        {"op": "remove", "path": "/a"}, {"op": "remove", "path": "/d/e"}, {"op": "move", "from": "/b", "path": "/h"},
        {"op": "replace", "path": "/c", "value": 4}, {"op": "copy", "from": "/c", "path": "/a"}]);
    let fails = event!("STATE_DELTA", "delta": [
        {"op": "remove", "path": "/c"}, {"op": "move", "from": "/d", "path": "/c"}, {"op": "add", "path": "/z", "value": 1},
        {"op": "test", "path": "/a", "value": 0}]);
    agent.run(&[started("r"), delta, fails, finished("r")]);
    agent.submit("again");
    // As JavaScript does it: what is set anew comes last.
    assert_eq!(agent.requests[1].1["state"].to_string(), r#"{"c":4,"d":{"f":2,"g":3},"h":2,"a":4}"#);
}

#[test]
fn interrupts_may_be_answered_one_by_one() {
    let mut agent = Agent::new(Options::default());
    let open = json!([{"id": "a", "reason": "confirmation"}, {"id": "b", "reason": "confirmation"}]);
    agent.run(&[
        started("r"),
        event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "interrupt", "interrupts": open}),
    ]);
    let answer = |agent: &mut Agent, id: &str, payload: u32| {
        let run = json!({"runId": format!("q{payload}"), "messages": []});
        let json = json!({"interruptId": id, "status": "resolved", "payload": payload, "run": run});
        let mut result = None;
        agent.act(|session, now| result = Some(session.answer(&json.to_string(), now)));
        result.unwrap()
    };
    let first = answer(&mut agent, "b", 1).unwrap();
    assert_eq!(agent.requests.len(), 1, "one is missing");
    assert_eq!(agent.snapshot()["interrupts"][1], json!({"id": "b", "reason": "confirmation", "answered": true}));
    assert_eq!(answer(&mut agent, "zzz", 1).unwrap_err().code(), "interrupt-unknown");
    let second = answer(&mut agent, "b", 2).unwrap();
    let third = answer(&mut agent, "a", 3).unwrap();
    let resume = agent.requests[1].1["resume"].clone();
    assert_eq!(
        resume,
        json!([{"interruptId": "b", "status": "resolved", "payload": 2}, {"interruptId": "a", "status": "resolved", "payload": 3}])
    );
    let request = agent.requests[1].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("q3"), finished("q3")]);
    agent.end(request);
    assert_eq!(outcomes(&agent), [(1, "interrupted"), (first, "dropped"), (third, "success"), (second, "success")]);
    assert_eq!(agent.snapshot()["interrupts"], json!([]));
}

/// A run that says, thinks, calls and patches.
fn busy_run() -> Vec<Value> {
    let args = |delta: &str| event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": delta);
    let says = |delta: &str| event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": delta);
    let add = |value: u32| event!("STATE_DELTA", "delta": [{"op": "add", "path": "/rows/-", "value": value}]);
    let count = |value: u32| event!("STATE_DELTA", "delta": [{"op": "replace", "path": "/n", "value": value}]);
    vec![
        started("r"),
        event!("REASONING_MESSAGE_START", "messageId": "m"),
        event!("REASONING_MESSAGE_CONTENT", "messageId": "m", "delta": "hm, "),
        add(1),
        event!("REASONING_MESSAGE_CONTENT", "messageId": "m", "delta": "well"),
        event!("REASONING_MESSAGE_END", "messageId": "m"),
        event!("TEXT_MESSAGE_START", "messageId": "m"),
        says("one "),
        count(1),
        // Half of a pair, and the other one.
        says("\u{10F83D}"),
        says("\u{10FE42} two "),
        add(2),
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "look", "parentMessageId": "m"),
        args("{\"a\":"),
        says("three"),
        args("1}"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        event!("TEXT_MESSAGE_END", "messageId": "m"),
        event!("TOOL_CALL_RESULT", "messageId": "res", "toolCallId": "c", "content": "found"),
        count(2),
        event!("TEXT_MESSAGE_START", "messageId": "n"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "n", "delta": "done"),
        event!("TEXT_MESSAGE_END", "messageId": "n"),
        finished("r"),
    ]
}

/// Plays the run to the end with an edit after `at` of its events, made of what was shown after `shown` of them. Gives what
/// was shown then, and what is in the end.
fn edited_at(shown: usize, at: usize, edit: &dyn Fn(&mut Value)) -> (Value, Value) {
    let state = r#"{"rows":[0],"n":0,"big":12345678901234567890}"#;
    let mut agent = Agent::with(Options::default(), Some(&json!([user("old", "older")]).to_string()), Some(state));
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let events = busy_run();
    // As it goes over the line.
    let frame = |event: &Value| {
        let json = event.to_string().replace('\u{10F83D}', "\\ud83d").replace('\u{10FE42}', "\\ude42");
        format!("data: {json}\n\n").into_bytes()
    };
    events[..shown].iter().for_each(|event| agent.bytes(request, &frame(event)));
    let before = agent.snapshot().clone();
    events[shown..at].iter().for_each(|event| agent.bytes(request, &frame(event)));
    let mut after = before.clone();
    edit(&mut after);
    let json = |of: &Value, name: &str| {
        // As JavaScript has it: pairs are one, and numbers are doubles.
        let json = of[name].to_string().replace("\u{10F83D}\u{10FE42}", "🙂").replace('\u{10F83D}', "\\ud83d");
        json.replace("12345678901234567890", "12345678901234567000")
    };
    agent.act(|session, _| {
        if before["messages"] != after["messages"] {
            session.edit_messages(&json(&before, "messages"), &json(&after, "messages")).unwrap();
        }
        if before["state"] != after["state"] {
            session.edit_state(&json(&before, "state"), &json(&after, "state")).unwrap();
        }
    });
    events[at..].iter().for_each(|event| agent.bytes(request, &frame(event)));
    agent.end(request);
    let end = agent.snapshot().clone();
    let outgoing = agent.session.save();
    assert_eq!(crate::support::parse(&outgoing)["messages"], end["messages"], "what is saved is what is shown");
    (before, end)
}

fn everywhere(edit: &dyn Fn(&mut Value), check: impl Fn(&str, &Value, &Value, &Value)) {
    let length = busy_run().len();
    let (_, whole) = edited_at(0, 0, &|_| {});
    for at in 0..length {
        for shown in 0..=at {
            let (before, end) = edited_at(shown, at, edit);
            check(&format!("made of what was shown after {shown}, at {at}"), &whole, &before, &end);
        }
    }
}

fn find<'v>(snapshot: &'v Value, id: &str) -> Option<&'v Value> {
    snapshot["messages"].as_array().unwrap().iter().find(|message| message["id"] == id)
}

fn ids(snapshot: &Value) -> Vec<&str> {
    snapshot["messages"].as_array().unwrap().iter().map(|message| message["id"].as_str().unwrap()).collect()
}

/// Pairs that came in halves are one character to JavaScript.
fn joined(value: &Value) -> Value {
    crate::support::parse(&value.to_string().replace("\u{10F83D}\u{10FE42}", "🙂"))
}

#[test]
fn an_edit_of_an_old_snapshot_adds_and_takes_nothing_of_the_stream() {
    let mine = user("mine", "by the way");
    let add = |after: &mut Value| after["messages"].as_array_mut().unwrap().push(mine.clone());
    everywhere(&add, |place, whole, _, end| {
        let found: Vec<&Value> = end["messages"].as_array().unwrap().iter().filter(|m| m["id"] != "mine").collect();
        assert_eq!(json!(found), whole["messages"], "{place}");
        assert_eq!(end["toolCalls"], whole["toolCalls"], "{place}");
        assert_eq!(find(end, "mine").unwrap()["content"], "by the way", "{place}");
    });
    let remove = |after: &mut Value| after["messages"].as_array_mut().unwrap().retain(|message| message["id"] != "old");
    everywhere(&remove, |place, whole, _, end| {
        assert_eq!(
            json!(&end["messages"].as_array().unwrap()[..]),
            json!(&whole["messages"].as_array().unwrap()[1..]),
            "{place}"
        );
    });
}

#[test]
fn an_edit_of_a_message_that_streams_changes_what_it_changes() {
    let mark = |after: &mut Value| {
        after["messages"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|message| message["metadata"] = json!({"seen": 1}));
    };
    everywhere(&mark, |place, whole, before, end| {
        for message in whole["messages"].as_array().unwrap() {
            let mut expected = joined(message);
            if find(before, message["id"].as_str().unwrap()).is_some() {
                expected["metadata"] = json!({"seen": 1});
            }
            let mut found = joined(find(end, message["id"].as_str().unwrap()).unwrap());
            found.as_object_mut().unwrap().remove("reasoningDurationMs");
            expected.as_object_mut().unwrap().remove("reasoningDurationMs");
            assert_eq!(found, expected, "{place}");
        }
        assert_eq!(end["toolCalls"], whole["toolCalls"], "{place}");
    });
    // Its values stay, and messages after those that it has seen follow.
    let rewrite = |after: &mut Value| {
        for message in after["messages"].as_array_mut().unwrap().iter_mut().filter(|m| m["id"] == "m") {
            for name in ["content", "reasoning"] {
                if let Some(text) = message.get_mut(name) {
                    *text = json!("<edited>");
                }
            }
        }
    };
    everywhere(&rewrite, |place, whole, before, end| {
        let said = joined(&find(whole, "m").unwrap()["content"]);
        let seen = find(before, "m").and_then(|m| m.get("content").filter(|_| m["role"] == "assistant"));
        let seen = joined(seen.unwrap_or(&json!(null)));
        let said: Vec<u16> = said.as_str().unwrap().encode_utf16().collect();
        let rest = |seen: &str| {
            // A half of a pair is one unit.
            let units = seen.chars().map(|c| if c == '\u{10F83D}' { 1 } else { c.len_utf16() }).sum();
            format!("<edited>{}", String::from_utf16_lossy(&said[units..]))
        };
        let found = joined(&find(end, "m").unwrap()["content"]);
        let cut = found.to_string().contains('\u{10FE42}');
        match seen.as_str() {
            // It has taken the first half.
            Some(_) if cut => {}
            Some(seen) => assert_eq!(found, rest(seen), "{place}"),
            None => assert_eq!(found, String::from_utf16_lossy(&said), "{place}"),
        }
        assert_eq!(end["toolCalls"], whole["toolCalls"], "{place}");
        if let Some(thought) =
            find(before, "m").and_then(|m| if m["role"] == "assistant" { m.get("reasoning") } else { m.get("content") })
        {
            let rest = "hm, well".strip_prefix(thought.as_str().unwrap()).unwrap();
            assert_eq!(find(end, "m").unwrap()["reasoning"], format!("<edited>{rest}"), "{place}");
        }
    });
}

#[test]
fn an_edit_that_removes_or_moves_does_so_to_what_it_has_seen() {
    let remove = |after: &mut Value| after["messages"].as_array_mut().unwrap().retain(|message| message["id"] != "m");
    everywhere(&remove, |place, whole, before, end| {
        let role = find(before, "m").map(|message| message["role"].clone());
        match role.as_ref().and_then(Value::as_str) {
            None => assert_eq!(ids(end), ids(whole), "{place}"),
            // Its reasoning went; the answer came later.
            Some("reasoning") => {}
            Some(_) => assert!(
                find(end, "m").is_none_or(|m| m["content"].as_str().is_none_or(|text| !text.contains("one"))),
                "{place}: {end}"
            ),
        }
        assert!(ids(end).contains(&"n"), "{place}");
    });
    let turn = |after: &mut Value| after["messages"].as_array_mut().unwrap().reverse();
    everywhere(&turn, |place, whole, before, end| {
        let mut sorted = ids(end);
        let mut all = ids(whole);
        sorted.sort_unstable();
        all.sort_unstable();
        assert_eq!(sorted, all, "{place}");
        let at = |id: &str| ids(end).iter().position(|other| *other == id).unwrap();
        assert!(at("u0") < at("old"), "{place}");
        assert!(find(before, "m").is_none() || at("m") < at("u0"), "{place}");
    });
}

#[test]
fn an_edit_of_the_state_keeps_every_patch() {
    let edit = |after: &mut Value| {
        after["state"]["mine"] = json!(true);
        after["state"]["rows"].as_array_mut().unwrap().push(json!("mine"));
    };
    everywhere(&edit, |place, _, _, end| {
        let state = &end["state"];
        assert_eq!((&state["n"], &state["mine"]), (&json!(2), &json!(true)), "{place}");
        let rows: Vec<&Value> = state["rows"].as_array().unwrap().iter().filter(|row| **row != "mine").collect();
        assert_eq!(json!(rows), json!([0, 1, 2]), "{place}");
        assert_eq!(state["rows"].as_array().unwrap().len(), 4, "{place}");
        assert_eq!(state["big"].to_string(), "12345678901234567890", "{place}: its digits");
        let keys: Vec<&String> = state.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["rows", "n", "big", "mine"], "{place}");
    });
    let set = |after: &mut Value| after["state"]["n"] = json!("mine");
    everywhere(&set, |place, _, _, end| assert_eq!(end["state"]["n"], "mine", "{place}"));
}

#[test]
fn an_edit_names_what_it_leaves() {
    let (mut agent, request) = crate::support::runs::streaming();
    agent.event(request, event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": " world"));
    let before = json!([{"id": "u0", "role": "user"}, {"id": "m", "role": "assistant"}]);
    let after = json!([1, user("x", "after"), 7, 1]);
    agent.act(|session, _| session.edit_messages(&before.to_string(), &after.to_string()).unwrap());
    agent.event(request, event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "!"));
    let shown = agent.snapshot();
    assert_eq!(ids(shown), ["m", "x"]);
    assert_eq!(shown["messages"][0]["content"], "Hello world!");
    assert_eq!(shown["messages"][0]["delivery"], "streaming");
}

#[test]
fn one_id_may_be_that_of_several_messages() {
    let messages = json!([
        {"id": "a", "role": "assistant", "content": "calls", "toolCalls": [
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "d", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
        {"id": "a", "role": "tool", "toolCallId": "c", "content": "1"},
        {"id": "a", "role": "tool", "toolCallId": "d", "content": "2"},
        {"id": "a", "role": "user", "content": "3"},
    ]);
    let mut agent = Agent::with(Options::default(), Some(&messages.to_string()), None);
    let before = agent.snapshot()["messages"].clone();
    let mut after = before.clone();
    after[2]["content"] = json!("two");
    after[3]["content"] = json!("three");
    agent.act(|session, _| session.edit_messages(&before.to_string(), &after.to_string()).unwrap());
    let contents: Vec<Value> =
        agent.snapshot()["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect();
    assert_eq!(contents, ["calls", "1", "two", "three"]);
    assert_eq!(agent.snapshot()["toolCalls"][1]["result"], "two");
}

#[test]
fn a_regenerate_that_is_edited_stays_one_also_after_a_reload() {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    let text = [
        event!("TEXT_MESSAGE_START", "messageId": "m"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "Hello"),
        event!("TEXT_MESSAGE_END", "messageId": "m"),
    ];
    agent.events(request, &text);
    let tools = json!([{"name": "own", "description": "d"}]);
    let input = json!({"runId": "again", "tools": tools, "context": [{"description": "a", "value": "b"}]}).to_string();
    let mut ticket = 0;
    agent.act(|session, now| ticket = session.regenerate(None, &input, now).unwrap());
    let edit = json!({"runId": "again", "messages": [user("u2", "shorter")]}).to_string();
    agent.act(|session, _| assert!(session.edit_queued(ticket, &edit).unwrap()));
    let saved = agent.session.save();
    let check = |agent: &Agent| {
        let ids: Vec<&Value> = agent.sent()["messages"].as_array().unwrap().iter().map(|m| &m["id"]).collect();
        assert_eq!(ids, ["u", "u2"], "the answer was taken back");
        assert_eq!(agent.sent()["tools"], tools);
        assert_eq!(agent.sent()["context"][0]["value"], "b");
    };
    agent.event(request, finished("r"));
    agent.end(request);
    check(&agent);
    let saved = saved.replace("\"running\":true", "\"running\":false");
    let mut agent = Agent::new(Options::default());
    agent.act(|session, now| session.restore(&saved, now).unwrap());
    check(&agent);
}

/// A message that a snapshot has removed stays in the list's order until the page has got its patch.
#[test]
fn a_regenerate_goes_back_to_its_question_also_before_what_was_removed_is_published() {
    for published in [true, false] {
        let mut session = Session::new(Options::default(), None, None).unwrap();
        let answers = |ids: &[&str]| -> Vec<Value> {
            ids.iter().map(|id| json!({"id": id, "role": "assistant", "content": "a"})).collect()
        };
        let mut requests = Vec::new();
        let mut run = |session: &mut Session, run: &str, question: Value, list: Vec<Value>| {
            session.submit(&json!({"runId": run, "messages": [question]}).to_string(), 0.0).unwrap();
            requests.extend(std::iter::from_fn(|| session.poll_effect()).filter_map(|effect| match effect {
                Effect::Open { request, .. } => Some(request),
                _ => None,
            }));
            let request = *requests.last().unwrap();
            session.head(request, 200, "text/event-stream", None, 0.0);
            let list = event!("MESSAGES_SNAPSHOT", "messages": list);
            for event in [started(run), list] {
                session.bytes(request, format!("data: {event}\n\n").as_bytes(), 0.0);
            }
            session.disconnect(0.0);
        };
        run(&mut session, "r", user("u", "go"), [vec![user("u", "go")], answers(&["a", "b", "c"])].concat());
        session.take_patch(usize::MAX);
        let fewer = [vec![user("u", "go"), user("v", "on")], answers(&["d", "e"])].concat();
        run(&mut session, "s", user("v", "on"), fewer);
        if published {
            session.take_patch(usize::MAX);
        }
        session.regenerate(None, &json!({"runId": "q"}).to_string(), 0.0).unwrap();
        let body = std::iter::from_fn(|| session.poll_effect()).find_map(|effect| match effect {
            Effect::Open { body, .. } => Some(body),
            _ => None,
        });
        let body: Value = serde_json::from_str(&body.unwrap()).unwrap();
        let sent: Vec<&str> = body["messages"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
        assert_eq!(sent, ["u", "v"], "published: {published}");
    }
}
