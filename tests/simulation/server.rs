//! The fake server. What it answers is a function of what it was asked: the number in the user's last message seeds the
//! script, so a schedule that lost some of its steps meets the same answers. What a message has no number for is how
//! often it was asked before: a server that failed may work the next time.

use super::plan::Dialect;
use crate::event;
use crate::support::streams::Random;
use serde_json::{Value, json};
use std::collections::HashMap;

/// How a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// As it should.
    Closes,
    /// With an error of the connection.
    Breaks,
    /// Not at all.
    Hangs,
}

/// A stretch of a body that says something.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The length of the body up to where the event can be read, if the body ended there.
    pub readable: usize,
    /// The length of the body up to where the frame has ended.
    pub whole: usize,
    /// Its place in the run.
    pub index: usize,
    pub event: Value,
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Status and content type; `None`: it never answers, or cannot be reached.
    pub head: Option<(u16, &'static str)>,
    pub body: Vec<u8>,
    pub frames: Vec<Frame>,
    pub end: End,
    /// For the trace.
    pub about: String,
}

/// How the server of a schedule writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Sse,
    SseCrLf,
    Lines,
}

#[derive(Debug)]
pub struct Server {
    framing: Framing,
    /// Answers no more than one fault in so many; 0: it has none.
    faults: usize,
    ids: usize,
    asked: HashMap<String, usize>,
    dialect: Option<Dialect>,
    /// What it has to tell of each run.
    runs: HashMap<String, Vec<Value>>,
}

const MISTAKES: [(u16, &str, &str); 6] = [
    (401, "application/json", "{\"message\":\"token expired\"}"),
    (429, "text/plain", "slow down"),
    (500, "text/html", "<h1>Oops</h1>"),
    (503, "application/json", "{\"error\":{\"message\":\"later\"}}"),
    (200, "text/html", "<h1>Log in</h1>"),
    (204, "", ""),
];

/// A body that is cut, or stays open at its end.
fn cut(mut answer: Answer, faulty: bool, random: &mut Random) -> Answer {
    if faulty {
        let cut = random.below(answer.body.len() + 1);
        answer.body.truncate(cut);
        answer.end = [End::Closes, End::Breaks, End::Hangs][random.below(3)];
        answer.about = format!("cut after {cut} bytes, {:?}: {}", answer.end, answer.about);
    } else if random.one_in(8) {
        answer.end = End::Hangs;
        answer.about += ", stays open";
    }
    answer
}

impl Server {
    pub fn new(framing: Framing, faults: usize, dialect: Option<Dialect>) -> Self {
        Self { framing, faults, ids: 0, asked: HashMap::new(), dialect, runs: HashMap::new() }
    }

    fn id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}{}", self.ids)
    }

    pub fn answer(&mut self, request: &Value, strict: bool) -> Answer {
        let messages = request["messages"].as_array().unwrap();
        let user = messages.iter().rfind(|message| message["role"] == "user");
        let seed: u64 = user
            .and_then(|message| message["content"].as_str()?.strip_prefix('#')?.parse().ok())
            .unwrap_or(messages.len() as u64);
        let answered = messages.iter().filter(|message| message["role"] == "tool").count();
        let resumed = request["resume"].as_array().map_or(0, Vec::len);
        let key = format!("{seed}/{answered}/{resumed}");
        let asked = self.asked.entry(key).or_default();
        *asked += 1;
        let mixed = seed ^ (*asked as u64) << 40 ^ (answered as u64) << 48 ^ (resumed as u64) << 56;
        let mut random = Random::new(mixed);
        let faulty = self.faults > 0 && random.one_in(self.faults);
        if faulty && random.one_in(2) {
            return self.mistake(&mut random);
        }
        let events = self.events(&mut random, request, strict);
        let run_id = request["runId"].as_str().unwrap().to_owned();
        let answer = self.write(&events, 0);
        self.runs.insert(run_id, events);
        cut(answer, faulty, &mut random)
    }

    /// The rest of a run whose events were read up to the cursor, perhaps with some of what was read.
    pub fn resume(&mut self, run_id: &str, cursor: usize) -> Answer {
        let asked = self.asked.entry(run_id.to_owned()).or_default();
        *asked += 1;
        let mut random = Random::new((cursor + 1000 * *asked) as u64);
        let faulty = self.faults > 0 && random.one_in(self.faults);
        if faulty && random.one_in(3) {
            let (status, content_type, text) = MISTAKES[random.below(4)];
            let about = format!("{status}");
            let head = Some((status, content_type));
            return Answer { head, body: text.into(), frames: Vec::new(), end: End::Closes, about };
        }
        let overlap = if random.one_in(3) { random.below(4) } else { 0 };
        let events = self.runs.get(run_id).cloned().unwrap_or_default();
        let answer = self.write(&events, cursor.saturating_sub(overlap));
        cut(answer, faulty, &mut random)
    }

    fn mistake(&mut self, random: &mut Random) -> Answer {
        let silent = random.below(MISTAKES.len() + 2);
        let (head, body) = match MISTAKES.get(silent) {
            Some((status, content_type, body)) => (Some((*status, *content_type)), *body),
            None => (None, ""),
        };
        let end = match head {
            Some(_) => [End::Closes, End::Closes, End::Breaks][random.below(3)],
            None => [End::Breaks, End::Hangs][silent - MISTAKES.len()],
        };
        let about = match head {
            Some((status, _)) => format!("{status}, then {end:?}"),
            None => format!("no head, {end:?}"),
        };
        Answer { head, body: body.into(), frames: Vec::new(), end, about }
    }

    /// The events of one request, in the order that AG-UI asks for.
    fn events(&mut self, random: &mut Random, request: &Value, strict: bool) -> Vec<Value> {
        let run = request["runId"].as_str().unwrap().to_owned();
        let mut history = request["messages"].as_array().unwrap().clone();
        let mut events = vec![event!("RUN_STARTED", "threadId": "t", "runId": run)];
        for _ in 0..random.below(5) {
            self.part(random, &mut events, &mut history);
        }
        // A second run in the same stream.
        if random.one_in(12) {
            events.push(event!("RUN_FINISHED", "threadId": "t", "runId": run));
            events.push(event!("RUN_STARTED", "threadId": "t", "runId": run));
            self.part(random, &mut events, &mut history);
        }
        let mut open = Vec::new();
        let answers = |message: &&Value| message["role"] == "tool";
        // An agent that has its answers asks less and less.
        if random.one_in(2 + request["messages"].as_array().unwrap().iter().rev().take_while(answers).count()) {
            for _ in 0..1 + random.below(3) {
                open.push(self.page_call(random, &mut events));
                // The server may know the answer itself.
                if random.one_in(6) {
                    let result = event!("TOOL_CALL_RESULT", "messageId": self.id("t"), "toolCallId": open.pop(),
                        "content": "known");
                    events.push(result);
                }
            }
        }
        let mut finished = event!("RUN_FINISHED", "threadId": "t", "runId": run);
        match random.below(10) {
            0 => finished = event!("RUN_ERROR", "message": "boom"),
            1 => {
                let interrupts: Vec<Value> = (0..1 + random.below(3))
                    .map(|at| {
                        let mut interrupt = json!({"id": self.id("i"), "reason": "ask"});
                        if let Some(call) = open.get(at) {
                            interrupt["toolCallId"] = json!(call);
                        }
                        interrupt
                    })
                    .collect();
                finished["outcome"] = json!({"type": "interrupt", "interrupts": interrupts});
            }
            2 if !open.is_empty() => finished["outcome"] = json!({"type": "success", "pendingToolCallIds": open}),
            3 => finished["result"] = json!({"n": random.below(9)}),
            _ => {}
        }
        let failed = finished["type"] == "RUN_ERROR";
        events.push(finished);
        if !strict && !failed && random.one_in(8) {
            self.text(random, &mut events);
        }
        events
    }

    fn part(&mut self, random: &mut Random, events: &mut Vec<Value>, history: &mut Vec<Value>) {
        match random.below(8) {
            0..3 => history.push(self.text(random, events)),
            3 | 4 => history.extend(self.own_call(random, events)),
            5 => {
                let n = random.below(99);
                events.push(event!("STATE_SNAPSHOT", "snapshot": {"n": n, "list": [n]}));
            }
            6 => {
                let n = random.below(99);
                events.push(event!("STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": n}]));
            }
            _ => events.push(event!("MESSAGES_SNAPSHOT", "messages": history)),
        }
    }

    fn text(&mut self, random: &mut Random, events: &mut Vec<Value>) -> Value {
        let id = self.id("m");
        events.push(event!("TEXT_MESSAGE_START", "messageId": id));
        let mut content = String::new();
        for at in 0..1 + random.below(4) {
            let delta = random.pick(&["Hello", " ", "world\n", "\u{1F600}", "\"x\""]);
            let delta = format!("{delta}{at}");
            content += &delta;
            events.push(event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta));
        }
        events.push(event!("TEXT_MESSAGE_END", "messageId": id));
        json!({"id": id, "role": "assistant", "content": content})
    }

    fn call(&mut self, random: &mut Random, name: &str, events: &mut Vec<Value>) -> (String, String) {
        let id = self.id("c");
        events.push(event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name));
        let args = format!("{{\"n\":{}}}", random.below(99));
        let cut = random.below(args.len());
        let (begin, rest) = args.split_at(cut);
        for delta in [begin, rest] {
            events.push(event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": delta));
        }
        events.push(event!("TOOL_CALL_END", "toolCallId": id));
        (id, args)
    }

    /// A call that the server answers itself, once or twice.
    fn own_call(&mut self, random: &mut Random, events: &mut Vec<Value>) -> [Value; 2] {
        let (id, args) = self.call(random, "search", events);
        let message = self.id("t");
        let result = event!("TOOL_CALL_RESULT", "messageId": message, "toolCallId": id, "content": "found");
        events.push(result.clone());
        if random.one_in(4) {
            events.push(result);
        }
        let function = json!({"name": "search", "arguments": args});
        [
            json!({"id": id, "role": "assistant", "toolCalls": [{"id": id, "type": "function", "function": function}]}),
            json!({"id": message, "role": "tool", "toolCallId": id, "content": "found"}),
        ]
    }

    /// A call that it leaves to the page.
    fn page_call(&mut self, random: &mut Random, events: &mut Vec<Value>) -> String {
        let name = random.pick(&["now", "now", "pay", "pick", "log", "nobody's"]);
        self.call(random, name, events).0
    }

    fn write(&self, events: &[Value], from: usize) -> Answer {
        let mut body = String::new();
        let mut frames = Vec::new();
        let kinds: Vec<&str> = events.iter().skip(from).map(|event| event["type"].as_str().unwrap()).collect();
        let about = kinds.join(" ");
        let (prefix, end) = match self.framing {
            Framing::Sse => ("data: ", "\n\n"),
            Framing::SseCrLf => ("data: ", "\r\n\r\n"),
            Framing::Lines => ("", "\n"),
        };
        for (index, event) in events.iter().enumerate().skip(from) {
            let mut event = event.clone();
            match self.dialect {
                Some(Dialect::Id) => body += &format!("id: {}{}", index + 1, end.split_at(end.len() / 2).1),
                Some(Dialect::Member) => event["seq"] = json!(index + 1),
                None => {}
            }
            body += prefix;
            body += &event.to_string();
            let readable = body.len();
            body += end;
            // A carriage return ends a line already.
            let whole = body.len() - usize::from(self.framing == Framing::SseCrLf);
            frames.push(Frame { readable, whole, index, event });
        }
        let content_type = match self.framing {
            Framing::Lines => "application/x-ndjson",
            _ => "text/event-stream",
        };
        Answer { head: Some((200, content_type)), body: body.into(), frames, end: End::Closes, about }
    }
}
