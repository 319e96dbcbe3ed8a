//! What the network reports: heads, bytes, ends, failures, and the passing of time.

use super::run::{Body, Outcome, Phase, Run};
use super::{AgentError, Effect, Options, Session, Target};
use crate::dialect;
use crate::wire::{BadBody, Framer};

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
}
