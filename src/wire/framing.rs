//! A body → the frames in it, whatever it frames them with. Uses the parsers of this folder; knows no events, but for
//! what a body that does not say what it is has to look like.
//!
//! ```text
//!                 ┌─ text/event-stream ──────────────► sse ───────┐
//! content type ───┼─ …event+proto ───► packets ──────► protobuf ──┤
//!                 ├─ …ndjson, …jsonl ────────────────► lines ─────┼──► frames: one JSON text each
//!                 └─ another, or none: first character            │
//!                        [ ────────────────────────► elements ────┤
//!                        { ────────────────────────► lines ───────┤
//!                        any other ────────────────► sse ─────────┘
//! ```
//!
//! Each byte is looked at once, however the reads cut the body, and what arrived whole is handed on in place.

use super::delta::Delta;
use super::json::Fields;
use super::packets::Packets;
use super::protobuf::to_json;
use super::split::{Cut, Splitter, blank};
use super::sse::{BadBody, Frame, FrameSink, SseParser};
use super::text::cut;
use super::undecodable::Limits;
use super::utf8::Utf8Decoder;

/// The media type of the binary framing.
pub const BINARY_MEDIA_TYPE: &str = "application/vnd.ag-ui.event+proto";

/// How a body says that it is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Server-sent events.
    EventStream,
    /// Frames of protobuf, each after its length.
    Binary,
    /// A JSON text a line.
    Lines,
    /// It does not: the first character decides.
    Unknown,
}

/// The media types that name a format, in lower case.
const MEDIA_TYPES: &[(&str, Format)] = &[
    ("text/event-stream", Format::EventStream),
    (BINARY_MEDIA_TYPE, Format::Binary),
    ("application/x-ndjson", Format::Lines),
    ("application/ndjson", Format::Lines),
    ("application/jsonl", Format::Lines),
    ("application/x-jsonlines", Format::Lines),
];

impl Format {
    /// The format that a `Content-Type` names. Its parameters do not matter, nor does its case. `binary`: whether the binary framing is
    /// read; else its name says nothing.
    pub fn of(content_type: &str, binary: bool) -> Self {
        let essence = cut(content_type, b';').map_or(content_type, |(essence, _)| essence).trim_ascii();
        let reads = binary && cfg!(feature = "codecs");
        let known = MEDIA_TYPES.iter().find(|(name, _)| essence.eq_ignore_ascii_case(name));
        known.map(|(_, format)| *format).filter(|format| reads || *format != Self::Binary).unwrap_or(Self::Unknown)
    }
}

/// One body on its way to frames.
#[derive(Debug)]
pub struct Framer {
    utf8: Utf8Decoder,
    framing: Framing,
    limits: Limits,
    /// There is another step: a long frame that waits, or text that came after one.
    waits: bool,
    /// That text, and how much of it is read.
    rest: String,
    read: usize,
}

#[derive(Debug)]
enum Framing {
    /// Nothing but white space has come, which means nothing to an event stream, unless it turns out to be one.
    Undecided(SseParser),
    Sse(SseParser),
    /// `sure`: an event has come, or the head said that they would.
    Split {
        splitter: Splitter,
        sure: bool,
    },
    Binary {
        packets: Packets,
        json: String,
    },
    /// JSON, but no events: an error of a gateway, for one.
    Nothing,
}

impl Framer {
    /// A reader of bodies whose frames have at most `max_frame` bytes, and are nested at most `max_depth` levels.
    pub fn new(format: Format, max_frame: usize, max_depth: usize) -> Self {
        let framing = match format {
            Format::EventStream => Framing::Sse(SseParser::new(max_frame)),
            Format::Binary => Packets::new(max_frame)
                .map_or(Framing::Nothing, |packets| Framing::Binary { packets, json: String::new() }),
            Format::Lines => Framing::Split { splitter: Splitter::new(Cut::Lines, max_frame), sure: true },
            Format::Unknown => Framing::Undecided(SseParser::new(max_frame)),
        };
        let limits = Limits { depth: max_depth, bytes: max_frame };
        Self { utf8: Utf8Decoder::default(), framing, limits, waits: false, rest: String::new(), read: 0 }
    }

    /// Frames of so many bytes that did not come in one read wait from now on: [`Self::step`] hands them on, and what came
    /// after them.
    pub fn in_steps(mut self, long: usize) -> Self {
        match &mut self.framing {
            Framing::Sse(sse) | Framing::Undecided(sse) => sse.long = long,
            Framing::Split { splitter, .. } => splitter.long = long,
            _ => {}
        }
        self
    }

    /// Whether there is another step.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        self.waits
    }

    /// The long frame that waits.
    pub fn parked(&self) -> Option<&str> {
        self.framing.parked()
    }

    /// Hands on the long frame that waits, or else reads what came after it, up to the next one. `joins` as in [`Self::feed`].
    pub fn step(&mut self, joins: bool, sink: &mut FrameSink<'_>) -> Result<(), BadBody> {
        let mut rest = std::mem::take(&mut self.rest);
        if self.framing.parked().is_some() {
            self.framing.unpark(self.limits, sink);
        } else {
            self.framing.join(joins);
            let text = rest.get(self.read..).unwrap_or_default();
            self.read += self.framing.text(text, self.limits, sink)?;
        }
        if self.read == rest.len() {
            rest = String::new();
            self.read = 0;
        }
        self.rest = rest;
        self.waits = !self.rest.is_empty() || self.framing.parked().is_some();
        Ok(())
    }

    /// The id of the last frame that had one; event streams only.
    pub fn last_id(&self) -> &str {
        match &self.framing {
            Framing::Sse(sse) => sse.last_id(),
            _ => "",
        }
    }

    /// The reconnection time that the server asked for, in milliseconds; event streams only.
    pub fn retry(&self) -> Option<u64> {
        match &self.framing {
            Framing::Sse(sse) => sse.retry(),
            _ => None,
        }
    }

    /// Reads the next bytes of the body. `joins`: what the sink would answer now.
    pub fn feed(&mut self, bytes: &[u8], joins: bool, sink: &mut FrameSink<'_>) -> Result<(), BadBody> {
        // Earlier input comes first.
        while self.waits {
            self.step(joins, sink)?;
        }
        let Self { utf8, framing, limits, waits, rest, .. } = self;
        framing.join(joins);
        if let Framing::Binary { packets, json } = framing {
            packets.feed(bytes, &mut |packet| {
                json.clear();
                let decoded = to_json(packet, *limits, json);
                match decoded {
                    Ok(left_out) => sink(Ok(&Frame { left_out, ..frame(json, false) })),
                    Err(error) => sink(Err(error)),
                };
            })?;
            return Ok(());
        }
        let mut result = Ok(());
        utf8.feed(bytes, &mut |text| {
            if result.is_err() {
                return;
            }
            let read = if *waits { Ok(0) } else { framing.text(text, *limits, sink) };
            match read {
                Ok(read) => {
                    *waits |= framing.parked().is_some();
                    if *waits {
                        rest.push_str(text.get(read..).unwrap_or_default());
                    }
                }
                Err(error) => result = Err(error),
            }
        });
        result
    }

    /// The end of the body. A last frame that lacks its end counts all the same, marked as unterminated.
    pub fn finish(&mut self, sink: &mut FrameSink<'_>) -> Result<(), BadBody> {
        while self.waits {
            self.step(false, sink)?;
        }
        let Self { utf8, framing, limits, .. } = self;
        framing.join(false);
        let mut result = Ok(0);
        utf8.finish(&mut |text| result = framing.text(text, *limits, sink));
        result?;
        match framing {
            Framing::Sse(sse) => sse.finish(sink)?,
            Framing::Split { splitter, sure } => {
                if let Some(piece) = splitter.finish().filter(|piece| *sure || is_event(piece, limits.depth)) {
                    sink(Ok(&frame(&piece, true)));
                }
            }
            Framing::Binary { packets, .. } if !packets.is_empty() => return Err(BadBody::Cut),
            _ => {}
        }
        Ok(())
    }
}

impl Framing {
    #[inline(always)]
    fn join(&mut self, joins: bool) {
        if let Self::Sse(sse) = self {
            sse.join(joins);
        }
    }

    #[inline(always)]
    fn parked(&self) -> Option<&str> {
        match self {
            Self::Sse(sse) => sse.parked(),
            Self::Split { splitter, .. } => splitter.parked(),
            _ => None,
        }
    }

    fn unpark(&mut self, limits: Limits, sink: &mut FrameSink<'_>) {
        match self {
            Self::Sse(sse) => sse.unpark(sink),
            Self::Split { splitter, sure } => {
                let mut nothing = false;
                splitter.unpark(&mut |piece| nothing = !event(piece, sure, limits, sink));
                if nothing {
                    *self = Self::Nothing;
                }
            }
            _ => {}
        }
    }

    /// Says how much of the text is read.
    fn text(&mut self, text: &str, limits: Limits, sink: &mut FrameSink<'_>) -> Result<usize, BadBody> {
        if let Self::Undecided(sse) = self {
            let start = text.trim_start_matches(blank);
            let long = sse.long;
            let split = |cut| {
                let mut splitter = Splitter::new(cut, limits.bytes);
                splitter.long = long;
                Self::Split { splitter, sure: false }
            };
            *self = match start.as_bytes().first() {
                None => return sse.feed(text, &mut |_| false),
                Some(b'[') => split(Cut::Elements),
                Some(b'{') => split(Cut::Lines),
                Some(_) => Self::Sse(std::mem::replace(sse, SseParser::new(limits.bytes))),
            };
        }
        match self {
            Self::Sse(sse) => return sse.feed(text, sink),
            Self::Split { splitter, sure } => {
                let mut nothing = false;
                let read = splitter.feed(text, &mut |piece| nothing = nothing || !event(piece, sure, limits, sink));
                if !nothing {
                    return read;
                }
                // However long what follows is: it is no frame.
                *self = Self::Nothing;
            }
            _ => {}
        }
        Ok(text.len())
    }
}

/// Hands on a piece, where it is an event. The first piece tells: what else is JSON, over several lines or in one, is no
/// stream of events.
fn event(piece: &str, sure: &mut bool, limits: Limits, sink: &mut FrameSink<'_>) -> bool {
    *sure = *sure || is_event(piece, limits.depth);
    if *sure {
        sink(Ok(&frame(piece, false)));
    }
    *sure
}

fn frame(data: &str, unterminated: bool) -> Frame<'_> {
    Frame { event: "", data, delta: Delta::read(data), alike: 0, id: "", own_id: false, unterminated, left_out: 0 }
}

fn is_event(piece: &str, max_depth: usize) -> bool {
    let fields = Fields::read(piece, max_depth);
    fields.and_then(|fields| fields.get("type")).is_some_and(|kind| kind.literal().is_some())
}
