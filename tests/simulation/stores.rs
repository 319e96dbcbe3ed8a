//! Sessions one after the other over one store that is slow, refuses or hangs: pages that crash, are left, fail or hand over.
//! A coarse world beside `world.rs`: it knows what was sent, executed and written, and not what each page shows.
//!
//! The page's part is played as `js/persistence/saving.ts` does it: saves are written in their order, nobody waits for ever, a page that
//! is left writes a last save, a core that fails is followed by one that begins with what the page knows, and only the owner
//! of the store has a session.

use super::plan::Plan;
use super::server::{End, Server};
use super::world::{Held, options};
use crate::support::SessionCalls;
use crate::support::streams::Random;
use crate::support::{Mirror, parse, whole};
use ag_ui_wasm::session::{Effect, Options, Session, Target};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        if !$holds {
            return Err(format!($($message)+));
        }
    };
}

/// The answer to a request that is open, and how much of it was delivered.
struct Line {
    request: u32,
    body: Vec<u8>,
    sent: usize,
    head: Option<(u16, &'static str)>,
    headed: bool,
    end: End,
}

struct Tabs {
    random: Random,
    plan: Plan,
    session: Option<Session>,
    mirror: Mirror,
    server: Server,
    lines: Vec<Line>,
    /// Calls that this page executes.
    executing: Vec<String>,
    /// The content of the store.
    store: Option<String>,
    /// Saves on their way, with their numbers.
    writes: VecDeque<(u32, String)>,
    /// The store answers within the call.
    prompt: bool,
    /// The last save that the page was given, and the last one that came whole.
    known: Option<String>,
    whole: Value,
    /// The one before, as long as nothing was sent or executed since.
    earlier: Option<String>,
    /// A save was refused, and none was written since: what the store has is old.
    behind: bool,
    sent: BTreeSet<String>,
    executed: BTreeSet<String>,
    /// Run ids and messages of submits that a save was written with.
    kept: BTreeMap<String, String>,
    asked: BTreeMap<String, String>,
    minted: usize,
    /// Runs that were cut.
    truncated: usize,
    now: f64,
    wake: Option<f64>,
    trace: Vec<String>,
}

/// Plays the schedule of a seed.
pub fn play(seed: u64) -> Held {
    let mut tabs = Tabs::new(seed);
    let held = tabs.play();
    held.map_err(|why| format!("{}\n\n{why}", tabs.trace.join("\n")))
}

impl Tabs {
    fn new(seed: u64) -> Self {
        let plan = Plan { posts: false, saves: true, reuses: false, ..Plan::new(seed) };
        let mut random = Random::new(seed ^ 0x5AFE);
        Self {
            prompt: random.one_in(3),
            random,
            session: None,
            mirror: Mirror::new(),
            server: Server::new(&plan),
            plan,
            lines: Vec::new(),
            executing: Vec::new(),
            store: None,
            writes: VecDeque::new(),
            known: None,
            whole: Value::Null,
            earlier: None,
            behind: false,
            sent: BTreeSet::new(),
            executed: BTreeSet::new(),
            kept: BTreeMap::new(),
            asked: BTreeMap::new(),
            minted: 0,
            truncated: 0,
            now: 1000.0,
            wake: None,
            trace: vec![format!("seed {seed}")],
        }
    }

    fn say(&mut self, line: String) {
        self.trace.push(line);
    }

    fn play(&mut self) -> Held {
        for _ in 0..20 + self.random.below(60) {
            if self.session.is_none() {
                self.open(None)?;
            }
            self.step()?;
        }
        self.leave()
    }

    /// A page that comes: with what the store has, or with what is given.
    fn open(&mut self, given: Option<String>) -> Held {
        let saved = given.or_else(|| self.store.clone());
        self.say(format!("open with {}", saved.as_deref().unwrap_or("nothing")));
        let long_event = if self.random.one_in(2) { 1 + self.random.below(300) } else { usize::MAX };
        self.session =
            Some(Session::new(Options { saves: true, long_event, ..options(&self.plan) }, None, None).unwrap());
        (self.mirror, self.wake, self.known, self.earlier) = (Mirror::new(), None, saved.clone(), None);
        self.lines.clear();
        self.executing.clear();
        let Some(saved) = saved else { return Ok(()) };
        let restored = self.act(|session, now| session.restore(&saved, now))?;
        ensure!(restored.is_ok(), "the save is refused: {restored:?}");
        // Calls that wait for people still wait, unless something was sent that answers them.
        let saved = parse(&saved);
        let ids = |list: &Value, key: &str| -> BTreeSet<String> {
            list.as_array().into_iter().flatten().filter_map(|item| Some(item[key].as_str()?.to_owned())).collect()
        };
        let asks = ids(&saved["interrupts"], "id");
        let open = ids(&self.mirror.0["interrupts"], "id");
        ensure!(self.mirror.0["status"] == "running" || asks == open, "{asks:?} were asked, and {open:?} are");
        for call in saved["turn"]["calls"].as_array().into_iter().flatten().filter(|call| call["stage"] == "waiting") {
            let calls = self.mirror.0["toolCalls"].as_array().unwrap();
            let shown = calls.iter().find(|shown| shown["id"] == call["id"]);
            let waits = shown.is_none_or(|shown| shown["phase"] == "awaiting-approval");
            // The snapshot may be newer than the save beside it: an answer that was there is there still.
            let messages = saved["messages"].as_array().unwrap();
            if messages.iter().any(|message| message["toolCallId"] == call["id"]) {
                ensure!(
                    shown.is_none_or(|shown| shown.get("result").is_some() && shown["phase"] != "awaiting-approval"),
                    "{call} is answered, and is {shown:?}"
                );
                continue;
            }
            ensure!(waits || self.mirror.0["status"] == "running", "{call} waited, and is {shown:?}");
        }
        Ok(())
    }

    /// Gives the session an input and does what follows.
    fn act<T>(&mut self, input: impl FnOnce(&mut Session, f64) -> T) -> Result<T, String> {
        let session = self.session.as_mut().unwrap();
        let result = input(session, self.now);
        self.perform()?;
        Ok(result)
    }

    fn perform(&mut self) -> Held {
        while let Some(effect) = self.session.as_mut().and_then(Session::poll_effect) {
            match effect {
                Effect::Open { request, target, body, run_id, cursor } => {
                    self.earlier = None;
                    let body = parse(&body);
                    self.say(format!("     → {target:?} {run_id}"));
                    let answer = match target {
                        Target::Run => {
                            let once = self.sent.insert(run_id.clone());
                            ensure!(once, "{run_id} is sent twice");
                            self.server.answer(&body, self.plan.strict, self.now)
                        }
                        Target::Again => self.server.answer(&body, self.plan.strict, self.now),
                        Target::Resume => {
                            let read =
                                cursor.and_then(|cursor| cursor.trim_start_matches('e').parse().ok()).unwrap_or(0);
                            self.server.resume(&run_id, read, read == 0, true)
                        }
                    };
                    let line = (answer.body, answer.head, answer.end);
                    let (body, head, end) = line;
                    self.lines.push(Line { request, body, sent: 0, head, headed: false, end });
                }
                Effect::Close { request } => {
                    let open = self.lines.iter().any(|line| line.request == request);
                    self.lines.retain(|line| line.request != request);
                    ensure!(open || self.session.is_some(), "{request} is closed, and was never open");
                }
                Effect::Execute { tool_call_id, .. } => {
                    self.earlier = None;
                    self.say(format!("     → execute {tool_call_id}"));
                    let once = self.executed.insert(tool_call_id.clone());
                    // Held for approval, a call begins anew in this page; here none is.
                    ensure!(once, "{tool_call_id} is executed twice");
                    self.executing.push(tool_call_id);
                }
                Effect::Settled { result, .. } => {
                    self.truncated += usize::from(parse(&result)["outcome"] == "truncated");
                }
                Effect::Abandon { tool_call_id } => self.executing.retain(|id| *id != tool_call_id),
                Effect::Wake { at } => self.wake = at,
                Effect::Save { number, save, part } => {
                    let session = self.session.as_ref().unwrap();
                    let save = whole(session, &mut self.whole, save, part)?;
                    self.earlier = self.known.replace(save.clone());
                    self.writes.push_back((number, save));
                    if self.prompt {
                        self.write()?;
                    }
                }
                _ => {}
            }
        }
        if let Some(patch) = self.session.as_mut().and_then(|session| session.take_patch(usize::MAX)) {
            self.mirror.apply(&patch);
        }
        Ok(())
    }

    /// The store has written the oldest of what is on its way.
    fn write(&mut self) -> Held {
        let Some((number, save)) = self.writes.pop_front() else { return Ok(()) };
        self.say(format!("     write {number}"));
        self.put(save)?;
        if self.session.is_some() {
            self.act(|session, now| session.saved(number, now))?;
        }
        Ok(())
    }

    fn put(&mut self, save: String) -> Held {
        let saved = parse(&save);
        let has = |list: &Value, key: &str, id: &str| list.as_array().unwrap().iter().any(|item| item[key] == *id);
        for (run, message) in &self.asked {
            let there = has(&saved["queue"], "runId", run) || has(&saved["messages"], "id", message);
            if there {
                self.kept.insert(run.clone(), message.clone());
            }
            ensure!(there || !self.kept.contains_key(run), "{run} was saved, and is lost in {save}");
        }
        self.store = Some(save);
        self.behind = false;
        Ok(())
    }

    fn step(&mut self) -> Held {
        match self.random.below(40) {
            0..6 => self.submit(),
            6..8 => {
                self.say("stop".into());
                self.act(Session::stop)
            }
            8..10 => self.person(),
            10..14 => self.settle(),
            14..22 => self.deliver(),
            22..30 => self.write(),
            30 | 31 => self.refuse(),
            32..34 => self.crash(),
            34 if self.random.one_in(2) => self.trap(),
            34 => self.dies(),
            35 => self.hand_over(),
            36 => self.leave(),
            37 => {
                let (mut input, run) = self.input();
                input.as_object_mut().unwrap().remove("runId");
                self.say(format!("attach as {run}"));
                self.act(|session, now| drop(session.attach(&input.to_string(), now)))
            }
            38 => {
                let (input, run) = self.input();
                self.say(format!("retry as {run}"));
                self.act(|session, now| drop(session.retry(&input.to_string(), now)))
            }
            _ => {
                self.now = self.wake.unwrap_or(self.now + 100.0).max(self.now);
                self.act(Session::tick)
            }
        }
    }

    fn input(&mut self) -> (Value, String) {
        self.minted += 1;
        let run = format!("r{}", self.minted);
        let mut input = json!({"runId": run});
        if let Some(limit) = self.plan.follow_ups {
            let tool = |name: &str, approval: bool| json!({"name": name, "needsApproval": approval});
            let all = self.plan.seed % 4 == 1;
            input["pageTools"] = json!([tool("now", all), tool("log", all), tool("pay", true)]);
            input["maxFollowUps"] = json!(limit);
        }
        (input, run)
    }

    fn submit(&mut self) -> Held {
        let (mut input, run) = self.input();
        let message = format!("u{}", self.minted);
        let seed = self.random.below(10_000);
        input["messages"] = json!([{"id": message, "role": "user", "content": format!("#{seed}")}]);
        let open = self.mirror.0["interrupts"].as_array().unwrap();
        let entry = |item: &Value| json!({"interruptId": item["id"], "status": "cancelled"});
        let resume: Vec<Value> = open.iter().map(entry).collect();
        if !resume.is_empty() && !self.random.one_in(3) {
            input["resume"] = json!(resume);
        }
        self.say(format!("submit {run}"));
        // It may be saved before the call returns.
        self.asked.insert(run.clone(), message);
        let accepted = self.act(|session, now| session.submit(&input.to_string(), now))?.is_ok();
        if !accepted {
            self.asked.remove(&run);
        }
        Ok(())
    }

    /// Somebody approves or denies a call that waits.
    fn person(&mut self) -> Held {
        let calls = self.mirror.0["toolCalls"].as_array().unwrap();
        // Beside a save that is older than what is shown, a call may have its answer already.
        let waits = |call: &&Value| call["phase"] == "awaiting-approval";
        let Some(id) = calls.iter().find(waits).map(|call| call["id"].clone()) else { return Ok(()) };
        let input = json!({"toolCallId": id}).to_string();
        let approves = self.random.one_in(2);
        self.say(format!("{} {id}", if approves { "approve" } else { "deny" }));
        self.act(|session, now| drop(if approves { session.approve(&input, now) } else { session.deny(&input, now) }))?;
        let calls = self.mirror.0["toolCalls"].as_array().unwrap();
        let waits = calls.iter().any(|call| call["id"] == id && call["phase"] == "awaiting-approval");
        ensure!(!waits, "{id} has been answered, and waits");
        Ok(())
    }

    fn settle(&mut self) -> Held {
        let Some(id) = self.executing.pop() else { return Ok(()) };
        self.say(format!("settle {id}"));
        let input = json!({"toolCallId": id, "result": 1}).to_string();
        self.act(|session, now| drop(session.settle_call(&input, now)))
    }

    fn deliver(&mut self) -> Held {
        let Some(line) = self.lines.last_mut() else { return Ok(()) };
        let request = line.request;
        let rest = line.body.len() - line.sent;
        if let (Some((status, kind)), false) = (line.head, line.headed) {
            line.headed = true;
            return self.act(|session, now| session.head(request, status, kind, None, now));
        }
        // A long event is read in steps, with anything in between. What comes then comes after it, and so does the end.
        let waits = self.session.as_ref().is_some_and(Session::waits);
        if waits && !self.random.one_in(4) {
            let bytes = 1 + self.random.below(100);
            return self.act(|session, now| _ = session.go_on(request, bytes, now));
        }
        if line.headed && rest > 0 {
            let count = if self.random.one_in(2) { rest } else { 1 + self.random.below(rest) };
            let bytes = line.body[line.sent..line.sent + count].to_vec();
            line.sent += count;
            if self.random.one_in(3) {
                return self.act(|session, now| session.bytes(request, &bytes, now));
            }
            return self.act(|session, now| session.read(request, &bytes, now));
        }
        let line = self.lines.pop().unwrap();
        let body = String::from_utf8_lossy(&line.body).into_owned();
        let last = body.strip_suffix("\n\n").and_then(|body| body.rsplit("\n\n").next()).unwrap_or_default();
        let terminal = last.contains("\"RUN_FINISHED\"") || last.contains("\"RUN_ERROR\"");
        if let End::Closes = line.end {
            let settled = self.truncated;
            self.act(|session, now| session.end(request, now))?;
            ensure!(!waits || !terminal || self.truncated == settled, "the run has ended, and is truncated: {body}");
            return Ok(());
        }
        self.act(|session, now| session.failed(request, "reset", now))
    }

    /// The store refuses the oldest save, or hangs over it: what waits for it waits no longer.
    fn refuse(&mut self) -> Held {
        let Some((number, _)) = self.writes.pop_front() else { return Ok(()) };
        self.say(format!("     refuse {number}"));
        self.behind = true;
        self.act(|session, now| session.saved(number, now))
    }

    /// The page is gone, and with it what was on its way into the store; or that arrives all the same.
    fn crash(&mut self) -> Held {
        // Of what no store has heard, no page can know.
        if self.behind {
            return Ok(());
        }
        self.say("crash".into());
        self.session = None;
        let arrives = self.random.one_in(2);
        for (_, save) in std::mem::take(&mut self.writes) {
            if arrives {
                self.put(save)?;
            }
        }
        Ok(())
    }

    /// The page is left, and writes a last save.
    fn leave(&mut self) -> Held {
        let Some(session) = &mut self.session else { return Ok(()) };
        let save = session.save();
        session.dispose(self.now);
        while let Some(effect) = session.poll_effect() {
            ensure!(!matches!(effect, Effect::Save { .. }), "a session that was disposed of is saved");
        }
        self.say("dispose".into());
        self.session = None;
        for (_, save) in std::mem::take(&mut self.writes).into_iter().chain([(0, save)]) {
            self.put(save)?;
        }
        Ok(())
    }

    /// Another tab asks for the store: whoever is idle lets go.
    fn hand_over(&mut self) -> Held {
        if self.mirror.0["status"] == "running" {
            return Ok(());
        }
        self.say("another tab".into());
        self.leave()
    }

    /// The core fails; the next one begins with the last save that the page was given, and with what is shown. That save may
    /// be of before what is shown: the core has failed before it has handed over the next one.
    fn trap(&mut self) -> Held {
        self.say("trap".into());
        self.session = None;
        self.lines.clear();
        self.executing.clear();
        let Some(known) = self.known.clone() else { return Ok(()) };
        let asked = |save: &str| ["runId", "queue"].map(|name| parse(save)[name].clone());
        let earlier = self.earlier.take().filter(|earlier| asked(earlier) == asked(&known));
        self.begin_again(&earlier.unwrap_or(known))
    }

    /// The worker that has the session ends, at any point. The page holds what the session was when it heard of it last, and
    /// begins the next one with that: nobody is asked less than before, and nothing that waits is lost.
    fn dies(&mut self) -> Held {
        self.say("the worker dies".into());
        let Some(session) = self.session.take() else { return Ok(()) };
        let held = session.save();
        self.lines.clear();
        self.executing.clear();
        let shown = self.mirror.0.clone();
        self.begin_again(&held)?;
        let list = |name: &str| shown[name].as_array().cloned().unwrap_or_default();
        let now = |name: &str, key: &str, value: &Value| {
            self.mirror.0[name].as_array().and_then(|list| list.iter().find(|item| item[key] == *value)).cloned()
        };
        // The interrupts of a run in progress are that run's to repeat; and a run that begins now is the answer.
        let runs = [&shown, &self.mirror.0].iter().any(|of| of["status"] == "running");
        for call in list("toolCalls").iter().filter(|call| call["phase"] == "awaiting-approval") {
            let waits = now("toolCalls", "id", &call["id"]).is_some_and(|call| call["phase"] == "awaiting-approval");
            ensure!(waits || runs, "{call} waited for somebody, and is forgotten");
        }
        for interrupt in list("interrupts") {
            let open = now("interrupts", "id", &interrupt["id"]).is_some();
            ensure!(open || runs, "{interrupt} was open, and is forgotten");
        }
        for submit in list("queue") {
            let run = submit["runId"].as_str().unwrap_or_default();
            // Or it has begun, and is sent as soon as that is saved.
            let begun = self.known.as_deref().is_some_and(|known| parse(known)["runId"] == run);
            let kept = now("queue", "runId", &submit["runId"]).is_some() || begun || self.sent.contains(run);
            ensure!(kept, "{submit} waited, and is lost");
        }
        Ok(())
    }

    /// The next session: what the page shows, and beside it what it was given.
    fn begin_again(&mut self, known: &str) -> Held {
        let mut saved = parse(known);
        let shown = &self.mirror.0;
        saved["messages"] = shown["messages"].clone();
        saved["state"] = shown["state"].clone();
        saved["interrupts"] = shown["interrupts"].clone();
        let calls = shown["toolCalls"].as_array().unwrap().iter().map(|call| call["id"].clone());
        let mut handled: Vec<Value> = saved["handled"].as_array().unwrap().iter().cloned().chain(calls).collect();
        handled.dedup();
        saved["handled"] = json!(handled);
        self.writes.clear();
        let save = saved.to_string();
        self.put(save.clone())?;
        self.open(Some(save))
    }
}
