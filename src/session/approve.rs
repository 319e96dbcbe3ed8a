//! What a person decides about a call, bound to what that person saw: a call that has another name or other arguments by
//! then is asked about again.
//!
//! The server may change a call at any time: by a second TOOL_CALL_START, by a list of messages, by a replay that differs.
//! The page may be a patch behind the core, and a page with a worker is. So an approval says what the page shows.

use super::Session;
use super::page_calls::Stage;
use super::words::Misuse;
use crate::thread::{CallPhase, Warning};
use crate::wire::{Raw, keep_private};

const DENIED: &str = "The user has denied this call.";

impl Session {
    /// Somebody approves a call, perhaps with other arguments: `{toolCallId, args?, seen?}`. `seen` is what was approved,
    /// `{name, argsText}`; without it, what the last patch has shown. False where nobody waits for it, and where the call
    /// has become another one since: that is asked about again.
    pub fn approve(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let fields = self.of_call(&json)?;
        let id = fields.get("toolCallId").and_then(Raw::string).unwrap_or_default();
        self.intake.gate().set_clock(now);
        if !self.knows_call(&id) || !self.is_open(&id, now) || self.stage_of(&id) != Some(Stage::Waiting) {
            return Ok(false);
        }
        // What a replay has yet to tell of has no arguments yet.
        let edited = fields.some("args");
        let seen = fields.get("seen").map(Raw::object);
        let call = self.thread.call(&id).filter(|(name, args, _)| match &seen {
            Some(seen) => seen.as_ref().is_some_and(|seen| {
                let is = |member: &str, value: &str| seen.get(member).and_then(Raw::string).as_deref() == Some(value);
                is("name", name) && (edited.is_some() || is("argsText", args))
            }),
            None => self.outbox.has_sent_checkpoints() && self.thread.is_shown(&id),
        });
        let Some((name, args, _)) = call else {
            let message = format!("the call \"{id}\" has changed since it was shown: it waits for another approval");
            self.outbox.warn(Warning::new("approval-outdated", message));
            self.take_up(&id, Stage::Waiting);
            self.outbox.changed(true);
            return Ok(false);
        };
        let args = match edited {
            Some(edited) => {
                self.thread.replace_args(&id, edited.text());
                edited.text().to_owned()
            }
            None => args,
        };
        // The tool is that of the name that was approved.
        let tool = self.page_tool(&name).cloned();
        self.rebind(&id, &name, &args, tool.as_ref());
        match tool {
            None => {
                let message = format!("The page has no tool {name}.");
                self.done(&id, &message, Some(&message), false);
            }
            Some(tool) if tool.manual => {
                self.move_call(&id, Stage::Manual);
                self.thread.set_call_phase(&id, CallPhase::InputAvailable);
            }
            Some(_) => {
                self.move_call(&id, Stage::Executing);
                self.execute(&id, name, args);
            }
        }
        self.advance(now);
        Ok(true)
    }

    /// Somebody denies a call: `{toolCallId, reason?}`. The reason is the agent's answer.
    pub fn deny(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let fields = self.of_call(&json)?;
        let id = fields.get("toolCallId").and_then(Raw::string).unwrap_or_default();
        if !self.knows_call(&id)
            || !self.is_open(&id, now)
            || self.stage_of(&id).is_none_or(|stage| stage == Stage::Executing)
        {
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
        if !self.is_open(&id, now) || self.stage_of(&id) != Some(Stage::Executing) {
            return Ok(false);
        }
        self.move_call(&id, Stage::Waiting);
        self.thread.set_call_phase(&id, CallPhase::AwaitingApproval);
        // Where the run has ended, the turn now waits for people.
        self.advance(now);
        Ok(true)
    }

    /// Whether there is such a call. If not, the application is told: the id is a mistake.
    pub(super) fn knows_call(&mut self, id: &str) -> bool {
        let known = self.thread.is_answered(id).is_some() || self.stage_of(id).is_some();
        if !known {
            let message = format!("no tool call has the id \"{id}\"");
            self.outbox.warn(Warning::new("call-unknown", message));
        }
        known
    }

    /// A call of the page that has not been answered was told anew, perhaps as another one. What executes continues as what it
    /// was begun as, and is not begun again. What waits for a person is asked about as it is now.
    pub(super) fn take_up(&mut self, id: &str, stage: Stage) {
        let Some((name, args, _)) = self.thread.call(id) else { return };
        let tool = self.page_tool(&name).cloned();
        let changed = self.rebind(id, &name, &args, tool.as_ref());
        match (stage, tool) {
            (Stage::Executing, _) => {
                self.thread.set_call_phase(id, CallPhase::Executing);
                if changed {
                    let message = format!("the call \"{id}\" was changed after the page had begun to execute it");
                    self.outbox.warn(Warning::new("call-changed", message));
                }
            }
            (Stage::Waiting, _) => self.thread.set_call_phase(id, CallPhase::AwaitingApproval),
            // Whoever answers by hand was not asked about this.
            (Stage::Manual, Some(tool)) if changed => {
                let stage = tool.begins();
                self.move_call(id, stage);
                self.outbox.ask_for_save();
                self.enter(id, stage, name, args);
            }
            (Stage::Manual, _) => self.thread.set_call_phase(id, CallPhase::InputAvailable),
            (Stage::Done, _) => {}
        }
    }

    /// Notes what a call is now; says whether it was another one.
    fn rebind(&mut self, id: &str, name: &str, args: &str, tool: Option<&super::tools::PageTool>) -> bool {
        let follow_up = tool.map(|tool| tool.follow_up);
        self.turn.as_mut().is_some_and(|turn| turn.calls.rebind(id, name, args, follow_up))
    }

    /// A list of messages was merged, or set: calls may have become others, come back, or gone.
    pub(super) fn review_calls(&mut self) {
        for answer in self.thread.take_orphans() {
            self.untold.push(answer);
        }
        for id in self.thread.take_changed_calls() {
            self.told_again(&id);
        }
    }

    /// The run has ended: what the page is at for calls that are not in the thread is of no use.
    pub(super) fn drop_gone_calls(&mut self) {
        if !self.thread.take_calls_lost() {
            return;
        }
        let calls: Vec<String> =
            self.turn.iter().flat_map(|turn| turn.calls.iter()).map(|call| call.id.clone()).collect();
        for id in calls {
            if self.thread.is_answered(&id).is_none() {
                self.answered_elsewhere(&id);
                // Nor does a run follow on an answer that it could not bring.
                self.turn.iter_mut().for_each(|turn| turn.calls.ask_no_run(&id));
            }
        }
    }
}
