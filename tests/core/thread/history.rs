//! Checkpoints: the snapshot of every boundary, however the events come.

use crate::support::Agent;
use ag_ui_wasm::session::{Network, Options, Resume};
use serde_json::{Value, json};

fn body() -> String {
    let events = [
        event!("RUN_STARTED", "threadId": "t", "runId": "r"),
        event!("STEP_STARTED", "stepName": "plan"),
        event!("TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "one "),
        event!("STATE_SNAPSHOT", "snapshot": {"n": 1}),
        event!("STEP_FINISHED", "stepName": "plan"),
        event!("TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "two"),
        event!("STATE_DELTA", "delta": [{"op": "replace", "path": "/n", "value": 2}]),
        event!("TEXT_MESSAGE_END", "messageId": "m"),
        event!("RUN_FINISHED", "threadId": "t", "runId": "r"),
    ];
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// Kind and step of every checkpoint, with the last text and the state of then.
fn told(agent: &mut Agent) -> Value {
    agent.snapshot();
    let told = agent.mirror.1.iter().map(|(mark, then)| {
        let last = then["messages"].as_array().unwrap().last().unwrap();
        json!([mark["kind"], mark["stepName"], mark["runId"], last["content"], then["state"], then["isLoading"]])
    });
    told.collect()
}

fn expected() -> Value {
    json!([
        ["run-started", null, "r", "go", {}, true],
        ["step-started", "plan", "r", "go", {}, true],
        ["step-finished", "plan", "r", "one ", {"n": 1}, true],
        ["run-finished", null, "r", "one two", {"n": 2}, false],
    ])
}

#[test]
fn every_boundary_has_its_snapshot_though_all_comes_in_one_read() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.bytes(request, body().as_bytes());
    agent.end(request);
    assert_eq!(told(&mut agent), expected());
}

#[test]
fn the_same_with_a_patch_taken_after_every_byte() {
    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    for byte in body().as_bytes().chunks(1) {
        agent.bytes(request, byte);
        agent.snapshot();
    }
    agent.end(request);
    assert_eq!(told(&mut agent), expected());
}

#[test]
fn a_run_ends_once_however_it_ends() {
    let kinds = |agent: &mut Agent| -> Vec<String> {
        agent.snapshot();
        agent.mirror.1.iter().map(|(mark, _)| mark["kind"].as_str().unwrap().to_owned()).collect()
    };
    let (mut agent, _) = Agent::started();
    agent.act(|session, now| session.stop(now));
    assert_eq!(kinds(&mut agent), ["run-started", "run-finished"]);
    assert_eq!(agent.mirror.1[1].1["outcome"], "aborted");

    let (mut agent, request) = Agent::started();
    agent.end(request);
    assert_eq!(kinds(&mut agent), ["run-started", "run-finished"]);
    assert_eq!(agent.mirror.1[1].1["outcome"], "truncated");

    let mut agent = Agent::new(Options::default());
    let request = agent.submit("go");
    agent.head(request, 500, "text/plain");
    agent.end(request);
    assert_eq!(kinds(&mut agent), ["run-started", "run-finished"]);
}

#[test]
fn runs_of_one_body_have_a_beginning_and_an_end_each() {
    let mut agent = Agent::new(Options::default());
    let run = |id: &str| {
        let started = event!("RUN_STARTED", "threadId": "t", "runId": id);
        [started, event!("RUN_FINISHED", "threadId": "t", "runId": id)]
    };
    agent.run(&[run("r"), run("s")].concat());
    let marks: Vec<Value> = agent.mirror.1.iter().map(|(mark, _)| json!([mark["kind"], mark["runId"]])).collect();
    let expected = json!([["run-started", "r"], ["run-finished", "r"], ["run-started", "s"], ["run-finished", "s"]]);
    assert_eq!(Value::Array(marks), expected);
}

#[test]
fn nothing_is_written_for_nobody() {
    let mut agent = Agent::new(Options { max_history: 0, ..Options::default() });
    agent.run(&[event!("RUN_STARTED", "threadId": "t", "runId": "r")]);
    assert!(agent.mirror.1.is_empty());
}

#[test]
fn many_boundaries_in_one_read_are_bounded() {
    let mut agent = Agent::new(Options { max_frame_bytes: 20_000, ..Options::default() });
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let steps: String =
        (0..2000).map(|n| format!("data: {}\n\n", event!("STEP_STARTED", "stepName": n.to_string()))).collect();
    let body = format!("data: {}\n\n{steps}", event!("RUN_STARTED", "threadId": "t", "runId": "r"));
    agent.bytes(request, body.as_bytes());
    let patch = agent.patch().unwrap();
    assert!(patch.len() < 300_000, "{}", patch.len());
    assert_eq!(agent.warnings, ["history-too-large"]);
    assert_eq!(agent.snapshot()["steps"].as_array().unwrap().len(), 2000);
    // Changes after the notification are kept again.
    let before = agent.mirror.1.len();
    agent.event(request, event!("STEP_FINISHED", "stepName": "0"));
    agent.snapshot();
    assert_eq!(agent.mirror.1.len(), before + 1);
}

#[test]
fn a_replay_tells_of_no_step_twice() {
    let resume = Resume::by("replay", None, None).unwrap();
    let network = Network { resume: Some(resume), ..Network::default() };
    let mut agent = Agent::new(Options { network, ..Options::default() });
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let body = body();
    let cut = body.find("two").unwrap();
    agent.bytes(request, &body.as_bytes()[..cut]);
    agent.end(request);
    agent.now = agent.wake.unwrap();
    agent.act(|session, now| session.tick(now));
    let again = agent.requests.last().unwrap().0;
    assert_ne!(again, request);
    agent.head(again, 200, "text/event-stream");
    agent.bytes(again, body.as_bytes());
    agent.end(again);
    assert_eq!(told(&mut agent), expected());
}
