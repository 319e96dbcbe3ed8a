//! Ids of calls that come again: in a later run the id of an answered call is another one's.

use super::*;
use crate::support::SessionCalls;

/// The calls that are shown: ids, arguments and phases.
fn calls(agent: &mut Agent) -> Vec<String> {
    let list = agent.snapshot()["toolCalls"].as_array().unwrap().clone();
    let text = |call: &Value, name: &str| call[name].as_str().unwrap().to_owned();
    list.iter().map(|call| [text(call, "id"), text(call, "argsText"), text(call, "phase")].join(" ")).collect()
}

/// Calls and results of the last request.
fn sent(agent: &Agent) -> Vec<String> {
    let messages = agent.requests.last().unwrap().1["messages"].as_array().unwrap().clone();
    assert_eq!(refuses(&messages), None);
    let calls = |message: &Value| -> Vec<String> {
        let list = message["toolCalls"].as_array().cloned().unwrap_or_default();
        list.iter().map(|call| format!("{} {}", call["id"], call["function"]["arguments"])).collect()
    };
    let result = |message: &Value| message.get("toolCallId").map(|id| format!("{id}: {}", message["content"]));
    messages.iter().flat_map(|message| calls(message).into_iter().chain(result(message))).collect()
}

fn begins(agent: &mut Agent) -> u32 {
    let request = agent.requests.last().unwrap().0;
    let run = agent.requests.last().unwrap().1["runId"].clone();
    agent.head(request, 200, "text/event-stream");
    agent.event(request, started(run.as_str().unwrap()));
    request
}

/// An agent whose server calls `call_0` in each run: the page has answered the first one, and a run follows.
fn followed(options: Options) -> (Agent, u32) {
    let (mut agent, request) = calling_with(options, &[called("call_0", "m1", "page", "{\"n\":1}")]);
    end(&mut agent, request, "r");
    assert!(settle(&mut agent, "call_0", "one"));
    assert_eq!(sent(&agent), ["\"call_0\" \"{\\\"n\\\":1}\"", "\"call_0\": \"one\""]);
    let request = begins(&mut agent);
    (agent, request)
}

const BOTH: [&str; 4] =
    ["\"call_0\" \"{\\\"n\\\":1}\"", "\"call_0\": \"one\"", "\"call_0\" \"{\\\"n\\\":2}\"", "\"call_0\": \"two\""];

#[test]
fn an_id_that_comes_again_in_a_later_run_is_another_call() {
    for parent in [Some("m2"), None] {
        let (mut agent, request) = followed(Options::default());
        let mut again = called("call_0", "m2", "page", "{\"n\":2}");
        if parent.is_none() {
            again[0].as_object_mut().unwrap().remove("parentMessageId");
        }
        agent.events(request, &again);
        assert_eq!(calls(&mut agent), ["call_0 {\"n\":1} output-available", "call_0~again~2 {\"n\":2} executing"]);
        agent.event(request, finished("r-1"));
        agent.end(request);
        assert_eq!(agent.executed.len(), 2);
        assert!(settle(&mut agent, "call_0~again~2", "two"));
        assert_eq!(sent(&agent), BOTH);
        // And once more.
        let request = begins(&mut agent);
        agent.events(request, &call("call_0", "page", "{\"n\":3}"));
        assert_eq!(agent.executed.last().unwrap().0, "call_0~again~3");
        end(&mut agent, request, "r-2");
        assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    }
}

#[test]
fn within_a_run_it_is_the_same_call() {
    let result = event!("TOOL_CALL_RESULT", "messageId": "t1", "toolCallId": "c", "content": "one");
    for parent in ["", "m", "n"] {
        let (mut agent, request) = calling(&[call("c", "server", "{\"n\":1}")]);
        agent.event(request, result.clone());
        agent.events(request, &called("c", parent, "server", "{\"n\":2}"));
        assert_eq!(calls(&mut agent), ["c {\"n\":1} output-available"], "{parent:?}");
        assert_eq!(agent.warnings, ["call-repeated"]);
    }
}

#[test]
fn an_answer_that_the_server_has_not_seen_ends_no_call() {
    let (mut agent, request) = calling(&[call("c", "asked", "{\"n\":1}")]);
    agent.event(request, finished("r"));
    let again = json!({"threadId": "t", "runId": "s"});
    agent.event(request, event!("RUN_STARTED", "threadId": again["threadId"], "runId": again["runId"]));
    assert!(approve(&mut agent, "c"));
    assert!(settle(&mut agent, "c", "one"));
    agent.events(request, &call("c", "asked", "{\"n\":1}"));
    assert_eq!(calls(&mut agent), ["c {\"n\":1} output-available"]);
    assert_eq!((agent.executed.len(), &agent.warnings[..]), (1, &["call-repeated".to_owned()][..]));
}

#[test]
fn a_call_without_an_answer_is_the_same_one() {
    // Its run has ended, well or not.
    for end in [finished("r"), event!("RUN_ERROR", "message": "no")] {
        let (mut agent, request) = calling(&[call("c", "server", "{\"n\":1}")]);
        agent.event(request, end);
        agent.end(request);
        agent.submit_json(submit());
        let request = begins(&mut agent);
        agent.events(request, &call("c", "server", ""));
        agent.event(request, event!("TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c", "content": "one"));
        assert_eq!(calls(&mut agent), ["c {\"n\":1} output-available"]);
    }
}

#[test]
fn a_call_that_a_reload_has_cut_is_not_executed_again() {
    let (agent, _) = calling(&[call("call_0", "page", "{\"n\":1}")]);
    assert_eq!(agent.executed.len(), 1);
    let save = agent.session.save();
    let mut agent = Agent::new(Options::default());
    agent.act(|session, now| session.restore(&save, now).unwrap());
    let input = json!({"runId": "again", "pageTools": [{"name": "page"}]}).to_string();
    agent.act(|session, now| assert!(session.retry(&input, now).is_ok()));
    let request = begins(&mut agent);
    agent.events(request, &call("call_0", "page", "{\"n\":1}"));
    assert!(agent.executed.is_empty(), "{:?}", agent.executed);
    assert_eq!(calls(&mut agent).len(), 1);
    assert_eq!(agent.warnings, ["call-repeated"]);
    end(&mut agent, request, "again");
    // In a later turn it is over.
    agent.submit_json(json!({"runId": "s", "messages": [user("u2", "go")], "pageTools": [{"name": "page"}]}));
    let request = begins(&mut agent);
    agent.events(request, &call("call_0", "page", "{\"n\":2}"));
    assert_eq!(agent.executed[0].0, "call_0~again~2");
}

#[test]
fn a_call_that_is_dropped_with_a_run_that_failed_is_not_executed_again() {
    let (mut agent, request) = calling(&[call("call_0", "page", "{\"n\":1}")]);
    agent.event(request, event!("RUN_ERROR", "message": "no"));
    agent.end(request);
    let input = json!({"runId": "s", "pageTools": [{"name": "page"}]}).to_string();
    agent.act(|session, now| assert!(session.retry(&input, now).is_ok()));
    let request = begins(&mut agent);
    agent.events(request, &call("call_0", "page", "{\"n\":1}"));
    assert_eq!((agent.executed.len(), &agent.warnings[..]), (1, &["call-repeated".to_owned()][..]));
}

#[test]
fn positions_in_a_list_of_messages_decide() {
    let result =
        |id: &str, content: &str| json!({"id": id, "role": "tool", "toolCallId": "call_0", "content": content});
    let first = |id: &str| assistant(id, &[("call_0", "page", "{\"n\":1}")]);
    let second = |id: &str| assistant(id, &[("call_0", "page", "{\"n\":2}")]);
    let all = |ids: [&str; 2]| vec![user("u", "go"), first(ids[0]), result("t", "one"), second(ids[1])];
    // As it is, under other ids of messages, and without the first call.
    for list in [all(["m1", "m2"]), all(["x", "y"]), vec![user("u", "go"), second("m2")]] {
        let (mut agent, request) = followed(Options::default());
        agent.events(request, &called("call_0", "m2", "page", "{\"n\":2}"));
        agent.event(request, snapshot(&list));
        let shown = calls(&mut agent);
        assert_eq!(shown.last().unwrap(), "call_0~again~2 {\"n\":2} executing", "{}", json!(list));
        assert_eq!(agent.executed.len(), 2);
        agent.event(request, finished("r-1"));
        agent.end(request);
        assert!(settle(&mut agent, "call_0~again~2", "two"));
        assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
        assert_eq!(sent(&agent).last().unwrap(), BOTH[3]);
    }
    // One that nobody has seen yet.
    let mut agent = Agent::new(Options::default());
    agent.submit_json(submit());
    let request = begins(&mut agent);
    agent.event(request, snapshot(&[&all(["m1", "m2"])[..], &[result("t2", "two")]].concat()));
    let expected = ["call_0 {\"n\":1} output-available", "call_0~again~2 {\"n\":2} output-available"];
    assert_eq!(calls(&mut agent), expected);
    assert_eq!(shown(&mut agent, "call_0~again~2")["result"], "two");
}

#[test]
fn results_of_one_id_are_those_of_the_calls_before_them() {
    let call = |message: &str, args: &str| assistant(message, &[("call_0", "server", args)]);
    let result =
        |content: &str| json!({"id": "call_0-result", "role": "tool", "toolCallId": "call_0", "content": content});
    let list = [user("u", "go"), call("m1", "{\"n\":1}"), result("one"), call("m2", "{\"n\":2}"), result("two")];
    for streamed in [true, false] {
        let (mut agent, request) = followed(Options::default());
        if streamed {
            agent.events(request, &called("call_0", "m2", "server", "{\"n\":2}"));
            let id = "call_0-result";
            agent.event(request, event!("TOOL_CALL_RESULT", "messageId": id, "toolCallId": "call_0", "content": "two"));
        }
        for _ in 0..2 {
            agent.event(request, snapshot(&list));
            let results = [shown(&mut agent, "call_0"), shown(&mut agent, "call_0~again~2")]
                .map(|mut call| call["result"].take());
            assert_eq!(results, ["one", "two"], "{streamed}");
        }
    }
    // The call before it is the one that the page does not know.
    let (mut agent, request) = followed(Options::default());
    let list = [user("u", "go"), call("m0", "{}"), result("zero"), call("m1", "{\"n\":1}"), result("one")];
    for _ in 0..2 {
        agent.event(request, snapshot(&list));
        let results =
            [shown(&mut agent, "call_0~again~2"), shown(&mut agent, "call_0")].map(|mut call| call["result"].take());
        assert_eq!(results, ["zero", "one"]);
    }
}

#[test]
fn a_person_approves_the_last_one() {
    let (mut agent, request) = followed(Options::default());
    agent.events(request, &called("call_0", "m2", "asked", "{\"n\":2}"));
    let interrupt = json!({"id": "i", "reason": "ask", "toolCallId": "call_0"});
    let outcome = json!({"type": "interrupt", "interrupts": [interrupt]});
    agent.event(request, event!("RUN_FINISHED", "threadId": "t", "runId": "r-1", "outcome": outcome));
    agent.end(request);
    assert_eq!(calls(&mut agent)[1], "call_0~again~2 {\"n\":2} awaiting-approval");
    assert_eq!(agent.snapshot()["interrupts"][0]["toolCallId"], "call_0~again~2");
    assert!(approve(&mut agent, "call_0~again~2"));
    assert_eq!(agent.executed.last().unwrap().0, "call_0~again~2");
}

#[test]
fn a_replay_and_a_reload_execute_nothing_again() {
    for by in ["replay", "last-event-id"] {
        let network = Network { resume: Some(Resume::by(by, None, None).unwrap()), ..Network::default() };
        let options = || Options { network: network.clone(), ..Options::default() };
        let (mut agent, request) = followed(options());
        let again = called("call_0", "m2", "page", "{\"n\":2}");
        let numbered: String =
            again.iter().enumerate().map(|(at, event)| format!("id: {at}\ndata: {event}\n\n")).collect();
        agent.bytes(request, numbered.as_bytes());
        assert_eq!(agent.executed.len(), 2);
        let save = agent.session.save();
        let mut agent = Agent::new(options());
        agent.act(|session, now| session.restore(&save, now).unwrap());
        agent.act(|session, now| assert!(session.attach("{}", now).is_ok()));
        let request = agent.requests.last().unwrap().0;
        agent.head(request, 200, "text/event-stream");
        if by == "replay" {
            agent.event(request, started("r-1"));
            agent.bytes(request, numbered.as_bytes());
        }
        agent.event(request, finished("r-1"));
        agent.end(request);
        assert!(agent.executed.is_empty(), "{by}: {:?}", agent.executed);
        let shown = calls(&mut agent);
        assert_eq!(shown.len(), 2, "{by}: {shown:?}");
        assert!(shown[1].starts_with("call_0~again~2 {\"n\":2}"), "{by}: {shown:?}");
    }
}

#[test]
fn a_replay_executes_nothing_again_though_the_call_before_was_removed() {
    for streams in ["before", "after"] {
        let network = Network { resume: Some(Resume::by("replay", None, None).unwrap()), ..Network::default() };
        let (mut agent, request) = followed(Options { network, ..Options::default() });
        let again = called("call_0", "m2", "page", "{\"n\":2}");
        let remove = |agent: &mut Agent| {
            let user = [user("u", "go")];
            let second = assistant("m2", &[("call_0~again~2", "page", "{\"n\":2}")]);
            let kept = if streams == "before" { json!([user[0], second]) } else { json!(user) };
            agent.act(|session, _| session.set_messages(&kept.to_string()).unwrap());
        };
        if streams == "after" {
            remove(&mut agent);
        }
        agent.events(request, &again);
        if streams == "before" {
            remove(&mut agent);
        }
        agent.cut(request);
        let request = agent.wait();
        agent.head(request, 200, "text/event-stream");
        agent.event(request, started("r-1"));
        agent.events(request, &again);
        let ids: Vec<&str> = agent.executed.iter().map(|(id, ..)| id.as_str()).collect();
        assert_eq!(ids, ["call_0", "call_0~again~2"], "{streams}");
        // The server has the first one still.
        let result = json!({"id": "call_0-result", "role": "tool", "toolCallId": "call_0", "content": "one"});
        let first = assistant("m1", &[("call_0", "page", "{\"n\":1}")]);
        let second = assistant("m2", &[("call_0", "page", "{\"n\":2}")]);
        agent.event(request, snapshot(&[user("u", "go"), first, result, second]));
        end(&mut agent, request, "r-1");
        assert_eq!(calls(&mut agent), ["call_0 {\"n\":1} output-available", "call_0~again~2 {\"n\":2} executing"]);
        assert_eq!(agent.executed.len(), 2);
    }
}

#[test]
fn a_question_that_a_regenerate_cuts_off_is_asked_anew() {
    let (mut agent, request) = calling(&[call("call_0", "asked", "{\"n\":1}")]);
    end(&mut agent, request, "r");
    let input = json!({"runId": "s", "pageTools": [{"name": "asked", "needsApproval": true}]}).to_string();
    agent.act(|session, now| assert!(session.regenerate(None, &input, now).is_ok()));
    let request = begins(&mut agent);
    agent.events(request, &call("call_0", "asked", "{\"n\":2}"));
    assert_eq!(calls(&mut agent), ["call_0 {\"n\":2} awaiting-approval"]);
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
}

#[test]
fn a_question_that_a_retry_cuts_off_is_asked_anew() {
    for (tool, phase) in [("asked", "awaiting-approval"), ("filled", "input-available")] {
        for reloads in [false, true] {
            let tools = json!([{"name": "asked", "needsApproval": true}, {"name": "filled", "manual": true}]);
            let mut agent = Agent::new(Options::default());
            agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools}));
            let request = begins(&mut agent);
            agent.events(request, &called("call_0", "m", tool, "{\"n\":1}"));
            assert_eq!(calls(&mut agent), [format!("call_0 {{\"n\":1}} {phase}")]);
            if reloads {
                // The message is unfinished.
                agent.event(
                    request,
                    event!("TOOL_CALL_START", "toolCallId": "call_1", "toolCallName": "server", "parentMessageId": "m"),
                );
                let save = agent.session.save();
                agent = Agent::new(Options::default());
                agent.act(|session, now| session.restore(&save, now).unwrap());
            } else {
                agent.event(request, event!("RUN_ERROR", "message": "no"));
                agent.end(request);
            }
            let input = json!({"runId": "s", "pageTools": tools}).to_string();
            agent.act(|session, now| assert!(session.retry(&input, now).is_ok()));
            let request = begins(&mut agent);
            agent.events(request, &called("call_0", "m", tool, "{\"n\":1}"));
            agent.event(request, finished("s"));
            agent.end(request);
            assert_eq!(calls(&mut agent), [format!("call_0 {{\"n\":1}} {phase}")], "{tool} {reloads}");
            assert!(agent.warnings.is_empty(), "{tool} {reloads}: {:?}", agent.warnings);
            if tool == "asked" {
                assert!(approve(&mut agent, "call_0"), "{reloads}");
                assert_eq!(agent.executed.len(), 1);
            }
            assert!(settle(&mut agent, "call_0", "one"), "{tool} {reloads}");
            assert_eq!(sent(&agent), ["\"call_0\" \"{\\\"n\\\":1}\"", "\"call_0\": \"one\""]);
        }
    }
}

#[test]
fn after_a_regenerate_it_is_executed_anew() {
    let (mut agent, request) = calling(&[call("call_0", "page", "{\"n\":1}")]);
    end(&mut agent, request, "r");
    settle(&mut agent, "call_0", "one");
    let request = begins(&mut agent);
    end(&mut agent, request, "r-1");
    let input = json!({"runId": "s", "pageTools": [{"name": "page"}]}).to_string();
    agent.act(|session, now| assert!(session.regenerate(None, &input, now).is_ok()));
    let request = begins(&mut agent);
    agent.events(request, &call("call_0", "page", "{\"n\":2}"));
    assert_eq!(calls(&mut agent), ["call_0 {\"n\":2} executing"]);
    assert_eq!(agent.executed.len(), 2);
    end(&mut agent, request, "s");
    settle(&mut agent, "call_0", "two");
    assert_eq!(sent(&agent), ["\"call_0\" \"{\\\"n\\\":2}\"", "\"call_0\": \"two\""]);
}

#[test]
fn a_list_that_takes_away_the_last_answer_leaves_the_one_before() {
    let (mut agent, request) = calling(&[call("c", "server", "{}")]);
    for content in ["one", "two"] {
        agent.event(request, event!("TOOL_CALL_RESULT", "messageId": content, "toolCallId": "c", "content": content));
    }
    assert_eq!(shown(&mut agent, "c")["result"], "two");
    let result = json!({"id": "one", "role": "tool", "toolCallId": "c", "content": "one"});
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[("c", "server", "{}")]), result]));
    assert_eq!(shown(&mut agent, "c")["result"], "one");
}
