//! Policies and streams by chance: a legal stream stays legal, and a hostile one gets nothing through.

use super::*;
use crate::support::SessionCalls;

/// A stream that strict rules accept is accepted after any policy, and shows what the listeners were told.
#[test]
fn no_policy_breaks_a_legal_stream() {
    let (mut legal, mut cut) = (0, 0);
    for seed in 0..1500 {
        let events = Streams::new(seed).events();
        let body = Framing::Sse.body(&events);
        let strict = Options { strict: true, ..Options::default() };
        let mut plain = Agent::new(strict.clone());
        answered(&mut plain, "text/event-stream", body.as_bytes(), 99);
        if plain.snapshot()["error"]["kind"] == "protocol" {
            continue;
        }
        legal += 1;
        let mut random = Random::new(seed);
        let policy = any_policy(&mut random);
        let mut agent = Agent::guarded(None, policy.clone(), strict);
        answered(&mut agent, "text/event-stream", body.as_bytes(), 99);
        let error = &agent.snapshot()["error"];
        assert_ne!(error["kind"], "protocol", "seed {seed}: {policy} {error}");
        assert_eq!(agent.snapshot()["outcome"], plain.snapshot()["outcome"], "seed {seed}: {policy}");
        if agent.decisions.iter().any(|decision| decision["allowed"] == false) {
            cut += 1;
        }
        // An open policy changes nothing.
        let mut agent = Agent::guarded(None, open(), Options { strict: true, ..Options::default() });
        answered(&mut agent, "text/event-stream", body.as_bytes(), 99);
        assert_eq!(agent.snapshot(), plain.snapshot(), "seed {seed}");
        assert_eq!(agent.warnings, plain.warnings, "seed {seed}");
    }
    assert!(legal > 250 && cut > 150, "{legal} {cut}");
}

const CLASSES: [&str; 7] = ["display", "mutate", "navigate", "create", "destroy", "submit", "alert"];

fn any_policy(random: &mut Random) -> Value {
    let restricted: Vec<_> = CLASSES.iter().filter(|_| random.one_in(4)).collect();
    let mut policy =
        json!({"restricted_classifications": restricted, "allow_display_without_capability": !random.one_in(6)});
    if random.one_in(3) {
        policy["max_events_per_second"] = json!(random.below(20));
    }
    if random.one_in(3) {
        let names = ["TEXT_MESSAGE_START", "TOOL_CALL_START", "TOOL_CALL_ARGS", "SUBAGENT_STARTED", "STEP_STARTED"];
        let name = random.pick(&names);
        policy["velocity"] =
            json!({"match": {"event_type": name}, "max_invocations": random.below(3), "window_seconds": 60});
    }
    if random.one_in(2) {
        policy["allow_components"] = json!(["tool", "activity", "custom"]);
        policy["allow_ids"] = json!(["tool:ok", "activity:plan", "custom:ok"]);
    }
    policy
}

/// A server that wants something shown or executed: it uses few ids for everything, in any order.
struct Hostile {
    random: Random,
}

impl Hostile {
    fn id(&mut self) -> &'static str {
        self.random.pick(&["a", "b", "c", "u"])
    }

    fn tool(&mut self) -> &'static str {
        self.random.pick(&["ok", "bad-tool", "OK", "ok ", "asks"])
    }

    fn call(&mut self) -> Value {
        let (id, name) = (self.id(), self.tool());
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"a\":\"class-submit\"}"}})
    }

    fn message(&mut self) -> Value {
        let (id, call) = (self.id(), self.id());
        let mut message = match self.random.below(7) {
            0 => {
                json!({"id": id, "role": self.random.pick(&["user", "system", "developer"]), "content": "class-display"})
            }
            1 => json!({"id": id, "role": "reasoning", "content": "class-display"}),
            2 => json!({"id": id, "role": "tool", "toolCallId": call, "content": "class-display result-of"}),
            3 => {
                let kind = self.random.pick(&["plan", "bad-activity"]);
                json!({"id": id, "role": "activity", "activityType": kind, "content": {"a": "class-create"}})
            }
            4 => json!({"id": id, "role": "assistant", "content": "class-display", "reasoning": "class-display"}),
            5 => {
                json!({"id": id, "role": "assistant", "content": "class-display", "toolCalls": [self.call(), self.call()]})
            }
            _ => json!({"id": id, "role": "assistant", "toolCalls": [self.call()]}),
        };
        if self.random.one_in(4) {
            message["subagentRunId"] = json!(self.id());
        }
        message
    }

    fn messages(&mut self) -> Vec<Value> {
        (0..self.random.below(4)).map(|_| self.message()).collect()
    }

    fn event(&mut self) -> Value {
        let (id, call, name) = (self.id(), self.id(), self.tool());
        let kind = self.random.pick(&["plan", "bad-activity"]);
        let mut event = match self.random.below(34) {
            0 => event!("TEXT_MESSAGE_START", "messageId": id, "name": "class-display"),
            1 => event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": "class-display"),
            2 => event!("TEXT_MESSAGE_END", "messageId": id),
            3 => event!("TEXT_MESSAGE_CHUNK", "messageId": id, "delta": "class-display"),
            4 => event!("TEXT_MESSAGE_CHUNK", "delta": "class-display"),
            5 => event!("REASONING_MESSAGE_START", "messageId": id, "role": "reasoning"),
            6 => event!("REASONING_MESSAGE_CONTENT", "messageId": id, "delta": "class-display"),
            7 => event!("REASONING_MESSAGE_CHUNK", "messageId": id, "delta": "class-display"),
            8 => {
                event!("REASONING_ENCRYPTED_VALUE", "subtype": self.random.pick(&["message", "tool-call"]), "entityId": id, "encryptedValue": "class-display")
            }
            9..12 => event!("TOOL_CALL_START", "toolCallId": id, "toolCallName": name, "parentMessageId": call),
            12 => event!("TOOL_CALL_ARGS", "toolCallId": id, "delta": "{\"a\":\"class-submit\"}"),
            13 | 14 => event!("TOOL_CALL_END", "toolCallId": id),
            15 => {
                event!("TOOL_CALL_CHUNK", "toolCallId": id, "toolCallName": name, "delta": "{\"a\":\"class-submit\"}")
            }
            16 => event!("TOOL_CALL_CHUNK", "toolCallId": id, "delta": " "),
            17 => event!("TOOL_CALL_CHUNK", "delta": "\"class-submit\""),
            18 => event!("TOOL_CALL_RESULT", "messageId": id, "toolCallId": call, "content": "class-display"),
            19 => event!("STATE_SNAPSHOT", "snapshot": {"a": "class-mutate"}),
            20 => event!("STATE_DELTA", "delta": [{"op": "add", "path": "/a", "value": "class-mutate"}]),
            21..24 => event!("MESSAGES_SNAPSHOT", "messages": self.messages()),
            24 => {
                event!("ACTIVITY_SNAPSHOT", "messageId": id, "activityType": kind, "content": {"a": "class-create"}, "replace": self.random.one_in(2))
            }
            25 => {
                event!("ACTIVITY_DELTA", "messageId": id, "activityType": kind, "patch": [{"op": "add", "path": "/a", "value": "class-mutate"}])
            }
            26 => event!("CUSTOM", "name": self.random.pick(&["ok", "bad-custom"]), "value": "class-submit"),
            27 => {
                let inner = self.event();
                event!("RAW", "source": "ngaf", "event": inner)
            }
            28 => event!("STEP_STARTED", "stepName": format!("class-display {id}")),
            29 => event!("STEP_FINISHED", "stepName": format!("class-display {id}")),
            30 => event!("SUBAGENT_STARTED", "subagentRunId": id, "name": "class-display", "parentToolCallId": call),
            31 => event!("SUBAGENT_FINISHED", "subagentRunId": id, "result": "class-display"),
            32 => event!("THINKING_TEXT_MESSAGE_CONTENT", "delta": "class-display"),
            _ => self.finished(),
        };
        if event["type"].as_str().unwrap() != "RAW" && self.random.one_in(9) {
            let inner = self.event();
            event["rawEvent"] = if self.random.one_in(2) { inner } else { json!({"source": "ngaf", "event": inner}) };
        }
        if event.get("subagentRunId").is_none() && self.random.one_in(6) {
            event["subagentRunId"] = json!(self.id());
        }
        event
    }

    fn finished(&mut self) -> Value {
        let (id, call) = (self.id(), self.id());
        match self.random.below(5) {
            0 => event!("RUN_ERROR", "message": "class-display", "code": "class-display"),
            1 => with(finished(), "result", json!("class-display")),
            2 => interrupted(json!([{"id": id, "reason": "ask", "message": "class-display class-submit"}])),
            3 => interrupted(
                json!([{"id": id, "reason": "tool", "toolCallId": call, "message": "class-display class-submit"}]),
            ),
            _ => finished(),
        }
    }

    fn body(&mut self) -> Vec<Value> {
        let mut events = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            let mut begins = started();
            if self.random.one_in(3) {
                begins["input"] =
                    json!({"threadId": "t", "runId": "r", "messages": self.messages(), "tools": [], "context": []});
            }
            events.push(begins);
            for _ in 0..self.random.below(14) {
                events.push(self.event());
            }
            events.push(self.finished());
        }
        events
    }
}

/// Whatever a server sends, whatever is forbidden: it is neither shown, nor told, nor executed.
#[test]
fn a_hostile_server_gets_nothing_through() {
    let rounds = std::env::var("GATE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1000);
    let (mut forbidden, mut shown) = (0, 0);
    for seed in 0..rounds {
        let mut random = Random::new(seed);
        let policy = any_policy(&mut random);
        let strict = random.one_in(4);
        let mut agent = Agent::guarded(None, policy.clone(), Options { strict, ..Options::default() });
        let mut hostile = Hostile { random: Random::new(seed ^ 0x5EED) };
        for run in 0..1 + random.below(3) {
            let events = hostile.body();
            let framing = FRAMINGS[random.below(3)];
            let mut body = framing.body(&events);
            if random.one_in(3) {
                body.truncate(random.below(body.len()));
            }
            let open = agent.snapshot()["interrupts"].as_array().unwrap().clone();
            let resume: Vec<Value> =
                open.iter().map(|one| json!({"interruptId": one["id"], "status": "cancelled"})).collect();
            let tools: Vec<Value> = ["ok", "bad-tool", "OK", "ok "].iter().map(|name| json!({"name": name})).collect();
            let mut tools = json!(tools);
            tools.as_array_mut().unwrap().push(json!({"name": "asks", "needsApproval": true}));
            let message = json!({"id": format!("u{run}"), "role": "user", "content": "go"});
            let input = json!({"runId": format!("r{run}"), "messages": [message], "pageTools": tools, "maxFollowUps": 0,
                "resume": if resume.is_empty() { Value::Null } else { json!(resume) }});
            let accepted = agent.session.submit(&input.to_string(), agent.now);
            agent.act(|_, _| {});
            let request = agent.requests.last().map_or(0, |(request, _)| *request);
            if accepted.is_err() {
                break;
            }
            agent.head(request, 200, framing.content_type());
            for read in body.as_bytes().chunks(1 + random.below(200)) {
                agent.bytes(request, read);
                if random.one_in(3) {
                    for id in ["a", "b", "c"] {
                        agent.act(|session, now| drop(session.approve(&json!({"toolCallId": id}).to_string(), now)));
                    }
                }
            }
            agent.end(request);
            if random.one_in(3) {
                let save = agent.session.save();
                let mut restored = Agent::guarded(None, policy.clone(), Options { strict, ..Options::default() });
                restored.act(|session, now| drop(session.restore(&save, now)));
                std::mem::swap(&mut agent, &mut restored);
                check(&mut restored, &policy, seed, &mut forbidden, &mut shown);
            }
        }
        check(&mut agent, &policy, seed, &mut forbidden, &mut shown);
    }
    assert!(forbidden > rounds / 2 && shown > rounds / 4, "{forbidden} {shown}");
}

fn check(agent: &mut Agent, policy: &Value, seed: u64, forbidden: &mut u64, shown: &mut u64) {
    agent.snapshot();
    // A body that is no stream is a string, whatever it looks like.
    let errors = agent.settled.iter_mut().map(|(_, result)| &mut result["error"]);
    for error in errors.chain([&mut agent.mirror.0["error"]]).filter(|error| error["kind"] == "http") {
        error["body"] = Value::Null;
    }
    let seen = seen(agent);
    let mut never: Vec<String> = Vec::new();
    let free = policy["allow_display_without_capability"] == true;
    let restricted = policy["restricted_classifications"].as_array().unwrap();
    for class in CLASSES {
        if !free || restricted.contains(&json!(class)) {
            never.push(format!("class-{class}"));
        }
    }
    if policy.get("allow_ids").is_some() {
        never.extend(["bad-tool", "bad-activity", "bad-custom", "\"OK\"", "\"ok \"", "\"asks\""].map(Into::into));
    }
    // The page's own tools stand in what it sends.
    for mark in &never {
        assert!(!seen.contains(mark.as_str()), "seed {seed}: {mark} of {policy}\n{seen}");
    }
    let names: Vec<_> = agent.executed.iter().map(|(_, name, _)| name.as_str()).collect();
    if never.contains(&"class-submit".to_owned()) {
        assert!(names.is_empty(), "seed {seed}: {names:?}");
    }
    *forbidden += u64::from(!never.is_empty());
    *shown += u64::from(seen.contains("class-"));
}
