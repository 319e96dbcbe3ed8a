//! One frame of the binary wire → the JSON text of the same event, by the tables of `shapes.rs`.
//!
//! ```text
//! frame ─► Wire: fields ─► one arm ─► its message ─┬► members ─► JSON text
//!                                                  └► carriers ─► "content", "outcome"
//! ```
//!
//! Protobuf says that a message which comes twice is one: its parts count as if they stood one after the other. So a
//! message is read from [`Pieces`], and nothing is copied to join them. Unknown fields are skipped.
//! Uses `fields`, `shapes`, `number` and `text`.

use super::event::EVENTS;
use super::fields::{FieldResult, MALFORMED, Payload, Wire, each, is_message};
use super::number::write_number;
use super::shapes::{ACTIVITY, ALL, BASE, Field, MemberType, Need, OF_PARTS, PART, Shape};
use super::text::write_string;
use super::undecodable::{Limits, Undecodable};
use super::utf8::decode;

/// Appends the JSON text of the event in `frame`, which begins after the length. Of a frame that is no event nothing is
/// appended. Returns how many content parts were left out because AG-UI 1.0 does not have their kind.
#[inline(never)]
pub fn to_json(frame: &[u8], limits: Limits, out: &mut String) -> FieldResult<usize> {
    let start = out.len();
    let mut writer = Writer { out, end: start.saturating_add(limits.bytes), max_depth: limits.depth, left_out: 0 };
    let written = writer.event(frame).and_then(|()| writer.room(0));
    let left_out = writer.left_out;
    if written.is_err() {
        out.truncate(start);
    }
    written.map(|()| left_out)
}

const TWO_ARMS: Undecodable = Undecodable::Broken("two variants where one may be");
const CARRIERS: Undecodable = Undecodable::Broken("content in a form that the message does not have");

/// The occurrences of a message.
type Pieces<'a> = Vec<&'a [u8]>;

/// One more than the highest number of a field of AG-UI.
const NUMBERS: usize = 14;

/// The last occurrence of every field of a message.
struct Found<'a, 'p> {
    pieces: &'p [&'a [u8]],
    last: [Option<Payload<'a>>; NUMBERS],
    /// Which fields come more than once, a bit for each.
    again: u16,
}

impl<'a, 'p> Found<'a, 'p> {
    #[inline(never)]
    fn scan(fields: &[Field], variant: u8, pieces: &'p [&'a [u8]]) -> FieldResult<Self> {
        let mut found = Self { pieces, last: [None; NUMBERS], again: 0 };
        for piece in pieces {
            let mut wire = Wire(piece);
            while let Some((number, payload)) = wire.next()? {
                let Some(place) = found.last.get_mut(number as usize) else { continue };
                let field = fields.iter().find(|field| u32::from(field.number) == number && field.of & variant != 0);
                let fits = match (field, payload) {
                    // The tables of the events begin after the base event.
                    (None, Payload::Bytes(_)) => number == 1,
                    (Some(field), Payload::Varint(value)) => match field.kind {
                        MemberType::Integer | MemberType::Count if (value as i64).unsigned_abs() >= 1 << 53 => {
                            return Err(Undecodable::Broken("an integer beyond 2^53 − 1"));
                        }
                        kind => kind.is_number(),
                    },
                    (Some(field), Payload::Bytes(_)) => !field.kind.is_number(),
                    _ => false,
                };
                if fits && place.replace(payload).is_some() {
                    found.again |= 1 << number;
                }
            }
        }
        Ok(found)
    }

    fn payload(&self, number: u8) -> Option<Payload<'a>> {
        *self.last.get(usize::from(number))?
    }

    fn bytes(&self, number: u8) -> Option<&'a [u8]> {
        match self.payload(number) {
            Some(Payload::Bytes(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// All occurrences of a field that holds a message.
    fn message(&self, number: u8) -> FieldResult<Option<Pieces<'a>>> {
        let Some(last) = self.bytes(number) else { return Ok(None) };
        if self.again >> number & 1 == 0 {
            return Ok(Some(vec![last]));
        }
        let mut message = Vec::new();
        each(self.pieces, number, &mut |piece| {
            message.push(piece);
            Ok(())
        })?;
        Ok(Some(message))
    }
}

/// The variant of a union with a message for each: its index, and its occurrences. The last one counts, but a
/// single occurrence of the union may have one variant only.
fn arm<'a>(shape: &Shape, pieces: &[&'a [u8]]) -> FieldResult<Option<(usize, Pieces<'a>)>> {
    let mut arm: Option<(usize, Pieces<'a>)> = None;
    for piece in pieces {
        let mut wire = Wire(piece);
        let mut seen = None;
        while let Some((number, payload)) = wire.next()? {
            let at = (number - 1) as usize;
            let (true, Payload::Bytes(bytes)) = (at < shape.variants.len(), payload) else { continue };
            if *seen.get_or_insert(at) != at {
                return Err(TWO_ARMS);
            }
            match &mut arm {
                Some((known, pieces)) if *known == at => pieces.push(bytes),
                arm => *arm = Some((at, vec![bytes])),
            }
        }
    }
    Ok(arm)
}

/// The event's number in the envelope, less one, and its occurrences.
fn envelope(frame: &[u8]) -> FieldResult<(usize, Pieces<'_>)> {
    let (mut known, mut event) = (None, None);
    // Whether all else is as a later version would write an event: unknown messages, well-formed ones.
    let (mut later, mut odd) = (false, false);
    let mut wire = Wire(frame);
    while let Some((number, payload)) = wire.next()? {
        let at = (number - 1) as usize;
        match payload {
            Payload::Bytes(bytes) if at >= EVENTS.len() => {
                later = true;
                odd |= !is_message(bytes);
            }
            Payload::Group if at < EVENTS.len() => odd = true,
            _ if at >= EVENTS.len() => {}
            _ if *known.get_or_insert(at) != at => return Err(TWO_ARMS),
            Payload::Bytes(bytes) => event.get_or_insert_with(Vec::new).push(bytes),
            _ => odd = true,
        }
    }
    match (known, event) {
        (Some(known), Some(event)) => Ok((known, event)),
        (None, _) if later && !odd => Err(Undecodable::UnknownEvent),
        _ => Err(Undecodable::Broken("no event")),
    }
}

struct Writer<'o> {
    out: &'o mut String,
    /// The length that `out` may have.
    end: usize,
    max_depth: usize,
    left_out: usize,
}

impl Writer<'_> {
    fn event(&mut self, frame: &[u8]) -> FieldResult<()> {
        let (at, pieces) = envelope(frame)?;
        let found = EVENTS.iter().find(|event| usize::from(event.envelope) == at + 1);
        let Some(event) = found else { return Err(MALFORMED) };
        let found = Found::scan(event.shape.fields, ALL, &pieces)?;
        let base = found.message(1)?.ok_or(Undecodable::Broken("no base event"))?;
        let base = Found::scan(BASE.fields, ALL, &base)?;
        let code = match base.payload(1) {
            // An enumeration has 32 bits.
            Some(Payload::Varint(code)) => code as u32,
            _ => 0,
        };
        if code != u32::from(event.code) {
            return Err(Undecodable::Broken("the base event has the type of another event"));
        }
        self.out.push('{');
        self.key("type");
        write_string(self.out, event.name);
        self.members(&event.shape, ALL, &found, 1)?;
        self.members(&BASE, ALL, &base, 1)?;
        self.out.push('}');
        Ok(())
    }

    /// Writes an object of `shape`; `false`: of a variant that AG-UI 1.0 does not have.
    fn object(&mut self, shape: &Shape, pieces: &[&[u8]], depth: usize) -> FieldResult<bool> {
        self.room(depth)?;
        self.out.push('{');
        let known = if shape.arms {
            let Some((at, arm)) = arm(shape, pieces)? else { return Ok(false) };
            self.key("type");
            write_string(self.out, shape.variants.get(at).copied().unwrap_or_default());
            let variant = 1 << at;
            self.members(shape, variant, &Found::scan(shape.fields, variant, &arm)?, depth)?
        } else {
            self.members(shape, ALL, &Found::scan(shape.fields, ALL, pieces)?, depth)?
        };
        self.out.push('}');
        Ok(known)
    }

    /// Writes the members of an object; `false`: one is of a variant that AG-UI 1.0 does not have.
    fn members(&mut self, shape: &Shape, variant: u8, found: &Found<'_, '_>, depth: usize) -> FieldResult<bool> {
        for field in shape.fields.iter().filter(|field| field.number > 0 && field.of & variant != 0) {
            if field.need == Need::Carrier {
                match field.name {
                    "content" => self.content(shape, found, depth)?,
                    "outcome" => self.outcome(shape, found, depth)?,
                    _ => {}
                }
                continue;
            }
            // A member that JSON requires in each possible variant stands here by its default.
            let must = field.need == Need::Required && field.of & variant == variant;
            let Some(payload) = found.payload(field.number) else {
                match field.kind {
                    kind if must && kind.is_text() => self.text(field.name, b""),
                    MemberType::Code if must => self.code(field.name, shape, 0)?,
                    MemberType::Many(_) if must || field.need == Need::OrEmpty => self.empty(field.name),
                    _ => {}
                }
                continue;
            };
            match (field.kind, payload) {
                (kind, Payload::Bytes(bytes)) if kind.is_text() => self.text(field.name, bytes),
                (MemberType::Flag, Payload::Varint(value)) => {
                    self.key(field.name);
                    self.out.push_str(if value == 0 { "false" } else { "true" });
                }
                (MemberType::Integer | MemberType::Count, Payload::Varint(value)) => {
                    self.key(field.name);
                    self.integer(value as i64);
                }
                (MemberType::Code, Payload::Varint(value)) => self.code(field.name, shape, value as i32)?,
                (kind, _) => {
                    if !self.nested(field, kind, found, depth)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Writes a member that is a message or a list.
    fn nested(&mut self, field: &Field, kind: MemberType, found: &Found<'_, '_>, depth: usize) -> FieldResult<bool> {
        if let MemberType::Many(of) = kind {
            self.key(field.name);
            self.list(of, field.number, found.pieces, depth + 1)?;
            return Ok(true);
        }
        let Some(pieces) = found.message(field.number)? else { return Ok(true) };
        let start = self.out.len();
        self.key(field.name);
        match kind {
            MemberType::Is(shape) => return self.object(shape, &pieces, depth + 1),
            MemberType::Object => self.structure(&pieces, depth + 1)?,
            // A value without a kind is absent.
            _ if self.value(&pieces, depth + 1)? => {}
            _ => self.out.truncate(start),
        }
        Ok(true)
    }

    fn list(&mut self, of: Option<&'static Shape>, number: u8, pieces: &[&[u8]], depth: usize) -> FieldResult<()> {
        self.out.push('[');
        each(pieces, number, &mut |item| {
            let start = self.out.len();
            self.comma();
            match of {
                Some(shape) if !self.object(shape, &[item], depth + 1)? => {
                    self.out.truncate(start);
                    self.left_out += 1;
                }
                Some(_) => {}
                None => self.string(item),
            }
            Ok(())
        })?;
        self.out.push(']');
        Ok(())
    }

    /// Writes the `content` of a message or a result, of which the wire has up to three forms: one of them, and one that
    /// its role has. Of a role that is not known, that is for the rules to say.
    fn content(&mut self, shape: &Shape, found: &Found<'_, '_>, depth: usize) -> FieldResult<()> {
        let carrier = |name| carriers(shape).find(|field| field.name == name && found.payload(field.number).is_some());
        let (text, parts, map) = (carrier("content"), carrier("contentParts"), carrier("activityContent"));
        let role = found.bytes(2).unwrap_or_default();
        let of = match shape.variants.iter().position(|name| name.as_bytes() == role) {
            _ if shape.tag.is_empty() => OF_PARTS,
            Some(at) => 1 << at,
            None => 0,
        };
        let more_than_one = [text, parts, map].iter().flatten().count() > 1;
        let has_no = |form: Option<&Field>, roles: u8| form.is_some() && of != 0 && of & roles == 0;
        if more_than_one || has_no(parts, OF_PARTS) || has_no(map, ACTIVITY) || has_no(text, !ACTIVITY) {
            return Err(CARRIERS);
        }
        if let Some(text) = text {
            self.text("content", found.bytes(text.number).unwrap_or_default());
        } else if let Some(map) = map {
            self.key("content");
            let pieces = found.message(map.number)?;
            self.structure(pieces.as_deref().unwrap_or_default(), depth + 1)?;
        } else if let Some(parts) = parts {
            self.key("content");
            self.list(Some(&PART), parts.number, found.pieces, depth + 1)?;
        } else if of & OF_PARTS != 0 {
            self.empty("content");
        }
        Ok(())
    }

    /// Writes an `outcome`, which the wire has in pieces. Without its name they are members that nobody knows.
    fn outcome(&mut self, shape: &Shape, found: &Found<'_, '_>, depth: usize) -> FieldResult<()> {
        let name = carriers(shape).find(|field| field.name == "outcome").and_then(|field| found.bytes(field.number));
        let name = name.filter(|name| !name.is_empty());
        if let Some(name) = name {
            self.key("outcome");
            self.out.push('{');
            self.text("type", name);
        }
        for field in carriers(shape) {
            let MemberType::Many(of) = field.kind else { continue };
            let must = name == Some(b"interrupt") && field.name == "interrupts";
            if must || found.payload(field.number).is_some() {
                self.key(field.name);
                self.list(of, field.number, found.pieces, depth + 2)?;
            }
        }
        if name.is_some() {
            self.out.push('}');
        }
        Ok(())
    }

    /// Writes a `google.protobuf.Value`; `false`: it has no kind, and nothing is written.
    fn value(&mut self, pieces: &[&[u8]], depth: usize) -> FieldResult<bool> {
        self.room(depth)?;
        let mut kind = 0;
        let mut last = Payload::Group;
        let mut message = Vec::new();
        for piece in pieces {
            let mut wire = Wire(piece);
            while let Some((number, payload)) = wire.next()? {
                match (number, payload) {
                    (1 | 4, Payload::Varint(_)) | (2, Payload::Fixed(_)) | (3, Payload::Bytes(_)) => {}
                    (5 | 6, Payload::Bytes(bytes)) => {
                        if kind != number {
                            message.clear();
                        }
                        message.push(bytes);
                    }
                    _ => continue,
                }
                kind = number;
                last = payload;
            }
        }
        match (kind, last) {
            (1, _) => self.out.push_str("null"),
            (2, Payload::Fixed(bits)) => write_number(self.out, f64::from_bits(bits)),
            (3, Payload::Bytes(bytes)) => self.string(bytes),
            (4, Payload::Varint(value)) => self.out.push_str(if value == 0 { "false" } else { "true" }),
            (5, _) => self.structure(&message, depth)?,
            (6, _) => self.values(&message, depth)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Writes a `google.protobuf.Struct`. Of a key that comes twice the last counts, as in JSON.
    fn structure(&mut self, pieces: &[&[u8]], depth: usize) -> FieldResult<()> {
        self.out.push('{');
        each(pieces, 1, &mut |entry| {
            let (mut key, mut value) = (&[][..], Vec::new());
            let mut wire = Wire(entry);
            while let Some((number, payload)) = wire.next()? {
                match (number, payload) {
                    (1, Payload::Bytes(bytes)) => key = bytes,
                    (2, Payload::Bytes(bytes)) => value.push(bytes),
                    _ => {}
                }
            }
            let start = self.out.len();
            self.comma();
            self.string(key);
            self.out.push(':');
            if !self.value(&value, depth + 1)? {
                self.out.truncate(start);
            }
            Ok(())
        })?;
        self.out.push('}');
        Ok(())
    }

    /// Writes a `google.protobuf.ListValue`. In a list a value without a kind has its place.
    fn values(&mut self, pieces: &[&[u8]], depth: usize) -> FieldResult<()> {
        self.out.push('[');
        each(pieces, 1, &mut |item| {
            self.comma();
            if !self.value(&[item], depth + 1)? {
                self.out.push_str("null");
            }
            Ok(())
        })?;
        self.out.push(']');
        Ok(())
    }

    /// Writes the name of a variant that the wire numbers; of a number without one, the number.
    fn code(&mut self, key: &str, shape: &Shape, code: i32) -> FieldResult<()> {
        self.key(key);
        match usize::try_from(code).ok().and_then(|at| shape.variants.get(at)) {
            Some(name) => write_string(self.out, name),
            None => {
                self.out.push('"');
                self.integer(code.into());
                self.out.push('"');
            }
        }
        Ok(())
    }

    fn text(&mut self, key: &str, bytes: &[u8]) {
        self.key(key);
        self.string(bytes);
    }

    fn empty(&mut self, key: &str) {
        self.key(key);
        self.out.push_str("[]");
    }

    fn string(&mut self, bytes: &[u8]) {
        write_string(self.out, &decode(bytes));
    }

    fn integer(&mut self, value: i64) {
        if value < 0 {
            self.out.push('-');
        }
        self.out.push_str(&value.unsigned_abs().to_string());
    }

    fn key(&mut self, key: &str) {
        self.comma();
        write_string(self.out, key);
        self.out.push(':');
    }

    /// Whole values never end like this.
    fn comma(&mut self) {
        if !matches!(self.out.as_bytes().last(), Some(b'{' | b'[')) {
            self.out.push(',');
        }
    }

    fn room(&self, depth: usize) -> FieldResult<()> {
        match () {
            () if depth > self.max_depth => Err(Undecodable::TooDeep),
            () if self.out.len() > self.end => Err(Undecodable::TooLong),
            () => Ok(()),
        }
    }
}

fn carriers(shape: &Shape) -> impl Iterator<Item = &Field> {
    shape.fields.iter().filter(|field| field.need == Need::Carrier)
}
