//! The life of a run: stop, the end and what comes after it, reset, dispose, the clock and the connection.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::*;
use ag_ui_wasm::session::{Effect, Misuse, Options};
use ag_ui_wasm::wire::Wanted;
use serde_json::{Value, json};

#[test]
fn stop_in_every_phase() {
    type Reach = fn(&mut Agent, u32);
    let phases: [(&str, &str, Reach); 4] = [
        ("before the head", "aborted", |_, _| {}),
        ("streaming", "aborted", |agent, request| {
            agent.head(request, 200, "text/event-stream");
            agent.events(request, &[started("r")]);
            agent.events(request, &text("m", "Hello"));
        }),
        ("draining", "success", |agent, request| {
            agent.head(request, 200, "text/event-stream");
            agent.events(request, &[started("r"), finished("r")]);
        }),
        ("refused", "aborted", |agent, request| {
            agent.head(request, 500, "text/plain");
            agent.bytes(request, b"because");
        }),
    ];
    for (name, outcome, reach) in phases {
        let mut agent = Agent::new(Options::default());
        let request = agent.submit("go");
        reach(&mut agent, request);
        agent.act(|session, now| session.stop(now));
        agent.act(|session, now| session.stop(now));
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["outcome"], outcome, "{name}");
        assert_eq!(snapshot["status"], "idle", "{name}");
        assert_eq!(snapshot.get("error"), None, "{name}: no error");
        assert_eq!(snapshot["connection"]["phase"], "closed", "{name}");
        assert_eq!(agent.closed, [request], "{name}: closed once");
        assert_eq!(agent.settled, [(1, json!({"runId": "r", "outcome": outcome}))], "{name}");
        assert_eq!(agent.wake, None, "{name}");
    }
}

#[test]
fn an_input_that_the_run_does_not_expect_ends_it() {
    for again in [200, 404] {
        let (mut agent, request) = streaming();
        agent.head(request, again, "text/event-stream");
        let snapshot = agent.snapshot();
        assert_eq!(snapshot["outcome"], "error", "{again}");
        assert_eq!(snapshot["error"]["kind"], "protocol", "{again}");
        assert_eq!(snapshot["error"]["code"], "input-unexpected", "{again}");
        assert_eq!(agent.closed, [request], "{again}: the page hangs up");
        assert_eq!(agent.settled.len(), 1, "{again}");
    }
}

#[test]
fn what_comes_from_a_closed_request_is_inert() {
    let (mut agent, old) = streaming();
    agent.submit_json(busy("b", "replace"));
    agent.snapshot();
    let late = format!("id: 7\ndata: {}\n\ndata: {}\n\n", text("m", "late")[1], finished("r"));
    for _ in 0..2 {
        agent.bytes(old, late.as_bytes());
        agent.head(old, 500, "text/html");
        agent.end(old);
        agent.act(|session, now| session.failed(old, "aborted", now));
    }
    assert_eq!(agent.patch(), None);
    assert_eq!(agent.settled.len(), 1);
    assert!(agent.warnings.is_empty());
    // Also where no run is in progress, and for a request that never was.
    agent.act(|session, now| session.stop(now));
    agent.snapshot();
    for request in [old, 2, 99] {
        agent.bytes(request, late.as_bytes());
        agent.end(request);
    }
    assert_eq!(agent.patch(), None);
}

#[test]
fn a_chunk_stream_of_a_stopped_run_does_not_reach_into_the_next() {
    let (mut agent, request) = streaming();
    agent.event(request, event!("TEXT_MESSAGE_CHUNK", "messageId": "k", "delta": "old"));
    agent.bytes(request, b"data: {\"type\":\"TEXT_MES");
    agent.submit_json(busy("b", "replace"));
    agent.head(2, 200, "text/event-stream");
    let snapshot = agent.events(2, &[event!("TEXT_MESSAGE_CHUNK", "delta": "new")]);
    assert_eq!(snapshot["messages"][2]["content"], "old");
    assert_eq!(agent.warnings, ["chunk-without-id"]);
}

#[test]
fn events_after_the_end_of_the_run_still_count() {
    let (mut agent, request) = streaming();
    agent.events(request, &[finished("r")]);
    agent.now += 100.0;
    agent.event(request, event!("CUSTOM", "name": "late", "value": 1));
    agent.events(request, &text("n", "P.S."));
    let snapshot = agent.events(request, &[event!("STATE_SNAPSHOT", "snapshot": {"late": true})]);
    assert_eq!(snapshot["state"], json!({"late": true}));
    assert_eq!(snapshot["status"], "idle");
    agent.end(request);
    let snapshot = agent.snapshot();
    assert_eq!(
        snapshot["messages"][2],
        json!({"id": "n", "role": "assistant", "content": "P.S.", "delivery": "complete"})
    );
    assert_eq!(snapshot["outcome"], "success");
    assert_eq!(snapshot["timing"]["durationMs"], 0, "the run took as long as it took");
    assert_eq!(agent.custom.len(), 1);
    assert_eq!(outcomes(&agent), [(1, "success")]);
    assert!(agent.warnings.iter().all(|code| code == "left-open" || code == "event-after-end"));
}

#[test]
fn nobody_queues_after_a_run_that_is_over() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let waiting = agent.submit_json(busy("b", "queue"));
    agent.events(request, &[started("r"), finished("r")]);
    assert_eq!(agent.wake, Some(agent.now), "the body stays open, and is given up at once");
    agent.act(|session, now| session.tick(now));
    assert_eq!(agent.closed, [request]);
    assert_eq!((agent.requests.len(), outcomes(&agent)), (2, vec![(1, "success")]));
    assert_eq!(waiting, 2);
}

#[test]
fn a_body_that_stays_open_is_closed_when_its_grace_is_over() {
    let mut agent = Agent::new(Options { grace_ms: 250.0, ..Options::default() });
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.events(request, &[started("r"), finished("r")]);
    assert_eq!(agent.wake, Some(1250.0));
    assert_eq!(agent.snapshot()["status"], "idle", "the user does not wait for it");
    let waiting = agent.submit_json(busy("b", "queue"));
    // That submit closed it; a body with nobody waiting is closed by the clock.
    assert_eq!((agent.closed.as_slice(), agent.wake), (&[request][..], None));
    agent.head(2, 200, "text/event-stream");
    agent.events(2, &[started("b"), finished("b")]);
    // Timers fire early by fractions of a millisecond: the next one is set.
    agent.now = 1249.4;
    agent.wake = None;
    agent.act(|session, now| session.tick(now));
    assert_eq!((agent.closed.as_slice(), agent.wake), (&[request][..], Some(1250.0)));
    agent.now = 1250.0;
    agent.act(|session, now| session.tick(now));
    assert_eq!(agent.closed, [request, 2]);
    assert_eq!(agent.wake, None);
    assert_eq!(outcomes(&agent), [(1, "success"), (waiting, "success")]);
    agent.act(|session, now| session.tick(now));
    assert_eq!(agent.snapshot()["connection"]["phase"], "closed");
}

#[test]
fn the_clock_does_not_close_a_run_that_goes_on() {
    let (mut agent, request) = streaming();
    agent.events(request, &[finished("r"), started("r2")]);
    agent.now += 5000.0;
    agent.act(|session, now| session.tick(now));
    assert!(agent.closed.is_empty());
    assert_eq!(agent.snapshot()["status"], "running");
}

#[test]
fn a_connection_that_is_lost_after_the_end_of_the_run_is_no_error() {
    let (mut agent, request) = streaming();
    agent.events(request, &[finished("r")]);
    agent.act(|session, now| session.failed(request, "reset", now));
    assert_eq!(agent.snapshot()["outcome"], "success");
    assert_eq!(agent.snapshot().get("error"), None);
}

#[test]
fn an_error_after_the_end_counts_and_an_end_after_an_error_does_not() {
    let (mut agent, request) = streaming();
    agent.events(request, &[finished("r")]);
    let snapshot = agent.events(request, &[failed()]);
    assert_eq!(snapshot["status"], "error");
    assert_eq!(snapshot["error"], json!({"kind": "run", "message": "boom", "retryable": true, "code": "E1"}));
    let snapshot = agent.events(request, &[finished("r")]);
    assert_eq!(snapshot["outcome"], "error");
    assert_eq!(agent.warnings, ["left-open", "event-after-end"]);
    agent.end(request);
    assert_eq!(agent.snapshot()["status"], "error");
    assert_eq!(outcomes(&agent), [(1, "error")]);
    assert_eq!(agent.settled[0].1["error"]["message"], "boom");
}

#[test]
fn reset_begins_anew() {
    let (mut agent, request) = streaming();
    agent.bytes(request, b"id: 7\n");
    agent.events(
        request,
        &[
            event!("STATE_SNAPSHOT", "snapshot": {"a": 1}),
            event!("STEP_STARTED", "stepName": "s"),
            event!("SUBAGENT_STARTED", "subagentRunId": "s", "name": "s"),
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
        ],
    );
    let waiting = agent.submit_json(input("b", "2"));
    agent.act(|session, now| session.reset(now).unwrap());
    assert_eq!(*agent.snapshot(), crate::support::Mirror::new().0);
    assert_eq!(outcomes(&agent), [(waiting, "aborted"), (1, "aborted")]);
    assert_eq!(agent.closed, [request]);
    agent.submit("again");
    assert_eq!(agent.sent()["threadId"], "t");
    assert_eq!(agent.sent()["state"], json!({}));
    assert_eq!(agent.sent()["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn dispose_settles_everything_once_and_then_nothing_works() {
    let (mut agent, request) = streaming();
    let waiting = agent.submit_json(input("b", "2"));
    agent.act(|session, now| session.dispose(now));
    assert_eq!(outcomes(&agent), [(waiting, "aborted"), (1, "aborted")]);
    assert_eq!(agent.closed, [request]);
    assert_eq!(agent.snapshot()["messages"][1]["content"], "Hello", "what was shown stays");
    assert_eq!(agent.snapshot()["status"], "idle");
    agent.act(|session, now| session.dispose(now));
    agent.act(|session, now| session.stop(now));
    agent.act(|session, now| session.cancel(1, now));
    agent.bytes(request, b"data: {}\n\n");
    agent.end(request);
    let run = "{\"runId\":\"x\"}";
    assert_eq!(agent.session.submit(run, 0.0), Err(Misuse::Disposed));
    assert_eq!(agent.session.retry(run, 0.0), Err(Misuse::Disposed));
    assert_eq!(agent.session.regenerate(None, run, 0.0), Err(Misuse::Disposed));
    assert_eq!(agent.session.set_messages("[]"), Err(Misuse::Disposed));
    assert_eq!(agent.session.set_state("{}"), Err(Misuse::Disposed));
    assert_eq!(agent.session.reset(0.0), Err(Misuse::Disposed));
    assert_eq!(agent.settled.len(), 2);
    assert_eq!(agent.patch(), None);
    assert!(Misuse::Disposed.to_string().contains("createAgent()"), "the message says what to do");
}

#[test]
fn timing_comes_from_the_clock() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    assert_eq!(agent.snapshot()["timing"], json!({"startedAt": 1000}));
    agent.now += 120.4;
    agent.head(request, 200, "text/event-stream");
    let start = event!("TEXT_MESSAGE_START", "messageId": "m");
    let empty = event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "");
    assert_eq!(agent.events(request, &[started("r"), start, empty])["timing"].get("firstTokenMs"), None);
    agent.now += 30.0;
    agent.event(request, text("m", "x")[1].clone());
    agent.now += 50.0;
    agent.event(request, text("m", "y")[1].clone());
    assert_eq!(agent.snapshot()["timing"], json!({"startedAt": 1000, "firstTokenMs": 150}));
    agent.event(request, finished("r"));
    agent.now += 500.0;
    agent.end(request);
    assert_eq!(agent.snapshot()["timing"], json!({"startedAt": 1000, "firstTokenMs": 150, "durationMs": 200}));
    agent.submit("again");
    assert_eq!(agent.snapshot()["timing"], json!({"startedAt": 1700}));
}

#[test]
fn the_connection_says_where_it_stands() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    let phase = |agent: &mut Agent| agent.snapshot()["connection"].clone();
    assert_eq!(phase(&mut agent), json!({"phase": "connecting", "attempt": 0}));
    agent.head(request, 200, "text/event-stream");
    assert_eq!(phase(&mut agent), json!({"phase": "open", "attempt": 0}));
    agent.bytes(request, format!("id: 41\ndata: {}\n\nid: 42\ndata: {}\n\n", started("r"), finished("r")).as_bytes());
    assert_eq!(phase(&mut agent), json!({"phase": "open", "attempt": 0, "lastEventId": "42"}));
    agent.end(request);
    assert_eq!(phase(&mut agent), json!({"phase": "closed", "attempt": 0, "lastEventId": "42"}));
}

#[test]
fn a_listener_is_notified_at_once_where_the_user_waits() {
    let (mut agent, request) = streaming();
    let urgent = |agent: &mut Agent| {
        let effects: Vec<Effect> = std::iter::from_fn(|| agent.session.poll_effect()).collect();
        agent.session.take_patch(usize::MAX);
        effects.contains(&Effect::Changed { urgent: true })
    };
    let frame = |event: &Value| format!("data: {event}\n\n").into_bytes();
    agent.session.bytes(request, &frame(&text("m", "x")[1]), 0.0);
    assert!(!urgent(&mut agent), "a token waits for the frame");
    agent.session.bytes(request, &frame(&finished("r")), 0.0);
    assert!(urgent(&mut agent));
    agent.session.submit(&input("b", "2").to_string(), 0.0).unwrap();
    assert!(urgent(&mut agent));
    agent.session.stop(0.0);
    assert!(urgent(&mut agent));
    agent.session.set_state("{\"a\":1}").unwrap();
    assert!(urgent(&mut agent));
}

#[test]
fn events_are_reported_as_they_came_to_those_who_ask() {
    let (mut agent, request) = streaming();
    let raw = |agent: &mut Agent| {
        std::iter::from_fn(|| agent.session.poll_effect()).filter(|effect| matches!(effect, Effect::Event(_))).count()
    };
    agent.session.bytes(request, b"data: {\"type\":\"RAW\",\"event\":1}\n\n", 0.0);
    assert_eq!(raw(&mut agent), 0);
    agent.session.report_events(Wanted::read("*"));
    agent.session.bytes(request, b"data: {\"type\":\"RAW\", \"event\":1}\n\ndata: {oops\n\n", 0.0);
    assert_eq!(raw(&mut agent), 1);
}

#[test]
fn who_begins_to_listen_in_the_middle_of_a_message_hears_each_of_its_events() {
    let (mut agent, request) = streaming();
    let [_, content] = text("m", "x");
    let three = format!("data: {content}\n\n").repeat(3);
    let read = |agent: &mut Agent| {
        agent.session.bytes(request, three.as_bytes(), 0.0);
        std::iter::from_fn(|| agent.session.poll_effect()).filter(|effect| matches!(effect, Effect::Event(_))).count()
    };
    assert_eq!((read(&mut agent), read(&mut agent)), (0, 0));
    agent.session.report_events(Wanted::read("*"));
    assert_eq!(read(&mut agent), 3);
    agent.session.report_events(Wanted::default());
    assert_eq!((read(&mut agent), read(&mut agent)), (0, 0));
    assert_eq!(agent.snapshot()["messages"][1]["content"], format!("Hello{}", "x".repeat(15)));
}

#[test]
fn events_of_types_that_nobody_asks_for_keep_the_fast_path() {
    let (mut agent, request) = streaming();
    agent.session.report_events(Wanted::read("TEXT_MESSAGE_END,CUSTOM"));
    let content = text("m", "x")[1].to_string();
    let mut told = |frames: &[String]| {
        for frame in frames {
            agent.session.bytes(request, format!("data: {frame}\n\n").as_bytes(), 0.0);
        }
        std::iter::from_fn(|| agent.session.poll_effect()).filter(|effect| matches!(effect, Effect::Event(_))).count()
    };
    assert_eq!(told(&[content.clone(), content.clone(), r#"{"type":"RAW","event":1}"#.into()]), 0);
    assert_eq!(told(&[content.clone(), r#"{"type":"CUSTOM","name":"n","value":1}"#.into(), content]), 1);
    assert_eq!(told(&[r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.into()]), 1);
    assert_eq!(agent.snapshot()["messages"][1]["content"], "Helloxxxx");
}
