//! A frame's way to the thread, which sessions and steppers have in common. Uses `wire`, `dialect`, `rules`, `thread`.
//!
//! ```text
//!  frame ─► take ─┬─ a plain delta of what is open ────────────────────────────────────► grow ──► thread
//!                 ├─ a dialect makes events of it ─┐
//!                 └─ any other ────────────────────┴─► event ─► chunks ─► gate ─► order ─► reduce ─► thread
//! ```
//!
//! `take` decides what a frame is, `event` checks and reads the event in it, `gate` is the sink's guard, `order` the rules of order.

use crate::dialect::Thinking;
use crate::rules::grammar::{self, Unknown};
use crate::rules::{ChunkExpander, OrderKeeper, Repair, Violation, opener};
use crate::thread::Warning;
use crate::wire::{Delta, Event, Fields, Frame, Incoming, Undecodable, frame_fields, frame_type};

/// The knowledge that is kept from one frame to the next.
#[derive(Debug, Default)]
pub(crate) struct Pipeline {
    pub thinking: Thinking,
    pub chunks: ChunkExpander,
    pub order: OrderKeeper,
    /// Set while consecutive frames append to the same open message: the next such frame may skip the rules. Open messages
    /// are closed by frames only, and by runs that begin, of which the first frame appends to nothing.
    pub coalesces: bool,
    /// Bytes that came since the thread was measured.
    came: usize,
    /// How many may come before it is measured again.
    room: usize,
}

impl Pipeline {
    /// A stream begins at its beginning: nothing is open.
    pub fn start_over(&mut self) {
        self.thinking.clear();
        self.forget_open();
    }

    /// Forgets the open items: they have been closed in the thread.
    pub fn forget_open(&mut self) {
        self.chunks.clear();
        self.order.clear();
    }

    /// Whether this delta appends to what is open.
    pub fn expects(&mut self, delta: &Delta<'_>) -> bool {
        self.chunks.is_idle() && self.order.expects(delta.kind, &delta.id.decode())
    }

    /// So many bytes came for the thread. Says whether it may have become too large, and has to be measured; what came since
    /// it was measured pays for that.
    pub fn weighs(&mut self, bytes: usize) -> bool {
        self.came += bytes;
        self.came > self.room
    }

    /// The thread was measured: so many bytes may come before it is measured again.
    pub fn set_room(&mut self, room: usize) {
        (self.came, self.room) = (0, room);
    }
}

/// How a stream is read.
#[derive(Clone, Copy)]
pub(crate) struct StreamRules {
    /// Whether a broken rule ends the run.
    pub strict: bool,
    /// Whether the server's version of AG-UI has subagents.
    pub tags: bool,
    /// Levels of nesting.
    pub depth: usize,
}

/// An event as it came, of which others may be made.
pub(crate) struct Source<'f, 'a> {
    /// Its type.
    pub event: &'static str,
    pub fields: &'f Fields<'a>,
    /// The same as JSON text.
    pub data: &'f str,
    /// The caller has that text.
    pub own: bool,
    /// It comes outside of any run: no rule of order judges it.
    pub aside: bool,
    /// It was reported.
    pub reported: bool,
}

impl<'f, 'a> Source<'f, 'a> {
    pub fn new(incoming: &Incoming<'_>, fields: &'f Fields<'a>, data: &'f str) -> Self {
        Self { event: incoming.event.name(), fields, data, own: false, aside: false, reported: false }
    }
}

/// The end of the pipeline: takes the events, and says which rules hold.
pub(crate) trait EventSink: Sized {
    fn pipeline(&mut self) -> &mut Pipeline;

    fn rules(&self) -> StreamRules;

    /// Reports a warning about the stream.
    fn report_warning(&mut self, warning: Warning);

    /// A broken rule ends the run.
    fn broken_by(&mut self, violation: Violation);

    /// Whether a frame is looked at.
    fn wants(&mut self, frame: Result<&Frame<'_>, Undecodable>) -> bool;

    /// Takes a frame that a dialect makes events of, or that needs none to be taken. Says whether it is one.
    fn translated(&mut self, _: &Frame<'_>, _: f64) -> bool {
        false
    }

    /// Whether a delta that appends to what is open needs no other judgment.
    fn is_plain(&mut self, delta: &Delta<'_>) -> bool;

    /// Takes content in place: that of `frame` and those that are alike. Says in the pipeline whether others may come as one.
    fn grow(&mut self, delta: &Delta<'_>, frame: &Frame<'_>, now: f64);

    /// A frame was taken, if it was one.
    fn taken(&mut self, frame: Option<&Frame<'_>>);

    /// Takes an event that needs no rules. Says whether it is one.
    fn knows(&mut self, fields: &Fields<'_>, data: &str, own: bool, now: f64) -> Result<bool, Violation>;

    /// The event as AG-UI 1.0 has it, where it is one of an earlier version.
    fn convert(&mut self, fields: &Fields<'_>) -> Option<String>;

    /// An event was read.
    fn came(&mut self, source: &mut Source<'_, '_>);

    /// Hands on to [`Self::order`] as much of an event as may be shown.
    fn gate(&mut self, one: &Incoming<'_>, source: &mut Source<'_, '_>, made: bool, now: f64) {
        self.order(one, source, made, now);
    }

    /// Whether the stream has ended for this event, or it says nothing new.
    fn is_over(&self, one: &Incoming<'_>) -> bool;

    /// The rule of order that an event breaks.
    fn out_of_order(&mut self, one: &Incoming<'_>) -> Option<Violation> {
        self.pipeline().order.check(one)
    }

    /// Handles an event that breaks it; see [`Self::violation`].
    fn judge(&mut self, violation: Violation, _: &Event<'_>) -> Repair {
        self.violation(violation)
    }

    /// Takes an event into the thread. `source`: what came; `made`: the event was made of it, or before it.
    fn reduce(&mut self, one: &Incoming<'_>, source: Option<&Source<'_, '_>>, made: bool, now: f64);

    /// So many bytes of an event were taken.
    fn weigh(&mut self, _: usize) {}

    /// Whether what comes was judged before.
    fn is_judged(&self) -> bool {
        false
    }

    /// An event that is left out because it cannot be read, or strict rules do not let it pass.
    fn unreadable(&mut self, _: &Fields<'_>) {}

    /// A rule was broken: the end of the run if they are strict, a warning if they are not. Says what to do now.
    #[inline(never)]
    fn violation(&mut self, violation: Violation) -> Repair {
        if self.is_judged() {
            return Repair::Drop;
        }
        // An event that AG-UI 1.0 does not have is no mistake: a later version may have it.
        if self.rules().strict && violation.code != Violation::UNKNOWN {
            self.broken_by(violation);
            return Repair::Drop;
        }
        let Violation { code, rule, repair, message, event_type } = violation;
        self.report_warning(Warning { code, rule: Some(rule), message, event_type });
        repair
    }

    /// The frame, if it could be decoded. Reports what could not.
    fn decoded<'f, 'a>(&mut self, frame: Result<&'f Frame<'a>, Undecodable>) -> Option<&'f Frame<'a>> {
        match frame {
            Ok(frame) if frame.left_out > 0 => {
                let message = format!("{} content parts are not of AG-UI 1.0", frame.left_out);
                self.report_warning(Warning { rule: Some("P5"), ..Warning::new("part-unknown", message) });
            }
            Ok(_) => {}
            Err(reason) => {
                let unknown = matches!(reason, Undecodable::UnknownEvent);
                let code = if unknown { Violation::UNKNOWN } else { "frame-not-decodable" };
                self.violation(Violation::new(code, "T16", format!("{reason}")));
            }
        }
        frame.ok()
    }

    /// Whether strict rules let an event pass. What AG-UI 1.0 does not describe is reported.
    #[inline(never)]
    fn is_grammatical(&mut self, fields: &Fields<'_>) -> Result<bool, Violation> {
        let event = frame_type(fields)?.into_owned();
        let checked = grammar::check(fields, &mut |Unknown { code, rule, pointer }| {
            let message = format!("{pointer} is not described by AG-UI 1.0, and left out");
            let (rule, event_type) = (Some(rule), Some(event.clone()));
            self.report_warning(Warning { rule, event_type, ..Warning::new(code, message) });
        });
        let passes = checked.is_ok();
        if let Err(violation) = checked {
            self.violation(violation);
            self.unreadable(fields);
        }
        Ok(passes)
    }

    /// Takes a frame. Whether others that are alike may come as one.
    fn take(&mut self, frame: Result<&Frame<'_>, Undecodable>, now: f64) -> bool {
        if !self.wants(frame) {
            return false;
        }
        if let Some(frame) = self.decoded(frame) {
            // Nothing has come in between, so what was found out about the last one holds.
            let holds = std::mem::take(&mut self.pipeline().coalesces) && frame.alike > 0;
            match &frame.delta {
                Some(delta) if holds => self.grow(delta, frame, now),
                // Some servers end a stream this way.
                _ if frame.data == "[DONE]" || self.translated(frame, now) => {}
                Some(delta) if self.is_plain(delta) => self.grow(delta, frame, now),
                _ => match self.event(frame.data, false, now) {
                    // A frame that the lost connection cut; that the stream was cut is reported anyway.
                    Err(error) if !frame.unterminated => {
                        self.violation(error);
                        let fields = Fields::read(frame.data, self.rules().depth);
                        fields.into_iter().for_each(|fields| self.unreadable(&fields));
                    }
                    _ => {}
                },
            }
        }
        self.taken(frame.ok());
        self.pipeline().coalesces
    }

    /// Takes an event as JSON text: the members that AG-UI 1.0 has, the events that a chunk stands for, or the ENDs of the
    /// chunks that it ends and then itself. `own`: the caller has the text.
    fn event(&mut self, data: &str, own: bool, now: f64) -> Result<(), Violation> {
        let StreamRules { strict, tags, depth } = self.rules();
        let converted;
        let (mut data, mut own) = (data, own);
        let mut fields = frame_fields(data, depth)?;
        if self.knows(&fields, data, own, now)? {
            return Ok(());
        }
        if let Some(current) = self.convert(&fields) {
            converted = current;
            (data, own) = (&converted, false);
            fields = frame_fields(data, depth)?;
        }
        if cfg!(feature = "codecs") && strict && !self.is_grammatical(&fields)? {
            return Ok(());
        }
        let mut forgiven = None;
        let mut incoming = Incoming::read(&fields, &mut |error| forgiven = Some(error))?;
        if !tags {
            if let Event::SubagentStarted { .. } | Event::SubagentFinished { .. } | Event::SubagentError { .. } =
                incoming.event
            {
                return Err(Violation::unknown(incoming.event.name()));
            }
            incoming.subagent_run_id = None;
        }
        if let Some(error) = forgiven
            && self.violation(error) == Repair::Drop
        {
            return Ok(());
        }
        let mut source = Source::new(&incoming, &fields, data);
        source.own = own;
        self.came(&mut source);
        let mut chunks = std::mem::take(&mut self.pipeline().chunks);
        let expanded = chunks.expand(&incoming, &mut |one, made| self.gate(one, &mut source, made, now));
        self.pipeline().chunks = chunks;
        if let Err(violation) = expanded {
            self.violation(violation.of(source.event));
        }
        self.weigh(data.len());
        Ok(())
    }

    /// Takes an event that has passed the gate, and with it the START that it lacks. `made`: the source is a chunk, or ends one.
    fn order(&mut self, one: &Incoming<'_>, source: &Source<'_, '_>, made: bool, now: f64) {
        if self.is_over(one) {
            return;
        }
        if let Some(violation) = self.out_of_order(one) {
            match self.judge(violation, &one.event) {
                Repair::Drop => return,
                Repair::Open => opener(one).into_iter().for_each(|start| self.reduce(&start, None, true, now)),
                Repair::Keep => {}
            }
        }
        self.reduce(one, Some(source), made, now);
    }
}
