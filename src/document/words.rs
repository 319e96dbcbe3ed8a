//! Sets of words, each a type. Rows have their numbers.

/// Makes a type of a set of words.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $name { $($(#[$of])* $variant),* }

        #[allow(dead_code)] // Not all are read, or written by their names.
        impl $name {
            pub const WORDS: &'static [&'static str] = &[$($word),*];
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            pub fn name(self) -> &'static str {
                Self::WORDS.get(self as usize).copied().unwrap_or_default()
            }

            pub fn numbered(number: u8) -> Option<Self> {
                Self::ALL.get(usize::from(number)).copied()
            }

            pub fn parse(word: &str) -> Option<Self> {
                Self::WORDS.iter().position(|known| *known == word).and_then(|at| Self::ALL.get(at).copied())
            }
        }
    };
}

words! {
    /// The author of a message.
    Role {
        Developer = "developer", System = "system", Assistant = "assistant", User = "user", Tool = "tool",
        Activity = "activity", Reasoning = "reasoning",
    }
}

words! {
    /// How far a message has come: growing, whole, cut off by `stop()`, or by an error or a lost connection.
    Delivery { Streaming = "streaming", Complete = "complete", Aborted = "aborted", Error = "error" }
}

words! {
    /// Whether a call is done.
    CallStatus { Running = "running", Complete = "complete", Error = "error" }
}

words! {
    /// How far a call has come.
    CallPhase {
        InputStreaming = "input-streaming", InputAvailable = "input-available", AwaitingApproval = "awaiting-approval",
        Executing = "executing", Denied = "denied", OutputAvailable = "output-available", OutputError = "output-error",
    }
}

words! {
    /// How far a step or a subagent has come.
    Status { Running = "running", Complete = "complete", Suspended = "suspended", Error = "error" }
}

words! {
    /// How far a call of the page has come.
    Stage {
        Done = "done",
        /// It was executed when the page was left.
        Abandoned = "executing",
        Executing = "executing",
        /// For somebody who approves.
        Waiting = "waiting",
        /// For somebody who answers.
        Manual = "manual",
    }
}

words! {
    /// How a run begins; of those with one name a save has the first.
    Start {
        /// With the messages of the submit, which may be none.
        Submit = "submit",
        /// Again, without what the last run left unfinished.
        Retry = "retry",
        /// Again, from before an assistant message.
        Regenerate = "regenerate",
        /// It is on already, at the server.
        Attach = "submit",
        /// By itself: events have come over a connection that is kept open. Nothing is sent.
        Unasked = "submit",
        /// The same, of events that continue the last answer.
        Continues = "submit",
    }
}

words! {
    /// The operations of JSON Patch.
    Operation { Add = "add", Remove = "remove", Replace = "replace", Move = "move", Copy = "copy", Test = "test" }
}
