//! Effects as text.

use super::host;
use crate::session::{Effect, Target};
use crate::wire::{JsonWriter, write_string};
use std::rc::Rc;

/// A JSON list: the name of the page's method (`js/glue/core.d.ts`), then its arguments. The last one stands after a line break, as
/// it is, where it may be long. The body of a request is not among them: it goes into `outgoing`.
pub fn text(effect: Effect, outgoing: &mut Rc<str>) -> String {
    let mut out = String::new();
    let mut line = Line { list: JsonWriter::array(&mut out), rest: None };
    match effect {
        Effect::Open { request, target, run_id, cursor, body } => {
            *outgoing = body;
            let line = line.text(Some("open")).number(Some(request)).flag(target == Target::Resume);
            line.text(Some(&run_id)).text(cursor.as_deref())
        }
        Effect::StopRemote { run_id } => line.text(Some("stopRemote")).text(Some(&run_id)),
        Effect::Close { request } => line.text(Some("close")).number(Some(request)),
        // Timers cut off fractions.
        Effect::Wake { at } => line.text(Some("wake")).number(at.map(|at| (at - host::now()).ceil() as u32)),
        Effect::Save { number, save, part } => line.text(Some("save")).number(Some(number)).flag(part).rest(save),
        Effect::Execute { tool_call_id, name, args, approved } => {
            line.text(Some("execute")).text(Some(&tool_call_id)).text(Some(&name)).flag(approved).rest(args)
        }
        Effect::Abandon { tool_call_id } => line.text(Some("abandon")).text(Some(&tool_call_id)),
        Effect::Settled { name, result, .. } => line.text(Some("settled")).text(Some(&name)).rest(result),
        Effect::Custom { name, value } => line.text(Some("custom")).text(Some(&name)).rest(value),
        Effect::Event(json) => line.text(Some("event")).rest(json),
        Effect::Decision(json) => line.text(Some("decision")).rest(json),
        Effect::Warning(warning) => {
            let line = line.text(Some("warning"));
            warning.write(line.list.item());
            line
        }
        Effect::Changed { urgent } => line.text(Some("changed")).flag(urgent),
    };
    if let Some(rest) = line.end() {
        out.reserve_exact(rest.len() + 1);
        out.push('\n');
        out.push_str(&rest);
    }
    out
}

/// A list that is being written, and the argument after it.
struct Line<'o> {
    list: JsonWriter<'o>,
    rest: Option<String>,
}

impl Line<'_> {
    /// An argument, which may be left out where it is the last.
    #[inline(never)]
    fn text(&mut self, text: Option<&str>) -> &mut Self {
        text.into_iter().for_each(|text| write_string(self.list.item(), text));
        self
    }

    /// The same.
    #[inline(never)]
    fn number(&mut self, number: Option<u32>) -> &mut Self {
        number.into_iter().for_each(|number| self.list.item().push_str(&number.to_string()));
        self
    }

    #[inline(never)]
    fn flag(&mut self, on: bool) -> &mut Self {
        self.list.item().push_str(if on { "true" } else { "false" });
        self
    }

    fn rest(&mut self, rest: String) -> &mut Self {
        self.rest = Some(rest);
        self
    }

    /// Ends the list. Gives the argument after it.
    fn end(self) -> Option<String> {
        self.rest
    }
}
