//! Bodies of AG-UI and of every dialect: the snapshot does not depend on how the network cuts a body, nor on when patches are
//! taken; what strict rules let pass is the same under tolerant ones; and an agent is saved as it was restored.

use super::{cut, saves, seeded};
use crate::support::Agent;
use crate::support::streams::Random;
use ag_ui_wasm::session::Options;
use ag_ui_wasm::wire::{Protocol, Wanted};
use serde_json::{Value, json};

/// Deep enough for any fixture, and shallow enough for `serde_json`, which the mirror reads patches with.
pub const DEPTH: usize = 64;

const TYPES: [&str; 5] = ["text/event-stream", "text/event-stream", "text/event-stream", "application/x-ndjson", ""];

pub fn ag_ui(data: &[u8]) {
    let (mut random, body) = seeded(data);
    let events = if random.one_in(2) { Wanted::read("*") } else { Wanted::read("TEXT_MESSAGE_END") };
    let media_type = if random.one_in(8) { ag_ui_wasm::wire::BINARY_MEDIA_TYPE } else { TYPES[random.below(5)] };
    let limit = if random.one_in(8) { 300 } else { 10 << 20 };
    check(&mut random, body, media_type, |strict| {
        Agent::new(Options {
            strict,
            events: events.clone(),
            max_frame_bytes: limit,
            max_depth: DEPTH,
            ..Options::default()
        })
    });
}

pub fn legacy(data: &[u8]) {
    let (mut random, body) = seeded(data);
    let protocol = Protocol::parse(["0.0.39", "0.0.47", "0.0.57", "0.0.59", "1.0"][random.below(5)]).unwrap();
    check(&mut random, body, "text/event-stream", |strict| {
        Agent::new(Options { strict, protocol, events: Wanted::read("*"), max_depth: DEPTH, ..Options::default() })
    });
}

pub fn dialect(name: &str, data: &[u8]) {
    let (mut random, body) = seeded(data);
    let settings = match (name, random.below(3)) {
        ("chio", 0) => json!({"rawText": true}),
        ("hector", 0) => json!({"route": "v2"}),
        ("hector", 1) => json!({"route": "rest", "form": "native"}),
        ("open-search", 0) => json!({"history": "new"}),
        _ => json!({}),
    };
    let media_type = TYPES[random.below(TYPES.len())];
    check(&mut random, body, media_type, |strict| {
        Agent::speaking(name, settings.clone(), Options { strict, max_depth: DEPTH, ..Options::default() })
    });
}

/// Everything that an agent has shown and reported.
pub fn seen(agent: &mut Agent) -> Value {
    let snapshot = agent.snapshot().clone();
    // It is about what changed between two notifications, so it does depend on when they are.
    let warnings: Vec<&String> = agent.warnings.iter().filter(|code| *code != "history-too-large").collect();
    json!({
        "snapshot": snapshot, "warnings": warnings, "custom": agent.custom, "events": agent.events,
        "decisions": agent.decisions, "executed": agent.executed, "abandoned": agent.abandoned, "closed": agent.closed,
        "requests": agent.requests.len(),
        "settled": agent.settled.iter().map(|(ticket, result)| json!([ticket, result])).collect::<Vec<_>>(),
    })
}

fn played(mut agent: Agent, media_type: &str, pieces: &[&[u8]], random: Option<&mut Random>) -> Agent {
    let mut often = random;
    let tools = [("search", false), ("confirm", true)];
    let tools = tools.map(|(name, needs_approval)| json!({"name": name, "needsApproval": needs_approval}));
    agent.submit_json(
        json!({"runId": "r", "messages": [{"id": "u", "role": "user", "content": "go"}], "pageTools": tools}),
    );
    let Some((request, _)) = agent.requests.last().cloned() else { return agent };
    agent.head(request, 200, media_type);
    for piece in pieces {
        agent.bytes(request, piece);
        if often.as_mut().is_some_and(|random| random.one_in(2)) {
            agent.snapshot();
        }
    }
    agent.end(request);
    agent
}

fn check(random: &mut Random, body: &[u8], media_type: &str, make: impl Fn(bool) -> Agent) {
    let strict = random.one_in(2);
    let pieces = cut(random, body);
    let mut whole = played(make(strict), media_type, &[body], None);
    let shown = seen(&mut whole);
    let mut in_pieces = played(make(strict), media_type, &pieces, Some(random));
    same(&seen(&mut in_pieces), &shown, "the cuts, or when patches were taken");
    assert!(whole.settled.len() <= 1, "a ticket settles once");
    once(&whole);
    if strict && shown["snapshot"]["error"]["kind"] != "protocol" {
        let mut tolerant = played(make(false), media_type, &[body], None);
        same(&seen(&mut tolerant)["snapshot"], &shown["snapshot"], "the rules, which nothing has broken");
    }
    saves::again(&whole, || make(strict));
    let now = whole.now;
    whole.act(|session, _| session.dispose(now));
    assert_eq!(whole.settled.len(), 1, "a ticket settles");
}

/// No call is executed twice.
pub fn once(agent: &Agent) {
    let mut ids: Vec<&str> = agent.executed.iter().map(|(id, _, _)| id.as_str()).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "a tool is executed twice: {ids:?}");
}

/// Compares, and says where two values differ first.
pub fn same(a: &Value, b: &Value, about: &str) {
    if a != b {
        panic!("{about} make a difference at {}", difference(a, b, ""));
    }
}

fn difference(a: &Value, b: &Value, path: &str) -> String {
    match (a, b) {
        (Value::Object(x), Value::Object(y)) if x.len() == y.len() && x.keys().all(|key| y.contains_key(key)) => {
            let (key, a) = x.iter().find(|(key, a)| y[*key] != **a).unwrap();
            difference(a, &y[key], &format!("{path}/{key}"))
        }
        (Value::Array(x), Value::Array(y)) if x.len() == y.len() => {
            let at = (0..x.len()).find(|at| x[*at] != y[*at]).unwrap();
            difference(&x[at], &y[at], &format!("{path}/{at}"))
        }
        _ => format!("{path}: {a} and {b}"),
    }
}
