//! Whether an event is what AG-UI 1.0 says it is, for strict rules.
//!
//! An addition of a later version is no mistake: members that are not described, and variants of a union that are not,
//! are named to the caller, count as absent, and nothing inside of them is looked at. Everything else that does not fit
//! the tables of `wire/shapes.rs` is a violation. Uses `wire`.

use super::Violation;
use crate::wire::shapes::{ALL, BASE, EventShape, Field, MemberType, Need, PART, Shape};
use crate::wire::{EVENTS, Fields, Raw, Token, decimal, is_pointer, shown_id};

/// Something that AG-UI 1.0 does not describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The code of its warning: `property-unknown`, or `member-unknown` for a variant of a union.
    pub code: &'static str,
    /// The rule's tag in `docs/rules.md`.
    pub rule: &'static str,
    /// Where it stands in the event: a JSON Pointer.
    pub pointer: String,
}

/// Checks the members of one event. Says nothing about an event whose `type` is not known.
pub fn check(event: &Fields<'_>, found: &mut dyn FnMut(Unknown)) -> Result<(), Violation> {
    let Some(name) = event.text("type") else { return Ok(()) };
    let Some(shape) = EVENTS.iter().find(|shape| shape.name == name) else { return Ok(()) };
    let mut grammar = Grammar { event: shape, pointer: String::new(), rule: "G4", found };
    grammar.members(event, BASE.fields, ALL)?;
    grammar.members(event, shape.shape.fields, ALL)?;
    grammar.others(event, |key| key == "type" || has(&BASE, ALL, key) || has(&shape.shape, ALL, key));
    Ok(())
}

struct Grammar<'f> {
    event: &'static EventShape,
    /// Where it is reading.
    pointer: String,
    /// The rule that a mistake here breaks.
    rule: &'static str,
    found: &'f mut dyn FnMut(Unknown),
}

impl Grammar<'_> {
    fn members(&mut self, object: &Fields<'_>, fields: &'static [Field], variant: u8) -> Result<(), Violation> {
        for field in fields {
            if field.need == Need::Carrier || field.of & variant == 0 {
                continue;
            }
            let length = self.enter(field.name);
            match object.get(field.name) {
                Some(value) => self.member(value, field)?,
                None if field.need == Need::Required => return self.fail(self.rule, "present"),
                None => {}
            }
            self.pointer.truncate(length);
        }
        Ok(())
    }

    fn member(&mut self, value: Raw<'_>, field: &Field) -> Result<(), Violation> {
        let nullable = match field.need {
            Need::Nullable => true,
            Need::NullableInMessages => self.event.name != "TOOL_CALL_RESULT",
            Need::Required => matches!(field.kind, MemberType::Any),
            _ => false,
        };
        match (value.is_null(), field.kind) {
            (true, _) if nullable => Ok(()),
            (true, kind) => self.fail("G5", expected(kind)),
            (false, MemberType::Is(shape)) if is_unknown(value, shape) => {
                self.report("member-unknown", "G3");
                Ok(())
            }
            (false, kind) => self.value(value, kind),
        }
    }

    fn value(&mut self, value: Raw<'_>, kind: MemberType) -> Result<(), Violation> {
        let rule = match kind {
            MemberType::Integer | MemberType::Count => "G7",
            _ => self.rule,
        };
        let fits = match kind {
            // A tag of the shape: it has been read.
            MemberType::Code | MemberType::Any => true,
            MemberType::Text => value.literal().is_some(),
            MemberType::Word(words) => value.string().is_some_and(|text| words.contains(&&*text)),
            MemberType::Pointer => value.string().is_some_and(|text| is_pointer(&text)),
            MemberType::Flag => value.boolean().is_some(),
            MemberType::Integer => is_integer(value.text(), true),
            MemberType::Count => is_integer(value.text(), false),
            MemberType::Object | MemberType::Schema => value.is_object(),
            MemberType::Is(shape) => return self.item(value, Some(shape)),
            MemberType::Content if value.literal().is_some() => true,
            MemberType::Content => return self.list(value, Some(&PART), kind),
            MemberType::Many(of) | MemberType::Some(of) => return self.list(value, of, kind),
        };
        match kind {
            _ if fits => Ok(()),
            MemberType::Word(words) => self.fail(rule, &format!("\"{}\"", words.join("\" or \""))),
            _ => self.fail(rule, expected(kind)),
        }
    }

    fn list(&mut self, value: Raw<'_>, of: Option<&'static Shape>, kind: MemberType) -> Result<(), Violation> {
        let Some(items) = value.array() else { return self.fail(self.rule, expected(kind)) };
        let mut known = 0;
        for (at, item) in items.into_iter().enumerate() {
            let length = self.enter(&at.to_string());
            if of.is_some_and(|shape| is_unknown(item, shape)) {
                self.report("member-unknown", "G3");
            } else {
                self.item(item, of)?;
                known += 1;
            }
            self.pointer.truncate(length);
        }
        if known == 0 && matches!(kind, MemberType::Some(_)) { self.fail(self.rule, expected(kind)) } else { Ok(()) }
    }

    fn item(&mut self, value: Raw<'_>, of: Option<&'static Shape>) -> Result<(), Violation> {
        let Some(shape) = of else { return self.value(value, MemberType::Text) };
        let outer = self.rule;
        if shape.open {
            self.rule = "G8";
        }
        let Some(object) = value.object() else { return self.fail(self.rule, "an object") };
        let variant = variant(&object, shape).unwrap_or(ALL);
        self.members(&object, shape.fields, variant)?;
        if !shape.open {
            self.others(&object, |key| key == shape.tag || has(shape, variant, key));
        }
        self.rule = outer;
        Ok(())
    }

    /// Names the members that are not described.
    fn others(&mut self, object: &Fields<'_>, described: impl Fn(&str) -> bool) {
        for (key, _) in object.iter() {
            if !described(&key) {
                let length = self.enter(Token::new(&*key).encoded());
                self.report("property-unknown", "G2");
                self.pointer.truncate(length);
            }
        }
    }

    /// Steps into a member; returns how long the pointer was.
    fn enter(&mut self, token: &str) -> usize {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(token);
        length
    }

    fn report(&mut self, code: &'static str, rule: &'static str) {
        (self.found)(Unknown { code, rule, pointer: self.pointer.clone() });
    }

    #[inline(never)]
    fn fail(&self, rule: &'static str, expected: &str) -> Result<(), Violation> {
        let message = format!("{}: \"{}\" must be {expected}", self.event.name, shown_id(&self.pointer));
        Err(Violation::new("event-malformed", rule, message).of(self.event.name))
    }
}

/// The bit of the variant that an object is; all bits where the shape has no variants.
fn variant(object: &Fields<'_>, shape: &Shape) -> Option<u8> {
    if shape.tag.is_empty() {
        return Some(ALL);
    }
    let tag = object.get(shape.tag)?.string()?;
    let at = shape.variants.iter().position(|name| *name == tag)?;
    Some(1 << at)
}

/// Whether a value is an object of a variant that is not described, or needs one: a part without its source is no part.
fn is_unknown(value: Raw<'_>, shape: &Shape) -> bool {
    let Some(object) = (!shape.tag.is_empty()).then(|| value.object()).flatten() else { return false };
    let Some(variant) = variant(&object, shape) else { return true };
    shape.fields.iter().any(|field| match (field.need, field.kind) {
        (Need::Required, MemberType::Is(inner)) if field.of & variant != 0 => {
            object.get(field.name).is_some_and(|value| is_unknown(value, inner))
        }
        _ => false,
    })
}

fn has(shape: &Shape, variant: u8, key: &str) -> bool {
    shape.fields.iter().any(|field| field.need != Need::Carrier && field.of & variant != 0 && field.name == key)
}

fn expected(kind: MemberType) -> &'static str {
    match kind {
        MemberType::Text | MemberType::Word(_) => "a string",
        MemberType::Pointer => "a JSON Pointer",
        MemberType::Flag => "true or false",
        MemberType::Integer => "a whole number within ±(2^53 − 1)",
        MemberType::Count => "a whole number from 0 to 2^53 − 1",
        MemberType::Many(_) => "an array",
        MemberType::Some(_) => "an array with at least one element",
        MemberType::Content => "a string or an array of content parts",
        MemberType::Any => "absent or a value other than null",
        MemberType::Object | MemberType::Schema | MemberType::Is(_) | MemberType::Code => "an object",
    }
}

/// Whether a value is a number that is whole and within 2^53 − 1. By its digits: `1e3` and `1.0` are whole.
fn is_integer(text: &str, may_be_negative: bool) -> bool {
    let Some((negative, digits, zeros)) = decimal(text) else { return false };
    let zeros = usize::try_from(zeros).unwrap_or(usize::MAX);
    let fits = digits.len().saturating_add(zeros) <= 16 && (may_be_negative || !negative);
    digits.is_empty() || fits && (digits + &"0".repeat(zeros)).parse::<u64>().is_ok_and(|whole| whole < 1 << 53)
}
