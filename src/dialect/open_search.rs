//! OpenSearch ml-commons: AG-UI with the peculiarities of its handlers. Settings:
//!
//! - `history`, what a request carries of the thread: `"full"` (default), or `"new"`, what the server has not answered yet,
//!   for agents with a memory of their own;
//! - `members`, what a request consists of: `"seven"` (default), the members that the server documents, or `"all"` of AG-UI.
//!
//! | what it sends | its translation |
//! | --- | --- |
//! | `Custom` | CUSTOM; its `token_usage` counts as usage |
//! | data without a type, or that is no JSON | RUN_ERROR with its text |
//! | another end after the end of the run | nothing |
//! | any other event there | told aside |
//! | a call that is open when it is answered, or when the run ends | TOOL_CALL_END first |
//! | arguments of several calls as those of one | a warning; the page executes the first |
//! | the stored thread, with unanswered calls of the page's tools | those calls, called again |

mod messages;

use super::{Dialect, Output, OutputItem, RunRequest, Taken, choice};
use crate::wire::{At, Delta, DeltaKind, Fields, Frame, Index, JsonError, JsonWriter, Keyed, Raw, frame_type};
use messages::{ReadCall, first_value, read_call, write_message};

/// The members of a request that the server documents, beside `messages`.
const MEMBERS: [&str; 6] = ["threadId", "runId", "state", "tools", "context", "forwardedProps"];

/// As deep as any limit allows: what the events may be is judged after this.
const DEPTH: usize = 4096;

/// A call whose arguments come.
#[derive(Debug)]
struct OpenCall {
    id: String,
    args: String,
}

/// The state of a run.
#[derive(Debug, Default)]
pub(super) struct OpenSearch {
    /// Requests carry only what is new.
    new_only: bool,
    /// Requests have members that the server does not document.
    all_members: bool,
    /// The last message of the request in progress, and of the last request whose run ended well: the server has answered
    /// up to there, even where its answer had no text.
    last_sent: Option<String>,
    answered: Option<String>,
    ended: bool,
    /// The calls that are open, in the order in which they began.
    open: Keyed<OpenCall>,
    /// Calls whose answers the server has, and those whose answers it is being told.
    known: Index,
    answered_now: Vec<String>,
    /// The stored thread is asked for: by the run's id, or with no messages.
    restores: bool,
    /// The page's tools, and the user messages in parts that it has.
    tools: Index,
    in_parts: Keyed<String>,
    /// Calls that are called again, each with the message that it is of.
    again: Vec<(ReadCall, String)>,
}

impl OpenSearch {
    pub fn make(settings: &str) -> Option<Box<dyn Dialect>> {
        let fields = Fields::read(settings, 8)?;
        let new_only = choice(&fields, "history", &["full", "new"])? == 1;
        let all_members = choice(&fields, "members", &["seven", "all"])? == 1;
        Some(Box::new(Self { new_only, all_members, ..Self::default() }))
    }

    /// Data that is no event: how the server tells that something went wrong.
    fn failed(&mut self, message: &str, out: &mut Output) {
        if !std::mem::replace(&mut self.ended, true) {
            out.say("RUN_ERROR", &[("message", message)], &[]);
        }
    }

    fn event(&mut self, kind: &str, fields: &Fields<'_>, text: &str, out: &mut Output) -> Taken {
        let id = fields.text("toolCallId");
        let id = id.as_deref().unwrap_or_default();
        match kind {
            "RUN_STARTED" => {
                self.ended = false;
                self.open = Keyed::default();
                for id in std::mem::take(&mut self.answered_now) {
                    self.known.insert(id, At::default());
                }
                self.restores |= fields.text("runId").is_some_and(|id| is_restore(&id));
                return Taken::Pass;
            }
            "RUN_FINISHED" | "RUN_ERROR" => {
                if std::mem::replace(&mut self.ended, true) {
                    return Taken::Taken;
                }
                if kind == "RUN_FINISHED" {
                    self.answered = self.last_sent.take().or(self.answered.take());
                    for call in self.open.take_all() {
                        self.close(&call, out);
                    }
                    for ((id, name, args), message) in std::mem::take(&mut self.again) {
                        let id = ("toolCallId", &*id);
                        out.say("TOOL_CALL_START", &[id, ("toolCallName", &name), ("parentMessageId", &message)], &[]);
                        out.say("TOOL_CALL_ARGS", &[id, ("delta", &args)], &[]);
                        out.say("TOOL_CALL_END", &[id], &[]);
                    }
                }
                return Taken::Pass;
            }
            "Custom" | "CUSTOM" => return self.custom(fields, out),
            "TOOL_CALL_START" => {
                // A call that is open already begins anew.
                self.open.take(id);
                self.open.push(id, OpenCall { id: id.to_owned(), args: String::new() });
            }
            "TOOL_CALL_ARGS" => self.grow(id, &fields.text("delta").unwrap_or_default()),
            "TOOL_CALL_END" => {
                if let Some(call) = self.open.take(id)
                    && first_value(&call.args).is_some()
                {
                    let message = "a call has the arguments of several: the first are taken";
                    out.warning("calls-merged", message);
                }
            }
            "TOOL_CALL_RESULT" => {
                if let Some(call) = self.open.take(id) {
                    self.close(&call, out);
                }
                self.known.insert(id.to_owned(), At::default());
            }
            "MESSAGES_SNAPSHOT" => {
                if let Some(made) = self.restore(fields) {
                    out.event(made);
                    return Taken::Taken;
                }
            }
            _ => {}
        }
        self.after_end(text, out)
    }

    fn grow(&mut self, id: &str, delta: &str) {
        self.open.get_mut(id).into_iter().for_each(|call| call.args.push_str(delta));
    }

    fn after_end(&self, text: &str, out: &mut Output) -> Taken {
        if !self.ended {
            return Taken::Pass;
        }
        out.aside(text);
        Taken::Taken
    }

    fn custom(&mut self, fields: &Fields<'_>, out: &mut Output) -> Taken {
        if fields.is("name", "token_usage") {
            usage(fields, out);
        }
        let json = JsonWriter::object_text(|event| {
            event.string("type", "CUSTOM");
            event.copy(fields, &|key| key != "type");
        });
        if self.ended {
            out.aside(json)
        } else {
            out.event(json)
        }
        Taken::Taken
    }

    /// A call that never ended: a tool without input has no END.
    fn close(&self, call: &OpenCall, out: &mut Output) {
        out.say("TOOL_CALL_END", &[("toolCallId", &call.id)], &[]);
    }

    /// The stored thread, where it was asked for: calls of the page's tools that its last assistant message waits for go
    /// out of it, to be called again before the run ends. A user message that the page has in parts stays in parts, if
    /// the server has kept its text alone.
    fn restore(&mut self, fields: &Fields<'_>) -> Option<String> {
        if !std::mem::take(&mut self.restores) {
            return None;
        }
        let list = fields.get("messages").and_then(Raw::array)?;
        let messages: Vec<_> = list.iter().map(|message| message.object()).collect();
        let answers = messages.iter().flatten().filter_map(|message| message.text("toolCallId"));
        let answered = Index::of(answers);
        let is_assistant =
            |message: &Option<Fields<'_>>| message.as_ref().is_some_and(|message| message.is("role", "assistant"));
        let last = messages.iter().rposition(is_assistant);
        self.known.clone_from(&answered);
        Some(JsonWriter::object_text(|event| {
            event.copy(fields, &|key| key != "messages");
            let mut out = JsonWriter::array(event.member("messages"));
            for (at, (message, raw)) in messages.iter().zip(&list).enumerate() {
                let Some(message) = message else {
                    out.item().push_str(raw.text());
                    continue;
                };
                let id = message.text("id").map(String::from).unwrap_or_default();
                let flat = message.get("content").is_some_and(|content| content.literal().is_some());
                let parts = self.in_parts.get(&id).filter(|_| flat);
                let mut kept = Vec::new();
                if Some(at) == last {
                    for call in message.list("toolCalls") {
                        match read_call(call)
                            .filter(|(call, name, _)| self.tools.contains_key(name) && !answered.contains_key(call))
                        {
                            Some(call) => self.again.push((call, id.clone())),
                            None => kept.push(call.text()),
                        }
                    }
                }
                let mut written = JsonWriter::object(out.item());
                written.copy(message, &|key| {
                    !(key == "content" && parts.is_some() || key == "toolCalls" && Some(at) == last)
                });
                if let Some(parts) = parts {
                    written.member("content").push_str(parts);
                }
                if !kept.is_empty() {
                    let mut calls = JsonWriter::array(written.member("toolCalls"));
                    kept.iter().for_each(|call| calls.item().push_str(call));
                }
            }
        }))
    }

    /// The messages that the server has not seen: those after its last answer, and before it the answers to calls since the
    /// user spoke. None would ask for the stored thread: then it is what the user said last.
    fn new_messages<'m, 'a>(&self, messages: &'m [Fields<'a>]) -> Vec<&'m Fields<'a>> {
        let is_user = |message: &Fields<'_>| message.is("role", "user");
        let is_answered = |message: &Fields<'_>| self.answered.as_deref().is_some_and(|id| message.is("id", id));
        let spoken = messages.iter().rposition(|message| message.is("role", "assistant") || is_answered(message));
        let before = messages.get(..spoken.unwrap_or_default()).unwrap_or_default();
        let last_sent = before.iter().rposition(is_user).unwrap_or_default();
        let is_new = |(at, message): &(usize, &Fields<'_>)| match message.text("toolCallId") {
            Some(call) => *at > last_sent && !self.known.contains_key(&call),
            None => spoken.is_none_or(|spoken| *at > spoken),
        };
        let new: Vec<_> = messages.iter().enumerate().filter(is_new).map(|(_, message)| message).collect();
        if new.is_empty() { messages.iter().rfind(|message| is_user(message)).into_iter().collect() } else { new }
    }
}

impl Dialect for OpenSearch {
    fn begin(&mut self, request: &RunRequest<'_>) {
        self.restores = is_restore(request.run_id);
        if !request.joins {
            self.ended = false;
            self.open = Keyed::default();
            self.again.clear();
            self.in_parts = Keyed::default();
        }
    }

    fn body(&mut self, input: &str) -> Option<String> {
        let fields = Fields::read(input, DEPTH)?;
        let list = fields.list("messages");
        // The server names these roles, and misreads others.
        let is_named = |message: &Fields<'_>| {
            let role = message.text("role");
            role.is_some_and(|role| ["user", "assistant", "tool"].contains(&&*role))
        };
        let messages: Vec<_> = list.into_iter().filter_map(Raw::object).filter(is_named).collect();
        let new = match (self.restores, self.new_only) {
            (true, _) => Vec::new(),
            (false, true) => self.new_messages(&messages),
            (false, false) => messages.iter().collect(),
        };
        self.restores = new.is_empty();
        let tools = fields.list("tools").into_iter();
        self.tools = Index::of(tools.filter_map(|tool| tool.object()?.text("name")));
        self.in_parts = Keyed::default();
        for message in messages.iter().filter(|_| new.is_empty()) {
            let content = message.get("content").filter(|content| content.text().starts_with('['));
            if let (Some(id), Some(content)) = (message.text("id"), content) {
                self.in_parts.push(&id, content.text().to_owned());
            }
        }
        self.last_sent = messages.last().and_then(|message| Some(message.text("id")?.into_owned()));
        Some(JsonWriter::object_text(|body| {
            let all = self.all_members;
            body.copy(&fields, &|key| key != "messages" && (all || MEMBERS.contains(&key)));
            // Without one of these the server takes the request for another kind.
            for name in ["state", "forwardedProps"] {
                if fields.get(name).is_none() {
                    body.member(name).push_str("{}");
                }
            }
            let mut out = JsonWriter::array(body.member("messages"));
            self.answered_now.clear();
            for message in new {
                let call = message.text("toolCallId");
                write_message(out.item(), message, call.as_deref());
                self.answered_now.extend(call.map(String::from));
            }
        }))
    }

    fn frame(&mut self, frame: &Frame<'_>, out: &mut Output) -> Taken {
        if let Some(delta) = Delta::read(frame.data) {
            if delta.kind == DeltaKind::Args && self.open.len() > 0 {
                self.grow(&delta.id.decode(), &delta.delta.decode());
            }
            return self.after_end(frame.data, out);
        }
        let fields = match Raw::parse_object(frame.data, DEPTH) {
            Ok(Some(fields)) => fields,
            // Torn by a lost connection, which is reported anyway; or deeper than any event.
            Err(error) if frame.unterminated || error == JsonError::TooDeep => return Taken::Pass,
            _ => {
                self.failed(frame.data, out);
                return Taken::Taken;
            }
        };
        if let Ok(kind) = frame_type(&fields) {
            return self.event(&kind, &fields, frame.data, out);
        }
        let error = fields.text("error");
        self.failed(error.as_deref().unwrap_or(frame.data), out);
        Taken::Taken
    }

    fn arguments<'a>(&self, args: &'a str) -> Option<&'a str> {
        first_value(args)
    }
}

/// The ids of runs that ask for the stored thread. Ids of follow-up runs have one part more.
fn is_restore(run_id: &str) -> bool {
    let time = run_id.strip_prefix("restore-");
    time.is_some_and(|time| !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The counts of `token_usage` by model.
fn usage(event: &Fields<'_>, out: &mut Output) {
    const NAMES: [(&str, &str); 6] = [
        ("input_tokens", "inputTokens"),
        ("output_tokens", "outputTokens"),
        ("total_tokens", "totalTokens"),
        ("reasoning_tokens", "reasoningTokens"),
        ("cache_read_input_tokens", "cachedInputTokens"),
        ("cache_creation_input_tokens", "cacheWriteInputTokens"),
    ];
    let models = event.object("value").and_then(|value| value.get("per_model_usage")?.array());
    out.push(OutputItem::Usage(JsonWriter::array_text(|list| {
        for model in models.unwrap_or_default().into_iter().filter_map(Raw::object) {
            let mut usage = JsonWriter::object(list.item());
            usage.optional("model", model.text("model_name").as_deref());
            for (theirs, ours) in NAMES {
                usage.number(ours, model.whole(theirs));
            }
        }
    })));
}
