//! The calls of one turn that the page executes or people answer: each is found by its id, and how many are at which
//! stage is counted, so that nothing here looks through all of them.

use crate::session::submit::PageTool;
use crate::thread::{At, Index, same_args};
use crate::wire::Gather;

/// How far a call of the page has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Stage {
    Executing,
    /// For somebody who approves.
    Waiting,
    /// For somebody who answers.
    Manual,
    /// It was executed when the page was left.
    Abandoned,
    Done,
}

impl Stage {
    /// Where a call of this tool begins.
    pub fn first(tool: &PageTool) -> Self {
        match tool {
            PageTool { needs_approval: true, .. } => Stage::Waiting,
            PageTool { manual: true, .. } => Stage::Manual,
            _ => Stage::Executing,
        }
    }

    /// Its name in a save.
    pub fn name(self) -> &'static str {
        match self {
            Self::Executing | Self::Abandoned => "executing",
            Self::Waiting => "waiting",
            Self::Manual => "manual",
            Self::Done => "done",
        }
    }

    pub fn named(name: &str) -> Self {
        match name {
            "executing" => Self::Abandoned,
            "waiting" => Self::Waiting,
            "manual" => Self::Manual,
            _ => Self::Done,
        }
    }
}

/// One call.
#[derive(Debug)]
pub(super) struct PageCall {
    pub id: String,
    /// The call when it was taken up, or approved.
    name: String,
    args: String,
    pub follow_up: bool,
    stage: Stage,
}

impl PageCall {
    pub fn new(id: &str, name: &str, args: &str, follow_up: bool, stage: Stage) -> Self {
        let [id, name, args] = [id, name, args].map(str::to_owned);
        Self { id, name, args, follow_up, stage }
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }
}

/// All of them, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct PageCalls {
    list: Vec<PageCall>,
    index: Index,
    /// How many are at each stage.
    at: [usize; 5],
    /// How many are worth another run.
    follow_ups: usize,
}

impl PageCalls {
    pub fn push(&mut self, call: PageCall) {
        self.count(call.stage, 1);
        self.follow_ups += usize::from(call.follow_up);
        self.index.insert(call.id.clone(), At { message: self.list.len(), call: 0 });
        self.list.push(call);
    }

    pub fn iter(&self) -> impl Iterator<Item = &PageCall> {
        self.list.iter()
    }

    /// Whether any call is at one of these stages.
    pub fn any(&self, stages: &[Stage]) -> bool {
        stages.iter().any(|stage| self.at.get(*stage as usize).is_some_and(|count| *count > 0))
    }

    /// The ids of those at this stage.
    pub fn ids(&self, stage: Stage) -> Vec<String> {
        self.list.iter().filter(|call| call.stage == stage).map(|call| call.id.clone()).gather()
    }

    /// The call, unless it is done.
    pub fn get(&self, id: &str) -> Option<&PageCall> {
        let at = self.index.get(id)?.message;
        self.list.get(at).filter(|call| call.stage != Stage::Done)
    }

    /// Moves a call that is not done to another stage. Returns the stage that it was at.
    pub fn set(&mut self, id: &str, stage: Stage) -> Option<Stage> {
        let at = self.index.get(id)?.message;
        let call = self.list.get_mut(at).filter(|call| call.stage != Stage::Done)?;
        let was = std::mem::replace(&mut call.stage, stage);
        self.count(was, -1);
        self.count(stage, 1);
        Some(was)
    }

    /// Notes what a call is that is not done, and whether it is worth another run where that is known. Says whether it was
    /// another one.
    pub fn rebind(&mut self, id: &str, name: &str, args: &str, follow_up: Option<bool>) -> bool {
        let Some(at) = self.index.get(id).map(|at| at.message) else { return false };
        let Some(call) = self.list.get_mut(at).filter(|call| call.stage != Stage::Done) else { return false };
        let changed = call.name != name || !same_args(&call.args, args);
        // Another text of the same value too: texts are compared faster, and a call may come again and again.
        if call.name != name || call.args != args {
            (call.name, call.args) = (name.to_owned(), args.to_owned());
        }
        if let Some(follow_up) = follow_up {
            self.follow_ups += usize::from(follow_up);
            self.follow_ups -= usize::from(std::mem::replace(&mut call.follow_up, follow_up));
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
        let at = self.index.get(id).map(|at| at.message);
        if let Some(call) = at.and_then(|at| self.list.get_mut(at)) {
            self.follow_ups -= usize::from(std::mem::take(&mut call.follow_up));
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
