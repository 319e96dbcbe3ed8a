//! Plain implementations of what the core does in a faster way.

pub use crate::support::rfc6902::{decimal, patch};

use super::framing::Frame;
use ag_ui_wasm::wire::Raw;
use serde_json::Value;

/// A value as the core reads it: with halves of surrogate pairs, and the digits of numbers.
pub fn value(raw: Raw<'_>) -> Value {
    if let Some(fields) = raw.object() {
        return Value::Object(fields.iter().map(|(key, raw)| (key.into_owned(), value(raw))).collect());
    }
    if let Some(items) = raw.array() {
        return items.into_iter().map(value).collect();
    }
    match raw.string() {
        Some(text) => text.into(),
        None => serde_json::from_str(raw.text()).unwrap(),
    }
}

/// The event-stream parser of the WHATWG HTML standard, over a whole body; and, as the core does, a last frame without its
/// blank line.
pub fn event_stream(body: &[u8]) -> (Vec<Frame>, String, Option<u64>) {
    let text = private(&String::from_utf8_lossy(body));
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let (mut frames, mut retry) = (Vec::new(), None);
    let (mut data, mut event, mut id, mut own_id) = (None::<String>, String::new(), String::new(), false);
    // The id counts once its frame has ended.
    let mut last_id = String::new();
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        let (line, after) = rest.split_at(at);
        lines.push((line, true));
        rest = after.strip_prefix("\r\n").unwrap_or(&after[1..]);
    }
    lines.push((rest, false));
    for (line, ended) in lines {
        if line.is_empty() {
            // The core passes nothing on that has no data.
            if let Some(data) = data.take().filter(|data| !data.is_empty()) {
                let unterminated = !ended;
                frames.push(Frame { event: event.clone(), data, id: id.clone(), own_id, unterminated });
            }
            if ended {
                last_id.clone_from(&id);
            }
            event.clear();
            own_id = false;
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            },
            "event" => event = value.to_owned(),
            "id" if !value.contains('\0') => {
                id = value.to_owned();
                own_id = true;
            }
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                retry = value.parse().ok().or(retry);
            }
            _ => {}
        }
    }
    if let Some(data) = data.filter(|data| !data.is_empty()) {
        frames.push(Frame { event, data, id: id.clone(), own_id, unterminated: true });
    }
    (frames, last_id, retry)
}

/// Characters of the range that halves of surrogate pairs are kept in, as the core keeps them: as two halves.
pub fn private(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c < '\u{10F800}' {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push(char::from_u32(u32::from(*unit) - 0xD800 + 0x10_F800).unwrap());
        }
    }
    out
}
