//! A JSON document, and what of it the mirror lacks: it is the only value that keeps operations.

use super::patch::Patch;
use crate::wire::{JsonWriter, Object, Raw, Token, Tree, cut};

/// A document that is changed in place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Document {
    tree: Tree,
    /// How the mirror's becomes this one; `None`: it is this one, or is to have it whole.
    changes: Option<Box<DocumentChanges>>,
}

#[derive(Debug, Clone, Default)]
struct DocumentChanges {
    /// The value that replaces the mirror's.
    whole: Option<Tree>,
    /// JSON Patches on that, or on what the mirror has, in order; and how long they are.
    patches: Vec<String>,
    bytes: usize,
}

impl PartialEq for Document {
    fn eq(&self, other: &Self) -> bool {
        self.tree == other.tree
    }
}

impl From<Tree> for Document {
    fn from(tree: Tree) -> Self {
        Self { tree, changes: None }
    }
}

impl Document {
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree, to be changed by whoever says how with [`Self::patched`] or [`Self::replaced`].
    pub fn tree_mut(&mut self) -> &mut Tree {
        &mut self.tree
    }

    /// It is about to be changed. `whole`: the mirror is to have all of it.
    pub fn begin(&mut self, whole: bool) {
        if whole && self.changes.is_none() {
            self.replaced();
        }
    }

    pub fn is_changed(&self) -> bool {
        self.changes.is_some()
    }

    /// The mirror has it as it is, or gets it from somebody else.
    pub fn mirrored(&mut self) {
        self.changes = None;
    }

    /// Another document has taken its place: what was to be sent before is ignored.
    pub fn replaced(&mut self) {
        self.changes = Some(Box::new(DocumentChanges { whole: Some(self.tree.clone()), ..DocumentChanges::default() }));
    }

    /// It is what these operations have made of it.
    pub fn patched(&mut self, operations: &str) {
        // A patch may have no operations.
        if cut(operations, b'{').is_none() {
            return;
        }
        let changes = self.changes.get_or_insert_default();
        changes.bytes += operations.len();
        // Where it is shorter than what was done to it, it goes itself.
        if changes.bytes > 1024 + 2 * self.tree.bytes() {
            return self.replaced();
        }
        changes.patches.push(operations.to_owned());
    }

    /// Sets members: those that have the value already stay as they are.
    pub fn merge(&mut self, members: Raw<'_>) {
        let new = Tree::read(members);
        let patch = JsonWriter::array_text(|operations| {
            for (key, value) in new.members().into_iter().flat_map(Object::iter) {
                if !self.tree.member(key).is_some_and(|old| old.equals(value)) {
                    let mut operation = JsonWriter::object(operations.item());
                    operation.string("op", "add").string("path", &["/", Token::new(key).encoded()].concat());
                    operation.tree("value", Some(value));
                }
            }
        });
        self.tree.merge(members);
        self.patched(&patch);
    }

    /// Writes what the mirror lacks of it, which has it at `path`.
    pub fn write(&mut self, path: &str, patch: &mut Patch) {
        let Some(changes) = self.changes.take() else { return patch.reconcile(path, |out| self.tree.write(out)) };
        if let Some(whole) = changes.whole {
            // Few bytes of patches may have copied many. But what comes whole is read faster than patches are applied.
            if whole.bytes() + 4 * changes.bytes >= self.tree.bytes() {
                return patch.reconcile(path, |out| self.tree.write(out));
            }
            patch.reconcile(path, |out| whole.write(out));
        }
        for operations in changes.patches {
            patch.apply(path, &operations);
        }
    }
}
