//! Places in a list, by keys that several may have.

use crate::wire::{At, Gather, Index};

/// Places by key. The one that was added last is found; once it is taken, the one before it.
#[derive(Debug, Default)]
pub(super) struct PlacesByKey {
    last: Index,
    /// By place: the one before it that has its key.
    before: Vec<Option<usize>>,
}

impl PlacesByKey {
    /// The keys of places, in order, of which the first is found; `None` where nothing is to be found.
    pub fn new(keys: Vec<Option<String>>) -> Self {
        let mut places = Self::default();
        for (place, key) in keys.into_iter().enumerate().rev() {
            key.into_iter().for_each(|key| places.add(&key, place));
        }
        places
    }

    pub fn add(&mut self, key: &str, place: usize) {
        let before = self.last.insert(key, At { message: place, call: 0 });
        if self.before.len() <= place {
            self.before.resize(place + 1, None);
        }
        if let Some(slot) = self.before.get_mut(place) {
            *slot = before.map(|at| at.message);
        }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.last.len()
    }

    pub fn peek(&self, key: &str) -> Option<usize> {
        self.last.get(key).map(|at| at.message)
    }

    /// All of a key, the last first.
    pub fn all(&self, key: &str) -> impl Iterator<Item = usize> {
        std::iter::successors(self.peek(key), |place| self.before(*place))
    }

    fn before(&self, place: usize) -> Option<usize> {
        self.before.get(place).copied().flatten()
    }

    pub fn take(&mut self, key: &str) -> Option<usize> {
        let place = self.peek(key)?;
        match self.before(place) {
            Some(message) => self.last.insert(key, At { message, call: 0 }),
            None => self.last.remove(key),
        };
        Some(place)
    }

    /// Takes all of a key.
    pub fn take_all(&mut self, key: &str) -> Vec<usize> {
        let all = self.all(key).gather();
        self.last.remove(key);
        all
    }
}
