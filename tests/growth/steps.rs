//! No step of the page is much of one long event: what each allocates is counted, which depends on no clock.

use crate::count::allocated;
use ag_ui_wasm::session::{Effect, Options, Session};
use serde_json::{Value, json};

/// As much as the browser gives at a time, and has read ahead in a step.
const PIECE: usize = 32 * 1024;

/// How much one event has.
const LENGTH: usize = 1_000_000;

/// The most that a step may allocate, in bytes of the event.
const MOST: f64 = 96.0;

fn fill(make: impl Fn(usize) -> Value) -> Vec<Value> {
    let mut length = 0;
    let more = |value: &Value| {
        length += value.to_string().len() + 1;
        length < LENGTH
    };
    (0..).map(make).take_while(more).collect()
}

fn kinds() -> Vec<(&'static str, Value)> {
    let message = |at: usize| json!({"id": format!("m{at}"), "role": "user", "content": "x"});
    let call =
        |at: usize| json!({"id": format!("c{at}"), "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let interrupt = |at: usize| json!({"id": format!("i{at}"), "reason": "x"});
    let row = |at: usize| json!({"id": at, "title": format!("row {at}"), "done": false});
    let members: serde_json::Map<String, Value> = (0..80_000).map(|at| (format!("k{at}"), json!(1))).collect();
    let messages = |list: Vec<Value>| json!({"type": "MESSAGES_SNAPSHOT", "messages": list});
    let state = |snapshot: Value| json!({"type": "STATE_SNAPSHOT", "snapshot": snapshot});
    let outcome = json!({"type": "interrupt", "interrupts": fill(interrupt)});
    vec![
        ("small messages", messages(fill(message))),
        ("calls", messages(vec![json!({"id": "m", "role": "assistant", "toolCalls": fill(call)})])),
        ("a state of numbers", state(json!(fill(|_| json!(1))))),
        ("a state of empty objects", state(json!(fill(|_| json!({}))))),
        ("a state of rows", state(json!({"rows": fill(row)}))),
        ("a state of members", state(json!(members))),
        ("interrupts", json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome})),
    ]
}

/// The most that one call allocates while an event is read.
fn most(event: &Value, long_event: usize) -> u64 {
    let mut session = Session::new(Options { long_event, ..Options::default() }, None, None).unwrap();
    session.submit("{\"runId\":\"r\"}", 0.0).unwrap();
    let mut opened = None;
    while let Some(effect) = session.poll_effect() {
        if let Effect::Open { request, .. } = effect {
            opened = Some(request);
        }
    }
    let request = opened.unwrap();
    session.head(request, 200, "text/event-stream", None, 0.0);
    let [first, last] =
        ["RUN_STARTED", "RUN_FINISHED"].map(|kind| json!({"type": kind, "threadId": "t", "runId": "r"}));
    let body: String = [&first, event, &last].map(|event| format!("data: {event}\n\n")).concat();
    let (mut most, mut before) = (0, allocated());
    let mut look = || {
        most = most.max(allocated() - before);
        before = allocated();
    };
    for piece in body.as_bytes().chunks(PIECE) {
        session.read(request, piece, 0.0);
        look();
        while session.go_on(request, PIECE, 0.0) {
            look();
        }
    }
    most
}

#[test]
fn no_step_is_much_of_a_long_event() {
    let mut table = Vec::new();
    for (name, event) in kinds() {
        let length = event.to_string().len() as f64;
        let [steps, whole] = [Options::LONG_EVENT, usize::MAX].map(|long| most(&event, long) as f64 / length);
        println!("{name}: {steps:.1} bytes for each of the event in the longest step, {whole:.1} at once");
        table.push((name, steps, whole));
    }
    for (name, steps, whole) in table {
        assert!(steps <= MOST, "{name}: a step allocates {steps:.1} bytes for each of the event");
        assert!(steps < 0.8 * whole, "{name}: {steps:.1} of {whole:.1} bytes are allocated in one step");
    }
}
