//! The server's operations, done to its document and to the one that is shown.

use super::{Difference, Mask, MemberMasks, Neighbors, element, insert, locate, take, write_operation};
use crate::document::Operation;
use crate::thread::delta::{self, Failed, PatchStep};
use crate::thread::limit::{Copies, ThreadLimits};
use crate::wire::{Tree, new_element, split_back, split_front};

/// Both documents, and the mask between them.
pub(in crate::thread) struct Translation<'t> {
    pub mask: &'t mut Option<Mask>,
    pub server: &'t mut Tree,
    pub shown: &'t mut Tree,
    pub limits: ThreadLimits,
    pub copies: &'t mut Copies,
    /// The operations of JSON Patch that have changed the shown document.
    pub operations: String,
}

/// A place of the server's document in what is shown: its path there, and what differs in it.
type Spot<'m> = (String, Option<&'m mut Option<Mask>>);

impl Translation<'_> {
    /// Takes a step that was found to fit.
    pub fn step(&mut self, step: &PatchStep<'_>) -> Result<(), Failed> {
        let PatchStep { operation, path, from, .. } = step;
        match operation {
            Operation::Test => Ok(()),
            Operation::Add | Operation::Replace => {
                self.put(path, Tree::read(step.value), *operation == Operation::Replace, Neighbors::SAME, None)
            }
            Operation::Remove => self.remove(path),
            Operation::Move if from == path => Ok(()),
            // An element that is copied to its own place stands there twice.
            Operation::Copy if from == path && !self.is_element(path) => Ok(()),
            Operation::Copy => {
                let value = self.server.at(from)?.clone();
                // A value that differs there is not the server's to copy.
                let shown = match find(self.mask, self.server, from, false) {
                    Some((shown, None | Some(None))) => Some(("copy", shown)),
                    _ => None,
                };
                self.put(path, value, false, Neighbors::SAME, shown)
            }
            Operation::Move => self.relocate(from, path),
        }
    }

    /// Whether a path leads to an element of a list.
    fn is_element(&self, path: &str) -> bool {
        let list = split_back(path).and_then(|(list, _)| self.server.at(list).ok());
        list.is_some_and(|list| list.items().is_some())
    }

    /// Puts a value into the server's document, as what `run` says. It may be shown already: the operation that takes it from
    /// there, and the place.
    fn put(
        &mut self,
        path: &str,
        value: Tree,
        replace: bool,
        run: Neighbors,
        source: Option<(&str, String)>,
    ) -> Result<(), Failed> {
        let mut operations = String::new();
        let spot = target(self.mask, self.server, path, replace, run);
        let masked = !matches!(spot, Some((_, None | Some(None))));
        if let (Some(("move", from)), true) = (&source, masked) {
            write_operation(&mut operations, "remove", None, from, None);
            show(self.shown, &mut self.operations, std::mem::take(&mut operations))?;
        }
        match (spot, source) {
            // It is taken from beneath what the user has changed there.
            (Some((shown, Some(Some(mask)))), _) => {
                let own = self.shown.at(&shown)?;
                let (new, over) = mask.over(self.server.at(path)?, own, &value, false);
                operations = Difference::between(own, &new, &shown).operations;
                *mask = over;
            }
            (Some((shown, _)), Some((operation, from))) => {
                write_operation(&mut operations, operation, Some(&from), &shown, None);
            }
            (Some((shown, _)), None) => {
                write_operation(&mut operations, if replace { "replace" } else { "add" }, None, &shown, Some(&value));
            }
            (None, _) => {}
        }
        show(self.shown, &mut self.operations, operations)?;
        Ok(delta::put(self.server, path, value, replace)?)
    }

    /// Takes a value out of the server's document.
    fn remove(&mut self, path: &str) -> Result<(), Failed> {
        if path.is_empty() {
            return self.put(path, Tree::default(), true, Neighbors::SAME, None);
        }
        let is_element = self.is_element(path);
        match find(self.mask, self.server, path, false) {
            // The user's values in it stay.
            Some((_, Some(Some(_)))) if !is_element => self.put(path, Tree::default(), true, Neighbors::SAME, None)?,
            spot => {
                let mut operations = String::new();
                spot.iter().for_each(|(shown, _)| write_operation(&mut operations, "remove", None, shown, None));
                detach(self.mask, self.server, path);
                show(self.shown, &mut self.operations, operations)?;
            }
        }
        delta::take(self.server, path)?;
        Ok(())
    }

    /// Moves a value in the server's document, with what differs in it.
    fn relocate(&mut self, from: &str, path: &str) -> Result<(), Failed> {
        let source = find(self.mask, self.server, from, false).map(|(shown, _)| ("move", shown));
        let run = detach(self.mask, self.server, from);
        let value = delta::take(self.server, from)?;
        // It may be shown from now on.
        if source.is_none() && !self.copies.spend(value.bytes(), self.limits) {
            return Err(Failed::Exceeded(self.limits.exceeded()));
        }
        self.put(path, value, false, run, source)
    }
}

/// Does operations to what is shown.
fn show(shown: &mut Tree, all: &mut String, operations: String) -> Result<(), Failed> {
    if !operations.is_empty() {
        delta::apply_own(shown, &operations)?;
        if !all.is_empty() {
            all.push(',');
        }
        all.push_str(&operations);
    }
    Ok(())
}

/// Where a place of the server's document is shown. `opens`: there will be a difference.
fn find<'m>(root: &'m mut Option<Mask>, server: &Tree, path: &str, opens: bool) -> Option<Spot<'m>> {
    let (mut shown, mut slot, mut at) = (String::new(), Some(root), Some(server));
    let mut path = path;
    while let Some((token, rest)) = split_front(path) {
        path = rest;
        if opens {
            slot.iter_mut().zip(at).for_each(|(slot, tree)| open(slot, tree));
        }
        let child = at.and_then(|tree| tree.child(&token));
        shown.push('/');
        slot = match slot.and_then(Option::as_mut) {
            Some(Mask::Own) => return None,
            Some(Mask::Items(runs)) => {
                let element = element(&token, usize::MAX)?;
                let (mut place, _, at) = locate(runs, element)?;
                let run = runs.get(place).filter(|run| run.shown > 0)?;
                shown.push_str(&at.to_string());
                if opens && run.inner.is_none() {
                    take(runs, element);
                    insert(runs, element, Neighbors { inner: child.map(fresh), ..Neighbors::SAME });
                    (place, ..) = locate(runs, element)?;
                }
                runs.get_mut(place).map(|run| &mut run.inner)
            }
            mask => {
                shown.push_str(token.encoded());
                match mask {
                    Some(Mask::Members(members)) => members.slot(&token.decoded(), opens),
                    _ => None,
                }
            }
        };
        at = child;
    }
    (!matches!(slot, Some(Some(Mask::Own)))).then_some((shown, slot))
}

/// A mask in which nothing differs so far.
fn fresh(tree: &Tree) -> Mask {
    match tree.items() {
        Some(items) => Mask::Items(vec![Neighbors { server: items.len(), shown: items.len(), inner: None }]),
        None => Mask::Members(MemberMasks::default()),
    }
}

fn open(slot: &mut Option<Mask>, tree: &Tree) {
    slot.get_or_insert_with(|| fresh(tree));
}

/// Where a value is shown that is about to stand at `path` in the server's document. An element that replaces none gets its
/// place among the others, as what `run` says.
fn target<'m>(
    mask: &'m mut Option<Mask>,
    server: &Tree,
    path: &str,
    replace: bool,
    run: Neighbors,
) -> Option<Spot<'m>> {
    let opens = run.inner.is_some() || run.shown == 0;
    let parent = split_back(path).filter(|_| !replace);
    let list = parent.and_then(|(parent, token)| Some((parent, token, server.at(parent).ok()?)));
    if let Some((parent, token, list)) = list
        && let Some(items) = list.items()
    {
        let (mut shown, mut slot) = find(mask, server, parent, opens)?;
        if opens {
            slot.iter_mut().for_each(|slot| open(slot, list));
        }
        shown.push('/');
        match slot {
            Some(Some(Mask::Items(runs))) => {
                let seen = run.shown > 0;
                let at = insert(runs, new_element(&token, items.len())?, run);
                shown.push_str(&at.to_string());
                return seen.then_some((shown, None));
            }
            _ => shown.push_str(token.encoded()),
        }
        return Some((shown, None));
    }
    let (shown, mut slot) = find(mask, server, path, opens)?;
    if let Some(slot @ None) = &mut slot {
        **slot = run.inner;
        return Some((shown, None));
    }
    Some((shown, slot))
}

/// Takes what differs at a place whose value is about to go. The user's own value stays where it is; where an element was shown
/// is left out of account from now on.
fn detach(mask: &mut Option<Mask>, server: &Tree, path: &str) -> Neighbors {
    let found = split_back(path).and_then(|(parent, token)| Some((find(mask, server, parent, false)?.1?, token)));
    match found {
        Some((Some(Mask::Items(runs)), token)) => element(&token, usize::MAX).and_then(|at| take(runs, at)),
        Some((Some(Mask::Members(members)), token)) => {
            let slot = members.slot(&token.decoded(), false).filter(|slot| !matches!(slot, Some(Mask::Own)));
            slot.map(|slot| Neighbors { inner: slot.take(), ..Neighbors::SAME })
        }
        _ => None,
    }
    .unwrap_or(Neighbors::SAME)
}
