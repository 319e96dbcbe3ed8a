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
//! A turn is a run with the runs that follow on its calls. It continues by itself while the page executes; where it waits for
//! people its submit is settled, and it continues once all have answered. A call is executed once, whatever is replayed.

use super::page_calls::{PageCall, PageCalls, Stage};
use super::run::Run;
use super::submit::{Start, Submit};
use super::words::Outcome;
use super::words::{Misuse, Ticket};
use super::{Effect, Session};
use crate::thread::{At, CallPhase, LocalAnswer, Warning};
use crate::wire::{Fields, JsonWriter, Raw, keep_private};

/// A tool that the page has.
#[derive(Debug, Clone)]
pub(super) struct PageTool {
    name: String,
    /// The page has no function for it: a person answers.
    pub manual: bool,
    needs_approval: bool,
    /// Whether its result is worth another run.
    pub follow_up: bool,
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
    /// Where a call of it begins.
    pub fn begins(&self) -> Stage {
        match self {
            Self { needs_approval: true, .. } => Stage::Waiting,
            Self { manual: true, .. } => Stage::Manual,
            _ => Stage::Executing,
        }
    }

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

/// A submit's run, with the runs that follow on its calls.
#[derive(Debug)]
pub(super) struct Turn {
    /// Until it is settled.
    ticket: Option<Ticket>,
    /// The submit, for the runs that follow: without its messages.
    again: Submit,
    follow_ups: u32,
    pub calls: PageCalls,
    /// The last run, once it has ended well.
    last: Option<Run>,
}

impl Turn {
    pub fn new(submit: &Submit) -> Self {
        let again = submit.to_follow();
        Self { ticket: Some(submit.ticket), again, follow_ups: 0, calls: PageCalls::default(), last: None }
    }

    /// The submit that settles with the turn.
    pub fn ticket(&self) -> Option<Ticket> {
        self.ticket
    }

    /// Whether this submit is of the turn.
    pub fn is(&self, ticket: Ticket) -> bool {
        self.ticket == Some(ticket)
    }

    /// Whether this run follows on the turn's calls.
    pub fn is_followed_by(&self, submit: &Submit) -> bool {
        self.is(submit.ticket) && self.follow_ups > 0
    }

    /// The run is left to the server; what the page executes continues.
    pub fn leave(&mut self) {
        self.ticket = None;
    }

    /// Its last run is joined again, also where the page is still at work after that. Gives the ticket that waits already.
    pub fn join(&mut self, ticket: Ticket) -> Option<Ticket> {
        self.last = None;
        self.ticket.replace(ticket)
    }

    fn any(&self, stages: &[Stage]) -> bool {
        self.calls.any(stages)
    }

    /// Whether the page or its people have calls to answer, so that the turn is worth saving.
    pub fn waits(&self) -> bool {
        self.any(&[Stage::Executing, Stage::Waiting, Stage::Manual])
    }

    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        self.again.save(object.member("run"));
        object.number("followUps", Some(u64::from(self.follow_ups)));
        let mut calls = JsonWriter::array(object.member("calls"));
        for call in self.calls.iter() {
            let mut object = JsonWriter::object(calls.item());
            object.string("id", &call.id);
            let stage = match call.stage() {
                Stage::Executing => "executing",
                Stage::Waiting => "waiting",
                Stage::Manual => "manual",
                Stage::Done => "done",
            };
            object.string("stage", stage);
            object.member("followUp").push_str(if call.follow_up { "true" } else { "false" });
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
            let id = fields.get("id")?.string()?;
            // What it is stands in the thread.
            Some(PageCall::new(&id, "", "", is("followUp")?, stage))
        };
        let mut calls = PageCalls::default();
        for raw in fields.get("calls")?.array()? {
            calls.push(call(raw)?);
        }
        let follow_ups = fields.get("followUps").and_then(Raw::whole)? as u32;
        Some(Self { ticket: None, again, follow_ups, calls, last: None })
    }

    /// Whether another run follows as soon as this one has ended.
    fn follows(&self) -> bool {
        self.calls.follow()
    }
}

const RELOADED: &str = "The page was left before the tool had finished.";
const WENT_ON: &str = "The user continued without answering.";

impl Session {
    /// Whether the page is at work between two runs.
    pub(super) fn is_working(&self) -> bool {
        self.run.is_none()
            && self.turn.as_ref().is_some_and(|turn| turn.last.is_some() && turn.any(&[Stage::Executing]))
    }

    /// Whether calls wait for people, after their run.
    pub(super) fn awaits_people(&self) -> bool {
        self.run.is_none() && self.turn.as_ref().is_some_and(|turn| turn.any(&[Stage::Waiting, Stage::Manual]))
    }

    /// Whether the turn continues by itself after a run that has ended so.
    pub(super) fn goes_on(&self, outcome: Outcome) -> bool {
        let follows = |turn: &Turn| turn.follows() && turn.follow_ups < turn.again.max_follow_ups;
        self.turn.as_ref().is_some_and(|turn| match outcome {
            Outcome::Success => turn.any(&[Stage::Executing]) || follows(turn),
            Outcome::Interrupted => turn.any(&[Stage::Executing]),
            _ => false,
        })
    }

    /// The stage of a call that the page or its people have still to answer.
    pub(super) fn stage_of(&self, id: &str) -> Option<Stage> {
        self.turn.as_ref()?.calls.get(id).map(PageCall::stage)
    }

    /// Moves such a call to another stage; false: there is none.
    pub(super) fn move_call(&mut self, id: &str, stage: Stage) -> bool {
        self.turn.as_mut().is_some_and(|turn| turn.calls.set(id, stage).is_some())
    }

    /// Whether the page or its people have still to answer a call.
    pub(super) fn is_page_call(turn: Option<&Turn>, id: &str) -> bool {
        turn.is_some_and(|turn| turn.calls.get(id).is_some())
    }

    /// The arguments of a call are complete. If it is one of the page's, it begins; but never twice.
    pub(super) fn call_ready(&mut self, id: &str) {
        if self.told_again(id) {
            return;
        }
        if self.handled.contains_key(id) || self.thread.is_answered(id) != Some(false) {
            return;
        }
        // Its arguments are copied only if it is for the page: a call may end again and again.
        let Some(tool) = self.thread.call_name(id).map(String::from).and_then(|name| self.page_tool(&name)) else {
            return;
        };
        let (stage, follow_up) = (tool.begins(), tool.follow_up);
        let Some((name, args, _)) = self.thread.call(id) else { return };
        if self.intake.withholds(&args) {
            return;
        }
        self.handled.insert(id.to_owned(), At::default());
        self.outbox.ask_for_save();
        if let Some(turn) = &mut self.turn {
            turn.calls.push(PageCall::new(id, &name, &args, follow_up, stage));
        }
        self.enter(id, stage, name, args);
    }

    /// The tool of the page that has this name, as the run was begun with it.
    pub(super) fn page_tool(&self, name: &str) -> Option<&PageTool> {
        self.turn.as_ref()?.again.page_tools.iter().find(|tool| tool.name == name)
    }

    /// A call comes to its first stage.
    pub(super) fn enter(&mut self, id: &str, stage: Stage, name: String, args: String) {
        match stage {
            Stage::Waiting => self.thread.set_call_phase(id, CallPhase::AwaitingApproval),
            Stage::Executing => self.execute(id, name, args),
            Stage::Manual => self.thread.set_call_phase(id, CallPhase::InputAvailable),
            Stage::Done => {}
        }
    }

    /// A call that is told again is where it was.
    pub(super) fn told_again(&mut self, id: &str) -> bool {
        let answered = self.thread.is_answered(id);
        if answered.is_some()
            && let Some(LocalAnswer { content, error, denied, .. }) = self.untold.take(id)
        {
            if answered == Some(false) {
                self.thread.answer_call(id, &format!("{id}-result"), &content, error.as_deref(), denied);
            }
            return true;
        }
        let Some(stage) = self.stage_of(id) else { return false };
        if answered == Some(false) {
            self.take_up(id, stage);
        }
        true
    }

    pub(super) fn execute(&mut self, id: &str, name: String, args: String) {
        #[cfg(feature = "guard")]
        if let Some(reason) = self.forbidden(id, &name) {
            let message = format!("The guard does not allow this call: {reason}");
            return self.done(id, &message, Some(&message), true);
        }
        let mut args = if args.trim().is_empty() { "{}".to_owned() } else { args };
        if let Some(other) = self.intake.arguments(&args) {
            args = other;
        }
        if Raw::parse(&args, self.options.max_depth).is_err() {
            self.done(id, "The arguments are not JSON.", Some("The arguments are not JSON."), false);
            return;
        }
        self.thread.set_call_phase(id, CallPhase::Executing);
        // Approved after the run has ended: the user waits again.
        if self.run.is_none() && !self.left {
            self.verdict.works();
        }
        let mut json = String::new();
        crate::wire::write_json(&mut json, &args);
        self.outbox.push(Effect::Execute { tool_call_id: id.to_owned(), name, args: json });
    }

    /// A call has its answer. Its message goes after the one that calls.
    pub(super) fn done(&mut self, id: &str, content: &str, error: Option<&str>, denied: bool) {
        if self.thread.is_answered(id).is_none() {
            let (call, content, error) = (id.to_owned(), content.to_owned(), error.map(Into::into));
            self.untold.push(LocalAnswer { call, content, error, denied });
        }
        self.thread.answer_call(id, &format!("{id}-result"), content, error, denied);
        self.move_call(id, Stage::Done);
    }

    /// The page's tool is done, or somebody has answered: `{toolCallId, result?, error?}`. False where nobody waits for it.
    pub fn settle_call(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let fields = self.of_call(&json)?;
        let id = fields.get("toolCallId").and_then(Raw::string).unwrap_or_default();
        if !self.knows_call(&id) {
            return Ok(false);
        }
        let known = self.stage_of(&id).is_some();
        let error = fields.some("error").and_then(Raw::string);
        let content = match (fields.get("result"), &error) {
            (Some(raw), _) if !raw.is_null() => match raw.string() {
                Some(text) => text.into_owned(),
                None => raw.text().to_owned(),
            },
            (_, Some(error)) => error.to_string(),
            _ => String::new(),
        };
        if self.thread.has_other_answer(&id, &content, error.as_deref()) {
            let message = format!("the call \"{id}\" has another result already, which stays");
            self.outbox.warn(Warning::new("result-differs", message));
        }
        // A call that no tool of the page is for waits for the server's answer, or for one given by hand.
        if !self.is_open(&id, now) || (!known && self.handled.contains_key(&*id)) {
            return Ok(false);
        }
        if !known {
            self.handled.insert(id.to_string(), At::default());
            if let Some(turn) = &mut self.turn {
                turn.calls.push(PageCall::new(&id, "", "", true, Stage::Manual));
            }
        }
        self.done(&id, &content, error.as_deref(), false);
        self.advance(now);
        Ok(true)
    }

    /// The server has answered one of the page's calls itself.
    pub(super) fn answered_elsewhere(&mut self, id: &str) {
        let was = self.turn.as_mut().and_then(|turn| turn.calls.drop_call(id));
        if was == Some(Stage::Executing) {
            self.outbox.push(Effect::Abandon { tool_call_id: id.to_owned() });
        }
    }

    /// The same, said with the list of messages.
    pub(super) fn answered_by_snapshot(&mut self) {
        for id in self.thread.take_answered() {
            if self.thread.is_answered(&id) == Some(true) {
                self.answered_elsewhere(&id);
            }
        }
    }

    /// Whether a call can still be answered. The application may have taken it out of the thread since, or a snapshot of
    /// the server brought its answer: then nobody waits for it.
    pub(super) fn is_open(&mut self, id: &str, now: f64) -> bool {
        // A run in progress may tell of it yet, or again.
        let untold = self.left || self.run.as_ref().is_some_and(|run| run.ended.is_none());
        let found = self.thread.is_answered(id).map(|answered| !answered);
        if self.stage_of(id).is_none() {
            return found.unwrap_or_default();
        }
        let open = found.unwrap_or(untold);
        if !open {
            if let Some(turn) = &mut self.turn {
                turn.calls.drop_call(id);
            }
            self.advance(now);
        }
        open
    }

    pub(super) fn of_call<'j>(&self, json: &'j str) -> Result<Fields<'j>, Misuse> {
        self.alive()?;
        let expected = Misuse::Input("an object with a string \"toolCallId\"");
        let fields = Raw::parse_object(json, self.options.max_depth).ok().flatten();
        fields.filter(|fields| fields.get("toolCallId").and_then(Raw::literal).is_some()).ok_or(expected)
    }

    /// A call was answered. Where the run has ended, the turn may continue.
    pub(super) fn advance(&mut self, now: f64) {
        self.outbox.ask_for_save();
        self.outbox.changed(true);
        let ended = self.run.as_ref().map(|run| run.ended.is_some());
        match ended {
            // The rest of the body is ignored.
            Some(true) if !self.turn.as_ref().is_some_and(|turn| turn.any(&[Stage::Executing])) => self.close(now),
            Some(_) => return,
            None => self.rest(now),
        }
        self.next(now);
    }

    /// A run has ended well. The turn continues, waits, or is over.
    pub(super) fn run_is_over(&mut self, run: Run, now: f64) {
        match &mut self.turn {
            Some(turn) if turn.ticket.is_none_or(|ticket| ticket == run.ticket) => {
                turn.ticket = Some(run.ticket);
                turn.last = Some(run);
                self.rest(now);
            }
            _ => {
                let run_id = self.verdict.run_name();
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
            let message = "maxFollowUps runs have followed in a row: no other one is started";
            self.outbox.warn(Warning::new("follow-ups-exhausted", message));
        }
        self.settle_turn();
        if !people {
            self.turn = None;
        }
    }

    fn follow_up(&mut self, now: f64) {
        let Some(turn) = &mut self.turn else { return };
        turn.follow_ups += 1;
        turn.calls = PageCalls::default();
        turn.last = None;
        let ticket = *turn.ticket.get_or_insert(0);
        let run_id = format!("{}-{}", turn.again.run_id, turn.follow_ups);
        let submit = Submit { run_id, ticket, ..turn.again.to_follow() };
        self.begin(submit, now);
    }

    /// The submit of the turn is told how its last run has ended.
    fn settle_turn(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        let Some(mut run) = turn.last.take() else { return };
        let ticket = turn.ticket.take();
        let unanswered = std::mem::take(&mut run.unanswered).into_iter();
        run.unanswered = unanswered.filter(|id| self.thread.is_answered(id) != Some(true)).collect();
        if self.run.is_none() {
            self.verdict.rested(run.outcome);
        }
        if let Some(ticket) = ticket {
            let run_id = self.verdict.run_name();
            self.settle(ticket, &run_id, run.outcome, None, Some(&run));
        }
        if let Some(turn) = &mut self.turn {
            turn.last = Some(run);
        }
        self.outbox.changed(true);
    }

    /// Another submit begins: who was asked has continued without an answer.
    pub(super) fn leave_turn(&mut self, start: &Start) {
        let Some(turn) = self.turn.take() else { return };
        // Another run is joined while the page is at work.
        if let Some(ticket) = turn.ticket {
            let run_id = self.verdict.run_name();
            self.settle(ticket, &run_id, Outcome::Aborted, None, turn.last.as_ref());
        }
        for call in turn.calls.iter().filter(|call| call.stage() != Stage::Done) {
            // The run was left to the server, and is not joined.
            if call.stage() == Stage::Executing {
                self.outbox.push(Effect::Abandon { tool_call_id: call.id.clone() });
            }
            // What is regenerated is cut off, with its calls; and the application may have put an answer into the thread.
            if self.thread.is_answered(&call.id) == Some(false) && !matches!(start, Start::Regenerate(_)) {
                self.thread.answer_call(&call.id, &format!("{}-result", call.id), WENT_ON, Some(WENT_ON), true);
            }
        }
    }

    /// The turn of a session that was saved. What the page was at when it was left may have happened or not: it is not
    /// done again, and the agent is told so.
    pub(super) fn restore_turn(&mut self, turn: Option<Turn>) {
        let Some(turn) = turn else { return };
        let calls: Vec<(String, Stage)> = turn.calls.iter().map(|call| (call.id.clone(), call.stage())).collect();
        self.turn = Some(turn);
        for (id, stage) in calls {
            match stage {
                Stage::Executing => self.done(&id, RELOADED, Some(RELOADED), false),
                Stage::Waiting => self.thread.set_call_phase(&id, CallPhase::AwaitingApproval),
                Stage::Manual => self.thread.set_call_phase(&id, CallPhase::InputAvailable),
                Stage::Done => {}
            }
            if let (Some((name, args, _)), Some(turn)) = (self.thread.call(&id), &mut self.turn) {
                turn.calls.rebind(&id, &name, &args, None);
            }
        }
        // How that run has ended is known by what it asks.
        let outcome = if self.thread.open_interrupts().is_empty() { Outcome::Success } else { Outcome::Interrupted };
        if let Some(turn) = &mut self.turn {
            turn.last = Some(Run::over(outcome));
        }
    }

    /// The turn has failed or was stopped: what the page is at is ignored.
    pub(super) fn abandon_turn(&mut self) {
        let Some(turn) = self.turn.take() else { return };
        for call in turn.calls.iter().filter(|call| call.stage() == Stage::Executing) {
            self.outbox.push(Effect::Abandon { tool_call_id: call.id.clone() });
        }
    }

    /// Stops what the page does between two runs.
    pub(super) fn stop_working(&mut self, now: f64) {
        let last = self.turn.as_mut().and_then(|turn| Some((turn.last.take()?, turn.ticket.take())));
        let Some((run, ticket)) = last else { return };
        self.conclude(Outcome::Aborted, None, &[], now);
        let run_id = self.verdict.run_name();
        if let Some(ticket) = ticket {
            self.settle(ticket, &run_id, Outcome::Aborted, None, Some(&run));
        }
        self.outbox.changed(true);
    }
}
