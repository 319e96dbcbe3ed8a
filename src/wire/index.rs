//! Places in lists, found by id.

use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The slot of a message, and for a tool call its place among that message's calls; or a place in any other list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct At {
    pub message: usize,
    pub call: usize,
}

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// Where the hashes of an index begin. A server that knew it could send ids that all have one place.
static SEED: AtomicU64 = AtomicU64::new(BASIS);

/// Draws it, unless that is done: what has been put into an index is found by the same one.
pub fn seed(random: impl FnOnce() -> f64) {
    if SEED.load(Ordering::Relaxed) == BASIS {
        SEED.store(random().to_bits(), Ordering::Relaxed);
    }
}

/// FNV-1a.
pub(crate) fn hash(text: &str) -> u64 {
    hash_from(BASIS, text)
}

fn hash_from(basis: u64, text: &str) -> u64 {
    text.bytes().fold(basis, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Places by id. The one map of the core, so that a map's code is in the module once: what has other values keeps them in a
/// list beside it. The text of an id may be shared with whatever else has it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// A power of two of them, of which some are free; or none. An id stands at its hash, or after those that stand there.
    places: Vec<Option<(Rc<str>, At)>>,
    len: usize,
}

impl Index {
    pub fn new() -> Self {
        Self::default()
    }

    /// A set of ids.
    pub fn of<Id: AsRef<str>>(ids: impl IntoIterator<Item = Id>) -> Self {
        let mut index = Self::new();
        for id in ids {
            index.note(id.as_ref(), At::default());
        }
        index
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where an id stands, or else the free place for it.
    fn find(&self, id: &str) -> usize {
        let hash = hash_from(SEED.load(Ordering::Relaxed), id);
        let mut place = self.around((hash ^ hash >> 32) as usize);
        while matches!(self.places.get(place), Some(Some((other, _))) if **other != *id) {
            place = self.around(place + 1);
        }
        place
    }

    fn around(&self, place: usize) -> usize {
        place & self.places.len().wrapping_sub(1)
    }

    pub fn get(&self, id: &str) -> Option<&At> {
        Some(&self.places.get(self.find(id))?.as_ref()?.1)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut At> {
        let place = self.find(id);
        Some(&mut self.places.get_mut(place)?.as_mut()?.1)
    }

    pub fn contains_key(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    pub fn remove(&mut self, id: &str) -> Option<At> {
        let mut place = self.find(id);
        let (_, removed) = self.places.get_mut(place)?.take()?;
        self.len -= 1;
        // Puts those after it where they stand without it.
        loop {
            place = self.around(place + 1);
            let Some((id, at)) = self.places.get_mut(place)?.take() else { return Some(removed) };
            self.len -= 1;
            self.put(id, at);
        }
    }

    /// In no order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.places.iter().flatten().map(|(id, _)| &**id)
    }

    /// In no order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut At)> {
        self.places.iter_mut().flatten().map(|(id, at)| (&**id, at))
    }

    /// Sets the place of an id, and returns the one that it had.
    pub fn insert(&mut self, id: impl Into<Rc<str>>, at: At) -> Option<At> {
        self.put(id.into(), at)
    }

    #[inline(never)]
    fn put(&mut self, id: Rc<str>, at: At) -> Option<At> {
        // Three quarters of the places are taken.
        if 4 * self.len >= 3 * self.places.len() {
            let mut larger = Self::default();
            larger.places.resize(8.max(2 * self.places.len()), None);
            for (id, at) in std::mem::take(&mut self.places).into_iter().flatten() {
                larger.put(id, at);
            }
            *self = larger;
        }
        let place = self.find(&id);
        let before = self.places.get_mut(place)?.replace((id, at));
        self.len += usize::from(before.is_none());
        before.map(|(_, at)| at)
    }

    /// The place of an id, which is this one where it had none.
    #[inline(never)]
    pub fn note(&mut self, id: &str, at: At) -> At {
        if let Some(known) = self.get(id) {
            return *known;
        }
        self.put(id.into(), at);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    impl PartialEq for Index {
        fn eq(&self, other: &Self) -> bool {
            self.len == other.len && self.places.iter().flatten().all(|(id, at)| other.get(id) == Some(at))
        }
    }

    #[test]
    fn ids_are_found_as_in_a_map_of_the_standard_library() {
        let (mut index, mut map) = (Index::new(), HashMap::new());
        let mut random = 1_u64;
        for round in 0..50_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // It grows for a while, and shrinks for a while.
            let id = format!("id-{}", (random >> 33) % 700);
            let at = At { message: round, call: 0 };
            match (random >> 20) % 8 < if round / 5000 % 2 == 0 { 6 } else { 2 } {
                true => assert_eq!(index.insert(&*id, at), map.insert(id.clone(), at)),
                false => assert_eq!(index.remove(&id), map.remove(&id)),
            }
            assert_eq!((index.len(), index.get(&id)), (map.len(), map.get(&id)));
            if round % 500 == 0 {
                assert!(map.iter().all(|(id, at)| index.get(id) == Some(at)));
                assert_eq!(index.keys().count(), map.len());
            }
        }
    }
}
