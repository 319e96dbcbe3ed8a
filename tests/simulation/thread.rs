//! The model of the thread: the messages, calls and state that follow from the delivered events, kept in the plainest
//! way.

mod ends;
mod lists;
mod message;

use message::wire;
pub use message::{Call, Message, numbered};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Members and what they are set to; `None`: they are removed.
type Changes = Vec<(String, Option<Value>)>;

#[derive(Debug, Default)]
pub struct Thread {
    pub messages: Vec<Message>,
    pub state: Value,
    /// The server's state, and the members that the application has changed since.
    local: Option<(Value, Changes)>,
    /// The ids of the open ones.
    pub interrupts: Vec<String>,
    /// When they expire, of those that do.
    pub expiries: HashMap<String, f64>,
    /// Ids, and how they are.
    pub subagents: Vec<(String, &'static str)>,
    /// The state that the run began with.
    before: Value,
    /// Messages that the stream has opened. The application may have taken them out of the thread.
    open: HashSet<String>,
    /// Ids of the messages that the run did not bring: those that were there, and the application's own.
    known: HashSet<String>,
    /// The same of calls, with the length that their arguments had; none, where a list has written them since.
    pub known_calls: HashMap<String, Option<usize>>,
    /// Known calls that were removed, and whose ids the run gives other calls.
    pub removed: HashSet<String>,
    /// Calls that lists have written anew, or elsewhere.
    pub rewritten: Vec<String>,
    /// Answers of the page whose call a list has taken away: call, content, whether errors, whether denials.
    pub orphans: Vec<(String, String, Option<String>, bool)>,
    /// Calls that the run has started, and not answered.
    pub started: Vec<String>,
    /// The last message when the run began.
    behind: Option<String>,
    /// The same of the last run in its stream.
    part: Option<String>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Thread {
    pub fn new() -> Self {
        Self { state: json!({}), ..Self::default() }
    }

    pub fn shown(&self) -> Vec<Value> {
        self.messages.iter().map(Message::shown).collect()
    }

    pub fn calls_shown(&self) -> Vec<Value> {
        let calls =
            |message: &Message| -> Vec<Value> { message.calls.iter().map(|call| call.shown(&message.id)).collect() };
        self.messages.iter().flat_map(calls).collect()
    }

    fn at(&self, id: &str) -> Option<usize> {
        self.messages.iter().position(|message| message.id == id)
    }

    fn message(&mut self, id: &str) -> Option<&mut Message> {
        self.messages.iter_mut().find(|message| message.id == id)
    }

    fn caller(&mut self, call: &str) -> Option<&mut Message> {
        self.messages.iter_mut().find(|message| message.calls.iter().any(|has| has.id == call))
    }

    pub fn call(&mut self, id: &str) -> Option<&mut Call> {
        self.messages.iter_mut().flat_map(|message| &mut message.calls).find(|call| call.id == id)
    }

    pub fn add(&mut self, messages: &Value) {
        for message in self.read(messages) {
            if self.at(&message.id).is_none() {
                self.messages.push(message);
            }
        }
        self.settle(Vec::new(), &[], false);
    }

    /// A list of messages, with its calls numbered: calls of one id by their places, those of known messages as they are.
    fn read(&self, messages: &Value) -> Vec<Message> {
        let mut given: Vec<Message> = messages.as_array().unwrap().iter().map(Message::read).collect();
        let mut repeats = self.messages.iter().flat_map(|message| &message.calls).any(|call| wire(&call.id).1 > 1);
        let mut ids = HashSet::new();
        for call in given.iter().flat_map(|message| &message.calls) {
            repeats |= !ids.insert(wire(&call.id).0.to_owned());
        }
        let here = |message: &Message| self.messages.iter().find(|local| repeats && local.id == message.id);
        let known = |message: &Message, at: usize| {
            let known = here(message)?.calls.get(at)?.id.clone();
            (wire(&known).0 == wire(&message.calls[at].id).0).then_some(known)
        };
        let calls = |(place, message): (usize, &Message)| -> Vec<(String, usize)> {
            (0..message.calls.len()).filter_map(|at| Some((known(message, at)?, place))).collect()
        };
        // Where in the list they are.
        let taken: HashMap<String, usize> = given.iter().enumerate().flat_map(calls).collect();
        let mut last: HashMap<String, usize> = HashMap::new();
        let mut answered = HashSet::new();
        for (place, message) in given.iter_mut().enumerate() {
            for at in 0..message.calls.len() {
                let known = known(message, at);
                let (id, own) = wire(&message.calls[at].id);
                let last = last.entry(id.to_owned()).or_default();
                let free = |number: &usize| !taken.contains_key(&numbered(id, *number));
                *last = match &known {
                    Some(known) => wire(known).1,
                    None => (own.max(*last + 1)..).find(free).unwrap(),
                };
                message.calls[at].id = numbered(id, *last);
            }
            if let Some(id) = message.tool_call_id.clone() {
                let known = here(message).and_then(|here| here.tool_call_id.as_deref()).map(wire);
                // Results of several calls may have one id: each call has one of them, after it.
                let known = known.filter(|known| known.0 == id).map(|known| known.1).filter(|number| {
                    let call = numbered(&id, *number);
                    taken.get(&call).is_some_and(|of| *of < place) && answered.insert(call)
                });
                message.tool_call_id = Some(numbered(&id, known.unwrap_or(*last.get(&id).unwrap_or(&1))));
            }
        }
        given
    }

    /// The last call that has an id.
    pub fn last_of(&self, id: &str) -> String {
        let calls = self.messages.iter().flat_map(|message| &message.calls).map(|call| wire(&call.id));
        numbered(id, calls.filter(|call| call.0 == id).map(|call| call.1).max().unwrap_or(1))
    }

    /// The call that is meant by a START.
    pub fn started_as(&self, start: &Value) -> String {
        let id = start["toolCallId"].as_str().unwrap();
        let last = self.last_of(id);
        let place = self.messages.iter().position(|message| message.calls.iter().any(|call| call.id == last));
        let free = |from: usize| {
            (from..).map(|number| numbered(id, number)).find(|call| !self.removed.contains(call)).unwrap()
        };
        let Some(place) = place else { return free(wire(&last).1) };
        let call = self.messages[place].calls.iter().find(|call| call.id == last).unwrap();
        let given_up =
            ["The run ended before the call was answered.", "The page was left before the tool had finished."];
        let given_up = call.result.as_deref().is_some_and(|result| given_up.contains(&result));
        // The server has not seen an answer that the page has given during the run.
        let unseen = self.messages.iter().rfind(|message| message.answers(&last)).is_some_and(|answer| answer.local);
        let over = call.result.is_some() && !unseen;
        let found = self.part.as_ref().or(self.behind.as_ref()).filter(|_| !given_up).and_then(|id| self.at(id));
        let begin = found.or_else(|| self.messages.iter().rposition(|message| message.role == "user"));
        let earlier = begin.is_some_and(|begin| place <= begin);
        if over && earlier { free(wire(&last).1 + 1) } else { last }
    }

    /// Another run begins in the stream.
    pub fn goes_on(&mut self) {
        self.part = self.messages.last().map(|message| message.id.clone());
    }

    /// An event of a stream was delivered.
    pub fn apply(&mut self, event: &Value) {
        let id = |name: &str| text(&event[name]);
        match event["type"].as_str().unwrap() {
            kind @ ("TEXT_MESSAGE_START" | "REASONING_MESSAGE_START") => self.opens(kind, event),
            kind @ ("TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT") => {
                // Of a message that was open when the page joined, or left.
                if !self.open.contains(&id("messageId")) {
                    self.opens(kind, event);
                }
                if let Some(message) = self.message(&id("messageId")) {
                    *message.content.get_or_insert_default() += event["delta"].as_str().unwrap();
                }
            }
            "TEXT_MESSAGE_END" | "REASONING_MESSAGE_END" => {
                // A page that was loaded anew knows what an END ends, but not which chunks have come.
                let counts = self.open.remove(&id("messageId")) || event.get("ofChunks").is_none();
                if let Some(message) = self.message(&id("messageId")).filter(|_| counts) {
                    message.delivery = "complete";
                    message.text_open = false;
                }
            }
            "SUBAGENT_STARTED" if !self.subagents.iter().any(|(known, _)| *known == id("subagentRunId")) => {
                self.subagents.push((id("subagentRunId"), "running"));
            }
            "SUBAGENT_FINISHED" => {
                let ended = self.subagents.iter_mut().find(|(known, _)| *known == id("subagentRunId"));
                ended.into_iter().for_each(|(_, status)| *status = "complete");
            }
            "RUN_STARTED" => {
                self.started.clear();
                self.subagents.clear();
                self.open.clear();
            }
            "TOOL_CALL_START" => {
                let call = self.started_as(event);
                self.started.push(call.clone());
                if self.call(&call).is_none() {
                    self.started.retain(|id| *id != call || !self.messages.iter().any(|message| message.answers(id)));
                    let parent = event["parentMessageId"].as_str().unwrap_or(&call);
                    let mut message = Message::read(&json!({"id": parent, "role": "assistant"}));
                    message.delivery = "streaming";
                    let name = id("toolCallName");
                    let args = String::new();
                    message.told = true;
                    let (phase, given) = ("input-streaming", false);
                    let id = call.clone();
                    message.calls =
                        vec![Call { id, name, args, phase, running: true, result: None, given, ended: given }];
                    self.messages.push(message);
                    // Its answer has come before it.
                    if let Some(at) = self.messages.iter().rposition(|message| message.answers(&call)) {
                        let answer = self.messages.remove(at);
                        self.messages.push(answer);
                        self.link();
                    }
                } else if let Some(again) = self.call(&call) {
                    again.name = id("toolCallName");
                }
            }
            "TOOL_CALL_ARGS" => {
                let id = self.last_of(&id("toolCallId"));
                // An answered call has its arguments.
                if let Some(call) = self.call(&id).filter(|call| call.result.is_none() || !call.ended) {
                    call.args += event["delta"].as_str().unwrap();
                }
            }
            "TOOL_CALL_END" => {
                let id = self.last_of(&id("toolCallId"));
                if let Some(call) = self.call(&id) {
                    call.ended = true;
                    if call.phase == "input-streaming" {
                        call.phase = "input-available";
                    }
                }
                if let Some(message) = self.caller(&id) {
                    message.complete_if_idle();
                }
            }
            "TOOL_CALL_RESULT" => {
                let call = self.last_of(&id("toolCallId"));
                self.started.retain(|started| *started != call);
                self.result(&id("messageId"), &call, event["content"].as_str().unwrap());
            }
            "STATE_SNAPSHOT" => {
                *self.confirmed() = event["snapshot"].clone();
                self.rebase();
            }
            "STATE_DELTA" => {
                self.confirmed()["n"] = event["delta"][0]["value"].clone();
                self.rebase();
            }
            "MESSAGES_SNAPSHOT" => self.merge(&event["messages"]),
            "RUN_FINISHED" => {
                let interrupts = event["outcome"]["interrupts"].as_array().map_or(&[][..], Vec::as_slice);
                self.interrupts = interrupts.iter().map(|interrupt| text(&interrupt["id"])).collect();
                let expiry =
                    |interrupt: &Value| Some((text(&interrupt["id"]), interrupt["metadata"]["expires"].as_f64()?));
                self.expiries = interrupts.iter().filter_map(expiry).collect();
            }
            _ => {}
        }
    }

    /// A message is opened, that is new or continues.
    fn opens(&mut self, kind: &str, event: &Value) {
        let id = text(&event["messageId"]);
        self.open.insert(id.clone());
        if self.at(&id).is_none() {
            let role = if kind.starts_with("REASONING") { "reasoning" } else { "assistant" };
            let new = json!({"id": id, "role": role, "content": "", "subagentRunId": event["subagentRunId"]});
            self.messages.push(Message { told: true, ..Message::read(&new) });
        }
        if let Some(message) = self.message(&id) {
            message.delivery = "streaming";
            message.text_open = true;
        }
    }

    /// A run begins.
    pub fn begins(&mut self) {
        self.messages.iter_mut().for_each(|message| message.told = false);
        self.known = self.messages.iter().map(|message| message.id.clone()).collect();
        let calls = self.messages.iter().flat_map(|message| &message.calls);
        self.known_calls = calls.map(|call| (call.id.clone(), Some(call.args.len()))).collect();
        self.before = self.state.clone();
        self.behind = self.messages.last().map(|message| message.id.clone());
        self.part = None;
        self.open.clear();
        self.started.clear();
        self.removed.clear();
    }

    /// The run is replayed from its beginning: what it has sent is forgotten. Gives the calls that the page has answered,
    /// with its answers, and whether they are errors, and denials: nobody tells those again.
    pub fn go_back(&mut self) -> Vec<(String, String, Option<String>, bool)> {
        let mut told: Vec<Call> =
            self.messages.iter().filter(|m| m.told).flat_map(|message| message.calls.clone()).collect();
        // A list may have put a call of this run into an older message.
        for message in self.messages.iter_mut().filter(|message| !message.told) {
            told.extend(message.calls.extract_if(.., |call| !self.known_calls.contains_key(&call.id)));
        }
        for call in self.messages.iter_mut().flat_map(|message| &mut message.calls) {
            if let Some(Some(length)) = self.known_calls.get(&call.id) {
                call.ended &= call.args.len() <= *length;
                call.args.truncate(*length);
            }
        }
        self.part = None;
        let mut answers = Vec::new();
        self.messages.retain(|message| {
            let call = told.iter().find(|call| message.tool_call_id.as_ref() == Some(&call.id));
            if let Some(call) = call.filter(|_| message.local) {
                let content = message.content.clone().unwrap_or_default();
                answers.push((call.id.clone(), content, message.error.clone(), call.phase == "denied"));
            }
            !message.told && (call.is_none() || !message.page)
        });
        *self.confirmed() = self.before.clone();
        self.rebase();
        self.subagents.clear();
        self.open.clear();
        self.started.clear();
        answers
    }

    /// Whether a list of messages has what the run was asked with.
    pub fn is_asked_in(&self, messages: &Value) -> bool {
        let has = |id: &String| messages.as_array().unwrap().iter().any(|message| message["id"] == **id);
        self.behind.as_ref().is_none_or(has)
    }

    /// The calls after the message that was the last one when the run began, or else after the user's last one, that have
    /// no answer.
    pub fn unanswered(&self) -> Vec<String> {
        let at = self.messages.iter().rposition(|message| Some(&message.id) == self.behind.as_ref());
        let at = at.or_else(|| self.messages.iter().rposition(|message| message.role == "user"));
        let calls = self.messages[at.map_or(0, |at| at + 1)..].iter().flat_map(|message| &message.calls);
        calls.filter(|call| call.result.is_none()).map(|call| call.id.clone()).collect()
    }

    fn confirmed(&mut self) -> &mut Value {
        match &mut self.local {
            Some((confirmed, _)) => confirmed,
            None => &mut self.state,
        }
    }

    /// The application's changes stay above what the server says.
    fn rebase(&mut self) {
        let Some((confirmed, changes)) = &self.local else { return };
        self.state = confirmed.clone();
        let state = self.state.as_object_mut().unwrap();
        for (key, value) in changes {
            match value {
                Some(value) => state.insert(key.clone(), value.clone()),
                None => state.remove(key),
            };
        }
    }

    /// The application's own state.
    pub fn set_state(&mut self, new: Value) {
        let confirmed = self.confirmed().clone();
        self.state = new;
        let (old, new) = (confirmed.as_object().unwrap(), self.state.as_object().unwrap());
        let set = new.iter().filter(|(key, value)| old.get(*key) != Some(value));
        let set = set.map(|(key, value)| (key.clone(), Some(value.clone())));
        let gone = old.keys().filter(|key| !new.contains_key(*key)).map(|key| (key.clone(), None));
        let changes: Vec<_> = set.chain(gone).collect();
        self.local = (!changes.is_empty()).then_some((confirmed, changes));
    }

    /// A tool message: after the message that called and the answers that it has.
    fn result(&mut self, id: &str, call: &str, content: &str) {
        if let Some(call) = self.call(call) {
            call.answer(content, false);
        }
        let new = json!({"id": id, "role": "tool", "toolCallId": call, "content": content});
        let is = |message: &&mut Message| message.id == id && message.tool_call_id.as_deref() == Some(call);
        if let Some(message) = self.messages.iter_mut().find(is) {
            message.content = Some(content.to_owned());
            return;
        }
        // The page's own answer is not needed beside it.
        self.messages.retain(|message| !message.page || message.tool_call_id.as_deref() != Some(call));
        let at = self.after_results(call);
        self.messages.insert(at, Message { told: true, ..Message::read(&new) });
    }

    fn after_results(&self, call: &str) -> usize {
        let caller = self.messages.iter().position(|message| message.calls.iter().any(|has| has.id == call));
        caller.map_or(self.messages.len(), |caller| {
            let behind = self.messages[caller + 1..].iter();
            caller + 1 + behind.take_while(|message| message.role == "tool").count()
        })
    }

    /// The page, or somebody who looks at it, answers a call.
    pub fn answer(&mut self, id: &str, content: &str, error: Option<&str>, denied: bool) {
        let Some(call) = self.call(id) else { return };
        call.answer(content, error.is_some());
        if denied {
            call.phase = "denied";
        }
        let mut new = json!({"id": format!("{id}-result"), "role": "tool", "toolCallId": id, "content": content});
        if let Some(error) = error {
            new["error"] = json!(error);
        }
        let at = self.after_results(id);
        self.messages.insert(at, Message { local: true, page: true, ..Message::read(&new) });
    }

    /// The server has seen all that there is.
    pub fn sent(&mut self) {
        self.messages.iter_mut().for_each(|message| message.local = false);
        self.local = None;
    }
}
