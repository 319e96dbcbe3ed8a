//! The open chunk streams, found by their id and by their owner.

use super::chunks::Lane;
use crate::wire::{At, DeltaKind, Index, Str};

/// Lanes in the order in which their streams were opened: at most one of an owner.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// With gaps, where a stream was closed.
    list: Vec<Option<Lane>>,
    by_id: Index,
    by_owner: Index,
    /// Of each kind, how many are open, and their places by exclusive or: of one, that is its place.
    kinds: [(usize, usize); 3],
    open: usize,
}

/// How many streams of a kind are open.
pub(super) enum OfKind {
    None,
    One(usize),
    Several,
}

fn id_key(kind: DeltaKind, id: Str<'_>) -> String {
    [kind.names().0, ":", &id.decode()].concat()
}

fn owner_key(owner: Option<Str<'_>>) -> String {
    owner.map_or_else(String::new, |owner| ["@", &owner.decode()].concat())
}

impl Lanes {
    pub fn is_empty(&self) -> bool {
        self.open == 0
    }

    pub fn get(&self, at: usize) -> Option<&Lane> {
        self.list.get(at)?.as_ref()
    }

    pub fn of_id(&self, kind: DeltaKind, id: Str<'_>) -> Option<usize> {
        self.by_id.get(&id_key(kind, id)).map(|at| at.message)
    }

    pub fn of_owner(&self, owner: Option<Str<'_>>) -> Option<usize> {
        self.by_owner.get(&owner_key(owner)).map(|at| at.message)
    }

    pub fn of_kind(&self, kind: DeltaKind) -> OfKind {
        match self.kinds.get(kind as usize) {
            None | Some((0, _)) => OfKind::None,
            Some((1, at)) => OfKind::One(*at),
            _ => OfKind::Several,
        }
    }

    pub fn push(&mut self, lane: Lane) {
        if self.list.len() > 2 * self.open + 16 {
            let lanes = std::mem::take(self).list;
            lanes.into_iter().flatten().for_each(|lane| self.add(lane));
        }
        self.add(lane);
    }

    fn add(&mut self, lane: Lane) {
        let at = self.list.len();
        self.count(lane.kind(), 1, at);
        self.by_id.insert(id_key(lane.kind(), lane.id()), At { message: at, call: 0 });
        self.by_owner.insert(owner_key(lane.owner()), At { message: at, call: 0 });
        self.list.push(Some(lane));
    }

    /// Takes one out.
    pub fn remove(&mut self, at: usize) -> Option<Lane> {
        let lane = self.list.get_mut(at)?.take()?;
        self.count(lane.kind(), -1, at);
        self.by_id.remove(&id_key(lane.kind(), lane.id()));
        self.by_owner.remove(&owner_key(lane.owner()));
        Some(lane)
    }

    /// Takes all out, in order.
    pub fn take(&mut self) -> impl Iterator<Item = Lane> + use<> {
        std::mem::take(self).list.into_iter().flatten()
    }

    fn count(&mut self, kind: DeltaKind, by: isize, at: usize) {
        self.open = self.open.saturating_add_signed(by);
        if let Some((count, places)) = self.kinds.get_mut(kind as usize) {
            *count = count.saturating_add_signed(by);
            *places ^= at;
        }
    }
}
