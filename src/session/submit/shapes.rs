//! Tools, context and answers as the application gives them, brought into the shape of AG-UI: what a server must be able
//! to rely on is checked here, and what it does not know stays here.

use crate::session::words::Misuse;
use crate::wire::{Fields, JsonWriter, Raw};

#[derive(Clone, Copy)]
enum SubmitMember {
    /// A string that must be there.
    Text,
    /// `resolved` or `cancelled`.
    Status,
    /// An object, or nothing.
    Object,
    /// Anything; `null` is nothing.
    Any,
}

/// A list of objects of one kind.
pub(in crate::session) struct SubmitShape {
    name: &'static str,
    members: &'static [(&'static str, SubmitMember)],
    expected: &'static str,
}

pub(super) const TOOLS: SubmitShape = SubmitShape {
    name: "tools",
    members: &[
        ("name", SubmitMember::Text),
        ("description", SubmitMember::Text),
        ("parameters", SubmitMember::Any),
        ("metadata", SubmitMember::Object),
    ],
    expected: "an array of \"tools\", each with a \"name\" and a \"description\"",
};

pub(super) const CONTEXT: SubmitShape = SubmitShape {
    name: "context",
    members: &[("description", SubmitMember::Text), ("value", SubmitMember::Text)],
    expected: "an array of \"context\", each with a string \"description\" and a string \"value\"",
};

pub(in crate::session) const RESUME: SubmitShape = SubmitShape {
    name: "resume",
    members: &[
        ("interruptId", SubmitMember::Text),
        ("status", SubmitMember::Status),
        ("payload", SubmitMember::Any),
        ("metadata", SubmitMember::Object),
    ],
    expected: "an array of \"resume\" entries, each with an \"interruptId\" and \"resolved\" or \"cancelled\" as its \
               \"status\"",
};

impl SubmitShape {
    /// Writes one element of the list, from the members that it has; `None`: it is none.
    pub fn read_entry(&self, fields: &Fields<'_>) -> Option<String> {
        let mut json = String::new();
        let mut object = JsonWriter::object(&mut json);
        for (name, member) in self.members {
            match (member, fields.some(name)) {
                (SubmitMember::Object | SubmitMember::Any, None) => {}
                (_, Some(value)) if member.fits(value) => {
                    object.json(name, value.text());
                }
                _ => return None,
            }
        }
        object.close();
        Some(json)
    }

    /// Reads the list out of the application's input; `None`: there is none. Notes in `unknown` what was left out.
    pub fn read(&self, input: &Fields<'_>, unknown: &mut Vec<String>) -> Result<Option<String>, Misuse> {
        let Some(list) = input.some(self.name) else { return Ok(None) };
        let mut json = String::new();
        let mut out = JsonWriter::array(&mut json);
        for (at, item) in list.array().ok_or(Misuse::Input(self.expected))?.into_iter().enumerate() {
            let fields = item.object().ok_or(Misuse::Input(self.expected))?;
            let entry = self.read_entry(&fields).ok_or(Misuse::Input(self.expected))?;
            out.item().push_str(&entry);
            let known = |key: &str| self.members.iter().any(|(name, _)| *name == key);
            let others = fields.iter().filter(|(key, value)| !known(key) && !value.is_null());
            unknown.extend(others.map(|(key, _)| format!("{}/{at}/{key}", self.name)));
        }
        out.close();
        Ok(Some(json))
    }
}

impl SubmitMember {
    fn fits(self, value: Raw<'_>) -> bool {
        match self {
            Self::Text => value.literal().is_some(),
            Self::Status => matches!(value.text(), "\"resolved\"" | "\"cancelled\""),
            Self::Object => value.is_object(),
            Self::Any => true,
        }
    }
}
