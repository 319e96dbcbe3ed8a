//! Interrupts that are answered one by one: which answer counts, and when it is sent.

use crate::support::Agent;
use crate::support::SessionCalls;
use crate::support::runs::{outcomes, started, user};
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};

fn interrupted(interrupts: Value) -> Agent {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
    let request = agent.requests[0].0;
    agent.head(request, 200, "text/event-stream");
    let outcome = json!({"type": "interrupt", "interrupts": interrupts});
    agent.events(request, &[started("r"), event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome)]);
    agent.end(request);
    agent
}

fn answer(agent: &mut Agent, id: &str, status: &str) -> Result<u32, String> {
    let json = json!({"interruptId": id, "status": status, "run": {"runId": format!("after-{id}")}}).to_string();
    let mut result = Err(String::new());
    agent.act(|session, now| result = session.answer(&json, now).map_err(|misuse| misuse.to_string()));
    result
}

#[test]
fn an_interrupt_that_has_expired_is_refused_itself() {
    let ask = |id: &str, at: &str| json!({"id": id, "reason": "ask", "expiresAt": at});
    let (soon, late) = ("1970-01-01T00:00:02Z", "1970-01-01T01:00:00Z");
    // Expired before its answer: refused, and the other answer counts.
    let mut agent = interrupted(json!([ask("a", soon), ask("b", late)]));
    agent.now = 3000.0;
    assert!(answer(&mut agent, "a", "resolved").unwrap_err().contains("interrupt a has expired"));
    let b = answer(&mut agent, "b", "resolved").unwrap();
    let a = answer(&mut agent, "a", "cancelled").unwrap();
    assert_eq!(agent.sent()["resume"].as_array().unwrap().len(), 2);
    assert!(agent.settled.iter().all(|(ticket, _)| ![a, b].contains(ticket)), "they settle with the run");
    // Expired after its answer, which was not sent: that one is dropped, the other stays.
    let mut agent = interrupted(json!([ask("a", soon), ask("b", late)]));
    let a = answer(&mut agent, "a", "resolved").unwrap();
    agent.now = 3000.0;
    answer(&mut agent, "b", "resolved").unwrap();
    assert_eq!(agent.requests.len(), 1);
    assert_eq!(outcomes(&agent).last(), Some(&(a, "dropped")));
    assert_eq!(agent.warnings, ["interrupt-expired"]);
    let shown = agent.snapshot()["interrupts"].clone();
    assert_eq!((shown[0].get("answered"), &shown[1]["answered"]), (None, &json!(true)));
    answer(&mut agent, "a", "cancelled").unwrap();
    assert_eq!(agent.sent()["resume"][0]["interruptId"], "b");
    assert_eq!(agent.sent()["resume"][1]["status"], "cancelled");
}

#[test]
fn an_interrupt_is_answered_once_and_at_once_before_the_body_of_its_run_has_ended() {
    let mut agent = Agent::new(Options::default());
    agent.submit_json(json!({"runId": "r", "messages": [user("u", "go")]}));
    agent.head(1, 200, "text/event-stream");
    let outcome = json!({"type": "interrupt", "interrupts": [{"id": "a", "reason": "ask"}]});
    agent.events(1, &[started("r"), event!("RUN_FINISHED", "threadId": "t", "runId": "r", "outcome": outcome)]);
    let a = answer(&mut agent, "a", "resolved").unwrap();
    assert_eq!((agent.requests.len(), &agent.sent()["resume"][0]["interruptId"]), (2, &json!("a")));
    assert_eq!((agent.closed.as_slice(), outcomes(&agent)), (&[1][..], vec![(1, "interrupted")]));
    assert!(answer(&mut agent, "a", "resolved").is_err(), "a double click means it once");
    agent.act(|session, now| session.stop(now));
    assert_eq!(outcomes(&agent).last(), Some(&(a, "aborted")));
    answer(&mut agent, "a", "cancelled").unwrap();
    assert_eq!((agent.requests.len(), &agent.sent()["resume"][0]["status"]), (3, &json!("cancelled")));
}

#[test]
fn two_interrupts_of_one_id_can_be_answered() {
    let twice = json!([{"id": "a", "reason": "one"}, {"id": "a", "reason": "two"}]);
    let mut agent = interrupted(twice.clone());
    answer(&mut agent, "a", "resolved").unwrap();
    assert_eq!(agent.requests.len(), 2, "one answer does for both");
    let entry = json!({"interruptId": "a", "status": "resolved"});
    for count in 1..=3 {
        let mut agent = interrupted(twice.clone());
        let resume = vec![entry.clone(); count];
        let input = json!({"runId": "s", "messages": [], "resume": resume}).to_string();
        let accepted = agent.session.submit(&input, agent.now).is_ok();
        assert_eq!(accepted, count < 3, "{count} answers");
    }
}

fn restored(save: &Value) -> Agent {
    let mut agent = Agent::new(Options::default());
    let json = save.to_string();
    agent.act(|session, now| session.restore(&json, now).unwrap());
    agent
}

/// Which of the interrupts are shown as answered.
fn answered(agent: &mut Agent) -> Vec<bool> {
    let shown = agent.snapshot()["interrupts"].clone();
    shown.as_array().unwrap().iter().map(|interrupt| interrupt.get("answered").is_some()).collect()
}

#[test]
fn interrupts_are_open_again_where_the_run_with_their_answers_was_stopped() {
    let mut agent = interrupted(json!([{"id": "a", "reason": "ask"}, {"id": "b", "reason": "ask"}]));
    for attempt in 2..=3 {
        answer(&mut agent, "a", "resolved").unwrap();
        assert_eq!(answered(&mut agent), [true, false]);
        answer(&mut agent, "b", "resolved").unwrap();
        assert_eq!((agent.requests.len(), agent.sent()["resume"].as_array().unwrap().len()), (attempt, 2));
        agent.act(|session, now| session.stop(now));
        assert_eq!(answered(&mut agent), [false, false], "no answer waits");
    }
}

#[test]
fn an_answer_that_waits_for_others_outlives_the_page() {
    let ask = |id: &str| json!({"id": id, "reason": "ask", "expiresAt": "1970-01-01T00:00:02Z"});
    let mut agent = interrupted(json!([ask("a"), ask("b")]));
    let reply = json!({"interruptId": "a", "status": "resolved", "payload": {"typed": "words"}, "run": {"runId": "x"}});
    agent.act(|session, now| _ = session.answer(&reply.to_string(), now).unwrap());
    let save: Value = serde_json::from_str(&agent.session.save()).unwrap();

    let mut again = restored(&save);
    assert_eq!(answered(&mut again), [true, false]);
    assert_eq!(serde_json::from_str::<Value>(&again.session.save()).unwrap(), save, "and is saved as the same");
    let b = answer(&mut again, "b", "cancelled").unwrap();
    let resume = &again.sent()["resume"];
    assert_eq!(resume[0], json!({"interruptId": "a", "status": "resolved", "payload": {"typed": "words"}}));
    assert_eq!(resume[1]["interruptId"], "b");
    again.act(|session, now| session.stop(now));
    assert_eq!(outcomes(&again), [(b, "aborted")], "nobody waits for the other");

    // It is replaced, or expires, as in the page that it was given in.
    let mut again = restored(&save);
    answer(&mut again, "a", "cancelled").unwrap();
    answer(&mut again, "b", "cancelled").unwrap();
    assert_eq!(again.sent()["resume"][0], json!({"interruptId": "a", "status": "cancelled"}));
    let mut again = restored(&save);
    again.now = 3000.0;
    answer(&mut again, "b", "cancelled").unwrap();
    assert_eq!(
        (answered(&mut again), again.warnings.as_slice()),
        (vec![false, true], &["interrupt-expired".to_owned()][..])
    );

    // Where a save has all of them, nothing would send them.
    let mut whole = save.clone();
    whole["replies"] = json!([save["replies"][0], {"interruptId": "b", "status": "cancelled"}, {"interruptId": "c", "status": "cancelled"}, 1]);
    assert_eq!(answered(&mut restored(&whole)), [false, false]);
    whole["replies"] = json!("none");
    assert_eq!(answered(&mut restored(&whole)), [false, false]);
}
