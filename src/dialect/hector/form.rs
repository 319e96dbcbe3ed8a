//! The AG-UI form of version 1: sixteen named events, nested as the code writes them or flat as the documents print them. Uses `wire`.

use super::run::{BlockKind, Held, mark};
use super::write::{as_text, compact, compact_fields};
use super::{Hector, SUCCESS, TaskState, text};
use crate::dialect::Output;
use crate::wire::{Fields, to_camel};

/// The names. What an event tells stands in a member that is called as it is, in camel case, where it is nested.
const FORM: [&str; 18] = [
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "tool_call_start",
    "tool_call_delta",
    "tool_call_stop",
    "thinking_start",
    "thinking_delta",
    "thinking_stop",
    "task_start",
    "task_update",
    "task_complete",
    "task_error",
    "error",
    "done",
];
const PREFIX: &str = "AGUI_EVENT_TYPE_";

impl Hector {
    /// Takes an event of the form. False: it is none.
    pub(super) fn form(&mut self, event: &str, fields: &Fields<'_>, out: &mut Output) -> bool {
        let said = text(fields, "type");
        let typed = match said.strip_prefix(PREFIX) {
            Some(name) => name.to_ascii_lowercase(),
            None => said.into_owned(),
        };
        let find = |name: &str| FORM.into_iter().find(|known| *known == name);
        let Some(name) = find(event).or_else(|| find(&typed)) else {
            let named = fields.get("eventId").is_some() || event == "agui_event";
            if named {
                out.warning("hector-event-unknown", "an event that the form does not have is left out");
            }
            return named;
        };
        let payload = fields.object(&to_camel(name)).filter(|_| name != "error");
        if !self.run.is_over() {
            self.event(name, payload.as_ref().unwrap_or(fields), out);
        } else if !matches!(name, "done" | "error" | "message_stop" | "task_update" | "task_complete") {
            out.warning("hector-event-late", [name, " after the end of the run is left out"].concat());
        }
        true
    }

    fn event(&mut self, name: &str, payload: &Fields<'_>, out: &mut Output) {
        let id = |member: &str| text(payload, member);
        let delta = || as_text(payload.get("delta"));
        match name {
            "task_start" | "message_start" => {
                if name == "message_start" {
                    self.by_user = id("role") == "user";
                }
                self.stopped = false;
                self.begin_run(&id("contextId"), &id("taskId"), &id("messageId"), out);
            }
            "message_delta" => self.run.delta(BlockKind::Text, &id("messageId"), &delta(), out),
            "message_stop" => {
                self.stopped = true;
                self.run.close(BlockKind::Text, &id("messageId"), out);
            }
            "content_block_start" => {
                self.stopped = false;
                self.run.open(BlockKind::Text, &id("blockId"), self.role(), &mark(&id("blockType"), "", ""), out);
            }
            "content_block_delta" => self.run.delta(BlockKind::Text, &id("blockId"), &delta(), out),
            "content_block_stop" => self.run.close(BlockKind::Text, &id("blockId"), out),
            "thinking_start" => self.run.open(BlockKind::Thinking, &id("thinkingId"), "", "", out),
            "thinking_delta" => self.run.delta(BlockKind::Thinking, &id("thinkingId"), &delta(), out),
            "thinking_stop" => {
                let (id, signature) = (id("thinkingId"), id("signature"));
                self.run.close(BlockKind::Thinking, &id, out);
                if !signature.is_empty() {
                    self.run.sign(&id, &signature, out);
                }
            }
            "tool_call_start" => {
                let args = payload.some("input").filter(|raw| raw.text() != "{}").map(compact);
                self.run.call(&id("toolCallId"), &id("toolName"), args.as_deref(), out);
            }
            "tool_call_delta" => {
                if !self.run.args(&id("toolCallId"), &as_text(payload.get("partialInput")), out) {
                    out.malformed("hector-event-late", "arguments of a tool call that is not open");
                }
            }
            "tool_call_stop" => self.tool_call_stop(payload, out),
            "task_update" => {
                self.note_task(&id("taskId"), out);
                self.task_update(&id("status"), &compact_fields(payload), "", out);
            }
            "task_complete" => {
                self.state = TaskState::Completed;
                let result = payload.some("result").filter(|raw| raw.text() != "{}").map(compact);
                self.run.finish(SUCCESS, result.as_deref(), out);
            }
            "task_error" => {
                let message = id("errorMessage");
                let message = if message.is_empty() { "Task failed".into() } else { message };
                self.run.fail(&message, &as_text(payload.get("errorCode")), out);
            }
            "error" => self.error(payload, out),
            _ => self.done(out),
        }
    }

    /// The end of a call, with its result, and with its arguments where they did not stream.
    fn tool_call_stop(&mut self, payload: &Fields<'_>, out: &mut Output) {
        let call = text(payload, "toolCallId");
        if let Some(input) = payload.some("finalInput").filter(|raw| raw.text() != "{}") {
            self.run.args_once(&call, &compact(input), out);
        }
        let error = as_text(payload.get("error"));
        let failed = payload.yes("isError") || !error.is_empty();
        let content = if error.is_empty() { as_text(payload.get("result")) } else { error };
        let (call, content) = (call.into_owned(), content.into_owned());
        self.run.result(Held { call, content, failed, status: String::new() }, out);
    }
}
