//! A server that sends the run again from its beginning.

use super::*;
use crate::support::SessionCalls;

#[test]
fn a_replay_begins_anew() {
    let mut agent = strict(resume("replay"));
    agent.act(|session, _| session.set_state(r#"{"list":[0]}"#).unwrap());
    let push = event!("STATE_DELTA", "delta": [{"op": "add", "path": "/list/-", "value": 1}]);
    let custom = |n: u8| event!("CUSTOM", "name": "n", "value": n);
    let [start, hello] = text("m", "Hello");
    let all = [started("r"), custom(1), push, start, hello, custom(2), ended("m"), finished("r")];
    let mut request = agent.submit("go");
    for length in [5, 3, 6, all.len()] {
        agent.head(request, 200, SSE);
        agent.events(request, &all[..length]);
        agent.end(request);
        if length < all.len() {
            assert_eq!(agent.snapshot()["status"], "running");
            request = agent.wait();
        }
    }
    ends_well(&mut agent, &["Hello"]);
    assert_eq!(agent.snapshot()["state"], json!({"list": [0, 1]}));
    assert_eq!(agent.snapshot()["messages"][0]["role"], "user");
    assert_eq!(agent.custom, [("n".into(), json!(1)), ("n".into(), json!(2))], "told once");
}

/// Some servers give the results of parallel calls one id.
#[test]
fn a_replay_leaves_results_that_have_one_id_as_they_are() {
    for reloads in [false, true] {
        let mut agent = strict(resume("replay"));
        let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let result =
            |call: &str, content: &str| json!({"id": "t", "role": "tool", "toolCallId": call, "content": content});
        let calls = json!({"id": "m", "role": "assistant", "toolCalls": [call("a"), call("b")]});
        let messages = json!([calls, result("a", "long"), result("b", "no")]);
        agent.act(|session, _| session.set_messages(&messages.to_string()).unwrap());
        let mut request = agent.submit("go");
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r")]);
        if reloads {
            let save = agent.session.save();
            agent = strict(resume("replay"));
            agent.act(|session, now| session.restore(&save, now).unwrap());
            agent.act(|session, now| assert!(session.attach("{}", now).is_ok()));
            request = agent.requests.last().unwrap().0;
        } else {
            agent.cut(request);
            request = agent.wait();
        }
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r"), finished("r")]);
        let contents: Vec<Value> =
            agent.snapshot()["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect();
        assert_eq!(contents[1..], ["long", "no", "go"], "{reloads}");
    }
}

/// The page executes a tool while the run streams; the connection is lost and the run told from its beginning.
#[test]
fn a_replay_keeps_what_the_page_has_answered() {
    for settled in ["before", "during", "after"] {
        let mut agent = strict(resume("replay"));
        let first = json!({"runId": "r", "messages": [user("u", "go")], "pageTools": [{"name": "f"}]});
        agent.submit_json(first);
        let call = [
            event!("TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"),
            event!("TOOL_CALL_ARGS", "toolCallId": "c", "delta": "{}"),
            event!("TOOL_CALL_END", "toolCallId": "c"),
        ];
        agent.head(1, 200, SSE);
        agent.events(1, &[started("r")]);
        agent.events(1, &call);
        let settle = |agent: &mut Agent, when: &str| {
            if when == settled {
                let answer = json!({"toolCallId": "c", "result": "done"}).to_string();
                agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true), "{when}"));
            }
        };
        settle(&mut agent, "before");
        agent.end(1);
        let request = agent.wait();
        agent.head(request, 200, SSE);
        agent.events(request, &[started("r")]);
        settle(&mut agent, "during");
        agent.events(request, &call);
        let phase = if settled == "after" { "executing" } else { "output-available" };
        assert_eq!(agent.snapshot()["toolCalls"][0]["phase"], phase, "{settled}");
        agent.events(request, &[finished("r")]);
        settle(&mut agent, "after");
        agent.end(request);
        assert_eq!(agent.executed.len(), 1, "once");
        assert_eq!(agent.targets[2], (Target::Run, "r-1".into(), None));
        let messages = agent.sent()["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "tool"], "{settled}");
        assert_eq!(messages[2]["content"], "done");
        agent.head(3, 200, SSE);
        agent.events(3, &[started("r-1"), finished("r-1")]);
        agent.end(3);
        ends_well(&mut agent, &[]);
    }
}

#[test]
fn a_replay_keeps_what_the_application_has_changed() {
    let mut agent = strict(resume("replay"));
    agent.submit_json(json!({"runId": "q", "messages": [user("u", "go")]}));
    let open = event!("TOOL_CALL_START", "toolCallId": "old", "toolCallName": "f");
    let old = [started("q"), open, event!("TOOL_CALL_END", "toolCallId": "old"), finished("q")];
    agent.head(1, 200, SSE);
    agent.events(1, &old);
    agent.end(1);
    agent.submit_json(json!({"runId": "r", "messages": [user("v", "and now")]}));
    let [start, hello] = text("m", "Hello");
    let state = event!("STATE_SNAPSHOT", "snapshot": {"theirs": 1});
    let all = [started("r"), state, start, hello, ended("m"), finished("r")];
    agent.head(2, 200, SSE);
    agent.events(2, &all[..4]);
    let mut messages = agent.snapshot()["messages"].as_array().unwrap().clone();
    messages.push(user("mine", "a note"));
    agent.act(|session, _| session.set_messages(&json!(messages).to_string()).unwrap());
    agent.act(|session, _| session.set_state(r#"{"theirs":1,"mine":2}"#).unwrap());
    let answer = json!({"toolCallId": "old", "result": "late"}).to_string();
    agent.act(|session, now| assert_eq!(session.settle_call(&answer, now), Ok(true)));
    agent.cut(2);
    let request = agent.wait();
    agent.head(request, 200, SSE);
    agent.events(request, &all);
    agent.end(request);
    let snapshot = agent.snapshot();
    let ids: Vec<&str> = snapshot["messages"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["u", "old", "old-result", "v", "mine", "m"]);
    assert_eq!(snapshot["state"], json!({"theirs": 1, "mine": 2}));
    assert_eq!(snapshot["toolCalls"][0]["result"], "late");
}
