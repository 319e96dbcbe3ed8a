//! Bytes ↔ typed AG-UI values. Uses nothing else of the crate.
//!
//! ```text
//!         ┌► utf8 ─► sse, split ──┐
//! bytes ──┤                       ├► frame ─┬► delta             message, input ─► JSON text
//!         └► packets ─► protobuf ─┘         └► json ─► event
//! ```
//!
//! Nothing is copied on the way in but what was split over two reads, what was escaped, and what a caller keeps.

mod cutter;
mod delta;
mod event;
mod fields;
mod framing;
mod gather;
mod index;
mod input;
mod joined;
mod json;
mod keyed;
mod number;
mod packets;
mod pointer;
mod protobuf;
mod protocol;
mod scan;
pub(crate) mod shapes;
mod split;
mod sse;
mod template;
mod text;
mod time;
mod tree;
mod undecodable;
mod utf8;
mod violation;
mod wanted;
mod warning;
mod words;
mod write;

pub use delta::{Delta, DeltaKind};
pub(crate) use event::{Classification, EVENTS};
pub use event::{Event, Incoming, Str, frame_fields, frame_type};
pub use framing::{BINARY_MEDIA_TYPE, Format, Framer};
pub use index::seed;
pub use json::{Fields, JsonError, Raw};
pub use protobuf::to_json;
pub use protocol::{PROTOCOL_VERSION, Protocol};
pub use sse::{BadBody, Frame, SseParser};
pub use tree::Tree;
pub(crate) use tree::{Builder, Misfit, Object, Undo, decimal, element, new_element};
pub use undecodable::{Limits, Undecodable};
pub use utf8::Utf8Decoder;
pub(crate) use utf8::decode;
pub use violation::{Repair, Violation};
pub use wanted::Wanted;
pub use warning::Warning;

pub(crate) use cutter::Cutter;
pub(crate) use gather::Gather;
pub(crate) use index::{At, Index, hash};
pub(crate) use input::{RunAgentInput, refill};
pub(crate) use json::is_number;
pub(crate) use keyed::Keyed;
pub(crate) use number::write_number;
pub(crate) use pointer::{Token, is_pointer, split_back, split_front};
pub(crate) use scan::same;
pub(crate) use text::{
    cut, for_engine, keep_private, pair, pieces, quoted, shortened, shown_id, text_after, to_camel, utf16, write_char,
    write_json, write_string, write_unit,
};
pub(crate) use time::parse_time;
pub(crate) use words::words;
pub(crate) use write::JsonWriter;
