//! Things in the order in which they came, each found by its id.

use super::index::{At, Index};

/// A list whose elements are taken by their ids. Of several with one id the first is found.
#[derive(Debug)]
pub(crate) struct Keyed<T> {
    list: Vec<Option<T>>,
    index: Index,
}

impl<T> Default for Keyed<T> {
    fn default() -> Self {
        Self { list: Vec::new(), index: Index::new() }
    }
}

impl<T> Keyed<T> {
    pub fn push(&mut self, id: &str, item: T) {
        self.index.note(id, At { message: self.list.len(), call: 0 });
        self.list.push(Some(item));
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    pub fn has(&self, id: &str) -> bool {
        self.index.contains_key(id)
    }

    /// The ids, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.index.keys()
    }

    pub fn get(&self, id: &str) -> Option<&T> {
        self.list.get(self.index.get(id)?.message)?.as_ref()
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.list.get_mut(self.index.get(id)?.message)?.as_mut()
    }

    /// The element of an id, which is made where there is none: always some.
    pub fn get_or_add(&mut self, id: &str) -> Option<&mut T>
    where
        T: Default,
    {
        if !self.has(id) {
            self.push(id, T::default());
        }
        self.get_mut(id)
    }

    pub fn take(&mut self, id: &str) -> Option<T> {
        let at = self.index.remove(id)?.message;
        self.list.get_mut(at)?.take()
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.list.iter().flatten()
    }

    #[cfg(feature = "ngaf")]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.list.iter_mut().flatten()
    }

    /// Takes all of them.
    pub fn take_all(&mut self) -> Vec<T> {
        let mut all = Vec::new();
        std::mem::take(self).list.into_iter().for_each(|item| all.extend(item));
        all
    }
}
