//! The application's changes of the state during a run, over the server's state.
//!
//! There are two documents: the server's, and the one that is shown. Differences are kept as places, members and elements,
//! without values. The server's changes are made in its own document, and at the same time in the shown one, where its place
//! is to be seen there: a change costs what it costs without an edit, and in a list that was edited the number of places
//! where it was.

mod rebase;

pub(super) use rebase::Rebase;

use super::limit::{Copies, ThreadLimits};
use super::queue::PlacesByKey;
use crate::wire::{At, Index as Places, element};
use crate::wire::{Gather, JsonWriter, Tree};
use json_patch::jsonptr::{Pointer, Token};
use std::rc::Rc;

/// How what is shown differs from what the server knows, at one place.
#[derive(Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) enum ValueEdit {
    /// The user has set it, or taken it away: what the server does here is not shown.
    Own,
    /// An object on both sides, with members that differ.
    Members(MemberEdits),
    /// A list on both sides.
    Items(Vec<Neighbors>),
}

/// Members that differ, by their keys.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct MemberEdits {
    list: Vec<(Rc<str>, ValueEdit)>,
    index: Places,
}

impl MemberEdits {
    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn get(&self, key: &str) -> Option<&ValueEdit> {
        self.list.get(self.index.get(key)?.message).map(|(_, edit)| edit)
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut ValueEdit> {
        self.list.get_mut(self.index.get(key)?.message).map(|(_, edit)| edit)
    }

    fn insert(&mut self, key: &str, edit: ValueEdit) {
        if let Some(old) = self.get_mut(key) {
            *old = edit;
            return;
        }
        let key: Rc<str> = key.into();
        self.index.insert(key.clone(), At { message: self.list.len(), call: 0 });
        self.list.push((key, edit));
    }

    fn or_insert(&mut self, key: &str, edit: ValueEdit) -> Option<&mut ValueEdit> {
        if self.get(key).is_none() {
            self.insert(key, edit);
        }
        self.get_mut(key)
    }

    fn remove(&mut self, key: &str) -> Option<ValueEdit> {
        let at = self.index.remove(key)?;
        let (_, edit) = self.list.swap_remove(at.message);
        // The last one has taken its place.
        if let Some((moved, _)) = self.list.get(at.message) {
            self.index.insert(moved.clone(), at);
        }
        Some(edit)
    }
}

/// Neighbors in a list.
#[derive(Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) enum Neighbors {
    /// So many elements are the same.
    Same(usize),
    /// So many of the server's are not shown.
    Gone(usize),
    /// So many that are shown are the user's own.
    Own(usize),
    /// An element that differs within.
    Inner(ValueEdit),
}

impl Neighbors {
    /// How many elements it has on the server's side, and how many are shown.
    fn lengths(&self) -> (usize, usize) {
        match self {
            Self::Same(count) => (*count, *count),
            Self::Gone(count) => (*count, 0),
            Self::Own(count) => (0, *count),
            Self::Inner(_) => (1, 1),
        }
    }

    /// Whether it is as the other, and takes it in.
    fn join(&mut self, other: &Neighbors) -> bool {
        match (self, other) {
            (Self::Same(count), Self::Same(more))
            | (Self::Gone(count), Self::Gone(more))
            | (Self::Own(count), Self::Own(more)) => {
                *count += more;
                true
            }
            _ => false,
        }
    }
}

impl ValueEdit {
    /// The difference of the shown document from the server's; `None`: they are equal.
    pub fn between(server: &Tree, shown: &Tree) -> Option<Self> {
        if let (Some(before), Some(after)) = (server.members(), shown.members()) {
            let mut members = MemberEdits::default();
            for (key, value) in after.iter() {
                let edit = before.get(key).map_or(Some(Self::Own), |old| Self::between(old, value));
                edit.into_iter().for_each(|edit| members.insert(key, edit));
            }
            let gone = before.iter().filter(|(key, _)| after.get(key).is_none());
            gone.for_each(|(key, _)| members.insert(key, Self::Own));
            return (!members.is_empty()).then_some(Self::Members(members));
        }
        if let (Some(before), Some(after)) = (server.items(), shown.items()) {
            let mut runs: Vec<Neighbors> = Vec::new();
            align(before, after, &mut |pair| {
                let run = match pair {
                    (Some(old), Some(new)) => Self::between(old, new).map_or(Neighbors::Same(1), Neighbors::Inner),
                    (Some(_), None) => Neighbors::Gone(1),
                    _ => Neighbors::Own(1),
                };
                if !runs.last_mut().is_some_and(|last| last.join(&run)) {
                    runs.push(run);
                }
            });
            return (!matches!(*runs, [] | [Neighbors::Same(_)])).then_some(Self::Items(runs));
        }
        (!server.equals(shown)).then_some(Self::Own)
    }

    /// The parts of `shown` that are the user's own.
    fn own(&self, shown: &Tree) -> Tree {
        let mut own = match self {
            Self::Own => return shown.clone(),
            Self::Members(_) => Tree::object(),
            Self::Items(_) => Tree::list(),
        };
        let mut add = |key: &str, value: Tree| drop(own.insert(&Token::new(key), &mut Some(value)));
        match self {
            Self::Own => {}
            Self::Members(members) => {
                for (key, edit) in &members.list {
                    if let Some(value) = shown.child(&Token::new(&**key)) {
                        add(key, edit.own(value));
                    }
                }
            }
            Self::Items(runs) => {
                let mut at = 0;
                for run in runs {
                    let count = run.lengths().1;
                    if let Neighbors::Own(_) = run {
                        let items = shown.items().unwrap_or_default().iter().skip(at).take(count);
                        items.for_each(|item| add("-", item.clone()));
                    }
                    at += count;
                }
            }
        }
        own
    }
}

/// Applies to `now` the changes that lead from `before` to `after`: where both have changed a value, it is as in
/// `after`.
pub(super) fn merge(mut before: Tree, mut after: Tree, now: Tree) -> Tree {
    let Some(mut edit) = ValueEdit::between(&before, &after) else { return now };
    let limits = ThreadLimits { depth: usize::MAX, state_bytes: usize::MAX };
    let (server, shown, mut copies) = (&mut before, &mut after, Copies::default());
    let (operations, failed) = (String::new(), None);
    let mut rebase = Rebase { edit: &mut edit, server, shown, limits, copies: &mut copies, operations, failed };
    rebase.replace(now);
    after
}

/// How one document becomes another.
pub(super) struct Difference {
    /// A JSON Patch.
    pub patch: String,
    /// Whether a list is written anew, with elements that it had.
    pub rewrites: bool,
}

impl Difference {
    /// `None`: the documents are of different kinds.
    pub fn between(old: &Tree, new: &Tree) -> Option<Self> {
        let mut changes = Changes { most: MOST_ONE_BY_ONE, ..Changes::default() };
        if !changes.compare(old, new, &mut String::new()) {
            return None;
        }
        let mut patch = String::from("[");
        for (path, change) in changes.list {
            let (operation, value) = match change {
                Change::Add(value) => ("add", Some(value)),
                Change::Replace(value) => ("replace", Some(value)),
                Change::Remove => ("remove", None),
            };
            if patch.len() > 1 {
                patch.push(',');
            }
            let mut object = JsonWriter::object(&mut patch);
            object.string("op", operation).string("path", &path);
            value.iter().for_each(|value| value.write(object.member("value")));
            object.close();
        }
        patch.push(']');
        Some(Self { patch, rewrites: changes.rewrites })
    }
}

/// Each element that comes or goes moves all that follow: of a list where there are more, all is written.
const MOST_ONE_BY_ONE: usize = 64;

/// A pair of elements, one of either list; or an element without another.
type Pair<'t> = (Option<&'t Tree>, Option<&'t Tree>);

/// Which elements of a list are which of another one: the same from the beginning and to the end, and between them those
/// that have the same id, or are equal, as far as they stand in the same order. Of what is left, neighbors that are alike.
fn align<'t>(mut old: &'t [Tree], mut new: &'t [Tree], pair: &mut dyn FnMut(Pair<'t>)) {
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

/// Where an element of the server's list is: its run, and its place, or that of the next one, in what is shown.
fn locate(runs: &[Neighbors], at: usize) -> Option<(usize, usize)> {
    let (mut server, mut shown) = (0, 0);
    for (place, run) in runs.iter().enumerate() {
        let (here, seen) = run.lengths();
        if at < server + here {
            return Some((place, shown + seen.min(at - server)));
        }
        server += here;
        shown += seen;
    }
    None
}

/// Takes an element out: what it was.
fn take(runs: &mut Vec<Neighbors>, at: usize) -> Option<Neighbors> {
    let (place, _) = locate(runs, at)?;
    let run = runs.get_mut(place)?;
    let taken = match run {
        Neighbors::Same(count @ 2..) => {
            *count -= 1;
            Neighbors::Same(1)
        }
        Neighbors::Gone(count @ 2..) => {
            *count -= 1;
            Neighbors::Gone(1)
        }
        _ => runs.remove(place),
    };
    Some(taken)
}

/// Puts an element before the server's element `at`, next to the one before that: where it is shown.
fn put(runs: &mut Vec<Neighbors>, at: usize, new: Neighbors) -> usize {
    let Some(before) = at.checked_sub(1) else {
        if !runs.first_mut().is_some_and(|first| first.join(&new)) {
            runs.insert(0, new);
        }
        return 0;
    };
    let Some((place, shown)) = locate(runs, before) else { return 0 };
    let here: usize = runs.iter().take(place).map(|run| run.lengths().0).sum();
    let Some(run) = runs.get_mut(place) else { return 0 };
    let shown = shown + run.lengths().1.min(1);
    if run.join(&new) {
        return shown;
    }
    // The rest of a run that is parted.
    let rest = match run {
        Neighbors::Same(count) => Neighbors::Same(std::mem::replace(count, at - here) - (at - here)),
        Neighbors::Gone(count) => Neighbors::Gone(std::mem::replace(count, at - here) - (at - here)),
        _ => Neighbors::Same(0),
    };
    if rest.lengths().0 > 0 {
        runs.insert(place + 1, rest);
    }
    if !runs.get_mut(place + 1).is_some_and(|next| next.join(&new)) {
        runs.insert(place + 1, new);
    }
    shown
}

/// A place of the server's document, in what is shown.
enum Spot<'e> {
    Hidden,
    /// Its path, and what differs in it.
    Shown(String, Option<&'e mut ValueEdit>),
}

fn find<'e>(edit: &'e mut ValueEdit, path: &Pointer) -> Spot<'e> {
    let (mut edit, mut shown) = (Some(edit), String::new());
    for token in path.tokens() {
        shown.push('/');
        edit = match edit {
            Some(ValueEdit::Own) => return Spot::Hidden,
            Some(ValueEdit::Items(runs)) => {
                let at = element(&token, usize::MAX).and_then(|at| locate(runs, at));
                let Some((place, at)) = at else { return Spot::Hidden };
                shown.push_str(&at.to_string());
                match runs.get_mut(place) {
                    Some(Neighbors::Gone(_)) => return Spot::Hidden,
                    Some(Neighbors::Inner(edit)) => Some(edit),
                    _ => None,
                }
            }
            other => {
                shown.push_str(token.encoded());
                match other {
                    Some(ValueEdit::Members(members)) => members.get_mut(&token.decoded()),
                    _ => None,
                }
            }
        };
    }
    match edit {
        Some(ValueEdit::Own) => Spot::Hidden,
        edit => Spot::Shown(shown, edit),
    }
}

/// A change at a place.
enum Change {
    Add(Tree),
    Replace(Tree),
    Remove,
}

/// The changes that lead from one document to another, place by place.
struct Changes {
    list: Vec<(String, Change)>,
    /// So many elements of a list come or go one by one.
    most: usize,
    /// A list is written anew, with elements that it had.
    rewrites: bool,
}

impl Default for Changes {
    fn default() -> Self {
        Self { list: Vec::new(), most: usize::MAX, rewrites: false }
    }
}

impl Changes {
    /// Notes what makes `new` of `old`. `false`: they are of different kinds.
    fn compare(&mut self, old: &Tree, new: &Tree, path: &mut String) -> bool {
        if let (Some(before), Some(after)) = (old.members(), new.members()) {
            for (key, value) in after.iter() {
                at(path, Token::new(key).encoded(), |path| match before.get(key) {
                    Some(old) => self.note(old, value, path),
                    None => self.list.push((path.clone(), Change::Add(value.clone()))),
                });
            }
            for (key, _) in before.iter().filter(|(key, _)| after.get(key).is_none()) {
                at(path, Token::new(key).encoded(), |path| self.list.push((path.clone(), Change::Remove)));
            }
            return true;
        }
        if let (Some(before), Some(after)) = (old.items(), new.items()) {
            let (start, mut element, mut moving) = (self.list.len(), 0, 0);
            align(before, after, &mut |pair| {
                at(path, &element.to_string(), |path| match pair {
                    (Some(old), Some(new)) => self.note(old, new, path),
                    (_, Some(new)) => self.list.push((path.clone(), Change::Add(new.clone()))),
                    _ => self.list.push((path.clone(), Change::Remove)),
                });
                element += usize::from(pair.1.is_some());
                moving += usize::from(pair.0.is_none() || pair.1.is_none());
            });
            if moving > self.most {
                self.list.truncate(start);
                self.list.push((path.clone(), Change::Replace(new.clone())));
                self.rewrites = true;
            }
            return true;
        }
        false
    }

    fn note(&mut self, old: &Tree, new: &Tree, path: &mut String) {
        if !self.compare(old, new, path) && !old.equals(new) {
            self.list.push((path.clone(), Change::Replace(new.clone())));
        }
    }
}

/// Does something at a place one further.
fn at(path: &mut String, token: &str, act: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push('/');
    path.push_str(token);
    act(path);
    path.truncate(length);
}

#[cfg(test)]
mod tests;
