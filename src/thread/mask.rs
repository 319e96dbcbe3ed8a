//! Edits that the server does not know yet: masks over its document.
//!
//! ```text
//!  the server's   { n: 1,  items: [ a,     b,    c ] }
//!  mask             own      same  gone  same  own
//!  what is shown  { n: 7,  items: [ a,           c,   mine ] }
//! ```
//!
//! A mask has places, no values. The server's document goes on beneath it, and its operations are translated into those of the
//! shown one: a place that is masked is not shown, and an index is the one that the element has in the shown list. So a change
//! costs what it costs without an edit, and in a list that was edited the number of places where it was.

mod align;
mod translate;

pub(super) use translate::Translation;

use crate::wire::{JsonWriter, Keyed, Raw, Token, Tree, element, quoted, text_after};
use align::align;

/// How what is shown differs from what the server knows, at one place.
#[derive(Debug)]
pub(super) enum Mask {
    /// The user has set it, or taken it away: what the server does here is not shown.
    Own,
    /// An object on both sides, with members that differ.
    Members(MemberMasks),
    /// A list on both sides.
    Items(Vec<Neighbors>),
}

/// Members that may differ, by their keys.
#[derive(Debug, Default)]
pub(super) struct MemberMasks(Keyed<(String, Option<Mask>)>);

impl MemberMasks {
    /// The place of a member's mask. `makes`: one that has none gets it.
    fn slot(&mut self, key: &str, makes: bool) -> Option<&mut Option<Mask>> {
        if makes && !self.0.has(key) {
            self.0.push(key, (key.to_owned(), None));
        }
        self.0.get_mut(key).map(|(_, mask)| mask)
    }

    fn set(&mut self, key: &str, mask: Mask) {
        if let Some(slot) = self.slot(key, true) {
            *slot = Some(mask);
        }
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &Mask)> {
        self.0.iter().filter_map(|(key, mask)| Some((&**key, mask.as_ref()?)))
    }
}

/// Neighbors in a list: so many of the server's, of which so many are shown. Both numbers are the same, or one of them is zero.
#[derive(Debug)]
pub(super) struct Neighbors {
    server: usize,
    shown: usize,
    /// The mask of a single element that both have.
    inner: Option<Mask>,
}

impl Neighbors {
    const SAME: Self = Self { server: 1, shown: 1, inner: None };
    const GONE: Self = Self { server: 1, shown: 0, inner: None };
    const OWN: Self = Self { server: 0, shown: 1, inner: None };

    /// Whether it is as the other, and takes it in.
    fn join(&mut self, other: &Neighbors) -> bool {
        let kind = |run: &Neighbors| (run.inner.is_none(), run.server > 0, run.shown > 0);
        let joins = self.inner.is_none() && kind(self) == kind(other);
        if joins {
            self.server += other.server;
            self.shown += other.shown;
        }
        joins
    }
}

/// Adds neighbors at the end of a list.
fn push(runs: &mut Vec<Neighbors>, run: Neighbors) {
    if !runs.last_mut().is_some_and(|last| last.join(&run)) {
        runs.push(run);
    }
}

/// The neighbors of each element.
fn one_by_one(runs: &[Neighbors]) -> Vec<&Neighbors> {
    let mut each = Vec::new();
    runs.iter().for_each(|run| each.resize(each.len() + run.server.max(run.shown), run));
    each
}

/// Where an element of the server's list is: its run, its place in that, and its place, or that of the next one, in what is
/// shown.
fn locate(runs: &[Neighbors], at: usize) -> Option<(usize, usize, usize)> {
    let (mut server, mut shown) = (0, 0);
    for (place, run) in runs.iter().enumerate() {
        if at < server + run.server {
            return Some((place, at - server, shown + run.shown.min(at - server)));
        }
        server += run.server;
        shown += run.shown;
    }
    None
}

/// Takes an element out: what it was.
fn take(runs: &mut Vec<Neighbors>, at: usize) -> Option<Neighbors> {
    let (place, ..) = locate(runs, at)?;
    let run = runs.get_mut(place)?;
    if run.server < 2 {
        return Some(runs.remove(place));
    }
    let shown = run.shown.min(1);
    run.server -= 1;
    run.shown -= shown;
    Some(Neighbors { server: 1, shown, inner: None })
}

/// Puts an element before the server's element `at`, next to the one before that. Returns its place in what is shown.
fn insert(runs: &mut Vec<Neighbors>, at: usize, new: Neighbors) -> usize {
    let before = at.checked_sub(1).and_then(|before| locate(runs, before));
    let Some((place, offset, shown)) = before else {
        if !runs.first_mut().is_some_and(|first| first.join(&new)) {
            runs.insert(0, new);
        }
        return 0;
    };
    let Some(run) = runs.get_mut(place) else { return 0 };
    let shown = shown + run.shown.min(1);
    if run.join(&new) {
        return shown;
    }
    // The rest of a run that is parted.
    let first = offset + 1;
    let rest = Neighbors { server: run.server - first, shown: run.shown.saturating_sub(first), inner: None };
    if rest.server > 0 {
        (run.server, run.shown) = (first, run.shown.min(first));
        runs.insert(place + 1, rest);
    }
    if !runs.get_mut(place + 1).is_some_and(|next| next.join(&new)) {
        runs.insert(place + 1, new);
    }
    shown
}

impl Mask {
    /// The mask over one document that shows the other; `None`: they are equal.
    pub fn between(server: &Tree, shown: &Tree) -> Option<Self> {
        if server.is_copy(shown) {
            return None;
        }
        if let (Some(before), Some(after)) = (server.members(), shown.members()) {
            let mut members = MemberMasks::default();
            for (key, value) in after.iter() {
                let mask = before.get(key).map_or(Some(Self::Own), |old| Self::between(old, value));
                mask.into_iter().for_each(|mask| members.set(key, mask));
            }
            let gone = before.iter().filter(|(key, _)| after.get(key).is_none());
            gone.for_each(|(key, _)| members.set(key, Self::Own));
            return (members.0.len() > 0).then_some(Self::Members(members));
        }
        if let (Some(before), Some(after)) = (server.items(), shown.items()) {
            let mut runs = Vec::new();
            align(before, after, &mut |pair| {
                let run = match pair {
                    (Some(old), Some(new)) => Neighbors { inner: Self::between(old, new), ..Neighbors::SAME },
                    (Some(_), None) => Neighbors::GONE,
                    _ => Neighbors::OWN,
                };
                push(&mut runs, run);
            });
            let same = |run: &Neighbors| run.inner.is_none() && run.server == run.shown;
            return (!runs.iter().all(same)).then_some(Self::Items(runs));
        }
        (!server.equals(shown)).then_some(Self::Own)
    }

    /// The same over another document in place of `old`: what is to be shown, and the mask. An element of a list goes with the
    /// server's. `grows`: a text that continues there goes on after the user's own.
    pub fn over(&self, old: &Tree, shown: &Tree, new: &Tree, grows: bool) -> (Tree, Self) {
        match (self, new.members(), old.items().zip(new.items())) {
            (Self::Members(members), Some(_), _) => members_over(members, [old, shown, new], grows),
            (Self::Items(runs), _, Some((old, new))) => {
                let (mut items, mut masks) = (Tree::list(), Vec::new());
                let mut add = |mut item: Option<Tree>, run: Neighbors| {
                    if item.is_some() {
                        // A list has an end.
                        let _ = items.insert(&Token::new("-"), &mut item);
                    }
                    push(&mut masks, run);
                };
                let mut shown = shown.items().unwrap_or_default().iter();
                let runs = one_by_one(runs);
                let mut each = runs.iter().peekable();
                // The user's own stand before the next element that is still there: what is new of the server's stands before them.
                let mut own = Vec::new();
                align(old, new, &mut |(old, new)| {
                    let Some(old) = old else { return add(new.cloned(), Neighbors::SAME) };
                    while each.next_if(|run| run.server == 0).is_some() {
                        own.extend(shown.next().cloned());
                    }
                    let run = each.next();
                    let item = run.filter(|run| run.shown > 0).and_then(|_| shown.next());
                    let Some(new) = new else { return };
                    own.drain(..).for_each(|own| add(Some(own), Neighbors::OWN));
                    match (item, run.and_then(|run| run.inner.as_ref())) {
                        (None, _) => add(None, Neighbors::GONE),
                        (Some(item), Some(mask)) => {
                            let (item, mask) = mask.over(old, item, new, grows);
                            add(Some(item), Neighbors { inner: Some(mask), ..Neighbors::SAME });
                        }
                        _ => add(Some(new.clone()), Neighbors::SAME),
                    }
                });
                own.extend(shown.cloned());
                own.into_iter().for_each(|own| add(Some(own), Neighbors::OWN));
                (items, Self::Items(masks))
            }
            // Nothing of what was there is left but what the user has set in it.
            (Self::Members(_), ..) => (self.over(old, shown, &Tree::object(), grows).0, Self::Own),
            (Self::Items(_), ..) => (self.over(old, shown, &Tree::list(), grows).0, Self::Own),
            (Self::Own, ..) => {
                let grown = if grows { grown(old, shown, new) } else { None };
                (grown.unwrap_or_else(|| shown.clone()), Self::Own)
            }
        }
    }
}

/// The masks of members over an object.
fn members_over(members: &MemberMasks, trees: [&Tree; 3], grows: bool) -> (Tree, Mask) {
    let (mut tree, mut masks) = (trees[2].clone(), MemberMasks::default());
    for (key, mask) in members.iter() {
        let [old, shown, new] = trees.map(|tree| tree.member(key));
        let (value, mask) = match old.zip(shown) {
            Some((old, shown)) => {
                let (value, mask) = mask.over(old, shown, new.unwrap_or(&Tree::default()), grows);
                (Some(value), mask)
            }
            None => (shown.cloned(), Mask::Own),
        };
        masks.set(key, mask);
        let token = Token::new(key);
        // A member that is not there need not be taken out.
        let _ = match value {
            Some(value) => tree.insert(&token, &mut Some(value)).map(drop),
            None => tree.remove(&token).map(drop),
        };
    }
    (tree, Mask::Members(masks))
}

/// The user's own text, with what has come after the one that it has taken the place of.
fn grown(old: &Tree, shown: &Tree, new: &Tree) -> Option<Tree> {
    let [old, shown, new] = [old, shown, new].map(|tree| Raw::known(&tree.to_json()).string().map(String::from));
    let text = shown? + &text_after(&old?, &new?)?;
    Some(Tree::read(Raw::known(&quoted(&text))))
}

/// Applies to `now` the changes that lead from `before` to `after`: where both have changed a value, it is as in
/// `after`; `grows`: but a text that has grown since goes on after that.
pub(super) fn merge(before: &Tree, after: &Tree, now: &Tree, grows: bool) -> Tree {
    Mask::between(before, after).map_or_else(|| now.clone(), |mask| mask.over(before, after, now, grows).0)
}

/// How one document becomes another.
#[derive(Debug, Default)]
pub(super) struct Difference {
    /// Operations of JSON Patch.
    pub operations: String,
    /// Whether a list is written anew, with elements that it had.
    pub rewrites: bool,
}

/// Each element that comes or goes moves all that follow: of a list where there are more, all is written.
const MOST_ONE_BY_ONE: usize = 64;

impl Difference {
    /// Of documents, or parts of them, that stand at this path.
    pub fn between(old: &Tree, new: &Tree, path: &str) -> Self {
        let mut difference = Self::default();
        if let Some(mask) = Mask::between(old, new) {
            difference.note(&mask, Some(old), Some(new), &mut path.to_owned());
        }
        difference
    }

    fn note(&mut self, mask: &Mask, old: Option<&Tree>, new: Option<&Tree>, path: &mut String) {
        match mask {
            Mask::Own => {
                let operation = match (old, new) {
                    (_, None) => "remove",
                    (None, _) => "add",
                    _ => "replace",
                };
                write_operation(&mut self.operations, operation, None, path, new);
            }
            Mask::Members(members) => {
                for (key, mask) in members.iter() {
                    let [old, new] = [old, new].map(|tree| tree?.member(key));
                    self.inside(mask, old, new, path, Token::new(key).encoded());
                }
            }
            Mask::Items(runs) => {
                let moving = runs.iter().filter(|run| run.server != run.shown).map(|run| run.server + run.shown);
                if moving.sum::<usize>() > MOST_ONE_BY_ONE {
                    self.rewrites = true;
                    return self.note(&Mask::Own, old, new, path);
                }
                let [mut old, mut new] = [old, new].map(|tree| tree.and_then(Tree::items).unwrap_or_default().iter());
                let mut at = 0;
                for run in one_by_one(runs) {
                    let old = if run.server > 0 { old.next() } else { None };
                    let new = if run.shown > 0 { new.next() } else { None };
                    let own = (run.server != run.shown).then_some(&Mask::Own);
                    if let Some(mask) = run.inner.as_ref().or(own) {
                        self.inside(mask, old, new, path, &at.to_string());
                    }
                    at += usize::from(new.is_some());
                }
            }
        }
    }

    /// Notes the difference one further.
    fn inside(&mut self, mask: &Mask, old: Option<&Tree>, new: Option<&Tree>, path: &mut String, token: &str) {
        let length = path.len();
        path.push('/');
        path.push_str(token);
        self.note(mask, old, new, path);
        path.truncate(length);
    }
}

/// Adds an operation of JSON Patch to others.
fn write_operation(out: &mut String, operation: &str, from: Option<&str>, path: &str, value: Option<&Tree>) {
    if !out.is_empty() {
        out.push(',');
    }
    JsonWriter::object(out).string("op", operation).optional("from", from).string("path", path).tree("value", value);
}

#[cfg(test)]
mod tests;
