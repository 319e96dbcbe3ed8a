//! Broken networks: refusals, cuts, waiting, joining a run again in every way that servers know, leaving it.

mod beginnings;
mod budget;
mod calls;
mod left;
mod losses;
mod refused;
mod replayed;
mod resumed;

use crate::support::Agent;
use crate::support::runs::*;
use ag_ui_wasm::session::{Misuse, Network, Options, Resume, Target};
use serde_json::{Value, json};

const SSE: &str = "text/event-stream";

fn agent(network: Network) -> Agent {
    Agent::new(Options { network, ..Options::default() })
}

fn strict(network: Network) -> Agent {
    Agent::new(Options { network, strict: true, ..Options::default() })
}

fn resume(by: &str) -> Network {
    Network { resume: Some(Resume::by(by, Some("/metadata/seq"), Some("after")).unwrap()), ..Network::default() }
}

/// A frame with an id and an event.
fn frame(id: &str, event: &Value) -> Vec<u8> {
    format!("id: {id}\ndata: {event}\n\n").into_bytes()
}

impl Agent {
    fn refuse(&mut self, request: u32, status: u16, retry_after: Option<&str>) {
        self.act(|session, now| session.head(request, status, "text/plain", retry_after, now));
    }

    fn phase(&mut self) -> String {
        self.snapshot()["connection"]["phase"].as_str().unwrap().to_owned()
    }

    fn texts(&mut self) -> Vec<String> {
        let messages = self.snapshot()["messages"].as_array().unwrap();
        let of = |message: &Value| message["content"].as_str().map(Into::into);
        messages.iter().filter(|message| message["role"] == "assistant").filter_map(of).collect()
    }
}

fn content(id: &str, delta: &str) -> Value {
    event!("TEXT_MESSAGE_CONTENT", "messageId": id, "delta": delta)
}

fn ended(id: &str) -> Value {
    event!("TEXT_MESSAGE_END", "messageId": id)
}

/// A run whose every event has an id: "Hello" is shown, and the connection lost.
fn cut(network: Network) -> Agent {
    let mut agent = strict(network);
    let request = agent.submit("go");
    agent.head(request, 200, SSE);
    let [start, hello] = text("m", "Hello");
    for (id, event) in [started("r"), start, hello].iter().enumerate() {
        agent.bytes(request, &frame(&format!("r:{id}"), event));
    }
    agent.cut(request);
    agent
}

fn ends_well(agent: &mut Agent, texts: &[&str]) {
    assert_eq!(agent.texts(), texts);
    let snapshot = agent.snapshot();
    assert_eq!((&snapshot["status"], &snapshot["outcome"]), (&json!("idle"), &json!("success")));
    assert!(snapshot["messages"].as_array().unwrap().iter().all(|message| message["delivery"] == "complete"));
    assert_eq!(outcomes(agent), [(1, "success")]);
    assert_eq!(agent.warnings, [] as [&str; 0]);
    assert_eq!((agent.phase().as_str(), agent.wake), ("closed", None));
}

#[test]
fn a_way_to_resume_that_is_unknown_is_refused_with_the_names_of_all() {
    for (by, path) in [("lastEventId", None), ("cursor", None), ("socket-cursor", None)] {
        let refused = Resume::by(by, path, None).unwrap_err().to_string();
        for known in ["last-event-id", "run-url", "cursor", "socket-cursor", "snapshot", "prelude", "hydrate", "replay"]
        {
            assert!(refused.contains(&format!("\"{known}\"")), "{by}: {refused}");
            assert!(Resume::by(known, Some("seq"), None).is_ok());
        }
    }
}
