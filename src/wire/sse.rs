//! The event-stream parser of the WHATWG HTML standard, section 9.2.6 "Interpreting an event stream".
//!
//! Fed with text split anywhere. A frame whose data is one line that arrived whole, which is nearly every frame,
//! is handed on in place.

use super::delta::Delta;
use super::event::Str;
use super::joined::Joined;
use super::scan::same_literal;
use super::template::Template;
use super::undecodable::Undecodable;

/// One dispatched event of the stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame<'a> {
    /// The `event` field; empty when the frame had none.
    pub event: &'a str,
    /// The `data` lines, joined by line feeds.
    pub data: &'a str,
    /// The same, where it is a plain content event.
    pub delta: Option<Delta<'a>>,
    /// How many frames these are that say the same as the one before, but for the delta and the time. Of more than one,
    /// the delta is what they add together, and the data that of the last.
    pub alike: u32,
    /// The last event id of the stream, which this frame may have set.
    pub id: &'a str,
    /// This frame did set it.
    pub own_id: bool,
    /// The stream ended before the blank line that closes this frame.
    pub unterminated: bool,
    /// Content parts that the binary framing had, and AG-UI 1.0 has not.
    pub left_out: usize,
}

/// Takes the frames of a body, and what could not be made one, of which an event stream has none. Answers whether others
/// that are alike may come as one.
pub type FrameSink<'s> = dyn FnMut(Result<&Frame<'_>, Undecodable>) -> bool + 's;

/// Why a body cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadBody {
    /// A frame is longer than the limit.
    FrameTooLong,
    /// It has ended within a binary frame.
    Cut,
}

/// Data that belongs to the frame being read.
enum Data<'a> {
    None,
    InPlace(&'a str),
    /// In `SseParser::data`.
    Kept,
}

/// The parser's state between two pieces of text.
#[derive(Debug, Default)]
pub struct SseParser {
    started: bool,
    /// The last piece ended with a carriage return: a line feed that follows belongs to it.
    after_cr: bool,
    /// The beginning of a line whose end has not come.
    line: String,
    data: String,
    has_data: bool,
    event: String,
    /// The last event id, and the one before it while the frame that brings it has not come whole.
    id: String,
    previous_id: String,
    has_id: bool,
    retry: Option<u64>,
    max_frame: usize,
    /// The last plain content event that came as one line.
    template: Option<Template>,
    /// The last answer of the sink.
    joins: bool,
    /// The deltas of frames that are handed on as one.
    joined: Joined,
    /// How long a frame is that waits, and whether the data that is kept is one that does.
    pub(super) long: usize,
    parked: bool,
}

impl SseParser {
    /// A parser that refuses lines of more than `max_frame` bytes of UTF-8 (field names included, without what ends them),
    /// and frames whose data is longer than that.
    pub fn new(max_frame: usize) -> Self {
        Self { max_frame, long: usize::MAX, ..Self::default() }
    }

    /// The reconnection time that the server asked for, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// The last event id. "When the dispatch is required […] set the last event ID string of the event source to the value of
    /// the last event ID buffer": that of a frame that has not come whole is not one yet.
    pub fn last_id(&self) -> &str {
        if self.has_id { &self.previous_id } else { &self.id }
    }

    /// Whether frames that are alike may come as one, should the sink's last answer not hold.
    pub fn join(&mut self, on: bool) {
        self.joins = on;
    }

    /// The frame that waits.
    pub fn parked(&self) -> Option<&str> {
        self.parked.then_some(&*self.data)
    }

    /// Hands on the frame that waits.
    pub fn unpark(&mut self, sink: &mut FrameSink<'_>) {
        if std::mem::take(&mut self.parked) {
            self.hand_on(&Data::Kept, "", false, sink);
        }
    }

    /// Reads `text`, hands each finished frame to `sink`. Says how much is read: up to a frame that waits. After an error the
    /// parser is not to be used again.
    pub fn feed(&mut self, text: &str, sink: &mut FrameSink<'_>) -> Result<usize, BadBody> {
        let bytes = text.as_bytes();
        let mut at = self.begin(text);
        let mut data = if self.has_data { Data::Kept } else { Data::None };
        let mut start = at;
        while at < bytes.len() {
            if self.is_between(&data) {
                start = at;
                if let Some(next) = self.alike(text, at, sink) {
                    at = next;
                    continue;
                }
            }
            let Some((end, byte)) = line_end(bytes, at) else { break };
            let line = text.get(at..end).unwrap_or_default();
            at = end + 1;
            if byte == b'\r' {
                match bytes.get(at) {
                    Some(b'\n') => at += 1,
                    Some(_) => {}
                    None => self.after_cr = true,
                }
            }
            if !self.line.is_empty() {
                self.line.push_str(line);
                let kept = std::mem::take(&mut self.line);
                // The line lives in a buffer of its own, so its data cannot stay in place.
                let mut own = self.keep(&data);
                self.line(&kept, &mut own)?;
                data = self.keep(&own);
                self.line = kept;
                self.line.clear();
            } else if line.is_empty() {
                // "If the line is empty (a blank line): dispatch the event"
                self.dispatch(&data, text.get(start..at).unwrap_or_default(), sink);
                data = Data::None;
                if self.parked {
                    return Ok(at);
                }
            } else {
                self.line(line, &mut data)?;
            }
        }
        self.has_data = !matches!(self.keep(&data), Data::None);
        // Most reads end where a frame does.
        if let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            self.line.push_str(rest);
            self.check(self.line.len())?;
        }
        Ok(text.len())
    }

    /// Where what comes next begins in a text.
    #[inline(always)]
    fn begin(&mut self, text: &str) -> usize {
        if text.is_empty() {
            return 0;
        }
        let (started, after_cr) = (std::mem::replace(&mut self.started, true), std::mem::take(&mut self.after_cr));
        match text.as_bytes().first() {
            Some(b'\n') if after_cr => 1,
            // "strip one leading U+FEFF BYTE ORDER MARK character, if any"
            _ if !started && text.starts_with('\u{FEFF}') => '\u{FEFF}'.len_utf8(),
            _ => 0,
        }
    }

    /// Whether a frame may begin here.
    #[inline(always)]
    fn is_between(&self, data: &Data<'_>) -> bool {
        matches!(data, Data::None) && !self.has_id && self.event.is_empty() && self.line.is_empty()
    }

    /// Hands on the frame that begins at `at`, if it is whole and like the last one, and with it those after it that
    /// are, where they may come as one. Where the next one begins.
    fn alike(&mut self, text: &str, at: usize, sink: &mut FrameSink<'_>) -> Option<usize> {
        let template = self.template.as_ref()?;
        let read = |at| template.read(text, at).filter(|alike| alike.end - at <= self.max_frame);
        let mut last = read(at)?;
        let (mut start, mut count) = (at, 1);
        let mut next = if self.joins { read(last.end) } else { None };
        if next.is_some() {
            self.joined.clear(text.len() - at);
            self.joined.push(text, &last);
        }
        while let Some(alike) = next {
            self.joined.push(text, &alike);
            (start, last, count) = (last.end, alike, count + 1);
            next = read(last.end);
        }
        let added = match count {
            1 => Str::new(text.get(last.delta)?, last.escaped),
            _ => self.joined.text(),
        };
        let data = template.data(text.get(start..last.end)?);
        self.joins = sink(Ok(&Frame { delta: template.delta(added), alike: count, ..self.frame(data) }));
        Some(last.end)
    }

    #[cfg(test)]
    pub(super) fn template(&self) -> Option<&Template> {
        self.template.as_ref()
    }

    fn frame<'a>(&'a self, data: &'a str) -> Frame<'a> {
        Frame { event: "", data, delta: None, alike: 0, id: &self.id, own_id: false, unterminated: false, left_out: 0 }
    }

    /// The end of the stream. The standard drops a frame whose blank line is missing; servers do leave it out, so
    /// the frame is dispatched, marked as unterminated.
    pub fn finish(&mut self, sink: &mut FrameSink<'_>) -> Result<(), BadBody> {
        self.long = usize::MAX;
        self.unpark(sink);
        let line = std::mem::take(&mut self.line);
        let mut data = if self.has_data { Data::Kept } else { Data::None };
        if !line.is_empty() {
            self.line(&line, &mut data)?;
        }
        self.hand_on(&data, "", true, sink);
        Ok(())
    }

    fn line<'a>(&mut self, line: &'a str, data: &mut Data<'a>) -> Result<(), BadBody> {
        self.check(line.len())?;
        // Nearly every line has this field.
        if line.as_bytes().first_chunk().is_some_and(|start| same_literal(start, b"data:")) {
            return self.data_line(value(line, 5), data);
        }
        // "Otherwise: process the field using the whole line as the field name, and the empty string as value"
        let colon = memchr::memchr(b':', line.as_bytes()).unwrap_or(line.len());
        let (field, value) = (line.get(..colon).unwrap_or_default(), value(line, colon + 1));
        match field {
            "data" => self.data_line(value, data)?,
            "event" => value.clone_into(&mut self.event),
            // "If the field value does not contain U+0000 NULL, set the last event ID buffer"
            "id" if !value.contains('\0') => {
                if !std::mem::replace(&mut self.has_id, true) {
                    std::mem::swap(&mut self.id, &mut self.previous_id);
                }
                value.clone_into(&mut self.id);
            }
            "retry" if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) => {
                self.retry = value.parse().ok().or(self.retry);
            }
            // A comment (empty field name) or a field that the standard ignores.
            _ => {}
        }
        Ok(())
    }

    fn data_line<'a>(&mut self, value: &'a str, data: &mut Data<'a>) -> Result<(), BadBody> {
        if let Data::None = data {
            *data = Data::InPlace(value);
            return Ok(());
        }
        *data = self.keep(data);
        self.check(self.data.len() + 1 + value.len())?;
        self.data.push('\n');
        self.data.push_str(value);
        Ok(())
    }

    /// Takes the end of a frame. `text`: where its data is in place, all of it, from its first line on, or from one before that
    /// says nothing.
    fn dispatch(&mut self, data: &Data<'_>, text: &str, sink: &mut FrameSink<'_>) {
        self.parked = self.data.len() >= self.long && matches!(data, Data::Kept);
        if !self.parked {
            self.hand_on(data, text, false, sink);
        }
    }

    fn hand_on(&mut self, data: &Data<'_>, text: &str, unterminated: bool, sink: &mut FrameSink<'_>) {
        let (data, in_place) = match data {
            Data::None => ("", false),
            Data::InPlace(data) => (*data, true),
            Data::Kept => (self.data.as_str(), false),
        };
        // "If the data buffer is an empty string, set the data buffer and the event type buffer to the empty string and return"
        if !data.is_empty() {
            let read = Delta::read_places(data);
            if let Some((delta, places)) = &read {
                // A carriage return at the end may yet be followed by its line feed.
                if in_place && self.event.is_empty() && !self.has_id && text.ends_with('\n') {
                    Template::learn(&mut self.template, text, data, delta, places);
                } else {
                    // Frames are compared with the last one only.
                    self.template = None;
                }
            }
            let delta = read.map(|(delta, _)| delta);
            let (event, own_id) = (&*self.event, self.has_id);
            self.joins = sink(Ok(&Frame { event, delta, own_id, unterminated, ..self.frame(data) }));
        }
        if std::mem::take(&mut self.has_id) && unterminated {
            std::mem::swap(&mut self.id, &mut self.previous_id);
        }
        self.data.clear();
        self.event.clear();
        self.has_data = false;
    }

    /// Copies data that stands in a piece of text which is about to go.
    fn keep<'b>(&mut self, data: &Data<'_>) -> Data<'b> {
        match data {
            Data::None => Data::None,
            Data::InPlace(text) => {
                (*text).clone_into(&mut self.data);
                Data::Kept
            }
            Data::Kept => Data::Kept,
        }
    }

    fn check(&self, length: usize) -> Result<(), BadBody> {
        if length > self.max_frame { Err(BadBody::FrameTooLong) } else { Ok(()) }
    }
}

/// "Collect the characters on the line after the first colon; if value starts with a space, remove it"
#[inline(always)]
fn value(line: &str, at: usize) -> &str {
    let space = line.as_bytes().get(at) == Some(&b' ');
    line.get(at + usize::from(space)..).unwrap_or_default()
}

/// Where the line that begins at `at` ends, and the byte that ends it. A blank line is seen without a search.
fn line_end(bytes: &[u8], at: usize) -> Option<(usize, u8)> {
    let rest = bytes.get(at..)?;
    let step = match rest.first()? {
        b'\n' | b'\r' => 0,
        _ => memchr::memchr2(b'\n', b'\r', rest)?,
    };
    Some((at + step, *rest.get(step)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(pieces: &[&str]) -> Vec<(String, String, String)> {
        let mut parser = SseParser::new(100);
        let mut frames = Vec::new();
        let mut sink = |f: Result<&Frame<'_>, Undecodable>| {
            let f = f.unwrap();
            frames.push((f.event.to_owned(), f.data.to_owned(), f.id.to_owned()));
            false
        };
        for piece in pieces {
            parser.feed(piece, &mut sink).unwrap();
        }
        parser.finish(&mut sink).unwrap();
        frames
    }

    fn frame(event: &str, data: &str, id: &str) -> (String, String, String) {
        (event.into(), data.into(), id.into())
    }

    #[test]
    fn the_grammar_at_every_cut() {
        let cases = [
            (
                "data: a\n\ndata:b\r\n\r\ndata:  c\r\rdata\ndata\n\n",
                vec![("", "a", ""), ("", "b", ""), ("", " c", ""), ("", "\n", "")],
            ),
            (
                "\u{FEFF}: hi\n\nevent: x\nid: 7\ndata: 1\ndata: 2\r\ndata:3\r\n\ndata:d\n\n",
                vec![("x", "1\n2\n3", "7"), ("", "d", "7")],
            ),
            ("id: a\0b\nretry: 12x\nretry: 250\n data: no\nDATA: no\ndata: ü🙂\n\ndata:\n\n", vec![("", "ü🙂", "")]),
            ("data: last", vec![("", "last", "")]),
            ("data: \u{FEFF}x\n\nid\ndata: y\n", vec![("", "\u{FEFF}x", ""), ("", "y", "")]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.into_iter().map(|(e, d, i)| frame(e, d, i)).collect();
            assert_eq!(frames(&[text]), expected, "{text:?}");
            for (before, after) in (0..=text.len()).filter_map(|cut| text.split_at_checked(cut)) {
                assert_eq!(frames(&[before, after]), expected, "{before:?} | {after:?}");
            }
            let chars: Vec<String> = text.chars().map(String::from).collect();
            let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
            assert_eq!(frames(&chars), expected, "{text:?} char by char");
        }
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_however_it_comes() {
        let long = format!("data: {}\n\n", "x".repeat(101));
        assert_eq!(SseParser::new(100).feed(&long, &mut |_| false), Err(BadBody::FrameTooLong));
        let mut parser = SseParser::new(100);
        let mut last = Ok(());
        for c in long.chars() {
            last = parser.feed(c.encode_utf8(&mut [0; 4]), &mut |_| false).map(drop);
            if last.is_err() {
                break;
            }
        }
        assert_eq!(last, Err(BadBody::FrameTooLong));
        let many = "data: xxxxxxxx\n".repeat(20);
        assert_eq!(SseParser::new(100).feed(&many, &mut |_| false), Err(BadBody::FrameTooLong));
    }
}
