//! The item that an event would show, mutate or send, for the gate to judge.

use super::*;

/// An item, which is judged as a whole.
#[derive(Default)]
pub(super) struct GateItem<'a> {
    /// The event that would bring it alone.
    pub(super) name: &'static str,
    pub(super) class: Classification,
    pub(super) also: Option<Classification>,
    /// The target of the item.
    pub(super) target: Component<'a>,
    /// The component that it belongs to, which only the lists of components are asked about.
    pub(super) of: Component<'a>,
    pub(super) own: Option<Key>,
    /// The key that it is blocked with, besides the subagent that it happens in.
    pub(super) blocked_with: Option<Key>,
    pub(super) subagent: Option<Key>,
    pub(super) part: ItemRole,
    /// Whether rate and velocity apply.
    pub(super) counts: bool,
    /// The event that brings it, where that is another one.
    pub(super) carrier: Option<&'static str>,
}

/// The role of an item in the message, call or reasoning that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ItemRole {
    #[default]
    Alone,
    /// The verdict on it holds for its later parts.
    Opens,
    Goes,
}

impl<'a> GateItem<'a> {
    pub(super) fn new(name: &'static str, class: Classification) -> Self {
        Self { name, class, counts: true, ..Self::default() }
    }

    /// As a part of the thing that an id names.
    pub(super) fn part(self, part: ItemRole, of: Of, id: &str) -> Self {
        Self { own: Some(Key::new(of, id)), part, ..self }
    }

    /// The same, as another event would bring it.
    pub(super) fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    pub(super) fn about(self, kind: &'static str, id: Option<Cow<'a, str>>) -> Self {
        Self { target: Some((kind, id)), ..self }
    }

    pub(super) fn of_tool(self, name: Option<String>) -> Self {
        Self { of: Some(("tool", name.map(Cow::Owned))), ..self }
    }

    pub(super) fn in_(self, subagent: Option<Key>) -> Self {
        Self { subagent, ..self }
    }

    pub(super) fn brought_by(self, carrier: &'static str, counts: bool) -> Self {
        Self { carrier: Some(carrier), counts, ..self }
    }
}

/// A reasoning message, which is blocked with its span.
pub(super) fn reasoning(name: &'static str, id: &str) -> GateItem<'static> {
    GateItem {
        blocked_with: Some(Key::new(Of::Span, id)),
        ..GateItem::new(name, Classification::Display).part(Opens, Of::Reasoning, id)
    }
}

/// A part of a reasoning.
pub(super) fn reasoning_goes(name: &'static str, id: Str<'_>) -> GateItem<'static> {
    GateItem { part: Goes, ..reasoning(name, &id.decode()) }
}

/// The arguments of a call, under the name that it has.
pub(super) fn arguments(id: Str<'_>, way: &mut Way<'_, '_>) -> GateItem<'static> {
    let called = way.shown.call(&id.decode()).map(Cow::Owned);
    way.part(Goes, Of::Call, id).about("tool", called)
}

/// A value of a call, of a message or of its reasoning.
pub(super) fn encrypted_value(subtype: Str<'_>, id: Str<'_>, way: &mut Way<'_, '_>) -> GateItem<'static> {
    if subtype.decode() == "tool-call" {
        return way.part(Goes, Of::Call, id).of_tool(way.shown.call(&id.decode()));
    }
    let blocked_with = Some(Key::new(Of::Message, &id.decode()));
    GateItem { blocked_with, ..way.part(Goes, Of::Reasoning, id) }
}

pub(super) fn step(subagent: Option<Key>, name: Str<'_>) -> Key {
    let key = Key::new(Of::Step, &name.decode());
    subagent.map_or(key, |subagent| key.within(subagent))
}

pub(super) fn subagent_key(id: Option<Cow<'_, str>>) -> Option<Key> {
    id.map(|id| Key::new(Of::Subagent, &id))
}

/// A step without its name, told apart from others.
pub(super) fn renamed(fields: &Fields<'_>, own: Key) -> GateVerdict {
    GateVerdict::Less(changed(fields, &[("stepName", Some(&format!("\"step-{own}\"")))]))
}

/// The event that items come in.
pub(super) struct Way<'w, 'a> {
    pub(super) shown: &'w mut dyn ShownItems,
    pub(super) carrier: &'static str,
    pub(super) incoming: &'w Incoming<'a>,
    /// The subagent that it happens in.
    pub(super) subagent: Option<Key>,
    pub(super) fields: &'w Fields<'a>,
    pub(super) now: f64,
}

impl Way<'_, '_> {
    /// All of its own event.
    pub(super) fn item<'i>(&self) -> GateItem<'i> {
        GateItem::new(self.carrier, self.incoming.event.class())
    }

    /// An item of its own event that is a part of the thing that an id names.
    pub(super) fn part<'i>(&self, part: ItemRole, of: Of, id: Str<'_>) -> GateItem<'i> {
        self.item().part(part, of, &id.decode())
    }
}

impl GateItem<'_> {
    pub(super) fn report(&self, class: Classification, at: f64) -> GuardReport<'_> {
        let Self { name, target, carrier, .. } = self;
        let target = target.as_ref().map(|(kind, id)| (Cow::Borrowed(*kind), id.as_deref().map(Cow::Borrowed)));
        GuardReport { name, class, target, event_id: None, carrier: *carrier, at, inbound: false }
    }
}
