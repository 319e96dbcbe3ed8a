//! Hector: tasks of A2A, in three forms that reach the same events. Uses `wire`.
//!
//! ```text
//!  event: content_block_delta … ─► form   (version 1, asked for with Accept) ──┐
//!  {"message": …}, {"task": …} ──► native (version 1 as it is) ────────────────┼─► run ─► AG-UI events
//!  {"jsonrpc", "result"} ────────► v2     (version 2) ─────────────────────────┘
//! ```
//!
//! A frame shows its form itself; the settings say only where requests go and what they ask for: `route` (`rest`,
//! `request`, `json-rpc`, `v2`; guessed from the `url` if it is not given), `form` or `format` (`agui`, default, or
//! `native`), `resubscribe` (the method of JSON-RPC that joins a task, default `tasks/resubscribe`).

mod body;
mod form;
mod native;
mod part;
mod run;
mod v2;
mod write;

use super::{Dialect, Output, RunRequest, Taken, choice};
use crate::wire::{Fields, Frame, JsonWriter, Raw, keep_private};
use run::{HectorRun, Question};

/// Levels of nesting in a frame.
const DEPTH: usize = 512;

/// The prefix of the ids of interrupts that ask for no approval.
const INPUT: &str = "input:";

const SUCCESS: &str = r#"{"type":"success"}"#;
const CANCELLED: &str = r#"{"type":"cancelled"}"#;

/// Where requests go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Route {
    Rest,
    /// The body that Hector's page on AG-UI has: the message alone, as `request`.
    Request,
    JsonRpc,
    V2,
}

#[derive(Default)]
struct HectorSettings {
    /// `None`: the address does not say.
    route: Option<Route>,
    native: bool,
    resubscribe: String,
}

impl HectorSettings {
    fn read(json: &str) -> Option<Self> {
        let fields = Fields::read(json, DEPTH)?;
        let text = |name: &str| fields.some(name).map(|raw| raw.string().unwrap_or_default());
        let routes = [Route::Rest, Route::Request, Route::JsonRpc, Route::V2];
        let route = match choice(&fields, "route", &["rest", "request", "json-rpc", "v2"])? {
            _ if fields.some("route").is_none() => guess(&text("url").unwrap_or_default()),
            at => routes.get(at).copied(),
        };
        let native = match text("form").or_else(|| text("format")).as_deref() {
            None | Some("agui") => route == Some(Route::V2),
            Some("native") => true,
            Some(_) => return None,
        };
        let resubscribe = text("resubscribe").unwrap_or("tasks/resubscribe".into()).into_owned();
        if resubscribe.is_empty() {
            return None;
        }
        Some(Self { route, native, resubscribe })
    }
}

/// The route that an address is of.
fn guess(url: &str) -> Option<Route> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let mut steps = path.rsplit('/').skip_while(|step| step.is_empty());
    match [steps.next()?, steps.next()?, steps.next().unwrap_or_default()] {
        ["message:stream", ..] => Some(Route::Rest),
        ["stream", _, "agents"] => Some(Route::JsonRpc),
        [_, "agents", above] if above != "v1" => Some(Route::V2),
        _ => None,
    }
}

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum TaskState {
    /// Submitted, working, or waiting for somebody.
    #[default]
    Going,
    /// It waits for somebody.
    Waiting,
    Completed,
    Cancelled,
    Failed,
    Rejected,
    Unknown,
}

/// The state that a name stands for, in whichever version's spelling; and the name as the events have it.
fn state(name: &str) -> (TaskState, String) {
    let plain = name.strip_prefix("TASK_STATE_").unwrap_or(name).to_ascii_lowercase();
    let state = match plain.as_str() {
        "submitted" | "working" => TaskState::Going,
        "input_required" | "auth_required" | "input-required" | "auth-required" => TaskState::Waiting,
        "completed" => TaskState::Completed,
        "cancelled" | "canceled" => TaskState::Cancelled,
        "failed" => TaskState::Failed,
        "rejected" => TaskState::Rejected,
        _ => TaskState::Unknown,
    };
    (state, plain)
}

/// The state between two frames.
#[derive(Default)]
pub struct Hector {
    settings: HectorSettings,
    run: HectorRun,
    /// The last message of the user that went out.
    sent: String,
    /// Something has come.
    heard: bool,
    /// The server has said that its message is complete.
    stopped: bool,
    /// How the task stood in its last update.
    state: TaskState,
    /// The message that is open is the user's.
    by_user: bool,
    /// The text that came last, which asks for what comes after it.
    prompt: String,
    /// An approval that nothing has come after.
    question: Option<Question>,
    /// Version 2: what the parts of a text or a thought have added up to, until the whole is sent.
    said: Vec<v2::Said>,
}

/// The dialect with these settings.
pub fn new(settings: &str) -> Option<Box<dyn Dialect>> {
    Some(Box::new(Hector { settings: HectorSettings::read(settings)?, ..Hector::default() }))
}

impl Dialect for Hector {
    fn accept(&self) -> Option<&'static str> {
        (!self.settings.native).then_some("application/x-agui-events, text/event-stream;q=0.9")
    }

    fn contradicts(&self, accept: &str) -> Option<bool> {
        // `application/x-agui-events` and `application/agui+json` are the only types that ask for the AG-UI form.
        Some(accept.contains("agui") == self.settings.native)
    }

    fn begin(&mut self, request: &RunRequest<'_>) {
        self.run.renew(request.thread_id, request.run_id, request.joins);
        (self.heard, self.stopped, self.state, self.question) = (false, false, TaskState::Going, None);
        self.by_user = false;
        self.said.clear();
    }

    fn body(&mut self, input: &str) -> Option<String> {
        let input = keep_private(input);
        let fields = Fields::read(&input, usize::MAX)?;
        Some(body::submit(&self.settings, &self.run, &mut self.sent, &fields))
    }

    fn rejoin(&mut self, run_id: &str) -> Option<String> {
        let params = JsonWriter::object_text(|object| {
            object.string("id", run_id);
        });
        let is_rpc = matches!(self.settings.route, Some(Route::JsonRpc | Route::V2));
        is_rpc.then(|| body::call(&self.settings.resubscribe, &params, run_id))
    }

    fn frame(&mut self, frame: &Frame<'_>, out: &mut Output) -> Taken {
        let Ok(Some(fields)) = Raw::parse_object(frame.data, DEPTH) else {
            // One that a lost connection has torn; that it was lost is reported anyway.
            if !frame.unterminated {
                out.malformed("hector-frame-malformed", "expected a JSON object as data");
            }
            return Taken::Taken;
        };
        if self.form(frame.event, &fields, out) || self.wrapped(&fields, out) {
            self.heard = true;
            return Taken::Taken;
        }
        if fields.some("type").and_then(Raw::literal).is_some() {
            return Taken::Pass;
        }
        out.malformed("hector-frame-malformed", "expected an event, a message, a task or an update of one");
        Taken::Taken
    }

    fn answer(&mut self, body: &str, out: &mut Output) {
        if let Ok(Some(fields)) = Raw::parse_object(body, DEPTH)
            && self.wrapped(&fields, out)
        {
            self.heard = true;
            self.end(out);
        }
    }

    fn end(&mut self, out: &mut Output) {
        // Routes without tasks do not say that they are done.
        let whole = self.run.task.is_empty() && (self.stopped || self.settings.route != Some(Route::Rest));
        if self.heard && !self.run.is_over() && (whole || self.stopped && self.state == TaskState::Waiting) {
            self.done(out);
        }
    }

    fn lost(&mut self, out: &mut Output) {
        if self.run.has_begun() {
            self.run.fail("stream ended before a terminal event", "stream_truncated", out);
        }
    }
}

impl Hector {
    /// Reads a response in an envelope of JSON-RPC, or without one. False: it is of no known form.
    fn wrapped(&mut self, fields: &Fields<'_>, out: &mut Output) -> bool {
        if fields.some("error").is_some() {
            self.error(fields, out);
            return true;
        }
        let inner = fields.some("result").filter(|_| fields.get("jsonrpc").is_some()).and_then(Raw::object);
        let fields = inner.as_ref().unwrap_or(fields);
        match fields.text("kind") {
            Some(kind) => self.v2(&kind, fields, out),
            None => self.native(fields, out),
        }
    }

    /// The server has failed: an `error` that is an object with a `message`, or a text, or the members of such an object.
    fn error(&mut self, fields: &Fields<'_>, out: &mut Output) {
        let error = fields.some("error");
        let inner = error.and_then(Raw::object);
        let fields = inner.as_ref().unwrap_or(fields);
        let message = fields.some("message").or_else(|| error.filter(|raw| !raw.is_object()));
        let message = write::as_text(message);
        let message = if message.is_empty() { "the server has failed" } else { &message };
        self.run.fail(message, &write::as_text(fields.get("code")), out);
    }

    /// The server has said all.
    fn done(&mut self, out: &mut Output) {
        if let Some(question) = self.question.take() {
            return self.run.interrupt(vec![question], out);
        }
        match self.state {
            TaskState::Cancelled => self.run.finish(CANCELLED, None, out),
            TaskState::Rejected => self.run.fail("task rejected", "rejected", out),
            _ => self.run.finish(SUCCESS, None, out),
        }
    }

    /// Begins the run of a stream. The run has the task's id, or `otherwise`.
    fn begin_run(&mut self, context: &str, task: &str, otherwise: &str, out: &mut Output) {
        if !context.is_empty() {
            context.clone_into(&mut self.run.context);
        }
        if !task.is_empty() {
            task.clone_into(&mut self.run.task);
        }
        self.run.begin(context, if task.is_empty() { otherwise } else { task }, out);
    }

    /// An update names a task, whose beginning may not have been told.
    fn note_task(&mut self, task: &str, out: &mut Output) {
        if !self.run.has_begun() && !task.is_empty() {
            let thread = self.run.own_thread.clone();
            task.clone_into(&mut self.run.task);
            self.run.begin(&thread, task, out);
        }
    }

    fn role(&self) -> &'static str {
        if self.by_user { "user" } else { "assistant" }
    }

    /// A task stands otherwise. `update`: the JSON text that says so; `text`: what is said with it.
    fn task_update(&mut self, name: &str, update: &str, text: &str, out: &mut Output) {
        let (state, plain) = state(name);
        self.state = state;
        match state {
            TaskState::Going | TaskState::Waiting => self.run.custom("hector.task_update", update, out),
            TaskState::Completed => self.run.finish(SUCCESS, None, out),
            TaskState::Cancelled => self.run.finish(CANCELLED, None, out),
            TaskState::Failed | TaskState::Rejected => {
                self.run.fail(if text.is_empty() { "task failed" } else { text }, &plain, out);
            }
            TaskState::Unknown => out.warning("hector-state-unknown", ["no state of a task: ", name].concat()),
        }
    }
}

/// A member that is a text; empty where there is none.
#[inline(never)]
fn text<'a>(fields: &Fields<'a>, name: &str) -> std::borrow::Cow<'a, str> {
    fields.text(name).unwrap_or_default()
}

/// A list that may be null; `None` where it is something else.
fn list<'a>(raw: Option<Raw<'a>>) -> Option<Vec<Raw<'a>>> {
    match raw {
        Some(raw) if !raw.is_null() => raw.array(),
        _ => Some(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_the_route() {
        for (url, route) in [
            ("/v1/agents/a/message:stream", Some(Route::Rest)),
            ("https://h.test/v1/agents/a/message:stream?format=agui", Some(Route::Rest)),
            ("https://h.test/v1/agents/a/stream", Some(Route::JsonRpc)),
            ("https://h.test/agents/a", Some(Route::V2)),
            ("/agents/a/?x=/v1/agents/b", Some(Route::V2)),
            ("https://h.test/v1/agents/a/", None),
            ("/api/chat", None),
            ("", None),
        ] {
            assert_eq!(guess(url), route, "{url}");
        }
    }

    #[test]
    fn settings_are_read() {
        let read = |json: &str| HectorSettings::read(json).map(|settings| (settings.route, settings.native));
        assert_eq!(read("{}"), Some((None, false)));
        assert_eq!(read(r#"{"route":"json-rpc","url":"/agents/a"}"#), Some((Some(Route::JsonRpc), false)));
        assert_eq!(read(r#"{"url":"/agents/a"}"#), Some((Some(Route::V2), true)));
        assert_eq!(read(r#"{"route":"request"}"#), Some((Some(Route::Request), false)));
        assert_eq!(read(r#"{"form":"native"}"#), Some((None, true)));
        assert_eq!(read(r#"{"format":"native"}"#), Some((None, true)));
        assert_eq!(read(r#"{"format":"agui"}"#), Some((None, false)));
        for json in [
            r#"{"route":"v3"}"#,
            r#"{"resubscribe":1}"#,
            r#"{"route":1}"#,
            r#"{"form":"x"}"#,
            r#"{"format":"x"}"#,
            "[]",
            "x",
        ] {
            assert_eq!(read(json), None, "{json}");
        }
    }
}
