//! The part of a frame's way to the thread that a session and a stepper have in common. Uses `wire`, `dialect`, `rules`, `thread`.
//!
//! ```text
//!  frame ─┬─ a plain delta of what is open ──────────────────────────► sink
//!         └─ any other ─► THINKING_* ─► grammar ─► members ─► chunks ─► sink
//! ```

use crate::dialect::Thinking;
#[cfg(feature = "codecs")]
use crate::rules::grammar::{self, Unknown};
use crate::rules::{ChunkExpander, Code, OrderKeeper, Repair, Violation};
use crate::thread::Warning;
#[cfg(feature = "codecs")]
use crate::wire::frame_type;
use crate::wire::{Delta, Event, EventError, Fields, Frame, Incoming, Undecodable};

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

/// The end of the pipeline: takes the events, and says which rules hold.
pub(crate) trait EventSink: Sized {
    fn pipeline(&mut self) -> &mut Pipeline;

    /// Whether a broken rule ends the run.
    fn is_strict(&self) -> bool;

    /// Whether the server's version of AG-UI has subagents.
    fn tags(&self) -> bool;

    /// Reports a warning about the stream.
    fn report_warning(&mut self, warning: Warning);

    /// A broken rule ends the run.
    fn broken_by(&mut self, violation: Violation, event_type: Option<String>);

    /// Whether what comes was judged before.
    fn is_judged(&self) -> bool {
        false
    }

    /// An event that strict rules do not let pass.
    #[cfg(feature = "codecs")]
    fn refused_by_grammar(&mut self, _: &Fields<'_>) {}

    /// A rule was broken: the end of the run if they are strict, a warning if they are not. Says what to do now.
    #[inline(never)]
    fn violation(&mut self, violation: Violation, event_type: Option<String>) -> Repair {
        if self.is_judged() {
            return Repair::Drop;
        }
        // An event that AG-UI 1.0 does not have is no mistake: a later version may have it.
        if self.is_strict() && violation.code != Code::EventUnknown {
            self.broken_by(violation, event_type);
            return Repair::Drop;
        }
        let Violation { code, rule, repair, message } = violation;
        self.report_warning(Warning { rule: Some(rule), event_type, ..Warning::new(code.as_str(), message) });
        repair
    }

    fn not_decodable(&mut self, code: Code, rule: &'static str, message: String) {
        self.violation(Violation { code, rule, repair: Repair::Drop, message }, None);
    }

    #[inline(never)]
    fn malformed(&mut self, code: Code, repair: Repair, error: &EventError) -> Repair {
        let violation = Violation { code, rule: error.rule(), repair, message: format!("{error}") };
        self.violation(violation, error.event_type().map(str::to_owned))
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
                let code = if unknown { Code::EventUnknown } else { Code::FrameNotDecodable };
                self.not_decodable(code, "T16", format!("{reason}"));
            }
        }
        frame.ok()
    }

    /// Whether strict rules let an event pass. What AG-UI 1.0 does not describe is reported.
    #[cfg(feature = "codecs")]
    fn is_grammatical(&mut self, fields: &Fields<'_>) -> Result<bool, EventError> {
        let event = frame_type(fields)?.into_owned();
        let checked = grammar::check(fields, &mut |Unknown { code, rule, pointer }| {
            let message = format!("{pointer} is not described by AG-UI 1.0, and left out");
            let (rule, event_type) = (Some(rule), Some(event.clone()));
            self.report_warning(Warning { rule, event_type, ..Warning::new(code, message) });
        });
        let passes = checked.is_ok();
        if let Err(violation) = checked {
            self.violation(violation, Some(event));
            self.refused_by_grammar(fields);
        }
        Ok(passes)
    }

    /// Takes the event of a frame, unless it breaks a rule by which it is dropped.
    #[inline(always)]
    fn read_event<'a>(
        &mut self,
        fields: &Fields<'a>,
        take: impl FnOnce(&mut Self, Incoming<'a>),
    ) -> Result<(), EventError> {
        #[cfg(feature = "codecs")]
        if self.is_strict() && !self.is_grammatical(fields)? {
            return Ok(());
        }
        let mut forgiven = None;
        let mut incoming = Incoming::read(fields, &mut |error| forgiven = Some(error))?;
        if !self.tags() {
            if let Event::SubagentStarted { .. } | Event::SubagentFinished { .. } | Event::SubagentError { .. } =
                incoming.event
            {
                return Err(EventError::Unknown(incoming.event.name().to_owned()));
            }
            incoming.subagent_run_id = None;
        }
        if let Some(error) = forgiven
            && self.malformed(Code::MemberMalformed, Repair::Keep, &error) == Repair::Drop
        {
            return Ok(());
        }
        take(self, incoming);
        Ok(())
    }

    /// Takes the events that a chunk stands for; any other event after the ENDs of the chunks that it ends.
    #[inline(always)]
    fn expanded(&mut self, incoming: Incoming<'_>, mut take: impl FnMut(&mut Self, &Incoming<'_>)) {
        let mut chunks = std::mem::take(&mut self.pipeline().chunks);
        let event = incoming.event.name();
        let result = chunks.expand(incoming, &mut |incoming| take(self, incoming));
        self.pipeline().chunks = chunks;
        if let Err(violation) = result {
            self.violation(violation, Some(event.to_owned()));
        }
    }

    /// Takes the ENDs of the chunks that an event ends which is none.
    #[cfg(feature = "codecs")]
    fn close_chunks(&mut self, incoming: &Incoming<'_>, mut take: impl FnMut(&mut Self, &Incoming<'_>)) {
        let mut chunks = std::mem::take(&mut self.pipeline().chunks);
        chunks.close_for(incoming, &mut |incoming| take(self, incoming));
        self.pipeline().chunks = chunks;
    }
}
