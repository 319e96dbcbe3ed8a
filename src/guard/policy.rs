//! The policy: which classes need a capability, which components may be touched, what may go to the agent. `read.rs` reads it.

use super::capability::Capability;
use super::classify::Classification;
use super::read;
use crate::wire::Raw;
use std::borrow::Cow;

/// The facts of an event that a policy decides by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts<'a> {
    /// AG-UI's `type`, or Chio's `event_type`.
    pub event_type: Cow<'a, str>,
    pub class: Classification,
    /// A second class, where the event is of two.
    pub also: Option<Classification>,
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

/// A component, or with no id all of its type.
#[derive(Debug)]
pub(super) struct Pattern {
    pub kind: String,
    pub id: Option<String>,
}

/// The rights that a token may name.
#[derive(Debug)]
pub(super) struct Scope {
    pub id: String,
    /// The class that its name is about.
    pub class: Option<Classification>,
    pub types: Vec<String>,
    pub targets: Vec<Pattern>,
}

impl Scope {
    fn is_for(&self, class: Classification, facts: &Facts<'_>) -> bool {
        self.class.is_none_or(|own| own == class)
            && self.types.iter().any(|name| *name == facts.event_type)
            && self.targets.iter().any(|target| {
                Some(target.kind.as_str()) == facts.kind.as_deref()
                    && target.id.as_deref().is_none_or(|id| Some(id) == facts.id.as_deref())
            })
    }
}

/// As the application has written it, with Chio's defaults.
#[derive(Debug, Default)]
pub struct Policy {
    /// A set of [`Classification::bit`].
    pub(super) restricted: u8,
    pub(super) display_is_free: bool,
    /// Chio's events must be of the class that they say.
    pub compares: bool,
    /// A capability must be for this very event.
    pub(super) binds: bool,
    pub(super) components: Option<Vec<String>>,
    pub(super) ids: Option<Vec<String>>,
    pub(crate) inbound: Option<u8>,
    pub per_second: Option<u64>,
    pub velocities: Vec<Velocity>,
    /// Classes of AG-UI's events in place of the table's.
    pub(super) classes: Vec<(String, Classification)>,
    /// With these, a restricted class needs a token that names one of them.
    pub(super) scopes: Option<Vec<Scope>>,
    pub(super) capabilities: Vec<Capability>,
}

/// Chio's reason for a token that is for something else.
pub(super) const OUT_OF_SCOPE: &str = "capability scope does not authorize this AG-UI event";

impl Policy {
    /// Reads it from JSON text. The error names what is not as it must be.
    pub fn read(json: &str) -> Result<Self, String> {
        read::policy(json)
    }

    /// The tokens that are at hand: a JSON array.
    pub fn present(&mut self, json: &str) -> Result<(), &'static str> {
        self.capabilities = read::capabilities(json)?;
        Ok(())
    }

    /// The class that the application gives to an AG-UI event.
    pub fn class(&self, event: &str) -> Option<Classification> {
        self.classes.iter().find(|(name, _)| name == event).map(|(_, class)| *class)
    }

    /// Whether an event may be shown now (milliseconds), or why not. `presented`: the capability came with this very event,
    /// so it has to be for it even where none is needed.
    pub fn decide(&self, facts: &Facts<'_>, now: f64, presented: bool) -> Result<(), String> {
        if let Some(kind) = &facts.kind {
            self.check_component(kind, facts.id.as_deref())?;
        }
        self.of_class(facts.class, facts, now, presented)?;
        facts.also.map_or(Ok(()), |class| self.of_class(class, facts, now, presented))
    }

    fn of_class(&self, class: Classification, facts: &Facts<'_>, now: f64, presented: bool) -> Result<(), String> {
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
            let any = self.display_is_free || self.capabilities.iter().any(|capability| !capability.is_empty());
            return if any { Ok(()) } else { Err(OUT_OF_SCOPE.to_owned()) };
        }
        // `as` saturates.
        let seconds = (now / 1000.0) as u64;
        let mut reason = String::new();
        for capability in &self.capabilities {
            let held = capability.check_time(seconds);
            match held.and_then(|()| self.covers(capability, class, facts, restricted)) {
                Ok(()) => return Ok(()),
                Err(why) => reason = why,
            }
        }
        Err(reason)
    }

    /// Whether what a token is for includes an event. With an empty scope it is for nothing.
    fn covers(
        &self,
        capability: &Capability,
        class: Classification,
        facts: &Facts<'_>,
        restricted: bool,
    ) -> Result<(), String> {
        let covers = match self.scopes.as_ref().filter(|_| restricted) {
            _ if capability.is_empty() => false,
            Some(scopes) => {
                scopes.iter().any(|scope| scope.is_for(class, facts) && capability.has_scope(&scope.id, class, facts))
            }
            None => !self.binds || capability.authorizes(class, facts),
        };
        if covers { Ok(()) } else { Err(OUT_OF_SCOPE.to_owned()) }
    }

    /// Whether the lists have a component.
    pub fn check_component(&self, kind: &str, id: Option<&str>) -> Result<(), String> {
        if self.knows(kind, id) { Ok(()) } else { Err("unknown component id".to_owned()) }
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

    /// Whether an event may go to the agent now (milliseconds). `None`: it is no event. A class that is not listed needs a capability
    /// of its own, with a grant for this very event.
    pub fn inbound(&self, event: Option<(Option<Classification>, &Facts<'_>)>, now: f64) -> Result<(), String> {
        let Some(allowed) = self.inbound else { return Ok(()) };
        let Some((class, facts)) = event else { return Err("inbound frames must be AG-UI events".to_owned()) };
        let class = class.ok_or("inbound events must be of a known classification")?;
        let presented = |capability: &Capability, class: Classification| {
            capability.check_time((now / 1000.0) as u64).is_ok() && capability.authorizes(class, facts)
        };
        let passes = |class: Classification| {
            allowed & class.bit() != 0 || self.capabilities.iter().any(|capability| presented(capability, class))
        };
        match [Some(class), facts.also].into_iter().flatten().find(|class| !passes(*class)) {
            None => Ok(()),
            Some(class) => Err(format!("inbound {} events are not allowed", class.title())),
        }
    }
}

/// Reads every element; `None` if one cannot be read.
pub(crate) fn each<'a, T>(list: Vec<Raw<'a>>, read: impl Fn(Raw<'a>) -> Option<T>) -> Option<Vec<T>> {
    let mut all = Vec::new();
    for raw in list {
        all.push(read(raw)?);
    }
    Some(all)
}
