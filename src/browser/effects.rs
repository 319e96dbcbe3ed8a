//! Effects as text.

use super::host;
use crate::session::{Effect, Target};
use crate::thread::Warning;
use crate::wire::{JsonWriter, write_string};
use std::rc::Rc;

/// A JSON list: the name of the page's method (`js/glue/core.d.ts`), then its arguments. The last one stands after a line break, as
/// it is, where it may be long. The body of a request is not among them: it goes into `outgoing`.
pub fn text(effect: Effect, outgoing: &mut Rc<str>) -> String {
    let mut written = Line::default();
    let line = &mut written;
    match effect {
        Effect::Open { request, target, run_id, cursor, body } => {
            *outgoing = body;
            line.name("open").number(Some(request)).flag(target == Target::Resume).text(Some(run_id)).text(cursor)
        }
        Effect::StopRemote { run_id } => line.name("stopRemote").text(Some(run_id)),
        Effect::Close { request } => line.name("close").number(Some(request)),
        // Timers cut off fractions.
        Effect::Wake { at } => line.name("wake").number(at.map(|at| (at - host::now()).ceil() as u32)),
        Effect::Save { number, save, part } => line.name("save").number(Some(number)).flag(part).rest(save),
        Effect::Execute { tool_call_id, name, args, approved } => {
            line.name("execute").text(Some(tool_call_id)).text(Some(name)).flag(approved).rest(args)
        }
        Effect::Abandon { tool_call_id } => line.name("abandon").text(Some(tool_call_id)),
        Effect::Settled { name, result, .. } => line.name("settled").text(Some(name)).rest(result),
        Effect::Custom { name, value } => line.name("custom").text(Some(name)).rest(value),
        Effect::Event(json) => line.name("event").rest(json),
        #[cfg(feature = "guard")]
        Effect::Decision(json) => line.name("decision").rest(json),
        Effect::Warning(warning) => line.name("warning").warning(&warning),
        Effect::Changed { urgent } => line.name("changed").flag(urgent),
    };
    written.end()
}

/// A list that is being written.
#[derive(Default)]
struct Line {
    list: String,
    rest: Option<String>,
}

impl Line {
    #[inline(never)]
    fn name(&mut self, name: &str) -> &mut Self {
        self.list.push('[');
        write_string(&mut self.list, name);
        self
    }

    /// An argument, which may be left out where it is the last.
    #[inline(never)]
    fn text(&mut self, text: Option<String>) -> &mut Self {
        if let Some(text) = text {
            self.list.push(',');
            write_string(&mut self.list, &text);
        }
        self
    }

    /// The same.
    #[inline(never)]
    fn number(&mut self, number: Option<u32>) -> &mut Self {
        if let Some(number) = number {
            self.list.push(',');
            self.list.push_str(&number.to_string());
        }
        self
    }

    #[inline(never)]
    fn flag(&mut self, on: bool) -> &mut Self {
        self.list.push_str(if on { ",true" } else { ",false" });
        self
    }

    fn warning(&mut self, Warning { code, rule, message, event_type }: &Warning) -> &mut Self {
        self.list.push(',');
        let mut object = JsonWriter::object(&mut self.list);
        object.string("code", code).optional("rule", *rule).string("message", message);
        object.optional("eventType", event_type.as_deref());
        object.close();
        self
    }

    /// The argument after the list.
    fn rest(&mut self, rest: String) -> &mut Self {
        self.rest = Some(rest);
        self
    }

    fn end(mut self) -> String {
        self.list.push(']');
        if let Some(rest) = self.rest {
            self.list.reserve_exact(rest.len() + 1);
            self.list.push('\n');
            self.list.push_str(&rest);
        }
        self.list
    }
}
