//! One schedule, played: a session between a fake user, a fake server and a fake clock, and what must hold after each step.

use super::plan::{Dialect, Plan, Policy, Step};
use super::server::{Answer, End, Server};
use super::thread::Thread;
use crate::support::Mirror;
use crate::support::SessionCalls;
use ag_ui_wasm::session::{Network, Options, Resume, Session, Ticket};
use effects::Due;
use page::Turn;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// The fault, in words.
pub type Held = Result<(), String>;

macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(format!($($message)+));
        }
    };
}

mod check;
mod edits;
mod effects;
mod network;
mod page;
mod user;

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
    /// The id that it was given with; an edit may have named another one for its run.
    name: String,
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
        let name = run_id.clone();
        Self { name, run_id, policy, start, message: None, resume: None, replaces: None, begun: false, settled: false }
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

/// The ticket of an answer that a save has brought back.
const NOBODY: Ticket = Ticket::MAX;

/// A ticket that somebody waits for.
fn waited_for(ticket: Ticket) -> Option<Ticket> {
    (ticket != NOBODY).then_some(ticket)
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
#[derive(Default)]
struct Run {
    ticket: Ticket,
    line: usize,
    /// How it ends, as soon as that is certain.
    ended: Option<&'static str>,
    events: usize,
    pending: Vec<String>,
    /// Events of it that count: those before are not repeated.
    received: usize,
    /// Its request is one that joins it.
    joins: bool,
    /// The request that is out was answered with the run from its beginning, or will be.
    whole: bool,
    /// The current events may be replayed ones.
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
    /// When a body is given up that is no stream.
    body_until: Option<f64>,
    /// When its connections were made, and when the last one was lost.
    connected: Vec<f64>,
    lost_at: Option<f64>,
    /// The thread is as it was before the replay, for nothing of its run has come.
    rewinds: bool,
    /// It had ended before the page was loaded anew: of what it tells, only its end counts.
    known: bool,
    /// How it ends when the pause after its loss is over.
    lost: Option<(&'static str, f64)>,
    /// It has ended, and what comes after that is not read.
    closed: bool,
    /// This connection has brought an event whose number is new.
    advanced: bool,
    /// The server is at work on it, or on another one: no attempt has failed.
    works: bool,
    /// This connection says how things stand after the run, and not before it.
    opened: bool,
    held: Option<Value>,
}

impl Run {
    fn new(ticket: Ticket, line: usize, heard: f64) -> Self {
        Self { ticket, line, heard, ..Self::default() }
    }

    /// Whether its stream continues one that was lost, or left.
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
    /// The same of earlier runs.
    earlier: BTreeSet<String>,
    /// The calls whose tools were cut off: whether they have done their work is not known.
    cut: BTreeSet<String>,
    /// Calls that were executed.
    executing: BTreeSet<String>,
    due: Due,
    /// The last approved call: its id, its name and its arguments.
    approved: Option<(String, String, String)>,
    /// Name and arguments of calls as the page has shown them first.
    first_shown: BTreeMap<String, (String, String)>,
    /// Calls that were abandoned before the run that begins.
    abandoned: Vec<String>,
    /// Tickets and ids of interrupts that are answered while others are not. The page that has restored an answer has no ticket of it.
    partial: Vec<(Ticket, (String, bool))>,
    /// Tickets that settle with another, the first of the pair.
    joined: Vec<(Ticket, Ticket)>,
    /// The last save, and the last one that came whole.
    store: Value,
    whole: Value,
    /// The page was left while a run was on: the queue waits for the user.
    parked: bool,
    /// How many events of the last run were received when it had ended.
    finished: Option<usize>,
    /// A run was left to the server; how many of its events were received.
    left: Option<usize>,
    /// The same of one that was on when the page was left.
    lost: Option<usize>,
    /// A reload has cut the last run, which has not ended since.
    restored: bool,
    /// The page knows of its run no more than how far it was told.
    anew: bool,
    /// The last run had ended before the page was loaded anew.
    over: bool,
    /// How connections of the run have left the thread.
    ends: Vec<String>,
    /// The message of the chunks that came last.
    chunks: Option<String>,
    /// RUN_STARTED of the run was received.
    started: bool,
    /// Calls that the page has answered, and that a replay has yet to tell of: answers, whether errors, whether denials.
    untold: Vec<(String, String, Option<String>, bool)>,
    /// CUSTOM events, steps' checkpoints and tokens that must have been told since the page was loaded.
    customs: Vec<Value>,
    heard_customs: Vec<Value>,
    steps: Option<usize>,
    tokens: u64,
    /// How far each run was told, over all connections.
    told_to: BTreeMap<String, usize>,
    counted: BTreeMap<String, usize>,
    /// The server wants to be left alone until then.
    not_before: f64,
    run_id: String,
    thread: Thread,
    resumed: Option<Answers>,
    status: &'static str,
    outcome: Option<&'static str>,
    /// The server of the last run was not reached.
    unreached: bool,
    /// The page was notified that the snapshot is out of date; whether as urgent.
    told: Option<bool>,
    minted: usize,
    disposed: bool,
    /// Effects of the step.
    effects: usize,
    pub trace: Option<Vec<String>>,
}

/// Connections that a run may make: one that fails without a listener is waited for in vain.
const PER_RUN: u32 = 20;

pub fn options(plan: &Plan) -> Options {
    Options {
        thread_id: "t".into(),
        strict: plan.strict,
        // Its own steps are none of the schedule's: a long event is read ahead, and taken at once.
        long_event: if plan.hurries { 100 } else { usize::MAX },
        grace_ms: plan.grace_ms,
        max_queue: plan.max_queue,
        saves: plan.saves,
        network: Network {
            posts: plan.posts,
            per_minute: plan.per_minute,
            per_run: PER_RUN,
            queue_ms: plan.queue_ms,
            renew_headers: plan.renew,
            idle_ms: plan.idle_ms,
            seed: plan.seed,
            resume: plan.resume.map(|dialect| {
                let resume = match dialect {
                    Dialect::Id => Resume::by("last-event-id", None, None),
                    Dialect::Member => Resume::by("cursor", Some("seq"), Some("after")),
                    Dialect::Socket => Resume::by("socket-cursor", Some("seq"), Some("after")),
                    Dialect::RunUrl { .. } => Resume::by("run-url", None, None),
                    Dialect::Replay | Dialect::Thread => Resume::by("replay", None, None),
                    Dialect::Snapshot => Resume::by("snapshot", None, None),
                    Dialect::Prelude => Resume::by("prelude", None, None),
                    Dialect::Hydrate => Resume::by("hydrate", None, None),
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
            server: Server::new(&plan),
            lines: Vec::new(),
            asked: BTreeMap::new(),
            queue: Vec::new(),
            replacing: None,
            run: None,
            turn: None,
            handled: BTreeSet::new(),
            earlier: BTreeSet::new(),
            cut: BTreeSet::new(),
            executing: BTreeSet::new(),
            due: Due::default(),
            approved: None,
            first_shown: BTreeMap::new(),
            abandoned: Vec::new(),
            partial: Vec::new(),
            joined: Vec::new(),
            store: Value::Null,
            whole: Value::Null,
            parked: false,
            finished: None,
            left: None,
            lost: None,
            restored: false,
            unreached: false,
            anew: false,
            over: false,
            ends: Vec::new(),
            chunks: None,
            started: false,
            untold: Vec::new(),
            customs: Vec::new(),
            heard_customs: Vec::new(),
            steps: (!plan.resume.is_some_and(Dialect::stands)).then_some(0),
            tokens: 0,
            told_to: BTreeMap::new(),
            counted: BTreeMap::new(),
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
                // Now and then one that does not wait, or never did.
                let ticket = (which % (self.asked.len() + 2)) as Ticket;
                let name = self.asked.get(&ticket).map_or("none", |asked| &asked.name).to_owned();
                let ticket = self.named(&name);
                let working = self.is_working()
                    && ticket.is_some()
                    && self.turn.as_ref().is_some_and(|turn| turn.ticket == ticket);
                if working || self.run.as_ref().is_some_and(|run| Some(run.ticket) == ticket) {
                    self.stops();
                }
                self.say(|| format!("     cancel {name}: {ticket:?}"));
                self.give(|session, now| session.call("cancel", &name, now))?.map_err(|refused| refused.to_string())?;
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
            Step::EditMessages(which) => self.edit_messages(*which),
            Step::EditState(n) => self.edit_state(*n),
            Step::SetState(n) => {
                let mut state = self.thread.state.clone();
                match n % 3 {
                    0 => state = json!({"mine": n}),
                    1 => state["n"] = json!(n),
                    _ => state["mine"] = json!(n),
                }
                let json = state.to_string();
                if self.give(|session, _| session.set_state(&json))?.is_ok() {
                    self.thread.set_state(state);
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
                    (self.left, self.lost, self.anew, self.over, self.restored) = (None, None, false, false, false);
                    self.handled.clear();
                    self.cut.clear();
                    self.executing.clear();
                    self.untold.clear();
                    (self.status, self.outcome, self.resumed, self.tokens) = ("idle", None, None, 0);
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
