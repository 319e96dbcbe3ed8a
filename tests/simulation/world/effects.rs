//! Effects of the session: each must be one that is due.

use super::super::plan::Dialect;
use super::page::Turn;
use super::{Held, Line, Run, Start, World, waited_for};
use crate::support::SessionCalls;
use crate::support::{next_effect, parse, whole};
use ag_ui_wasm::session::{Effect, Session, Target, Ticket};
use serde_json::{Value, json};

/// The effects that must follow from the last input, in any order.
#[derive(Debug, Default, PartialEq)]
pub struct Due {
    /// Tickets, and how they settle.
    pub settles: Vec<(Ticket, &'static str)>,
    /// Calls with their names and arguments.
    pub executes: Vec<(String, String, String)>,
    pub abandons: Vec<String>,
    /// Calls of a run that was left, abandoned before another begins.
    pub left: Vec<String>,
    /// The request that is open is closed.
    pub closes: bool,
    /// A run begins: answers that it does not take along were dropped.
    pub begins: bool,
    /// A run follows on the page's calls.
    pub follow_up: bool,
}

impl World {
    pub(super) fn perform(&mut self) -> Held {
        if self.plan.saves {
            // An effect that waits for a save, and is given up before it is written, never happens.
            let abandons = std::mem::take(&mut self.due.abandons);
            let (never, abandons) =
                abandons.into_iter().partition(|id| self.due.executes.iter().any(|(due, ..)| due == id));
            self.due.abandons = abandons;
            self.never_executes(&never);
        }
        while let Some(effect) = next_effect(&mut self.session) {
            self.same(&effect)?;
            self.effects += 1;
            match effect {
                Effect::Open { request, body, target, run_id, cursor } => match target {
                    Target::Run => self.opened(request, &parse(&body))?,
                    _ => self.opened_again(request, target, &run_id, cursor.as_deref(), &parse(&body))?,
                },
                Effect::Close { request } => self.closed(request)?,
                Effect::Wake { at } => {
                    let asked = std::mem::take(&mut self.not_before);
                    ensure!(at.is_none_or(|at| at >= asked), "waits until {at:?}, and is asked to wait until {asked}");
                    self.wake = at;
                    self.say(|| format!("     → wake at {at:?}"));
                }
                Effect::Settled { ticket, name, result } => self.settled(ticket, &name, &parse(&result))?,
                Effect::Execute { tool_call_id, name, args, .. } => self.executed(&tool_call_id, &name, &args)?,
                Effect::Abandon { tool_call_id } => {
                    self.say(|| format!("     → abandon {tool_call_id}"));
                    match self.due.abandons.iter().position(|id| *id == tool_call_id) {
                        Some(at) => drop(self.due.abandons.remove(at)),
                        None => self.abandoned.push(tool_call_id),
                    }
                }
                Effect::Changed { urgent } => {
                    let again = self.told.is_some_and(|told| told || !urgent);
                    ensure!(!again, "the page is notified twice that it is out of date");
                    self.told = Some(urgent);
                }
                Effect::Custom { value, .. } => self.heard_customs.push(parse(&value)),
                Effect::Save { number, save, part } => {
                    self.store = parse(&whole(&self.session, &mut self.whole, save, part)?);
                    self.give(|session, now| session.saved(number, now))?;
                }
                _ => {}
            }
        }
        ensure!(self.abandoned.is_empty(), "{:?} are abandoned, and do not execute", self.abandoned);
        ensure!(self.due == Due::default(), "what is due does not happen: {:?}", self.due);
        Ok(())
    }

    /// Only what is reported of the snapshot depends on when it was read.
    fn same(&mut self, effect: &Effect) -> Held {
        let Some(twin) = &mut self.twin else { return Ok(()) };
        if matches!(effect, Effect::Changed { .. }) {
            return Ok(());
        }
        let again = std::iter::from_fn(|| twin.poll_effect()).find(|again| !matches!(again, Effect::Changed { .. }));
        // Sets have no order, and how much a save may leave out depends on it as well.
        let again = again.map(|again| in_order(again, twin));
        let effect = Some(in_order(effect.clone(), &self.session));
        ensure!(again == effect, "the twin wants {again:?}, not {effect:?}");
        Ok(())
    }

    fn opened(&mut self, request: u32, body: &Value) -> Held {
        if self.plan.saves && !self.plan.posts {
            let saved = |name: &str, key: &str, id: &Value| {
                self.store[name].as_array().is_some_and(|list| list.iter().any(|item| item[key] == *id))
            };
            ensure!(!saved("queue", "runId", &body["runId"]), "{} is sent, and saved as waiting", body["runId"]);
            let ids = body["messages"].as_array().into_iter().flatten().map(|message| &message["id"]);
            let lost: Vec<&Value> = ids.filter(|id| !saved("messages", "id", id)).collect();
            ensure!(lost.is_empty(), "{lost:?} are sent, and not saved");
        }
        let answer = self.server.answer(body, self.plan.strict, self.now);
        let run_id = body["runId"].as_str().unwrap_or_default().to_owned();
        self.say(|| format!("     → open {request}: {run_id}; the server: {}", answer.about));
        ensure!(self.open_line().is_none() && self.run.is_none(), "request {request} is opened beside another");
        ensure!(!self.is_working(), "request {request} is opened while the page is at work");
        ensure!(self.lines.iter().all(|line| line.request != request), "request {request} is opened twice");
        ensure!(!self.disposed, "a request is opened after dispose");
        self.partial.retain(|(ticket, _)| waited_for(*ticket).is_some());
        ensure!(self.partial.is_empty(), "a run begins, and the answers {:?} wait", self.partial);
        self.due.begins = false;
        let follows = std::mem::take(&mut self.due.follow_up);
        let ticket = match follows {
            true => self.follows(&run_id)?,
            false => self.begins(&run_id)?,
        };
        // A result goes out beside its call only.
        let all = &self.thread.messages;
        let is_called = |id: &String| all.iter().any(|message| message.calls.iter().any(|call| call.id == *id));
        let goes = all.iter().filter(|message| message.tool_call_id.as_ref().is_none_or(is_called));
        let messages: Vec<Value> = goes.map(|message| message.outgoing()).collect();
        let carried = &body["messages"];
        results_follow(carried.as_array().unwrap())?;
        ensure!(*carried == json!(messages), "the request carries {carried}, not {}", json!(messages));
        ensure!(body["state"] == self.thread.state, "the request carries the state {}", body["state"]);
        let resume = body.get("resume").and_then(Value::as_array);
        let entry =
            |answer: &Value| (answer["interruptId"].as_str().unwrap().to_owned(), answer["status"] == "cancelled");
        let resume: Option<Vec<(String, bool)>> = resume.map(|list| list.iter().map(entry).collect());
        let same = resume.as_deref().unwrap_or_default() == self.resumed.as_deref().unwrap_or_default();
        ensure!(same, "the request answers {resume:?}, not {:?}", self.resumed);
        self.thread.sent();
        self.thread.begins();
        match self.asked.get(&ticket).filter(|_| !follows).map(|asked| &asked.start) {
            // A run that is asked for again is not another run.
            Some(Start::Retry) => {}
            Some(Start::Regenerate(_)) => {
                self.earlier.clone_from(&self.handled);
                self.cut.clear();
            }
            _ => self.earlier.clone_from(&self.handled),
        }
        (self.lost, self.anew, self.over, self.started, self.chunks) = (None, false, false, false, None);
        self.ends.clear();
        if !follows {
            self.untold.clear();
        }
        self.run = Some(Run { connected: vec![self.now], ..Run::new(ticket, self.lines.len(), self.now) });
        self.lines.push(Line { request, answer, headed: false, sent: 0, told: 0, over: false, closed: false });
        (self.status, self.outcome, self.run_id) = ("running", None, run_id);
        self.unreached = false;
        Ok(())
    }

    /// Another connection of the run in progress.
    fn opened_again(&mut self, request: u32, target: Target, run_id: &str, cursor: Option<&str>, body: &Value) -> Held {
        ensure!(self.open_line().is_none(), "request {request} is opened beside another");
        ensure!(self.lines.iter().all(|line| line.request != request), "request {request} is opened twice");
        ensure!(run_id == self.run_id, "{run_id} is joined, and {} is on", self.run_id);
        let at = self.lines.len();
        let now = self.now;
        let Some(run) = self.run.as_mut().filter(|run| run.waiting && run.ended.is_none() && run.lost.is_none()) else {
            return Err(format!("request {request} is sent again, and nobody waits for it"));
        };
        ensure!(target != Target::Again || !run.streamed, "a run that has begun is sent again");
        let last = self.lines.get(run.line).and_then(|line| line.answer.head);
        let refused = last.is_some_and(|(status, _)| status == 409);
        let may = self.plan.posts || self.plan.renew && run.renewed || refused;
        ensure!(target != Target::Again || may, "a request is sent again that may have begun a run");
        let read = run.received;
        (run.waiting, run.line, run.joins, run.heard) = (false, at, target == Target::Resume, now);
        (run.body_until, run.rewinds, run.opened, run.held) = (None, false, false, None);
        if let Some(lost) = run.lost_at.take() {
            let early = now < lost + 100.0;
            ensure!(!early, "the connection was lost at {lost}, and is made again at {now}");
        }
        run.connected.push(now);
        let minute = run.connected.iter().filter(|at| **at > now - 60_000.0).count();
        let many = minute as f64 > self.plan.per_minute;
        ensure!(!many, "{minute} connections in a minute");
        let answer = match (target, self.plan.resume) {
            (Target::Resume, Some(way)) => {
                let numbered = way.ids() || way.members();
                let name = if self.plan.names() { "e" } else { "" };
                let expected = (read > 0 && numbered).then(|| format!("{name}{read}"));
                ensure!(cursor == expected.as_deref(), "joined after {cursor:?}, and read up to {expected:?}");
                (run.best, run.fresh, run.advanced) = (run.best.max(run.fresh), 0, false);
                run.whole =
                    matches!(way, Dialect::Replay | Dialect::Thread | Dialect::RunUrl { .. }) && expected.is_none();
                let asks = way != Dialect::Hydrate || body["messages"] == json!([]) && body.get("resume").is_none();
                ensure!(asks, "{body} asks how things stand, and brings something");
                self.server.resume(run_id, read, run.whole, self.anew)
            }
            _ => self.server.answer(body, self.plan.strict, now),
        };
        self.say(|| {
            format!("     → open {request}: {target:?} {run_id} after {cursor:?}; the server: {}", answer.about)
        });
        self.lines.push(Line { request, answer, headed: false, sent: 0, told: 0, over: false, closed: false });
        Ok(())
    }

    /// The next of those who wait begins.
    fn begins(&mut self, run_id: &str) -> Result<Ticket, String> {
        let next = self.queue.iter().position(|ticket| self.admits(&self.asked[ticket]));
        let Some(next) = next else { return Err("a run begins that nobody asked for, or that may not begin".into()) };
        let ticket = self.queue.remove(next);
        let asked = self.asked.get_mut(&ticket).unwrap();
        ensure!(asked.run_id == run_id, "{run_id} begins before {}", asked.run_id);
        ensure!(!std::mem::replace(&mut asked.begun, true), "{run_id} begins twice");
        let (start, message, replaces) = (asked.start.clone(), asked.message.clone(), asked.replaces.clone());
        if let Start::Regenerate(id) = &start
            && let Some(length) = self.thread.cut(id.as_deref())
        {
            self.thread.messages.truncate(length);
        }
        self.leave_turn();
        let (mut left, abandoned) = (std::mem::take(&mut self.due.left), std::mem::take(&mut self.abandoned));
        if self.plan.saves {
            let never: Vec<String> =
                left.extract_if(.., |id| self.due.executes.iter().any(|(due, ..)| due == id)).collect();
            self.never_executes(&never);
        }
        ensure!(left == abandoned, "{abandoned:?} are abandoned, and {left:?} execute");
        self.turn = Some(Turn {
            ticket: Some(ticket),
            run_id: run_id.to_owned(),
            follow_ups: 0,
            calls: Vec::new(),
            over: None,
        });
        self.resumed = self.answers(&self.asked[&ticket]);
        if std::mem::take(&mut self.restored) {
            self.give_up_restored();
        }
        match &start {
            Start::Submit | Start::Regenerate(_) => {}
            Start::Retry => self.thread.drop_unfinished(),
        }
        self.answer_left_open();
        let replaced = self.thread.messages.iter().position(|message| replaces.as_ref() == Some(&message.id));
        if let Some(length) = replaced {
            self.thread.messages.truncate(length);
        }
        self.parked = false;
        if let Some(message) = message {
            self.thread.add(&json!([message]));
        }
        Ok(ticket)
    }

    /// A run with the results of the page's calls.
    fn follows(&mut self, run_id: &str) -> Result<Ticket, String> {
        let Some(turn) = &mut self.turn else { return Err("a run follows on nothing".into()) };
        turn.follow_ups += 1;
        turn.calls.clear();
        turn.over = None;
        let expected = format!("{}-{}", turn.run_id, turn.follow_ups);
        ensure!(run_id == expected, "{run_id} follows, not {expected}");
        self.resumed = None;
        let ticket = *turn.ticket.get_or_insert(0);
        if std::mem::take(&mut self.restored) {
            self.give_up_restored();
        }
        self.answer_left_open();
        Ok(ticket)
    }

    /// Answers that no run has taken along are useless.
    pub(super) fn drop_answers(&mut self, outcome: &'static str) {
        let waited = self.partial.drain(..).filter_map(|(ticket, _)| waited_for(ticket));
        self.due.settles.extend(waited.map(|ticket| (ticket, outcome)));
    }

    /// Drops answers to interrupts that are no longer open. Where all open ones are answered, nothing would send them.
    fn drop_stale_answers(&mut self) {
        let open = &self.thread.interrupts;
        let mut stale: Vec<_> = self.partial.extract_if(.., |(_, (id, _))| !open.contains(id)).collect();
        if open.iter().all(|open| self.partial.iter().any(|(_, (id, _))| id == open)) {
            stale.append(&mut self.partial);
        }
        let waited = stale.into_iter().filter_map(|(ticket, _)| waited_for(ticket));
        self.due.settles.extend(waited.map(|ticket| (ticket, "dropped")));
    }

    fn closed(&mut self, request: u32) -> Held {
        self.say(|| format!("     → close {request}"));
        let line = self.lines.last_mut().filter(|line| line.request == request && !line.closed);
        let Some(line) = line else { return Err(format!("request {request} is closed, but not open")) };
        (line.over, line.closed) = (true, true);
        self.due.closes = false;
        // The connection is given up, not the run.
        if self.run.as_ref().is_none_or(|run| run.waiting) {
            return Ok(());
        }
        if let Some(next) = self.replacing.take_if(|_| self.run.as_ref().is_some_and(|run| run.ended.is_none())) {
            self.ends("aborted");
            self.queue.insert(0, next);
        }
        self.finish()?;
        let Some(next) = self.replacing.filter(|_| !self.due.follow_up) else { return Ok(()) };
        if self.is_working() {
            self.stops();
            self.queue.insert(0, next);
        } else if !self.waits() {
            self.queue.push(next);
        } else {
            return Ok(());
        }
        self.replacing = None;
        Ok(())
    }

    /// The request is over, and with it the run.
    pub(super) fn finish(&mut self) -> Held {
        let Some(run) = self.run.take() else { return Ok(()) };
        let Some(ended) = run.ended else { return Err("a request is closed whose run goes on".into()) };
        self.finished = Some(run.received);
        if matches!(ended, "success" | "interrupted") {
            self.drop_gone_calls();
        }
        self.drop_stale_answers();
        let restored = std::mem::take(&mut self.restored);
        if restored && !matches!(ended, "success" | "interrupted" | "cancelled") {
            self.give_up_restored();
        }
        self.conclude(ended, &run.pending);
        match &mut self.turn {
            Some(turn) if matches!(ended, "success" | "interrupted") && turn.ticket.is_none_or(|t| t == run.ticket) => {
                turn.over = Some(ended);
                self.between_runs();
            }
            _ => self.due.settles.push((run.ticket, ended)),
        }
        Ok(())
    }

    fn settled(&mut self, ticket: Ticket, name: &str, result: &Value) -> Held {
        let outcome = result["outcome"].as_str().unwrap_or_default();
        self.say(|| format!("     → ticket {ticket}: {result}"));
        let working = self.is_working();
        let mut begun = true;
        // Nobody holds the ticket of a run that follows on what people answered.
        if ticket > 0 {
            let Some(asked) = self.asked.get_mut(&ticket) else { return Err(format!("nobody has ticket {ticket}")) };
            ensure!(asked.name == name, "ticket {ticket} is {}, and settles as {name}", asked.name);
            ensure!(!std::mem::replace(&mut asked.settled, true), "ticket {ticket} settles twice");
            if let Some(at) = self.queue.iter().position(|waiting| *waiting == ticket) {
                self.queue.remove(at);
                let dropped = outcome == "dropped" && asked.policy == "drop" && (self.run.is_some() || working);
                ensure!(dropped || outcome == "aborted", "ticket {ticket} never began, and is {outcome}");
                self.settle_joined(ticket, "aborted");
                return Ok(());
            }
            // An answer to one of several interrupts has no run of its own.
            begun = asked.begun;
        }
        let named = !begun || result["runId"] == *self.run_id;
        ensure!(named, "ticket {ticket} settles as {}", result["runId"]);
        if let Some(at) = self.partial.iter().position(|(partial, _)| *partial == ticket && outcome == "dropped") {
            self.partial.remove(at);
            self.due.begins = true;
            return Ok(());
        }
        let due = self.due.settles.iter().position(|due| *due == (ticket, outcome_of(outcome)));
        let Some(due) = due else { return Err(format!("ticket {ticket} is {outcome}; due is {:?}", self.due.settles)) };
        self.due.settles.remove(due);
        self.settle_joined(ticket, outcome_of(outcome));
        let failed = matches!(outcome, "error" | "truncated");
        ensure!(result.get("error").is_some() == failed, "ticket {ticket}: {result}");
        ensure!(!begun || self.open_line().is_none(), "ticket {ticket} settles while its request is open");
        Ok(())
    }

    /// The answers to the other interrupts of a run settle with it.
    fn settle_joined(&mut self, ticket: Ticket, outcome: &'static str) {
        let joined = self.joined.extract_if(.., |(first, _)| *first == ticket);
        self.due.settles.extend(joined.map(|(_, joined)| (joined, outcome)));
    }

    fn never_executes(&mut self, ids: &[String]) {
        self.due.executes.retain(|(id, ..)| !ids.contains(id));
    }

    fn executed(&mut self, id: &str, name: &str, args: &str) -> Held {
        self.say(|| format!("     → execute {id}: {name}({args})"));
        let Some(at) = self.due.executes.iter().position(|(due, ..)| due == id) else {
            return Err(format!("{id} executes, and that is not due"));
        };
        let (_, its, own) = self.due.executes.remove(at);
        // No arguments are an empty object.
        let full = |args: String| if args.trim().is_empty() { "{}".to_owned() } else { args };
        let own = full(own);
        let handled = self.store["handled"].as_array().is_some_and(|handled| handled.contains(&json!(id)));
        ensure!(handled || !self.plan.saves, "{id} executes, and no save knows of it");
        ensure!(self.executing.insert(id.to_owned()), "{id} executes twice");
        ensure!(its == name && own == args, "{id} executes as {name}({args}), not as {its}({own})");
        // Whatever the model thinks: nobody pays who was not asked about that.
        let what = Some((id.to_owned(), name.to_owned(), args.to_owned()));
        ensure!(
            name != "pay" || self.approved.take().map(|(id, name, args)| (id, name, full(args))) == what,
            "{id} executes as {name}({args}), and was not approved so"
        );
        Ok(())
    }

    /// The run in progress will end so, unless it has ended otherwise already.
    pub(super) fn ends(&mut self, outcome: &'static str) {
        if let Some(run) = &mut self.run {
            run.ended.get_or_insert(outcome);
        }
    }

    /// Somebody stops what is on.
    pub(super) fn stops(&mut self) {
        if self.run.as_ref().is_some_and(|run| matches!(run.ended, Some("success" | "interrupted"))) {
            self.drop_gone_calls();
        }
        let goes_on = self.goes_on("success");
        if let Some(run) = &mut self.run {
            if goes_on {
                run.ended = Some("aborted");
            }
            run.ended.get_or_insert("aborted");
            let open = !run.waiting;
            self.due.closes = open;
            if !open {
                self.finish().ok();
            }
        } else if self.is_working() {
            let ticket = self.turn.as_mut().and_then(|turn| turn.ticket.take());
            self.conclude("aborted", &[]);
            self.due.settles.extend(ticket.map(|ticket| (ticket, "aborted")));
        }
    }

    /// Nothing streams.
    pub(super) fn conclude(&mut self, ended: &'static str, pending: &[String]) {
        use super::page::Stage::*;
        let mut pending = pending.to_vec();
        pending.extend(self.open_calls(&[Executing, Waiting, Manual]));
        self.thread.end(ended, &pending);
        let well = matches!(ended, "success" | "interrupted");
        let goes_on = self.goes_on(ended);
        if well {
            self.resumed = None;
        } else {
            self.abandon_turn();
        }
        (self.status, self.outcome) = match ended {
            _ if goes_on => ("running", None),
            "error" | "truncated" => ("error", Some(ended)),
            _ => ("idle", Some(ended)),
        };
    }
}

/// Model providers refuse a result before its call, one of the page's apart from its call or without it, and a second one.
fn results_follow(messages: &[Value]) -> Held {
    let mut results = Vec::new();
    for (at, result) in messages.iter().enumerate().filter(|(_, message)| message["role"] == "tool") {
        let id = &result["toolCallId"];
        let calls =
            |message: &Value| message["toolCalls"].as_array().is_some_and(|calls| calls.iter().any(|c| c["id"] == *id));
        let own = result["id"].as_str().unwrap().ends_with("-result");
        // Of several of one id the last one before it.
        let caller = messages[..at].iter().rposition(calls).or(messages.iter().position(calls));
        ensure!(caller.is_some() || !own, "the result {result} is sent without its call");
        ensure!(caller.is_none_or(|caller| caller < at), "the result {result} is sent before its call");
        let apart =
            caller.is_some_and(|caller| messages[caller + 1..at].iter().any(|between| between["role"] != "tool"));
        ensure!(!own || !apart, "the result {result} is sent apart from its call");
        ensure!(!own || !results.contains(&(id, caller)), "two results of {id} are sent");
        results.push((id, caller));
    }
    Ok(())
}

fn outcome_of(name: &str) -> &'static str {
    let known = ["success", "error", "aborted", "interrupted", "cancelled", "truncated", "dropped", "disconnected"];
    known.into_iter().find(|known| *known == name).unwrap_or("unknown")
}

/// The effect with a save that is whole, and with the ids of it in order that are a set.
fn in_order(effect: Effect, session: &Session) -> Effect {
    match effect {
        Effect::Save { number, .. } => {
            Effect::Save { number, save: super::user::in_order(&session.save()), part: false }
        }
        other => other,
    }
}
