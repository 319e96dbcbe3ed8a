//! Framings: the frames do not depend on how the body is cut, and are those that a plain reading gives.

use super::{cut, reference, seeded};
use ag_ui_wasm::wire::{BadBody, Format, Framer, Limits, Raw, to_json};

/// Frames, their last id, the reconnection time, and why the body could not be read on.
#[derive(Debug, PartialEq)]
struct Read {
    frames: Vec<Frame>,
    last_id: String,
    retry: Option<u64>,
    end: Result<(), BadBody>,
}

#[derive(Debug, PartialEq, Clone)]
pub struct Frame {
    pub event: String,
    pub data: String,
    pub id: String,
    pub own_id: bool,
    pub unterminated: bool,
}

fn read(format: Format, limit: usize, pieces: &[&[u8]]) -> Read {
    let mut framer = Framer::new(format, limit, 100);
    let mut frames = Vec::new();
    let mut sink = |frame: Result<&ag_ui_wasm::wire::Frame<'_>, ag_ui_wasm::wire::Undecodable>| {
        frames.push(match frame {
            Ok(frame) => {
                assert!(frame.alike <= 1, "frames come one by one where that is asked for");
                Frame {
                    event: frame.event.to_owned(),
                    data: frame.data.to_owned(),
                    id: frame.id.to_owned(),
                    own_id: frame.own_id,
                    unterminated: frame.unterminated,
                }
            }
            Err(error) => Frame {
                event: String::new(),
                data: format!("{error}"),
                id: String::new(),
                own_id: false,
                unterminated: false,
            },
        });
        false
    };
    let mut end = Ok(());
    for piece in pieces {
        end = framer.feed(piece, false, &mut sink);
        if end.is_err() {
            break;
        }
    }
    if end.is_ok() {
        end = framer.finish(&mut sink);
    }
    Read { frames, last_id: framer.last_id().to_owned(), retry: framer.retry(), end }
}

/// The content of joined frames: each kind with its id, and how many frames that were.
fn content(pieces: &[&[u8]], joins: bool) -> (Vec<(String, String, u32)>, bool) {
    let mut framer = Framer::new(Format::EventStream, 1 << 24, 100);
    let mut told: Vec<(String, String, u32)> = Vec::new();
    let mut sink = |frame: Result<&ag_ui_wasm::wire::Frame<'_>, ag_ui_wasm::wire::Undecodable>| {
        let Ok(frame) = frame else { return false };
        let Some(delta) = frame.delta else {
            told.push((frame.data.to_owned(), String::new(), 1));
            return false;
        };
        let key = format!("{:?} {}", delta.kind, delta.id.decode());
        let text = delta.delta.decode();
        match told.last_mut().filter(|(last, _, _)| *last == key) {
            Some((_, all, count)) => {
                all.push_str(&text);
                *count += frame.alike.max(1);
            }
            None => told.push((key, text.into_owned(), frame.alike.max(1))),
        }
        joins
    };
    let mut ok = true;
    for piece in pieces {
        ok = ok && framer.feed(piece, joins, &mut sink).is_ok();
    }
    ok = ok && framer.finish(&mut sink).is_ok();
    (told, ok)
}

pub fn sse(data: &[u8]) {
    let (mut random, body) = seeded(data);
    let format = [Format::EventStream, Format::EventStream, Format::Lines, Format::Unknown][random.below(4)];
    let limit = [1 << 24, 1 << 24, 64, 700, 5000][random.below(5)];
    let pieces = cut(&mut random, body);
    let whole = read(format, limit, &[body]);
    let in_pieces = read(format, limit, &pieces);
    assert_eq!(in_pieces, whole, "the frames depend on the cuts");
    if format == Format::EventStream && whole.end.is_ok() {
        let (frames, last_id, retry) = reference::event_stream(body);
        assert_eq!(whole.frames, frames);
        assert_eq!((whole.last_id, whole.retry), (last_id, retry));
        if limit == 1 << 24 {
            let alone = content(&[body], false);
            assert_eq!(content(&[body], true), alone, "joined frames say something else");
            assert_eq!(content(&pieces, true), alone, "joined frames depend on the cuts");
        }
    }
}

pub fn binary(data: &[u8]) {
    let (mut random, body) = seeded(data);
    let limit = [1 << 24, 64, 700][random.below(3)];
    let whole = read(Format::Binary, limit, &[body]);
    assert_eq!(read(Format::Binary, limit, &cut(&mut random, body)), whole, "the frames depend on the cuts");
    let limits = Limits { depth: [100, 5][random.below(2)], bytes: limit };
    let mut rest = body;
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let length = (u32::from_be_bytes(*length) as usize).min(tail.len());
        let (packet, others) = tail.split_at(length);
        let mut out = "before".to_owned();
        match to_json(packet, limits, &mut out) {
            Ok(_) => {
                let json = out.strip_prefix("before").unwrap();
                assert!(json.len() <= limits.bytes, "longer than the limit");
                let fields = Raw::parse_object(json, limits.depth).unwrap_or_else(|error| panic!("{error:?}: {json}"));
                assert!(fields.unwrap().get("type").is_some());
            }
            Err(_) => assert_eq!(out, "before", "what is no event leaves nothing"),
        }
        rest = others;
    }
}
