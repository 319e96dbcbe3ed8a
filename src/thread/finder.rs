//! Finds what has an id. Several things may have one: the first that came is found, and once that is gone the next.

use crate::wire::{At, Index};

#[derive(Debug, Default)]
pub(super) struct Finder {
    first: Index,
    /// The others of an id, numbered: under the id with its number where they are, and under the id with a `#` the numbers
    /// of the first and the one after the last.
    others: Index,
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
        let queue = [id, "\0#"].concat();
        let At { message, call } = self.others.note(&queue, At::default());
        self.others.insert(queue, At { message, call: call + 1 });
        self.others.insert(format!("{id}\0{call}"), other);
    }

    /// Removes one. Of the others, those that are not `there` are passed over.
    pub fn remove(&mut self, id: &str, at: At, there: &dyn Fn(At) -> bool) {
        if self.first.get(id) != Some(&at) {
            return;
        }
        self.first.remove(id);
        let queue = [id, "\0#"].concat();
        while let Some(numbers) = self.others.get_mut(&queue) {
            let number = numbers.message;
            numbers.message += 1;
            if number >= numbers.call {
                self.others.remove(&queue);
                return;
            }
            if let Some(next) = self.others.remove(&format!("{id}\0{number}")).filter(|next| there(*next)) {
                self.first.insert(id.to_owned(), next);
                return;
            }
        }
    }
}
