//! A row for each event that no other row sends: its sample many times, with ids of its own and with the same ones.

use crate::row::{Row, Work, row};
use crate::samples::samples;
use serde_json::Value;
use std::collections::HashSet;

pub fn rows(others: &[Row]) -> Vec<Row> {
    let works = others.iter().map(|row| row.make(8)).filter(|work| work.dialect.is_none());
    let sent: HashSet<Value> = works.flat_map(|work| work.events).map(|mut event| event["type"].take()).collect();
    let missing = samples().into_iter().filter(|sample| !sent.contains(&sample["type"]));
    let make = |sample: Value| {
        let name = sample["type"].as_str().unwrap().to_owned();
        row(name, move |n| Work { events: (0..n).map(|at| numbered(&sample, at)).collect(), ..Work::default() })
    };
    missing.map(make).collect()
}

/// Every other one has ids of its own.
fn numbered(sample: &Value, at: usize) -> Value {
    let mut event = sample.clone();
    for (member, value) in event.as_object_mut().unwrap() {
        if let (true, 0, Some(id)) = (member.ends_with("Id"), at % 2, value.as_str()) {
            *value = format!("{id}{at}").into();
        }
    }
    event
}
