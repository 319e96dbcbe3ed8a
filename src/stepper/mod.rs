//! A stream of events, taken one at a time: the caller decides whether an event counts. Bytes or events in, the events
//! that the caller asked for and a patch out; no request, no queue, no clock. Uses `wire`, `rules`, `thread`,
//! `pipeline`, and the errors of `session`.
//!
//! ```text
//!  bytes ─► frames ─┬─ a plain delta that nobody asked for ───────────────────────────────┐
//!                   ▼                                                                      ▼
//!  event ─► THINKING_*, grammar ─► chunks ─► order ─┬─ nobody asked for it ──────────► thread ─► patch
//!                                                   │                                      ▲
//!                                                   └─► waiting ─► next() ─► settle(true) ─┘
//!                                                                       └──► settle(false): left out
//! ```
//!
//! Events count in the order in which they came: an event after one that waits, waits too. A caller that gets the events
//! of one stepper, changes them, and gives them to another stops the first one at an earlier stage ([`StepperStage`]).

mod report;
mod settings;
mod waiting;

pub use settings::{Settings, StepperStage};

use crate::pipeline::{EventSink, Pipeline, Source, StreamRules};
use crate::rules::Violation;
use crate::session::{AgentError, Options};
use crate::thread::{Patch, Thread, ThreadLimits, Warning};
use crate::wire::{
    BadBody, Delta, Event, Fields, Format, Frame, Framer, Incoming, JsonWriter, Raw, Tree, Undecodable, Wanted,
    frame_fields, frame_type, keep_private,
};
use waiting::{Waiting, WaitingEvent};

/// One run's stream over a thread.
#[derive(Debug, Default)]
pub struct Stepper {
    settings: Settings,
    thread: Thread,
    pipeline: Pipeline,
    framer: Option<Box<Framer>>,
    wanted: Wanted,
    waiting: Waiting,
    /// Events that came, of any type.
    events: u32,
    warnings: Vec<Warning>,
    /// Warnings that were reported or left out.
    warned: usize,
    failure: Option<AgentError>,
}

impl Stepper {
    /// A stepper over the messages (JSON array) and the state (any JSON) that the application has. `None` where one of the
    /// two is something else.
    pub fn new(settings: Settings, messages: &str, state: &str) -> Option<Self> {
        let limits = ThreadLimits { depth: settings.options.max_depth, state_bytes: settings.options.max_state_bytes };
        let thread = Thread::new(limits, None, None);
        let mut stepper = Self { thread, waiting: Waiting::new(settings.join), settings, ..Self::default() };
        stepper.thread.local_order = true;
        stepper.thread.tags = stepper.settings.options.protocol.tags();
        (stepper.set_messages(messages) && stepper.set_state(state)).then_some(stepper)
    }

    /// The same, over settings as JSON text: see [`Settings::read`].
    #[inline(never)]
    pub fn with_settings(settings: &str, messages: &str, state: &str) -> Option<Self> {
        Self::new(Settings::read(settings)?, messages, state)
    }

    /// The events that [`Self::next`] returns: their types with commas between them, or `*` for all.
    pub fn want(&mut self, types: &str) {
        self.wanted = Wanted::read(types);
        self.pipeline.coalesces = false;
    }

    /// A body begins.
    pub fn open(&mut self, content_type: &str) {
        let Options { max_frame_bytes, max_depth, .. } = self.settings.options;
        self.framer = Some(Box::new(Framer::new(Format::of(content_type, true), max_frame_bytes, max_depth)));
        self.pipeline.coalesces = false;
    }

    /// Bytes of the body have come.
    pub fn feed(&mut self, bytes: &[u8], now: f64) {
        let Some(mut framer) = self.framer.take() else { return };
        let read = framer.feed(bytes, self.pipeline.coalesces, &mut |frame| self.take(frame, now));
        self.framer = Some(framer);
        self.after_reading(read);
    }

    /// The body has ended.
    pub fn finish(&mut self, now: f64) {
        let Some(mut framer) = self.framer.take() else { return };
        let read = framer.finish(&mut |frame| self.take(frame, now));
        self.after_reading(read);
    }

    /// One event, as JSON text.
    pub fn push(&mut self, json: &str, now: f64) {
        if self.failure.is_some() {
            return;
        }
        let json = keep_private(json);
        if let Err(error) = self.event(&json, true, now) {
            self.violation(error);
        }
        self.note_thread();
    }

    /// The next event that was asked for, as JSON text; empty, where it is the one that was pushed, as it was pushed. It
    /// counts once it is settled. Of events that were not asked for, those before it count now.
    pub fn next(&mut self, now: f64) -> Option<String> {
        loop {
            let step = self.waiting.first()?;
            if step.wanted {
                return Some(step.shown());
            }
            self.settle(true, now);
        }
    }

    /// The event that [`Self::next`] returned counts now, or is left out.
    pub fn settle(&mut self, counts: bool, now: f64) {
        let Some(step) = self.waiting.take() else { return };
        if counts {
            self.count(step.json(), now);
        }
    }

    /// The calls that the run has started and not answered: a JSON array of their ids.
    pub fn unanswered(&self) -> String {
        JsonWriter::array_text(|list| {
            for id in self.thread.report.unanswered() {
                crate::wire::write_string(list.item(), &id);
            }
        })
    }

    /// Replaces all messages (JSON array). False, and nothing happens, where it is something else.
    pub fn set_messages(&mut self, json: &str) -> bool {
        let json = keep_private(json);
        let list = Raw::parse(&json, self.settings.options.max_depth).ok().filter(|raw| raw.text().starts_with('['));
        list.map(|list| self.thread.set_messages(list)).is_some_and(|()| self.replaced(json.len()))
    }

    /// Replaces the state (any JSON). False, and nothing happens, where it is something else.
    pub fn set_state(&mut self, json: &str) -> bool {
        let json = keep_private(json);
        let state = Raw::parse(&json, self.settings.options.max_depth).ok();
        state.map(|state| self.thread.state.replace(Tree::read(state))).is_some_and(|()| self.replaced(json.len()))
    }

    /// The application has set something; what the stream may bring is measured from there.
    fn replaced(&mut self, bytes: usize) -> bool {
        self.pipeline.coalesces = false;
        self.pipeline.weighs(bytes);
        self.note_thread();
        true
    }

    /// The patch that brings the snapshot of `js/snapshot/mirror.ts` up to date; `None` if it is.
    pub fn take_patch(&mut self) -> Option<String> {
        let mut patch = Patch::default();
        self.thread.write_patch(&mut patch);
        patch.finish()
    }

    /// How many events came, of any type.
    pub fn events(&self) -> u32 {
        self.events
    }

    /// An event that has waited counts.
    fn count(&mut self, json: String, now: f64) {
        if let Ok(fields) = frame_fields(&json, self.settings.options.max_depth)
            && let Ok(mut incoming) = Incoming::read(&fields, &mut |_| {})
        {
            if !self.settings.options.protocol.tags() {
                incoming.subagent_run_id = None;
            }
            self.apply(&incoming, json.len(), now);
            self.note_thread();
        }
    }

    fn apply(&mut self, incoming: &Incoming<'_>, bytes: usize, now: f64) {
        if matches!(incoming.event, Event::RunStarted { .. }) {
            self.pipeline.thinking.clear();
        }
        self.thread.apply(incoming, now);
        self.took(bytes);
    }

    fn after_reading(&mut self, read: Result<(), BadBody>) {
        match read {
            Ok(()) => {}
            Err(BadBody::FrameTooLong) => self.fail(AgentError::frame_too_long(self.settings.options.max_frame_bytes)),
            Err(BadBody::Cut) => {
                self.violation(Violation::new("frame-not-decodable", "T15", "the body ends within a frame"));
            }
        }
    }

    fn fail(&mut self, error: AgentError) {
        self.failure.get_or_insert(error);
        self.pipeline.coalesces = false;
    }
}

impl EventSink for Stepper {
    fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipeline
    }

    fn rules(&self) -> StreamRules {
        let Options { strict, protocol, max_depth: depth, .. } = self.settings.options;
        StreamRules { strict, tags: protocol.tags(), depth }
    }

    /// Only so many are reported.
    fn report_warning(&mut self, warning: Warning) {
        self.warned = self.warned.saturating_add(1);
        self.warnings.extend(warning.within(self.warned, self.settings.options.max_warnings));
    }

    fn broken_by(&mut self, violation: Violation) {
        self.fail(AgentError::broken(violation));
    }

    fn wants(&mut self, _: Result<&Frame<'_>, Undecodable>) -> bool {
        self.failure.is_none()
    }

    fn is_plain(&mut self, delta: &Delta<'_>) -> bool {
        self.settings.stage == StepperStage::Order && self.pipeline.expects(delta)
    }

    fn grow(&mut self, delta: &Delta<'_>, frame: &Frame<'_>, _: f64) {
        self.events = self.events.saturating_add(frame.alike.max(1));
        if self.wanted.delta(delta.kind) || !self.waiting.is_empty() {
            let alone = frame.alike < 2;
            self.pipeline.coalesces = self.waiting.add_delta(delta, alone.then_some(frame.data), &self.wanted);
            return;
        }
        self.thread.grow(delta);
        // Frames that are odd come one by one, so that each is reported.
        self.pipeline.coalesces = self.thread.warnings.is_empty();
        self.took(delta.delta.raw().len());
    }

    fn taken(&mut self, _: Option<&Frame<'_>>) {
        self.note_thread();
    }

    /// At the first stage events of any type are taken.
    fn knows(&mut self, fields: &Fields<'_>, data: &str, own: bool, _: f64) -> Result<bool, Violation> {
        let knows = self.settings.stage == StepperStage::Frames;
        if knows {
            self.events = self.events.saturating_add(1);
            let wanted = self.wanted.event(&frame_type(fields)?);
            self.waiting.add(WaitingEvent::new(data.to_owned(), wanted, own));
        }
        Ok(knows)
    }

    fn convert(&mut self, fields: &Fields<'_>) -> Option<String> {
        self.pipeline.thinking.convert(fields, &self.settings.run_id)
    }

    fn came(&mut self, _: &mut Source<'_, '_>) {
        self.events = self.events.saturating_add(1);
    }

    fn is_over(&self, _: &Incoming<'_>) -> bool {
        self.failure.is_some()
    }

    fn out_of_order(&mut self, one: &Incoming<'_>) -> Option<Violation> {
        if self.settings.stage == StepperStage::Order { self.pipeline.order.check(one) } else { None }
    }

    /// Events that were asked for wait, and all after them.
    fn reduce(&mut self, one: &Incoming<'_>, source: Option<&Source<'_, '_>>, made: bool, now: f64) {
        let wanted = self.wanted.event(one.event.name());
        if !wanted && self.waiting.is_empty() {
            return self.apply(one, source.map_or(0, |source| source.data.len()), now);
        }
        self.waiting.add(match source {
            Some(source) if !made => WaitingEvent::new(source.data.to_owned(), wanted, source.own),
            _ => WaitingEvent::new(waiting::write(one, source.map(|source| source.fields)), wanted, false),
        });
    }
}
