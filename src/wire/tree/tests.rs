use super::*;

fn tree(json: &str) -> Tree {
    Tree::read(Raw::parse(json, 99).unwrap())
}

fn text(tree: &Tree) -> String {
    let mut out = String::new();
    tree.write(&mut out);
    out
}

fn token(token: &str) -> Token<'_> {
    Token::new(token)
}

/// Sizes, numbers and the index are what they would be had the document been read as it is.
fn sound(tree: &Tree) {
    let again = super::tests::tree(&text(tree));
    assert_eq!(tree.bytes(), again.bytes(), "{}", text(tree));
    assert!(tree.depth() >= again.depth());
    tree.items().unwrap_or_default().iter().for_each(sound);
    if let Some(object) = tree.members() {
        object.sound();
        object.iter().for_each(|(_, value)| sound(value));
    }
}

#[test]
fn values_are_read_and_written() {
    for json in [r#"{"a":[1.0,{}],"b\"":"\u00e9","__proto__":null}"#, "[]", "7", "\"x\"", "[[],[{}]]"] {
        let out = text(&tree(json));
        assert_eq!(out, json);
        sound(&tree(json));
    }
    assert_eq!(text(&tree(" { \"a\" : [ 1 , 2 ] , \"a\" : 3 } ")), "{\"a\":3}");
    assert_eq!(tree("[[],[{}]]").depth(), 3);
}

#[test]
fn members_keep_their_order() {
    let mut object = tree("{}");
    for at in 0..40 {
        object.insert(&token(&format!("k{at}")), &mut None).unwrap();
    }
    let mut undone = Vec::new();
    for at in (0..40).filter(|at| at % 3 != 0) {
        let (undo, value) = object.remove(&token(&format!("k{at}"))).unwrap();
        let Undo::Removed(place, key, _) = undo else { panic!() };
        undone.push(Undo::Removed(place, key, Some(value)));
        sound(&object);
    }
    let members = object.members().unwrap();
    let keys: Vec<_> = members.iter().map(|(key, _)| key.to_owned()).collect();
    assert_eq!(keys, (0..40).step_by(3).map(|at| format!("k{at}")).collect::<Vec<_>>());
    for undo in undone.into_iter().rev() {
        object.undo(undo, &mut None);
    }
    sound(&object);
    let members = object.members().unwrap();
    assert!(members.iter().map(|(key, _)| key.to_owned()).eq((0..40).map(|at| format!("k{at}"))));
}

#[test]
fn elements_are_inserted_and_removed_anywhere() {
    let (mut list, mut expected, mut state) = (tree("[]"), Vec::new(), 7_u64);
    for step in 0..3_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Grows, shrinks, and grows again; mostly in front.
        let at = (state >> 33) as usize % (expected.len() + 1).min(if step % 5 == 0 { usize::MAX } else { 3 });
        if step / 1_000 == 1 && at < expected.len() {
            expected.remove(at);
            list.remove(&token(&at.to_string())).unwrap();
        } else {
            expected.insert(at, step.to_string());
            list.insert(&token(&at.to_string()), &mut Some(tree(&step.to_string()))).unwrap();
        }
    }
    assert_eq!(text(&list), format!("[{}]", expected.join(",")));
    sound(&list);
}

#[test]
fn what_is_copied_is_shared_until_it_changes() {
    let mut original = tree(r#"{"a":{"b":[1,{}]},"c":[]}"#);
    let copy = original.clone();
    original.edit("/a/b/1", &mut |inner| inner.insert(&token("x"), &mut Some(tree("2"))).map(drop)).unwrap();
    assert_eq!(text(&original), r#"{"a":{"b":[1,{"x":2}]},"c":[]}"#);
    assert_eq!(text(&copy), r#"{"a":{"b":[1,{}]},"c":[]}"#);
    sound(&original);
    assert_eq!(original.bytes(), text(&original).len());
}

#[test]
fn small_containers_are_what_they_would_be_read_whole() {
    let small = r#"{"a" : [ 1, "x \" }y" , {"b":{}} ], "\u0063": null}"#;
    let large = format!("[{small},{}]", vec!["[ ]"; 200].join(" , "));
    assert_eq!(text(&tree(small)), r#"{"a":[1,"x \" }y",{"b":{}}],"c":null}"#);
    assert_eq!(tree(small).child(&token("c")).map(Tree::is_null), Some(true));
    assert!(tree(&large).child(&token("0")).unwrap().equals(&tree(small)));
    assert!(tree("[{ }]").equals(&tree("[{}]")) && !tree("[{}]").equals(&tree("[[]]")));
    sound(&tree(&large));
}

#[test]
fn numbers_are_equal_by_value() {
    for (a, b) in [("-0", "0.0"), ("1200", "1.2E+3"), ("0.0120", "12e-3"), ("100", "1e2"), ("-5e1", "-50")] {
        assert!(tree(a).equals(&tree(b)), "{a} = {b}");
    }
    for (a, b) in [("12345678901234567890", "12345678901234567891"), ("1", "-1"), ("1", "\"1\""), ("true", "1")] {
        assert!(!tree(a).equals(&tree(b)), "{a} ≠ {b}");
    }
    assert!(tree("\"\\u0061\"").equals(&tree("\"a\"")));
}
