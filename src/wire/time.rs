//! Points in time as ISO 8601 writes them.

/// Milliseconds since 1970 at `text`: a year, a month, a day, or a day and a time with an offset. Without one it is UTC:
/// what programs on servers mean, while the page's own time zone says nothing about them.
pub(crate) fn parse_time(text: &str) -> Option<f64> {
    let mut rest = Digits(text.as_bytes());
    let year = rest.number(4, 0..=9999)?;
    let month = if rest.take(b"-") { rest.number(2, 1..=12)? } else { 1 };
    let day = if rest.take(b"-") { rest.number(2, 1..=31)? } else { 1 };
    let mut minutes = days(year, month, day) * 24 * 60;
    let mut seconds = 0.0;
    if rest.take(b"Tt ") {
        minutes += rest.number(2, 0..=24)? * 60;
        rest.take(b":").then_some(())?;
        minutes += rest.number(2, 0..=59)?;
        if rest.take(b":") {
            // 60: a leap second.
            seconds = rest.number(2, 0..=60)? as f64;
            if rest.take(b".,") {
                seconds += rest.fraction()?;
            }
        }
        minutes -= rest.offset()?;
    }
    rest.0.is_empty().then_some((minutes as f64 * 60.0 + seconds) * 1000.0)
}

/// Days from 1970-01-01, by the Gregorian calendar. Years are counted from March, so that a leap day is the last one.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// The digits that are still to be read.
struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    fn number(&mut self, digits: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        let number = number.iter().all(u8::is_ascii_digit).then_some(number)?;
        let number = number.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        range.contains(&number).then_some(number)
    }

    /// Takes one of these bytes, if it is next.
    fn take(&mut self, wanted: &[u8]) -> bool {
        let Some((_, rest)) = self.0.split_first().filter(|(byte, _)| wanted.contains(byte)) else { return false };
        self.0 = rest;
        true
    }

    fn fraction(&mut self) -> Option<f64> {
        let (mut sum, mut unit) = (0.0, 1.0);
        while let Some((digit, rest)) = self.0.split_first().filter(|(byte, _)| byte.is_ascii_digit()) {
            unit /= 10.0;
            sum += f64::from(digit - b'0') * unit;
            self.0 = rest;
        }
        (unit < 1.0).then_some(sum)
    }

    /// Minutes east of Greenwich.
    fn offset(&mut self) -> Option<i64> {
        let sign = if self.take(b"+") {
            1
        } else if self.take(b"-") {
            -1
        } else {
            self.take(b"Zz");
            return Some(0);
        };
        let hours = self.number(2, 0..=23)?;
        let minutes = if self.take(b":") || !self.0.is_empty() { self.number(2, 0..=59)? } else { 0 };
        Some(sign * (hours * 60 + minutes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_iso_8601_writes() {
        let cases = [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2020-08-19T23:15:30Z", 1_597_878_930_000.0),
            ("2020-08-19T23:15:30.25+02:00", 1_597_871_730_250.0),
            ("2020-08-19t23:15:30,5-0330", 1_597_891_530_500.0),
            ("2020-08-19 23:15:30.123456+00", 1_597_878_930_123.456),
            ("2020-08-19T23:15Z", 1_597_878_900_000.0),
            ("2020-08-19T23:15:30", 1_597_878_930_000.0),
            ("2020-02-29", 1_582_934_400_000.0),
            ("2020-08", 1_596_240_000_000.0),
            ("2020", 1_577_836_800_000.0),
            ("1969-12-31T24:00:00Z", 0.0),
            ("1600-03-01", -11_670_912_000_000.0),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999.0),
        ];
        for (text, expected) in cases {
            let found = parse_time(text).unwrap();
            assert!((found - expected).abs() < 0.01, "{text}: {found}");
        }
    }

    #[test]
    fn what_it_does_not() {
        for text in [
            "",
            "whenever",
            "1600000000000",
            "August 19, 2020 23:15:30",
            "20200819T231530Z",
            "2020-8-19",
            "2020-13-01",
            "2020-01-32",
            "2020-01-01T",
            "2020-01-01T1:00",
            "2020-01-01T10",
            "2020-01-01T25:00Z",
            "2020-01-01T10:60Z",
            "2020-01-01T10:00:00.Z",
            "2020-01-01T10:00:00+1",
            "2020-01-01T10:00:00 UTC",
            "2020-01-01Z",
            "+2020-01-01",
            "２020-01-01",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }
}
