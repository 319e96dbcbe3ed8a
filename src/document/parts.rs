//! Content parts of a message: what AG-UI 1.0 has is kept, what 0.0 had is converted, the rest is left out and noted.
//! And the way back, for servers that are older.

use crate::wire::{At, Fields, Index, JsonWriter, Protocol, Raw, Tree, Warning, cut, write_string};
use std::borrow::Cow;

const MEDIA: [&str; 4] = ["image", "audio", "video", "document"];

/// The parts of a list that are parts of AG-UI 1.0.
pub(super) fn read(list: Raw<'_>, notes: &mut Vec<Warning>) -> Tree {
    let (mut count, mut converted) = (0, Vec::new());
    let json = JsonWriter::array_text(|parts| {
        list.each(&mut |_, part| {
            let problem = match part {
                Some(part) if upgrade(part, parts).is_some() => {
                    converted.push(count);
                    None
                }
                Some(part) => clean(part, parts),
                None => Some(("part-malformed", "an object")),
            };
            match problem {
                Some((code, expected)) => {
                    notes.push(Warning::new(code, format!("a content part was left out: expected {expected}")));
                }
                None => count += 1,
            }
        });
    });
    let tree = Tree::read(Raw::known(&json));
    if converted.is_empty() {
        return tree;
    }
    Tree::read(Raw::known(&without_twins(&tree.to_json(), &converted)))
}

/// The parts without what servers of the time between sent in both shapes: those converted ones that are there as they
/// are now, too.
fn without_twins(json: &str, converted: &[usize]) -> String {
    let mut modern = Index::new();
    let each = |take: &mut dyn FnMut(Raw<'_>, &Fields<'_>, bool)| {
        let mut at = 0;
        Raw::known(json).each(&mut |raw, part| {
            part.into_iter().for_each(|part| take(raw, part, converted.binary_search(&at).is_ok()));
            at += 1;
        });
    };
    each(&mut |_, part, is_converted| {
        if !is_converted {
            let keys = [media_key(part, true), media_key(part, false)].into_iter().flatten();
            for key in keys {
                modern.insert(key, At::default());
            }
        }
    });
    JsonWriter::array_text(|parts| {
        each(&mut |raw, part, is_converted| {
            let key = media_key(part, part.get("metadata").is_some()).filter(|_| is_converted);
            if key.is_none_or(|key| !modern.contains_key(&key)) {
                parts.item().push_str(raw.text());
            }
        });
    })
}

/// Writes a part with the members that AG-UI 1.0 gives it, or says what is wrong with it.
fn clean(part: &Fields<'_>, parts: &mut JsonWriter<'_>) -> Option<(&'static str, &'static str)> {
    let source = match part.text("type").as_deref() {
        Some("text") if part.text("text").is_some() => None,
        Some("text") => return Some(("part-malformed", "a text")),
        Some(kind) if MEDIA.contains(&kind) => match part.object("source") {
            Some(source) => Some(source),
            None => return Some(("part-malformed", "a source")),
        },
        _ => return Some(("part-unknown", "a type of AG-UI 1.0")),
    };
    let Some(source) = source else {
        keep(parts.item(), part, &["type", "id", "text", "metadata"], "");
        return None;
    };
    let known = match source.text("type").as_deref() {
        Some("data") if source.text("mimeType").is_none() => {
            return Some(("part-malformed", "a source with a mimeType"));
        }
        Some("data" | "url" | "file") if source.text("value").is_none() => {
            return Some(("part-malformed", "a source with a value"));
        }
        Some("data" | "url") => SOURCE,
        Some("file") => FILE,
        _ => return Some(("part-unknown", "a source type of AG-UI 1.0")),
    };
    let mut json = String::new();
    keep(&mut json, &source, known, "");
    keep(parts.item(), part, &["type", "id", "source", "metadata"], &json);
    None
}

const SOURCE: &[&str] = &["type", "value", "mimeType"];
const FILE: &[&str] = &["type", "value", "provider", "mimeType"];

/// Writes these members, and `source` in the place of that one. Some encoders write `null` for what a part has not.
#[inline(never)]
fn keep(out: &mut String, fields: &Fields<'_>, names: &[&str], source: &str) {
    let mut object = JsonWriter::object(out);
    for (name, _) in fields.iter() {
        // A name that comes twice is written twice, and read once.
        if let Some(value) = fields.some(&name).filter(|_| names.contains(&&*name)) {
            object.member(&name).push_str(if name == "source" { source } else { value.text() });
        }
    }
}

/// Writes a `binary` part of AG-UI 0.0 as a media part, where it is one that has what that needs.
fn upgrade(part: &Fields<'_>, parts: &mut JsonWriter<'_>) -> Option<()> {
    part.text("type").filter(|kind| kind == "binary")?;
    let mime = part.text("mimeType")?;
    let filled = |name: &str| part.text(name).filter(|text| !text.is_empty());
    let (source_type, value) = match filled("data") {
        Some(data) => ("data", data),
        None => ("url", filled("url")?),
    };
    let prefix = cut(&mime, b'/').map_or("", |(prefix, _)| prefix);
    let kind = MEDIA.into_iter().find(|kind| *kind == prefix && *kind != "document").unwrap_or("document");
    let mut media = JsonWriter::object(parts.item());
    media.string("type", kind);
    JsonWriter::object(media.member("source"))
        .string("type", source_type)
        .string("value", &value)
        .string("mimeType", &mime);
    if let Some(filename) = filled("filename") {
        JsonWriter::object(media.member("metadata")).string("filename", &filename);
    }
    media.close();
    Some(())
}

/// The identity of a media part, with or without its file name: the same part has the same key in both shapes.
fn media_key(part: &Fields<'_>, named: bool) -> Option<String> {
    let source = part.object("source").filter(|source| source.raw().len() == 3)?;
    let name =
        part.get("metadata").filter(|_| named).and_then(Raw::object).and_then(|metadata| metadata.get("filename"));
    let texts = [part.text("type"), source.text("type"), source.text("mimeType"), source.text("value")];
    let mut key = String::new();
    let mut list = JsonWriter::array(&mut key);
    for text in texts {
        write_string(list.item(), &text?);
    }
    if let Some(name) = name {
        match name.string() {
            Some(name) => write_string(list.item(), &name),
            None => list.item().push_str(name.text()),
        }
    }
    list.close();
    Some(key)
}

/// Writes clean parts as the `content` for a server that does not know all of them. Says how many were left out.
pub(super) fn write_old(message: &mut JsonWriter<'_>, parts: &Tree, protocol: Protocol) -> usize {
    let json = parts.to_json();
    let parts = Raw::known(&json);
    let content = message.member("content");
    if !protocol.part_lists() {
        let (mut texts, mut left_out) = (String::new(), 0);
        parts.each(&mut |_, part| match part.and_then(|part| part.text("text")) {
            Some(text) => texts.push_str(&text),
            None => left_out += 1,
        });
        write_string(content, &texts);
        return left_out;
    }
    let mut list = JsonWriter::array(content);
    parts.each(&mut |raw, part| {
        let part = part.and_then(|part| Some((part, part.object("source")?)));
        match part {
            Some((part, source)) => write_binary(list.item(), part, &source),
            None => list.item().push_str(raw.text()),
        }
    });
    list.close();
    0
}

/// A media part as the `binary` part that it was before 0.0.48, where it must have a type.
fn write_binary(out: &mut String, part: &Fields<'_>, source: &Fields<'_>) {
    let mime = source.text("mimeType").unwrap_or(Cow::Borrowed(match part.text("type").as_deref() {
        Some("image") => "image/*",
        Some("audio") => "audio/*",
        Some("video") => "video/*",
        _ => "application/octet-stream",
    }));
    let place = match source.text("type").as_deref() {
        Some("data") => "data",
        Some("url") => "url",
        _ => "id",
    };
    let metadata = part.object("metadata");
    let filename = metadata.and_then(|metadata| metadata.text("filename"));
    let mut binary = JsonWriter::object(out);
    binary.string("type", "binary").string("mimeType", &mime);
    binary.optional(place, source.text("value").as_deref()).optional("filename", filename.as_deref());
}
