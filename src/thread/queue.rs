//! Places in a list, by keys that several may have.

use crate::wire::{At, Index};

/// Places by key, the first of several with one key first.
#[derive(Debug, Default)]
pub(super) struct PlacesByKey {
    first: Index,
    next: Vec<Option<usize>>,
}

impl PlacesByKey {
    /// The keys of places, in order; `None` where nothing is to be found.
    pub fn new(keys: Vec<Option<String>>) -> Self {
        let mut queue = Self { first: Index::new(), next: vec![None; keys.len()] };
        for (place, key) in keys.into_iter().enumerate().rev() {
            let later = key.and_then(|key| queue.first.insert(key, At { message: place, call: 0 }));
            if let Some(next) = queue.next.get_mut(place) {
                *next = later.map(|at| at.message);
            }
        }
        queue
    }

    pub fn peek(&self, key: &str) -> Option<usize> {
        self.first.get(key).map(|at| at.message)
    }

    pub fn take(&mut self, key: &str) -> Option<usize> {
        let place = self.peek(key)?;
        match self.next.get(place).copied().flatten() {
            Some(message) => self.first.insert(key.to_owned(), At { message, call: 0 }),
            None => self.first.remove(key),
        };
        Some(place)
    }
}
