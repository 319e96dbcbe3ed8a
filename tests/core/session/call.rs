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
    assert_eq!(call(&mut agent, "submit", one), Ok(Reply::Ticket(2)));
    let two = json!({"runId": "b", "messages": [user("u2", "two")]});
    assert_eq!(call(&mut agent, "submit", two), Ok(Reply::Ticket(3)));
    let edited = |ticket: u32| json!({"ticket": ticket, "runId": "b", "messages": [user("u2", "zwei")]});
    assert_eq!(call(&mut agent, "editQueued", edited(3)), Ok(Reply::Taken(true)));
    assert_eq!(call(&mut agent, "editQueued", edited(9)), Ok(Reply::Taken(false)));
    assert_eq!(agent.snapshot()["queue"][0]["messages"][0]["content"], "zwei");
    assert_eq!(call(&mut agent, "cancel", json!(3)), Ok(Reply::Nothing));
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

#[test]
fn regenerate_says_which_message() {
    let mut agent = answered();
    let unknown = json!({"runId": "q", "of": "none"});
    assert_eq!(call(&mut agent, "regenerate", unknown), Err(Misuse::NothingToRegenerate));
    assert_eq!(call(&mut agent, "regenerate", json!({"runId": "q", "of": "m"})), Ok(Reply::Ticket(2)));
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
