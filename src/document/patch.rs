//! Writes the patch: JSON text that brings the mirror's snapshot up to date (the operations are listed in
//! `js/snapshot/mirror.ts`).

use super::order::Part;
use crate::wire::{JsonWriter, for_engine, write_string};

/// A path into the snapshot: its keys and indices as JSON, joined by commas.
#[derive(Debug)]
pub(crate) struct Path<'a>(pub &'a str);

impl Path<'_> {
    #[inline(never)]
    pub fn write(&self, out: &mut String) {
        out.push('[');
        out.push_str(self.0);
        out.push(']');
    }

    /// Begins an operation at the path: what follows is its value, and `],`.
    #[inline(never)]
    pub fn begin(&self, operation: &str, out: &mut String) {
        out.push_str("[\"");
        out.push_str(operation);
        out.push_str("\",");
        self.write(out);
        out.push(',');
    }
}

/// The operations of one patch.
#[derive(Debug, Default)]
pub(crate) struct Patch {
    /// Each operation with a comma after it.
    ops: String,
}

impl Patch {
    /// The patch, unless there is nothing in it.
    pub fn finish(mut self) -> Option<String> {
        self.ops.pop()?;
        self.ops.insert(0, '[');
        self.ops.push(']');
        Some(for_engine(self.ops))
    }

    /// A patch that resumes after operations, each with a comma after it.
    pub fn continuing(ops: String) -> Self {
        Self { ops }
    }

    /// Where operations go that are written elsewhere, each with a comma after it.
    pub fn ops(&mut self) -> &mut String {
        &mut self.ops
    }

    fn op(&mut self, name: &str, path: &str, value: impl FnOnce(&mut String)) {
        Path(path).begin(name, &mut self.ops);
        value(&mut self.ops);
        self.ops.push_str("],");
    }

    /// Sets the value at `path`.
    pub fn set(&mut self, path: &str, value: impl FnOnce(&mut String)) {
        self.op("=", path, value);
    }

    /// Sets the value at `path`; equal parts of what was there stay what they are.
    pub fn reconcile(&mut self, path: &str, value: impl FnOnce(&mut String)) {
        self.op("~", path, value);
    }

    /// Applies JSON Patch operations to the value at `path`.
    pub fn apply(&mut self, path: &str, operations: &str) {
        self.op("p", path, |out| crate::wire::write_json(out, operations));
    }

    /// Removes the member at `path`.
    pub fn remove(&mut self, path: &str) {
        self.ops.push_str("[\"-\",");
        Path(path).write(&mut self.ops);
        self.ops.push_str("],");
    }

    /// Appends to the strings at `paths`.
    pub fn append(&mut self, paths: &[String], text: &str) {
        let Some((first, more)) = paths.split_first() else { return };
        self.op("+", first, |out| {
            write_string(out, text);
            for path in more {
                out.push(',');
                Path(path).write(out);
            }
        });
    }

    /// Adds elements to the list at `path`, which has `length`.
    pub fn extend(&mut self, path: &str, length: usize, write: impl FnOnce(&mut JsonWriter<'_>)) {
        self.op("o", path, |out| {
            let mut list = JsonWriter::array(out);
            if length > 0 {
                list.item().push_str(&format!("[0,{length}]"));
            }
            write(&mut list);
        });
    }

    /// Rebuilds the list at `path`, which has `length` elements, from parts; `write` writes the new ones.
    #[inline(never)]
    pub fn rebuild(
        &mut self,
        path: &str,
        length: usize,
        parts: &[Part],
        write: &mut dyn FnMut(&mut String, usize, usize),
    ) {
        let same = match parts {
            [] => length == 0,
            [Part::Keep(range)] => *range == (0..length),
            _ => false,
        };
        if same {
            return;
        }
        self.op("o", path, |out| {
            let mut list = JsonWriter::array(out);
            for part in parts {
                match part {
                    Part::Keep(range) => list.item().push_str(&format!("[{},{}]", range.start, range.end)),
                    Part::New(slot, call) => write(list.item(), *slot, *call),
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebuild(length: usize, items: &[Option<usize>]) -> Option<String> {
        let (mut patch, mut parts) = (Patch::default(), Vec::new());
        for (at, item) in items.iter().enumerate() {
            super::super::order::add(&mut parts, item.map_or(Part::New(at, 0), |place| Part::Keep(place..place + 1)));
        }
        patch.rebuild("\"x\"", length, &parts, &mut |out, at, _| out.push_str(&format!("{{{at}}}")));
        patch.finish()
    }

    const NEW: Option<usize> = None;

    #[test]
    fn lists_are_rebuilt_from_what_is_there() {
        assert_eq!(rebuild(2, &[Some(0), Some(1)]), None);
        assert_eq!(rebuild(2, &[Some(0), Some(1), NEW]).unwrap(), "[[\"o\",[\"x\"],[[0,2],{2}]]]");
        let inserted = [Some(0), NEW, Some(1), Some(2)];
        assert_eq!(rebuild(3, &inserted).unwrap(), "[[\"o\",[\"x\"],[[0,1],{1},[1,3]]]]");
        assert_eq!(rebuild(4, &[Some(2), Some(0), Some(1)]).unwrap(), "[[\"o\",[\"x\"],[[2,3],[0,2]]]]");
        assert_eq!(rebuild(2, &[NEW, Some(1)]).unwrap(), "[[\"o\",[\"x\"],[{0},[1,2]]]]");
        assert_eq!(rebuild(2, &[]).unwrap(), "[[\"o\",[\"x\"],[]]]");
        assert_eq!(rebuild(0, &[NEW]).unwrap(), "[[\"o\",[\"x\"],[{0}]]]");
    }
}
