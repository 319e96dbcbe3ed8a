//! The elements of an array.

use super::{COMMA, ContainerSize, Tree};

/// The elements of an array. To insert or remove moves those on the shorter side.
#[derive(Debug, Clone, Default)]
pub(super) struct List {
    pub size: ContainerSize,
    /// Room in front, and the elements.
    all: Vec<Tree>,
    room: usize,
}

/// A shorter list has no room in front.
const LONG: usize = 64;

impl List {
    pub fn items(&self) -> &[Tree] {
        self.all.get(self.room..).unwrap_or_default()
    }

    /// An element, with the size of the list beside it.
    pub fn at_mut(&mut self, at: usize) -> Option<(&mut ContainerSize, &mut Tree)> {
        Some((&mut self.size, self.all.get_mut(self.room + at)?))
    }

    pub fn push(&mut self, value: Tree) {
        self.size.grow(COMMA, &value);
        self.all.push(value);
    }

    pub fn insert(&mut self, at: usize, value: Tree) {
        self.size.grow(COMMA, &value);
        let length = self.items().len();
        if !nearer_to_the_front(at, length) {
            return self.all.insert(self.room + at.min(length), value);
        }
        if self.room == 0 {
            // As many as half of the list come before they are moved again.
            self.room = length / 2;
            let mut all = Vec::with_capacity(self.room + length);
            all.resize(self.room, Tree::default());
            all.append(&mut self.all);
            self.all = all;
        }
        self.room -= 1;
        let moved = self.all.get_mut(self.room..=self.room + at).unwrap_or_default();
        moved.rotate_left(1);
        moved.last_mut().into_iter().zip([value]).for_each(|(place, value)| *place = value);
    }

    pub fn remove(&mut self, at: usize) -> Option<Tree> {
        let length = self.items().len();
        if at >= length {
            return None;
        }
        let value = if nearer_to_the_front(at, length) {
            let moved = self.all.get_mut(self.room..=self.room + at).unwrap_or_default();
            moved.rotate_right(1);
            self.room += 1;
            moved.first_mut().map(std::mem::take)?
        } else {
            self.all.remove(self.room + at)
        };
        if self.room > LONG + 2 * length {
            self.all.drain(..std::mem::take(&mut self.room));
        }
        self.size.shrink(COMMA, &value);
        Some(value)
    }
}

fn nearer_to_the_front(at: usize, length: usize) -> bool {
    length > LONG && at < length / 2
}
