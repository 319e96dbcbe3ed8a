//! Canonical JSON: its form is its own form, and means the same.

use super::{reference, seeded};
use ag_ui_wasm::guard::canonicalize;
use ag_ui_wasm::wire::Raw;
use serde_json::Value;

pub fn canonical(data: &[u8]) {
    let (_, bytes) = seeded(data);
    let text = reference::private(&String::from_utf8_lossy(bytes));
    let read = |number: &str| number.parse().unwrap();
    let Ok(form) = canonicalize(&text, read) else { return };
    assert_eq!(canonicalize(&form, read).as_deref(), Ok(&*form), "the form of the form is another");
    let value = |json: &str| reference::value(Raw::parse(json, 200).unwrap());
    same(&value(&text), &value(&form));
    assert!(!form.contains(['\n', '\r', '\t', '\u{7F}']));
}

/// Numbers are doubles there, except whole ones of 64 bits.
fn same(a: &Value, b: &Value) {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (exact, double) = ((reference::decimal(a.as_str()), reference::decimal(b.as_str())), |number: &str| {
                number.parse::<f64>().unwrap()
            });
            assert!(exact.0 == exact.1 || double(a.as_str()) == double(b.as_str()), "{a} is not {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().zip(b).for_each(|(a, b)| same(a, b));
        }
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.len(), b.len());
            a.iter().for_each(|(key, a)| same(a, &b[key]));
            let keys: Vec<Vec<u16>> = b.keys().map(|key| key.encode_utf16().collect()).collect();
            assert!(keys.is_sorted(), "members in another order");
        }
        (a, b) => assert_eq!(a, b),
    }
}
