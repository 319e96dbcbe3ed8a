//! Handles the output of a dialect: events, and reports for which the protocol has no event.

use crate::dialect::{Dialect, Output, OutputItem};
use crate::pipeline::{EventSink, Source};
use crate::rules::{Code, Repair};
use crate::session::Session;
use crate::session::rejoin::Report;
use crate::session::run::BodyStart;
use crate::session::types::Effect;
use crate::thread::Warning;
use crate::wire::{EventError, Incoming, JsonWriter, frame_fields};

impl Session {
    /// Whether the dialect knows the end of the run in an answer that is no stream.
    pub(super) fn is_answer(&mut self, now: f64) -> bool {
        let body = self.run.as_ref().and_then(|run| run.body.as_ref()).filter(|_| self.intake.has_dialect());
        let Some(text) = body.map(BodyStart::text) else { return false };
        self.translate(|dialect, out| dialect.answer(&text, out), now);
        let ended = self.has_ended();
        if ended {
            self.close_and_go_on(now);
        }
        ended
    }

    /// Lets the dialect speak, where there is one, and takes what it says.
    pub(super) fn translate<T>(&mut self, ask: impl FnOnce(&mut dyn Dialect, &mut Output) -> T, now: f64) -> Option<T> {
        let (answer, items) = self.intake.translate(ask, now)?;
        self.report_guard();
        for item in items {
            self.item(item, now);
        }
        self.intake.all_taken();
        Some(answer)
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
            OutputItem::Event(json) if !self.is_unread(false) => {
                if let Err(error) = self.event(&json, false, now) {
                    self.malformed(Code::of(&error), Repair::Drop, &error);
                }
            }
            OutputItem::Event(_) => {}
            OutputItem::Malformed { code, message } => self.not_decodable(Code::Frame(code), "T16", message),
            OutputItem::Warning { code, message } => self.report_warning(Warning::new(code, message)),
            OutputItem::Cursor(cursor) => self.rejoin.set_last_event_id(&cursor),
            OutputItem::Custom { name, value } => self.dialect_custom(name, value, now),
            OutputItem::Text { message_id, text } => self.dialect_text(&message_id, text, now),
            OutputItem::Judged => self.intake.gate().set_judged(true),
            OutputItem::Aside(json) => {
                if let Err(error) = self.aside(&json, now) {
                    self.malformed(Code::of(&error), Repair::Drop, &error);
                }
            }
            OutputItem::Usage(json) => self.dialect_usage(&json, now),
            OutputItem::Failed { call, error } => self.dialect_failure(&call, &error, now),
            OutputItem::Answered(interrupt) => self.thread.close_interrupt(&interrupt),
        }
    }

    fn dialect_custom(&mut self, name: String, value: String, now: f64) {
        let write = |event: &mut JsonWriter<'_>| {
            event.string("type", "CUSTOM").string("name", &name).json("value", &value);
        };
        if self.admits_made(write, now) && self.rejoin.is_new(Report::Custom) {
            self.outbox.push(Effect::Custom { name, value });
        }
    }

    fn dialect_text(&mut self, message_id: &str, text: String, now: f64) {
        let write = |event: &mut JsonWriter<'_>| {
            event.string("type", "TEXT_MESSAGE_CONTENT").string("messageId", message_id).string("delta", &text);
        };
        if self.admits_made(write, now) {
            self.thread.replace_text(message_id, text);
        }
    }

    fn dialect_usage(&mut self, json: &str, now: f64) {
        let write = |event: &mut JsonWriter<'_>| {
            event.string("type", "RUN_FINISHED").string("threadId", "").string("runId", "").json("usage", json);
        };
        if self.rejoin.is_new(Report::Usage) && self.admits_made(write, now) {
            self.thread.add_usage(json);
        }
    }

    fn dialect_failure(&mut self, call: &str, error: &str, now: f64) {
        let write = |event: &mut JsonWriter<'_>| {
            event.string("type", "TOOL_CALL_RESULT").string("messageId", "");
            event.string("toolCallId", call).string("content", error);
        };
        if self.admits_made(write, now) {
            self.thread.fail_call(call, error);
        }
    }

    /// Takes an event that comes outside of any run.
    fn aside(&mut self, json: &str, now: f64) -> Result<(), EventError> {
        let fields = frame_fields(json, self.options.max_depth)?;
        if self.is_known(&fields, now) {
            return Ok(());
        }
        let one = Incoming::read(&fields, &mut |_| {})?;
        let mut source = Source::new(&one, &fields, json);
        source.aside = true;
        self.came(&mut source);
        #[cfg(feature = "guard")]
        if self.intake.is_guarded() {
            self.through_gate(&one, &mut source, false, now);
            return Ok(());
        }
        self.reduce(&one, None, now);
        Ok(())
    }
}
