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
//!
//! It keeps how far each call is, and writes that into the thread that it is given. Its results tell the handlers what to do.

mod calls;
mod turn;

use super::submit::Submit;
use crate::document::*;
use crate::thread::{At, CallPhase, Index, RELOADED, Thread};
use crate::wire::{Fields, Gather, JsonWriter, Keyed};
use calls::{first_stage, page_call, stage};
pub(super) use turn::Turn;

const WENT_ON: &str = "The user continued without answering.";

#[derive(Debug, Default)]
pub(super) struct Page {
    /// The run with those that follow on its calls.
    pub turn: Turn,
    /// Calls that a tool of the page has begun, or that were answered: each once. With the run that it was in, and 1 if its tool
    /// was cut off.
    handled: Index,
    runs: usize,
    /// The last run that gives another answer, for which tools do their work again.
    regenerated: usize,
    /// Answers of the page to calls that the thread lacks, by the call: a list of messages has taken them away, or a replay has
    /// yet to bring them.
    pub detached: Keyed<Row>,
}

/// The consequence of a call that came, or came again.
#[derive(Debug)]
pub(super) enum CallArrival {
    /// It is where it was.
    Stays,
    /// It became another one while the page executes it: it stays what it was begun as.
    Changed,
    /// It enters this stage.
    Enters { stage: Stage, name: String, args: String },
}

impl Page {
    /// The stage of a call that the page or its people have still to answer.
    pub fn stage_of(&self, id: &str) -> Option<Stage> {
        self.turn.calls.stage(id)
    }

    /// Whether the page was given a call, and has begun it or waits for a person.
    pub fn has_handled(&self, id: &str) -> bool {
        self.handled.contains_key(id) || self.stage_of(id).is_some()
    }

    /// A run begins.
    pub fn counts(&mut self, start: Start) {
        self.runs += usize::from(!matches!(start, Start::Attach | Start::Retry));
        if start == Start::Regenerate {
            self.regenerated = self.runs;
        }
    }

    /// Another submit begins: who was asked has continued without an answer. Gives the last turn.
    pub fn leave(&mut self, submit: &Submit, thread: &mut Thread) -> Turn {
        let turn = std::mem::replace(&mut self.turn, Turn::new(submit));
        for call in turn.calls.iter().filter(|call| stage(call) != Stage::Done).map(|call| call.text(PAGE_CALL_ID)) {
            // A regenerated answer has been cut off, with its calls; and the application may have put an answer into the
            // thread.
            if thread.is_answered(call) == Some(false) {
                thread.answer_call(call, &result_of(call), WENT_ON, Some(WENT_ON), true);
            }
        }
        turn
    }

    /// Providers refuse a thread with a call that has no result.
    pub fn answer_given_up(&self, thread: &mut Thread) {
        thread.answer_given_up(&|name| self.turn.tool(name).is_some(), result_of);
    }

    /// The turn has failed or was stopped: what the page is at is ignored. Gives the calls that it executes.
    pub fn abandon(&mut self) -> Vec<String> {
        let turn = std::mem::take(&mut self.turn);
        self.cut(turn.calls.ids(Stage::Executing))
    }

    /// The tools of these calls are cut off: whether they have done their work is not known.
    fn cut(&mut self, ids: Vec<String>) -> Vec<String> {
        for id in &ids {
            self.handled.insert(id.as_str(), At { message: self.runs, call: 1 });
        }
        ids
    }

    /// The arguments of a call are complete. If it is one of the page's, it begins; but never twice.
    pub fn call_ready(
        &mut self,
        id: &str,
        thread: &mut Thread,
        withholds: impl Fn(&str) -> bool,
    ) -> Option<CallArrival> {
        if self.handled.contains_key(id) || thread.is_answered(id) != Some(false) {
            return None;
        }
        // Its arguments are copied only if it is for the page: a call may end again and again.
        let tool = self.turn.tool(thread.call(id)?.tool())?;
        let (stage, follow_up) = (first_stage(tool), tool.is(TOOL_FOLLOW_UP));
        let (name, args) = thread.name_and_args(id)?;
        if withholds(&args) {
            return None;
        }
        self.turn.calls.push(page_call(id, &name, &args, follow_up, stage));
        self.stand(id, stage);
        Some(CallArrival::Enters { stage, name, args })
    }

    /// A call begins that the thread lacks. If the last one of its id is one of an earlier run, it is another one, unless its tool
    /// was cut off, and may have done its work; a run that is asked for again is not another run. Says whether it is not begun again.
    pub fn call_begins(&mut self, id: &str) -> bool {
        let Some(at) = self.handled.get(id) else { return false };
        if self.detached.has(id) || self.stage_of(id).is_some() {
            return false;
        }
        let over = at.message < if at.call == 0 { self.runs } else { self.regenerated };
        if over {
            self.handled.remove(id);
        }
        !over
    }

    fn handle(&mut self, id: &str) {
        if !self.handled.contains_key(id) {
            self.handled.insert(id, At { message: self.runs, call: 0 });
        }
    }

    /// A call comes that may have come before. It is where it was; `None`: it is new.
    pub fn told_again(&mut self, id: &str, thread: &mut Thread) -> Option<CallArrival> {
        let answered = thread.is_answered(id);
        if answered.is_some()
            && let Some(answer) = self.detached.take(id)
        {
            if answered == Some(false) {
                let (content, error) = (answer.text(ANSWER_CONTENT), answer.some(ANSWER_ERROR));
                thread.answer_call(id, &result_of(id), content, error, answer.is(DENIED));
            }
            return Some(CallArrival::Stays);
        }
        let stage = self.stage_of(id)?;
        Some(if answered == Some(false) { self.take_up(id, stage, thread) } else { CallArrival::Stays })
    }

    /// A call of the page that has not been answered came anew, perhaps as another one. A call that executes continues as it
    /// was begun, and is not begun again. A call that waits for a person is asked about as it is now.
    pub fn take_up(&mut self, id: &str, stage: Stage, thread: &mut Thread) -> CallArrival {
        let Some((name, args)) = thread.name_and_args(id) else { return CallArrival::Stays };
        let changed = self.rebind(id, &name, &args);
        let first = self.turn.tool(&name).map(|tool| (first_stage(tool), tool.is(MANUAL)));
        // Somebody who answers by hand was not asked about this. One of another kind of tool was renamed, before a reload perhaps.
        if let (Stage::Manual, Some((stage, manual))) = (stage, first)
            && (changed || !manual)
        {
            self.stand(id, stage);
            return CallArrival::Enters { stage, name, args };
        }
        show_stage(id, stage, thread);
        if changed && stage == Stage::Executing { CallArrival::Changed } else { CallArrival::Stays }
    }

    /// Notes what a call is now; says whether it was another one.
    pub fn rebind(&mut self, id: &str, name: &str, args: &str) -> bool {
        let follow_up = self.turn.tool(name).map(|tool| tool.is(TOOL_FOLLOW_UP));
        self.turn.calls.rebind(id, name, args, follow_up)
    }

    /// Moves a call that is not done to another stage, which the thread shows.
    pub fn enter(&mut self, id: &str, stage: Stage, thread: &mut Thread) {
        self.stand(id, stage);
        show_stage(id, stage, thread);
    }

    /// One that waits for a person has done nothing: where a retry cuts it off, it is asked about again.
    fn stand(&mut self, id: &str, stage: Stage) {
        match stage {
            Stage::Executing => self.handle(id),
            Stage::Waiting | Stage::Manual => _ = self.handled.remove(id),
            Stage::Abandoned | Stage::Done => {}
        }
        self.turn.calls.set(id, stage);
    }

    /// A call that is none of the page's is answered by hand.
    pub fn take_over(&mut self, id: &str) {
        if self.turn.has_begun() {
            self.turn.calls.push(page_call(id, "", "", true, Stage::Manual));
        }
    }

    /// A call has its answer. Its message goes after the one that calls.
    pub fn done(&mut self, id: &str, content: &str, error: Option<&str>, denied: bool, thread: &mut Thread) {
        if thread.is_answered(id).is_none() {
            self.detached.push(id, local_answer(id, content, error, denied));
        }
        self.handle(id);
        thread.answer_call(id, &result_of(id), content, error, denied);
        self.turn.calls.set(id, Stage::Done);
    }

    /// Somebody else has answered a call, or nobody can: no run follows on it. Says whether the page executes it.
    pub fn drop_call(&mut self, id: &str) -> bool {
        self.turn.calls.drop_call(id) == Some(Stage::Executing)
    }

    /// The results of calls that are in the thread no longer, or not yet again.
    pub fn detach(&mut self, answers: impl IntoIterator<Item = Row>) {
        for answer in answers {
            let call = answer.text(ANSWERED_CALL).to_owned();
            self.detached.push(&call, answer);
        }
    }

    /// The run has ended: calls that are not in the thread can bring no answer. Gives those that the page executes.
    pub fn drop_gone(&mut self, thread: &mut Thread) -> Vec<String> {
        let gone = self
            .turn
            .calls
            .iter()
            .map(|call| call.text(PAGE_CALL_ID).to_owned())
            .filter(|id| thread.is_answered(id).is_none());
        let gone: Vec<String> = gone.gather();
        // Nor does a run follow on an answer that it could not bring.
        let drop = |id: &String| {
            let executing = self.drop_call(id);
            self.turn.calls.ask_no_run(id);
            executing
        };
        let gone = gone.into_iter().filter(drop).gather();
        self.cut(gone)
    }

    /// Writes `handled`, `untold` and `turn`. `orphans`: results that the thread has yet to hand over.
    pub fn save<'t>(&'t self, object: &mut JsonWriter<'_>, orphans: impl Iterator<Item = &'t Row>) {
        object.strings("handled", self.handled.keys());
        let mut detached = self.detached.iter().chain(orphans).peekable();
        if detached.peek().is_some() {
            Row::write_list(detached, object.member("untold"));
        }
        if self.turn.waits() {
            self.turn.save(object.member("turn"));
        }
    }

    /// Reads what [`Self::save`] has written, for [`Self::restored`]; `None`: it is damaged.
    pub fn read(fields: &Fields<'_>, max_depth: usize) -> Option<Self> {
        let mut page = Self::default();
        for id in fields.get("handled")?.array()? {
            page.handled.note(&id.string()?, At::default());
        }
        if let Some(turn) = fields.object("turn") {
            page.turn = Turn::restore(&turn, max_depth)?;
        }
        page.detach(fields.get("untold").map(|list| Row::read_list(ANSWER, list)).unwrap_or_default());
        Some(page)
    }

    /// It was saved, with this thread.
    pub fn restored(&mut self, thread: &mut Thread) {
        for (id, at) in self.handled.iter_mut() {
            at.call = usize::from(thread.is_answered(id) != Some(true));
        }
        if !self.turn.has_begun() {
            return;
        }
        let calls: Vec<(String, Stage)> =
            self.turn.calls.iter().map(|call| (call.text(PAGE_CALL_ID).to_owned(), stage(call))).gather();
        for (id, stage) in calls {
            // After a core or a worker has failed, the thread may be newer than the turn. An answer of somebody else asks for
            // no run, as in a page that was there.
            if stage != Stage::Done && thread.is_answered(&id) == Some(true) {
                if thread.claim_answer(&id, &result_of(&id)) {
                    self.turn.calls.set(&id, Stage::Done);
                } else {
                    self.drop_call(&id);
                }
                continue;
            }
            self.enter(&id, stage, thread);
            if let Some(call) = thread.call(&id) {
                self.turn.calls.rebind(&id, call.tool(), call.arguments(), None);
            }
        }
    }

    /// Its unfinished work may have happened or not: it is not done again, and the agent is told so.
    pub fn give_up_left(&mut self, thread: &mut Thread) {
        let left = self.turn.calls.ids(Stage::Abandoned);
        left.iter().for_each(|id| self.done(id, RELOADED, Some(RELOADED), false, thread));
    }
}

/// A call is at this stage: the thread shows it.
pub(super) fn show_stage(id: &str, stage: Stage, thread: &mut Thread) {
    let phase = match stage {
        Stage::Waiting => CallPhase::AwaitingApproval,
        Stage::Manual => CallPhase::InputAvailable,
        Stage::Executing => CallPhase::Executing,
        Stage::Abandoned | Stage::Done => return,
    };
    thread.set_call_phase(id, phase);
}

/// The id of the message with the page's answer to a call.
fn result_of(call: &str) -> String {
    format!("{call}-result")
}
