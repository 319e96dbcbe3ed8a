//! A double as JSON, in the digits that JavaScript writes: the fewest that are read as the same double.

/// Appends `value`; what is no number in JSON becomes `null`.
pub(crate) fn write_number(out: &mut String, value: f64) {
    // Most numbers are whole. Up to 2^53 each is a double.
    if value.trunc() == value && value.abs() < 9e15 {
        out.push_str(&(value as i64).to_string());
    } else {
        out.push_str(&digits(value));
    }
}

/// Asks JavaScript: the formatting of floats in Rust's library would add 7 kB (brotli) to the module.
#[cfg(target_arch = "wasm32")]
fn digits(value: f64) -> String {
    js_sys::JSON::stringify(&value.into()).map_or_else(|_| String::new(), String::from)
}

/// ECMAScript, Number::toString, for the native tests. Halfway between two, Rust takes the upper one and JavaScript the even one.
#[cfg(not(target_arch = "wasm32"))]
fn digits(value: f64) -> String {
    let text = format!("{value:e}");
    match text.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()) {
        None => "null".to_owned(),
        Some(-6..=20) => value.to_string(),
        Some(exponent) if exponent > 0 => text.replace('e', "e+"),
        Some(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64) -> String {
        let mut out = String::new();
        write_number(&mut out, value);
        out
    }

    #[test]
    fn like_javascript() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-1.5, "-1.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e21, "1e+21"),
            (123e18, "123000000000000000000"),
            (1e-6, "0.000001"),
            (1.25e-7, "1.25e-7"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (9007199254740991.0, "9007199254740991"),
            (f64::NAN, "null"),
            (f64::NEG_INFINITY, "null"),
        ] {
            assert_eq!(text(value), expected);
        }
    }

    #[test]
    fn the_fewest_digits_that_are_read_as_the_same_number() {
        let mut bits = 1_u64;
        for _ in 0..20_000 {
            bits = bits.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            for value in [f64::from_bits(bits), (bits >> 44) as f64 / 1000.0, (bits >> 20) as f64] {
                if value.is_finite() {
                    let written = text(value);
                    assert_eq!(written.parse::<f64>().unwrap(), value);
                    let digits = |text: &str| text.split('e').next().unwrap().replace(['.', '-'], "");
                    let theirs = digits(&format!("{value:e}"));
                    // Not the digits themselves: halfway between two, Rust takes the upper one and JavaScript the even one.
                    assert_eq!(digits(&written).trim_matches('0').len(), theirs.trim_matches('0').len(), "{value:e}");
                }
            }
        }
    }
}
