//! Capability tokens, but for their signatures: those are checked where there is cryptography, in the page.

use super::classify::Classification;
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
    /// Its scope has nothing.
    empty: bool,
}

const DEPTH: usize = 128;

impl Capability {
    pub fn read(raw: Raw<'_>) -> Option<Self> {
        // A string has the token as it was signed: a number in it may be written in many ways.
        let own = raw.string();
        let text = own.as_deref().unwrap_or(raw.text());
        let fields = Fields::read(text, DEPTH)?;
        let time = |name| fields.whole(name);
        let (issued_at, expires_at) = (time("issued_at")?, time("expires_at")?);
        let empty = fields.some("scope").is_none_or(is_empty);
        Some(Self { issued_at, expires_at, token: text.to_owned(), empty })
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

    /// Whether one of its grants is for this event, and bound to it.
    pub fn authorizes(&self, class: Classification, facts: &Facts<'_>) -> bool {
        self.grants(|grant, name| (name == class.name() || name == "*") && agrees(grant, facts, true))
    }

    /// Whether its scope is this one: as a string, in a list of strings, or by a grant that names it. A grant that is for this
    /// very event will do, too.
    pub fn has_scope(&self, id: &str, class: Classification, facts: &Facts<'_>) -> bool {
        let is = |raw: Raw<'_>| raw.string().is_some_and(|name| name == id);
        let named = self.scope(|scope| is(scope) || scope.array().is_some_and(|list| list.into_iter().any(is)));
        named || self.grants(|grant, name| name == id && agrees(grant, facts, false)) || self.authorizes(class, facts)
    }

    /// Whether its scope has nothing: then it is for nothing.
    pub fn is_empty(&self) -> bool {
        self.empty
    }

    fn scope(&self, asks: impl FnOnce(Raw<'_>) -> bool) -> bool {
        let token = Fields::read(&self.token, DEPTH);
        token.and_then(|token| token.some("scope")).is_some_and(asks)
    }

    /// Whether a grant to invoke something of the page passes; it is asked with the name of what.
    fn grants(&self, passes: impl Fn(&Fields<'_>, &str) -> bool) -> bool {
        self.scope(|scope| {
            let grants = scope.object().and_then(|scope| scope.some("grants")).and_then(Raw::array).unwrap_or_default();
            grants.into_iter().filter_map(Raw::object).any(|grant| {
                let of_page = grant.text("server_id").is_some_and(|text| text == "ag-ui" || text == "*");
                let operations = grant.list("operations");
                let invokes = operations.into_iter().filter_map(Raw::string).any(|operation| operation == "invoke");
                of_page && invokes && grant.text("tool_name").is_some_and(|name| passes(&grant, &name))
            })
        })
    }
}

fn is_empty(scope: Raw<'_>) -> bool {
    match (scope.object(), scope.array(), scope.string()) {
        (Some(kinds), ..) => kinds.iter().all(|(_, grants)| grants.array().is_none_or(|list| list.is_empty())),
        (_, Some(list), _) => list.is_empty(),
        (_, _, text) => text.is_none_or(|text| text.trim().is_empty()),
    }
}

/// Whether the constraints of a grant are those of the event. `binds`: what the event is about must be among them.
fn agrees(grant: &Fields<'_>, facts: &Facts<'_>, binds: bool) -> bool {
    // A value that is not a list of known pairs binds the grant to something that this event is not.
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
        of_name.all(|(_, wanted)| Some(wanted.as_ref()) == value.as_deref())
            && (named || !(*binding && binds) || value.is_none())
    };
    known && bound.iter().all(agrees)
}

/// A constraint of the type `custom`: its key and value.
fn pair(raw: Raw<'_>) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    let fields = raw.object()?;
    if fields.text("type")? != "custom" {
        return None;
    }
    let mut values = fields.get("value")?.array()?.into_iter();
    let (key, value) = (values.next()?.string()?, values.next()?.string()?);
    values.next().is_none().then_some((key, value))
}
