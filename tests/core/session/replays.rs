//! Runs that a server tells again from their beginning, alone or with the whole thread: nothing is reported twice, and what
//! the page has stays as it is.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::*;
use ag_ui_wasm::session::{Network, Options, Resume};
use ag_ui_wasm::wire::Wanted;
use serde_json::{Value, json};

const SSE: &str = "text/event-stream";

fn options(strict: bool) -> Options {
    let resume = Some(Resume::by("replay", None, None).unwrap());
    Options {
        strict,
        events: Wanted::read("*"),
        network: Network { attempts: 50, resume, ..Network::default() },
        ..Options::default()
    }
}

fn replays(strict: bool) -> Agent {
    Agent::new(options(strict))
}

impl Agent {
    /// Takes so many of the events over this connection, which is lost then or ends.
    fn take(&mut self, request: u32, events: &[Value], ends: bool) {
        self.head(request, 200, SSE);
        for event in events {
            self.event(request, event.clone());
        }
        match ends {
            true => self.end(request),
            false => self.cut(request),
        }
    }

    fn lines(&mut self) -> Vec<String> {
        let messages = self.snapshot()["messages"].as_array().unwrap();
        let of = |message: &Value| Some(format!("{}: {}", message["role"].as_str()?, message["content"].as_str()?));
        messages.iter().filter_map(of).collect()
    }

    fn kinds(&self) -> Vec<&str> {
        self.events.iter().map(|event| event["type"].as_str().unwrap()).collect()
    }

    fn boundaries(&self) -> Vec<&str> {
        self.mirror.1.iter().map(|(checkpoint, _)| checkpoint["kind"].as_str().unwrap()).collect()
    }
}

fn content(id: &str, delta: &str) -> Value {
    event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta)
}

fn ended(id: &str) -> Value {
    event!("TEXT_MESSAGE_END", "messageId": id)
}

fn said(id: &str, content: &str) -> Vec<Value> {
    let [start, text] = text(id, content);
    vec![start, text, ended(id)]
}

/// A run of everything that is reported: twice what ends a run, and two of each other kind.
fn telling() -> Vec<Value> {
    let custom = |n: u8| event!("CUSTOM", "name": "n", "value": n);
    let step = |n: u8| {
        [event!("STEP_STARTED", "stepName": format!("s{n}")), event!("STEP_FINISHED", "stepName": format!("s{n}"))]
    };
    let usage = |n: u8| json!([{"model": "m", "inputTokens": n}]);
    let done = event!("RUN_FINISHED", "threadId": "t", "runId": "r", "usage": usage(1));
    let odd = event!("STATE_DELTA", "delta": [{"op": "remove", "path": "/nothing"}]);
    let mut all = vec![started("r"), custom(1)];
    all.extend(step(1));
    all.extend([odd.clone(), event!("WHAT", "n": 1), done, started("r"), custom(2), odd]);
    all.extend(step(2));
    all.extend(said("m", "Hello"));
    all.push(event!("RUN_FINISHED", "threadId": "t", "runId": "r", "usage": usage(2)));
    all
}

#[test]
fn replays_in_a_row_report_nothing_twice() {
    let all = telling();
    let whole = {
        let mut agent = replays(false);
        let request = agent.submit("go");
        agent.take(request, &all, true);
        agent
    };
    assert_eq!(whole.warnings, ["state-patch-failed", "event-unknown", "state-patch-failed"]);
    for first in 1..all.len() {
        for second in 0..all.len() {
            // A run that has ended for all that is known is not joined.
            if [first, second].contains(&7) {
                continue;
            }
            let mut agent = replays(false);
            let mut request = agent.submit("go");
            for length in [first, second, 2, all.len() - 1] {
                agent.take(request, &all[..length], false);
                agent.snapshot();
                request = agent.wait();
            }
            agent.take(request, &all, true);
            agent.snapshot();
            assert_eq!(agent.custom, whole.custom, "{first} {second}");
            assert_eq!(agent.events, whole.events, "{first} {second}");
            assert_eq!(agent.warnings, whole.warnings, "{first} {second}");
            assert_eq!(outcomes(&agent), [(1, "success")]);
            assert_eq!(agent.snapshot()["usage"], json!([{"model": "m", "inputTokens": 3}]), "{first} {second}");
            let marks = ["run-started", "step-started", "step-finished", "run-finished", "run-started"];
            let marks = [&marks[..], &["step-started", "step-finished", "run-finished"]].concat();
            assert_eq!(agent.boundaries(), marks, "{first} {second}");
            assert_eq!(agent.lines(), ["user: go", "assistant: Hello"]);
        }
    }
}

#[test]
fn a_server_that_joins_its_deltas_in_a_replay_hides_nothing() {
    let mut agent = replays(true);
    let request = agent.submit("go");
    let [start, hello] = text("m", "He");
    let custom = event!("CUSTOM", "name": "n", "value": 1);
    agent.take(request, &[started("r"), start.clone(), hello, content("m", "l"), content("m", "lo")], false);
    let request = agent.wait();
    agent.take(request, &[started("r"), start, content("m", "Hello"), custom, ended("m"), finished("r")], true);
    assert_eq!((agent.lines(), agent.custom.len()), (vec!["user: go".into(), "assistant: Hello".into()], 1));
    let last = ["CUSTOM", "TEXT_MESSAGE_END", "RUN_FINISHED"];
    assert!(agent.kinds().ends_with(&last), "{:?}", agent.kinds());
}

/// Reports of dialects for which the protocol has no event.
#[test]
fn what_a_dialect_reports_beside_events_is_reported_once() {
    let network = options(false).network;
    let mut agent = Agent::speaking("hector", json!({}), Options { network, ..Options::default() });
    let frames = [
        json!({"kind": "task", "id": "task", "contextId": "t", "status": {"state": "working"}}),
        json!({"kind": "status-update", "taskId": "task", "contextId": "t", "status": {"state": "working"},
            "metadata": {"type": "nobody_knows"}}),
    ];
    let request = agent.submit("go");
    agent.take(request, &frames, false);
    let (custom, warnings) = (agent.custom.clone(), agent.warnings.clone());
    assert_eq!(custom.len(), 2);
    for length in [1, 2, 0, 2] {
        if agent.settled.is_empty() {
            let request = agent.wait();
            agent.take(request, &frames[..length], false);
        }
    }
    assert_eq!((&agent.custom, &agent.warnings), (&custom, &warnings));
}

/// A thread of three runs: the first with a page's call that was answered, the second with an interrupt.
fn thread() -> Vec<Vec<Value>> {
    let input =
        |id: &str, text: &str| json!({"threadId": "t", "runId": id, "messages": [user(&format!("u-{id}"), text)]});
    let begin = |id: &str, text: &str| event!("RUN_STARTED", "threadId": "t", "runId": id, "input": input(id, text));
    let push = event!("STATE_DELTA", "delta": [{"op": "add", "path": "/list/-", "value": 1}]);
    let mut one = vec![begin("a", "one"), event!("STATE_SNAPSHOT", "snapshot": {"list": []}), push.clone()];
    one.extend(said("m-a", "first"));
    one.extend([
        event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
        event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"),
        event!("TOOL_CALL_END", "toolCallId": "c"),
        event!("CUSTOM", "name": "n", "value": "a"),
        event!("RUN_FINISHED", "threadId": "t", "runId": "a", "usage": [{"model": "m", "inputTokens": 1}]),
    ]);
    let mut two = vec![begin("b", "two"), push.clone()];
    // An id that the first run has used as well.
    two.extend(said("m-a", " and second"));
    let outcome = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "ask"}]});
    two.push(event!("RUN_FINISHED", "threadId": "t", "runId": "b", "outcome": outcome));
    let mut three = vec![begin("r", "three"), push];
    three.extend(said("m-r", "third"));
    // The third writes on in a message of the first.
    three.extend(said("m-a", " and third"));
    three.extend([event!("CUSTOM", "name": "n", "value": "r"), finished("r")]);
    vec![one, two, three]
}

fn ask(agent: &mut Agent, id: &str, text: &str) -> u32 {
    let resume: Vec<Value> = agent.snapshot()["interrupts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|interrupt| json!({"interruptId": interrupt["id"], "status": "resolved"}))
        .collect();
    let tools = json!([{"name": "f", "followUp": false}]);
    let message = user(&format!("u-{id}"), text);
    agent.submit_json(json!({"runId": id, "messages": [message], "pageTools": tools, "resume": resume}));
    agent.requests.last().unwrap().0
}

/// The runs before the last one, as a page sees them that was there.
fn was_there(strict: bool) -> (Agent, u32) {
    let mut agent = replays(strict);
    let runs = thread();
    let request = ask(&mut agent, "a", "one");
    agent.take(request, &runs[0], true);
    let answer = json!({"toolCallId": "c", "result": "done"}).to_string();
    agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true)));
    let request = ask(&mut agent, "b", "two");
    agent.take(request, &runs[1], true);
    let request = ask(&mut agent, "r", "three");
    (agent, request)
}

fn shown(agent: &mut Agent) -> Value {
    let texts = agent.lines();
    let executed = agent.executed.len();
    let custom = agent.custom.clone();
    let warnings = agent.warnings.clone();
    let snapshot = agent.snapshot();
    let rest = ["state", "toolCalls", "interrupts", "usage", "outcome", "status", "runId"].map(|name| &snapshot[name]);
    json!([texts, executed, custom, warnings, rest])
}

#[test]
fn a_replay_of_the_whole_thread_doubles_nothing_wherever_it_is_cut() {
    let runs = thread();
    let all = runs.concat();
    for strict in [false, true] {
        let expected = {
            let (mut agent, request) = was_there(strict);
            agent.take(request, &runs[2], true);
            shown(&mut agent)
        };
        assert_eq!(expected[4][0]["list"], json!([1, 1, 1]));
        for cut in 0..runs[2].len() {
            for replay in 0..all.len() {
                for ends in [false, true] {
                    let (mut agent, request) = was_there(strict);
                    agent.take(request, &runs[2][..cut], ends);
                    for length in [replay, replay / 2, all.len()] {
                        let request = agent.wait();
                        agent.take(request, &all[..length], ends);
                    }
                    assert_eq!(shown(&mut agent), expected, "{strict} {cut} {replay} {ends}");
                    assert_eq!(outcomes(&agent), [(1, "success"), (2, "interrupted"), (3, "success")]);
                }
            }
        }
    }
}

#[test]
fn what_was_shown_stays_until_the_run_comes_again() {
    let (mut agent, request) = was_there(true);
    let runs = thread();
    agent.take(request, &runs[2][..4], false);
    let before = agent.lines();
    let request = agent.wait();
    agent.head(request, 200, SSE);
    for event in runs[..2].concat() {
        agent.event(request, event);
        assert_eq!(agent.lines(), before);
    }
}

#[test]
fn a_page_that_was_loaded_anew_knows_the_earlier_runs() {
    let (runs, all) = (thread(), thread().concat());
    for cut in 0..=runs[2].len() {
        let (mut agent, request) = was_there(true);
        agent.head(request, 200, SSE);
        agent.events(request, &runs[2][..cut]);
        if cut == runs[2].len() {
            agent.end(request);
        }
        let saved = agent.session.save();
        let mut agent = replays(true);
        agent.act(|session, now| session.restore(&saved, now).unwrap());
        agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(1)));
        agent.take(1, &all, true);
        let expected = [
            "user: one",
            "assistant: first and second and third",
            "tool: done",
            "user: two",
            "user: three",
            "assistant: third",
        ];
        let mut found = agent.lines();
        found.sort();
        let mut sorted = expected.map(String::from).to_vec();
        sorted.sort();
        assert_eq!(found, sorted, "{cut}");
        let snapshot = agent.snapshot();
        assert_eq!((&snapshot["state"], &snapshot["outcome"]), (&json!({"list": [1, 1, 1]}), &json!("success")));
        assert_eq!((outcomes(&agent), agent.executed.len()), (vec![(1, "success")], 0));
        assert_eq!(agent.warnings, [] as [&str; 0]);
    }
}

#[test]
fn a_page_that_has_seen_no_run_is_shown_all_of_them() {
    let all = thread().concat();
    for given in ["[]", r#"[{"id":"greeting","role":"assistant","content":"What can I do?"}]"#] {
        for cut in 0..=all.len() {
            for ends in [false, true] {
                let mut agent = Agent::with(options(true), Some(given), None);
                let input = json!({"runId": "r", "pageTools": [{"name": "f"}]}).to_string();
                agent.act(|session, now| assert_eq!(session.attach(&input, now), Ok(1)));
                agent.take(1, &all[..cut], ends);
                if cut < all.len() {
                    assert_eq!(agent.snapshot()["runId"], "r", "the run that is joined");
                    let request = agent.wait();
                    agent.take(request, &all, true);
                }
                let texts: Vec<String> = agent.lines().into_iter().skip(usize::from(given.len() > 2)).collect();
                let expected = [
                    "user: one",
                    "assistant: first and second and third",
                    "user: two",
                    "user: three",
                    "assistant: third",
                ];
                assert_eq!(texts, expected, "{cut} {ends}");
                assert_eq!(agent.executed.len(), 0, "that call was answered long ago");
                assert_eq!(outcomes(&agent), [(1, "success")]);
                let snapshot = agent.snapshot();
                assert_eq!((&snapshot["state"], &snapshot["interrupts"]), (&json!({"list": [1, 1, 1]}), &json!([])));
                assert_eq!(snapshot["usage"], json!([{"model": "m", "inputTokens": 1}]));
                assert_eq!(agent.custom.len(), 2);
                assert_eq!(agent.warnings, [] as [&str; 0]);
            }
        }
    }
}

#[test]
fn a_history_that_the_application_gave_is_known() {
    let all = thread().concat();
    let history = json!([user("u-a", "one"), {"id": "m-a", "role": "assistant", "content": "first and second"},
        user("u-b", "two"), user("u-r", "three")]);
    let mut agent = Agent::with(options(true), Some(&history.to_string()), Some(r#"{"list":[1,1]}"#));
    agent.act(|session, now| assert_eq!(session.attach(r#"{"runId":"r"}"#, now), Ok(1)));
    agent.take(1, &all, true);
    let texts = ["user: one", "assistant: first and second and third", "user: two", "user: three", "assistant: third"];
    assert_eq!(agent.lines(), texts);
    assert_eq!(agent.snapshot()["state"], json!({"list": [1, 1, 1]}));
}

#[test]
fn a_run_after_the_one_that_is_joined_is_new() {
    let (mut agent, request) = was_there(true);
    agent.take(request, &thread()[2][..3], false);
    let request = agent.wait();
    let mut all = thread().concat();
    all.push(started("later"));
    all.extend(said("m-later", "fourth"));
    agent.take(request, &all, false);
    // Cut in a run that somebody else has begun: both are replayed.
    let request = agent.wait();
    all.push(finished("later"));
    agent.take(request, &all, true);
    let texts = agent.lines();
    assert_eq!(texts.iter().filter(|text| text.ends_with("third") || text.ends_with("fourth")).count(), 3, "{texts:?}");
    assert_eq!(agent.custom.len(), 2);
    assert_eq!(outcomes(&agent), [(1, "success"), (2, "interrupted"), (3, "success")]);
}

#[test]
fn a_server_that_names_runs_itself_is_followed() {
    let named = |id: &str, message: &str| {
        let mut run = vec![started(id)];
        run.extend(said(message, message));
        run.push(finished(id));
        run
    };
    let (one, two) = (named("srv-1", "first"), named("srv-2", "second"));
    let all = [one.clone(), two.clone()].concat();
    for cut in 0..two.len() {
        let mut agent = replays(true);
        let request = ask(&mut agent, "a", "one");
        agent.take(request, &one, true);
        let request = ask(&mut agent, "b", "two");
        agent.take(request, &two[..cut], false);
        let request = agent.wait();
        agent.take(request, &all, true);
        assert_eq!(agent.lines(), ["user: one", "assistant: first", "user: two", "assistant: second"], "{cut}");
        assert_eq!(outcomes(&agent), [(1, "success"), (2, "success")]);
    }
    // A page that joins by its own name, and hears only of others.
    let mut agent = replays(true);
    agent.act(|session, now| assert_eq!(session.attach(r#"{"runId":"b"}"#, now), Ok(1)));
    let mut request = 1;
    while agent.settled.is_empty() {
        agent.take(request, &all, true);
        if agent.settled.is_empty() {
            request = agent.wait();
        }
    }
    assert_eq!(
        (agent.lines(), outcomes(&agent)),
        (vec!["assistant: first".into(), "assistant: second".into()], vec![(1, "success")])
    );
}

#[test]
fn what_the_application_changed_in_an_older_message_stays() {
    let (mut agent, request) = was_there(true);
    let runs = thread();
    let length = runs[2].len();
    agent.take(request, &runs[2][..length - 2], false);
    let mut messages = agent.snapshot()["messages"].as_array().unwrap().clone();
    for message in messages.iter_mut().filter(|message| message["id"] == "m-a") {
        message["content"] = json!("mine");
    }
    agent.act(|session, _| session.set_messages(&json!(messages).to_string()).unwrap());
    let request = agent.wait();
    agent.take(request, &thread().concat(), true);
    let texts = agent.lines();
    assert!(texts.contains(&"assistant: mine and third".to_owned()), "{texts:?}");
    assert_eq!(texts.iter().filter(|text| text.contains("third")).count(), 2);
}

#[test]
fn arguments_that_went_on_in_an_older_call_are_not_doubled() {
    let mut agent = replays(false);
    let call = |delta: &str| {
        [
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "server"),
            event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": delta),
        ]
    };
    let end = event!("TOOL_CALL_END", "toolCallId": "c");
    let other = event!("TOOL_CALL_START", "toolCallId": "d", "toolCallName": "g", "parentMessageId": "c");
    let request = ask(&mut agent, "a", "one");
    agent.take(request, &[&[started("a")], &call("{\"a\":")[..], &[finished("a")]].concat(), true);
    let request = ask(&mut agent, "b", "two");
    let second = [&[started("b")], &call("1}")[..], &[end, other, finished("b")]].concat();
    agent.take(request, &second[..5], false);
    let request = agent.wait();
    agent.take(request, &second, true);
    let calls = &agent.snapshot()["toolCalls"];
    assert_eq!((&calls[0]["argsText"], calls.as_array().unwrap().len()), (&json!("{\"a\":1}"), 2), "{calls}");
}

fn calling(message: &str, calls: &[&str]) -> Value {
    let call = |id: &&str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!({"id": message, "role": "assistant", "toolCalls": calls.iter().map(call).collect::<Vec<_>>()})
}

fn listed(messages: &[Value]) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

#[test]
fn an_earlier_call_that_a_list_has_moved_stays_when_the_run_is_replayed() {
    let before = [user("u", "go"), calling("m", &["a"]), calling("n", &["b"])];
    let mut agent = Agent::with(options(false), Some(&json!(before).to_string()), None);
    let request = agent.submit("and?");
    let list = [user("u", "go"), calling("m", &["a", "b", "of this run"]), user("u0", "and?")];
    agent.take(request, &[started("r"), listed(&list)], false);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.event(request, started("r"));
    let calls: Vec<Value> =
        agent.snapshot()["toolCalls"].as_array().unwrap().iter().map(|call| call["id"].clone()).collect();
    assert_eq!(calls, ["a", "b"], "the server tells again of its run only");
}

#[test]
fn each_call_of_a_run_that_is_joined_is_executed_also_after_a_regenerate() {
    let resume = Some(Resume::by("snapshot", None, None).unwrap());
    let mut agent = Agent::new(Options { network: Network { resume, ..Network::default() }, ..Options::default() });
    let input = |run: &str, messages: Value| json!({"runId": run, "messages": messages, "pageTools": [{"name": "f"}]});
    agent.submit_json(input("r", json!([user("u", "go")])));
    let request = agent.requests[0].0;
    agent.take(request, &[started("r")], false);
    let request = agent.wait();
    let result = json!({"id": "t", "role": "tool", "toolCallId": "a", "content": "1"});
    let list = listed(&[user("u", "go"), calling("m", &["a"]), result]);
    agent.take(request, &[started("r"), list, finished("r")], true);
    let again = input("q", json!([])).to_string();
    agent.act(|session, now| assert!(session.regenerate(None, &again, now).is_ok()));
    let request = agent.requests.last().unwrap().0;
    agent.take(request, &[started("q")], false);
    let request = agent.wait();
    let list = listed(&[user("u", "go"), calling("b", &["b"]), calling("c", &["c"]), calling("d", &["d"])]);
    agent.take(request, &[started("q"), list, finished("q")], true);
    let executed: Vec<&str> = agent.executed.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(executed, ["b", "c", "d"]);
}
