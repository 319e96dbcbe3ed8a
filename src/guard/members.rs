//! The members of a policy by their names. One that is not known is an error: it was written to forbid something.

use crate::wire::{Fields, Raw, to_camel};
use std::borrow::Cow;

/// Names longer than this are compared by their beginning.
const LONGEST: usize = 64;

/// An object whose members are all known, by names in camel or snake case. `at`: where it stands, for messages.
pub(super) struct KnownMembers<'a> {
    fields: Vec<(Cow<'a, str>, Raw<'a>)>,
    at: &'static str,
}

impl<'a> KnownMembers<'a> {
    /// Reads an object. `names`: those that it may have, in snake case. `null` is no value of a member.
    pub fn read(fields: &Fields<'a>, names: &[&str], at: &'static str) -> Result<Self, String> {
        let mut members: Vec<(Cow<'_, str>, _)> = Vec::new();
        for (given, value) in fields.iter() {
            let name = snake(&given);
            if !names.contains(&name.as_str()) {
                let camel = !given.contains('_');
                let known = nearest(&name, names).map(|near| if camel { to_camel(near) } else { near.to_owned() });
                return Err(unknown(&format!("member of {at}"), &given, known.as_deref()));
            }
            if value.is_null() {
                return Err(format!("\"{given}\" of {at} is null; leave it out, or give it a value"));
            }
            if members.iter().any(|(known, _)| *known == name) {
                return Err(format!("\"{name}\" of {at} is given twice"));
            }
            members.push((Cow::Owned(name), value));
        }
        Ok(Self { fields: members, at })
    }

    /// The same of any value, which must be an object.
    pub fn of(raw: Raw<'a>, names: &[&str], at: &'static str) -> Result<Self, String> {
        let fields = raw.object().ok_or_else(|| format!("{at} must be an object"))?;
        Self::read(&fields, names, at)
    }

    pub fn get(&self, name: &str) -> Option<Raw<'a>> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Reads a member; `expected` names the value that it must have.
    pub fn take<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(Raw<'a>) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let wrong = || format!("\"{}\" of {} must be {expected}", to_camel(name), self.at);
        self.get(name).map(|raw| read(raw).ok_or_else(wrong)).transpose()
    }

    /// The same of a member that must be there.
    pub fn must<T>(&self, name: &str, expected: &str, read: impl FnOnce(Raw<'a>) -> Option<T>) -> Result<T, String> {
        let missing = || format!("\"{}\" of {} is missing: {expected}", to_camel(name), self.at);
        self.take(name, expected, read)?.ok_or_else(missing)
    }
}

/// Says that a word is not known, and which known one is nearest.
pub(super) fn unknown(what: &str, given: &str, near: Option<&str>) -> String {
    let given: String = given.chars().take(LONGEST).collect();
    match near {
        Some(near) => format!("\"{given}\" is no known {what}; the nearest is \"{near}\""),
        None => format!("\"{given}\" is no known {what}"),
    }
}

/// The word that the fewest changes of a letter turn into the given one. `js/systems/chio/nearest.ts` has the same rule, for
/// a policy that is read before any core is loaded; `nearest.json` holds both.
pub(super) fn nearest<'n>(given: &str, words: &[&'n str]) -> Option<&'n str> {
    let given: Vec<char> = given.chars().take(LONGEST).collect();
    words.iter().copied().min_by_key(|word| distance(&given, word))
}

/// Levenshtein's distance.
fn distance(given: &[char], word: &str) -> usize {
    let mut row: Vec<usize> = (0..=given.len()).collect();
    for (at, letter) in word.chars().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        for (cell, other) in row.iter_mut().zip(std::iter::once(None).chain(given.iter().map(Some))) {
            let above = *cell;
            left = match other {
                None => at + 1,
                Some(other) => (diagonal + usize::from(*other != letter)).min(above + 1).min(left + 1),
            };
            *cell = left;
            diagonal = above;
        }
    }
    row.last().copied().unwrap_or_default()
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars().take(LONGEST + 1) {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_takes_the_fewest_changes() {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        for (one, other, changes) in [("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("abc", "abc", 0)] {
            assert_eq!(distance(&letters(one), other), changes, "{one} {other}");
        }
        assert_eq!(nearest("x", &[]), None);
        let table: serde_json::Value = serde_json::from_str(include_str!("nearest.json")).unwrap();
        for row in table.as_array().unwrap() {
            let words: Vec<&str> = row["words"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
            assert_eq!(nearest(row["given"].as_str().unwrap(), &words), row["nearest"].as_str(), "{row}");
        }
    }

    #[test]
    fn names_are_read_in_both_cases() {
        assert_eq!(snake("maxEventsPerSecond"), "max_events_per_second");
        assert_eq!(to_camel("max_events_per_second"), "maxEventsPerSecond");
    }
}
