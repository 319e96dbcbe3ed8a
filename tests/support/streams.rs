//! Streams made up from a seed: interleaved, interrupted, tagged, in chunks or not, and as wrong as the parameters say.

use crate::event;
use serde_json::{Map, Value, json};

/// A small generator of numbers: same seed, same numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }
}

/// One id may be a message, a call, an activity and a step at once.
const IDS: [&str; 5] = ["a", "b", "c", "d", "\u{10F801}"];
const TAGS: [&str; 2] = ["s1", "s2"];
/// Pieces of text: an escape, both halves of a surrogate pair (as the core keeps them), a character of the kept range.
const PIECES: [&str; 8] = ["x", "Hello ", "", "\n\"", "\u{10F83D}", "\u{10FE42}", "{\"k\":", "\u{10F812}\\"];

pub struct Streams {
    pub random: Random,
    /// One event in so many is made without a look at what is open; 0: none.
    chaos: usize,
    open: Vec<(&'static str, &'static str)>,
    tags: bool,
    /// The chunk that came last, if nothing came after it: what it would open a stream with.
    chunk: Value,
}

impl Streams {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let chaos = [0, 0, 12, 5, 2][random.below(5)];
        let tags = random.one_in(3);
        Self { random, chaos, open: Vec::new(), tags, chunk: Value::Null }
    }

    /// A list of events of one or several runs.
    pub fn events(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        let runs = 1 + self.random.below(3);
        for run in 0..runs {
            let id = format!("r{run}");
            if !self.wild() {
                self.open.clear();
                events.push(self.run_started(&id));
            }
            for _ in 0..self.random.below(40) {
                events.push(self.next());
            }
            match self.random.below(8) {
                // The connection was cut.
                0 if run + 1 == runs || self.wild() => {}
                1 => events.push(event!("RUN_ERROR", "message": "boom")),
                _ => {
                    if !self.wild() {
                        self.close(&mut events);
                    }
                    events.push(self.run_finished(&id));
                }
            }
        }
        events
    }

    /// Messages that the application has from before.
    pub fn history(&mut self) -> Vec<Value> {
        let mut messages = vec![json!({"id": "u", "role": "user", "content": "hi"})];
        for id in IDS {
            if self.random.one_in(4) {
                messages.push(self.message(id));
            }
        }
        messages
    }

    fn wild(&mut self) -> bool {
        self.chaos > 0 && self.random.one_in(self.chaos)
    }

    fn id(&mut self) -> &'static str {
        self.random.pick(&IDS)
    }

    fn text(&mut self) -> &'static str {
        self.random.pick(&PIECES)
    }

    /// An id that is open as `kind` or, where that is wanted and there is one, closed as it.
    fn opened(&mut self, kind: &str) -> Option<&'static str> {
        if self.wild() {
            return Some(self.id());
        }
        let ids: Vec<_> = self.open.iter().filter(|(k, _)| *k == kind).map(|(_, id)| *id).collect();
        (!ids.is_empty()).then(|| ids[self.random.below(ids.len())])
    }

    fn start(&mut self, kind: &'static str) -> Option<&'static str> {
        let id = self.id();
        if !self.wild() {
            if self.open.contains(&(kind, id)) {
                return None;
            }
            self.open.push((kind, id));
        }
        Some(id)
    }

    /// A subagent that has not been there in this run.
    fn subagent(&mut self) -> Option<&'static str> {
        let id = self.random.pick(&TAGS);
        let known = self.open.iter().any(|(kind, open)| kind.ends_with("subagent") && *open == id);
        (self.wild() || !known).then(|| {
            self.open.extend([("subagent", id), ("was a subagent", id)]);
            id
        })
    }

    fn end(&mut self, kind: &'static str) -> Option<&'static str> {
        let id = self.opened(kind)?;
        self.open.retain(|open| *open != (kind, id));
        Some(id)
    }

    fn close(&mut self, events: &mut Vec<Value>) {
        for (kind, id) in std::mem::take(&mut self.open) {
            events.push(match kind {
                "was a subagent" => continue,
                "text" => event!("TEXT_MESSAGE_END", "messageId": id),
                "reasoning" => event!("REASONING_MESSAGE_END", "messageId": id),
                "call" => event!("TOOL_CALL_END", "toolCallId": id),
                "step" => event!("STEP_FINISHED", "stepName": id),
                "span" => event!("REASONING_END", "messageId": id),
                _ => event!("SUBAGENT_FINISHED", "subagentRunId": id),
            });
        }
    }

    /// The next event, with what every event may have.
    fn next(&mut self) -> Value {
        let mut made = loop {
            if let Some(made) = self.bare() {
                break made;
            }
        };
        let Some(fields) = made.as_object_mut() else { return made };
        if !fields["type"].as_str().unwrap().ends_with("CHUNK") {
            self.chunk = Value::Null;
        }
        let name = fields["type"].as_str().unwrap().to_owned();
        if self.random.one_in(3) {
            fields.insert("timestamp".into(), json!(self.random.below(1000)));
        }
        if self.random.one_in(5) {
            fields.insert("metadata".into(), self.metadata());
        }
        if self.random.one_in(8) {
            fields.insert("rawEvent".into(), json!({"provider": 1}));
        }
        let tag = self.tags && !name.starts_with("RUN_") && !fields.contains_key("subagentRunId");
        if tag && self.wild() {
            fields.insert("subagentRunId".into(), json!(self.random.pick(&TAGS)));
        }
        if self.chaos > 0 && self.random.one_in(self.chaos * 8) {
            self.spoil(fields);
        }
        made
    }

    /// Makes an event wrong.
    fn spoil(&mut self, fields: &mut Map<String, Value>) {
        let keys: Vec<_> = fields.keys().cloned().collect();
        let key = &keys[self.random.below(keys.len())];
        match self.random.below(4) {
            0 => drop(fields.remove(key)),
            1 => drop(fields.insert(key.clone(), json!(5))),
            2 => drop(fields.insert(key.clone(), Value::Null)),
            _ => drop(fields.insert("unknown".into(), json!([1]))),
        }
    }

    fn metadata(&mut self) -> Value {
        match self.random.below(4) {
            0 => json!({}),
            1 => json!({"k": self.random.below(9)}),
            2 => json!({"l": {"deep": [1.50]}}),
            _ => json!({"__proto__": null, "k": "v"}),
        }
    }

    fn bare(&mut self) -> Option<Value> {
        let text = self.text();
        Some(match self.random.below(48) {
            0 | 1 => self.text_start()?,
            2..8 => event!("TEXT_MESSAGE_CONTENT", "messageId": self.opened("text")?, "delta": text),
            8 => event!("TEXT_MESSAGE_END", "messageId": self.end("text")?),
            9 => event!("REASONING_MESSAGE_START", "messageId": self.start("reasoning")?, "role": "reasoning"),
            10..14 => event!("REASONING_MESSAGE_CONTENT", "messageId": self.opened("reasoning")?, "delta": text),
            14 => event!("REASONING_MESSAGE_END", "messageId": self.end("reasoning")?),
            15 | 16 => self.call_start()?,
            17..22 => event!("TOOL_CALL_ARGS", "toolCallId": self.opened("call")?, "delta": text),
            22 => event!("TOOL_CALL_END", "toolCallId": self.end("call")?),
            23 => event!("TOOL_CALL_RESULT", "messageId": self.id(), "toolCallId": self.id(), "content": text),
            24..29 => self.chunk(),
            29 | 30 => event!("STATE_SNAPSHOT", "snapshot": self.document()),
            31..35 => event!("STATE_DELTA", "delta": self.patch()),
            35 => self.activity(),
            36..39 => {
                let (id, kind) = (self.id(), self.random.pick(&["plan", "search"]));
                event!("ACTIVITY_DELTA", "messageId": id, "activityType": kind, "patch": self.patch())
            }
            39 => event!("MESSAGES_SNAPSHOT", "messages": self.list()),
            40 => event!("CUSTOM", "name": "note", "value": self.random.below(9)),
            41 => event!("RAW", "event": {"x": 1}),
            42 => event!("STEP_STARTED", "stepName": self.start("step")?),
            43 => event!("STEP_FINISHED", "stepName": self.end("step")?),
            44 => {
                let subtype = self.random.pick(&["message", "tool-call"]);
                event!("REASONING_ENCRYPTED_VALUE", "subtype": subtype, "entityId": self.id(), "encryptedValue": text)
            }
            45 if self.tags => event!("SUBAGENT_STARTED", "subagentRunId": self.subagent()?, "name": "n"),
            45 => event!("REASONING_START", "messageId": self.start("span")?),
            46 if self.tags => event!("SUBAGENT_FINISHED", "subagentRunId": self.end("subagent")?),
            46 => event!("REASONING_END", "messageId": self.end("span")?),
            _ if self.wild() => self.odd(),
            _ => return None,
        })
    }

    fn odd(&mut self) -> Value {
        match self.random.below(7) {
            0 => event!("TEXT_MESSAGE_THING", "messageId": "a"),
            1 => event!("RUN_STARTED", "threadId": "t", "runId": "x"),
            2 => self.run_finished("x"),
            3 => event!("RUN_ERROR", "message": "mid"),
            4 => event!("THINKING_TEXT_MESSAGE_START"),
            5 => event!("THINKING_TEXT_MESSAGE_CONTENT", "delta": "hm"),
            _ => json!([1, "no event"]),
        }
    }

    fn text_start(&mut self) -> Option<Value> {
        let mut made = event!("TEXT_MESSAGE_START", "messageId": self.start("text")?);
        if self.random.one_in(2) {
            made["role"] = json!(self.random.pick(&["assistant", "user", "system"]));
        }
        Some(made)
    }

    fn call_start(&mut self) -> Option<Value> {
        let mut made = event!("TOOL_CALL_START", "toolCallId": self.start("call")?, "toolCallName": "tool");
        if self.random.one_in(2) {
            made["parentMessageId"] = json!(self.id());
        }
        Some(made)
    }

    /// A chunk of a stream with an id of its own, which belongs to one owner; or of whatever, as it comes.
    fn chunk(&mut self) -> Value {
        let wild = self.wild();
        let id = if wild { self.id() } else { self.random.pick(&["k1", "k2"]) };
        let mut made = match self.random.below(4) {
            0 => event!("TOOL_CALL_CHUNK", "toolCallId": id, "toolCallName": "tool"),
            1 => event!("REASONING_MESSAGE_CHUNK", "messageId": id),
            _ => event!("TEXT_MESSAGE_CHUNK", "messageId": id),
        };
        let opener = made.clone();
        let fields = made.as_object_mut().unwrap();
        if !self.random.one_in(4) {
            fields.insert("delta".into(), json!(self.text()));
        }
        if self.tags && id == "k1" {
            fields.insert("subagentRunId".into(), json!("s1"));
        }
        // Going on without an id, with it alone, or with another role.
        if wild || self.chunk == opener {
            for name in ["messageId", "toolCallId", "toolCallName", "subagentRunId"] {
                if self.random.one_in(2) {
                    fields.remove(name);
                }
            }
        }
        if wild && self.random.one_in(5) {
            fields.insert("role".into(), json!("user"));
        }
        self.chunk = opener;
        made
    }

    fn activity(&mut self) -> Value {
        let (id, kind) = (self.id(), self.random.pick(&["plan", "search"]));
        let mut made =
            event!("ACTIVITY_SNAPSHOT", "messageId": id, "activityType": kind, "content": {"list": [1, 2], "n": 1});
        if self.random.one_in(3) {
            made["replace"] = json!(self.random.one_in(2));
        }
        made
    }

    fn document(&mut self) -> Value {
        match self.random.below(5) {
            0 => json!({"list": [1], "n": 1.0, "t": "x"}),
            1 => json!({"n": serde_json::from_str::<Value>("12345678901234567890.50").unwrap()}),
            2 => json!({"list": [], "__proto__": {"a": "\u{10F83D}"}}),
            3 => Value::Null,
            _ => json!({"list": [3, 4, 5]}),
        }
    }

    fn patch(&mut self) -> Value {
        let count = 1 + self.random.below(2);
        (0..count).map(|_| self.operation()).collect()
    }

    fn operation(&mut self) -> Value {
        let n = self.random.below(9);
        match self.random.below(9) {
            0 | 1 => json!({"op": "add", "path": "/list/-", "value": n}),
            2 => json!({"op": "replace", "path": "/n", "value": n}),
            3 => json!({"op": "add", "path": "/n", "value": {"a": n}}),
            4 => json!({"op": "remove", "path": "/list/0"}),
            5 => json!({"op": "test", "path": "/n", "value": 1}),
            6 => json!({"op": "copy", "from": "/list", "path": "/copy"}),
            7 if self.wild() => json!({"op": "replace", "path": "", "value": self.document()}),
            7 if self.wild() => json!({"op": "jump", "path": "/n"}),
            7 => json!({"op": "move", "from": "/n", "path": "/m"}),
            _ => json!({"op": "add", "path": "/t", "value": "y"}),
        }
    }

    fn list(&mut self) -> Value {
        let count = self.random.below(4);
        (0..count)
            .map(|_| {
                let id = self.id();
                self.message(id)
            })
            .collect()
    }

    fn message(&mut self, id: &str) -> Value {
        let call = self.id();
        let text = self.text();
        match self.random.below(6) {
            0 => json!({"id": id, "role": "user", "content": text}),
            1 => json!({"id": id, "role": "reasoning", "content": text}),
            2 => json!({"id": id, "role": "tool", "toolCallId": call, "content": text}),
            3 => json!({"id": id, "role": "activity", "activityType": "plan", "content": {"n": 1}}),
            4 => json!({"id": id, "role": "assistant", "toolCalls": [
                {"id": call, "type": "function", "function": {"name": "f", "arguments": "{"}}]}),
            _ => json!({"id": id, "role": "assistant", "content": text}),
        }
    }

    fn run_started(&mut self, id: &str) -> Value {
        let mut made = event!("RUN_STARTED", "threadId": "t", "runId": id);
        if self.random.one_in(5) {
            made["input"] = json!({"threadId": "t", "runId": id, "messages": self.list(), "tools": [], "context": []});
        }
        made
    }

    fn run_finished(&mut self, id: &str) -> Value {
        let mut made = event!("RUN_FINISHED", "threadId": "t", "runId": id);
        match self.random.below(5) {
            0 => made["outcome"] = json!({"type": "interrupt", "interrupts": [{"id": "i", "reason": "ask"}]}),
            1 => made["outcome"] = json!({"type": "success", "pendingToolCallIds": ["a", "b"]}),
            2 => made["usage"] = json!([{"model": "m", "inputTokens": 3}]),
            3 => made["result"] = json!({"n": 1}),
            _ => {}
        }
        made
    }
}
