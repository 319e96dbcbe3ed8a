//! Tools in the page: what must become of calls, and the runs that follow on them.

use super::{Held, Start, World};
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
    manual: bool,
    follow_up: bool,
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

/// What the page offers with every submit.
pub fn tools() -> Value {
    json!([{"name": "now"}, {"name": "pay", "needsApproval": true}, {"name": "pick", "manual": true},
        {"name": "log", "followUp": false}])
}

impl World {
    pub(super) fn is_working(&self) -> bool {
        self.run.is_none()
            && self.turn.as_ref().is_some_and(|turn| turn.over.is_some() && turn.any(&[Stage::Executing]))
    }

    /// Whether the turn goes on by itself after a run that has ended so.
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
        // It is told again.
        if let Some(at) = self.untold.iter().position(|(call, ..)| call == id) {
            let (_, content, error, denied) = self.untold.remove(at);
            return self.thread.answer(id, &content, error, denied);
        }
        let phase = match self.page_call(id).map(|call| call.stage) {
            Some(Stage::Executing) => Some("executing"),
            Some(Stage::Waiting) => Some("awaiting-approval"),
            Some(Stage::Manual) => Some("input-available"),
            _ => None,
        };
        if let Some(phase) = phase {
            return self.set_phase(id, phase);
        }
        let Some(call) = self.thread.call(id).filter(|call| call.result.is_none()) else { return };
        let (stage, manual) = match call.name.as_str() {
            "pay" => (Stage::Waiting, false),
            "pick" => (Stage::Manual, true),
            "now" | "log" => (Stage::Executing, false),
            _ => return,
        };
        let follow_up = call.name != "log";
        let Some(turn) = self.turn.as_mut().filter(|_| self.plan.follow_ups.is_some()) else { return };
        if !self.handled.insert(id.to_owned()) {
            return;
        }
        turn.calls.push(PageCall { id: id.to_owned(), stage, manual, follow_up });
        match stage {
            Stage::Executing => self.executes(id),
            Stage::Waiting => self.set_phase(id, "awaiting-approval"),
            Stage::Manual | Stage::Done => {}
        }
    }

    pub(super) fn set_phase(&mut self, id: &str, phase: &'static str) {
        if let Some(call) = self.thread.call(id) {
            (call.phase, call.running) = (phase, true);
        }
    }

    fn executes(&mut self, id: &str) {
        self.set_phase(id, "executing");
        if self.run.is_none() && self.left.is_none() {
            (self.status, self.outcome) = ("running", None);
        }
        self.due.executes.push(id.to_owned());
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

    fn done(&mut self, id: &str, content: &str, error: bool, denied: bool) {
        if self.thread.call(id).is_none() {
            self.untold.push((id.to_owned(), content.to_owned(), error, denied));
        }
        self.thread.answer(id, content, error, denied);
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
            if !known {
                self.handled.insert(id.clone());
                if let Some(turn) = &mut self.turn {
                    turn.calls.push(PageCall { id: id.clone(), stage: Stage::Manual, manual: true, follow_up: true });
                }
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

    /// Whether a call can be answered still. If not, nobody waits for it any more.
    fn is_open(&mut self, id: &str) -> bool {
        let found = self.thread.call(id).map(|call| call.result.is_none());
        // Of a run that was left, or is told from its beginning, a replay may tell of it yet.
        let replays = self.run.as_ref().is_some_and(|run| run.replays && run.ended.is_none());
        let open = found.unwrap_or((self.left.is_some() || replays) && self.page_call(id).is_some());
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

    pub(super) fn approve(&mut self, which: usize, edited: bool) -> Held {
        let id = self.some_call(which, &[Stage::Waiting]);
        let args = format!("{{\"edited\":{which}}}");
        let mut input = json!({"toolCallId": id});
        if edited {
            input["args"] = serde_json::from_str(&args).unwrap();
        }
        let input = input.to_string();
        self.say(|| format!("     {input}"));
        let open = self.is_open(&id) && self.thread.call(&id).is_some();
        let call = self.page_call(&id).filter(|call| call.stage == Stage::Waiting && open);
        let counts = call.is_some();
        if let Some(call) = call {
            let manual = call.manual;
            call.stage = if manual { Stage::Manual } else { Stage::Executing };
            if let Some(call) = self.thread.call(&id).filter(|_| edited) {
                call.args = args;
            }
            match manual {
                true => self.set_phase(&id, "input-available"),
                false => self.executes(&id),
            }
            self.advance();
        }
        let counted = self.give(|session, now| session.approve(&input, now))?;
        self.expect_counted(counted, counts)
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
            self.set_phase(&id, "awaiting-approval");
            // Its function was not called yet.
            self.executing.remove(&id);
            self.advance();
        }
        let counted = self.give(|session, now| session.hold(&input, now))?;
        self.expect_counted(counted, counts)
    }

    /// A call was answered: where its run has ended, the turn may go on.
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

    /// Another submit begins: who was asked has gone on without an answer.
    pub(super) fn leave_turn(&mut self, start: &Start) {
        let Some(turn) = self.turn.take() else { return };
        for call in turn.calls.iter().filter(|call| call.stage != Stage::Done) {
            if call.stage == Stage::Executing {
                self.due.left.push(call.id.clone());
            }
            if !matches!(start, Start::Regenerate(_)) {
                self.thread.answer(&call.id, "The user went on without an answer.", true, true);
            }
        }
    }

    /// The turn has failed, or was stopped.
    pub(super) fn abandon_turn(&mut self) {
        let executing = self.open_calls(&[Stage::Executing]);
        self.due.abandons.extend(executing);
        self.turn = None;
    }
}
