//! The shared state, and JSON Patch (RFC 6902) on it.

use super::patch::Patch;
use crate::wire::{Raw, write_json};
use json_patch::PatchOperation;
use serde_json::Value;

/// What the mirror lacks of a document.
#[derive(Debug, Default)]
pub(super) struct UnsentDocument {
    /// The document as a whole, as JSON text.
    whole: Option<String>,
    /// JSON Patches on it, in order.
    patches: Vec<String>,
}

impl UnsentDocument {
    /// The document was replaced; what was to be sent before is of no interest any more.
    pub fn replaced(&mut self, json: &str) {
        self.whole = Some(json.to_owned());
        self.patches.clear();
    }

    pub fn patched(&mut self, operations: &str) {
        // A patch may have no operations.
        if operations.contains('{') {
            self.patches.push(operations.to_owned());
        }
    }

    pub fn write(&mut self, path: &str, patch: &mut Patch) {
        if let Some(json) = self.whole.take() {
            patch.reconcile(path, |out| write_json(out, &json));
        }
        for operations in self.patches.drain(..) {
            patch.apply(path, &operations);
        }
    }
}

/// The shared state of the thread.
#[derive(Debug)]
pub(super) struct State {
    pub value: Value,
    pub unsent: UnsentDocument,
}

impl Default for State {
    /// An agent without a state of its own sends `{}`.
    fn default() -> Self {
        Self { value: Value::Object(serde_json::Map::new()), unsent: UnsentDocument::default() }
    }
}

impl State {
    pub fn replace(&mut self, snapshot: Raw<'_>) {
        self.value = snapshot.value();
        self.unsent.replaced(snapshot.text());
    }

    pub fn patch(&mut self, delta: Raw<'_>) -> Result<(), String> {
        apply(&mut self.value, delta, |_| true)?;
        self.unsent.patched(delta.text());
        Ok(())
    }
}

/// Applies a JSON Patch, all of it or nothing. A patch that replaces the root must leave what `fits`.
pub(super) fn apply(document: &mut Value, delta: Raw<'_>, fits: fn(&Value) -> bool) -> Result<(), String> {
    let operations = delta.array().ok_or("the patch is not an array")?;
    let operations = operations.into_iter().map(operation).collect::<Result<Vec<_>, _>>()?;
    if !operations.iter().any(needs_care) {
        return json_patch::patch(document, &operations).map_err(|error| error.to_string());
    }
    // One by one, on a copy.
    let mut copy = document.clone();
    for operation in &operations {
        match operation {
            PatchOperation::Test(test) => {
                let found = test.path.resolve(&copy).map_err(|error| error.to_string())?;
                if !equal(found, &test.value) {
                    return Err(format!("the test of \"{}\" failed", test.path));
                }
            }
            PatchOperation::Remove(remove) if remove.path.is_root() => copy = Value::Null,
            other => json_patch::patch(&mut copy, std::slice::from_ref(other)).map_err(|error| error.to_string())?,
        }
    }
    if !fits(&copy) {
        return Err("the patch leaves a value of another kind".to_owned());
    }
    *document = copy;
    Ok(())
}

/// Numbers keep their digits here, so the crate's own test would find 1 and 1.0 unequal; and it cannot remove the root.
fn needs_care(operation: &PatchOperation) -> bool {
    matches!(operation, PatchOperation::Test(_)) || operation.path().is_root()
}

/// Equality of RFC 6902, section 4.6.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => decimal(a.as_str()) == decimal(b.as_str()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

/// A JSON number as sign, digits without zeros at either end, and exponent: equal for equal numbers, and exact.
fn decimal(number: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX);
    let digits: String = whole.chars().chain(fraction.chars()).filter(char::is_ascii_digit).collect();
    let stripped = digits.trim_end_matches('0');
    let exponent = exponent.saturating_add((digits.len() - stripped.len()) as i64 - fraction.len() as i64);
    match stripped.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        digits => (whole.starts_with('-'), digits.to_owned(), exponent),
    }
}

fn operation(raw: Raw<'_>) -> Result<PatchOperation, String> {
    let fields = raw.object().ok_or("an operation is not an object")?;
    let pointer = |name: &str| {
        let text = fields.get(name).and_then(Raw::string).ok_or_else(|| format!("an operation has no \"{name}\""))?;
        json_patch::jsonptr::PointerBuf::parse(text.as_ref()).map_err(|_| format!("\"{text}\" is not a JSON Pointer"))
    };
    let value = || fields.get("value").map(Raw::value).ok_or("an operation has no \"value\"");
    let op = fields.get("op").and_then(Raw::string).ok_or("an operation has no \"op\"")?;
    let path = pointer("path")?;
    Ok(match &*op {
        "add" => PatchOperation::Add(json_patch::AddOperation { path, value: value()? }),
        "remove" => PatchOperation::Remove(json_patch::RemoveOperation { path }),
        "replace" => PatchOperation::Replace(json_patch::ReplaceOperation { path, value: value()? }),
        "move" => PatchOperation::Move(json_patch::MoveOperation { from: pointer("from")?, path }),
        "copy" => PatchOperation::Copy(json_patch::CopyOperation { from: pointer("from")?, path }),
        "test" => PatchOperation::Test(json_patch::TestOperation { path, value: value()? }),
        other => return Err(format!("\"{other}\" is not an operation of JSON Patch")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(document: &str, delta: &str) -> Result<String, String> {
        let mut value = Raw::parse(document, 99).unwrap().value();
        let before = value.clone();
        let result = apply(&mut value, Raw::parse(delta, 99).unwrap(), |_| true);
        if result.is_err() {
            assert_eq!(value, before, "all or nothing");
        }
        let mut out = String::new();
        crate::wire::write_value(&mut out, &value);
        result.map(|()| out)
    }

    #[test]
    fn all_or_nothing() {
        let add = r#"{"op":"add","path":"/b","value":[1]}"#;
        assert_eq!(patched(r#"{"a":1}"#, &format!("[{add}]")).unwrap(), r#"{"a":1,"b":[1]}"#);
        for bad in [
            r#"{"op":"replace","path":"/x","value":1}"#,
            r#"{"op":"remove","path":"/x/y"}"#,
            r#"{"op":"test","path":"/a","value":2}"#,
            r#"{"op":"add","path":"/b/2","value":1}"#,
            r#"{"op":"add","path":"/b/01","value":1}"#,
            r#"{"op":"move","from":"/b","path":"/b/0"}"#,
            r#"{"op":"add","path":"b","value":1}"#,
            r#"{"op":"add","path":"/b"}"#,
            r#"{"op":"jump","path":"/b"}"#,
            "7",
        ] {
            assert!(patched(r#"{"a":1}"#, &format!("[{add},{bad}]")).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_compared_by_value_and_kept_by_digit() {
        let test = |value: &str| format!(r#"[{{"op":"test","path":"/n","value":{value}}}]"#);
        assert_eq!(patched(r#"{"n":1.0}"#, &test("1")).unwrap(), r#"{"n":1.0}"#);
        assert!(patched(r#"{"n":1.0}"#, &test("\"1\"")).is_err());
        assert!(patched(r#"{"n":[{"a":1e0}]}"#, &test(r#"[{"a":1}]"#)).is_ok());
        for (a, b) in [("-0", "0.0"), ("1200", "1.2E+3"), ("0.0120", "12e-3"), ("100", "1e2"), ("-5e1", "-50")] {
            assert_eq!(decimal(a), decimal(b), "{a} = {b}");
        }
        assert_ne!(decimal("12345678901234567890"), decimal("12345678901234567891"));
        assert_ne!(decimal("1"), decimal("-1"));
        assert!(patched("{}", &test("null")).is_err(), "a missing member equals nothing");
    }

    #[test]
    fn root_and_strange_keys() {
        assert_eq!(
            patched("{}", r#"[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":2}]"#).unwrap(),
            "[1,2]"
        );
        assert_eq!(patched("{}", r#"[{"op":"remove","path":""}]"#).unwrap(), "null");
        let strange = r#"[{"op":"add","path":"/__proto__","value":{"a~/b":0}},{"op":"add","path":"/__proto__/a~0~1b","value":1}]"#;
        assert_eq!(patched("{}", strange).unwrap(), r#"{"__proto__":{"a~/b":1}}"#);
    }
}
