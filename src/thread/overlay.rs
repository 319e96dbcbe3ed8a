//! What the application has changed in the state while a run was on: replayed on whatever the server makes of it
//! meanwhile.

use serde_json::{Map, Value};

/// The difference between two documents, by member.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Overlay {
    Set(Value),
    Remove,
    Members(Vec<(String, Overlay)>),
}

impl Overlay {
    /// What makes `new` of `old`; `None`: they are equal.
    pub fn between(old: &Value, new: &Value) -> Option<Self> {
        let (Value::Object(before), Value::Object(after)) = (old, new) else {
            return (old != new).then(|| Self::Set(new.clone()));
        };
        let mut members = Vec::new();
        for (key, value) in after {
            let change = match before.get(key) {
                Some(old) => Self::between(old, value),
                None => Some(Self::Set(value.clone())),
            };
            members.extend(change.map(|change| (key.clone(), change)));
        }
        let gone = before.keys().filter(|key| !after.contains_key(*key));
        members.extend(gone.map(|key| (key.clone(), Self::Remove)));
        (!members.is_empty()).then_some(Self::Members(members))
    }

    /// Makes the changes in `document`.
    pub fn apply(&self, document: &mut Value) {
        match self {
            Self::Set(value) => *document = value.clone(),
            Self::Remove => {}
            Self::Members(members) => {
                if !document.is_object() {
                    *document = Value::Object(Map::new());
                }
                let Some(map) = document.as_object_mut() else { return };
                for (key, change) in members {
                    match change {
                        Self::Remove => drop(map.remove(key)),
                        change => change.apply(map.entry(key.clone()).or_insert(Value::Null)),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_difference_is_what_was_changed_and_no_more() {
        let old = json!({"a": 1, "b": {"c": [1], "d": null}, "e": 2});
        let new = json!({"a": 1, "b": {"c": [1, 2], "d": null, "f": null}});
        let overlay = Overlay::between(&old, &new).unwrap();
        let mut same = old.clone();
        overlay.apply(&mut same);
        assert_eq!(same, new);
        // The server has changed other things meanwhile.
        let mut other = json!({"a": 5, "b": {"c": [9], "g": 1}, "e": 3});
        overlay.apply(&mut other);
        assert_eq!(other, json!({"a": 5, "b": {"c": [1, 2], "g": 1, "f": null}}));
        let mut none = json!(7);
        overlay.apply(&mut none);
        assert_eq!(none, json!({"b": {"c": [1, 2], "f": null}}));
        assert_eq!(Overlay::between(&old, &old), None);
        assert_eq!(Overlay::between(&json!(1), &json!([])), Some(Overlay::Set(json!([]))));
    }
}
