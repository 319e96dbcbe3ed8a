//! The body of Hector's requests: the new messages and answers of a `RunAgentInput`, for the server keeps the rest.
//! Uses `wire`.

use super::run::{HectorRun, Question};
use super::write::{as_text, filled};
use super::{HectorSettings, INPUT, Route, text};
use crate::wire::{At, Fields, Index, JsonWriter, Raw};

/// The body of the request that begins a run. `sent`: the last message of the user that went out.
pub(super) fn submit(settings: &HectorSettings, run: &HectorRun, sent: &mut String, input: &Fields<'_>) -> String {
    let v2 = settings.route == Some(Route::V2);
    let list = |name: &str| input.list(name);
    let (messages, answers) = (list("messages"), list("resume"));
    let new = unsent(&messages, if answers.is_empty() { "" } else { sent });
    let mut parts = String::new();
    let mut writer = Parts { v2, list: JsonWriter::array(&mut parts) };
    let mut task = "";
    let mut questions = Index::new();
    for (at, question) in run.questions.iter().enumerate() {
        questions.note(&question.id, At { message: at, call: 0 });
    }
    for answer in answers.iter().filter_map(|raw| raw.object()) {
        let id = text(&answer, "interruptId");
        let question = questions.get(&id).and_then(|at| run.questions.get(at.message));
        task = question.map_or(task, |question| &question.task);
        writer.answer(&id, question, &answer);
    }
    for fields in &new {
        writer.message(fields);
    }
    drop(writer);
    if answers.is_empty()
        && let Some(id) = new.last().and_then(|fields| fields.text("id"))
    {
        *sent = id.into_owned();
    }
    let context = if run.context.is_empty() { &run.own_thread } else { &run.context };
    let message = JsonWriter::object_text(|object| {
        object.string("contextId", context).string("role", "user");
        // Version 2 has the task in its answers.
        object.optional("taskId", filled(task).filter(|_| !v2));
        object.member("parts").push_str(&parts);
        if let (true, Some(props)) =
            (v2, input.some("forwardedProps").filter(|raw| raw.is_object() && raw.text() != "{}"))
        {
            object.json("metadata", props.text());
        }
    });
    let member = if matches!(settings.route, Some(Route::JsonRpc | Route::Request)) { "request" } else { "message" };
    let body = JsonWriter::object_text(|object| {
        object.member(member).push_str(&message);
    });
    match settings.route {
        Some(Route::JsonRpc | Route::V2) => call("message/stream", &body, &run.own_run),
        _ => body,
    }
}

/// A call of JSON-RPC. `params`: JSON text.
pub(super) fn call(method: &str, params: &str, id: &str) -> String {
    JsonWriter::object_text(|object| {
        object.string("jsonrpc", "2.0").string("method", method);
        object.member("params").push_str(params);
        object.string("id", id);
    })
}

/// The messages after the agent's last one, in order: those of the user, and what the page has answered to calls. The
/// message `sent` went out with an earlier request.
fn unsent<'a>(messages: &[Raw<'a>], sent: &str) -> Vec<Fields<'a>> {
    let mut new = Vec::new();
    for fields in messages.iter().rev().filter_map(|raw| raw.object()) {
        let id = text(&fields, "id");
        if !sent.is_empty() && id == sent {
            break;
        }
        match &*text(&fields, "role") {
            "user" => new.push(fields.clone()),
            // Results that the server has sent have ids that this dialect made.
            "tool" if !id.ends_with(":result") => new.push(fields.clone()),
            "assistant" | "reasoning" => break,
            _ => {}
        }
    }
    new.reverse();
    new
}

/// Writes parts as one of the versions has them.
struct Parts<'o> {
    v2: bool,
    list: JsonWriter<'o>,
}

impl Parts<'_> {
    #[inline(never)]
    fn text(&mut self, text: &str) {
        let v2 = self.v2;
        JsonWriter::object(self.list.item()).optional("kind", v2.then_some("text")).string("text", text);
    }

    /// `json`: an object as JSON text.
    #[inline(never)]
    fn data(&mut self, json: &str) {
        let v2 = self.v2;
        let mut part = JsonWriter::object(self.list.item());
        if v2 {
            part.string("kind", "data").json("data", json);
        } else {
            let mut data = JsonWriter::object(part.member("data"));
            data.json("data", json);
        }
    }

    fn message(&mut self, message: &Fields<'_>) {
        let content = message.some("content");
        if let Some(call) = message.some("toolCallId") {
            let error = message.text("error");
            let json = JsonWriter::object_text(|data| {
                data.optional("type", self.v2.then_some("tool_result"));
                data.json("tool_call_id", call.text()).string("content", &as_text(content));
                data.optional("error", error.as_deref());
                data.flag("is_error", error.is_some());
            });
            return self.data(&json);
        }
        if let Some(text) = content.and_then(Raw::string) {
            return self.text(&text);
        }
        for part in content.and_then(Raw::array).unwrap_or_default().into_iter().filter_map(Raw::object) {
            match (part.text("text"), part.object("source")) {
                (Some(text), _) => self.text(&text),
                (None, Some(source)) => self.file(&part, &source),
                _ => {}
            }
        }
    }

    fn file(&mut self, part: &Fields<'_>, source: &Fields<'_>) {
        let Some(value) = source.some("value") else { return };
        let inline = source.is("type", "data");
        let name = part.object("metadata").and_then(|metadata| metadata.some("filename"));
        let v2 = self.v2;
        let [place, kind] = match (v2, inline) {
            (false, true) => ["fileWithBytes", "mediaType"],
            (false, false) => ["fileWithUri", "mediaType"],
            (true, true) => ["bytes", "mimeType"],
            (true, false) => ["uri", "mimeType"],
        };
        let mut entry = JsonWriter::object(self.list.item());
        entry.optional("kind", v2.then_some("file"));
        let mut file = JsonWriter::object(entry.member("file"));
        for (key, raw) in [(place, Some(value)), (kind, source.some("mimeType")), ("name", name)] {
            if let Some(raw) = raw {
                raw.rewrite(file.member(key));
            }
        }
    }

    /// The answer to an interrupt. Of one that an earlier page was asked only the id is known: it is that of the call.
    fn answer(&mut self, id: &str, question: Option<&Question>, answer: &Fields<'_>) {
        let payload = answer.some("payload");
        let is_input = match question {
            Some(question) => question.call.is_empty() && question.tool.is_empty(),
            None => id.starts_with(INPUT),
        };
        let cancelled = answer.is("status", "cancelled");
        if is_input {
            let text = as_text(payload);
            match payload.filter(|raw| raw.is_object()) {
                Some(raw) => self.data(raw.text()),
                None if cancelled => self.text("cancel"),
                None => self.text(&text),
            }
            return;
        }
        let decision = if cancelled || !approves(payload) { "deny" } else { "approve" };
        let json = JsonWriter::object_text(|data| {
            if self.v2 {
                data.string("type", "tool_approval").string("decision", decision).string("tool_call_id", id);
                if let Some(Question { tool, task, .. }) = question {
                    data.optional("tool_name", filled(tool)).optional("task_id", filled(task));
                }
            } else {
                data.string("decision", decision);
            }
        });
        self.data(&json);
    }
}

/// Whether an answer says yes. Nothing does, and what is not understood does not.
fn approves(payload: Option<Raw<'_>>) -> bool {
    let Some(raw) = payload else { return true };
    if let Some(fields) = raw.object() {
        let said = ["decision", "approved", "approve"].into_iter().find_map(|name| fields.some(name));
        return said.is_some_and(|said| approves(Some(said)));
    }
    match raw.string() {
        Some(text) => ["approve", "approved", "yes"].iter().any(|yes| text.trim().eq_ignore_ascii_case(yes)),
        None => raw.boolean() == Some(true),
    }
}
