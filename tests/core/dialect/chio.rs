//! Chio: its events in the snapshot, and the rules of its policy, receipts and capabilities.

use super::*;
use ag_ui_wasm::guard::ask;

fn read(text: &str) -> f64 {
    text.parse().unwrap()
}

fn answer(question: &str, input: &Value) -> Value {
    serde_json::from_str(&ask(question, &input.to_string(), read).unwrap()).unwrap()
}

fn lines(name: &str) -> Vec<Value> {
    let bytes = fixture(name);
    let text = String::from_utf8(bytes).unwrap();
    text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn agent(strict: bool) -> Agent {
    Agent::speaking("chio", json!({}), Options { strict, ..Options::default() })
}

fn sse(events: &[Value]) -> Vec<u8> {
    events.iter().flat_map(|event| format!("data: {event}\n\n").into_bytes()).collect()
}

fn text_event(id: &str, target: Value, text: &str) -> Value {
    let mut event = json!({
        "event_id": id, "timestamp": 1, "agent_id": "a", "session_id": "s", "event_type": "text_stream",
        "classification": "display", "payload": {"text": text},
    });
    if !target.is_null() {
        event["target"] = target;
    }
    event
}

/// The names of the events that the application saw, in order.
fn names(agent: &Agent) -> Vec<&str> {
    agent.events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[test]
fn delivered_streams() {
    for (name, stream) in [("01-sse", "sse"), ("03-websocket", "ws.jsonl")] {
        let name = format!("chio/{name}-default-config");
        let expected = json_fixture(&format!("{name}.expected.json"));
        let body = fixture(&format!("{name}.{stream}"));
        let kind = if stream == "sse" { "text/event-stream" } else { "application/x-ndjson" };
        let play = |pieces: &[&[u8]]| {
            let mut agent = agent(true);
            let request = agent.submit("go");
            agent.head(request, 200, kind);
            pieces.iter().for_each(|piece| agent.bytes(request, piece));
            agent.end(request);
            let snapshot = agent.snapshot().clone();
            (snapshot["outcome"].clone(), agent.custom.clone(), agent.warnings.clone(), agent.events.clone())
        };
        let whole = play(&[&body]);
        for at in 1..body.len() {
            let (head, tail) = body.split_at(at);
            assert_eq!(play(&[head, tail]), whole, "{name} cut at {at}");
        }
        assert_eq!(whole.0, json!("success"));
        assert!(whole.2.is_empty(), "{:?}", whole.2);
        let visible: Vec<_> = whole.1.iter().map(|(_, value)| value["event_id"].clone()).collect();
        assert_eq!(Value::Array(visible), expected["visibleToBrowser"]);
        // The whole event is kept, in the value and in rawEvent.
        let all = lines(&format!("{name}.all-events.jsonl"));
        for (_, value) in &whole.1 {
            assert!(all.contains(value));
        }
        let kept =
            whole.3.iter().filter(|event| event["type"] == "CUSTOM").all(|event| event["value"] == event["rawEvent"]);
        assert!(kept);
    }
}

#[test]
fn everything_that_a_host_may_deliver() {
    let name = "chio/01-sse-default-config";
    let mut bytes = Vec::new();
    for (event, receipt) in
        lines(&format!("{name}.all-events.jsonl")).iter().zip(lines(&format!("{name}.receipts.jsonl")))
    {
        bytes.extend(sse(&[event.clone(), receipt]));
    }
    let told = at_every_cut(
        &bytes,
        || agent(true),
        |agent| {
            let snapshot = agent.snapshot().clone();
            let custom: Vec<_> = agent.custom.iter().map(|(name, _)| name.clone()).collect();
            (
                snapshot["messages"].clone(),
                snapshot["state"].clone(),
                snapshot["outcome"].clone(),
                custom,
                names(agent).join(" "),
            )
        },
    );
    let answer = &told.0[1];
    assert_eq!(answer["id"], "chio:sess_01HZ7:chat-window:main");
    assert_eq!(
        (&answer["content"], &answer["delivery"]),
        (&json!("I'll check your order status now."), &json!("complete"))
    );
    assert_eq!(told.1.to_string(), r#"{"cart":{"total":12345678901234567890}}"#);
    assert_eq!(told.2, "success");
    let receipts = told.3.iter().filter(|name| *name == "chio.receipt").count();
    assert_eq!(receipts, 8);
    let others: Vec<_> = told.3.iter().filter(|name| *name != "chio.receipt").map(String::as_str).collect();
    let expected = ["lifecycle", "form_action", "notification", "navigation", "custom", "state_update", "error"];
    assert_eq!(others, expected.map(|name| format!("chio.{name}")));
    assert!(told.4.starts_with("RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT CUSTOM"), "{}", told.4);
    assert!(told.4.ends_with("TEXT_MESSAGE_END RUN_FINISHED"), "{}", told.4);
}

#[test]
fn texts_grow_by_their_target() {
    let (chat, aside) = (json!({"component_type": "chat", "component_id": "main"}), json!({"component_type": "aside"}));
    let events = [
        text_event("1", chat.clone(), "Hel"),
        text_event("2", aside, "note"),
        text_event("3", chat.clone(), "lo \u{1F600}"),
        text_event("4", Value::Null, "free"),
        text_event("5", chat.clone(), ""),
    ];
    let mut agent = played(agent(true), [&sse(&events)[..]]);
    let snapshot = agent.snapshot().clone();
    let shown = |snapshot: &Value| -> Vec<(String, String)> {
        let messages = snapshot["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant");
        messages.map(|m| (m["id"].as_str().unwrap().into(), m["content"].as_str().unwrap().into())).collect()
    };
    let is = |id: &str, text: &str| (id.to_owned(), text.to_owned());
    let first = [is("chio:s:chat:main", "Hello \u{1F600}"), is("chio:s:aside", "note"), is("chio:s", "free")];
    assert_eq!(shown(&snapshot), first);
    // The next run says something new, and not more of what was said.
    let mut agent = played(agent, [&sse(&[text_event("6", chat, "again")])[..]]);
    assert_eq!(shown(agent.snapshot()).last().unwrap(), &is("chio:s:chat:main#2", "again"));
}

#[test]
fn state_is_set_by_path() {
    let update = |path: &str, value: Value| {
        json!({"event_id": "e", "timestamp": 1, "agent_id": "a", "event_type": "state_update", "classification": "mutate",
            "payload": {"path": path, "value": value}})
    };
    let events = [
        update("/cart/items/list", json!([1, 2])),
        update("/cart/items/list/0", json!("one")),
        update("/cart/items/list/-", json!(3)),
        update("/a~1b", json!(null)),
        update("/a~1b/c", json!({"d": 1})),
    ];
    let mut agent = played(agent(true), [&sse(&events)[..]]);
    let state = agent.snapshot()["state"].clone();
    assert_eq!(state, json!({"cart": {"items": {"list": ["one", 2, 3]}}, "a/b": {"c": {"d": 1}}}));
    assert!(agent.warnings.is_empty(), "{:?}", agent.warnings);
    assert_eq!(agent.custom.len(), events.len(), "each is emitted as well");
    // A long path is not written again for each of its parts, and has a limit.
    let mut agent = played(agent, [&sse(&[update(&format!("/deep{}", "/x".repeat(100)), json!(1))])[..]]);
    assert!(agent.events.last().unwrap().to_string().len() < 4_000);
    assert_eq!(agent.snapshot()["state"].pointer(&format!("/deep{}", "/x".repeat(100))), Some(&json!(1)));
    let state = agent.snapshot()["state"].clone();
    let mut agent = played(agent, [&sse(&[update(&"/x".repeat(500_000), json!(1))])[..]]);
    assert_eq!(agent.snapshot()["state"], state);
    assert_eq!(std::mem::take(&mut agent.warnings), ["state-patch-failed"]);
    // A setting that cannot be used is reported, and nothing is lost.
    let mut agent =
        played(agent, [&sse(&[update("/cart/items/list/9/x", json!(1)), text_event("t", Value::Null, "on")])[..]]);
    assert_eq!(agent.snapshot()["state"], state);
    assert_eq!(agent.warnings, ["state-patch-failed"]);
    assert_eq!(agent.snapshot()["outcome"], "success");
}

#[test]
fn what_is_sent() {
    let sent = |settings: Value| {
        let mut agent = Agent::speaking("chio", settings, Options::default());
        agent.submit("Refund \"it\"");
        agent.sent().clone()
    };
    let event = json!({"session_id": "t", "event_type": "form_action", "classification": "submit",
        "payload": {"text": "Refund \"it\""}});
    assert_eq!(sent(json!({})), event);
    // Settings beside the text are members of the event.
    let mut agent = Agent::speaking("chio", json!({}), Options::default());
    let message = json!({"id": "u", "role": "user", "content": "yes"});
    let props = json!({"agent_id": "page", "payload": {"confirmed": true}, "target": {"component_type": "modal"}});
    agent.submit_json(json!({"runId": "r", "messages": [message], "forwardedProps": props}));
    let answer = json!({"session_id": "t", "event_type": "form_action", "classification": "submit", "agent_id": "page",
        "payload": {"confirmed": true}, "target": {"component_type": "modal"}});
    assert_eq!(agent.sent(), &answer);
    assert_eq!(sent(json!({"input": "none"})), Value::Null);
    assert_eq!(sent(json!({"input": "run"}))["messages"][0]["content"], "Refund \"it\"");
    for wrong in [json!({"input": "all"}), json!({"rawText": 1}), json!({"input": null, "rawText": "yes"})] {
        assert!(ag_ui_wasm::dialect::named("chio", &wrong.to_string()).is_none(), "{wrong}");
    }
}

#[test]
fn the_text_of_an_event_keeps_its_digits() {
    let mut agent = Agent::speaking("chio", json!({"rawText": true}), Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let event = r#"{"event_id":"e","timestamp":1,"agent_id":"a","event_type":"error","classification":"alert","payload":[9007199254740993, 1.0]}"#;
    agent.bytes(request, format!("data: {event}\n\n").as_bytes());
    assert_eq!(agent.events[1]["rawEvent"], event);
}

#[test]
fn empty_and_foreign_bodies() {
    let outcome = |content_type: &str, body: &str, strict: bool| {
        let mut agent = agent(strict);
        let request = agent.submit("go");
        agent.head(request, 200, content_type);
        agent.bytes(request, body.as_bytes());
        agent.end(request);
        let snapshot = agent.snapshot().clone();
        let kind = snapshot["error"]["kind"].as_str().unwrap_or_default().to_owned();
        (snapshot["outcome"].as_str().unwrap().to_owned(), kind, agent.warnings.join(" "))
    };
    let is = |outcome: &str, kind: &str, warnings: &str| (outcome.to_owned(), kind.to_owned(), warnings.to_owned());
    let stream = "text/event-stream";
    // The proxy has let nothing through.
    assert_eq!(outcome(stream, ": hello\n\n", true), is("success", "", ""));
    assert_eq!(outcome("text/html", "<h1>no</h1>", false), is("error", "http", ""));
    let nothing = "data: {\"error\":\"who are you?\"}\n\n";
    assert_eq!(outcome(stream, nothing, false), is("truncated", "connection", "chio-frame-unknown"));
    assert_eq!(outcome(stream, nothing, true).1, "protocol");
    // A server that speaks AG-UI too.
    let both = format!(
        "data: {}\n\ndata: {}\n\ndata: {}\n\n",
        json!({"type": "RUN_STARTED", "threadId": "t", "runId": "r"}),
        json!({"event_id": "e", "timestamp": 1, "agent_id": "a", "event_type": "error", "classification": "alert", "payload": 0}),
        json!({"type": "RUN_FINISHED", "threadId": "t", "runId": "r"}),
    );
    assert_eq!(outcome(stream, &both, true), is("success", "", ""));
}

#[test]
fn bad_events() {
    let good = text_event("e", Value::Null, "shown");
    let with = |member: &str, value: Value| {
        let mut event = text_event("x", Value::Null, "odd");
        event[member] = value;
        event
    };
    let without = |member: &str| {
        let mut event = text_event("x", Value::Null, "odd");
        event.as_object_mut().unwrap().remove(member);
        event
    };
    let cases = [
        (json!([1]), "chio-frame-unknown", false),
        (json!({"event": "x"}), "chio-frame-unknown", false),
        (with("event_type", json!("text-stream")), "chio-event-unknown", false),
        (with("event_type", json!(7)), "chio-event-malformed", false),
        (with("event_type", json!({"custom": 1})), "chio-event-malformed", false),
        (with("classification", json!("Display")), "chio-event-unknown", false),
        (with("classification", json!(null)), "chio-event-malformed", false),
        (without("classification"), "chio-event-malformed", false),
        (without("payload"), "chio-event-malformed", false),
        (with("target", json!("window")), "chio-event-malformed", false),
        (with("target", json!({"component_id": "x"})), "chio-event-malformed", false),
        // Text without optional members is shown.
        (without("event_id"), "chio-event-malformed", true),
        (with("agent_id", json!(1)), "chio-event-malformed", true),
        (with("timestamp", json!(-1)), "chio-event-malformed", true),
        (with("timestamp", json!("now")), "chio-event-malformed", true),
        (with("session_id", json!([])), "chio-event-malformed", true),
    ];
    for (bad, code, shown) in cases {
        let bytes = sse(&[good.clone(), bad.clone(), good.clone()]);
        let mut tolerant = played(agent(false), [&bytes[..]]);
        assert_eq!(tolerant.warnings, [code], "{bad}");
        let texts: String = tolerant.snapshot()["messages"]
            .as_array()
            .unwrap()
            .iter()
            .skip(1)
            .map(|m| m["content"].as_str().unwrap())
            .collect();
        assert_eq!(texts.contains("odd"), shown, "{bad}");
        assert_eq!(texts.matches("shown").count(), 2, "{bad}");
        assert_eq!(tolerant.snapshot()["outcome"], "success", "{bad}");
        let mut strict = played(agent(true), [&bytes[..]]);
        let snapshot = strict.snapshot();
        assert_eq!(
            (&snapshot["error"]["kind"], &snapshot["error"]["code"]),
            (&json!("protocol"), &json!(code)),
            "{bad}"
        );
        assert_eq!(snapshot["messages"][1]["content"], "shown", "what was shown stays: {bad}");
    }
}

#[test]
fn hostile_depth_and_size() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let event = format!(
        r#"{{"event_id":"e","timestamp":1,"agent_id":"a","event_type":"text_stream","classification":"display","payload":{deep}}}"#
    );
    let body = format!("data: {event}\n\n");
    let mut agent = played(agent(false), [body.as_bytes()]);
    assert_eq!(agent.warnings, ["chio-frame-unknown"]);
    let options = Options { max_frame_bytes: 1000, ..Options::default() };
    let agent_of = Agent::speaking("chio", json!({}), options);
    let long = text_event("e", Value::Null, &"x".repeat(2000));
    let mut limited = played(agent_of, [&sse(&[text_event("1", Value::Null, "kept"), long])[..]]);
    assert_eq!(limited.snapshot()["error"]["code"], "frame-too-long");
    assert_eq!(limited.snapshot()["messages"][1]["content"], "kept");
    agent.snapshot();
}

/// Bytes of the fixtures, damaged by chance: nothing panics, and a run always comes to an end.
#[test]
fn damaged_streams() {
    let name = "chio/01-sse-default-config";
    let mut all = lines(&format!("{name}.all-events.jsonl"));
    all.extend(lines(&format!("{name}.receipts.jsonl")));
    let body = sse(&all);
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % below
    };
    let policy = json!({"restricted_classifications": ["navigate"], "allow_display_without_capability": true,
        "compare_classification": true, "allow_components": ["chat-window", "modal"], "max_events_per_second": 5});
    for _ in 0..2000 {
        let mut bytes = body.clone();
        for _ in 0..=random(6) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] = random(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b"{}[]\",:\\0"[random(9)]),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let strict = random(2) == 0;
        let mut plain = played(agent(strict), [&bytes[..]]);
        assert!(!plain.snapshot()["isLoading"].as_bool().unwrap());
        let options = Options { strict, ..Options::default() };
        let mut guarded = played(Agent::guarded(Some("chio"), policy.clone(), options), [&bytes[..]]);
        assert!(!guarded.snapshot()["isLoading"].as_bool().unwrap());
    }
}

#[test]
fn classification_vectors() {
    for vector in json_fixture("chio/classification-vectors.json").as_array().unwrap() {
        let found = answer("classify", vector);
        assert_eq!(found.get("classification").unwrap_or(&Value::Null), &vector["derived"], "{vector}");
        assert_eq!(found.get("error").unwrap_or(&Value::Null), &vector["error"], "{vector}");
    }
}

#[test]
fn payload_vectors() {
    for vector in json_fixture("chio/payload-hash-vectors.json").as_array().unwrap() {
        let canonical = ask("canonical", vector["payload_json"].as_str().unwrap(), read).unwrap();
        let canonical: String = serde_json::from_str(&canonical).unwrap();
        assert_eq!(canonical, vector["canonical"].as_str().unwrap());
        let hex: String = canonical.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, vector["canonical_utf8_hex"].as_str().unwrap());
    }
}

#[test]
fn decisions_signed_bytes_and_payloads() {
    for name in ["01-sse", "03-websocket"] {
        let name = format!("chio/{name}-default-config");
        let expected = json_fixture(&format!("{name}.expected.json"));
        let events = lines(&format!("{name}.all-events.jsonl"));
        for (event, expected) in events.iter().zip(expected["perEvent"].as_array().unwrap()) {
            let config = &json_fixture(&format!("{name}.expected.json"))["config"];
            let question =
                json!({"config": config, "event": event, "token": expected["capability"], "now": expected["nowUnix"]});
            let found = answer("decide", &question);
            let wanted = &expected["decisionFirstGeneration"];
            assert_eq!(found["allowed"], wanted["allowed"], "{event}");
            assert_eq!(found.get("denial_reason").unwrap_or(&Value::Null), &wanted["denial_reason"], "{event}");

            let compared = answer("compare", event);
            assert_eq!(compared.get("derived").unwrap_or(&Value::Null), &expected["derivedClassification"]);
            if !expected["classificationMatches"].is_null() {
                assert_eq!(compared["matches"], expected["classificationMatches"]);
            }
            if !expected["derivationError"].is_null() {
                assert_eq!(compared["error"], expected["derivationError"]);
            }

            let report = answer("receipt", &json!({"receipt": expected["receipt"], "event": event, "pinned": []}));
            assert_eq!(report["bodies"][0], expected["signedBytesUtf8"]);
            assert_eq!(report["payload"], expected["payloadCanonical"]);
            assert_eq!(report["mismatches"], json!([]));
            assert_eq!(report["pinned"], false);
        }
    }
}

#[test]
fn receipts_that_are_read_and_refused() {
    let vectors = json_fixture("chio/receipt-verification-vectors.json");
    let vectors = vectors.as_array().unwrap();
    let question = |receipt: &Value| json!({"receipt": receipt}).to_string();
    let untouched = answer("receipt", &json!({"receipt": vectors[0]["receipt"]}));
    for vector in vectors {
        let read = ask("receipt", &question(&vector["receipt"]), read);
        let read: Value = serde_json::from_str(&read.unwrap()).unwrap();
        // The signed bytes and the key are those of the untouched one: so the signature verifies.
        let same = ["key", "signature"].iter().all(|name| read[name] == untouched[name]);
        let same = same && read["bodies"][0] == untouched["bodies"][0];
        assert_eq!(same, vector["valid"], "{}", vector["name"]);
    }
    let mut other = vectors[0]["receipt"].clone();
    other["kernel_key"] = json!("rsa:00");
    assert!(ask("receipt", &question(&other), read).unwrap_err().contains("kernel_key"));
    let event = lines("chio/03-websocket-default-config.all-events.jsonl")[2].clone();
    let mismatches = |member: &str, value: Value| {
        let mut other = event.clone();
        other[member] = value;
        answer("receipt", &json!({"receipt": vectors[0]["receipt"], "event": other}))["mismatches"].clone()
    };
    assert_eq!(mismatches("payload", json!(1)), json!([]), "the payload is compared by its hash");
    assert_eq!(mismatches("event_id", json!("other")), json!(["event_id"]));
    assert_eq!(mismatches("session_id", json!(null)), json!(["session_id"]));
    assert_eq!(mismatches("target", json!({"component_type": "modal"})), json!(["target"]));
    assert_eq!(mismatches("timestamp", json!(1)), json!(["timestamp"]));
    let mut other = vectors[0]["receipt"].clone();
    other["id"] = json!("evt_01HZ8A3");
    assert_eq!(answer("receipt", &json!({"receipt": other}))["mismatches"], json!(["id"]));
}

#[test]
fn capabilities() {
    let vectors = json_fixture("chio/capability-binding-vectors.json");
    for vector in vectors["vectors"].as_array().or(vectors["cases"].as_array()).unwrap() {
        let question = json!({"token": vector["token"], "now": vector["now"], "trusted": vector["trusted_issuers"], "event": vector["event"]});
        let found = answer("capability", &question);
        let reasons: String =
            found["reasons"].as_object().unwrap().values().map(|text| text.as_str().unwrap()).collect();
        let wanted = &vector["expected"];
        match wanted["reason_contains"].as_str() {
            // The page finds that out.
            Some("signature did not verify") | None => assert_eq!(reasons, "", "{}", vector["name"]),
            Some(part) => assert!(reasons.contains(part), "{}: {reasons}", vector["name"]),
        }
    }
}

/// However short or long what comes of the answer is, the thread has it in one message.
#[test]
fn an_answer_goes_on_after_a_pause() {
    let text = |text: &str| {
        let target = json!({"component_type": "chat-window"});
        json!({"event_id": "e", "timestamp": 1, "agent_id": "a", "event_type": "text_stream", "target": target, "classification": "display", "payload": {"text": text}})
    };
    let mut agent = Agent::speaking("chio", json!({}), Options::default());
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    agent.event(request, text("One"));
    agent.end(request);
    for (how, more) in [("continues", " and two"), ("begins", "Three")] {
        agent.submit_json(json!({"runId": how, "messages": [], "unasked": how}));
        let (request, body) = agent.requests.last().unwrap().clone();
        assert_eq!(body, Value::Null, "nothing is sent");
        agent.head(request, 200, "text/event-stream");
        agent.event(request, text(more));
        agent.end(request);
    }
    let said: Vec<_> = agent.snapshot()["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(said, ["go", "One and two", "Three"]);
    assert_eq!(agent.snapshot()["status"], "idle");
}
