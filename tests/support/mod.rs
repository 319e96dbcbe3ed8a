//! Helpers of the native tests: a mirror that applies patches as `js/snapshot/mirror.ts` does, and an agent in a test's
//! hands.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

pub mod calls;
pub mod rfc6902;
pub mod runs;
pub mod samples;
pub mod streams;

use ag_ui_wasm::session::{Effect, Options, Session, Target, Ticket};
use ag_ui_wasm::wire::Wanted;
pub use calls::SessionCalls;
use serde_json::{Value, json};

/// The snapshot, kept up to date by patches alone, and the checkpoints with what it was there.
pub struct Mirror(pub Value, pub Vec<(Value, Value)>);

impl Mirror {
    pub fn new() -> Self {
        let snapshot = json!({
            "status": "idle", "isLoading": false, "messages": [], "toolCalls": [], "state": {}, "interrupts": [],
            "subagents": [], "steps": [], "usage": [], "queue": [], "connection": {"phase": "closed", "attempt": 0},
        });
        Self(snapshot, Vec::new())
    }

    pub fn apply(&mut self, patch: &str) {
        for operation in parse(patch).as_array().unwrap() {
            let operation = operation.as_array().unwrap();
            let path = &operation[1];
            match operation[0].as_str().unwrap() {
                "=" | "~" => self.set(path, operation[2].clone()),
                "+" => {
                    for path in std::iter::once(path).chain(&operation[3..]) {
                        let Value::String(text) = self.at(path) else { panic!("no text at {path}") };
                        let added = operation[2].as_str().unwrap();
                        text.push_str(added);
                        if added.starts_with(|c| c >= '\u{10F800}') {
                            join_halves(text);
                        }
                    }
                }
                "-" => {
                    let (parent, key) = self.parent(path);
                    parent.as_object_mut().unwrap().remove(key.as_str().unwrap());
                }
                "p" => {
                    // Tests of a patch were made by the core.
                    let steps = operation[2].as_array().unwrap().iter().filter(|step| step["op"] != "test");
                    let steps: Vec<Value> = steps.cloned().collect();
                    rfc6902::patch(self.at(path), &steps).expect("the core sends what applies");
                }
                "c" => {
                    let mut mark = operation[2].clone();
                    mark["runId"] = self.0["runId"].clone();
                    self.1.push((mark, self.0.clone()));
                }
                "o" => {
                    let old = self.at(path).as_array().unwrap().clone();
                    let items = operation[2].as_array().unwrap().iter().flat_map(|item| match item.as_array() {
                        Some(range) => {
                            old[range[0].as_u64().unwrap() as usize..range[1].as_u64().unwrap() as usize].to_vec()
                        }
                        None => vec![item.clone()],
                    });
                    let list = items.collect();
                    *self.at(path) = Value::Array(list);
                }
                other => panic!("unknown operation {other}"),
            }
        }
    }

    fn at(&mut self, path: &Value) -> &mut Value {
        let mut at = &mut self.0;
        for key in path.as_array().unwrap() {
            at = step(at, key).unwrap_or_else(|| panic!("nothing at {path}"));
        }
        at
    }

    fn parent<'p>(&mut self, path: &'p Value) -> (&mut Value, &'p Value) {
        let (key, above) = path.as_array().unwrap().split_last().unwrap();
        let above = Value::Array(above.to_vec());
        (self.at(&above), key)
    }

    fn set(&mut self, path: &Value, value: Value) {
        let (parent, key) = self.parent(path);
        match (parent, key) {
            (Value::Object(map), Value::String(key)) => {
                map.insert(key.clone(), value);
            }
            (Value::Array(list), Value::Number(at)) => {
                let at = at.as_u64().unwrap() as usize;
                if at == list.len() { list.push(value) } else { list[at] = value }
            }
            (parent, key) => panic!("{key} does not fit {parent}"),
        }
    }
}

/// Halves of a surrogate pair that came one after the other, as JavaScript sees them: one character.
fn join_halves(text: &mut String) {
    let half = |c: char| (c as u32).checked_sub(0x10_F800);
    let mut joined = String::with_capacity(text.len());
    for c in text.chars() {
        let before = joined.chars().next_back().and_then(half).filter(|half| *half < 0x400);
        match (before, half(c).and_then(|half| half.checked_sub(0x400))) {
            (Some(high), Some(low)) => {
                joined.pop();
                joined.push(char::from_u32(0x1_0000 + (high << 10) + low).unwrap());
            }
            _ => joined.push(c),
        }
    }
    *text = joined;
}

fn step<'a>(at: &'a mut Value, key: &Value) -> Option<&'a mut Value> {
    match key {
        Value::String(key) => at.as_object_mut()?.get_mut(key),
        Value::Number(index) => at.as_array_mut()?.get_mut(index.as_u64()? as usize),
        _ => None,
    }
}

/// The save that a session has just given, whole. Where it is a `part`, it has to make the session's save of the last whole one.
pub fn whole(session: &Session, last: &mut Value, save: String, part: bool) -> Result<String, String> {
    if !part {
        *last = parse(&save);
        return Ok(save);
    }
    let mut made = parse(&save);
    let object = made.as_object_mut().unwrap();
    let from = object.remove("from").unwrap().as_u64().unwrap() as usize;
    let mut messages = last["messages"].as_array().unwrap()[..from].to_vec();
    messages.append(object["messages"].as_array_mut().unwrap());
    object.insert("messages".into(), messages.into());
    object.entry("state").or_insert_with(|| last["state"].clone());
    let now = session.save();
    if made == parse(&now) { Ok(now) } else { Err(format!("the changes make {made}, and the session is {now}")) }
}

/// JSON in which half a surrogate pair is a private character, as the core keeps it: `serde_json` refuses halves.
pub fn parse(json: &str) -> Value {
    let mut text = String::new();
    let mut rest = json;
    while let Some(at) = rest.find("\\u") {
        let escaped = rest[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        let unit = u32::from_str_radix(rest.get(at + 2..at + 6).unwrap_or(""), 16).unwrap_or(0);
        let next = rest.get(at + 8..at + 12).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0);
        let paired = (0xD800..0xDC00).contains(&unit)
            && rest.get(at + 6..at + 8) == Some("\\u")
            && (0xDC00..0xE000).contains(&next);
        text.push_str(&rest[..at]);
        if escaped || !(0xD800..0xE000).contains(&unit) {
            text.push_str("\\u");
            rest = &rest[at + 2..];
        } else if paired {
            text.push_str(&rest[at..at + 12]);
            rest = &rest[at + 12..];
        } else {
            text.push(char::from_u32(unit - 0xD800 + 0x10_F800).unwrap());
            rest = &rest[at + 6..];
        }
    }
    text.push_str(rest);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// A session with its mirror, and everything that it asked for.
pub struct Agent {
    pub session: Session,
    pub mirror: Mirror,
    pub now: f64,
    pub requests: Vec<(u32, Value)>,
    /// Where each of them went: the target, the run and the cursor.
    pub targets: Vec<(Target, String, Option<String>)>,
    pub stopped: Vec<String>,
    pub closed: Vec<u32>,
    pub settled: Vec<(Ticket, Value)>,
    /// The names of these.
    pub names: Vec<String>,
    pub warnings: Vec<String>,
    pub warning_rules: Vec<Option<String>>,
    pub custom: Vec<(String, Value)>,
    /// Every event, where they are reported.
    pub events: Vec<Value>,
    /// The decisions of the guard.
    pub decisions: Vec<Value>,
    /// Calls that the page was given: id, name and arguments; and those that it may give up.
    pub executed: Vec<(String, String, Value)>,
    pub abandoned: Vec<String>,
    pub wake: Option<f64>,
    /// The saves, and whether something waits for them.
    pub saves: Vec<(u32, String)>,
    /// The last save that came whole.
    whole: Value,
    /// Its store does not answer.
    pub store_hangs: bool,
}

impl Agent {
    pub fn new(options: Options) -> Self {
        Self::with(options, None, None)
    }

    pub fn with(options: Options, messages: Option<&str>, state: Option<&str>) -> Self {
        let options = Options { thread_id: "t".into(), ..options };
        Self::of(Session::new(options, messages, state).unwrap())
    }

    /// An agent whose server speaks a dialect, and that tells every event that the dialect makes.
    pub fn speaking(dialect: &str, settings: Value, options: Options) -> Self {
        let dialect = ag_ui_wasm::dialect::named(dialect, &settings.to_string()).expect("a dialect of this build");
        let options = Options { thread_id: "t".into(), events: Wanted::read("*"), ..options };
        Self::of(Session::new(options, None, None).unwrap().speaking(Some(dialect)))
    }

    /// An agent with a guard, which tells every event and every decision. Without a dialect the server speaks AG-UI.
    pub fn guarded(dialect: Option<&str>, policy: Value, options: Options) -> Self {
        let dialect = dialect.map(|name| ag_ui_wasm::dialect::named(name, "{}").expect("a dialect of this build"));
        let guard = ag_ui_wasm::guard::Guard::new(&policy.to_string()).expect("a policy");
        let options = Options { thread_id: "t".into(), events: Wanted::read("*"), ..options };
        let mut session = Session::new(options, None, None).unwrap().speaking(dialect).guarded(Some(guard));
        session.report_decisions(true);
        Self::of(session)
    }

    fn of(session: Session) -> Self {
        let mut agent = Self {
            session,
            mirror: Mirror::new(),
            now: 1000.0,
            requests: Vec::new(),
            targets: Vec::new(),
            stopped: Vec::new(),
            closed: Vec::new(),
            settled: Vec::new(),
            names: Vec::new(),
            warnings: Vec::new(),
            warning_rules: Vec::new(),
            custom: Vec::new(),
            events: Vec::new(),
            decisions: Vec::new(),
            executed: Vec::new(),
            abandoned: Vec::new(),
            wake: None,
            saves: Vec::new(),
            whole: Value::Null,
            store_hangs: false,
        };
        agent.settle_effects();
        agent
    }

    /// Submits a string, with answers to what is open, and gives its request's number.
    pub fn submit(&mut self, text: &str) -> u32 {
        let message = json!({"id": format!("u{}", self.requests.len()), "role": "user", "content": text});
        let open = self.snapshot()["interrupts"].as_array().unwrap().clone();
        let answer = |interrupt: &Value| json!({"interruptId": interrupt["id"], "status": "resolved"});
        let resume: Option<Vec<Value>> = (!open.is_empty()).then(|| open.iter().map(answer).collect());
        self.submit_json(json!({"runId": "r", "messages": [message], "resume": resume}));
        self.requests.last().unwrap().0
    }

    pub fn submit_json(&mut self, input: Value) -> Ticket {
        let ticket = self.session.submit(&input.to_string(), self.now).unwrap();
        self.settle_effects();
        ticket
    }

    pub fn head(&mut self, request: u32, status: u16, content_type: &str) {
        self.session.head(request, status, content_type, None, self.now);
        self.settle_effects();
    }

    pub fn bytes(&mut self, request: u32, bytes: &[u8]) {
        self.session.bytes(request, bytes, self.now);
        self.settle_effects();
    }

    pub fn end(&mut self, request: u32) {
        self.session.end(request, self.now);
        self.settle_effects();
    }

    /// The connection is lost.
    pub fn cut(&mut self, request: u32) {
        self.act(|session, now| session.failed(request, "reset", now));
    }

    /// The time for which the session waits has come. Gives the number of the request that it makes then.
    pub fn wait(&mut self) -> u32 {
        let before = self.requests.len();
        self.now = self.wake.expect("a time to wait for");
        self.act(|session, now| session.tick(now));
        assert_eq!(self.requests.len(), before + 1, "one request");
        self.requests.last().unwrap().0
    }

    /// One event as a frame.
    pub fn event(&mut self, request: u32, event: Value) {
        self.bytes(request, format!("data: {event}\n\n").as_bytes());
    }

    /// An agent whose run has begun, and that run's request.
    pub fn started() -> (Self, u32) {
        let mut agent = Self::new(Options::default());
        let request = agent.submit("go");
        agent.head(request, 200, "text/event-stream");
        agent.event(request, json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}));
        agent.snapshot();
        (agent, request)
    }

    /// Several events, published once.
    pub fn events(&mut self, request: u32, events: &[Value]) -> &Value {
        for event in events {
            self.event(request, event.clone());
        }
        self.snapshot()
    }

    /// A run that answers with these events.
    pub fn run(&mut self, events: &[Value]) -> &Value {
        let request = self.submit("go");
        self.head(request, 200, "text/event-stream");
        for event in events {
            self.event(request, event.clone());
        }
        self.end(request);
        self.snapshot()
    }

    /// Runs `input` on the session, with the clock.
    pub fn act(&mut self, input: impl FnOnce(&mut Session, f64)) {
        input(&mut self.session, self.now);
        self.settle_effects();
    }

    pub fn snapshot(&mut self) -> &Value {
        if let Some(patch) = self.session.take_patch(usize::MAX) {
            self.mirror.apply(&patch);
        }
        assert!(self.session.take_patch(usize::MAX).is_none(), "a patch that was taken leaves nothing behind");
        &self.mirror.0
    }

    /// The patch as it goes to the mirror.
    pub fn patch(&mut self) -> Option<String> {
        let patch = self.session.take_patch(usize::MAX);
        if let Some(patch) = &patch {
            self.mirror.apply(patch);
        }
        patch
    }

    /// The body of the last request.
    pub fn sent(&self) -> &Value {
        &self.requests.last().unwrap().1
    }

    fn settle_effects(&mut self) {
        while let Some(effect) = next_effect(&mut self.session) {
            match effect {
                Effect::Open { request, body, target, run_id, cursor } => {
                    self.requests.push((request, if body.is_empty() { Value::Null } else { parse(&body) }));
                    self.targets.push((target, run_id, cursor));
                }
                Effect::StopRemote { run_id } => self.stopped.push(run_id),
                Effect::Close { request } => self.closed.push(request),
                Effect::Settled { ticket, name, result } => {
                    self.settled.push((ticket, parse(&result)));
                    self.names.push(name);
                }
                Effect::Execute { tool_call_id, name, args, .. } => {
                    self.executed.push((tool_call_id, name, parse(&args)))
                }
                Effect::Abandon { tool_call_id } => self.abandoned.push(tool_call_id),
                Effect::Warning(warning) => {
                    self.warnings.push(warning.code.to_owned());
                    self.warning_rules.push(warning.rule.map(Into::into));
                }
                Effect::Custom { name, value } => self.custom.push((name, parse(&value))),
                Effect::Wake { at } => self.wake = at,
                Effect::Event(json) => self.events.push(parse(&json)),
                Effect::Decision(json) => self.decisions.push(parse(&json)),
                Effect::Changed { .. } => {}
                Effect::Save { number, save, part } => {
                    let whole = whole(&self.session, &mut self.whole, save, part).unwrap();
                    self.saves.push((number, whole));
                    if !self.store_hangs {
                        self.session.saved(number, self.now);
                    }
                }
            }
        }
    }
}

/// `{"type": …}` with members.
#[macro_export]
macro_rules! event {
    ($name:literal $(, $($members:tt)*)?) => {
        serde_json::json!({"type": $name $(, $($members)*)?})
    };
}

/// The next effect, which the session has announced.
pub fn next_effect(session: &mut Session) -> Option<Effect> {
    let announced = session.has_effects();
    let effect = session.poll_effect();
    assert!(announced || effect.is_none(), "nobody would have asked for {effect:?}");
    effect
}
