//! Events of the network: heads, bytes, ends, silence, and what that means for the run in progress.

use super::super::plan::{Amount, Dialect};
use super::super::server::{Answer, End, Frame};
use super::{Held, PER_RUN, Run, World};
use crate::support::SessionCalls;
use serde_json::{Value, json};

impl World {
    pub(super) fn open_line(&self) -> Option<usize> {
        self.lines.iter().position(|line| !line.over)
    }

    pub(super) fn deliver(&mut self, amount: Amount) -> Held {
        let Some(at) = self.open_line() else { return Ok(()) };
        let line = &mut self.lines[at];
        let (request, end, retry_after) = (line.request, line.answer.end, line.answer.retry_after);
        let Some((status, content_type)) = line.answer.head else { return self.end_of_body(end) };
        if !line.headed {
            line.headed = true;
            let content_type = content_type.to_owned();
            self.say(|| format!("     request {request}: {status} {content_type}"));
            self.takes_head(status, retry_after);
            let retry_after = retry_after.map(|seconds| seconds.to_string());
            self.give(|session, now| session.head(request, status, &content_type, retry_after.as_deref(), now))?;
            return self.perform();
        }
        let rest = line.answer.body.len() - line.sent;
        if rest == 0 {
            return self.end_of_body(end);
        }
        let next = line.answer.frames.get(line.told).map_or(rest, |frame| frame.whole.saturating_sub(line.sent).max(1));
        let count = match amount {
            Amount::Bytes(n) => n.min(rest),
            Amount::Frame => next.min(rest),
            Amount::All => rest,
        };
        let bytes = line.answer.body[line.sent..line.sent + count].to_vec();
        line.sent += count;
        let reached = line.sent;
        let is_stream = self.lines[at].answer.is_stream();
        if let Some(run) = &mut self.run {
            run.heard = self.now;
            if run.events == 0 && !is_stream {
                run.body_until.get_or_insert(self.now + 5000.0);
            }
        }
        self.say(|| format!("     request {request}: {count} of {rest} bytes"));
        self.tell(at, |frame| frame.whole <= reached);
        self.give(|session, now| session.bytes(request, &bytes, now))?;
        self.perform()
    }

    /// Applies the delivered events of a body: those that `there` accepts.
    pub(super) fn tell(&mut self, at: usize, there: impl Fn(&Frame) -> bool) {
        while let Some(frame) = self.lines[at].answer.frames.get(self.lines[at].told).filter(|frame| there(frame)) {
            let (event, means, index, known) = (frame.event.clone(), frame.means.clone(), frame.index, frame.known);
            self.lines[at].told += 1;
            if self.run.as_ref().is_some_and(|run| run.closed) {
                self.say(|| format!("       unread: {event}"));
                continue;
            }
            if self.is_stale(&event) {
                self.say(|| format!("       of before: {event}"));
                continue;
            }
            if let Some(run) = self.run.as_mut().filter(|run| run.whole) {
                (run.whole, run.replays, run.rewinds) = (false, true, !self.over);
                run.known = self.over;
                (self.started, self.chunks) = (false, None);
            }
            let ours = self.run.as_ref().is_some_and(|run| run.known);
            if known || ours {
                self.say(|| format!("       known: {event}"));
                self.run.iter_mut().for_each(|run| run.events += 1);
                if ours && !known && matches!(event["type"].as_str(), Some("RUN_FINISHED" | "RUN_ERROR")) {
                    self.run_ends(&event);
                }
                continue;
            }
            if let Some(run) = self.run.as_mut().filter(|run| run.rewinds) {
                (run.rewinds, run.received) = (false, 0);
                let answers = self.thread.go_back();
                self.untold.extend(answers);
                self.say(|| "       from the beginning".to_owned());
            }
            if self.run.as_ref().is_some_and(|run| index.is_some_and(|index| index < run.received)) {
                self.say(|| format!("       again: {event}"));
                continue;
            }
            self.say(|| format!("       {event}"));
            let kind = event["type"].as_str().unwrap();
            if let Some(run) = &mut self.run {
                run.events += 1;
                run.fresh += 1;
                run.received = index.map_or(run.received, |index| index + 1);
                // An event without a number is progress if the thread differs in the end.
                run.advanced |= index.is_some() && self.plan.resume.is_some_and(|way| way.ids() || way.members());
                if !run.joins || if run.replays { run.fresh > run.best } else { run.advanced } {
                    (run.attempt, run.renewed) = (0, false);
                }
            }
            let told_to = self.told_to.entry(self.run_id.clone()).or_default();
            if let Some(index) = index.filter(|index| *index >= *told_to) {
                *told_to = index + 1;
                self.counts_once(&event);
            }
            // Token counts are saved, so a page that was loaded anew knows which it has.
            let counted = self.counted.entry(self.run_id.clone()).or_default();
            if let Some(index) = index.filter(|index| *index >= *counted) {
                *counted = index + 1;
                let usage = event["usage"].as_array().into_iter().flatten();
                self.tokens += usage.map(|usage| usage["inputTokens"].as_u64().unwrap()).sum::<u64>();
            }
            // Events for a page that joins end the chunks of the stream that was cut.
            if let Some(id) = self.chunks.take().filter(|_| index.is_none()) {
                self.tell_event(&json!({"type": "TEXT_MESSAGE_END", "messageId": id, "ofChunks": true}));
            }
            if kind == "TEXT_MESSAGE_CHUNK" {
                self.chunks = means.last().map(|content| content["messageId"].as_str().unwrap().to_owned());
            }
            // A page that joins hears that the run has begun, and knows.
            let greeted = kind == "RUN_STARTED" && self.started && self.run.as_ref().is_some_and(|run| run.goes_on());
            if !greeted {
                means.iter().for_each(|event| self.tell_event(event));
            }
        }
    }

    /// Whether the server says how things stood before the run: it is at work on it.
    fn is_stale(&mut self, event: &Value) -> bool {
        let hydrates = self.plan.resume == Some(Dialect::Hydrate);
        let Some(run) = self.run.as_mut().filter(|run| hydrates && run.joins && !run.opened) else { return false };
        run.opened = event["type"] == "MESSAGES_SNAPSHOT" && self.thread.is_asked_in(&event["messages"]);
        (run.works, run.streamed) = (!run.opened, true);
        run.events += 1;
        if run.opened {
            let held = run.held.take();
            held.iter().for_each(|state| self.tell_event(state));
            return false;
        }
        if event["type"] == "STATE_SNAPSHOT" {
            run.held = Some(event.clone());
        }
        true
    }

    /// The page hears of it, and does not again.
    fn counts_once(&mut self, event: &Value) {
        match event["type"].as_str().unwrap() {
            "CUSTOM" => self.customs.push(event["value"].clone()),
            "STEP_STARTED" | "STEP_FINISHED" => self.steps.iter_mut().for_each(|steps| *steps += 1),
            _ => {}
        }
    }

    pub(super) fn tell_event(&mut self, event: &Value) {
        {
            let kind = event["type"].as_str().unwrap();
            if kind == "TOOL_CALL_START" {
                let mut id = self.thread.started_as(event);
                while self.thread.call(&id).is_none() {
                    // One of an earlier run that is gone is another one, unless its tool was cut off.
                    let over = self.earlier.contains(&id) && !self.cut.contains(&id) && self.stage_of(&id).is_none();
                    let untold = self.untold.iter().any(|(call, ..)| *call == id);
                    if over && !untold {
                        for set in [&mut self.earlier, &mut self.handled, &mut self.executing] {
                            set.remove(&id);
                        }
                    }
                    // A call that was removed keeps its number: in a replay this one has the number that it had.
                    let replays = self.plan.resume.is_some_and(Dialect::whole);
                    if self.handled.contains(&id)
                        || self.stage_of(&id).is_some()
                        || !replays
                        || !self.thread.known_calls.contains_key(&id)
                    {
                        break;
                    }
                    self.thread.removed.insert(id);
                    id = self.thread.started_as(event);
                }
            }
            self.thread.apply(event);
            let call = event["toolCallId"].as_str().map(|id| self.thread.last_of(id)).unwrap_or_default();
            if kind == "RUN_FINISHED" {
                // Calls that have become the page's, and those of which the page knows by a snapshot.
                let joins = self.run.as_ref().is_some_and(|run| run.joins && !run.replays);
                let more = if joins { self.thread.unanswered() } else { Vec::new() };
                for id in self.thread.started.clone().into_iter().chain(more) {
                    self.call_ready(&id);
                }
            }
            if kind == "MESSAGES_SNAPSHOT" {
                self.answered_by_snapshot();
                self.review();
            }
            let Some(run) = &mut self.run else { return };
            match kind {
                "RUN_STARTED" => {
                    if run.ended.is_some() {
                        self.thread.goes_on();
                    }
                    (run.ended, self.status, self.outcome, self.started) = (None, "running", None, true);
                }
                "TOOL_CALL_END" => self.call_ready(&call),
                "TOOL_CALL_RESULT" => self.answered_elsewhere(&call),
                "RUN_FINISHED" | "RUN_ERROR" => self.run_ends(event),
                _ => {}
            }
        }
    }

    fn run_ends(&mut self, event: &Value) {
        let Some(run) = &mut self.run else { return };
        let outcome = &event["outcome"];
        let ended = match event["type"].as_str() {
            Some("RUN_ERROR") => "error",
            _ if outcome["type"] == "interrupt" => "interrupted",
            _ => "success",
        };
        let ids = |list: &Value, pick: fn(&Value) -> &Value| -> Vec<String> {
            let list = list.as_array().map_or(&[][..], Vec::as_slice);
            list.iter().filter_map(|item| Some(pick(item).as_str()?.to_owned())).collect()
        };
        let mut pending = ids(&outcome["pendingToolCallIds"], |id| id);
        pending.extend(ids(&outcome["interrupts"], |interrupt| &interrupt["toolCallId"]));
        pending.iter_mut().for_each(|id| *id = self.thread.last_of(id));
        (run.ended, run.pending) = (Some(ended), pending.clone());
        let (replays, goes_on) = (run.replays, self.goes_on(ended));
        let closed = !replays && (goes_on || !self.queue.is_empty());
        self.run.iter_mut().for_each(|run| run.closed = closed);
        self.conclude(ended, &pending);
    }

    pub(super) fn end_of_body(&mut self, end: End) -> Held {
        let Some(at) = self.open_line() else { return Ok(()) };
        if end == End::Hangs {
            return Ok(());
        }
        let line = &mut self.lines[at];
        line.over = true;
        let (request, sent, headed) = (line.request, line.sent, line.headed);
        let status = line.answer.head.filter(|_| headed).map(|(status, _)| status);
        self.say(|| format!("     request {request}: {}", if end == End::Closes { "its end" } else { "breaks" }));
        if end == End::Closes && headed {
            // A last frame that lacks its end counts all the same, if it does not come again.
            let joins = self.can_join();
            let terminal = |event: &Value| matches!(event["type"].as_str(), Some("RUN_FINISHED" | "RUN_ERROR"));
            self.tell(at, |frame| frame.readable <= sent && (!joins || terminal(&frame.event)));
        }
        self.loses(status, end)?;
        match end {
            End::Closes => self.give(|session, now| session.end(request, now))?,
            End::Denies => self.give(|session, now| session.denied(request, "expired", now))?,
            _ => self.give(|session, now| session.failed(request, "reset", now))?,
        }
        self.perform()
    }

    /// Whether the run in progress can be joined where it was read to.
    pub(super) fn can_join(&self) -> bool {
        let Some(way) = self.plan.resume else { return false };
        self.run.as_ref().is_some_and(|run| run.joins || run.received > 0 || way.whole() && run.streamed)
    }

    /// A connection has ended: it was an attempt in vain if it has left the thread as an earlier one has.
    fn note_end(&mut self) {
        let Some(run) = self.run.as_mut().filter(|run| run.fresh > 0 && !run.replays && !run.advanced) else { return };
        let messages: Vec<Value> = self.thread.messages.iter().map(|message| message.outgoing()).collect();
        let end = json!([messages, self.thread.state]).to_string();
        if !self.ends.contains(&end) {
            self.ends.push(end);
            (run.attempt, run.renewed) = (0, false);
        }
    }

    /// The pause after a loss is over.
    pub(super) fn end_lost(&mut self) -> Held {
        let Some(run) = &mut self.run else { return Ok(()) };
        let Some((outcome, _)) = run.lost.take() else { return Ok(()) };
        run.waiting = false;
        self.ends(outcome);
        self.finish()
    }

    /// The run waits for another attempt, if there is one left.
    pub(super) fn waits_again(&mut self) -> bool {
        self.note_end();
        let left = |run: &&mut Run| run.connected.len() < PER_RUN as usize;
        let Some(run) = self.run.as_mut().filter(left) else { return false };
        if std::mem::take(&mut run.works) {
            run.attempt = 0;
        }
        if run.attempt >= 5 {
            return false;
        }
        run.attempt += 1;
        run.waiting = true;
        run.lost_at = Some(self.now);
        true
    }

    pub(super) fn takes_head(&mut self, status: u16, retry_after: Option<u32>) {
        let asked = retry_after.map_or(0.0, |seconds| f64::from(seconds) * 1000.0);
        let (posts, renew, now) = (self.plan.posts, self.plan.renew, self.now);
        let Some(run) = &mut self.run else { return };
        if status == 401 && renew && !run.renewed {
            (run.renewed, run.waiting) = (true, true);
            return;
        }
        run.works = status == 409;
        let repeats = match status {
            409 => true,
            425 | 429 | 503 | 408 | 502 | 504 => run.joins || posts,
            500.. => run.joins,
            _ => false,
        };
        if repeats && asked <= 30_000.0 && self.waits_again() {
            self.not_before = now + asked;
            return;
        }
        let Some(run) = &mut self.run else { return };
        run.heard = now;
        run.body_until = (!(200..300).contains(&status)).then_some(now + 5000.0);
        if (200..300).contains(&status) {
            run.streamed |= status != 204 && self.lines[run.line].answer.is_stream();
        }
        if status == 204 && !self.goes_to_stream() {
            let streamed = self.run.as_ref().is_some_and(|run| run.streamed);
            self.ends(if streamed { "truncated" } else { "error" });
        }
    }

    /// The answer to the request that began the run was no stream: that has its own address.
    pub(super) fn goes_to_stream(&mut self) -> bool {
        let Some(run) = self.run.as_mut().filter(|run| !run.joins) else { return false };
        if !matches!(self.plan.resume, Some(Dialect::RunUrl { .. })) {
            return false;
        }
        // Not all of it may have come in time.
        let line = &self.lines[run.line];
        let answer: Result<Value, _> = serde_json::from_slice(&line.answer.body[..line.sent]);
        if let Ok(Value::String(id)) = answer.map(|mut answer| answer["runId"].take()) {
            self.run_id = id;
        }
        run.waiting = true;
        self.due.closes = true;
        true
    }

    /// A connection is lost: the run is joined again, or it ends.
    pub(super) fn loses(&mut self, status: Option<u16>, end: End) -> Held {
        let can_join = self.can_join();
        let renews = self.plan.renew && can_join;
        if end == End::Denies {
            self.note_end();
            let Some(run) = &mut self.run else { return Ok(()) };
            if run.ended.is_none() && renews && !run.renewed {
                (run.renewed, run.waiting) = (true, true);
                return Ok(());
            }
            let streamed = run.streamed;
            self.ends(if streamed { "truncated" } else { "error" });
            return self.finish();
        }
        let Some(run) = &self.run else { return Ok(()) };
        let is_stream = self.lines[run.line].answer.is_stream();
        let (streamed, on, joins) = (run.streamed, run.ended.is_none(), run.joins);
        let refused = status.is_some_and(|status| !(200..300).contains(&status));
        let no_stream = run.events == 0 && !is_stream && end == End::Closes;
        if !refused && status.is_some() && no_stream && self.goes_to_stream() {
            return Ok(());
        }
        if refused || status.is_some() && no_stream {
            self.ends(if streamed { "truncated" } else { "error" });
            return self.finish();
        }
        let may = if status.is_none() && !joins { self.plan.posts } else { can_join };
        if on && may && self.waits_again() {
            return Ok(());
        }
        self.unreached = status.is_none() && !streamed;
        let outcome = if self.unreached { "error" } else { "truncated" };
        if on && end != End::Closes && !self.queue.is_empty() && self.plan.queue_ms > 0.0 {
            let until = self.now + self.plan.queue_ms;
            self.run.iter_mut().for_each(|run| (run.waiting, run.lost) = (true, Some((outcome, until))));
            return Ok(());
        }
        self.ends(outcome);
        self.finish()
    }

    /// A connection on which nothing came for too long is lost.
    pub(super) fn expires(&mut self) -> Held {
        let idle = self.plan.idle_ms;
        let Some(run) = &self.run else { return Ok(()) };
        if run.lost.is_some_and(|(_, until)| self.now >= until) {
            return self.end_lost();
        }
        let body = run.body_until.is_some_and(|until| run.events == 0 && self.now >= until);
        let silent = idle > 0.0 && self.now >= run.heard + idle;
        if run.waiting || run.ended.is_some() || !(body || silent) {
            return Ok(());
        }
        let line = &mut self.lines[run.line];
        line.over = true;
        let status = line.answer.head.filter(|_| line.headed).map(|(status, _)| status);
        self.due.closes = true;
        self.loses(status, if body { End::Closes } else { End::Breaks })
    }

    /// Whatever comes of a request that is over changes nothing.
    pub(super) fn late(&mut self, which: usize) -> Held {
        let over: Vec<usize> = (0..self.lines.len()).filter(|at| self.lines[*at].over).collect();
        let Some(at) = over.get(which % over.len().max(1)) else { return Ok(()) };
        let line = &self.lines[*at];
        let (request, bytes) = (line.request, line.answer.body[line.sent..].to_vec());
        self.say(|| format!("     request {request}, which is over: its rest"));
        match which % 4 {
            0 => self.give(|session, now| session.head(request, 500, "text/html", None, now))?,
            1 => self.give(|session, now| session.failed(request, "reset", now))?,
            2 => self.give(|session, now| session.end(request, now))?,
            _ => self.give(|session, now| session.bytes(request, &bytes, now))?,
        }
        self.perform()?;
        ensure!(self.effects == 0, "what came of a closed request had effects");
        Ok(())
    }
}

impl Answer {
    fn is_stream(&self) -> bool {
        self.head.is_some_and(|(_, content_type)| content_type.contains("stream") || content_type.contains("ndjson"))
    }
}
