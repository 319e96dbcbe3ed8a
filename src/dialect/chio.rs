//! Chio: an agent's user interface events behind a proxy that decides and signs. None of its events is AG-UI's, and it has
//! no runs: a run begins with the body, and ends with it.
//!
//! ```text
//!  AgUiEvent ──┬─ text_stream with a text ─► TEXT_MESSAGE_START (once a target), TEXT_MESSAGE_CONTENT
//!              ├─ state_update of a path ──► STATE_DELTA, and as the others
//!              └─ any other ───────────────► CUSTOM chio.<type>, the whole event as its value
//!  receipt ──────────────────────────────► CUSTOM chio.receipt
//!  end of the body ──────────────────────► TEXT_MESSAGE_END of each message, RUN_FINISHED
//! ```
//!
//! Settings: `input`, what goes to the server when something is submitted: `event` (default), a form_action with the text;
//! `run`, the `RunAgentInput`; `none`. `rawText`: every AG-UI event carries Chio's as its text, and not as JSON, so that
//! numbers past 2^53 survive the reading of it.

use super::{Dialect, Output, RunRequest, Taken, choice};
use crate::guard::{ChioEvent, Complaint};
use crate::wire::{At, Fields, Frame, Index, JsonWriter, Raw, Token, quoted, split_front, write_string};
use serde_json::{Map, Value};

/// Deeper than an event's own limit nothing is taken in.
const DEPTH: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Input {
    #[default]
    Event,
    Run,
    Nothing,
}

/// Where the body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum BodyStage {
    /// Nothing has come.
    #[default]
    Before,
    /// Nothing has come that could be read.
    Heard,
    /// RUN_STARTED is out.
    Open,
    /// The server has ended the run in AG-UI's words.
    Over,
}

#[derive(Debug, Default)]
pub(super) struct Chio {
    input: Input,
    raw_text: bool,
    thread_id: String,
    run_id: String,
    stage: BodyStage,
    /// The ids of messages, and whether they grow; the others are of the last run, and text that comes after a pause continues
    /// them.
    messages: Vec<(String, bool)>,
    /// The last message of each target, by its key.
    by_key: Index,
    /// Ids of the thread's messages that this dialect has made.
    used: Index,
    /// The state as the agent knows it, to tell which containers are there.
    state: Value,
}

impl Chio {
    pub fn make(settings: &str) -> Option<Box<dyn Dialect>> {
        let settings = Fields::read(settings, DEPTH)?;
        let inputs = [Input::Event, Input::Run, Input::Nothing];
        let input = *inputs.get(choice(&settings, "input", &["event", "run", "none"])?)?;
        let raw_text = settings.some("rawText").map_or(Some(false), Raw::boolean)?;
        Some(Box::new(Self { input, raw_text, ..Self::default() }))
    }

    /// The run, unless it has begun.
    fn start(&mut self, out: &mut Output) {
        if self.stage != BodyStage::Open {
            self.stage = BodyStage::Open;
            self.boundary("RUN_STARTED", out);
        }
    }

    fn boundary(&self, name: &str, out: &mut Output) {
        out.say(name, &[("threadId", &self.thread_id), ("runId", &self.run_id)], &[]);
    }

    /// An event as [`Output::say`] writes it, with the frame that it comes from.
    fn emit(&self, name: &str, strings: &[(&str, &str)], json: Option<(&str, &str)>, frame: &str, out: &mut Output) {
        let text = self.raw_text.then(|| quoted(frame));
        let mut json = Vec::from_iter(json);
        json.push(("rawEvent", text.as_deref().unwrap_or(frame)));
        out.say(name, strings, &json);
    }

    fn custom(&self, name: &str, frame: &str, out: &mut Output) {
        self.emit("CUSTOM", &[("name", &["chio.", name].concat())], Some(("value", frame)), frame, out);
    }

    fn text(&mut self, event: &ChioEvent<'_>, text: Raw<'_>, frame: &str, out: &mut Output) {
        let session = event.text("session_id");
        let mut key = format!("chio:{}", session.as_deref().unwrap_or(&self.thread_id));
        if let Some((kind, id)) = event.target() {
            key.push(':');
            key.push_str(&kind);
            if let Some(id) = id {
                key.push(':');
                key.push_str(&id);
            }
        }
        let last = self.by_key.get(&key).and_then(|at| self.messages.get(at.message));
        let known = last.filter(|(_, grows)| *grows).map(|(id, _)| id.clone());
        let last = last.filter(|(id, _)| self.used.contains_key(id)).map(|(id, _)| id.clone());
        if known.is_some() && text.text() == "\"\"" {
            // It adds nothing to the message, and is not kept from those who look at every event.
            return self.custom("text_stream", frame, out);
        }
        let id = known.unwrap_or_else(|| {
            let id = last.unwrap_or_else(|| self.fresh(&key));
            self.emit("TEXT_MESSAGE_START", &[("messageId", &id), ("role", "assistant")], None, frame, out);
            self.by_key.insert(key, At { message: self.messages.len(), call: 0 });
            self.messages.push((id.clone(), true));
            id
        });
        if text.text() != "\"\"" {
            self.emit("TEXT_MESSAGE_CONTENT", &[("messageId", &id)], Some(("delta", text.text())), frame, out);
        }
    }

    /// An id that no message of the thread has: a target says something in run after run.
    fn fresh(&mut self, key: &str) -> String {
        let mut id = key.to_owned();
        let mut count = 1_u32;
        while self.used.contains_key(&id) {
            count += 1;
            id = format!("{key}#{count}");
        }
        self.used.insert(id.clone(), At::default());
        id
    }

    fn update(&mut self, payload: Raw<'_>, frame: &str, out: &mut Output) {
        let Some(fields) = payload.object() else { return };
        let (Some(path), Some(value)) = (fields.text("path"), fields.get("value")) else { return };
        if !path.starts_with('/') {
            return;
        }
        let steps = place(&mut self.state, &path, value);
        let delta = JsonWriter::array_text(|list| {
            for (operation, path, value) in &steps {
                let mut step = JsonWriter::object(list.item());
                step.string("op", operation).string("path", path).member("value").push_str(value);
            }
        });
        self.emit("STATE_DELTA", &[], Some(("delta", &delta)), frame, out);
    }

    fn complain(&self, wrong: Complaint, out: &mut Output) {
        let code = if wrong.unknown { "chio-event-unknown" } else { "chio-event-malformed" };
        out.malformed(code, format!("\"{}\" must be {}", wrong.member, wrong.expected));
    }

    fn event(&mut self, fields: &Fields<'_>, frame: &str, out: &mut Output) {
        let mut wrongs = Vec::new();
        let read = ChioEvent::read(fields, &mut |wrong| wrongs.push(wrong));
        if read.is_some() {
            self.start(out);
        }
        wrongs.into_iter().for_each(|wrong| self.complain(wrong, out));
        let Some(event) = read.filter(|_| out.allows(fields)) else { return };
        let payload = event.payload().unwrap_or_default();
        let custom = if event.is_custom() { "custom" } else { event.name() };
        if custom == "text_stream"
            && let Some(text) = said(payload)
        {
            return self.text(&event, text, frame, out);
        }
        if custom == "state_update" {
            self.update(payload, frame, out);
        }
        self.custom(custom, frame, out);
    }
}

impl Dialect for Chio {
    fn begin(&mut self, request: &RunRequest<'_>) {
        if request.joins && self.stage == BodyStage::Open && self.run_id == request.run_id {
            return;
        }
        self.thread_id = request.thread_id.to_owned();
        self.run_id = request.run_id.to_owned();
        self.stage = BodyStage::Before;
        self.messages.iter_mut().for_each(|(_, grows)| *grows = false);
        if !request.continues {
            self.messages.clear();
            self.by_key = Index::new();
        }
    }

    fn body(&mut self, input: &str) -> Option<String> {
        let fields = Fields::read(input, usize::MAX)?;
        self.state = fields.get("state").map_or(Value::Null, Raw::value);
        let messages = fields.list("messages");
        let messages: Vec<_> = messages.into_iter().filter_map(Raw::object).collect();
        let ids = messages.iter().filter_map(|message| message.text("id"));
        self.used = Index::of(ids.filter(|id| id.starts_with("chio:")));
        if self.input == Input::Run {
            return None;
        }
        let last = messages.last().filter(|message| message.text("role").as_deref() == Some("user"));
        let said = last.and_then(|message| message.get("content"));
        let mut body = String::new();
        if let (Some(content), Input::Event) = (said, self.input) {
            // The application's settings beside the text are members of the event: its sender, or its target.
            let given = fields.object("forwardedProps");
            let free = |name: &str| given.as_ref().is_none_or(|given| given.get(name).is_none());
            let mut event = JsonWriter::object(&mut body);
            let fixed =
                [("session_id", self.thread_id.as_str()), ("event_type", "form_action"), ("classification", "submit")];
            for (name, value) in fixed.into_iter().filter(|(name, _)| free(name)) {
                event.string(name, value);
            }
            if free("payload") {
                JsonWriter::object(event.member("payload"))
                    .member(if content.literal().is_some() { "text" } else { "content" })
                    .push_str(content.text());
            }
            for (name, value) in given.iter().flat_map(Fields::iter) {
                event.member(&name).push_str(value.text());
            }
        }
        Some(body)
    }

    fn frame(&mut self, frame: &Frame<'_>, out: &mut Output) -> Taken {
        let Ok(Some(fields)) = Raw::parse_object(frame.data, DEPTH) else {
            if !frame.unterminated {
                out.malformed("chio-frame-unknown", "a frame is no JSON object");
            }
            if self.stage != BodyStage::Open {
                self.stage = BodyStage::Heard;
            }
            return Taken::Taken;
        };
        let has = |name: &str| fields.some(name).is_some();
        if has("payload_hash") && has("signature") {
            self.start(out);
            // Evidence is no part of the page: no policy keeps it from the application.
            out.judged();
            self.custom("receipt", frame.data.trim(), out);
        } else if has("event_type") {
            self.event(&fields, frame.data.trim(), out);
        } else if let Some(kind) = fields.text("type") {
            match kind.as_ref() {
                "RUN_STARTED" => self.stage = BodyStage::Open,
                "RUN_FINISHED" | "RUN_ERROR" => self.stage = BodyStage::Over,
                _ => self.start(out),
            }
            return Taken::Pass;
        } else {
            out.malformed("chio-frame-unknown", "a frame is neither an event nor a receipt");
        }
        if self.stage == BodyStage::Before {
            self.stage = BodyStage::Heard;
        }
        Taken::Taken
    }

    fn end(&mut self, out: &mut Output) {
        match self.stage {
            // Everything was blocked before it came here, and that is all that the agent had to say.
            BodyStage::Before => self.boundary("RUN_STARTED", out),
            BodyStage::Heard | BodyStage::Over => return,
            BodyStage::Open => {}
        }
        for (id, grows) in &mut self.messages {
            if std::mem::take(grows) {
                out.say("TEXT_MESSAGE_END", &[("messageId", id)], &[]);
            }
        }
        self.boundary("RUN_FINISHED", out);
        self.stage = BodyStage::Over;
    }
}

/// The text of a text_stream.
fn said(payload: Raw<'_>) -> Option<Raw<'_>> {
    let text = payload.object().map_or(Some(payload), |fields| fields.get("text"))?;
    text.literal().map(|_| text)
}

/// Levels of the state that are made on the way to what is set.
const MAX_DEPTH: usize = 256;

/// Sets what a pointer names, and makes the objects on the way: the JSON Patch for it.
fn place(state: &mut Value, path: &str, value: Raw<'_>) -> Vec<(&'static str, String, String)> {
    let mut steps = Vec::new();
    // Deeper than any patch goes by default: it will say so.
    if path.split('/').count() > MAX_DEPTH {
        return vec![("add", path.to_owned(), value.text().to_owned())];
    }
    if !state.is_object() && !state.is_array() {
        steps.push(("add", String::new(), "{}".to_owned()));
        *state = Value::Object(Map::new());
    }
    let mut at = state;
    let mut done = String::new();
    let mut left = path;
    while let Some((token, rest)) = split_front(left) {
        left = rest;
        done.push('/');
        done.push_str(token.encoded());
        // No such place: the patch will say so.
        let Some((there, item)) = enter(at, &token) else { break };
        let operation = if there { "replace" } else { "add" };
        if rest.is_empty() {
            *item = value.value();
            steps.push((operation, done, value.text().to_owned()));
            return steps;
        }
        if item.is_null() {
            // All that is not there yet, in one step.
            let mut keys = Vec::new();
            while let Some((token, rest)) = split_front(left) {
                keys.push(token.decoded().into_owned());
                left = rest;
            }
            let json = wrap(item, keys, value);
            steps.push((operation, done, json));
            return steps;
        }
        at = item;
    }
    steps.push(("add", path.to_owned(), value.text().to_owned()));
    steps
}

/// The value that a token of a pointer names in a container, and whether it was there: if not, it is `null` now.
fn enter<'v>(container: &'v mut Value, token: &Token<'_>) -> Option<(bool, &'v mut Value)> {
    match container {
        Value::Object(map) => {
            let key = token.decoded().into_owned();
            let there = map.contains_key(&key);
            Some((there, map.entry(key).or_insert(Value::Null)))
        }
        Value::Array(list) => {
            let index = if token.encoded() == "-" { list.len() } else { token.encoded().parse().unwrap_or(usize::MAX) };
            let there = index < list.len();
            if index == list.len() {
                list.push(Value::Null);
            }
            Some((there, list.get_mut(index)?))
        }
        _ => None,
    }
}

/// Sets an item to objects in one another, one a key, with a value in the innermost. Returns them as JSON text.
fn wrap(item: &mut Value, keys: Vec<String>, value: Raw<'_>) -> String {
    let (mut json, mut made) = (value.text().to_owned(), value.value());
    let mut opened = String::new();
    for key in &keys {
        opened.push('{');
        write_string(&mut opened, key);
        opened.push(':');
        json.push('}');
    }
    for key in keys.into_iter().rev() {
        made = Value::Object(Map::from_iter([(key, made)]));
    }
    *item = made;
    opened + &json
}
