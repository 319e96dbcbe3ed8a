//! A whole session: a user who does anything at any time, a network that cuts anywhere, a server that sends anything.
//!
//! Two agents are given the same inputs. One reads in pieces and takes its patches at random points, the other reads each
//! piece at once and takes one patch at the end. They must have shown and reported the same.

use super::streams::{self, DEPTH, same, seen};
use super::{cut, saves, seeded};
use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::streams::Random;
use ag_ui_wasm::session::{Misuse, Network, Options, Resume, Session, Ticket};
use ag_ui_wasm::wire::Wanted;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub fn session(data: &[u8]) {
    let (random, body) = seeded(data);
    let mut play = Play::new(random);
    play.submit("submit");
    let mut rest = body;
    for _ in 0..24 {
        if play.random.one_in(2) {
            play.act();
        }
        let end = if play.random.one_in(3) { 200 } else { rest.len() + 1 };
        let (piece, others) = rest.split_at(play.random.below(end).min(rest.len()));
        play.feed(piece);
        rest = others;
        if rest.is_empty() {
            break;
        }
    }
    play.feed(rest);
    play.finish();
}

struct Play {
    random: Random,
    /// Reads in pieces, and takes patches at random points.
    eager: Agent,
    /// Reads at once, and takes a patch at the end.
    lazy: Agent,
    options: Options,
    tickets: BTreeSet<Ticket>,
    ids: usize,
    /// How often each call may be executed, where that is not once.
    again: Vec<String>,
    headed: u32,
    disposed: bool,
    /// The application's last snapshot, which may be some time old.
    shown: Value,
}

impl Play {
    fn new(mut random: Random) -> Self {
        let resume = match random.below(6) {
            0 => Some(("last-event-id", None, None)),
            1 => Some(("replay", None, None)),
            2 => Some(("snapshot", None, None)),
            3 => Some(("run-url", None, None)),
            4 => Some(("cursor", Some("timestamp"), Some("after"))),
            _ => None,
        };
        let resume = resume.map(|(name, path, param)| Resume::by(name, path, param).unwrap());
        let network = Network {
            resume,
            posts: random.one_in(3),
            refusals: random.one_in(3),
            renew_headers: random.one_in(3),
            idle_ms: [0.0, 5000.0][random.below(2)],
            attempts: 3,
            ..Network::default()
        };
        let options = Options {
            strict: random.one_in(3),
            events: Wanted::read(["", "", "*", "TOOL_CALL_ARGS,RUN_FINISHED"][random.below(4)]),
            max_depth: DEPTH,
            max_queue: 4,
            max_history: [0, 100][random.below(2)],
            network,
            ..Options::default()
        };
        let make = || Agent::new(options.clone());
        let (eager, lazy) = (make(), make());
        let (tickets, again) = (BTreeSet::new(), Vec::new());
        Self { random, eager, lazy, options, tickets, ids: 0, again, headed: 0, disposed: false, shown: Value::Null }
    }

    /// The same for both agents.
    fn both<T: PartialEq + std::fmt::Debug>(&mut self, input: impl Fn(&mut Session, f64) -> T) -> T {
        let mut results = Vec::new();
        for agent in [&mut self.eager, &mut self.lazy] {
            agent.act(|session, now| results.push(input(session, now)));
        }
        let last = results.pop().unwrap();
        assert_eq!(results.pop().unwrap(), last, "one agent answers in another way");
        last
    }

    fn ticket(&mut self, input: impl Fn(&mut Session, f64) -> Result<Ticket, Misuse>) {
        if let Ok(ticket) = self.both(input) {
            assert!(self.tickets.insert(ticket), "two submits have one ticket");
        }
    }

    fn submit(&mut self, how: &str) {
        self.ids += 1;
        let (user, run) = (format!("u{}", self.ids), format!("run{}", self.ids));
        let message = json!({"id": user, "role": "user", "content": "go"});
        let open = self.eager.snapshot()["interrupts"].clone();
        let answer = |interrupt: &Value| json!({"interruptId": interrupt["id"], "status": "resolved"});
        let answers: Vec<Value> = open.as_array().unwrap().iter().map(answer).collect();
        let tools = json!([
            {"name": "search"},
            {"name": "confirm", "needsApproval": true},
            {"name": "form", "manual": true},
            {"name": "tool", "followUp": self.random.one_in(2)},
        ]);
        let mut input = json!({"runId": run, "messages": [message], "pageTools": tools, "maxFollowUps": 3});
        if !answers.is_empty() && !self.random.one_in(4) {
            input["resume"] = Value::Array(answers);
        }
        input["ifBusy"] = json!(["queue", "queue", "replace", "drop", "reject"][self.random.below(5)]);
        if self.random.one_in(6) {
            input["state"] = json!({"mine": self.ids});
        }
        let input = input.to_string();
        match how {
            "retry" => self.ticket(|session, now| session.retry(&input, now)),
            "regenerate" => self.ticket(|session, now| session.regenerate(None, &input, now)),
            _ => self.ticket(|session, now| session.submit(&input, now)),
        }
    }

    /// A call of the snapshot, or one that is not there.
    fn call(&mut self) -> String {
        let calls = self.eager.snapshot()["toolCalls"].as_array().unwrap().clone();
        let executed = self.eager.executed.len();
        match self.random.below(3) {
            0 if executed > 0 => self.eager.executed[self.random.below(executed)].0.clone(),
            1 if !calls.is_empty() => calls[self.random.below(calls.len())]["id"].as_str().unwrap_or("").to_owned(),
            _ => "c1".to_owned(),
        }
    }

    fn act(&mut self) {
        match self.random.below(30) {
            0..3 => self.submit("submit"),
            3 => self.submit("retry"),
            4 => self.submit("regenerate"),
            5 => self.both(Session::stop),
            6 => {
                let open = self.tickets.iter().nth(self.random.below(self.tickets.len().max(1))).copied();
                self.both(|session, now| session.cancel(open.unwrap_or(1), now));
            }
            7 => self.both(Session::disconnect),
            8 | 9 => self.ticket(|session, now| session.attach("{}", now)),
            10 | 11 => {
                let result = json!({"toolCallId": self.call(), "result": {"ok": 1}}).to_string();
                drop(self.both(|session, now| session.settle_call(&result, now)));
            }
            12 => {
                let error = json!({"toolCallId": self.call(), "error": "it failed"}).to_string();
                drop(self.both(|session, now| session.settle_call(&error, now)));
            }
            13 | 14 => {
                let id = json!({"toolCallId": self.call()}).to_string();
                // A person approves only what was shown.
                self.lazy.snapshot();
                drop(self.both(|session, now| session.approve(&id, now)));
            }
            15 => {
                let id = json!({"toolCallId": self.call()}).to_string();
                drop(self.both(|session, now| session.deny(&id, now)));
            }
            16 => {
                let id = self.call();
                let json = json!({"toolCallId": id}).to_string();
                if self.both(|session, now| session.hold(&json, now)) == Ok(true) {
                    self.again.push(id);
                }
            }
            17 => self.answer(),
            18 => {
                let state = json!({"edited": self.ids, "list": []}).to_string();
                drop(self.both(|session, _| session.set_state(&state)));
            }
            19 => self.set_messages(),
            20 => {
                for agent in [&mut self.eager, &mut self.lazy] {
                    agent.now += 700.0;
                }
                self.both(Session::tick);
            }
            21 => self.both(Session::online),
            22 => {
                let request = self.request();
                self.both(|session, now| session.failed(request, "the network is gone", now));
            }
            23 => {
                let request = self.request();
                self.both(|session, now| session.end(request, now));
            }
            24 => {
                let ticket = self.tickets.last().copied().unwrap_or(1);
                let edited = json!({"runId": "edited", "messages": []}).to_string();
                drop(self.both(|session, _| session.edit_queued(ticket, &edited)));
            }
            25 | 26 => self.edit_messages(),
            27 => self.edit_state(),
            _ => {
                if self.random.one_in(8) {
                    drop(self.both(Session::reset));
                    self.again.extend(self.eager.executed.iter().map(|(id, _, _)| id.clone()));
                }
            }
        }
        self.look();
    }

    fn answer(&mut self) {
        let open = self.eager.snapshot()["interrupts"].as_array().unwrap().clone();
        if open.is_empty() {
            return;
        }
        self.ids += 1;
        let id = &open[self.random.below(open.len())]["id"];
        let run = json!({"runId": format!("run{}", self.ids), "messages": []});
        let status = ["resolved", "cancelled"][self.random.below(2)];
        let json = json!({"interruptId": id, "status": status, "run": run}).to_string();
        self.ticket(|session, now| session.answer(&json, now));
    }

    fn set_messages(&mut self) {
        let messages = self.eager.snapshot()["messages"].as_array().unwrap().clone();
        let keep = self.random.below(messages.len() + 1);
        let json = Value::Array(messages[..keep].to_vec()).to_string();
        // The mirror has halves as characters that `set_messages` would take for others.
        if !json.chars().any(|c| c >= '\u{10F800}') {
            drop(self.both(|session, _| session.set_messages(&json)));
        }
    }

    /// Edits the messages as they were shown.
    fn edit_messages(&mut self) {
        self.ids += 1;
        let shown = self.shown["messages"].as_array().cloned().unwrap_or_default();
        let mut after: Vec<Value> = (0..shown.len()).map(Value::from).collect();
        let at = self.random.below(shown.len().max(1));
        let how = self.random.below(5);
        match how {
            _ if shown.is_empty() => {}
            0 => drop(after.remove(at)),
            1 => after.reverse(),
            2 => {
                after[at] = shown[at].clone();
                after[at]["metadata"] = json!({"n": self.ids});
            }
            3 => {
                after[at] = shown[at].clone();
                after[at]["content"] = json!("other");
            }
            _ => {}
        }
        after.push(json!({"id": format!("x{}", self.ids), "role": "user", "content": "mine"}));
        let before: Vec<Value> = self.eager.snapshot()["messages"].as_array().unwrap().clone();
        let (shown, json) = (Value::Array(shown).to_string(), Value::Array(after).to_string());
        // The mirror has halves as characters that the core would take for others.
        if [&shown, &json].iter().any(|json| json.chars().any(|c| c >= '\u{10F800}')) {
            return;
        }
        if self.both(|session, _| session.edit_messages(&shown, &json)).is_ok() && how == 4 {
            let mut now: Vec<Value> = self.eager.snapshot()["messages"].as_array().unwrap().clone();
            now.retain(|message| message["id"] != json!(format!("x{}", self.ids)));
            assert_eq!(now, before, "an edit that adds a message changes others");
        }
    }

    /// Edits the state as it was shown.
    fn edit_state(&mut self) {
        self.ids += 1;
        let before = self.shown["state"].clone();
        let mut after = before.clone();
        match &mut after {
            Value::Object(members) => {
                if self.random.one_in(3) {
                    let last = members.keys().next_back().cloned();
                    last.into_iter().for_each(|key| drop(members.remove(&key)));
                }
                if let Some(Value::Array(list)) = members.values_mut().next() {
                    list.push(json!(self.ids));
                }
                members.insert("mine".to_owned(), json!(self.ids));
            }
            _ => after = json!({"mine": self.ids, "list": [self.ids]}),
        }
        let (before, after) = (before.to_string(), after.to_string());
        if !before.chars().any(|c| c >= '\u{10F800}') {
            drop(self.both(|session, _| session.edit_state(&before, &after)));
        }
    }

    fn request(&self) -> u32 {
        self.eager.requests.last().map_or(0, |(request, _)| *request)
    }

    /// Bytes of the server, for whatever request is out.
    fn feed(&mut self, bytes: &[u8]) {
        let request = self.request();
        if self.headed != request && self.random.below(8) > 0 {
            self.headed = request;
            let status = [200, 200, 200, 200, 200, 200, 204, 401, 404, 503][self.random.below(10)];
            let media_type = ["text/event-stream", "text/event-stream", "", "application/json"][self.random.below(4)];
            let after = self.random.one_in(9).then_some("1");
            self.both(|session, now| session.head(request, status, media_type, after, now));
        }
        for piece in cut(&mut self.random, bytes) {
            self.eager.bytes(request, piece);
            if self.random.one_in(3) {
                self.eager.snapshot();
            }
        }
        self.lazy.bytes(request, bytes);
        self.look();
    }

    /// Checks the invariants that hold at any time.
    fn look(&mut self) {
        if self.random.one_in(2) {
            self.shown = self.eager.snapshot().clone();
        }
        assert_eq!(self.eager.requests.len(), self.lazy.requests.len(), "the cuts make another request");
        assert_eq!(self.eager.settled, self.lazy.settled, "the cuts settle another ticket");
        let mut executed: Vec<&String> = self.eager.executed.iter().map(|(id, _, _)| id).collect();
        for again in &self.again {
            if let Some(at) = executed.iter().position(|id| *id == again) {
                executed.swap_remove(at);
            }
        }
        executed.sort_unstable();
        assert!(executed.windows(2).all(|pair| pair[0] != pair[1]), "a tool is executed twice: {executed:?}");
        let mut settled: Vec<Ticket> = self.eager.settled.iter().map(|(ticket, _)| *ticket).collect();
        settled.sort_unstable();
        // Ticket 0 is nobody's: runs that follow on calls of an agent that was restored.
        assert!(
            settled.windows(2).all(|pair| pair[0] != pair[1] || pair[0] == 0),
            "a ticket settles twice: {settled:?}"
        );
        if self.random.one_in(16) && !self.disposed {
            let options = self.options.clone();
            saves::again(&self.eager, || Agent::new(options.clone()));
        }
    }

    fn finish(&mut self) {
        if self.random.one_in(2) {
            let request = self.request();
            self.both(|session, now| session.end(request, now));
        }
        same(&seen(&mut self.eager), &seen(&mut self.lazy), "the cuts, or when patches were taken");
        same(&saves::plain(&self.eager.session.save()), &saves::plain(&self.lazy.session.save()), "the cuts");
        self.disposed = true;
        self.both(Session::dispose);
        self.look();
        let settled: BTreeSet<Ticket> = self.eager.settled.iter().map(|(ticket, _)| *ticket).collect();
        let left: Vec<&Ticket> = self.tickets.difference(&settled).collect();
        assert!(left.is_empty(), "tickets {left:?} never settle");
        same(&streams::seen(&mut self.eager), &streams::seen(&mut self.lazy), "the cuts, at the end");
    }
}
