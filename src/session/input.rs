//! What the network reports: heads, bytes, ends, failures, and the passing of time.

use super::history::Boundary;
use super::run::{Body, Outcome, Phase, Run};
use super::{AgentError, Effect, ErrorKind, Options, Session, Status, Target};
use crate::dialect::{self, Dialect, Item, Output, Taken};
use crate::rules::grammar::{self, Unknown};
use crate::rules::{Repair, Violation, opener};
use crate::thread::Warning;
use crate::wire::{
    BadBody, Delta, Event, EventError, Fields, Frame, Framer, Incoming, JsonWriter, PROTOCOL_VERSION, Raw, Str,
    Undecodable, frame_fields, frame_type,
};

impl Session {
    /// The head of the answer to request `request` has come.
    pub fn head(&mut self, request: u32, status: u16, content_type: &str, retry_after: Option<&str>, now: f64) {
        if !self.is_on(request) {
            return;
        }
        let Options { max_error_body_bytes, max_frame_bytes, max_depth, .. } = self.options;
        let asked = retry_after.and_then(|value| super::reconnect::retry_after(value, now));
        if self.renew(status, now) || self.refused(status, asked, now) {
            return;
        }
        let Some(run) = &mut self.run else { return };
        let body = Body::new(status, content_type, asked, max_error_body_bytes);
        self.stream = Some(Box::new(Framer::new(body.format, max_frame_bytes, max_depth)));
        run.heard = now;
        if (200..300).contains(&status) {
            run.phase = Phase::Streaming;
            run.renewed = false;
            run.streamed |= body.is_stream() && status != 204;
        } else {
            run.phase = Phase::Refused;
        }
        run.body = Some(body);
        if status == 204 {
            self.end(request, now);
        }
        self.changed(false);
    }

    /// Bytes of the body have come.
    pub fn bytes(&mut self, request: u32, bytes: &[u8], now: f64) {
        let Some(run) = self.run.as_mut().filter(|run| run.request == request) else { return };
        run.heard = now;
        let refused = run.phase == Phase::Refused;
        // A body that does not call itself a stream is kept until an event shows that it is one.
        if let Some(body) = run.body.as_mut().filter(|body| run.events == 0 && !body.is_stream())
            && !body.keep(bytes)
            && refused
        {
            return self.fail_http(now);
        }
        if refused {
            return;
        }
        let Some(mut stream) = self.stream.take() else { return };
        let read = stream.feed(bytes, self.growing, &mut |frame| self.take(frame, now));
        self.after_reading(read, stream, now);
    }

    /// The body has ended.
    pub fn end(&mut self, request: u32, now: f64) {
        let Some(run) = self.run.as_ref().filter(|run| run.request == request) else { return };
        if run.phase == Phase::Refused {
            return self.fail_http(now);
        }
        if let Some(mut stream) = self.stream.take() {
            let read = stream.finish(&mut |frame| self.take(frame, now));
            // A body that is no stream is told as what it is.
            let is_stream = |run: &Run| run.events > 0 || run.body.as_ref().is_some_and(Body::is_stream);
            if dialect::ANY && self.run.as_ref().is_some_and(is_stream) {
                self.translate(|dialect, out| dialect.end(out), now);
            }
            self.after_reading(read, stream, now);
        }
        let Some(run) = self.run.as_ref().filter(|run| run.request == request) else { return };
        let empty = run.body.as_ref().is_none_or(|body| body.status == 204);
        if run.events == 0 && (empty || run.body.as_ref().is_some_and(|body| !body.is_stream())) {
            if !self.go_to_stream(now) && !self.is_answer(now) {
                self.fail_http(now);
            }
            return;
        }
        // A server that has nothing says so, and is not asked again.
        if !empty && self.reconnect(now) {
            return;
        }
        self.translate(|dialect, out| dialect.lost(out), now);
        self.finish(now);
        self.next(now);
    }

    /// The request or its body failed; `reason` for people.
    pub fn failed(&mut self, request: u32, reason: &str, now: f64) {
        let Some(run) = self.run.as_ref().filter(|run| run.request == request) else { return };
        if run.phase == Phase::Refused {
            return self.fail_http(now);
        }
        if self.reconnect(now) {
            return;
        }
        self.translate(|dialect, out| dialect.lost(out), now);
        let (outcome, error) = self.lost(reason);
        // Behind a terminal event the connection is of no interest.
        if let Some(run) = &mut self.run {
            run.ended.get_or_insert((outcome, Some(error)));
        }
        self.finish(now);
        self.next(now);
    }

    /// Time has passed.
    pub fn tick(&mut self, now: f64) {
        let idle = self.options.network.idle_ms;
        let Some(run) = &self.run else { return };
        let until = match run.phase {
            Phase::Draining { until } | Phase::Waiting { until } => until,
            _ if idle > 0.0 => run.heard + idle,
            _ => return,
        };
        if now < until {
            // Timers of JavaScript may fire up to a millisecond early.
            self.alarm = None;
            return self.wake(Some(until));
        }
        match run.phase {
            Phase::Draining { .. } => {
                self.close(now);
                self.next(now);
            }
            Phase::Waiting { .. } => self.open_again(now),
            _ => {
                let (request, refused) = (run.request, run.phase == Phase::Refused);
                // It has fired, and the next one may be for the same time.
                self.alarm = None;
                // Nothing more is wanted from it, whatever becomes of the run. One that was refused is closed with it.
                if !refused {
                    self.effects.push_back(Effect::Close { request });
                }
                self.failed(request, &format!("nothing came for {} ms", idle as u64), now);
            }
        }
    }

    fn is_on(&self, request: u32) -> bool {
        self.run.as_ref().is_some_and(|run| run.request == request)
    }

    /// Takes a frame. Whether others that are alike may come as one.
    fn take(&mut self, frame: Result<&Frame<'_>, Undecodable>, now: f64) -> bool {
        if self.broken() {
            return false;
        }
        match frame {
            Ok(frame) => {
                if frame.left_out > 0 {
                    let message = format!("{} content parts are not of AG-UI 1.0", frame.left_out);
                    let warning = Warning { rule: Some("P5"), ..Warning::new("part-unknown", message) };
                    self.effects.push_back(Effect::Warning(warning));
                }
                self.frame(frame, now);
            }
            Err(reason @ Undecodable::UnknownEvent) => self.not_decodable("event-unknown", "T16", format!("{reason}")),
            Err(reason) => self.not_decodable("frame-not-decodable", "T16", format!("{reason}")),
        }
        self.growing
    }

    fn not_decodable(&mut self, code: &'static str, rule: &'static str, message: String) {
        self.violation(Violation { code, rule, repair: Repair::Drop, message }, None);
    }

    fn after_reading(&mut self, read: Result<(), BadBody>, stream: Box<Framer>, now: f64) {
        // Where the run has not ended, that the stream was cut is reported anyway.
        let ended = self.run.as_ref().is_some_and(|run| run.ended.is_some());
        if read == Err(BadBody::Cut) && (ended || self.options.strict) && !self.broken() {
            self.not_decodable("frame-not-decodable", "T15", "the body ends within a frame".to_owned());
        }
        self.report_warnings();
        self.changed(false);
        // A frame may have ended the run (strict rules), and with it the stream.
        let Some(run) = &mut self.run else { return };
        // The id outlives its connection; a dialect may have one of its own.
        let kept = run.target == Target::Resume || self.dialect.is_some();
        if stream.last_id() != self.last_event_id && !(stream.last_id().is_empty() && kept) {
            stream.last_id().clone_into(&mut self.last_event_id);
        }
        self.stream = Some(stream);
        if read == Err(BadBody::FrameTooLong) {
            let error = AgentError::frame_too_long(self.options.max_frame_bytes);
            run.ended.get_or_insert((Outcome::Error, Some(error)));
        } else if !self.broken() {
            return;
        }
        self.close(now);
        self.next(now);
    }

    fn fail_http(&mut self, now: f64) {
        if let Some(run) = &mut self.run {
            let error = run.body.as_ref().map(Body::error);
            // A run that cannot be joined again has begun all the same.
            let outcome = if run.streamed { Outcome::Truncated } else { Outcome::Error };
            run.ended = Some((outcome, error));
            self.close(now);
            self.next(now);
        }
    }

    fn frame(&mut self, frame: &Frame<'_>, now: f64) {
        // Nothing has come in between, so what was found out about the last one holds.
        if let (1.., true, Some(delta)) = (frame.alike, self.growing, &frame.delta) {
            return self.grow(delta, frame.alike, now);
        }
        self.growing = false;
        // Some servers end a stream this way.
        if frame.data == "[DONE]" || self.is_repeated(frame) {
            return;
        }
        if self.translate(|dialect, out| dialect.frame(frame, out), now) == Some(Taken::Taken) {
            return;
        }
        if self.chunks.is_idle()
            && !self.options.events
            && !self.is_guarded()
            && let Some(delta) = &frame.delta
            && self.order.expects(delta.kind, &delta.id.decode())
        {
            // Marks of frames are looked at one by one.
            self.growing = self.dialect.is_none() && self.options.network.resume.is_none();
            return self.grow(delta, 1, now);
        }
        if let Err(error) = self.general(frame.data, now)
            // A frame that the lost connection cut; that the stream was cut is reported anyway.
            && !frame.unterminated
        {
            self.malformed(error.code(), Repair::Drop, &error);
        }
    }

    /// Takes content that `frames` frames have added together.
    fn grow(&mut self, delta: &Delta<'_>, frames: u32, now: f64) {
        self.progressed(None, frames);
        self.first_token(delta.delta, now);
        self.thread.grow(delta);
    }

    /// Whether the dialect knows the end of the run in an answer that is no stream.
    fn is_answer(&mut self, now: f64) -> bool {
        let body =
            self.run.as_ref().and_then(|run| run.body.as_ref()).filter(|_| dialect::ANY && self.dialect.is_some());
        let Some(text) = body.map(Body::text) else { return false };
        self.translate(|dialect, out| dialect.answer(&text, out), now);
        let ended = self.run.as_ref().is_some_and(|run| run.ended.is_some());
        if ended {
            self.close(now);
            self.next(now);
        }
        ended
    }

    /// Lets the dialect speak, where there is one, and takes what it says.
    fn translate<T>(&mut self, ask: impl FnOnce(&mut dyn Dialect, &mut Output) -> T, now: f64) -> Option<T> {
        let dialect = self.dialect.as_deref_mut().filter(|_| dialect::ANY)?;
        let mut out = Output::default();
        #[cfg(feature = "guard")]
        {
            (out.guard, out.now) = (self.guard.take(), now);
        }
        let answer = ask(dialect, &mut out);
        #[cfg(feature = "guard")]
        {
            self.guard = out.guard.take();
            self.report_guard();
        }
        for item in out.take() {
            self.item(item, now);
        }
        #[cfg(feature = "guard")]
        {
            self.judged = false;
        }
        Some(answer)
    }

    fn item(&mut self, item: Item, now: f64) {
        if self.broken() {
            return;
        }
        match item {
            Item::Event(json) => {
                if let Err(error) = self.general(&json, now) {
                    self.malformed(error.code(), Repair::Drop, &error);
                }
            }
            Item::Malformed { code, message } => self.not_decodable(code, "T16", message),
            Item::Warning { code, message } => self.effects.push_back(Effect::Warning(Warning::new(code, message))),
            Item::Cursor(cursor) => self.last_event_id = cursor,
            Item::Custom { name, value } => {
                let mut event = String::new();
                let mut object = JsonWriter::object(&mut event);
                object.string("type", "CUSTOM").string("name", &name).json("value", &value);
                object.close();
                if self.admits_made(&event, now) {
                    self.effects.push_back(Effect::Custom { name, value });
                }
            }
            Item::Text { message_id, text } => {
                let mut event = String::new();
                let mut object = JsonWriter::object(&mut event);
                object.string("type", "TEXT_MESSAGE_CONTENT").string("messageId", &message_id).string("delta", &text);
                object.close();
                if self.admits_made(&event, now) {
                    self.thread.replace_text(&message_id, text);
                }
            }
            #[cfg(feature = "guard")]
            Item::Judged => self.judged = true,
            #[cfg(not(feature = "guard"))]
            Item::Judged => {}
            Item::Aside(json) => {
                if let Err(error) = self.aside(&json, now) {
                    self.malformed(error.code(), Repair::Drop, &error);
                }
            }
            Item::Usage(json) => {
                self.progress.usages += 1;
                if self.progress.usages > self.progress.usages_again {
                    self.thread.add_usage(&json);
                }
            }
            Item::Answered(interrupt) => self.thread.close_interrupt(&interrupt),
        }
    }

    /// Takes an event that comes outside of any run.
    fn aside(&mut self, json: &str, now: f64) -> Result<(), EventError> {
        let fields = frame_fields(json, self.options.max_depth)?;
        let incoming = Incoming::read(&fields, &mut |_| {})?;
        self.progressed(Some(&incoming.event), 1);
        if self.admits(&incoming, now) {
            self.report_event(json);
            self.reduce(&incoming, now);
        }
        Ok(())
    }

    /// Whether the guard admits what a dialect says in another way than by an event: as this event.
    fn admits_made(&mut self, event: &str, now: f64) -> bool {
        if !self.is_guarded() {
            return true;
        }
        let fields = frame_fields(event, self.options.max_depth);
        let incoming =
            fields.and_then(|fields| Incoming::read(&fields, &mut |_| {}).map(|incoming| self.admits(&incoming, now)));
        incoming.unwrap_or(false)
    }

    fn report_event(&mut self, data: &str) {
        if self.options.events {
            let mut json = String::new();
            crate::wire::write_json(&mut json, data);
            self.effects.push_back(Effect::Event(json));
        }
    }

    /// Takes a frame that is no plain delta.
    fn general(&mut self, data: &str, now: f64) -> Result<(), EventError> {
        let depth = self.options.max_depth;
        let fields = frame_fields(data, depth)?;
        if let Some(converted) = self.thinking.convert(&fields, self.run_id.as_deref().unwrap_or_default()) {
            return self.members(&frame_fields(&converted, depth)?, &converted, now);
        }
        self.members(&fields, data, now)
    }

    fn members(&mut self, fields: &Fields<'_>, data: &str, now: f64) -> Result<(), EventError> {
        if self.options.strict && !self.is_grammatical(fields)? {
            return Ok(());
        }
        let mut forgiven = None;
        let mut incoming = Incoming::read(fields, &mut |error| forgiven = Some(error))?;
        if !self.options.protocol.tags() {
            if is_subagent(&incoming.event) {
                return Err(EventError::Unknown(incoming.event.name().to_owned()));
            }
            incoming.subagent_run_id = None;
        }
        if let Some(error) = forgiven
            && self.malformed("member-malformed", Repair::Keep, &error) == Repair::Drop
        {
            return Ok(());
        }
        self.progressed(Some(&incoming.event), 1);
        if !self.admits(&incoming, now) {
            return Ok(());
        }
        self.report_event(data);
        let event = incoming.event.name();
        let mut chunks = std::mem::take(&mut self.chunks);
        let result = chunks.expand(incoming, &mut |incoming| self.event(incoming, now));
        self.chunks = chunks;
        if let Err(violation) = result {
            self.violation(violation, Some(event.to_owned()));
        }
        Ok(())
    }

    fn malformed(&mut self, code: &'static str, repair: Repair, error: &EventError) -> Repair {
        let violation = Violation { code, rule: error.rule(), repair, message: format!("{error}") };
        self.violation(violation, error.event_type().map(str::to_owned))
    }

    /// Whether strict rules let an event pass. What AG-UI 1.0 does not describe is told.
    fn is_grammatical(&mut self, fields: &Fields<'_>) -> Result<bool, EventError> {
        let event = frame_type(fields)?.into_owned();
        let effects = &mut self.effects;
        let checked = grammar::check(fields, &mut |Unknown { code, rule, pointer }| {
            let message = format!("{pointer} is not described by AG-UI 1.0, and left out");
            let (rule, event_type) = (Some(rule), Some(event.clone()));
            effects.push_back(Effect::Warning(Warning { rule, event_type, ..Warning::new(code, message) }));
        });
        let passes = checked.is_ok();
        if let Err(violation) = checked {
            self.violation(violation, Some(event));
        }
        Ok(passes)
    }

    /// An empty delta is no token: servers open a stream with one.
    fn first_token(&mut self, delta: Str<'_>, now: f64) {
        if delta.raw().is_empty() {
            return;
        }
        if let Some(timing) = self.timing.as_mut().filter(|timing| timing.first_token.is_none()) {
            timing.first_token = Some(now - timing.started);
        }
    }

    /// Whether a broken rule has ended the run.
    fn broken(&self) -> bool {
        self.ended_by() == Some(ErrorKind::Protocol)
    }

    fn ended_by(&self) -> Option<ErrorKind> {
        let (_, error) = self.run.as_ref()?.ended.as_ref()?;
        error.as_ref().map(|error| error.kind)
    }

    /// A rule was broken: the end of the run if they are strict, a warning if they are not. Says what to do now.
    pub(super) fn violation(&mut self, violation: Violation, event_type: Option<String>) -> Repair {
        let Violation { code, rule, repair, message } = violation;
        let rule = Some(rule);
        // What AG-UI 1.0 does not know is no mistake: a later version may.
        if self.options.strict && code != "event-unknown" {
            let code = Some(code.to_owned());
            let error = AgentError { code, rule, event_type, ..AgentError::new(ErrorKind::Protocol, message, false) };
            if let Some(run) = &mut self.run {
                run.ended = Some((Outcome::Error, Some(error)));
            }
            return Repair::Drop;
        }
        self.effects.push_back(Effect::Warning(Warning { rule, event_type, ..Warning::new(code, message) }));
        repair
    }

    /// Something odd that no rule forbids.
    fn warn(&mut self, code: &'static str, event: &'static str, message: impl Into<String>) {
        let warning = Warning { event_type: Some(event.to_owned()), ..Warning::new(code, message) };
        self.effects.push_back(Effect::Warning(warning));
    }

    fn event(&mut self, incoming: &Incoming<'_>, now: f64) {
        if self.broken() || self.is_greeting(incoming) {
            return;
        }
        if let Some(violation) = self.order.check(incoming) {
            match self.judge(violation, incoming.event.name()) {
                Repair::Drop => return,
                Repair::Open => opener(incoming).into_iter().for_each(|start| self.reduce(&start, now)),
                Repair::Keep => {}
            }
        }
        self.reduce(incoming, now);
    }

    fn reduce(&mut self, incoming: &Incoming<'_>, now: f64) {
        // A run behind one that has ended, in the same body.
        let mut another = false;
        match incoming.event {
            Event::TextMessageContent { delta, .. }
            | Event::ToolCallArgs { delta, .. }
            | Event::ReasoningMessageContent { delta, .. } => self.first_token(delta, now),
            Event::Custom { name, value } => {
                self.progress.customs += 1;
                if self.progress.customs <= self.progress.customs_again {
                    return;
                }
                let mut json = String::new();
                crate::wire::write_json(&mut json, value.text());
                self.effects.push_back(Effect::Custom { name: name.to_text(), value: json });
            }
            Event::RunStarted { thread_id, run_id, protocol_version, .. } => {
                self.thinking.clear();
                self.progress.started = true;
                if let Some(run) = &mut self.run {
                    another = run.ended.take().is_some();
                    run.phase = Phase::Streaming;
                    run.thread_id = thread_id.map(Str::to_text);
                }
                if let Some(timing) = &mut self.timing {
                    timing.duration = None;
                }
                if let Some(run_id) = run_id {
                    self.run_id = Some(run_id.to_text());
                }
                self.status = Status::Running;
                self.error = None;
                self.outcome = None;
                if protocol_version.is_some_and(|version| is_newer(&version.decode())) {
                    let message = format!("the peer speaks a later version than {PROTOCOL_VERSION}");
                    self.warn("protocol-newer", "RUN_STARTED", message);
                }
            }
            _ => {}
        }
        self.thread.apply(incoming, now);
        match incoming.event {
            Event::RunStarted { .. } if another => self.mark(Boundary::RunStarted, None, now),
            Event::StepStarted { step_name } => self.mark(Boundary::StepStarted, Some(step_name), now),
            Event::StepFinished { step_name } => self.mark(Boundary::StepFinished, Some(step_name), now),
            Event::ToolCallResult { tool_call_id, .. } => self.answered_elsewhere(&tool_call_id.decode()),
            Event::MessagesSnapshot { .. } => self.answered_by_snapshot(),
            Event::ToolCallEnd { tool_call_id } => self.call_ready(&tool_call_id.decode()),
            Event::RunFinished { thread_id, run_id, result, outcome, .. } => {
                // Who joins may have missed where a call began or ended.
                if self.run.as_ref().is_some_and(|run| run.joined.is_some()) {
                    self.thread.claim_calls(self.progress.behind.as_deref());
                }
                for id in self.thread.unanswered_calls().to_vec() {
                    self.call_ready(&id);
                }
                self.check_identity(thread_id, run_id);
                self.run_finished(result, outcome, now);
            }
            Event::RunError { message, code, .. } => {
                let mut error = AgentError::new(ErrorKind::Run, message.to_text(), true);
                error.code = code.map(Str::to_text);
                self.terminal(Outcome::Error, Some(error), Vec::new(), now);
            }
            _ => {}
        }
    }

    /// The end should name the run that was started.
    fn check_identity(&mut self, thread_id: Option<Str<'_>>, run_id: Option<Str<'_>>) {
        let differs = |said: Option<Str<'_>>, started: Option<&String>| {
            said.is_some_and(|said| started.is_some_and(|started| said.decode() != started.as_str()))
        };
        let thread = self.run.as_ref().and_then(|run| run.thread_id.as_ref());
        if differs(run_id, self.run_id.as_ref()) || differs(thread_id, thread) {
            self.warn("run-mismatch", "RUN_FINISHED", "it names another run or thread than RUN_STARTED did");
        }
    }

    fn run_finished(&mut self, result: Option<Raw<'_>>, outcome: Option<Raw<'_>>, now: f64) {
        let fields = outcome.and_then(Raw::object);
        let kind = fields.as_ref().and_then(|fields| fields.get("type")).and_then(Raw::string);
        let outcome = match kind.as_deref() {
            Some("interrupt") => Outcome::Interrupted,
            Some("cancelled") => Outcome::Cancelled,
            None | Some("success") => Outcome::Success,
            Some(other) => {
                let message = format!("the outcome \"{other}\" is not one of AG-UI 1.0; read as success");
                self.warn("outcome-unknown", "RUN_FINISHED", message);
                Outcome::Success
            }
        };
        if outcome == Outcome::Interrupted
            && fields.as_ref().and_then(|f| f.some("interrupts")?.array()).is_none_or(|list| list.is_empty())
        {
            self.warn(
                "interrupts-missing",
                "RUN_FINISHED",
                "an interrupt without interrupts: there is nothing to answer",
            );
        }
        let pending = fields.and_then(|fields| fields.some("pendingToolCallIds")).and_then(Raw::array);
        let pending = pending.unwrap_or_default().into_iter().filter_map(Raw::string).map(String::from);
        let named: Vec<String> = pending.collect();
        let interrupts = self.thread.interrupted_calls();
        if let Some(run) = &mut self.run {
            run.unanswered = if named.is_empty() { self.thread.unanswered_calls().to_vec() } else { named.clone() };
        }
        // Of several runs in one stream, the last success gives the result.
        if let (Outcome::Success, Some(run)) = (outcome, &mut self.run) {
            run.result = result.map(|result| result.text().to_owned());
        }
        self.terminal(outcome, None, named.into_iter().chain(interrupts).collect(), now);
    }

    /// The run has ended; its body may go on for a while.
    fn terminal(&mut self, outcome: Outcome, error: Option<AgentError>, pending: Vec<String>, now: f64) {
        // Nobody queues behind a run that is over.
        let until = if self.queue.is_empty() && !self.goes_on(outcome) { now + self.options.grace_ms } else { now };
        self.conclude(outcome, error.clone(), &pending, now);
        if let Some(run) = &mut self.run {
            run.ended = Some((outcome, error));
            run.pending_calls = pending;
            run.phase = Phase::Draining { until };
            self.wake(Some(until));
        }
        self.mark(Boundary::RunFinished, None, now);
        self.changed(true);
    }
}

/// Whether the event is about a subagent itself.
fn is_subagent(event: &Event<'_>) -> bool {
    matches!(event, Event::SubagentStarted { .. } | Event::SubagentFinished { .. } | Event::SubagentError { .. })
}

/// Whether a peer's version is later than ours. One that cannot be read is taken for a later one (AG-UI 1.0).
fn is_newer(version: &str) -> bool {
    let parse = |version: &str| {
        let (major, minor) = version.split_once('.')?;
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u64>().ok())?;
        Some((digits(major)?, digits(minor)?))
    };
    parse(version).is_none_or(|version| Some(version) > parse(PROTOCOL_VERSION))
}

/// Without a guard, as it is where nobody asked for one.
#[cfg(not(feature = "guard"))]
impl Session {
    fn is_guarded(&self) -> bool {
        false
    }

    fn admits(&self, _: &Incoming<'_>, _: f64) -> bool {
        true
    }
}
