//! Tools, context and answers as the application gives them, brought into the shape of AG-UI: what a server must be able
//! to rely on is checked here, and what it does not know stays here.

use crate::session::types::Misuse;
use crate::wire::shapes::{CONTEXT as ENTRY, DECLARED_TOOL, MemberType, Need, RESUME as REPLY, Shape};
use crate::wire::{Fields, JsonWriter, Raw};

/// A list of objects of one kind.
pub(in crate::session) struct SubmitShape {
    name: &'static str,
    shape: &'static Shape,
    expected: &'static str,
}

pub(super) const TOOLS: SubmitShape = SubmitShape {
    name: "tools",
    shape: &DECLARED_TOOL,
    expected: "an array of \"tools\", each with a \"name\" and a \"description\"",
};

pub(super) const CONTEXT: SubmitShape = SubmitShape {
    name: "context",
    shape: &ENTRY,
    expected: "an array of \"context\", each with a string \"description\" and a string \"value\"",
};

pub(in crate::session) const RESUME: SubmitShape = SubmitShape {
    name: "resume",
    shape: &REPLY,
    expected: "an array of \"resume\" entries, each with an \"interruptId\" and \"resolved\" or \"cancelled\" as its \
               \"status\"",
};

impl SubmitShape {
    /// Writes one element of the list, from the members that it has; `None`: it is none.
    pub fn read_entry(&self, fields: &Fields<'_>) -> Option<String> {
        let mut json = String::new();
        let mut object = JsonWriter::object(&mut json);
        for field in self.shape.fields {
            match fields.some(field.name) {
                None if field.need != Need::Required => {}
                Some(value) if fits(field.kind, value) => {
                    object.json(field.name, value.text());
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
            let known = |key: &str| self.shape.fields.iter().any(|field| field.name == key);
            let others = fields.iter().filter(|(key, value)| !known(key) && !value.is_null());
            unknown.extend(others.map(|(key, _)| format!("{}/{at}/{key}", self.name)));
        }
        out.close();
        Ok(Some(json))
    }
}

/// Whether a value is one of a member that tools, context and answers have.
fn fits(kind: MemberType, value: Raw<'_>) -> bool {
    match kind {
        MemberType::Text => value.literal().is_some(),
        MemberType::Word(words) => value.literal().is_some_and(|text| words.contains(&text.raw())),
        MemberType::Object => value.is_object(),
        _ => true,
    }
}
