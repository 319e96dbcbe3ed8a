//! Decisions of a person about a call, bound to the call as it was shown: one that has another name or other arguments
//! by then is asked about again. Arguments are compared by their value.
//!
//! The server may change a call at any time: by a second TOOL_CALL_START, by a list of messages, by a replay that differs.
//! The page may show an older snapshot than the core has, and a page with a worker is. So an approval says what the page shows.

use crate::document::{Call, MANUAL, Stage};
use crate::session::Session;
use crate::session::types::Misuse;
use crate::thread::{Warning, same_args};
use crate::wire::{Raw, keep_private};

const DENIED: &str = "The user has denied this call.";

impl Session {
    /// Somebody approves a call, perhaps with other arguments: `{toolCallId, args?, seen?}`. `seen` is what was approved,
    /// `{name, argsText}`; without it, what the last patch has shown. False where nobody waits for it, and where the call
    /// has become another one since: that is asked about again.
    pub fn approve(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let (id, fields) = self.of_call(&json)?;
        self.intake.guard.iter_mut().for_each(|guard| guard.clock = now);
        if !self.knows_call(&id) || self.open_stage(&id, now) != Some(Stage::Waiting) {
            return Ok(false);
        }
        // A call that a replay has not reached has no arguments yet.
        let edited = fields.some("args");
        let seen = fields.get("seen").map(Raw::object);
        let call = self.thread.name_and_args(&id).filter(|(name, args)| match &seen {
            Some(seen) => seen.as_ref().is_some_and(|seen| {
                let seen = |member: &str| seen.text(member);
                seen("name").is_some_and(|seen| seen == *name)
                    && (edited.is_some() || seen("argsText").is_some_and(|seen| same_args(&seen, args)))
            }),
            None => self.outbox.mirror.marked.is_empty() && self.thread.call(&id).is_some_and(Call::is_shown),
        });
        let Some((name, args)) = call else {
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
        self.begin_approved(&id, name, args);
        self.advance(now);
        Ok(true)
    }

    /// The tool is that of the name that was approved.
    fn begin_approved(&mut self, id: &str, name: String, args: String) {
        self.page.rebind(id, &name, &args);
        match self.page.turn.tool(&name).map(|tool| tool.is(MANUAL)) {
            None => {
                let message = format!("The page has no tool {name}.");
                self.done(id, &message, Some(&message), false);
            }
            Some(true) => self.page.enter(id, Stage::Manual, &mut self.thread),
            Some(false) => {
                self.page.enter(id, Stage::Executing, &mut self.thread);
                self.execute(id, name, args, true);
            }
        }
    }

    /// Somebody denies a call: `{toolCallId, reason?}`. The reason is the agent's answer.
    pub fn deny(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let json = keep_private(json);
        let (id, fields) = self.of_call(&json)?;
        if !self.knows_call(&id) || self.open_stage(&id, now).is_none_or(|stage| stage == Stage::Executing) {
            return Ok(false);
        }
        let reason = fields.text("reason");
        let reason = reason.as_deref().unwrap_or(DENIED);
        self.done(&id, reason, Some(reason), true);
        self.advance(now);
        Ok(true)
    }

    /// A call that the page had begun has to be approved first, as its arguments show: `{toolCallId}`, or a list of these.
    pub fn hold(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        self.each_call(&keep_private(json), |session, json| session.hold_one(json, now))
    }

    fn hold_one(&mut self, json: &str, now: f64) -> Result<bool, Misuse> {
        let (id, _) = self.of_call(json)?;
        if self.open_stage(&id, now) != Some(Stage::Executing) {
            return Ok(false);
        }
        self.page.enter(&id, Stage::Waiting, &mut self.thread);
        // Where the run has ended, the turn now waits for people.
        self.advance(now);
        Ok(true)
    }

    /// How far a call is that the page or its people can still answer.
    fn open_stage(&mut self, id: &str, now: f64) -> Option<Stage> {
        if self.is_open(id, now) { self.page.stage_of(id) } else { None }
    }

    /// Whether there is such a call. If not, the application is told: the id is a mistake.
    pub(super) fn knows_call(&mut self, id: &str) -> bool {
        let known = self.thread.is_answered(id).is_some() || self.page.stage_of(id).is_some();
        if !known {
            let message = format!("no tool call has the id \"{id}\"");
            self.outbox.warn(Warning::new("call-unknown", message));
        }
        known
    }
}
