//! Requests that start a run, to servers of every version; and runs that may start while interrupts are open.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::*;
use ag_ui_wasm::session::{Misuse, Options};
use ag_ui_wasm::wire::Protocol;
use serde_json::{Value, json};

fn agent(protocol: &str, messages: Value) -> Agent {
    let options = Options { protocol: Protocol::parse(protocol).unwrap(), ..Options::default() };
    Agent::with(options, Some(&messages.to_string()), None)
}

/// The messages in a request to a server of this version.
fn sent(protocol: &str, messages: Value) -> Value {
    let mut agent = agent(protocol, messages);
    agent.submit_json(json!({"runId": "r"}));
    agent.sent()["messages"].clone()
}

mod body {
    use super::*;

    /// The body that the request of this number leaves with, where the page says so of its options then.
    fn refreshed(agent: &mut Agent, request: u32, input: Value) -> Option<Value> {
        let mut body = None;
        agent.act(|session, now| body = session.refresh(request, &input.to_string(), now).unwrap());
        body.map(|body| serde_json::from_str(&body).unwrap())
    }

    #[test]
    fn options_are_those_of_the_page_when_the_request_leaves() {
        let context = |value: &str| json!([{"description": "d", "value": value}]);
        let now = json!({"tools": [{"name": "f", "description": ""}], "context": context("now"), "forwardedProps": 2});
        for own in [json!([]), json!(["context"]), json!(["tools", "context", "forwardedProps"])] {
            let mut agent = Agent::new(Options::default());
            let (messages, resume) = (json!([user("u", "go")]), json!([{"interruptId": "i", "status": "cancelled"}]));
            agent.submit_json(json!({"runId": "r", "messages": messages, "state": {"n": 1}, "context": context("own"),
                "forwardedProps": 1, "resume": resume, "own": own}));
            let (request, mut expected) = agent.requests[0].clone();
            let has = |name: &str| own.as_array().unwrap().contains(&json!(name));
            for name in ["tools", "context", "forwardedProps"].into_iter().filter(|name| !has(name)) {
                expected[name] = now[name].clone();
            }
            let body = refreshed(&mut agent, request, now.clone());
            assert_eq!(body.is_none(), own.as_array().unwrap().len() == 3, "{own}");
            assert_eq!(body.unwrap_or(agent.requests[0].1.clone()), expected, "{own}");
            assert_eq!(refreshed(&mut agent, request, now.clone()), None, "it is so already");
            assert_eq!(refreshed(&mut agent, request + 1, json!({})), None, "no such request");
            let bad = agent.session.refresh(request, "{\"context\":[5]}", 0.0);
            assert!(bad.is_err());
        }
    }

    #[test]
    fn members_that_ag_ui_does_not_have_stay_here_with_one_warning() {
        let mut agent = Agent::new(Options::default());
        agent.submit_json(json!({
            "runId": "r",
            "tools": [{"name": "f", "description": "", "parameters": null, "metadata": {"a": null}, "icon": "x", "n": null}],
            "context": [{"description": "d", "value": "v", "id": 7}],
            "resume": [{"interruptId": "i", "status": "cancelled", "payload": null, "metadata": null, "by": "me"}],
            "forwardedProps": {"any": null},
        }));
        let sent = agent.sent();
        assert_eq!(sent["tools"], json!([{"name": "f", "description": "", "metadata": {"a": null}}]));
        assert_eq!(sent["context"], json!([{"description": "d", "value": "v"}]));
        assert_eq!(sent["resume"], json!([{"interruptId": "i", "status": "cancelled"}]));
        assert_eq!(sent["forwardedProps"], json!({"any": null}));
        assert_eq!(agent.warnings, ["property-unknown"]);
    }

    #[test]
    fn what_is_malformed_is_refused_before_anything_happens() {
        let mut agent = Agent::new(Options::default());
        for (list, element) in [
            ("tools", json!("f")),
            ("tools", json!({"name": "f"})),
            ("tools", json!({"name": null, "description": "d"})),
            ("tools", json!({"name": "f", "description": "d", "metadata": []})),
            ("context", json!({"description": "d", "value": {"v": 1}})),
            ("context", json!([])),
            ("resume", json!({"interruptId": "i"})),
            ("resume", json!({"interruptId": "i", "status": "refused"})),
            ("resume", json!({"interruptId": 1, "status": "resolved"})),
        ] {
            let input = json!({"runId": "r", "messages": [user("u", "hi")], list: [element]});
            let refused = agent.session.submit(&input.to_string(), 0.0).unwrap_err();
            assert!(matches!(&refused, Misuse::Input(expected) if expected.contains(list)), "{input}: {refused}");
        }
        assert_eq!(agent.snapshot()["messages"], json!([]));
        assert!(agent.requests.is_empty());
    }

    #[test]
    fn a_role_has_its_own_members_only_and_nulls_are_absent() {
        let calls = json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
        let all = |id: &str, role: &str, content: Value| {
            json!({"id": id, "role": role, "content": content, "name": "n", "toolCalls": calls, "toolCallId": "c",
                "error": "e", "activityType": "P", "encryptedValue": "x", "metadata": {"k": null}, "extra": 1,
                "subagentRunId": null})
        };
        let roles = ["developer", "system", "assistant", "tool", "user", "reasoning"];
        let list: Vec<Value> = roles.iter().map(|role| all(role, role, json!("c"))).collect();
        let base = |role: &str| json!({"id": role, "role": role, "content": "c", "encryptedValue": "x", "metadata": {"k": null}});
        let with = |role: &str, more: Value| {
            let mut message = base(role);
            message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            message
        };
        let name = json!({"name": "n"});
        assert_eq!(
            sent("1.0", json!(list)),
            json!([
                with("developer", name.clone()),
                with("system", name.clone()),
                with("assistant", json!({"name": "n", "toolCalls": calls})),
                with("tool", json!({"toolCallId": "c", "error": "e"})),
                with("user", name),
                base("reasoning"),
            ])
        );
    }

    #[test]
    fn activities_are_for_the_page() {
        let activity = json!({"id": "a", "role": "activity", "activityType": "P", "content": {}});
        assert_eq!(sent("1.0", json!([user("u", "x"), activity])), json!([user("u", "x")]));
    }
}

mod parts {
    use super::*;

    fn content(protocol: &str, parts: Value) -> (Value, Vec<String>) {
        let mut agent = agent(protocol, json!([{"id": "u", "role": "user", "content": parts}]));
        agent.submit_json(json!({"runId": "r"}));
        (agent.sent()["messages"][0]["content"].clone(), agent.warnings)
    }

    fn binary(more: Value) -> Value {
        let mut part = json!({"type": "binary", "mimeType": "image/png"});
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        part
    }

    #[test]
    fn parts_have_the_members_of_ag_ui() {
        let given = json!([
            {"type": "text", "text": "a", "id": "1", "metadata": [null], "style": "b"},
            {"type": "image", "source": {"type": "data", "value": "AA", "mimeType": "image/png", "provider": "p"}, "metadata": null},
            {"type": "document", "source": {"type": "file", "value": "f", "provider": "p", "mimeType": null, "x": 1}, "id": "2"},
        ]);
        let expected = json!([
            {"type": "text", "text": "a", "id": "1", "metadata": [null]},
            {"type": "image", "source": {"type": "data", "value": "AA", "mimeType": "image/png"}},
            {"type": "document", "source": {"type": "file", "value": "f", "provider": "p"}, "id": "2"},
        ]);
        assert_eq!(content("1.0", given), (expected, vec![]));
    }

    #[test]
    fn parts_that_ag_ui_does_not_have_are_left_out_with_a_warning() {
        let given = json!([
            {"type": "hologram", "source": {"type": "data", "value": "AA", "mimeType": "x"}},
            {"type": "image", "source": {"type": "scent", "value": "AA"}},
            {"type": "binary", "mimeType": "image/png", "id": "7"},
            {"type": "text", "text": "kept"},
        ]);
        let (sent, warnings) = content("1.0", given);
        assert_eq!(sent, json!([{"type": "text", "text": "kept"}]));
        assert_eq!(warnings, ["part-unknown"; 3]);
    }

    #[test]
    fn binary_parts_are_sent_as_what_they_have_become() {
        let data = |kind: &str, value: &str, mime: &str| json!({"type": kind, "source": {"type": "data", "value": value, "mimeType": mime}});
        let url = |name: &str| json!({"type": "image", "source": {"type": "url", "value": "u", "mimeType": "image/png"}, "metadata": {"filename": name}});
        let (sent, warnings) = content(
            "1.0",
            json!([
                binary(json!({"data": "AA", "url": "u", "filename": "", "id": "1"})),
                {"type": "binary", "mimeType": "audio/ogg", "data": "BB"},
                {"type": "binary", "mimeType": "video/mp4", "data": "CC"},
                {"type": "binary", "mimeType": "imagery", "data": "DD"},
                binary(json!({"data": "", "url": "u", "filename": "a.png"})),
                binary(json!({"data": "", "url": "u", "filename": "b.png"})),
                // Said in both shapes: the one for old clients goes.
                url("b.png"),
            ]),
        );
        let expected = json!([
            data("image", "AA", "image/png"),
            data("audio", "BB", "audio/ogg"),
            data("video", "CC", "video/mp4"),
            data("document", "DD", "imagery"),
            url("a.png"),
            url("b.png"),
        ]);
        assert_eq!((sent, warnings), (expected, vec![]));
    }

    #[test]
    fn servers_up_to_0_0_47_get_binary_parts() {
        let given = json!([
            {"type": "text", "text": "see"},
            {"type": "image", "source": {"type": "data", "value": "AA", "mimeType": "image/png"}, "metadata": {"filename": "a.png"}},
            {"type": "audio", "source": {"type": "url", "value": "u", "mimeType": "audio/ogg"}},
            {"type": "video", "source": {"type": "url", "value": "v"}},
            {"type": "document", "source": {"type": "file", "value": "f"}},
            binary(json!({"url": "w", "filename": "w.png"})),
        ]);
        let expected = json!([
            {"type": "text", "text": "see"},
            binary(json!({"data": "AA", "filename": "a.png"})),
            {"type": "binary", "mimeType": "audio/ogg", "url": "u"},
            {"type": "binary", "mimeType": "video/*", "url": "v"},
            {"type": "binary", "mimeType": "application/octet-stream", "id": "f"},
            binary(json!({"url": "w", "filename": "w.png"})),
        ]);
        assert_eq!(content("0.0.47", given.clone()), (expected.clone(), vec![]));
        assert_eq!(content("0.0.40", given.clone()), (expected, vec![]));
        assert_eq!(content("0.0.48", given.clone()).0[1], given[1]);
    }

    #[test]
    fn servers_up_to_0_0_39_get_text_alone() {
        let given = json!([{"type": "text", "text": "a"}, binary(json!({"url": "u"})), {"type": "text", "text": "b"}]);
        assert_eq!(content("0.0.39", given), (json!("ab"), vec!["part-not-sent".to_owned()]));
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let silent = json!([{"id": "m", "role": "assistant", "toolCalls": [call]}]);
        assert_eq!(sent("0.0.39", silent.clone())[0]["content"], "");
        assert_eq!(sent("0.0.40", silent)[0].get("content"), None);
    }
}

#[test]
fn what_a_version_does_not_know_is_not_sent() {
    let messages = json!([{"id": "u", "role": "user", "content": "x", "subagentRunId": "s"}]);
    for (protocol, version, tag) in [
        ("1.0", Some("1.0"), Some("s")),
        ("0.0.59", None, Some("s")),
        ("0.0.58", None, Some("s")),
        ("0.0.57", None, None),
        ("0.0.1", None, None),
    ] {
        let mut agent = agent(protocol, messages.clone());
        agent.submit_json(json!({"runId": "r"}));
        assert_eq!(agent.sent().get("protocolVersion"), version.map(Value::from).as_ref(), "{protocol}");
        assert_eq!(agent.sent()["messages"][0].get("subagentRunId"), tag.map(Value::from).as_ref(), "{protocol}");
        assert_eq!(agent.snapshot()["messages"][0]["subagentRunId"], "s", "the page keeps it");
    }
}

mod interrupts {
    use super::*;

    fn interrupted_by(list: Value) -> Value {
        event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": {"type": "interrupt", "interrupts": list})
    }

    /// An agent that waits for these interrupts.
    fn waiting(list: Value) -> Agent {
        let mut agent = Agent::new(Options::default());
        agent.run(&[started("r"), interrupted_by(list)]);
        assert_eq!(agent.snapshot()["outcome"], "interrupted");
        agent
    }

    fn ab() -> Value {
        json!([{"id": "a", "reason": "confirmation"}, {"id": "b", "reason": "confirmation"}])
    }

    fn entry(id: &str, status: &str) -> Value {
        json!({"interruptId": id, "status": status})
    }

    fn resolved(ids: &[&str]) -> Value {
        ids.iter().map(|id| entry(id, "resolved")).collect()
    }

    fn resume(entries: Value) -> Value {
        json!({"runId": "again", "resume": entries})
    }

    /// The code that a submit is refused with. It leaves no trace.
    fn refusal(agent: &mut Agent, input: &Value) -> &'static str {
        let (requests, before) = (agent.requests.len(), agent.snapshot().clone());
        let refused = agent.session.submit(&input.to_string(), agent.now).unwrap_err();
        agent.act(|_, _| {});
        assert_eq!(agent.requests.len(), requests);
        assert_eq!(agent.snapshot(), &before);
        assert!(agent.warnings.is_empty());
        refused.code()
    }

    #[test]
    fn every_one_needs_an_answer() {
        let mut agent = waiting(ab());
        for input in [input("r2", "hello"), resume(json!([])), resume(resolved(&["a"])), resume(resolved(&["b", "c"]))]
        {
            assert_eq!(refusal(&mut agent, &input), "interrupts-open", "{input}");
        }
        for policy in ["queue", "replace", "drop", "reject"] {
            assert_eq!(refusal(&mut agent, &busy("r2", policy)), "interrupts-open");
        }
        let message = agent.session.submit(&input("r2", "hello").to_string(), 0.0).unwrap_err().to_string();
        assert!(message.contains("a, b"), "{message}");
        agent.submit_json(resume(resolved(&["b", "a"])));
        assert_eq!(agent.sent()["resume"], resolved(&["b", "a"]));
    }

    #[test]
    fn answers_that_nobody_asked_for_are_refused() {
        let mut agent = waiting(ab());
        for ids in [&["a", "b", "c"][..], &["a", "b", "a"], &["c", "a", "b"]] {
            assert_eq!(refusal(&mut agent, &resume(resolved(ids))), "interrupt-unknown", "{ids:?}");
        }
    }

    #[test]
    fn without_open_ones_answers_are_sent_as_they_are() {
        let mut agent = Agent::new(Options::default());
        agent.submit_json(resume(resolved(&["x", "x"])));
        assert_eq!(agent.sent()["resume"], resolved(&["x", "x"]));
    }

    #[test]
    fn an_expired_one_can_only_be_cancelled() {
        let at = |text: &str| json!([{"id": "a", "reason": "x", "expiresAt": text}]);
        for expired in ["1970-01-01T00:00:01Z", "1970-01-01T02:00:00.5+02:00", "1969", "1970-01-01 00:00"] {
            let mut agent = waiting(at(expired));
            assert_eq!(refusal(&mut agent, &resume(resolved(&["a"]))), "interrupt-expired", "{expired}");
            agent.submit_json(resume(json!([entry("a", "cancelled")])));
            assert_eq!(agent.requests.len(), 2);
        }
        let mut agent = waiting(at("1970-01-01T00:00:01.001Z"));
        agent.now = 1000.9;
        agent.submit_json(resume(resolved(&["a"])));
        assert_eq!(agent.requests.len(), 2);
    }

    #[test]
    fn an_expiry_that_is_no_time_is_warned_of_once_and_never_comes() {
        let mut agent = waiting(json!([
            {"id": "a", "reason": "x", "expiresAt": "August 19, 2020 23:15:30"},
            {"id": "b", "reason": "x", "expiresAt": null},
        ]));
        assert_eq!(agent.warnings, ["interrupt-expiry"]);
        assert_eq!(agent.snapshot()["interrupts"][0]["expiresAt"], "August 19, 2020 23:15:30");
        agent.now = 9e15;
        agent.submit_json(resume(resolved(&["a", "b"])));
        assert_eq!((agent.requests.len(), agent.warnings.len()), (2, 1));
    }

    #[test]
    fn a_submit_that_came_before_the_question_waits_for_the_answer() {
        let mut agent = Agent::new(Options::default());
        let request = agent.submit("first");
        agent.submit_json(input("second", "meanwhile"));
        agent.head(request, 200, "text/event-stream");
        agent.events(request, &[started("r"), interrupted_by(ab())]);
        agent.end(request);
        assert_eq!(agent.requests.len(), 1);
        assert_eq!(agent.snapshot()["queue"][0]["runId"], "second");
        assert_eq!(agent.snapshot()["status"], "idle");
        assert_eq!(refusal(&mut agent, &input("third", "no")), "interrupts-open");

        agent.submit_json(resume(resolved(&["a", "b"])));
        assert_eq!(agent.sent()["runId"], "again", "the answer goes first");
        assert_eq!(agent.snapshot()["queue"].as_array().unwrap().len(), 1);
        let request = agent.requests.last().unwrap().0;
        agent.head(request, 200, "text/event-stream");
        agent.events(request, &[started("again"), finished("again")]);
        agent.end(request);
        assert_eq!(agent.sent()["runId"], "second");
        assert_eq!(agent.sent().get("resume"), None);
    }

    #[test]
    fn an_answer_that_waits_goes_before_what_waited_longer() {
        let mut agent = Agent::new(Options::default());
        let request = agent.submit("first");
        agent.submit_json(input("second", "meanwhile"));
        agent.submit_json(resume(resolved(&["a", "b"])));
        agent.head(request, 200, "text/event-stream");
        agent.events(request, &[started("r"), interrupted_by(ab())]);
        agent.end(request);
        assert_eq!(agent.sent()["runId"], "again");
    }

    #[test]
    fn a_run_that_answers_is_not_replaced_by_one_that_does_not() {
        let mut agent = waiting(ab());
        agent.submit_json(resume(resolved(&["a", "b"])));
        assert_eq!(refusal(&mut agent, &busy("r2", "replace")), "interrupts-open");
        assert!(agent.closed.is_empty());
    }

    #[test]
    fn retry_answers_as_the_failed_run_did() {
        let mut agent = waiting(ab());
        let retry = json!({"runId": "retry"}).to_string();
        assert_eq!(agent.session.retry(&retry, 0.0).unwrap_err().code(), "interrupts-open");
        let entries = json!([{"interruptId": "a", "status": "resolved", "payload": {"n": 12345678901234567890_u64}}, entry("b", "cancelled")]);
        agent.submit_json(resume(entries.clone()));
        let request = agent.requests.last().unwrap().0;
        agent.act(|session, now| session.failed(request, "offline", now));
        assert_eq!(agent.snapshot()["interrupts"], ab(), "nobody knows whether the server has heard");
        agent.act(|session, now| assert!(session.retry(&retry, now).is_ok()));
        assert_eq!(agent.sent()["resume"], entries);
        let request = agent.requests.last().unwrap().0;
        agent.head(request, 200, "text/event-stream");
        agent.events(request, &[started("retry"), finished("retry")]);
        agent.end(request);
        agent.act(|session, now| assert!(session.retry(&retry, now).is_ok()));
        assert_eq!(agent.sent().get("resume"), None, "what was answered is not answered again");
    }

    #[test]
    fn regenerate_gives_the_questions_up() {
        let mut agent = Agent::new(Options::default());
        let asked = [vec![started("r")], text("m", "Shall I?").to_vec(), vec![interrupted_by(ab())]].concat();
        agent.run(&asked);
        let json = json!({"runId": "again"}).to_string();
        agent.act(|session, now| assert!(session.regenerate(None, &json, now).is_ok()));
        assert_eq!(agent.sent()["resume"], json!([entry("a", "cancelled"), entry("b", "cancelled")]));
        assert_eq!(agent.sent()["messages"], json!([user("u0", "go")]));
    }

    #[test]
    fn reset_forgets_them_and_set_messages_does_not() {
        let mut agent = waiting(ab());
        agent.session.set_messages("[]").unwrap();
        assert_eq!(refusal(&mut agent, &input("r2", "hello")), "interrupts-open");
        agent.act(|session, now| session.reset(now).unwrap());
        assert_eq!(agent.snapshot()["interrupts"], json!([]));
        agent.submit_json(input("r2", "hello"));
        assert_eq!(agent.requests.len(), 2);
    }
}
