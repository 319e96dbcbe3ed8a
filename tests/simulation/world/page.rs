//! Tools in the page: what must become of calls, and the runs that follow on them.

use super::{Held, World};
use ag_ui_wasm::session::Ticket;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Executing,
    /// For somebody who approves.
    Waiting,
    /// For somebody who answers.
    Manual,
    Done,
}

#[derive(Debug, Clone)]
pub struct PageCall {
    pub id: String,
    pub stage: Stage,
    follow_up: bool,
    /// The call when it was taken up, or approved.
    what: (String, String),
}

/// Where a call of a tool of the page begins, and whether a run follows on it.
fn tool(name: &str) -> Option<(Stage, bool)> {
    Some(match name {
        "pay" => (Stage::Waiting, true),
        "pick" => (Stage::Manual, true),
        "now" => (Stage::Executing, true),
        "log" => (Stage::Executing, false),
        _ => return None,
    })
}

/// A submit's run with those that follow on its calls.
#[derive(Debug)]
pub struct Turn {
    /// Until it is settled.
    pub ticket: Option<Ticket>,
    pub run_id: String,
    pub follow_ups: usize,
    pub calls: Vec<PageCall>,
    /// How its last run has ended, if well.
    pub over: Option<&'static str>,
}

impl Turn {
    pub fn any(&self, stages: &[Stage]) -> bool {
        self.calls.iter().any(|call| stages.contains(&call.stage))
    }

    fn follows(&self) -> bool {
        self.calls.iter().all(|call| call.stage == Stage::Done) && self.calls.iter().any(|call| call.follow_up)
    }
}

/// Whether two calls, by name and arguments, are the same: arguments are a value, however they are written.
fn same((name, args): &(String, String), (other, others): &(String, String)) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(if text.trim().is_empty() { "{}" } else { text }).ok();
    name == other && (args == others || value(args).is_some_and(|value_of| value(others) == Some(value_of)))
}

/// The tools that the page offers with every submit.
pub fn tools() -> Value {
    json!([{"name": "now"}, {"name": "pay", "needsApproval": true}, {"name": "pick", "manual": true},
        {"name": "log", "followUp": false}])
}

impl World {
    pub(super) fn is_working(&self) -> bool {
        self.run.is_none()
            && self.turn.as_ref().is_some_and(|turn| turn.over.is_some() && turn.any(&[Stage::Executing]))
    }

    /// Whether the turn continues by itself after a run that has ended so.
    pub(super) fn goes_on(&self, outcome: &str) -> bool {
        let Some(turn) = &self.turn else { return false };
        let follows = turn.follows() && turn.follow_ups < self.plan.follow_ups.unwrap_or(8);
        match outcome {
            "success" => turn.any(&[Stage::Executing]) || follows,
            "interrupted" => turn.any(&[Stage::Executing]),
            _ => false,
        }
    }

    pub(super) fn open_calls(&self, stages: &[Stage]) -> Vec<String> {
        let calls = self.turn.iter().flat_map(|turn| &turn.calls);
        calls.filter(|call| stages.contains(&call.stage)).map(|call| call.id.clone()).collect()
    }

    fn page_call(&mut self, id: &str) -> Option<&mut PageCall> {
        self.turn.as_mut()?.calls.iter_mut().find(|call| call.id == id && call.stage != Stage::Done)
    }

    /// A call's arguments are complete. Each call that is the page's becomes so once.
    pub(super) fn call_ready(&mut self, id: &str) {
        if self.told_again(id) {
            return;
        }
        let Some(call) = self.thread.call(id).filter(|call| call.result.is_none()) else { return };
        let what = (call.name.clone(), call.args.clone());
        let Some((stage, follow_up)) = tool(&call.name) else { return };
        let Some(turn) = self.turn.as_mut().filter(|_| self.plan.follow_ups.is_some()) else { return };
        if self.handled.contains(id) {
            return;
        }
        turn.calls.push(PageCall { id: id.to_owned(), stage, follow_up, what });
        self.enter(id, stage);
    }

    pub(super) fn stage_of(&self, id: &str) -> Option<Stage> {
        let mut calls = self.turn.iter().flat_map(|turn| &turn.calls);
        calls.find(|call| call.id == id).map(|call| call.stage).filter(|stage| *stage != Stage::Done)
    }

    fn enter(&mut self, id: &str, stage: Stage) {
        match stage {
            Stage::Executing => self.executes(id),
            Stage::Waiting => self.set_phase(id, "awaiting-approval"),
            Stage::Manual => self.set_phase(id, "input-available"),
            Stage::Done => {}
        }
    }

    /// A call that is replayed, perhaps as another one.
    fn told_again(&mut self, id: &str) -> bool {
        let answered = self.thread.call(id).map(|call| call.result.is_some());
        let untold = self.untold.iter().position(|(call, ..)| call == id);
        if let (Some(answered), Some(at)) = (answered, untold) {
            let (_, content, error, denied) = self.untold.remove(at);
            if !answered {
                self.thread.answer(id, &content, error.as_deref(), denied);
            }
            return true;
        }
        let Some(stage) = self.page_call(id).map(|call| call.stage) else { return false };
        if answered == Some(false) {
            self.take_up(id, stage);
        }
        true
    }

    fn take_up(&mut self, id: &str, stage: Stage) {
        let Some(call) = self.thread.call(id) else { return };
        let what = (call.name.clone(), call.args.clone());
        let tool = tool(&what.0).filter(|_| self.plan.follow_ups.is_some());
        let Some(call) = self.page_call(id) else { return };
        let changed = !same(&std::mem::replace(&mut call.what, what.clone()), &what);
        call.follow_up = tool.map_or(call.follow_up, |(_, follow_up)| follow_up);
        match (stage, tool) {
            (Stage::Executing, _) => self.set_phase(id, "executing"),
            (Stage::Waiting, _) => self.set_phase(id, "awaiting-approval"),
            // One of another kind of tool was renamed, before a reload perhaps.
            (Stage::Manual, Some((stage, _))) if changed || stage != Stage::Manual => {
                call.stage = stage;
                self.enter(id, stage);
            }
            (Stage::Manual, _) => self.set_phase(id, "input-available"),
            (Stage::Done, _) => {}
        }
    }

    /// A list of messages has come.
    pub(super) fn review(&mut self) {
        self.untold.append(&mut self.thread.orphans);
        let mut ids = self.open_calls(&[Stage::Executing, Stage::Waiting, Stage::Manual]);
        let mut rewritten = std::mem::take(&mut self.thread.rewritten);
        // A message that the server is writing anew was not changed by the list.
        ids.retain(|id| rewritten.contains(id) || !self.is_told(id));
        ids.append(&mut rewritten);
        for id in ids {
            self.told_again(&id);
        }
    }

    /// Whether the server is telling of a call of the page: its arguments stream, or it has another name or other ones than
    /// when it was taken up.
    fn is_told(&mut self, id: &str) -> bool {
        let Some(call) = self.thread.call(id) else { return false };
        let (what, streams) = ((call.name.clone(), call.args.clone()), call.phase == "input-streaming");
        self.page_call(id).is_some_and(|call| streams || call.what != what)
    }

    /// A page that was loaded anew takes its calls as the thread has them, also one that the server was starting again.
    pub(super) fn rebinds(&mut self) {
        for call in self.turn.iter_mut().flat_map(|turn| &mut turn.calls) {
            if let Some(now) = self.thread.call(&call.id) {
                call.what = (now.name.clone(), now.args.clone());
            }
        }
    }

    /// The run has ended: calls that are not in the thread are nobody's.
    pub(super) fn drop_gone_calls(&mut self) {
        let ids: Vec<String> = self.turn.iter().flat_map(|turn| &turn.calls).map(|call| call.id.clone()).collect();
        for id in &ids {
            if self.thread.call(id).is_some() {
                continue;
            }
            if self.stage_of(id) == Some(Stage::Executing) {
                self.cut.insert(id.clone());
            }
            self.answered_elsewhere(id);
            let calls = self.turn.iter_mut().flat_map(|turn| &mut turn.calls);
            calls.filter(|call| call.id == *id).for_each(|call| call.follow_up = false);
        }
    }

    pub(super) fn set_phase(&mut self, id: &str, phase: &'static str) {
        if let Some(call) = self.thread.call(id) {
            (call.phase, call.running) = (phase, true);
        }
    }

    fn executes(&mut self, id: &str) {
        self.handled.insert(id.to_owned());
        let args = self.thread.call(id).map(|call| call.args.clone()).unwrap_or_default();
        if !args.trim().is_empty() && serde_json::from_str::<Value>(&args).is_err() {
            return self.done(id, "The arguments are not JSON.", true, false);
        }
        self.set_phase(id, "executing");
        if self.run.is_none() && self.left.is_none() {
            (self.status, self.outcome) = ("running", None);
        }
        let Some(call) = self.thread.call(id) else { return };
        self.due.executes.push((id.to_owned(), call.name.clone(), call.args.clone()));
    }

    /// The server has answered it itself.
    pub(super) fn answered_elsewhere(&mut self, id: &str) {
        let Some(call) = self.page_call(id) else { return };
        call.follow_up = false;
        if std::mem::replace(&mut call.stage, Stage::Done) == Stage::Executing {
            self.due.abandons.push(id.to_owned());
        }
    }

    /// The server has answered some, and says so with the list of messages.
    pub(super) fn answered_by_snapshot(&mut self) {
        for id in self.open_calls(&[Stage::Executing, Stage::Waiting, Stage::Manual]) {
            if self.thread.call(&id).is_some_and(|call| call.result.is_some()) {
                self.answered_elsewhere(&id);
            }
        }
    }

    pub(super) fn done(&mut self, id: &str, content: &str, error: bool, denied: bool) {
        if self.thread.call(id).is_none() {
            self.untold.push((id.to_owned(), content.to_owned(), error.then(|| content.to_owned()), denied));
        }
        self.handled.insert(id.to_owned());
        self.thread.answer(id, content, error.then_some(content), denied);
        if let Some(call) = self.page_call(id) {
            call.stage = Stage::Done;
        }
    }

    /// The page's tool is done, or somebody answers by hand: also calls that nobody waits for, and some that never were.
    pub(super) fn settle(&mut self, which: usize, any: bool, fails: bool) -> Held {
        let mut ids = match any {
            false => self.open_calls(&[Stage::Executing]),
            true => self.thread.messages.iter().flat_map(|m| &m.calls).map(|call| call.id.clone()).collect(),
        };
        if any {
            ids.push("never".into());
        }
        let Some(id) = ids.get(which % ids.len().max(1)).cloned() else { return Ok(()) };
        let content = format!("{} {which}", if fails { "failed" } else { "done" });
        let input = json!({"toolCallId": id, if fails { "error" } else { "result" }: content}).to_string();
        self.say(|| format!("     {input}"));
        let known = self.page_call(&id).is_some();
        let handled = self.handled.contains(&id);
        let counts = self.is_open(&id) && (known || !handled) && !self.disposed;
        if counts {
            if !known && let Some(turn) = &mut self.turn {
                turn.calls.push(PageCall {
                    id: id.clone(),
                    stage: Stage::Manual,
                    follow_up: true,
                    what: Default::default(),
                });
            }
            self.done(&id, &content, fails, false);
            self.advance();
        }
        let counted = self.give(|session, now| session.settle_call(&input, now))?;
        self.expect_counted(counted, counts)
    }

    fn expect_counted(&mut self, counted: Result<bool, ag_ui_wasm::session::Misuse>, counts: bool) -> Held {
        self.say(|| format!("     counts: {counts}"));
        if self.disposed {
            ensure!(counted.is_err(), "after dispose it is {counted:?}");
        } else {
            ensure!(counted == Ok(counts), "whether it counts is {counted:?}, not {counts}");
        }
        self.perform()
    }

    /// Whether a call can be answered still. If not, nobody waits for it.
    fn is_open(&mut self, id: &str) -> bool {
        let found = self.thread.call(id).map(|call| call.result.is_none());
        // A run in progress may tell of it yet, or again.
        let on = self.left.is_some() || self.run.as_ref().is_some_and(|run| run.ended.is_none());
        let open = found.unwrap_or(on && self.page_call(id).is_some());
        if !open && let Some(call) = self.page_call(id) {
            (call.stage, call.follow_up) = (Stage::Done, false);
            self.advance();
        }
        open
    }

    /// One of the calls in these stages, or now and then one that is not.
    fn some_call(&self, which: usize, stages: &[Stage]) -> String {
        let ids = self.open_calls(stages);
        let ids = if ids.is_empty() { self.handled.iter().cloned().collect() } else { ids };
        ids.get(which % ids.len().max(1)).cloned().unwrap_or_else(|| "never".into())
    }

    /// A person approves what the page shows, what it has shown first, or what the last patch said.
    pub(super) fn approve(&mut self, which: usize, edited: bool) -> Held {
        let id = self.some_call(which, &[Stage::Waiting]);
        let args = format!("{{\"edited\":{which}}}");
        let mut input = json!({"toolCallId": id});
        if edited {
            input["args"] = serde_json::from_str(&args).unwrap();
        }
        let shown = self.shown_call(&id);
        let first = self.first_shown.get(&id).cloned();
        let seen = match which % 3 {
            // A twin is shown nothing.
            0 if self.twin.is_none() => shown.clone(),
            0 | 1 => shown.clone().inspect(|(name, args)| input["seen"] = json!({"name": name, "argsText": args})),
            _ => first.inspect(|(name, args)| input["seen"] = json!({"name": name, "argsText": args})),
        };
        let input = input.to_string();
        self.say(|| format!("     {input}"));
        let counted = self.give(|session, now| session.approve(&input, now))?;
        if self.disposed {
            return self.expect_counted(counted, false);
        }
        let waits = self.is_open(&id) && self.page_call(&id).is_some_and(|call| call.stage == Stage::Waiting);
        let call = self.thread.call(&id).map(|call| (call.name.clone(), call.args.clone()));
        let same = match (&call, &seen) {
            (Some((name, _)), Some((seen, _))) if edited && input.contains("\"seen\"") => name == seen,
            (Some(call), Some(seen)) => same(call, seen),
            _ => false,
        };
        let counts = counted == Ok(true);
        if counts {
            ensure!(waits && same, "{call:?} is approved, but {seen:?} was shown");
        } else if waits {
            // A call that changed and changed back without being shown may be asked again.
            ensure!(!same || !input.contains("\"seen\""), "{call:?} was shown and approved, and does not count");
            self.take_up(&id, Stage::Waiting);
        }
        if let (true, Some((name, own))) = (counts, call) {
            if let Some(call) = self.thread.call(&id).filter(|_| edited) {
                call.args.clone_from(&args);
            }
            let what = (name.clone(), if edited { args } else { own });
            self.approved = Some((id.clone(), what.0.clone(), what.1.clone()));
            let tool = tool(&name);
            if let Some(call) = self.page_call(&id) {
                call.what = what;
                call.follow_up = tool.map_or(call.follow_up, |(_, follow_up)| follow_up);
                call.stage = if name == "pick" { Stage::Manual } else { Stage::Executing };
            }
            match name.as_str() {
                "pick" => self.set_phase(&id, "input-available"),
                _ if tool.is_none() => self.done(&id, &format!("The page has no tool {name}."), true, false),
                _ => self.executes(&id),
            }
            self.advance();
        }
        self.expect_counted(counted, counts)
    }

    /// Name and arguments of a call as the page shows them.
    fn shown_call(&self, id: &str) -> Option<(String, String)> {
        let calls = self.mirror.0["toolCalls"].as_array()?;
        let call = calls.iter().find(|call| call["id"] == id)?;
        Some((call["name"].as_str()?.to_owned(), call["argsText"].as_str()?.to_owned()))
    }

    pub(super) fn deny(&mut self, which: usize) -> Held {
        let id = self.some_call(which, &[Stage::Waiting, Stage::Manual]);
        let input = json!({"toolCallId": id, "reason": "no"}).to_string();
        self.say(|| format!("     {input}"));
        let counts = self.is_open(&id) && self.page_call(&id).is_some_and(|call| call.stage != Stage::Executing);
        if counts {
            self.done(&id, "no", true, true);
            self.advance();
        }
        let counted = self.give(|session, now| session.deny(&input, now))?;
        self.expect_counted(counted, counts)
    }

    pub(super) fn hold(&mut self, which: usize) -> Held {
        let id = self.some_call(which, &[Stage::Executing]);
        let input = json!({"toolCallId": id}).to_string();
        self.say(|| format!("     {input}"));
        let open = self.is_open(&id);
        let call = self.page_call(&id).filter(|call| call.stage == Stage::Executing && open);
        let counts = call.is_some();
        if let Some(call) = call {
            call.stage = Stage::Waiting;
            self.handled.remove(&id);
            self.set_phase(&id, "awaiting-approval");
            // Its function was not called yet.
            self.executing.remove(&id);
            self.advance();
        }
        let counted = self.give(|session, now| session.hold(&input, now))?;
        self.expect_counted(counted, counts)
    }

    /// A call was answered: where its run has ended, the turn may continue.
    fn advance(&mut self) {
        let executes = self.turn.as_ref().is_some_and(|turn| turn.any(&[Stage::Executing]));
        match self.run.as_ref().map(|run| run.ended.is_some()) {
            None => self.between_runs(),
            Some(true) if !executes => self.due.closes = true,
            Some(_) => {}
        }
    }

    /// Its last run has ended well, and its request is over.
    pub(super) fn between_runs(&mut self) {
        let limit = self.plan.follow_ups.unwrap_or(8);
        let Some(turn) = &mut self.turn else { return };
        let Some(outcome) = turn.over.filter(|_| !turn.any(&[Stage::Executing])) else { return };
        let people = turn.any(&[Stage::Waiting, Stage::Manual]);
        if !people && outcome == "success" && turn.follows() && turn.follow_ups < limit {
            self.due.follow_up = true;
            return;
        }
        if let Some(ticket) = turn.ticket.take() {
            self.due.settles.push((ticket, outcome));
        }
        if self.status == "running" {
            (self.status, self.outcome) = ("idle", Some(outcome));
        }
        if !people {
            self.turn = None;
        }
    }

    /// The run that a reload has cut is over: what nobody is at work on has failed.
    pub(super) fn give_up_restored(&mut self) {
        let page = self.open_calls(&[Stage::Executing, Stage::Waiting, Stage::Manual]);
        self.thread.give_up(&page);
    }

    /// Calls that runs have left open have failed, and the agent is told.
    pub(super) fn answer_left_open(&mut self) {
        let page = |name: &str| tool(name).is_some() && self.plan.follow_ups.is_some();
        let calls = self.thread.messages.iter().flat_map(|message| &message.calls);
        let failed = calls.filter(|call| call.phase == "output-error" && call.result.is_none() && page(&call.name));
        let failed: Vec<String> = failed.map(|call| call.id.clone()).collect();
        for id in failed {
            let reason = "The run ended before the call was answered.";
            self.thread.answer(&id, reason, Some(reason), false);
        }
    }

    /// Another submit begins: who was asked has continued without an answer.
    pub(super) fn leave_turn(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        for call in turn.calls.iter().filter(|call| call.stage != Stage::Done) {
            if call.stage == Stage::Executing {
                self.due.left.push(call.id.clone());
            }
            let reason = "The user continued without answering.";
            self.thread.answer(&call.id, reason, Some(reason), true);
        }
    }

    /// The turn has failed, or was stopped.
    pub(super) fn abandon_turn(&mut self) {
        let executing = self.open_calls(&[Stage::Executing]);
        self.cut.extend(executing.iter().cloned());
        self.due.abandons.extend(executing);
        self.turn = None;
    }
}
