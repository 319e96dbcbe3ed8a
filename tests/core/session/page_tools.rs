//! Tools that the page executes, and people who approve, deny and answer.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::{failed, finished, outcomes, started, user};
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn call(id: &str, name: &str, args: &str) -> Vec<Value> {
    vec![
        event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": "m"),
        event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": args),
        event!("TOOL_CALL_END", "toolCallId": id),
    ]
}

fn tools() -> Value {
    json!([
        {"name": "page"}, {"name": "silent", "followUp": false}, {"name": "asked", "needsApproval": true},
        {"name": "human", "manual": true}
    ])
}

/// An agent with page tools whose run "r" has begun with these calls.
fn calling(calls: &[Vec<Value>]) -> (Agent, u32) {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools()}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r")]);
    agent.events(request, &calls.concat());
    (agent, request)
}

fn settle(agent: &mut Agent, id: &str, rest: Value) -> bool {
    let mut json = json!({"toolCallId": id});
    json.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    let mut settled = false;
    agent.act(|session, now| settled = session.settle_call(&json.to_string(), now).unwrap());
    settled
}

fn end(agent: &mut Agent, request: u32, run: &str) {
    agent.event(request, finished(run));
    agent.end(request);
}

fn phases(agent: &mut Agent) -> Vec<String> {
    let calls = agent.snapshot()["toolCalls"].as_array().unwrap().clone();
    calls.iter().map(|call| call["phase"].as_str().unwrap().to_owned()).collect()
}

/// The run has ended, its body has not, and a list has taken away the call that a person was asked about.
#[test]
fn no_run_follows_on_what_is_left_of_a_stopped_run() {
    for disposes in [false, true] {
        let (mut agent, request) = calling(&[call("a", "asked", ""), call("b", "page", "")]);
        assert!(settle(&mut agent, "b", json!({"result": 1})));
        let calls = json!([{"id": "b", "type": "function", "function": {"name": "page", "arguments": ""}}]);
        let messages = json!([user("u", "go"), {"id": "b", "role": "assistant", "toolCalls": calls}]);
        agent.events(request, &[event!("MESSAGES_SNAPSHOT", "messages": messages), finished("r")]);
        agent.act(|session, now| if disposes { session.dispose(now) } else { session.stop(now) });
        assert_eq!(agent.requests.len(), 1);
        assert_eq!(agent.settled.len(), 1);
    }
}

#[test]
fn calls_run_side_by_side_and_one_run_follows_on_all() {
    let (mut agent, request) = calling(&[call("a", "page", "{\"x\":1}"), call("b", "page", "")]);
    assert_eq!(
        agent.executed,
        [("a".to_owned(), "page".to_owned(), json!({"x": 1})), ("b".to_owned(), "page".to_owned(), json!({}))]
    );
    assert_eq!(phases(&mut agent), ["executing", "executing"]);
    // One is done before the run has ended, one after.
    assert!(settle(&mut agent, "b", json!({"result": {"ok": true}})));
    end(&mut agent, request, "r");
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], &snapshot["isLoading"]), (&json!("running"), &json!(true)), "the page is at work");
    assert!(agent.settled.is_empty());
    assert!(settle(&mut agent, "a", json!({"result": "done"})));
    assert_eq!(agent.requests.len(), 2, "one run follows");
    let input = &agent.requests[1].1;
    assert_eq!(input["runId"], "r-1");
    let messages = input["messages"].as_array().unwrap();
    let answers: Vec<_> = messages[2..].iter().map(|m| (&m["toolCallId"], &m["content"])).collect();
    assert_eq!(answers, [(&json!("b"), &json!("{\"ok\":true}")), (&json!("a"), &json!("done"))]);
    let again = agent.requests[1].0;
    agent.head(again, 200, "text/event-stream");
    agent.events(again, &[started("r-1"), finished("r-1")]);
    agent.end(again);
    assert_eq!(outcomes(&agent), [(1, "success")]);
    assert_eq!(agent.settled[0].1["runId"], "r-1");
    assert_eq!(agent.snapshot()["status"], "idle");
    assert_eq!(phases(&mut agent), ["output-available", "output-available"]);
    assert!(!settle(&mut agent, "a", json!({"result": "again"})), "each call is answered once");
}

#[test]
fn a_call_that_is_replayed_is_not_executed_again() {
    let (mut agent, request) = calling(&[call("a", "page", "{}"), call("a", "page", "")]);
    assert_eq!(agent.executed.len(), 1);
    settle(&mut agent, "a", json!({"result": 1}));
    agent.events(request, &call("a", "page", ""));
    assert_eq!(agent.executed.len(), 1);
}

#[test]
fn a_tool_that_throws_tells_the_agent() {
    let (mut agent, request) = calling(&[call("a", "page", "{}"), call("b", "page", "{\"broken")]);
    assert_eq!(agent.executed.len(), 1, "what is not JSON is not executed");
    settle(&mut agent, "a", json!({"error": "no such file"}));
    end(&mut agent, request, "r");
    assert_eq!(phases(&mut agent), ["output-error", "output-error"]);
    let messages = &agent.requests[1].1["messages"];
    assert_eq!(messages[2]["error"], "The arguments are not JSON.");
    assert_eq!((&messages[3]["content"], &messages[3]["error"]), (&json!("no such file"), &json!("no such file")));
}

#[test]
fn no_run_follows_where_the_result_is_for_the_page_alone() {
    let (mut agent, request) = calling(&[call("a", "silent", "{}")]);
    end(&mut agent, request, "r");
    settle(&mut agent, "a", json!({"result": 1}));
    assert_eq!(agent.requests.len(), 1);
    assert_eq!(outcomes(&agent), [(1, "success")]);
    assert_eq!(agent.snapshot()["status"], "idle");
}

#[test]
fn a_regenerate_that_has_nothing_to_cut_answers_the_calls_that_people_left() {
    let mut agent = Agent::new(Options::default());
    let retry = json!({"runId": "r", "pageTools": tools()}).to_string();
    agent.act(|session, now| _ = session.retry(&retry, now).unwrap());
    agent.head(1, 200, "text/event-stream");
    agent.events(1, &[vec![started("r")], call("c", "asked", "{}")].concat());
    // The run is in progress: it waits, and nobody knows yet that no user has said anything.
    agent.act(|session, now| _ = session.regenerate(None, r#"{"runId":"s"}"#, now).unwrap());
    end(&mut agent, 1, "r");
    assert_eq!(sent(&agent, 1), ["assistant", "c"]);
    assert_eq!(phases(&mut agent), ["denied"]);
}

#[test]
fn as_many_runs_follow_as_are_allowed() {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [], "pageTools": tools(), "maxFollowUps": 2}));
    for n in 0..3 {
        let request = agent.requests[n].0;
        agent.head(request, 200, "text/event-stream");
        let id = format!("c{n}");
        agent.events(request, &[started("r")]);
        agent.events(request, &call(&id, "page", "{}"));
        settle(&mut agent, &id, json!({"result": n}));
        end(&mut agent, request, "r");
    }
    assert_eq!(agent.requests.len(), 3);
    assert_eq!(agent.warnings, ["follow-ups-exhausted"]);
    assert_eq!(outcomes(&agent), [(1, "success")]);
    assert_eq!(agent.snapshot()["status"], "idle");
}

#[test]
fn people_approve_with_other_arguments_deny_with_a_reason_and_answer() {
    let calls = [call("a", "asked", "{\"to\":1}"), call("b", "asked", "{}"), call("c", "human", "{}")];
    let (mut agent, request) = calling(&calls);
    assert_eq!(phases(&mut agent), ["awaiting-approval", "awaiting-approval", "input-available"]);
    assert!(agent.executed.is_empty());
    end(&mut agent, request, "r");
    assert_eq!(agent.snapshot()["status"], "idle", "people take their time");
    assert_eq!(agent.settled[0].1["pendingToolCallIds"], json!(["a", "b", "c"]));
    agent.act(|session, now| {
        assert!(session.approve(&json!({"toolCallId": "a", "args": {"to": 2}}).to_string(), now).unwrap());
        assert!(!session.approve(&json!({"toolCallId": "a"}).to_string(), now).unwrap());
    });
    assert_eq!(agent.executed, [("a".to_owned(), "page".replace("page", "asked"), json!({"to": 2}))]);
    assert_eq!(agent.snapshot()["toolCalls"][0]["args"], json!({"to": 2}));
    assert_eq!(agent.snapshot()["messages"][1]["toolCalls"][0]["function"]["arguments"], "{\"to\":2}");
    agent.act(|session, now| {
        assert!(session.deny(&json!({"toolCallId": "b", "reason": "too dear"}).to_string(), now).unwrap());
    });
    settle(&mut agent, "a", json!({"result": "sent"}));
    assert_eq!(agent.requests.len(), 1, "one answer is missing");
    settle(&mut agent, "c", json!({"result": "blue"}));
    assert_eq!(phases(&mut agent), ["output-available", "denied", "output-available"]);
    let input = &agent.requests[1].1;
    assert_eq!(
        input["messages"][1]["toolCalls"][0]["function"]["arguments"], "{\"to\":2}",
        "the agent sees what was run"
    );
    let answers: Vec<_> = input["messages"].as_array().unwrap()[2..].iter().map(|m| m["content"].clone()).collect();
    assert_eq!(answers, ["too dear", "sent", "blue"]);
}

#[test]
fn stop_gives_up_what_the_page_does() {
    for ended in [false, true] {
        let (mut agent, request) = calling(&[call("a", "page", "{}")]);
        if ended {
            end(&mut agent, request, "r");
        }
        agent.act(|session, now| session.stop(now));
        assert_eq!(agent.abandoned, ["a"]);
        assert_eq!(outcomes(&agent), [(1, "aborted")]);
        let snapshot = agent.snapshot();
        assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("aborted")));
        assert_eq!(snapshot.get("error"), None);
        assert_eq!(phases(&mut agent), ["output-error"]);
        let before = agent.snapshot().clone();
        assert!(!settle(&mut agent, "a", json!({"result": "late"})));
        assert_eq!(agent.snapshot(), &before, "what comes late is ignored");
        assert_eq!(agent.requests.len(), 1);
    }
}

#[test]
fn a_run_that_fails_gives_them_up_too() {
    let (mut agent, request) = calling(&[call("a", "page", "{}"), call("b", "asked", "{}")]);
    agent.event(request, failed());
    agent.end(request);
    assert_eq!(agent.abandoned, ["a"]);
    assert_eq!(outcomes(&agent), [(1, "error")]);
    assert_eq!(phases(&mut agent), ["output-error", "output-error"]);
}

/// The messages of a request: the role of each, and of a result its call.
fn sent(agent: &Agent, request: usize) -> Vec<String> {
    let messages = agent.requests[request].1["messages"].as_array().unwrap();
    messages.iter().map(|message| message["toolCallId"].as_str().or(message["role"].as_str()).unwrap().into()).collect()
}

/// Providers refuse a thread with a call that has no result.
#[test]
fn a_submit_after_a_run_that_was_given_up_brings_a_result_for_each_call_of_the_page() {
    let cut = vec![
        event!("TOOL_CALL_START", "toolCallId": "d", "toolCallName": "page", "parentMessageId": "m"),
        event!("TOOL_CALL_ARGS", "toolCallId": "d", "delta": "{"),
    ];
    for fails in [false, true] {
        for reloads in [false, true] {
            let answered = call("b", "page", "{}");
            let calls =
                [call("a", "page", "{}"), answered, call("c", "asked", "{}"), cut.clone(), call("s", "server", "{}")];
            let (mut agent, request) = calling(&calls);
            assert!(settle(&mut agent, "b", json!({"result": 1})));
            if fails {
                agent.event(request, failed());
                agent.end(request);
            } else {
                agent.act(|session, now| session.stop(now));
            }
            let mut last = 1;
            if reloads {
                let saved = agent.session.save();
                (agent, last) = (Agent::new(Options::default()), 0);
                agent.act(|session, now| session.restore(&saved, now).unwrap());
            }
            let input = json!({"runId": "next", "messages": [user("v", "never mind")], "pageTools": tools()});
            agent.submit_json(input);
            // The results of the server's calls are the server's.
            let expected = ["user", "assistant", "b", "a", "c", "d", "user"];
            assert_eq!(sent(&agent, last), expected, "fails: {fails}, reloads: {reloads}");
            assert_eq!(phases(&mut agent)[..3], ["output-error", "output-available", "output-error"]);
        }
    }
}

#[test]
fn a_submit_after_a_run_that_was_left_brings_a_result_for_each_call_of_the_page() {
    let cut = vec![
        event!("TOOL_CALL_START", "toolCallId": "d", "toolCallName": "page", "parentMessageId": "m"),
        event!("TOOL_CALL_ARGS", "toolCallId": "d", "delta": "{"),
    ];
    for reloads in [false, true] {
        let (mut agent, _) = calling(&[call("a", "page", "{}"), call("c", "asked", "{}"), cut.clone()]);
        let mut last = 1;
        if reloads {
            let saved = agent.session.save();
            (agent, last) = (Agent::new(Options::default()), 0);
            agent.act(|session, now| session.restore(&saved, now).unwrap());
            assert_eq!(phases(&mut agent), ["output-error", "awaiting-approval", "output-error"]);
        } else {
            agent.act(|session, now| session.disconnect(now));
        }
        agent.submit_json(json!({"runId": "next", "messages": [user("v", "never mind")], "pageTools": tools()}));
        let mut sent = sent(&agent, last);
        sent[2..5].sort();
        assert_eq!(sent, ["user", "assistant", "a", "c", "d", "user"], "reloads: {reloads}");
    }
}

/// An edit has added a question, so the retry cuts nothing.
#[test]
fn a_retry_brings_results_for_what_it_does_not_cut() {
    let (mut agent, _) = calling(&[call("a", "page", "{}")]);
    agent.act(|session, now| session.stop(now));
    let before = agent.snapshot()["messages"].clone();
    let mut after = before.clone();
    after.as_array_mut().unwrap().push(user("v", "and?"));
    agent.act(|session, _| session.edit_messages(&before.to_string(), &after.to_string()).unwrap());
    agent.act(|session, now| {
        _ = session.retry("{\"runId\":\"again\",\"pageTools\":[{\"name\":\"page\"}]}", now).unwrap()
    });
    assert_eq!(sent(&agent, 1), ["user", "assistant", "a", "user"]);
}

#[test]
fn what_is_done_again_needs_no_result_for_what_was_given_up() {
    let (mut agent, _) = calling(&[call("a", "page", "{}")]);
    agent.act(|session, now| session.stop(now));
    agent.act(|session, now| _ = session.retry("{\"runId\":\"again\"}", now).unwrap());
    assert_eq!(sent(&agent, 1), ["user"]);
}

#[test]
fn who_goes_on_without_an_answer_has_denied() {
    let (mut agent, request) = calling(&[call("a", "asked", "{}")]);
    end(&mut agent, request, "r");
    agent.submit("never mind");
    assert_eq!(phases(&mut agent), ["denied"]);
    let roles: Vec<_> = agent.requests[1].1["messages"].as_array().unwrap().iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user"], "no call goes to the server without its answer");
}

#[test]
fn a_submit_waits_for_people_or_is_rejected_if_it_says_so() {
    let (mut agent, request) = calling(&[call("a", "asked", "{}"), call("b", "human", "{}")]);
    end(&mut agent, request, "r");
    let submit = |if_awaiting: &str| json!({"runId": if_awaiting, "messages": [user(if_awaiting, "next")], "ifAwaiting": if_awaiting, "pageTools": tools()});
    let rejected = agent.session.submit(&submit("reject").to_string(), agent.now);
    assert_eq!(rejected.unwrap_err().code(), "calls-open");
    let unknown = agent.session.submit(&submit("later").to_string(), agent.now);
    assert_eq!(unknown.unwrap_err().code(), "input");
    let ticket = agent.submit_json(submit("wait"));
    assert_eq!(agent.snapshot()["queue"][0]["runId"], "wait");
    assert_eq!(agent.snapshot()["status"], "idle");
    assert_eq!(phases(&mut agent), ["awaiting-approval", "input-available"]);
    // It waits in a save, too.
    let mut next = Agent::new(Options::default());
    let save = agent.session.save();
    next.act(|session, now| session.restore(&save, now).unwrap());
    assert_eq!((next.requests.len(), next.snapshot()["queue"][0]["runId"].clone()), (0, json!("wait")));
    // The run that follows on the answers comes first.
    agent.act(|session, now| _ = session.deny("{\"toolCallId\":\"a\"}", now));
    assert_eq!(agent.requests.len(), 1);
    assert!(settle(&mut agent, "b", json!({"result": 1})));
    assert_eq!(agent.sent()["runId"], "r-1");
    let again = agent.requests[1].0;
    agent.head(again, 200, "text/event-stream");
    agent.events(again, &[started("r-1"), finished("r-1")]);
    agent.end(again);
    assert_eq!(agent.sent()["runId"], "wait");
    assert!(!agent.settled.iter().any(|(settled, _)| *settled == ticket));
    // Nobody waits: then all begin.
    for policy in ["deny", "wait", "reject"] {
        let mut agent = Agent::new(Options::default());
        agent.submit_json(submit(policy));
        assert_eq!(agent.requests.len(), 1, "{policy}");
    }
}

#[test]
fn a_submit_waits_while_the_page_is_at_work() {
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    end(&mut agent, request, "r");
    agent.submit_json(json!({"runId": "q", "messages": [user("u2", "and?")]}));
    assert_eq!(agent.requests.len(), 1);
    assert_eq!(agent.snapshot()["queue"].as_array().unwrap().len(), 1);
    settle(&mut agent, "a", json!({"result": 1}));
    assert_eq!(agent.requests[1].1["runId"], "r-1", "the turn goes first");
    let follow = agent.requests[1].0;
    agent.head(follow, 200, "text/event-stream");
    agent.events(follow, &[started("r-1"), finished("r-1")]);
    agent.end(follow);
    assert_eq!(agent.requests[2].1["runId"], "q");
}

#[test]
fn a_server_may_answer_itself() {
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    agent.event(request, event!("TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "a", "content": "server"));
    assert_eq!(agent.abandoned, ["a"]);
    assert!(!settle(&mut agent, "a", json!({"result": "page"})));
    end(&mut agent, request, "r");
    assert_eq!(agent.requests.len(), 1);
    assert_eq!(agent.snapshot()["toolCalls"][0]["result"], "server");
    assert_eq!(outcomes(&agent), [(1, "success")]);
}

#[test]
fn a_snapshot_that_does_not_know_the_answer_yet_keeps_it() {
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    settle(&mut agent, "a", json!({"result": "done"}));
    let known = json!([user("u", "go"), {"id": "m", "role": "assistant", "toolCalls": [{"id": "a", "type": "function", "function": {"name": "page", "arguments": "{}"}}]}]);
    agent.event(request, event!("MESSAGES_SNAPSHOT", "messages": known));
    end(&mut agent, request, "r");
    assert_eq!(agent.requests[1].1["messages"][2]["content"], "done");
}

#[test]
fn a_run_that_is_interrupted_waits_for_both() {
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    let outcome = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "confirmation"}]});
    agent.event(request, event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome));
    agent.end(request);
    assert_eq!(agent.snapshot()["status"], "running");
    settle(&mut agent, "a", json!({"result": "done"}));
    assert_eq!(agent.requests.len(), 1, "the interrupt is answered first");
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("interrupted")));
    assert_eq!(outcomes(&agent), [(1, "interrupted")]);
}

#[test]
fn a_call_of_nobodys_tool_waits_and_may_be_answered_by_hand() {
    let (mut agent, request) = calling(&[call("a", "unheard-of", "{}")]);
    assert!(agent.executed.is_empty());
    assert!(settle(&mut agent, "a", json!({"result": "by hand"})));
    end(&mut agent, request, "r");
    assert_eq!(agent.requests.len(), 2);
    assert_eq!(phases(&mut agent), ["output-available"]);
}

/// OpenSearch pauses a run for a tool of the page, and ends it twice (`tests/fixtures/dialects/opensearch`).
#[test]
fn a_run_that_opensearch_has_paused_goes_on() {
    let page_tools = json!([{"name": "update_query"}]);
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "How many 500s?")], "pageTools": page_tools}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, include_bytes!("../../fixtures/dialects/opensearch/03a-frontend-tool-pause.sse"));
    let args = json!({"query": "source=logs | where status>=500", "language": "PPL"});
    assert_eq!(agent.executed, [("tooluse_Fe2".to_owned(), "update_query".to_owned(), args)]);
    agent.end(request);
    assert_eq!(agent.warnings, ["run-unread"], "the second end is left out");
    settle(&mut agent, "tooluse_Fe2", json!({"result": {"success": true, "rows": 42}}));
    let messages = agent.requests[1].1["messages"].as_array().unwrap().clone();
    let seen: Vec<_> = messages.iter().map(|m| (m["role"].clone(), m["content"].clone())).collect();
    assert_eq!(
        seen,
        [
            ("user", "How many 500s?"),
            ("assistant", "Updating the query bar."),
            ("tool", "{\"success\":true,\"rows\":42}")
        ]
        .map(|(role, content)| (json!(role), json!(content)))
    );
    let request = agent.requests[1].0;
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, include_bytes!("../../fixtures/dialects/opensearch/03b-frontend-tool-continuation.sse"));
    agent.end(request);
    assert_eq!(agent.snapshot()["messages"][3]["content"], "Done: 42 matching events.");
    assert_eq!(outcomes(&agent), [(1, "success")]);
}

#[test]
fn an_answer_that_the_application_puts_into_the_thread_stands() {
    let (mut agent, request) = calling(&[call("a", "human", "{}")]);
    end(&mut agent, request, "r");
    let mut messages = agent.snapshot()["messages"].as_array().unwrap().clone();
    messages.push(json!({"id": "own", "role": "tool", "toolCallId": "a", "content": "42"}));
    agent.act(|session, _| session.set_messages(&Value::Array(messages).to_string()).unwrap());
    agent.submit_json(json!({"runId": "s", "messages": []}));
    let sent = agent.sent()["messages"].as_array().unwrap();
    let answers: Vec<&Value> = sent.iter().filter(|message| message["role"] == "tool").collect();
    assert_eq!(answers.len(), 1);
    assert_eq!((&answers[0]["id"], &answers[0]["content"]), (&json!("own"), &json!("42")));
}

#[test]
fn several_calls_are_settled_and_held_together() {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [], "pageTools": [{"name": "f"}]}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    let calls = ["a", "b", "c"].map(|id| {
        [event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": "f"), event!("TOOL_CALL_END", "toolCallId": id)]
    });
    agent.events(request, &[vec![started("r")], calls.concat(), vec![finished("r")]].concat());
    agent.end(request);
    let wrong = "[{\"toolCallId\":\"a\"},5]";
    agent.act(|session, now| assert!(session.hold(wrong, now).is_err(), "one is no call"));
    assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "awaiting-approval");
    let both = "[{\"toolCallId\":\"b\",\"result\":1},{\"toolCallId\":\"c\",\"error\":\"no\"}]";
    agent.act(|session, now| assert!(session.settle_call(both, now).unwrap()));
    let phases: Vec<Value> =
        agent.snapshot()["toolCalls"].as_array().unwrap().iter().map(|call| call["phase"].clone()).collect();
    assert_eq!(phases, ["awaiting-approval", "output-available", "output-error"]);
    assert_eq!(agent.requests.len(), 1, "the one that waits is waited for");
}
