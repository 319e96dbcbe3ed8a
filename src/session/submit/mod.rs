//! What the application asks for, read from its JSON text.

mod shapes;
mod tool;

pub(super) use shapes::RESUME;
pub(super) use tool::PageTool;

use super::words::{Misuse, Ticket};
use crate::wire::{Fields, Gather, JsonWriter, Raw, write_json};
use shapes::{CONTEXT, TOOLS};

/// What to do with a submit during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfBusy {
    Queue,
    Replace,
    Drop,
    Reject,
}

/// What to do with a submit while calls wait for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IfAwaiting {
    /// It begins, and the calls are denied.
    Deny,
    /// It waits in the queue until the calls are decided.
    Wait,
    Reject,
}

/// How a run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// With the messages of the submit, which may be none.
    Submit,
    /// Again, without what the last run left unfinished.
    Retry,
    /// Again, from before this assistant message (the last one, if none is named).
    Regenerate(Option<String>),
    /// It is on already, at the server.
    Attach,
    /// By itself: events have come over a connection that is kept open. Nothing is sent. `continues`: they continue the
    /// last answer.
    Unasked { continues: bool },
}

/// A run that the application asked for. JSON is kept as text.
#[derive(Debug)]
pub(super) struct Submit {
    pub ticket: Ticket,
    pub start: Start,
    pub run_id: String,
    pub if_awaiting: IfAwaiting,
    /// The user message that the new one takes the place of.
    pub replaces: Option<String>,
    /// The id that the last user message takes before the request is made.
    pub new_message_id: Option<String>,
    pub messages: String,
    pub state: Option<String>,
    pub resume: Option<String>,
    pub tools: String,
    pub context: String,
    pub forwarded_props: String,
    /// Which of `tools`, `context` and `forwardedProps` it has of its own. The others are the application's options, which are
    /// asked for again when a request leaves.
    pub own: Vec<String>,
    /// The tools that the page has.
    pub page_tools: Vec<PageTool>,
    /// How many runs may follow on their calls.
    pub max_follow_ups: u32,
    /// What was left out of tools, context and answers, because AG-UI has no such member.
    pub unknown: Vec<String>,
}

impl Submit {
    /// Whether it has something to say to the server.
    pub fn speaks(&self) -> bool {
        !matches!(self.start, Start::Attach | Start::Unasked { .. })
    }

    /// Reads the application's JSON (see `Session::submit`).
    pub fn read(json: &str, max_depth: usize, start: Start) -> Result<(Self, IfBusy), Misuse> {
        let expected = Misuse::Input("a JSON object");
        let fields = Raw::parse_object(json, max_depth).ok().flatten().ok_or(expected)?;
        let start = match fields.some("unasked").and_then(Raw::string).as_deref() {
            Some(how) if start == Start::Submit => Start::Unasked { continues: how == "continues" },
            _ if start == Start::Regenerate(None) => {
                Start::Regenerate(fields.some("of").and_then(Raw::string).map(String::from))
            }
            _ => start,
        };
        let run_id = match (fields.get("runId").and_then(Raw::string), &start) {
            (Some(run_id), _) => run_id,
            (None, Start::Attach) => "".into(),
            (None, _) => return Err(Misuse::Input("a string \"runId\"")),
        };
        let if_busy = match fields.some("ifBusy").and_then(Raw::string).as_deref() {
            None | Some("queue") => IfBusy::Queue,
            Some("replace") => IfBusy::Replace,
            Some("drop") => IfBusy::Drop,
            Some("reject") => IfBusy::Reject,
            Some(_) => return Err(Misuse::Input("\"queue\", \"replace\", \"drop\" or \"reject\" as \"ifBusy\"")),
        };
        let if_awaiting = match fields.some("ifAwaiting").and_then(Raw::string).as_deref() {
            None | Some("deny") => IfAwaiting::Deny,
            Some("wait") => IfAwaiting::Wait,
            Some("reject") => IfAwaiting::Reject,
            Some(_) => return Err(Misuse::Input("\"deny\", \"wait\" or \"reject\" as \"ifAwaiting\"")),
        };
        let mut unknown = Vec::new();
        let submit = Self {
            ticket: 0,
            start,
            run_id: run_id.into_owned(),
            if_awaiting,
            replaces: fields.some("replaces").and_then(Raw::string).map(String::from),
            new_message_id: fields.some("newMessageId").and_then(Raw::string).map(String::from),
            messages: messages(&fields)?,
            state: fields.get("state").map(|raw| raw.text().to_owned()),
            resume: RESUME.read(&fields, &mut unknown)?,
            tools: TOOLS.read(&fields, &mut unknown)?.unwrap_or_else(empty),
            context: CONTEXT.read(&fields, &mut unknown)?.unwrap_or_else(empty),
            forwarded_props: fields.some("forwardedProps").map_or("{}", Raw::text).to_owned(),
            own: fields
                .some("own")
                .and_then(Raw::array)
                .unwrap_or_default()
                .into_iter()
                .filter_map(|raw| raw.string().map(String::from))
                .gather(),
            page_tools: PageTool::read_all(&fields),
            max_follow_ups: fields.get("maxFollowUps").and_then(Raw::whole).unwrap_or(8).min(1000) as u32,
            unknown,
        };
        Ok((submit, if_busy))
    }

    /// Takes over what `json`, which `edited` was read from, says. It begins as before.
    pub fn edit(&mut self, json: &str, edited: Self) {
        let fields = Raw::parse_object(json, usize::MAX).ok().flatten();
        let says = |name: &str| fields.as_ref().is_some_and(|fields| fields.get(name).is_some());
        self.run_id = edited.run_id;
        self.replaces = edited.replaces.or(self.replaces.take());
        self.resume = edited.resume.or(self.resume.take());
        self.state = edited.state.or(self.state.take());
        for (name, own, new) in [
            ("messages", &mut self.messages, edited.messages),
            ("tools", &mut self.tools, edited.tools),
            ("context", &mut self.context, edited.context),
            ("forwardedProps", &mut self.forwarded_props, edited.forwarded_props),
        ] {
            if says(name) {
                *own = new;
                self.own.push(name.to_owned());
            }
        }
        if says("ifAwaiting") {
            self.if_awaiting = edited.if_awaiting;
        }
        if says("pageTools") {
            self.page_tools = edited.page_tools;
        }
        if says("maxFollowUps") {
            self.max_follow_ups = edited.max_follow_ups;
        }
    }

    /// Takes over what the application's options are now (`{tools?, pageTools?, context?, forwardedProps?}`), but for what was
    /// submitted. Says whether the request is another one.
    pub fn refresh(&mut self, json: &str, max_depth: usize) -> Result<bool, Misuse> {
        let fields = Raw::parse_object(json, max_depth).ok().flatten().ok_or(Misuse::Input("a JSON object"))?;
        // Unknown members were a warning of the submit.
        let unknown = &mut Vec::new();
        let props = fields.some("forwardedProps").map_or("{}", Raw::text).to_owned();
        let mut changed = false;
        let asks = |name: &str| self.own.iter().all(|own| own != name);
        let asks_tools = asks("tools");
        for (name, old, new) in [
            ("tools", &mut self.tools, TOOLS.read(&fields, unknown)?.unwrap_or_else(empty)),
            ("context", &mut self.context, CONTEXT.read(&fields, unknown)?.unwrap_or_else(empty)),
            ("forwardedProps", &mut self.forwarded_props, props),
        ] {
            if asks(name) && *old != new {
                (*old, changed) = (new, true);
            }
        }
        if asks_tools {
            self.page_tools = PageTool::read_all(&fields);
        }
        Ok(changed)
    }

    /// The same again, with nothing new to say.
    pub fn to_follow(&self) -> Self {
        Self {
            ticket: self.ticket,
            start: Start::Submit,
            run_id: self.run_id.clone(),
            if_awaiting: IfAwaiting::Deny,
            replaces: None,
            new_message_id: None,
            messages: empty(),
            state: None,
            resume: None,
            tools: self.tools.clone(),
            context: self.context.clone(),
            forwarded_props: self.forwarded_props.clone(),
            own: self.own.clone(),
            page_tools: self.page_tools.clone(),
            max_follow_ups: self.max_follow_ups,
            unknown: Vec::new(),
        }
    }

    /// Writes the submit as the snapshot's `queue` shows it.
    pub fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("id", &self.ticket.to_string()).string("runId", &self.run_id);
        write_json(object.member("messages"), &self.messages);
        object.close();
    }
}

impl Submit {
    /// Writes all of it.
    pub fn save(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        let (start, of) = match &self.start {
            Start::Submit | Start::Attach | Start::Unasked { .. } => ("submit", None),
            Start::Retry => ("retry", None),
            Start::Regenerate(id) => ("regenerate", id.as_deref()),
        };
        object.string("start", start).optional("of", of).string("runId", &self.run_id);
        object.optional("ifAwaiting", (self.if_awaiting == IfAwaiting::Wait).then_some("wait"));
        object.optional("replaces", self.replaces.as_deref());
        object.optional("newMessageId", self.new_message_id.as_deref());
        for (name, json) in [
            ("messages", Some(self.messages.as_str())),
            ("state", self.state.as_deref()),
            ("resume", self.resume.as_deref()),
            ("tools", Some(&self.tools)),
            ("context", Some(&self.context)),
            ("forwardedProps", Some(&self.forwarded_props)),
        ] {
            if let Some(json) = json {
                object.json(name, json);
            }
        }
        object.strings("own", self.own.iter().map(String::as_str));
        let mut tools = JsonWriter::array(object.member("pageTools"));
        self.page_tools.iter().for_each(|tool| tool.save(tools.item()));
        tools.close();
        object.number("maxFollowUps", Some(u64::from(self.max_follow_ups)));
        object.close();
    }

    pub fn restore(raw: Raw<'_>, depth: usize) -> Result<Self, Misuse> {
        let expected = Misuse::Input("a saved submit");
        let fields: Fields<'_> = raw.object().ok_or(expected.clone())?;
        let start = match fields.get("start").and_then(Raw::string).as_deref() {
            Some("submit") => Start::Submit,
            Some("retry") => Start::Retry,
            Some("regenerate") => Start::Regenerate(None),
            _ => return Err(expected),
        };
        Self::read(raw.text(), depth, start).map(|(submit, _)| submit)
    }
}

fn empty() -> String {
    "[]".to_owned()
}

fn messages(fields: &Fields<'_>) -> Result<String, Misuse> {
    match fields.some("messages") {
        None => Ok(empty()),
        Some(raw) if raw.text().starts_with('[') => Ok(raw.text().to_owned()),
        Some(_) => Err(Misuse::Input("an array of \"messages\"")),
    }
}
