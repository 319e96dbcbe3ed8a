//! JSON Patch, plainly: what the core does in place and with an undo log, and what `js/snapshot/mirror.ts` does on a snapshot.

use serde_json::Value;

/// RFC 6902, one operation after the other; the first that fails says so. Operations that it does not have are left out.
pub fn patch(document: &mut Value, operations: &[Value]) -> Result<(), ()> {
    for operation in operations {
        let operation = operation.as_object().ok_or(())?;
        let text = |name: &str| operation.get(name).and_then(Value::as_str).ok_or(());
        let value = || operation.get("value").cloned().ok_or(());
        match operation.get("op").and_then(Value::as_str) {
            Some("add") => add(document, &pointer(text("path")?)?, value()?)?,
            Some("remove") => drop(remove(document, &pointer(text("path")?)?)?),
            Some("replace") => *at(document, &pointer(text("path")?)?)? = value()?,
            Some("move") => {
                let (from, path) = (pointer(text("from")?)?, pointer(text("path")?)?);
                if path.len() > from.len() && path.starts_with(&from) {
                    return Err(());
                }
                if from != path {
                    let value = remove(document, &from)?;
                    add(document, &path, value)?;
                } else {
                    at(document, &from)?;
                }
            }
            Some("copy") => {
                let value = at(document, &pointer(text("from")?)?)?.clone();
                add(document, &pointer(text("path")?)?, value)?;
            }
            Some("test") => {
                let value = value()?;
                if !equal(at(document, &pointer(text("path")?)?)?, &value) {
                    return Err(());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn pointer(text: &str) -> Result<Vec<String>, ()> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let tokens = text.strip_prefix('/').ok_or(())?.split('/');
    tokens
        .map(|token| {
            let mut rest = token;
            while let Some((_, after)) = rest.split_once('~') {
                if !after.starts_with(['0', '1']) {
                    return Err(());
                }
                rest = after;
            }
            Ok(token.replace("~1", "/").replace("~0", "~"))
        })
        .collect()
}

fn index(token: &str) -> Result<usize, ()> {
    let plain = token == "0" || !token.starts_with('0') && token.bytes().all(|byte| byte.is_ascii_digit());
    token.parse().ok().filter(|_| plain).ok_or(())
}

fn at<'v>(document: &'v mut Value, path: &[String]) -> Result<&'v mut Value, ()> {
    path.iter().try_fold(document, |value, token| match value {
        Value::Object(map) => map.get_mut(token).ok_or(()),
        Value::Array(list) => list.get_mut(index(token)?).ok_or(()),
        _ => Err(()),
    })
}

fn add(document: &mut Value, path: &[String], value: Value) -> Result<(), ()> {
    let Some((last, above)) = path.split_last() else {
        *document = value;
        return Ok(());
    };
    match at(document, above)? {
        Value::Object(map) => drop(map.insert(last.clone(), value)),
        Value::Array(list) if last == "-" => list.push(value),
        Value::Array(list) => {
            let index = index(last)?;
            if index > list.len() {
                return Err(());
            }
            list.insert(index, value);
        }
        _ => return Err(()),
    }
    Ok(())
}

fn remove(document: &mut Value, path: &[String]) -> Result<Value, ()> {
    let Some((last, above)) = path.split_last() else { return Ok(document.take()) };
    match at(document, above)? {
        Value::Object(map) => map.shift_remove(last).ok_or(()),
        Value::Array(list) => {
            let index = index(last)?;
            (index < list.len()).then(|| list.remove(index)).ok_or(())
        }
        _ => Err(()),
    }
}

/// Equality of RFC 6902, section 4.6.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => decimal(a.as_str()) == decimal(b.as_str()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

/// A number in one way: sign, digits without zeros at their ends, and the power of ten after them.
pub fn decimal(text: &str) -> (bool, String, i128) {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    // Exponents beyond all reason are as large as any other.
    let exponent: i64 = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    if kept.is_empty() {
        return (false, String::new(), 0);
    }
    let power = i128::from(exponent) - fraction.len() as i128 + (digits.len() - kept.len()) as i128;
    (negative, kept.to_owned(), power)
}
