//! The interrupts that wait for an answer, each found by its id.

use super::list::MessageList;
use super::queue::PlacesByKey;
use crate::document::*;
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
    /// The open ones, and when each expires, by their slots.
    rows: Rows,
    expires: Vec<Option<f64>>,
    /// Their slots by their ids.
    by_id: PlacesByKey,
    /// How often they have become others.
    version: u32,
}

impl Interrupts {
    pub fn len(&self) -> usize {
        self.rows.iter().count()
    }

    /// Their ids, and when each expires.
    pub fn list(&self) -> Vec<(&str, Option<f64>)> {
        self.rows.iter().map(|(slot, row)| (row.text(INTERRUPT_ID), self.expires(slot))).gather()
    }

    fn expires(&self, slot: usize) -> Option<f64> {
        *self.expires.get(slot)?
    }

    /// The calls that they are about.
    pub fn calls(&self) -> Vec<String> {
        self.rows.iter().filter_map(|(_, row)| string(row, INTERRUPTED_CALL)).gather()
    }

    /// How many ids they have, and how often they have become others.
    pub fn count(&self) -> (usize, u32) {
        (self.by_id.len(), self.version)
    }

    /// Forgets everything, also what the mirror has.
    pub fn clear(&mut self) {
        *self = Self { version: self.version.wrapping_add(1), rows: Rows::anew(), ..Self::default() };
    }

    /// Takes those that a run has ended with. Gives the ids of those whose expiry cannot be read. `tags`: they may name
    /// subagents.
    pub fn set(&mut self, list: Option<Raw<'_>>, tags: bool) -> Vec<String> {
        self.take(list.map(|list| read(list, tags)).unwrap_or_default())
    }

    /// The same of those that were read.
    pub fn take(&mut self, (list, unreadable): ReadInterrupts) -> Vec<String> {
        if list.is_empty() && self.rows.is_empty() {
            self.version = self.version.wrapping_add(1);
            return unreadable;
        }
        self.clear();
        for Interrupt { row, expires } in list {
            self.by_id.add(row.text(INTERRUPT_ID), self.rows.len());
            self.rows.push(row);
            self.expires.push(expires);
        }
        unreadable
    }

    /// Names the calls that they are about as the thread does.
    pub(super) fn number_calls(&mut self, list: &mut MessageList) {
        for slot in 0..self.rows.len() {
            let Some(id) = self.rows.get(slot).and_then(|row| string(row, INTERRUPTED_CALL)) else { continue };
            let own = quoted(&numbered(&id, list.last_number(&id)));
            self.rows.change(slot).into_iter().for_each(|row| row.set_text(INTERRUPTED_CALL, &own));
        }
    }

    /// When the first interrupt of an id expires (never: infinity); `None`, where none of it is open.
    pub fn expiry(&self, id: &str) -> Option<f64> {
        self.by_id.all(id).map(|slot| self.expires(slot).unwrap_or(f64::INFINITY)).reduce(f64::min)
    }

    /// An interrupt was answered, which the server is told with the others; or that answer was dropped.
    pub fn mark_answered(&mut self, id: &str, answered: bool) {
        // Interrupts of one id are answered together.
        for slot in self.by_id.all(id) {
            if self.rows.get(slot).is_none_or(|row| row.has(ANSWERED) == answered) {
                return;
            }
            self.rows.change(slot).into_iter().for_each(|row| row.set_some(ANSWERED, answered.then_some("true")));
        }
    }

    /// The interrupts of an id are no longer open.
    pub fn close(&mut self, id: &str) {
        let slots = self.by_id.take_all(id);
        self.version = self.version.wrapping_add(u32::from(!slots.is_empty()));
        slots.into_iter().for_each(|slot| self.rows.remove(slot));
    }

    /// Writes what the mirror lacks.
    pub fn write(&mut self, patch: &mut Patch) {
        self.rows.write_changes("\"interrupts\"", patch);
    }

    /// Writes all of them.
    pub fn write_all(&self, out: &mut String) {
        self.rows.write(out);
    }

    /// Their bytes, roughly; `element`: what an element takes beside its texts.
    pub fn size(&self, element: usize) -> usize {
        self.rows.bytes(element)
    }
}

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
}

fn string(row: &Row, member: usize) -> Option<String> {
    row.some(member).map(Raw::known).and_then(Raw::string).map(Into::into)
}
