//! A result stands after its call, whatever the server makes of the list.

use super::*;
use crate::support::SessionCalls;

/// Lists in which a server may return a message "m" that calls a and b.
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

/// A list that names one of two results, and a message between the call and that result.
#[test]
fn a_result_that_a_list_does_not_name_goes_with_the_one_that_it_stood_after() {
    let text = json!({"id": "x", "role": "assistant", "content": "so"});
    let calls = assistant("m", &[("a", "page", "{}"), ("b", "page", "{}"), ("c", "page", "{}")]);
    let result = |id: &str| json!({"id": format!("{id}-result"), "role": "tool", "toolCallId": id, "content": "done"});
    for named in [vec!["a"], vec!["b"], vec!["a", "b"], vec!["c", "a"]] {
        for before in [false, true] {
            let all = ["a", "b", "c"].map(|id| call(id, "page", "{}"));
            let (mut agent, request) = calling(&all);
            for id in ["a", "b", "c"] {
                settle(&mut agent, id, "done");
            }
            end(&mut agent, request, "r");
            let again = agent.requests[1].0;
            agent.head(again, 200, "text/event-stream");
            let results: Vec<Value> = named.iter().map(|id| result(id)).collect();
            let list = match before {
                true => [&[user("u", "go")], &results[..], &[calls.clone(), text.clone()]].concat(),
                false => [&[user("u", "go"), calls.clone(), text.clone()], &results[..]].concat(),
            };
            agent.events(again, &[started("r-1"), snapshot(&list)]);
            let order = agent.snapshot()["messages"].as_array().unwrap().clone();
            assert_eq!(refuses(&order), None, "{named:?} {before}: {order:?}");
            assert_eq!(order.len(), 6, "{named:?} {before}: {order:?}");
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

/// The server renames the message that calls, and drops the result, while somebody edits the result that the page shows.
#[test]
fn a_result_that_an_edit_brings_back_stands_after_its_call() {
    let (call, other) = (("a", "search", "{}"), ("b", "search", "{}"));
    let result = |content: &str| json!({"id": "t", "role": "tool", "toolCallId": "a", "content": content});
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let shown = [user("u0", "go"), assistant("m", &[other]), assistant("k", &[call]), result("found")];
    agent.events(request, &[started("r"), snapshot(&shown)]);
    let came = [user("u0", "go"), assistant("m", &[other]), user("v", "and"), assistant("n", &[call])];
    agent.events(request, &[snapshot(&came)]);
    let after = json!([0, 1, 2, result("edited")]);
    agent.act(|session, _| session.edit_messages(&json!(shown).to_string(), &after.to_string()).unwrap());
    let messages = agent.snapshot()["messages"].clone();
    let order: Vec<&str> = messages.as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(order, ["u0", "m", "v", "n", "t"]);
    let calls = agent.snapshot()["toolCalls"].clone();
    assert_eq!(calls[1]["result"], "edited", "{calls}");
}
