//! Which elements of one list are which of another one.

use crate::thread::queue::PlacesByKey;
use crate::wire::{Gather, Tree};

/// A pair of elements, one of either list; or an element without another.
pub(super) type Pair<'t> = (Option<&'t Tree>, Option<&'t Tree>);

/// Which elements of a list are which of another one: the same from the beginning and to the end, and between them those
/// that have the same id, or are equal, as far as they stand in the same order. Of what is left, neighbors that are alike.
pub(super) fn align<'t>(mut old: &'t [Tree], mut new: &'t [Tree], pair: &mut dyn FnMut(Pair<'t>)) {
    while let (Some((a, old_rest)), Some((b, new_rest))) = (old.split_first(), new.split_first())
        && a.equals(b)
    {
        pair((Some(a), Some(b)));
        (old, new) = (old_rest, new_rest);
    }
    let mut tail = Vec::new();
    while let (Some((a, old_rest)), Some((b, new_rest))) = (old.split_last(), new.split_last())
        && a.equals(b)
    {
        tail.push((Some(a), Some(b)));
        (old, new) = (old_rest, new_rest);
    }
    let mut places = PlacesByKey::new(old.iter().map(|item| Some(identity(item))).gather());
    // All before these is done.
    let (mut old_at, mut new_at) = (0, 0);
    for (at, item) in new.iter().enumerate() {
        let id = identity(item);
        let Some(place) = std::iter::from_fn(|| places.take(&id)).find(|place| *place >= old_at) else { continue };
        between(old.get(old_at..place), new.get(new_at..at), pair);
        pair((old.get(place), Some(item)));
        (old_at, new_at) = (place + 1, at + 1);
    }
    between(old.get(old_at..), new.get(new_at..), pair);
    tail.into_iter().rev().for_each(pair);
}

/// Elements of which none is known to be one of the others.
fn between<'t>(old: Option<&'t [Tree]>, new: Option<&'t [Tree]>, pair: &mut dyn FnMut(Pair<'t>)) {
    let (mut old, mut new) = (old.unwrap_or_default().iter(), new.unwrap_or_default().iter());
    loop {
        let (a, b) = (old.as_slice().first(), new.as_slice().first());
        let alike = a.zip(b).is_some_and(|(a, b)| alike(a, b));
        // Of the longer list more have to go.
        let (takes_old, takes_new) = (alike || old.len() >= new.len(), alike || new.len() >= old.len());
        let (a, b) = (takes_old.then(|| old.next()).flatten(), takes_new.then(|| new.next()).flatten());
        match (a, b) {
            (None, None) => return,
            (Some(_), Some(_)) if alike => pair((a, b)),
            // A replacement stands before its later neighbors.
            _ => {
                b.into_iter().for_each(|_| pair((None, b)));
                a.into_iter().for_each(|_| pair((a, None)));
            }
        }
    }
}

fn id(item: &Tree) -> Option<&Tree> {
    let members = item.members()?;
    members.get("id").or_else(|| members.get("key"))
}

fn identity(item: &Tree) -> String {
    let mut text = String::new();
    match id(item) {
        Some(id) => {
            text.push('#');
            id.write(&mut text);
        }
        None => item.write(&mut text),
    }
    text
}

fn alike(a: &Tree, b: &Tree) -> bool {
    let named = id(a).is_some() || id(b).is_some();
    !named && (a.members().is_some() && b.members().is_some() || a.items().is_some() && b.items().is_some())
}
