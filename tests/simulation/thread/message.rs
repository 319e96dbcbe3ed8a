//! A message and its calls.

use super::text;
use serde_json::{Value, json};

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
    pub(super) owner: Option<String>,
    pub(super) error: Option<String>,
    pub(super) text_open: bool,
    /// The server has not seen it.
    pub(super) local: bool,
    /// It is an answer of the page.
    pub(super) page: bool,
    /// The run in progress has sent it.
    pub(super) told: bool,
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
    pub(super) given: bool,
    /// Its arguments are whole.
    pub(super) ended: bool,
}

/// The id of the call with this number, of those that the server gives one id.
pub fn numbered(id: &str, number: usize) -> String {
    if number > 1 { format!("{id}~again~{number}") } else { id.to_owned() }
}

/// The server's id of a call, and its number.
pub fn wire(id: &str) -> (&str, usize) {
    id.split_once("~again~").map_or((id, 1), |(id, number)| (id, number.parse().unwrap()))
}

impl Message {
    pub(super) fn read(value: &Value) -> Self {
        let calls = value["toolCalls"].as_array().map_or(&[][..], Vec::as_slice);
        let call = |call: &Value| Call {
            id: text(&call["id"]),
            name: text(&call["function"]["name"]),
            args: text(&call["function"]["arguments"]),
            phase: "input-available",
            running: false,
            result: None,
            given: true,
            ended: true,
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
            page: value["toolCallId"].as_str().is_some_and(|call| {
                value["id"].as_str().unwrap().strip_suffix("-result").is_some_and(|id| wire(id).0 == wire(call).0)
            }),
            told: false,
        }
    }

    pub(super) fn answers(&self, call: &str) -> bool {
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

    /// The message of a request.
    pub fn outgoing(&self) -> Value {
        let mut plain = self.clone();
        plain.calls.iter_mut().for_each(|call| call.id = wire(&call.id).0.to_owned());
        plain.tool_call_id = self.tool_call_id.as_ref().map(|id| wire(id).0.to_owned());
        plain.as_here()
    }

    /// As AG-UI has it, with the ids of calls that it has in the thread.
    pub fn as_here(&self) -> Value {
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
    pub(super) fn shown(&self) -> Value {
        let mut value = self.as_here();
        if !self.calls.is_empty() {
            value["toolCallIds"] = self.calls.iter().map(|call| json!(call.id)).collect();
        }
        value["delivery"] = json!(self.delivery);
        value
    }

    pub(super) fn complete_if_idle(&mut self) {
        if !self.text_open && self.calls.iter().all(|call| call.phase != "input-streaming") {
            self.delivery = "complete";
        }
    }

    /// Another version of the same message. Calls that both have stay as far as they are.
    pub(super) fn become_as(&mut self, new: Message, left: &mut Vec<Call>) {
        if self.as_here() == new.as_here() {
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

impl Call {
    pub(super) fn shown(&self, message: &str) -> Value {
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

    pub(super) fn answer(&mut self, result: &str, error: bool) {
        self.result = Some(result.to_owned());
        self.running = false;
        self.phase = if error { "output-error" } else { "output-available" };
    }
}
