//! One event of Chio's, read in place.

use super::classify::{Classification, derive};
use super::policy::Facts;
use crate::wire::{Fields, Raw};
use std::borrow::Cow;

/// The types that are strings; any other is `{"custom": "<name>"}`.
pub(crate) const TYPES: [&str; 7] =
    ["text_stream", "state_update", "navigation", "lifecycle", "form_action", "notification", "error"];

/// A fault of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Complaint {
    /// The member.
    pub member: &'static str,
    /// The expected value.
    pub expected: &'static str,
    /// The event makes no sense without it.
    pub fatal: bool,
    /// It is of the right shape, but of no value that is known.
    pub unknown: bool,
}

/// An event, as far as it could be read.
#[derive(Debug, Clone)]
pub(crate) struct ChioEvent<'a> {
    fields: Fields<'a>,
    name: Cow<'a, str>,
    custom: bool,
    class: Option<Classification>,
}

const STRING: &str = "a string";

impl<'a> ChioEvent<'a> {
    /// `None`: it makes no sense. `complain` hears of everything that is not as Chio's parser wants it.
    pub fn read(fields: &Fields<'a>, complain: &mut dyn FnMut(Complaint)) -> Option<Self> {
        let mut sound = true;
        let mut wrong = |member, expected, fatal: bool, unknown| {
            sound &= !fatal;
            complain(Complaint { member, expected, fatal, unknown });
        };
        for member in ["event_id", "agent_id"] {
            if fields.get(member).and_then(Raw::literal).is_none() {
                wrong(member, STRING, false, false);
            }
        }
        if fields.whole("timestamp").is_none() {
            wrong("timestamp", "a whole number of seconds", false, false);
        }
        if fields.some("session_id").is_some_and(|id| id.literal().is_none()) {
            wrong("session_id", STRING, false, false);
        }
        // A policy about components must not be passed by a component that cannot be read.
        if let Some(target) = fields.some("target")
            && read_target(target).is_none()
        {
            wrong("target", "an object with a string \"component_type\"", true, false);
        }
        if fields.get("payload").is_none() {
            wrong("payload", "present", true, false);
        }
        let event = Self::partial(fields);
        if event.name.is_empty() {
            wrong("event_type", "a string, or {\"custom\": \"<name>\"}", true, false);
        } else if !event.custom && !TYPES.contains(&event.name.as_ref()) {
            wrong("event_type", "one of Chio's types", true, true);
        }
        if event.class.is_none() {
            let unknown = fields.get("classification").and_then(Raw::literal).is_some();
            wrong("classification", "one of Chio's classes", true, unknown);
        }
        sound.then_some(event)
    }

    /// Without a look at what is missing, as the page may send it.
    pub fn partial(fields: &Fields<'a>) -> Self {
        let kind = fields.get("event_type");
        let object = kind.and_then(Raw::object);
        let custom = object.as_ref().and_then(|object| object.get("custom")).and_then(Raw::string);
        let class = fields.text("classification").and_then(|name| Classification::parse(&name));
        let is_custom = custom.is_some();
        let name = custom.or_else(|| kind.and_then(Raw::string)).unwrap_or_default();
        Self { fields: fields.clone(), name, custom: is_custom, class }
    }

    /// The type, or the custom type's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn is_custom(&self) -> bool {
        self.custom
    }

    /// The type, told apart from a custom one of that name.
    pub fn type_name(&self) -> String {
        if self.custom { format!("custom:{}", self.name) } else { self.name.clone().into_owned() }
    }

    pub fn payload(&self) -> Option<Raw<'a>> {
        self.fields.get("payload")
    }

    /// A string member.
    pub fn text(&self, member: &str) -> Option<Cow<'a, str>> {
        self.fields.text(member)
    }

    pub fn event_id(&self) -> Option<Cow<'a, str>> {
        self.text("event_id")
    }

    /// The component's type and id.
    #[inline(never)]
    pub fn target(&self) -> Option<(Cow<'a, str>, Option<Cow<'a, str>>)> {
        self.fields.some("target").and_then(read_target)
    }

    /// As it says itself.
    pub fn shown_class(&self) -> Classification {
        self.class.unwrap_or_default()
    }

    /// The facts that a policy decides by. The error is Chio's, of a class that is not the derived one.
    pub fn facts(&self, compares: bool) -> Result<Facts<'a>, String> {
        if compares {
            self.compare()?;
        }
        Ok(self.plain_facts())
    }

    fn plain_facts(&self) -> Facts<'a> {
        let (kind, id) = self.target().unzip();
        let (session, event_id) = (self.text("session_id"), self.event_id());
        let (event_type, class) = (self.type_name().into(), self.shown_class());
        Facts { event_type, class, also: None, kind, id: id.flatten(), session, event_id }
    }

    /// The class and what else a policy looks at in an event that the page sends. It is of the class that it names, and of that
    /// which its type tells: a name alone lets nothing pass.
    pub fn inbound_facts(&self) -> (Option<Classification>, Facts<'a>) {
        let derived = derive(self).ok();
        let class = self.fields.some("classification").map_or(derived, |_| self.class);
        (class, Facts { also: derived.filter(|derived| Some(*derived) != class), ..self.plain_facts() })
    }

    /// Whether the class that it names is the one that it is of.
    pub fn compare(&self) -> Result<(), String> {
        let derived = derive(self)?;
        let supplied = self.class.map(Classification::name).unwrap_or_default();
        if supplied == derived.name() {
            return Ok(());
        }
        Err(format!("event classification mismatch: supplied {supplied}, derived {}", derived.name()))
    }

    /// The ids that are not as the latest generation of Chio wants them: not empty, no white space around, no control
    /// characters.
    pub fn untidy(&self) -> Option<&'static str> {
        let bad = |text: &str| text.is_empty() || text.trim().len() < text.len() || text.chars().any(char::is_control);
        let named = ["event_id", "agent_id", "session_id"];
        let id = named.into_iter().find(|name| self.text(name).is_some_and(|text| bad(&text)));
        let (kind, component) = self.target().unzip();
        let kind = kind.is_some_and(|kind| bad(&kind)).then_some("target.component_type");
        let component = component.flatten().is_some_and(|id| bad(&id)).then_some("target.component_id");
        id.or(kind).or(component)
    }
}

fn read_target(raw: Raw<'_>) -> Option<(Cow<'_, str>, Option<Cow<'_, str>>)> {
    let fields = raw.object()?;
    let kind = fields.text("component_type")?;
    let id = match fields.some("component_id") {
        Some(id) => Some(id.string()?),
        None => None,
    };
    Some((kind, id))
}
