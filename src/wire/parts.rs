//! Content parts of a message: what AG-UI 1.0 has is kept, what 0.0 had is converted, the rest is left out and noted.
//! And the way back, for servers that are older.

use super::Gather;
use super::index::{At, Index};
use super::message::Note;
use super::protocol::Protocol;
use super::text::write_string;
use super::write::{JsonWriter, write_value};
use serde_json::{Map, Value};

const MEDIA: [&str; 4] = ["image", "audio", "video", "document"];

/// The parts of a list that are parts of AG-UI 1.0.
pub(super) fn read(list: Value, notes: &mut Vec<Note>) -> Value {
    let Value::Array(list) = list else { return list };
    let mut parts: Vec<Option<Map<String, Value>>> = Vec::with_capacity(list.len());
    let mut converted = Vec::new();
    for item in list {
        let Value::Object(part) = item else {
            notes.push(Note::new("part-malformed", "a content part was left out: expected an object"));
            continue;
        };
        if text(&part, "type") == Some("binary")
            && let Some(media) = upgrade(&part)
        {
            converted.push(parts.len());
            parts.push(Some(media));
        } else {
            parts.extend(clean(part, notes).map(Some));
        }
    }
    // Servers of the time between sent the same thing in both shapes.
    if !converted.is_empty() {
        let mut modern = Index::new();
        let mut next = converted.iter().peekable();
        for (at, part) in parts.iter().enumerate() {
            if next.next_if(|converted| **converted == at).is_none() {
                let names = part.iter().flat_map(|part| [media_key(part, true), media_key(part, false)]);
                modern.extend(names.flatten().map(|key| (key, At::default())));
            }
        }
        for at in converted {
            let Some(part) = parts.get_mut(at) else { continue };
            let key = part.as_ref().and_then(|media| media_key(media, media.contains_key("metadata")));
            if key.is_some_and(|key| modern.contains_key(&key)) {
                *part = None;
            }
        }
    }
    Value::Array(parts.into_iter().flatten().map(Value::Object).gather())
}

fn text<'p>(map: &'p Map<String, Value>, name: &str) -> Option<&'p str> {
    map.get(name).and_then(Value::as_str)
}

/// A part with the members that AG-UI 1.0 gives it.
fn clean(mut part: Map<String, Value>, notes: &mut Vec<Note>) -> Option<Map<String, Value>> {
    let problem = match text(&part, "type") {
        Some("text") => {
            keep(&mut part, &["type", "id", "text", "metadata"]);
            text(&part, "text").is_none().then_some(("part-malformed", "a text"))
        }
        Some(kind) if MEDIA.contains(&kind) => {
            keep(&mut part, &["type", "id", "source", "metadata"]);
            match part.get_mut("source") {
                Some(Value::Object(source)) => clean_source(source),
                _ => Some(("part-malformed", "a source")),
            }
        }
        _ => Some(("part-unknown", "a type of AG-UI 1.0")),
    };
    let Some((code, expected)) = problem else { return Some(part) };
    notes.push(Note::new(code, format!("a content part was left out: expected {expected}")));
    None
}

fn clean_source(source: &mut Map<String, Value>) -> Option<(&'static str, &'static str)> {
    let known: &[&str] = match text(source, "type") {
        Some("data") if text(source, "mimeType").is_none() => {
            return Some(("part-malformed", "a source with a mimeType"));
        }
        Some("data" | "url") => &["type", "value", "mimeType"],
        Some("file") => &["type", "value", "provider", "mimeType"],
        _ => return Some(("part-unknown", "a source type of AG-UI 1.0")),
    };
    keep(source, known);
    text(source, "value").is_none().then_some(("part-malformed", "a source with a value"))
}

/// Keeps these members. Some encoders write `null` for what a part has not.
#[inline(never)]
fn keep(map: &mut Map<String, Value>, names: &[&str]) {
    map.retain(|name, member| names.contains(&name.as_str()) && !member.is_null());
}

/// A `binary` part of AG-UI 0.0 as a media part.
fn upgrade(part: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mime = text(part, "mimeType")?;
    let filled = |name: &str| text(part, name).filter(|text| !text.is_empty());
    let (source_type, value) = match (filled("data"), filled("url")) {
        (Some(data), _) => ("data", data),
        (None, Some(url)) => ("url", url),
        _ => return None,
    };
    let prefix = mime.split_once('/').map_or("", |(prefix, _)| prefix);
    let kind = MEDIA.into_iter().find(|kind| *kind == prefix && *kind != "document").unwrap_or("document");
    let source = object(&[("type", source_type), ("value", value), ("mimeType", mime)]);
    let mut media = object(&[("type", kind)]);
    media.insert("source".to_owned(), Value::Object(source));
    if let Some(filename) = filled("filename") {
        media.insert("metadata".to_owned(), Value::Object(object(&[("filename", filename)])));
    }
    Some(media)
}

#[inline(never)]
fn object(members: &[(&str, &str)]) -> Map<String, Value> {
    let mut map = Map::new();
    for (name, text) in members {
        map.insert((*name).to_owned(), Value::String((*text).to_owned()));
    }
    map
}

/// What a media part says, with or without its file name: what is the same in both shapes has the same key.
fn media_key(part: &Map<String, Value>, named: bool) -> Option<String> {
    let source = part.get("source")?.as_object().filter(|source| source.len() == 3)?;
    let name = part.get("metadata").and_then(|metadata| metadata.get("filename")).filter(|_| named);
    let texts = [text(part, "type"), text(source, "type"), text(source, "mimeType"), text(source, "value")];
    let mut key = String::new();
    let mut list = JsonWriter::array(&mut key);
    for text in texts {
        write_string(list.item(), text?);
    }
    name.into_iter().for_each(|name| write_value(list.item(), name));
    list.close();
    Some(key)
}

/// Writes clean parts as the `content` for a server that does not know all of them. Says how many were left out.
pub(super) fn write_old(message: &mut JsonWriter<'_>, parts: &[Value], protocol: Protocol) -> usize {
    if !protocol.part_lists() {
        let is_text = |part: &&Map<String, Value>| text(part, "type") == Some("text");
        let texts: Vec<&str> =
            parts.iter().filter_map(Value::as_object).filter(is_text).filter_map(|part| text(part, "text")).collect();
        message.string("content", &texts.concat());
        return parts.len() - texts.len();
    }
    let mut list = JsonWriter::array(message.member("content"));
    for part in parts {
        match part.get("source").and_then(Value::as_object) {
            Some(source) => write_binary(list.item(), part, source),
            None => write_value(list.item(), part),
        }
    }
    list.close();
    0
}

/// A media part as the `binary` part that it was before 0.0.48, where it must have a type.
fn write_binary(out: &mut String, part: &Value, source: &Map<String, Value>) {
    let mime = text(source, "mimeType").unwrap_or(match part.get("type").and_then(Value::as_str) {
        Some("image") => "image/*",
        Some("audio") => "audio/*",
        Some("video") => "video/*",
        _ => "application/octet-stream",
    });
    let place = match text(source, "type") {
        Some("data") => "data",
        Some("url") => "url",
        _ => "id",
    };
    let filename = part.get("metadata").and_then(|metadata| metadata.get("filename")).and_then(Value::as_str);
    let mut binary = JsonWriter::object(out);
    binary.string("type", "binary").string("mimeType", mime);
    binary.optional(place, text(source, "value")).optional("filename", filename);
    binary.close();
}
