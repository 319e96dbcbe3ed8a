//! Handles the output of a dialect: events, and reports for which the protocol has no event. Nothing calls its functions where
//! a session has no dialect: the add-ons that are dialects bring them (tools/split.mjs).

use crate::dialect::{Occasion, OutputItem, RunRequest, Taken};
use crate::document::Start;
use crate::pipeline::{EventSink, Source};
use crate::rules::Violation;
use crate::session::Session;
use crate::session::rejoin::Report;
use crate::session::run::BodyStart;
use crate::session::types::Effect;
use crate::thread::Warning;
use crate::wire::{Incoming, Raw, frame_fields, quoted};
use std::rc::Rc;

/// Lets the dialect speak, and takes what it says. Says whether a frame was its.
#[inline(never)]
pub fn speak(session: &mut Session, on: Occasion<'_>, now: f64) -> bool {
    let Some((taken, items)) = session.intake.translate(on, now) else { return false };
    session.report_guard();
    for item in items {
        session.item(item, now);
    }
    session.intake.judged = false;
    taken == Taken::Taken
}

/// Tells the dialect of a run. Gives its body for the request, where it has one.
#[inline(never)]
pub fn begin_speaking(session: &mut Session, input: &str, start: &Start) -> Option<Rc<str>> {
    let run_id = session.verdict.run_id().unwrap_or_default();
    let (joins, continues) = (*start == Start::Attach, *start == Start::Continues);
    let cursor = &session.rejoin.last_event_id;
    session.intake.begin(&RunRequest { thread_id: &session.options.thread_id, run_id, joins, continues, cursor });
    session.intake.dialect_mut()?.body(input).map(Rc::from)
}

/// The value of `Accept`, where the dialect names one; `given`: the application's header.
#[inline(never)]
pub fn accept_of_dialect(session: &mut Session, given: Option<&str>) -> Option<String> {
    let dialect = session.intake.dialect()?;
    let kept = given.and_then(|accept| Some((accept, dialect.contradicts(accept)?)));
    let Some((accept, contradicts)) = kept else { return dialect.accept().map(Into::into) };
    if contradicts {
        let message = "the Accept header that the application sets asks for another form than the dialect's settings";
        session.outbox.warn(Warning::new("accept-contradicts", message));
    }
    Some(accept.to_owned())
}

impl Session {
    /// Whether the dialect knows the end of the run in an answer that is no stream.
    pub(super) fn is_answer(&mut self, now: f64) -> bool {
        let body = self.run.as_ref().and_then(|run| run.body.as_ref()).filter(|_| self.intake.has_dialect());
        let Some(text) = body.map(BodyStart::text) else { return false };
        self.translate(Occasion::Answer(&text), now);
        let ended = self.has_ended();
        if ended {
            self.close_and_go_on(now);
        }
        ended
    }

    /// Lets the dialect speak, where there is one. Says whether a frame was its.
    pub(super) fn translate(&mut self, on: Occasion<'_>, now: f64) -> bool {
        self.intake.has_dialect() && speak(self, on, now)
    }

    fn item(&mut self, item: OutputItem, now: f64) {
        if self.broken() {
            return;
        }
        // Of an earlier run, which the thread has.
        let known = self.rejoin.earlier.is_known();
        if known
            && matches!(
                item,
                OutputItem::Custom { .. } | OutputItem::Text { .. } | OutputItem::Usage(_) | OutputItem::Warning { .. }
            )
        {
            return;
        }
        match item {
            OutputItem::Event(json) => {
                if !self.is_unread(false)
                    && let Err(error) = self.event(&json, false, now)
                {
                    self.violation(error);
                }
            }
            OutputItem::Malformed { code, message } => _ = self.violation(Violation::new(code, "T16", message)),
            OutputItem::Warning { code, message } => self.report_warning(Warning::new(code, message)),
            OutputItem::Cursor(cursor) => self.rejoin.last_event_id = cursor,
            OutputItem::Custom { name, value } => {
                let admits = self.admits_made("CUSTOM", &[("name", &quoted(&name)), ("value", &value)], now);
                if admits && self.rejoin.is_new(Report::Custom) {
                    self.outbox.push(Effect::Custom { name, value });
                }
            }
            OutputItem::Text { message_id, text } => {
                let members = [("messageId", &*quoted(&message_id)), ("delta", &quoted(&text))];
                if self.admits_made("TEXT_MESSAGE_CONTENT", &members, now) {
                    self.thread.replace_text(&message_id, text);
                }
            }
            OutputItem::Judged => self.intake.judged = true,
            OutputItem::Aside(json) => {
                if let Err(error) = self.aside(&json, now) {
                    self.violation(error);
                }
            }
            OutputItem::Usage(json) => {
                let members = [("threadId", "\"\""), ("runId", "\"\""), ("usage", &json)];
                if self.rejoin.is_new(Report::Usage) && self.admits_made("RUN_FINISHED", &members, now) {
                    self.thread.report.add_usage(Raw::parse(&json, 8).ok());
                }
            }
            OutputItem::Failed { call, error } => {
                let (id, content) = (quoted(&call), quoted(&error));
                let members = [("messageId", "\"\""), ("toolCallId", &id), ("content", &content)];
                if self.admits_made("TOOL_CALL_RESULT", &members, now) {
                    self.thread.fail_call(&call, &error);
                }
            }
            OutputItem::Answered(interrupt) => self.thread.report.interrupts.close(&interrupt),
        }
    }

    /// Takes an event that comes outside of any run.
    fn aside(&mut self, json: &str, now: f64) -> Result<(), Violation> {
        let fields = frame_fields(json, self.options.max_depth)?;
        if self.is_known(&fields, now) {
            return Ok(());
        }
        let one = Incoming::read(&fields, &mut |_| {})?;
        let mut source = Source::new(&one, &fields, json);
        source.aside = true;
        self.came(&mut source);
        if self.intake.is_guarded() {
            super::guard::through_gate(self, &one, &mut source, false, now);
            return Ok(());
        }
        self.reduce(&one, None, true, now);
        Ok(())
    }
}
