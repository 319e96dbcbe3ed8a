//! The members of an object: in the order in which they were set, found by their key.

use super::{ContainerSize, Tree, Undo};
use crate::wire::{At, Index};
use std::borrow::Cow;
use std::rc::Rc;

/// The members of an object. It loses one without moving the others.
#[derive(Debug, Clone, Default)]
pub struct Object {
    pub(super) size: ContainerSize,
    /// In order, which is that of their numbers; those that were removed are taken out later, many at once.
    slots: Vec<KeySlot>,
    /// The numbers by key, once there are more than a few.
    index: Index,
    live: usize,
    next: usize,
}

#[derive(Debug, Clone)]
struct KeySlot {
    number: usize,
    key: Rc<str>,
    value: Option<Tree>,
}

/// So many slots are looked through one by one.
const FEW: usize = 8;

/// The bytes that a member adds besides its value: two quotes, the colon, the comma.
fn key_bytes(key: &str) -> usize {
    key.len() + 4
}

impl Object {
    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tree)> {
        self.slots.iter().filter_map(|slot| Some((&*slot.key, slot.value.as_ref()?)))
    }

    /// The member of that name.
    pub fn get(&self, key: &str) -> Option<&Tree> {
        self.slots.get(self.find(key)?)?.value.as_ref()
    }

    /// How many members there are.
    pub(super) fn len(&self) -> usize {
        self.live
    }

    /// The member of that number, with the size of the object beside it.
    pub(super) fn at_mut(&mut self, number: usize) -> Option<(&mut ContainerSize, &mut Tree)> {
        let at = self.slot(number).ok()?;
        Some((&mut self.size, self.slots.get_mut(at)?.value.as_mut()?))
    }

    pub(super) fn number(&self, key: &str) -> Option<usize> {
        if self.index.is_empty() {
            self.slots.iter().find(|slot| slot.value.is_some() && *slot.key == *key).map(|slot| slot.number)
        } else {
            self.index.get(key).map(|at| at.message)
        }
    }

    fn slot(&self, number: usize) -> Result<usize, usize> {
        // Where nothing was removed.
        match self.slots.get(number) {
            Some(slot) if slot.number == number => Ok(number),
            _ => self.slots.binary_search_by_key(&number, |slot| slot.number),
        }
    }

    fn find(&self, key: &str) -> Option<usize> {
        self.slot(self.number(key)?).ok()
    }

    pub(super) fn insert(&mut self, key: Cow<'_, str>, value: Tree) -> Undo {
        if let Some(number) = self.number(&key)
            && let Some((size, old)) = self.at_mut(number)
        {
            size.shrink(0, old);
            size.grow(0, &value);
            return Undo::Replaced(number, std::mem::replace(old, value));
        }
        let number = self.next;
        self.next += 1;
        self.put(number, key.into(), value);
        Undo::Inserted(number)
    }

    /// Puts a member where its number says.
    pub(super) fn put(&mut self, number: usize, key: Rc<str>, value: Tree) {
        self.size.grow(key_bytes(&key), &value);
        self.live += 1;
        if !self.index.is_empty() {
            self.index.insert(key.clone(), At { message: number, call: 0 });
        }
        if self.slots.last().is_none_or(|last| last.number < number) {
            self.slots.push(KeySlot { number, key, value: Some(value) });
        } else {
            match self.slot(number) {
                Ok(at) => {
                    self.slots.get_mut(at).into_iter().zip([value]).for_each(|(slot, value)| slot.value = Some(value))
                }
                Err(at) => self.slots.insert(at, KeySlot { number, key, value: Some(value) }),
            }
        }
        if self.index.is_empty() && self.slots.len() > FEW {
            let live = self.slots.iter().filter(|slot| slot.value.is_some());
            for slot in live {
                self.index.insert(slot.key.clone(), At { message: slot.number, call: 0 });
            }
        }
    }

    pub(super) fn take(&mut self, number: usize) -> Option<(Rc<str>, Tree)> {
        let at = self.slot(number).ok()?;
        let slot = self.slots.get_mut(at)?;
        let (key, value) = (slot.key.clone(), slot.value.take()?);
        self.size.shrink(key_bytes(&key), &value);
        self.live -= 1;
        self.index.remove(&key);
        if at + 1 == self.slots.len() {
            self.slots.pop();
        }
        if self.slots.len() > FEW + 2 * self.live {
            self.slots.retain(|slot| slot.value.is_some());
        }
        Some((key, value))
    }

    /// Its invariants.
    #[cfg(test)]
    pub(super) fn sound(&self) {
        assert_eq!(self.iter().count(), self.live);
        assert!(self.slots.is_sorted_by_key(|slot| slot.number));
        assert!(self.slots.len() <= FEW + 2 * self.live + 1);
        for (key, value) in self.iter() {
            assert!(std::ptr::eq(self.get(key).unwrap(), value));
        }
    }
}
