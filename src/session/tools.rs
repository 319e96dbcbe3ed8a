//! Tools in the page: calls that the page executes, or that people approve or answer, and the runs that follow on them.
//!
//! ```text
//!                      needsApproval          approve                 settle_call
//! arguments complete ───────────────► waiting ────────┐          ┌──────────────► done
//!        │                              │ deny         ▼          │
//!        ├──────────────────────────────┼────────► executing ─────┤
//!        │ no execute                   ▼                         │ stop, failed run: abandoned
//!        └─► a person answers ────────► done                      └──────────────► done
//! ```
//!
//! A turn is a run with the runs that follow on its calls. It goes on by itself while the page executes; where it waits for
//! people its submit is settled, and it goes on once all have answered. A call is executed once, whatever is replayed.

use super::run::{Outcome, Run};
use super::submit::{Misuse, Start, Submit, Ticket};
use super::{Effect, Session, Status};
use crate::dialect;
use crate::thread::{At, CallPhase, LocalAnswer, Warning};
use crate::wire::{Fields, JsonWriter, Raw, keep_private};

/// A tool that the page has.
#[derive(Debug, Clone)]
pub(super) struct PageTool {
    name: String,
    /// The page has no function for it: a person answers.
    manual: bool,
    needs_approval: bool,
    /// Whether its result is worth another run.
    follow_up: bool,
}

impl PageTool {
    /// Reads `pageTools`: `[{name, manual?, needsApproval?, followUp?}]`.
    pub fn read_all(input: &Fields<'_>) -> Vec<Self> {
        let list = input.some("pageTools").and_then(Raw::array).unwrap_or_default();
        let tool = |raw: Raw<'_>| {
            let fields = raw.object()?;
            let is = |name: &str| fields.get(name).and_then(Raw::boolean);
            Some(Self {
                name: fields.get("name")?.string()?.into_owned(),
                manual: is("manual") == Some(true),
                needs_approval: is("needsApproval") == Some(true),
                follow_up: is("followUp") != Some(false),
            })
        };
        list.into_iter().filter_map(tool).collect()
    }
}

impl PageTool {
    /// As [`Self::read_all`] reads it.
    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("name", &self.name);
        for (name, is) in
            [("manual", self.manual), ("needsApproval", self.needs_approval), ("followUp", self.follow_up)]
        {
            object.member(name).push_str(if is { "true" } else { "false" });
        }
        object.close();
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Executing,
    /// For somebody who approves.
    Waiting,
    /// For somebody who answers.
    Manual,
    Done,
}

#[derive(Debug)]
struct PageCall {
    id: String,
    manual: bool,
    stage: Stage,
    follow_up: bool,
}

/// A submit's run, with the runs that follow on its calls.
#[derive(Debug)]
pub(super) struct Turn {
    /// Until it is settled.
    ticket: Option<Ticket>,
    /// The submit, for the runs that follow: without its messages.
    again: Submit,
    follow_ups: u32,
    calls: Vec<PageCall>,
    /// The last run, once it has ended well.
    last: Option<Run>,
}

impl Turn {
    pub fn new(submit: &Submit) -> Self {
        let again = submit.to_follow();
        Self { ticket: Some(submit.ticket), again, follow_ups: 0, calls: Vec::new(), last: None }
    }

    /// Whether this submit is of the turn.
    pub fn is(&self, ticket: Ticket) -> bool {
        self.ticket == Some(ticket)
    }

    /// Whether this run follows on the turn's calls.
    pub fn is_followed_by(&self, submit: &Submit) -> bool {
        self.is(submit.ticket) && self.follow_ups > 0
    }

    /// The run is left to the server; what the page executes goes on.
    pub fn leave(&mut self) {
        self.ticket = None;
    }

    /// Takes on who joins the run that was left, if they do.
    pub fn is_joined_by(&mut self, submit: &Submit) -> bool {
        let joins = submit.start == Start::Attach;
        if joins {
            self.ticket = Some(submit.ticket);
        }
        joins
    }

    fn any(&self, stages: &[Stage]) -> bool {
        self.calls.iter().any(|call| stages.contains(&call.stage))
    }

    fn call(&mut self, id: &str) -> Option<&mut PageCall> {
        self.calls.iter_mut().rev().find(|call| call.id == id && call.stage != Stage::Done)
    }

    /// Whether the page or its people have calls to answer, so that the turn is worth saving.
    pub fn waits(&self) -> bool {
        self.calls.iter().any(|call| call.stage != Stage::Done)
    }

    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        self.again.save(object.member("run"));
        object.number("followUps", Some(u64::from(self.follow_ups)));
        let mut calls = JsonWriter::array(object.member("calls"));
        for call in &self.calls {
            let mut object = JsonWriter::object(calls.item());
            object.string("id", &call.id);
            let stage = match call.stage {
                Stage::Executing => "executing",
                Stage::Waiting => "waiting",
                Stage::Manual => "manual",
                Stage::Done => "done",
            };
            object.string("stage", stage);
            for (name, is) in [("manual", call.manual), ("followUp", call.follow_up)] {
                object.member(name).push_str(if is { "true" } else { "false" });
            }
            object.close();
        }
        calls.close();
        object.close();
    }

    pub fn restore(fields: &Fields<'_>, depth: usize) -> Option<Self> {
        let again = Submit::restore(fields.get("run")?, depth).ok()?;
        let call = |raw: Raw<'_>| {
            let fields = raw.object()?;
            let is = |name: &str| fields.get(name).and_then(Raw::boolean);
            let stage = match fields.get("stage")?.string()?.as_ref() {
                "executing" => Stage::Executing,
                "waiting" => Stage::Waiting,
                "manual" => Stage::Manual,
                _ => Stage::Done,
            };
            let id = fields.get("id")?.string()?.into_owned();
            Some(PageCall { id, manual: is("manual")?, stage, follow_up: is("followUp")? })
        };
        let calls: Option<Vec<PageCall>> = fields.get("calls")?.array()?.into_iter().map(call).collect();
        let follow_ups = fields.get("followUps").and_then(Raw::whole)? as u32;
        Some(Self { ticket: None, again, follow_ups, calls: calls?, last: None })
    }

    /// Whether another run follows as soon as this one has ended.
    fn follows(&self) -> bool {
        self.calls.iter().all(|call| call.stage == Stage::Done) && self.calls.iter().any(|call| call.follow_up)
    }
}

const RELOADED: &str = "The page was left before the tool was done.";
const WENT_ON: &str = "The user went on without an answer.";
const DENIED: &str = "The user has denied this call.";

impl Session {
    /// Whether the page is at work between two runs.
    pub(super) fn is_working(&self) -> bool {
        self.run.is_none()
            && self.turn.as_ref().is_some_and(|turn| turn.last.is_some() && turn.any(&[Stage::Executing]))
    }

    /// Whether the turn goes on by itself after a run that has ended so.
    pub(super) fn goes_on(&self, outcome: Outcome) -> bool {
        let follows = |turn: &Turn| turn.follows() && turn.follow_ups < turn.again.max_follow_ups;
        self.turn.as_ref().is_some_and(|turn| match outcome {
            Outcome::Success => turn.any(&[Stage::Executing]) || follows(turn),
            Outcome::Interrupted => turn.any(&[Stage::Executing]),
            _ => false,
        })
    }

    /// The calls that the page or its people have still to answer.
    pub(super) fn page_calls(&self) -> impl Iterator<Item = String> {
        let calls = self.turn.iter().flat_map(|turn| &turn.calls);
        calls.filter(|call| call.stage != Stage::Done).map(|call| call.id.clone())
    }

    /// The arguments of a call are complete. If it is one of the page's, it begins; but never twice.
    pub(super) fn call_ready(&mut self, id: &str) {
        if self.told_again(id) {
            return;
        }
        let Some((name, args, answered)) = self.thread.call(id) else { return };
        let tools = self.turn.iter().flat_map(|turn| &turn.again.page_tools);
        let Some(tool) = tools.into_iter().find(|tool| tool.name == name).cloned() else { return };
        let withheld = self.dialect.as_deref().is_some_and(|dialect| dialect.withholds(&args));
        if answered || withheld || self.handled.contains_key(id) {
            return;
        }
        self.handled.insert(id.to_owned(), At::default());
        let stage = match &tool {
            PageTool { needs_approval: true, .. } => Stage::Waiting,
            PageTool { manual: true, .. } => Stage::Manual,
            _ => Stage::Executing,
        };
        let PageTool { manual, follow_up, .. } = tool;
        if let Some(turn) = &mut self.turn {
            turn.calls.push(PageCall { id: id.to_owned(), manual, stage, follow_up });
        }
        match stage {
            Stage::Waiting => self.thread.set_call_phase(id, CallPhase::AwaitingApproval),
            Stage::Executing => self.execute(id, name, args),
            Stage::Manual | Stage::Done => {}
        }
    }

    /// A call that a replay tells of is where it was.
    fn told_again(&mut self, id: &str) -> bool {
        if let Some(at) = self.untold.iter().position(|answer| answer.call == id) {
            let LocalAnswer { content, error, denied, .. } = self.untold.swap_remove(at);
            self.thread.answer_call(id, &format!("{id}-result"), &content, error.as_deref(), denied);
            return true;
        }
        let phase = match self.turn.as_mut().and_then(|turn| turn.call(id)).map(|call| call.stage) {
            Some(Stage::Executing) => CallPhase::Executing,
            Some(Stage::Waiting) => CallPhase::AwaitingApproval,
            Some(Stage::Manual) => CallPhase::InputAvailable,
            _ => return false,
        };
        self.thread.set_call_phase(id, phase);
        true
    }

    fn execute(&mut self, id: &str, name: String, args: String) {
        let mut args = if args.trim().is_empty() { "{}".to_owned() } else { args };
        if dialect::ANY
            && let Some(other) = self.dialect.as_deref().and_then(|dialect| dialect.arguments(&args))
        {
            args = other.to_owned();
        }
        if Raw::parse(&args, self.options.max_depth).is_err() {
            self.done(id, "The arguments are not JSON.", Some("The arguments are not JSON."), false);
            return;
        }
        self.thread.set_call_phase(id, CallPhase::Executing);
        // Approved after the run has ended: the user waits again.
        if self.run.is_none() && !self.left {
            (self.status, self.error, self.outcome) = (Status::Running, None, None);
        }
        let mut json = String::new();
        crate::wire::write_json(&mut json, &args);
        self.effects.push_back(Effect::Execute { tool_call_id: id.to_owned(), name, args: json });
    }

    /// A call has its answer. Its message goes behind the one that calls.
    fn done(&mut self, id: &str, content: &str, error: Option<&str>, denied: bool) {
        if self.thread.call(id).is_none() {
            let (call, content, error) = (id.to_owned(), content.to_owned(), error.map(Into::into));
            self.untold.push(LocalAnswer { call, content, error, denied });
        }
        self.thread.answer_call(id, &format!("{id}-result"), content, error, denied);
        if let Some(call) = self.turn.as_mut().and_then(|turn| turn.call(id)) {
            call.stage = Stage::Done;
        }
    }

    /// The page's tool is done, or somebody has answered: `{toolCallId, result?, error?}`. False where nobody waits for it.
    pub fn settle_call(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let fields = self.of_call(&json)?;
        let id = fields.get("toolCallId").and_then(Raw::string).unwrap_or_default();
        let known = self.turn.as_mut().and_then(|turn| turn.call(&id)).is_some();
        // A call that no tool of the page is for waits for the server's answer, or for one given by hand.
        if !self.is_open(&id, now) || (!known && self.handled.contains_key(&*id)) {
            return Ok(false);
        }
        if !known {
            self.handled.insert(id.to_string(), At::default());
            let call = PageCall { id: id.to_string(), manual: true, stage: Stage::Manual, follow_up: true };
            if let Some(turn) = &mut self.turn {
                turn.calls.push(call);
            }
        }
        let error = fields.some("error").and_then(Raw::string);
        let content = match (fields.get("result"), &error) {
            (Some(raw), _) if !raw.is_null() => match raw.string() {
                Some(text) => text.into_owned(),
                None => raw.text().to_owned(),
            },
            (_, Some(error)) => error.to_string(),
            _ => String::new(),
        };
        self.done(&id, &content, error.as_deref(), false);
        self.advance(now);
        Ok(true)
    }

    /// The server has answered one of the page's calls itself.
    pub(super) fn answered_elsewhere(&mut self, id: &str) {
        let Some(call) = self.turn.as_mut().and_then(|turn| turn.call(id)) else { return };
        let was = std::mem::replace(&mut call.stage, Stage::Done);
        call.follow_up = false;
        if was == Stage::Executing {
            self.effects.push_back(Effect::Abandon { tool_call_id: id.to_owned() });
        }
    }

    /// The same, said with the list of messages.
    pub(super) fn answered_by_snapshot(&mut self) {
        for id in self.page_calls().collect::<Vec<_>>() {
            if self.thread.call(&id).is_some_and(|(_, _, answered)| answered) {
                self.answered_elsewhere(&id);
            }
        }
    }

    /// Whether a call can still be answered. The application may have taken it out of the thread since, or a snapshot of
    /// the server brought its answer: then nobody waits for it any more.
    fn is_open(&mut self, id: &str, now: f64) -> bool {
        // A replay has yet to tell of it.
        let untold = self.left || self.run.as_ref().is_some_and(|run| run.replays && run.ended.is_none());
        let found = self.thread.call(id).map(|(_, _, answered)| !answered);
        let Some(call) = self.turn.as_mut().and_then(|turn| turn.call(id)) else { return found.unwrap_or_default() };
        let open = found.unwrap_or(untold);
        if !open {
            call.stage = Stage::Done;
            call.follow_up = false;
            self.advance(now);
        }
        open
    }

    /// Somebody approves a call, perhaps with other arguments: `{toolCallId, args?}`.
    pub fn approve(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let fields = self.of_call(&json)?;
        let id = fields.get("toolCallId").and_then(Raw::string).unwrap_or_default();
        // What a replay has yet to tell of cannot be approved: its arguments are not there.
        let open = self.is_open(&id, now) && self.thread.call(&id).is_some();
        let call = self.turn.as_mut().and_then(|turn| turn.call(&id));
        let Some(call) = call.filter(|call| open && call.stage == Stage::Waiting) else { return Ok(false) };
        call.stage = if call.manual { Stage::Manual } else { Stage::Executing };
        let executing = call.stage == Stage::Executing;
        if let Some(args) = fields.some("args") {
            self.thread.replace_args(&id, args.text());
        }
        match self.thread.call(&id) {
            Some((name, args, _)) if executing => self.execute(&id, name, args),
            _ => self.thread.set_call_phase(&id, CallPhase::InputAvailable),
        }
        self.advance(now);
        Ok(true)
    }

    /// Somebody denies a call: `{toolCallId, reason?}`. The reason is the agent's answer.
    pub fn deny(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let fields = self.of_call(&json)?;
        let id = fields.get("toolCallId").and_then(Raw::string).unwrap_or_default();
        let waits = |call: &&mut PageCall| call.stage != Stage::Executing;
        if !self.is_open(&id, now) || self.turn.as_mut().and_then(|turn| turn.call(&id)).filter(waits).is_none() {
            return Ok(false);
        }
        let reason = fields.some("reason").and_then(Raw::string);
        let reason = reason.as_deref().unwrap_or(DENIED);
        self.done(&id, reason, Some(reason), true);
        self.advance(now);
        Ok(true)
    }

    /// A call that the page had begun has to be approved first, as its arguments show: `{toolCallId}`.
    pub fn hold(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let fields = self.of_call(&json)?;
        let id = fields.get("toolCallId").and_then(Raw::string).unwrap_or_default();
        let open = self.is_open(&id, now);
        let call = self.turn.as_mut().and_then(|turn| turn.call(&id));
        let Some(call) = call.filter(|call| open && call.stage == Stage::Executing) else { return Ok(false) };
        call.stage = Stage::Waiting;
        self.thread.set_call_phase(&id, CallPhase::AwaitingApproval);
        // Where the run has ended, the turn now waits for people.
        self.advance(now);
        Ok(true)
    }

    fn of_call<'j>(&self, json: &'j str) -> Result<Fields<'j>, Misuse> {
        self.alive()?;
        let expected = Misuse::Input("an object with a string \"toolCallId\"");
        let fields = Raw::parse_object(json, self.options.max_depth).ok().flatten();
        fields.filter(|fields| fields.get("toolCallId").and_then(Raw::literal).is_some()).ok_or(expected)
    }

    /// A call was answered. Where the run has ended, the turn may go on.
    fn advance(&mut self, now: f64) {
        self.changed(true);
        let ended = self.run.as_ref().map(|run| run.ended.is_some());
        match ended {
            // The rest of the body is of no interest any more.
            Some(true) if !self.turn.as_ref().is_some_and(|turn| turn.any(&[Stage::Executing])) => self.close(now),
            Some(_) => return,
            None => self.rest(now),
        }
        self.next(now);
    }

    /// A run has ended well. The turn goes on, waits, or is over.
    pub(super) fn run_is_over(&mut self, run: Run, now: f64) {
        match &mut self.turn {
            Some(turn) if turn.ticket == Some(run.ticket) || turn.ticket.is_none() => {
                turn.last = Some(run);
                self.rest(now);
            }
            _ => {
                let run_id = self.run_id.clone().unwrap_or_default();
                self.settle(run.ticket, &run_id, run.outcome, None, Some(&run));
            }
        }
    }

    /// Between two runs: what now?
    pub(super) fn rest(&mut self, now: f64) {
        let Some(turn) = &mut self.turn else { return };
        if turn.last.is_none() || turn.any(&[Stage::Executing]) {
            return;
        }
        let people = turn.any(&[Stage::Waiting, Stage::Manual]);
        let well = turn.last.as_ref().is_some_and(|run| run.outcome == Outcome::Success);
        if !people && well && turn.follows() {
            if turn.follow_ups < turn.again.max_follow_ups {
                return self.follow_up(now);
            }
            let message = "as many runs have followed on calls as maxFollowUps allows";
            self.effects.push_back(Effect::Warning(Warning::new("follow-ups-exhausted", message)));
        }
        self.settle_turn();
        if !people {
            self.turn = None;
        }
    }

    fn follow_up(&mut self, now: f64) {
        let Some(turn) = &mut self.turn else { return };
        turn.follow_ups += 1;
        turn.calls.clear();
        turn.last = None;
        let ticket = *turn.ticket.get_or_insert(0);
        let run_id = format!("{}-{}", turn.again.run_id, turn.follow_ups);
        let submit = Submit { run_id, ticket, ..turn.again.to_follow() };
        self.begin(submit, now);
    }

    /// The submit of the turn is told how its last run has ended.
    fn settle_turn(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let (ticket, Some(mut run)) = (turn.ticket.take(), turn.last.take()) else { return };
        let unanswered = std::mem::take(&mut run.unanswered).into_iter();
        run.unanswered =
            unanswered.filter(|id| self.thread.call(id).is_none_or(|(_, _, answered)| !answered)).collect();
        if self.status == Status::Running && self.run.is_none() {
            self.status = Status::Idle;
            self.outcome = Some(run.outcome);
        }
        if let Some(ticket) = ticket {
            let run_id = self.run_id.clone().unwrap_or_default();
            self.settle(ticket, &run_id, run.outcome, None, Some(&run));
        }
        if let Some(turn) = &mut self.turn {
            turn.last = Some(run);
        }
        self.changed(true);
    }

    /// Another submit begins: who was asked has gone on without an answer.
    pub(super) fn leave_turn(&mut self, start: &Start) {
        let Some(turn) = self.turn.take() else { return };
        for call in turn.calls.iter().filter(|call| call.stage != Stage::Done) {
            // The run was left to the server, and is not joined any more.
            if call.stage == Stage::Executing {
                self.effects.push_back(Effect::Abandon { tool_call_id: call.id.clone() });
            }
            // What is regenerated is cut off, with its calls; and the application may have put an answer into the thread.
            let answered = self.thread.call(&call.id).is_none_or(|(_, _, answered)| answered);
            if !answered && !matches!(start, Start::Regenerate(_)) {
                self.thread.answer_call(&call.id, &format!("{}-result", call.id), WENT_ON, Some(WENT_ON), true);
            }
        }
    }

    /// The turn of a session that was saved. What the page was at when it was left may have happened or not: it is not
    /// done again, and the agent is told so.
    pub(super) fn restore_turn(&mut self, turn: Option<Turn>) {
        let Some(mut turn) = turn else { return };
        for call in &mut turn.calls {
            match call.stage {
                Stage::Executing => {
                    self.thread.answer_call(&call.id, &format!("{}-result", call.id), RELOADED, Some(RELOADED), false);
                    call.stage = Stage::Done;
                }
                Stage::Waiting => self.thread.set_call_phase(&call.id, CallPhase::AwaitingApproval),
                Stage::Manual => self.thread.set_call_phase(&call.id, CallPhase::InputAvailable),
                Stage::Done => {}
            }
        }
        // How that run has ended is known by what it asks.
        let outcome = if self.thread.open_interrupts().is_empty() { Outcome::Success } else { Outcome::Interrupted };
        turn.last = Some(Run::over(outcome));
        self.turn = Some(turn);
    }

    /// The turn has failed or was stopped: what the page is at is of no interest any more.
    pub(super) fn abandon_turn(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        for call in turn.calls.into_iter().filter(|call| call.stage == Stage::Executing) {
            self.effects.push_back(Effect::Abandon { tool_call_id: call.id });
        }
    }

    /// Stops what the page does between two runs.
    pub(super) fn stop_working(&mut self, now: f64) {
        let last = self.turn.as_mut().and_then(|turn| Some((turn.ticket.take(), turn.last.take()?)));
        let Some((ticket, run)) = last else { return };
        self.conclude(Outcome::Aborted, None, &[], now);
        let run_id = self.run_id.clone().unwrap_or_default();
        if let Some(ticket) = ticket {
            self.settle(ticket, &run_id, Outcome::Aborted, None, Some(&run));
        }
        self.changed(true);
    }
}
