//! The shared state, and JSON Patch (RFC 6902) on it.

use super::overlay::Overlay;
use super::patch::Patch;
use crate::wire::{Raw, write_json, write_value};
use json_patch::jsonptr::{Pointer, PointerBuf, Token};
use json_patch::{
    AddOperation, CopyOperation, MoveOperation, PatchOperation, RemoveOperation, ReplaceOperation, TestOperation,
};
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
    /// As the snapshot shows it.
    pub value: Value,
    pub unsent: UnsentDocument,
    /// What the application has changed while a run was on, and the state that the server knows beneath it.
    local: Option<(Overlay, Value)>,
}

impl Default for State {
    /// An agent without a state of its own sends `{}`.
    fn default() -> Self {
        Self { value: Value::Object(serde_json::Map::new()), unsent: UnsentDocument::default(), local: None }
    }
}

impl State {
    /// The application's own, for the server to see with the next run.
    pub fn replace(&mut self, state: Raw<'_>) {
        self.value = state.value();
        self.local = None;
        self.unsent.replaced(state.text());
    }

    /// The application's own while a run is on: what the server says meanwhile goes beneath it.
    pub fn edit(&mut self, state: Raw<'_>) {
        let new = state.value();
        let confirmed = match self.local.take() {
            Some((_, confirmed)) => confirmed,
            None => std::mem::take(&mut self.value),
        };
        self.local = Overlay::between(&confirmed, &new).map(|overlay| (overlay, confirmed));
        self.value = new;
        self.unsent.replaced(state.text());
    }

    /// The server is told everything now.
    pub fn sent(&mut self) {
        self.local = None;
    }

    /// The server's.
    pub fn receive(&mut self, snapshot: Raw<'_>) {
        match &mut self.local {
            Some((_, confirmed)) => *confirmed = snapshot.value(),
            None => return self.replace(snapshot),
        }
        self.rebase();
    }

    fn rebase(&mut self) {
        let Some((overlay, confirmed)) = &self.local else { return };
        let mut value = confirmed.clone();
        overlay.apply(&mut value);
        let mut json = String::new();
        write_value(&mut json, &value);
        self.value = value;
        self.unsent.replaced(&json);
    }

    /// As [`apply`].
    pub fn patch(&mut self, delta: Raw<'_>, limits: DocumentLimits) -> Result<Option<String>, String> {
        if let Some((_, confirmed)) = &mut self.local {
            let kept = apply(confirmed, delta, limits, |_| true)?;
            self.rebase();
            return Ok(kept);
        }
        let kept = apply(&mut self.value, delta, limits, |_| true)?;
        self.unsent.patched(kept.as_deref().unwrap_or(delta.text()));
        Ok(kept)
    }
}

/// How far patches may blow a document up. A few bytes can nest or double it with every operation.
#[derive(Debug, Clone, Copy)]
pub struct DocumentLimits {
    /// Levels of nesting.
    pub depth: usize,
    /// Bytes, roughly, that the copies of one patch add.
    pub copied_bytes: usize,
}

/// Applies a JSON Patch, all of it or nothing. A patch that replaces the root must leave what `fits`. Operations that
/// JSON Patch does not have are left out: then the patch without them is returned.
pub(crate) fn apply(
    document: &mut Value,
    delta: Raw<'_>,
    limits: DocumentLimits,
    fits: fn(&Value) -> bool,
) -> Result<Option<String>, String> {
    let given = delta.array().ok_or("the patch is not an array")?;
    let mut operations = Vec::with_capacity(given.len());
    for raw in &given {
        operations.extend(operation(*raw)?);
    }
    let kept = (operations.len() < given.len()).then(|| {
        let known = given.iter().filter(|raw| matches!(operation(**raw), Ok(Some(_))));
        let known: Vec<&str> = known.map(|raw| raw.text()).collect();
        format!("[{}]", known.join(","))
    });
    for operation in &operations {
        if let PatchOperation::Add(AddOperation { path, value })
        | PatchOperation::Replace(ReplaceOperation { path, value }) = operation
        {
            check_depth(path, value, limits)?;
        }
    }
    if !operations.iter().any(needs_care) {
        json_patch::patch(document, &operations).map_err(|error| error.to_string())?;
        return Ok(kept);
    }
    // One by one, on a copy.
    let mut copy = document.clone();
    let mut copied = 0;
    for operation in &operations {
        match operation {
            PatchOperation::Test(test) => {
                let found = resolve(&copy, &test.path)?;
                if !equal(found, &test.value) {
                    return Err(format!("the test of \"{}\" failed", test.path));
                }
                continue;
            }
            PatchOperation::Remove(remove) if remove.path.is_root() => {
                copy = Value::Null;
                continue;
            }
            PatchOperation::Copy(op) => {
                let value = resolve(&copy, &op.from)?;
                check_depth(&op.path, value, limits)?;
                copied += weight(value);
                if copied > limits.copied_bytes {
                    return Err("its copies are larger than limits.frameBytes".to_owned());
                }
            }
            PatchOperation::Move(op) => check_depth(&op.path, resolve(&copy, &op.from)?, limits)?,
            _ => {}
        }
        json_patch::patch(&mut copy, std::slice::from_ref(operation)).map_err(|error| error.to_string())?;
    }
    if !fits(&copy) {
        return Err("the patch leaves a value of another kind".to_owned());
    }
    *document = copy;
    Ok(kept)
}

/// What must be looked at one by one: numbers keep their digits here, so the crate's own test would find 1 and 1.0
/// unequal; it cannot remove the root; and what is copied or moved has to be weighed where it stands by then.
fn needs_care(operation: &PatchOperation) -> bool {
    use PatchOperation::{Copy, Move, Test};
    matches!(operation, Test(_) | Copy(_) | Move(_)) || operation.path().is_root()
}

/// A token of a JSON Pointer without its escapes.
pub(crate) fn pointer_key(token: &str) -> Option<String> {
    Some(Token::from_encoded(token).ok()?.decoded().into_owned())
}

fn resolve<'v>(document: &'v Value, path: &Pointer) -> Result<&'v Value, String> {
    path.resolve(document).map_err(|error| error.to_string())
}

fn check_depth(path: &Pointer, value: &Value, limits: DocumentLimits) -> Result<(), String> {
    if path.count() + depth(value) > limits.depth {
        return Err("it nests deeper than limits.depth".to_owned());
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// The bytes that a value takes as JSON, roughly.
fn weight(value: &Value) -> usize {
    2 + match value {
        Value::String(text) => text.len(),
        Value::Number(number) => number.as_str().len(),
        Value::Array(items) => items.iter().map(weight).sum(),
        Value::Object(map) => map.iter().map(|(key, value)| key.len() + weight(value)).sum(),
        Value::Null | Value::Bool(_) => 4,
    }
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

/// An operation; `None`: JSON Patch has no such one.
fn operation(raw: Raw<'_>) -> Result<Option<PatchOperation>, String> {
    let fields = raw.object().ok_or("an operation is not an object")?;
    let pointer = |name: &str| {
        let text = fields.get(name).and_then(Raw::string).ok_or_else(|| format!("an operation has no \"{name}\""))?;
        PointerBuf::parse(text.as_ref()).map_err(|_| format!("\"{text}\" is not a JSON Pointer"))
    };
    let value = || fields.get("value").map(Raw::value).ok_or("an operation has no \"value\"");
    let op = fields.get("op").and_then(Raw::string).unwrap_or_default();
    if !["add", "remove", "replace", "move", "copy", "test"].contains(&&*op) {
        return Ok(None);
    }
    let path = pointer("path")?;
    Ok(Some(match &*op {
        "add" => PatchOperation::Add(AddOperation { path, value: value()? }),
        "remove" => PatchOperation::Remove(RemoveOperation { path }),
        "replace" => PatchOperation::Replace(ReplaceOperation { path, value: value()? }),
        "move" => PatchOperation::Move(MoveOperation { from: pointer("from")?, path }),
        "copy" => PatchOperation::Copy(CopyOperation { from: pointer("from")?, path }),
        _ => PatchOperation::Test(TestOperation { path, value: value()? }),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: DocumentLimits = DocumentLimits { depth: 9, copied_bytes: 1000 };

    fn patched(document: &str, delta: &str) -> Result<String, String> {
        let mut value = Raw::parse(document, 99).unwrap().value();
        let before = value.clone();
        let result = apply(&mut value, Raw::parse(delta, 99).unwrap(), LIMITS, |_| true);
        if result.is_err() {
            assert_eq!(value, before, "all or nothing");
        }
        let mut out = String::new();
        crate::wire::write_value(&mut out, &value);
        result.map(|_| out)
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
            "[]",
            "7",
        ] {
            assert!(patched(r#"{"a":1}"#, &format!("[{add},{bad}]")).is_err(), "{bad}");
        }
    }

    #[test]
    fn unknown_operations_are_left_out() {
        let mut value = Raw::parse("{}", 9).unwrap().value();
        let delta = Raw::parse(r#"[{"op":"jump"},{"op":"add","path":"/a","value":1},{"path":""}]"#, 9).unwrap();
        let kept = apply(&mut value, delta, LIMITS, |_| true).unwrap();
        assert_eq!(kept.as_deref(), Some(r#"[{"op":"add","path":"/a","value":1}]"#));
        assert_eq!(value, serde_json::json!({"a": 1}));
    }

    #[test]
    fn patches_cannot_blow_a_document_up() {
        let doubling = [r#"{"op":"copy","from":"","path":"/n"}"#; 20].join(",");
        assert!(patched(r#"{"a":[1,2,3]}"#, &format!("[{doubling}]")).is_err());
        let deep = |op: &str, levels: usize| format!(r#"[{{{op},"path":"{}/z"}}]"#, "/a".repeat(levels));
        let nested = |levels: usize| format!("{}{{}}{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        assert!(patched(&nested(7), &deep(r#""op":"add","value":[]"#, 7)).is_ok());
        assert!(patched(&nested(7), &deep(r#""op":"add","value":[[]]"#, 7)).is_err());
        assert!(patched(&nested(8), &deep(r#""op":"move","from":"/b""#, 8).replace("/b", "/a/a")).is_err());
        assert!(
            patched(r#"{"b":[[[[]]]],"a":{"a":{"a":{"a":{"a":{}}}}}}"#, &deep(r#""op":"move","from":"/b""#, 5))
                .is_err()
        );
        assert!(
            patched(r#"{"b":[[]],"a":{"a":{"a":{"a":{"a":{}}}}}}"#, &deep(r#""op":"copy","from":"/b""#, 5)).is_ok()
        );
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
