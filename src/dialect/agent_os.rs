//! agentOS: rows of a ledger, each in an envelope with the AG-UI frames that it was projected to. No settings.
//!
//! ```text
//!  {id, ts, kind, scopeKey, safeEvent?, agUiFrames} ── id seen before: dropped ── else: its frames, one by one
//!
//!            RUN_STARTED             RUN_FINISHED, RUN_ERROR
//!  before ────────────────► running ─────────────────────────► ended: another end is dropped, the rest comes aside
//!                            │   ▲
//!        run.interrupted     ▼   │  run.resumed, or anything else of the run
//!      then RUN_FINISHED   interrupted   first RUN_STARTED
//! ```
//!
//! A scope's stream tells of one run after the other, and of things between them. Its calls have summaries as their
//! arguments, never arguments: nothing of it is for the page to execute.

use super::{Dialect, Output, OutputItem, RunRequest, Taken};
use crate::wire::{Fields, Frame, JsonWriter, Raw, frame_type};

/// As deep as any limit allows: what the events may be is judged after this.
const DEPTH: usize = 4096;

/// Bytes of the longest id that events have that are made here. With an empty one they are of the run that is on.
const LONGEST: usize = 256;

const MALFORMED: &str = "envelope-malformed";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ScopeState {
    /// No run has been mentioned.
    #[default]
    Before,
    Running,
    Interrupted,
    Ended,
}

/// The state of a scope's stream.
#[derive(Debug, Default)]
pub(super) struct AgentOs {
    /// The last row.
    seen: u64,
    place: ScopeState,
    thread_id: String,
    run_id: String,
    /// The interrupt that the run waits for.
    interrupt: Option<String>,
    /// Rows came in envelopes.
    enveloped: bool,
    /// Rows of this body that were new, and that were not.
    fresh: usize,
    repeated: usize,
    /// Content parts that the request could not take along, until that is told.
    left_out: usize,
}

impl AgentOs {
    pub fn make(_: &str) -> Option<Box<dyn Dialect>> {
        Some(Box::new(Self::default()))
    }

    fn envelope(&mut self, fields: &Fields<'_>, frames: Raw<'_>, out: &mut Output) {
        self.enveloped = true;
        match fields.whole("id").filter(|id| *id > 0) {
            Some(id) if id <= self.seen => return self.repeated += 1,
            Some(id) => {
                self.seen = id;
                out.push(OutputItem::Cursor(id.to_string()));
            }
            None => out.malformed(MALFORMED, "an envelope without the \"id\" of its row, a whole number from 1"),
        }
        self.fresh += 1;
        let Some(frames) = frames.array() else {
            return out.malformed(MALFORMED, "an envelope whose \"agUiFrames\" are no array");
        };
        for frame in frames {
            let fields = frame.object();
            if fields.is_none_or(|fields| self.event(&fields, frame.text(), out) == Taken::Pass) {
                out.event(frame.text());
            }
        }
    }

    fn event(&mut self, fields: &Fields<'_>, text: &str, out: &mut Output) -> Taken {
        let Ok(kind) = frame_type(fields) else { return Taken::Pass };
        match (self.place, &*kind) {
            (_, "RUN_STARTED") => {
                self.place = ScopeState::Running;
                self.thread_id = member(fields, "threadId");
                self.run_id = member(fields, "runId");
                Taken::Pass
            }
            // The first end counts.
            (ScopeState::Ended, "RUN_FINISHED" | "RUN_ERROR") => Taken::Taken,
            (_, "RUN_ERROR") => {
                self.answered(out);
                self.place = ScopeState::Ended;
                self.run_error(fields, out)
            }
            (_, "CUSTOM") => self.custom(fields, text, out),
            (ScopeState::Ended, _) => {
                out.aside(with_role(&kind, fields).unwrap_or_else(|| text.to_owned()));
                Taken::Taken
            }
            _ => {
                if self.place == ScopeState::Interrupted {
                    self.go_on(None, fields, out);
                }
                if kind == "RUN_FINISHED" {
                    self.place = ScopeState::Ended;
                }
                let Some(made) = with_role(&kind, fields) else { return Taken::Pass };
                out.event(made);
                Taken::Taken
            }
        }
    }

    fn custom(&mut self, fields: &Fields<'_>, text: &str, out: &mut Output) -> Taken {
        let name = fields.text("name").unwrap_or_default();
        let value = fields.object("value");
        match (&*name, &value) {
            ("agent-os.run.interrupted", Some(value)) if self.place != ScopeState::Ended => {
                return self.interrupted(value, fields, text, out);
            }
            ("agent-os.run.resumed", Some(value)) => {
                if let Some(id) = value.text("interruptId") {
                    out.push(OutputItem::Answered(id.into()));
                }
                if self.place != ScopeState::Running {
                    self.go_on(Some(value), fields, out);
                }
            }
            ("agent-os.llm.usage", Some(value)) => usage(value, out),
            _ => {}
        }
        if self.place == ScopeState::Running {
            return Taken::Pass;
        }
        out.aside(text);
        Taken::Taken
    }

    /// The run waits for somebody: that is how it ends, for now.
    fn interrupted(&mut self, value: &Fields<'_>, fields: &Fields<'_>, text: &str, out: &mut Output) -> Taken {
        if self.place != ScopeState::Running {
            self.go_on(Some(value), fields, out);
        }
        out.event(text);
        let Some(id) = value.text("interruptId") else {
            out.malformed("interrupt-malformed", "agent-os.run.interrupted without an \"interruptId\"");
            return Taken::Taken;
        };
        let request = value.object("inputRequest");
        let decision = value.object("decision");
        let call = [&request, &decision].into_iter().flatten().find_map(|fields| fields.text("toolCallId"));
        let outcome = JsonWriter::object_text(|outcome| {
            outcome.string("type", "interrupt");
            let mut list = JsonWriter::array(outcome.member("interrupts"));
            let mut interrupt = JsonWriter::object(list.item());
            interrupt.string("id", &id).string("reason", &member(value, "reason"));
            interrupt.optional("toolCallId", call.as_deref());
            if let (Some(request), true) = (value.get("inputRequest"), request.is_some()) {
                interrupt.member("metadata").push_str(request.text());
            }
        });
        self.of_run("RUN_FINISHED", Some(("outcome", &outcome)), fields, out);
        self.interrupt = Some(id.into_owned());
        self.place = ScopeState::Interrupted;
        Taken::Taken
    }

    /// The run that was interrupted continues. `value`: what names it.
    fn go_on(&mut self, value: Option<&Fields<'_>>, fields: &Fields<'_>, out: &mut Output) {
        if let Some(id) = value.and_then(|value| value.some("runId")) {
            self.run_id = id.string().map_or_else(|| id.text().to_owned(), String::from);
        }
        self.answered(out);
        self.of_run("RUN_STARTED", None, fields, out);
        self.place = ScopeState::Running;
    }

    fn answered(&mut self, out: &mut Output) {
        if let Some(interrupt) = self.interrupt.take() {
            out.push(OutputItem::Answered(interrupt));
        }
    }

    /// An event about the run, made at the time of another.
    fn of_run(&self, kind: &str, member: Option<(&str, &str)>, at: &Fields<'_>, out: &mut Output) {
        let mut json = Vec::from_iter(member);
        json.extend(at.some("timestamp").map(|time| ("timestamp", time.text())));
        // A few small rows would write a long id again and again.
        let [thread, run] = [&*self.thread_id, &*self.run_id].map(|id| if id.len() <= LONGEST { id } else { "" });
        out.say(kind, &[("threadId", thread), ("runId", run)], &json);
    }

    /// RUN_ERROR names its run, which AG-UI 1.0 has no members for: they go to `metadata`.
    fn run_error(&self, fields: &Fields<'_>, out: &mut Output) -> Taken {
        const NAMES: [&str; 2] = ["threadId", "runId"];
        if NAMES.iter().all(|name| fields.get(name).is_none()) {
            return Taken::Pass;
        }
        out.event(JsonWriter::object_text(|event| {
            event.copy(fields, &|key| key != "metadata" && !NAMES.contains(&key));
            let mut metadata = JsonWriter::object(event.member("metadata"));
            if let Some(given) = fields.object("metadata") {
                metadata.copy(&given, &|key| !NAMES.contains(&key));
            }
            metadata.copy(fields, &|key| NAMES.contains(&key));
        }));
        Taken::Taken
    }
}

impl Dialect for AgentOs {
    fn begin(&mut self, request: &RunRequest<'_>) {
        if request.cursor.is_empty() {
            self.seen = 0;
        } else if let Ok(seen) = request.cursor.parse() {
            self.seen = seen;
        }
        (self.fresh, self.repeated, self.left_out) = (0, 0, 0);
        if request.joins {
            return;
        }
        self.place = ScopeState::Before;
        self.enveloped = false;
        self.interrupt = None;
        // A host may give the scope another name.
        if self.thread_id.is_empty() {
            request.thread_id.clone_into(&mut self.thread_id);
        }
        request.run_id.clone_into(&mut self.run_id);
    }

    /// The input with what a host's schema has; it refuses content in parts, so their text is sent.
    fn body(&mut self, input: &str) -> Option<String> {
        let fields = Fields::read(input, DEPTH)?;
        Some(JsonWriter::object_text(|body| {
            body.copy(&fields, &|key| !matches!(key, "messages" | "protocolVersion"));
            let mut messages = JsonWriter::array(body.member("messages"));
            let given = fields.list("messages");
            for message in given.into_iter().filter_map(Raw::object) {
                let parts = message.get("content").and_then(Raw::array);
                let mut out = JsonWriter::object(messages.item());
                out.copy(&message, &|key| matches!(key, "id" | "role" | "name") || key == "content" && parts.is_none());
                if let Some(parts) = parts {
                    let texts: Vec<_> = parts.iter().filter_map(|part| part.object()?.text("text")).collect();
                    self.left_out += parts.len() - texts.len();
                    out.string("content", &texts.concat());
                }
            }
        }))
    }

    fn frame(&mut self, frame: &Frame<'_>, out: &mut Output) -> Taken {
        if std::mem::take(&mut self.left_out) > 0 {
            out.warning("part-not-sent", "content parts other than text are left out of the request");
        }
        let Ok(Some(fields)) = Raw::parse_object(frame.data, DEPTH) else { return Taken::Pass };
        match fields.get("agUiFrames") {
            Some(frames) => self.envelope(&fields, frames, out),
            None if fields.get("type").is_some() => return self.event(&fields, frame.data, out),
            None if frame.unterminated => {}
            None => out.malformed(MALFORMED, "an envelope without \"agUiFrames\""),
        }
        Taken::Taken
    }

    fn end(&mut self, out: &mut Output) {
        if self.fresh == 0 && self.repeated > 0 {
            out.warning("envelopes-repeated", "only rows that were read before came");
        }
    }

    fn withholds(&self, args: &str) -> bool {
        let fields = Fields::read(args, DEPTH);
        self.enveloped || fields.and_then(|fields| fields.get("redacted")?.boolean()) == Some(true)
    }
}

/// REASONING_MESSAGE_START with the role that it lacks.
fn with_role(kind: &str, fields: &Fields<'_>) -> Option<String> {
    if kind != "REASONING_MESSAGE_START" || fields.some("role").is_some() {
        return None;
    }
    Some(JsonWriter::changed(fields, &[("role", Some("\"reasoning\""))]))
}

/// One turn's token counts. `agent-os.llm.completed` has the same ones again.
fn usage(value: &Fields<'_>, out: &mut Output) {
    const NAMES: [(&str, &str); 3] =
        [("promptTokens", "inputTokens"), ("completionTokens", "outputTokens"), ("totalTokens", "totalTokens")];
    let Some(counts) = value.object("usage") else { return };
    out.push(OutputItem::Usage(JsonWriter::array_text(|list| {
        let mut usage = JsonWriter::object(list.item());
        for (theirs, ours) in NAMES {
            usage.number(ours, counts.whole(theirs));
        }
    })));
}

/// A string member; empty where there is none.
fn member(fields: &Fields<'_>, name: &str) -> String {
    fields.text(name).map(String::from).unwrap_or_default()
}
