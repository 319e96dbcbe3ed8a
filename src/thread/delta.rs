//! JSON Patch (RFC 6902): in place, all of it or nothing. The changes are noted, so that they can be undone; nothing is
//! copied but what an operation copies.

use super::limit::{Copies, LimitExceeded, ThreadLimits};
use crate::document::Operation;
use crate::wire::{Fields, Misfit, Raw, Tree, Undo, is_pointer, split_back};
use std::borrow::Cow;

/// An operation of a patch.
#[derive(Debug)]
pub(super) struct PatchStep<'a> {
    pub operation: Operation,
    pub path: Cow<'a, str>,
    /// Of `Move` and `Copy`.
    pub from: Cow<'a, str>,
    /// Of `Add`, `Replace` and `Test`.
    pub value: Raw<'a>,
}

/// Why a patch was not applied.
#[derive(Debug)]
pub(crate) enum Failed {
    /// It does not fit the document; for people.
    Misfit(String),
    Exceeded(LimitExceeded),
}

impl From<Misfit> for Failed {
    fn from(misfit: Misfit) -> Self {
        Self::Misfit(misfit.to_owned())
    }
}

/// The changes of a document, to be undone.
#[derive(Debug, Default)]
pub(super) struct Log<'s> {
    done: Vec<(&'s str, Done)>,
    /// A value on its way.
    hand: Option<Tree>,
}

#[derive(Debug)]
enum Done {
    /// The document was another one.
    Root(Tree),
    /// In the container at the path.
    Inside(Undo),
}

/// A patch that was read.
#[derive(Debug)]
pub(super) struct Steps<'a> {
    pub list: Vec<PatchStep<'a>>,
    /// The patch without the operations that JSON Patch does not have, where there are some.
    pub without_unknown: Option<String>,
}

impl<'a> Steps<'a> {
    pub fn read(delta: Raw<'a>) -> Result<Self, Failed> {
        let (mut list, mut known, mut given, mut wrong) = (Vec::new(), Vec::new(), 0, None);
        let is_array = delta.each(&mut |raw, fields| match step(fields) {
            _ if wrong.is_some() => {}
            Ok(step) => {
                given += 1;
                known.extend(step.is_some().then(|| raw.text()));
                list.extend(step);
            }
            Err(misfit) => wrong = Some(misfit),
        });
        if !is_array {
            return Err("the patch is not an array".into());
        }
        if let Some(misfit) = wrong {
            return Err(Failed::Misfit(misfit));
        }
        let without_unknown = (list.len() < given).then(|| format!("[{}]", known.join(",")));
        Ok(Self { list, without_unknown })
    }

    /// Takes all the steps or none, and notes how to take them back.
    pub fn apply(
        &self,
        document: &mut Tree,
        limits: ThreadLimits,
        copies: &mut Copies,
        fits: fn(&Tree) -> bool,
    ) -> Result<Log<'_>, Failed> {
        let mut log = Log::default();
        let before = document.bytes();
        let mut result = self.list.iter().try_for_each(|step| log.take(document, step, limits, copies));
        if result.is_ok() && document.bytes() > before.max(limits.state_bytes) {
            result = Err(Failed::Exceeded(limits.exceeded()));
        }
        if result.is_ok() && !fits(document) {
            result = Err("the patch leaves a value of another kind".into());
        }
        match result {
            Ok(()) => Ok(log),
            Err(failed) => {
                log.undo(document);
                Err(failed)
            }
        }
    }
}

/// Applies a JSON Patch, all of it or nothing. It must leave what `fits`, and no more than the limits allow, unless there
/// was more before. Operations that JSON Patch does not have are left out: then the patch without them is returned.
pub(crate) fn apply(
    document: &mut Tree,
    delta: Raw<'_>,
    limits: ThreadLimits,
    copies: &mut Copies,
    fits: fn(&Tree) -> bool,
) -> Result<Option<String>, Failed> {
    copies.pay(delta.text().len());
    let steps = Steps::read(delta)?;
    steps.apply(document, limits, copies, fits)?;
    Ok(steps.without_unknown)
}

/// The patch of operations that stand one after the other.
pub(super) fn patch_of(operations: &str) -> String {
    ["[", operations, "]"].concat()
}

/// Applies operations of our own, which fit.
pub(super) fn apply_own(document: &mut Tree, operations: &str) -> Result<(), Failed> {
    let limits = ThreadLimits { depth: usize::MAX, state_bytes: usize::MAX };
    let patch = patch_of(operations);
    let patch = Raw::parse(&patch, usize::MAX).map_err(|_| "it is not JSON")?;
    apply(document, patch, limits, &mut Copies::default(), |_| true).map(drop)
}

impl<'s> Log<'s> {
    /// Takes one step. Where it fails, what it had done already is in the log.
    fn take(
        &mut self,
        document: &mut Tree,
        step: &'s PatchStep<'_>,
        limits: ThreadLimits,
        copies: &mut Copies,
    ) -> Result<(), Failed> {
        let PatchStep { operation, path, from, .. } = step;
        match operation {
            Operation::Add | Operation::Replace => {
                let value = Tree::read(step.value);
                check_depth(path, &value, limits)?;
                self.hand = Some(value);
                Ok(self.put(document, path, *operation == Operation::Replace)?)
            }
            Operation::Remove => Ok(self.remove(document, path, true)?),
            Operation::Copy => {
                let value = document.at(from)?;
                check_depth(path, value, limits)?;
                // A value that would exceed the limit is not even made.
                let room = limits.state_bytes.saturating_sub(document.bytes());
                if value.bytes() > room || !copies.spend(value.bytes(), limits) {
                    return Err(Failed::Exceeded(limits.exceeded()));
                }
                self.hand = Some(value.clone());
                Ok(self.put(document, path, false)?)
            }
            Operation::Move => {
                let value = document.at(from)?;
                if from == path {
                    return Ok(());
                }
                if is_inside(path, from) {
                    return Err("a value cannot be moved into itself".into());
                }
                check_depth(path, value, limits)?;
                self.remove(document, from, false)?;
                Ok(self.put(document, path, false)?)
            }
            Operation::Test => {
                if document.at(path)?.equals(&Tree::read(step.value)) {
                    return Ok(());
                }
                Err(Failed::Misfit(format!("the test of \"{path}\" failed")))
            }
        }
    }

    /// Puts what is in the hand at a path.
    fn put(&mut self, document: &mut Tree, path: &'s str, replace: bool) -> Result<(), Misfit> {
        let hand = &mut self.hand;
        let Some((parent, token)) = split_back(path) else {
            let old = std::mem::replace(document, hand.take().unwrap_or_default());
            self.done.push((path, Done::Root(old)));
            return Ok(());
        };
        let mut done = None;
        document.edit(parent, &mut |container| {
            done = Some(if replace { container.replace(&token, hand) } else { container.insert(&token, hand) }?);
            Ok(())
        })?;
        self.done.extend(done.map(|undo| (parent, Done::Inside(undo))));
        Ok(())
    }

    /// Takes what stands at a path; into the hand, or out of the document.
    fn remove(&mut self, document: &mut Tree, path: &'s str, for_good: bool) -> Result<(), Misfit> {
        let Some((parent, token)) = split_back(path) else {
            self.done.push((path, Done::Root(std::mem::take(document))));
            return Ok(());
        };
        let (done, hand) = (&mut self.done, &mut self.hand);
        document.edit(parent, &mut |container| {
            let (mut undo, value) = container.remove(&token)?;
            match &mut undo {
                Undo::Removed(_, _, kept) if for_good => *kept = Some(value),
                _ => *hand = Some(value),
            }
            done.push((parent, Done::Inside(undo)));
            Ok(())
        })
    }

    /// Takes everything back.
    pub fn undo(mut self, document: &mut Tree) {
        while let Some((path, done)) = self.done.pop() {
            match done {
                Done::Root(old) => self.hand = Some(std::mem::replace(document, old)),
                Done::Inside(undo) => {
                    let (mut undo, hand) = (Some(undo), &mut self.hand);
                    // It was there.
                    let _ = document.edit(path, &mut |container| {
                        undo.take().into_iter().for_each(|undo| container.undo(undo, hand));
                        Ok(())
                    });
                }
            }
        }
    }
}

/// Puts a value at a path, and forgets how it was.
pub(super) fn put(document: &mut Tree, path: &str, value: Tree, replace: bool) -> Result<(), Misfit> {
    Log { hand: Some(value), ..Log::default() }.put(document, path, replace)
}

/// Takes out what stands at a path, which is not the root.
pub(super) fn take(document: &mut Tree, path: &str) -> Result<Tree, Misfit> {
    let mut log = Log::default();
    log.remove(document, path, false)?;
    Ok(log.hand.unwrap_or_default())
}

/// Whether a path leads into what stands at another one.
fn is_inside(path: &str, of: &str) -> bool {
    path.strip_prefix(of).is_some_and(|rest| rest.starts_with('/'))
}

fn check_depth(path: &str, value: &Tree, limits: ThreadLimits) -> Result<(), Misfit> {
    let levels = path.bytes().filter(|byte| *byte == b'/').count();
    if levels + value.depth() > limits.depth { Err("it nests deeper than limits.depth") } else { Ok(()) }
}

/// An operation; `None`: JSON Patch has no such one.
fn step<'a>(fields: Option<&Fields<'a>>) -> Result<Option<PatchStep<'a>>, String> {
    let fields = fields.ok_or("an operation is not an object")?;
    let pointer = |name: &str| {
        let text = fields.text(name).ok_or_else(|| format!("an operation has no \"{name}\""))?;
        if is_pointer(&text) { Ok(text) } else { Err(format!("\"{text}\" is not a JSON Pointer")) }
    };
    let value = fields.get("value");
    let op = fields.text("op").unwrap_or_default();
    let Some(operation) = Operation::parse(&op) else { return Ok(None) };
    let from = match operation {
        Operation::Move | Operation::Copy => pointer("from")?,
        _ => Cow::default(),
    };
    let path = pointer("path")?;
    if value.is_none() && matches!(operation, Operation::Add | Operation::Replace | Operation::Test) {
        return Err("an operation has no \"value\"".to_owned());
    }
    Ok(Some(PatchStep { operation, path, from, value: value.unwrap_or_default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ThreadLimits = ThreadLimits { depth: 9, state_bytes: 1000 };

    fn patched(document: &str, delta: &str) -> Result<String, String> {
        let text = |tree: &Tree| {
            let mut out = String::new();
            tree.write(&mut out);
            out
        };
        let mut tree = Tree::read(Raw::parse(document, 99).unwrap());
        let before = (text(&tree), tree.bytes());
        let delta = Raw::parse(delta, 99).unwrap();
        let result = apply(&mut tree, delta, LIMITS, &mut Copies::default(), |_| true);
        if result.is_err() {
            assert_eq!((text(&tree), tree.bytes()), before, "all or nothing");
        }
        result.map(|_| text(&tree)).map_err(|failed| format!("{failed:?}"))
    }

    #[test]
    fn all_or_nothing() {
        let add = r#"{"op":"add","path":"/b","value":[1]}"#;
        assert_eq!(patched(r#"{"a":1}"#, &format!("[{add}]")).unwrap(), r#"{"a":1,"b":[1]}"#);
        for bad in [
            r#"{"op":"replace","path":"/x","value":1}"#,
            r#"{"op":"remove","path":"/x/y"}"#,
            r#"{"op":"test","path":"/a","value":2}"#,
            r#"{"op":"add","path":"/b/2","value":1}"#,
            r#"{"op":"add","path":"/b/01","value":1}"#,
            r#"{"op":"move","from":"/b","path":"/b/0"}"#,
            r#"{"op":"add","path":"b","value":1}"#,
            r#"{"op":"add","path":"/b"}"#,
            "[]",
            "7",
        ] {
            assert!(patched(r#"{"a":1}"#, &format!("[{add},{bad}]")).is_err(), "{bad}");
        }
    }

    #[test]
    fn unknown_operations_are_left_out() {
        let mut tree = Tree::object();
        let delta = Raw::parse(r#"[{"op":"jump"},{"op":"add","path":"/a","value":1},{"path":""}]"#, 9).unwrap();
        let kept = apply(&mut tree, delta, LIMITS, &mut Copies::default(), |_| true).unwrap();
        assert_eq!(kept.as_deref(), Some(r#"[{"op":"add","path":"/a","value":1}]"#));
        assert_eq!(tree, Tree::read(Raw::parse("{\"a\":1}", 9).unwrap()));
    }

    #[test]
    fn patches_cannot_blow_a_document_up() {
        let doubling = [r#"{"op":"copy","from":"","path":"/n"}"#; 20].join(",");
        assert!(patched(r#"{"a":[1,2,3]}"#, &format!("[{doubling}]")).is_err());
        let deep = |op: &str, levels: usize| format!(r#"[{{{op},"path":"{}/z"}}]"#, "/a".repeat(levels));
        let nested = |levels: usize| format!("{}{{}}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        assert!(patched(&nested(7), &deep(r#""op":"add","value":[]"#, 7)).is_ok());
        assert!(patched(&nested(7), &deep(r#""op":"add","value":[[]]"#, 7)).is_err());
        assert!(patched(&nested(8), &deep(r#""op":"move","from":"/b""#, 8).replace("/b", "/a/a")).is_err());
        assert!(
            patched(r#"{"b":[[[[]]]],"a":{"a":{"a":{"a":{"a":{}}}}}}"#, &deep(r#""op":"move","from":"/b""#, 5))
                .is_err()
        );
        assert!(
            patched(r#"{"b":[[]],"a":{"a":{"a":{"a":{"a":{}}}}}}"#, &deep(r#""op":"copy","from":"/b""#, 5)).is_ok()
        );
    }

    #[test]
    fn numbers_are_compared_by_value_and_kept_by_digit() {
        let test = |value: &str| format!(r#"[{{"op":"test","path":"/n","value":{value}}}]"#);
        assert_eq!(patched(r#"{"n":1.0}"#, &test("1")).unwrap(), r#"{"n":1.0}"#);
        assert!(patched(r#"{"n":1.0}"#, &test("\"1\"")).is_err());
        assert!(patched(r#"{"n":[{"a":1e0}]}"#, &test(r#"[{"a":1}]"#)).is_ok());
        assert!(patched("{}", &test("null")).is_err(), "a missing member equals nothing");
    }

    #[test]
    fn root_and_strange_keys() {
        assert_eq!(
            patched("{}", r#"[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2}]"#).unwrap(),
            "[1,2]"
        );
        assert_eq!(patched("{}", r#"[{"op":"remove","path":""}]"#).unwrap(), "null");
        let twice = r#"[{"op":"copy","from":"/0","path":"/0"}]"#;
        assert_eq!(patched("[1,2]", twice).unwrap(), "[1,1,2]", "a copy to its own place");
        let strange = r#"[{"op":"add","path":"/__proto__","value":{"a~/b":0}},{"op":"add","path":"/__proto__/a~0~1b","value":1}]"#;
        assert_eq!(patched("{}", strange).unwrap(), r#"{"__proto__":{"a~/b":1}}"#);
    }
}
