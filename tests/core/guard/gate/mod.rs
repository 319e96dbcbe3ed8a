//! The gate: what the guard forbids is neither shown nor executed, whatever brings it. `docs/guard.md` has a table of every way
//! in; each row has its test here.

mod calls;
mod counted;
mod hostile;
mod list;
mod page;
mod runs;
mod state;
mod text;

use super::*;
use crate::support::samples::samples;
use crate::support::streams::{Random, Streams};
use ag_ui_wasm::wire::Event;
use std::collections::BTreeSet;

/// Stands wherever a stream says something that its row's policy forbids.
const MARK: &str = "FORBIDDEN";

fn open() -> Value {
    json!({"restricted_classifications": [], "allow_display_without_capability": true})
}

fn restricts(classes: &[&str]) -> Value {
    json!({"restricted_classifications": classes, "allow_display_without_capability": true})
}

/// Of the components of a type only `ok`.
fn only(kind: &str) -> Value {
    let mut policy = open();
    policy["allow_components"] = json!(["tool", "activity", "custom"]);
    policy["allow_ids"] = json!([format!("{kind}:ok")]);
    policy
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Framing {
    Sse,
    Lines,
    Array,
}

const FRAMINGS: [Framing; 3] = [Framing::Sse, Framing::Lines, Framing::Array];

impl Framing {
    fn content_type(self) -> &'static str {
        match self {
            Self::Sse => "text/event-stream",
            Self::Lines => "application/x-ndjson",
            Self::Array => "application/json",
        }
    }

    fn body(self, events: &[Value]) -> String {
        let texts: Vec<String> = events.iter().map(Value::to_string).collect();
        match self {
            Self::Sse => texts.iter().map(|text| format!("data: {text}\n\n")).collect(),
            Self::Lines => texts.join("\n") + "\n",
            Self::Array => format!("[{}]", texts.join(",")),
        }
    }
}

/// Submits with page tools of every name, and answers with a body.
fn answered(agent: &mut Agent, content_type: &str, body: &[u8], size: usize) {
    let tools = json!([{"name": MARK}, {"name": "ok"}, {"name": "asks", "needsApproval": true}]);
    let message = json!({"id": "u", "role": "user", "content": "go"});
    agent.submit_json(json!({"runId": "r", "messages": [message], "pageTools": tools, "maxFollowUps": 0}));
    let request = agent.requests.last().unwrap().0;
    agent.head(request, 200, content_type);
    for read in body.chunks(size) {
        agent.bytes(request, read);
        agent.snapshot();
    }
    agent.end(request);
    agent.snapshot();
}

fn started() -> Value {
    event!("RUN_STARTED", "threadId": "t", "runId": "r")
}

fn finished() -> Value {
    event!("RUN_FINISHED", "threadId": "t", "runId": "r")
}

/// All that a page can see of an agent, but what the guard itself says.
fn seen(agent: &mut Agent) -> String {
    let snapshot = agent.snapshot().clone();
    let settled: Vec<_> = agent.settled.iter().map(|(_, result)| result.clone()).collect();
    let sent: Vec<_> = agent.requests.iter().map(|(_, body)| body.clone()).collect();
    let executed: Vec<_> = agent.executed.iter().map(|(id, name, args)| json!([id, name, args])).collect();
    json!([snapshot, agent.custom, agent.events, executed, settled, sent]).to_string()
}

fn play(policy: &Value, strict: bool, framing: Framing, events: &[Value], size: usize) -> Agent {
    let options = Options { strict, ..Options::default() };
    let mut agent = Agent::guarded(None, policy.clone(), options);
    answered(&mut agent, framing.content_type(), framing.body(events).as_bytes(), size);
    agent
}

/// Plays a run with these events: what they bring is seen without the policy, and is not with it, in both rule sets, in every
/// framing, in reads of any size. What else comes is seen.
fn row(policy: Value, events: &[Value]) {
    row_in(policy, events, &[true, false]);
}

fn row_in(policy: Value, events: &[Value], rules: &[bool]) {
    let mut all = events.to_vec();
    if all[0]["type"] != "RUN_STARTED" {
        all.insert(0, started());
    }
    if !["RUN_FINISHED", "RUN_ERROR"].contains(&all.last().unwrap()["type"].as_str().unwrap()) {
        all.push(finished());
    }
    for &strict in rules {
        for framing in FRAMINGS {
            for size in [1, 7, usize::MAX] {
                let mut agent = play(&open(), strict, framing, &all, size);
                assert!(seen(&mut agent).contains(MARK), "an open policy shows it: {framing:?} strict {strict}");
                assert_eq!(agent.snapshot()["error"]["kind"].as_str().filter(|kind| *kind == "protocol"), None);
                let mut agent = play(&policy, strict, framing, &all, size);
                let seen = seen(&mut agent);
                assert!(!seen.contains(MARK), "{framing:?} strict {strict} reads of {size}: {seen}");
                let error = &agent.snapshot()["error"];
                assert!(error.is_null() || error["kind"] == "run", "the order is not broken: {error}");
                assert!(agent.warnings.contains(&"event-blocked".to_owned()));
                assert!(agent.decisions.iter().any(|decision| decision["allowed"] == false));
            }
        }
    }
}

fn call(id: &str, name: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}})
}

fn assistant(id: &str, calls: Vec<Value>) -> Value {
    json!({"id": id, "role": "assistant", "toolCalls": calls})
}

fn list(messages: Vec<Value>) -> Value {
    event!("MESSAGES_SNAPSHOT", "messages": messages)
}

fn activity(kind: &str, content: &str) -> Value {
    event!("ACTIVITY_SNAPSHOT", "messageId": "v", "activityType": kind, "content": {"a": content}, "replace": true)
}

fn with(mut event: Value, name: &str, value: Value) -> Value {
    event[name] = value;
    event
}

fn called(id: &str, name: &str) -> Vec<Value> {
    vec![
        event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name),
        event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": "{}"),
        event!("TOOL_CALL_END", "toolCallId": id),
    ]
}

fn interrupted(interrupts: Value) -> Value {
    with(finished(), "outcome", json!({"type": "interrupt", "interrupts": interrupts}))
}

/// A way in, by its name in the documentation, and its test.
type Row = (&'static str, fn());

/// Every way in, in the order of the documentation.
fn rows() -> Vec<Row> {
    [text::ROWS, calls::ROWS, state::ROWS, list::ROWS, runs::ROWS, page::ROWS].concat()
}

/// The table of the documentation: the way in, what it is judged as, its class.
fn documented() -> Vec<[&'static str; 3]> {
    let docs = include_str!("../../../../docs/guard.md");
    let (_, table) = docs.split_once("| way in | as |").unwrap();
    let lines = table.lines().skip(2).take_while(|line| line.starts_with("| "));
    let cells = |line: &'static str| {
        let mut cells = line[2..].split(" | ").map(str::trim);
        [(); 3].map(|()| cells.next().unwrap())
    };
    lines.map(cells).collect()
}

/// An event that is judged as itself has a test below.
#[test]
fn every_way_in_of_the_documentation_is_closed() {
    let tested: Vec<&str> = rows().iter().map(|(name, _)| *name).collect();
    let documented = documented().into_iter().map(|[name, ..]| name);
    let documented: Vec<&str> =
        documented.filter(|name| tested.contains(name) || !Event::TYPES.contains(name)).collect();
    assert_eq!(documented, tested, "the table of docs/guard.md and the tests of its rows");
    for (name, test) in rows() {
        if let Err(panic) = std::panic::catch_unwind(test) {
            let message = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            panic!("{name}: {message}");
        }
    }
}

#[test]
fn every_event_is_documented() {
    for name in Event::TYPES.iter().filter(|name| !name.ends_with("_END")) {
        let family = name.split('_').next().unwrap();
        let row = |row: &str| row.split(':').next() == Some(name) || row.starts_with(&format!("{family}_*"));
        assert!(documented().iter().any(|[way, ..]| row(way)), "the table of docs/guard.md has no {name}");
    }
}

/// A policy that restricts the class blocks the event, so it needs that class to be right.
#[test]
fn an_event_that_is_judged_as_itself_is_of_the_class_of_the_documentation() {
    for sample in samples() {
        let name = sample["type"].as_str().unwrap();
        for [_, _, class] in documented().iter().filter(|[way, judged, _]| *way == name && judged.starts_with("itself"))
        {
            let class = class.trim_matches('`');
            let events = [started(), sample.clone(), finished()];
            let agent = play(&restricts(&[class]), false, Framing::Sse, &events, usize::MAX);
            let told = agent.decisions.iter().find(|told| told["eventType"] == name || told["carrier"] == name);
            let told = told.unwrap_or_else(|| panic!("{name} is not judged"));
            assert_eq!(
                (&told["allowed"], told["classification"].as_str()),
                (&json!(false), Some(class)),
                "{name} in src/wire/event/table.rs"
            );
            assert!(!agent.events.iter().any(|event| event["type"] == name), "{name} is heard of");
        }
    }
}

#[test]
fn the_binary_framing_is_judged_as_well() {
    // RUN_STARTED, TEXT_MESSAGE_START, its CONTENT "hi" and END, RUN_FINISHED.
    let frames = [
        "620a0a02080b1201741a0172",
        "0a050a0012016d",
        "120b0a02080112016d1a026869",
        "1a070a02080212016d",
        "6a0a0a02080c1201741a0172",
    ];
    let mut body = Vec::new();
    for hex in frames {
        body.extend((hex.len() as u32 / 2).to_be_bytes());
        body.extend((0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap()));
    }
    for (policy, messages) in [(open(), 2), (restricts(&["display"]), 1)] {
        let mut agent = Agent::guarded(None, policy, Options { strict: true, ..Options::default() });
        answered(&mut agent, "application/vnd.ag-ui.event+proto", &body, 3);
        assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), messages);
        assert_eq!(agent.snapshot()["outcome"], "success");
    }
}

/// Events that a dialect makes in its own ways go through the gate, too.
#[test]
fn dialects_have_no_door_of_their_own() {
    for (dialect, folder) in
        [("agent-os", "agentos"), ("open-search", "opensearch"), ("hector", "hector"), ("ngaf", "ngaf")]
    {
        let path = format!("{}/tests/fixtures/dialects/{folder}", env!("CARGO_MANIFEST_DIR"));
        let mut played = 0;
        for file in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            if file.path().extension().is_none_or(|kind| kind != "sse") {
                continue;
            }
            let body = std::fs::read(file.path()).unwrap();
            let mut agent = Agent::guarded(Some(dialect), json!({}), Options::default());
            let request = agent.submit("go");
            agent.head(request, 200, "text/event-stream");
            agent.bytes(request, &body);
            agent.end(request);
            let snapshot = agent.snapshot().clone();
            let shown = json!([
                &snapshot["messages"].as_array().unwrap()[1..],
                snapshot["toolCalls"],
                snapshot["subagents"],
                snapshot["interrupts"],
                snapshot["usage"]
            ]);
            assert_eq!(shown, json!([[], [], [], [], []]), "{:?}", file.path());
            assert_eq!(snapshot["state"], json!({}), "{:?}", file.path());
            assert!(agent.custom.is_empty() && agent.executed.is_empty(), "{:?} {:?}", file.path(), agent.custom);
            played += 1;
        }
        assert!(played > 0, "{path}");
    }
}

/// The error of a call that failed is its result.
#[test]
fn errors_of_calls_are_judged() {
    let body = fixture("hector/05-agui-tool-error-task-failed.sse");
    let errors = |policy: Value| {
        let mut agent = played(Agent::guarded(Some("hector"), policy, Options::default()), [body.as_slice()]);
        let calls = agent.snapshot()["toolCalls"].as_array().unwrap().clone();
        assert_eq!(calls.len(), 1);
        calls[0].get("result").is_some()
    };
    assert!(errors(open()) && !errors(restricts(&["display"])));
}
