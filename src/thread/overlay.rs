//! What the application has changed in the state while a run was on, over what the server knows.
//!
//! There are two documents: the server's, and the one that is shown. What differs is kept as places, members and elements,
//! without values. What the server does is done to its own document, and at the same time to what is shown, where its place
//! is to be seen there: a change costs what it costs without an edit, and in a list that was edited the number of places
//! where it was.

use super::delta::{self, Failed, Step};
use super::edit::Queue;
use super::limit::{Copies, ThreadLimits};
use super::list::{At, Index as Places};
use crate::wire::{JsonWriter, Misfit, Tree};
use json_patch::jsonptr::{Pointer, PointerBuf, Token, index::Index};
use json_patch::{AddOperation, CopyOperation, MoveOperation, PatchOperation, RemoveOperation, ReplaceOperation};
use std::rc::Rc;

/// How what is shown differs from what the server knows, at one place.
#[derive(Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) enum Edit {
    /// The user has set it, or taken it away: what the server does here is not shown.
    Own,
    /// An object on both sides, with members that differ.
    Members(Members),
    /// A list on both sides.
    Items(Vec<Run>),
}

/// Members that differ, by their keys.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Members {
    list: Vec<(Rc<str>, Edit)>,
    index: Places,
}

impl Members {
    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn get(&self, key: &str) -> Option<&Edit> {
        self.list.get(self.index.get(key)?.message).map(|(_, edit)| edit)
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut Edit> {
        self.list.get_mut(self.index.get(key)?.message).map(|(_, edit)| edit)
    }

    fn insert(&mut self, key: &str, edit: Edit) {
        if let Some(old) = self.get_mut(key) {
            *old = edit;
            return;
        }
        let key: Rc<str> = key.into();
        self.index.insert(key.clone(), At { message: self.list.len(), call: 0 });
        self.list.push((key, edit));
    }

    fn or_insert(&mut self, key: &str, edit: Edit) -> Option<&mut Edit> {
        if self.get(key).is_none() {
            self.insert(key, edit);
        }
        self.get_mut(key)
    }

    fn remove(&mut self, key: &str) -> Option<Edit> {
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
pub(super) enum Run {
    /// So many elements are the same.
    Same(usize),
    /// So many of the server's are not shown.
    Gone(usize),
    /// So many that are shown are the user's own.
    Own(usize),
    /// An element that differs within.
    Inner(Edit),
}

impl Run {
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
    fn join(&mut self, other: &Run) -> bool {
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

impl Edit {
    /// What is shown where the server knows another document; `None`: they are equal.
    pub fn between(server: &Tree, shown: &Tree) -> Option<Self> {
        if let (Some(before), Some(after)) = (server.members(), shown.members()) {
            let mut members = Members::default();
            for (key, value) in after.iter() {
                let edit = before.get(key).map_or(Some(Self::Own), |old| Self::between(old, value));
                edit.into_iter().for_each(|edit| members.insert(key, edit));
            }
            let gone = before.iter().filter(|(key, _)| after.get(key).is_none());
            gone.for_each(|(key, _)| members.insert(key, Self::Own));
            return (!members.is_empty()).then_some(Self::Members(members));
        }
        if let (Some(before), Some(after)) = (server.items(), shown.items()) {
            let mut runs: Vec<Run> = Vec::new();
            align(before, after, &mut |pair| {
                let run = match pair {
                    (Some(old), Some(new)) => Self::between(old, new).map_or(Run::Same(1), Run::Inner),
                    (Some(_), None) => Run::Gone(1),
                    _ => Run::Own(1),
                };
                if !runs.last_mut().is_some_and(|last| last.join(&run)) {
                    runs.push(run);
                }
            });
            return (!matches!(*runs, [] | [Run::Same(_)])).then_some(Self::Items(runs));
        }
        (!server.equals(shown)).then_some(Self::Own)
    }

    /// What of `shown` is the user's own.
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
                    if let Run::Own(_) = run {
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

/// What `after` has changed of `before`, done to `now`: what both have changed is as `after` has it.
pub(super) fn merge(mut before: Tree, mut after: Tree, now: Tree) -> Tree {
    let Some(mut edit) = Edit::between(&before, &after) else { return now };
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
    let mut places = Queue::new(old.iter().map(|item| Some(identity(item))).collect());
    // What stands before these is done.
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
            // What takes the place of another stands before what comes after it.
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
fn locate(runs: &[Run], at: usize) -> Option<(usize, usize)> {
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
fn take(runs: &mut Vec<Run>, at: usize) -> Option<Run> {
    let (place, _) = locate(runs, at)?;
    let run = runs.get_mut(place)?;
    let taken = match run {
        Run::Same(count @ 2..) => {
            *count -= 1;
            Run::Same(1)
        }
        Run::Gone(count @ 2..) => {
            *count -= 1;
            Run::Gone(1)
        }
        _ => runs.remove(place),
    };
    Some(taken)
}

/// Puts an element before the server's element `at`, next to the one before that: where it is shown.
fn put(runs: &mut Vec<Run>, at: usize, new: Run) -> usize {
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
        Run::Same(count) => Run::Same(std::mem::replace(count, at - here) - (at - here)),
        Run::Gone(count) => Run::Gone(std::mem::replace(count, at - here) - (at - here)),
        _ => Run::Same(0),
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
    Shown(String, Option<&'e mut Edit>),
}

fn find<'e>(edit: &'e mut Edit, path: &Pointer) -> Spot<'e> {
    let (mut edit, mut shown) = (Some(edit), String::new());
    for token in path.tokens() {
        shown.push('/');
        edit = match edit {
            Some(Edit::Own) => return Spot::Hidden,
            Some(Edit::Items(runs)) => {
                let Ok(Index::Num(at)) = token.to_index() else { return Spot::Hidden };
                let Some((place, at)) = locate(runs, at) else { return Spot::Hidden };
                shown.push_str(&at.to_string());
                match runs.get_mut(place) {
                    Some(Run::Gone(_)) => return Spot::Hidden,
                    Some(Run::Inner(edit)) => Some(edit),
                    _ => None,
                }
            }
            other => {
                shown.push_str(token.encoded());
                match other {
                    Some(Edit::Members(members)) => members.get_mut(&token.decoded()),
                    _ => None,
                }
            }
        };
    }
    match edit {
        Some(Edit::Own) => Spot::Hidden,
        edit => Spot::Shown(shown, edit),
    }
}

/// Both documents, while the server's operations are done to them.
pub(super) struct Rebase<'r> {
    pub edit: &'r mut Edit,
    pub server: &'r mut Tree,
    pub shown: &'r mut Tree,
    pub limits: ThreadLimits,
    pub copies: &'r mut Copies,
    /// What was done to what is shown: operations of JSON Patch, with a comma after each.
    pub operations: String,
    /// Something did not fit, which cannot be; or would be too large.
    pub failed: Option<Failed>,
}

impl Rebase<'_> {
    /// Takes a step that was found to fit.
    pub fn step(&mut self, step: &Step<'_>) {
        match &step.operation {
            PatchOperation::Test(_) => {}
            PatchOperation::Add(AddOperation { path, .. }) => self.put(path, Tree::read(step.value), false, None),
            PatchOperation::Replace(ReplaceOperation { path, .. }) => {
                self.put(path, Tree::read(step.value), true, None);
            }
            PatchOperation::Remove(RemoveOperation { path }) => self.remove(path),
            PatchOperation::Move(MoveOperation { from, path }) if from == path => {}
            // An element that is copied to its own place stands there twice.
            PatchOperation::Copy(CopyOperation { from, path }) if from == path && !self.is_element(path) => {}
            PatchOperation::Copy(CopyOperation { from, path }) => {
                let Ok(value) = self.server.at(from.tokens()).cloned() else { return };
                // What differs there is not the server's to copy.
                let shown = match find(self.edit, from) {
                    Spot::Shown(shown, None) => Some(shown),
                    _ => None,
                };
                self.put(path, value, false, shown);
            }
            PatchOperation::Move(MoveOperation { from, path }) => self.relocate(from, path),
        }
    }

    /// The server's document is another one.
    pub fn replace(&mut self, document: Tree) {
        self.put(Pointer::root(), document, true, None);
    }

    /// Puts a value into the server's document; `copied`: where it is shown already.
    fn put(&mut self, path: &Pointer, value: Tree, replace: bool, copied: Option<String>) {
        if (replace || !self.is_element(path))
            && let (Ok(old), Spot::Shown(shown, Some(edit))) = (self.server.at(path.tokens()), find(self.edit, path))
        {
            let mut changes = Changes::default();
            if changes.compare(old, &value, &mut path.as_str().to_owned()) {
                return self.change(changes.list);
            }
            // Nothing of the old value is there but what the user has set in it.
            let edit = std::mem::replace(edit, Edit::Own);
            self.keep_own(&edit, &shown);
        }
        if let Some(shown) = self.target(path, replace, Run::Same(1)) {
            match copied {
                Some(from) => self.show("copy", Some(&from), &shown, None),
                None => self.show(if replace { "replace" } else { "add" }, None, &shown, Some(value.clone())),
            }
        }
        let result = delta::put(self.server, path, value, replace);
        self.check(result);
    }

    /// Makes changes that lead from one value of the server's to another.
    fn change(&mut self, changes: Vec<(String, Change)>) {
        for (path, change) in changes {
            let Ok(path) = PointerBuf::parse(path) else { continue };
            match change {
                Change::Add(value) => self.put(&path, value, false, None),
                Change::Replace(value) => self.put(&path, value, true, None),
                Change::Remove => self.remove(&path),
            }
        }
    }

    /// Whether a path leads to an element of a list.
    fn is_element(&self, path: &Pointer) -> bool {
        let list = path.parent().and_then(|parent| self.server.at(parent.tokens()).ok());
        list.is_some_and(|list| list.items().is_some())
    }

    /// Where a value is shown that is about to stand at `path` in the server's document. Where it replaces none, an element
    /// gets its place among the others, as what `run` says.
    fn target(&mut self, path: &Pointer, replaces: bool, run: Run) -> Option<String> {
        let Some((parent, token)) = path.split_back() else {
            return (!matches!(self.edit, Edit::Own)).then(String::new);
        };
        let list = self.server.at(parent.tokens()).ok()?;
        if let Run::Inner(_) = run {
            differ(self.edit, self.server, parent);
        }
        let Spot::Shown(mut shown, edit) = find(self.edit, parent) else { return None };
        shown.push('/');
        match edit {
            Some(Edit::Items(runs)) => {
                let at = token.to_index().ok()?.for_len_incl(list.items()?.len()).ok()?;
                let (at, seen) = if replaces {
                    let (place, at) = locate(runs, at)?;
                    (at, runs.get(place)?.lengths().1)
                } else {
                    let seen = run.lengths().1;
                    (put(runs, at, run), seen)
                };
                shown.push_str(&at.to_string());
                return (seen > 0).then_some(shown);
            }
            Some(Edit::Members(members)) => {
                let key = token.decoded();
                if let Some(Edit::Own) = members.get(&key) {
                    return None;
                }
                if let Run::Inner(edit) = run {
                    members.insert(&key, edit);
                }
            }
            _ => {}
        }
        shown.push_str(token.encoded());
        Some(shown)
    }

    /// Takes what differs at `path`, of which the server's value is about to go. Where an element was shown is left out of
    /// account from now on.
    fn detach(&mut self, path: &Pointer) -> Option<Run> {
        let (parent, token) = path.split_back()?;
        match find(self.edit, parent) {
            Spot::Shown(_, Some(Edit::Items(runs))) => match token.to_index() {
                Ok(Index::Num(at)) => take(runs, at),
                _ => None,
            },
            Spot::Shown(_, Some(Edit::Members(members))) => {
                let key = token.decoded();
                // What the user has set stays where it is.
                let edit = if let Some(Edit::Own) = members.get(&key) { None } else { members.remove(&key) };
                edit.map(Run::Inner)
            }
            _ => None,
        }
    }

    /// Takes a value out of the server's document.
    fn remove(&mut self, path: &Pointer) {
        if path.is_root() {
            return self.replace(Tree::default());
        }
        let is_element = self.is_element(path);
        if let Spot::Shown(shown, edit) = find(self.edit, path) {
            match edit {
                // What the user has set in it stays.
                Some(edit) if !is_element => {
                    let edit = std::mem::replace(edit, Edit::Own);
                    self.keep_own(&edit, &shown);
                }
                _ => {
                    self.detach(path);
                    self.show("remove", None, &shown, None);
                }
            }
        } else {
            self.detach(path);
        }
        let result = delta::take(self.server, path).map(drop);
        self.check(result);
    }

    /// Moves a value in the server's document, with what differs in it.
    fn relocate(&mut self, from: &Pointer, path: &Pointer) {
        let shown = match find(self.edit, from) {
            Spot::Shown(shown, _) => Some(shown),
            Spot::Hidden => None,
        };
        let run = self.detach(from).unwrap_or(if shown.is_some() { Run::Same(1) } else { Run::Gone(1) });
        let value = match delta::take(self.server, from) {
            Ok(value) => value,
            Err(misfit) => return self.check(Err(misfit)),
        };
        let meets = !self.is_element(path) && matches!(find(self.edit, path), Spot::Shown(_, Some(_)));
        // What is not shown stays so from list to list.
        let stays_hidden = shown.is_none() && matches!(run, Run::Gone(_)) && self.is_edited_list(path);
        let shown = shown.filter(|shown| {
            // Two edits meet: the server's value is written.
            if meets {
                self.show("remove", None, shown, None);
            }
            !meets
        });
        if shown.is_none() && !stays_hidden {
            if !self.copies.spend(value.bytes(), self.limits) {
                self.failed = Some(Failed::Exceeded(self.limits.exceeded()));
            }
            return self.put(path, value, false, None);
        }
        match (shown, self.target(path, false, run)) {
            (Some(shown), Some(target)) => self.show("move", Some(&shown), &target, None),
            (Some(shown), None) => self.show("remove", None, &shown, None),
            (None, _) => {}
        }
        let result = delta::put(self.server, path, value, false);
        self.check(result);
    }

    fn is_edited_list(&mut self, path: &Pointer) -> bool {
        let list = path.parent().map(|parent| find(self.edit, parent));
        matches!(list, Some(Spot::Shown(_, Some(Edit::Items(_)))))
    }

    /// Of what is shown at a path, nothing stays but what the user has set.
    fn keep_own(&mut self, edit: &Edit, path: &str) {
        let shown = PointerBuf::parse(path).ok();
        let own = shown.and_then(|path| self.shown.at(path.tokens()).ok().map(|shown| edit.own(shown)));
        self.show("replace", None, path, own);
    }

    /// Does an operation to what is shown, and writes it.
    fn show(&mut self, operation: &str, from: Option<&str>, path: &str, value: Option<Tree>) {
        let mut object = JsonWriter::object(&mut self.operations);
        object.string("op", operation).optional("from", from).string("path", path);
        value.iter().for_each(|value| value.write(object.member("value")));
        object.close();
        self.operations.push(',');
        let result = self.do_to_shown(operation, from.unwrap_or_default(), path, value);
        self.check(result);
    }

    fn do_to_shown(&mut self, operation: &str, from: &str, path: &str, value: Option<Tree>) -> Result<(), Misfit> {
        let [from, path] = [from, path].map(|path| PointerBuf::parse(path).unwrap_or_default());
        let value = match operation {
            "remove" => return delta::take(self.shown, &path).map(drop),
            "move" => delta::take(self.shown, &from)?,
            "copy" => self.shown.at(from.tokens())?.clone(),
            _ => value.unwrap_or_default(),
        };
        delta::put(self.shown, &path, value, operation == "replace")
    }

    fn check(&mut self, result: Result<(), Misfit>) {
        if let (Err(misfit), None) = (result, &self.failed) {
            self.failed = Some(misfit.into());
        }
    }
}

/// Makes places of everything on the way to a container, itself included, so that something in it may differ.
fn differ(mut edit: &mut Edit, server: &Tree, path: &Pointer) -> Option<()> {
    let mut at = server;
    for token in path.tokens() {
        at = at.child(&token)?;
        let fresh = match at.items() {
            Some(items) => Edit::Items(vec![Run::Same(items.len())]),
            None => Edit::Members(Members::default()),
        };
        edit = match edit {
            Edit::Own => return None,
            Edit::Members(members) => members.or_insert(&token.decoded(), fresh)?,
            Edit::Items(runs) => {
                let Ok(Index::Num(element)) = token.to_index() else { return None };
                let (place, _) = locate(runs, element)?;
                if let Some(Run::Same(_)) = runs.get(place) {
                    take(runs, element);
                    put(runs, element, Run::Inner(fresh));
                }
                let (place, _) = locate(runs, element)?;
                match runs.get_mut(place)? {
                    Run::Inner(edit) => edit,
                    _ => return None,
                }
            }
        };
    }
    Some(())
}

/// A change at a place.
enum Change {
    Add(Tree),
    Replace(Tree),
    Remove,
}

/// What makes one document of another, place by place.
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
mod tests {
    use super::*;
    use crate::thread::delta::Steps;
    use crate::wire::Raw;

    const LIMITS: ThreadLimits = ThreadLimits { depth: 99, state_bytes: usize::MAX };

    fn tree(json: &str) -> Tree {
        Tree::read(Raw::parse(json, 99).unwrap())
    }

    fn text(tree: &Tree) -> String {
        let mut out = String::new();
        tree.write(&mut out);
        out
    }

    /// What is edited, with both documents.
    struct Case {
        edit: Option<Edit>,
        server: Tree,
        shown: Tree,
        /// What the mirror has: it takes the operations alone.
        mirror: Tree,
    }

    impl Case {
        fn new(server: &str, shown: &str) -> Self {
            let (server, shown) = (tree(server), tree(shown));
            Self { edit: Edit::between(&server, &shown), server, mirror: shown.clone(), shown }
        }

        fn rebase(&mut self, change: impl FnOnce(&mut Rebase<'_>)) -> String {
            let Some(edit) = &mut self.edit else { panic!("nothing differs") };
            let (server, shown, mut copies) = (&mut self.server, &mut self.shown, Copies::default());
            let operations = String::new();
            let mut rebase =
                Rebase { edit, server, shown, limits: LIMITS, copies: &mut copies, operations, failed: None };
            change(&mut rebase);
            assert!(rebase.failed.is_none(), "{:?}", rebase.failed);
            let operations = format!("[{}]", rebase.operations.trim_end_matches(','));
            let delta = Raw::parse(&operations, 99).unwrap();
            crate::thread::apply_patch(&mut self.mirror, delta, LIMITS, &mut Copies::default(), |_| true).unwrap();
            self.check();
            operations
        }

        /// Does a patch; gives what went to the mirror.
        fn patch(&mut self, delta: &str) -> String {
            let steps = Steps::read(Raw::parse(delta, 99).unwrap()).unwrap();
            let log = steps.apply(&mut self.server, LIMITS, &mut Copies::default(), |_| true);
            log.unwrap().undo(&mut self.server);
            self.rebase(|rebase| steps.list.iter().for_each(|step| rebase.step(step)))
        }

        fn check(&self) {
            fits(self.edit.as_ref(), &self.server, &self.shown);
            assert_eq!(text(&self.mirror), text(&self.shown), "also the order of members");
        }
    }

    /// Only what the edit says differs.
    fn fits(edit: Option<&Edit>, server: &Tree, shown: &Tree) {
        match edit {
            None => assert!(server.equals(shown), "{} ≠ {}", text(server), text(shown)),
            Some(Edit::Own) => {}
            Some(Edit::Members(members)) => {
                let (server, shown) = (server.members().unwrap(), shown.members().unwrap());
                let keys = server.iter().chain(shown.iter()).map(|(key, _)| key);
                for key in keys.filter(|key| !matches!(members.get(key), Some(Edit::Own))) {
                    fits(members.get(key), server.get(key).unwrap(), shown.get(key).unwrap());
                }
            }
            Some(Edit::Items(runs)) => {
                let (mut server, mut shown) = (server.items().unwrap().iter(), shown.items().unwrap().iter());
                for run in runs {
                    match run {
                        Run::Gone(count) => drop(server.nth(count - 1).unwrap()),
                        Run::Own(count) => drop(shown.nth(count - 1).unwrap()),
                        Run::Same(count) => {
                            (0..*count).for_each(|_| fits(None, server.next().unwrap(), shown.next().unwrap()));
                        }
                        Run::Inner(edit) => fits(Some(edit), server.next().unwrap(), shown.next().unwrap()),
                    }
                }
                assert!(server.next().is_none() && shown.next().is_none());
            }
        }
    }

    /// What is shown where the server knew one thing, the user has made another of it, and then a patch came.
    fn rebased(server: &str, shown: &str, delta: &str) -> String {
        let mut case = Case::new(server, shown);
        case.patch(delta);
        text(&case.shown)
    }

    #[test]
    fn what_the_server_adds_to_a_list_that_was_edited() {
        let last = r#"[{"op":"add","path":"/-","value":9}]"#;
        assert_eq!(rebased("[1,2]", "[1,2,7]", last), "[1,2,9,7]");
        assert_eq!(rebased("[1,2]", "[2]", last), "[2,9]");
        assert_eq!(rebased("[1,2]", "[1,7]", last), "[1,7,9]");
        assert_eq!(rebased("[1,2]", "[]", last), "[9]");
        assert_eq!(rebased("[]", "[7]", last), "[9,7]");
        let first = r#"[{"op":"add","path":"/0","value":9}]"#;
        assert_eq!(rebased("[1,2]", "[7,1,2]", first), "[9,7,1,2]");
        assert_eq!(rebased("[1,2]", "[2]", first), "[9,2]");
        let middle = r#"[{"op":"add","path":"/1","value":9},{"op":"add","path":"/2","value":8}]"#;
        assert_eq!(rebased("[1,2]", "[1,7,2]", middle), "[1,9,8,7,2]");
        assert_eq!(rebased("[1,2]", "[2,1]", middle), "[9,8,2,1]");
        let nested = r#"[{"op":"add","path":"/a/1/b/-","value":9}]"#;
        assert_eq!(rebased(r#"{"a":[0,{"b":[1]}]}"#, r#"{"a":[{"b":[1,7]}]}"#, nested), r#"{"a":[{"b":[1,9,7]}]}"#);
    }

    #[test]
    fn what_the_server_does_else_to_a_list_that_was_edited() {
        assert_eq!(rebased("[1,2,3]", "[1,7,2,3]", r#"[{"op":"remove","path":"/1"}]"#), "[1,7,3]");
        assert_eq!(rebased("[1,2,3]", "[1,3]", r#"[{"op":"remove","path":"/1"}]"#), "[1,3]");
        assert_eq!(rebased("[1,2,3]", "[7,1,2,3]", r#"[{"op":"replace","path":"/2","value":9}]"#), "[7,1,2,9]");
        assert_eq!(rebased("[1,2,3]", "[1,2]", r#"[{"op":"replace","path":"/2","value":9}]"#), "[1,2]");
        assert_eq!(rebased("[1,2,3]", "[7,1,2,3]", r#"[{"op":"move","from":"/0","path":"/2"}]"#), "[7,2,3,1]");
        assert_eq!(rebased("[1,2,3]", "[2,3,7]", r#"[{"op":"move","from":"/0","path":"/2"}]"#), "[2,3,7]");
        assert_eq!(rebased("[1,2,3]", "[1,2,3,7]", r#"[{"op":"copy","from":"/0","path":"/-"}]"#), "[1,2,3,1,7]");
        assert_eq!(rebased("[1,2,3]", "[2,3]", r#"[{"op":"copy","from":"/0","path":"/-"}]"#), "[2,3,1]");
        let items = r#"{"a":[{"id":1,"done":false},{"id":2,"done":false}]}"#;
        let edited = r#"{"a":[{"id":1,"done":false},{"id":2,"done":true}]}"#;
        for (delta, expected) in [
            (r#"[{"op":"move","from":"/a/1","path":"/a/0"}]"#, r#"{"a":[{"id":2,"done":true},{"id":1,"done":false}]}"#),
            (
                r#"[{"op":"add","path":"/a/1/x","value":1}]"#,
                r#"{"a":[{"id":1,"done":false},{"id":2,"done":true,"x":1}]}"#,
            ),
            (r#"[{"op":"replace","path":"/a/1/done","value":0}]"#, edited),
            (r#"[{"op":"remove","path":"/a/1"}]"#, r#"{"a":[{"id":1,"done":false}]}"#),
            (
                r#"[{"op":"move","from":"/a/1","path":"/b"}]"#,
                r#"{"a":[{"id":1,"done":false}],"b":{"id":2,"done":true}}"#,
            ),
            (
                r#"[{"op":"copy","from":"/a/1","path":"/b"}]"#,
                r#"{"a":[{"id":1,"done":false},{"id":2,"done":true}],"b":{"id":2,"done":false}}"#,
            ),
            (
                r#"[{"op":"replace","path":"/a","value":[{"id":0},{"id":2,"done":null,"y":1}]}]"#,
                r#"{"a":[{"id":0},{"id":2,"done":true,"y":1}]}"#,
            ),
            (r#"[{"op":"replace","path":"","value":{"a":[{"id":2}]}}]"#, r#"{"a":[{"id":2,"done":true}]}"#),
        ] {
            assert_eq!(rebased(items, edited, delta), expected, "{delta}");
        }
    }

    #[test]
    fn what_the_user_has_set_stays() {
        let (server, shown) = (r#"{"a":1,"b":{"c":1,"d":1},"e":1}"#, r#"{"a":2,"b":{"c":1,"d":2},"f":3}"#);
        for (delta, expected) in [
            (r#"[{"op":"replace","path":"/a","value":9}]"#, shown),
            (r#"[{"op":"remove","path":"/a"},{"op":"add","path":"/f","value":9}]"#, shown),
            (r#"[{"op":"replace","path":"/b/c","value":9}]"#, r#"{"a":2,"b":{"c":9,"d":2},"f":3}"#),
            (r#"[{"op":"remove","path":"/b"}]"#, r#"{"a":2,"b":{"d":2},"f":3}"#),
            (r#"[{"op":"replace","path":"/b","value":7}]"#, r#"{"a":2,"b":{"d":2},"f":3}"#),
            (r#"[{"op":"move","from":"/e","path":"/g"}]"#, r#"{"a":2,"b":{"c":1,"d":2},"f":3,"g":1}"#),
            (r#"[{"op":"move","from":"/b","path":"/g"}]"#, r#"{"a":2,"f":3,"g":{"c":1,"d":2}}"#),
            (r#"[{"op":"move","from":"/a","path":"/b/c"}]"#, r#"{"a":2,"b":{"c":1,"d":2},"f":3}"#),
            (r#"[{"op":"replace","path":"","value":7}]"#, r#"{"a":2,"b":{"d":2},"f":3}"#),
            (r#"[{"op":"remove","path":""}]"#, r#"{"a":2,"b":{"d":2},"f":3}"#),
        ] {
            let out = rebased(server, shown, delta);
            let [out, expected] = [tree(&out), tree(expected)];
            assert!(out.equals(&expected), "{delta}: {}", text(&out));
        }
    }

    #[test]
    fn what_goes_to_the_page_is_what_changed() {
        let rows: Vec<String> = (0..1000).map(|row| format!(r#"{{"id":{row},"text":"unchanged"}}"#)).collect();
        let server = format!("[{}]", rows.join(","));
        let mut case = Case::new(&server, &format!("[{},7]", rows.join(",")));
        assert_eq!(
            case.patch(r#"[{"op":"replace","path":"/500/text","value":"new"},{"op":"remove","path":"/0"}]"#),
            r#"[{"op":"replace","path":"/500/text","value":"new"},{"op":"remove","path":"/0"}]"#
        );
        let operations = case.rebase(|rebase| rebase.replace(tree(&server)));
        assert!(operations.len() < 200, "{operations}");
    }

    /// Whatever the server does and the user has done: same seed, same documents.
    #[test]
    fn both_documents_stay_each_others() {
        for seed in 0..4_000_u64 {
            let mut state = seed;
            let mut next = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % below
            };
            fn any(next: &mut dyn FnMut(usize) -> usize, depth: usize) -> String {
                match next(if depth == 0 { 3 } else { 6 }) {
                    0..3 => next(4).to_string(),
                    3 | 4 => {
                        let items: Vec<String> = (0..next(5)).map(|_| any(next, depth - 1)).collect();
                        format!("[{}]", items.join(","))
                    }
                    _ => {
                        let member = |key| format!("\"{}\":{}", ["a", "b", "id"][key], any(next, depth - 1));
                        let members: Vec<String> = (0..3).map(member).collect();
                        format!("{{{}}}", members[next(4).min(2)..].join(","))
                    }
                }
            }
            fn path(next: &mut dyn FnMut(usize) -> usize) -> String {
                let length = next(4);
                (0..length).map(|_| format!("/{}", ["a", "b", "id", "0", "1", "2", "-"][next(7)])).collect()
            }
            let server = any(&mut next, 4);
            let mut case = Case::new(&server, &server);
            // The user's edits are patches, too.
            for _ in 0..3 {
                let value = any(&mut next, 2);
                let op = ["add", "remove", "replace"][next(3)];
                let delta = format!(r#"[{{"op":"{op}","path":"{}","value":{value}}}]"#, path(&mut next));
                let delta = Raw::parse(&delta, 99).unwrap();
                let _ = crate::thread::apply_patch(&mut case.shown, delta, LIMITS, &mut Copies::default(), |_| true);
            }
            case.mirror = case.shown.clone();
            case.edit = Edit::between(&case.server, &case.shown);
            fits(case.edit.as_ref(), &case.server, &case.shown);
            if case.edit.is_none() {
                continue;
            }
            for _ in 0..12 {
                let op = ["add", "remove", "replace", "move", "copy", "add"][next(6)];
                let (from, to, value) = (path(&mut next), path(&mut next), any(&mut next, 2));
                let delta = format!(r#"[{{"op":"{op}","from":"{from}","path":"{to}","value":{value}}}]"#);
                let mut expected = case.server.clone();
                let raw = Raw::parse(&delta, 99).unwrap();
                if crate::thread::apply_patch(&mut expected, raw, LIMITS, &mut Copies::default(), |_| true).is_ok() {
                    case.patch(&delta);
                    assert!(case.server.equals(&expected), "seed {seed}: {delta}");
                }
            }
            let document = any(&mut next, 4);
            case.rebase(|rebase| rebase.replace(tree(&document)));
            assert!(case.server.equals(&tree(&document)), "seed {seed}");
        }
    }
}
