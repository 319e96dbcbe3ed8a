//! A tool that the page has, as a submit names it.

use crate::wire::{Fields, Gather, JsonWriter, Raw};

#[derive(Debug, Clone)]
pub(in crate::session) struct PageTool {
    pub name: String,
    /// The page has no function for it: a person answers.
    pub manual: bool,
    pub needs_approval: bool,
    /// Whether its result is worth another run.
    pub follow_up: bool,
}

impl PageTool {
    /// Reads `pageTools`: `[{name, manual?, needsApproval?, followUp?}]`.
    pub fn read_all(input: &Fields<'_>) -> Vec<Self> {
        let list = input.list("pageTools");
        let tool = |raw: Raw<'_>| {
            let fields = raw.object()?;
            Some(Self {
                name: fields.get("name")?.string()?.into_owned(),
                manual: fields.yes("manual"),
                needs_approval: fields.yes("needsApproval"),
                follow_up: fields.get("followUp").is_none_or(|given| given.text() != "false"),
            })
        };
        list.into_iter().filter_map(tool).gather()
    }

    /// As [`Self::read_all`] reads it.
    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("name", &self.name);
        for (name, is) in
            [("manual", self.manual), ("needsApproval", self.needs_approval), ("followUp", self.follow_up)]
        {
            object.flag(name, is);
        }
        object.close();
    }
}
