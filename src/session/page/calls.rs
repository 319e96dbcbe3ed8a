//! The calls of one turn that the page executes or people answer: each is found by its id, and how many are at which
//! stage is counted, so that nothing here looks through all of them.

use crate::document::*;
use crate::thread::same_args;
use crate::wire::{Gather, Keyed};

/// Where a call of this tool begins.
pub(super) fn first_stage(tool: &Row) -> Stage {
    match (tool.is(NEEDS_APPROVAL), tool.is(MANUAL)) {
        (true, _) => Stage::Waiting,
        (_, true) => Stage::Manual,
        _ => Stage::Executing,
    }
}

/// A call.
pub(super) fn page_call(id: &str, name: &str, args: &str, follow_up: bool, stage: Stage) -> Row {
    let mut call = Row::new(PAGE_CALL);
    for (member, text) in [(PAGE_CALL_ID, id), (TAKEN_NAME, name), (TAKEN_ARGS, args)] {
        call.set_text(member, text);
    }
    call.set_word(FOLLOW_UP, follow_up.into());
    call.set_word(STAGE, stage as u8);
    call
}

pub(super) fn stage(call: &Row) -> Stage {
    Stage::numbered(call.word(STAGE)).unwrap_or(Stage::Done)
}

/// All of them, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct PageCalls {
    list: Keyed<Row>,
    /// How many are at each stage.
    at: [usize; 5],
    /// How many are worth another run.
    follow_ups: usize,
}

impl PageCalls {
    pub fn push(&mut self, call: Row) {
        self.count(stage(&call), 1);
        self.follow_ups += usize::from(call.is(FOLLOW_UP));
        let id = call.text(PAGE_CALL_ID).to_owned();
        // One that has this id is done, and was another call.
        self.list.take(&id);
        self.list.push(&id, call);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.list.iter()
    }

    /// Whether any call is at one of these stages.
    pub fn any(&self, stages: &[Stage]) -> bool {
        stages.iter().any(|stage| self.at.get(*stage as usize).is_some_and(|count| *count > 0))
    }

    /// The ids of those at this stage.
    pub fn ids(&self, stage: Stage) -> Vec<String> {
        self.list
            .iter()
            .filter(|call| call.word(STAGE) == stage as u8)
            .map(|call| call.text(PAGE_CALL_ID).into())
            .gather()
    }

    /// The stage of a call, unless it is done.
    pub fn stage(&self, id: &str) -> Option<Stage> {
        self.list.get(id).map(stage).filter(|stage| *stage != Stage::Done)
    }

    /// The call, unless it is done.
    fn get_mut(&mut self, id: &str) -> Option<&mut Row> {
        self.list.get_mut(id).filter(|call| stage(call) != Stage::Done)
    }

    /// Moves a call that is not done to another stage. Returns the stage that it was at.
    pub fn set(&mut self, id: &str, next: Stage) -> Option<Stage> {
        let call = self.get_mut(id)?;
        let was = stage(call);
        call.set_word(STAGE, next as u8);
        self.count(was, -1);
        self.count(next, 1);
        Some(was)
    }

    /// Notes what a call is that is not done, and whether it is worth another run where that is known. Says whether it was
    /// another one.
    pub fn rebind(&mut self, id: &str, name: &str, args: &str, follow_up: Option<bool>) -> bool {
        let Some(call) = self.get_mut(id) else { return false };
        let changed = call.text(TAKEN_NAME) != name || !same_args(call.text(TAKEN_ARGS), args);
        // Another text of the same value too: texts are compared faster, and a call may come again and again.
        call.set_text(TAKEN_NAME, name);
        call.set_text(TAKEN_ARGS, args);
        if let Some(follow_up) = follow_up {
            let before = call.is(FOLLOW_UP);
            call.set_word(FOLLOW_UP, follow_up.into());
            self.follow_ups += usize::from(follow_up);
            self.follow_ups -= usize::from(before);
        }
        changed
    }

    /// The call is done, and no run follows on it. Returns the stage that it was at.
    pub fn drop_call(&mut self, id: &str) -> Option<Stage> {
        let was = self.set(id, Stage::Done)?;
        self.ask_no_run(id);
        Some(was)
    }

    /// No run follows on the call, done or not.
    pub fn ask_no_run(&mut self, id: &str) {
        if let Some(call) = self.list.get_mut(id) {
            self.follow_ups -= usize::from(call.is(FOLLOW_UP));
            call.set_word(FOLLOW_UP, 0);
        }
    }

    /// Whether all are done, and one of them is worth another run.
    pub fn follow(&self) -> bool {
        self.follow_ups > 0 && self.are_done()
    }

    /// Whether none waits, here or for people.
    pub fn are_done(&self) -> bool {
        !self.any(&[Stage::Executing, Stage::Waiting, Stage::Manual, Stage::Abandoned])
    }

    fn count(&mut self, stage: Stage, by: isize) {
        if let Some(count) = self.at.get_mut(stage as usize) {
            *count = count.saturating_add_signed(by);
        }
    }
}
