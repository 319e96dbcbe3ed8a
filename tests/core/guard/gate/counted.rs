//! Counts for the limits and the capabilities, and their times.

use super::*;

/// A call is executed at the time of its END, not at that of its START.
#[test]
fn a_token_that_expires_while_a_call_streams() {
    let token = json!({"id": "c", "issuer": "i", "subject": "s", "scope": {"grants": [{"server_id": "ag-ui"}]}, "issued_at": 0, "expires_at": 2, "signature": "x"});
    let policy = with(restricts(&["submit"]), "capabilities", json!([token]));
    for (later, executed) in [(500.0, 1), (5000.0, 0)] {
        let mut agent = Agent::guarded(None, policy.clone(), Options::default());
        let message = json!({"id": "u", "role": "user", "content": "go"});
        agent.submit_json(json!({"runId": "r", "messages": [message], "pageTools": [{"name": "ok"}]}));
        let request = agent.requests.last().unwrap().0;
        agent.head(request, 200, "text/event-stream");
        agent.event(request, started());
        let [start, args, end] = called("c", "ok").try_into().unwrap();
        agent.event(request, start);
        agent.event(request, args);
        agent.now += later;
        agent.event(request, end);
        assert_eq!(agent.executed.len(), executed);
    }
}

/// A replay tells a run again: what was shown is shown again, and no more than that for the limits.
#[test]
fn a_replay_is_counted_once() {
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "TOOL_CALL_START"}, "max_invocations": 2, "window_seconds": 60});
    let network = ag_ui_wasm::session::Network::read(r#"{"attempts":5,"by":"replay","seed":5}"#).unwrap();
    let options = Options { network, ..Options::default() };
    let mut agent = Agent::guarded(None, policy, options);
    let mut request = agent.submit("go");
    agent.head(request, 200, "text/event-stream");
    let tell = |agent: &mut Agent, request: u32, ids: &[&str]| {
        agent.event(request, started());
        for id in ids {
            called(id, "x").into_iter().for_each(|event| agent.event(request, event));
        }
    };
    tell(&mut agent, request, &["a", "b", "c"]);
    for ids in [&["a", "b", "c"][..], &["a", "b", "d", "e"]] {
        agent.end(request);
        agent.now = agent.wake.unwrap();
        agent.act(ag_ui_wasm::session::Session::tick);
        request = agent.requests.last().unwrap().0;
        agent.head(request, 200, "text/event-stream");
        tell(&mut agent, request, ids);
        let calls: Vec<_> =
            agent.snapshot()["toolCalls"].as_array().unwrap().iter().map(|call| call["id"].clone()).collect();
        assert_eq!(calls, ["a", "b"]);
    }
}

#[test]
fn a_list_counts_what_is_new_in_it() {
    let mut policy = open();
    policy["velocity"] =
        json!({"match": {"event_type": "TEXT_MESSAGE_START"}, "max_invocations": 2, "window_seconds": 60});
    let text = |id: &str, content: &str| json!({"id": id, "role": "assistant", "content": content});
    let user = json!({"id": "u", "role": "user", "content": "go"});
    let one = list(vec![user.clone(), text("a", "1"), text("b", "2")]);
    let two = list(vec![user, text("a", "1"), text("b", "two"), text("c", "3")]);
    let agent = &mut play(&policy, true, Framing::Sse, &[started(), one, two, finished()], 99);
    let contents: Vec<_> =
        agent.snapshot()["messages"].as_array().unwrap().iter().map(|m| m["content"].clone()).collect();
    assert_eq!(contents, ["go", "1", "two"]);
    let carriers: BTreeSet<_> = agent.decisions.iter().filter_map(|decision| decision["carrier"].as_str()).collect();
    assert_eq!(carriers, BTreeSet::from(["MESSAGES_SNAPSHOT"]));
}

/// A bound token is for the arguments of the call that it is for.
#[test]
fn bound_capabilities_reach_the_arguments_of_their_call() {
    let constraints = json!([
        {"type": "custom", "value": ["target_component_type", "tool"]},
        {"type": "custom", "value": ["target_component_id", "ok"]},
    ]);
    let grant =
        json!({"server_id": "ag-ui", "tool_name": "submit", "operations": ["invoke"], "constraints": constraints});
    let token = json!({"id": "c", "issuer": "i", "subject": "s", "scope": {"grants": [grant]}, "issued_at": 0, "expires_at": 9, "signature": "x"});
    let mut policy = restricts(&["submit"]);
    policy["bind_capability"] = json!(true);
    policy["capabilities"] = json!([token]);
    let events = [vec![started()], called("c", "ok"), called("d", MARK), vec![finished()]].concat();
    let mut agent = play(&policy, true, Framing::Sse, &events, 99);
    assert_eq!(agent.executed.len(), 1);
    assert!(!seen(&mut agent).contains(MARK));
}

/// A server may give a call a name of any length: the decision of the call has all of it, those of its arguments do not.
#[test]
fn a_long_name_is_reported_once() {
    let mut agent = Agent::guarded(None, open(), Options::default());
    let call = called("c", &"n".repeat(100_000));
    answered(
        &mut agent,
        "text/event-stream",
        Framing::Sse.body(&[&[started()], &*call, &[finished()]].concat()).as_bytes(),
        99,
    );
    let length = |name: &str| {
        let told = agent.decisions.iter().find(|told| told["eventType"] == name).unwrap();
        told["target"]["componentId"].as_str().unwrap().len()
    };
    assert_eq!(length("TOOL_CALL_START"), 100_000);
    assert!(length("TOOL_CALL_ARGS") < 2000);
}
