//! The rules as functions over JSON text, for applications that ask about events which no agent of theirs reads.
//!
//! | question | input | answer |
//! | --- | --- | --- |
//! | `parse` | `{event, strict?}` | the complaints: `[{member, expected, fatal, unknown}]` |
//! | `classify` | an event, or `{event_type, payload}` | `{classification}` or `{error}` |
//! | `compare` | an event | `{matches, supplied, derived?, error?}` |
//! | `decide` | `{config, event, token?, now}`, `now` in seconds | `{allowed, denial_reason?}` |
//! | `canonical` | any JSON text | its canonical form as a string |
//! | `receipt` | `{receipt, event?, pinned?}` | as [`super::receipt`], and `pinned` |
//! | `capability` | `{token, now, trusted?, revoked?, event?}` | what it is signed over, `status` and `reasons` |

use super::canonical::{ReadNumber, canonicalize};
use super::capability::Capability;
use super::classify::derive;
use super::event::ChioEvent;
use super::policy::{OUT_OF_SCOPE, Policy};
use super::receipt;
use crate::wire::{Fields, JsonWriter, Raw, keep_private, quoted};

const DEPTH: usize = 128;

/// Answers a question; the error says what is wrong with it.
pub fn ask(question: &str, json: &str, read: ReadNumber) -> Result<String, String> {
    if question == "canonical" {
        return Ok(quoted(&keep_private(&canonicalize(json, read)?)));
    }
    let fields = Fields::read(json, DEPTH).ok_or("an object is expected")?;
    match question {
        "parse" => parse(&fields),
        "classify" => Ok(classify(&fields)),
        "compare" => Ok(compare(&fields)),
        "decide" => decide(&fields),
        "receipt" => verify(&fields, read),
        "capability" => capability(&fields, read),
        _ => Err("no such question".to_owned()),
    }
}

fn object<'a>(fields: &Fields<'a>, name: &str) -> Result<Fields<'a>, String> {
    fields.object(name).ok_or_else(|| format!("\"{name}\" must be an object"))
}

fn event<'a>(fields: &Fields<'a>) -> Result<ChioEvent<'a>, String> {
    let read = ChioEvent::read(&object(fields, "event")?, &mut |_| {});
    read.ok_or_else(|| "\"event\" is no event of Chio's".to_owned())
}

fn parse(fields: &Fields<'_>) -> Result<String, String> {
    let event = object(fields, "event")?;
    let strict = fields.some("strict").and_then(Raw::boolean).unwrap_or_default();
    Ok(JsonWriter::array_text(|list| {
        let mut complain = |member: &str, expected: &str, fatal: bool, unknown: bool| {
            let mut object = JsonWriter::object(list.item());
            object.string("member", member).string("expected", expected);
            object.flag("fatal", fatal || strict);
            object.flag("unknown", unknown);
        };
        let read =
            ChioEvent::read(&event, &mut |wrong| complain(wrong.member, wrong.expected, wrong.fatal, wrong.unknown));
        if let Some(member) = read.filter(|_| strict).and_then(|event| event.untidy()) {
            complain(member, "text without white space around it and without control characters", true, false);
        }
    }))
}

fn classify(fields: &Fields<'_>) -> String {
    JsonWriter::object_text(|object| match derive(&ChioEvent::partial(fields)) {
        Ok(class) => drop(object.string("classification", class.name())),
        Err(error) => drop(object.string("error", &error)),
    })
}

fn compare(fields: &Fields<'_>) -> String {
    let event = ChioEvent::partial(fields);
    JsonWriter::object_text(|object| {
        let compared = event.compare();
        object.flag("matches", compared.is_ok());
        object.optional("supplied", event.text("classification").as_deref());
        object.optional("derived", derive(&event).ok().map(|class| class.name()));
        object.optional("error", compared.err().as_deref());
    })
}

fn decide(fields: &Fields<'_>) -> Result<String, String> {
    let mut policy = Policy::read(object(fields, "config").map(|_| fields.get("config").map_or("{}", Raw::text))?)?;
    if let Some(token) = fields.some("token") {
        policy.present(&format!("[{}]", token.text()))?;
    }
    let now = fields.whole("now").ok_or("\"now\" must be a whole number of seconds")?;
    let facts = event(fields)?.facts(policy.compares);
    let verdict = facts.and_then(|facts| policy.decide(&facts, now as f64 * 1000.0, true));
    Ok(JsonWriter::object_text(|object| {
        object.flag("allowed", verdict.is_ok());
        object.optional("denial_reason", verdict.err().as_deref());
    }))
}

fn verify(fields: &Fields<'_>, read: ReadNumber) -> Result<String, String> {
    let event = fields.some("event").map(|_| object(fields, "event")).transpose()?;
    let receipt_fields = object(fields, "receipt")?;
    let mut json = receipt::receipt(&receipt_fields, event.as_ref(), read)?;
    let pinned = receipt_fields.get("kernel_key").is_some_and(|key| listed(fields, "pinned", key));
    // One more member.
    json.pop();
    json.push_str(if pinned { ",\"pinned\":true}" } else { ",\"pinned\":false}" });
    Ok(json)
}

/// Whether a key is in a list, however both are written.
fn listed(fields: &Fields<'_>, name: &str, key: Raw<'_>) -> bool {
    let read = |raw: Raw<'_>| raw.string().and_then(|text| receipt::key_of(&text));
    let list = fields.list(name);
    read(key).is_some_and(|key| list.into_iter().any(|raw| read(raw).is_some_and(|other| other == key)))
}

fn capability(fields: &Fields<'_>, read: ReadNumber) -> Result<String, String> {
    let token = object(fields, "token")?;
    let now = fields.whole("now").ok_or("\"now\" must be a whole number of seconds")?;
    let held = fields.get("token").and_then(Capability::read).ok_or("the token has no times")?;
    let id = token.text("id").unwrap_or_default();
    let revoked = fields.list("revoked");
    let revoked = revoked.into_iter().filter_map(Raw::string).any(|other| other == id);
    let trusts = fields.some("trusted").is_some();
    let trusted = token.get("issuer").is_some_and(|issuer| listed(fields, "trusted", issuer));
    let scope = match fields.some("event") {
        Some(_) => {
            let event = event(fields)?;
            (!held.authorizes(event.shown_class(), &event.facts(false)?)).then_some(OUT_OF_SCOPE)
        }
        None => None,
    };
    let mut json = String::new();
    let mut out = JsonWriter::object(&mut json);
    receipt::token(&token, &mut out, read)?;
    out.string("status", held.status(now)).string("id", &id);
    // In the order in which Chio looks; the signature stands after the issuer.
    let mut reasons = JsonWriter::object(out.member("reasons"));
    reasons.optional("revoked", revoked.then_some("capability has been revoked"));
    reasons.optional("issuer", (trusts && !trusted).then_some("capability issuer is not trusted"));
    reasons.optional("time", held.check_time(now).err().as_deref()).optional("scope", scope);
    reasons.close();
    out.close();
    Ok(json)
}
