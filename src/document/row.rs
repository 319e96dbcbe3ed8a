//! A row: the values of the members that a table describes, and what of them the mirror lacks.
//!
//! ```text
//!              set, grow, merge ──► values, marks ──┬─► write           whole: a new element, a request, a save
//! read ──► ────────────────────────────┘            └─► write_changes   what is marked or has grown: a patch
//! ```
//!
//! The setters are the only way to change a value, and they mark it: nothing else has to know what the mirror has.

use super::patch::Patch;
use super::table::{InRequests, Kind, Member};
use super::tracked::Document;
use crate::wire::{Fields, JsonWriter, Protocol, Raw, Tree, write_json, write_string};

/// The value of a member.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Value {
    #[default]
    None,
    Text(String),
    /// The number of a word.
    Word(u8),
    /// Its halves: a value of 64 bits would make each value half as large again.
    Count(u32, u32),
    Document(Document),
    Rows(Vec<Row>),
}

impl From<Tree> for Value {
    fn from(tree: Tree) -> Self {
        Self::Document(Document::from(tree))
    }
}

impl Value {
    pub fn count(count: u64) -> Self {
        Self::Count((count >> 32) as u32, count as u32)
    }

    pub fn is_some(&self) -> bool {
        *self != Self::None
    }

    /// The value of a member that holds this kind.
    fn read(kind: Kind, raw: Raw<'_>) -> Self {
        let text = || raw.string().map(|text| Self::Text(text.into_owned()));
        let value = match kind {
            Kind::Text => text(),
            Kind::Word(words) => {
                raw.string().and_then(|text| words.iter().position(|word| *word == text)).map(|at| Self::Word(at as u8))
            }
            Kind::Count => raw.whole().map(Self::count),
            Kind::Flag(_) => raw.boolean().map(|on| Self::Word(on.into())),
            Kind::List(table) => Some(Self::Rows(Row::read_list(table, raw))),
            Kind::Object => raw.is_object().then(|| Tree::read(raw).into()),
            Kind::Json => Some(Self::Text(raw.text().to_owned())),
            Kind::Content | Kind::Rows => None,
        };
        value.unwrap_or_default()
    }

    fn write(&self, kind: Kind, out: &mut String) {
        match (self, kind) {
            (Self::None, _) => out.push_str("null"),
            (Self::Text(json), Kind::Json) => write_json(out, json),
            (Self::Text(text), _) => write_string(out, text),
            (Self::Word(at), Kind::Word(words)) => write_string(out, words.get(usize::from(*at)).unwrap_or(&"")),
            (Self::Word(on), Kind::Flag(_)) => out.push_str(if *on > 0 { "true" } else { "false" }),
            (Self::Word(number), _) => out.push_str(&number.to_string()),
            (Self::Count(high, low), _) => out.push_str(&whole(*high, *low).to_string()),
            (Self::Document(document), _) => document.tree().write(out),
            (Self::Rows(rows), _) => Row::write_list(rows, out),
        }
    }

    /// Its bytes, roughly.
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Document(document) => document.tree().bytes(),
            _ => 0,
        }
    }
}

fn whole(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Some members of a table, a bit for each.
pub(crate) type Members = u32;

/// The members of which it is true.
pub(crate) fn select(table: &[Member], is: impl Fn(usize, &Member) -> bool) -> Members {
    let mut members = 0;
    for (at, _) in table.iter().enumerate().filter(|(at, member)| is(*at, member)) {
        members |= 1 << at;
    }
    members
}

/// The values of one row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Row {
    table: &'static [Member],
    values: Vec<Value>,
    /// The members that the mirror lacks, or has otherwise.
    marks: Members,
    /// The texts that have grown since.
    grown: Members,
    /// How many bytes the mirror has of each text that grows.
    mirrored: [usize; 2],
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl Row {
    pub fn new(table: &'static [Member]) -> Self {
        let mut values = Vec::new();
        values.resize(table.len(), Value::None);
        Self { table, values, ..Self::default() }
    }

    /// Reads the members that the variants `of` a row have.
    #[inline(never)]
    pub fn read(table: &'static [Member], fields: &Fields<'_>, of: u8) -> Self {
        let mut row = Self::new(table);
        for (member, value) in table.iter().zip(&mut row.values) {
            let raw = fields.some(member.name).filter(|_| member.of & of > 0);
            *value = raw.map(|raw| Value::read(member.kind, raw)).unwrap_or_default();
            *value = match (std::mem::take(value), member.kind) {
                (Value::None, Kind::Flag(on)) => Value::Word(on.into()),
                (Value::None, Kind::List(_)) => Value::Rows(Vec::new()),
                (value, _) => value,
            };
        }
        row
    }

    /// Reads a list of rows, of which those without their first member are left out.
    pub fn read_list(table: &'static [Member], list: Raw<'_>) -> Vec<Self> {
        let mut rows = Vec::new();
        list.each(&mut |_, fields| {
            rows.extend(fields.map(|fields| Self::read(table, fields, 1)).filter(|row| row.has(0)));
        });
        rows
    }

    /// Writes a list of rows.
    pub fn write_list<'r>(rows: impl IntoIterator<Item = &'r Self>, out: &mut String) {
        let mut list = JsonWriter::array(out);
        rows.into_iter().for_each(|row| row.write_object(list.item()));
    }

    fn value(&self, member: usize) -> &Value {
        self.values.get(member).unwrap_or(&Value::None)
    }

    /// The text of a member; empty, where it has none.
    #[inline(never)]
    pub fn text(&self, member: usize) -> &str {
        self.some(member).unwrap_or_default()
    }

    /// The text of a member, where it has one.
    #[inline(never)]
    pub fn some(&self, member: usize) -> Option<&str> {
        match self.values.get(member) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The number of the word that a member has.
    #[inline(never)]
    pub fn word(&self, member: usize) -> u8 {
        match self.value(member) {
            Value::Word(number) => *number,
            _ => 0,
        }
    }

    #[inline(never)]
    pub fn count(&self, member: usize) -> Option<u64> {
        match self.value(member) {
            Value::Count(high, low) => Some(whole(*high, *low)),
            _ => None,
        }
    }

    /// Whether a flag is set.
    pub fn is(&self, member: usize) -> bool {
        self.word(member) > 0
    }

    /// The rows of a list.
    pub fn rows(&self, member: usize) -> &[Self] {
        match self.value(member) {
            Value::Rows(rows) => rows,
            _ => &[],
        }
    }

    pub fn tree(&self, member: usize) -> Option<&Tree> {
        match self.value(member) {
            Value::Document(document) => Some(document.tree()),
            _ => None,
        }
    }

    #[inline(never)]
    pub fn has(&self, member: usize) -> bool {
        self.value(member).is_some()
    }

    /// Whether these members have the same values as those of another row.
    #[inline(never)]
    pub fn same(&self, other: &Self, members: Members) -> bool {
        let pairs = self.values.iter().zip(&other.values).enumerate();
        pairs.filter(|(at, _)| members >> at & 1 == 1).all(|(_, (one, other))| one == other)
    }

    /// Sets a member.
    #[inline(never)]
    pub fn set(&mut self, member: usize, value: Value) {
        let grows = self.table.get(member).is_some_and(|member| member.grows.is_some());
        let Some(old) = self.values.get_mut(member).filter(|old| **old != value) else { return };
        // Of a text that continues only the new end is sent.
        let goes_on =
            matches!((&*old, &value), (Value::Text(old), Value::Text(new)) if grows && new.starts_with(&**old));
        *old = value;
        *(if goes_on { &mut self.grown } else { &mut self.marks }) |= 1 << member;
    }

    /// Sets a string.
    #[inline(never)]
    pub fn set_text(&mut self, member: usize, text: &str) {
        if self.some(member) != Some(text) {
            self.set(member, Value::Text(text.to_owned()));
        }
    }

    /// Sets a text, or takes it away.
    #[inline(never)]
    pub fn set_some(&mut self, member: usize, text: Option<&str>) {
        match text {
            Some(text) => self.set_text(member, text),
            None => self.set(member, Value::None),
        }
    }

    /// Sets a word.
    #[inline(never)]
    pub fn set_word(&mut self, member: usize, number: u8) {
        self.set(member, Value::Word(number));
    }

    /// Takes a value out.
    pub fn take(&mut self, member: usize) -> Value {
        let value = self.values.get_mut(member).map(std::mem::take).unwrap_or_default();
        if value.is_some() {
            self.marks |= 1 << member;
        }
        value
    }

    /// The text of a member that is about to grow.
    #[inline]
    pub fn growing(&mut self, member: usize) -> Option<&mut String> {
        match self.values.get_mut(member) {
            Some(Value::Text(text)) => {
                self.grown |= 1 << member;
                Some(text)
            }
            _ => None,
        }
    }

    /// Adds to a text. Any other value becomes one.
    #[inline(never)]
    pub fn grow(&mut self, member: usize, delta: &str) {
        match self.growing(member) {
            Some(text) => text.push_str(delta),
            None => self.set_text(member, delta),
        }
    }

    /// Gives back room that a text has grown into, which nobody else can have: a string that grew has room for as much again.
    pub fn fit(&mut self, member: usize) -> bool {
        match self.values.get_mut(member) {
            Some(Value::Text(text)) if text.capacity() - text.len() > text.len() / 4 => {
                text.shrink_to_fit();
                true
            }
            _ => false,
        }
    }

    /// Sets these members as another row has them.
    #[inline(never)]
    pub fn assume(&mut self, mut other: Self, members: Members) {
        for (member, value) in other.values.iter_mut().enumerate().filter(|(at, _)| members >> at & 1 == 1) {
            self.set(member, std::mem::take(value));
        }
    }

    /// Lets a document be changed, which notes how.
    pub fn change<Result>(&mut self, member: usize, change: impl FnOnce(&mut Document) -> Result) -> Option<Result> {
        let Some(Value::Document(document)) = self.values.get_mut(member) else { return None };
        document.begin(self.marks >> member & 1 == 1);
        let result = change(document);
        if document.is_changed() {
            self.marks |= 1 << member;
        }
        Some(result)
    }

    /// Merges an event's metadata: key by key, values replaced whole (AG-UI's metadata rule).
    #[inline(always)]
    pub fn merge(&mut self, member: usize, metadata: Option<Raw<'_>>) {
        if let Some(metadata) = metadata {
            self.merge_some(member, metadata);
        }
    }

    #[inline(never)]
    fn merge_some(&mut self, member: usize, metadata: Raw<'_>) {
        if !metadata.is_object() {
            return;
        }
        if self.change(member, |document| document.merge(metadata)).is_none() {
            self.set(member, Tree::read(metadata).into());
        }
    }

    pub fn is_marked(&self, member: usize) -> bool {
        self.marks >> member & 1 == 1
    }

    /// The mirror lacks a member that is not held here.
    pub fn mark(&mut self, member: usize) {
        self.marks |= 1 << member;
    }

    /// Takes the mark of a member that somebody else writes.
    pub fn unmark(&mut self, member: usize) -> bool {
        let marked = self.is_marked(member);
        self.marks &= !(1 << member);
        marked
    }

    /// Whether the mirror lacks something of the row.
    pub fn lacks(&self) -> bool {
        self.marks | self.grown > 0
    }

    /// How many bytes of a text the mirror has.
    pub fn mirrored_length(&self, member: usize) -> usize {
        self.table.get(member).and_then(|member| self.mirrored.get(member.grows?)).copied().unwrap_or_default()
    }

    /// The mirror has the row as it is.
    #[inline(never)]
    pub fn set_mirrored(&mut self) {
        (self.marks, self.grown) = (0, 0);
        for (member, value) in self.table.iter().zip(&mut self.values) {
            match value {
                Value::Text(text) => {
                    let place = member.grows.and_then(|place| self.mirrored.get_mut(place));
                    place.into_iter().for_each(|place| *place = text.len());
                }
                Value::Document(document) => document.mirrored(),
                _ => {}
            }
        }
    }

    /// The bytes of its values, roughly.
    pub fn bytes(&self) -> usize {
        self.values.iter().map(Value::bytes).sum()
    }

    /// The members that requests have to servers that speak `protocol`.
    pub fn outgoing(&self, protocol: Protocol) -> Members {
        let goes = |member: &Member| match member.sent {
            InRequests::Always => true,
            InRequests::Tagged => protocol.tags(),
            InRequests::Never => false,
        };
        select(self.table, |_, member| goes(member))
    }

    /// Writes these members, as they are called in one of the places.
    #[inline(never)]
    pub fn write(&self, object: &mut JsonWriter<'_>, place: usize, members: Members) {
        for (at, (member, value)) in self.table.iter().zip(&self.values).enumerate() {
            let name = member.at.get(place).copied().unwrap_or_default();
            if members >> at & 1 == 1 && !name.is_empty() && value.is_some() {
                value.write(member.kind, object.member(name));
            }
        }
    }

    /// Writes it as an object.
    pub fn write_object(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        self.write(&mut object, 0, Members::MAX);
    }

    /// Writes the value of a member.
    pub fn write_value(&self, at: usize, out: &mut String) {
        if let Some(member) = self.table.get(at) {
            self.value(at).write(member.kind, out);
        }
    }

    /// Writes what the mirror lacks. `paths`: where it has the row, empty for the snapshot itself, and as which place of the table.
    #[inline(never)]
    pub fn write_changes(&mut self, paths: &[(usize, &str)], patch: &mut Patch) {
        let (marks, grown) = (std::mem::take(&mut self.marks), std::mem::take(&mut self.grown));
        for (number, (member, value)) in self.table.iter().zip(&mut self.values).enumerate() {
            if (marks | grown) >> number & 1 == 0 {
                continue;
            }
            let marked = marks >> number & 1 == 1;
            let mut from = 0;
            if let (Value::Text(text), Some(mirrored)) =
                (&*value, member.grows.and_then(|at| self.mirrored.get_mut(at)))
            {
                from = std::mem::replace(mirrored, text.len());
                // Nothing has been added, or nothing yet.
                if !marked && from == text.len() {
                    continue;
                }
            }
            let mut full = Vec::new();
            for (place, path) in paths {
                if let Some(at) = member.at.get(*place).filter(|at| !at.is_empty()) {
                    let comma = if path.is_empty() { "\"" } else { ",\"" };
                    full.push([path, comma, at, "\""].concat());
                }
            }
            match value {
                Value::Text(text) if !marked => patch.append(&full, text.get(from..).unwrap_or_default()),
                Value::Document(document) => full.iter().for_each(|path| document.write(path, patch)),
                Value::None => full.iter().for_each(|path| patch.remove(path)),
                value => full.iter().for_each(|path| patch.reconcile(path, |out| value.write(member.kind, out))),
            }
        }
    }
}
