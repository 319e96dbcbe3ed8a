//! The fake server. What it answers is a function of what it was asked: the number in the user's last message seeds the
//! script, so a schedule that lost some of its steps meets the same answers. What a message has no number for is how
//! often it was asked before: a server that failed may work the next time.

mod script;
mod told;

use super::plan::{Dialect, Plan};
use crate::event;
use crate::support::streams::Random;
use serde_json::{Value, json};
use std::collections::HashMap;
use told::{Told, meanings};

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
    /// The events that it means, where it is a chunk or closes one.
    pub means: Vec<Value>,
    /// It is of an earlier run of the thread.
    pub known: bool,
}

/// The server's response to a request.
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
    /// The runs that it may replay, and the order in which they began.
    runs: HashMap<String, Told>,
    order: Vec<String>,
    /// How the last run has left the thread that has ended well; and so many requests come before the one in progress is over.
    stored: Vec<Value>,
    works: usize,
    /// It asks to come back at once.
    hurries: bool,
    /// Ids of frames are names, and no numbers.
    names: bool,
    /// Calls of the run, where each run names them anew.
    calls: Option<usize>,
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
    pub fn new(plan: &Plan) -> Self {
        let &Plan { framing, faults, resume: dialect, hurries, reuses, .. } = plan;
        let (asked, runs, order) = (HashMap::new(), HashMap::new(), Vec::new());
        let (stored, works) = (Told::nothing().stands(0, false).0, 0);
        let (names, calls) = (plan.names(), reuses.then_some(0));
        Self { framing, faults, ids: 0, asked, dialect, runs, order, stored, works, hurries, names, calls }
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
        let hydrates = self.dialect == Some(Dialect::Hydrate);
        if hydrates && self.is_at_work() {
            return self.refusal((409, "application/json", "{\"error\":\"at work\"}"), &mut random);
        }
        let events = self.events(&mut random, request, strict, now);
        let run_id = request["runId"].as_str().unwrap().to_owned();
        let mut answer = self.write(&[], &[], &events, 0);
        let mut told = Told { request: request.clone(), events, reached: 0 };
        if hydrates {
            (self.works, told) = (random.below(5), told.whole());
        }
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

    /// Whether the last run is in progress still. If not, the thread is as that has left it, unless it has failed.
    fn is_at_work(&mut self) -> bool {
        if self.works > 0 {
            self.works -= 1;
            return true;
        }
        let last = self.order.last().map(|id| &self.runs[id]);
        if let Some(told) = last.filter(|told| !told.fails()) {
            self.stored = told.stands(0, false).0;
        }
        false
    }

    /// Says how its last run has left the thread, and how that has ended.
    fn hydrates(&mut self, run_id: &str, random: &mut Random) -> Answer {
        let works = self.is_at_work();
        let mut opening = self.stored.clone();
        if random.one_in(2) {
            opening.reverse();
        }
        opening.insert(0, event!("RUN_STARTED", "threadId": "t", "runId": run_id));
        let last = self.order.last().map(|id| &self.runs[id]).filter(|told| !works && !told.fails());
        let mut finished = event!("RUN_FINISHED", "threadId": "t", "runId": run_id);
        if let Some(outcome) = last.and_then(|told| told.events[told.reached].get("outcome")) {
            finished["outcome"] = outcome.clone();
        }
        opening.push(finished);
        self.write(&[], &opening, &[], 0)
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
        if self.dialect == Some(Dialect::Hydrate) {
            let answer = self.hydrates(run_id, &mut random);
            return cut(answer, faulty, false, &mut random);
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
                // Names do not say which of two came first: a page that has forgotten them knows the first and the last.
                let overlap =
                    if anew && dialect.is_some_and(Dialect::ids) && self.names { overlap % 2 } else { overlap };
                let whole = whole || random.one_in(4);
                let from = if whole { 0 } else { cursor.saturating_sub(overlap) };
                let events = told.events.clone();
                self.write(&earlier, &[], &events, from)
            }
        };
        cut(answer, faulty, self.dialect == Some(Dialect::Socket), &mut random)
    }

    fn refusal(&self, (status, content_type, text): (u16, &'static str, &str), random: &mut Random) -> Answer {
        let retry_after =
            [None, Some(0), Some(2), Some(3600)][random.below(4)].filter(|_| matches!(status, 409 | 429 | 503));
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
                let name = if self.names { "e" } else { "" };
                body += &format!("id: {name}{number}{}", end.split_at(end.len() / 2).1);
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
