//! A user who does anything at any time, while a server sends whatever it likes.

use crate::input::{Input, Setup};
use crate::pair::Pair;
use crate::support::streams::{Random, Streams};
use crate::wanted::Avoided;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub fn play(seed: u64) {
    let mut random = Random::new(seed);
    let setup = Setup {
        strict: random.one_in(5),
        protocol: random.pick(&["1.0", "1.0", "0.0.57", "0.0.47", "0.0.39"]),
        resume: [None, None, Some("last-event-id"), Some("replay"), Some("snapshot")][random.below(5)],
        posts: random.one_in(3),
        history: [0, 100][random.below(2)],
    };
    let mut user = User {
        pair: Pair::new(setup),
        random,
        ids: 0,
        shown: Value::Null,
        tools: Vec::new(),
        calls: BTreeSet::new(),
        left: false,
        edited: false,
    };
    user.tools = vec![json!({"name": "tool"}), json!({"name": "f", "needsApproval": user.random.one_in(2)})];
    user.submit();
    let events = Streams::new(seed).events();
    for event in &events {
        if user.random.one_in(3) {
            user.act();
        }
        if !Avoided::CallAgain.if_so(user.repeats(event)) {
            user.pair.bytes(format!("data: {event}\n\n").as_bytes());
        }
        if user.random.one_in(3) {
            user.publish();
        }
    }
    if user.random.one_in(2) {
        user.pair.end();
    }
    user.publish();
    user.pair.compare_saves();
    user.submit();
    user.publish();
}

struct User {
    pair: Pair,
    random: Random,
    ids: usize,
    /// The application's last snapshot, which may be some time old.
    shown: Value,
    tools: Vec<Value>,
    /// The calls that have begun.
    calls: BTreeSet<String>,
    /// A run was left.
    left: bool,
    /// The state was edited, and no request has carried it.
    edited: bool,
}

impl User {
    /// Whether an event brings the id of a call again that is over.
    fn repeats(&mut self, event: &Value) -> bool {
        let lists = [&event["messages"], &event["input"]["messages"]];
        let messages = lists.into_iter().filter_map(Value::as_array).flatten();
        let mut ids: Vec<String> = messages
            .flat_map(|message| message["toolCalls"].as_array().cloned().unwrap_or_default())
            .map(|call| call["id"].to_string())
            .collect();
        ids.sort();
        if ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return true;
        }
        self.calls.extend(ids);
        let adds = matches!(event["type"].as_str(), Some("TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_CHUNK"));
        if !adds || !event["toolCallId"].is_string() {
            return false;
        }
        self.publish();
        let shown = self.pair.shown();
        let calls = shown["toolCalls"].as_array().unwrap();
        let id = &event["toolCallId"];
        let call = calls.iter().find(|call| call["id"] == *id);
        // One that an edit or a list has taken away counts as well.
        let known = !self.calls.insert(id.to_string());
        call.map_or(known, |call| call["status"] != "running")
    }

    fn publish(&mut self) {
        self.pair.publish();
        if self.random.one_in(2) {
            self.shown = self.pair.shown();
        }
    }

    /// Looks again where messages that were shown have another order now, or are a part of another one.
    fn look_where_moved(&mut self) {
        let keys = |messages: &Value| -> Vec<String> {
            let messages = messages.as_array().into_iter().flatten();
            messages.map(|message| format!("{} {} {}", message["role"], message["id"], message["toolCallId"])).collect()
        };
        let (then, now) = (keys(&self.shown["messages"]), keys(&self.pair.messages()));
        let thought = |key: &&String| key.starts_with("\"reasoning\"") && !now.contains(key);
        let (order, known): (Vec<&String>, Vec<&String>) = (
            then.iter().filter(|key| now.contains(key)).collect(),
            now.iter().filter(|key| then.contains(key)).collect(),
        );
        if Avoided::EditOfMovedMessages.if_so(order != known || then.iter().any(|key| thought(&key))) {
            self.pair.publish();
            self.shown = self.pair.shown();
        }
    }

    fn input(&mut self) -> String {
        self.ids += 1;
        let message = json!({"id": format!("u{}", self.ids), "role": "user", "content": "go"});
        let policy = self.random.pick(&["queue", "queue", "replace", "drop", "reject"]);
        let mut input = json!({"runId": format!("run{}", self.ids), "messages": [message], "pageTools": self.tools, "ifBusy": policy});
        if self.random.one_in(6) {
            input["state"] = json!({"mine": self.ids});
        }
        input.to_string()
    }

    fn submit(&mut self) {
        let input = self.input();
        let before = self.pair.request;
        self.pair.give(&Input::Submit(input));
        if self.pair.request != before {
            self.left = false;
            self.edited = false;
            self.pair.head("text/event-stream");
        }
    }

    /// A call of the snapshot, or one that is not there.
    fn call(&mut self) -> Value {
        let shown = self.pair.shown();
        let calls = shown["toolCalls"].as_array().unwrap();
        if calls.is_empty() { json!("a") } else { calls[self.random.below(calls.len())]["id"].clone() }
    }

    fn act(&mut self) {
        let input = match self.random.below(24) {
            0..3 => return self.submit(),
            3 | 4 if Avoided::RetryOfWhatWasLeft.if_so(self.left) => return,
            3 => Input::Retry(self.input()),
            4 => {
                let shown = self.pair.shown();
                let mut messages = shown["messages"].as_array().into_iter().flatten().rev();
                let answer = messages
                    .find(|message| !Avoided::RegenerateWithoutAnswer.if_so(message["role"] != "assistant"))
                    .map_or("none", |message| message["id"].as_str().unwrap());
                Input::Regenerate(answer.into(), self.input())
            }
            5 if self.random.one_in(2) => Input::Stop,
            6 if self.random.one_in(3) => Input::Disconnect,
            7 if Avoided::AttachAfterAnEdit.if_so(self.edited) => return,
            7 => Input::Attach,
            8 | 9 => Input::Settle(json!({"toolCallId": self.call(), "result": {"ok": 1}}).to_string()),
            10 => Input::Settle(json!({"toolCallId": self.call(), "error": "it failed"}).to_string()),
            11 => Input::Approve(json!({"toolCallId": self.call()}).to_string()),
            12 => Input::Deny(json!({"toolCallId": self.call()}).to_string()),
            13 => {
                self.pair.publish();
                let shown = self.pair.shown();
                if Avoided::ReplyDuringABody.if_so(shown["isLoading"] != true) {
                    self.pair.end();
                }
                let Some(open) = shown["interrupts"].as_array().and_then(|open| open.first()) else { return };
                self.ids += 1;
                let run = json!({"runId": format!("run{}", self.ids), "messages": []});
                Input::Answer(json!({"interruptId": open["id"], "status": "resolved", "run": run}).to_string())
            }
            14 | 15 => Input::SetState(json!({"edited": self.ids, "list": []}).to_string()),
            16 => {
                self.pair.now += 700.0;
                Input::Tick
            }
            17 => Input::Failed(self.pair.request),
            18 => Input::EditQueued(2, json!({"runId": "edited", "messages": []}).to_string()),
            19 if self.random.one_in(8) => Input::Reset,
            _ => {
                self.look_where_moved();
                self.edited = true;
                for edit in edits(&self.shown.clone(), &mut self.random) {
                    self.pair.give(&edit);
                }
                return;
            }
        };
        self.edited |= matches!(input, Input::SetState(_));
        let before = self.pair.request;
        self.pair.give(&input);
        self.left |= matches!(input, Input::Disconnect);
        if self.pair.request != before {
            self.left = false;
            self.edited = false;
            self.pair.head("text/event-stream");
        }
    }
}

/// Edits of the messages and of the state, as they were shown.
pub fn edits(shown: &Value, random: &mut Random) -> Vec<Input> {
    let messages = shown["messages"].as_array().cloned().unwrap_or_default();
    let mut after: Vec<Value> = (0..messages.len()).map(Value::from).collect();
    let (at, id) = (random.below(messages.len().max(1)), random.below(1000));
    let no_result = |message: &&Value| message["role"] != "tool";
    let ids: BTreeSet<String> = messages.iter().filter(no_result).map(|message| message["id"].to_string()).collect();
    let unlike = ids.len() == messages.iter().filter(no_result).count();
    match random.below(6) {
        _ if messages.is_empty() => {}
        0 => drop(after.remove(at)),
        1 if !Avoided::MoveOfAlikeMessages.if_so(!unlike) => after.reverse(),
        2 => {
            after[at] = messages[at].clone();
            after[at]["metadata"] = json!({"n": id});
        }
        3 => {
            after[at] = messages[at].clone();
            after[at]["content"] = json!("other");
        }
        4 => after[at] = json!({"id": messages[at]["id"], "role": "user", "content": "mine"}),
        _ => {}
    }
    after.push(json!({"id": format!("x{id}"), "role": "user", "content": "mine"}));
    let mut state = shown["state"].clone();
    match &mut state {
        Value::Object(members) => {
            if let Some(Value::Array(list)) = members.values_mut().next() {
                list.push(json!(id));
            }
            members.insert("mine".to_owned(), json!(id));
        }
        _ => state = json!({"mine": id, "list": [id]}),
    }
    let edits = [
        Input::EditMessages(json!(messages).to_string(), json!(after).to_string()),
        Input::EditState(shown["state"].to_string(), state.to_string()),
    ];
    // The mirror has halves as characters that the core would take for others.
    let plain = |input: &Input| {
        !format!("{input:?}").contains("\\u{10f") && !format!("{input:?}").chars().any(|c| c >= '\u{10F800}')
    };
    edits.into_iter().filter(plain).collect()
}
