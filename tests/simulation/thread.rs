//! What the thread must be: the messages, calls and state that follow from what was delivered, kept in the plainest way.

use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// A message of the expected thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub id: String,
    pub role: String,
    pub content: Option<String>,
    pub tool_call_id: Option<String>,
    pub delivery: &'static str,
    pub calls: Vec<Call>,
    /// The subagent that says it.
    owner: Option<String>,
    error: Option<String>,
    text_open: bool,
    /// The server has not seen it.
    local: bool,
    /// The run that is on has told it.
    told: bool,
}

/// A call of an assistant message.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub args: String,
    pub phase: &'static str,
    pub running: bool,
    pub result: Option<String>,
}

/// Members and what they are set to; `None`: they are removed.
type Changes = Vec<(String, Option<Value>)>;

#[derive(Debug, Default)]
pub struct Thread {
    pub messages: Vec<Message>,
    pub state: Value,
    /// What the server knows of the state, and the members that the application has changed since.
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
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

impl Message {
    fn read(value: &Value) -> Self {
        let calls = value["toolCalls"].as_array().map_or(&[][..], Vec::as_slice);
        let call = |call: &Value| Call {
            id: text(&call["id"]),
            name: text(&call["function"]["name"]),
            args: text(&call["function"]["arguments"]),
            phase: "input-available",
            running: false,
            result: None,
        };
        Self {
            id: text(&value["id"]),
            role: text(&value["role"]),
            content: value["content"].as_str().map(str::to_owned),
            owner: value["subagentRunId"].as_str().map(str::to_owned),
            tool_call_id: value["toolCallId"].as_str().map(str::to_owned),
            delivery: "complete",
            calls: calls.iter().map(call).collect(),
            error: value["error"].as_str().map(str::to_owned),
            text_open: false,
            local: false,
            told: false,
        }
    }

    /// The event that opens it, if it is open.
    pub fn start(&self) -> Option<Value> {
        let kind = if self.role == "reasoning" { "REASONING_MESSAGE_START" } else { "TEXT_MESSAGE_START" };
        let mut event = json!({"type": kind, "messageId": self.id, "role": self.role});
        if let Some(owner) = &self.owner {
            event["subagentRunId"] = json!(owner);
        }
        self.text_open.then_some(event)
    }

    /// As AG-UI has it: what a request carries.
    pub fn outgoing(&self) -> Value {
        let mut value = json!({"id": self.id, "role": self.role});
        if let Some(content) = &self.content {
            value["content"] = json!(content);
        }
        if let Some(id) = &self.tool_call_id {
            value["toolCallId"] = json!(id);
        }
        if let Some(owner) = &self.owner {
            value["subagentRunId"] = json!(owner);
        }
        if let Some(error) = &self.error {
            value["error"] = json!(error);
        }
        if !self.calls.is_empty() {
            let call = |call: &Call| {
                let function = json!({"name": call.name, "arguments": call.args});
                json!({"id": call.id, "type": "function", "function": function})
            };
            value["toolCalls"] = self.calls.iter().map(call).collect();
        }
        value
    }

    /// As the snapshot has it.
    fn shown(&self) -> Value {
        let mut value = self.outgoing();
        if !self.calls.is_empty() {
            value["toolCallIds"] = self.calls.iter().map(|call| json!(call.id)).collect();
        }
        value["delivery"] = json!(self.delivery);
        value
    }

    fn complete_if_idle(&mut self) {
        if !self.text_open && self.calls.iter().all(|call| call.phase != "input-streaming") {
            self.delivery = "complete";
        }
    }
}

impl Call {
    fn shown(&self, message: &str) -> Value {
        let status = match self.phase {
            _ if self.running => "running",
            "output-error" | "denied" => "error",
            _ => "complete",
        };
        let mut value = json!({"id": self.id, "name": self.name, "argsText": self.args, "messageId": message,
            "status": status, "phase": self.phase});
        if let Some(result) = &self.result {
            value["result"] = json!(result);
        }
        value
    }

    fn answer(&mut self, result: &str, error: bool) {
        self.result = Some(result.to_owned());
        self.running = false;
        self.phase = if error { "output-error" } else { "output-available" };
    }
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
        for message in messages.as_array().unwrap() {
            if self.at(message["id"].as_str().unwrap()).is_none() {
                self.messages.push(Message::read(message));
            }
        }
        self.link();
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
                self.subagents.clear();
                self.open.clear();
            }
            "TOOL_CALL_START" => {
                let call = id("toolCallId");
                if self.call(&call).is_none() {
                    let mut message = Message::read(&json!({"id": call, "role": "assistant"}));
                    message.delivery = "streaming";
                    let name = id("toolCallName");
                    let args = String::new();
                    message.told = true;
                    message.calls =
                        vec![Call { id: call, name, args, phase: "input-streaming", running: true, result: None }];
                    self.messages.push(message);
                }
            }
            "TOOL_CALL_ARGS" => {
                if let Some(call) = self.call(&id("toolCallId")) {
                    call.args += event["delta"].as_str().unwrap();
                }
            }
            "TOOL_CALL_END" => {
                let id = id("toolCallId");
                if let Some(call) = self.call(&id).filter(|call| call.phase == "input-streaming") {
                    call.phase = "input-available";
                }
                if let Some(message) = self.caller(&id) {
                    message.complete_if_idle();
                }
            }
            "TOOL_CALL_RESULT" => self.result(&id("messageId"), &id("toolCallId"), event["content"].as_str().unwrap()),
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

    /// A message is opened, that is new or goes on.
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
        self.before = self.state.clone();
        self.open.clear();
    }

    /// The run is told again from its beginning: what it has told is forgotten. Gives the calls that the page has answered,
    /// with its answers, and whether they are errors, and denials: nobody tells those again.
    pub fn go_back(&mut self) -> Vec<(String, String, bool, bool)> {
        let told: Vec<Call> =
            self.messages.iter().filter(|m| m.told).flat_map(|message| message.calls.clone()).collect();
        let mut answers = Vec::new();
        self.messages.retain(|message| {
            let call = told.iter().find(|call| message.tool_call_id.as_ref() == Some(&call.id));
            if let Some(call) = call.filter(|_| message.local) {
                let content = message.content.clone().unwrap_or_default();
                answers.push((call.id.clone(), content, message.error.is_some(), call.phase == "denied"));
            }
            !message.told && (call.is_none() || !message.local)
        });
        *self.confirmed() = self.before.clone();
        self.rebase();
        self.subagents.clear();
        self.open.clear();
        answers
    }

    /// The calls that the run has told and that have no answer.
    pub fn unanswered(&self) -> Vec<String> {
        let calls = self.messages.iter().filter(|message| message.told).flat_map(|message| &message.calls);
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
    pub fn set_state(&mut self, new: Value, running: bool) {
        let confirmed = self.confirmed().clone();
        self.state = new;
        self.local = None;
        if running {
            let (old, new) = (confirmed.as_object().unwrap(), self.state.as_object().unwrap());
            let set = new.iter().filter(|(key, value)| old.get(*key) != Some(value));
            let set = set.map(|(key, value)| (key.clone(), Some(value.clone())));
            let gone = old.keys().filter(|key| !new.contains_key(*key)).map(|key| (key.clone(), None));
            let changes: Vec<_> = set.chain(gone).collect();
            self.local = (!changes.is_empty()).then_some((confirmed, changes));
        }
    }

    /// A tool message: behind the message that called and the answers that it has.
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
        let at = self.behind_results(call);
        self.messages.insert(at, Message { told: true, ..Message::read(&new) });
    }

    fn behind_results(&self, call: &str) -> usize {
        let caller = self.messages.iter().position(|message| message.calls.iter().any(|has| has.id == call));
        caller.map_or(self.messages.len(), |caller| {
            let behind = self.messages[caller + 1..].iter();
            caller + 1 + behind.take_while(|message| message.role == "tool").count()
        })
    }

    /// The page, or somebody who looks at it, answers a call.
    pub fn answer(&mut self, id: &str, content: &str, error: bool, denied: bool) {
        let Some(call) = self.call(id) else { return };
        call.answer(content, error);
        if denied {
            call.phase = "denied";
        }
        let mut new = json!({"id": format!("{id}-result"), "role": "tool", "toolCallId": id, "content": content});
        if error {
            new["error"] = json!(content);
        }
        let at = self.behind_results(id);
        self.messages.insert(at, Message { local: true, ..Message::read(&new) });
    }

    /// The server has seen all that there is.
    pub fn sent(&mut self) {
        self.messages.iter_mut().for_each(|message| message.local = false);
        self.local = None;
    }

    /// The server's list of messages: it is right about what it knows; what it does not know is gone.
    fn merge(&mut self, list: &Value) {
        let mut given: Vec<Message> = list.as_array().unwrap().iter().map(Message::read).collect();
        let reasons = given.iter().any(|message| message.role == "reasoning");
        let mut merged = Vec::new();
        for mut local in std::mem::take(&mut self.messages) {
            let Some(at) = given.iter().position(|new| new.id == local.id) else {
                if local.local || local.role == "reasoning" && !reasons {
                    merged.push(local);
                }
                continue;
            };
            local.become_as(given.remove(at));
            merged.push(local);
        }
        given.iter_mut().for_each(|message| message.told = !self.known.contains(&message.id));
        merged.append(&mut given);
        self.messages = merged;
        self.link();
    }

    /// The application's list of messages.
    pub fn assign(&mut self, list: &Value) {
        let mut old = std::mem::take(&mut self.messages);
        for new in list.as_array().unwrap().iter().map(Message::read) {
            let Some(at) = old.iter().position(|local| local.id == new.id) else {
                self.known.insert(new.id.clone());
                self.messages.push(new);
                continue;
            };
            let mut local = old.remove(at);
            local.become_as(new);
            local.delivery = "complete";
            self.messages.push(local);
        }
        self.link();
    }

    fn link(&mut self) {
        let answers = |message: &Message| {
            Some((message.tool_call_id.clone()?, message.content.clone()?, message.error.is_some()))
        };
        for (id, content, error) in self.messages.iter().filter_map(answers).collect::<Vec<_>>() {
            if let Some(call) = self.call(&id).filter(|call| call.result.as_ref() != Some(&content)) {
                call.answer(&content, error);
            }
        }
    }

    /// The thread as a page has it that was left and is back.
    pub fn reload(&mut self) {
        self.local = None;
        self.subagents.clear();
        self.open.clear();
        for message in &mut self.messages {
            message.text_open = false;
            if message.delivery == "streaming" {
                message.delivery = "aborted";
            }
            for call in &mut message.calls {
                (call.phase, call.running, call.result) = ("input-available", false, None);
            }
        }
        self.link();
    }

    /// A run ended; `pending` are the calls that wait for the page.
    pub fn end(&mut self, ending: &str, pending: &[String]) {
        let delivery = match ending {
            "success" | "interrupted" | "cancelled" => "complete",
            "aborted" => "aborted",
            _ => "error",
        };
        for (_, status) in self.subagents.iter_mut().filter(|(_, status)| *status == "running") {
            *status = if delivery == "complete" { "complete" } else { "error" };
        }
        for message in &mut self.messages {
            message.text_open = false;
            if message.delivery == "streaming" {
                message.delivery = delivery;
            }
            for call in message.calls.iter_mut().filter(|call| call.running) {
                if delivery != "complete" {
                    (call.phase, call.running) = ("output-error", false);
                } else if !pending.contains(&call.id) {
                    call.running = false;
                    if call.phase == "input-streaming" {
                        call.phase = "input-available";
                    }
                }
            }
        }
    }

    /// Before a retry: what a run began behind the last user message and did not finish goes, with all behind it.
    pub fn drop_unfinished(&mut self) {
        let begin = self.messages.iter().rposition(|message| message.role == "user").map_or(0, |at| at + 1);
        let unfinished = |message: &Message| {
            matches!(message.delivery, "aborted" | "error")
                || message.calls.iter().any(|call| call.phase == "output-error" && call.result.is_none())
        };
        if let Some(at) = self.messages[begin..].iter().position(unfinished) {
            self.messages.truncate(begin + at);
        }
    }

    /// Where `regenerate` cuts.
    pub fn cut(&self, id: Option<&str>) -> Option<usize> {
        let answers = |message: &Message| message.role == "assistant" && id.is_none_or(|id| message.id == id);
        let at = self.messages.iter().rposition(answers)?;
        Some(self.messages[..at].iter().rposition(|message| message.role == "user")? + 1)
    }
}

impl Message {
    /// Another version of the same message. Calls that both have stay as far as they are.
    fn become_as(&mut self, new: Message) {
        if self.outgoing() == new.outgoing() {
            return;
        }
        let mut old = std::mem::take(&mut self.calls);
        self.calls = new
            .calls
            .into_iter()
            .map(|call| match old.iter().position(|had| had.id == call.id) {
                Some(at) => Call { name: call.name, args: call.args, ..old.swap_remove(at) },
                None => call,
            })
            .collect();
        (self.role, self.owner) = (new.role, new.owner);
        self.content = new.content;
        (self.tool_call_id, self.error) = (new.tool_call_id, new.error);
        if self.delivery != "streaming" {
            self.delivery = "complete";
        }
    }
}
