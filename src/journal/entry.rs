//! One event of the compacted list, and how later events join it. Uses `wire`, `thread`.

use crate::thread::{Copies, ThreadLimits, apply_patch};
use crate::wire::{Fields, JsonWriter, Raw, Str, Tree, write_json};

/// The limits that sessions have by default: what a replay would refuse to build is not built here either.
pub(super) const LIMITS: ThreadLimits = ThreadLimits { depth: 512, state_bytes: 16 * 1024 * 1024 };

/// An event that stays. Nothing is copied of one that no other event joins.
#[derive(Debug)]
pub(super) struct JournalEntry<'a> {
    /// Its `type`.
    pub name: &'static str,
    /// The event as it came. Its members stay, but for those that joining changes.
    line: &'a str,
    joined: Option<JoinedEvent>,
    removed: bool,
}

/// A joined event.
#[derive(Debug)]
struct JoinedEvent {
    member: &'static str,
    grown: Grown,
    activity_type: Option<String>,
    metadata: Option<Tree>,
}

#[derive(Debug)]
enum Grown {
    /// The inside of a JSON literal: halves of surrogate pairs join by themselves.
    Text(String),
    Document(Tree),
}

impl<'a> JournalEntry<'a> {
    pub fn new(name: &'static str, line: &'a str) -> Self {
        Self { name, line, joined: None, removed: false }
    }

    pub fn line(&self) -> &'a str {
        self.line
    }

    /// A later event undoes all that this one did.
    pub fn remove(&mut self) {
        self.removed = true;
    }

    /// Appends a delta.
    pub fn append(&mut self, delta: Str<'_>, metadata: Option<Raw<'_>>) {
        let joined = self.joined.get_or_insert_with(|| JoinedEvent::read(self.line, "delta", None));
        if let Grown::Text(text) = &mut joined.grown {
            text.push_str(delta.raw());
        }
        merge_metadata(&mut joined.metadata, metadata);
    }

    /// Patches the document in `member`. Says whether that went well; if not, the document stays as it was.
    pub fn patch(
        &mut self,
        member: &'static str,
        delta: Raw<'_>,
        metadata: Option<Raw<'_>>,
        fits: fn(&Tree) -> bool,
    ) -> bool {
        let joined = self.joined.get_or_insert_with(|| JoinedEvent::read(self.line, member, None));
        merge_metadata(&mut joined.metadata, metadata);
        let Grown::Document(document) = &mut joined.grown else { return false };
        apply_patch(document, delta, LIMITS, &mut Copies::default(), fits).is_ok()
    }

    /// Another type, for an activity.
    pub fn rename(&mut self, activity_type: String) {
        if let Some(joined) = &mut self.joined {
            joined.activity_type = Some(activity_type);
        }
    }

    /// A later snapshot takes the place of this one, which leaves its metadata behind.
    pub fn replace(&mut self, member: &'static str, line: &'a str) {
        let before = self.joined.take().unwrap_or_else(|| JoinedEvent::read(self.line, member, None));
        self.joined = Some(JoinedEvent::read(line, member, before.metadata));
        self.line = line;
    }

    /// Writes the event, and the end of its line.
    pub fn write(&self, out: &mut String) {
        if self.removed {
            return;
        }
        match &self.joined {
            None => write_json(out, self.line),
            Some(joined) => joined.write(self.line, out),
        }
        out.push('\n');
    }
}

impl JoinedEvent {
    /// Reads the event, whose metadata goes on top of `metadata`.
    fn read(line: &str, member: &'static str, mut metadata: Option<Tree>) -> Self {
        let fields = Fields::read(line, LIMITS.depth);
        let value = fields.as_ref().and_then(|fields| fields.get(member));
        let grown = match member {
            "delta" => Grown::Text(value.and_then(Raw::literal).unwrap_or_default().raw().to_owned()),
            _ => Grown::Document(value.map(Tree::read).unwrap_or_default()),
        };
        merge_metadata(&mut metadata, fields.and_then(|fields| fields.get("metadata")));
        Self { member, grown, activity_type: None, metadata }
    }

    /// `rawEvent` would be the provider's event for a part of what this one says: it is left out.
    fn write(&self, line: &str, out: &mut String) {
        let mut object = JsonWriter::object(out);
        for (key, value) in Fields::read(line, LIMITS.depth).iter().flat_map(|f| f.iter()) {
            let changed = match &*key {
                "metadata" | "rawEvent" => true,
                "activityType" => self.activity_type.is_some(),
                key => key == self.member,
            };
            if !changed {
                object.json(&key, value.text());
            }
        }
        object.optional("activityType", self.activity_type.as_deref());
        let place = object.member(self.member);
        match &self.grown {
            Grown::Text(text) => {
                place.push('"');
                write_json(place, text);
                place.push('"');
            }
            Grown::Document(document) => document.write(place),
        }
        if let Some(metadata) = &self.metadata {
            metadata.write(object.member("metadata"));
        }
    }
}

/// Merges metadata key by key, values replaced whole (AG-UI's metadata rule).
fn merge_metadata(target: &mut Option<Tree>, metadata: Option<Raw<'_>>) {
    if let Some(metadata) = metadata.filter(|metadata| metadata.is_object()) {
        target.get_or_insert_with(Tree::object).merge(metadata);
    }
}
