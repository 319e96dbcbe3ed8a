//! A double as JSON, in the digits that JavaScript writes: the fewest that are read as the same double.
//!
//! Written here because the formatting of floats in Rust's library adds 7 kB (brotli) to the module.

use std::cmp::Ordering;

/// Appends `value`; what is no number in JSON becomes `null`.
pub(crate) fn write_number(out: &mut String, value: f64) {
    if !value.is_finite() {
        return out.push_str("null");
    }
    if value < 0.0 {
        out.push('-');
    }
    let (digits, point) = short(value.abs()).unwrap_or_else(|| shortest(value.abs()));
    layout(out, &digits, point);
}

/// The digits of a number with few of them, and where the point stands in them.
fn short(value: f64) -> Option<(String, i32)> {
    let mut scale = 1.0;
    for places in 0..10 {
        let scaled = value * scale;
        // Up to these every whole number is a double, and every decimal of fifteen digits another double.
        if scaled >= if places == 0 { 9e15 } else { 1e15 } {
            return None;
        }
        let whole = scaled as u64;
        if whole as f64 == scaled && scaled / scale == value {
            let mut digits = whole.to_string();
            let point = digits.len() as i32 - places;
            // The products are rounded, so it may have taken more places than needed.
            while places > 0 && digits.ends_with('0') {
                digits.pop();
            }
            return Some((digits, point));
        }
        scale *= 10.0;
    }
    None
}

/// ECMAScript, Number::toString: `value` is 0.`digits` × 10^`point`.
fn layout(out: &mut String, digits: &str, point: i32) {
    let start = out.len();
    let exponential = !(-5..=21).contains(&point);
    let shown = if exponential { 1 } else { point };
    (shown..1).for_each(|_| out.push('0'));
    out.push_str(digits);
    let whole = start + shown.max(1) as usize;
    while out.len() < whole {
        out.push('0');
    }
    if out.len() > whole {
        out.insert(whole, '.');
    }
    if exponential {
        out.push_str(if point > 0 { "e+" } else { "e-" });
        out.push_str(&(point - 1).unsigned_abs().to_string());
    }
}

/// The digits of any number above 0, by exact arithmetic: Steele and White's free-format algorithm, as Burger and Dybvig
/// have it (1996). `rest / unit` is what is still to be written, `up` and `down` how far the next doubles are away, by
/// halves.
fn shortest(value: f64) -> (String, i32) {
    let bits = value.to_bits();
    let exponent = (bits >> 52) as i32;
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    // Below a power of two the doubles stand twice as close.
    let uneven = u32::from(fraction == 0 && exponent > -1074);
    let even = mantissa % 2 == 0;

    let (raise, lower) = (exponent.max(0) as u32, (-exponent).max(0) as u32);
    let mut rest = Big::new(mantissa, raise + 1 + uneven);
    let mut unit = Big::new(1, lower + 1 + uneven);
    let mut up = Big::new(1, raise + uneven);
    let mut down = Big::new(1, raise);

    let mut point = 0;
    let above = |rest: &Big, up: &Big, unit: &Big| match rest.plus(up).cmp(unit) {
        Ordering::Equal => even,
        order => order == Ordering::Greater,
    };
    while above(&rest, &up, &unit) {
        unit.multiply(10);
        point += 1;
    }
    let mut digits = String::new();
    loop {
        [&mut rest, &mut up, &mut down].into_iter().for_each(|big| big.multiply(10));
        let mut digit = 0;
        while rest.cmp(&unit) != Ordering::Less {
            rest.add(&unit, -1);
            digit += 1;
        }
        let low = rest.cmp(&down) == Ordering::Less || (even && rest.cmp(&down) == Ordering::Equal);
        let high = above(&rest, &up, &unit);
        if !low && !high {
            // Zeros before the first digit only move the point.
            if digit == 0 && digits.is_empty() {
                point -= 1;
            } else {
                digits.push(char::from(b'0' + digit));
            }
            continue;
        }
        let round_up = match rest.plus(&rest).cmp(&unit) {
            _ if low != high => high,
            // As far from the one as from the other: the even one.
            Ordering::Equal => digit % 2 == 1,
            order => order == Ordering::Greater,
        };
        digits.push(char::from(b'0' + digit + u8::from(round_up)));
        return (digits, point);
    }
}

/// A natural number of any size, the lowest 32 bits first, no zeros at the end. Out of line: small before fast.
struct Big(Vec<u32>);

impl Big {
    /// `value` × 2^`shift`
    #[inline(never)]
    fn new(value: u64, shift: u32) -> Self {
        let mut big = Self(vec![value as u32, (value >> 32) as u32]);
        for _ in 0..shift / 31 {
            big.multiply(1 << 31);
        }
        big.multiply(1 << (shift % 31));
        big
    }

    #[inline(never)]
    fn multiply(&mut self, by: u64) {
        let mut carry = 0;
        for limb in &mut self.0 {
            carry += u64::from(*limb) * by;
            *limb = carry as u32;
            carry >>= 32;
        }
        self.0.push(carry as u32);
        self.trim();
    }

    /// The sum, or the difference where `sign` is −1 and `other` is no larger.
    #[inline(never)]
    fn add(&mut self, other: &Self, sign: i64) {
        if self.0.len() <= other.0.len() {
            self.0.resize(other.0.len() + 1, 0);
        }
        let mut carry = 0;
        let mut others = other.0.iter();
        for limb in &mut self.0 {
            carry += i64::from(*limb) + sign * i64::from(others.next().copied().unwrap_or(0));
            *limb = carry as u32;
            carry >>= 32;
        }
        self.0.push(carry as u32);
        self.trim();
    }

    #[inline(never)]
    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    #[inline(never)]
    fn plus(&self, other: &Self) -> Self {
        let mut sum = Self(self.0.clone());
        sum.add(other, 1);
        sum
    }

    #[inline(never)]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
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
