//! The agent's life: submit, stop, retry, regenerate, one run at a time. Inputs in, effects out; no clock, no network,
//! no JavaScript. Uses `wire`, `dialect`, `guard`, `rules`, `thread`.
//!
//! ```text
//!         submit                  head 2xx                 RUN_FINISHED, RUN_ERROR
//!  idle ─────────► connecting ──────────────► streaming ────────────────────────────► draining
//!   ▲                │    │ head other              │  ▲                                │    │
//!   │                │    └────────► refused        │  └────────── RUN_STARTED ─────────┘    │
//!   │                │ failed          │ end        │ end, failed: truncated                 │ end, grace over
//!   └────────────────┴─────────────────┴────────────┴────────────────────────────────────────┘
//!     stop() leads from everywhere to idle; then the next submit of the queue begins
//!     a connection that is lost leads to waiting and back to connecting, where that is possible: `reconnect.rs`
//! ```

mod approve;
mod budget;
mod earlier;
mod event;
mod given;
#[cfg(feature = "guard")]
mod guarded;
mod input;
mod intake;
mod interrupts;
mod join;
mod once;
mod options;
mod outbox;
mod page_calls;
mod partial;
mod queue;
mod reconnect;
mod run;
mod save;
mod spoken;
mod submit;
mod tools;
mod verdict;
mod words;

pub use options::Options;
pub use reconnect::{Network, Resume};
pub use words::{AgentError, Effect, ErrorKind, Misuse, Outcome, Target, Ticket};

use crate::dialect::{Begun, Dialect};
use crate::thread::{Ending, Index, Thread, ThreadLimits, Warning};
use crate::wire::{JsonWriter, Raw, RunAgentInput, Str, keep_private, write_json};
use earlier::Earlier;
use intake::Intake;
use outbox::{Boundary, Connection, Next, Outbox, Shown};
use page_calls::Untold;
use partial::Partials;
use queue::Queue;
use reconnect::Progress;
use run::{Phase, Run};
use submit::{IfAwaiting, IfBusy, Start, Submit};
use tools::Turn;
use verdict::Verdict;

/// An agent: a thread, the run in progress, and what waits for its turn.
#[derive(Debug)]
pub struct Session {
    options: Options,
    thread: Thread,
    intake: Intake,
    run: Option<Run>,
    /// The run with those that follow on its calls.
    turn: Option<Turn>,
    /// Answers to interrupts, while others wait for theirs.
    partial: Partials,
    /// Calls that the page was given: each once.
    handled: Index,
    queue: Queue,
    outbox: Outbox,
    requests: u32,
    verdict: Verdict,
    last_event_id: String,
    progress: Progress,
    earlier: Earlier,
    /// The last run was left to the server: nothing of it is closed.
    left: bool,
    /// Answers of the page to calls that a replay has yet to tell of.
    untold: Untold,
    /// The answers that the last run was sent with, until it has ended well.
    resumed: Option<String>,
    disposed: bool,
}

impl Session {
    /// A session over the messages (JSON array) and the state (any JSON) that the application has.
    pub fn new(options: Options, messages: Option<&str>, state: Option<&str>) -> Result<Self, Misuse> {
        let depth = options.max_depth;
        let limits = ThreadLimits { depth, state_bytes: options.max_state_bytes };
        let (messages, state) = (messages.map(keep_private), state.map(keep_private));
        let messages = messages.as_deref().map(|json| list(json, depth)).transpose()?;
        let state = state.as_deref().map(|json| value(json, depth)).transpose()?;
        let mut session = Self {
            thread: Thread::new(limits, messages, state),
            options,
            intake: Intake::default(),
            run: None,
            turn: None,
            partial: Partials::default(),
            handled: Index::new(),
            queue: Queue::default(),
            outbox: Outbox::default(),
            requests: 0,
            verdict: Verdict::default(),
            last_event_id: String::new(),
            progress: Progress::default(),
            earlier: Earlier::default(),
            left: false,
            untold: Untold::default(),
            resumed: None,
            disposed: false,
        };
        if !session.options.protocol.tags() {
            session.thread.ignore_tags();
        }
        session.report_warnings();
        Ok(session)
    }

    /// The same, with a server that speaks a dialect.
    pub fn speaking(mut self, dialect: Option<Box<dyn Dialect>>) -> Self {
        self.intake.set_dialect(dialect);
        self
    }

    /// The next thing to do. To be called until it is `None`, after every input.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        match self.outbox.next(&self.options) {
            Next::Effect(effect) => return Some(effect),
            // A session that was disposed of has nothing left to be saved: that was taken before.
            Next::Save { number, holds } if !self.disposed => {
                return Some(Effect::Save { number, save: self.save(), holds });
            }
            Next::Save { .. } | Next::Nothing => {}
        }
        debug_assert!(self.disposed || self.holds_every_ticket(), "{:?}", self.queue);
        None
    }

    /// Whether each open ticket is held by exactly one thing that will settle it. Tests check this after every input.
    fn holds_every_ticket(&self) -> bool {
        let run = self.run.as_ref().map(|run| run.ticket);
        // A run's turn has its ticket, too.
        let turn = self.turn.as_ref().and_then(Turn::ticket).filter(|ticket| run != Some(*ticket));
        self.queue.holds_every_ticket([run, turn].into_iter().flatten(), self.partial.len())
    }

    /// The save of this number was written, or need not be waited for any longer.
    pub fn saved(&mut self, number: u32, now: f64) {
        for request in self.outbox.saved(number) {
            // Until now the connection was not idle, but not there yet.
            if let Some(run) = self.run.as_mut().filter(|run| run.request == request) {
                run.heard = now;
                self.watch();
            }
        }
    }

    /// The patch that brings the snapshot up to date; `None` if it is.
    pub fn take_patch(&mut self) -> Option<String> {
        let max_history = self.options.max_history;
        let (outbox, mut shown) = self.shown();
        outbox.take_patch(&mut shown, max_history)
    }

    /// The same, a long one in parts, of which the last says that nothing is open: to be asked for one after the other.
    pub fn take_part(&mut self) -> Option<String> {
        let max_history = self.options.max_history;
        let (outbox, mut shown) = self.shown();
        outbox.take_part(&mut shown, max_history)
    }

    fn shown(&mut self) -> (&mut Outbox, Shown<'_>) {
        let retry_at = match self.run.as_ref().map(|run| run.phase) {
            Some(Phase::Waiting { until }) => Some(until),
            _ => None,
        };
        let connection = Connection {
            phase: self.connection(),
            attempt: self.run.as_ref().map_or(0, |run| run.attempt),
            retry_at,
            last_event_id: &self.last_event_id,
        };
        let Self { outbox, thread, verdict, queue, .. } = self;
        (outbox, Shown { thread, verdict, queue, connection })
    }

    /// The snapshot is to be kept as it is now, where a boundary is that a replay tells of again.
    fn checkpoint_once(&mut self, boundary: Boundary, step: Option<Str<'_>>, now: f64) {
        if self.progress.told.tell(boundary.name()) {
            self.checkpoint(boundary, step, now);
        }
    }

    /// The snapshot is to be kept as it is now.
    fn checkpoint(&mut self, boundary: Boundary, step: Option<Str<'_>>, now: f64) {
        let Options { max_history, max_frame_bytes, .. } = self.options;
        if max_history > 0 {
            let (outbox, mut shown) = self.shown();
            outbox.checkpoint(boundary, step, &mut shown, max_frame_bytes, now);
        }
    }

    /// Whether every event is reported as it came ([`Effect::Event`]).
    pub fn report_events(&mut self, on: bool) {
        self.options.events = on;
        self.intake.set_coalesces(false);
    }

    /// Asks for a run with new messages. `json`: `{messages, state?, resume?, tools?, context?, forwardedProps?, runId,
    /// ifBusy?, ifAwaiting?, unasked?}`. `unasked`: events have come over a connection that is kept open, and the run is theirs:
    /// nothing is sent; `"continues"`: they continue the last answer.
    pub fn submit(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.ask(json, Start::Submit, now)
    }

    /// Runs the thread again, without what a failed or stopped run left unfinished. `json` as for [`Self::submit`],
    /// and `newMessageId?`: the id that the last user message takes, for servers that keep the thread by ids.
    pub fn retry(&mut self, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.ask(json, Start::Retry, now)
    }

    /// Cuts the thread after the user message that led to an assistant message (default: the last), and runs it again.
    /// `json` as for [`Self::retry`].
    pub fn regenerate(&mut self, message_id: Option<&str>, json: &str, now: f64) -> Result<Ticket, Misuse> {
        self.ask(json, Start::Regenerate(message_id.map(Into::into)), now)
    }

    fn ask(&mut self, json: &str, start: Start, now: f64) -> Result<Ticket, Misuse> {
        self.alive()?;
        let (mut submit, if_busy) = Submit::read(&keep_private(json), self.options.max_depth, start)?;
        // A run that has ended, but for the end of its body, keeps nobody waiting; who waited before goes first.
        let over = self.run.as_ref().is_none_or(|run| run.ended.is_some());
        if over && !self.any_in_line(now) || if_busy == IfBusy::Replace {
            self.admit(&submit, now)?;
        }
        if over {
            self.close(now);
            // A submit ends what was left, also for those that wait.
            if self.any_in_line(now) {
                self.end_left(now);
            }
            self.next(now);
        }
        let busy = self.run.is_some() || self.is_working();
        if busy && if_busy == IfBusy::Reject {
            return Err(Misuse::Busy);
        }
        let awaiting = !busy && self.awaits_people();
        if awaiting && submit.if_awaiting == IfAwaiting::Reject {
            return Err(Misuse::Awaiting);
        }
        let waits = busy && if_busy == IfBusy::Queue || awaiting && submit.if_awaiting == IfAwaiting::Wait;
        if waits && self.queue.len() >= self.options.max_queue {
            return Err(Misuse::QueueFull);
        }
        if let (Start::Regenerate(id), false) = (&submit.start, busy)
            && !self.thread.can_rewind(id.as_deref())
        {
            return Err(Misuse::NothingToRegenerate);
        }
        if submit.replaces.as_deref().is_some_and(|id| !busy && !self.thread.has_user_message(id)) {
            return Err(Misuse::NothingToReplace);
        }
        let ticket = self.queue.give();
        submit.ticket = ticket;
        if !submit.unknown.is_empty() {
            let message = format!("left out of the request: {}", std::mem::take(&mut submit.unknown).join(", "));
            let warning = Warning { rule: Some("A4"), ..Warning::new("property-unknown", message) };
            self.outbox.warn(warning);
        }
        match if_busy {
            IfBusy::Drop if busy => self.settle(ticket, &submit.run_id, Outcome::Dropped, None, None),
            IfBusy::Replace if busy => {
                self.queue.push_front(submit);
                self.stop(now);
            }
            _ => self.queue.push(submit),
        }
        self.end_left(now);
        self.next(now);
        self.outbox.ask_for_save();
        self.outbox.changed(true);
        Ok(ticket)
    }

    /// Ends the run in progress. The partial answer stays; the next submit of the queue begins.
    pub fn stop(&mut self, now: f64) {
        self.halt(true, now);
    }

    /// `tells`: the server is told, too.
    fn halt(&mut self, tells: bool, now: f64) {
        let goes_on = self.goes_on(Outcome::Success);
        if let Some(run) = &mut self.run {
            let on = run.ended.is_none();
            if goes_on {
                run.ended = Some((Outcome::Aborted, None));
            }
            run.ended.get_or_insert((Outcome::Aborted, None));
            let run_id = self.verdict.run_id().filter(|_| on && tells).map(String::from);
            self.close(now);
            run_id.into_iter().for_each(|run_id| self.outbox.push(Effect::StopRemote { run_id }));
        } else if self.is_working() {
            self.stop_working(now);
        } else {
            return;
        }
        self.next(now);
    }

    /// Takes one submit back: out of the queue, or as [`Self::stop`] if its run is in progress.
    pub fn cancel(&mut self, ticket: Ticket, now: f64) {
        let working = self.turn.as_ref().is_some_and(|turn| turn.is(ticket)) && self.is_working();
        if working || self.run.as_ref().is_some_and(|run| run.ticket == ticket) {
            self.stop(now);
        } else if let Some(submit) = self.queue.take(ticket) {
            self.settle(ticket, &submit.run_id, Outcome::Aborted, None, None);
            self.outbox.changed(true);
        }
    }

    /// Changes a submit that waits (`json` as for [`Self::submit`]): members that `json` lacks stay, and a retry stays a
    /// retry, a regenerate a regenerate. False if it waits no more.
    pub fn edit_queued(&mut self, ticket: Ticket, json: &str) -> Result<bool, Misuse> {
        self.alive()?;
        let json = keep_private(json);
        let (edited, _) = Submit::read(&json, self.options.max_depth, Start::Submit)?;
        if !self.queue.edit(ticket, &json, edited) {
            return Ok(false);
        }
        self.outbox.ask_for_save();
        self.outbox.changed(true);
        Ok(true)
    }

    /// Replaces all messages (JSON array).
    pub fn set_messages(&mut self, json: &str) -> Result<(), Misuse> {
        self.change_messages(None, json)
    }

    /// Does what the application has done to the messages `before` (JSON array, as the page shows them), which has made `after`
    /// of them: a JSON array of messages, and of numbers of those in `before` that it has left as they were. Of these `before`
    /// may have `id`, `role` and `toolCallId` alone. What has come since stays.
    pub fn edit_messages(&mut self, before: &str, after: &str) -> Result<(), Misuse> {
        self.change_messages(Some(before), after)
    }

    fn change_messages(&mut self, before: Option<&str>, after: &str) -> Result<(), Misuse> {
        self.alive()?;
        let (before, after) = (before.map(keep_private), keep_private(after));
        let depth = self.options.max_depth;
        let before = before.as_deref().map(|json| list(json, depth)).transpose()?;
        let edited = self.thread.edit_messages(before, list(&after, depth)?);
        if let Some(checkpoint) = &mut self.progress.checkpoint {
            checkpoint.keep(edited);
        }
        self.review_calls();
        self.report_warnings();
        self.outbox.changed(true);
        Ok(())
    }

    /// Replaces the state (any JSON).
    pub fn set_state(&mut self, json: &str) -> Result<(), Misuse> {
        self.change_state(None, json)
    }

    /// Does what the application has done to the state `before`, which has made `after` of it. Members of objects that both
    /// lack are not its. What has come since stays, unless it has changed that itself.
    pub fn edit_state(&mut self, before: &str, after: &str) -> Result<(), Misuse> {
        self.change_state(Some(before), after)
    }

    fn change_state(&mut self, before: Option<&str>, after: &str) -> Result<(), Misuse> {
        self.alive()?;
        let (before, after) = (before.map(keep_private), keep_private(after));
        let depth = self.options.max_depth;
        let before = before.as_deref().map(|json| value(json, depth)).transpose()?;
        // A run that was left may be joined, and continue the state that it knows.
        let running = self.run.is_some() || self.left;
        self.thread.edit_state(before, value(&after, depth)?, running);
        self.outbox.changed(true);
        Ok(())
    }

    /// Stops, forgets the queue, the messages, the state and the error. The thread id stays.
    pub fn reset(&mut self, now: f64) -> Result<(), Misuse> {
        self.alive()?;
        self.abandon(true, now);
        self.abandon_turn();
        self.handled.clear();
        self.untold = Untold::default();
        self.left = false;
        self.progress = Progress::default();
        self.earlier = Earlier::default();
        self.earlier.set_old();
        self.thread.clear();
        self.verdict = Verdict::default();
        self.last_event_id.clear();
        self.resumed = None;
        self.outbox.ask_for_save();
        self.outbox.changed(true);
        Ok(())
    }

    /// Hangs up, and settles everything that waits as aborted. Every later call is a [`Misuse::Disposed`]. The server is not
    /// told: who closes a page has not said that the run is to end.
    pub fn dispose(&mut self, now: f64) {
        self.abandon(false, now);
        // Nothing holds them: whoever waits is told all the same.
        while let Some(ticket) = self.queue.first_open() {
            debug_assert!(false, "ticket {ticket} was lost");
            self.settle(ticket, "", Outcome::Aborted, None, None);
        }
        self.disposed = true;
    }

    fn abandon(&mut self, tells: bool, now: f64) {
        for submit in self.queue.take_all() {
            self.settle(submit.ticket, &submit.run_id, Outcome::Aborted, None, None);
            self.outbox.changed(true);
        }
        self.drop_answers(Outcome::Aborted);
        self.halt(tells, now);
        self.abandon_turn();
    }

    #[inline(never)]
    fn alive(&self) -> Result<(), Misuse> {
        if self.disposed { Err(Misuse::Disposed) } else { Ok(()) }
    }

    fn connection(&self) -> &'static str {
        match self.run.as_ref().map(|run| run.phase) {
            None => "closed",
            Some(Phase::Waiting { .. }) => "reconnecting",
            Some(Phase::Connecting) if self.run.as_ref().is_some_and(|run| run.attempt > 0) => "reconnecting",
            Some(Phase::Connecting) => "connecting",
            Some(_) => "open",
        }
    }

    /// Begins the next run, if none is in progress and one may begin.
    fn next(&mut self, now: f64) {
        // The thread of a run that was left is not free.
        while self.run.is_none() && !self.is_working() && !self.left {
            let Some(submit) = self.next_in_line(now) else { return };
            self.begin(submit, now);
        }
    }

    fn begin(&mut self, submit: Submit, now: f64) {
        let depth = self.options.max_depth;
        let joins = submit.start == Start::Attach;
        let speaks = submit.speaks();
        let continues = submit.start == Start::Unasked { continues: true };
        // It has left the queue.
        self.outbox.ask_for_save();
        let same = self.verdict.is_of(&submit.run_id);
        let follows = self.turn.as_ref().is_some_and(|turn| turn.is_followed_by(&submit));
        match &mut self.turn {
            Some(_) if follows => {}
            Some(turn) if joins && same => {
                if let Some(waiting) = turn.join(submit.ticket) {
                    self.queue.join(waiting, submit.ticket);
                }
            }
            // Nobody has continued without an answer.
            Some(turn) if !joins && !speaks && turn.waits() => {}
            _ => {
                self.leave_turn(&submit.start);
                self.turn = Some(Turn::new(&submit));
            }
        }
        if speaks {
            self.resumed = self.answers(&submit);
            self.drop_answers(Outcome::Dropped);
        }
        if !joins {
            self.end_left(now);
            self.progress = Progress::default();
            self.earlier.begin(None);
            self.earlier.set_alone(self.thread.last_id().is_none());
            // A result whose call was taken away may be asked for by the run that follows, and by no other.
            if !follows {
                self.untold = Untold::default();
            }
        }
        match &submit.start {
            Start::Submit | Start::Attach | Start::Unasked { .. } => {}
            Start::Retry => self.thread.drop_unfinished(),
            Start::Regenerate(id) => {
                self.thread.rewind(id.as_deref());
            }
        }
        if let Some(id) = &submit.new_message_id {
            self.thread.rename_question(id);
        }
        if let Some(id) = &submit.replaces {
            self.thread.cut_before(id);
        }
        if let Ok(messages) = list(&submit.messages, depth) {
            self.thread.add_messages(messages);
        }
        if let Some(Ok(state)) = submit.state.as_deref().map(|json| value(json, depth)) {
            self.thread.merge_state(state);
        }
        if !joins {
            self.progress.behind = self.thread.last_id().map(Into::into);
        }
        self.report_warnings();
        let protocol = self.options.protocol;
        let mut left_out = 0;
        let input = RunAgentInput {
            protocol,
            thread_id: &self.options.thread_id,
            run_id: &submit.run_id,
            state: self.thread.state(),
            messages: |list: &mut JsonWriter<'_>| left_out = self.thread.write_outgoing(list, protocol),
            tools: &submit.tools,
            context: &submit.context,
            forwarded_props: &submit.forwarded_props,
            resume: self.resumed.as_deref(),
        };
        let body = input.write();
        // Who joins a run tells it nothing.
        if speaks {
            self.thread.sent();
        }
        if left_out > 0 {
            let message = format!("{left_out} content parts that the server does not know are left out of the request");
            let warning = Warning { rule: Some("A4"), ..Warning::new("part-not-sent", message) };
            self.outbox.warn(warning);
        }
        self.outbox.begin_run();
        self.verdict.begun(submit.run_id, now);
        if !std::mem::take(&mut self.left) {
            self.intake.start_over();
        }
        if self.progress.checkpoint.is_none() && self.options.network.resume.as_ref().is_some_and(Resume::replays) {
            self.progress.checkpoint = Some(self.thread.checkpoint());
            // A thread in which nobody has asked anything has seen no run.
            self.earlier.set_lacks(joins && !self.thread.has_turn());
        }
        let mut body = self.begin_dialect(&body, joins, continues).unwrap_or(body);
        if !joins && !speaks {
            body.clear();
        }
        if !joins {
            self.intake.gate().begin();
        }
        #[cfg(feature = "guard")]
        let refused = self.refuses(&body, now);
        self.run = Some(Run::new(submit.ticket, body.into()));
        #[cfg(feature = "guard")]
        if let (Some(error), Some(run)) = (refused, &mut self.run) {
            run.ended = Some((Outcome::Error, Some(error)));
            return self.finish(now);
        }
        self.open(if joins { Target::Resume } else { Target::Run }, now);
        if !joins {
            self.checkpoint(Boundary::RunStarted, None, now);
        }
        self.outbox.changed(true);
    }

    /// What a request asks for with `Accept`, where the dialect says that; `given`: what the application has set.
    pub fn accept(&mut self, given: Option<&str>) -> Option<String> {
        let (accept, contradicts) = self.intake.accept(given)?;
        if contradicts {
            let message =
                "the Accept header that the application sets asks for another form than the dialect's settings";
            self.outbox.warn(Warning::new("accept-contradicts", message));
        }
        Some(accept)
    }

    /// Tells the dialect, where there is one, of a run; the body that it would send.
    fn begin_dialect(&mut self, input: &str, joins: bool, continues: bool) -> Option<String> {
        let run_id = self.verdict.run_id().unwrap_or_default();
        let cursor = &self.last_event_id;
        self.intake.begin(&Begun { thread_id: &self.options.thread_id, run_id, joins, continues, cursor });
        self.intake.body(input)
    }

    /// Tells the dialect, where there is one, that a run is told from its beginning.
    fn begin_dialect_again(&mut self) {
        let run_id = self.verdict.run_id().unwrap_or_default();
        let thread_id = &self.options.thread_id;
        self.intake.begin(&Begun { thread_id, run_id, joins: false, continues: false, cursor: "" });
    }

    /// Ends the run in progress before its body has ended.
    fn close(&mut self, now: f64) {
        if let Some(run) = &self.run {
            if run.request != 0 {
                self.outbox.push(Effect::Close { request: run.request });
            }
            self.finish(now);
        }
    }

    /// Publishes how the run ended, and settles its submit.
    fn finish(&mut self, now: f64) {
        let Some(mut run) = self.run.take() else { return };
        self.intake.drop_body();
        self.progress.restored = false;
        self.outbox.wake(None);
        let (outcome, error) =
            run.ended.take().unwrap_or_else(|| (Outcome::Truncated, Some(AgentError::truncated(None))));
        self.conclude(outcome, error.clone(), &run.pending_calls, now);
        if !matches!(run.phase, Phase::Draining { .. }) {
            self.checkpoint(Boundary::RunFinished, None, now);
        }
        run.outcome = outcome;
        self.outbox.changed(true);
        if matches!(outcome, Outcome::Success | Outcome::Interrupted) {
            return self.run_is_over(run, now);
        }
        let run_id = self.verdict.run_name();
        self.settle(run.ticket, &run_id, outcome, error.as_ref(), Some(&run));
    }

    /// Nothing grows, and the snapshot says how it ended.
    fn conclude(&mut self, outcome: Outcome, error: Option<AgentError>, pending: &[String], now: f64) {
        let ending = match outcome {
            Outcome::Success | Outcome::Interrupted | Outcome::Cancelled => Ending::Complete,
            Outcome::Aborted | Outcome::Dropped | Outcome::Disconnected => Ending::Aborted,
            Outcome::Error | Outcome::Truncated => Ending::Error,
        };
        let turn = self.turn.as_ref();
        self.thread.end_run(ending, pending, &|id| Self::is_page_call(turn, id), now);
        let goes_on = self.goes_on(outcome);
        if ending != Ending::Complete {
            self.abandon_turn();
        }
        if ending == Ending::Complete {
            self.resumed = None;
        }
        self.verdict.ended(outcome, error, goes_on, now);
    }

    fn settle(
        &mut self,
        ticket: Ticket,
        run_id: &str,
        outcome: Outcome,
        error: Option<&AgentError>,
        run: Option<&Run>,
    ) {
        let mut json = String::new();
        let mut object = JsonWriter::object(&mut json);
        object.string("runId", run_id).string("outcome", outcome.name());
        if let Some(error) = error {
            error.write(object.member("error"));
        }
        if let Some(result) = run.and_then(|run| run.result.as_deref()) {
            write_json(object.member("result"), result);
        }
        if let Some(run) = run.filter(|run| outcome == Outcome::Success && !run.unanswered.is_empty()) {
            object.strings("pendingToolCallIds", run.unanswered.iter().map(String::as_str));
        }
        object.close();
        self.outbox.ask_for_save();
        for ticket in self.queue.settle(ticket) {
            self.outbox.push(Effect::Settled { ticket, result: json.clone() });
        }
    }

    /// Reports what the thread found odd in something that the application gave.
    fn report_warnings(&mut self) {
        self.outbox.warn_all(self.thread.take_warnings());
    }

    /// Reports a warning about the stream, unless an earlier telling of the run has led to it.
    fn report_warning(&mut self, warning: Warning) {
        if self.progress.told.tell(warning.code) {
            self.outbox.warn(warning);
        }
    }
}

fn list(json: &str, depth: usize) -> Result<Raw<'_>, Misuse> {
    let expected = Misuse::Input("a JSON array of messages");
    Raw::parse(json, depth).ok().filter(|raw| raw.text().starts_with('[')).ok_or(expected)
}

fn value(json: &str, depth: usize) -> Result<Raw<'_>, Misuse> {
    Raw::parse(json, depth).map_err(|_| Misuse::Input("JSON"))
}
