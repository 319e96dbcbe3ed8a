//! One schedule, played: a session between a fake user, a fake server and a fake clock, and what must hold after each step.

use super::plan::{Amount, Dialect, Plan, Policy, Step};
use super::server::{Answer, End, Server};
use super::thread::Thread;
use crate::support::Mirror;
use ag_ui_wasm::session::{Misuse, Network, Options, Resume, Session, Ticket};
use effects::Due;
use page::Turn;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
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

mod check;
mod effects;
mod page;

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

/// Interrupts, and whether the answer is a cancellation.
type Answers = Vec<(String, bool)>;

/// A submit that was accepted.
struct Asked {
    run_id: String,
    policy: Policy,
    start: Start,
    message: Option<Value>,
    resume: Option<Answers>,
    replaces: Option<String>,
    begun: bool,
    settled: bool,
}

impl Asked {
    fn new(run_id: String, policy: Policy, start: Start) -> Self {
        Self { run_id, policy, start, message: None, resume: None, replaces: None, begun: false, settled: false }
    }
}

/// Whether a run may begin.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Admission {
    Admitted,
    /// Something is open that it does not answer.
    Open,
    Expired,
    /// It answers what is not open.
    Unknown,
}

fn status(cancels: bool) -> &'static str {
    if cancels { "cancelled" } else { "resolved" }
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
    /// Events of it that count: those before are not told again.
    received: usize,
    /// Its request is one that joins it.
    joins: bool,
    /// The request that is out was answered with the run from its beginning, or will be.
    whole: bool,
    /// What is told now was told before, perhaps.
    replays: bool,
    /// Events of this connection, and the most that an earlier one has brought.
    fresh: usize,
    best: usize,
    /// A stream of it has begun.
    streamed: bool,
    /// For the time to try again.
    waiting: bool,
    /// Connections in a row that brought nothing new.
    attempt: u32,
    renewed: bool,
    /// When something came last.
    heard: f64,
}

impl Run {
    fn new(ticket: Ticket, line: usize, heard: f64) -> Self {
        Self {
            ticket,
            line,
            ended: None,
            events: 0,
            pending: Vec::new(),
            received: 0,
            joins: false,
            whole: false,
            replays: false,
            fresh: 0,
            best: 0,
            streamed: false,
            waiting: false,
            attempt: 0,
            renewed: false,
            heard,
        }
    }

    /// Whether its stream goes on with one that was lost, or left.
    fn goes_on(&self) -> bool {
        self.joins && !self.replays && self.ended.is_none()
    }
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
    turn: Option<Turn>,
    /// Calls that the page was given, or that somebody answered.
    handled: BTreeSet<String>,
    /// Calls that were executed.
    executing: BTreeSet<String>,
    due: Due,
    /// Calls that were abandoned before the run that begins.
    abandoned: Vec<String>,
    /// Tickets and ids of interrupts that are answered while others are not.
    partial: Vec<(Ticket, (String, bool))>,
    /// Tickets that settle with another, the first of the pair.
    joined: Vec<(Ticket, Ticket)>,
    /// The page was left while a run was on: the queue waits for the user.
    parked: bool,
    /// A run was left to the server; how many of its events were received.
    left: Option<usize>,
    /// The same of one that was on when the page was left.
    lost: Option<usize>,
    /// The page knows of its run no more than how far it was told.
    anew: bool,
    /// The message of the chunks that came last.
    chunks: Option<String>,
    /// RUN_STARTED of the run was received.
    started: bool,
    /// Calls that the page has answered, and that a replay has yet to tell of: answers, whether errors, whether denials.
    untold: Vec<(String, String, bool, bool)>,
    /// The server wants to be left alone until then.
    not_before: f64,
    run_id: String,
    thread: Thread,
    resumed: Option<Answers>,
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
        network: Network {
            posts: plan.posts,
            renew_headers: plan.renew,
            idle_ms: plan.idle_ms,
            seed: plan.seed,
            resume: plan.resume.map(|dialect| {
                let resume = match dialect {
                    Dialect::Id => Resume::by("last-event-id", None, None),
                    Dialect::Member => Resume::by("cursor", Some("seq"), Some("after")),
                    Dialect::Socket => Resume::by("socket-cursor", Some("seq"), Some("after")),
                    Dialect::RunUrl { .. } => Resume::by("run-url", None, None),
                    Dialect::Replay => Resume::by("replay", None, None),
                    Dialect::Snapshot => Resume::by("snapshot", None, None),
                    Dialect::Prelude => Resume::by("prelude", None, None),
                };
                resume.unwrap()
            }),
            ..Network::default()
        },
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
            server: Server::new(plan.framing, plan.faults, plan.resume),
            lines: Vec::new(),
            asked: BTreeMap::new(),
            queue: Vec::new(),
            replacing: None,
            run: None,
            turn: None,
            handled: BTreeSet::new(),
            executing: BTreeSet::new(),
            due: Due::default(),
            abandoned: Vec::new(),
            partial: Vec::new(),
            joined: Vec::new(),
            parked: false,
            left: None,
            lost: None,
            anew: false,
            chunks: None,
            started: false,
            untold: Vec::new(),
            not_before: 0.0,
            run_id: String::new(),
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
            Step::Retry { policy } => self.ask(Start::Retry, None, policy, None, None),
            Step::Regenerate { which, .. } => {
                let assistants: Vec<&str> =
                    self.thread.messages.iter().filter(|m| m.role == "assistant").map(|m| m.id.as_str()).collect();
                let id = which.map(|which| match assistants.len() {
                    0 => "nobody".to_owned(),
                    len => assistants[which % len].to_owned(),
                });
                self.ask(Start::Regenerate(id), None, "queue", None, None)
            }
            Step::Stop => {
                self.stops();
                self.give(|session, now| session.stop(now))?;
                self.perform()
            }
            Step::Disconnect => self.disconnect(),
            Step::Attach => self.attach(),
            Step::Cancel(which) => {
                // Now and then one that does not wait any more, or never did.
                let ticket = (which % (self.asked.len() + 2)) as Ticket;
                let working = self.is_working() && self.turn.as_ref().is_some_and(|turn| turn.ticket == Some(ticket));
                if working || self.run.as_ref().is_some_and(|run| run.ticket == ticket) {
                    self.stops();
                }
                self.say(|| format!("     cancel {ticket}"));
                self.give(|session, now| session.cancel(ticket, now))?;
                self.perform()
            }
            Step::Replace { which, seed } => {
                let users: Vec<&str> =
                    self.thread.messages.iter().filter(|m| m.role == "user").map(|m| m.id.as_str()).collect();
                let id = users.get(which % (users.len() + 1)).copied().unwrap_or("nobody").to_owned();
                let message = self.message(*seed);
                self.ask(Start::Submit, Some(message), "queue", None, Some(id))
            }
            Step::EditQueued { which, seed } => self.edit_queued(*which, *seed),
            Step::Answer(which) => self.answer(*which),
            Step::Reload => self.reload(),
            Step::SetMessages(which) => self.set_messages(*which),
            Step::SetState(n) => {
                let mut state = self.thread.state.clone();
                match n % 3 {
                    0 => state = json!({"mine": n}),
                    1 => state["n"] = json!(n),
                    _ => state["mine"] = json!(n),
                }
                let json = state.to_string();
                if self.give(|session, _| session.set_state(&json))?.is_ok() {
                    self.thread.set_state(state, self.run.is_some() || self.left.is_some());
                }
                self.perform()
            }
            Step::Reset => {
                if !self.disposed {
                    self.stops();
                }
                self.abandons();
                if self.run.is_none() {
                    self.abandon_turn();
                }
                let result = self.give(|session, now| session.reset(now))?;
                self.perform()?;
                if result.is_ok() {
                    ensure!(self.queue.is_empty() && self.run.is_none(), "reset left something behind");
                    (self.thread, self.turn) = (Thread::new(), None);
                    (self.left, self.lost, self.anew) = (None, None, false);
                    self.handled.clear();
                    self.untold.clear();
                    (self.status, self.outcome, self.resumed) = ("idle", None, None);
                }
                Ok(())
            }
            Step::Settle { which, any, fails } => self.settle(*which, *any, *fails),
            Step::Approve { which, edited } => self.approve(*which, *edited),
            Step::Deny(which) => self.deny(*which),
            Step::Hold(which) => self.hold(*which),
            Step::Dispose => self.dispose(),
            Step::Deliver(amount) => self.deliver(*amount),
            Step::Break => self.end_of_body(End::Breaks),
            Step::Late(which) => self.late(*which),
            Step::Wait(ms) => self.wait(self.now + *ms as f64),
            Step::Tick => {
                self.expires()?;
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
        let message = self.message(seed);
        // Now and then a cancellation; of what has expired always, if the user is careful.
        let careful = !seed.is_multiple_of(5);
        let answer = |(at, id): (usize, &String)| {
            let cancels = careful && self.has_expired(id) || (seed as usize + at).is_multiple_of(4);
            (id.clone(), cancels)
        };
        let open = &self.thread.interrupts;
        let resume = (answers && !open.is_empty()).then(|| open.iter().enumerate().map(answer).collect());
        self.ask(Start::Submit, Some(message), policy, resume, None)
    }

    fn has_expired(&self, id: &str) -> bool {
        self.thread.expiries.get(id).is_some_and(|at| *at <= self.now)
    }

    fn message(&mut self, seed: u32) -> Value {
        self.minted += 1;
        json!({"id": format!("u{}", self.minted), "role": "user", "content": format!("#{seed}")})
    }

    /// The input of a run, and its id.
    fn input(&mut self) -> (Value, String) {
        self.minted += 1;
        let run_id = format!("r{}", self.minted);
        let mut input = json!({"runId": run_id});
        if let Some(limit) = self.plan.follow_ups {
            input["pageTools"] = page::tools();
            input["maxFollowUps"] = json!(limit);
        }
        (input, run_id)
    }

    fn edit_queued(&mut self, which: usize, seed: u32) -> Held {
        let ticket = self.queue.get(which % (self.queue.len() + 1)).copied().unwrap_or(which as Ticket);
        let message = self.message(seed);
        let (mut input, run_id) = self.input();
        input["messages"] = json!([message]);
        let input = input.to_string();
        let edited = self.give(|session, _| session.edit_queued(ticket, &input))?;
        self.say(|| format!("     edit {ticket}: {edited:?}"));
        if self.disposed {
            return self.perform();
        }
        let waits = self.queue.contains(&ticket);
        ensure!(edited == Ok(waits), "whether {ticket} was edited is {edited:?}");
        if let Some(asked) = self.asked.get_mut(&ticket).filter(|_| waits) {
            let (policy, message) = (asked.policy, Some(message));
            let resume = asked.resume.take();
            *asked = Asked { message, resume, ..Asked::new(run_id, policy, Start::Submit) };
        }
        self.perform()
    }

    /// One of the open interrupts is answered; with the last answer the run begins.
    fn answer(&mut self, which: usize) -> Held {
        let open = self.thread.interrupts.clone();
        let id = open.get(which % (open.len() + 1)).cloned().unwrap_or_else(|| "never".into());
        let (run, run_id) = self.input();
        let cancels = self.has_expired(&id) && which.is_multiple_of(2);
        let input = json!({"interruptId": id, "status": status(cancels), "run": run}).to_string();
        let result = self.give(|session, now| session.answer(&input, now))?;
        self.say(|| format!("     answer {id}: {result:?}"));
        // A run that is on has taken an answer along.
        let taken = self.run.is_some() && self.resumed.iter().flatten().any(|(taken, _)| *taken == id);
        match result {
            Err(Misuse::Disposed) => ensure!(self.disposed, "nobody disposed of it"),
            Err(Misuse::InterruptUnknown(_)) => ensure!(!open.contains(&id) || taken, "{id} is open"),
            Err(Misuse::InterruptExpired(_)) => {
                let mut answers: Answers = self.partial.iter().map(|(_, answer)| answer.clone()).collect();
                answers.retain(|(other, _)| *other != id);
                answers.push((id.clone(), cancels));
                ensure!(answers.len() == open.len(), "others are open, and {id} is judged already");
                ensure!(answers.iter().any(|(id, no)| !no && self.has_expired(id)), "nothing has expired");
            }
            Err(other) => return Err(format!("refused: {other}")),
            Ok(ticket) => {
                ensure!(open.contains(&id) && !taken && !self.disposed, "{id} is not open, and was answered");
                let again = self.partial.iter().position(|(_, (answered, _))| *answered == id);
                if let Some(at) = again {
                    self.due.settles.push((self.partial.remove(at).0, "dropped"));
                }
                let mut asked = Asked::new(run_id, "queue", Start::Submit);
                if self.partial.len() + 1 == open.len() {
                    let others = self.partial.drain(..);
                    let mut ids = Vec::new();
                    for (other, answered) in others {
                        self.joined.push((ticket, other));
                        ids.push(answered);
                    }
                    ids.push((id, cancels));
                    ensure!(!ids.iter().any(|(id, no)| !no && self.has_expired(id)), "{ids:?}: one has expired");
                    asked.resume = Some(ids);
                    self.queue.insert(0, ticket);
                } else {
                    self.partial.push((ticket, (id, cancels)));
                }
                ensure!(self.asked.insert(ticket, asked).is_none(), "ticket {ticket} was given twice");
            }
        }
        self.perform()
    }

    fn disconnect(&mut self) -> Held {
        match self.run.take_if(|run| run.ended.is_none()) {
            Some(run) => {
                self.due.settles.push((run.ticket, "disconnected"));
                self.due.closes = !run.waiting;
                self.left = Some(run.received);
                self.status = "idle";
                if let Some(turn) = &mut self.turn {
                    turn.ticket = None;
                }
            }
            None => self.stops(),
        }
        self.give(|session, now| session.disconnect(now))?;
        self.perform()
    }

    fn attach(&mut self) -> Held {
        let nothing = self.left.is_none() && self.lost.is_none();
        if nothing && self.run.is_none() && self.plan.resume.is_some() && !self.disposed {
            return Ok(());
        }
        let (mut input, _) = self.input();
        input.as_object_mut().unwrap().remove("runId");
        let input = input.to_string();
        let on = self.run.as_ref().map(|run| run.ended.is_none());
        if on == Some(false) {
            return Ok(());
        }
        let result = self.give(|session, now| session.attach(&input, now))?;
        self.say(|| format!("     attach: {result:?}"));
        let ticket = match result {
            Err(Misuse::Disposed) if self.disposed => return self.perform(),
            Err(Misuse::Busy) if on.is_some() => return self.perform(),
            Err(Misuse::NothingToAttach) if self.plan.resume.is_none() => return self.perform(),
            Ok(ticket) if self.plan.resume.is_some() => ticket,
            other => return Err(format!("attach: {other:?}")),
        };
        let lost = self.lost.take();
        let Some(received) = self.left.take().or(lost) else {
            return Err("nothing was left, and it is joined".into());
        };
        if lost.is_some() {
            (self.anew, self.started, self.parked) = (true, false, false);
        }
        let run_id = self.run_id.clone();
        let asked = Asked { begun: true, ..Asked::new(run_id.clone(), "queue", Start::Submit) };
        ensure!(self.asked.insert(ticket, asked).is_none(), "ticket {ticket} was given twice");
        let turn = Turn { ticket: None, run_id, follow_ups: 0, calls: Vec::new(), over: None };
        self.turn.get_or_insert(turn).ticket = Some(ticket);
        let run = Run::new(ticket, self.lines.len(), self.now);
        self.run = Some(Run { joins: true, waiting: true, received, ..run });
        (self.status, self.outcome) = ("running", None);
        self.perform()
    }

    /// The page is left without a word, and comes back with what it had saved.
    fn reload(&mut self) -> Held {
        use page::Stage;
        if self.disposed {
            return Ok(());
        }
        let saved = self.give(|session, _| in_order(&session.save()))?;
        self.say(|| format!("     {saved}"));
        let on = self.run.as_ref().filter(|run| run.ended.is_none()).map(|run| run.received);
        // Who comes back once more has forgotten what to join.
        let running = self.left.is_some() || on.is_some();
        self.lost = self.left.or(on);
        self.session = Session::new(options(&self.plan), None, None).unwrap();
        if self.twin.is_some() {
            self.twin = Some(Session::new(options(&self.plan), None, None).unwrap());
        }
        (self.mirror, self.wake, self.told, self.run) = (Mirror::new(), None, None, None);
        (self.chunks, self.started) = (None, false);
        self.untold.clear();
        self.lines.clear();
        // The tickets of the page that was left are nobody's; the queue gets new ones.
        let mut asked = std::mem::take(&mut self.asked);
        let queue = std::mem::take(&mut self.queue);
        for (at, ticket) in queue.iter().enumerate() {
            self.queue.push(at as Ticket + 1);
            self.asked.insert(at as Ticket + 1, asked.remove(ticket).unwrap());
        }
        self.partial.clear();
        self.joined.clear();
        (self.resumed, self.parked) = (None, running);
        self.left = None;
        (self.status, self.outcome) = if running { ("error", Some("truncated")) } else { ("idle", None) };
        self.thread.reload();
        self.turn.take_if(|turn| !turn.any(&[Stage::Executing, Stage::Waiting, Stage::Manual]));
        let mut calls = Vec::new();
        if let Some(turn) = &mut self.turn {
            let asks = !self.thread.interrupts.is_empty();
            (turn.ticket, turn.over) = (None, Some(if asks { "interrupted" } else { "success" }));
            calls = turn.calls.iter().map(|call| (call.id.clone(), call.stage)).collect();
            turn.calls
                .iter_mut()
                .filter(|call| call.stage == Stage::Executing)
                .for_each(|call| call.stage = Stage::Done);
        }
        for (id, stage) in calls {
            match stage {
                // Whether it happened is not known: it is not done again.
                Stage::Executing => {
                    self.thread.answer(&id, "The page was left before the tool was done.", true, false);
                }
                Stage::Waiting => self.set_phase(&id, "awaiting-approval"),
                Stage::Manual => self.set_phase(&id, "input-available"),
                Stage::Done => {}
            }
        }
        if !running {
            self.between_runs();
        }
        let restored = self.give(|session, now| session.restore(&saved, now))?;
        ensure!(restored.is_ok(), "what was saved is refused: {restored:?}");
        self.perform()
    }

    fn ask(
        &mut self,
        start: Start,
        message: Option<Value>,
        policy: Policy,
        resume: Option<Answers>,
        replaces: Option<String>,
    ) -> Held {
        let (mut input, run_id) = self.input();
        input["ifBusy"] = json!(policy);
        if let Some(id) = &replaces {
            input["replaces"] = json!(id);
        }
        if let Some(message) = &message {
            input["messages"] = json!([message]);
        }
        if let Some(ids) = &resume {
            let entry = |(id, cancels): &(String, bool)| json!({"interruptId": id, "status": status(*cancels)});
            input["resume"] = ids.iter().map(entry).collect();
        }
        let input = input.to_string();
        let result = match &start {
            Start::Submit => self.give(|session, now| session.submit(&input, now)),
            Start::Retry => self.give(|session, now| session.retry(&input, now)),
            Start::Regenerate(id) => self.give(|session, now| session.regenerate(id.as_deref(), &input, now)),
        }?;
        self.say(|| format!("     {start:?} {run_id} ({policy}): {result:?}"));
        let asked = Asked { message, resume, replaces, ..Asked::new(run_id, policy, start) };
        let over = self.run.as_ref().is_none_or(|run| run.ended.is_some());
        let judged = over && !self.waits() || policy == "replace";
        let refused = if self.disposed || !judged { Admission::Admitted } else { self.judges(&asked) };
        let found = match &result {
            Err(Misuse::InterruptsOpen(_)) => Admission::Open,
            Err(Misuse::InterruptExpired(_)) => Admission::Expired,
            Err(Misuse::InterruptUnknown(_)) => Admission::Unknown,
            _ => Admission::Admitted,
        };
        ensure!(
            refused == found,
            "{refused:?}: interrupts {:?} are open, and the answer was {result:?}",
            self.thread.interrupts
        );
        match &result {
            Ok(ticket) => {
                ensure!(!self.disposed, "a submit after dispose was accepted");
                let fresh = !self.asked.contains_key(ticket);
                ensure!(fresh, "ticket {ticket} was given twice");
                let left = self.left.take().is_some();
                if left {
                    self.thread.end("aborted", &[]);
                }
                match policy {
                    "replace" if !over || self.is_working() => {
                        self.stops();
                        self.queue.insert(0, *ticket);
                    }
                    // The run that is over is closed first; whatever goes on then is replaced.
                    "replace" if self.run.is_some() || self.waits() && !left => self.replacing = Some(*ticket),
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
            Err(Misuse::NothingToReplace) => {
                let replaced = self.thread.messages.iter().any(|message| asked.replaces.as_ref() == Some(&message.id));
                ensure!(asked.replaces.is_some() && !replaced, "there is something to replace");
            }
            Err(Misuse::InterruptsOpen(_) | Misuse::InterruptExpired(_) | Misuse::InterruptUnknown(_)) => {}
            Err(Misuse::Disposed) => ensure!(self.disposed, "nobody disposed of it"),
            Err(other) => return Err(format!("refused: {other}")),
        }
        self.perform()
    }

    /// The answers that a run of this submit carries.
    fn answers(&self, asked: &Asked) -> Option<Answers> {
        match (&asked.resume, &asked.start) {
            (Some(ids), _) => Some(ids.clone()),
            (None, Start::Submit) => None,
            (None, Start::Retry) => self.resumed.clone(),
            (None, Start::Regenerate(_)) => {
                let open = &self.thread.interrupts;
                (!open.is_empty()).then(|| open.iter().map(|id| (id.clone(), true)).collect())
            }
        }
    }

    /// Whether a run may begin so: all that is open is answered, and nothing else.
    fn admits(&self, asked: &Asked) -> bool {
        self.judges(asked) == Admission::Admitted
    }

    fn judges(&self, asked: &Asked) -> Admission {
        let answers = self.answers(asked).unwrap_or_default();
        let open = &self.thread.interrupts;
        let of = |id: &String| answers.iter().find(|(answered, _)| answered == id);
        match () {
            () if open.is_empty() => Admission::Admitted,
            () if !open.iter().all(|id| of(id).is_some()) => Admission::Open,
            () if answers.iter().any(|(id, cancels)| !cancels && self.has_expired(id)) => Admission::Expired,
            () if answers.len() > open.len() => Admission::Unknown,
            () => Admission::Admitted,
        }
    }

    /// Whether somebody waits who may begin.
    fn waits(&self) -> bool {
        self.queue.iter().any(|ticket| self.admits(&self.asked[ticket]))
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

    /// What waits settles as aborted.
    fn abandons(&mut self) {
        let queue = std::mem::take(&mut self.queue);
        self.due.settles.extend(queue.into_iter().map(|ticket| (ticket, "aborted")));
        self.drop_answers("aborted");
    }

    fn dispose(&mut self) -> Held {
        self.stops();
        self.abandons();
        // A run that was left: what the page executes for it.
        if self.run.is_none() {
            self.abandon_turn();
        }
        self.give(|session, now| session.dispose(now))?;
        self.perform()?;
        self.disposed = true;
        self.turn = None;
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
        let (request, end, retry_after) = (line.request, line.answer.end, line.answer.retry_after);
        let Some((status, content_type)) = line.answer.head else { return self.end_of_body(end) };
        if !line.headed {
            line.headed = true;
            let content_type = content_type.to_owned();
            self.say(|| format!("     request {request}: {status} {content_type}"));
            self.takes_head(status, retry_after);
            let retry_after = retry_after.map(|seconds| seconds.to_string());
            self.give(|session, now| session.head(request, status, &content_type, retry_after.as_deref(), now))?;
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
        if let Some(run) = &mut self.run {
            run.heard = self.now;
        }
        self.say(|| format!("     request {request}: {count} of {rest} bytes"));
        self.tell(at, |frame| frame.whole <= reached);
        self.give(|session, now| session.bytes(request, &bytes, now))?;
        self.perform()
    }

    /// What was delivered of a body counts: the events that `there` says are there.
    fn tell(&mut self, at: usize, there: impl Fn(&super::server::Frame) -> bool) {
        while let Some(frame) = self.lines[at].answer.frames.get(self.lines[at].told).filter(|frame| there(frame)) {
            let (event, means, index) = (frame.event.clone(), frame.means.clone(), frame.index);
            self.lines[at].told += 1;
            if let Some(run) = self.run.as_mut().filter(|run| run.whole) {
                (run.whole, run.replays, run.received) = (false, true, 0);
                (self.started, self.chunks) = (false, None);
                let answers = self.thread.go_back();
                self.untold.extend(answers);
                self.say(|| "       from the beginning".to_owned());
            }
            if self.run.as_ref().is_some_and(|run| index.is_some_and(|index| index < run.received)) {
                self.say(|| format!("       again: {event}"));
                continue;
            }
            self.say(|| format!("       {event}"));
            let kind = event["type"].as_str().unwrap();
            if let Some(run) = &mut self.run {
                run.events += 1;
                run.fresh += 1;
                run.received = index.map_or(run.received, |index| index + 1);
                // What every page that joins is told is no progress.
                let greets = kind.ends_with("STARTED") || kind.ends_with("START") || kind.ends_with("SNAPSHOT");
                if !run.joins || if run.replays { run.fresh > run.best } else { !greets } {
                    run.attempt = 0;
                }
            }
            // What a page hears that joins ends the chunks of the stream that was cut.
            if let Some(id) = self.chunks.take().filter(|_| index.is_none()) {
                self.tell_event(&json!({"type": "TEXT_MESSAGE_END", "messageId": id, "ofChunks": true}));
            }
            if kind == "TEXT_MESSAGE_CHUNK" {
                self.chunks = means.last().map(|content| content["messageId"].as_str().unwrap().to_owned());
            }
            // Who joins is told that the run has begun, and knows.
            let greeted = kind == "RUN_STARTED" && self.started && self.run.as_ref().is_some_and(|run| run.goes_on());
            if !greeted {
                means.iter().for_each(|event| self.tell_event(event));
            }
        }
    }

    fn tell_event(&mut self, event: &Value) {
        {
            self.thread.apply(event);
            let kind = event["type"].as_str().unwrap();
            if kind == "RUN_FINISHED" && self.run.as_ref().is_some_and(|run| run.joins && !run.replays) {
                // Calls of which the page knows by a snapshot.
                for id in self.thread.unanswered() {
                    self.call_ready(&id);
                }
            }
            if kind == "MESSAGES_SNAPSHOT" {
                self.answered_by_snapshot();
            }
            let Some(run) = &mut self.run else { return };
            let outcome = &event["outcome"];
            let ended = match kind {
                "RUN_STARTED" => {
                    (run.ended, self.status, self.outcome, self.started) = (None, "running", None, true);
                    return;
                }
                "TOOL_CALL_END" => return self.call_ready(event["toolCallId"].as_str().unwrap()),
                "TOOL_CALL_RESULT" => return self.answered_elsewhere(event["toolCallId"].as_str().unwrap()),
                "RUN_FINISHED" if outcome["type"] == "interrupt" => "interrupted",
                "RUN_FINISHED" => "success",
                "RUN_ERROR" => "error",
                _ => return,
            };
            let ids = |list: &Value, pick: fn(&Value) -> &Value| -> Vec<String> {
                let list = list.as_array().map_or(&[][..], Vec::as_slice);
                list.iter().filter_map(|item| Some(pick(item).as_str()?.to_owned())).collect()
            };
            let mut pending = ids(&outcome["pendingToolCallIds"], |id| id);
            pending.extend(ids(&outcome["interrupts"], |interrupt| &interrupt["toolCallId"]));
            (run.ended, run.pending) = (Some(ended), pending.clone());
            self.conclude(ended, &pending);
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
        if end == End::Closes && headed {
            // A last frame that lacks its end counts all the same, if it does not come again.
            let joins = self.can_join();
            let terminal = |event: &Value| matches!(event["type"].as_str(), Some("RUN_FINISHED" | "RUN_ERROR"));
            self.tell(at, |frame| frame.readable <= sent && (!joins || terminal(&frame.event)));
        }
        self.loses(status, end)?;
        match end {
            End::Closes => self.give(|session, now| session.end(request, now))?,
            _ => self.give(|session, now| session.failed(request, "reset", now))?,
        }
        self.perform()
    }

    /// Whether the run that is on can be joined where it was read to.
    fn can_join(&self) -> bool {
        let Some(way) = self.plan.resume else { return false };
        self.run.as_ref().is_some_and(|run| run.joins || run.received > 0 || way.whole() && run.streamed)
    }

    /// The run waits for another attempt, if there is one left.
    fn waits_again(&mut self) -> bool {
        let Some(run) = self.run.as_mut().filter(|run| run.attempt < 5) else { return false };
        run.attempt += 1;
        run.waiting = true;
        true
    }

    fn takes_head(&mut self, status: u16, retry_after: Option<u32>) {
        let asked = retry_after.map_or(0.0, |seconds| f64::from(seconds) * 1000.0);
        let (posts, renew, now) = (self.plan.posts, self.plan.renew, self.now);
        let Some(run) = &mut self.run else { return };
        if status == 401 && renew && !run.renewed {
            (run.renewed, run.waiting) = (true, true);
            return;
        }
        let repeats = match status {
            425 | 429 | 503 | 408 | 502 | 504 => run.joins || posts,
            500.. => run.joins,
            _ => false,
        };
        if repeats && asked <= 30_000.0 && self.waits_again() {
            self.not_before = now + asked;
            return;
        }
        let Some(run) = &mut self.run else { return };
        run.heard = now;
        if (200..300).contains(&status) {
            run.renewed = false;
            run.streamed |= status != 204 && self.lines[run.line].answer.is_stream();
        }
        if status == 204 && !self.goes_to_stream() {
            let streamed = self.run.as_ref().is_some_and(|run| run.streamed);
            self.ends(if streamed { "truncated" } else { "error" });
        }
    }

    /// The answer to the request that began the run was no stream: that has its own address.
    fn goes_to_stream(&mut self) -> bool {
        let Some(run) = self.run.as_mut().filter(|run| !run.joins) else { return false };
        if !matches!(self.plan.resume, Some(Dialect::RunUrl { .. })) {
            return false;
        }
        let answer: Result<Value, _> = serde_json::from_slice(&self.lines[run.line].answer.body);
        if let Ok(Value::String(id)) = answer.map(|mut answer| answer["runId"].take()) {
            self.run_id = id;
        }
        run.waiting = true;
        self.due.closes = true;
        true
    }

    /// A connection is lost: the run is joined again, or it ends.
    fn loses(&mut self, status: Option<u16>, end: End) -> Held {
        let can_join = self.can_join();
        let Some(run) = &self.run else { return Ok(()) };
        let is_stream = self.lines[run.line].answer.is_stream();
        let (streamed, on, joins) = (run.streamed, run.ended.is_none(), run.joins);
        let refused = status.is_some_and(|status| !(200..300).contains(&status));
        let no_stream = run.events == 0 && !is_stream && end == End::Closes;
        if !refused && status.is_some() && no_stream && self.goes_to_stream() {
            return Ok(());
        }
        if refused || status.is_some() && no_stream {
            self.ends(if streamed { "truncated" } else { "error" });
            return self.finish();
        }
        let may = if status.is_none() && !joins { self.plan.posts } else { can_join };
        if on && may && self.waits_again() {
            return Ok(());
        }
        self.ends(if status.is_none() && !streamed { "error" } else { "truncated" });
        self.finish()
    }

    /// A connection on which nothing came for too long is lost.
    fn expires(&mut self) -> Held {
        let idle = self.plan.idle_ms;
        let Some(run) = &self.run else { return Ok(()) };
        if idle == 0.0 || run.waiting || run.ended.is_some() || self.now < run.heard + idle {
            return Ok(());
        }
        let line = &mut self.lines[run.line];
        line.over = true;
        let status = line.answer.head.filter(|_| line.headed).map(|(status, _)| status);
        self.due.closes = true;
        self.loses(status, End::Breaks)
    }

    /// Whatever comes of a request that is over changes nothing.
    fn late(&mut self, which: usize) -> Held {
        let over: Vec<usize> = (0..self.lines.len()).filter(|at| self.lines[*at].over).collect();
        let Some(at) = over.get(which % over.len().max(1)) else { return Ok(()) };
        let line = &self.lines[*at];
        let (request, bytes) = (line.request, line.answer.body[line.sent..].to_vec());
        self.say(|| format!("     request {request}, which is over: its rest"));
        match which % 4 {
            0 => self.give(|session, now| session.head(request, 500, "text/html", None, now))?,
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
            self.expires()?;
            self.give(|session, now| session.tick(now))?;
            self.perform()?;
        }
        Err("its timers never rest".into())
    }
}

/// What was saved, with those ids in order that are a set.
fn in_order(saved: &str) -> String {
    let mut saved: Value = serde_json::from_str(saved).unwrap();
    for set in ["/checkpoint/messages", "/handled"] {
        let ids = saved.pointer_mut(set).and_then(Value::as_array_mut);
        ids.into_iter().for_each(|ids| ids.sort_by_key(|id| id.to_string()));
    }
    saved.to_string()
}

impl Answer {
    fn is_stream(&self) -> bool {
        self.head.is_some_and(|(_, content_type)| content_type.contains("stream") || content_type.contains("ndjson"))
    }
}
