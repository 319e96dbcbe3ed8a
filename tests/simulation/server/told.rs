//! The runs that the server keeps, and their replays.

use super::super::thread::Thread;
use crate::event;
use serde_json::{Value, json};

/// A run, as the server keeps it.
#[derive(Debug, Clone)]
pub(super) struct Told {
    pub(super) request: Value,
    pub(super) events: Vec<Value>,
    /// How far it was when somebody joined.
    pub(super) reached: usize,
}

impl Told {
    /// Of a thread that has seen no run.
    pub(super) fn nothing() -> Self {
        Self { request: json!({"messages": [], "state": {}}), events: Vec::new(), reached: 0 }
    }

    /// The same, reported only once it is over.
    pub(super) fn whole(mut self) -> Self {
        let terminal = |event: &Value| matches!(event["type"].as_str(), Some("RUN_FINISHED" | "RUN_ERROR"));
        self.reached = self.events.iter().rposition(terminal).unwrap_or_default();
        self
    }

    /// Whether it ends with an error.
    pub(super) fn fails(&self) -> bool {
        self.events.iter().any(|event| event["type"] == "RUN_ERROR")
    }

    /// How things stand a few events later, for a page that joins; and with which event it continues then.
    pub(super) fn stands(&self, ahead: usize, prelude: bool) -> (Vec<Value>, usize) {
        let meanings = meanings(&self.events);
        let mut thread = Thread::new();
        thread.add(&self.request["messages"]);
        thread.state = self.request["state"].clone();
        // Calls of the request are those of earlier runs.
        thread.begins();
        let mut from = 0;
        let (mut calls, mut chunks) = (0, false);
        for (event, means) in &meanings {
            let kind = event["type"].as_str().unwrap();
            let terminal = matches!(kind, "RUN_FINISHED" | "RUN_ERROR");
            // Not after the chunks of a message, nor within the arguments of a call: what is there is whole.
            let apart = calls == 0 && !chunks;
            chunks = kind.ends_with("CHUNK") || chunks && event.get("subagentRunId").is_some();
            if from >= self.reached && apart && (terminal || from >= self.reached + ahead) {
                break;
            }
            calls += usize::from(kind == "TOOL_CALL_START");
            calls -= usize::from(kind == "TOOL_CALL_END");
            means.iter().for_each(|event| thread.apply(event));
            from += 1;
        }
        let run_id = &self.request["runId"];
        let messages: Vec<Value> = thread.messages.iter().map(|message| message.outgoing()).collect();
        let mut opening =
            vec![event!("MESSAGES_SNAPSHOT", "messages": messages), event!("STATE_SNAPSHOT", "snapshot": thread.state)];
        if prelude {
            opening.insert(0, event!("RUN_STARTED", "threadId": "t", "runId": run_id));
            let running = thread.subagents.iter().filter(|(_, status)| *status == "running");
            opening.extend(running.map(|(id, _)| event!("SUBAGENT_STARTED", "subagentRunId": id, "name": "helper")));
            opening.extend(thread.messages.iter().filter_map(|message| message.start()));
        }
        (opening, from)
    }
}

/// The events with what they say: chunks are texts, which what follows ends.
pub(super) fn meanings(events: &[Value]) -> Vec<(&Value, Vec<Value>)> {
    let mut open: Option<Value> = None;
    let mut meanings = Vec::new();
    for event in events {
        let mut means = Vec::new();
        let chunk = event["type"] == "TEXT_MESSAGE_CHUNK";
        let id = event.get("messageId").or(open.as_ref()).cloned();
        // The events of a subagent are apart.
        let apart = event.get("subagentRunId").is_some();
        if let Some(open) = open.take_if(|open| !apart && (!chunk || Some(&*open) != id.as_ref())) {
            means.push(event!("TEXT_MESSAGE_END", "messageId": open, "ofChunks": true));
        }
        if chunk {
            if open.is_none() {
                means.push(event!("TEXT_MESSAGE_START", "messageId": id));
                open.clone_from(&id);
            }
            means.push(event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": event["delta"]));
        } else {
            means.push(event.clone());
        }
        meanings.push((event, means));
    }
    meanings
}
