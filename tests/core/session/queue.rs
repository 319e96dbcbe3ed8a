//! The queue as the page sees it.

use crate::support::Agent;
use crate::support::runs::user;
use crate::support::streams::Random;
use ag_ui_wasm::session::Options;
use serde_json::json;

/// Patches have what came, went or changed, and not the whole queue: in any order, published at any time.
#[test]
fn the_queue_is_shown_as_it_is_whatever_was_published_before() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let mut agent = Agent::new(Options { max_queue: usize::MAX, ..Options::default() });
        agent.submit("go");
        let mut waits: Vec<(u32, String)> = Vec::new();
        for n in 0..40 {
            let text = format!("{n}");
            match random.below(4) {
                0 | 1 => {
                    let input = json!({"runId": text, "messages": [user(&format!("u{n}"), &text)]});
                    waits.push((agent.submit_json(input), text));
                }
                2 if !waits.is_empty() => {
                    let (ticket, _) = waits.remove(random.below(waits.len()));
                    agent.act(|session, now| session.cancel(ticket, now));
                }
                3 if !waits.is_empty() => {
                    let at = random.below(waits.len());
                    let json = json!({"runId": text, "messages": [user(&format!("u{n}"), &text)]}).to_string();
                    agent.act(|session, _| assert!(session.edit_queued(waits[at].0, &json).unwrap()));
                    waits[at].1 = text;
                }
                _ => {}
            }
            if random.one_in(3) {
                let shown = agent.snapshot()["queue"].as_array().unwrap().clone();
                let shown: Vec<_> = shown.iter().map(|one| one["messages"][0]["content"].as_str().unwrap()).collect();
                assert_eq!(shown, waits.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), "seed {seed}");
            }
        }
    }
}
