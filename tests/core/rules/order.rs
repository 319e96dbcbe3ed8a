//! The rules of order, one by one: strict rules end the run and name the rule, tolerant ones repair and warn.

use crate::support::Agent;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

/// An event in a short form: `TYPE key=value …`. `id` is the id of what it is about, `by` its subagent.
fn event(line: &str) -> Value {
    let mut words = line.split(' ');
    let name = words.next().unwrap();
    let mut event = json!({"type": name});
    let id = match name {
        name if name.starts_with("TOOL_CALL") => "toolCallId",
        name if name.starts_with("STEP") => "stepName",
        name if name.starts_with("SUBAGENT") => "subagentRunId",
        "REASONING_ENCRYPTED_VALUE" => "entityId",
        _ => "messageId",
    };
    for word in words {
        let (key, value) = word.split_once('=').unwrap();
        let key = match key {
            "id" => id,
            "by" => "subagentRunId",
            key => key,
        };
        event[key] = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    }
    let mut default = |key: &str, value: Value| {
        if event.get(key).is_none() {
            event[key] = value;
        }
    };
    match name {
        "RUN_STARTED" | "RUN_FINISHED" => {
            default("threadId", json!("t"));
            default("runId", json!("r"));
        }
        "RUN_ERROR" | "SUBAGENT_ERROR" => default("message", json!("boom")),
        "TOOL_CALL_START" => default("toolCallName", json!("f")),
        "TOOL_CALL_RESULT" => default("content", json!("done")),
        "REASONING_MESSAGE_START" => default("role", json!("reasoning")),
        "ACTIVITY_SNAPSHOT" => {
            default("activityType", json!("plan"));
            default("content", json!({}));
        }
        "ACTIVITY_DELTA" => {
            default("activityType", json!("plan"));
            default("patch", json!([{"op": "add", "path": "/a", "value": 1}]));
        }
        "SUBAGENT_STARTED" => default("name", json!("n")),
        "CUSTOM" => {
            default("name", json!("n"));
            default("value", json!(1));
        }
        name if name.ends_with("CONTENT") || name == "TOOL_CALL_ARGS" => default("delta", json!("x")),
        "REASONING_ENCRYPTED_VALUE" => {
            default("subtype", json!("message"));
            default("encryptedValue", json!("e"));
        }
        _ => {}
    }
    event
}

/// Every rule with the events that break it with their last one, and the code of the warning.
const BROKEN: &[(&str, &str, &str)] = &[
    ("V1", "event-after-end", "RUN_STARTED, RUN_ERROR, RUN_FINISHED"),
    ("V1", "event-after-end", "RUN_STARTED, RUN_ERROR, RUN_ERROR"),
    ("V1", "event-after-end", "RUN_STARTED, RUN_ERROR, CUSTOM"),
    ("V2", "event-after-end", "RUN_STARTED, RUN_FINISHED, CUSTOM"),
    ("V2", "event-after-end", "RUN_STARTED, RUN_FINISHED, RUN_FINISHED"),
    ("V3", "run-not-started", "MESSAGES_SNAPSHOT messages=[]"),
    ("V3", "run-not-started", "RUN_FINISHED"),
    ("V4", "run-not-finished", "RUN_STARTED, RUN_STARTED"),
    ("V9", "already-open", "RUN_STARTED, TEXT_MESSAGE_START id=m, TEXT_MESSAGE_START id=m"),
    (
        "V10",
        "owner-conflict",
        "RUN_STARTED, TEXT_MESSAGE_START id=m by=a, TEXT_MESSAGE_END id=m, TEXT_MESSAGE_START id=m by=b",
    ),
    (
        "V10",
        "owner-conflict",
        "RUN_STARTED, TEXT_MESSAGE_START id=m, TEXT_MESSAGE_END id=m, TEXT_MESSAGE_START id=m by=b",
    ),
    ("V11", "not-open", "RUN_STARTED, TEXT_MESSAGE_CONTENT id=m"),
    ("V11", "not-open", "RUN_STARTED, TEXT_MESSAGE_CHUNK id=m delta=a, TEXT_MESSAGE_CONTENT id=m"),
    ("V12", "not-open", "RUN_STARTED, TEXT_MESSAGE_END id=m"),
    ("V13", "owner-conflict", "RUN_STARTED, TEXT_MESSAGE_START id=m, TEXT_MESSAGE_CONTENT id=m by=a"),
    ("V13", "owner-conflict", "RUN_STARTED, TEXT_MESSAGE_START id=m by=b, TEXT_MESSAGE_END id=m by=a"),
    ("V14", "already-open", "RUN_STARTED, TOOL_CALL_START id=c, TOOL_CALL_START id=c"),
    ("V15", "owner-conflict", "RUN_STARTED, TEXT_MESSAGE_START id=m by=a, TOOL_CALL_START id=c parentMessageId=m by=b"),
    ("V16", "owner-conflict", "RUN_STARTED, TOOL_CALL_START id=c by=a, TOOL_CALL_END id=c, TOOL_CALL_START id=c by=b"),
    (
        "V17",
        "owner-conflict",
        "RUN_STARTED, TEXT_MESSAGE_START id=m by=a, TEXT_MESSAGE_START id=n by=b, TOOL_CALL_START id=c parentMessageId=m, \
         TOOL_CALL_END id=c, TOOL_CALL_START id=c parentMessageId=n",
    ),
    ("V18", "not-open", "RUN_STARTED, TOOL_CALL_ARGS id=c"),
    ("V18", "not-open", "RUN_STARTED, TOOL_CALL_START id=c, TOOL_CALL_END id=c, TOOL_CALL_ARGS id=c"),
    ("V18", "not-open", "RUN_STARTED, TOOL_CALL_END id=c"),
    ("V19", "owner-conflict", "RUN_STARTED, TOOL_CALL_START id=c, TOOL_CALL_ARGS id=c by=a"),
    ("V19", "owner-conflict", "RUN_STARTED, TOOL_CALL_START id=c by=b, TOOL_CALL_END id=c by=a"),
    ("V21", "already-open", "RUN_STARTED, STEP_STARTED id=s, STEP_STARTED id=s"),
    ("V22", "not-open", "RUN_STARTED, STEP_FINISHED id=s"),
    ("V22", "not-open", "RUN_STARTED, STEP_STARTED id=s, STEP_FINISHED id=s by=a"),
    ("V24", "already-open", "RUN_STARTED, REASONING_START id=s, REASONING_START id=s"),
    ("V24", "already-open", "RUN_STARTED, REASONING_MESSAGE_START id=s, REASONING_MESSAGE_START id=s"),
    ("V25", "owner-conflict", "RUN_STARTED, REASONING_START id=s by=a, REASONING_MESSAGE_START id=s by=b"),
    ("V26", "not-open", "RUN_STARTED, REASONING_START id=s, REASONING_MESSAGE_CONTENT id=s"),
    ("V26", "not-open", "RUN_STARTED, REASONING_MESSAGE_END id=s"),
    ("V26", "not-open", "RUN_STARTED, REASONING_END id=s"),
    ("V27", "owner-conflict", "RUN_STARTED, REASONING_START id=s by=a, REASONING_END id=s by=b"),
    ("V27", "owner-conflict", "RUN_STARTED, REASONING_MESSAGE_START id=s by=a, REASONING_MESSAGE_CONTENT id=s by=b"),
    (
        "V28",
        "owner-conflict",
        "RUN_STARTED, TOOL_CALL_START id=c by=a, TOOL_CALL_END id=c, REASONING_ENCRYPTED_VALUE id=c subtype=tool-call by=b",
    ),
    ("V28", "owner-conflict", "RUN_STARTED, REASONING_MESSAGE_START id=m by=a, REASONING_ENCRYPTED_VALUE id=m by=b"),
    ("V30", "owner-conflict", "RUN_STARTED, ACTIVITY_SNAPSHOT id=p by=a, ACTIVITY_DELTA id=p by=b"),
    (
        "V30",
        "owner-conflict",
        "RUN_STARTED, ACTIVITY_SNAPSHOT id=p by=a, ACTIVITY_SNAPSHOT id=p by=b replace=false, ACTIVITY_DELTA id=p by=b",
    ),
    ("V31", "already-open", "RUN_STARTED, SUBAGENT_STARTED id=a, SUBAGENT_STARTED id=a"),
    ("V32", "subagent-reused", "RUN_STARTED, SUBAGENT_STARTED id=a, SUBAGENT_FINISHED id=a, SUBAGENT_STARTED id=a"),
    ("V33", "subagent-parent-unknown", "RUN_STARTED, SUBAGENT_STARTED id=a parentSubagentRunId=b"),
    ("V33", "subagent-parent-unknown", "RUN_STARTED, SUBAGENT_STARTED id=a parentSubagentRunId=a"),
    ("V34", "not-open", "RUN_STARTED, SUBAGENT_FINISHED id=a"),
    ("V34", "not-open", "RUN_STARTED, SUBAGENT_STARTED id=a, SUBAGENT_ERROR id=a, SUBAGENT_ERROR id=a"),
    (
        "V10",
        "owner-conflict",
        r#"RUN_STARTED, MESSAGES_SNAPSHOT messages=[{"id":"m";"role":"assistant";"subagentRunId":"a"}], TEXT_MESSAGE_START id=m by=b"#,
    ),
    (
        "V16",
        "owner-conflict",
        r#"RUN_STARTED input={"threadId":"t";"runId":"r";"messages":[{"id":"m";"role":"assistant";"toolCalls":[{"id":"c";"type":"function";"function":{"name":"f";"arguments":""}}]}]}, TOOL_CALL_START id=c by=b"#,
    ),
    ("V38", "left-open", "RUN_STARTED, TEXT_MESSAGE_START id=m, RUN_FINISHED"),
    ("V38", "left-open", "RUN_STARTED, SUBAGENT_STARTED id=a, RUN_FINISHED"),
    ("V38", "left-open", "RUN_STARTED, REASONING_START id=a, RUN_FINISHED"),
    ("V38", "left-open", "RUN_STARTED, REASONING_MESSAGE_START id=a, RUN_FINISHED"),
    ("V38", "left-open", "RUN_STARTED, TOOL_CALL_START id=a, RUN_FINISHED"),
    ("V38", "left-open", "RUN_STARTED, STEP_STARTED id=a, RUN_FINISHED"),
];

/// Legal streams that look as if they were not.
const LEGAL: &[&str] = &[
    "RUN_ERROR",
    "RUN_STARTED, RUN_ERROR, RUN_STARTED, RUN_FINISHED",
    "RUN_STARTED, RUN_FINISHED, RUN_ERROR",
    "RUN_STARTED, TEXT_MESSAGE_START id=m, STEP_STARTED id=s, SUBAGENT_STARTED id=a, RUN_ERROR",
    "RUN_STARTED, TEXT_MESSAGE_START id=m, TEXT_MESSAGE_END id=m, TEXT_MESSAGE_START id=m, TEXT_MESSAGE_CONTENT id=m",
    "RUN_STARTED, TEXT_MESSAGE_START id=m by=a, TEXT_MESSAGE_END id=m, TEXT_MESSAGE_START id=m, TEXT_MESSAGE_END id=m by=a, \
     TEXT_MESSAGE_START id=m by=a",
    "RUN_STARTED, TEXT_MESSAGE_START id=m by=a, TOOL_CALL_START id=c parentMessageId=m, TOOL_CALL_ARGS id=c by=a",
    "RUN_STARTED, TOOL_CALL_START id=c by=a parentMessageId=unknown",
    "RUN_STARTED, TOOL_CALL_RESULT id=c messageId=r by=a, TOOL_CALL_RESULT id=c messageId=r",
    "RUN_STARTED, STEP_STARTED id=s, STEP_STARTED id=s by=a, STEP_FINISHED id=s by=a",
    "RUN_STARTED, REASONING_START id=m, REASONING_MESSAGE_START id=m, TEXT_MESSAGE_START id=m, TOOL_CALL_START id=m",
    "RUN_STARTED, REASONING_MESSAGE_START id=m",
    "RUN_STARTED, ACTIVITY_SNAPSHOT id=p by=a, ACTIVITY_SNAPSHOT id=p by=b, ACTIVITY_DELTA id=p by=b",
    "RUN_STARTED, SUBAGENT_STARTED id=a, SUBAGENT_FINISHED id=a, SUBAGENT_STARTED id=b parentSubagentRunId=a",
    "RUN_STARTED, SUBAGENT_STARTED id=a, RUN_ERROR, RUN_STARTED, SUBAGENT_STARTED id=a",
    "RUN_STARTED, TEXT_MESSAGE_START id=m by=nobody",
    "RUN_STARTED, REASONING_ENCRYPTED_VALUE id=nothing by=a",
    "RUN_STARTED, RUN_FINISHED runId=other",
];

/// Commas part the events, so those inside JSON are written as semicolons.
fn lines(text: &str) -> Vec<String> {
    text.split(", ").map(|line| line.trim().replace(';', ",")).collect()
}

fn play(strict: bool, text: &str) -> (Agent, Value) {
    let mut agent = Agent::new(Options { strict, ..Options::default() });
    let request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    for line in lines(text) {
        agent.event(request, event(&line));
    }
    let snapshot = agent.snapshot().clone();
    (agent, snapshot)
}

#[test]
fn strict_rules_fail_at_the_event_that_breaks_the_order() {
    for (rule, code, text) in BROKEN {
        let (_, snapshot) = play(true, text);
        let error = &snapshot["error"];
        let last = lines(text).last().unwrap().split(' ').next().unwrap().to_owned();
        assert_eq!(error["kind"], "protocol", "{text}: {snapshot}");
        assert_eq!((&error["rule"], &error["code"]), (&json!(rule), &json!(code)), "{text}");
        assert_eq!(error["eventType"], json!(last), "{text}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&last) && message.contains("expected"), "{message}");
        let before = text.rsplit_once(", ").map_or("RUN_STARTED", |(before, _)| before);
        let (_, snapshot) = play(true, before);
        assert!(snapshot.get("error").is_none_or(|error| error["kind"] == "run"), "{before}: {snapshot}");
    }
}

#[test]
fn tolerant_rules_warn_and_go_on() {
    for (rule, code, text) in BROKEN {
        let (agent, snapshot) = play(false, text);
        assert!(snapshot.get("error").is_none_or(|error| error["kind"] == "run"), "{text}: {snapshot}");
        assert!(agent.warnings.iter().any(|warning| warning == code), "{rule} {text}: {:?}", agent.warnings);
        assert!(agent.warning_rules.iter().any(|warned| warned.as_deref() == Some(*rule)), "{text}");
    }
}

#[test]
fn what_is_legal_passes_without_a_word() {
    for text in LEGAL {
        let (agent, snapshot) = play(true, text);
        assert!(snapshot.get("error").is_none_or(|error| error["kind"] == "run"), "{text}: {snapshot}");
        assert!(agent.warnings.iter().all(|code| code == "run-mismatch"), "{text}: {:?}", agent.warnings);
    }
}

/// The repairs: what the user sees after the event that broke a rule.
#[test]
fn tolerant_rules_lose_nothing() {
    let check = |text: &str, pointer: &str, expected: Value| {
        let (_, snapshot) = play(false, text);
        assert_eq!(snapshot.pointer(pointer), Some(&expected), "{text}: {snapshot}");
    };
    let opened = "RUN_STARTED, TEXT_MESSAGE_START id=m, TEXT_MESSAGE_CONTENT id=m delta=a";
    check(
        &format!("{opened}, TEXT_MESSAGE_END id=m, RUN_ERROR, TEXT_MESSAGE_CONTENT id=m delta=b"),
        "/messages/1/content",
        json!("ab"),
    );
    check(&format!("{opened}, RUN_FINISHED, TEXT_MESSAGE_CONTENT id=m delta=b"), "/messages/1/content", json!("ab"));
    check("RUN_STARTED, RUN_ERROR message=first, RUN_ERROR message=second", "/error/message", json!("first"));
    check("RUN_STARTED, RUN_ERROR, RUN_FINISHED", "/outcome", json!("error"));
    check(
        "TEXT_MESSAGE_START id=m, TEXT_MESSAGE_CONTENT id=m delta=a, RUN_FINISHED",
        "/messages/1/content",
        json!("a"),
    );
    check(
        &format!("{opened}, RUN_STARTED runId=inner, TEXT_MESSAGE_CONTENT id=m delta=b"),
        "/messages/1/content",
        json!("ab"),
    );
    check(
        &format!("{opened}, TEXT_MESSAGE_START id=m role=user, TEXT_MESSAGE_CONTENT id=m delta=b"),
        "/messages/1/content",
        json!("ab"),
    );
    check(&format!("{opened}, TEXT_MESSAGE_CONTENT id=m delta=b by=a"), "/messages/1/content", json!("ab"));
    check(
        "RUN_STARTED, TEXT_MESSAGE_CONTENT id=m delta=a by=s",
        "/messages/1",
        json!({"id": "m", "role": "assistant", "content": "a", "subagentRunId": "s", "delivery": "streaming"}),
    );
    check("RUN_STARTED, REASONING_MESSAGE_CONTENT id=m delta=a", "/messages/1/content", json!("a"));
    check(
        "RUN_STARTED, TOOL_CALL_START id=c, TOOL_CALL_ARGS id=c delta=a, TOOL_CALL_END id=c, TOOL_CALL_ARGS id=c delta=b",
        "/toolCalls/0/argsText",
        json!("ab"),
    );
    check("RUN_STARTED, STEP_STARTED id=s, STEP_STARTED id=s", "/steps", json!([{"name": "s", "status": "running"}]));
    check(
        "RUN_STARTED, SUBAGENT_STARTED id=a, SUBAGENT_STARTED id=b parentSubagentRunId=a, SUBAGENT_STARTED id=a",
        "/subagents/0/children/0/subagentRunId",
        json!("b"),
    );
    check(&format!("{opened}, RUN_FINISHED"), "/messages/1/delivery", json!("complete"));
    check(&format!("{opened}, RUN_FINISHED"), "/outcome", json!("success"));
    check("RUN_STARTED, ACTIVITY_SNAPSHOT id=p by=a, ACTIVITY_DELTA id=p by=b", "/messages/1/content", json!({"a": 1}));
}

/// The members that a chunk leaves out are looked up for each, so their length has a limit.
#[test]
fn a_chunk_names_an_id_that_is_long() {
    for (length, text) in [(4000, "ab"), (4100, "a")] {
        for (id, by) in [(length, 1), (1, length)] {
            let (id, by) = ("m".repeat(id), "s".repeat(by));
            let (mut agent, request) = Agent::started();
            agent.event(request, event(&format!("TEXT_MESSAGE_CHUNK id={id} by={by} delta=a")));
            agent.event(request, event("TEXT_MESSAGE_CHUNK delta=b"));
            assert_eq!(agent.snapshot()["messages"][1]["content"], text, "{length}");
            assert_eq!(agent.warnings.contains(&"chunk-without-id".to_owned()), text == "a", "{:?}", agent.warnings);
            // A stream that names them continues.
            agent.event(request, event(&format!("TEXT_MESSAGE_CHUNK id={id} by={by} delta=c")));
            assert_eq!(agent.snapshot()["messages"][1]["content"], format!("{text}c"));
        }
    }
}
