//! Messages and calls as the server reads and writes them.

use super::DEPTH;
use crate::wire::{Fields, JsonError, JsonWriter, Raw};

/// The first of several objects that stand one after the other.
pub(super) fn first_value(args: &str) -> Option<&str> {
    let Err(JsonError::Syntax { at }) = Raw::parse(args, DEPTH) else { return None };
    let first = args.get(..at)?;
    Raw::parse(first, DEPTH).ok().filter(|value| value.is_object()).map(Raw::text)
}

/// The id, name and arguments of a call.
pub(super) type ReadCall = (String, String, String);

/// A call of a message.
pub(super) fn read_call(call: Raw<'_>) -> Option<ReadCall> {
    let call = call.object()?;
    let function = call.object("function")?;
    let own = |fields: &Fields<'_>, name: &str| fields.text(name).map(String::from);
    Some((own(&call, "id")?, own(&function, "name")?, own(&function, "arguments")?))
}

/// A message as the server reads it: images as `binary` parts, arguments that are JSON, its own ids for tool messages.
pub(super) fn write_message(out: &mut String, message: &Fields<'_>, call: Option<&str>) {
    let mut written = JsonWriter::object(out);
    for (key, value) in message.iter() {
        match (&*key, call) {
            ("id", Some(call)) if value.string().is_some_and(|id| id.strip_suffix("-result") == Some(call)) => {
                let id = ["tool-result-", call].concat();
                written.string("id", &id);
            }
            ("content", _) if value.text().starts_with('[') => write_parts(written.member("content"), value),
            ("toolCalls", _) => write_calls(written.member("toolCalls"), value),
            _ => written.member(&key).push_str(value.text()),
        }
    }
}

fn write_parts(out: &mut String, parts: Raw<'_>) {
    let mut list = JsonWriter::array(out);
    for part in parts.array().unwrap_or_default() {
        let fields = part.object();
        let source = fields.filter(|part| part.is("type", "image")).and_then(|part| part.object("source"));
        let data = source.filter(|source| source.is("type", "data"));
        match data.and_then(|source| Some((source.get("mimeType")?, source.get("value")?))) {
            Some((mime, value)) => {
                let mut binary = JsonWriter::object(list.item());
                binary.string("type", "binary");
                binary.member("mimeType").push_str(mime.text());
                binary.member("data").push_str(value.text());
            }
            None => list.item().push_str(part.text()),
        }
    }
}

fn write_calls(out: &mut String, calls: Raw<'_>) {
    let mut list = JsonWriter::array(out);
    for call in calls.array().unwrap_or_default() {
        let (Some(fields), Some((_, _, args))) = (call.object(), read_call(call)) else {
            list.item().push_str(call.text());
            continue;
        };
        let args = if args.trim().is_empty() { "{}" } else { first_value(&args).unwrap_or(&args) };
        let mut written = JsonWriter::object(list.item());
        for (key, value) in fields.iter() {
            match value.object().filter(|_| key == "function") {
                Some(function) => {
                    let mut inner = JsonWriter::object(written.member(&key));
                    inner.copy(&function, &|key| key != "arguments");
                    inner.string("arguments", args);
                }
                None => written.member(&key).push_str(value.text()),
            }
        }
    }
}
