//! One message of the thread: its row, its calls, and what is noted of it.

use crate::document::{self, *};
use crate::wire::{At, Fields, Index, JsonWriter, Protocol, Raw, Warning};

/// The results of calls that nobody has answered: whose run has ended, and that a page was executing when it was left.
pub(super) const UNANSWERED: &str = "The run ended before the call was answered.";
pub(crate) const RELOADED: &str = "The page was left before the tool had finished.";

/// How long something took on the core's clock.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Stopwatch {
    started: Option<f64>,
}

impl Stopwatch {
    pub fn start(&mut self, now: f64) {
        self.started.get_or_insert(now);
    }

    pub fn runs(&self) -> bool {
        self.started.is_some()
    }

    /// Stops. Gives the whole milliseconds, `before` and since then, if it ran.
    pub fn stop(&mut self, before: Option<u64>, now: f64) -> Option<u64> {
        let started = self.started.take()?;
        // `as` saturates: a clock that went back gives 0.
        Some(before.unwrap_or(0) + (now - started).round() as u64)
    }
}

/// A message of the thread.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub row: Row,
    pub calls: Vec<Call>,
    /// Set once it is in the mirror's list; its index there, while the list is being rebuilt.
    pub place: Option<usize>,
    /// Not in the list; its place is, until the mirror knows.
    pub gone: bool,
    /// Listed among the touched ones already, and noted for the end of the run.
    pub touched: bool,
    pub open: bool,
    /// The patch that is being written has its calls as they are.
    pub calls_written: bool,
    /// The number of its class, and the last merge that kept it.
    pub class: usize,
    pub stamp: usize,
    /// The length of the text when its room was given back last.
    fitted: usize,
    /// The calls before this one have their arguments.
    pub idle_until: usize,
    /// Opened by an event of a stream, so a later stream with its id may continue writing.
    pub streamed: bool,
    /// The page's own answer to a call, which the server has not seen: no snapshot of its takes it away.
    pub local: bool,
    /// It is an answer of the page, whether the server has seen it or not: it is kept as long as its call is.
    pub page: bool,
    /// TEXT_MESSAGE_START came, its END did not.
    pub text_open: bool,
    pub reasons: Stopwatch,
}

impl Entry {
    #[inline(never)]
    pub fn new(row: Row) -> Self {
        Self { row, class: usize::MAX, ..Self::default() }
    }

    /// Reads a message in the snapshot's shape.
    pub fn read(fields: Option<&Fields<'_>>, notes: &mut Vec<Warning>) -> Result<Self, &'static str> {
        let (row, calls) = document::read(fields, notes)?;
        let mut entry = Self { calls, ..Self::new(row) };
        // The page's answers have such an id, also where a server tells them again.
        entry.page = entry
            .call_id()
            .is_some_and(|call| entry.id().strip_suffix("-result").is_some_and(|of| wire_id(of).0 == wire_id(call).0));
        // One id in one message is one call, however often a server lists it.
        if entry.calls.len() > 1 {
            let mut listed = Index::new();
            entry.calls.retain(|call| listed.insert(call.id(), At::default()).is_none());
        }
        Ok(entry)
    }

    #[inline]
    pub fn id(&self) -> &str {
        self.row.text(ID)
    }

    pub fn role(&self) -> Role {
        Role::numbered(self.row.word(ROLE)).unwrap_or(Role::Assistant)
    }

    /// The text of its content, where that is one.
    pub fn text(&self) -> &str {
        self.row.text(CONTENT)
    }

    /// The call that it answers.
    pub fn call_id(&self) -> Option<&str> {
        self.row.some(CALL_ID)
    }

    pub fn delivery(&self) -> Delivery {
        Delivery::numbered(self.row.word(DELIVERY)).unwrap_or(Delivery::Complete)
    }

    pub fn set_delivery(&mut self, delivery: Delivery) {
        self.row.set_word(DELIVERY, delivery as u8);
    }

    /// Turns a reasoning message into the assistant message that shares its id.
    pub fn fold(&mut self, role: Role, content: Value) {
        let pairs = [(CONTENT, REASONING), (ENCRYPTED, REASONING_ENCRYPTED), (TIME, REASONING_TIME)];
        for (from, to) in pairs {
            let value = self.row.take(from);
            self.row.set(to, value);
        }
        if !self.row.has(REASONING) {
            self.row.set_text(REASONING, "");
        }
        self.row.set_word(ROLE, role as u8);
        self.row.set(CONTENT, content);
    }

    /// Its reasoning ends, if it reasons.
    pub fn stop_reasoning(&mut self, now: f64) {
        if let Some(total) = self.reasons.stop(self.time(), now) {
            self.set_time(Some(total));
        }
    }

    fn time(&self) -> Option<u64> {
        self.row.count(TIME).or(self.row.count(REASONING_TIME))
    }

    /// How long it has reasoned is a member of its own of a reasoning message, of reasoning that is shown with an answer, and of
    /// nothing else.
    pub fn place_time(&mut self) {
        self.set_time(self.time());
    }

    fn set_time(&mut self, total: Option<u64>) {
        let total = total.map(Value::count).unwrap_or_default();
        let (alone, shared) = match self.role() {
            Role::Reasoning => (total, Value::None),
            _ if self.row.has(REASONING) => (Value::None, total),
            _ => Default::default(),
        };
        self.row.set(TIME, alone);
        self.row.set(REASONING_TIME, shared);
    }

    /// Nothing more is expected of the message.
    pub fn complete(&mut self) {
        self.set_delivery(Delivery::Complete);
        // A text that is opened again and again for a little more keeps some room.
        let length = self.text().len();
        if length / 2 >= self.fitted && self.row.fit(CONTENT) {
            self.fitted = length;
        }
    }

    /// The same, unless its text or a call continues: a message that only reasons or calls has no END of its own.
    pub fn complete_if_idle(&mut self) {
        // A call streams at its beginning only.
        let streams = |call: &Call| call.phase() == CallPhase::InputStreaming;
        while self.calls.get(self.idle_until).is_some_and(|call| !streams(call)) {
            self.idle_until += 1;
        }
        if !self.text_open && self.idle_until >= self.calls.len() {
            self.complete();
        }
    }

    /// Writes what the server is to see of this message, and says how many of its parts are not for it. A folded pair
    /// goes out as the two that came in; activities are for the page.
    pub fn write_outgoing(&self, list: &mut JsonWriter<'_>, protocol: Protocol) -> usize {
        let reasons = !self.row.text(REASONING).is_empty() || self.row.has(REASONING_ENCRYPTED);
        if reasons {
            JsonWriter::object(list.item())
                .string("id", self.id())
                .string("role", Role::Reasoning.name())
                .string("content", self.row.text(REASONING))
                .optional("encryptedValue", self.row.some(REASONING_ENCRYPTED))
                .optional("subagentRunId", self.row.some(OWNER).filter(|_| protocol.tags()));
        }
        // A folded entry that never got more than its reasoning has nothing else to say.
        let bare = reasons && !self.row.has(CONTENT) && self.calls.is_empty();
        if bare || self.role() == Role::Activity {
            return 0;
        }
        document::write_outgoing(&self.row, &self.calls, list.item(), protocol)
    }

    /// Writes the message as the snapshot has it.
    pub fn write(&self, out: &mut String) {
        self.write_some(out, Members::MAX);
    }

    /// The same without what was measured here: two connections that bring the same message measure other times.
    pub fn write_unmeasured(&self, out: &mut String) {
        self.write_some(out, !(1 << TIME | 1 << REASONING_TIME));
    }

    fn write_some(&self, out: &mut String, members: Members) {
        let mut object = JsonWriter::object(out);
        write_members(&self.row, &self.calls, &mut object, members, Call::write_in_message);
    }

    /// Writes what the mirror, which has it at `path`, lacks of the message itself.
    pub fn write_changes(&mut self, path: &str, patch: &mut Patch) {
        if self.row.unmark(CALLS) {
            self.calls_written = true;
            let path = |member: &str| [path, ",\"", member, "\""].concat();
            if self.calls.is_empty() {
                patch.remove(&path("toolCalls"));
                patch.remove(&path("toolCallIds"));
            } else {
                patch.reconcile(&path("toolCalls"), |out| write_calls(&self.calls, out, Call::write_in_message));
                patch.reconcile(&path("toolCallIds"), |out| write_calls(&self.calls, out, Call::write_id));
            }
        }
        self.row.write_changes(&[(0, path)], patch);
    }

    /// Whether it is as AG-UI has it what another one is, but for reasoning that is shown with it.
    pub fn same_message(&self, other: &Self) -> bool {
        self.row.same(&other.row, OF_AG_UI)
            && self.calls.len() == other.calls.len()
            && self.calls.iter().zip(&other.calls).all(|(one, other)| one.row.same(&other.row, CALL_OF_AG_UI))
    }

    /// The same, with that.
    pub fn same(&self, other: &Self) -> bool {
        self.same_message(other) && self.row.same(&other.row, OF_REASONING)
    }
}

/// A call is answered: with JSON text, and the error that it stands for.
pub(super) fn answer(call: &mut Call, json: &str, error: Option<&str>) {
    let (status, phase) = match error {
        None => (CallStatus::Complete, CallPhase::OutputAvailable),
        Some(_) => (CallStatus::Error, CallPhase::OutputError),
    };
    call.row.set_text(RESULT, json);
    call.row.set_some(FAILURE, error);
    set_phase(call, status, phase);
}

pub(super) fn set_phase(call: &mut Call, status: CallStatus, phase: CallPhase) {
    call.row.set_word(STATUS, status as u8);
    call.row.set_word(PHASE, phase as u8);
}

/// Whether a call has not this answer.
pub(super) fn has_other(call: &Call, json: &str, error: Option<&str>) -> bool {
    !is_echoed(call, json, error) && (call.result() != Some(json) || call.error() != error)
}

/// Whether the server says again what the page has answered, and has no way to say that it is an error, or that the call was
/// denied: what the page knows of the call's end stays.
pub(super) fn is_echoed(call: &Call, json: &str, error: Option<&str>) -> bool {
    let own = || call.error().is_some_and(|own| text_json(own) == json);
    call.result() == Some(json) && (call.phase() == CallPhase::Denied || error.is_none() && own())
}

/// The run has ended before there was a result.
pub(super) fn is_given_up(call: &Call) -> bool {
    call.phase() == CallPhase::OutputError && call.result().is_none()
}

/// A tool's answer, the content of a message, as JSON: parsed where its text is JSON, else the text; a list of content parts as
/// it is.
pub(super) fn result_json(message: &Row) -> String {
    match message.some(CONTENT) {
        Some(text) => text_json(text),
        None => {
            let mut json = String::new();
            message.write_value(CONTENT, &mut json);
            json
        }
    }
}

/// The same of a text.
pub(super) fn text_json(text: &str) -> String {
    // Results nested deeper than this stay text. Nothing reads them recursively but `JSON.parse`.
    const RESULT_DEPTH: usize = 512;
    if Raw::parse(text, RESULT_DEPTH).is_ok() {
        return text.to_owned();
    }
    crate::wire::quoted(text)
}
