//! The queue after a loss, what is new over connections that tell the same, and servers that are at work.

use super::*;
use crate::support::SessionCalls;

fn queued(network: Network) -> (Agent, u32) {
    let mut agent = agent(network);
    let request = agent.submit("one");
    agent.head(request, 200, SSE);
    agent.events(request, &[started("r1")]);
    agent.events(request, &text("m", "Hel"));
    agent.submit_json(input("r2", "two"));
    (agent, request)
}

fn questions(agent: &Agent) -> Vec<String> {
    let asked = |(_, body): &(u32, Value)| {
        let messages = body["messages"].as_array().unwrap();
        let user = messages.iter().rfind(|message| message["role"] == "user");
        user.map_or("", |user| user["content"].as_str().unwrap()).to_owned()
    };
    agent.requests.iter().map(asked).collect()
}

#[test]
fn the_queue_waits_after_a_loss_and_a_page_that_is_left_meanwhile_has_it() {
    let (mut agent, request) = queued(Network::default());
    agent.cut(request);
    assert_eq!(questions(&agent), ["one"], "a page in unload sends nothing more");
    let save = agent.session.save();
    agent.wait();
    assert_eq!(questions(&agent), ["one", "two"]);
    assert_eq!(outcomes(&agent), [(1, "truncated")]);
    // After the load it waits for the user, who has the answer that was cut asked again first.
    for (method, first) in [("retry", "one"), ("regenerate", "one"), ("submit", "two")] {
        let mut agent = super::agent(Network::default());
        agent.act(|session, now| session.restore(&save, now).unwrap());
        assert_eq!(questions(&agent), [] as [&str; 0], "{method}");
        agent.act(|session, now| {
            let json = json!({"runId": "r3", "messages": []}).to_string();
            let ticket = match method {
                "retry" => session.retry(&json, now),
                "regenerate" => session.regenerate(None, &json, now),
                _ => session.submit(&json, now),
            };
            assert!(ticket.is_ok());
        });
        assert_eq!(questions(&agent), [first], "{method}");
        assert_eq!(agent.snapshot()["queue"].as_array().unwrap().len(), 1, "{method}");
    }
}

#[test]
fn a_pause_is_over_with_a_retry_a_stop_or_the_network() {
    for (how, next, outcome) in
        [("retry", "one", "truncated"), ("stop", "two", "aborted"), ("online", "two", "truncated")]
    {
        let (mut agent, request) = queued(Network::default());
        agent.cut(request);
        assert_eq!(agent.phase(), "closed", "{how}");
        agent.act(|session, now| match how {
            "retry" => assert!(session.retry(r#"{"runId":"r3"}"#, now).is_ok()),
            "stop" => session.stop(now),
            _ => session.online(now),
        });
        assert_eq!(questions(&agent), ["one", next], "{how}");
        assert_eq!(outcomes(&agent), [(1, outcome)], "{how}");
    }
}

#[test]
fn without_a_queue_a_loss_ends_the_run_at_once() {
    let agent = cut(Network::default());
    assert_eq!(outcomes(&agent), [(1, "truncated")]);
    assert_eq!(agent.wake, None);
    let (mut agent, request) = queued(Network { queue_ms: 0.0, ..Network::default() });
    agent.cut(request);
    assert_eq!(questions(&agent), ["one", "two"]);
}

/// Joins the run again and again, until the agent has enough. Says how often.
fn joined(agent: &mut Agent, answer: &[Value]) -> usize {
    let mut count = 0;
    while agent.settled.is_empty() {
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.events(request, answer);
        agent.end(request);
        count += 1;
        assert!(count < 2000, "for ever");
    }
    count
}

#[test]
fn what_leaves_the_thread_as_it_was_is_nothing_new() {
    let snapshot = event!("MESSAGES_SNAPSHOT", "messages": [user("u", "go"), {"id": "m", "role": "assistant", "content": "Hello"}]);
    let state = |n: u8| event!("STATE_SNAPSHOT", "snapshot": {"n": n});
    let delta = |n: u8| event!("STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": n}]);
    let every = [
        event!("CUSTOM", "name": "n", "value": 1),
        event!("RAW", "event": {}),
        content("m", " you"),
        delta(2),
        event!("STEP_FINISHED", "stepName": "s"),
        event!("ACTIVITY_SNAPSHOT", "messageId": "a", "activityType": "PLAN", "content": {}),
    ];
    for by in ["snapshot", "prelude"] {
        for event in &every {
            let mut agent = cut(resume(by));
            let count = joined(&mut agent, &[started("r"), snapshot.clone(), state(1), event.clone()]);
            assert!(count <= 7, "{by} {event}: {count}");
            assert_eq!(outcomes(&agent), [(1, "truncated")]);
        }
        // By turns.
        let mut agent = cut(resume(by));
        for n in [1, 2, 1, 2, 1, 2, 1] {
            if agent.settled.is_empty() {
                let request = agent.wait();
                agent.head(request, 200, SSE);
                agent.events(request, &[snapshot.clone(), state(n)]);
                agent.end(request);
            }
        }
        assert_eq!(outcomes(&agent), [(1, "truncated")], "{by}");
    }
}

#[test]
fn what_is_new_goes_on_up_to_a_bound() {
    let mut agent = cut(Network { per_run: 20, per_minute: 9.0e15, ..resume("snapshot") });
    let mut count = 1;
    while agent.settled.is_empty() {
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.events(request, &[event!("STATE_SNAPSHOT", "snapshot": {"n": count})]);
        agent.end(request);
        count += 1;
    }
    assert_eq!(count, 20);
}

/// A tool of the page, or a submit, waits for the end of a run after which another one comes in the same body.
#[test]
fn after_the_end_nothing_is_read_where_something_waits() {
    let call =
        [event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"), event!("TOOL_CALL_END", "toolCallId": "c")];
    let second = [vec![started("r2")], text("m2", "more").to_vec(), vec![ended("m2"), finished("r2")]].concat();
    for waits in ["tool", "submit", "nothing"] {
        let mut seen = Vec::new();
        for apart in [false, true] {
            let mut agent = agent(Network::default());
            let tools = json!([{"name": "f"}]);
            agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")], "pageTools": tools}));
            if waits == "submit" {
                agent.submit_json(input("r9", "next"));
            }
            agent.head(1, 200, SSE);
            let mut events = vec![started("r")];
            if waits == "tool" {
                events.extend(call.clone());
            }
            events.push(finished("r"));
            if apart {
                agent.events(1, &events);
                agent.events(1, &second);
            } else {
                agent.events(1, &[events, second.clone()].concat());
            }
            assert_eq!(agent.texts(), if waits == "nothing" { vec!["more"] } else { vec![] }, "{waits} {apart}");
            seen.push(agent.warnings.len());
        }
        assert_eq!(seen, if waits == "nothing" { [0, 0] } else { [1, 1] }, "{waits}");
    }
}

fn hydrated(agent: &mut Agent, request: u32, messages: Value, n: u8) {
    agent.head(request, 200, SSE);
    let list = event!("MESSAGES_SNAPSHOT", "messages": messages);
    agent.events(request, &[started("r"), event!("STATE_SNAPSHOT", "snapshot": {"n": n}), list, finished("r")]);
    agent.end(request);
}

#[test]
fn an_empty_request_waits_until_the_run_is_over() {
    for reload in [false, true] {
        let mut agent = cut(resume("hydrate"));
        let question = user(agent.snapshot()["messages"][0]["id"].as_str().unwrap(), "go");
        let mut request = 0;
        if reload {
            let save = agent.session.save();
            agent = super::agent(resume("hydrate"));
            agent.act(|session, now| session.restore(&save, now).unwrap());
            agent.act(|session, now| assert!(session.attach("{}", now).is_ok()));
            request = agent.requests.last().unwrap().0;
        }
        for _ in 0..30 {
            if request == 0 {
                request = agent.wait();
            }
            let body = &agent.requests.last().unwrap().1;
            assert_eq!((&body["messages"], &body["threadId"]), (&json!([]), &json!("t")), "{body}");
            hydrated(&mut agent, request, json!([user("old", "before")]), 1);
            assert_eq!(agent.texts(), ["Hello"], "{reload}");
            assert_eq!(agent.snapshot()["state"], json!({}), "of before the run");
            request = 0;
        }
        let request = agent.wait();
        let answer = json!({"id": "m", "role": "assistant", "content": "Hello you"});
        hydrated(&mut agent, request, json!([question, answer]), 2);
        ends_well(&mut agent, &["Hello you"]);
        assert_eq!(agent.snapshot()["state"], json!({"n": 2}));
    }
}

#[test]
fn a_server_that_is_at_work_is_busy() {
    let mut agent = agent(Network::default());
    let request = agent.submit("go");
    agent.refuse(request, 409, None);
    agent.end(request);
    let error = &agent.settled[0].1["error"];
    assert_eq!((&error["code"], &error["retryable"], &error["status"]), (&json!("busy"), &json!(true), &json!(409)));
    // One that can be waited for is waited for.
    let mut agent = super::agent(resume("hydrate"));
    let mut request = agent.submit("go");
    for _ in 0..30 {
        agent.refuse(request, 409, None);
        request = agent.wait();
        assert_eq!(questions(&agent).last().unwrap(), "go");
    }
    agent.head(request, 200, SSE);
    agent.events(request, &[started("r")]);
    agent.events(request, &text("m", "Hello"));
    agent.events(request, &[ended("m"), finished("r")]);
    agent.end(request);
    ends_well(&mut agent, &["Hello"]);
}

/// A browser ends the requests of a page that it leaves, and that page may still save how its run has ended.
#[test]
fn a_run_that_ended_with_its_connection_is_reported_after_two_reloads() {
    let restored = |saved: &str| {
        let mut agent = Agent::new(Options::default());
        agent.act(|session, now| session.restore(saved, now).unwrap());
        agent
    };
    for headed in [false, true] {
        let mut agent = Agent::new(Options::default());
        let request = agent.submit("go");
        if headed {
            agent.head(request, 200, "text/event-stream");
            agent.events(request, &[started("r")]);
        }
        agent.act(|session, now| session.failed(request, "the page is left", now));
        let mut again = restored(&restored(&agent.session.save()).session.save());
        let snapshot = again.snapshot();
        assert_eq!((&snapshot["outcome"], &snapshot["error"]["retryable"]), (&json!("truncated"), &json!(true)));
        // An answer of the server is not reported by a later page: the next one may be another.
        again.act(|session, now| _ = session.retry(r#"{"runId":"r2"}"#, now).unwrap());
        let request = again.requests[0].0;
        again.head(request, 500, "text/plain");
        again.end(request);
        let mut last = restored(&again.session.save());
        let snapshot = last.snapshot();
        assert_eq!((&snapshot["outcome"], &snapshot["status"]), (&json!(null), &json!("idle")));
    }
}
