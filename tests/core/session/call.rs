//! The methods by their names, as the border calls them.

use crate::support::Agent;
use crate::support::runs::{finished, started, text, user};
use ag_ui_wasm::session::{Misuse, Options, Reply};
use serde_json::{Value, json};

fn call(agent: &mut Agent, method: &str, json: Value) -> Result<Reply, Misuse> {
    let text = if json.is_null() { String::new() } else { json.to_string() };
    let mut reply = None;
    agent.act(|session, now| reply = Some(session.call(method, &text, now)));
    reply.unwrap()
}

fn answered() -> Agent {
    let mut agent = Agent::new(Options::default());
    let [start, content] = text("m", "an answer");
    agent.run(&[started("r"), start, content, event!("TEXT_MESSAGE_END", "messageId": "m"), finished("r")]);
    agent
}

#[test]
fn what_a_method_takes_and_returns() {
    let mut agent = answered();
    let one = json!({"runId": "a", "messages": [user("u1", "one")]});
    assert_eq!(call(&mut agent, "submit", one), Ok(Reply::Nothing));
    let two = json!({"runId": "b", "messages": [user("u2", "two")]});
    assert_eq!(call(&mut agent, "submit", two), Ok(Reply::Nothing));
    let edited = |run_id: &str| json!({"runId": run_id, "messages": [user("u2", "zwei")]});
    assert_eq!(call(&mut agent, "editQueued", edited("b")), Ok(Reply::Taken(true)));
    assert_eq!(call(&mut agent, "editQueued", edited("a")), Ok(Reply::Taken(false)), "it has begun");
    assert_eq!(call(&mut agent, "editQueued", edited("none")), Ok(Reply::Taken(false)));
    assert_eq!(agent.snapshot()["queue"][0]["messages"][0]["content"], "zwei");
    agent.act(|session, now| assert_eq!(session.call("cancel", "none", now), Ok(Reply::Nothing)));
    assert_eq!(agent.snapshot()["queue"][0]["id"], "b");
    agent.act(|session, now| assert_eq!(session.call("cancel", "b", now), Ok(Reply::Nothing)));
    assert_eq!(agent.snapshot()["queue"], json!([]));
    assert_eq!(call(&mut agent, "stop", Value::Null), Ok(Reply::Nothing));
    let Ok(Reply::Json(save)) = call(&mut agent, "save", Value::Null) else { panic!("no save") };
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), 3);

    let start = json!({"messages": [user("n", "anew")], "state": {"n": 1}});
    assert_eq!(call(&mut agent, "reset", start), Ok(Reply::Nothing));
    assert_eq!(agent.snapshot()["messages"][0]["content"], "anew");
    assert_eq!(agent.snapshot()["state"], json!({"n": 1}));
    assert_eq!(call(&mut agent, "fork", serde_json::from_str(&save).unwrap()), Ok(Reply::Nothing));
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), 3);
}

/// The names of the submits that have settled since the last call.
fn settled(agent: &mut Agent) -> Vec<String> {
    std::mem::take(&mut agent.names)
}

#[test]
fn a_submit_is_called_by_its_run_in_every_session() {
    let mut agent = answered();
    settled(&mut agent);
    for run_id in ["a", "b", "c", "d"] {
        let submit = json!({"runId": run_id, "messages": [user(run_id, run_id)]});
        assert_eq!(call(&mut agent, "submit", submit), Ok(Reply::Nothing));
    }
    let Ok(Reply::Json(save)) = call(&mut agent, "save", Value::Null) else { panic!("no save") };

    let mut next = Agent::new(Options::default());
    next.act(|session, now| session.restore(&save, now).unwrap());
    let rows = |agent: &mut Agent| {
        let ids =
            agent.snapshot()["queue"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    assert_eq!(rows(&mut next), ["b", "c", "d"]);
    next.act(|session, now| assert_eq!(session.call("cancel", "c", now), Ok(Reply::Nothing)));
    assert_eq!(rows(&mut next), ["b", "d"]);
    assert_eq!(settled(&mut next), ["c"]);
}

#[test]
fn regenerate_says_which_message() {
    let mut agent = answered();
    let unknown = json!({"runId": "q", "of": "none"});
    assert_eq!(call(&mut agent, "regenerate", unknown), Err(Misuse::NothingToRegenerate));
    assert_eq!(call(&mut agent, "regenerate", json!({"runId": "q", "of": "m"})), Ok(Reply::Nothing));
    assert_eq!(agent.snapshot()["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn edits_say_before_and_after() {
    let mut agent = answered();
    let messages = json!({"before": [{"id": "u0", "role": "user"}, {"id": "m", "role": "assistant"}], "after": [1]});
    assert_eq!(call(&mut agent, "editMessages", messages), Ok(Reply::Nothing));
    assert_eq!(agent.snapshot()["messages"][0]["id"], "m");
    // The path of an edit does not count as depth of its values.
    let mut agent = Agent::new(Options { max_depth: 4, ..Options::default() });
    let deep = json!([[[[1]]]]);
    assert_eq!(call(&mut agent, "editState", json!({"before": {}, "after": deep})), Ok(Reply::Nothing));
    assert_eq!(agent.snapshot()["state"], deep);
    let deeper = json!({"before": deep, "after": [deep]});
    assert_eq!(call(&mut agent, "editState", deeper).unwrap_err().code(), "input");
}

#[test]
fn a_method_that_is_not_there_does_nothing() {
    let mut agent = answered();
    let before = agent.snapshot().clone();
    assert_eq!(call(&mut agent, "fly", json!({"to": "the moon"})), Ok(Reply::Nothing));
    assert_eq!(*agent.snapshot(), before);
}
