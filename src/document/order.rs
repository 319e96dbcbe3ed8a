//! The order of the messages: where each stands, how many calls stand before it, and which results follow it.
//!
//! Kept in chunks, so that what is inserted or removed moves its neighbors and not all that follow.

use std::ops::{AddAssign, Range, SubAssign};
use std::slice::Iter;

/// A chunk that has grown longer than this is cut in two.
const MOST: usize = 256;

/// How many messages and how many calls stand before a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Place {
    pub message: usize,
    pub call: usize,
    /// How many of the messages do not follow another one.
    heads: usize,
}

/// A place for a message that comes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Insertion {
    /// Right after the message in this slot.
    After(usize),
    Before(usize),
    End,
}

/// A message in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    pub slot: usize,
    /// The number of its calls.
    pub calls: usize,
    /// A result, or a message that is gone: it belongs to the next message before it that is neither.
    pub follows: bool,
}

impl Item {
    fn size(&self) -> Place {
        Place { message: 1, call: self.calls, heads: usize::from(!self.follows) }
    }
}

impl AddAssign for Place {
    fn add_assign(&mut self, other: Self) {
        self.message += other.message;
        self.call += other.call;
        self.heads += other.heads;
    }
}

impl SubAssign for Place {
    fn sub_assign(&mut self, other: Self) {
        self.message -= other.message;
        self.call -= other.call;
        self.heads -= other.heads;
    }
}

fn size(items: &[Item]) -> Place {
    let mut size = Place::default();
    items.iter().for_each(|item| size += item.size());
    size
}

#[derive(Debug)]
struct OrderChunk {
    /// Names it in `Order::chunk_of`.
    id: usize,
    items: Vec<Item>,
    size: Place,
}

/// A sequence of slots.
#[derive(Debug, Default)]
pub(crate) struct Order {
    chunks: Vec<OrderChunk>,
    /// Where in `chunks` the chunk of each id is.
    rank: Vec<usize>,
    /// The id of the chunk that a slot is in.
    chunk_of: Vec<usize>,
    size: Place,
}

impl Order {
    /// The number of messages and of calls.
    pub fn size(&self) -> Place {
        self.size
    }

    pub fn push(&mut self, item: Item) {
        if self.chunks.last().is_none_or(|chunk| chunk.items.len() >= MOST / 2) {
            let id = self.rank.len();
            self.rank.push(self.chunks.len());
            self.chunks.push(OrderChunk { id, items: Vec::new(), size: Place::default() });
        }
        let at = self.chunks.len().saturating_sub(1);
        let end = self.chunks.last().map_or(0, |chunk| chunk.items.len());
        self.insert(at, end, item);
    }

    /// Puts a message there.
    pub fn put(&mut self, item: Item, place: Insertion) {
        let found = match place {
            Insertion::After(slot) => self.find(slot).map(|(chunk, at)| (chunk, at + 1)),
            Insertion::Before(slot) => self.find(slot),
            Insertion::End => None,
        };
        match found {
            Some((chunk, at)) => self.insert(chunk, at, item),
            None => self.push(item),
        }
    }

    /// Whether one slot stands before another.
    pub fn precedes(&self, slot: usize, other: usize) -> bool {
        self.find(slot) < self.find(other)
    }

    fn insert(&mut self, chunk: usize, at: usize, item: Item) {
        let Some(found) = self.chunks.get_mut(chunk) else { return };
        found.items.insert(at.min(found.items.len()), item);
        found.size += item.size();
        self.size += item.size();
        if self.chunk_of.len() <= item.slot {
            self.chunk_of.resize(item.slot + 1, usize::MAX);
        }
        if let Some(of) = self.chunk_of.get_mut(item.slot) {
            *of = found.id;
        }
        if found.items.len() > MOST {
            let items = found.items.split_off(MOST / 2);
            let id = self.rank.len();
            let size = size(&items);
            found.size -= size;
            for Item { slot, .. } in &items {
                if let Some(of) = self.chunk_of.get_mut(*slot) {
                    *of = id;
                }
            }
            self.rank.push(0);
            self.chunks.insert(chunk + 1, OrderChunk { id, items, size });
            self.rank_from(chunk + 1);
        }
    }

    fn rank_from(&mut self, from: usize) {
        for (at, chunk) in self.chunks.iter().enumerate().skip(from) {
            if let Some(rank) = self.rank.get_mut(chunk.id) {
                *rank = at;
            }
        }
    }

    pub fn remove(&mut self, slot: usize) {
        let Some((chunk, at)) = self.find(slot) else { return };
        let Some(found) = self.chunks.get_mut(chunk) else { return };
        let size = found.items.remove(at).size();
        found.size -= size;
        self.size -= size;
        if found.items.is_empty() {
            self.chunks.remove(chunk);
            self.rank_from(chunk);
        }
    }

    /// Changes what is noted of the message in a slot.
    #[inline(never)]
    pub fn change(&mut self, slot: usize, change: &dyn Fn(&mut Item)) {
        let Some((chunk, at)) = self.find(slot) else { return };
        let Some(found) = self.chunks.get_mut(chunk) else { return };
        let Some(item) = found.items.get_mut(at) else { return };
        let before = item.size();
        change(item);
        let after = item.size();
        found.size += after;
        found.size -= before;
        self.size += after;
        self.size -= before;
    }

    /// Where a slot stands.
    pub fn place(&self, slot: usize) -> Place {
        let Some((chunk, at)) = self.find(slot) else { return self.size() };
        // From the nearer end.
        let mut place = Place::default();
        if chunk * 2 < self.chunks.len() {
            self.chunks.iter().take(chunk).for_each(|before| place += before.size);
        } else {
            place = self.size();
            self.chunks.iter().skip(chunk).for_each(|after| place -= after.size);
        }
        place += size(self.chunks.get(chunk).and_then(|chunk| chunk.items.get(..at)).unwrap_or_default());
        place
    }

    /// Whether only results stand between a message and one after it.
    pub fn is_right_after(&self, head: usize, slot: usize) -> bool {
        self.place(slot).heads == self.place(head).heads + 1 && !self.follows(head)
    }

    /// The slot of the last of the results right after a message; its own, where there is none.
    pub fn last_after(&self, head: usize) -> usize {
        let Some((chunk, at)) = self.find(head) else { return head };
        let mut last = head;
        let mut from = at + 1;
        for chunk in self.chunks.iter().skip(chunk) {
            let items = chunk.items.get(from..).unwrap_or_default();
            // Many results of one message: most chunks have nothing else.
            let all = from == 0 && chunk.size.heads == 0;
            let run = if all { items.len() } else { items.iter().take_while(|item| item.follows).count() };
            last = items.get(..run).and_then(<[_]>::last).map_or(last, |item| item.slot);
            if run < items.len() {
                break;
            }
            from = 0;
        }
        last
    }

    fn follows(&self, slot: usize) -> bool {
        let item = self.find(slot).and_then(|(chunk, at)| self.chunks.get(chunk)?.items.get(at));
        item.is_some_and(|item| item.follows)
    }

    fn find(&self, slot: usize) -> Option<(usize, usize)> {
        let chunk = *self.rank.get(*self.chunk_of.get(slot)?)?;
        let items = &self.chunks.get(chunk)?.items;
        // Most often it is the last one.
        let at = match items.last() {
            Some(last) if last.slot == slot => items.len() - 1,
            _ => items.iter().position(|item| item.slot == slot)?,
        };
        Some((chunk, at))
    }

    pub fn iter(&self) -> Slots<'_> {
        Slots { chunks: &self.chunks, front: [].iter(), back: [].iter() }
    }

    /// The slots after one of them.
    pub fn after(&self, slot: usize) -> Slots<'_> {
        let (chunk, at) = self.find(slot).unwrap_or((usize::MAX, 0));
        let mut slots =
            Slots { chunks: self.chunks.get(chunk..).unwrap_or_default(), front: [].iter(), back: [].iter() };
        slots.nth(at);
        slots
    }

    /// The slots of the messages that have calls.
    pub fn callers(&self) -> impl Iterator<Item = usize> {
        let chunks = self.chunks.iter().filter(|chunk| chunk.size.call > 0);
        let items = chunks.flat_map(|chunk| chunk.items.iter());
        items.filter(|item| item.calls > 0).map(|item| item.slot)
    }
}

/// Slots, in order and from both ends. Adapters of the library over nested lists would be compiled anew for each use.
#[derive(Debug, Clone)]
pub(crate) struct Slots<'o> {
    chunks: &'o [OrderChunk],
    front: Iter<'o, Item>,
    back: Iter<'o, Item>,
}

impl Iterator for Slots<'_> {
    type Item = usize;

    #[inline(never)]
    fn next(&mut self) -> Option<usize> {
        loop {
            if let Some(item) = self.front.next() {
                return Some(item.slot);
            }
            let Some((chunk, rest)) = self.chunks.split_first() else { return self.back.next().map(|item| item.slot) };
            (self.front, self.chunks) = (chunk.items.iter(), rest);
        }
    }
}

impl DoubleEndedIterator for Slots<'_> {
    #[inline(never)]
    fn next_back(&mut self) -> Option<usize> {
        loop {
            if let Some(item) = self.back.next_back() {
                return Some(item.slot);
            }
            let Some((chunk, rest)) = self.chunks.split_last() else {
                return self.front.next_back().map(|item| item.slot);
            };
            (self.back, self.chunks) = (chunk.items.iter(), rest);
        }
    }
}

/// A part of a list that is written anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Elements that the list has, from one index up to another.
    Keep(Range<usize>),
    /// A new element.
    New(usize, usize),
}

/// How a list of the mirror, which has `sent` elements, has changed. `changes`: where in the order what is new or gone stands, and
/// the two numbers of it; `gone`: whether the mirror has an element that is gone; `None`: it is new.
pub(crate) fn parts_of(
    mut changes: Vec<(usize, usize, usize)>,
    sent: usize,
    gone: &dyn Fn(usize, usize) -> Option<bool>,
) -> Vec<Part> {
    changes.sort_unstable();
    let (mut parts, mut at, mut place) = (Vec::new(), 0, 0);
    for (change, slot, call) in changes {
        let kept = change.saturating_sub(at);
        add(&mut parts, Part::Keep(place..place + kept));
        (at, place) = (change + 1, place + kept);
        match gone(slot, call) {
            Some(mirrored) => place += usize::from(mirrored),
            None => add(&mut parts, Part::New(slot, call)),
        }
    }
    add(&mut parts, Part::Keep(place..sent));
    parts
}

/// Adds a part. Neighbors that stay neighbors are one part.
pub(crate) fn add(parts: &mut Vec<Part>, part: Part) {
    if let (Some(Part::Keep(last)), Part::Keep(next)) = (parts.last_mut(), &part)
        && last.end == next.start
    {
        last.end = next.end;
    } else if !matches!(&part, Part::Keep(range) if range.is_empty()) {
        parts.push(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_list_that_it_stands_for() {
        let (mut order, mut list) = (Order::default(), Vec::<Item>::new());
        let mut seed = 7_u64;
        for slot in 0..3000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let random = (seed >> 33) as usize;
            // In the middle there are many results of one message.
            let follows = (1000..2000).contains(&slot) || random.is_multiple_of(5);
            let item = Item { slot, calls: random % 3, follows };
            match random % 7 {
                0..4 if !list.is_empty() => {
                    let at = random % list.len();
                    order.put(item, Insertion::After(list[at].slot));
                    list.insert(at + 1, item);
                }
                5 if !list.is_empty() => {
                    let at = random % list.len();
                    order.put(item, Insertion::Before(list[at].slot));
                    list.insert(at, item);
                }
                4 if list.len() > 9 => {
                    let at = random % list.len();
                    order.remove(list.remove(at).slot);
                    let at = random % list.len();
                    order.change(list[at].slot, &|item| item.calls = 5);
                    order.change(list[at].slot, &|item| item.follows = random.is_multiple_of(2));
                    (list[at].calls, list[at].follows) = (5, random.is_multiple_of(2));
                }
                _ => {
                    order.push(item);
                    list.push(item);
                }
            }
        }
        assert!(order.chunks.len() > 3);
        assert!(order.iter().eq(list.iter().map(|item| item.slot)));
        let mut place = Place::default();
        for (at, item) in list.iter().enumerate() {
            assert_eq!(order.place(item.slot), place);
            let after = &list[at + 1..];
            assert!(order.after(item.slot).eq(after.iter().map(|item| item.slot)));
            let results = after.iter().take_while(|item| item.follows).count();
            assert_eq!(order.last_after(item.slot), list[at + results].slot);
            for (far, other) in after.iter().enumerate().take(results + 3) {
                assert!(order.precedes(item.slot, other.slot) && !order.precedes(other.slot, item.slot));
                let right_after = !item.follows && after[..far].iter().all(|item| item.follows);
                assert_eq!(order.is_right_after(item.slot, other.slot), right_after);
            }
            place += item.size();
        }
        assert_eq!(order.size(), place);
        assert!(order.callers().eq(list.iter().filter(|item| item.calls > 0).map(|item| item.slot)));
    }
}
