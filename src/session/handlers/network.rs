//! The answer to a request: its head, its body in pieces, its end or failure. Each is of the request that is out, or ignored.

use crate::dialect::{self, Occasion};
use crate::document::{ERROR_BODY, ERROR_TEXT};
use crate::pipeline::EventSink;
use crate::rules::Violation;
use crate::session::Session;
use crate::session::options::Options;
use crate::session::run::{BodyStart, Run};
use crate::session::types::{AgentError, Outcome};
use crate::wire::{BadBody, Framer};

impl Session {
    /// The head of the answer to request `request` has come.
    pub fn head(&mut self, request: u32, status: u16, content_type: &str, retry_after: Option<&str>, now: f64) {
        if !self.is_on(request) {
            return;
        }
        let Options { binary, max_error_body_bytes, error_body_ms, max_frame_bytes, max_depth, long_event, .. } =
            self.options;
        let asked = retry_after.and_then(|value| crate::session::rejoin::retry_after(value, now));
        if self.renew(status, now) || self.refused(status, asked, now) {
            return;
        }
        let Some(run) = &mut self.run else { return };
        let mut body = BodyStart::new(status, content_type, binary, asked, max_error_body_bytes);
        let framer = Framer::new(body.format, max_frame_bytes, max_depth).in_steps(long_event);
        self.intake.body = Some(Box::new(framer));
        run.heard = now;
        if body.is_success() {
            run.streamed |= body.is_stream() && status != 204;
        } else {
            body.until = Some(now + error_body_ms);
        }
        if run.answers(body).is_err() {
            return self.close_and_go_on(now);
        }
        self.watch();
        if status == 204 {
            self.body_ended(now);
        }
        self.outbox.changed(false);
    }

    /// Bytes of the body have come. A long frame and all after it is left to [`Self::go_on`]. Call that until it returns false; until
    /// then the frame has no effect.
    pub fn read(&mut self, request: u32, bytes: &[u8], now: f64) {
        let Some(run) = self.run.as_mut().filter(|run| run.request == Some(request)) else { return };
        run.heard = now;
        let refused = run.is_refused();
        // A body that does not call itself a stream is kept until an event shows that it is one.
        if let Some(body) = run.unproven_body() {
            let full = !body.keep(bytes);
            if full && refused {
                return self.fail_http(now);
            }
            // It had its time to become one.
            if body.until.is_none() && !body.begins_like_a_stream() {
                body.until = Some(now + self.options.error_body_ms);
                self.watch();
            }
        }
        if refused {
            return;
        }
        if self.options.saves {
            self.outbox.set_clock(now);
        }
        let Some(mut stream) = self.intake.take_body() else { return };
        let read = stream.feed(bytes, self.intake.pipeline.coalesces, &mut |frame| self.take(frame, now));
        self.after_reading(read, stream, now);
    }

    /// Takes the next step in what has come of the body: reads so many bytes ahead of a long frame that waits, takes it, or reads
    /// what came after it. Says whether there was one.
    pub fn go_on(&mut self, request: u32, bytes: usize, now: f64) -> bool {
        if !self.is_on(request) || !self.waits() {
            return false;
        }
        if let Some(run) = &mut self.run {
            run.heard = now;
        }
        if self.intake.read_ahead(bytes, self.options.max_depth, self.options.protocol.tags()) {
            return true;
        }
        let ahead = self.intake.ahead.take();
        let Some(mut stream) = self.intake.take_body() else { return false };
        self.thread.ahead = ahead;
        let read = stream.step(self.intake.pipeline.coalesces, &mut |frame| self.take(frame, now));
        self.thread.ahead = None;
        self.after_reading(read, stream, now);
        true
    }

    /// Whether [`Self::go_on`] has something to do.
    pub fn waits(&self) -> bool {
        self.intake.waits()
    }

    /// Whether an event that is there waits to be taken.
    pub fn is_reading_ahead(&self) -> bool {
        self.intake.body.as_ref().is_some_and(|body| body.parked().is_some())
    }

    /// The body has ended.
    pub fn end(&mut self, request: u32, now: f64) {
        if self.is_on(request) {
            self.body_ended(now);
        }
    }

    pub(super) fn body_ended(&mut self, now: f64) {
        let Some(run) = &self.run else { return };
        let request = run.request;
        if run.is_refused() {
            return self.fail_http(now);
        }
        if let Some(mut stream) = self.intake.take_body() {
            let read = stream.finish(&mut |frame| self.take(frame, now));
            // A body that is no stream is reported as what it is.
            let is_stream = |run: &Run| run.events > 0 || run.body.as_ref().is_some_and(BodyStart::is_stream);
            if dialect::ANY && self.run.as_ref().is_some_and(is_stream) {
                self.translate(Occasion::End, now);
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
        self.translate(Occasion::Lost, now);
        self.finish(now);
        self.next(now);
    }

    /// The request or its body failed; `reason` for people.
    pub fn failed(&mut self, request: u32, reason: &str, now: f64) {
        if self.is_on(request) {
            self.fail(reason, now);
        }
    }

    pub(super) fn fail(&mut self, reason: &str, now: f64) {
        if self.run.as_ref().is_some_and(Run::is_refused) {
            return self.fail_http(now);
        }
        if self.reconnect(now) {
            return;
        }
        self.translate(Occasion::Lost, now);
        // After a terminal event the connection no longer matters.
        if self.is_running() {
            // A WebSocket is closed with a reason of the server's.
            let reason = self.withheld(now).unwrap_or(reason);
            let how = self.lost(reason);
            let pause = self.options.network.queue_ms;
            // A browser that leaves the page ends its requests first: what waits is not to begin then.
            if !self.queue.submits().is_empty() && pause > 0.0 {
                return self.wait_until(now + pause, Some(how), now);
            }
            self.end_as(how);
        }
        self.finish(now);
        self.next(now);
    }

    fn is_on(&self, request: u32) -> bool {
        self.run.as_ref().is_some_and(|run| run.request == Some(request))
    }

    fn after_reading(&mut self, read: Result<(), BadBody>, stream: Box<Framer>, now: f64) {
        // Where the run has not ended, that the stream was cut is reported anyway.
        let ended = self.has_ended();
        if read == Err(BadBody::Cut) && (ended || self.options.strict) && !self.broken() {
            self.violation(Violation::new("frame-not-decodable", "T15", "the body ends within a frame"));
        }
        if !self.thread.warnings.is_empty() {
            self.report_thread_warnings();
        }
        self.outbox.changed(false);
        // A frame may have ended the run (strict rules, a limit), and with it the stream.
        let broken = self.broken();
        if self.run.is_none() {
            return;
        }
        // A frame that waits may have an id: it has not come.
        if !broken && !stream.waits() && self.rejoin.last_event_id != stream.last_id() {
            self.note_id(stream.last_id());
        }
        self.intake.body = Some(stream);
        let Some(run) = &mut self.run else { return };
        if read == Err(BadBody::FrameTooLong) {
            let error = AgentError::frame_too_long(self.options.max_frame_bytes);
            if run.end().is_none() {
                run.fail(error);
            }
        } else if !broken {
            return;
        }
        self.close_and_go_on(now);
    }

    fn fail_http(&mut self, now: f64) {
        let mut error = self.run.as_ref().and_then(|run| run.body.as_ref()).map(BodyStart::error);
        if error.as_ref().is_some_and(AgentError::has_body)
            && let Some(withheld) = self.withheld(now)
        {
            error = error.map(|error| error.with(ERROR_TEXT, Some(withheld)).with(ERROR_BODY, None));
        }
        if let Some(run) = &mut self.run {
            // A run that cannot be joined again has begun all the same.
            let outcome = if run.streamed { Outcome::Truncated } else { Outcome::Error };
            run.ends_as((outcome, error));
            self.close_and_go_on(now);
        }
    }
}
