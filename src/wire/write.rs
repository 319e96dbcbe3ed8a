//! JSON text, written piece by piece. Nothing is written that could not be read again.

use super::json::Fields;
use super::text::{write_json, write_string};
use super::tree::Tree;

/// Writes an object or an array piece by piece, minding the commas, and its end when it goes.
pub(crate) struct JsonWriter<'a> {
    out: &'a mut String,
    close: char,
    empty: bool,
}

impl<'a> JsonWriter<'a> {
    #[inline(never)]
    pub(crate) fn object(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, close: '}', empty: true }
    }

    #[inline(never)]
    pub(crate) fn array(out: &'a mut String) -> Self {
        out.push('[');
        Self { out, close: ']', empty: true }
    }

    /// The JSON text of an object.
    pub(crate) fn object_text(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
        let mut json = String::new();
        write(&mut JsonWriter::object(&mut json));
        json
    }

    /// The JSON text of an array.
    pub(crate) fn array_text(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
        let mut json = String::new();
        write(&mut JsonWriter::array(&mut json));
        json
    }

    /// The JSON text of an object with other members (JSON texts) in place of some, or without them.
    #[inline(never)]
    pub(crate) fn changed(fields: &Fields<'_>, changes: &[(&str, Option<&str>)]) -> String {
        Self::object_text(|object| {
            object.copy(fields, &|key| changes.iter().all(|(name, _)| *name != key));
            for (name, value) in changes {
                if let Some(value) = value {
                    object.member(name).push_str(value);
                }
            }
        })
    }

    /// The place of the next element of an array.
    pub(crate) fn item(&mut self) -> &mut String {
        if !std::mem::take(&mut self.empty) {
            self.out.push(',');
        }
        self.out
    }

    /// The place of the value of the next member of an object.
    pub(crate) fn member(&mut self, key: &str) -> &mut String {
        let out = self.item();
        write_string(out, key);
        out.push(':');
        out
    }

    pub(crate) fn string(&mut self, key: &str, text: &str) -> &mut Self {
        write_string(self.member(key), text);
        self
    }

    /// A string member, left out where there is none.
    pub(crate) fn optional(&mut self, key: &str, text: Option<&str>) -> &mut Self {
        if let Some(text) = text {
            self.string(key, text);
        }
        self
    }

    /// A member of any value, left out where there is none.
    pub(crate) fn tree(&mut self, key: &str, tree: Option<&Tree>) -> &mut Self {
        if let Some(tree) = tree {
            tree.write(self.member(key));
        }
        self
    }

    pub(crate) fn json(&mut self, key: &str, json: &str) -> &mut Self {
        write_json(self.member(key), json);
        self
    }

    /// The members of another object whose keys are wanted, as they are.
    #[inline(never)]
    pub(crate) fn copy(&mut self, fields: &Fields<'_>, wanted: &dyn Fn(&str) -> bool) {
        for (key, value) in fields.iter().filter(|(key, _)| wanted(key)) {
            self.member(&key).push_str(value.text());
        }
    }

    /// A boolean member.
    #[inline(never)]
    pub(crate) fn flag(&mut self, key: &str, on: bool) -> &mut Self {
        self.member(key).push_str(if on { "true" } else { "false" });
        self
    }

    /// A number member, left out where there is none.
    pub(crate) fn number(&mut self, key: &str, number: Option<u64>) -> &mut Self {
        if let Some(number) = number {
            let text = number.to_string();
            self.member(key).push_str(&text);
        }
        self
    }

    pub(crate) fn strings<'t>(&mut self, key: &str, texts: impl Iterator<Item = &'t str>) -> &mut Self {
        let mut list = JsonWriter::array(self.member(key));
        for text in texts {
            write_string(list.item(), text);
        }
        list.close();
        self
    }

    /// Ends it before its scope does.
    pub(crate) fn close(self) {}
}

impl Drop for JsonWriter<'_> {
    #[inline(never)]
    fn drop(&mut self) {
        self.out.push(self.close);
    }
}
