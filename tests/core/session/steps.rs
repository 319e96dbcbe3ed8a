//! A long event is read in steps. However they are cut, it does what it does at once; and until the last one, it has not come.

use crate::support::SessionCalls;
use crate::support::{Agent, Mirror};
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn messages(list: &[Value]) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": list)
}

fn user(at: usize) -> Value {
    json!({"id": format!("m{at}"), "role": "user", "content": format!("say \"{at}\" ü\u{1F600}")})
}

fn caller(calls: usize) -> Value {
    let call = |at| json!({"id": format!("c{at}"), "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!({"id": "calls", "role": "assistant", "toolCalls": (0..calls).map(call).collect::<Vec<_>>()})
}

/// Events that may take long, each as a stream of its own.
fn kinds() -> Vec<Vec<Value>> {
    let all: Vec<Value> = (0..20).map(user).collect();
    let reversed: Vec<Value> = (0..20).rev().map(user).collect();
    let odd = json!([{"id": "a", "role": "nobody"}, 1, user(3), user(3), {"id": "r", "role": "reasoning", "content": "so"},
        {"id": "r", "role": "assistant", "content": "it is"}, {"id": "t", "role": "tool", "toolCallId": "c1", "content": "9"}]);
    let state = |snapshot: Value| event!("STATE_SNAPSHOT", "snapshot": snapshot);
    let row = |at: usize| json!({"id": at, "title": format!("row {at}"), "done": false, "of": [[at], {}, []]});
    let rows: Vec<Value> = (0..30).map(row).collect();
    let nested =
        (0..40).fold(json!(1.50), |inner, at| if at % 2 == 0 { json!([inner, at]) } else { json!({"in": inner}) });
    let asks = |interrupts: Value| event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "interrupt", "interrupts": interrupts});
    let delta: Vec<Value> = (0..20).map(|at| json!({"op": "add", "path": "/-", "value": at})).collect();
    vec![
        vec![messages(&all)],
        vec![messages(&all), messages(&reversed), messages(&all[5..])],
        vec![messages(&[caller(12)]), messages(&[user(1), caller(3)])],
        vec![messages(odd.as_array().unwrap()), messages(&[])],
        vec![state(json!({"rows": rows})), state(json!(nested))],
        vec![state(json!([])), event!("STATE_DELTA", "delta": delta), state(json!("x".repeat(300)))],
        vec![state(json!({"a": {"b": "\u{0}\"\\"}, "": [null, true, 1e300]}))],
        vec![asks(json!([{"id": "i", "reason": "x"}, {"id": "i", "expiresAt": "soon"}, 3, {"reason": "no id"}]))],
        vec![asks(json!([]))],
        vec![event!("NO_SUCH", "messages": all), event!("MESSAGES_SNAPSHOT", "messages": {}), event!("STATE_SNAPSHOT")],
        vec![event!("CUSTOM", "name": "n", "value": rows), event!("RAW", "event": rows)],
    ]
}

fn body(events: &[Value], framing: &str) -> String {
    let started = event!("RUN_STARTED", "threadId": "t", "runId": "r");
    let finished = event!("RUN_FINISHED", "threadId": "t", "runId": "r");
    let events: Vec<String> = [&[started], events, &[finished]].concat().iter().map(Value::to_string).collect();
    match framing {
        "text/event-stream" => {
            events.iter().enumerate().map(|(at, json)| format!("data: {json}\nid: {at}\n\n")).collect()
        }
        "application/x-ndjson" => events.join("\n") + "\n",
        _ => format!("[{}]", events.join(" ,\n")),
    }
}

/// Everything that the page gets to know.
fn known(agent: &mut Agent) -> String {
    agent.snapshot();
    let Agent { mirror: Mirror(snapshot, marks), settled, warnings, warning_rules, custom, events, executed, .. } =
        agent;
    format!("{snapshot} {marks:?} {settled:?} {warnings:?} {warning_rules:?} {custom:?} {events:?} {executed:?}")
}

fn agent(long_event: usize, framing: &str) -> (Agent, u32) {
    let events = ag_ui_wasm::wire::Wanted::read("*");
    let mut agent = Agent::new(Options { long_event, events, ..Options::default() });
    let request = agent.submit("go");
    agent.head(request, 200, framing);
    (agent, request)
}

/// Gives the body in pieces; `bytes` are read ahead in a step. Says how many steps there were.
fn in_steps(agent: &mut Agent, request: u32, body: &str, piece: usize, bytes: usize) -> usize {
    let mut steps = 0;
    for piece in body.as_bytes().chunks(piece) {
        agent.act(|session, now| session.read(request, piece, now));
        while agent.session.waits() {
            agent.act(|session, now| assert!(session.go_on(request, bytes, now)));
            steps += 1;
        }
    }
    steps
}

const FRAMINGS: [&str; 3] = ["text/event-stream", "application/x-ndjson", "application/json"];

#[test]
fn steps_come_to_what_one_does() {
    for events in kinds() {
        for framing in FRAMINGS {
            let body = body(&events, framing);
            let (mut whole, request) = agent(usize::MAX, framing);
            whole.bytes(request, body.as_bytes());
            whole.end(request);
            let whole = known(&mut whole);
            for bytes in [1, 7, 1000] {
                for piece in [13, 400] {
                    let (mut agent, request) = agent(60, framing);
                    let steps = in_steps(&mut agent, request, &body, piece, bytes);
                    assert!(piece > 60 || steps > 1, "{steps} steps: {body}");
                    agent.end(request);
                    assert_eq!(known(&mut agent), whole, "{bytes} bytes a step, of pieces of {piece}: {body}");
                }
            }
        }
    }
}

/// The application's calls while an event is being read.
type Act = fn(&mut Agent);

const ACTS: [Act; 8] = [
    |agent| agent.act(|session, now| session.stop(now)),
    |agent| agent.act(|session, now| session.disconnect(now)),
    |agent| agent.act(|session, now| session.dispose(now)),
    |agent| {
        agent
            .act(|session, _| session.set_messages("[{\"id\":\"m3\",\"role\":\"user\",\"content\":\"mine\"}]").unwrap())
    },
    |agent| agent.act(|session, _| session.set_state("{\"mine\":1}").unwrap()),
    |agent| agent.act(|session, now| drop(session.submit("{\"runId\":\"next\",\"ifBusy\":\"replace\"}", now))),
    |agent| _ = agent.session.save(),
    |agent| _ = agent.snapshot(),
];

#[test]
fn an_event_that_is_being_read_has_not_come() {
    for events in kinds() {
        // An id is known as soon as it has come.
        let body = body(&events, FRAMINGS[0]).replace("\nid: ", "\n: ");
        for (number, act) in ACTS.iter().enumerate() {
            for after in [0, 1, 3, 10] {
                let (mut agent, request) = self::agent(60, FRAMINGS[0]);
                let (mut other, _) = self::agent(usize::MAX, FRAMINGS[0]);
                let (mut left, mut before, mut acted) = (after as usize, 0usize, false);
                for piece in body.as_bytes().chunks(50) {
                    agent.act(|session, now| session.read(request, piece, now));
                    while agent.session.waits() {
                        if !acted && left == 0 && agent.session.is_reading_ahead() {
                            act(&mut agent);
                            // The other one has seen what was taken so far: neither the frame that waits nor what follows it.
                            let from = before.saturating_sub(1);
                            let end = from + body[from..].find("\n\n").unwrap();
                            let came = body[..end].rfind("data: ").unwrap();
                            other.bytes(request, &body.as_bytes()[..came]);
                            act(&mut other);
                            let save = |agent: &Agent| agent.session.save();
                            assert_eq!(save(&agent), save(&other), "act {number} after {after} steps of {body}");
                            assert_eq!(
                                known(&mut agent),
                                known(&mut other),
                                "act {number} after {after} steps of {body}"
                            );
                            other.bytes(request, &body.as_bytes()[came..]);
                            acted = true;
                        }
                        left = left.saturating_sub(1);
                        agent.act(|session, now| _ = session.go_on(request, 7, now));
                    }
                    before += piece.len();
                }
                if acted {
                    agent.end(request);
                    other.end(request);
                    assert_eq!(
                        known(&mut agent),
                        known(&mut other),
                        "in the end, act {number} after {after} steps of {body}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_body_that_ends_while_an_event_is_read_has_brought_it() {
    for events in kinds() {
        let body = body(&events, FRAMINGS[0]);
        let (mut whole, request) = agent(usize::MAX, FRAMINGS[0]);
        whole.bytes(request, body.as_bytes());
        whole.end(request);
        let (mut agent, request) = agent(60, FRAMINGS[0]);
        body.as_bytes().chunks(50).for_each(|piece| agent.act(|session, now| session.read(request, piece, now)));
        agent.end(request);
        assert_eq!(known(&mut agent), known(&mut whole), "{body}");
    }
}
