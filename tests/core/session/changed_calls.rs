//! Calls of the page that the server, a replay or the application changes: what is executed is what was shown and approved,
//! once, and a result stands after its call.

use crate::support::Agent;
use crate::support::runs::{finished, outcomes, started, user};
use ag_ui_wasm::session::{Network, Options, Resume};
use serde_json::{Value, json};

fn call(id: &str, name: &str, args: &str) -> Vec<Value> {
    called(id, "m", name, args)
}

fn called(id: &str, message: &str, name: &str, args: &str) -> Vec<Value> {
    vec![
        event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": message),
        event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": args),
        event!("TOOL_CALL_END", "toolCallId": id),
    ]
}

fn submit() -> Value {
    let tools = json!([
        {"name": "page"}, {"name": "asked", "needsApproval": true}, {"name": "other", "needsApproval": true},
        {"name": "human", "manual": true}, {"name": "asked-human", "manual": true, "needsApproval": true}
    ]);
    json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools})
}

/// An agent whose run "r" has brought these calls, which the page shows.
fn calling(calls: &[Vec<Value>]) -> (Agent, u32) {
    calling_with(Options::default(), calls)
}

fn calling_with(options: Options, calls: &[Vec<Value>]) -> (Agent, u32) {
    let mut agent = Agent::new(options);
    agent.submit_json(submit());
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.events(request, &calls.concat());
    agent.snapshot();
    (agent, request)
}

fn says(agent: &mut Agent, method: &str, json: Value) -> bool {
    let mut counts = false;
    agent.act(|session, now| {
        let json = json.to_string();
        counts = match method {
            "approve" => session.approve(&json, now),
            "deny" => session.deny(&json, now),
            "hold" => session.hold(&json, now),
            _ => session.settle_call(&json, now),
        }
        .unwrap();
    });
    counts
}

/// Approves what the page shows.
fn approve(agent: &mut Agent, id: &str) -> bool {
    let shown = shown(agent, id);
    says(agent, "approve", json!({"toolCallId": id, "seen": {"name": shown["name"], "argsText": shown["argsText"]}}))
}

fn settle(agent: &mut Agent, id: &str, result: &str) -> bool {
    says(agent, "settle", json!({"toolCallId": id, "result": result}))
}

fn shown(agent: &mut Agent, id: &str) -> Value {
    let snapshot = agent.snapshot();
    snapshot["toolCalls"].as_array().unwrap().iter().find(|call| call["id"] == id).cloned().unwrap_or_default()
}

fn assistant(id: &str, calls: &[(&str, &str, &str)]) -> Value {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, args)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}}))
        .collect();
    json!({"id": id, "role": "assistant", "toolCalls": calls})
}

fn snapshot(messages: &[Value]) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

fn end(agent: &mut Agent, request: u32, run: &str) {
    agent.event(request, finished(run));
    agent.end(request);
}

fn sse(events: &[Value]) -> Vec<u8> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>().into_bytes()
}

fn ran(agent: &Agent) -> Vec<(&str, &str, String)> {
    agent.executed.iter().map(|(id, name, args)| (id.as_str(), name.as_str(), args.to_string())).collect()
}

/// Everything that may make another call of one that waits for approval.
fn changes() -> Vec<(&'static str, Vec<Value>)> {
    let with = |name: &str, args: &str| snapshot(&[user("u", "go"), assistant("m", &[("a", name, args)])]);
    let elsewhere = |name: &str, args: &str| snapshot(&[user("u", "go"), assistant("n", &[("a", name, args)])]);
    let start = event!("TOOL_CALL_START", "toolCallId": "a", "toolCallName": "other", "parentMessageId": "m");
    vec![
        ("renamed by a list of messages", vec![with("other", "{\"to\":1}")]),
        ("other arguments by a list of messages", vec![with("asked", "{\"to\":666}")]),
        ("renamed in another message", vec![elsewhere("other", "{\"to\":1}")]),
        ("other arguments in another message", vec![elsewhere("asked", "{\"to\":666}")]),
        ("started again under another name", vec![start.clone()]),
        ("started again with more arguments", {
            let mut again = call("a", "asked", " ");
            again.remove(2);
            again
        }),
        ("started again and ended", call("a", "other", " ")),
        ("arguments without a start", vec![event!("TOOL_CALL_ARGS", "toolCallId": "a", "delta": " ")]),
        ("renamed to a tool that nobody asks about", vec![with("page", "{\"to\":1}")]),
        ("renamed to a tool that is nobody's", vec![with("nobody's", "{\"to\":1}")]),
        ("renamed and back", vec![with("other", "{}"), with("asked", "{\"to\":2}")]),
    ]
}

#[test]
fn an_approval_is_of_what_the_page_has_shown() {
    for (what, events) in changes() {
        for seen in [false, true] {
            for ended in [false, true] {
                let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
                let was = shown(&mut agent, "a");
                // The page takes no patch before the click.
                let bytes = sse(&events);
                agent.session.bytes(request, &bytes, agent.now);
                if ended {
                    agent.session.bytes(request, &sse(&[finished("r")]), agent.now);
                }
                let mut approval = json!({"toolCallId": "a"});
                if seen {
                    approval["seen"] = json!({"name": was["name"], "argsText": was["argsText"]});
                }
                let counts = agent.session.approve(&approval.to_string(), agent.now).unwrap();
                assert!(!counts, "{what}");
                agent.act(|_, _| {});
                assert!(agent.executed.is_empty(), "{what}: {:?}", agent.executed);
                assert!(agent.warnings.contains(&"approval-outdated".to_owned()), "{what}: {:?}", agent.warnings);
                let now = shown(&mut agent, "a");
                assert_eq!(now["phase"], "awaiting-approval", "{what}");
                assert_ne!((&now["name"], &now["argsText"]), (&was["name"], &was["argsText"]), "{what}");
                // It is asked again, and that is what runs.
                assert!(approve(&mut agent, "a"), "{what}");
                let args: Value = serde_json::from_str(now["argsText"].as_str().unwrap()).unwrap();
                let expected = [("a".to_owned(), now["name"].as_str().unwrap().to_owned(), args)];
                match what.ends_with("nobody's") {
                    true => assert_eq!(shown(&mut agent, "a")["error"], "The page has no tool nobody's."),
                    false => assert_eq!(agent.executed, expected, "{what}"),
                }
                assert!(!approve(&mut agent, "a"), "{what}: once");
            }
        }
    }
}

#[test]
fn the_application_may_change_a_call_too() {
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
    end(&mut agent, request, "r");
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    let messages = json!([user("u", "go"), assistant("m", &[("a", "asked", "{\"to\":2}")])]);
    agent.act(|session, _| session.set_messages(&messages.to_string()).unwrap());
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    assert_eq!(shown(&mut agent, "a")["phase"], "awaiting-approval");
    assert!(approve(&mut agent, "a"));
    assert_eq!(ran(&agent), [("a", "asked", "{\"to\":2}".to_owned())]);
}

#[test]
fn arguments_that_a_person_has_edited_are_what_runs() {
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[("a", "asked", "{\"to\":666}")])]));
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    assert!(says(&mut agent, "approve", json!({"toolCallId": "a", "args": {"to": 3}, "seen": seen})));
    assert_eq!(ran(&agent), [("a", "asked", "{\"to\":3}".to_owned())]);
    // Of another tool they are not.
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[("a", "other", "{\"to\":1}")])]));
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "args": {"to": 3}, "seen": seen})));
    assert!(agent.executed.is_empty());
}

#[test]
fn what_executes_is_not_begun_again_under_another_name() {
    for name in ["page", "asked", "human", "other"] {
        let (mut agent, request) = calling(&[call("a", "page", "{}")]);
        agent.event(request, snapshot(&[user("u", "go"), assistant("n", &[("a", name, "{\"x\":1}")])]));
        agent.events(request, &call("a", name, ""));
        assert_eq!(shown(&mut agent, "a")["phase"], "executing", "{name}");
        assert!(!approve(&mut agent, "a"));
        assert!(settle(&mut agent, "a", "done"));
        end(&mut agent, request, "r");
        assert_eq!(ran(&agent), [("a", "page", "{}".to_owned())], "{name}");
        assert!(agent.warnings.contains(&"call-changed".to_owned()), "{:?}", agent.warnings);
        assert_eq!(agent.requests.len(), 2);
    }
}

#[test]
fn a_call_that_becomes_one_to_be_approved_is_asked_about() {
    for (before, after) in [("human", "asked"), ("human", "asked-human"), ("asked-human", "other")] {
        let (mut agent, request) = calling(&[call("a", before, "{}")]);
        if before == "asked-human" {
            assert!(approve(&mut agent, "a"));
            assert_eq!(shown(&mut agent, "a")["phase"], "input-available");
        }
        agent.event(request, snapshot(&[user("u", "go"), assistant("n", &[("a", after, "{}")])]));
        assert_eq!(shown(&mut agent, "a")["phase"], "awaiting-approval", "{before} {after}");
        assert!(agent.executed.is_empty());
        assert!(approve(&mut agent, "a"));
        assert_eq!(agent.executed.len(), usize::from(after != "asked-human"));
    }
    // One that nobody has to answer runs, once.
    let (mut agent, request) = calling(&[call("a", "human", "{}")]);
    let list = snapshot(&[user("u", "go"), assistant("n", &[("a", "page", "{\"x\":1}")])]);
    agent.events(request, &[list.clone(), list, finished("r")]);
    assert_eq!(ran(&agent), [("a", "page", "{\"x\":1}".to_owned())]);
}

#[test]
fn a_call_that_was_held_is_approved_as_it_is_shown() {
    let (mut agent, request) = calling(&[call("a", "page", "{\"to\":1}")]);
    let seen = json!({"name": "page", "argsText": "{\"to\":1}"});
    assert!(says(&mut agent, "hold", json!({"toolCallId": "a"})));
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[("a", "page", "{\"to\":2}")])]));
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    assert_eq!(agent.executed.len(), 1, "what the function was asked about");
    assert!(approve(&mut agent, "a"));
    assert_eq!(agent.executed[1].2, json!({"to": 2}));
}

#[test]
fn a_replay_that_differs_is_asked_again() {
    let network = Network { resume: Some(Resume::by("replay", None, None).unwrap()), ..Network::default() };
    let (mut agent, request) =
        calling_with(Options { network, ..Options::default() }, &[call("a", "asked", "{\"to\":1}")]);
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    agent.act(|session, now| session.failed(request, "reset", now));
    agent.now = agent.wake.unwrap();
    agent.act(|session, now| session.tick(now));
    let again = agent.requests.last().unwrap().0;
    agent.head(again, 200, "text/event-stream");
    agent.event(again, started("r"));
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})), "it is not told yet");
    let told = call("a", "asked", "{\"to\":666}");
    agent.events(again, &told[..2]);
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    agent.events(again, &told[2..]);
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    assert!(agent.executed.is_empty());
    assert!(approve(&mut agent, "a"));
    assert_eq!(ran(&agent), [("a", "asked", "{\"to\":666}".to_owned())]);
}

#[test]
fn after_a_reload_it_is_asked_as_it_was_saved() {
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}"), call("b", "asked-human", "{}")]);
    assert!(approve(&mut agent, "b"));
    end(&mut agent, request, "r");
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    let saved = agent.session.save();
    let other = saved.replace("{\\\"to\\\":1}", "{\\\"to\\\":2}");
    assert_ne!(saved, other);
    for (saved, counts) in [(saved, true), (other, false)] {
        let mut agent = Agent::new(Options::default());
        agent.act(|session, now| session.restore(&saved, now).unwrap());
        assert_eq!(shown(&mut agent, "a")["phase"], "awaiting-approval");
        assert_eq!(shown(&mut agent, "b")["phase"], "input-available", "it was approved");
        assert_eq!(says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})), counts);
        assert_eq!(agent.executed.len(), usize::from(counts));
    }
}

#[test]
fn ids_that_nobody_knows_are_a_mistake() {
    let (mut agent, _) = calling(&[call("a", "page", "{}")]);
    for method in ["approve", "deny", "settle"] {
        agent.warnings.clear();
        assert!(!says(&mut agent, method, json!({"toolCallId": "nobody's", "result": 1})));
        assert_eq!(agent.warnings, ["call-unknown"], "{method}");
    }
}

#[test]
fn two_results_of_one_call_that_differ_are_told() {
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    let result =
        |id: &str, content: &str| event!("TOOL_CALL_RESULT", "messageId": id, "toolCallId": "a", "content": content);
    agent.events(request, &[result("t", "one"), result("t", "one"), result("t2", "one")]);
    assert!(agent.warnings.is_empty());
    agent.event(request, result("t2", "two"));
    assert_eq!(agent.warnings, ["result-differs"]);
    agent.warnings.clear();
    assert!(!settle(&mut agent, "a", "three"));
    assert_eq!(agent.warnings, ["result-differs"]);
    agent.warnings.clear();
    assert!(!settle(&mut agent, "a", "two"));
    assert!(agent.warnings.is_empty());
    // The page's own, and what the server says it was.
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    settle(&mut agent, "a", "mine");
    let theirs = json!({"id": "t", "role": "tool", "toolCallId": "a", "content": "theirs"});
    let list = snapshot(&[user("u", "go"), assistant("m", &[("a", "page", "{}")]), theirs]);
    agent.events(request, &[list.clone(), list]);
    assert_eq!(agent.warnings, ["result-differs"]);
    end(&mut agent, request, "r");
    let sent = agent.sent()["messages"].as_array().unwrap().clone();
    assert_eq!(sent.iter().filter(|message| message["role"] == "tool").count(), 1, "one result a call");
}

// A result stands after its call.

/// What providers refuse: a result without a call before it, one apart from it, a second one.
fn refuses(messages: &[Value]) -> Option<String> {
    let (mut open, mut answered): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for message in messages {
        if message["role"] == "tool" {
            let id = message["toolCallId"].as_str().unwrap().to_owned();
            if !open.contains(&id) {
                return Some(format!("the result of {id} without its call"));
            }
            if answered.contains(&id) {
                return Some(format!("two results of {id}"));
            }
            answered.push(id);
        } else if message["role"] != "reasoning" {
            open.clear();
        }
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            open.push(call["id"].as_str().unwrap().to_owned());
        }
    }
    None
}

/// What a server may make of a message "m" that calls a and b.
fn lists() -> Vec<(&'static str, Vec<Value>)> {
    let (a, b) = (("a", "page", "{}"), ("b", "page", "{}"));
    let text = json!({"id": "x", "role": "assistant", "content": "so"});
    vec![
        ("as it is", vec![user("u", "go"), assistant("m", &[a, b])]),
        ("renamed", vec![user("u", "go"), assistant("n", &[a, b])]),
        ("renamed, with more", vec![user("u", "go"), text.clone(), assistant("n", &[a, b]), text.clone()]),
        ("split", vec![user("u", "go"), assistant("m", &[a]), assistant("n", &[b])]),
        ("split and renamed", vec![user("u", "go"), assistant("n", &[a]), assistant("o", &[b])]),
        ("split the other way", vec![user("u", "go"), assistant("n", &[a]), assistant("m", &[b])]),
        ("in another order", vec![assistant("n", &[b, a]), user("u", "go")]),
        ("without one", vec![user("u", "go"), assistant("m", &[b])]),
        ("renamed without one", vec![user("u", "go"), assistant("n", &[a])]),
        ("without both", vec![user("u", "go")]),
        ("nothing", vec![]),
    ]
}

#[test]
fn a_result_stands_after_its_call_whatever_the_server_makes_of_that() {
    let both: Vec<Vec<Value>> = vec![call("a", "page", "{}"), call("b", "page", "{}")];
    let apart: Vec<Vec<Value>> = vec![called("a", "m", "page", "{}"), called("b", "m2", "page", "{}")];
    for (calls, first) in [(&both, "together"), (&apart, "apart")] {
        for (what, list) in lists() {
            for (then, second) in lists() {
                // The lists come at these of the times: before the results, between them, after them.
                for times in 0..9 {
                    let about = format!("{first}; {what} at {}, {then} at {}", times % 3, times / 3);
                    let (mut agent, request) = calling(calls);
                    for time in 0..3 {
                        if times % 3 == time {
                            agent.event(request, snapshot(&list));
                        }
                        if times / 3 == time {
                            agent.event(request, snapshot(&second));
                        }
                        let order = agent.snapshot()["messages"].as_array().unwrap().clone();
                        assert_eq!(refuses(&order), None, "{about}: {order:?}");
                        match time {
                            0 => assert!(settle(&mut agent, "b", "done b"), "{about}"),
                            1 => assert!(settle(&mut agent, "a", "done a"), "{about}"),
                            _ => {}
                        }
                    }
                    end(&mut agent, request, "r");
                    let last = agent.snapshot()["messages"].as_array().unwrap().clone();
                    let there = |id: &str| {
                        let calls =
                            last.iter().flat_map(|message| message["toolCalls"].as_array().into_iter().flatten());
                        calls.filter(|call| call["id"] == id).count() > 0
                    };
                    let calls = usize::from(there("a")) + usize::from(there("b"));
                    assert_eq!(agent.requests.len(), 1 + calls.min(1), "{about}: a run follows on what stands");
                    assert_eq!(agent.executed.len(), 2, "{about}: once each");
                    if calls == 0 {
                        assert_eq!(outcomes(&agent), [(1, "success")], "{about}");
                        continue;
                    }
                    let sent = agent.sent()["messages"].as_array().unwrap().clone();
                    assert_eq!(refuses(&sent), None, "{about}: {sent:?}");
                    let results = sent.iter().filter(|message| message["role"] == "tool").count();
                    assert_eq!(results, calls, "{about}: every call has its result");
                }
            }
        }
    }
}

#[test]
fn in_the_run_that_follows_it_stays_there() {
    for (what, list) in lists() {
        let (mut agent, request) = calling(&[call("a", "page", "{}"), call("b", "page", "{}")]);
        settle(&mut agent, "a", "done a");
        settle(&mut agent, "b", "done b");
        end(&mut agent, request, "r");
        let again = agent.requests[1].0;
        agent.head(again, 200, "text/event-stream");
        // The server's list is older than the results.
        agent.events(again, &[started("r-1"), snapshot(&list)]);
        let order = agent.snapshot()["messages"].as_array().unwrap().clone();
        assert_eq!(refuses(&order), None, "{what}: {order:?}");
        end(&mut agent, again, "r-1");
        agent.submit_json(json!({"runId": "s", "messages": [user("u2", "and?")]}));
        let sent = agent.sent()["messages"].as_array().unwrap().clone();
        assert_eq!(refuses(&sent), None, "{what}: {sent:?}");
        let count = |role: &str| sent.iter().filter(|message| message["role"] == role).count();
        let calls: usize = sent.iter().filter_map(|message| message["toolCalls"].as_array()).map(Vec::len).sum();
        assert_eq!(count("tool"), calls, "{what}: {sent:?}");
    }
}

#[test]
fn a_result_by_hand_and_one_that_was_denied_come_back_with_their_call() {
    for renamed in [false, true] {
        let (mut agent, request) = calling(&[call("a", "human", "{}"), call("b", "asked", "{}")]);
        assert!(settle(&mut agent, "a", "blue"));
        assert!(says(&mut agent, "deny", json!({"toolCallId": "b", "reason": "no"})));
        agent.event(request, snapshot(&[user("u", "go")]));
        let gone = agent.snapshot();
        assert_eq!(gone["messages"].as_array().unwrap().len(), 1, "no result without its call");
        let holder = if renamed { "n" } else { "m" };
        let calls = assistant(holder, &[("a", "human", "{}"), ("b", "asked", "{}")]);
        agent.event(request, snapshot(&[user("u", "go"), calls]));
        assert_eq!(shown(&mut agent, "a")["result"], "blue");
        assert_eq!(shown(&mut agent, "b")["phase"], "denied");
        end(&mut agent, request, "r");
        let sent = agent.sent()["messages"].as_array().unwrap().clone();
        assert_eq!(refuses(&sent), None);
        assert_eq!(sent.len(), 4);
    }
}

#[test]
fn a_call_in_another_message_is_as_far_as_it_was() {
    let (mut agent, request) = calling(&[call("a", "asked", "{}"), call("b", "page", "{}"), call("c", "human", "{}")]);
    let calls = assistant("n", &[("a", "asked", "{}"), ("b", "page", "{}"), ("c", "human", "{}")]);
    agent.event(request, snapshot(&[user("u", "go"), calls]));
    let phases: Vec<Value> = ["a", "b", "c"].map(|id| shown(&mut agent, id)["phase"].clone()).into();
    assert_eq!(phases, ["awaiting-approval", "executing", "input-available"]);
    assert_eq!(shown(&mut agent, "a")["messageId"], "n");
    assert!(agent.warnings.is_empty());
    end(&mut agent, request, "r");
    assert!(approve(&mut agent, "a"));
    for id in ["a", "b", "c"] {
        assert!(settle(&mut agent, id, "done"));
    }
    assert_eq!(agent.requests.len(), 2);
    assert_eq!(refuses(agent.sent()["messages"].as_array().unwrap()), None);
}

#[test]
fn a_call_whose_message_goes_while_its_arguments_stream_goes_on() {
    let (mut agent, request) = calling(&[]);
    let told = call("a", "page", "{\"x\":");
    agent.events(request, &told[..2]);
    agent.event(request, snapshot(&[user("u", "go"), assistant("n", &[("a", "page", "{\"x\":")])]));
    assert_eq!(shown(&mut agent, "a")["phase"], "input-streaming");
    agent.events(request, &[event!("TOOL_CALL_ARGS", "toolCallId": "a", "delta": "1}"), told[2].clone()]);
    assert_eq!(shown(&mut agent, "a")["args"], json!({"x": 1}));
    assert_eq!(ran(&agent), [("a", "page", "{\"x\":1}".to_owned())]);
    assert_eq!(agent.snapshot()["messages"][1]["delivery"], "complete");
}

// Every promise settles.

fn joinable() -> Options {
    let network = Network { resume: Some(Resume::by("snapshot", None, None).unwrap()), ..Network::default() };
    Options { network, ..Options::default() }
}

#[test]
fn a_run_that_is_joined_while_the_page_works_settles_everyone() {
    for (other, finishes) in [(false, true), (false, false), (true, true)] {
        let (mut agent, request) = calling_with(joinable(), &[call("a", "page", "{}")]);
        end(&mut agent, request, "r");
        assert!(agent.settled.is_empty(), "the page is at work");
        let second = agent.submit_json(json!({"runId": "s", "messages": [user("u2", "and?")]}));
        let mut joined = 0;
        let run = if other { "elsewhere" } else { "r" };
        agent.act(|session, now| joined = session.attach(&json!({"runId": run}).to_string(), now).unwrap());
        let again = agent.requests.last().unwrap().0;
        if !finishes {
            agent.head(again, 404, "text/plain");
            agent.end(again);
        } else {
            agent.head(again, 200, "text/event-stream");
            agent.events(again, &[started(run), finished(run)]);
            agent.end(again);
            if !other {
                assert!(settle(&mut agent, "a", "done"));
                let follows = agent.requests.last().unwrap().0;
                agent.head(follows, 200, "text/event-stream");
                agent.events(follows, &[started("r-1"), finished("r-1")]);
                agent.end(follows);
            }
        }
        let last = agent.requests.last().unwrap();
        assert_eq!(last.1["runId"], "s", "the thread is free");
        let (request, run) = (last.0, "s");
        agent.head(request, 200, "text/event-stream");
        agent.events(request, &[started(run), finished(run)]);
        agent.end(request);
        let mut settled: Vec<u32> = agent.settled.iter().map(|(ticket, _)| *ticket).collect();
        settled.sort_unstable();
        assert_eq!(settled, [1, second, joined], "each once: {:?}", agent.settled);
    }
}

#[test]
fn a_run_that_follows_is_not_lost_to_one_that_is_joined() {
    let (mut agent, request) = calling_with(joinable(), &[call("a", "page", "{}")]);
    settle(&mut agent, "a", "done");
    // The body stays open after the end.
    agent.session.bytes(request, &sse(&[finished("r")]), agent.now);
    agent.act(|session, now| {
        let _ = session.attach(&json!({"runId": "r"}).to_string(), now);
    });
    agent.act(|session, now| session.dispose(now));
    let tickets: Vec<u32> = agent.settled.iter().map(|(ticket, _)| *ticket).collect();
    assert_eq!(tickets, [1]);
}

// Interrupts one by one, and submits that wait.

fn interrupted(interrupts: Value) -> Agent {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(submit());
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    let outcome = json!({"type": "interrupt", "interrupts": interrupts});
    agent.events(request, &[started("r"), event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome)]);
    agent.end(request);
    agent
}

fn answer(agent: &mut Agent, id: &str, status: &str) -> Result<u32, String> {
    let json = json!({"interruptId": id, "status": status, "run": {"runId": format!("after-{id}")}}).to_string();
    let mut result = Err(String::new());
    agent.act(|session, now| result = session.answer(&json, now).map_err(|misuse| misuse.to_string()));
    result
}

#[test]
fn an_interrupt_that_has_expired_is_refused_itself() {
    let ask = |id: &str, at: &str| json!({"id": id, "reason": "ask", "expiresAt": at});
    let (soon, late) = ("1970-01-01T00:00:02Z", "1970-01-01T01:00:00Z");
    // Expired before its answer: refused, and the other answer counts.
    let mut agent = interrupted(json!([ask("a", soon), ask("b", late)]));
    agent.now = 3000.0;
    assert!(answer(&mut agent, "a", "resolved").unwrap_err().contains("interrupt a has expired"));
    let b = answer(&mut agent, "b", "resolved").unwrap();
    let a = answer(&mut agent, "a", "cancelled").unwrap();
    assert_eq!(agent.sent()["resume"].as_array().unwrap().len(), 2);
    assert!(agent.settled.iter().all(|(ticket, _)| ![a, b].contains(ticket)), "they settle with the run");
    // Expired after its answer, which was not sent: that one is dropped, the other stays.
    let mut agent = interrupted(json!([ask("a", soon), ask("b", late)]));
    let a = answer(&mut agent, "a", "resolved").unwrap();
    agent.now = 3000.0;
    answer(&mut agent, "b", "resolved").unwrap();
    assert_eq!(agent.requests.len(), 1);
    assert_eq!(outcomes(&agent).last(), Some(&(a, "dropped")));
    assert_eq!(agent.warnings, ["interrupt-expired"]);
    let shown = agent.snapshot()["interrupts"].clone();
    assert_eq!((shown[0].get("answered"), &shown[1]["answered"]), (None, &json!(true)));
    answer(&mut agent, "a", "cancelled").unwrap();
    assert_eq!(agent.sent()["resume"][0]["interruptId"], "b");
    assert_eq!(agent.sent()["resume"][1]["status"], "cancelled");
}

#[test]
fn two_interrupts_of_one_id_can_be_answered() {
    let twice = json!([{"id": "a", "reason": "one"}, {"id": "a", "reason": "two"}]);
    let mut agent = interrupted(twice.clone());
    answer(&mut agent, "a", "resolved").unwrap();
    assert_eq!(agent.requests.len(), 2, "one answer does for both");
    let entry = json!({"interruptId": "a", "status": "resolved"});
    for count in 1..=3 {
        let mut agent = interrupted(twice.clone());
        let resume = vec![entry.clone(); count];
        let input = json!({"runId": "s", "messages": [], "resume": resume}).to_string();
        let accepted = agent.session.submit(&input, agent.now).is_ok();
        assert_eq!(accepted, count < 3, "{count} answers");
    }
}

#[test]
fn a_regenerate_that_is_edited_stays_one_also_after_a_reload() {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(submit());
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
    end(&mut agent, request, "r");
    check(&agent);
    let saved = saved.replace("\"running\":true", "\"running\":false");
    let mut agent = Agent::new(Options::default());
    agent.act(|session, now| session.restore(&saved, now).unwrap());
    check(&agent);
}
