//! The invariants after each step, and at the end.

use super::super::plan::{Amount, Publishing, Step};
use super::super::server::End;
use super::page::Stage;
use super::{Held, World};
use crate::support::Mirror;
use ag_ui_wasm::session::{Effect, Ticket};
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl World {
    pub(super) fn check(&mut self) -> Held {
        if let Some(twin) = &mut self.twin {
            let more =
                std::iter::from_fn(|| twin.poll_effect()).find(|effect| !matches!(effect, Effect::Changed { .. }));
            ensure!(more.is_none(), "the twin also wants {more:?}");
        }
        let idle = self.run.is_none() && !self.is_working();
        ensure!(
            !idle || !self.waits() || self.parked || self.left.is_some(),
            "nothing is on, and the queue {:?} waits",
            self.queue
        );
        if self.plan.saves && !self.disposed {
            let ids = |name: &str, key: &str| -> BTreeSet<String> {
                let list = self.store[name].as_array().into_iter().flatten();
                list.filter_map(|item| Some((if key.is_empty() { item } else { &item[key] }).as_str()?.to_owned()))
                    .collect()
            };
            let waiting: BTreeSet<String> = self.queue.iter().map(|ticket| self.asked[ticket].run_id.clone()).collect();
            ensure!(ids("queue", "runId") == waiting, "{waiting:?} wait, and saved is {}", self.store["queue"]);
            let handled = ids("handled", "");
            ensure!(self.handled.is_subset(&handled), "{:?} are handled, and saved is {handled:?}", self.handled);
        }
        let shown = self.mirror.0["status"].as_str().unwrap_or_default();
        let urgent = self.told == Some(true);
        // That a second run begins in the same stream may wait for the next frame.
        let fits = shown == self.status || urgent || self.status == "running" && self.told.is_some();
        ensure!(fits, "the page shows {shown}, and nobody says that it is {}", self.status);
        if self.plan.publishing == Publishing::AtOnce || urgent {
            return self.publish();
        }
        Ok(())
    }

    /// The page takes the patch, and shows what is.
    pub(super) fn publish(&mut self) -> Held {
        let told = self.told.take().is_some();
        if let Some(patch) = self.session.take_patch(usize::MAX) {
            ensure!(told, "there is a patch, and nobody was told: {patch}");
            self.mirror.apply(&patch);
        }
        ensure!(self.session.take_patch(usize::MAX).is_none(), "a patch that was taken leaves something behind");
        let shown = &self.mirror.0;
        let same = |name: &str, expected: Value| -> Held {
            let found = shown.get(name).cloned().unwrap_or_default();
            ensure!(found == expected, "{name} is\n  {found}\nand must be\n  {expected}");
            Ok(())
        };
        let messages = shown["messages"].as_array().unwrap().iter().map(|message| {
            let mut message = message.clone();
            message.as_object_mut().unwrap().remove("durationMs");
            message
        });
        let (messages, expected) = (messages.collect::<Vec<_>>(), self.thread.shown());
        ensure!(messages == expected, "messages are\n  {}\nand must be\n  {}", json!(messages), json!(expected));
        let status = |subagent: &Value| json!([subagent["subagentRunId"], subagent["status"]]);
        let subagents: Vec<Value> = shown["subagents"].as_array().unwrap().iter().map(status).collect();
        let expected = json!(self.thread.subagents);
        ensure!(json!(subagents) == expected, "the subagents are {}, not {expected}", json!(subagents));
        let calls = shown["toolCalls"].as_array().unwrap().iter().map(|call| {
            let mut call = call.clone();
            for name in ["args", "error"] {
                call.as_object_mut().unwrap().remove(name);
            }
            call
        });
        let (calls, expected) = (calls.collect::<Vec<_>>(), self.thread.calls_shown());
        ensure!(calls == expected, "toolCalls are\n  {}\nand must be\n  {}", json!(calls), json!(expected));
        for call in &calls {
            let of = |name: &str| call[name].as_str().unwrap().to_owned();
            self.first_shown.entry(of("id")).or_insert_with(|| (of("name"), of("argsText")));
        }
        same("state", self.thread.state.clone())?;
        same("status", json!(self.status))?;
        same("isLoading", json!(self.status == "running"))?;
        same("outcome", self.outcome.map_or(Value::Null, |outcome| json!(outcome)))?;
        ensure!(
            (self.status == "error") == shown.get("error").is_some(),
            "{} with {:?}",
            self.status,
            shown.get("error")
        );
        let list = shown["interrupts"].as_array().unwrap();
        let interrupts: Vec<&Value> = list.iter().map(|item| &item["id"]).collect();
        ensure!(json!(interrupts) == json!(self.thread.interrupts), "the open interrupts are {interrupts:?}");
        for item in list {
            let waits = self.partial.iter().any(|(_, (id, _))| item["id"] == **id);
            let queued = self.queue.iter().filter_map(|ticket| self.asked[ticket].resume.as_ref());
            let sent = self.resumed.iter().chain(queued).flatten().any(|(id, _)| item["id"] == **id);
            let fits = if item.get("answered").is_some() { waits || sent } else { !waits };
            ensure!(fits, "whether {item} is answered is {waits}");
        }
        let phase = match &self.run {
            None => "closed",
            Some(run) if run.lost.is_some() => "closed",
            Some(run) if run.waiting => "reconnecting",
            Some(run) if !self.lines[run.line].headed && run.attempt > 0 => "reconnecting",
            Some(run) if !self.lines[run.line].headed => "connecting",
            Some(_) => "open",
        };
        ensure!(shown["connection"]["phase"] == phase, "the connection is {}, not {phase}", shown["connection"]);
        let (customs, heard) = (json!(self.customs), json!(self.heard_customs));
        ensure!(customs == heard, "the page has heard of {heard}, not of {customs}");
        let tokens: u64 = shown["usage"].as_array().unwrap().iter().map(|u| u["inputTokens"].as_u64().unwrap()).sum();
        ensure!(tokens == self.tokens, "{tokens} tokens were counted, not {}", self.tokens);
        let kinds = self.mirror.1.iter().filter_map(|(mark, _)| mark["kind"].as_str());
        let steps = kinds.filter(|kind| kind.starts_with("step")).count();
        ensure!(self.steps.is_none_or(|told| told == steps), "{steps} checkpoints of steps, not {:?}", self.steps);
        let queue: Vec<&str> =
            shown["queue"].as_array().unwrap().iter().filter_map(|item| item["id"].as_str()).collect();
        let expected: Vec<&str> = self.queue.iter().map(|ticket| &*self.asked[ticket].run_id).collect();
        ensure!(queue == expected, "the queue shows {queue:?}, not {expected:?}");
        Ok(())
    }

    /// Everything that is on its way arrives, and the user answers what is asked.
    pub(super) fn rest(&mut self) -> Held {
        self.say(|| "rest.".to_owned());
        for _ in 0..400 {
            if let Some(at) = self.open_line() {
                let line = &self.lines[at];
                let delivered = line.headed && line.sent == line.answer.body.len() || line.answer.head.is_none();
                if delivered && line.answer.end == End::Hangs && self.wake.is_none() {
                    self.step(&Step::Stop)?;
                } else if delivered && line.answer.end == End::Hangs {
                    self.wait(self.now + 10_000.0)?;
                } else {
                    self.step(&Step::Deliver(Amount::All))?;
                }
            } else if self.wake.is_some() {
                self.wait(self.now + 10_000.0)?;
            } else if self.is_working() {
                // A tool that never ends is stopped by the user.
                match self.plan.seed % 4 {
                    0 => self.step(&Step::Stop)?,
                    _ => self.step(&Step::Settle { which: 0, any: false, fails: false })?,
                }
            } else if !self.plan.seed.is_multiple_of(3) && self.shows_waiting() {
                self.step(&Step::Approve { which: 0, edited: false })?;
            } else if !self.plan.seed.is_multiple_of(3) && !self.open_calls(&[Stage::Manual]).is_empty() {
                self.step(&Step::Deny(0))?;
            } else if !self.queue.is_empty() {
                ensure!(
                    !self.thread.interrupts.is_empty() || self.parked || self.left.is_some(),
                    "the queue {:?} waits for nothing",
                    self.queue
                );
                self.submit(1, "queue", true)?;
            } else {
                return self.at_rest();
            }
            self.check()?;
        }
        Err("it does not come to rest".into())
    }

    /// Whether the page shows a call that somebody can approve: the application may have taken it out of the thread.
    fn shows_waiting(&mut self) -> bool {
        let waiting = self.open_calls(&[Stage::Waiting]);
        waiting.first().is_some_and(|id| self.thread.call(id).is_some())
    }

    fn at_rest(&mut self) -> Held {
        self.publish()?;
        ensure!(self.run.is_none() && self.status != "running", "it rests, and is {}", self.status);
        let partial = |ticket: &Ticket| self.partial.iter().any(|(answers, _)| answers == ticket);
        let waiting: Vec<_> = self
            .asked
            .iter()
            .filter(|(ticket, asked)| !asked.settled && !partial(ticket))
            .map(|(ticket, _)| ticket)
            .collect();
        ensure!(waiting.is_empty(), "it rests, and the tickets {waiting:?} never settle");
        self.dispose()?;
        self.publish()?;
        if let Some(twin) = &mut self.twin {
            let mut whole = Mirror::new();
            if let Some(patch) = twin.take_patch(usize::MAX) {
                whole.apply(&patch);
            }
            ensure!(whole.0 == self.mirror.0, "read at once it is\n  {}\nand in parts\n  {}", whole.0, self.mirror.0);
        }
        Ok(())
    }
}
