//! The fake server. What it answers is a function of what it was asked: the number in the user's last message seeds the
//! script, so a schedule that lost some of its steps meets the same answers. What a message has no number for is how
//! often it was asked before: a server that failed may work the next time.

use super::plan::Dialect;
use super::thread::Thread;
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
    /// A socket says that it does not accept the credentials.
    Denies,
}

/// A stretch of a body that says something.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The length of the body up to where the event can be read, if the body ended there.
    pub readable: usize,
    /// The length of the body up to where the frame has ended.
    pub whole: usize,
    /// Its place in the run; `None`: it is said to everyone who joins.
    pub index: Option<usize>,
    pub event: Value,
    /// What it says, where it is a chunk or closes one.
    pub means: Vec<Value>,
    /// It is of an earlier run of the thread.
    pub known: bool,
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Status and content type; `None`: it never answers, or cannot be reached.
    pub head: Option<(u16, &'static str)>,
    /// Seconds that the client is asked to wait.
    pub retry_after: Option<u32>,
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
    /// What it has to tell of each run, and in which order they began.
    runs: HashMap<String, Told>,
    order: Vec<String>,
    /// It asks to come back at once.
    hurries: bool,
}

/// A run, as the server keeps it.
#[derive(Debug, Clone)]
struct Told {
    request: Value,
    events: Vec<Value>,
    /// How far it was when somebody joined.
    reached: usize,
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
fn cut(mut answer: Answer, faulty: bool, socket: bool, random: &mut Random) -> Answer {
    if faulty {
        let cut = random.below(answer.body.len() + 1);
        answer.body.truncate(cut);
        answer.end = [End::Closes, End::Breaks, End::Hangs, End::Denies][random.below(3 + usize::from(socket))];
        answer.about = format!("cut after {cut} bytes, {:?}: {}", answer.end, answer.about);
    } else if random.one_in(8) {
        answer.end = End::Hangs;
        answer.about += ", stays open";
    }
    answer
}

impl Answer {
    fn plain((status, content_type): (u16, &'static str), body: &str) -> Self {
        let about = format!("{status} {body}");
        let head = Some((status, content_type));
        Self { head, retry_after: None, body: body.into(), frames: Vec::new(), end: End::Closes, about }
    }
}

impl Server {
    pub fn new(framing: Framing, faults: usize, dialect: Option<Dialect>, hurries: bool) -> Self {
        let (asked, runs) = (HashMap::new(), HashMap::new());
        Self { framing, faults, ids: 0, asked, dialect, runs, order: Vec::new(), hurries }
    }

    fn id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}{}", self.ids)
    }

    pub fn answer(&mut self, request: &Value, strict: bool, now: f64) -> Answer {
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
        let events = self.events(&mut random, request, strict, now);
        let run_id = request["runId"].as_str().unwrap().to_owned();
        let mut answer = self.write(&[], &[], &events, 0);
        let told = Told { request: request.clone(), events, reached: 0 };
        if matches!(self.dialect, Some(Dialect::RunUrl { .. })) && random.one_in(2) {
            // The stream is elsewhere.
            answer = match random.below(3) {
                0 => Answer::plain((204, ""), ""),
                1 => Answer::plain((201, "application/json"), "{}"),
                _ => {
                    let mut told = told.clone();
                    for event in told.events.iter_mut().filter(|event| event.get("runId").is_some()) {
                        event["runId"] = json!(format!("its-{run_id}"));
                    }
                    self.runs.insert(format!("its-{run_id}"), told);
                    Answer::plain((202, "application/json"), &json!({"runId": format!("its-{run_id}")}).to_string())
                }
            };
        }
        self.order.retain(|id| *id != run_id);
        self.order.push(run_id.clone());
        self.runs.insert(run_id, told);
        cut(answer, faulty, self.dialect == Some(Dialect::Socket), &mut random)
    }

    /// A run is joined whose events were read up to the cursor: its rest, perhaps with some of what was read, or all of it,
    /// or how things stand with what follows. `anew`: by a page that knows no more than the cursor.
    pub fn resume(&mut self, run_id: &str, cursor: usize, whole: bool, anew: bool) -> Answer {
        let asked = self.asked.entry(run_id.to_owned()).or_default();
        *asked += 1;
        let mut random = Random::new((cursor + 1000 * *asked) as u64);
        let faulty = self.faults > 0 && random.one_in(self.faults);
        if faulty && random.one_in(3) {
            return self.refusal(MISTAKES[random.below(4)], &mut random);
        }
        let overlap = if random.one_in(3) { random.below(4) } else { 0 };
        let ahead = random.below(5);
        let before = self.order.iter().take_while(|id| *id != run_id).filter(|_| self.dialect == Some(Dialect::Thread));
        let earlier: Vec<Value> = before.flat_map(|id| self.runs[id].events.clone()).collect();
        let Some(told) = self.runs.get_mut(run_id) else {
            return Answer::plain((404, "text/plain"), "no such run");
        };
        let answer = match self.dialect {
            Some(Dialect::Snapshot | Dialect::Prelude) => {
                told.reached = told.reached.max(cursor);
                let (opening, from) = told.stands(ahead, self.dialect == Some(Dialect::Prelude));
                told.reached = from;
                let events = told.events.clone();
                self.write(&[], &opening, &events, from)
            }
            dialect => {
                // Ids do not say which of two came first, so a page that has forgotten them cannot tell them apart.
                let overlap = if anew && dialect.is_some_and(Dialect::ids) { 0 } else { overlap };
                let from = if whole { 0 } else { cursor.saturating_sub(overlap) };
                let events = told.events.clone();
                self.write(&earlier, &[], &events, from)
            }
        };
        cut(answer, faulty, self.dialect == Some(Dialect::Socket), &mut random)
    }

    fn refusal(&self, (status, content_type, text): (u16, &'static str, &str), random: &mut Random) -> Answer {
        let retry_after = [None, Some(0), Some(2), Some(3600)][random.below(4)].filter(|_| matches!(status, 429 | 503));
        Answer { retry_after, ..Answer::plain((status, content_type), text) }
    }

    fn mistake(&mut self, random: &mut Random) -> Answer {
        let silent = random.below(MISTAKES.len() + 2);
        let Some(mistake) = MISTAKES.get(silent) else {
            let end = [End::Breaks, End::Hangs][silent - MISTAKES.len()];
            let about = format!("no head, {end:?}");
            return Answer { head: None, retry_after: None, body: Vec::new(), frames: Vec::new(), end, about };
        };
        let mut answer = self.refusal(*mistake, random);
        answer.end = [End::Closes, End::Closes, End::Breaks, End::Hangs][random.below(4)];
        answer.about = format!("{}, Retry-After {:?}, then {:?}", answer.about, answer.retry_after, answer.end);
        answer
    }

    /// The events of one request, in the order that AG-UI asks for.
    fn events(&mut self, random: &mut Random, request: &Value, strict: bool, now: f64) -> Vec<Value> {
        let run = request["runId"].as_str().unwrap().to_owned();
        let mut history = request["messages"].as_array().unwrap().clone();
        let mut events = vec![event!("RUN_STARTED", "threadId": "t", "runId": run)];
        for _ in 0..random.below(5) {
            self.part(random, &mut events, &mut history);
        }
        if random.one_in(3) {
            let n = random.below(99);
            let model = json!([{"model": "m", "inputTokens": n}]);
            events.push(event!("CUSTOM", "name": "n", "value": n));
            events.push(event!("STEP_STARTED", "stepName": "s"));
            events.push(event!("STEP_FINISHED", "stepName": "s"));
            events.push(event!("CUSTOM", "name": "n", "value": n + 1));
            events.push(event!("RUN_FINISHED", "threadId": "t", "runId": run, "usage": model));
            events.push(event!("RUN_STARTED", "threadId": "t", "runId": run));
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
                let begin = events.len();
                open.push(self.page_call(random, &mut events));
                history.push(called(&events[begin..]));
                if random.one_in(5) {
                    self.twist(random, &mut events, &history);
                }
                // The server may know the answer itself.
                if random.one_in(6) {
                    let result = event!("TOOL_CALL_RESULT", "messageId": self.id("t"), "toolCallId": open.pop(),
                        "content": "known");
                    events.push(result);
                }
            }
        }
        // What it thinks of the messages, which may be something else than it has told.
        while random.one_in(4) {
            self.twist(random, &mut events, &history);
        }
        let mut finished = event!("RUN_FINISHED", "threadId": "t", "runId": run);
        match random.below(10) {
            0 => finished = event!("RUN_ERROR", "message": "boom"),
            1 => {
                let interrupts: Vec<Value> = (0..1 + random.below(3))
                    .map(|at| {
                        let mut interrupt = json!({"id": self.id("i"), "reason": "ask"});
                        if random.one_in(3) {
                            let expires = now + [0.0, 300.0, 60_000.0][random.below(3)];
                            interrupt["expiresAt"] = json!(time(expires));
                            // The same for the model.
                            interrupt["metadata"] = json!({"expires": expires});
                        }
                        if let Some(call) = open.get(at) {
                            interrupt["toolCallId"] = json!(call);
                        }
                        interrupt
                    })
                    .collect();
                // One may stand there twice.
                let again = interrupts.first().cloned().filter(|_| random.one_in(5));
                let interrupts: Vec<Value> = interrupts.into_iter().chain(again).collect();
                finished["outcome"] = json!({"type": "interrupt", "interrupts": interrupts});
            }
            2 if !open.is_empty() => finished["outcome"] = json!({"type": "success", "pendingToolCallIds": open}),
            3 => finished["result"] = json!({"n": random.below(9)}),
            _ => {}
        }
        if random.one_in(2) {
            finished["usage"] = json!([{"model": "m", "inputTokens": 1 + random.below(9)}]);
        }
        let failed = finished["type"] == "RUN_ERROR";
        events.push(finished);
        if !strict && !failed && random.one_in(8) {
            self.text(random, &mut events);
        }
        events
    }

    fn part(&mut self, random: &mut Random, events: &mut Vec<Value>, history: &mut Vec<Value>) {
        match random.below(12) {
            0..3 => history.push(self.text(random, events)),
            3 | 4 => history.extend(self.own_call(random, events)),
            8 | 9 => history.push(self.reasoning(random, events)),
            10 => {
                let id = self.id("s");
                events.push(event!("SUBAGENT_STARTED", "subagentRunId": id, "name": "helper"));
                let begin = events.len();
                let mut message = self.text(random, events);
                for event in &mut events[begin..] {
                    event["subagentRunId"] = json!(id);
                }
                message["subagentRunId"] = json!(id);
                history.push(message);
                events.push(event!("SUBAGENT_FINISHED", "subagentRunId": id));
            }
            11 => history.push(self.chunks(random, events)),
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

    /// A list of messages that makes others of those that call, or a call that is started again as another one.
    fn twist(&mut self, random: &mut Random, events: &mut Vec<Value>, history: &[Value]) {
        let mut list: Vec<Value> = Vec::new();
        let calls = |message: &Value| message["toolCalls"].as_array().map_or(0, Vec::len);
        if random.one_in(3)
            && let Some(call) = history.last().filter(|last| calls(last) > 0).map(|last| &last["toolCalls"][0])
        {
            let id = &call["id"];
            let name = random.pick(&["now", "pay", "pick", "log", "search"]);
            events.push(event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name));
            if random.one_in(2) {
                events.push(event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": " "));
            }
            events.push(event!("TOOL_CALL_END", "toolCallId": id));
            return;
        }
        for message in history {
            let mut message = message.clone();
            let (assistant, tool) = (calls(&message) > 0, message["role"] == "tool");
            match random.below(9) {
                0 if assistant => message["id"] = json!(self.id("n")),
                1 if assistant => {
                    message["toolCalls"][0]["function"]["name"] =
                        json!(random.pick(&["now", "pay", "pick", "log", "it"]));
                }
                2 if assistant => {
                    message["toolCalls"][0]["function"]["arguments"] = json!(format!("{{\"x\":{}}}", random.below(9)))
                }
                3 if assistant || tool => continue,
                // Two of them become one.
                4 if assistant && list.last().is_some_and(|last| calls(last) > 0) => {
                    let more = message["toolCalls"].as_array().unwrap().clone();
                    list.last_mut().unwrap()["toolCalls"].as_array_mut().unwrap().extend(more);
                    continue;
                }
                5 if assistant => {
                    message["id"] = json!(self.id("n"));
                    list.insert(random.below(list.len() + 1), message);
                    continue;
                }
                _ => {}
            }
            list.push(message);
        }
        events.push(event!("MESSAGES_SNAPSHOT", "messages": list));
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

    fn reasoning(&mut self, random: &mut Random, events: &mut Vec<Value>) -> Value {
        let id = self.id("r");
        events.push(event!("REASONING_START", "messageId": id));
        events.push(event!("REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"));
        let mut content = String::new();
        for at in 0..1 + random.below(3) {
            let delta = format!("hm{at}");
            content += &delta;
            events.push(event!("REASONING_MESSAGE_CONTENT", "messageId": id, "delta": delta));
        }
        events.push(event!("REASONING_MESSAGE_END", "messageId": id));
        events.push(event!("REASONING_END", "messageId": id));
        json!({"id": id, "role": "reasoning", "content": content})
    }

    /// A string in chunks. That it is over is said by what follows.
    fn chunks(&mut self, random: &mut Random, events: &mut Vec<Value>) -> Value {
        let id = self.id("m");
        let mut content = String::new();
        for at in 0..1 + random.below(4) {
            let delta = format!("bit{at}");
            content += &delta;
            let mut chunk = event!("TEXT_MESSAGE_CHUNK", "messageId": id, "delta": delta);
            // A page that joins must know where it belongs.
            if at > 0 && self.dialect.is_none() {
                chunk.as_object_mut().unwrap().remove("messageId");
            }
            events.push(chunk);
        }
        // Whoever joins in the middle cannot know which message the next event ends.
        if matches!(self.dialect, Some(Dialect::Snapshot | Dialect::Prelude)) {
            events.push(event!("STATE_DELTA", "delta": [{"op": "add", "path": "/n", "value": random.below(99)}]));
        }
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

    /// The body that says `earlier` runs, `opening`, and then the events of a run from one of them on.
    fn write(&self, earlier: &[Value], opening: &[Value], events: &[Value], from: usize) -> Answer {
        let mut body = if self.hurries && self.framing != Framing::Lines { "retry: 0\n" } else { "" }.to_owned();
        let mut frames = Vec::new();
        let rest =
            meanings(events).into_iter().enumerate().skip(from).map(|(at, (event, means))| (Some(at), event, means));
        let opening = earlier.iter().chain(opening);
        let all = opening.map(|event| (None, event, vec![event.clone()])).chain(rest);
        let (prefix, end) = match self.framing {
            Framing::Sse => ("data: ", "\n\n"),
            Framing::SseCrLf => ("data: ", "\r\n\r\n"),
            Framing::Lines => ("", "\n"),
        };
        let mut kinds = Vec::new();
        for (at, (index, event, means)) in all.enumerate() {
            let mut event = event.clone();
            kinds.push(event["type"].as_str().unwrap().to_owned());
            let number = index.map(|index| index + 1);
            if let (Some(number), true) = (number, self.dialect.is_some_and(Dialect::ids)) {
                body += &format!("id: {number}{}", end.split_at(end.len() / 2).1);
            }
            if let (Some(number), true) = (number, self.dialect.is_some_and(Dialect::members)) {
                event["seq"] = json!(number);
            }
            body += prefix;
            body += &event.to_string();
            let readable = body.len();
            body += end;
            // A carriage return ends a line already.
            let whole = body.len() - usize::from(self.framing == Framing::SseCrLf);
            frames.push(Frame { readable, whole, index, event, means, known: at < earlier.len() });
        }
        let content_type = match self.framing {
            Framing::Lines => "application/x-ndjson",
            _ => "text/event-stream",
        };
        let (head, about) = (Some((200, content_type)), kinds.join(" "));
        Answer { head, retry_after: None, body: body.into(), frames, end: End::Closes, about }
    }
}

/// The message that these events call in.
fn called(events: &[Value]) -> Value {
    let id = &events[0]["toolCallId"];
    let args: String = events.iter().filter_map(|event| event["delta"].as_str()).collect();
    let function = json!({"name": events[0]["toolCallName"], "arguments": args});
    json!({"id": id, "role": "assistant", "toolCalls": [{"id": id, "type": "function", "function": function}]})
}

impl Told {
    /// How things stand a few events later, for a page that joins; and with which event it continues then.
    fn stands(&self, ahead: usize, prelude: bool) -> (Vec<Value>, usize) {
        let meanings = meanings(&self.events);
        let mut thread = Thread::new();
        thread.add(&self.request["messages"]);
        thread.state = self.request["state"].clone();
        let mut from = 0;
        let (mut calls, mut chunks) = (0, false);
        for (event, means) in &meanings {
            let kind = event["type"].as_str().unwrap();
            let terminal = matches!(kind, "RUN_FINISHED" | "RUN_ERROR");
            // Not after the chunks of a message, nor within the arguments of a call: what is there is whole.
            let apart = calls == 0 && !chunks;
            chunks = kind.ends_with("CHUNK") || chunks && event.get("subagentRunId").is_some();
            if from >= self.reached && apart && (terminal || from >= self.reached + ahead) {
                break;
            }
            calls += usize::from(kind == "TOOL_CALL_START");
            calls -= usize::from(kind == "TOOL_CALL_END");
            means.iter().for_each(|event| thread.apply(event));
            from += 1;
        }
        let run_id = &self.request["runId"];
        let messages: Vec<Value> = thread.messages.iter().map(|message| message.outgoing()).collect();
        let mut opening =
            vec![event!("MESSAGES_SNAPSHOT", "messages": messages), event!("STATE_SNAPSHOT", "snapshot": thread.state)];
        if prelude {
            opening.insert(0, event!("RUN_STARTED", "threadId": "t", "runId": run_id));
            let running = thread.subagents.iter().filter(|(_, status)| *status == "running");
            opening.extend(running.map(|(id, _)| event!("SUBAGENT_STARTED", "subagentRunId": id, "name": "helper")));
            opening.extend(thread.messages.iter().filter_map(|message| message.start()));
        }
        (opening, from)
    }
}

/// The events with what they say: chunks are texts, which what follows ends.
fn meanings(events: &[Value]) -> Vec<(&Value, Vec<Value>)> {
    let mut open: Option<Value> = None;
    let mut meanings = Vec::new();
    for event in events {
        let mut means = Vec::new();
        let chunk = event["type"] == "TEXT_MESSAGE_CHUNK";
        let id = event.get("messageId").or(open.as_ref()).cloned();
        // What a subagent says is apart.
        let apart = event.get("subagentRunId").is_some();
        if let Some(open) = open.take_if(|open| !apart && (!chunk || Some(&*open) != id.as_ref())) {
            means.push(event!("TEXT_MESSAGE_END", "messageId": open, "ofChunks": true));
        }
        if chunk {
            if open.is_none() {
                means.push(event!("TEXT_MESSAGE_START", "messageId": id));
                open.clone_from(&id);
            }
            means.push(event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": event["delta"]));
        } else {
            means.push(event.clone());
        }
        meanings.push((event, means));
    }
    meanings
}

/// As ISO 8601 has it; of the first month of 1970.
fn time(at: f64) -> String {
    let ms = at as u64;
    let (day, hour) = (1 + ms / 86_400_000, ms / 3_600_000 % 24);
    let (minute, second, rest) = (ms / 60_000 % 60, ms / 1000 % 60, ms % 1000);
    format!("1970-01-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}
