//! Streamed arguments: what is shown is the longest valid reading, and at the end what `JSON.parse` makes of them.

use crate::support::{Agent, parse};
use serde_json::{Value, json};

/// An agent with a call "c" whose arguments are about to stream.
fn calling() -> (Agent, u32) {
    let (mut agent, request) = Agent::started();
    agent.event(request, event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"));
    agent.snapshot();
    (agent, request)
}

/// The arguments as they are shown after each of the pieces.
fn shown(pieces: &[&str]) -> Vec<Value> {
    let (mut agent, request) = calling();
    let mut show = |piece: &&str| {
        agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": piece));
        agent.snapshot()["toolCalls"][0]["args"].clone()
    };
    pieces.iter().map(&mut show).collect()
}

/// The arguments, and the text that both places of the snapshot agree on, at the end.
fn read(pieces: &[&str]) -> (Value, String) {
    let (mut agent, request) = calling();
    for piece in pieces {
        agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": piece));
        agent.snapshot();
    }
    agent.event(request, event!("TOOL_CALL_END", "toolCallId": "c"));
    let snapshot = agent.snapshot();
    let call = &snapshot["toolCalls"][0];
    assert_eq!(call["argsText"], snapshot["messages"][1]["toolCalls"][0]["function"]["arguments"]);
    (call["args"].clone(), call["argsText"].as_str().unwrap().to_owned())
}

#[test]
fn objects_and_strings_grow_as_they_come() {
    assert_eq!(
        shown(&["{", "\"a", "\"", ":", "\"x", "y\"", ",\"b\":{\"c\":[", "\"d\"", ",{", "}]", "}}"]),
        [
            json!({}),
            json!({}),
            json!({}),
            json!({}),
            json!({"a": "x"}),
            json!({"a": "xy"}),
            json!({"a": "xy", "b": {"c": []}}),
            json!({"a": "xy", "b": {"c": ["d"]}}),
            json!({"a": "xy", "b": {"c": ["d", {}]}}),
            json!({"a": "xy", "b": {"c": ["d", {}]}}),
            json!({"a": "xy", "b": {"c": ["d", {}]}}),
        ]
    );
}

#[test]
fn numbers_and_literals_appear_when_they_are_whole() {
    assert_eq!(
        shown(&["[1", "2", ",-", "0.5e", "+3", ",tr", "ue,nul", "l, fals", "e]"]),
        [
            json!([]),
            json!([]),
            json!([12]),
            json!([12]),
            json!([12]),
            parse("[12,-0.5e+3]"),
            parse("[12,-0.5e+3,true]"),
            parse("[12,-0.5e+3,true,null]"),
            parse("[12,-0.5e+3,true,null,false]"),
        ]
    );
}

#[test]
fn escapes_appear_when_they_are_whole() {
    assert_eq!(
        shown(&["{\"a\":\"x\\", "n", "\\", "\"\\u", "00", "e", "9\\", "\\", "\""]),
        ["x", "x\n", "x\n", "x\n\"", "x\n\"", "x\n\"", "x\n\"é", "x\n\"é\\", "x\n\"é\\"].map(|a| json!({"a": a}))
    );
    assert_eq!(shown(&["{\"\\", "u00e", "9\\\"\":1", "}"]).last(), Some(&json!({"é\"": 1})));
}

#[test]
fn halves_of_a_pair_join_in_escapes_and_in_keys() {
    let half = |unit: u32| char::from_u32(unit - 0xD800 + 0x10_F800).unwrap();
    // Cut between the escapes: the mirror joins the halves, as a JavaScript string does.
    assert_eq!(shown(&["[\"\\ud83d", "\\ude42\"]"]), [json!([half(0xD83D).to_string()]), json!(["🙂"])]);
    // In one piece they are a character.
    assert_eq!(shown(&["[\"\\ud83d\\ude42\"]"]), [json!(["🙂"])]);
    assert_eq!(
        shown(&["{\"\\ud83d", "\\ude42\":\"\\ude42\"", "}"]).last(),
        Some(&json!({"🙂": half(0xDE42).to_string()}))
    );
    // Cut by the server inside the text of the arguments, not in an escape of theirs.
    let (mut agent, request) = calling();
    for half in ["[\\\"\\ud83d", "\\ude42\\\"]"] {
        let frame = format!("data: {{\"type\":\"TOOL_CALL_ARGS\",\"toolCallId\":\"c\",\"delta\":\"{half}\"}}\n\n");
        agent.bytes(request, frame.as_bytes());
        agent.snapshot();
    }
    assert_eq!(agent.snapshot()["toolCalls"][0]["args"], json!(["🙂"]));
}

#[test]
fn white_space_everywhere() {
    let (args, text) = read(&[" \n", "{ ", "\t\"a\" ", " : ", " [ 1 ,", " 2 ] \r", "\n, \"b\": \" x \" } ", "\n"]);
    assert_eq!(args, json!({"a": [1, 2], "b": " x "}));
    assert_eq!(text, " \n{ \t\"a\"  :  [ 1 , 2 ] \r\n, \"b\": \" x \" } \n");
}

#[test]
fn no_arguments_are_an_empty_object() {
    for pieces in [&[][..], &[""], &["", ""], &[" "]] {
        assert_eq!(read(pieces).0, json!({}));
    }
}

#[test]
fn values_that_are_no_objects() {
    for (text, value) in
        [("12", json!(12)), ("\"a\"", json!("a")), ("null", Value::Null), ("[]", json!([])), ("-1.5 ", json!(-1.5))]
    {
        for cut in 0..=text.len() {
            assert_eq!(read(&[&text[..cut], &text[cut..]]).0.to_string(), value.to_string(), "{text} cut at {cut}");
        }
    }
}

#[test]
fn what_is_not_json_is_read_as_far_as_it_is() {
    for (text, value) in [
        ("oops", json!({})),
        ("{\"a\":1,}", json!({"a": 1})),
        ("{\"a\":01}", json!({})),
        ("{\"a\":\"x\\q\"}", json!({"a": "x"})),
        ("{\"a\":\"x\ny\"}", json!({"a": "x"})),
        ("{\"a\":[1}", json!({"a": [1]})),
        ("{\"a\" 1}", json!({})),
        ("{a:1}", json!({})),
        ("{\"a\":1}}", json!({"a": 1})),
        ("{\"a\":1} {\"b\":2}", json!({"a": 1})),
        ("[1,,2]", json!([1])),
        ("{\"a\":truth}", json!({})),
        ("{\"a\\x\":1}", json!({})),
        ("'a'", json!({})),
    ] {
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let (args, shown) = read(&[&text[..cut], &text[cut..]]);
            assert_eq!(args, value, "{text} cut at {cut}");
            assert_eq!(shown, text);
        }
    }
}

#[test]
fn a_key_that_comes_twice_has_its_last_value() {
    let text = r#"{"a":{"b":[1,2]},"a":{"c":"x"},"d":1,"d":[]}"#;
    for cut in 0..=text.len() {
        assert_eq!(read(&[&text[..cut], &text[cut..]]).0, json!({"a": {"c": "x"}, "d": []}), "cut at {cut}");
    }
}

#[test]
fn nesting_without_end_costs_no_stack() {
    let deep = "[".repeat(60_000);
    let (mut agent, request) = calling();
    for piece in [&deep[..30_000], &deep[30_000..]] {
        agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": piece));
    }
    agent.event(request, event!("TOOL_CALL_END", "toolCallId": "c"));
    let patch = agent.session.take_patch(usize::MAX).unwrap();
    assert!(patch.contains("input-available"));
    assert!(patch.matches(']').count() < 2_000, "the levels over the limit stay text");
}

/// JSON from a small generator of its own: same seed, same text.
struct Generator(u64);

impl Generator {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn space(&mut self, out: &mut String) {
        out.push_str(["", "", "", " ", "\n\t"][self.next(5)]);
    }

    fn string(&mut self, out: &mut String) {
        const PIECES: [&str; 14] =
            ["a", "key", "é", "🙂", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9", "{", "]", ",", ":"];
        out.push('"');
        for _ in 0..self.next(4) {
            out.push_str(PIECES[self.next(PIECES.len())]);
        }
        out.push('"');
    }

    fn value(&mut self, depth: usize, out: &mut String) {
        self.space(out);
        match self.next(if depth == 0 { 6 } else { 10 }) {
            0 => out.push_str(["true", "false", "null"][self.next(3)]),
            1 | 2 => out.push_str(["0", "-1", "12.50", "1e9", "3E-2", "-0.0", "12345678901234567890"][self.next(7)]),
            3..=5 => self.string(out),
            6 | 7 => self.list(depth, out, ['[', ']'], |_, _| {}),
            _ => self.list(depth, out, ['{', '}'], |this, out| {
                this.space(out);
                this.string(out);
                this.space(out);
                out.push(':');
            }),
        }
        self.space(out);
    }

    fn list(&mut self, depth: usize, out: &mut String, [open, close]: [char; 2], key: fn(&mut Self, &mut String)) {
        out.push(open);
        let length = self.next(4);
        for at in 0..length {
            if at > 0 {
                out.push(',');
            }
            key(self, out);
            self.value(depth - 1, out);
        }
        if length == 0 {
            self.space(out);
        }
        out.push(close);
    }
}

#[test]
fn at_the_end_they_are_what_json_parse_gives_however_they_were_cut() {
    let mut generator = Generator(11);
    for _ in 0..300 {
        let mut text = String::new();
        generator.value(4, &mut text);
        let wanted: Value = serde_json::from_str(&text).unwrap();
        // With the order of the keys.
        let check = |pieces: &[&str]| assert_eq!(read(pieces).0.to_string(), wanted.to_string(), "{pieces:?}");
        let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for &cut in &places {
            check(&[&text[..cut], &text[cut..]]);
        }
        let single: Vec<&str> = places.windows(2).map(|place| &text[place[0]..place[1]]).collect();
        check(&single);
        let cuts: Vec<usize> = places.iter().copied().filter(|_| generator.next(4) == 0).collect();
        let ends = cuts.iter().copied().chain([text.len()]);
        let starts = [0].into_iter().chain(cuts.iter().copied());
        let pieces: Vec<&str> = starts.zip(ends).map(|(start, end)| &text[start..end]).collect();
        check(&pieces);
    }
}

#[test]
fn every_reading_on_the_way_holds_what_the_one_before_held() {
    /// Whether `late` has everything that `early` has: strings may have grown, containers got more.
    fn holds(late: &Value, early: &Value) -> bool {
        match (late, early) {
            (Value::String(late), Value::String(early)) => late.starts_with(early.as_str()),
            (Value::Array(late), Value::Array(early)) => {
                late.len() >= early.len() && early.iter().zip(late).all(|(early, late)| holds(late, early))
            }
            (Value::Object(late), Value::Object(early)) => {
                early.iter().all(|(key, early)| late.get(key).is_some_and(|late| holds(late, early)))
            }
            (late, early) => late == early,
        }
    }
    let text = r#"{"a":"long \u00e9 text","b":[1,{"c":null,"d":[[],{}]},-2.5e3],"e":{"f":{"g":"h"}},"i":true}"#;
    let pieces: Vec<&str> = (0..text.len()).map(|at| &text[at..=at]).collect();
    let readings = shown(&pieces);
    for pair in readings.windows(2) {
        assert!(holds(&pair[1], &pair[0]), "{} then {}", pair[0], pair[1]);
    }
    assert_eq!(readings.last().unwrap(), &serde_json::from_str::<Value>(text).unwrap());
}

#[test]
fn the_patch_of_a_piece_is_as_long_as_the_piece() {
    let (mut agent, request) = calling();
    agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{\"text\":\""));
    agent.snapshot();
    let mut longest = 0;
    for _ in 0..2_000 {
        agent.event(request, event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "word "));
        longest = longest.max(agent.patch().unwrap().len());
    }
    assert!(longest < 200, "{longest}");
}
