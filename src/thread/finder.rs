//! Finds what has an id. Several things may have one: the first that came is found, and once that is gone the next.

use crate::wire::{At, Index, Keyed};
use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct Finder {
    first: Index,
    /// The others of an id, in the order in which they came.
    others: Keyed<VecDeque<At>>,
}

impl Finder {
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    pub fn get(&self, id: &str) -> Option<At> {
        self.first.get(id).copied()
    }

    /// Adds one more. `yields`: whether the one that would be found takes the place after it.
    pub fn add(&mut self, id: &str, at: At, yields: impl Fn(At) -> bool) {
        let Some(first) = self.first.get_mut(id) else {
            self.first.insert(id.to_owned(), at);
            return;
        };
        let other = if yields(*first) { std::mem::replace(first, at) } else { at };
        self.others.get_or_add(id).into_iter().for_each(|others| others.push_back(other));
    }

    /// Removes one. Of the others, those that are not `there` are passed over.
    pub fn remove(&mut self, id: &str, at: At, there: &dyn Fn(At) -> bool) {
        if self.first.get(id) != Some(&at) {
            return;
        }
        self.first.remove(id);
        while let Some(next) = self.others.get_mut(id).and_then(VecDeque::pop_front) {
            if there(next) {
                self.first.insert(id.to_owned(), next);
                return;
            }
        }
        self.others.take(id);
    }
}
