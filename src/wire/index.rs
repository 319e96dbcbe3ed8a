//! Places in lists, found by id.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// The slot of a message, and for a tool call its place among that message's calls; or a place in any other list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct At {
    pub message: usize,
    pub call: usize,
}

/// Places by id. The one map of the core, so that a map's code is in the module once: what has other values keeps them in a
/// list beside it. The text of an id may be shared with whatever else has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Index(HashMap<Rc<str>, At>);

impl Index {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, id: &str) -> Option<&At> {
        self.0.get(id)
    }

    pub fn get_mut(&mut self, id: &str) -> Option<&mut At> {
        self.0.get_mut(id)
    }

    pub fn contains_key(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    pub fn remove(&mut self, id: &str) -> Option<At> {
        self.0.remove(id)
    }

    #[cfg(feature = "ngaf")]
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// In no order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|id| &**id)
    }

    /// In no order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&str, &mut At)> {
        self.0.iter_mut().map(|(id, at)| (&**id, at))
    }

    /// Sets the place of an id, and returns the one that it had.
    pub fn insert(&mut self, id: impl Into<Rc<str>>, at: At) -> Option<At> {
        self.0.insert(id.into(), at)
    }

    pub fn entry(&mut self, id: impl Into<Rc<str>>) -> Entry<'_, Rc<str>, At> {
        self.0.entry(id.into())
    }

    pub fn extend(&mut self, ids: impl IntoIterator<Item = (String, At)>) {
        for (id, at) in ids {
            self.insert(id, at);
        }
    }
}

impl FromIterator<(String, At)> for Index {
    fn from_iter<Ids: IntoIterator<Item = (String, At)>>(ids: Ids) -> Self {
        let mut index = Self::new();
        index.extend(ids);
        index
    }
}

impl IntoIterator for Index {
    type Item = (Rc<str>, At);
    type IntoIter = std::collections::hash_map::IntoIter<Rc<str>, At>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
