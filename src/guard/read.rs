//! A policy from JSON text. Whatever is not as it must be is an error that names it: a rule that was not understood would
//! forbid nothing.

use super::capability::Capability;
use super::classify::Classification;
use super::event::TYPES;
use super::members::{KnownMembers, nearest, unknown};
use super::policy::{Pattern, Policy, Scope, Velocity, each};
use crate::wire::{Event, Fields, Raw, to_camel};
use std::borrow::Cow;

const DEPTH: usize = 128;
const RESTRICTED: [Classification; 5] = [
    Classification::Mutate,
    Classification::Navigate,
    Classification::Create,
    Classification::Destroy,
    Classification::Submit,
];

const POLICY: &str = "the policy";
const MEMBERS: [&str; 12] = [
    "restricted_classifications",
    "allow_display_without_capability",
    "capabilities",
    "capability_scopes",
    "bind_capability",
    "compare_classification",
    "allow_components",
    "allow_ids",
    "max_events_per_second",
    "velocity",
    "inbound",
    "classifications",
];

/// Reads it; see [`Policy::read`].
pub(super) fn policy(json: &str) -> Result<Policy, String> {
    let fields = Fields::read(json, DEPTH).ok_or("the policy must be an object")?;
    let members = KnownMembers::read(&fields, &MEMBERS, POLICY)?;
    let flag = |name| members.take(name, "true or false", Raw::boolean).map(Option::unwrap_or_default);
    let strings = |name| members.take(name, "a list of strings", texts);
    let own = || RESTRICTED.iter().fold(0, |set, class| set | class.bit());
    let mut policy = Policy {
        restricted: class_list(&members, "restricted_classifications")?.unwrap_or_else(own),
        display_is_free: flag("allow_display_without_capability")?,
        compares: flag("compare_classification")?,
        binds: flag("bind_capability")?,
        components: strings("allow_components")?,
        ids: strings("allow_ids")?,
        inbound: members.get("inbound").map(inbound).transpose()?,
        per_second: members.take("max_events_per_second", "a whole number", Raw::whole)?,
        velocities: velocities(&members)?,
        scopes: scopes(&members)?,
        classes: overrides(&members)?,
        capabilities: Vec::new(),
    };
    if let Some(list) = members.get("capabilities") {
        policy.present(list.text())?;
    }
    Ok(policy)
}

/// The tokens of a JSON array.
pub(super) fn capabilities(json: &str) -> Result<Vec<Capability>, &'static str> {
    let list = Raw::parse(json, DEPTH).ok().and_then(Raw::array);
    list.and_then(|list| each(list, Capability::read)).ok_or("a list of capability tokens as \"capabilities\"")
}

fn texts(raw: Raw<'_>) -> Option<Vec<String>> {
    raw.array().and_then(|list| each(list, |raw| raw.string().map(Cow::into_owned)))
}

fn class_list(members: &KnownMembers<'_>, name: &str) -> Result<Option<u8>, String> {
    let Some(names) = members.take(name, "a list of classes", texts)? else { return Ok(None) };
    let mut set = 0;
    for given in names {
        set |= class(&given, name)?.bit();
    }
    Ok(Some(set))
}

fn class(given: &str, member: &str) -> Result<Classification, String> {
    let what = || format!("class in \"{}\"", to_camel(member));
    Classification::parse(given).ok_or_else(|| unknown(&what(), given, nearest(given, Classification::WORDS)))
}

fn inbound(raw: Raw<'_>) -> Result<u8, String> {
    let members = KnownMembers::of(raw, &["allow_classifications"], "\"inbound\"")?;
    Ok(class_list(&members, "allow_classifications")?.unwrap_or_default())
}

fn velocities(members: &KnownMembers<'_>) -> Result<Vec<Velocity>, String> {
    let Some(raw) = members.get("velocity") else { return Ok(Vec::new()) };
    raw.array().unwrap_or_else(|| vec![raw]).into_iter().map(velocity).collect()
}

fn velocity(raw: Raw<'_>) -> Result<Velocity, String> {
    const AT: &str = "\"velocity\"";
    let members = KnownMembers::of(raw, &["match", "max_invocations", "window_seconds"], AT)?;
    let matched = members.get("match").map(|raw| KnownMembers::of(raw, &["event_type"], "\"match\"")).transpose()?;
    let kind =
        matched.map(|matched| matched.take("event_type", "a type of events", Raw::string)).transpose()?.flatten();
    let event_type = kind.map(|name| event_type(&name)).transpose()?;
    let most = members.must("max_invocations", "a whole number", Raw::whole)?;
    let seconds = members.must("window_seconds", "a whole number from 1 on", |raw| raw.whole().filter(|s| *s > 0))?;
    Ok(Velocity { event_type, most, window: seconds as f64 * 1000.0 })
}

/// A type of Chio's or of AG-UI's events.
fn event_type(name: &str) -> Result<String, String> {
    let custom = name.strip_prefix("custom:").is_some_and(|name| !name.is_empty());
    let known: Vec<&str> = TYPES.iter().chain(Event::TYPES).copied().collect();
    match custom || known.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(unknown("type of events", name, nearest(name, &known))),
    }
}

fn scopes(members: &KnownMembers<'_>) -> Result<Option<Vec<Scope>>, String> {
    let list = members.take("capability_scopes", "a list of scopes", Raw::array)?;
    list.map(|list| list.into_iter().map(scope).collect()).transpose()
}

fn scope(raw: Raw<'_>) -> Result<Scope, String> {
    const AT: &str = "\"capabilityScopes\"";
    let members = KnownMembers::of(raw, &["scope_id", "allow_event_types", "allow_targets"], AT)?;
    let name = |raw: Raw<'_>| raw.string().map(Cow::into_owned).filter(|id| !id.is_empty());
    let id = members.must("scope_id", "a string that is not empty", name)?;
    let mut types = Vec::new();
    for name in members.must("allow_event_types", "a list of types", texts)? {
        types.push(event_type(&name)?);
    }
    let mut targets = Vec::new();
    for raw in members.must("allow_targets", "a list of targets", Raw::array)? {
        let members = KnownMembers::of(raw, &["component_type", "component_id"], "\"allowTargets\"")?;
        let kind = members.must("component_type", "a string that is not empty", name)?;
        targets.push(Pattern { kind, id: members.take("component_id", "a string", name)? });
    }
    Ok(Scope { class: named_class(&id), id, types, targets })
}

/// The class that a scope is for by its name, as `ui:submit:modal:confirm-refund` is for `submit`.
fn named_class(scope_id: &str) -> Option<Classification> {
    let (class, _) = scope_id.strip_prefix("ui:")?.split_once(':')?;
    Classification::parse(class)
}

fn overrides(members: &KnownMembers<'_>) -> Result<Vec<(String, Classification)>, String> {
    let Some(raw) = members.get("classifications") else { return Ok(Vec::new()) };
    let named: Fields<'_> = raw.object().ok_or("\"classifications\" of the policy must be an object of classes")?;
    let mut classes = Vec::new();
    for (name, given) in named.iter() {
        if !Event::TYPES.contains(&name.as_ref()) {
            return Err(unknown("event of AG-UI", &name, nearest(&name, Event::TYPES)));
        }
        let given = given.string().ok_or_else(|| format!("the class of \"{name}\" must be a string"))?;
        let class = class(&given, "classifications")?;
        classes.push((name.into_owned(), class));
    }
    Ok(classes)
}
