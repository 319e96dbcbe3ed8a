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
    /// It is an answer of the page.
    page: bool,
    /// The run in progress has sent it.
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
    /// It came with a list of messages.
    given: bool,
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
    /// The same of calls, with the length that their arguments had; none, where a list has written them since.
    known_calls: HashMap<String, Option<usize>>,
    /// Calls that lists have written anew, or elsewhere.
    pub rewritten: Vec<String>,
    /// Answers of the page whose call a list has taken away: call, content, whether errors, whether denials.
    pub orphans: Vec<(String, String, bool, bool)>,
    /// Calls that the run has started, and not answered.
    pub started: Vec<String>,
    /// The last message when the run began.
    behind: Option<String>,
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
            given: true,
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
            page: value["toolCallId"].as_str().is_some_and(|call| value["id"] == format!("{call}-result")),
            told: false,
        }
    }

    fn answers(&self, call: &str) -> bool {
        self.tool_call_id.as_deref() == Some(call)
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
        self.settle(Vec::new(), &[]);
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
                let call = id("toolCallId");
                self.started.push(call.clone());
                if self.call(&call).is_none() {
                    self.started.retain(|id| *id != call || !self.messages.iter().any(|message| message.answers(id)));
                    let mut message = Message::read(&json!({"id": call, "role": "assistant"}));
                    message.delivery = "streaming";
                    let name = id("toolCallName");
                    let args = String::new();
                    message.told = true;
                    let (phase, given) = ("input-streaming", false);
                    let id = call.clone();
                    message.calls = vec![Call { id, name, args, phase, running: true, result: None, given }];
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
            "TOOL_CALL_RESULT" => {
                self.started.retain(|call| *call != id("toolCallId"));
                self.result(&id("messageId"), &id("toolCallId"), event["content"].as_str().unwrap());
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
        self.open.clear();
        self.started.clear();
    }

    /// The run is replayed from its beginning: what it has sent is forgotten. Gives the calls that the page has answered,
    /// with its answers, and whether they are errors, and denials: nobody tells those again.
    pub fn go_back(&mut self) -> Vec<(String, String, bool, bool)> {
        let mut told: Vec<Call> =
            self.messages.iter().filter(|m| m.told).flat_map(|message| message.calls.clone()).collect();
        // A list may have put a call of this run into an older message.
        for message in self.messages.iter_mut().filter(|message| !message.told) {
            told.extend(message.calls.extract_if(.., |call| !self.known_calls.contains_key(&call.id)));
        }
        for call in self.messages.iter_mut().flat_map(|message| &mut message.calls) {
            if let Some(Some(length)) = self.known_calls.get(&call.id) {
                call.args.truncate(*length);
            }
        }
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
        self.started.clear();
        answers
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
        let at = self.after_results(id);
        self.messages.insert(at, Message { local: true, page: true, ..Message::read(&new) });
    }

    /// The server has seen all that there is.
    pub fn sent(&mut self) {
        self.messages.iter_mut().for_each(|message| message.local = false);
        self.local = None;
    }

    /// The server's list of messages: it is right about what it knows; what it does not know is gone. The page's answers stay
    /// as long as their calls do.
    fn merge(&mut self, list: &Value) {
        let mut given: Vec<Message> = list.as_array().unwrap().iter().map(Message::read).collect();
        let reasons = given.iter().any(|message| message.role == "reasoning");
        let is_new = |new: &Message| self.messages.iter().all(|local| local.id != new.id);
        let named: Vec<_> = given.iter().map(|new| (new.id.clone(), new.tool_call_id.clone(), is_new(new))).collect();
        let mut merged = Vec::new();
        let mut left = Vec::new();
        let before = self.written();
        for mut local in std::mem::take(&mut self.messages) {
            let Some(at) = given.iter().position(|new| new.id == local.id) else {
                if local.page || local.role == "reasoning" && !reasons {
                    merged.push(local);
                } else {
                    left.append(&mut local.calls);
                }
                continue;
            };
            local.become_as(given.remove(at), &mut left);
            merged.push(local);
        }
        given.iter_mut().for_each(|message| message.told = !self.known.contains(&message.id));
        merged.append(&mut given);
        self.messages = merged;
        self.settle(left, &named);
        self.rewrites(&before);
    }

    /// The calls as they are written, and where.
    fn written(&self) -> Vec<[String; 4]> {
        let calls = |message: &Message| -> Vec<[String; 4]> {
            message
                .calls
                .iter()
                .map(|call| [&call.id, &message.id, &call.name, &call.args].map(String::clone))
                .collect()
        };
        self.messages.iter().flat_map(calls).collect()
    }

    /// A list has written calls anew: how long their arguments were says nothing any longer.
    fn rewrites(&mut self, before: &[[String; 4]]) {
        for [id, ..] in self.written().into_iter().filter(|call| !before.contains(call)) {
            self.known_calls.entry(id.clone()).and_modify(|length| *length = None);
            self.rewritten.push(id);
        }
    }

    /// The application's list of messages.
    pub fn assign(&mut self, list: &Value) {
        let before = self.written();
        let mut old = std::mem::take(&mut self.messages);
        let mut left = Vec::new();
        let mut named = Vec::new();
        for new in list.as_array().unwrap().iter().map(Message::read) {
            let at = old.iter().position(|local| local.id == new.id);
            named.push((new.id.clone(), new.tool_call_id.clone(), at.is_none()));
            let Some(at) = at else {
                self.known.insert(new.id.clone());
                self.messages.push(new);
                continue;
            };
            let mut local = old.remove(at);
            let streams = local.delivery == "streaming";
            local.become_as(new, &mut left);
            if !streams {
                local.delivery = "complete";
            }
            self.messages.push(local);
        }
        left.extend(old.into_iter().flat_map(|message| message.calls));
        self.settle(left, &named);
        self.rewrites(&before);
    }

    /// The application has edited the messages `shown`: of them `after` has the numbers of those that it has left as they were.
    pub fn edit(&mut self, shown: &[Value], after: &[Value]) {
        let key = |value: &Value| (text(&value["id"]), text(&value["role"]), text(&value["toolCallId"]));
        let key_of = |message: &Message| {
            (message.id.clone(), message.role.clone(), message.tool_call_id.clone().unwrap_or_default())
        };
        let seen = |message: &Message| shown.iter().any(|value| key(value) == key_of(message));
        let mut left = Vec::new();
        let wanted: Vec<_> =
            after.iter().map(|value| key(value.as_u64().map_or(value, |at| &shown[at as usize]))).collect();
        let gone = |message: &Message| seen(message) && !wanted.contains(&key_of(message));
        left.extend(self.messages.iter().filter(|message| gone(message)).flat_map(|message| message.calls.clone()));
        self.messages.retain(|message| !gone(message));
        let place = |messages: &[Message], wanted: &_| messages.iter().position(|message| key_of(message) == *wanted);
        let there: Vec<_> = wanted.iter().filter(|wanted| place(&self.messages, wanted).is_some()).collect();
        let order = |wanted: &_| shown.iter().position(|value| key(value) == *wanted);
        let in_order = there.is_sorted_by_key(|wanted| order(wanted));
        if !in_order {
            // As the edit has them; what it has not seen stays after what it stood after.
            let mut moved: Vec<Message> =
                there.iter().map(|wanted| self.messages[place(&self.messages, wanted).unwrap()].clone()).collect();
            for (at, message) in self.messages.iter().enumerate().filter(|(_, message)| !seen(message)) {
                let before = at.checked_sub(1).map(|before| key_of(&self.messages[before]));
                moved.insert(before.map_or(0, |before| place(&moved, &before).unwrap() + 1), message.clone());
            }
            self.messages = moved;
            for message in self.messages.clone().iter().filter(|message| message.tool_call_id.is_some()) {
                let call = message.tool_call_id.as_deref().unwrap();
                let caller = self.messages.iter().position(|message| message.calls.iter().any(|has| has.id == call));
                let at = place(&self.messages, &key_of(message)).unwrap();
                if caller.is_some_and(|caller| at < caller) {
                    self.messages.remove(at);
                    let to = self.after_results(call);
                    self.messages.insert(to, message.clone());
                }
            }
        }
        let mut fresh = Vec::new();
        for (at, value) in after.iter().enumerate().filter(|(_, value)| value.is_object()) {
            let old = shown.iter().find(|old| key(old) == key(value));
            if let Some(at) = place(&self.messages, &wanted[at]) {
                let (message, old) = (&mut self.messages[at], text(&old.unwrap()["content"]));
                let rest = message.content.as_deref().and_then(|now| now.strip_prefix(&old)).unwrap_or_default();
                message.content = Some(text(&value["content"]) + rest);
                continue;
            }
            let before = wanted[..at].iter().rev().find_map(|before| place(&self.messages, before));
            let mut to = before.map_or(0, |before| before + 1);
            // What came since stands before it.
            while self.messages.get(to).is_some_and(|message| !seen(message)) {
                to += 1;
            }
            let mut new = Message::read(value);
            new.delivery = match value["delivery"].as_str() {
                Some("aborted" | "streaming") => "aborted",
                Some("error") => "error",
                _ => "complete",
            };
            self.known.insert(new.id.clone());
            fresh.push(key_of(&new));
            self.messages.insert(to, new);
        }
        let named: Vec<_> = self
            .messages
            .iter()
            .map(|message| (message.id.clone(), message.tool_call_id.clone(), fresh.contains(&key_of(message))))
            .collect();
        self.settle(left, &named);
    }

    /// After a list: calls that are elsewhere now are as far as they were, and results stand after their calls. `named`: the
    /// messages of the list, and whether they are new.
    fn settle(&mut self, mut left: Vec<Call>, named: &[(String, Option<String>, bool)]) {
        let mut moved = HashSet::new();
        for message in &mut self.messages {
            for call in message.calls.iter_mut().filter(|call| call.given) {
                call.given = false;
                moved.insert(call.id.clone());
                if let Some(at) = left.iter().position(|old| old.id == call.id) {
                    let Call { phase, running, result, .. } = left.remove(at);
                    (call.phase, call.running, call.result) = (phase, running, result);
                    if phase == "input-streaming" {
                        message.delivery = "streaming";
                    }
                }
            }
        }
        let is_named =
            |message: &Message| named.iter().find(|(id, call, _)| *id == message.id && *call == message.tool_call_id);
        let old = self.messages.clone();
        let others = old.iter().filter(|message| !message.page && is_named(message).is_some());
        let others: HashSet<String> = others.filter_map(|message| message.tool_call_id.clone()).collect();
        let mut misplaced = Vec::new();
        for (at, message) in old.iter().enumerate() {
            let Some(call) = message.tool_call_id.clone() else { continue };
            let caller = old.iter().position(|message| message.calls.iter().any(|has| has.id == call));
            let fresh = is_named(message).is_some_and(|(.., fresh)| *fresh);
            if message.page && (caller.is_none() || others.contains(&call)) {
                if caller.is_none() && message.local {
                    let denied = left.iter().any(|old| old.id == call && old.phase == "denied");
                    let content = message.content.clone().unwrap_or_default();
                    self.orphans.push((call, content, message.error.is_some(), denied));
                }
                self.messages.retain(|other| other != message);
            } else if let Some(caller) = caller
                && (moved.contains(&call) && (message.page || at < caller) || message.page && fresh)
                && (at < caller || old[caller + 1..at].iter().any(|between| between.role != "tool"))
            {
                misplaced.push(message.clone());
            }
        }
        for message in misplaced {
            self.messages.retain(|other| *other != message);
            let at = self.after_results(message.tool_call_id.as_deref().unwrap());
            self.messages.insert(at, message);
        }
        self.link();
    }

    fn link(&mut self) {
        let answers = |message: &Message| {
            Some((message.tool_call_id.clone()?, message.content.clone()?, message.error.is_some()))
        };
        let answers: Vec<_> = self.messages.iter().filter_map(answers).collect();
        // Of several the last one counts.
        for (at, (id, content, error)) in answers.iter().enumerate() {
            let last = !answers[at + 1..].iter().any(|(later, ..)| later == id);
            if let Some(call) = self.call(id).filter(|call| last && call.result.as_ref() != Some(content)) {
                call.answer(content, *error);
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
                let failed = call.phase == "output-error" && call.result.is_none();
                call.phase = if failed { "output-error" } else { "input-available" };
                (call.running, call.result) = (false, None);
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

    /// Before a retry: what a run began after the last user message and did not finish goes, with all after it.
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
    fn become_as(&mut self, new: Message, left: &mut Vec<Call>) {
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
        left.append(&mut old);
        (self.role, self.owner) = (new.role, new.owner);
        self.content = new.content;
        (self.tool_call_id, self.error) = (new.tool_call_id, new.error);
        if self.delivery != "streaming" {
            self.delivery = "complete";
        }
    }
}
