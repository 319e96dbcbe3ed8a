//! The fast way for the three events that streams consist of.
//!
//! A frame that is nothing but a content event with the usual members is read in one pass, without a list of members
//! and without an [`Event`](super::Event): several times as fast as the general way (`event.rs`), which takes every
//! other frame, and decides what is wrong with one.

use super::event::Str;
use super::scan::{digits, same_literal};
use super::text::string_end;
use std::ops::Range;

/// The kind of text that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeltaKind {
    /// TEXT_MESSAGE_CONTENT
    Text,
    /// TOOL_CALL_ARGS
    Args,
    /// REASONING_MESSAGE_CONTENT
    Reasoning,
}

impl DeltaKind {
    /// The type of the event, and the member that has the id.
    pub(crate) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Text => ("TEXT_MESSAGE_CONTENT", "messageId"),
            Self::Args => ("TOOL_CALL_ARGS", "toolCallId"),
            Self::Reasoning => ("REASONING_MESSAGE_CONTENT", "messageId"),
        }
    }
}

/// A content event without `subagentRunId` and metadata.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delta<'a> {
    /// The kind of text that grows.
    pub kind: DeltaKind,
    /// `messageId` or `toolCallId`.
    pub id: Str<'a>,
    /// The added text.
    pub delta: Str<'a>,
}

/// Where the parts of a [`Delta`] stand in its frame.
#[derive(Debug)]
pub(super) struct Places {
    /// The inside of the literal.
    pub id: Range<usize>,
    pub delta: Range<usize>,
    /// The digits.
    pub time: Option<Range<usize>>,
}

impl<'a> Delta<'a> {
    /// The event, if `frame` is a content event with no other members than its type, id, delta and timestamp.
    pub fn read(frame: &'a str) -> Option<Self> {
        Self::read_places(frame).map(|(delta, _)| delta)
    }

    pub(super) fn read_places(frame: &'a str) -> Option<(Self, Places)> {
        let mut scan = Scan { text: frame, at: 0 };
        let (mut kind, mut message_id, mut call_id, mut delta, mut time) = (None, None, None, None, None);
        scan.byte(b'{').then_some(())?;
        loop {
            scan.space();
            if scan.literal(b"\"delta\":") {
                delta = Some(scan.string()?);
            } else if scan.literal(b"\"messageId\":") {
                message_id = Some(scan.string()?);
            } else if scan.literal(b"\"type\":") {
                kind = Some(scan.kind()?);
            } else if scan.literal(b"\"timestamp\":") {
                time = Some(scan.digits()?);
            } else if scan.literal(b"\"toolCallId\":") {
                call_id = Some(scan.string()?);
            } else {
                return None;
            }
            scan.space();
            if !scan.byte(b',') {
                break;
            }
        }
        if !scan.byte(b'}') || scan.at != frame.len() {
            return None;
        }
        let kind = kind?;
        let id = match (kind, message_id, call_id) {
            (DeltaKind::Args, None, Some(id)) | (DeltaKind::Text | DeltaKind::Reasoning, Some(id), None) => id,
            _ => return None,
        };
        let delta = delta?;
        let place = |part: Str<'_>| {
            let start = part.raw().as_ptr() as usize - frame.as_ptr() as usize;
            start..start + part.raw().len()
        };
        let places = Places { id: place(id), delta: place(delta), time };
        Some((Self { kind, id, delta }, places))
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline(always)]
    fn byte(&mut self, wanted: u8) -> bool {
        let same = self.peek() == Some(wanted);
        self.at += usize::from(same);
        same
    }

    /// Takes `wanted`, of at least four bytes, if it stands here.
    #[inline(always)]
    fn literal<const N: usize>(&mut self, wanted: &[u8; N]) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let same = rest.first_chunk::<N>().is_some_and(|here| same_literal(here, wanted));
        if same {
            self.at += N;
        }
        same
    }

    #[inline(always)]
    fn space(&mut self) {
        if self.peek() == Some(b' ') {
            self.spaces();
        }
    }

    #[inline(never)]
    fn spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn kind(&mut self) -> Option<DeltaKind> {
        self.space();
        if self.literal(b"\"TEXT_MESSAGE_CONTENT\"") {
            Some(DeltaKind::Text)
        } else if self.literal(b"\"TOOL_CALL_ARGS\"") {
            Some(DeltaKind::Args)
        } else if self.literal(b"\"REASONING_MESSAGE_CONTENT\"") {
            Some(DeltaKind::Reasoning)
        } else {
            None
        }
    }

    fn string(&mut self) -> Option<Str<'a>> {
        self.space();
        self.byte(b'"').then_some(())?;
        let start = self.at;
        let (end, escaped) = string_end(self.text.as_bytes(), start).ok()?;
        self.at = end + 1;
        Some(Str::new(self.text.get(start..end)?, escaped))
    }

    fn digits(&mut self) -> Option<Range<usize>> {
        self.space();
        let start = self.at;
        self.at = digits_end(self.text.as_bytes(), start)?;
        Some(start..self.at)
    }
}

/// Where a number ends that begins at `at`, and is digits and nothing else.
pub(super) fn digits_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let (length, zero) = (digits(rest), rest.first() == Some(&b'0'));
    rest.get(length)?;
    // A longer one may be no integer of AG-UI's (2^53 has 16 digits): the general way looks at it.
    (length == 1 || (length > 1 && length < 16 && !zero)).then_some(at + length)
}

#[cfg(test)]
mod tests {
    use super::super::event::{Event, Incoming};
    use super::*;

    #[test]
    fn what_it_takes_is_what_the_general_way_reads() {
        let taken = [
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\n\"b\\"}"#,
            r#"{ "delta": "", "messageId": "ü" , "type": "REASONING_MESSAGE_CONTENT" }"#,
            r#"{"type":"TOOL_CALL_ARGS","timestamp":17,"toolCallId":"t","delta":"{","delta":"[\ud83d"}"#,
        ];
        for frame in taken {
            let Delta { kind, id, delta } = Delta::read(frame).expect(frame);
            match (kind, Incoming::read(&crate::wire::frame_fields(frame, 9).unwrap(), &mut |_| {}).unwrap().event) {
                (DeltaKind::Text, Event::TextMessageContent { message_id, delta: general })
                | (DeltaKind::Reasoning, Event::ReasoningMessageContent { message_id, delta: general }) => {
                    assert_eq!((id, delta), (message_id, general), "{frame}");
                }
                (DeltaKind::Args, Event::ToolCallArgs { tool_call_id, delta: general }) => {
                    assert_eq!((id, delta), (tool_call_id, general), "{frame}");
                }
                other => panic!("{frame}: {other:?}"),
            }
        }
        let left = [
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","metadata":{}}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a","subagentRunId":"s"}"#,
            r#"{"type":"TOOL_CALL_ARGS","messageId":"m","delta":"a"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a",}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\x"}"#,
            "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"\t\"}",
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":7}"#,
            r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","timestamp":01,"delta":"a"}"#,
            r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}"#,
            r#"{,"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}"#,
            r#"{"type":"TEXT_MESSAGE_END","messageId":"m","delta":"a"}"#,
            "",
            "ü",
        ];
        for frame in left {
            assert!(Delta::read(frame).is_none(), "{frame}");
        }
    }
}
