//! Capability tokens, but for their signatures: those are checked where there is cryptography, in the page.

use super::classify::Class;
use super::policy::{Facts, each};
use crate::wire::{Fields, Raw};
use std::borrow::Cow;

/// A token.
#[derive(Debug)]
pub(crate) struct Capability {
    issued_at: u64,
    expires_at: u64,
    /// JSON text.
    token: String,
}

const DEPTH: usize = 128;

impl Capability {
    pub fn read(raw: Raw<'_>) -> Option<Self> {
        let fields = raw.object()?;
        let time = |name| fields.get(name).and_then(Raw::whole);
        Some(Self { issued_at: time("issued_at")?, expires_at: time("expires_at")?, token: raw.text().to_owned() })
    }

    /// `valid`, `expired` or `not_yet_valid` at this time (seconds).
    pub fn status(&self, now: u64) -> &'static str {
        match now {
            _ if now < self.issued_at => "not_yet_valid",
            _ if now >= self.expires_at => "expired",
            _ => "valid",
        }
    }

    /// The same, in Chio's words.
    pub fn check_time(&self, now: u64) -> Result<(), String> {
        let why = match self.status(now) {
            "valid" => return Ok(()),
            "expired" => format!("capability expired at {}", self.expires_at),
            _ => format!("capability not yet valid (not_before: {})", self.issued_at),
        };
        Err(format!("capability time validation failed: {why}"))
    }

    /// Whether one of its grants is for this event.
    pub fn authorizes(&self, class: Class, facts: &Facts<'_>) -> Result<(), String> {
        let token = Raw::parse_object(&self.token, DEPTH).ok().flatten();
        let scope = token.and_then(|token| token.some("scope")).and_then(Raw::object);
        let grants = scope.and_then(|scope| scope.some("grants")).and_then(Raw::array).unwrap_or_default();
        let fits = grants.into_iter().filter_map(Raw::object).any(|grant| grants_this(&grant, class, facts));
        if fits { Ok(()) } else { Err("capability scope does not authorize this AG-UI event".to_owned()) }
    }
}

fn grants_this(grant: &Fields<'_>, class: Class, facts: &Facts<'_>) -> bool {
    let is = |member: &str, name: &str| grant.text(member).is_some_and(|text| text == name || text == "*");
    let operations = grant.list("operations");
    let invokes = operations.into_iter().filter_map(Raw::string).any(|operation| operation == "invoke");
    if !is("server_id", "ag-ui") || !is("tool_name", class.name()) || !invokes {
        return false;
    }
    // What is not a list of pairs that are known binds the grant to something that this event is not.
    let constraints = match grant.some("constraints") {
        Some(raw) => raw.array().and_then(|list| each(list, pair)),
        None => Some(Vec::new()),
    };
    let Some(constraints) = constraints else { return false };
    let bound = [
        ("session_id", &facts.session, true),
        ("target_component_type", &facts.kind, true),
        ("target_component_id", &facts.id, true),
        ("event_id", &facts.event_id, false),
    ];
    let known = constraints.iter().all(|(key, _)| bound.iter().any(|(name, ..)| name == key));
    // Each must be the event's, and where it is a binding, be there whenever the event has it.
    let agrees = |(name, value, binding): &(&str, &Option<Cow<'_, str>>, bool)| {
        let mut of_name = constraints.iter().filter(|(key, _)| key == name).peekable();
        let named = of_name.peek().is_some();
        of_name.all(|(_, wanted)| Some(wanted.as_ref()) == value.as_deref()) && (named || !binding || value.is_none())
    };
    known && bound.iter().all(agrees)
}

/// A constraint of the type `custom`: its key and value.
fn pair(raw: Raw<'_>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let fields = raw.object()?;
    if fields.get("type")?.string()? != "custom" {
        return None;
    }
    let mut values = fields.get("value")?.array()?.into_iter();
    let (key, value) = (values.next()?.string()?, values.next()?.string()?);
    values.next().is_none().then_some((key, value))
}
