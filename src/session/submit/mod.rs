//! A request of the application, read from its JSON text.

mod shapes;

pub(super) use shapes::RESUME;

use super::types::{Misuse, Ticket};
use crate::document::*;
use crate::wire::{Fields, JsonWriter, Raw};
use shapes::{CONTEXT, TOOLS};

/// The members that the application's options are.
const OPTIONS: Members = 1 << SUBMIT_TOOLS | 1 << SUBMIT_CONTEXT | 1 << SUBMIT_PROPS;

/// The members with which a run follows.
const GOES_ON: Members = OPTIONS | 1 << SUBMIT_RUN | 1 << MAX_FOLLOW_UPS | 1 << PAGE_TOOLS;

/// A run that the application asked for.
#[derive(Debug, Default)]
pub(super) struct Submit {
    pub ticket: Ticket,
    pub start: Start,
    pub row: Row,
    /// Which of its members it has of its own. Others of `tools`, `context` and `forwardedProps` are the application's options,
    /// which are asked for again when a request leaves.
    pub own: Members,
    /// The names that were left out of tools, context and answers, because AG-UI has no such member.
    pub unknown: Vec<String>,
}

impl Start {
    /// Nobody has asked for it, and nothing is sent.
    pub fn is_unasked(self) -> bool {
        matches!(self, Self::Unasked | Self::Continues | Self::Opens)
    }
}

impl Submit {
    pub fn run_id(&self) -> &str {
        self.row.text(SUBMIT_RUN)
    }

    /// Whether it has something to say to the server.
    pub fn speaks(&self) -> bool {
        !self.start.is_unasked() && self.start != Start::Attach
    }

    pub fn is_if_awaiting(&self, how: IfAwaiting) -> bool {
        self.row.word(IF_AWAITING) == how as u8
    }

    /// How many runs may follow on its calls.
    pub fn max_follow_ups(&self) -> u32 {
        self.row.count(MAX_FOLLOW_UPS).unwrap_or_default() as u32
    }

    /// Reads the application's JSON (see `Session::submit`).
    pub fn read(json: &str, max_depth: usize, start: Start) -> Result<(Self, IfBusy), Misuse> {
        let expected = Misuse::Input("a JSON object");
        let fields = Fields::read(json, max_depth).ok_or(expected)?;
        let start = match fields.text("unasked").as_deref() {
            Some("continues") if start == Start::Submit => Start::Continues,
            Some("opens") if start == Start::Submit => Start::Opens,
            Some(_) if start == Start::Submit => Start::Unasked,
            _ => start,
        };
        let mut row = Row::read(SUBMIT, &fields, 1);
        if !row.has(SUBMIT_RUN) && start != Start::Attach {
            return Err(Misuse::Input("a string \"runId\""));
        }
        let expected = Misuse::Input("\"queue\", \"replace\", \"steer\", \"drop\" or \"reject\" as \"ifBusy\"");
        let if_busy = fields.text("ifBusy").map_or(Some(IfBusy::Queue), |word| IfBusy::parse(&word)).ok_or(expected)?;
        if !row.has(IF_AWAITING) && fields.text("ifAwaiting").is_some() {
            return Err(Misuse::Input("\"deny\", \"wait\" or \"reject\" as \"ifAwaiting\""));
        }
        match row.some(SUBMIT_MESSAGES) {
            Some(json) if !json.starts_with('[') => return Err(Misuse::Input("an array of \"messages\"")),
            Some(_) => {}
            None => row.set_text(SUBMIT_MESSAGES, "[]"),
        }
        row.set(MAX_FOLLOW_UPS, Value::count(row.count(MAX_FOLLOW_UPS).unwrap_or(8).min(1000)));
        // Here `null` is a value.
        row.set_some(SUBMIT_STATE, fields.get("state").map(Raw::text));
        let mut unknown = Vec::new();
        row.set_some(SUBMIT_RESUME, RESUME.read(&fields, &mut unknown)?.as_deref());
        row.assume(options(&fields, &mut unknown)?, OPTIONS);
        let names = fields.strings("own");
        let own = select(SUBMIT, |_, member| names.iter().any(|name| name == member.name));
        Ok((Self { ticket: 0, start, row, own, unknown }, if_busy))
    }

    /// Takes over what `json`, which `edited` was read from, says. It begins as before.
    pub fn edit(&mut self, json: &str, edited: Self) {
        let fields = Fields::read(json, usize::MAX);
        let says = |name: &str| fields.as_ref().is_some_and(|fields| fields.get(name).is_some());
        let members = select(SUBMIT, |at, member| says(member.name) && edited.row.has(at));
        self.own |= members & (OPTIONS | 1 << SUBMIT_MESSAGES);
        self.row.assume(edited.row, members);
    }

    /// Takes over what the application's options are now (`{tools?, pageTools?, context?, forwardedProps?}`), but for what was
    /// submitted. Says whether the request is another one.
    pub fn refresh(&mut self, json: &str, max_depth: usize) -> Result<bool, Misuse> {
        let fields = Fields::read(json, max_depth).ok_or(Misuse::Input("a JSON object"))?;
        // Unknown members were a warning of the submit.
        let given = options(&fields, &mut Vec::new())?;
        let changed = !self.row.same(&given, OPTIONS & !self.own);
        self.row.assume(given, OPTIONS & !self.own);
        if !self.has_own(SUBMIT_TOOLS) {
            self.row.assume(Row::read(SUBMIT, &fields, 1), 1 << PAGE_TOOLS);
        }
        Ok(changed)
    }

    fn has_own(&self, member: usize) -> bool {
        self.own >> member & 1 == 1
    }

    /// The same again, with nothing new to say.
    pub fn to_follow(&self) -> Self {
        let mut row = Row::new(SUBMIT);
        row.assume(self.row.clone(), GOES_ON);
        row.set_text(SUBMIT_MESSAGES, "[]");
        Self { ticket: self.ticket, row, own: self.own, ..Self::default() }
    }

    /// Writes the submit as the snapshot's `queue` shows it.
    pub fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("id", self.run_id());
        self.row.write(&mut object, 1, Members::MAX);
    }

    /// Writes all of it.
    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("start", self.start.name());
        let before = (1 << PAGE_TOOLS) - 1;
        self.row.write(&mut object, 0, before);
        let own = SUBMIT.iter().enumerate().filter(|(at, _)| self.has_own(*at));
        object.strings("own", own.map(|(_, member)| member.name));
        self.row.write(&mut object, 0, !before);
    }

    pub fn restore(raw: Raw<'_>, depth: usize) -> Option<Self> {
        let start = Start::parse(&raw.object()?.text("start")?)?;
        Some(Self::read(raw.text(), depth, start).ok()?.0)
    }
}

/// The input of a request, from the application's options or a submit in their place.
fn options(fields: &Fields<'_>, unknown: &mut Vec<String>) -> Result<Row, Misuse> {
    let mut options = Row::new(SUBMIT);
    for (member, shape) in [(SUBMIT_TOOLS, TOOLS), (SUBMIT_CONTEXT, CONTEXT)] {
        options.set_text(member, shape.read(fields, unknown)?.as_deref().unwrap_or("[]"));
    }
    options.set_text(SUBMIT_PROPS, fields.some("forwardedProps").map_or("{}", Raw::text));
    Ok(options)
}
