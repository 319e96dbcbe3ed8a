//! Inputs of the user, the application and the page: submits, answers, edits, leaving and coming back.

use super::super::plan::Policy;
use super::page;
use super::{Admission, Answers, Asked, Held, NOBODY, Run, Start, Turn, World, options, status, waited_for};
use crate::support::Mirror;
use crate::support::SessionCalls;
use ag_ui_wasm::session::{Misuse, Session, Ticket};
use serde_json::{Value, json};

impl World {
    pub(super) fn submit(&mut self, seed: u32, policy: Policy, answers: bool) -> Held {
        let message = self.message(seed);
        // Now and then a cancellation; of what has expired always, if the user is careful.
        let careful = !seed.is_multiple_of(5);
        let answer = |(at, id): (usize, &String)| {
            let cancels = careful && self.has_expired(id) || (seed as usize + at).is_multiple_of(4);
            (id.clone(), cancels)
        };
        let open = &self.thread.interrupts;
        let resume = (answers && !open.is_empty()).then(|| open.iter().enumerate().map(answer).collect());
        self.ask(Start::Submit, Some(message), policy, resume, None)
    }

    pub(super) fn has_expired(&self, id: &str) -> bool {
        self.thread.expiries.get(id).is_some_and(|at| *at <= self.now)
    }

    pub(super) fn message(&mut self, seed: u32) -> Value {
        self.minted += 1;
        json!({"id": format!("u{}", self.minted), "role": "user", "content": format!("#{seed}")})
    }

    /// The input of a run, and its id.
    pub(super) fn input(&mut self) -> (Value, String) {
        self.minted += 1;
        let run_id = format!("r{}", self.minted);
        let mut input = json!({"runId": run_id});
        if let Some(limit) = self.plan.follow_ups {
            input["pageTools"] = page::tools();
            input["maxFollowUps"] = json!(limit);
        }
        (input, run_id)
    }

    pub(super) fn edit_queued(&mut self, which: usize, seed: u32) -> Held {
        let ticket = self.queue.get(which % (self.queue.len() + 1)).copied().unwrap_or(which as Ticket);
        let message = self.message(seed);
        let (mut input, run_id) = self.input();
        input["messages"] = json!([message]);
        let input = input.to_string();
        let edited = self.give(|session, _| session.edit_queued(ticket, &input))?;
        self.say(|| format!("     edit {ticket}: {edited:?}"));
        if self.disposed {
            return self.perform();
        }
        let waits = self.queue.contains(&ticket);
        ensure!(edited == Ok(waits), "whether {ticket} was edited is {edited:?}");
        if let Some(asked) = self.asked.get_mut(&ticket).filter(|_| waits) {
            // It stays what it was: a retry, a regenerate, one that replaces.
            (asked.message, asked.run_id) = (Some(message), run_id);
        }
        self.perform()
    }

    /// The last that was asked for under that name, and has not settled.
    pub(super) fn named(&self, name: &str) -> Option<Ticket> {
        let open = self.asked.iter().filter(|(_, asked)| asked.name == name && !asked.settled);
        open.map(|(ticket, _)| *ticket).max()
    }

    /// One of the open interrupts is answered; with the last answer the run begins.
    pub(super) fn answer(&mut self, which: usize) -> Held {
        let open = self.thread.interrupts.clone();
        let id = open.get(which % (open.len() + 1)).cloned().unwrap_or_else(|| "never".into());
        let (run, run_id) = self.input();
        let cancels = self.has_expired(&id) && which.is_multiple_of(2);
        let input = json!({"interruptId": id, "status": status(cancels), "run": run}).to_string();
        let result = self.give(|session, now| session.answer(&input, now))?;
        self.say(|| format!("     answer {id}: {result:?}"));
        // A run in progress has taken an answer along.
        let taken = self.run.is_some() && self.resumed.iter().flatten().any(|(taken, _)| *taken == id);
        match result {
            Err(Misuse::Disposed) => ensure!(self.disposed, "nobody disposed of it"),
            Err(Misuse::InterruptUnknown(_)) => ensure!(!open.contains(&id) || taken, "{id} is open"),
            Err(Misuse::InterruptExpired(refused)) => {
                ensure!(refused == id, "{refused} is refused, and {id} was answered");
                ensure!(!cancels && self.has_expired(&id), "{id} has not expired");
            }
            Err(other) => return Err(format!("refused: {other}")),
            Ok(ticket) => {
                ensure!(open.contains(&id) && !taken && !self.disposed, "{id} is not open, and was answered");
                ensure!(cancels || !self.has_expired(&id), "{id} has expired, and its answer counts");
                for (other, answer) in std::mem::take(&mut self.partial) {
                    // Given in time, and not sent in time.
                    let late = !answer.1 && self.has_expired(&answer.0);
                    match answer.0 == id || late {
                        true => self.due.settles.extend(waited_for(other).map(|other| (other, "dropped"))),
                        false => self.partial.push((other, answer)),
                    }
                }
                let mut asked = Asked::new(run_id, "queue", Start::Submit);
                let answered = |open: &String| *open == id || self.partial.iter().any(|(_, (other, _))| other == open);
                if open.iter().all(answered) {
                    let mut ids = Vec::new();
                    for (other, answered) in self.partial.drain(..) {
                        self.joined.extend(waited_for(other).map(|other| (ticket, other)));
                        ids.push(answered);
                    }
                    ids.push((id, cancels));
                    asked.resume = Some(ids);
                    self.queue.insert(0, ticket);
                } else {
                    self.partial.push((ticket, (id, cancels)));
                }
                ensure!(self.asked.insert(ticket, asked).is_none(), "ticket {ticket} was given twice");
            }
        }
        self.perform()
    }

    pub(super) fn disconnect(&mut self) -> Held {
        match self.run.take_if(|run| run.ended.is_none()) {
            Some(run) => {
                self.due.settles.push((run.ticket, "disconnected"));
                self.due.closes = !run.waiting;
                self.left = Some(run.received);
                self.status = "idle";
                if let Some(turn) = &mut self.turn {
                    turn.ticket = None;
                }
            }
            None => self.stops(),
        }
        self.give(|session, now| session.disconnect(now))?;
        self.perform()
    }

    pub(super) fn attach(&mut self) -> Held {
        // The page may be at work after its run: that is joined again.
        let working = self.finished.filter(|_| self.is_working());
        let nothing = self.left.is_none() && self.lost.is_none() && working.is_none();
        if nothing && self.run.is_none() && self.plan.resume.is_some() && !self.disposed {
            return Ok(());
        }
        let (mut input, _) = self.input();
        input.as_object_mut().unwrap().remove("runId");
        let input = input.to_string();
        let on = self.run.as_ref().map(|run| run.ended.is_none());
        if on == Some(false) {
            return Ok(());
        }
        let result = self.give(|session, now| session.attach(&input, now))?;
        self.say(|| format!("     attach: {result:?}"));
        let ticket = match result {
            Err(Misuse::Disposed) if self.disposed => return self.perform(),
            Err(Misuse::Busy) if on.is_some() => return self.perform(),
            Err(Misuse::NothingToAttach) if self.plan.resume.is_none() => return self.perform(),
            Ok(ticket) if self.plan.resume.is_some() => ticket,
            other => return Err(format!("attach: {other:?}")),
        };
        let lost = self.lost.take();
        let Some(received) = self.left.take().or(lost).or(working) else {
            return Err("nothing was left, and it is joined".into());
        };
        if working.is_some() {
            (self.started, self.chunks) = (false, None);
        }
        if lost.is_some() {
            (self.started, self.parked) = (false, false);
        }
        self.anew |= lost.is_some() || self.over;
        let run_id = self.run_id.clone();
        let asked = Asked { begun: true, ..Asked::new(run_id.clone(), "queue", Start::Submit) };
        ensure!(self.asked.insert(ticket, asked).is_none(), "ticket {ticket} was given twice");
        let turn = Turn { ticket: None, run_id, follow_ups: 0, calls: Vec::new(), over: None };
        let turn = self.turn.get_or_insert(turn);
        turn.over = None;
        // For ticket 0 nobody waits.
        if let Some(waiting) = turn.ticket.replace(ticket).filter(|waiting| *waiting != 0) {
            self.joined.push((ticket, waiting));
        }
        let run = Run::new(ticket, self.lines.len(), self.now);
        self.run = Some(Run { joins: true, waiting: true, received, ..run });
        (self.status, self.outcome) = ("running", None);
        self.perform()
    }

    /// The page is left without a word, and comes back with what it had saved.
    pub(super) fn reload(&mut self) -> Held {
        use page::Stage;
        if self.disposed {
            return Ok(());
        }
        let saved = self.give(|session, _| in_order(&session.save()))?;
        self.say(|| format!("     {saved}"));
        let on = self.run.as_ref().filter(|run| run.ended.is_none()).map(|run| run.received);
        // Also who comes back once more knows what to join.
        self.lost = self.left.or(on).or(self.lost);
        let running = self.lost.is_some();
        self.restored = running;
        self.finished = self.run.as_ref().filter(|run| run.ended.is_some()).map(|run| run.received).or(self.finished);
        self.over |= !running;
        self.session = Session::new(options(&self.plan), None, None).unwrap();
        if self.twin.is_some() {
            self.twin = Some(Session::new(options(&self.plan), None, None).unwrap());
        }
        (self.mirror, self.wake, self.told, self.run) = (Mirror::new(), None, None, None);
        (self.chunks, self.started) = (None, false);
        self.ends.clear();
        // A page that was loaded anew has heard of nothing; token counts are saved.
        self.steps = self.steps.map(|_| 0).filter(|_| !running);
        self.customs.clear();
        self.heard_customs.clear();
        self.told_to.clear();
        self.earlier.clear();
        self.lines.clear();
        // The tickets of the page that was left are nobody's; the queue gets new ones.
        let mut asked = std::mem::take(&mut self.asked);
        let queue = std::mem::take(&mut self.queue);
        for (at, ticket) in queue.iter().enumerate() {
            self.queue.push(at as Ticket + 1);
            let mut asked = asked.remove(ticket).unwrap();
            asked.name.clone_from(&asked.run_id);
            self.asked.insert(at as Ticket + 1, asked);
        }
        // So are those of answers that wait for others, which are saved.
        self.partial.iter_mut().for_each(|(ticket, _)| *ticket = NOBODY);
        self.joined.clear();
        // The replies of a run that was cut are saved: a retry sends them again.
        self.parked = running;
        self.left = None;
        let cut = running || self.outcome == Some("truncated") || self.outcome == Some("error") && self.unreached;
        (self.status, self.outcome) = if cut { ("error", Some("truncated")) } else { ("idle", None) };
        let waits = |id: &str| {
            self.turn.iter().flat_map(|turn| &turn.calls).any(|call| call.id == id && call.stage != Stage::Done)
        };
        // Nobody can join the run.
        let joins = running && self.plan.resume.is_some();
        self.thread.reload(joins, |id| running && self.plan.resume.is_none() && !waits(id));
        let mut answered = |id: &String| self.thread.call(id).is_some_and(|call| call.result.is_some());
        self.cut = self.handled.iter().filter(|id| !answered(id)).cloned().collect();
        self.turn.take_if(|turn| !turn.any(&[Stage::Executing, Stage::Waiting, Stage::Manual]));
        let mut calls = Vec::new();
        if let Some(turn) = &mut self.turn {
            let asks = !self.thread.interrupts.is_empty();
            (turn.ticket, turn.over) = (None, Some(if asks { "interrupted" } else { "success" }));
            calls = turn.calls.iter().map(|call| (call.id.clone(), call.stage)).collect();
        }
        for (id, stage) in calls {
            match stage {
                // Whether it happened is not known: it is not done again.
                Stage::Executing => self.done(&id, "The page was left before the tool had finished.", true, false),
                Stage::Waiting => self.set_phase(&id, "awaiting-approval"),
                Stage::Manual => self.set_phase(&id, "input-available"),
                Stage::Done => {}
            }
        }
        self.rebinds();
        if !running {
            self.between_runs();
        }
        let restored = self.give(|session, now| session.restore(&saved, now))?;
        ensure!(restored.is_ok(), "what was saved is refused: {restored:?}");
        self.perform()
    }

    pub(super) fn ask(
        &mut self,
        start: Start,
        message: Option<Value>,
        policy: Policy,
        resume: Option<Answers>,
        replaces: Option<String>,
    ) -> Held {
        let (mut input, run_id) = self.input();
        input["ifBusy"] = json!(policy);
        if let Some(id) = &replaces {
            input["replaces"] = json!(id);
        }
        if let Some(message) = &message {
            input["messages"] = json!([message]);
        }
        if let Some(ids) = &resume {
            let entry = |(id, cancels): &(String, bool)| json!({"interruptId": id, "status": status(*cancels)});
            input["resume"] = ids.iter().map(entry).collect();
        }
        let input = input.to_string();
        let result = match &start {
            Start::Submit => self.give(|session, now| session.submit(&input, now)),
            Start::Retry => self.give(|session, now| session.retry(&input, now)),
            Start::Regenerate(id) => self.give(|session, now| session.regenerate(id.as_deref(), &input, now)),
        }?;
        self.say(|| format!("     {start:?} {run_id} ({policy}): {result:?}"));
        let asked = Asked { message, resume, replaces, ..Asked::new(run_id, policy, start) };
        let over = self.run.as_ref().is_none_or(|run| run.ended.is_some());
        // The answer that was cut is asked again first.
        let again = matches!(asked.start, Start::Retry | Start::Regenerate(_));
        let lost = again && self.run.as_ref().is_some_and(|run| run.lost.is_some());
        let first = lost || again && self.run.is_none() && (self.restored || self.left.is_some());
        let judged = first || over && !self.waits() || policy == "replace";
        let refused = if self.disposed || !judged { Admission::Admitted } else { self.judges(&asked) };
        let found = match &result {
            Err(Misuse::InterruptsOpen(_)) => Admission::Open,
            Err(Misuse::InterruptExpired(_)) => Admission::Expired,
            Err(Misuse::InterruptUnknown(_)) => Admission::Unknown,
            _ => Admission::Admitted,
        };
        ensure!(
            refused == found,
            "{refused:?}: interrupts {:?} are open, and the answer was {result:?}",
            self.thread.interrupts
        );
        // One that is refused ends what was left as well, for those before it that may begin; but not one that was to go before them.
        let judged_late = matches!(
            result,
            Err(Misuse::Busy | Misuse::QueueFull | Misuse::NothingToRegenerate | Misuse::NothingToReplace)
        );
        if judged_late && !first && self.waits() && self.left.take().is_some() {
            self.thread.end("aborted", &[]);
        }
        match &result {
            Ok(ticket) => {
                ensure!(!self.disposed, "a submit after dispose was accepted");
                let fresh = !self.asked.contains_key(ticket);
                ensure!(fresh, "ticket {ticket} was given twice");
                let left = self.left.take().is_some();
                // A waiting submit begins before it.
                let next = left && self.queue.iter().any(|ticket| self.admits(&self.asked[ticket]));
                if left {
                    self.thread.end("aborted", &[]);
                }
                match policy {
                    _ if lost => {
                        self.end_lost()?;
                        self.queue.insert(0, *ticket);
                    }
                    "replace" if !over || self.is_working() => {
                        self.stops();
                        self.queue.insert(0, *ticket);
                    }
                    // The run that is over is closed first; whatever continues then is replaced.
                    "replace" if !first && (self.run.is_some() || self.waits() && !left || next) => {
                        self.replacing = Some(*ticket);
                    }
                    _ if first => self.queue.insert(0, *ticket),
                    _ => self.queue.push(*ticket),
                }
                self.asked.insert(*ticket, asked);
            }
            Err(Misuse::Busy) => ensure!(policy == "reject", "rejected, where that was not asked for"),
            Err(Misuse::QueueFull) => {
                ensure!(self.queue.len() >= self.plan.max_queue, "the queue is full with {}", self.queue.len());
            }
            Err(Misuse::NothingToRegenerate) => {
                let Start::Regenerate(id) = &asked.start else { return Err("nothing was to be regenerated".into()) };
                ensure!(self.thread.cut(id.as_deref()).is_none(), "there is something to regenerate");
            }
            Err(Misuse::NothingToReplace) => {
                let replaced = self.thread.messages.iter().any(|message| asked.replaces.as_ref() == Some(&message.id));
                ensure!(asked.replaces.is_some() && !replaced, "there is something to replace");
            }
            Err(Misuse::InterruptsOpen(_) | Misuse::InterruptExpired(_) | Misuse::InterruptUnknown(_)) => {}
            Err(Misuse::Disposed) => ensure!(self.disposed, "nobody disposed of it"),
            Err(other) => return Err(format!("refused: {other}")),
        }
        self.perform()
    }

    /// The answers that a run of this submit carries.
    pub(super) fn answers(&self, asked: &Asked) -> Option<Answers> {
        match (&asked.resume, &asked.start) {
            (Some(ids), _) => Some(ids.clone()),
            (None, Start::Submit) => None,
            (None, Start::Retry) => self.resumed.clone(),
            (None, Start::Regenerate(_)) => {
                let open = &self.thread.interrupts;
                (!open.is_empty()).then(|| open.iter().map(|id| (id.clone(), true)).collect())
            }
        }
    }

    /// Whether a run may begin so: exactly what is open is answered.
    pub(super) fn admits(&self, asked: &Asked) -> bool {
        self.judges(asked) == Admission::Admitted
    }

    pub(super) fn judges(&self, asked: &Asked) -> Admission {
        let answers = self.answers(asked).unwrap_or_default();
        let open = &self.thread.interrupts;
        let of = |id: &String| answers.iter().find(|(answered, _)| answered == id);
        match () {
            () if open.is_empty() => Admission::Admitted,
            () if !open.iter().all(|id| of(id).is_some()) => Admission::Open,
            () if answers.iter().any(|(id, cancels)| !cancels && self.has_expired(id)) => Admission::Expired,
            () if answers.iter().any(|(id, _)| {
                let answers = answers.iter().filter(|(answered, _)| answered == id).count();
                answers > open.iter().filter(|open| *open == id).count()
            }) =>
            {
                Admission::Unknown
            }
            () => Admission::Admitted,
        }
    }

    /// Whether somebody waits who may begin.
    pub(super) fn waits(&self) -> bool {
        self.queue.iter().any(|ticket| self.admits(&self.asked[ticket]))
    }

    /// The application edits: the last of its messages go, and one comes.
    pub(super) fn set_messages(&mut self, which: usize) -> Held {
        let mut messages: Vec<Value> = self.thread.messages.iter().map(|message| message.as_here()).collect();
        messages.truncate(messages.len().saturating_sub(which % 3));
        self.minted += 1;
        messages.push(json!({"id": format!("u{}", self.minted), "role": "user", "content": "#7"}));
        let messages = Value::Array(messages);
        let json = messages.to_string();
        if self.give(|session, _| session.set_messages(&json))?.is_ok() {
            self.thread.assign(&messages);
            self.review();
        }
        self.perform()
    }

    /// Waiting submits settle as aborted.
    pub(super) fn abandons(&mut self) {
        let queue = std::mem::take(&mut self.queue);
        self.due.settles.extend(queue.into_iter().map(|ticket| (ticket, "aborted")));
        self.drop_answers("aborted");
    }

    pub(super) fn dispose(&mut self) -> Held {
        self.stops();
        self.abandons();
        // A run that was left: what the page executes for it.
        if self.run.is_none() {
            self.abandon_turn();
        }
        self.give(|session, now| session.dispose(now))?;
        let kept = self.store.clone();
        self.perform()?;
        ensure!(self.store == kept, "disposed of, and something is saved");
        self.disposed = true;
        self.turn = None;
        let waiting: Vec<_> = self.asked.iter().filter(|(_, asked)| !asked.settled).map(|(ticket, _)| ticket).collect();
        ensure!(waiting.is_empty(), "disposed of, and the tickets {waiting:?} never settle");
        ensure!(self.lines.iter().all(|line| line.over), "disposed of, and a request is open");
        Ok(())
    }
}

/// The save, with the ids in order that are a set.
pub(super) fn in_order(saved: &str) -> String {
    let mut saved: Value = serde_json::from_str(saved).unwrap();
    for set in ["/checkpoint/messages", "/checkpoint/calls", "/handled", "/earlier/runs"] {
        let ids = saved.pointer_mut(set).and_then(Value::as_array_mut);
        ids.into_iter().for_each(|ids| ids.sort_by_key(|id| id.to_string()));
    }
    saved.to_string()
}
