use super::*;

#[test]
fn accepts_what_json_allows_and_nothing_else() {
    for good in ["0", "-0.5e+10", "\"\"", "[]", "{}", " [1 , {\"a\" : null}] ", "\"\\ud800\"", "true"] {
        assert!(Raw::parse(good, 9).is_ok(), "{good}");
    }
    for bad in [
        "",
        "01",
        "1.",
        ".5",
        "1e",
        "+1",
        "-",
        "tru",
        "truex",
        "\"",
        "\"\\\"",
        "\"\t\"",
        "\"\\x\"",
        "[1,]",
        "[1 2]",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1,}",
        "[",
        "{\"a\":[}",
        "1 2",
        "nul",
        "'a'",
        "\u{feff}1",
        "1e5.5",
        "--1",
    ] {
        assert!(Raw::parse(bad, 9).is_err(), "{bad}");
        let nested = format!("{{\"x\":{bad}}}");
        assert!(Raw::parse_object(&nested, 9).is_err(), "{nested}");
    }
}

#[test]
fn depth_is_limited() {
    let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(Raw::parse(&deep(512), 512).is_ok());
    assert_eq!(Raw::parse(&deep(514), 512), Err(JsonError::TooDeep));
    assert!(Raw::parse(&"[".repeat(100_000), 512).is_err());
}

#[test]
fn members_in_place() {
    let text = r#" {"a":1,"b":"x\ny","a":[2],"\u0063":{"d":null}, "n":null} "#;
    let fields = Raw::parse_object(text, 9).unwrap().unwrap();
    assert_eq!(fields.get("a").unwrap().text(), "[2]", "the last of two counts");
    assert_eq!(fields.get("b").unwrap().string().unwrap(), "x\ny");
    assert_eq!(fields.get("c").unwrap().text(), r#"{"d":null}"#, "escaped keys are keys");
    assert!(fields.get("n").is_some() && fields.some("n").is_none());
    assert!(Raw::parse_object("[1]", 9).unwrap().is_none());
}

#[test]
fn many_members() {
    let members: Vec<_> = (0..30).map(|i| format!("\"k{i}\":{i}")).collect();
    let text = format!("{{{}}}", members.join(","));
    let fields = Raw::parse_object(&text, 9).unwrap().unwrap();
    assert_eq!(fields.iter().count(), 30);
    assert_eq!(fields.get("k29").unwrap().whole(), Some(29));
}

#[test]
fn what_is_rewritten_keeps_digits_and_halves() {
    let text = r#"{"a":[12345678901234567890,1.0,1e400],"b":"\ud83d","c":{"__proto__":true}}"#;
    let mut out = String::new();
    Raw::parse(text, 9).unwrap().rewrite(&mut out);
    assert_eq!(out, text);
}
