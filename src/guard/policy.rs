//! The policy: which classes need a capability, which components may be touched, what may go to the agent.

use super::capability::Capability;
use super::classify::Class;
use crate::wire::{Fields, Raw};
use std::borrow::Cow;

/// What a policy looks at in an event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts<'a> {
    pub class: Class,
    /// A second class, where the event is of two.
    pub also: Option<Class>,
    /// The component's type and id.
    pub kind: Option<Cow<'a, str>>,
    pub id: Option<Cow<'a, str>>,
    pub session: Option<Cow<'a, str>>,
    pub event_id: Option<Cow<'a, str>>,
}

/// So many events of a type, or of all types, in so many milliseconds.
#[derive(Debug)]
pub struct Velocity {
    pub event_type: Option<String>,
    pub most: u64,
    pub window: f64,
}

/// As the application has written it, with Chio's defaults.
#[derive(Debug)]
pub struct Policy {
    /// A set of [`Class::bit`].
    restricted: u8,
    display_is_free: bool,
    /// Chio's events must be of the class that they say.
    pub compares: bool,
    /// A capability must be for this very event.
    binds: bool,
    components: Option<Vec<String>>,
    ids: Option<Vec<String>>,
    inbound: Option<u8>,
    pub per_second: Option<u64>,
    pub velocities: Vec<Velocity>,
    /// Classes of AG-UI's events in place of the table's.
    classes: Vec<(String, Class)>,
    capabilities: Vec<Capability>,
}

const DEPTH: usize = 128;
const RESTRICTED: [Class; 5] = [Class::Mutate, Class::Navigate, Class::Create, Class::Destroy, Class::Submit];

impl Policy {
    /// Reads it from JSON text. The error names what is not as it must be.
    pub fn read(json: &str) -> Result<Self, &'static str> {
        let fields = Raw::parse_object(json, DEPTH).ok().flatten().ok_or("an object as \"guard\"")?;
        let restricted = match fields.some("restricted_classifications") {
            Some(list) => classes(list).ok_or("classes as \"restrictedClassifications\"")?,
            None => RESTRICTED.iter().fold(0, |set, class| set | class.bit()),
        };
        let inbound =
            match fields.some("inbound").map(|raw| raw.object().ok_or("an object as \"inbound\"")).transpose()? {
                Some(inbound) => {
                    let list = inbound.some("allow_classifications").or_else(|| inbound.some("allowClassifications"));
                    Some(list.map_or(Some(0), classes).ok_or("classes as \"allowClassifications\"")?)
                }
                None => None,
            };
        let mut policy = Self {
            restricted,
            display_is_free: flag(&fields, "allow_display_without_capability")?,
            compares: flag(&fields, "compare_classification")?,
            binds: flag(&fields, "bind_capability")?,
            components: strings(&fields, "allow_components")?,
            ids: strings(&fields, "allow_ids")?,
            inbound,
            per_second: whole(&fields, "max_events_per_second")?,
            velocities: velocities(&fields)?,
            classes: overrides(&fields)?,
            capabilities: Vec::new(),
        };
        if let Some(list) = fields.some("capabilities") {
            policy.present(list.text())?;
        }
        Ok(policy)
    }

    /// The tokens that are at hand: a JSON array.
    pub fn present(&mut self, json: &str) -> Result<(), &'static str> {
        let list = Raw::parse(json, DEPTH).ok().and_then(Raw::array);
        let read = list.and_then(|list| each(list, Capability::read));
        self.capabilities = read.ok_or("capability tokens as \"capabilities\"")?;
        Ok(())
    }

    /// The class that the application gives to an AG-UI event.
    pub fn class(&self, event: &str) -> Option<Class> {
        self.classes.iter().find(|(name, _)| name == event).map(|(_, class)| *class)
    }

    /// Whether an event may be shown now (milliseconds), or why not. `presented`: the capability came with this very event,
    /// so it has to be for it even where none is needed.
    pub fn decide(&self, facts: &Facts<'_>, now: f64, presented: bool) -> Result<(), String> {
        if let Some(kind) = &facts.kind
            && !self.knows(kind, facts.id.as_deref())
        {
            return Err("unknown component id".to_owned());
        }
        self.of_class(facts.class, facts, now, presented)?;
        facts.also.map_or(Ok(()), |class| self.of_class(class, facts, now, presented))
    }

    fn of_class(&self, class: Class, facts: &Facts<'_>, now: f64, presented: bool) -> Result<(), String> {
        let restricted = self.restricted & class.bit() != 0;
        if self.capabilities.is_empty() {
            return match restricted {
                true => Err(format!("capability required for {} events", class.title())),
                false if self.display_is_free => Ok(()),
                false => Err("no capability token provided".to_owned()),
            };
        }
        // Chio's first generation takes any token for what is not restricted, even one that has expired.
        if !restricted && !(self.binds && (presented || !self.display_is_free)) {
            return Ok(());
        }
        // `as` saturates.
        let seconds = (now / 1000.0) as u64;
        let mut reason = String::new();
        for capability in &self.capabilities {
            let held = capability.check_time(seconds);
            match held.and_then(|()| if self.binds { capability.authorizes(class, facts) } else { Ok(()) }) {
                Ok(()) => return Ok(()),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    /// A type of component that is listed is free, but for its ids where any of them is listed too.
    fn knows(&self, kind: &str, id: Option<&str>) -> bool {
        if self.components.is_none() && self.ids.is_none() {
            return true;
        }
        let ids = self.ids.as_deref().unwrap_or_default();
        let mut narrowed = false;
        for listed in ids {
            let (of, listed) = listed.split_once(':').unwrap_or((listed, ""));
            if of == kind {
                narrowed = true;
                if id == Some(listed) {
                    return true;
                }
            }
        }
        !narrowed && self.components.as_deref().unwrap_or_default().iter().any(|component| component == kind)
    }

    pub fn has_inbound_rule(&self) -> bool {
        self.inbound.is_some()
    }

    /// Whether an event of this class may go to the agent.
    pub fn inbound(&self, class: Option<Class>, is_event: bool) -> Result<(), String> {
        match (self.inbound, class) {
            (None, _) => Ok(()),
            (Some(_), _) if !is_event => Err("inbound frames must be AG-UI events".to_owned()),
            (Some(_), None) => Err("inbound events must be of a known classification".to_owned()),
            (Some(allowed), Some(class)) if allowed & class.bit() == 0 => {
                Err(format!("inbound {} events are not allowed", class.title()))
            }
            _ => Ok(()),
        }
    }
}

/// What every element is read as, or nothing if one cannot be.
pub(crate) fn each<'a, T>(list: Vec<Raw<'a>>, read: impl Fn(Raw<'a>) -> Option<T>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    for raw in list {
        all.push(read(raw)?);
    }
    Some(all)
}

fn classes(list: Raw<'_>) -> Option<u8> {
    let mut set = 0;
    for name in list.array()? {
        set |= Class::of(&name.string()?)?.bit();
    }
    Some(set)
}

fn flag(fields: &Fields<'_>, name: &'static str) -> Result<bool, &'static str> {
    let Some(raw) = fields.some(name) else { return Ok(false) };
    raw.boolean().ok_or("true or false in \"guard\" where a rule is turned on")
}

fn whole(fields: &Fields<'_>, name: &str) -> Result<Option<u64>, &'static str> {
    let Some(raw) = fields.some(name) else { return Ok(None) };
    raw.whole().map(Some).ok_or("whole numbers as limits of \"guard\"")
}

fn strings(fields: &Fields<'_>, name: &str) -> Result<Option<Vec<String>>, &'static str> {
    let Some(raw) = fields.some(name) else { return Ok(None) };
    let list = raw.array().and_then(|list| each(list, |raw| raw.string().map(Cow::into_owned)));
    list.map(Some).ok_or("lists of strings as \"allowComponents\" and \"allowIds\"")
}

fn velocities(fields: &Fields<'_>) -> Result<Vec<Velocity>, &'static str> {
    const EXPECTED: &str = "{match?: {event_type}, max_invocations, window_seconds} in \"velocity\"";
    let Some(raw) = fields.some("velocity") else { return Ok(Vec::new()) };
    let read = |raw: Raw<'_>| {
        let fields = raw.object()?;
        let either = |a: &str, b: &str| fields.some(a).or_else(|| fields.some(b));
        let matched = fields.some("match").and_then(Raw::object);
        let kind = matched.and_then(|matched| matched.some("event_type").or_else(|| matched.some("eventType")));
        Some(Velocity {
            event_type: kind.and_then(Raw::string).map(Cow::into_owned),
            most: either("max_invocations", "maxInvocations")?.whole()?,
            window: either("window_seconds", "windowSeconds")?.whole()? as f64 * 1000.0,
        })
    };
    each(raw.array().unwrap_or_else(|| vec![raw]), read).ok_or(EXPECTED)
}

fn overrides(fields: &Fields<'_>) -> Result<Vec<(String, Class)>, &'static str> {
    const EXPECTED: &str = "an object of classes as \"classifications\"";
    let Some(raw) = fields.some("classifications") else { return Ok(Vec::new()) };
    let named = raw.object().ok_or(EXPECTED)?;
    let mut classes = Vec::new();
    for (name, class) in named.iter() {
        let class = class.string().and_then(|class| Class::of(&class)).ok_or(EXPECTED)?;
        classes.push((name.into_owned(), class));
    }
    Ok(classes)
}
