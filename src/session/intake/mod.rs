//! The knowledge that a session keeps from one frame to the next: the body that is coming, the dialect, the guard, and what the
//! pipeline knows. The handlers pass each frame through it, and decide what an event does.

mod view;

pub(super) use view::View;

use crate::dialect::{self, Dialect, Occasion, Output, OutputItem, RunRequest, Taken};
use crate::guard::HeldGuard;
use crate::pipeline::Pipeline;
use crate::thread::Ahead;
use crate::wire::Framer;

#[derive(Debug, Default)]
pub(super) struct Intake {
    /// How the server speaks, where that is not AG-UI.
    pub dialect: Option<Box<dyn Dialect>>,
    /// Judges what is shown, where there is one.
    pub guard: Option<HeldGuard>,
    /// The current event was judged as the frame that it was made of.
    pub judged: bool,
    pub pipeline: Pipeline,
    /// Reads the body that is coming.
    pub body: Option<Box<Framer>>,
    /// Reads ahead of its long frame that waits.
    pub ahead: Option<Box<Ahead>>,
}

impl Intake {
    pub fn has_dialect(&self) -> bool {
        self.dialect().is_some()
    }

    pub fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }

    /// Whether there is another step to take in what has come of the body.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.waits())
    }

    /// Reads so many bytes ahead of the frame that waits; says whether there is more.
    pub fn read_ahead(&mut self, bytes: usize, depth: usize, tags: bool) -> bool {
        // A dialect makes other events of it.
        let Some(frame) = self.body.as_ref().filter(|_| !self.has_dialect()).and_then(|body| body.parked()) else {
            return false;
        };
        self.ahead.get_or_insert_with(|| Box::new(Ahead::new(depth, tags))).read(frame, bytes)
    }

    /// Takes the body's reader, to be given back while the body is wanted.
    pub fn take_body(&mut self) -> Option<Box<Framer>> {
        // This frame may be the one that waits: the parts that were read ahead are not of the next one.
        self.ahead = None;
        self.body.take()
    }

    /// Nothing more is read of the body.
    pub fn drop_body(&mut self) {
        (self.body, self.ahead) = (None, None);
    }

    /// Tells the dialect of a request, or that a run is told from its beginning.
    pub fn begin(&mut self, request: &RunRequest<'_>) {
        if let Some(dialect) = self.dialect_mut() {
            dialect.begin(request);
        }
    }

    /// Lets the dialect speak, where there is one. Its items are to be taken one by one; the next event was not judged as the
    /// frame that it was made of.
    pub fn translate(&mut self, on: Occasion<'_>, now: f64) -> Option<(Taken, Vec<OutputItem>)> {
        let dialect = self.dialect.as_deref_mut().filter(|_| dialect::ANY)?;
        let mut out = Output::default();
        // The dialect asks the guard itself.
        (out.guard, out.now) = (self.guard.take(), now);
        let mut taken = Taken::Taken;
        match on {
            Occasion::Frame(frame) => taken = dialect.frame(frame, &mut out),
            Occasion::Answer(body) => dialect.answer(body, &mut out),
            Occasion::End => dialect.end(&mut out),
            Occasion::Lost => dialect.lost(&mut out),
        }
        self.guard = out.guard.take();
        Some((taken, out.take()))
    }

    pub fn dialect(&self) -> Option<&dyn Dialect> {
        self.dialect.as_deref().filter(|_| dialect::ANY)
    }

    pub fn dialect_mut(&mut self) -> Option<&mut Box<dyn Dialect>> {
        self.dialect.as_mut().filter(|_| dialect::ANY)
    }
}
