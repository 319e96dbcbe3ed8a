use super::*;
use crate::thread::delta::{self, Steps};
use crate::thread::limit::{Copies, ThreadLimits};
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

/// An edit, with both documents.
struct Case {
    mask: Option<Mask>,
    server: Tree,
    shown: Tree,
    /// The mirror's document: it takes the operations alone.
    mirror: Tree,
}

impl Case {
    fn new(server: &str, shown: &str) -> Self {
        let (server, shown) = (tree(server), tree(shown));
        Self { mask: Mask::between(&server, &shown), server, mirror: shown.clone(), shown }
    }

    /// Does a patch; gives what went to the mirror.
    fn patch(&mut self, delta: &str) -> String {
        assert!(self.mask.is_some(), "nothing differs");
        let steps = Steps::read(Raw::parse(delta, 99).unwrap()).unwrap();
        let log = steps.apply(&mut self.server, LIMITS, &mut Copies::default(), |_| true);
        log.unwrap().undo(&mut self.server);
        let Self { mask, server, shown, mirror } = self;
        let (mut copies, operations) = (Copies::default(), String::new());
        let mut translation = Translation { mask, server, shown, limits: LIMITS, copies: &mut copies, operations };
        steps.list.iter().for_each(|step| translation.step(step).unwrap());
        let operations = translation.operations;
        delta::apply_own(mirror, &operations).unwrap();
        self.check();
        delta::patch_of(&operations)
    }

    /// The server's document is another one.
    fn replace(&mut self, document: &str) {
        let new = tree(document);
        let (shown, mask) = self.mask.take().unwrap().over(&self.server, &self.shown, &new);
        (self.server, self.shown, self.mask) = (new, shown, Some(mask));
        fits(self.mask.as_ref(), &self.server, &self.shown);
        let Difference { operations, .. } = Difference::between(&self.mirror, &self.shown, "");
        delta::apply_own(&mut self.mirror, &operations).unwrap();
        assert!(self.mirror.equals(&self.shown));
    }

    fn check(&self) {
        fits(self.mask.as_ref(), &self.server, &self.shown);
        assert_eq!(text(&self.mirror), text(&self.shown), "also the order of members");
    }
}

/// Only what the mask says differs.
fn fits(mask: Option<&Mask>, server: &Tree, shown: &Tree) {
    match mask {
        None => assert!(server.equals(shown), "{} ≠ {}", text(server), text(shown)),
        Some(Mask::Own) => {}
        Some(Mask::Members(masks)) => {
            let (server, shown) = (server.members().unwrap(), shown.members().unwrap());
            let keys = server.iter().chain(shown.iter()).map(|(key, _)| key);
            let mask = |name: &str| masks.iter().find(|(key, _)| *key == name).map(|(_, mask)| mask);
            for key in keys.filter(|key| !matches!(mask(key), Some(Mask::Own))) {
                fits(mask(key), server.get(key).unwrap(), shown.get(key).unwrap());
            }
        }
        Some(Mask::Items(runs)) => {
            let (mut server, mut shown) = (server.items().unwrap().iter(), shown.items().unwrap().iter());
            for run in runs {
                assert!(run.server == run.shown || run.server.min(run.shown) == 0, "{run:?}");
                for at in 0..run.server.max(run.shown) {
                    let server = (at < run.server).then(|| server.next().unwrap());
                    let shown = (at < run.shown).then(|| shown.next().unwrap());
                    server.into_iter().zip(shown).for_each(|(server, shown)| fits(run.inner.as_ref(), server, shown));
                }
            }
            assert!(server.next().is_none() && shown.next().is_none());
        }
    }
}

/// The shown document after a server's, an edit of the user and then a patch.
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
        (r#"[{"op":"add","path":"/a/1/x","value":1}]"#, r#"{"a":[{"id":1,"done":false},{"id":2,"done":true,"x":1}]}"#),
        (r#"[{"op":"replace","path":"/a/1/done","value":0}]"#, edited),
        (r#"[{"op":"remove","path":"/a/1"}]"#, r#"{"a":[{"id":1,"done":false}]}"#),
        (r#"[{"op":"move","from":"/a/1","path":"/b"}]"#, r#"{"a":[{"id":1,"done":false}],"b":{"id":2,"done":true}}"#),
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
    let Difference { operations, .. } = Difference::between(&case.shown, &tree(&server), "");
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
        case.mask = Mask::between(&case.server, &case.shown);
        fits(case.mask.as_ref(), &case.server, &case.shown);
        if case.mask.is_none() {
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
        case.replace(&document);
    }
}
