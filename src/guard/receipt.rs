//! The signed bytes of receipts and capability tokens, and whether a receipt is about an event. The signature itself is
//! checked in the page, which has the cryptography.

use super::canonical::{ReadNumber, write};
use super::classify::Classification;
use super::event::TYPES;
use crate::wire::{Fields, JsonWriter, Raw, keep_private, quoted};

/// The prefix of keys in Chio's documents. Its code signs them without it, so that both are tried.
const ED25519: &str = "ed25519:";

/// The type of a receipt's member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReceiptType {
    Text,
    Whole,
    Flag,
    Type,
    Target,
    Class,
    Key,
}

/// The members of a receipt that are signed, in the order of canonical JSON; whether they may be absent; whether the event
/// has them too.
const MEMBERS: [(&str, ReceiptType, bool, bool); 14] = [
    ("agent_id", ReceiptType::Text, false, true),
    ("allowed", ReceiptType::Flag, false, false),
    ("capability_id", ReceiptType::Text, false, false),
    ("classification", ReceiptType::Class, false, true),
    ("denial_reason", ReceiptType::Text, true, false),
    ("event_id", ReceiptType::Text, false, true),
    ("event_type", ReceiptType::Type, false, true),
    ("id", ReceiptType::Text, false, false),
    ("kernel_key", ReceiptType::Key, false, false),
    ("payload_hash", ReceiptType::Text, false, false),
    ("session_id", ReceiptType::Text, true, true),
    ("target", ReceiptType::Target, true, true),
    ("timestamp", ReceiptType::Whole, false, true),
    ("transport", ReceiptType::Text, false, false),
];

/// Reads a receipt: `{bodies, algorithm, key, signature, allowed, mismatches?, payload?}`, the last two where there is an
/// event that it should be about. `bodies`: what may have been signed. The error says what makes it no receipt.
pub fn receipt(fields: &Fields<'_>, event: Option<&Fields<'_>>, read: ReadNumber) -> Result<String, String> {
    let mut members = Vec::new();
    let mut differing = Vec::new();
    for (name, kind, optional, shared) in MEMBERS {
        let mine = member(fields, name, kind, read).map_err(|()| wrong(name))?;
        if mine.is_none() && !optional {
            return Err(wrong(name));
        }
        if let (Some(event), true) = (event, shared)
            && member(event, name, kind, read) != Ok(mine.clone())
        {
            differing.push(name);
        }
        members.extend(mine.map(|text| (name, text)));
    }
    let mut bodies = vec![body_of(&members)];
    if let Some(written) = fields.text("kernel_key").filter(|key| key.starts_with(ED25519)) {
        members.iter_mut().filter(|(name, _)| *name == "kernel_key").for_each(|(_, text)| *text = quoted(&written));
        bodies.push(body_of(&members));
    }
    let (algorithm, key) = fields.text("kernel_key").and_then(|key| key_of(&key)).ok_or_else(|| wrong("kernel_key"))?;
    let signature = fields.text("signature").and_then(|text| signature_of(&text, algorithm));
    let text = |name| fields.text(name);
    let id = text("event_id").unwrap_or_default();
    if text("id").is_none_or(|own| own.strip_prefix("agui-") != Some(&id)) {
        differing.push("id");
    }

    let mut json = String::new();
    let mut out = JsonWriter::object(&mut json);
    out.strings("bodies", bodies.iter().map(String::as_str)).string("algorithm", algorithm).string("key", &key);
    out.string("signature", &signature.ok_or_else(|| wrong("signature"))?);
    out.member("allowed").push_str(fields.get("allowed").map(Raw::text).unwrap_or("false"));
    out.optional("payloadHash", text("payload_hash").as_deref());
    out.strings("mismatches", differing.into_iter());
    if let Some(payload) = event.and_then(|event| event.get("payload")) {
        let mut canonical = String::new();
        write(&mut canonical, payload, read).map_err(str::to_owned)?;
        out.string("payload", &keep_private(&canonical));
    }
    out.close();
    Ok(json)
}

fn body_of(members: &[(&str, String)]) -> String {
    let body = JsonWriter::object_text(|object| {
        for (name, text) in members {
            object.member(name).push_str(text);
        }
    });
    keep_private(&body).into_owned()
}

fn wrong(member: &str) -> String {
    format!("\"{member}\" is not as a receipt has it")
}

/// A member in its canonical form, as it is read into a typed field and written again. `None`: it is absent, or null.
fn member(fields: &Fields<'_>, name: &str, kind: ReceiptType, read: ReadNumber) -> Result<Option<String>, ()> {
    let Some(raw) = fields.some(name) else { return Ok(None) };
    let text = raw.string();
    let fine = match kind {
        ReceiptType::Text => text.is_some(),
        ReceiptType::Whole => raw.whole().is_some(),
        ReceiptType::Flag => raw.boolean().is_some(),
        ReceiptType::Class => text.is_some_and(|name| Classification::parse(&name).is_some()),
        ReceiptType::Key => {
            let (algorithm, key) = text.as_deref().and_then(key_of).ok_or(())?;
            return Ok(Some(quoted(&prefixed(algorithm, &key))));
        }
        ReceiptType::Type => match raw.object() {
            Some(object) => return only(&object, &["custom"], &[], read).map(Some),
            None => text.is_some_and(|name| TYPES.contains(&name.as_ref())),
        },
        ReceiptType::Target => {
            let object = raw.object().ok_or(())?;
            return only(&object, &["component_type"], &["component_id"], read).map(Some);
        }
    };
    let mut out = String::new();
    write(&mut out, raw, read).map_err(drop)?;
    fine.then_some(Some(out)).ok_or(())
}

/// An object of strings: those that it must have, and may have; no other is kept.
fn only(fields: &Fields<'_>, required: &[&str], optional: &[&str], read: ReadNumber) -> Result<String, ()> {
    let mut out = String::new();
    let mut object = JsonWriter::object(&mut out);
    // Sorted, for "component_id" comes before "component_type".
    for (name, required) in optional.iter().map(|name| (name, false)).chain(required.iter().map(|name| (name, true))) {
        match fields.some(name) {
            Some(raw) if raw.literal().is_some() => write(object.member(name), raw, read).map_err(drop)?,
            None if !required => {}
            _ => return Err(()),
        }
    }
    object.close();
    Ok(out)
}

/// Writes the signed bytes of a token, and its signature: `{bodies, algorithm, key, signature}`. Every member is
/// kept, for later versions sign more; those that are empty are left out, as Chio leaves them out.
pub fn token(fields: &Fields<'_>, out: &mut JsonWriter<'_>, read: ReadNumber) -> Result<(), String> {
    let not = |member: &str| format!("\"{member}\" is not as a capability token has it");
    let issuer = fields.text("issuer").and_then(|key| key_of(&key)).ok_or_else(|| not("issuer"))?;
    let signature = fields.text("signature").and_then(|text| signature_of(&text, issuer.0));
    for name in ["id", "subject"] {
        fields.get(name).and_then(Raw::literal).ok_or_else(|| not(name))?;
    }
    let mut bodies = vec![token_body(fields, true, read)?];
    if KEYS.iter().any(|name| fields.text(name).is_some_and(|key| key.starts_with(ED25519))) {
        bodies.push(token_body(fields, false, read)?);
    }
    out.strings("bodies", bodies.iter().map(String::as_str)).string("algorithm", issuer.0).string("key", &issuer.1);
    out.string("signature", &signature.ok_or_else(|| not("signature"))?);
    Ok(())
}

/// The members of a token that are keys.
const KEYS: [&str; 2] = ["issuer", "subject"];

/// `typed`: keys are written as Chio's code writes them; else as the token does.
fn token_body(fields: &Fields<'_>, typed: bool, read: ReadNumber) -> Result<String, String> {
    let plain = JsonWriter::object_text(|object| {
        for (name, value) in fields.iter() {
            let empty = value.is_null() || value.array().is_some_and(|items| items.is_empty());
            let is_key = typed && KEYS.contains(&name.as_ref());
            let key = is_key.then(|| value.string().and_then(|key| key_of(&key)));
            match (name.as_ref(), key.flatten(), value.object()) {
                ("signature" | "algorithm", ..) => {}
                _ if empty => {}
                (_, Some((algorithm, key)), _) => drop(object.string(&name, &prefixed(algorithm, &key))),
                ("scope", _, Some(scope)) => {
                    let mut inner = JsonWriter::object(object.member("scope"));
                    for (name, value) in scope.iter() {
                        if !value.is_null() && value.array().is_none_or(|items| !items.is_empty()) {
                            inner.member(&name).push_str(value.text());
                        }
                    }
                }
                _ => object.member(&name).push_str(value.text()),
            }
        }
    });
    Ok(keep_private(&super::canonicalize(&plain, read)?).into_owned())
}

/// The algorithm and the digits of a key, in lower case. Chio's code writes Ed25519 keys bare and takes them with `0x`; its
/// documents write them with `ed25519:`.
pub fn key_of(text: &str) -> Option<(&'static str, String)> {
    for (prefix, algorithm, digits) in [("p256:", "p256", 130), ("p384:", "p384", 194)] {
        if let Some(hex) = text.strip_prefix(prefix) {
            return Some((algorithm, hexadecimal(hex).filter(|hex| hex.len() == digits)?));
        }
    }
    Some(("ed25519", hexadecimal(bare(text)).filter(|hex| hex.len() == 64)?))
}

/// An Ed25519 key or signature without its prefix.
fn bare(text: &str) -> &str {
    text.strip_prefix(ED25519).unwrap_or(text)
}

/// As it is written.
pub fn prefixed(algorithm: &str, key: &str) -> String {
    if algorithm == "ed25519" { key.to_owned() } else { format!("{algorithm}:{key}") }
}

fn signature_of(text: &str, algorithm: &str) -> Option<String> {
    if algorithm == "ed25519" {
        return hexadecimal(bare(text)).filter(|hex| hex.len() == 128);
    }
    hexadecimal(text.strip_prefix(algorithm)?.strip_prefix(':')?)
}

fn hexadecimal(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let fine =
        digits.len().is_multiple_of(2) && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    fine.then(|| digits.to_ascii_lowercase())
}
