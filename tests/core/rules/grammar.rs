//! The strict grammar: it fails what the official client fails, and removes what it removes.

use ag_ui_wasm::rules::{Violation, grammar};
use ag_ui_wasm::wire::Raw;
use serde_json::{Value, json};

/// The unknown parts of an event, as code and pointer, or its violation.
fn check(event: &str) -> Result<Vec<(&'static str, String)>, Violation> {
    let fields = Raw::parse_object(event, 512).unwrap().unwrap();
    let mut found = Vec::new();
    grammar::check(&fields, &mut |unknown| found.push((unknown.code, unknown.pointer)))?;
    Ok(found)
}

/// How the cases were made: tests/fixtures/grammar/make.mjs.
#[test]
fn events_fail_and_lose_what_they_do_with_the_official_client() {
    let cases: Vec<(Value, Option<Vec<String>>)> =
        serde_json::from_str(include_str!("../../fixtures/grammar/cases.json")).unwrap();
    assert!(cases.len() > 1000);
    let mut wrong = 0;
    for (event, mut expected) in cases {
        let event = event.to_string();
        let result = check(&event);
        let mut removed =
            result.as_ref().ok().map(|found| found.iter().map(|(_, pointer)| pointer.clone()).collect::<Vec<_>>());
        expected.iter_mut().for_each(|list| list.sort());
        removed.iter_mut().for_each(|list| list.sort());
        if removed != expected {
            wrong += 1;
            println!("{event}\n  {result:?}\n  {expected:?}");
        }
    }
    assert_eq!(wrong, 0);
}

#[test]
fn a_violation_names_the_rule_the_place_and_what_was_expected() {
    for (event, rule, message) in [
        (
            json!({"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "tool"}),
            "G4",
            r#"TEXT_MESSAGE_START: "/role" must be "developer" or "system" or "assistant" or "user""#,
        ),
        (json!({"type": "TEXT_MESSAGE_START"}), "G4", r#"TEXT_MESSAGE_START: "/messageId" must be present"#),
        (
            json!({"type": "TEXT_MESSAGE_END", "messageId": 7}),
            "G4",
            r#"TEXT_MESSAGE_END: "/messageId" must be a string"#,
        ),
        (
            json!({"type": "TEXT_MESSAGE_END", "messageId": "m", "metadata": null}),
            "G5",
            r#"TEXT_MESSAGE_END: "/metadata" must be an object"#,
        ),
        (
            json!({"type": "RUN_ERROR", "message": "", "usage": [{}, {"inputTokens": -1}]}),
            "G7",
            r#"RUN_ERROR: "/usage/1/inputTokens" must be a whole number from 0 to 2^53 − 1"#,
        ),
        (
            json!({"type": "STATE_DELTA", "delta": [{"op": "remove", "path": "a"}]}),
            "G8",
            r#"STATE_DELTA: "/delta/0/path" must be a JSON Pointer"#,
        ),
        (
            json!({"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/a"}]}),
            "G8",
            r#"STATE_DELTA: "/delta/0/value" must be present"#,
        ),
        (
            json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "interrupt", "interrupts": []}}),
            "G4",
            r#"RUN_FINISHED: "/outcome/interrupts" must be an array with at least one element"#,
        ),
        (
            json!({"type": "MESSAGES_SNAPSHOT", "messages": [{"id": "m", "role": "assistant", "content": null}]}),
            "G5",
            r#"MESSAGES_SNAPSHOT: "/messages/0/content" must be a string"#,
        ),
    ] {
        let violation = check(&event.to_string()).unwrap_err();
        assert_eq!((violation.code, violation.rule), ("event-malformed", rule), "{event}");
        assert_eq!(violation.message, message);
    }
}

#[test]
fn what_is_not_known_is_named_and_not_looked_into() {
    let event = json!({
        "type": "MESSAGES_SNAPSHOT", "a/b~c": 1,
        "messages": [
            {"id": "m", "role": "later", "content": 7, "odd": 1},
            {"id": "m", "role": "user", "content": [
                {"type": "binary", "mimeType": 7},
                {"type": "image", "id": 7, "source": {"type": "later"}},
                {"type": "text", "text": "", "mood": null},
            ]},
        ],
    });
    let property = |pointer: &str| ("property-unknown", pointer.to_owned());
    let member = |pointer: &str| ("member-unknown", pointer.to_owned());
    let found = check(&event.to_string()).unwrap();
    assert_eq!(
        found,
        [
            member("/messages/0"),
            member("/messages/1/content/0"),
            member("/messages/1/content/1"),
            property("/messages/1/content/2/mood"),
            property("/a~1b~0c"),
        ]
    );
}

#[test]
fn nulls_of_old_versions_are_absent_and_opaque_values_are_let_be() {
    for event in [
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": null, "result": null, "rawEvent": null}),
        json!({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "n", "parentMessageId": null}),
        json!({"type": "CUSTOM", "name": "n", "value": null, "metadata": {"a": null, "type": 7}}),
        json!({"type": "NO_SUCH_EVENT", "messageId": 7}),
    ] {
        assert_eq!(check(&event.to_string()), Ok(Vec::new()), "{event}");
    }
    // Of a key that comes twice the last one counts.
    assert!(check(r#"{"type":"TEXT_MESSAGE_END","messageId":7,"messageId":"m"}"#).is_ok());
    assert!(check(r#"{"type":"TEXT_MESSAGE_END","messageId":"m","messageId":7}"#).is_err());
}

#[test]
fn numbers_are_whole_by_their_value() {
    let time =
        |number: &str| check(&format!(r#"{{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":{number}}}"#)).is_ok();
    for good in [
        "0",
        "-0",
        "-0.0",
        "1e3",
        "1.0",
        "10e-1",
        "-12",
        "9007199254740991",
        "-9007199254740991",
        "1.5e1",
        "0e999",
        "12300E-2",
    ] {
        assert!(time(good), "{good}");
    }
    for bad in ["1.5", "1e-3", "9007199254740992", "1e400", "1e99999999999", "-9007199254740992", "\"1\"", "true", "[]"]
    {
        assert!(!time(bad), "{bad}");
    }
}
