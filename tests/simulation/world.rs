//! One schedule, played: a session between a fake user, a fake server and a fake clock, and what must hold after each step.

use super::plan::{Amount, Plan, Policy, Publishing, Step};
use super::server::{Answer, End, Server};
use super::thread::Thread;
use crate::support::{Mirror, parse};
use ag_ui_wasm::session::{Effect, Misuse, Options, Session, Ticket};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// What is wrong, for people.
pub type Held = Result<(), String>;

macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(format!($($message)+));
        }
    };
}

/// A request that was opened.
struct Line {
    request: u32,
    answer: Answer,
    headed: bool,
    /// Bytes of the body that were delivered.
    sent: usize,
    /// Events that were.
    told: usize,
    /// It ended, or the session closed it.
    over: bool,
    /// The session closed it. It may close one that has ended.
    closed: bool,
}

/// A submit that was accepted.
struct Asked {
    run_id: String,
    policy: Policy,
    start: Start,
    message: Option<Value>,
    resume: Option<Vec<String>>,
    begun: bool,
    settled: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Start {
    Submit,
    Retry,
    Regenerate(Option<String>),
}

/// The run that must be on.
struct Run {
    ticket: Ticket,
    line: usize,
    /// How it ends, as soon as that is certain.
    ended: Option<&'static str>,
    events: usize,
    pending: Vec<String>,
}

pub struct World {
    plan: Plan,
    session: Session,
    twin: Option<Session>,
    mirror: Mirror,
    now: f64,
    wake: Option<f64>,
    server: Server,
    lines: Vec<Line>,
    asked: BTreeMap<Ticket, Asked>,
    queue: Vec<Ticket>,
    /// Replaces the run that begins next.
    replacing: Option<Ticket>,
    run: Option<Run>,
    thread: Thread,
    resumed: Option<Vec<String>>,
    status: &'static str,
    outcome: Option<&'static str>,
    /// The page was told that the snapshot is behind; whether as urgent.
    told: Option<bool>,
    minted: usize,
    disposed: bool,
    /// Effects of the step.
    effects: usize,
    pub trace: Option<Vec<String>>,
}

fn options(plan: &Plan) -> Options {
    Options {
        thread_id: "t".into(),
        strict: plan.strict,
        grace_ms: plan.grace_ms,
        max_queue: plan.max_queue,
        ..Options::default()
    }
}

impl World {
    pub fn new(plan: Plan, tracing: bool) -> Self {
        let session = || Session::new(options(&plan), None, None).unwrap();
        Self {
            session: session(),
            twin: plan.twin.then(session),
            mirror: Mirror::new(),
            now: 1000.0,
            wake: None,
            server: Server::new(plan.framing, plan.faults),
            lines: Vec::new(),
            asked: BTreeMap::new(),
            queue: Vec::new(),
            replacing: None,
            run: None,
            thread: Thread::new(),
            resumed: None,
            status: "idle",
            outcome: None,
            told: None,
            minted: 0,
            disposed: false,
            effects: 0,
            trace: tracing.then(Vec::new),
            plan,
        }
    }

    /// Plays the whole schedule, lets everything come to rest, and disposes of the session.
    pub fn play(&mut self) -> Held {
        for at in 0..self.plan.steps.len() {
            let step = self.plan.steps[at].clone();
            self.say(|| format!("{:3}. {step:?}", at + 1));
            self.step(&step)?;
            self.check()?;
        }
        self.rest()
    }

    fn say(&mut self, line: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(line());
        }
    }

    /// Gives the session an input, and the same to its twin.
    fn give<T: PartialEq + Debug>(&mut self, input: impl Fn(&mut Session, f64) -> T) -> Result<T, String> {
        let result = input(&mut self.session, self.now);
        if let Some(twin) = &mut self.twin {
            let again = input(twin, self.now);
            ensure!(again == result, "the twin answers {again:?}, not {result:?}");
        }
        Ok(result)
    }

    fn step(&mut self, step: &Step) -> Held {
        self.effects = 0;
        match step {
            Step::Submit { seed, policy, answers } => self.submit(*seed, policy, *answers),
            Step::Retry { policy } => self.ask(Start::Retry, None, policy, None),
            Step::Regenerate { which, .. } => {
                let assistants: Vec<&str> =
                    self.thread.messages.iter().filter(|m| m.role == "assistant").map(|m| m.id.as_str()).collect();
                let id = which.map(|which| match assistants.len() {
                    0 => "nobody".to_owned(),
                    len => assistants[which % len].to_owned(),
                });
                self.ask(Start::Regenerate(id), None, "queue", None)
            }
            Step::Stop => {
                self.ends("aborted");
                self.give(|session, now| session.stop(now))?;
                self.perform()
            }
            Step::Cancel(which) => {
                // Now and then one that does not wait any more, or never did.
                let ticket = (which % (self.asked.len() + 2)) as Ticket;
                if self.run.as_ref().is_some_and(|run| run.ticket == ticket) {
                    self.ends("aborted");
                }
                self.say(|| format!("     cancel {ticket}"));
                self.give(|session, now| session.cancel(ticket, now))?;
                self.perform()
            }
            Step::SetMessages(which) => self.set_messages(*which),
            Step::SetState(n) => {
                let state = json!({"mine": n});
                let json = state.to_string();
                if self.give(|session, _| session.set_state(&json))?.is_ok() {
                    self.thread.state = state;
                }
                self.perform()
            }
            Step::Reset => {
                self.ends("aborted");
                let result = self.give(|session, now| session.reset(now))?;
                self.perform()?;
                if result.is_ok() {
                    ensure!(self.queue.is_empty() && self.run.is_none(), "reset left something behind");
                    self.thread = Thread::new();
                    (self.status, self.outcome, self.resumed) = ("idle", None, None);
                }
                Ok(())
            }
            Step::Dispose => self.dispose(),
            Step::Deliver(amount) => self.deliver(*amount),
            Step::Break => self.end_of_body(End::Breaks),
            Step::Late(which) => self.late(*which),
            Step::Wait(ms) => self.wait(self.now + *ms as f64),
            Step::Tick => {
                self.give(|session, now| session.tick(now))?;
                self.perform()
            }
            Step::Frame => {
                if self.told.is_some() {
                    self.publish()?;
                }
                Ok(())
            }
        }
    }

    // The user.

    fn submit(&mut self, seed: u32, policy: Policy, answers: bool) -> Held {
        self.minted += 1;
        let message = json!({"id": format!("u{}", self.minted), "role": "user", "content": format!("#{seed}")});
        let resume = (answers && !self.thread.interrupts.is_empty()).then(|| self.thread.interrupts.clone());
        self.ask(Start::Submit, Some(message), policy, resume)
    }

    fn ask(&mut self, start: Start, message: Option<Value>, policy: Policy, resume: Option<Vec<String>>) -> Held {
        let run_id = format!("r{}", self.asked.len() + 1);
        let mut input = json!({"runId": run_id, "ifBusy": policy});
        if let Some(message) = &message {
            input["messages"] = json!([message]);
        }
        if let Some(ids) = &resume {
            input["resume"] = ids.iter().map(|id| json!({"interruptId": id, "status": "resolved"})).collect();
        }
        let input = input.to_string();
        let result = match &start {
            Start::Submit => self.give(|session, now| session.submit(&input, now)),
            Start::Retry => self.give(|session, now| session.retry(&input, now)),
            Start::Regenerate(id) => self.give(|session, now| session.regenerate(id.as_deref(), &input, now)),
        }?;
        self.say(|| format!("     {start:?} {run_id} ({policy}): {result:?}"));
        let asked = Asked { run_id, policy, start, message, resume, begun: false, settled: false };
        let over = self.run.as_ref().is_none_or(|run| run.ended.is_some());
        let judged = over && self.queue.iter().all(|ticket| !self.admits(&self.asked[ticket])) || policy == "replace";
        let refused = !self.disposed && judged && !self.admits(&asked);
        ensure!(
            refused == matches!(result, Err(Misuse::InterruptsOpen(_))),
            "interrupts {:?} are open, and the answer was {result:?}",
            self.thread.interrupts
        );
        match &result {
            Ok(ticket) => {
                ensure!(!self.disposed, "a submit after dispose was accepted");
                let fresh = !self.asked.contains_key(ticket);
                ensure!(fresh, "ticket {ticket} was given twice");
                let waits = self.queue.iter().any(|ticket| self.admits(&self.asked[ticket]));
                match policy {
                    "replace" if !over => {
                        self.ends("aborted");
                        self.queue.insert(0, *ticket);
                    }
                    // Who waited before goes first, and it is that run which is replaced.
                    "replace" if waits => self.replacing = Some(*ticket),
                    _ => self.queue.push(*ticket),
                }
                self.asked.insert(*ticket, asked);
            }
            Err(Misuse::Busy) => ensure!(policy == "reject", "rejected, where that was not asked for"),
            Err(Misuse::QueueFull) => {
                ensure!(self.queue.len() >= self.plan.max_queue, "the queue is full with {}", self.queue.len());
            }
            Err(Misuse::NothingToRegenerate) => {
                let Start::Regenerate(id) = &asked.start else { return Err("nothing was to be regenerated".into()) };
                ensure!(self.thread.cut(id.as_deref()).is_none(), "there is something to regenerate");
            }
            Err(Misuse::InterruptsOpen(_)) => {}
            Err(Misuse::Disposed) => ensure!(self.disposed, "nobody disposed of it"),
            Err(other) => return Err(format!("refused: {other}")),
        }
        self.perform()
    }

    /// The answers that a run of this submit carries.
    fn answers(&self, asked: &Asked) -> Option<Vec<String>> {
        match (&asked.resume, &asked.start) {
            (Some(ids), _) => Some(ids.clone()),
            (None, Start::Submit) => None,
            (None, Start::Retry) => self.resumed.clone(),
            (None, Start::Regenerate(_)) => {
                (!self.thread.interrupts.is_empty()).then(|| self.thread.interrupts.clone())
            }
        }
    }

    /// Whether a run may begin so: all that is open is answered, and nothing else.
    fn admits(&self, asked: &Asked) -> bool {
        self.thread.interrupts.is_empty() || self.answers(asked).unwrap_or_default() == self.thread.interrupts
    }

    /// The application edits: the last of its messages go, and one comes.
    fn set_messages(&mut self, which: usize) -> Held {
        let mut messages: Vec<Value> = self.thread.messages.iter().map(|message| message.outgoing()).collect();
        messages.truncate(messages.len().saturating_sub(which % 3));
        self.minted += 1;
        messages.push(json!({"id": format!("u{}", self.minted), "role": "user", "content": "#7"}));
        let messages = Value::Array(messages);
        let json = messages.to_string();
        if self.give(|session, _| session.set_messages(&json))?.is_ok() {
            self.thread.assign(&messages);
        }
        self.perform()
    }

    fn dispose(&mut self) -> Held {
        self.ends("aborted");
        self.give(|session, now| session.dispose(now))?;
        self.perform()?;
        self.disposed = true;
        let waiting: Vec<_> = self.asked.iter().filter(|(_, asked)| !asked.settled).map(|(ticket, _)| ticket).collect();
        ensure!(waiting.is_empty(), "disposed of, and the tickets {waiting:?} never settle");
        ensure!(self.lines.iter().all(|line| line.over), "disposed of, and a request is open");
        Ok(())
    }

    // The network.

    fn open_line(&self) -> Option<usize> {
        self.lines.iter().position(|line| !line.over)
    }

    fn deliver(&mut self, amount: Amount) -> Held {
        let Some(at) = self.open_line() else { return Ok(()) };
        let line = &mut self.lines[at];
        let (request, end) = (line.request, line.answer.end);
        let Some((status, content_type)) = line.answer.head else { return self.end_of_body(end) };
        if !line.headed {
            line.headed = true;
            let content_type = content_type.to_owned();
            self.say(|| format!("     request {request}: {status} {content_type}"));
            if status == 204 {
                self.ends("error");
            }
            self.give(|session, now| session.head(request, status, &content_type, now))?;
            return self.perform();
        }
        let rest = line.answer.body.len() - line.sent;
        if rest == 0 {
            return self.end_of_body(end);
        }
        let next = line.answer.frames.get(line.told).map_or(rest, |frame| frame.whole.saturating_sub(line.sent).max(1));
        let count = match amount {
            Amount::Bytes(n) => n.min(rest),
            Amount::Frame => next.min(rest),
            Amount::All => rest,
        };
        let bytes = line.answer.body[line.sent..line.sent + count].to_vec();
        line.sent += count;
        let reached = line.sent;
        self.say(|| format!("     request {request}: {count} of {rest} bytes"));
        self.tell(at, |frame| frame.whole <= reached);
        self.give(|session, now| session.bytes(request, &bytes, now))?;
        self.perform()
    }

    /// What was delivered of a body counts: the events that `there` says are there.
    fn tell(&mut self, at: usize, there: impl Fn(&super::server::Frame) -> bool) {
        while let Some(frame) = self.lines[at].answer.frames.get(self.lines[at].told).filter(|frame| there(frame)) {
            let event = frame.event.clone();
            self.lines[at].told += 1;
            self.say(|| format!("       {event}"));
            self.thread.apply(&event);
            let Some(run) = &mut self.run else { continue };
            run.events += 1;
            let outcome = &event["outcome"];
            let ended = match event["type"].as_str().unwrap() {
                "RUN_STARTED" => {
                    (run.ended, self.status, self.outcome) = (None, "running", None);
                    continue;
                }
                "RUN_FINISHED" if outcome["type"] == "interrupt" => "interrupted",
                "RUN_FINISHED" => "success",
                "RUN_ERROR" => "error",
                _ => continue,
            };
            let ids = |list: &Value, pick: fn(&Value) -> &Value| -> Vec<String> {
                let list = list.as_array().map_or(&[][..], Vec::as_slice);
                list.iter().filter_map(|item| Some(pick(item).as_str()?.to_owned())).collect()
            };
            run.pending = ids(&outcome["pendingToolCallIds"], |id| id);
            run.pending.extend(ids(&outcome["interrupts"], |interrupt| &interrupt["toolCallId"]));
            run.ended = Some(ended);
            self.conclude();
        }
    }

    fn end_of_body(&mut self, end: End) -> Held {
        let Some(at) = self.open_line() else { return Ok(()) };
        if end == End::Hangs {
            return Ok(());
        }
        let line = &mut self.lines[at];
        line.over = true;
        let (request, sent, headed) = (line.request, line.sent, line.headed);
        let status = line.answer.head.filter(|_| headed).map(|(status, _)| status);
        self.say(|| format!("     request {request}: {}", if end == End::Closes { "its end" } else { "breaks" }));
        // A last frame that lacks its end counts all the same.
        if end == End::Closes {
            self.tell(at, |frame| frame.readable <= sent);
        }
        let events = self.run.as_ref().map_or(0, |run| run.events);
        match status {
            Some(200) if events > 0 || self.lines[at].answer.is_stream() || end == End::Breaks => self.ends("truncated"),
            _ => self.ends("error"),
        }
        match end {
            End::Closes => self.give(|session, now| session.end(request, now))?,
            _ => self.give(|session, now| session.failed(request, "reset", now))?,
        }
        self.perform()
    }

    /// Whatever comes of a request that is over changes nothing.
    fn late(&mut self, which: usize) -> Held {
        let over: Vec<usize> = (0..self.lines.len()).filter(|at| self.lines[*at].over).collect();
        let Some(at) = over.get(which % over.len().max(1)) else { return Ok(()) };
        let line = &self.lines[*at];
        let (request, bytes) = (line.request, line.answer.body[line.sent..].to_vec());
        self.say(|| format!("     request {request}, which is over: its rest"));
        match which % 4 {
            0 => self.give(|session, now| session.head(request, 500, "text/html", now))?,
            1 => self.give(|session, now| session.failed(request, "reset", now))?,
            2 => self.give(|session, now| session.end(request, now))?,
            _ => self.give(|session, now| session.bytes(request, &bytes, now))?,
        }
        self.perform()?;
        ensure!(self.effects == 0, "what came of a closed request had effects");
        Ok(())
    }

    // The clock.

    fn wait(&mut self, until: f64) -> Held {
        for _ in 0..100 {
            let Some(at) = self.wake.filter(|at| *at <= until) else {
                self.now = self.now.max(until);
                return Ok(());
            };
            self.wake = None;
            self.now = self.now.max(at);
            self.say(|| format!("     the timer of {at}"));
            self.give(|session, now| session.tick(now))?;
            self.perform()?;
        }
        Err("its timers never rest".into())
    }

    // What the session asks for.

    fn perform(&mut self) -> Held {
        while let Some(effect) = self.session.poll_effect() {
            self.same(&effect)?;
            self.effects += 1;
            match effect {
                Effect::Open { request, body } => self.opened(request, &parse(&body))?,
                Effect::Close { request } => {
                    let line = self.lines.last_mut().filter(|line| line.request == request && !line.closed);
                    let Some(line) = line else { return Err(format!("request {request} is closed, but not open")) };
                    (line.over, line.closed) = (true, true);
                    self.say(|| format!("     → close {request}"));
                }
                Effect::Wake { at } => {
                    self.wake = at;
                    self.say(|| format!("     → wake at {at:?}"));
                }
                Effect::Settled { ticket, result } => self.settled(ticket, &parse(&result))?,
                Effect::Changed { urgent } => {
                    let again = self.told.is_some_and(|told| told || !urgent);
                    ensure!(!again, "the page is told twice that it is behind");
                    self.told = Some(urgent);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What is told of the snapshot depends on when it was read; nothing else does.
    fn same(&mut self, effect: &Effect) -> Held {
        let Some(twin) = &mut self.twin else { return Ok(()) };
        if matches!(effect, Effect::Changed { .. }) {
            return Ok(());
        }
        let again = std::iter::from_fn(|| twin.poll_effect()).find(|again| !matches!(again, Effect::Changed { .. }));
        ensure!(again.as_ref() == Some(effect), "the twin wants {again:?}, not {effect:?}");
        Ok(())
    }

    fn opened(&mut self, request: u32, body: &Value) -> Held {
        let answer = self.server.answer(body, self.plan.strict);
        let run_id = body["runId"].as_str().unwrap_or_default().to_owned();
        self.say(|| format!("     → open {request}: {run_id}; the server: {}", answer.about));
        ensure!(self.open_line().is_none() && self.run.is_none(), "request {request} is opened beside another");
        ensure!(self.lines.iter().all(|line| line.request != request), "request {request} is opened twice");
        ensure!(!self.disposed, "a request is opened after dispose");
        let next = self.queue.iter().position(|ticket| self.admits(&self.asked[ticket]));
        let Some(next) = next else { return Err("a run begins that nobody asked for, or that may not begin".into()) };
        let ticket = self.queue.remove(next);
        let asked = &self.asked[&ticket];
        ensure!(asked.run_id == run_id, "{run_id} begins before {}", asked.run_id);
        self.resumed = self.answers(asked);
        match &asked.start {
            Start::Submit => {}
            Start::Retry => self.thread.drop_unfinished(),
            Start::Regenerate(id) => {
                if let Some(length) = self.thread.cut(id.as_deref()) {
                    self.thread.messages.truncate(length);
                }
            }
        }
        if let Some(message) = &asked.message {
            self.thread.add(&json!([message]));
        }
        let messages: Vec<Value> = self.thread.messages.iter().map(|message| message.outgoing()).collect();
        ensure!(body["messages"] == json!(messages), "the request carries {}, not {}", body["messages"], json!(messages));
        ensure!(body["state"] == self.thread.state, "the request carries the state {}", body["state"]);
        let resume = body.get("resume").and_then(Value::as_array);
        let resume: Option<Vec<&str>> = resume.map(|list| list.iter().filter_map(|a| a["interruptId"].as_str()).collect());
        let same = resume.as_deref().unwrap_or_default() == self.resumed.as_deref().unwrap_or_default();
        ensure!(same, "the request answers {resume:?}, not {:?}", self.resumed);
        let asked = self.asked.get_mut(&ticket).unwrap();
        ensure!(!asked.begun, "{run_id} begins twice");
        asked.begun = true;
        self.run = Some(Run { ticket, line: self.lines.len(), ended: None, events: 0, pending: Vec::new() });
        self.lines.push(Line { request, answer, headed: false, sent: 0, told: 0, over: false, closed: false });
        (self.status, self.outcome) = ("running", None);
        Ok(())
    }

    fn settled(&mut self, ticket: Ticket, result: &Value) -> Held {
        let outcome = result["outcome"].as_str().unwrap_or_default();
        self.say(|| format!("     → ticket {ticket}: {result}"));
        let Some(asked) = self.asked.get_mut(&ticket) else { return Err(format!("nobody has ticket {ticket}")) };
        ensure!(!asked.settled, "ticket {ticket} settles twice");
        ensure!(result["runId"] == asked.run_id, "ticket {ticket} settles as {}", result["runId"]);
        asked.settled = true;
        let policy = asked.policy;
        if let Some(at) = self.queue.iter().position(|waiting| *waiting == ticket) {
            self.queue.remove(at);
            let dropped = outcome == "dropped" && policy == "drop" && self.run.is_some();
            ensure!(dropped || outcome == "aborted", "ticket {ticket} never began, and is {outcome}");
            return Ok(());
        }
        if let Some(next) = self.replacing.take_if(|_| self.run.as_ref().is_some_and(|run| run.ended.is_none())) {
            self.ends("aborted");
            self.queue.insert(0, next);
        }
        let Some(run) = self.run.as_ref().filter(|run| run.ticket == ticket) else {
            return Err(format!("ticket {ticket} settles, and its run is not on"));
        };
        ensure!(run.ended == Some(outcome), "ticket {ticket} is {outcome}, not {:?}", run.ended);
        let failed = matches!(outcome, "error" | "truncated");
        ensure!(result.get("error").is_some() == failed, "ticket {ticket}: {result}");
        ensure!(self.lines[run.line].over, "ticket {ticket} settles while its request is open");
        self.conclude();
        self.run = None;
        Ok(())
    }

    /// The run that is on will end so, unless it has ended otherwise already.
    fn ends(&mut self, outcome: &'static str) {
        if let Some(run) = &mut self.run {
            run.ended.get_or_insert(outcome);
        }
    }

    /// Nothing streams any more.
    fn conclude(&mut self) {
        let Some((run, ended)) = self.run.as_ref().and_then(|run| Some((run, run.ended?))) else { return };
        self.thread.end(ended, &run.pending);
        self.outcome = Some(ended);
        self.status = if matches!(ended, "error" | "truncated") { "error" } else { "idle" };
        if matches!(ended, "success" | "interrupted") {
            self.resumed = None;
        }
    }

    // What must hold.

    fn check(&mut self) -> Held {
        if let Some(twin) = &mut self.twin {
            let more = std::iter::from_fn(|| twin.poll_effect()).find(|effect| !matches!(effect, Effect::Changed { .. }));
            ensure!(more.is_none(), "the twin also wants {more:?}");
        }
        let shown = self.mirror.0["status"].as_str().unwrap_or_default();
        let urgent = self.told == Some(true);
        // That a second run begins in the same stream may wait for the next frame.
        let fits = shown == self.status || urgent || self.status == "running" && self.told.is_some();
        ensure!(fits, "the page shows {shown}, and nobody says that it is {}", self.status);
        if self.plan.publishing == Publishing::AtOnce || urgent {
            return self.publish();
        }
        Ok(())
    }

    /// The page takes the patch, and shows what is.
    fn publish(&mut self) -> Held {
        let told = self.told.take().is_some();
        if let Some(patch) = self.session.take_patch() {
            ensure!(told, "there is a patch, and nobody was told: {patch}");
            self.mirror.apply(&patch);
        }
        ensure!(self.session.take_patch().is_none(), "a patch that was taken leaves something behind");
        let shown = &self.mirror.0;
        let same = |name: &str, expected: Value| -> Held {
            let found = shown.get(name).cloned().unwrap_or_default();
            ensure!(found == expected, "{name} is\n  {found}\nand must be\n  {expected}");
            Ok(())
        };
        same("messages", json!(self.thread.shown()))?;
        let calls = shown["toolCalls"].as_array().unwrap().iter().map(|call| {
            let mut call = call.clone();
            for name in ["args", "error"] {
                call.as_object_mut().unwrap().remove(name);
            }
            call
        });
        let (calls, expected) = (calls.collect::<Vec<_>>(), self.thread.calls_shown());
        ensure!(calls == expected, "toolCalls are\n  {}\nand must be\n  {}", json!(calls), json!(expected));
        same("state", self.thread.state.clone())?;
        same("status", json!(self.status))?;
        same("isLoading", json!(self.status == "running"))?;
        same("outcome", self.outcome.map_or(Value::Null, |outcome| json!(outcome)))?;
        ensure!((self.status == "error") == shown.get("error").is_some(), "{} with {:?}", self.status, shown.get("error"));
        let interrupts: Vec<&Value> = shown["interrupts"].as_array().unwrap().iter().map(|item| &item["id"]).collect();
        ensure!(json!(interrupts) == json!(self.thread.interrupts), "the open interrupts are {interrupts:?}");
        let phase = match &self.run {
            None => "closed",
            Some(run) if !self.lines[run.line].headed => "connecting",
            Some(_) => "open",
        };
        ensure!(shown["connection"]["phase"] == phase, "the connection is {}, not {phase}", shown["connection"]);
        let queue: Vec<&str> = shown["queue"].as_array().unwrap().iter().filter_map(|item| item["id"].as_str()).collect();
        let expected: Vec<String> = self.queue.iter().map(Ticket::to_string).collect();
        ensure!(queue == expected, "the queue shows {queue:?}, not {expected:?}");
        Ok(())
    }

    /// Everything that is on its way arrives, and the user answers what is asked.
    fn rest(&mut self) -> Held {
        self.say(|| "rest.".to_owned());
        for _ in 0..400 {
            if let Some(at) = self.open_line() {
                let line = &self.lines[at];
                let delivered = line.headed && line.sent == line.answer.body.len() || line.answer.head.is_none();
                if delivered && line.answer.end == End::Hangs && self.wake.is_none() {
                    self.step(&Step::Stop)?;
                } else if delivered && line.answer.end == End::Hangs {
                    self.wait(self.now + 10_000.0)?;
                } else {
                    self.step(&Step::Deliver(Amount::All))?;
                }
            } else if self.wake.is_some() {
                self.wait(self.now + 10_000.0)?;
            } else if !self.queue.is_empty() {
                ensure!(!self.thread.interrupts.is_empty(), "the queue {:?} waits for nothing", self.queue);
                self.submit(1, "queue", true)?;
            } else {
                return self.at_rest();
            }
            self.check()?;
        }
        Err("it does not come to rest".into())
    }

    fn at_rest(&mut self) -> Held {
        self.publish()?;
        ensure!(self.run.is_none() && self.status != "running", "it rests, and is {}", self.status);
        let waiting: Vec<_> = self.asked.iter().filter(|(_, asked)| !asked.settled).map(|(ticket, _)| ticket).collect();
        ensure!(waiting.is_empty(), "it rests, and the tickets {waiting:?} never settle");
        self.dispose()?;
        self.publish()?;
        if let Some(twin) = &mut self.twin {
            let mut whole = Mirror::new();
            if let Some(patch) = twin.take_patch() {
                whole.apply(&patch);
            }
            ensure!(whole.0 == self.mirror.0, "read at once it is\n  {}\nand in parts\n  {}", whole.0, self.mirror.0);
        }
        Ok(())
    }
}

impl Answer {
    fn is_stream(&self) -> bool {
        self.head.is_some_and(|(_, content_type)| content_type.contains("stream") || content_type.contains("json"))
    }
}
