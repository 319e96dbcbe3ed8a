//! The agent's life: submit, stop, retry, regenerate, one run at a time. Inputs in, effects out; no clock, no network,
//! no JavaScript. Uses `wire`, `dialect`, `guard`, `rules`, `document`, `thread`, `pipeline`.
//!
//! ```text
//!  idle ──► submit waits in the queue ──► run (its states: `run.rs`) ──► the page is at work on its calls ──► idle
//!    │                                     │                               └──► run that follows on them
//!    └──────────── attach ──────────► run ─┴── disconnect ──► left to the server ──► attach
//! ```
//!
//! A session is handlers over parts. Each part owns its state and is the only one that writes it; a handler takes one kind of
//! input, hands a part what it may use, and does what the part returns. Arrows go one way, and parts of one floor do not know
//! each other:
//!
//! ```text
//!  handlers asks, stop, attach, edits, interrupts, approvals · begin, end · network, time, connections, frames, place, events · calls · save
//!    │
//!  parts    thread · intake · run · page · replies · rejoin · verdict · queue ◄── outbox
//!    │
//!  ground   submit, options ──► settings, types
//! ```

mod handlers;
mod intake;
mod options;
mod outbox;
mod page;
mod queue;
mod rejoin;
mod replies;
mod run;
mod settings;
mod submit;
mod types;
mod verdict;

pub use options::Options;
pub use rejoin::{Network, Resume};
pub use types::{AgentError, Effect, ErrorKind, Misuse, Outcome, Reply, Target, Ticket};

use crate::dialect::Dialect;
use crate::document::{Boundary, ConnectionPhase};
use crate::thread::{Thread, ThreadLimits, Warning};
use crate::wire::{Fields, Str, Wanted, keep_private};
use intake::Intake;
use outbox::{Outbox, Outgoing, Shown};
use page::Page;
use queue::Queue;
use rejoin::{Rejoin, Report};
use replies::InterruptReplies;
use run::{Run, RunState};
use types::{list, value};
use verdict::Verdict;

/// An agent: a thread, the run in progress, and what waits for its turn.
#[derive(Debug)]
pub struct Session {
    options: Options,
    /// The conversation.
    thread: Thread,
    /// From bytes to events.
    intake: Intake,
    /// The run in progress.
    run: Option<Run>,
    /// How the agent stands, and how its last run has ended.
    verdict: Verdict,
    /// The submits that wait, and who waits for which.
    queue: Queue,
    /// The outputs: effects, notifications, patches, saves.
    outbox: Outbox,
    /// The calls that the page executes or people answer, and the runs that follow on them.
    page: Page,
    /// One run over several connections.
    rejoin: Rejoin,
    /// Answers to interrupts.
    replies: InterruptReplies,
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
            verdict: Verdict::default(),
            queue: Queue::default(),
            outbox: Outbox::default(),
            page: Page::default(),
            rejoin: Rejoin::default(),
            replies: InterruptReplies::default(),
        };
        session.thread.tags = session.options.protocol.tags();
        session.report_warnings();
        Ok(session)
    }

    /// A session over the options that the page has: [`Options::read`], and `{dialect?, dialectSettings?, guard?, decisions?}`, of
    /// which the settings and the guard's policy are JSON texts.
    pub fn with_options(options: &str, messages: Option<&str>, state: Option<&str>) -> Result<Self, Misuse> {
        let options = keep_private(options);
        let fields = Fields::read(&options, 8).ok_or(Misuse::Input("an object with the options"))?;
        let mut session = Self::new(Options::read(&fields)?, messages, state)?;
        if let Some(name) = fields.text("dialect") {
            let dialect = crate::dialect::named(&name, &fields.text("dialectSettings").unwrap_or_default());
            session.intake.dialect = Some(dialect.ok_or_else(|| Misuse::Dialect(name.into_owned()))?);
        }
        if let Some(policy) = fields.text("guard").filter(|_| cfg!(feature = "guard")) {
            handlers::guard::keep_policy(&mut session, &policy, fields.yes("decisions"))?;
        }
        Ok(session)
    }

    /// The same, with a server that speaks a dialect.
    pub fn speaking(mut self, dialect: Option<Box<dyn Dialect>>) -> Self {
        self.intake.dialect = dialect;
        self
    }

    /// The next thing to do. To be called until it is `None`, after every input.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        match self.outbox.next(&self.options) {
            Outgoing::Effect(effect) => return Some(effect),
            // A session that was disposed of has nothing left to be saved: that was taken before.
            Outgoing::Save(number) if !self.verdict.disposed => {
                let (save, part) = self.next_save(false);
                self.outbox.saving.written(save.len(), part);
                return Some(Effect::Save { number, save, part });
            }
            Outgoing::Save(_) | Outgoing::Nothing => {}
        }
        debug_assert!(self.verdict.disposed || self.holds_every_ticket(), "{:?}", self.queue);
        None
    }

    /// Whether [`Session::poll_effect`] has something to give.
    pub fn has_effects(&self) -> bool {
        self.outbox.has_next(&self.options)
    }

    /// Whether each open ticket is held by exactly one thing that will settle it. Tests check this after every input.
    fn holds_every_ticket(&self) -> bool {
        let run = self.run.as_ref().map(|run| run.ticket);
        // A run's turn has its ticket, too.
        let turn = self.page.turn.ticket.filter(|ticket| run != Some(*ticket));
        self.queue.holds_every_ticket([run, turn].into_iter().flatten(), self.replies.len())
    }

    /// The save of this number was written, or need not be waited for any longer.
    pub fn saved(&mut self, number: u32, now: f64) {
        self.outbox.set_clock(now);
        for request in self.outbox.saving.saved(number) {
            // Until now the connection was not idle, but not there yet.
            if let Some(run) = self.run.as_mut().filter(|run| run.request == Some(request)) {
                run.heard = now;
                self.watch();
            }
        }
    }

    /// The patch that brings the snapshot up to date; `None` if it is. A longer one than `bytes` comes in parts, of which the last says that nothing is open: to be asked for one after the other.
    pub fn take_patch(&mut self, bytes: usize) -> Option<String> {
        let (outbox, mut shown) = self.shown();
        outbox.notified = None;
        outbox.mirror.take_patch(&mut shown, bytes)
    }

    fn shown(&mut self) -> (&mut Outbox, Shown<'_>) {
        let phase = self.connection();
        self.outbox.mirror.connect(phase, self.run.as_ref(), &self.rejoin.last_event_id);
        let Self { outbox, thread, verdict, queue, .. } = self;
        (outbox, Shown { thread, verdict, queue })
    }

    /// The snapshot is to be kept as it is now, where a boundary is that a replay tells of again.
    fn checkpoint_once(&mut self, boundary: Boundary, step: Option<Str<'_>>, now: f64) {
        if self.rejoin.is_new(Report::Checkpoint(boundary)) {
            self.checkpoint(boundary, step, now);
        }
    }

    /// The snapshot is to be kept as it is now.
    fn checkpoint(&mut self, boundary: Boundary, step: Option<Str<'_>>, now: f64) {
        let Options { max_history, max_frame_bytes, .. } = self.options;
        if max_history > 0 {
            let (outbox, mut shown) = self.shown();
            if outbox.mirror.checkpoint(boundary, step, &mut shown, max_frame_bytes, now) {
                let message = "too much has changed since the last notification: its later checkpoints are left out";
                outbox.warn(Warning::new("history-too-large", message));
            }
        }
    }

    /// The events that are reported as they came ([`Effect::Event`]).
    pub fn report_events(&mut self, wanted: Wanted) {
        self.options.events = wanted;
        self.intake.pipeline.coalesces = false;
    }

    #[inline(never)]
    fn alive(&self) -> Result<(), Misuse> {
        if self.verdict.disposed { Err(Misuse::Disposed) } else { Ok(()) }
    }

    fn connection(&self) -> ConnectionPhase {
        let Some(run) = &self.run else { return ConnectionPhase::Closed };
        match run.state() {
            RunState::Lost => ConnectionPhase::Closed,
            RunState::Waiting => ConnectionPhase::Reconnecting,
            RunState::Connecting if run.attempt > 0 => ConnectionPhase::Reconnecting,
            RunState::Connecting => ConnectionPhase::Connecting,
            _ => ConnectionPhase::Open,
        }
    }

    /// Reports what the thread found odd in something that the application gave.
    fn report_warnings(&mut self) {
        std::mem::take(&mut self.thread.warnings).into_iter().for_each(|warning| self.outbox.warn(warning));
    }
}
