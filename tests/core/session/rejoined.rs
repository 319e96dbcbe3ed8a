//! Runs that are joined once more: after their end, after a reload, in several parts, and over connections that are cut.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::*;
use ag_ui_wasm::session::{Network, Options, Resume};
use serde_json::{Value, json};

const SSE: &str = "text/event-stream";

fn options(by: &str) -> Options {
    let resume = Some(Resume::by(by, Some("seq"), None).unwrap());
    Options { network: Network { attempts: 50, resume, ..Network::default() }, ..Options::default() }
}

impl Agent {
    /// The page is left, and comes back with its save.
    fn reloaded(self, by: &str) -> Agent {
        let saved = self.session.save();
        let mut agent = Agent::new(options(by));
        agent.act(|session, now| session.restore(&saved, now).unwrap());
        agent
    }

    fn attach(&mut self) -> u32 {
        self.act(|session, now| assert!(session.attach("{}", now).is_ok()));
        self.requests.last().unwrap().0
    }

    fn shown(&mut self) -> (Vec<String>, Vec<String>) {
        let of = |list: &Value, name: &str| -> Vec<String> {
            list.as_array().unwrap().iter().filter_map(|item| Some(item[name].as_str()?.to_owned())).collect()
        };
        let snapshot = self.snapshot();
        (of(&snapshot["messages"], "content"), of(&snapshot["toolCalls"], "argsText"))
    }

    fn says(&mut self, method: &str, json: Value) {
        let json = json.to_string();
        self.act(|session, now| match method {
            "approve" => drop(session.approve(&json, now).unwrap()),
            "settle" => drop(session.settle_call(&json, now).unwrap()),
            _ => drop(session.answer(&json, now).unwrap()),
        });
    }
}

fn call(id: &str, name: &str, args: &str) -> [Value; 3] {
    [
        event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name),
        event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": args),
        event!("TOOL_CALL_END", "toolCallId": id),
    ]
}

/// A run of two parts, the second of which calls the page.
fn two_parts(name: &str) -> Vec<Value> {
    let mut all = vec![started("r")];
    all.extend(text("m", "Hello"));
    all.extend([finished("r"), started("r")]);
    all.extend(call("c", name, "{\"n\":1}"));
    all.push(finished("r"));
    all
}

fn asked(by: &str, name: &str) -> Agent {
    let mut agent = Agent::new(options(by));
    let tools = json!([{"name": "work"}, {"name": "pay", "needsApproval": true}]);
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools}));
    agent.head(1, 200, SSE);
    agent.events(1, &two_parts(name));
    agent.end(1);
    agent
}

#[test]
fn what_the_page_is_at_outlives_a_replay_of_several_parts() {
    let mut agent = asked("replay", "work");
    assert_eq!(agent.executed.len(), 1);
    let request = agent.attach();
    agent.head(request, 200, SSE);
    agent.events(request, &two_parts("work"));
    assert_eq!(agent.abandoned, [] as [&str; 0], "the first part does not mention the call");
    agent.end(request);
    agent.says("settle", json!({"toolCallId": "c", "result": "done"}));
    assert_eq!(agent.executed.len(), 1, "once");
    assert_eq!(agent.sent()["messages"][3]["content"], "done");
}

#[test]
fn what_a_replay_mentions_no_more_is_abandoned() {
    let mut agent = asked("replay", "work");
    let request = agent.attach();
    agent.head(request, 200, SSE);
    agent.events(request, &[started("r"), finished("r")]);
    agent.end(request);
    assert_eq!(agent.abandoned, ["c"]);
}

#[test]
fn a_message_that_a_page_has_put_into_a_save_outlives_a_replay() {
    for (by, cut) in ["replay", "run-url"].into_iter().flat_map(|by| (1..=3).map(move |cut| (by, cut))) {
        let mut agent = Agent::new(options(by));
        agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
        let [start, hello] = text("m", "Hello");
        let all = [started("r"), start, hello, event!("TEXT_MESSAGE_END", "messageId": "m"), finished("r")];
        agent.head(1, 200, SSE);
        agent.events(1, &all[..cut]);
        let mut save: Value = serde_json::from_str(&agent.session.save()).unwrap();
        save["messages"].as_array_mut().unwrap().push(user("mine", "a note"));
        let mut agent = Agent::new(options(by));
        agent.act(|session, now| session.restore(&save.to_string(), now).unwrap());
        let request = agent.attach();
        agent.head(request, 200, SSE);
        agent.events(request, &all);
        agent.end(request);
        assert_eq!(agent.shown().0, ["go", "a note", "Hello"], "{by} {cut}");
    }
}

#[test]
fn a_submit_that_waits_is_not_sent_where_its_run_is_joined() {
    let mut agent = Agent::new(options("replay"));
    agent.submit_json(json!({"runId": "stored", "messages": [], "unasked": "opens"}));
    let waiting = agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
    agent.head(1, 200, SSE);
    agent.events(1, &[started("stored"), finished("stored")]);
    agent.act(|session, now| assert!(session.attach("{\"runId\":\"r\"}", now).is_ok()));
    assert_eq!(agent.snapshot()["queue"], json!([]));
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, SSE);
    let [start, hello] = text("m", "Hello");
    agent.events(request, &[started("r"), start, hello, event!("TEXT_MESSAGE_END", "messageId": "m"), finished("r")]);
    agent.end(request);
    assert_eq!((agent.shown().0, agent.requests.len()), (vec!["go".into(), "Hello".into()], 2));
    assert!(outcomes(&agent).contains(&(waiting, "success")), "{:?}", outcomes(&agent));
}

#[test]
fn a_submit_that_waits_is_over_where_the_opened_thread_has_its_answer() {
    let mut agent = Agent::new(options("replay"));
    agent.submit_json(json!({"runId": "stored", "messages": [], "unasked": "opens"}));
    let [told, unanswered, new] = ["told", "unanswered", "new"]
        .map(|id| agent.submit_json(json!({"runId": format!("run-{id}"), "messages": [user(id, "go")]})));
    agent.head(1, 200, SSE);
    let answer = json!({"id": "a", "role": "assistant", "content": "Hello"});
    let messages = json!([user("told", "go"), answer, user("unanswered", "go")]);
    agent.events(1, &[started("stored"), event!("MESSAGES_SNAPSHOT", "messages": messages), finished("stored")]);
    agent.end(1);
    assert_eq!(outcomes(&agent), [(told, "success"), (1, "success")]);
    assert_eq!(agent.shown().0, ["go", "Hello", "go"]);
    for (ticket, id) in [(unanswered, "unanswered"), (new, "new")] {
        let (request, body) = agent.requests.last().cloned().unwrap();
        assert_eq!(body["runId"], format!("run-{id}"));
        agent.head(request, 200, SSE);
        agent.events(request, &[started(id), finished(id)]);
        agent.end(request);
        assert_eq!(outcomes(&agent).last(), Some(&(ticket, "success")));
    }
    assert_eq!((agent.requests.len(), agent.shown().0), (3, ["go", "Hello", "go", "go"].map(String::from).to_vec()));
}

#[test]
fn a_run_that_had_ended_before_a_reload_is_not_told_twice() {
    for by in ["replay", "run-url"] {
        let mut agent = asked(by, "pay").reloaded(by);
        agent.snapshot();
        agent.says("approve", json!({"toolCallId": "c"}));
        assert_eq!(agent.executed.len(), 1, "{by}");
        // Twice: the first connection is lost.
        let request = agent.attach();
        agent.head(request, 200, SSE);
        agent.events(request, &two_parts("pay")[..2]);
        agent.cut(request);
        let mut agent = match by {
            "replay" => agent,
            _ => {
                let mut agent = agent.reloaded(by);
                agent.attach();
                agent
            }
        };
        let request = if by == "replay" { agent.wait() } else { agent.requests.last().unwrap().0 };
        agent.head(request, 200, SSE);
        agent.events(request, &two_parts("pay"));
        agent.end(request);
        assert_eq!(agent.shown().0[..2], ["go", "Hello"], "{by}");
        assert_eq!(agent.shown().1, ["{\"n\":1}"], "{by}");
        assert_eq!(agent.abandoned, [] as [&str; 0], "{by}");
    }
}

#[test]
fn how_a_run_had_ended_before_a_reload_is_replayed() {
    let interrupt = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "ask"}]});
    let interrupted = event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": interrupt);
    for (end, outcome) in [(interrupted, "interrupted"), (finished("r"), "success"), (failed(), "error")] {
        let mut agent = Agent::new(options("replay"));
        agent.submit_json(input("r", "go"));
        agent.head(1, 200, SSE);
        agent.events(1, &[started("r"), end.clone()]);
        agent.end(1);
        let mut agent = agent.reloaded("replay");
        let request = agent.attach();
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r"), end]);
        agent.end(request);
        assert_eq!(outcomes(&agent), [(1, outcome)]);
    }
}

#[test]
fn a_run_that_had_ended_before_a_reload_is_joined_where_it_was_read_to() {
    let mut agent = Agent::new(options("cursor"));
    let tools = json!([{"name": "pay", "needsApproval": true}]);
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools}));
    agent.head(1, 200, SSE);
    for (at, mut event) in two_parts("pay").into_iter().enumerate() {
        event["seq"] = json!(at + 1);
        agent.event(1, event);
    }
    agent.end(1);
    let mut agent = agent.reloaded("cursor");
    agent.snapshot();
    agent.says("approve", json!({"toolCallId": "c"}));
    agent.attach();
    assert_eq!(agent.targets[0].2.as_deref(), Some("9"));
}

/// The server starts a call again that is not the last one of its message, and goes on in it.
#[test]
fn arguments_of_any_older_call_are_reported_once() {
    for by in ["while the page is there", "after a reload"] {
        let function = json!({"name": "f", "arguments": "{\"a\":"});
        let calls = ["c", "d"].map(|id| json!({"id": id, "type": "function", "function": function}));
        let before = json!([user("u", "go"), {"id": "m", "role": "assistant", "toolCalls": calls}]);
        let mut agent = Agent::with(options("replay"), Some(&before.to_string()), None);
        agent.submit_json(input("r", "and?"));
        let all = [&[started("r")], &call("c", "f", "1}")[..], &call("d", "f", "2}"), &[finished("r")]].concat();
        let mut request = 1;
        for length in [3, 6, all.len()] {
            agent.head(request, 200, SSE);
            agent.events(request, &all[..length]);
            if length == all.len() {
                agent.end(request);
            } else if by == "after a reload" {
                agent = agent.reloaded("replay");
                request = agent.attach();
                agent.head(request, 200, SSE);
                agent.events(request, &all[..length]);
                agent.cut(request);
                request = agent.wait();
            } else {
                agent.cut(request);
                request = agent.wait();
            }
        }
        assert_eq!(agent.shown().1, ["{\"a\":1}", "{\"a\":2}"], "{by}");
    }
}

/// A message that the server has replaced is not torn by a replay.
#[test]
fn what_a_list_has_rewritten_is_whole_in_a_replay() {
    let assistant = |text: &str| json!({"id": "m", "role": "assistant", "content": text});
    let before = json!([user("u", "go"), assistant("short")]);
    let mut agent = Agent::with(options("replay"), Some(&before.to_string()), None);
    agent.submit_json(input("r", "and?"));
    agent.head(1, 200, SSE);
    let list = json!([user("u", "go"), assistant("quite another answer")]);
    agent.events(1, &[started("r"), event!("MESSAGES_SNAPSHOT", "messages": list)]);
    agent.cut(1);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.event(request, started("r"));
    assert_eq!(agent.shown().0[1], "quite another answer");
}

fn interrupted(ids: &[&str]) -> Vec<Value> {
    let list: Vec<Value> = ids.iter().map(|id| json!({"id": id, "reason": "ask"})).collect();
    let outcome = json!({"type": "interrupt", "interrupts": list});
    vec![started("r"), event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome)]
}

/// A run with two questions is replayed, with `again` at its end; one reply is given while it is.
fn answered(again: &[&str]) -> (Agent, u32) {
    let mut agent = Agent::new(options("replay"));
    let tools = json!([{"name": "work"}]);
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools}));
    agent.head(1, 200, SSE);
    let end = interrupted(&["a", "b"]);
    agent.events(1, &[&end[..1], &call("c", "work", "{}"), &end[1..]].concat());
    agent.end(1);
    let request = agent.attach();
    agent.says("answer", json!({"interruptId": "a", "status": "resolved", "run": {"runId": "n"}}));
    let end = interrupted(again);
    agent.head(request, 200, SSE);
    agent.events(request, &[&end[..1], &call("c", "work", "{}"), &end[1..]].concat());
    (agent, request)
}

#[test]
fn a_reply_outlives_the_replay_of_its_question() {
    let (mut agent, request) = answered(&["a", "b"]);
    assert_eq!(agent.snapshot()["interrupts"][0]["answered"], true);
    agent.end(request);
    agent.says("settle", json!({"toolCallId": "c", "result": 1}));
    assert_eq!(agent.snapshot()["interrupts"][0]["answered"], true);
    agent.says("answer", json!({"interruptId": "b", "status": "resolved", "run": {"runId": "m"}}));
    let ids: Vec<&Value> =
        agent.sent()["resume"].as_array().unwrap().iter().map(|entry| &entry["interruptId"]).collect();
    assert_eq!(ids, ["a", "b"]);
}

#[test]
fn a_reply_whose_question_is_gone_is_dropped() {
    let (mut agent, request) = answered(&["b"]);
    agent.end(request);
    assert!(outcomes(&agent).contains(&(3, "dropped")), "{:?}", outcomes(&agent));
}

/// Nothing would send it: so the person is asked again.
#[test]
fn a_reply_that_is_the_last_one_left_is_asked_for_again() {
    let (mut agent, request) = answered(&["a"]);
    agent.end(request);
    assert!(outcomes(&agent).contains(&(3, "dropped")), "{:?}", outcomes(&agent));
    assert_eq!(agent.snapshot()["interrupts"][0].get("answered"), None);
}

#[test]
fn the_calls_of_a_run_that_cannot_be_joined_after_a_reload_have_failed() {
    let tools = json!([{"name": "work"}]);
    for (by, joins) in [("cursor", true), ("run-url", true), ("run-url", false)] {
        let mut agent = Agent::new(options(by));
        agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools.clone()}));
        agent.head(1, 200, SSE);
        let begun = [started("r"), event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "work")];
        agent.events(1, &begun);
        agent.event(1, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"n\":"));
        let mut agent = agent.reloaded(by);
        if joins {
            let request = agent.attach();
            agent.head(request, 404, "text/plain");
            agent.end(request);
        }
        agent.submit_json(json!({"runId": "s", "messages": [user("v", "on")], "pageTools": tools.clone()}));
        let sent = &agent.sent()["messages"];
        let seen: Vec<&Value> = sent.as_array().unwrap().iter().map(|message| &message["role"]).collect();
        assert_eq!(seen, ["user", "assistant", "tool", "user"], "{by} {joins}");
        assert_eq!(sent[2]["error"], "The run ended before the call was answered.", "{by} {joins}");
        assert_eq!(agent.snapshot()["toolCalls"][0]["status"], "error", "{by} {joins}");
    }
}

#[test]
fn an_answer_goes_with_an_earlier_call_that_a_list_has_put_into_a_message_of_the_run() {
    let answer = json!({"id": "a-result", "role": "tool", "toolCallId": "a", "content": "done"});
    let messages = |caller: &str| {
        let call = json!({"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        json!([user("u", "go"), {"id": caller, "role": "assistant", "toolCalls": [call]}, answer, user("u0", "and?")])
    };
    let begin = [started("r"), event!("CUSTOM", "name": "n", "value": 1)];
    let list = event!("MESSAGES_SNAPSHOT", "messages": messages("of this run"));
    let mut agent = Agent::with(options("replay"), Some(&messages("m").to_string()), None);
    let request = agent.submit("go on");
    agent.head(request, 200, SSE);
    agent.events(request, &begin);
    agent.event(request, list.clone());
    agent.cut(request);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &begin);
    assert_eq!(agent.shown().0, ["go", "and?"], "no answer stays without its call");
    agent.event(request, list);
    assert_eq!(agent.shown().0, ["go", "done", "and?"]);
}

/// After a core or a worker has failed the thread may be newer than the turn: it has the answer to a call that waits there.
#[test]
fn no_run_follows_on_an_answer_before_the_thread_is_opened() {
    let mut agent = Agent::new(Options::default());
    let page_tools = json!([{"name": "f", "needsApproval": true}]);
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": page_tools}));
    agent.head(1, 200, SSE);
    agent.events(1, &[&[started("r")], &call("c", "f", "{}")[..], &[finished("r")]].concat());
    agent.end(1);
    let mut save: Value = serde_json::from_str(&agent.session.save()).unwrap();
    let result = json!({"id": "c-result", "role": "tool", "toolCallId": "c", "content": "no"});
    save["messages"].as_array_mut().unwrap().push(result);
    for (opens, first) in [(false, "r-1"), (true, "stored")] {
        let run = json!({"start": "submit", "runId": "stored", "messages": [], "unasked": "opens"});
        save["queue"] = if opens { json!([run]) } else { json!([]) };
        let mut again = Agent::new(Options::default());
        again.act(|session, now| session.restore(&save.to_string(), now).unwrap());
        assert_eq!((again.requests.len(), again.snapshot()["runId"].clone()), (1, json!(first)));
        let request = again.requests[0].0;
        again.head(request, 200, SSE);
        again.events(request, &[started(first), finished(first)]);
        again.end(request);
        assert_eq!(again.requests.len(), 1, "and nothing continues by itself");
    }
}
