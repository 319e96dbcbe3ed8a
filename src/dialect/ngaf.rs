//! The ngaf Agent contract (`@ngaf/ag-ui`, now `@threadplane/ag-ui`): AG-UI, written more freely than 1.0 allows, and with
//! conventions of its own. Uses `wire`.
//!
//! | what it sends | its translation |
//! | --- | --- |
//! | no `messageId`, `delta`, `snapshot`, `messages`, another `role` | what its own reducer takes instead |
//! | REASONING_MESSAGE_CHUNK into an open message | REASONING_MESSAGE_CONTENT |
//! | TOOL_CALL_RESULT before TOOL_CALL_END | the END first |
//! | a result that is no text | its JSON text |
//! | CUSTOM with JSON in a string | CUSTOM with the JSON |
//! | CUSTOM `on_interrupt` | an interrupt, which RUN_FINISHED ends the run with |
//! | an activity `subagent` | SUBAGENT_* before it |
//!
//! An event that was changed has the one that came in `rawEvent: {source: "ngaf", event}`, one that was taken out passes as
//! RAW of that source, and one that was made up has `null` there: `ag-ui-wasm/ngaf` reduces what came. Everything else passes
//! as it is.
//!
//! No settings.

use super::{Dialect, Output, RunRequest, Taken};
use crate::wire::{At, Delta, Fields, Frame, Index, JsonWriter, Keyed, Raw, frame_fields, frame_type, quoted};

/// How deep a frame may be nested that is looked into. Deeper ones are for the rules.
const DEPTH: usize = 512;

/// The prefix of the ids of interrupts that were CUSTOM events.
const ASKED: &str = "on_interrupt:";

/// The original of an event that nothing came for.
const MADE_UP: (&str, &str) = ("rawEvent", r#"{"source":"ngaf","event":null}"#);

/// A call that is open.
const OPEN: At = At { message: 0, call: 1 };

const TOOL: &str = "\"tool\"";

/// No settings.
pub fn make(_settings: &str) -> Option<Box<dyn Dialect>> {
    Some(Box::<Ngaf>::default())
}

/// The open items of a stream.
#[derive(Default)]
struct Ngaf {
    thread_id: String,
    run_id: String,
    /// Reasoning messages that are open.
    reasoning: Index,
    /// Calls, and whether they are open. One that is not was ended by its result, before its END.
    calls: Index,
    /// The runs of subagents, and whether they are open.
    subagents: Keyed<(String, bool)>,
    /// The question of `on_interrupt`: JSON text.
    question: Option<String>,
}

impl Dialect for Ngaf {
    fn begin(&mut self, request: &RunRequest<'_>) {
        request.thread_id.clone_into(&mut self.thread_id);
        if !request.joins {
            self.forget(request.run_id);
        }
    }

    /// Answers go as LangGraph takes them, in `forwardedProps.command.resume`.
    fn body(&mut self, input: &str) -> Option<String> {
        let fields = Fields::read(input, usize::MAX)?;
        let entries = fields.some("resume").and_then(Raw::array)?;
        let is_asked = |entry: &Fields<'_>| entry.text("interruptId").is_some_and(|id| id.starts_with(ASKED));
        let (answers, rest): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| entry.object().as_ref().is_some_and(is_asked));
        if answers.is_empty() {
            return None;
        }
        let resume = JsonWriter::array_text(|list| {
            rest.iter().for_each(|entry| list.item().push_str(entry.text()));
        });
        let answer = answers.into_iter().filter_map(Raw::object).find_map(|entry| {
            let resolved = entry.is("status", "resolved");
            resolved.then(|| entry.get("payload").map_or("null", Raw::text))
        });
        let props = fields.some("forwardedProps");
        let props = match answer {
            // A cancelled question is left, and the run has none to answer.
            None => props.map(|props| props.text().to_owned()),
            Some(answer) => {
                let props = props.and_then(Raw::object).unwrap_or_default();
                let command = props.object("command").unwrap_or_default();
                let command = JsonWriter::changed(&command, &[("resume", Some(answer))]);
                Some(JsonWriter::changed(&props, &[("command", Some(&command))]))
            }
        };
        let resume = Some(resume.as_str()).filter(|_| !rest.is_empty());
        Some(JsonWriter::changed(&fields, &[("resume", resume), ("forwardedProps", props.as_deref())]))
    }

    fn frame(&mut self, frame: &Frame<'_>, out: &mut Output) -> Taken {
        // Almost every frame of a stream.
        if Delta::read(frame.data).is_some() {
            return Taken::Pass;
        }
        let Ok(fields) = frame_fields(frame.data, DEPTH) else { return Taken::Pass };
        let Ok(kind) = frame_type(&fields) else { return Taken::Pass };
        let event = RawEvent { fields: &fields, json: frame.data };
        match &*kind {
            "TEXT_MESSAGE_START" => {
                let known = |role: &str| matches!(role, "assistant" | "user" | "system" | "developer");
                let fits = event.string("role").is_none_or(|role| known(&role));
                event.of_message(out, &[("role", if fits { None } else { Some("\"assistant\"") })])
            }
            "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT" if fields.some("delta").is_none() => Taken::Taken,
            "TEXT_MESSAGE_CONTENT"
            | "TEXT_MESSAGE_END"
            | "REASONING_START"
            | "REASONING_END"
            | "REASONING_MESSAGE_CONTENT" => event.of_message(out, &[]),
            "REASONING_MESSAGE_START" => self.reasoning_start(event, out),
            "REASONING_MESSAGE_CHUNK" => self.reasoning_chunk(event, out),
            "REASONING_MESSAGE_END" => {
                self.reasoning.remove(&event.message_id());
                event.of_message(out, &[])
            }
            "TOOL_CALL_START" => {
                if let Some(id) = event.string("toolCallId") {
                    self.calls.insert(id, OPEN);
                }
                Taken::Pass
            }
            "TOOL_CALL_END" => match event.string("toolCallId").and_then(|id| self.calls.remove(&id)) {
                Some(call) if call != OPEN => event.raw(out),
                _ => Taken::Pass,
            },
            "TOOL_CALL_RESULT" => self.result(event, out),
            "STATE_SNAPSHOT" if fields.get("snapshot").is_none() => event.change(out, &[("snapshot", Some("{}"))]),
            "MESSAGES_SNAPSHOT" if fields.some("messages").is_none() => event.change(out, &[("messages", Some("[]"))]),
            "CUSTOM" => self.custom(event, out),
            "ACTIVITY_SNAPSHOT" | "ACTIVITY_DELTA" => self.activity(&fields, out),
            "RUN_STARTED" => {
                let run_id = event.string("runId").unwrap_or_else(|| self.run_id.clone());
                self.forget(&run_id);
                Taken::Pass
            }
            "RUN_FINISHED" => self.finished(event, out),
            "RUN_ERROR" => {
                self.question = None;
                Taken::Pass
            }
            _ => Taken::Pass,
        }
    }

    /// A question ends the run, also where no event says so.
    fn end(&mut self, out: &mut Output) {
        if self.question.is_some() {
            self.close_subagents(out);
        }
        let Some(outcome) = self.outcome() else { return };
        let ids = [("threadId", &*self.thread_id), ("runId", &self.run_id)];
        out.say("RUN_FINISHED", &ids, &[("outcome", &outcome), MADE_UP]);
    }
}

impl Ngaf {
    fn forget(&mut self, run_id: &str) {
        let thread_id = std::mem::take(&mut self.thread_id);
        *self = Self { thread_id, run_id: run_id.to_owned(), ..Self::default() };
    }

    fn reasoning_start(&mut self, event: RawEvent<'_, '_>, out: &mut Output) -> Taken {
        self.reasoning.insert(event.message_id(), At::default());
        let fits = event.string("role").is_some_and(|role| role == "reasoning");
        event.of_message(out, &[("role", if fits { None } else { Some("\"reasoning\"") })])
    }

    /// A chunk into an open message is content of it.
    fn reasoning_chunk(&self, event: RawEvent<'_, '_>, out: &mut Output) -> Taken {
        if !self.reasoning.contains_key(&event.message_id()) {
            return Taken::Pass;
        }
        if event.fields.some("delta").is_none() {
            return Taken::Taken;
        }
        event.of_message(out, &[("type", Some("\"REASONING_MESSAGE_CONTENT\""))])
    }

    /// The end of a run that has asked something carries the question.
    fn finished(&mut self, event: RawEvent<'_, '_>, out: &mut Output) -> Taken {
        self.close_subagents(out);
        let Some(outcome) = self.outcome() else { return Taken::Pass };
        event.change(out, &[("outcome", Some(&outcome))])
    }

    fn result(&mut self, event: RawEvent<'_, '_>, out: &mut Output) -> Taken {
        let Some(id) = event.string("toolCallId") else { return Taken::Pass };
        if let Some(open) = self.calls.get_mut(&id)
            && std::mem::take(open) == OPEN
        {
            out.say("TOOL_CALL_END", &[("toolCallId", &id)], &[MADE_UP]);
        }
        let content = match event.fields.some("content") {
            Some(raw) if raw.literal().is_some() || is_parts(raw) => None,
            Some(raw) => Some(quoted(raw.text())),
            None => Some(quoted("")),
        };
        let message_id = event.string("messageId").is_none().then(|| quoted(&format!("{id}:result")));
        let role = event.fields.get("role").filter(|role| role.text() != TOOL).map(|_| TOOL);
        event.change(out, &[("content", content.as_deref()), ("messageId", message_id.as_deref()), ("role", role)])
    }

    fn custom(&mut self, event: RawEvent<'_, '_>, out: &mut Output) -> Taken {
        let text = event.string("value");
        let parsed = text.as_deref().filter(|text| Raw::parse(text, DEPTH).is_ok());
        if event.string("name").as_deref() != Some("on_interrupt") {
            return event.change(out, &[("value", parsed)]);
        }
        let value = parsed.or_else(|| event.fields.get("value").map(Raw::text)).unwrap_or("null");
        if self.question.replace(value.to_owned()).is_some() {
            out.warning("interrupt-replaced", "a run asks one question; the last one stands");
        }
        event.raw(out)
    }

    /// How the run ends that has asked something.
    fn outcome(&mut self) -> Option<String> {
        let value = self.question.take()?;
        let message = Raw::parse(&value, DEPTH).ok().and_then(|raw| {
            let fields = raw.object().unwrap_or_default();
            raw.string().or_else(|| ["message", "question"].into_iter().find_map(|name| fields.text(name)))
        });
        Some(JsonWriter::object_text(|outcome| {
            outcome.string("type", "interrupt");
            let mut list = JsonWriter::array(outcome.member("interrupts"));
            let mut interrupt = JsonWriter::object(list.item());
            interrupt.string("id", &format!("{ASKED}{}", self.run_id)).string("reason", "ngaf:on_interrupt");
            interrupt.optional("message", message.as_deref());
            JsonWriter::object(interrupt.member("metadata")).member("value").push_str(&value);
        }))
    }

    /// Tells of the subagent that an activity shows. The activity itself stays.
    fn activity(&mut self, fields: &Fields<'_>, out: &mut Output) -> Taken {
        let is_subagent = fields.is("activityType", "subagent");
        let Some(id) = fields.text("messageId").filter(|_| is_subagent) else {
            return Taken::Pass;
        };
        match fields.object("content") {
            Some(content) => self.subagent(&id, &content, out),
            None => {
                for step in fields.list("patch") {
                    let Some(step) = step.object() else { continue };
                    let sets = step.text("op").is_some_and(|op| op == "add" || op == "replace");
                    let path = step.text("path").unwrap_or_default();
                    match (sets, &*path, step.get("value")) {
                        (true, "/status", Some(status)) => self.subagent_is(&id, status, out),
                        (true, "", Some(content)) => {
                            if let Some(content) = content.object() {
                                self.subagent(&id, &content, out);
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        Taken::Pass
    }

    fn subagent(&mut self, id: &str, content: &Fields<'_>, out: &mut Output) {
        if !self.subagents.has(id) {
            self.subagents.push(id, (id.to_owned(), true));
            let (name, call) = (content.text("name"), content.text("toolCallId"));
            let mut members = vec![("subagentRunId", id), ("name", name.as_deref().unwrap_or("subagent"))];
            members.extend(call.as_deref().map(|call| ("parentToolCallId", call)));
            out.say("SUBAGENT_STARTED", &members, &[MADE_UP]);
        }
        if let Some(status) = content.some("status") {
            self.subagent_is(id, status, out);
        }
    }

    fn subagent_is(&mut self, id: &str, status: Raw<'_>, out: &mut Output) {
        let failed = match status.text() {
            "\"complete\"" => false,
            "\"error\"" => true,
            _ => return,
        };
        if let Some((_, open)) = self.subagents.get_mut(id)
            && std::mem::take(open)
        {
            close(id, failed, out);
        }
    }

    /// Nothing is open after RUN_FINISHED.
    fn close_subagents(&mut self, out: &mut Output) {
        for (id, open) in self.subagents.iter_mut() {
            if std::mem::take(open) {
                close(id, false, out);
            }
        }
    }
}

fn close(id: &str, failed: bool, out: &mut Output) {
    let id = ("subagentRunId", id);
    match failed {
        true => out.say("SUBAGENT_ERROR", &[id, ("message", "The subagent has failed.")], &[MADE_UP]),
        false => out.say("SUBAGENT_FINISHED", &[id], &[MADE_UP]),
    }
}

/// An event as it came.
#[derive(Clone, Copy)]
struct RawEvent<'f, 'a> {
    fields: &'f Fields<'a>,
    json: &'a str,
}

impl RawEvent<'_, '_> {
    fn string(&self, name: &str) -> Option<String> {
        self.fields.text(name).map(String::from)
    }

    /// The message that it is about: `unknown`, where it does not say.
    fn message_id(&self) -> String {
        self.string("messageId").unwrap_or_else(|| "unknown".to_owned())
    }

    /// Writes it with changes, if there are any; JSON text each.
    fn change(&self, out: &mut Output, changes: &[(&str, Option<&str>)]) -> Taken {
        let mut changes: Vec<_> = changes.iter().copied().filter(|(_, value)| value.is_some()).collect();
        if changes.is_empty() {
            return Taken::Pass;
        }
        let came = JsonWriter::object_text(|came| came.string("source", "ngaf").member("event").push_str(self.json));
        changes.push(("rawEvent", Some(&came)));
        out.event(JsonWriter::changed(self.fields, &changes));
        Taken::Taken
    }

    /// The same of an event that names a message.
    fn of_message(&self, out: &mut Output, changes: &[(&str, Option<&str>)]) -> Taken {
        let id = self.fields.some("messageId").is_none().then_some("\"unknown\"");
        self.change(out, &[changes, &[("messageId", id)]].concat())
    }

    /// Takes it out of what is reduced.
    fn raw(&self, out: &mut Output) -> Taken {
        out.say("RAW", &[("source", "ngaf")], &[("event", self.json)]);
        Taken::Taken
    }
}

/// Whether it is what AG-UI 1.0 calls content parts.
fn is_parts(raw: Raw<'_>) -> bool {
    let typed = |part: Raw<'_>| part.object().is_some_and(|part| part.text("type").is_some());
    raw.array().is_some_and(|parts| parts.into_iter().all(typed))
}
