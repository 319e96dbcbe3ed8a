//! A stream that was cut goes on, in every way that servers know.

use super::*;
use crate::support::SessionCalls;

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
        assert_eq!(agent.snapshot()["connection"]["lastEventId"], cursor, "{length}");
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
