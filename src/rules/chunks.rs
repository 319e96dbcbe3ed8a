//! `*_CHUNK` events → START, content and END events.
//!
//! Each owner (a subagent, or the parent agent) has one lane, and a lane holds at most one open chunk stream:
//!
//! ```text
//!            chunk with a new id, or of another kind: END of the old stream, START
//!          ┌──────────────────────────────┐
//!  empty ──┴─► open (kind, id) ───────────┘──► empty: END, on an event of the lane that is no chunk,
//!                  │ ▲                          or for all lanes on RUN_* and MESSAGES_SNAPSHOT
//!                  └─┘ chunk of the same kind without an id or with the same: content
//! ```

use super::Violation;
use super::lanes::{Lanes, OfKind};
use crate::wire::{DeltaKind, Event, Incoming, Str, shown_id};

/// An open chunk stream. Its strings are kept as the insides of JSON literals, as they came.
#[derive(Debug)]
pub(super) struct Lane {
    owner: Option<String>,
    kind: DeltaKind,
    id: String,
    /// The members that it was opened with: see [`Chunk::members`].
    members: [Option<String>; 3],
}

/// Expands chunks, and remembers the streams that are open.
#[derive(Debug, Default)]
pub struct ChunkExpander {
    lanes: Lanes,
}

/// A chunk of any kind.
struct Chunk<'a> {
    kind: DeltaKind,
    id: Option<Str<'a>>,
    delta: Option<Str<'a>>,
    /// Its `role`; `name`, or `toolCallName` of a tool call; `parentMessageId`.
    members: [Option<Str<'a>>; 3],
}

/// How long the ids may be that a chunk leaves out.
const MOST_IMPLIED: usize = 4096;

/// Takes the expanded events, and whether each was made here: the last one may be what came.
type Sink<'s> = dyn FnMut(&Incoming<'_>, bool) + 's;

impl ChunkExpander {
    /// Forgets every open stream.
    pub fn clear(&mut self) {
        self.lanes = Lanes::default();
    }

    /// Whether no chunk stream is open, so that events other than chunks pass as they are.
    pub fn is_idle(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Hands `incoming`, expanded, to `sink`. A chunk that breaks a rule is dropped and changes nothing.
    pub fn expand(&mut self, incoming: &Incoming<'_>, sink: &mut Sink<'_>) -> Result<(), Violation> {
        let Incoming { subagent_run_id: tag, metadata, .. } = *incoming;
        let Some(chunk) = Chunk::of(&incoming.event) else {
            if !self.lanes.is_empty() {
                self.close_for(incoming, sink);
            }
            sink(incoming, false);
            return Ok(());
        };
        let lane = self.lane_of(&chunk, tag)?;
        self.check_implied(&chunk, tag, lane)?;
        let continues = |lane: &&Lane| lane.kind == chunk.kind && chunk.id.is_none_or(|id| id == lane.id());
        if let Some(lane) = lane.and_then(|at| self.lanes.get(at)).filter(continues) {
            lane.check(&chunk)?;
            if chunk.delta.is_some() || metadata.is_some() {
                let event = lane.content(chunk.delta.unwrap_or_default());
                sink(&Incoming { event, subagent_run_id: tag.or(lane.owner()), metadata }, true);
            }
            return Ok(());
        }
        let opened = Lane::open(&chunk, tag)?;
        if let Some(at) = lane {
            self.close(at, sink);
        }
        sink(&Incoming { event: opened.start(&chunk), subagent_run_id: tag, metadata }, true);
        if let Some(delta) = chunk.delta {
            sink(&Incoming { event: opened.content(delta), subagent_run_id: tag, metadata: None }, true);
        }
        self.lanes.push(opened);
        Ok(())
    }

    /// Checks the members that a chunk leaves out. They are looked up anew for each: that has to be about as short as
    /// the chunk.
    fn check_implied(&self, chunk: &Chunk<'_>, tag: Option<Str<'_>>, lane: Option<usize>) -> Result<(), Violation> {
        let Some(lane) = lane.and_then(|at| self.lanes.get(at)) else { return Ok(()) };
        let id = if chunk.id.is_none() { lane.id.len() } else { 0 };
        let owner = lane.owner.as_ref().filter(|_| tag.is_none()).map_or(0, String::len);
        if id + owner <= MOST_IMPLIED {
            return Ok(());
        }
        let what = format!("a chunk must name its stream and subagent where they are longer than {MOST_IMPLIED} bytes");
        violation("chunk-without-id", "C7", what)
    }

    /// The open lane that a chunk goes to, if there is one.
    fn lane_of(&self, chunk: &Chunk<'_>, tag: Option<Str<'_>>) -> Result<Option<usize>, Violation> {
        if let Some(id) = chunk.id {
            let Some(at) = self.lanes.of_id(chunk.kind, id) else { return Ok(self.lanes.of_owner(tag)) };
            let owner = self.lanes.get(at).and_then(Lane::owner);
            if tag.is_some() && tag != owner {
                return violation(
                    "chunk-owner",
                    "C2",
                    format!("the chunk stream \"{}\" belongs to another subagent", shown_id(&id.decode())),
                );
            }
            return Ok(Some(at));
        }
        if tag.is_some() {
            return Ok(self.lanes.of_owner(tag));
        }
        let parent = self.lanes.of_owner(None);
        if parent.and_then(|at| self.lanes.get(at)).is_some_and(|lane| lane.kind == chunk.kind) {
            return Ok(parent);
        }
        match self.lanes.of_kind(chunk.kind) {
            OfKind::Several => violation(
                "chunk-ambiguous",
                "C5",
                "several subagents have a chunk stream open, and the chunk names none of them",
            ),
            OfKind::One(only) => Ok(Some(only)),
            OfKind::None => Ok(parent),
        }
    }

    /// Closes what an event that is no chunk closes.
    fn close_for(&mut self, incoming: &Incoming<'_>, sink: &mut Sink<'_>) {
        match incoming.event {
            Event::RunStarted { .. }
            | Event::RunFinished { .. }
            | Event::RunError { .. }
            | Event::MessagesSnapshot { .. } => {
                for lane in self.lanes.take() {
                    lane.close(sink);
                }
            }
            Event::Raw { .. }
            | Event::ActivitySnapshot { .. }
            | Event::ActivityDelta { .. }
            | Event::ReasoningEncryptedValue { .. }
            | Event::SubagentStarted { .. } => {}
            _ => {
                if let Some(at) = self.lanes.of_owner(incoming.subagent_run_id) {
                    self.close(at, sink);
                }
            }
        }
    }

    fn close(&mut self, at: usize, sink: &mut Sink<'_>) {
        self.lanes.remove(at).into_iter().for_each(|lane| lane.close(sink));
    }
}

impl<'a> Chunk<'a> {
    fn of(event: &Event<'a>) -> Option<Self> {
        Some(match *event {
            Event::TextMessageChunk { message_id: id, role, delta, name } => {
                Self { kind: DeltaKind::Text, id, delta, members: [role, name, None] }
            }
            Event::ToolCallChunk { tool_call_id: id, tool_call_name, parent_message_id, delta } => {
                Self { kind: DeltaKind::Args, id, delta, members: [None, tool_call_name, parent_message_id] }
            }
            Event::ReasoningMessageChunk { message_id: id, delta } => {
                Self { kind: DeltaKind::Reasoning, id, delta, members: [None; 3] }
            }
            _ => return None,
        })
    }
}

impl Lane {
    pub fn kind(&self) -> DeltaKind {
        self.kind
    }

    pub fn id(&self) -> Str<'_> {
        Str::from_raw(&self.id)
    }

    fn close(self, sink: &mut Sink<'_>) {
        let id = self.id();
        let event = match self.kind {
            DeltaKind::Text => Event::TextMessageEnd { message_id: id },
            DeltaKind::Args => Event::ToolCallEnd { tool_call_id: id },
            DeltaKind::Reasoning => Event::ReasoningMessageEnd { message_id: id },
        };
        sink(&Incoming { event, subagent_run_id: self.owner(), metadata: None }, true);
    }

    pub fn owner(&self) -> Option<Str<'_>> {
        self.owner.as_deref().map(Str::from_raw)
    }

    fn open(chunk: &Chunk<'_>, tag: Option<Str<'_>>) -> Result<Self, Violation> {
        let Some(id) = chunk.id else {
            let (_, id) = chunk.kind.names();
            return violation("chunk-without-id", "C7", format!("the first chunk of a stream must have a \"{id}\""));
        };
        if chunk.kind == DeltaKind::Args && chunk.members[1].is_none() {
            return violation(
                "chunk-without-name",
                "C7",
                "the first chunk of a tool call must have a \"toolCallName\"",
            );
        }
        let text = |member: Str<'_>| member.raw().to_owned();
        let mut members = chunk.members.map(|member| member.map(text));
        members[0].get_or_insert_with(|| "assistant".to_owned());
        Ok(Self { owner: tag.map(text), kind: chunk.kind, id: text(id), members })
    }

    /// A chunk that repeats what its stream was opened with must repeat it exactly.
    fn check(&self, chunk: &Chunk<'_>) -> Result<(), Violation> {
        let names = ["role", if self.kind == DeltaKind::Args { "toolCallName" } else { "name" }, "parentMessageId"];
        for ((new, old), name) in chunk.members.iter().zip(&self.members).zip(&names) {
            if new.is_some() && *new != old.as_deref().map(Str::from_raw) {
                let what = format!("a chunk of \"{}\" changes its \"{name}\"", shown_id(&self.id().decode()));
                return violation("chunk-conflict", "C9", what);
            }
        }
        Ok(())
    }

    /// The START, for the chunk that opens it.
    fn start<'a>(&'a self, chunk: &Chunk<'a>) -> Event<'a> {
        let (id, [role, name, parent_message_id]) = (self.id(), chunk.members);
        match self.kind {
            DeltaKind::Text => Event::TextMessageStart { message_id: id, role, name },
            DeltaKind::Args => {
                Event::ToolCallStart { tool_call_id: id, tool_call_name: name.unwrap_or_default(), parent_message_id }
            }
            DeltaKind::Reasoning => Event::ReasoningMessageStart { message_id: id },
        }
    }

    fn content<'a>(&'a self, delta: Str<'a>) -> Event<'a> {
        let id = self.id();
        match self.kind {
            DeltaKind::Text => Event::TextMessageContent { message_id: id, delta },
            DeltaKind::Args => Event::ToolCallArgs { tool_call_id: id, delta },
            DeltaKind::Reasoning => Event::ReasoningMessageContent { message_id: id, delta },
        }
    }
}

fn violation<T>(code: &'static str, rule: &'static str, message: impl Into<String>) -> Result<T, Violation> {
    Err(Violation::new(code, rule, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `TYPE id=delta` of every expanded event, `!code` of every violation.
    fn expand(chunks: &[&str]) -> String {
        let mut expander = ChunkExpander::default();
        let mut seen = Vec::new();
        for chunk in chunks {
            let text = format!("{{{}}}", chunk.replace('\'', "\""));
            let incoming = Incoming::read(&crate::wire::frame_fields(&text, 9).unwrap(), &mut |_| {}).unwrap();
            let result = expander.expand(&incoming, &mut |i, _| seen.push(describe(i)));
            if let Err(violation) = result {
                seen.push(format!("!{}", violation.code));
            }
        }
        seen.join(" ")
    }

    fn describe(incoming: &Incoming<'_>) -> String {
        let text = match &incoming.event {
            Event::TextMessageStart { message_id, role, .. } => {
                format!("S:{}/{}", message_id.raw(), role.map_or("-", |role| role.raw()))
            }
            Event::TextMessageContent { message_id, delta } => format!("C:{}={}", message_id.raw(), delta.raw()),
            Event::TextMessageEnd { message_id } => format!("E:{}", message_id.raw()),
            Event::ToolCallStart { tool_call_id, tool_call_name, .. } => {
                format!("TS:{}/{}", tool_call_id.raw(), tool_call_name.raw())
            }
            Event::ToolCallArgs { tool_call_id, delta } => format!("TA:{}={}", tool_call_id.raw(), delta.raw()),
            Event::ToolCallEnd { tool_call_id } => format!("TE:{}", tool_call_id.raw()),
            Event::ReasoningMessageStart { message_id } => format!("RS:{}", message_id.raw()),
            Event::ReasoningMessageContent { message_id, delta } => format!("RC:{}={}", message_id.raw(), delta.raw()),
            Event::ReasoningMessageEnd { message_id } => format!("RE:{}", message_id.raw()),
            _ => "other".into(),
        };
        let meta = incoming.metadata.map_or(String::new(), |m| format!("+{}", m.text()));
        match &incoming.subagent_run_id {
            Some(owner) => format!("{text}@{}{meta}", owner.raw()),
            None => text + &meta,
        }
    }

    const TEXT: &str = "'type':'TEXT_MESSAGE_CHUNK'";
    const TOOL: &str = "'type':'TOOL_CALL_CHUNK'";

    #[test]
    fn a_stream_opens_goes_on_and_closes() {
        let first = format!("{TEXT},'messageId':'m','delta':'a','metadata':{{}}");
        let tool = format!("{TOOL},'toolCallId':'t','toolCallName':'n','parentMessageId':'m','delta':'{{'");
        let next = format!("{TEXT},'delta':'b'");
        let empty = format!("{TEXT},'messageId':'m'");
        let reasoning = "'type':'REASONING_MESSAGE_CHUNK','messageId':'r','delta':'x'";
        assert_eq!(
            expand(&[&first, &next, &empty, &tool, reasoning, "'type':'CUSTOM','name':'x','value':1", &next]),
            "S:m/-+{} C:m=a C:m=b E:m TS:t/n TA:t={ TE:t RS:r RC:r=x RE:r other !chunk-without-id"
        );
    }

    #[test]
    fn a_chunk_with_its_providers_event_is_content() {
        let first = format!("{TEXT},'messageId':'m'");
        let raw = format!("{TEXT},'rawEvent':{{'a':1}}");
        let none = format!("{TEXT},'rawEvent':null");
        assert_eq!(expand(&[&first, &raw, &none]), "S:m/- C:m=");
    }

    #[test]
    fn lanes_of_owners_are_apart() {
        let a = format!("{TEXT},'messageId':'a','delta':'1','subagentRunId':'s1'");
        let b = format!("{TEXT},'messageId':'b','delta':'2','subagentRunId':'s2'");
        let a2 = format!("{TEXT},'delta':'3','subagentRunId':'s1'");
        let b2 = format!("{TEXT},'messageId':'b','delta':'4'");
        let anonymous = format!("{TEXT},'delta':'5'");
        let wrong = format!("{TEXT},'messageId':'b','delta':'6','subagentRunId':'s1'");
        assert_eq!(
            expand(&[
                &a,
                &b,
                &a2,
                &b2,
                &anonymous,
                &wrong,
                "'type':'SUBAGENT_FINISHED','subagentRunId':'s1'",
                &anonymous
            ]),
            "S:a/-@s1 C:a=1@s1 S:b/-@s2 C:b=2@s2 C:a=3@s1 C:b=4@s2 !chunk-ambiguous !chunk-owner E:a@s1 other@s1 C:b=5@s2"
        );
        let end = "'type':'MESSAGES_SNAPSHOT','messages':[]";
        assert!(expand(&[&a, &b, "'type':'RAW','event':1", end]).ends_with("other E:a@s1 E:b@s2 other"));
    }

    #[test]
    fn conflicts_drop_the_chunk_and_keep_the_stream() {
        let open = format!("{TEXT},'messageId':'m','delta':'a'");
        let role = format!("{TEXT},'delta':'x','role':'user'");
        let name = format!("{TEXT},'delta':'x','name':'late'");
        let good = format!("{TEXT},'delta':'b','role':'assistant'");
        assert_eq!(expand(&[&open, &role, &name, &good]), "S:m/- C:m=a !chunk-conflict !chunk-conflict C:m=b");
        assert_eq!(expand(&[&format!("{TOOL},'toolCallId':'t'")]), "!chunk-without-name");
    }
}
