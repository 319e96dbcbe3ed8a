//! The native form of version 1: messages, tasks and their updates as A2A has them, read as the server's own converter reads
//! them. Uses `wire`.

use super::part::HectorPart;
use super::run::{BlockKind, Held, Question, mark};
use super::write::{compact, compact_fields};
use super::{Hector, TaskState, list, state, text};
use crate::dialect::{Output, OutputItem};
use crate::wire::{Fields, JsonWriter, Raw};

impl Hector {
    /// Takes a response. False: it is none.
    pub(super) fn native(&mut self, fields: &Fields<'_>, out: &mut Output) -> bool {
        let member = |name: &str| fields.some(name).map(|raw| raw.object());
        let names = ["message", "statusUpdate", "artifactUpdate", "task"];
        let Some((name, found)) = names.into_iter().find_map(|name| Some((name, member(name)?))) else { return false };
        let Some(inner) = found else {
            out.malformed("hector-frame-malformed", [name, ": expected an object"].concat());
            return true;
        };
        match name {
            _ if self.run.is_over() => {
                if name == "message" {
                    out.warning("hector-event-late", "a message after the end of the run is left out");
                }
            }
            "message" => {
                self.by_user = matches!(&*text(&inner, "role"), "ROLE_USER" | "user");
                self.begin_native(&inner, out);
                self.parts(inner.get("parts").or_else(|| inner.get("content")), out);
            }
            "artifactUpdate" => {
                self.begin_native(&inner, out);
                let artifact = inner.object("artifact");
                self.parts(artifact.as_ref().and_then(|artifact| artifact.get("parts")), out);
            }
            "statusUpdate" => {
                let status = inner.object("status");
                let Some(status) = status else {
                    return malformed(out, "statusUpdate: expected a status");
                };
                if inner.yes("final") {
                    self.close_blocks(out);
                    self.stopped = true;
                }
                self.begin_native(&inner, out);
                let name = text(&status, "state");
                let (_, plain) = state(&name);
                let update = task_update(&text(&inner, "taskId"), &plain, inner.some("metadata"));
                self.task_update(&name, &update, &first_text(&status), out);
            }
            _ => return self.task(&inner, out),
        }
        true
    }

    /// A task as it stands, when it begins and when somebody subscribes to it.
    fn task(&mut self, task: &Fields<'_>, out: &mut Output) -> bool {
        let (id, context) = (text(task, "id"), text(task, "contextId"));
        let Some(status) = task.object("status") else {
            return malformed(out, "task: expected a status");
        };
        let name = text(&status, "state");
        let (known, plain) = state(&name);
        self.begin_run(&context, &id, "", out);
        self.state = known;
        match known {
            TaskState::Going if plain == "working" => {
                self.run.custom("hector.task_update", &task_update(&id, &plain, None), out);
            }
            TaskState::Completed => self.run.finish(super::SUCCESS, None, out),
            TaskState::Failed => {
                let said = first_text(&status);
                self.run.fail(if said.is_empty() { "Task failed" } else { &said }, "TASK_FAILED", out);
            }
            TaskState::Unknown => out.warning("hector-state-unknown", ["no state of a task: ", &*name].concat()),
            // Told by the update that comes with it, or when the stream is done.
            _ => {}
        }
        true
    }

    #[inline(never)]
    fn begin_native(&mut self, inner: &Fields<'_>, out: &mut Output) {
        let own = self.run.own_run.clone();
        self.begin_run(&text(inner, "contextId"), &text(inner, "taskId"), &own, out);
    }

    pub(super) fn close_blocks(&mut self, out: &mut Output) {
        self.run.close_all(BlockKind::Thinking, out);
        self.run.close_all(BlockKind::Text, out);
    }

    fn parts(&mut self, parts: Option<Raw<'_>>, out: &mut Output) {
        self.stopped = false;
        let Some(parts) = list(parts) else {
            malformed(out, "parts: expected an array");
            return;
        };
        for raw in parts {
            match HectorPart::read(raw) {
                Some(part) => self.part(&part, out),
                None => {
                    malformed(out, "a part: expected an object");
                }
            }
        }
    }

    fn part(&mut self, part: &HectorPart<'_>, out: &mut Output) {
        let (event, block) = (part.word("event_type", "part_type"), part.word("block_type", ""));
        let is_thinking = event == "thinking" || block == "thinking";
        let is_content = !is_thinking && event != "tool_call" && event != "thinking_complete" && !part.text.is_empty();
        if is_thinking || event == "tool_call" || is_content {
            // The server has continued.
            self.question = None;
        }
        if is_thinking {
            return self.thinking(part, out);
        }
        if event == "tool_call" {
            self.run.close_all(BlockKind::Thinking, out);
            return match part.tag("is_error").and_then(Raw::boolean) {
                None => self.call(part, out),
                Some(failed) => self.result(part, failed, out),
            };
        }
        if is_content {
            self.run.close_all(BlockKind::Thinking, out);
            let given = part.word("block_id", "");
            // Events that are no part of the answer's content are marked, so that a page can show them as such.
            let marked = if matches!(&*event, "error" | "task" | "message") { &*event } else { "" };
            let mark = mark(&block, marked, &part.word("error_code", ""));
            let id = self.run.block_of(BlockKind::Text, &given, self.role(), &mark, out);
            self.run.delta(BlockKind::Text, &id, &part.text, out);
            (*part.text).clone_into(&mut self.prompt);
        } else if part.said("interaction_type") == "tool_approval" {
            self.approval(part, out);
        }
    }

    fn thinking(&mut self, part: &HectorPart<'_>, out: &mut Output) {
        self.run.close_all(BlockKind::Text, out);
        let id = self.run.block_of(BlockKind::Thinking, &part.word("block_id", ""), "", "", out);
        let said = if part.text.is_empty() { part.said("text") } else { part.text.clone() };
        self.run.delta(BlockKind::Thinking, &id, &said, out);
        // Plans and goals, which thinking has no place for.
        if let (false, Some(data)) = (part.word("thinking_type", "").is_empty(), &part.data) {
            let value = JsonWriter::object_text(|object| {
                object.string("thinkingId", &id).string("thinkingType", &part.word("thinking_type", ""));
                object.member("data").push_str(&compact_fields(data));
            });
            out.push(OutputItem::Custom { name: "hector.thinking".to_owned(), value });
        }
    }

    fn call(&mut self, part: &HectorPart<'_>, out: &mut Output) {
        self.run.close_all(BlockKind::Text, out);
        let (id, name) = (part.word("tool_call_id", ""), part.word("tool_name", ""));
        let id = if id.is_empty() { part.said("id") } else { id };
        let name = if name.is_empty() { part.said("name") } else { name };
        self.run.call(&id, &name, Some(&part.args()), out);
    }

    fn result(&mut self, part: &HectorPart<'_>, failed: bool, out: &mut Output) {
        let id = part.word("tool_call_id", "");
        let id = if id.is_empty() { part.said("tool_call_id") } else { id };
        let error = part.said("error");
        let failed = failed || !error.is_empty();
        let content = if error.is_empty() { part.said("content") } else { error };
        let (call, content) = (id.into_owned(), content.into_owned());
        self.run.result(Held { call, content, failed, status: String::new() }, out);
    }

    /// Somebody has to approve a tool. A stream that waits for that stays open and continues, so the page is notified at once;
    /// it is an interrupt where the stream ends instead.
    fn approval(&mut self, part: &HectorPart<'_>, out: &mut Output) {
        let tool = part.said("tool_name").into_owned();
        let call = self.run.call_of(&tool).to_owned();
        let task = self.run.task.clone();
        let value = JsonWriter::object_text(|object| {
            object.string("toolName", &tool).string("toolInput", &part.said("tool_input"));
            if let Some(options) = part.data.as_ref().and_then(|data| data.some("options")) {
                object.member("options").push_str(&compact(options));
            }
            object.string("prompt", &self.prompt).string("toolCallId", &call).string("taskId", &task);
            object.string("contextId", &self.run.context);
        });
        out.push(OutputItem::Custom { name: "hector.tool_approval".to_owned(), value });
        let id = if call.is_empty() { [&self.run.own_run, ":approval"].concat() } else { call.clone() };
        self.question = Some(Question { id, call, tool, prompt: self.prompt.clone(), task });
    }
}

pub(super) fn malformed(out: &mut Output, message: &str) -> bool {
    out.malformed("hector-frame-malformed", message);
    true
}

/// The JSON text of an update.
pub(super) fn task_update(task: &str, status: &str, metadata: Option<Raw<'_>>) -> String {
    JsonWriter::object_text(|object| {
        object.string("taskId", task).string("status", status);
        if let Some(metadata) = metadata.filter(|raw| raw.text() != "{}") {
            object.member("metadata").push_str(&compact(metadata));
        }
    })
}

/// The first text of a status' message.
pub(super) fn first_text(status: &Fields<'_>) -> String {
    let message = status.object("message");
    let parts = message.and_then(|message| message.get("parts").or_else(|| message.get("content"))?.array());
    let texts = parts.unwrap_or_default().into_iter().filter_map(HectorPart::read).map(|part| part.text.into_owned());
    texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}
