//! Broken networks: refusals, cuts, waiting, joining a run again in every way that servers know, leaving it.

use crate::support::Agent;
use crate::support::runs::*;
use ag_ui_wasm::session::{Misuse, Network, Options, Resume, Target};
use serde_json::{Value, json};

const SSE: &str = "text/event-stream";

fn agent(network: Network) -> Agent {
    Agent::new(Options { network, ..Options::default() })
}

fn strict(network: Network) -> Agent {
    Agent::new(Options { network, strict: true, ..Options::default() })
}

fn resume(by: &str) -> Network {
    Network { resume: Some(Resume::by(by, Some("/metadata/seq"), Some("after")).unwrap()), ..Network::default() }
}

/// What a frame needs to be told apart.
fn frame(id: &str, event: &Value) -> Vec<u8> {
    format!("id: {id}\ndata: {event}\n\n").into_bytes()
}

impl Agent {
    fn refuse(&mut self, request: u32, status: u16, retry_after: Option<&str>) {
        self.act(|session, now| session.head(request, status, "text/plain", retry_after, now));
    }

    fn phase(&mut self) -> String {
        self.snapshot()["connection"]["phase"].as_str().unwrap().to_owned()
    }

    fn texts(&mut self) -> Vec<String> {
        let messages = self.snapshot()["messages"].as_array().unwrap();
        let of = |message: &Value| message["content"].as_str().map(Into::into);
        messages.iter().filter(|message| message["role"] == "assistant").filter_map(of).collect()
    }
}

fn content(id: &str, delta: &str) -> Value {
    event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta)
}

fn ended(id: &str) -> Value {
    event!("TEXT_MESSAGE_END", "messageId": id)
}

/// A run whose every event has an id: "Hello" is shown, and the connection lost.
fn cut(network: Network) -> Agent {
    let mut agent = strict(network);
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    let [start, hello] = text("m", "Hello");
    for (id, event) in [started("r"), start, hello].iter().enumerate() {
        agent.bytes(request, &frame(&format!("r:{id}"), event));
    }
    agent.cut(request);
    agent
}

fn ends_well(agent: &mut Agent, texts: &[&str]) {
    assert_eq!(agent.texts(), texts);
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("success")));
    assert!(snapshot["messages"].as_array().unwrap().iter().all(|message| message["delivery"] == "complete"));
    assert_eq!(outcomes(agent), [(1, "success")]);
    assert_eq!(agent.warnings, [] as [&str; 0]);
    assert_eq!((agent.phase().as_str(), agent.wake), ("closed", None));
}

#[test]
fn an_error_says_how_long_to_wait() {
    let mut agent = agent(Network::default());
    let request = agent.submit("go");
    agent.refuse(request, 429, Some("7"));
    agent.end(request);
    let error = &agent.snapshot()["error"];
    assert_eq!((&error["status"], &error["retryAfterMs"]), (&json!(429), &json!(7000)));
    assert_eq!(agent.requests.len(), 1, "without the option nothing is sent again");
}

#[test]
fn after_401_the_request_is_made_once_more() {
    let network = Network { renew_headers: true, ..Network::default() };
    let mut agent = agent(network);
    let first = agent.submit("go");
    agent.refuse(first, 401, None);
    assert_eq!(agent.closed, [first]);
    assert_eq!(agent.requests[0].1, agent.requests[1].1, "the same body");
    assert_eq!(agent.targets[1].0, Target::Again);
    assert_eq!(agent.snapshot()["status"], "running");
    agent.head(2, 200, SSE);
    agent.events(2, &[started("r"), finished("r")]);
    agent.end(2);
    assert_eq!(outcomes(&agent), [(1, "success")]);
    // Twice is an answer.
    agent.submit("again");
    for request in [3, 4] {
        agent.refuse(request, 401, None);
    }
    agent.end(4);
    assert_eq!(agent.snapshot()["error"]["kind"], "auth");
    assert_eq!(agent.requests.len(), 4);
    // So is 403.
    agent.submit("again");
    agent.refuse(5, 403, None);
    agent.end(5);
    assert_eq!((agent.requests.len(), agent.snapshot()["error"]["kind"].as_str()), (5, Some("auth")));
}

#[test]
fn headers_that_cannot_change_are_not_tried_twice() {
    let mut agent = agent(Network::default());
    let request = agent.submit("go");
    agent.refuse(request, 401, None);
    agent.end(request);
    assert_eq!((agent.requests.len(), agent.snapshot()["error"]["kind"].as_str()), (1, Some("auth")));
}

#[test]
fn a_refused_request_is_sent_again_where_the_application_says_so() {
    for status in [425, 429, 503] {
        let mut agent = agent(Network { refusals: true, ..Network::default() });
        let request = agent.submit("go");
        agent.refuse(request, status, Some("3"));
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["status"], "running");
        assert_eq!(snapshot["connection"], json!({"phase": "reconnecting", "attempt": 1, "retryAt": 4000}));
        assert_eq!(agent.closed, [request]);
        let request = agent.wait();
        assert_eq!((agent.now, agent.phase().as_str()), (4000.0, "reconnecting"));
        assert_eq!((agent.requests[0].1 == agent.requests[1].1, agent.targets[1].0), (true, Target::Again));
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r"), finished("r")]);
        agent.end(request);
        ends_well(&mut agent, &[]);
    }
}

#[test]
fn a_request_that_may_have_begun_a_run_is_not_sent_again() {
    let refusals = Network { refusals: true, resume: resume("snapshot").resume, ..Network::default() };
    for (status, again) in [(400, false), (408, true), (500, false), (502, true), (504, true)] {
        for posts in [false, true] {
            let mut agent = agent(Network { posts, ..refusals.clone() });
            let request = agent.submit("go");
            agent.refuse(request, status, None);
            agent.end(request);
            assert_eq!(agent.snapshot()["status"] == "running", posts && again, "{status} {posts}");
        }
    }
    for posts in [false, true] {
        let mut agent = agent(Network { posts, ..refusals.clone() });
        let request = agent.submit("go");
        agent.cut(request);
        assert_eq!(agent.snapshot()["status"], if posts { "running" } else { "error" });
        if !posts {
            assert_eq!(agent.snapshot()["error"]["message"], "The server could not be reached: reset");
        }
    }
}

#[test]
fn the_last_refusal_is_the_error() {
    let mut agent = agent(Network { refusals: true, attempts: 2, ..Network::default() });
    let mut request = agent.submit("go");
    for attempt in 1..=2 {
        agent.refuse(request, 503, None);
        assert_eq!(agent.snapshot()["connection"]["attempt"], attempt);
        request = agent.wait();
    }
    agent.refuse(request, 503, Some("5"));
    agent.bytes(request, b"busy");
    agent.end(request);
    let error = &agent.snapshot()["error"];
    assert_eq!((&error["message"], &error["retryAfterMs"]), (&json!("HTTP 503: busy"), &json!(5000)));
    assert_eq!((agent.requests.len(), outcomes(&agent)), (3, vec![(1, "error")]));
}

#[test]
fn nobody_waits_for_an_hour() {
    let mut agent = agent(Network { refusals: true, ..Network::default() });
    let request = agent.submit("go");
    agent.refuse(request, 429, Some("3600"));
    agent.end(request);
    assert_eq!(agent.snapshot()["error"]["retryAfterMs"], 3_600_000);
}

#[test]
fn without_a_way_to_resume_a_cut_is_the_end() {
    let (mut agent, request) = streaming();
    agent.cut(request);
    assert_eq!(agent.snapshot()["outcome"], "truncated");
    assert_eq!(agent.wake, None);
}

#[test]
fn last_event_id() {
    let mut agent = cut(resume("last-event-id"));
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["status"], "running");
    assert_eq!(snapshot["messages"][1]["delivery"], "streaming");
    assert_eq!(snapshot["connection"]["phase"], "reconnecting");
    assert_eq!(snapshot["connection"]["lastEventId"], "r:2");
    let request = agent.wait();
    assert_eq!(agent.targets[1], (Target::Resume, "r".into(), Some("r:2".into())));
    agent.head(request, 200, SSE);
    assert_eq!(agent.snapshot()["connection"], json!({"phase": "open", "attempt": 1, "lastEventId": "r:2"}));
    // A server that repeats what was seen, or all of it, repeats nothing on the page.
    let [start, hello] = text("m", "Hello");
    for (id, event) in [(0, started("r")), (1, start), (2, hello), (3, content("m", " you"))] {
        agent.bytes(request, &frame(&format!("r:{id}"), &event));
    }
    assert_eq!(agent.snapshot()["connection"], json!({"phase": "open", "attempt": 0, "lastEventId": "r:3"}));
    agent.bytes(request, &frame("r:4", &ended("m")));
    agent.bytes(request, &frame("r:5", &finished("r")));
    agent.end(request);
    ends_well(&mut agent, &["Hello you"]);
}

#[test]
fn a_stream_without_ids_cannot_be_resumed_by_them() {
    let mut agent = agent(resume("last-event-id"));
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    agent.events(request, &[started("r")]);
    agent.end(request);
    assert_eq!(outcomes(&agent), [(1, "truncated")]);
}

#[test]
fn frames_of_one_connection_may_share_an_id() {
    let mut agent = cut(resume("last-event-id"));
    let request = agent.wait();
    agent.head(request, 200, SSE);
    for event in [content("m", " you"), ended("m"), finished("r")] {
        agent.bytes(request, &frame("r:3", &event));
    }
    agent.end(request);
    ends_well(&mut agent, &["Hello you"]);
}

#[test]
fn a_frame_that_the_cut_has_halved_comes_again() {
    let rest = String::from_utf8(frame("r:3", &content("m", " you"))).unwrap();
    for length in 0..=rest.len() {
        let mut agent = strict(resume("last-event-id"));
        let request = agent.submit("go");
        agent.head(request, 200, SSE);
        let [start, hello] = text("m", "Hello");
        for (id, event) in [started("r"), start, hello].iter().enumerate() {
            agent.bytes(request, &frame(&format!("r:{id}"), event));
        }
        agent.bytes(request, &rest.as_bytes()[..length]);
        agent.end(request);
        let cursor = if length == rest.len() { "r:3" } else { "r:2" };
        let request = agent.wait();
        assert_eq!(agent.targets[1].2.as_deref(), Some(cursor), "{length}");
        agent.head(request, 200, SSE);
        if cursor == "r:2" {
            agent.bytes(request, rest.as_bytes());
        }
        agent.bytes(request, &frame("r:4", &ended("m")));
        agent.bytes(request, &frame("r:5", &finished("r")));
        agent.end(request);
        ends_well(&mut agent, &["Hello you"]);
    }
}

#[test]
fn an_end_that_lacks_its_blank_line_is_an_end() {
    let mut agent = agent(resume("last-event-id"));
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("1", &started("r")));
    agent.bytes(request, format!("id: 2\ndata: {}", finished("r")).as_bytes());
    agent.end(request);
    ends_well(&mut agent, &[]);
}

#[test]
fn chunks_go_on_where_they_were() {
    let mut agent = strict(resume("last-event-id"));
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("1", &started("r")));
    agent.bytes(request, &frame("2", &event!("TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "a")));
    agent.end(request);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("3", &event!("TEXT_MESSAGE_CHUNK", "delta": "b")));
    agent.bytes(request, &frame("4", &finished("r")));
    agent.end(request);
    ends_well(&mut agent, &["ab"]);
}

#[test]
fn the_run_has_a_url_of_its_own() {
    // POST names the run, GET streams it: the answer is JSON, or nothing.
    for (status, body, run) in [(202, r#"{"runId":"other"}"#, "other"), (201, "{}", "r"), (204, "", "r")] {
        let mut agent = agent(resume("run-url"));
        let request = agent.submit("go");
        agent.head(request, status, "application/json");
        agent.bytes(request, body.as_bytes());
        agent.end(request);
        assert_eq!(agent.targets[1], (Target::Resume, run.into(), None), "{status}");
        agent.head(2, 200, SSE);
        agent.events(2, &[started(run)]);
        agent.events(2, &text("m", "Hello"));
        // Without ids the stream begins anew.
        agent.end(2);
        let request = agent.wait();
        assert_eq!(agent.targets[2], (Target::Resume, run.into(), None));
        agent.head(request, 200, SSE);
        agent.events(request, &[started(run)]);
        agent.events(request, &text("m", "Hello"));
        agent.events(request, &[content("m", " you"), ended("m"), finished(run)]);
        agent.end(request);
        ends_well(&mut agent, &["Hello you"]);
    }
    // With ids it continues.
    let mut agent = cut(resume("run-url"));
    let request = agent.wait();
    assert_eq!(agent.targets[1], (Target::Resume, "r".into(), Some("r:2".into())));
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("r:3", &ended("m")));
    agent.bytes(request, &frame("r:4", &finished("r")));
    agent.end(request);
    ends_well(&mut agent, &["Hello"]);
}

#[test]
fn a_cursor_within_the_events() {
    for (by, numbers) in [("cursor", true), ("cursor", false), ("socket-cursor", true)] {
        let mut agent = strict(resume(by));
        let seq = |event: &Value, at: u64| {
            let mut event = event.clone();
            event["metadata"] = json!({"seq": if numbers { json!(at) } else { json!(format!("s-{at}")) }});
            event
        };
        let all = [started("r"), text("m", "")[0].clone(), content("m", "Hello"), ended("m"), finished("r")];
        let request = agent.submit_json(json!({"runId": "r", "forwardedProps": {"x": 1}, "messages": []}));
        agent.head(request, 200, SSE);
        for (at, event) in all.iter().take(3).enumerate() {
            agent.event(request, seq(event, at as u64));
        }
        agent.end(request);
        let request = agent.wait();
        let cursor = if numbers { json!(2) } else { json!("s-2") };
        assert_eq!(agent.sent()["forwardedProps"], json!({"x": 1, "after": cursor}), "the server looks for it here");
        agent.head(request, 200, SSE);
        for (at, event) in all.iter().enumerate() {
            agent.event(request, seq(event, at as u64));
        }
        agent.end(request);
        ends_well(&mut agent, &["Hello"]);
    }
}

#[test]
fn snapshot_then_deltas() {
    let mut agent = cut(resume("snapshot"));
    let request = agent.wait();
    assert_eq!(agent.targets[1].0, Target::Resume);
    agent.head(request, 200, SSE);
    let messages = json!([
        user("u0", "go"), {"id": "m", "role": "assistant", "content": "Hello you"},
        {"id": "n", "role": "assistant", "content": "And"},
    ]);
    agent.events(
        request,
        &[
            event!("MESSAGES_SNAPSHOT", "messages": messages),
            content("n", " more"),
            ended("n"),
            event!("TEXT_MESSAGE_START", "messageId": "o"),
            content("o", "!"),
            ended("o"),
            finished("r"),
        ],
    );
    agent.end(request);
    ends_well(&mut agent, &["Hello you", "And more", "!"]);
}

#[test]
fn prelude_and_what_is_open_is_opened_again() {
    let mut agent = strict(resume("prelude"));
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    let call = |id: &str| event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": "f", "parentMessageId": "m");
    let args = |delta: &str| event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": delta);
    let step = event!("STEP_STARTED", "stepName": "s");
    let [start, hello] = text("m", "Hello");
    agent.events(request, &[started("r"), step.clone(), start.clone(), hello, call("c"), args("{\"a\":")]);
    agent.cut(request);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    let calls = json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{\"a\":[1"}}]);
    let messages = json!([user("u0", "go"), {"id": "m", "role": "assistant", "content": "Hello", "toolCalls": calls}]);
    agent.events(
        request,
        &[
            started("r"),
            event!("MESSAGES_SNAPSHOT", "messages": messages),
            step,
            start,
            call("c"),
            args("]}"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
            content("m", " you"),
            ended("m"),
            event!("STEP_FINISHED", "stepName": "s"),
            finished("r"),
        ],
    );
    agent.end(request);
    ends_well(&mut agent, &["Hello you"]);
    let snapshot = agent.snapshot();
    assert_eq!(snapshot["toolCalls"][0]["args"], json!({"a": [1]}));
    assert_eq!(snapshot["toolCalls"].as_array().unwrap().len(), 1);
    assert_eq!(snapshot["steps"].as_array().unwrap().len(), 1);
    assert_eq!(snapshot["steps"][0]["status"], "complete");
}

#[test]
fn a_replay_begins_anew() {
    let mut agent = strict(resume("replay"));
    agent.act(|session, _| session.set_state(r#"{"list":[0]}"#).unwrap());
    let push = event!("STATE_DELTA", "delta": [{"op": "add", "path": "/list/-", "value": 1}]);
    let custom = |n: u8| event!("CUSTOM", "name": "n", "value": n);
    let [start, hello] = text("m", "Hello");
    let all = [started("r"), custom(1), push, start, hello, custom(2), ended("m"), finished("r")];
    let mut request = agent.submit("go");
    for length in [5, 3, 6, all.len()] {
        agent.head(request, 200, SSE);
        agent.events(request, &all[..length]);
        agent.end(request);
        if length < all.len() {
            assert_eq!(agent.snapshot()["status"], "running");
            request = agent.wait();
        }
    }
    ends_well(&mut agent, &["Hello"]);
    assert_eq!(agent.snapshot()["state"], json!({"list": [0, 1]}));
    assert_eq!(agent.snapshot()["messages"][0]["role"], "user");
    assert_eq!(agent.custom, [("n".into(), json!(1)), ("n".into(), json!(2))], "told once");
}

#[test]
fn a_replay_that_brings_nothing_new_uses_the_budget_up() {
    let mut agent = agent(Network { attempts: 3, ..resume("replay") });
    let mut request = agent.submit("go");
    for attempt in 1..=4 {
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r")]);
        agent.events(request, &text("m", "Hello"));
        agent.end(request);
        if attempt <= 3 {
            assert_eq!(agent.snapshot()["connection"]["attempt"], attempt);
            request = agent.wait();
        }
    }
    assert_eq!((agent.texts(), outcomes(&agent)), (vec!["Hello".to_owned()], vec![(1, "truncated")]));
}

#[test]
fn what_everyone_hears_who_joins_does_not_fill_the_budget() {
    let mut agent = cut(Network { attempts: 2, ..resume("snapshot") });
    for _ in 0..2 {
        let request = agent.wait();
        agent.head(request, 200, SSE);
        let messages = json!([user("u0", "go"), {"id": "m", "role": "assistant", "content": "Hello"}]);
        agent.events(request, &[started("r"), event!("MESSAGES_SNAPSHOT", "messages": messages)]);
        agent.end(request);
    }
    assert_eq!(outcomes(&agent), [(1, "truncated")]);
}

#[test]
fn every_new_event_fills_the_budget() {
    let mut agent = cut(Network { attempts: 1, ..resume("last-event-id") });
    for id in 3..20 {
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
        agent.end(request);
    }
    let request = agent.wait();
    agent.cut(request);
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["outcome"], &snapshot["error"]["code"]), (&json!("truncated"), &json!("truncated")));
    assert_eq!(agent.texts(), [format!("Hello{}", "!".repeat(17))]);
}

#[test]
fn a_server_that_knows_the_run_no_more_is_not_asked_again() {
    for status in [204, 404, 410] {
        let mut agent = cut(resume("last-event-id"));
        let request = agent.wait();
        agent.head(request, status, "");
        agent.end(request);
        assert_eq!((agent.requests.len(), outcomes(&agent)), (2, vec![(1, "truncated")]), "{status}");
        assert_eq!(agent.wake, None);
    }
    // One that has no time now is, and one that wants other headers.
    let mut agent = cut(Network { renew_headers: true, ..resume("last-event-id") });
    let request = agent.wait();
    agent.refuse(request, 500, None);
    let request = agent.wait();
    agent.refuse(request, 401, None);
    assert_eq!(agent.targets[3], (Target::Resume, "r".into(), Some("r:2".into())));
    agent.head(4, 200, SSE);
    agent.bytes(4, &frame("r:3", &ended("m")));
    agent.bytes(4, &frame("r:4", &finished("r")));
    agent.end(4);
    ends_well(&mut agent, &["Hello"]);
}

#[test]
fn the_server_says_how_long_to_wait() {
    let network = Network { base_ms: 1e9, max_ms: 1e9, ..resume("last-event-id") };
    let mut agent = agent(network);
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    agent.bytes(request, b"retry: 300\n");
    agent.bytes(request, &frame("1", &started("r")));
    agent.end(request);
    let waits = agent.wake.unwrap() - agent.now;
    assert!((100.0..=300.0).contains(&waits), "{waits}");
}

#[test]
fn online_ends_the_waiting() {
    let mut agent = cut(resume("last-event-id"));
    agent.act(|session, now| session.online(now));
    assert_eq!(agent.targets[1].0, Target::Resume);
    agent.act(|session, now| session.online(now));
    assert_eq!((agent.requests.len(), agent.wake), (2, None), "and disturbs no other request");
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("r:3", &ended("m")));
    agent.bytes(2, &frame("r:4", &finished("r")));
    agent.end(2);
    agent.act(|session, now| session.online(now));
    ends_well(&mut agent, &["Hello"]);
}

#[test]
fn a_connection_on_which_nothing_comes_is_lost() {
    let network = Network { idle_ms: 5000.0, ..resume("last-event-id") };
    let mut agent = agent(network.clone());
    let request = agent.submit("go");
    agent.now += 4000.0;
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("1", &started("r")));
    agent.now += 1000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!(agent.wake, Some(10_000.0), "a byte came meanwhile");
    agent.now = 9000.0;
    // A comment is a sign of life.
    agent.bytes(request, b": ping\n");
    agent.now = 10_000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!((agent.closed.len(), agent.wake), (0, Some(14_000.0)));
    agent.now = 14_000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!((agent.closed.clone(), agent.phase().as_str()), (vec![request], "reconnecting"));
    // The next one never answers at all.
    let request = agent.wait();
    agent.now += 5000.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!((agent.closed.last().copied(), agent.phase().as_str()), (Some(request), "reconnecting"));
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.wake, None);
    // Where the run cannot be joined, that is its end.
    let mut agent = self::agent(Network { resume: None, ..network });
    let request = agent.submit("go");
    agent.now += 5000.0;
    agent.act(|session, now| session.tick(now));
    let message = "The server could not be reached: nothing came for 5000 ms";
    assert_eq!((agent.closed.clone(), &agent.snapshot()["error"]["message"]), (vec![request], &json!(message)));
}

#[test]
fn stop_while_waiting() {
    let mut agent = cut(resume("last-event-id"));
    agent.submit_json(input("b", "2"));
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.stopped, ["r"], "the server is told");
    assert_eq!((outcomes(&agent), agent.closed.len()), (vec![(1, "aborted")], 0));
    assert_eq!(agent.requests.len(), 2, "the next one goes");
    assert_eq!(agent.targets[1].0, Target::Run);
    // Its stream has nothing to do with the ids of the other.
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("r:0", &started("b")));
    agent.bytes(2, &frame("r:1", &finished("b")));
    agent.end(2);
    assert_eq!(outcomes(&agent), [(1, "aborted"), (2, "success")]);
    assert_eq!(agent.warnings, [] as [&str; 0]);
}

#[test]
fn the_server_is_notified_of_a_stop_once_and_of_no_end() {
    let (mut agent, request) = streaming();
    agent.events(request, &[finished("r")]);
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.stopped, [] as [&str; 0]);
    agent.submit("again");
    agent.act(|session, now| session.stop(now));
    agent.act(|session, now| session.stop(now));
    assert_eq!(agent.stopped, ["r"]);
    // Who goes away has not said that the run is to end.
    let (mut agent, request) = streaming();
    agent.act(|session, now| session.dispose(now));
    assert_eq!((agent.stopped.as_slice(), agent.closed.as_slice()), (&[] as &[String], &[request][..]));
}

#[test]
fn a_run_that_was_left_is_joined_again() {
    let mut agent = strict(resume("last-event-id"));
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    let [start, hello] = text("m", "Hello");
    for (id, event) in [started("r"), start, hello].iter().enumerate() {
        agent.bytes(request, &frame(&format!("r:{id}"), event));
    }
    agent.act(|session, now| session.disconnect(now));
    agent.act(|session, now| session.disconnect(now));
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], snapshot.get("outcome"), snapshot.get("error")), (&json!("idle"), None, None));
    assert_eq!(snapshot["connection"], json!({"phase": "closed", "attempt": 0, "lastEventId": "r:2"}));
    assert_eq!((outcomes(&agent), agent.closed.as_slice()), (vec![(1, "disconnected")], &[request][..]));
    assert_eq!(agent.stopped, [] as [&str; 0]);
    let late = frame("r:3", &content("m", " late"));
    agent.bytes(request, &late);
    assert_eq!(agent.patch(), None);
    assert_eq!(agent.session.cursor(), Some("r:2"));

    assert_eq!(agent.session.attach("{}", agent.now), Ok(2));
    assert_eq!(agent.session.attach("{}", agent.now), Err(Misuse::Busy));
    agent.act(|_, _| {});
    assert_eq!(agent.targets[1], (Target::Resume, "r".into(), Some("r:2".into())));
    assert_eq!(agent.snapshot()["status"], "running");
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("r:3", &content("m", " you")));
    agent.bytes(2, &frame("r:4", &ended("m")));
    agent.bytes(2, &frame("r:5", &finished("r")));
    agent.end(2);
    assert_eq!(agent.texts(), ["Hello you"]);
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (2, "success")]);
    assert_eq!(agent.warnings, [] as [&str; 0]);
}

#[test]
fn another_page_joins_a_run() {
    for (by, cursor) in [("last-event-id", true), ("snapshot", false), ("replay", false)] {
        let mut agent = strict(resume(by));
        let input = json!({"runId": "r", "cursor": if cursor { json!("r:2") } else { Value::Null }});
        agent.session.attach(&input.to_string(), 0.0).unwrap();
        agent.act(|_, _| {});
        assert_eq!(agent.targets[0], (Target::Resume, "r".into(), cursor.then(|| "r:2".into())));
        agent.head(1, 200, SSE);
        let [start, hello] = text("m", "Hello");
        let messages = event!("MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "content": "Hello"}]);
        match by {
            "last-event-id" => agent.events(1, &[hello]),
            "snapshot" => agent.events(1, &[messages]),
            _ => agent.events(1, &[started("r"), start, hello]),
        };
        agent.events(1, &[content("m", " you"), ended("m"), finished("r")]);
        agent.end(1);
        ends_well(&mut agent, &["Hello you"]);
    }
}

#[test]
fn what_cannot_be_joined() {
    let mut agent = agent(resume("snapshot"));
    assert_eq!(agent.session.attach("{}", 0.0), Err(Misuse::NothingToAttach), "no run is known");
    agent.session.attach(r#"{"runId":"x"}"#, 0.0).unwrap();
    agent.act(|_, _| {});
    agent.head(1, 404, "text/plain");
    agent.end(1);
    assert_eq!((agent.snapshot()["error"]["status"].clone(), outcomes(&agent)), (json!(404), vec![(1, "error")]));
    let mut agent = self::agent(Network::default());
    assert_eq!(agent.session.attach(r#"{"runId":"x"}"#, 0.0), Err(Misuse::NothingToAttach), "no way is known");
}

#[test]
fn a_run_that_was_left_is_over_when_another_begins() {
    let (mut agent, _) = streaming();
    let waiting = agent.submit_json(input("b", "2"));
    agent.act(|session, now| session.disconnect(now));
    assert_eq!(agent.requests.len(), 1, "what waits does not run beside it");
    agent.submit_json(input("c", "3"));
    assert_eq!(agent.requests.len(), 2, "until the user wants it");
    assert_eq!(agent.snapshot()["messages"][1]["delivery"], "aborted");
    agent.head(2, 200, SSE);
    agent.events(2, &[started("b"), finished("b")]);
    agent.end(2);
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (waiting, "success")]);
}

#[test]
fn after_a_run_that_was_left_who_waited_goes_before_a_submit_that_does_not_wait() {
    for (if_busy, outcome) in [("reject", None), ("drop", Some("dropped"))] {
        let (mut agent, _) = streaming();
        agent.submit_json(input("b", "2"));
        agent.act(|session, now| session.disconnect(now));
        let hasty = json!({"runId": "c", "messages": [user("c", "3")], "ifBusy": if_busy}).to_string();
        agent.act(|session, now| {
            assert_eq!(session.submit(&hasty, now).err(), outcome.is_none().then_some(Misuse::Busy))
        });
        assert_eq!(agent.targets[1].1, "b");
        assert_eq!(outcomes(&agent).get(1).map(|(_, outcome)| *outcome), outcome);
        assert_eq!(agent.snapshot()["queue"], json!([]));
    }
}

#[test]
fn a_call_of_a_run_that_was_left_and_cut_out_of_the_thread_holds_nobody() {
    let mut agent = strict(resume("last-event-id"));
    let pay = json!([{"name": "pay", "needsApproval": true}]);
    agent.submit_json(json!({"runId": "a", "messages": [user("a", "1")], "pageTools": pay}));
    let waiting = agent.submit_json(input("b", "2"));
    agent.head(1, 200, SSE);
    let call = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "pay");
    for (id, event) in [started("a"), call, event!("TOOL_CALL_END", "toolCallId": "c")].iter().enumerate() {
        agent.bytes(1, &frame(&id.to_string(), event));
    }
    assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "awaiting-approval");
    agent.act(|session, now| session.disconnect(now));
    agent.act(|session, _| session.set_messages("[]").unwrap());
    let approval = r#"{"toolCallId":"c"}"#;
    agent.act(|session, now| assert_eq!(session.approve(approval, now), Ok(false), "nothing shows what it is"));
    assert_eq!((agent.requests.len(), &agent.snapshot()["toolCalls"]), (1, &json!([])));
    // As with every run that was left: the next submit ends it, and who waited comes first.
    agent.submit_json(input("c", "3"));
    assert_eq!(agent.targets[1].1, "b");
    agent.head(2, 200, SSE);
    agent.events(2, &[started("b"), finished("b")]);
    agent.end(2);
    assert_eq!(agent.targets[2].1, "c");
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (waiting, "success")]);
}

/// The page executes a tool while the run streams; the connection is lost and the run told from its beginning.
#[test]
fn a_replay_keeps_what_the_page_has_answered() {
    for settled in ["before", "during", "after"] {
        let mut agent = strict(resume("replay"));
        let first = json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [{"name": "f"}]});
        agent.submit_json(first);
        let call = [
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ];
        agent.head(1, 200, SSE);
        agent.events(1, &[started("r")]);
        agent.events(1, &call);
        let settle = |agent: &mut Agent, when: &str| {
            if when == settled {
                let answer = json!({"toolCallId": "c", "result": "done"}).to_string();
                agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true), "{when}"));
            }
        };
        settle(&mut agent, "before");
        agent.end(1);
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r")]);
        settle(&mut agent, "during");
        agent.events(request, &call);
        let phase = if settled == "after" { "executing" } else { "output-available" };
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], phase, "{settled}");
        agent.events(request, &[finished("r")]);
        settle(&mut agent, "after");
        agent.end(request);
        assert_eq!(agent.executed.len(), 1, "once");
        assert_eq!(agent.targets[2], (Target::Run, "r-1".into(), None));
        let messages = agent.sent()["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "tool"], "{settled}");
        assert_eq!(messages[2]["content"], "done");
        agent.head(3, 200, SSE);
        agent.events(3, &[started("r-1"), finished("r-1")]);
        agent.end(3);
        ends_well(&mut agent, &[]);
    }
}

#[test]
fn what_the_page_executes_outlives_the_connection() {
    let mut agent = strict(resume("last-event-id"));
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [{"name": "f"}]}));
    agent.submit_json(input("b", "2"));
    agent.head(1, 200, SSE);
    let call = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f");
    for (id, event) in [started("r"), call, event!("TOOL_CALL_END", "toolCallId": "c")].iter().enumerate() {
        agent.bytes(1, &frame(&id.to_string(), event));
    }
    agent.act(|session, now| session.disconnect(now));
    assert_eq!(agent.abandoned, [] as [&str; 0]);
    let answer = json!({"toolCallId": "c", "result": 1}).to_string();
    agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true)));
    assert_eq!((agent.requests.len(), agent.snapshot()["status"].as_str()), (1, Some("idle")), "nothing begins");
    agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(3)));
    agent.head(2, 200, SSE);
    agent.bytes(2, &frame("3", &finished("r")));
    agent.end(2);
    assert_eq!(agent.targets[2].1, "r-1", "the run that follows");
    agent.head(3, 200, SSE);
    agent.events(3, &[started("r-1"), finished("r-1")]);
    agent.end(3);
    assert_eq!(agent.targets[3].1, "b", "then who waited");
    assert_eq!(outcomes(&agent), [(1, "disconnected"), (3, "success")]);
}

#[test]
fn credentials_that_expire_in_mid_run() {
    let renewing = Network { renew_headers: true, ..resume("last-event-id") };
    for (network, joined) in [(renewing, true), (resume("last-event-id"), false)] {
        let mut agent = agent(network);
        let request = agent.submit("go");
        agent.head(request, 200, SSE);
        agent.bytes(request, &frame("1", &started("r")));
        agent.act(|session, now| session.denied(request, "expired", now));
        assert_eq!(agent.snapshot()["status"] == "running", joined);
        if joined {
            assert_eq!(agent.targets[1].0, Target::Resume);
            agent.act(|session, now| session.denied(2, "expired", now));
        }
        assert_eq!(agent.snapshot()["error"]["kind"], "auth");
        assert_eq!(outcomes(&agent), [(1, "truncated")]);
    }
}

#[test]
fn a_page_that_was_loaded_anew_joins_where_it_was() {
    for by in ["last-event-id", "replay"] {
        let agent = cut(resume(by));
        let saved = agent.session.save();
        let options = Options { thread_id: "t".into(), strict: true, network: resume(by), ..Options::default() };
        let mut agent = Agent::new(options);
        agent.act(|session, now| session.restore(&saved, now).unwrap());
        assert_eq!(agent.snapshot()["outcome"], "truncated");
        agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(1)));
        let resumes = by == "last-event-id";
        assert_eq!(agent.targets[0], (Target::Resume, "r".into(), resumes.then(|| "r:2".into())));
        agent.head(1, 200, SSE);
        let [start, hello] = text("m", "Hello");
        let all = [started("r"), start, hello, content("m", " you"), ended("m"), finished("r")];
        for (id, event) in all.iter().enumerate().skip(if resumes { 3 } else { 0 }) {
            agent.bytes(1, &frame(&format!("r:{id}"), event));
        }
        agent.end(1);
        ends_well(&mut agent, &["Hello you"]);
    }
}

#[test]
fn what_broke_before_it_was_a_stream_is_not_asked_for_again() {
    // The request may have begun a run.
    for by in ["run-url", "replay", "snapshot"] {
        let mut agent = agent(resume(by));
        let request = agent.submit("go");
        agent.head(request, 202, "application/json");
        agent.bytes(request, b"{\"run");
        agent.cut(request);
        assert_eq!((agent.requests.len(), agent.wake), (1, None), "{by}");
        assert_eq!(outcomes(&agent), [(1, "truncated")]);
    }
}

#[test]
fn a_replay_keeps_what_the_application_has_changed() {
    let mut agent = strict(resume("replay"));
    agent.submit_json(json!({"runId": "q", "messages": [user("u", "go")]}));
    let open = event!("TOOL_CALL_START", "toolCallId": "old", "toolCallName": "f");
    let old = [started("q"), open, event!("TOOL_CALL_END", "toolCallId": "old"), finished("q")];
    agent.head(1, 200, SSE);
    agent.events(1, &old);
    agent.end(1);
    agent.submit_json(json!({"runId": "r", "messages": [user("v", "and now")]}));
    let [start, hello] = text("m", "Hello");
    let state = event!("STATE_SNAPSHOT", "snapshot": {"theirs": 1});
    let all = [started("r"), state, start, hello, ended("m"), finished("r")];
    agent.head(2, 200, SSE);
    agent.events(2, &all[..4]);
    let mut messages = agent.snapshot()["messages"].as_array().unwrap().clone();
    messages.push(user("mine", "a note"));
    agent.act(|session, _| session.set_messages(&json!(messages).to_string()).unwrap());
    agent.act(|session, _| session.set_state(r#"{"theirs":1,"mine":2}"#).unwrap());
    let answer = json!({"toolCallId": "old", "result": "late"}).to_string();
    agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true)));
    agent.cut(2);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &all);
    agent.end(request);
    let snapshot = agent.snapshot();
    let ids: Vec<&str> = snapshot["messages"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["u", "old", "old-result", "v", "mine", "m"]);
    assert_eq!(snapshot["state"], json!({"theirs": 1, "mine": 2}));
    assert_eq!(snapshot["toolCalls"][0]["result"], "late");
}

/// A call of the page, in a run that has not ended: `c`, for `f`.
fn calls(network: Network, tool: Value) -> Agent {
    let mut agent = strict(network);
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [tool]}));
    agent.head(1, 200, SSE);
    let call = event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f");
    for (id, event) in [started("r"), call, event!("TOOL_CALL_END", "toolCallId": "c")].iter().enumerate() {
        agent.bytes(1, &frame(&format!("r:{id}"), event));
    }
    agent
}

/// The messages as the server of [`calls`] knows them, with more calls of `f`, and perhaps answers.
fn known(calls: &[&str], answers: &[&str]) -> Value {
    let function = json!({"name": "f", "arguments": "{}"});
    let call = |id: &&str| json!({"id": id, "role": "assistant", "toolCalls": [{"id": id, "type": "function", "function": function}]});
    let answer =
        |id: &&str| json!({"id": format!("{id}-answer"), "role": "tool", "toolCallId": id, "content": "known"});
    let messages = [user("u", "go")].into_iter().chain(calls.iter().map(call)).chain(answers.iter().map(answer));
    event!("MESSAGES_SNAPSHOT", "messages": messages.collect::<Vec<_>>())
}

#[test]
fn an_answer_that_was_given_while_nobody_listened_is_sent() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.act(|session, now| session.disconnect(now));
    let answer = json!({"toolCallId": "c", "result": "done"}).to_string();
    agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true)));
    agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(2)));
    agent.head(2, 200, SSE);
    // The server does not know of it yet.
    agent.events(2, &[known(&["c"], &[]), finished("r")]);
    agent.end(2);
    assert_eq!(agent.executed.len(), 1);
    assert_eq!((&agent.targets[2].1, &agent.sent()["messages"][2]["content"]), (&"r-1".into(), &json!("done")));
}

#[test]
fn a_call_that_was_made_while_nobody_listened_is_executed() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.cut(1);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &[known(&["c", "missed"], &[]), finished("r")]);
    let executed: Vec<&str> = agent.executed.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(executed, ["c", "missed"], "each once");
}

#[test]
fn calls_that_were_missed_are_executed_in_their_order() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.cut(1);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    // One is known of by the snapshot, the next by the stream, until that is cut as well.
    agent.events(request, &[known(&["c", "missed"], &[])]);
    agent.event(request, event!("TOOL_CALL_START", "toolCallId": "later", "toolCallName": "f"));
    agent.cut(request);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &[known(&["c", "missed", "later"], &[]), finished("r")]);
    let executed: Vec<&str> = agent.executed.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(executed, ["c", "missed", "later"]);
}

#[test]
fn a_call_that_a_snapshot_answers_holds_nobody() {
    for tool in [json!({"name": "f", "needsApproval": true}), json!({"name": "f"})] {
        let executes = tool.get("needsApproval").is_none();
        let mut agent = calls(resume("snapshot"), tool);
        agent.cut(1);
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.events(request, &[known(&["c"], &["c"]), finished("r")]);
        agent.end(request);
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "output-available");
        assert_eq!(agent.abandoned.len(), usize::from(executes));
        ends_well(&mut agent, &[]);
    }
}

#[test]
fn calls_of_a_run_that_was_stopped_are_not_those_of_the_next() {
    let mut agent = calls(resume("snapshot"), json!({"name": "f"}));
    agent.event(1, event!("TOOL_CALL_START", "toolCallId": "half", "toolCallName": "f"));
    agent.act(|session, now| session.stop(now));
    agent.submit_json(json!({"runId": "s", "messages": [user("v", "no")], "pageTools": [{"name": "f"}]}));
    // Its RUN_STARTED is lost.
    agent.head(2, 200, SSE);
    agent.cut(2);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &[finished("s")]);
    assert_eq!(agent.executed.len(), 1, "the one before");
}

#[test]
fn people_are_still_asked_by_a_page_that_was_loaded_anew_and_joins() {
    for by in ["last-event-id", "replay", "prelude"] {
        let agent = calls(resume(by), json!({"name": "f", "needsApproval": true}));
        let saved = agent.session.save();
        let mut agent = strict(resume(by));
        agent.act(|session, now| session.restore(&saved, now).unwrap());
        let input = json!({"pageTools": [{"name": "f", "needsApproval": true}]}).to_string();
        agent.act(|session, now| assert_eq!(session.attach(&input, now), Ok(1)));
        agent.head(1, 200, SSE);
        let call = [
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ];
        match by {
            "replay" => agent.events(1, &[started("r"), call[0].clone(), call[1].clone()]),
            "prelude" => agent.events(1, &[started("r"), known(&["c"], &[])]),
            _ => agent.snapshot(),
        };
        agent.bytes(1, &frame("r:3", &finished("r")));
        agent.end(1);
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], "awaiting-approval", "{by}");
        agent.act(|session, now| assert_eq!(session.approve(r#"{"toolCallId":"c"}"#, now), Ok(true)));
        assert_eq!(agent.executed.len(), 1);
    }
}

#[test]
fn a_page_that_was_loaded_anew_hears_the_end_of_what_it_did_not_see_begin() {
    let saved = cut(resume("last-event-id")).session.save();
    let mut agent = strict(resume("last-event-id"));
    agent.act(|session, now| session.restore(&saved, now).unwrap());
    agent.act(|session, now| assert_eq!(session.attach("{}", now), Ok(1)));
    agent.head(1, 200, SSE);
    agent.bytes(1, &frame("r:3", &ended("m")));
    agent.bytes(1, &frame("r:4", &finished("r")));
    agent.end(1);
    ends_well(&mut agent, &["Hello"]);
}

/// Every way to join, cut at every byte, and again a few bytes later: the thread is what it is without a cut.
#[test]
fn wherever_it_is_cut() {
    let [start, hello] = text("m", "Hello \u{1F642}");
    let delta = event!("STATE_DELTA", "delta": [{"op": "add", "path": "/list/-", "value": 1}]);
    let events = [
        started("r"),
        event!("STATE_SNAPSHOT", "snapshot": {"list": []}),
        start,
        hello,
        delta,
        content("m", " you"),
        ended("m"),
        event!("TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "f", "delta": "{\"a\":"),
        event!("TOOL_CALL_CHUNK", "delta": "1}"),
        event!("STEP_STARTED", "stepName": "s"),
        event!("STEP_FINISHED", "stepName": "s"),
        finished("r"),
    ];
    let frames: Vec<Vec<u8>> = events
        .iter()
        .enumerate()
        .map(|(at, event)| {
            let mut event = event.clone();
            event["metadata"] = json!({"seq": at});
            frame(&format!("e{at}"), &event)
        })
        .collect();
    let whole = frames.concat();
    let shown = |agent: &mut Agent| {
        let snapshot = agent.snapshot();
        let steps = snapshot["steps"].as_array().unwrap().iter().map(|step| step["status"].clone()).collect();
        let rest = ["messages", "toolCalls", "state", "outcome"].map(|name| snapshot[name].clone());
        (rest, Value::Array(steps))
    };
    for by in ["last-event-id", "cursor", "replay"] {
        let run = |cuts: &[usize], ends: bool| {
            let mut agent = strict(Network { attempts: 100, ..resume(by) });
            let mut request = agent.submit("go");
            for cut in cuts.iter().chain([&usize::MAX]) {
                let from = match (by, agent.targets.last().unwrap().2.as_deref()) {
                    ("last-event-id", Some(id)) => id[1..].parse::<usize>().unwrap() + 1,
                    ("cursor", Some(number)) => number.parse::<usize>().unwrap() + 1,
                    _ => 0,
                };
                let body = frames[from..].concat();
                let gone = whole.len() - body.len();
                let end = cut.saturating_sub(if by == "replay" { 0 } else { gone }).min(body.len());
                agent.head(request, 200, SSE);
                agent.bytes(request, &body[..end]);
                if end == body.len() || ends {
                    agent.end(request);
                } else {
                    agent.cut(request);
                }
                // Without anything to continue from, that was it.
                if agent.snapshot()["status"] == "error" {
                    return None;
                }
                if !agent.settled.is_empty() {
                    break;
                }
                request = agent.wait();
            }
            assert_eq!(agent.warnings, [] as [&str; 0]);
            Some(shown(&mut agent))
        };
        let expected = run(&[], false);
        for cut in 0..whole.len() {
            for ends in [false, true] {
                let found = run(&[cut, cut + 40], ends);
                let can = by == "replay" || cut >= frames[0].len() - usize::from(ends);
                assert!(found == expected || !can && found.is_none(), "{by} {cut} {ends}: {found:#?} {expected:#?}");
            }
        }
    }
}

#[test]
fn a_lost_connection_without_any_delay_is_made_again() {
    let network = Network { idle_ms: 5000.0, base_ms: 0.0, min_ms: 0.0, ..resume("last-event-id") };
    let mut agent = agent(network);
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    agent.bytes(request, &frame("1", &started("r")));
    agent.now += 5000.0;
    agent.wake = None;
    agent.act(|session, now| session.tick(now));
    assert_eq!(agent.wake, Some(agent.now));
    agent.wait();
}

/// Plays a server that cuts every connection, for a simulated time. Gives the times of the connections.
fn connections(agent: &mut Agent, minutes: f64, mut serve: impl FnMut(&mut Agent, u32)) -> Vec<f64> {
    let mut times = vec![agent.now];
    let until = agent.now + minutes * 60_000.0;
    let mut request = agent.requests.last().unwrap().0;
    while agent.settled.is_empty() && agent.now < until {
        let before = agent.requests.len();
        serve(agent, request);
        if agent.requests.len() == before && agent.settled.is_empty() {
            agent.wait();
        }
        times.extend(agent.requests[before..].iter().map(|_| agent.now));
        request = agent.requests.last().unwrap().0;
    }
    times
}

/// The most connections of any minute.
fn most_a_minute(times: &[f64]) -> usize {
    let within = |(at, from): (usize, &f64)| times[at..].iter().take_while(|time| **time < from + 60_000.0).count();
    times.iter().enumerate().map(within).max().unwrap()
}

/// One event that is new, with `retry: 0`, and the end.
fn one_more(agent: &mut Agent, request: u32, id: usize) {
    agent.head(request, 200, SSE);
    agent.bytes(request, b"retry: 0\n");
    agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
    agent.end(request);
}

#[test]
fn no_server_makes_a_page_connect_without_end() {
    let renewing = |per_minute: f64| Network { renew_headers: true, per_minute, ..resume("last-event-id") };
    for per_minute in [60.0, 10.0] {
        // Something new over every connection.
        let mut agent = cut(renewing(per_minute));
        let mut id = 3;
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| {
            one_more(agent, request, id);
            id += 1;
        });
        let most = most_a_minute(&times);
        assert!(most as f64 <= per_minute && most as f64 > per_minute / 3.0, "{most}");
        assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 100.0), "with a pause");
        assert!(agent.settled.is_empty(), "a run that goes on is not given up");
        // 401 and 200 by turns.
        let mut agent = cut(renewing(per_minute));
        let mut id = 3;
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| match agent.requests.len() % 2 {
            0 => agent.refuse(request, 401, None),
            _ => {
                one_more(agent, request, id);
                id += 1;
            }
        });
        let most = most_a_minute(&times);
        assert!(most as f64 <= per_minute, "{most}");
        // A socket that says nothing new, and then that it does not accept the credentials.
        let mut agent = cut(renewing(per_minute));
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| {
            agent.head(request, 200, "application/x-ndjson");
            agent.act(|session, now| session.denied(request, "expired", now));
        });
        assert_eq!((times.len(), outcomes(&agent)), (2, vec![(1, "truncated")]));
        assert_eq!(agent.snapshot()["error"]["kind"], "auth");
        // One that says something new before.
        let mut agent = cut(renewing(per_minute));
        let mut id = 3;
        agent.wait();
        let times = connections(&mut agent, 10.0, |agent, request| {
            agent.head(request, 200, SSE);
            agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
            id += 1;
            agent.act(|session, now| session.denied(request, "expired", now));
        });
        let most = most_a_minute(&times);
        assert!(most as f64 <= per_minute && most > 1, "{most}");
    }
}

#[test]
fn a_run_of_an_hour_outlives_a_proxy_that_cuts_every_minute() {
    let mut agent = cut(resume("last-event-id"));
    let mut id = 3;
    let mut waited = Vec::new();
    for _ in 0..60 {
        let lost = agent.now;
        let request = agent.wait();
        waited.push(agent.now - lost);
        agent.head(request, 200, SSE);
        for _ in 0..6 {
            agent.now += 10_000.0;
            agent.bytes(request, &frame(&format!("r:{id}"), &content("m", "!")));
            id += 1;
        }
        agent.cut(request);
    }
    assert!(waited.iter().all(|ms| *ms <= 500.0), "{waited:?}");
    assert!(agent.settled.is_empty());
}

#[test]
fn a_page_that_is_looked_at_again_waits_for_no_budget_but_spends_it() {
    let mut agent = cut(Network { per_minute: 4.0, ..resume("last-event-id") });
    for id in 3..6 {
        agent.act(|session, now| session.online(now));
        let request = agent.requests.last().unwrap().0;
        one_more(&mut agent, request, id);
    }
    assert!(agent.wake.unwrap() >= agent.now + 60_000.0, "{:?}", agent.wake);
}

#[test]
fn a_refusal_that_trickles_is_told_with_what_has_come() {
    for (status, content_type, said) in [
        (500, "text/plain", "HTTP 500: no no "),
        (401, "text/event-stream", "HTTP 401: no no "),
        (200, "text/plain", "The server answered 200 with text/plain, not with a stream of events."),
        (200, "", "The server answered 200 with no content type, not with a stream of events."),
    ] {
        for idle_ms in [0.0, 2000.0, 60_000.0] {
            let mut agent = agent(Network { idle_ms, ..Network::default() });
            let request = agent.submit("go");
            agent.head(request, status, content_type);
            agent.bytes(request, b"no ");
            let mut took = 0;
            while agent.settled.is_empty() && took < 60 {
                agent.now += 1000.0;
                took += 1;
                if agent.wake.is_some_and(|at| at <= agent.now) {
                    agent.act(|session, now| session.tick(now));
                }
                if took == 1 {
                    agent.bytes(request, b"no ");
                }
                agent.bytes(request, b"");
            }
            assert_eq!((took, outcomes(&agent)), (5, vec![(1, "error")]), "{status} {idle_ms}");
            let error = &agent.snapshot()["error"];
            assert_eq!(error["message"].as_str().unwrap().trim(), said.trim());
            assert_eq!((&error["status"], &error["body"]), (&json!(status), &json!("no no ")));
            assert_eq!(agent.closed, [request]);
            assert!(agent.wake.is_none_or(|at| at <= agent.now), "nothing is waited for");
        }
    }
}

#[test]
fn a_stream_that_does_not_say_what_it_is_has_time() {
    for first in [": wait\n\n", "da", "\u{FEFF}\nevent: x\n", ""] {
        let mut agent = agent(Network::default());
        let request = agent.submit("go");
        agent.head(request, 200, "application/octet-stream");
        agent.bytes(request, first.as_bytes());
        agent.now += 60_000.0;
        agent.act(|session, now| session.tick(now));
        let rest = if first == "da" { "ta: " } else { "data: " };
        agent.bytes(request, format!("{rest}{}\n\n", started("r")).as_bytes());
        agent.event(request, finished("r"));
        agent.end(request);
        ends_well(&mut agent, &[]);
    }
    // One that began in time has all the time that it wants.
    let mut agent = agent(Network::default());
    let request = agent.submit("go");
    agent.head(request, 200, "application/octet-stream");
    let line = format!("{}\n", started("r"));
    agent.bytes(request, &line.as_bytes()[..9]);
    agent.bytes(request, &line.as_bytes()[9..]);
    agent.now += 60_000.0;
    agent.act(|session, now| session.tick(now));
    agent.bytes(request, format!("{}\n", finished("r")).as_bytes());
    agent.end(request);
    assert_eq!(outcomes(&agent), [(1, "success")]);
}

#[test]
fn an_answer_that_names_the_run_and_does_not_end_is_followed() {
    let mut agent = agent(resume("run-url"));
    let request = agent.submit("go");
    agent.head(request, 202, "application/json");
    agent.bytes(request, br#"{"runId":"other"}"#);
    let request = agent.wait();
    assert_eq!(agent.targets[1], (Target::Resume, "other".into(), None));
    assert_eq!(agent.closed, [1]);
    agent.head(request, 200, SSE);
    agent.events(request, &[started("other"), finished("other")]);
    agent.end(request);
    ends_well(&mut agent, &[]);
}
