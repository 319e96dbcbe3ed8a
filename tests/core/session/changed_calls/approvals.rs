//! An approval is of what the page has shown, and of nothing else.

use super::*;
use crate::support::SessionCalls;

/// Everything that may make another call of one that waits for approval.
fn changes() -> Vec<(&'static str, Vec<Value>)> {
    let with = |name: &str, args: &str| snapshot(&[user("u", "go"), assistant("m", &[("a", name, args)])]);
    let elsewhere = |name: &str, args: &str| snapshot(&[user("u", "go"), assistant("n", &[("a", name, args)])]);
    let start = event!("TOOL_CALL_START", "toolCallId": "a", "toolCallName": "other", "parentMessageId": "m");
    vec![
        ("renamed by a list of messages", vec![with("other", "{\"to\":1}")]),
        ("other arguments by a list of messages", vec![with("asked", "{\"to\":666}")]),
        ("renamed in another message", vec![elsewhere("other", "{\"to\":1}")]),
        ("other arguments in another message", vec![elsewhere("asked", "{\"to\":666}")]),
        ("started again under another name", vec![start.clone()]),
        ("started again and ended", call("a", "other", " ")),
        ("renamed to a tool that nobody asks about", vec![with("page", "{\"to\":1}")]),
        ("renamed to a tool that is nobody's", vec![with("nobody's", "{\"to\":1}")]),
        ("renamed and back", vec![with("other", "{}"), with("asked", "{\"to\":2}")]),
    ]
}

#[test]
fn an_approval_is_of_what_the_page_has_shown() {
    for (what, events) in changes() {
        for seen in [false, true] {
            for ended in [false, true] {
                let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
                let was = shown(&mut agent, "a");
                // The page takes no patch before the click.
                let bytes = sse(&events);
                agent.session.bytes(request, &bytes, agent.now);
                if ended {
                    agent.session.bytes(request, &sse(&[finished("r")]), agent.now);
                }
                let mut approval = json!({"toolCallId": "a"});
                if seen {
                    approval["seen"] = json!({"name": was["name"], "argsText": was["argsText"]});
                }
                let counts = agent.session.approve(&approval.to_string(), agent.now).unwrap();
                assert!(!counts, "{what}");
                agent.act(|_, _| {});
                assert!(agent.executed.is_empty(), "{what}: {:?}", agent.executed);
                assert!(agent.warnings.contains(&"approval-outdated".to_owned()), "{what}: {:?}", agent.warnings);
                let now = shown(&mut agent, "a");
                assert_eq!(now["phase"], "awaiting-approval", "{what}");
                assert_ne!((&now["name"], &now["argsText"]), (&was["name"], &was["argsText"]), "{what}");
                // It is asked again, and that is what runs.
                assert!(approve(&mut agent, "a"), "{what}");
                let args: Value = serde_json::from_str(now["argsText"].as_str().unwrap()).unwrap();
                let expected = [("a".to_owned(), now["name"].as_str().unwrap().to_owned(), args)];
                match what.ends_with("nobody's") {
                    true => assert_eq!(shown(&mut agent, "a")["error"], "The page has no tool nobody's."),
                    false => assert_eq!(agent.executed, expected, "{what}"),
                }
                assert!(!approve(&mut agent, "a"), "{what}: once");
            }
        }
    }
}

/// LangGraph's lists write `json.dumps` of what the model wrote.
#[test]
fn arguments_that_are_written_anew_are_the_same_call() {
    let [was, now] = ["{\"to\":1,\"text\":\"\u{e9}\"}", "{\"text\": \"\\u00e9\", \"to\": 1.0}"];
    let list = |message: &str, id: &str, name: &str, args: &str| {
        snapshot(&[user("u", "go"), assistant(message, &[(id, name, args)])])
    };
    let spaces = event!("TOOL_CALL_ARGS", "toolCallId": "a", "delta": " \n");
    let again = || vec![event!("TOOL_CALL_START", "toolCallId": "a", "toolCallName": "asked"), spaces.clone()];
    let forms: [(&str, &str, Vec<Value>); 5] = [
        ("in its message", was, vec![list("m", "a", "asked", now)]),
        ("in another message", was, vec![list("n", "a", "asked", now)]),
        ("with spaces after it", was, vec![spaces.clone()]),
        ("started again", was, again()),
        ("no arguments", "", vec![list("m", "a", "asked", "{}")]),
    ];
    for (what, args, events) in forms {
        let (mut agent, request) = calling(&[call("a", "asked", args), call("b", "page", args)]);
        let seen = json!({"name": "asked", "argsText": shown(&mut agent, "a")["argsText"]});
        agent.events(request, &events);
        end(&mut agent, request, "r");
        assert!(says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})), "{what}");
        assert_eq!(agent.executed.len(), 2, "{what}");
        assert_eq!(agent.executed[0].2["text"], agent.executed[1].2["text"], "{what}");
        let told =
            ["call-changed", "approval-outdated"].iter().any(|code| agent.warnings.contains(&(*code).to_owned()));
        assert!(!told, "{what}: {:?}", agent.warnings);
    }
    // One that the page executes.
    let (mut agent, request) = calling(&[call("a", "page", was)]);
    agent.events(request, &[list("m", "a", "page", now), list("n", "a", "page", was), list("n", "a", "page", now)]);
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    assert_eq!(shown(&mut agent, "a")["argsText"], now, "what the server wrote is shown");
    agent.event(request, list("n", "a", "page", "{\"to\": 1, \"text\": \"e\"}"));
    assert_eq!(agent.warnings, ["call-changed"]);
}

#[test]
fn the_application_may_change_a_call_too() {
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
    end(&mut agent, request, "r");
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    let messages = json!([user("u", "go"), assistant("m", &[("a", "asked", "{\"to\":2}")])]);
    agent.act(|session, _| session.set_messages(&messages.to_string()).unwrap());
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    assert_eq!(shown(&mut agent, "a")["phase"], "awaiting-approval");
    assert!(approve(&mut agent, "a"));
    assert_eq!(ran(&agent), [("a", "asked", "{\"to\":2}".to_owned())]);
}

#[test]
fn arguments_that_a_person_has_edited_are_what_runs() {
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[("a", "asked", "{\"to\":666}")])]));
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    assert!(says(&mut agent, "approve", json!({"toolCallId": "a", "args": {"to": 3}, "seen": seen})));
    assert_eq!(ran(&agent), [("a", "asked", "{\"to\":3}".to_owned())]);
    // Of another tool they are not.
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}")]);
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[("a", "other", "{\"to\":1}")])]));
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "args": {"to": 3}, "seen": seen})));
    assert!(agent.executed.is_empty());
}

#[test]
fn what_executes_is_not_begun_again_under_another_name() {
    for name in ["page", "asked", "human", "other"] {
        let (mut agent, request) = calling(&[call("a", "page", "{}")]);
        agent.event(request, snapshot(&[user("u", "go"), assistant("n", &[("a", name, "{\"x\":1}")])]));
        agent.events(request, &call("a", name, ""));
        assert_eq!(shown(&mut agent, "a")["phase"], "executing", "{name}");
        assert!(!approve(&mut agent, "a"));
        assert!(settle(&mut agent, "a", "done"));
        end(&mut agent, request, "r");
        assert_eq!(ran(&agent), [("a", "page", "{}".to_owned())], "{name}");
        assert!(agent.warnings.contains(&"call-changed".to_owned()), "{:?}", agent.warnings);
        assert_eq!(agent.requests.len(), 2);
    }
}

#[test]
fn a_call_that_becomes_one_to_be_approved_is_asked_about() {
    for (before, after) in [("human", "asked"), ("human", "asked-human"), ("asked-human", "other")] {
        let (mut agent, request) = calling(&[call("a", before, "{}")]);
        if before == "asked-human" {
            assert!(approve(&mut agent, "a"));
            assert_eq!(shown(&mut agent, "a")["phase"], "input-available");
        }
        agent.event(request, snapshot(&[user("u", "go"), assistant("n", &[("a", after, "{}")])]));
        assert_eq!(shown(&mut agent, "a")["phase"], "awaiting-approval", "{before} {after}");
        assert!(agent.executed.is_empty());
        assert!(approve(&mut agent, "a"));
        assert_eq!(agent.executed.len(), usize::from(after != "asked-human"));
    }
    // One that nobody has to answer runs, once.
    let (mut agent, request) = calling(&[call("a", "human", "{}")]);
    let list = snapshot(&[user("u", "go"), assistant("n", &[("a", "page", "{\"x\":1}")])]);
    agent.events(request, &[list.clone(), list, finished("r")]);
    assert_eq!(ran(&agent), [("a", "page", "{\"x\":1}".to_owned())]);
}

#[test]
fn a_call_that_was_held_is_approved_as_it_is_shown() {
    let (mut agent, request) = calling(&[call("a", "page", "{\"to\":1}")]);
    let seen = json!({"name": "page", "argsText": "{\"to\":1}"});
    assert!(says(&mut agent, "hold", json!({"toolCallId": "a"})));
    agent.event(request, snapshot(&[user("u", "go"), assistant("m", &[("a", "page", "{\"to\":2}")])]));
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    assert_eq!(agent.executed.len(), 1, "what the function was asked about");
    assert!(approve(&mut agent, "a"));
    assert_eq!(agent.executed[1].2, json!({"to": 2}));
}

#[test]
fn a_replay_that_differs_is_asked_again() {
    let network = Network { resume: Some(Resume::by("replay", None, None).unwrap()), ..Network::default() };
    let (mut agent, request) =
        calling_with(Options { network, ..Options::default() }, &[call("a", "asked", "{\"to\":1}")]);
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    agent.act(|session, now| session.failed(request, "reset", now));
    agent.now = agent.wake.unwrap();
    agent.act(|session, now| session.tick(now));
    let again = agent.requests.last().unwrap().0;
    agent.head(again, 200, "text/event-stream");
    agent.event(again, started("r"));
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})), "it is not told yet");
    let told = call("a", "asked", "{\"to\":666}");
    agent.events(again, &told[..2]);
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    agent.events(again, &told[2..]);
    assert!(!says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})));
    assert!(agent.executed.is_empty());
    assert!(approve(&mut agent, "a"));
    assert_eq!(ran(&agent), [("a", "asked", "{\"to\":666}".to_owned())]);
}

#[test]
fn after_a_reload_it_is_asked_as_it_was_saved() {
    let (mut agent, request) = calling(&[call("a", "asked", "{\"to\":1}"), call("b", "asked-human", "{}")]);
    assert!(approve(&mut agent, "b"));
    end(&mut agent, request, "r");
    let seen = json!({"name": "asked", "argsText": "{\"to\":1}"});
    let saved = agent.session.save();
    let other = saved.replace("{\\\"to\\\":1}", "{\\\"to\\\":2}");
    assert_ne!(saved, other);
    for (saved, counts) in [(saved, true), (other, false)] {
        let mut agent = Agent::new(Options::default());
        agent.act(|session, now| session.restore(&saved, now).unwrap());
        assert_eq!(shown(&mut agent, "a")["phase"], "awaiting-approval");
        assert_eq!(shown(&mut agent, "b")["phase"], "input-available", "it was approved");
        assert_eq!(says(&mut agent, "approve", json!({"toolCallId": "a", "seen": seen})), counts);
        assert_eq!(agent.executed.len(), usize::from(counts));
    }
}

#[test]
fn ids_that_nobody_knows_are_a_mistake() {
    let (mut agent, _) = calling(&[call("a", "page", "{}")]);
    for method in ["approve", "deny", "settle"] {
        agent.warnings.clear();
        assert!(!says(&mut agent, method, json!({"toolCallId": "nobody's", "result": 1})));
        assert_eq!(agent.warnings, ["call-unknown"], "{method}");
    }
}

#[test]
fn two_results_of_one_call_that_differ_are_told() {
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    let result =
        |id: &str, content: &str| event!("TOOL_CALL_RESULT", "messageId": id, "toolCallId": "a", "content": content);
    agent.events(request, &[result("t", "one"), result("t", "one"), result("t2", "one")]);
    assert!(agent.warnings.is_empty());
    agent.event(request, result("t2", "two"));
    assert_eq!(agent.warnings, ["result-differs"]);
    agent.warnings.clear();
    assert!(!settle(&mut agent, "a", "three"));
    assert_eq!(agent.warnings, ["result-differs"]);
    agent.warnings.clear();
    assert!(!settle(&mut agent, "a", "two"));
    assert!(agent.warnings.is_empty());
    // The page's own, and what the server says it was.
    let (mut agent, request) = calling(&[call("a", "page", "{}")]);
    settle(&mut agent, "a", "mine");
    let theirs = json!({"id": "t", "role": "tool", "toolCallId": "a", "content": "theirs"});
    let list = snapshot(&[user("u", "go"), assistant("m", &[("a", "page", "{}")]), theirs]);
    agent.events(request, &[list.clone(), list]);
    assert_eq!(agent.warnings, ["result-differs"]);
    end(&mut agent, request, "r");
    let sent = agent.sent()["messages"].as_array().unwrap().clone();
    assert_eq!(sent.iter().filter(|message| message["role"] == "tool").count(), 1, "one result a call");
}
