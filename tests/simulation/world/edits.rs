//! Edits of what the page shows, which may be older than what the core has.

use super::{Held, World};
use crate::support::SessionCalls;
use serde_json::{Value, json};

impl World {
    /// The application edits the messages that it is shown: adds one, removes one, writes one anew, or moves one.
    pub(super) fn edit_messages(&mut self, which: usize) -> Held {
        let shown = self.mirror.0["messages"].as_array().unwrap().clone();
        let at = which / 4 % shown.len().max(1);
        let (mut before, mut after): (Vec<Value>, Vec<Value>) =
            shown.iter().enumerate().map(|(at, message)| (stub(message), json!(at))).unzip();
        match which % 4 {
            1 if !shown.is_empty() => drop(after.remove(at)),
            2 if shown.get(at).is_some_and(writable) => {
                before[at] = shown[at].clone();
                after[at] = shown[at].clone();
                // An edit that changes nothing is none.
                let edited = shown[at]["content"] == "<edited>";
                after[at]["content"] = json!(if edited { "<edited again>" } else { "<edited>" });
            }
            // An application that takes a result away from its call gets what it asked for.
            3 if shown.len() > 1 && shown[at]["role"] != "tool" => {
                let first = after.remove(at);
                after.push(first);
            }
            _ => {
                self.minted += 1;
                after.push(json!({"id": format!("u{}", self.minted), "role": "user", "content": "#8"}));
            }
        }
        let (from, to) = (Value::Array(before).to_string(), Value::Array(after.clone()).to_string());
        self.say(|| format!("     {from} → {to}"));
        if self.give(|session, _| session.edit_messages(&from, &to))?.is_ok() {
            self.thread.edit(&shown, &after);
            self.review();
        }
        self.perform()
    }

    /// The same of the state.
    pub(super) fn edit_state(&mut self, n: usize) -> Held {
        let before = self.mirror.0["state"].clone();
        let mut after = before.clone();
        match n % 3 {
            0 => after = json!({"mine": n}),
            1 => after["n"] = json!(n),
            _ => after["mine"] = json!(n),
        }
        let (from, to) = (before.to_string(), after.to_string());
        self.say(|| format!("     {from} → {to}"));
        if self.give(|session, _| session.edit_state(&from, &to))?.is_ok() {
            let mut state = self.thread.state.clone();
            let members = state.as_object_mut().unwrap();
            let (before, after) = (before.as_object().unwrap(), after.as_object().unwrap());
            members.retain(|key, _| !before.contains_key(key) || after.contains_key(key));
            for (key, value) in after.iter().filter(|(key, value)| before.get(*key) != Some(value)) {
                members.insert(key.clone(), value.clone());
            }
            self.thread.set_state(state);
        }
        self.perform()
    }
}

/// The identity of a message.
fn stub(message: &Value) -> Value {
    json!({"id": message["id"], "role": message["role"], "toolCallId": message["toolCallId"]})
}

/// The mirror has halves of pairs as characters that an edit would take for others.
fn writable(message: &Value) -> bool {
    message["content"].is_string() && !message.to_string().chars().any(|c| c >= '\u{10F800}')
}
