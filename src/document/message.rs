//! The table of a message: AG-UI 1.0's members, and those that the snapshot adds.

use super::call::{Call, wire_id};
use super::parts;
use super::row::{Members, Row, Value};
use super::table::{InRequests, Kind, Member, table};
use super::words::{Delivery, Role};
use crate::wire::{Fields, JsonWriter, Protocol, Raw, Tree, Warning};

const INSTRUCTION: u8 = 1 << Role::Developer as u8 | 1 << Role::System as u8;
const ASSISTANT: u8 = 1 << Role::Assistant as u8;
const USER: u8 = 1 << Role::User as u8;
const TOOL: u8 = 1 << Role::Tool as u8;
const ACTIVITY: u8 = 1 << Role::Activity as u8;
const REASONING_MESSAGE: u8 = 1 << Role::Reasoning as u8;

table! {
    /// A member that a role does not have came from another role, by mistake.
    MESSAGE {
        ID = Member::new("id", Kind::Text),
        ROLE = Member::new("role", Kind::Word(Role::WORDS)),
        CONTENT = Member::new("content", Kind::Content).grows(0),
        NAME = Member::new("name", Kind::Text).of(INSTRUCTION | ASSISTANT | USER),
        CALLS = Member::new("toolCalls", Kind::Rows).of(ASSISTANT),
        CALL_ID = Member::new("toolCallId", Kind::Text).of(TOOL),
        ERROR = Member::new("error", Kind::Text).of(TOOL),
        ACTIVITY_TYPE = Member::new("activityType", Kind::Text).of(ACTIVITY),
        ENCRYPTED = Member::new("encryptedValue", Kind::Text).of(!ACTIVITY),
        OWNER = Member::new("subagentRunId", Kind::Text).sent(InRequests::Tagged),
        METADATA = Member::new("metadata", Kind::Object),
        CALL_IDS = Member::new("toolCallIds", Kind::Rows).of(ASSISTANT).sent(InRequests::Never),
        /// Reasoning that shares its id with the message that it led to, and is shown with it.
        REASONING = Member::new("reasoning", Kind::Text).of(ASSISTANT).sent(InRequests::Never).grows(1),
        REASONING_ENCRYPTED = Member::new("reasoningEncryptedValue", Kind::Text).of(ASSISTANT).sent(InRequests::Never),
        /// How long it took: as part of its answer, and as a message of its own.
        REASONING_TIME = Member::new("reasoningDurationMs", Kind::Count).of(ASSISTANT).sent(InRequests::Never),
        TIME = Member::new("durationMs", Kind::Count).of(REASONING_MESSAGE).sent(InRequests::Never),
        DELIVERY = Member::new("delivery", Kind::Word(Delivery::WORDS)).of(0).sent(InRequests::Never),
    }
}

/// The members of a message in AG-UI.
pub(crate) const OF_AG_UI: Members = (1 << CALL_IDS) - 1;
/// The members about reasoning that is shown with it.
pub(crate) const OF_REASONING: Members = 1 << REASONING | 1 << REASONING_ENCRYPTED;

/// An empty message.
pub(crate) fn message(id: &str, role: Role) -> Row {
    let mut row = Row::new(MESSAGE);
    row.set_text(ID, id);
    row.set_word(ROLE, role as u8);
    row.set_word(DELIVERY, Delivery::Complete as u8);
    row
}

/// A string or an array of content parts.
pub(crate) fn content(raw: Raw<'_>, notes: &mut Vec<Warning>) -> Value {
    match raw.string() {
        Some(text) => Value::Text(text.into_owned()),
        None if raw.text().starts_with('[') => parts::read(raw, notes).into(),
        None => Value::None,
    }
}

/// Reads a message in the snapshot's shape: AG-UI's, with the snapshot's extras where it has them. `Err`: what it must have and
/// has not.
pub(crate) fn read(fields: Option<&Fields<'_>>, notes: &mut Vec<Warning>) -> Result<(Row, Vec<Call>), &'static str> {
    let fields = fields.ok_or("an object")?;
    fields.text("id").ok_or("an object with a string \"id\"")?;
    let role = fields.text("role").and_then(|role| Role::parse(&role));
    let role = role.ok_or("an object with a \"role\" of AG-UI 1.0")?;
    let mut row = Row::read(MESSAGE, fields, 1 << role as u8);
    let given = fields.some("content");
    let text = || given.and_then(Raw::string).map(|text| Value::Text(text.into_owned())).unwrap_or_default();
    let said = match role {
        Role::Activity => given.filter(|raw| raw.is_object()).map(|raw| Tree::read(raw).into()).unwrap_or_default(),
        // A tool that returned nothing.
        Role::Tool if given.is_none() => Value::Text(String::new()),
        Role::User | Role::Tool => given.map(|raw| content(raw, notes)).unwrap_or_default(),
        _ => text(),
    };
    if role != Role::Assistant && !said.is_some() {
        return Err("a message with the \"content\" of its role");
    }
    row.set(CONTENT, said);
    let delivery = match fields.text("delivery").as_deref() {
        Some("aborted" | "streaming") => Delivery::Aborted,
        Some("error") => Delivery::Error,
        _ => Delivery::Complete,
    };
    row.set_word(DELIVERY, delivery as u8);
    if !row.has(REASONING) {
        row.set(REASONING_ENCRYPTED, Value::None);
        row.set(REASONING_TIME, Value::None);
    }
    let mut calls = Vec::new();
    if let Some(list) = fields.some("toolCalls").filter(|_| role == Role::Assistant) {
        list.each(&mut |_, fields| match fields.and_then(Call::read) {
            Some(call) => calls.push(call),
            None => {
                notes.push(Warning::new("message-malformed", "a tool call was left out: expected an id and a function"))
            }
        });
    }
    Ok((row, calls))
}

/// Writes a message for a server that speaks `protocol`; says how many parts of it were left out.
pub(crate) fn write_outgoing(row: &Row, calls: &[Call], out: &mut String, protocol: Protocol) -> usize {
    let mut object = JsonWriter::object(out);
    let members = row.outgoing(protocol);
    let mut left_out = 0;
    let first = 1 << ID | 1 << ROLE;
    row.write(&mut object, 0, first);
    match row.tree(CONTENT).filter(|tree| tree.items().is_some() && !protocol.media_parts()) {
        Some(parts) => left_out = parts::write_old(&mut object, parts, protocol),
        None if !row.has(CONTENT) && !protocol.part_lists() => drop(object.string("content", "")),
        None => row.write(&mut object, 0, 1 << CONTENT),
    }
    if let Some(id) = row.some(CALL_ID) {
        object.string("toolCallId", wire_id(id).0);
    }
    let rest = members & !first & !(1 << CONTENT | 1 << CALL_ID);
    write_members(row, calls, &mut object, rest, Call::write_outgoing);
    object.close();
    left_out
}

/// Writes members of a message, with its calls.
pub(crate) fn write_members(
    row: &Row,
    calls: &[Call],
    object: &mut JsonWriter<'_>,
    members: Members,
    write: fn(&Call, &mut String),
) {
    let before = (1 << CALLS) - 1;
    row.write(object, 0, members & before);
    if !calls.is_empty() {
        write_calls(calls, object.member("toolCalls"), write);
        if members >> CALL_IDS & 1 == 1 {
            write_calls(calls, object.member("toolCallIds"), Call::write_id);
        }
    }
    row.write(object, 0, members & !before);
}

/// Writes a list of calls.
pub(crate) fn write_calls(calls: &[Call], out: &mut String, write: fn(&Call, &mut String)) {
    let mut list = JsonWriter::array(out);
    calls.iter().for_each(|call| write(call, list.item()));
}
