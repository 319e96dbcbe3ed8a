//! Which rows an event has. A new event does not compile without a line here.

use ag_ui_wasm::wire::{Event, Incoming, frame_fields};

macro_rules! events {
    ($($event:ident: $rows:expr;)*) => {
        /// The rows of each event.
        pub const EVENTS: &[(&str, &[&str])] = &[$((stringify!($event), &$rows)),*];

        fn of(event: &Event<'_>) -> &'static str {
            match event {
                $(Event::$event { .. } => stringify!($event),)*
            }
        }
    };
}

/// The name of an event's row.
pub fn name(event: &serde_json::Value) -> &'static str {
    let json = event.to_string();
    let fields = frame_fields(&json, 4096).unwrap();
    of(&Incoming::read(&fields, &mut |_| {}).unwrap().event)
}

events! {
    RunStarted: ["runs of a long thread","runs that bring a message each"];
    RunFinished: ["runs of a long thread","usage by models","interrupts"];
    RunError: ["runs that fail"];
    StepStarted: ["steps","steps of a long run id"];
    StepFinished: ["steps"];
    TextMessageStart: ["messages","messages opened again"];
    TextMessageContent: ["text","text of two messages","text of nobody's messages","metadata of many keys","metadata of one key"];
    TextMessageEnd: ["messages"];
    TextMessageChunk: ["text chunks"];
    ToolCallStart: ["calls","calls of one parent","calls that a message with a long owner gets","a call that begins and ends again","a call that is renamed"];
    ToolCallArgs: ["calls","arguments"];
    ToolCallEnd: ["calls","runs with a call each"];
    ToolCallChunk: ["call chunks"];
    ToolCallResult: ["results","results of one parent's calls","results of one call","results of one id"];
    StateSnapshot: ["state snapshots", "state snapshots under an edit", "state snapshots under edited members"];
    StateDelta: ["add: members", "add: under an edit"];
    MessagesSnapshot: ["snapshots beside activities","snapshots of types beside activities","a snapshot of many messages","long texts","calls of a message with a long id and owner","a snapshot of malformed messages","a snapshot of calls in another order"];
    ActivitySnapshot: ["activity snapshots"];
    ActivityDelta: ["activity deltas"];
    Raw: ["custom and raw"];
    Custom: ["custom and raw"];
    ReasoningStart: ["reasoning"];
    ReasoningEnd: ["reasoning"];
    ReasoningMessageStart: ["reasoning"];
    ReasoningMessageContent: ["reasoning"];
    ReasoningMessageEnd: ["reasoning"];
    ReasoningMessageChunk: ["reasoning chunks"];
    ReasoningEncryptedValue: ["encrypted values of a long message","encrypted values that come early"];
    SubagentStarted: ["subagents of unknown parents","subagents of one parent","subagents in a chain"];
    SubagentFinished: ["subagents that end"];
    SubagentError: ["subagents that end"];
}
