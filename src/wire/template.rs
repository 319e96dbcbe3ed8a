//! Frames that differ from the last one in their delta and the time only, which the frames of a message do: what is the same
//! is compared and not read again. Several times as fast as reading it, and never says anything else than reading it would.
//!
//! ```text
//!  data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"▒▒▒▒","timestamp":▒▒▒▒}⏎⏎
//! ```

use super::delta::{Delta, DeltaKind, Places, digits_end};
use super::event::Str;
use super::scan::starts_with;
use super::text::string_end;
use std::ops::Range;

/// The last frame, as it stood in the stream.
#[derive(Debug)]
pub(super) struct Template {
    /// From the first byte to the last of its blank line.
    text: String,
    kind: DeltaKind,
    id: Range<usize>,
    id_escaped: bool,
    data: Range<usize>,
    delta: Range<usize>,
    /// Before the delta or after it.
    time: Option<Range<usize>>,
}

/// Where the parts of a frame stand that is like it.
#[derive(Debug, Clone)]
pub(super) struct Alike {
    pub delta: Range<usize>,
    /// The delta has escapes.
    pub escaped: bool,
    /// Where the next frame begins.
    pub end: usize,
}

impl Template {
    /// Takes a frame: `text` is all of it, one line and a blank one, `data` the data in it.
    pub fn learn(known: &mut Option<Self>, text: &str, data: &str, delta: &Delta<'_>, places: &Places) {
        let at = data.as_ptr() as usize - text.as_ptr() as usize;
        let moved = |range: &Range<usize>| range.start + at..range.end + at;
        let mut kept = known.take().map(|known| known.text).unwrap_or_default();
        text.clone_into(&mut kept);
        *known = Some(Self {
            text: kept,
            kind: delta.kind,
            id: moved(&places.id),
            id_escaped: delta.id.escaped,
            data: at..at + data.len(),
            delta: moved(&places.delta),
            time: places.time.as_ref().map(moved),
        });
    }

    /// The frame that begins at `at`, if it is whole and like this one.
    pub fn read(&self, text: &str, at: usize) -> Option<Alike> {
        let bytes = text.as_bytes();
        let (mut from, mut to) = (0, at);
        let before = self.time.as_ref().filter(|time| time.start < self.delta.start);
        let behind = self.time.as_ref().filter(|time| time.start > self.delta.start);
        if let Some(time) = before {
            to = digits_end(bytes, self.skip(bytes, to, from..time.start)?)?;
            from = time.end;
        }
        let start = self.skip(bytes, to, from..self.delta.start)?;
        let (end, escaped) = string_end(text.as_bytes(), start).ok()?;
        (from, to) = (self.delta.end, end);
        if let Some(time) = behind {
            to = digits_end(bytes, self.skip(bytes, to, from..time.start)?)?;
            from = time.end;
        }
        Some(Alike { delta: start..end, escaped, end: self.skip(bytes, to, from..self.text.len())? })
    }

    /// Reads a frame that is like this one. `added`: the text of its delta.
    pub fn delta<'a>(&'a self, added: Str<'a>) -> Option<Delta<'a>> {
        Some(Delta { kind: self.kind, id: Str::new(self.text.get(self.id.clone())?, self.id_escaped), delta: added })
    }

    /// The data of a frame that is like this one, and of which this is all.
    pub fn data<'a>(&self, frame: &'a str) -> &'a str {
        let tail = self.text.len() - self.data.end;
        frame.get(self.data.start..frame.len() - tail).unwrap_or_default()
    }

    /// After this part of the template, if it stands at `at`.
    #[inline(always)]
    fn skip(&self, bytes: &[u8], at: usize, part: Range<usize>) -> Option<usize> {
        let part = self.text.as_bytes().get(part)?;
        starts_with(bytes.get(at..)?, part).then_some(at + part.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::sse::{Frame, SseParser};
    use super::super::undecodable::Undecodable;
    use super::*;

    type ReadFrame = (String, Option<(DeltaKind, String, String)>);

    /// The parsed text: the data and the deltas.
    fn read(parser: &mut SseParser, text: &str) -> Vec<ReadFrame> {
        let mut frames = Vec::new();
        let mut sink = |frame: Result<&Frame<'_>, Undecodable>| {
            let frame = frame.unwrap();
            let delta = frame.delta.map(|Delta { kind, id, delta }| (kind, id.to_text(), delta.to_text()));
            frames.push((frame.data.to_owned(), delta));
            false
        };
        parser.feed(text, &mut sink).unwrap();
        frames
    }

    const FIRST: &str =
        "data: {\"type\":\"TOOL_CALL_ARGS\",\"timestamp\":170,\"toolCallId\":\"a\\u0062\",\"delta\":\"{\"}\n\n";

    #[test]
    fn a_frame_that_is_like_the_last_one_reads_as_it_would_alone() {
        let firsts = [
            FIRST.to_owned(),
            FIRST.replace('\n', "\r\n"),
            FIRST.replace("\n\n", "\n: comment\n\n"),
            FIRST.replace("\"timestamp\":170,", "").replace("\"}", "\",\"timestamp\":0}"),
            FIRST.replace("TOOL_CALL_ARGS", "TEXT_MESSAGE_CONTENT").replace("toolCallId", "messageId"),
        ];
        for first in &firsts {
            let changes = [
                ("{\"}", "\\\"q\\\\\"}"),
                ("{\"}", "\"}"),
                ("{\"}", "\u{1F642}a rather long delta, more than sixteen bytes of it\"}"),
                ("170", "9007199254740993"),
                ("170", "017"),
                ("170", "1.5"),
                ("170", "-1"),
                ("170", ""),
                ("{\"}", "\\x\"}"),
                ("{\"}", "\t\"}"),
                ("a\\u", "b\\u"),
                ("ARGS", "ARGZ"),
                ("\"}", "\",\"metadata\":{}}"),
                ("data:", "event: x\ndata:"),
                ("data:", "id: 7\ndata:"),
                ("data:", "data: 1\ndata:"),
                ("\"}", "\"} "),
                ("\n\n", "\ndata: }\n\n"),
            ];
            for (from, to) in changes {
                let next = first.replacen(from, to, 1);
                let alone = read(&mut SseParser::new(1000), &next);
                let mut parser = SseParser::new(1000);
                read(&mut parser, first);
                assert_eq!(read(&mut parser, &next), alone, "{next:?} after {first:?}");
                // And what comes next is not read otherwise for it.
                assert_eq!(read(&mut parser, first), read(&mut SseParser::new(1000), first), "after {next:?}");
            }
        }
    }

    #[test]
    fn a_frame_over_the_limit_is_refused_though_it_is_alike() {
        let mut parser = SseParser::new(FIRST.len() + 20);
        read(&mut parser, FIRST);
        let long = FIRST.replace("{\"}", &format!("{}\"}}", "x".repeat(40)));
        assert!(parser.feed(&long, &mut |_| false).is_err());
    }

    #[test]
    fn it_is_used() {
        let mut parser = SseParser::new(1000);
        read(&mut parser, FIRST);
        let template = parser.template().expect("the frame was learned");
        let next = FIRST.replace("170", "171").replace("{\"}", "1\"}");
        let alike = template.read(&next, 0).expect("they are alike");
        assert_eq!((alike.end, next.get(alike.delta)), (next.len(), Some("1")));
        assert_eq!(template.data(&next), next.get(6..).unwrap().trim_end());
    }

    #[test]
    fn those_that_come_as_one_say_what_they_say_one_by_one() {
        let deltas = ["", "a", "ü🙂", "\\n", "\\ud83d", "\\ude42", "longer than the sixteen bytes of a block", "\\\\"];
        for rounds in [1, 2, 30] {
            let text: String = deltas
                .iter()
                .cycle()
                .take(rounds * deltas.len())
                .map(|delta| FIRST.replace("{\"}", &format!("{delta}\"}}")))
                .collect();
            let (mut taken, mut joined) = (Vec::new(), String::new());
            let mut sink = |frame: Result<&Frame<'_>, Undecodable>| {
                let Frame { alike, delta, .. } = frame.unwrap();
                taken.push(*alike);
                joined.push_str(&delta.expect("a delta").delta.to_text());
                true
            };
            SseParser::new(1000).feed(&text, &mut sink).unwrap();
            let expected = deltas.concat().repeat(rounds);
            assert_eq!(taken, [0, (rounds * deltas.len()) as u32 - 1]);
            assert_eq!(joined, Str::new(&expected, true).to_text());
        }
    }
}
