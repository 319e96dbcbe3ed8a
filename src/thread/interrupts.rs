//! The interrupts that wait for an answer, each found by its id, and what the mirror lacks of them. One that is closed costs
//! as much as it is long, however many others are open.

use super::list::MessageList;
use super::queue::PlacesByKey;
use crate::document::{
    ANSWERED, EXPIRES, INTERRUPT, INTERRUPT_ID, INTERRUPT_OWNER, INTERRUPTED_CALL, Item, Order, Patch, Row, Value,
    numbered, parts_of,
};
use crate::wire::{Fields, Gather, Raw, parse_time, quoted};

/// Interrupts, and the ids of those whose expiry cannot be read.
pub(crate) type ReadInterrupts = (Vec<Interrupt>, Vec<String>);

/// An interrupt that waits for an answer.
#[derive(Debug)]
pub(crate) struct Interrupt {
    row: Row,
    /// Milliseconds since 1970; never, if it does not say, or not in ISO 8601.
    expires: Option<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct Interrupts {
    /// `None`: closed.
    slots: Vec<Option<Interrupt>>,
    /// The open interrupts, and those that the mirror still shows.
    order: Order,
    /// The slots of those that are open, by their ids.
    by_id: PlacesByKey,
    /// How often they have become others.
    version: u32,
    /// The mirror has another list.
    renewed: bool,
    /// How many the mirror has.
    sent: usize,
    /// Slots of those that the mirror has otherwise, or that are closed.
    changed: Vec<usize>,
    closed: Vec<usize>,
}

impl Interrupts {
    fn iter(&self) -> impl Iterator<Item = &Interrupt> {
        self.order.iter().filter_map(|slot| self.slots.get(slot)?.as_ref())
    }

    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Their ids, and when each expires.
    pub fn list(&self) -> Vec<(&str, Option<f64>)> {
        self.iter().map(|interrupt| (interrupt.id(), interrupt.expires)).gather()
    }

    /// The calls that they are about.
    pub fn calls(&self) -> Vec<String> {
        self.iter().filter_map(Interrupt::call).gather()
    }

    /// How many ids they have, and how often they have become others.
    pub fn count(&self) -> (usize, u32) {
        (self.by_id.len(), self.version)
    }

    /// Forgets everything, also what the mirror has.
    pub fn clear(&mut self) {
        *self = Self { version: self.version.wrapping_add(1), renewed: true, sent: self.sent, ..Self::default() };
    }

    /// Takes those that a run has ended with. Gives the ids of those whose expiry cannot be read. `tags`: they may name
    /// subagents.
    pub fn set(&mut self, list: Option<Raw<'_>>, tags: bool) -> Vec<String> {
        self.take(list.map(|list| read(list, tags)).unwrap_or_default())
    }

    /// The same of those that were read.
    pub fn take(&mut self, (list, unreadable): ReadInterrupts) -> Vec<String> {
        let (version, sent) = (self.version.wrapping_add(1), self.sent);
        let renewed = self.renewed || !(list.is_empty() && self.order.size().message == 0);
        *self = Self { version, sent, renewed, ..Self::default() };
        list.into_iter().for_each(|interrupt| self.push(interrupt));
        unreadable
    }

    fn push(&mut self, interrupt: Interrupt) {
        let slot = self.slots.len();
        self.by_id.add(interrupt.id(), slot);
        self.slots.push(Some(interrupt));
        self.order.push(Item { slot, calls: 0, follows: false });
    }

    /// Names the calls that they are about as the thread does.
    pub(super) fn number_calls(&mut self, list: &mut MessageList) {
        for interrupt in self.slots.iter_mut().flatten() {
            let Some(id) = interrupt.call() else { continue };
            interrupt.row.set_text(INTERRUPTED_CALL, &quoted(&numbered(&id, list.last_number(&id))));
        }
    }

    /// When the first interrupt of an id expires (never: infinity); `None`, where none of it is open.
    pub fn expiry(&self, id: &str) -> Option<f64> {
        let expires = self.by_id.all(id).map(|slot| self.slots.get(slot)?.as_ref()?.expires);
        expires.map(|expires| expires.unwrap_or(f64::INFINITY)).reduce(f64::min)
    }

    /// An interrupt was answered, which the server is told with the others; or that answer was dropped.
    pub fn mark_answered(&mut self, id: &str, answered: bool) {
        // Interrupts of one id are answered together.
        for slot in self.by_id.all(id) {
            let Some(Some(interrupt)) = self.slots.get_mut(slot) else { return };
            if interrupt.row.has(ANSWERED) == answered {
                return;
            }
            interrupt.row.set_some(ANSWERED, answered.then_some("true"));
            self.changed.push(slot);
        }
    }

    /// The interrupts of an id are no longer open.
    pub fn close(&mut self, id: &str) {
        let slots = self.by_id.take_all(id);
        self.version = self.version.wrapping_add(u32::from(!slots.is_empty()));
        for slot in slots {
            self.slots.get_mut(slot).into_iter().for_each(|interrupt| *interrupt = None);
            self.closed.push(slot);
        }
    }

    /// Writes what the mirror lacks.
    pub fn write(&mut self, patch: &mut Patch) {
        let (changed, closed) = (std::mem::take(&mut self.changed), std::mem::take(&mut self.closed));
        let gone: Vec<_> = closed.iter().map(|slot| (self.order.place(*slot).message, *slot, 0)).gather();
        closed.into_iter().for_each(|slot| self.order.remove(slot));
        let sent = std::mem::replace(&mut self.sent, self.order.size().message);
        if std::mem::take(&mut self.renewed) {
            patch.reconcile(PATH, |out| self.write_all(out));
            return self.slots.iter_mut().flatten().for_each(|interrupt| interrupt.row.set_mirrored());
        }
        if !gone.is_empty() {
            patch.rebuild(PATH, sent, &parts_of(gone, sent, &|_, _| Some(true)), &mut |_, _, _| {});
        }
        for slot in changed {
            let path = format!("{PATH},{}", self.order.place(slot).message);
            if let Some(Some(interrupt)) = self.slots.get_mut(slot) {
                interrupt.row.write_changes(&[(0, &path)], patch);
            }
        }
    }

    /// Writes all of them.
    pub fn write_all(&self, out: &mut String) {
        Row::write_list(self.iter().map(|interrupt| &interrupt.row), out);
    }

    /// Their bytes, roughly; `element`: what an element takes beside its texts.
    pub fn size(&self, element: usize) -> usize {
        self.iter().map(|interrupt| element + interrupt.row.bytes()).sum()
    }
}

const PATH: &str = "\"interrupts\"";

fn read(list: Raw<'_>, tags: bool) -> ReadInterrupts {
    let (mut found, mut unreadable) = ReadInterrupts::default();
    list.each(&mut |_, fields| {
        found.extend(fields.and_then(|fields| Interrupt::read(fields, tags, &mut unreadable)));
    });
    (found, unreadable)
}

/// The list of interrupts that a run's outcome has.
pub(super) fn list_of(outcome: Raw<'_>) -> Option<Raw<'_>> {
    let outcome = outcome.object()?;
    let asks = outcome.is("type", "interrupt");
    outcome.some("interrupts").filter(|_| asks)
}

impl Interrupt {
    pub fn read(fields: &Fields<'_>, tags: bool, unreadable: &mut Vec<String>) -> Option<Self> {
        let mut row = Row::read(INTERRUPT, fields, 1);
        let id = row.some(INTERRUPT_ID)?;
        let expires = string(&row, EXPIRES).and_then(|text| parse_time(&text));
        if row.has(EXPIRES) && expires.is_none() {
            unreadable.push(id.to_owned());
        }
        if !tags {
            row.set(INTERRUPT_OWNER, Value::None);
        }
        Some(Self { row, expires })
    }

    pub fn id(&self) -> &str {
        self.row.text(INTERRUPT_ID)
    }

    /// The call that it is about.
    pub fn call(&self) -> Option<String> {
        string(&self.row, INTERRUPTED_CALL)
    }
}

fn string(row: &Row, member: usize) -> Option<String> {
    row.some(member).map(Raw::known).and_then(Raw::string).map(Into::into)
}
