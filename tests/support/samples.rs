//! The samples of `tests/fixtures/events.json`.

use serde_json::{Map, Value};

/// A sample of each event, with all of its members.
pub fn samples() -> Vec<Value> {
    let samples: Map<String, Value> = serde_json::from_str(include_str!("../fixtures/events.json")).unwrap();
    let event = |(name, mut sample): (String, Value)| {
        let mut event = sample[0].take();
        event.as_object_mut().unwrap().append(sample[1].as_object_mut().unwrap());
        event["type"] = name.into();
        event
    };
    samples.into_iter().map(event).collect()
}
