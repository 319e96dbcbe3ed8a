//! Version 2: results of JSON-RPC, each with its `kind`. Pieces come first, then the whole again. Uses `wire`.

use super::native::{first_text, malformed, task_update};
use super::part::HectorPart;
use super::run::{BlockKind, Held, Question};
use super::write::{as_text, compact};
use super::{Hector, INPUT, TaskState, list, state, text};
use crate::dialect::{Output, OutputItem};
use crate::wire::{Fields, JsonWriter, Raw};
use std::borrow::Cow;

/// The joined pieces of one text or thought.
pub(super) struct Said {
    kind: BlockKind,
    /// The author of a text, the id of a thought.
    by: String,
    block: String,
    text: String,
}

/// How many authors and thoughts may be under way. A thought of an earlier turn is none.
const MANY: usize = 64;

impl Hector {
    /// Takes a result. False: its kind is not known.
    pub(super) fn v2(&mut self, kind: &str, fields: &Fields<'_>, out: &mut Output) -> bool {
        if self.run.is_over() {
            return true;
        }
        let metadata = fields.object("metadata");
        let own = self.run.own_run.clone();
        match kind {
            "message" => {
                self.begin_run(&text(fields, "contextId"), &text(fields, "taskId"), &own, out);
                self.by_user = fields.is("role", "user");
                self.pieces(fields.get("parts"), metadata.as_ref(), false, out);
                self.stopped = true;
            }
            "artifact-update" => {
                self.begin_run(&text(fields, "contextId"), &text(fields, "taskId"), &own, out);
                let Some(artifact) = fields.object("artifact") else {
                    return malformed(out, "artifact-update: expected an artifact");
                };
                // A server that does not mark pieces begins an artifact and appends to it.
                if !fields.yes("append") && metadata.as_ref().is_none_or(|data| data.get("partial").is_none()) {
                    self.said.retain(|said| said.kind == BlockKind::Thinking);
                    self.run.close_all(BlockKind::Text, out);
                }
                self.pieces(artifact.get("parts"), metadata.as_ref(), true, out);
            }
            "status-update" | "task" => {
                let id = text(fields, if kind == "task" { "id" } else { "taskId" });
                let Some(status) = fields.object("status") else {
                    return malformed(out, "expected a status");
                };
                let fresh = !self.run.has_begun();
                self.begin_run(&text(fields, "contextId"), &id, &own, out);
                // A task as it stands, sent to a page that has seen nothing of it.
                if kind == "task" && fresh {
                    let artifacts = fields.list("artifacts");
                    for artifact in artifacts.into_iter().filter_map(Raw::object) {
                        self.pieces(artifact.get("parts"), None, false, out);
                    }
                }
                self.status(&id, &status, fields, out);
            }
            _ => {
                out.warning("hector-event-unknown", ["no kind of a result: ", kind].concat());
            }
        }
        true
    }

    fn status(&mut self, task: &str, status: &Fields<'_>, fields: &Fields<'_>, out: &mut Output) {
        let name = text(status, "state");
        let (known, plain) = state(&name);
        let metadata = fields.some("metadata").filter(|raw| raw.text() != "{}");
        let update = task_update(task, &plain, metadata);
        // Requests of an agent in its last frame would be lost otherwise.
        if metadata.is_some()
            && matches!(known, TaskState::Completed | TaskState::Cancelled | TaskState::Failed | TaskState::Rejected)
        {
            self.run.custom("hector.task_update", &update, out);
        }
        self.task_update(&name, &update, &first_text(status), out);
        let is_final = fields.yes("final") || fields.get("id").is_some();
        if known == TaskState::Waiting && is_final {
            let questions = self.questions(task, &first_text(status), metadata.and_then(Raw::object));
            self.run.interrupt(questions, out);
        }
    }

    fn questions(&self, task: &str, said: &str, metadata: Option<Fields<'_>>) -> Vec<Question> {
        let member = |name: &str| metadata.as_ref().and_then(|metadata| metadata.some(name));
        let prompt = member("input_prompt").and_then(Raw::string).unwrap_or(Cow::Borrowed(said)).into_owned();
        let calls = member("long_running_tool_ids").and_then(Raw::array).unwrap_or_default();
        let question = |call: Cow<'_, str>| Question {
            id: call.to_string(),
            tool: self.run.name_of(&call).to_owned(),
            call: call.into_owned(),
            prompt: prompt.clone(),
            task: task.to_owned(),
        };
        let mut questions: Vec<Question> = calls.into_iter().filter_map(Raw::string).map(question).collect();
        if questions.is_empty() {
            let id = [INPUT, task].concat();
            questions.push(Question { id, prompt: prompt.clone(), task: task.to_owned(), ..Question::default() });
        }
        questions
    }

    /// The parts of an event, and what its metadata says besides or again. `partial`: what they
    /// are if it does not say.
    fn pieces(&mut self, parts: Option<Raw<'_>>, metadata: Option<&Fields<'_>>, partial: bool, out: &mut Output) {
        let Some(parts) = list(parts) else {
            malformed(out, "parts: expected an array");
            return;
        };
        let member = |name: &str| metadata.and_then(|metadata| metadata.some(name));
        let entries = |name: &str| list(member(name)).unwrap_or_default().into_iter().filter_map(Raw::object);
        let partial = member("partial").and_then(Raw::boolean).unwrap_or(partial);
        let author = member("author").and_then(Raw::string).unwrap_or_default();
        let thinking = member("thinking").and_then(Raw::object);
        let mut thought = Cow::Borrowed("");
        if let Some(thinking) = &thinking {
            thought = text(thinking, "id");
            self.thought(thinking, partial, out);
        }
        // The metadata knows more of a result than its part does.
        let results: Vec<Fields<'_>> = entries("tool_results").collect();
        let better = |id: Cow<'_, str>| results.iter().any(|result| text(result, "tool_call_id") == id);
        let mut whole = String::new();
        for raw in parts {
            let Some(part) = HectorPart::read(raw) else {
                malformed(out, "a part: expected an object");
                continue;
            };
            let Some(data) = &part.data else {
                whole.push_str(&part.text);
                continue;
            };
            match &*text(data, "type") {
                "thinking" if text(data, "id") != thought => self.thought(data, partial, out),
                // A text stands before the calls that come with it.
                "tool_use" => {
                    self.text(&author, &std::mem::take(&mut whole), partial, out);
                    self.tool_use(data, out);
                }
                "tool_result" if !better(text(data, "tool_call_id")) => self.tool_result(data, out),
                _ => {}
            }
        }
        self.text(&author, &whole, partial, out);
        entries("tool_calls").for_each(|call| self.tool_use(&call, out));
        results.iter().for_each(|result| self.tool_result(result, out));
    }

    fn tool_use(&mut self, call: &Fields<'_>, out: &mut Output) {
        let id = text(call, "id");
        if self.run.knows(&id) {
            return;
        }
        self.close_blocks(out);
        let args = call.some("arguments").or_else(|| call.some("args")).map(compact);
        self.run.call(&id, &text(call, "name"), Some(args.as_deref().unwrap_or("{}")), out);
    }

    /// Reads a call's result, from a part or from the metadata.
    fn tool_result(&mut self, result: &Fields<'_>, out: &mut Output) {
        let (id, status) = (text(result, "tool_call_id"), text(result, "status"));
        let content = as_text(result.get("content")).into_owned();
        if status == "pending_approval" || result.yes("requires_approval") {
            self.run.drop_result(&id);
            let value = JsonWriter::object_text(|object| {
                object.string("toolCallId", &id).string("status", "pending_approval").string("content", &content);
            });
            return self.run.custom("hector.tool_status", &value, out);
        }
        let failed = result.yes("is_error") || matches!(&*status, "failed" | "denied");
        let (call, status) = (id.into_owned(), status.into_owned());
        self.run.result(Held { call, content, failed, status }, out);
    }

    /// A thought, or a piece of it.
    fn thought(&mut self, thinking: &Fields<'_>, partial: bool, out: &mut Output) {
        let id = text(thinking, "id");
        let id = if id.is_empty() { Cow::Owned(self.run.make_id()) } else { id };
        let content = as_text(thinking.get("content"));
        let completed = !partial || text(thinking, "status") == "completed";
        self.tell(BlockKind::Thinking, &id, &content, !completed, out);
        if completed {
            self.run.close(BlockKind::Thinking, &id, out);
        }
        let signature = text(thinking, "signature");
        if !signature.is_empty() {
            self.run.sign(&id, &signature, out);
        }
    }

    /// A text of an author, or a piece of it.
    fn text(&mut self, author: &str, text: &str, partial: bool, out: &mut Output) {
        if !text.is_empty() {
            self.run.close_all(BlockKind::Thinking, out);
            self.tell(BlockKind::Text, author, text, partial, out);
        }
    }

    /// Adds a piece, or makes what the pieces have added up to what it is as a whole.
    fn tell(&mut self, kind: BlockKind, by: &str, text: &str, partial: bool, out: &mut Output) {
        let known = self.said.iter().position(|said| said.kind == kind && said.by == by);
        let mut said = match known {
            Some(at) => self.said.remove(at),
            None => {
                let block = if kind == BlockKind::Text { self.run.make_id() } else { by.to_owned() };
                Said { kind, by: by.to_owned(), block, text: String::new() }
            }
        };
        let rest = if partial { Some(text) } else { text.strip_prefix(&*said.text) };
        match rest {
            Some("") => {}
            Some(rest) => {
                self.run.open(kind, &said.block, self.role(), "", out);
                self.run.delta(kind, &said.block, rest, out);
            }
            // A thought that is done may say only that.
            None if text.is_empty() => {}
            None => {
                self.run.close(kind, &said.block, out);
                out.push(OutputItem::Text { message_id: said.block.clone(), text: text.to_owned() });
            }
        }
        if partial {
            said.text.push_str(text);
        } else {
            self.run.close(kind, &said.block, out);
            text.clone_into(&mut said.text);
        }
        // The next text of an author is another one; a thought has its id.
        if partial || kind == BlockKind::Thinking {
            if self.said.len() >= MANY {
                self.said.remove(0);
            }
            self.said.push(said);
        }
    }
}
