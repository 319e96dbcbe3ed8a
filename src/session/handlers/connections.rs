//! One run over several connections: sending its request again, waiting, joining it where it is cut.

use crate::session::Session;
use crate::session::rejoin::{Budget, RejoinAnswer, Resume};
use crate::session::run::{Run, RunState};
use crate::session::types::{AgentError, Effect, ErrorKind, Outcome, RunEnd, Target};

impl Session {
    /// The page can reach the network again, or is looked at again: nothing waits any longer.
    pub fn online(&mut self, now: f64) {
        if let Some(RunState::Waiting | RunState::Lost) = self.run.as_ref().map(Run::state) {
            self.open_again(now);
        } else {
            self.tick(now);
        }
    }

    /// The server has ended the request because it does not accept the credentials.
    pub fn denied(&mut self, request: u32, reason: &str, now: f64) {
        self.note_end();
        let renews = self.options.network.renew_headers && self.can_join();
        let Some(run) = self.run.as_mut().filter(|run| run.request == Some(request)) else { return };
        if run.end().is_none() && renews && !std::mem::replace(&mut run.renewed, true) {
            return self.open_soon(now);
        }
        let outcome = if run.streamed { Outcome::Truncated } else { Outcome::Error };
        if run.end().is_none() {
            let reason = self.withheld(now).unwrap_or(reason);
            let message = format!("The server does not accept the credentials: {reason}");
            self.end_as((outcome, Some(AgentError::new(ErrorKind::Auth, &message, false))));
        }
        self.finish(now);
        self.next(now);
    }

    /// Opens the request of the run in progress.
    pub(super) fn open(&mut self, target: Target, now: f64) {
        self.rejoin.requests += 1;
        let request = self.rejoin.requests;
        let Some(run) = &mut self.run else { return };
        if run.opens(request, target).is_err() {
            return self.close_and_go_on(now);
        }
        run.heard = now;
        let per_minute = self.options.network.per_minute;
        run.budget.get_or_insert_with(|| Budget::new(per_minute, now)).spend(now);
        run.connections += 1;
        self.intake.drop_body();
        let mut body = run.request_body.clone();
        let mut cursor = None;
        self.rejoin.earlier.connect();
        if target == Target::Resume {
            cursor = self.rejoin.progress.reconnect();
            let run_id = self.verdict.run_id().unwrap_or_default();
            if let Some(with) = self.intake.dialect_mut().and_then(|dialect| dialect.rejoin(run_id)) {
                body = with.into();
            }
            run.held = None;
            let answer = self.options.network.resume.as_ref().and_then(|resume| {
                if let Some(with) = resume.body(&body, cursor.as_deref()) {
                    body = with.into();
                }
                resume.answer(cursor.as_deref())
            });
            run.joined = Some(answer.unwrap_or(RejoinAnswer::Rest));
            let threads = self.options.network.resume.as_ref().is_some_and(Resume::replays_threads);
            if (threads || self.rejoin.earlier.has_all()) && run.joined == Some(RejoinAnswer::Replay) {
                self.rejoin.earlier.tells_thread();
            }
            run.best = run.best.max(run.fresh);
            run.fresh = 0;
        }
        let run_id = self.verdict.run_id().unwrap_or_default().to_owned();
        self.outbox.push(Effect::Open { request, target, run_id, cursor, body });
        let deadline = self.deadline();
        self.outbox.wake(deadline);
        self.outbox.changed(false);
    }

    /// Opens the next connection of the run; or ends it, where the pause is over that follows on its loss.
    pub(super) fn open_again(&mut self, now: f64) {
        if self.run.as_mut().is_some_and(Run::end_lost) {
            self.finish(now);
            return self.next(now);
        }
        let Some(run) = &self.run else { return };
        let joins = run.streamed || run.target == Target::Resume;
        self.open(if joins { Target::Resume } else { Target::Again }, now);
    }

    /// Opens the next connection of the run now, or as soon as it may make one.
    fn open_soon(&mut self, now: f64) {
        let until = self.run.as_mut().and_then(|run| run.budget.as_mut()).map_or(now, |budget| budget.next(now));
        if until <= now { self.open_again(now) } else { self.wait_until(until, None, now) }
    }

    /// Nothing is asked for until then. `lost`: how the run ends then.
    pub(super) fn wait_until(&mut self, until: f64, lost: Option<RunEnd>, now: f64) {
        let Some(run) = &mut self.run else { return };
        if run.waits(until, lost).is_err() {
            return self.close_and_go_on(now);
        }
        self.intake.drop_body();
        self.outbox.wake(Some(until));
        self.outbox.changed(true);
    }

    /// Gives the connection up, but not the run.
    pub(super) fn hang_up(&mut self) {
        self.hang_up_request();
        self.intake.drop_body();
    }

    /// The same, with what has come still to be read.
    pub(super) fn hang_up_request(&mut self) {
        if let Some(request) = self.run.as_mut().and_then(|run| run.request.take()) {
            self.outbox.push(Effect::Close { request });
        }
    }

    /// The server does not accept the credentials. Asks it once more, with new ones; says whether.
    pub(super) fn renew(&mut self, status: u16, now: f64) -> bool {
        let may = status == 401 && self.options.network.renew_headers;
        let Some(run) = self.run.as_mut().filter(|run| may && !run.renewed) else { return false };
        run.renewed = true;
        self.hang_up();
        self.open_soon(now);
        true
    }

    /// The server refused. Waits for another attempt, if there may be one; says whether.
    pub(super) fn refused(&mut self, status: u16, asked: Option<f64>, now: f64) -> bool {
        let Some(run) = &mut self.run else { return false };
        let network = &self.options.network;
        let joins = run.target == Target::Resume;
        run.works = status == 409 && network.hydrates();
        // Nobody wants to wait for an hour, and nothing good comes from asking before.
        let soon = asked.is_none_or(|asked| asked <= network.max_ms);
        let repeats = network.repeats(status, joins);
        let request = run.request;
        let waits = repeats && soon && self.wait(asked.unwrap_or(0.0), now);
        if let (true, Some(request)) = (waits, request) {
            self.outbox.push(Effect::Close { request });
        }
        waits
    }

    /// The connection is lost, and the run has not ended. Waits for another one, if there may be one; says whether.
    pub(super) fn reconnect(&mut self, now: f64) -> bool {
        let Some(run) = self.run.as_ref().filter(|run| run.end().is_none()) else { return false };
        let may = match (run.state(), run.target) {
            (RunState::Connecting, Target::Run | Target::Again) => self.options.network.posts,
            _ => self.can_join(),
        };
        let waits = may && self.wait(0.0, now);
        // Nobody knows the run that was to be joined, but those before it.
        if let (false, Some(end)) = (waits, self.rejoin.earlier.take_ended()) {
            self.end_as(end);
        }
        waits
    }

    /// Whether the run can be joined where it was read to: it must have begun, or another request would begin it again.
    pub(super) fn can_join(&self) -> bool {
        let (Some(run), Some(resume)) = (&self.run, &self.options.network.resume) else { return false };
        run.target == Target::Resume || run.streamed && resume.answer(self.rejoin.progress.cursor.as_deref()).is_some()
    }

    fn wait(&mut self, at_least: f64, now: f64) -> bool {
        self.note_end();
        let network = &mut self.options.network;
        let Some(run) = self.run.as_mut().filter(|run| run.connections < network.per_run) else { return false };
        // A server that is at work is there: no attempt has failed.
        if std::mem::take(&mut run.works) {
            (run.attempt, run.waited) = (0, run.waited + 1);
        }
        if run.attempt >= network.attempts {
            return false;
        }
        run.attempt += 1;
        let retry = self.intake.body.as_ref().and_then(|body| body.retry());
        run.base = retry.map(|ms| ms as f64).or(run.base);
        let until = now + network.delay(run.attempt + run.waited, run.base).max(at_least);
        let allowed = run.budget.as_mut().map_or(now, |budget| budget.next(now));
        self.wait_until(until.max(allowed), None, now);
        true
    }

    /// The server has made a run of the request, and says where it is: `{runId}`, or nothing, if it is as we said.
    pub(super) fn go_to_stream(&mut self, now: f64) -> bool {
        let split = self.options.network.resume.as_ref().is_some_and(|resume| resume.split);
        let Some(run) = self.run.as_ref().filter(|run| split && run.target != Target::Resume) else { return false };
        let Some(body) = run.body.as_ref().filter(|body| body.is_success()) else { return false };
        if let Some(id) = body.run_id() {
            self.verdict.named(Some(id));
        }
        self.hang_up();
        self.open(Target::Resume, now);
        true
    }

    /// Counts events that were taken. New ones fill the budget at once: those with a mark, and those beyond the longest replay.
    pub(super) fn progressed(&mut self, frames: u32) {
        let Some(run) = &mut self.run else { return };
        run.events += frames as usize;
        run.streamed = true;
        run.fresh += frames as usize;
        if run.target != Target::Resume
            || if run.replays { run.fresh > run.best } else { self.rejoin.progress.opening.advanced }
        {
            run.is_new();
        }
    }

    /// A connection has ended. It has brought something new if the thread differs from how every earlier one has left it.
    fn note_end(&mut self) {
        if self.run.as_ref().is_none_or(|run| run.fresh == 0 || run.replays) || self.rejoin.progress.opening.advanced {
            return;
        }
        let json = self.thread.stands();
        if let (true, Some(run)) = (self.rejoin.progress.ends_otherwise(&json), &mut self.run) {
            run.is_new();
        }
    }

    /// How a run ends whose connection is lost for good.
    pub(super) fn lost(&self, reason: &str) -> RunEnd {
        match &self.run {
            Some(run) if !run.streamed && run.state() == RunState::Connecting => {
                let message = match run.target {
                    Target::Resume => format!("The run could not be joined: {reason}"),
                    _ => format!("The server could not be reached: {reason}"),
                };
                (Outcome::Error, Some(AgentError::new(ErrorKind::Connection, &message, true)))
            }
            _ => (Outcome::Truncated, Some(AgentError::truncated(Some(reason)))),
        }
    }
}
