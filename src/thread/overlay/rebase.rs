//! An edit of the application, taken along over the patches of the server.

use super::*;
use crate::document::Operation;
use crate::thread::delta::{self, Failed, PatchStep};
use crate::wire::{Misfit, new_element};
use json_patch::jsonptr::PointerBuf;

/// Both documents, while the server's operations are done to them.
pub(in crate::thread) struct Rebase<'r> {
    pub edit: &'r mut ValueEdit,
    pub server: &'r mut Tree,
    pub shown: &'r mut Tree,
    pub limits: ThreadLimits,
    pub copies: &'r mut Copies,
    /// The operations of JSON Patch that change the shown document, with a comma after each.
    pub operations: String,
    /// Something did not fit, which cannot be; or would be too large.
    pub failed: Option<Failed>,
}

impl Rebase<'_> {
    /// Takes a step that was found to fit.
    pub fn step(&mut self, step: &PatchStep<'_>) {
        let PatchStep { operation, path, from, .. } = step;
        match operation {
            Operation::Test => {}
            Operation::Add | Operation::Replace => {
                self.put(path, Tree::read(step.value), *operation == Operation::Replace, None);
            }
            Operation::Remove => self.remove(path),
            Operation::Move if from == path => {}
            // An element that is copied to its own place stands there twice.
            Operation::Copy if from == path && !self.is_element(path) => {}
            Operation::Copy => {
                let Ok(value) = self.server.at(from.tokens()).cloned() else { return };
                // A value that differs there is not the server's to copy.
                let shown = match find(self.edit, from) {
                    Spot::Shown(shown, None) => Some(shown),
                    _ => None,
                };
                self.put(path, value, false, shown);
            }
            Operation::Move => self.relocate(from, path),
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
            let edit = std::mem::replace(edit, ValueEdit::Own);
            self.keep_own(&edit, &shown);
        }
        if let Some(shown) = self.target(path, replace, Neighbors::Same(1)) {
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
    fn target(&mut self, path: &Pointer, replaces: bool, run: Neighbors) -> Option<String> {
        let Some((parent, token)) = path.split_back() else {
            return (!matches!(self.edit, ValueEdit::Own)).then(String::new);
        };
        let list = self.server.at(parent.tokens()).ok()?;
        if let Neighbors::Inner(_) = run {
            differ(self.edit, self.server, parent);
        }
        let Spot::Shown(mut shown, edit) = find(self.edit, parent) else { return None };
        shown.push('/');
        match edit {
            Some(ValueEdit::Items(runs)) => {
                let at = new_element(&token, list.items()?.len())?;
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
            Some(ValueEdit::Members(members)) => {
                let key = token.decoded();
                if let Some(ValueEdit::Own) = members.get(&key) {
                    return None;
                }
                if let Neighbors::Inner(edit) = run {
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
    fn detach(&mut self, path: &Pointer) -> Option<Neighbors> {
        let (parent, token) = path.split_back()?;
        match find(self.edit, parent) {
            Spot::Shown(_, Some(ValueEdit::Items(runs))) => take(runs, element(&token, usize::MAX)?),
            Spot::Shown(_, Some(ValueEdit::Members(members))) => {
                let key = token.decoded();
                // The user's value stays where it is.
                let edit = if let Some(ValueEdit::Own) = members.get(&key) { None } else { members.remove(&key) };
                edit.map(Neighbors::Inner)
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
                // The user's values in it stay.
                Some(edit) if !is_element => {
                    let edit = std::mem::replace(edit, ValueEdit::Own);
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
        let run = self.detach(from).unwrap_or(if shown.is_some() { Neighbors::Same(1) } else { Neighbors::Gone(1) });
        let value = match delta::take(self.server, from) {
            Ok(value) => value,
            Err(misfit) => return self.check(Err(misfit)),
        };
        let meets = !self.is_element(path) && matches!(find(self.edit, path), Spot::Shown(_, Some(_)));
        // An element that is not shown stays so from list to list.
        let stays_hidden = shown.is_none() && matches!(run, Neighbors::Gone(_)) && self.is_edited_list(path);
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
        matches!(list, Some(Spot::Shown(_, Some(ValueEdit::Items(_)))))
    }

    /// Of what is shown at a path, nothing stays but what the user has set.
    fn keep_own(&mut self, edit: &ValueEdit, path: &str) {
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
fn differ(mut edit: &mut ValueEdit, server: &Tree, path: &Pointer) -> Option<()> {
    let mut at = server;
    for token in path.tokens() {
        at = at.child(&token)?;
        let fresh = match at.items() {
            Some(items) => ValueEdit::Items(vec![Neighbors::Same(items.len())]),
            None => ValueEdit::Members(MemberEdits::default()),
        };
        edit = match edit {
            ValueEdit::Own => return None,
            ValueEdit::Members(members) => members.or_insert(&token.decoded(), fresh)?,
            ValueEdit::Items(runs) => {
                let element = element(&token, usize::MAX)?;
                let (place, _) = locate(runs, element)?;
                if let Some(Neighbors::Same(_)) = runs.get(place) {
                    take(runs, element);
                    put(runs, element, Neighbors::Inner(fresh));
                }
                let (place, _) = locate(runs, element)?;
                match runs.get_mut(place)? {
                    Neighbors::Inner(edit) => edit,
                    _ => return None,
                }
            }
        };
    }
    Some(())
}
