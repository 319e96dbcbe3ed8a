//! The sets of words that rows have.

use crate::wire::words;

words! {
    /// The author of a message.
    pub(crate) Role {
        Developer = "developer", System = "system", Assistant = "assistant", User = "user", Tool = "tool",
        Activity = "activity", Reasoning = "reasoning",
    }
}

words! {
    /// How far a message has come: growing, whole, cut off by `stop()`, or by an error or a lost connection.
    pub(crate) Delivery { Streaming = "streaming", Complete = "complete", Aborted = "aborted", Error = "error" }
}

words! {
    /// Whether a call is done.
    pub(crate) CallStatus { Running = "running", Complete = "complete", Error = "error" }
}

words! {
    /// How far a call has come.
    pub(crate) CallPhase {
        InputStreaming = "input-streaming", InputAvailable = "input-available", AwaitingApproval = "awaiting-approval",
        Executing = "executing", Denied = "denied", OutputAvailable = "output-available", OutputError = "output-error",
    }
}

words! {
    /// How far a step or a subagent has come.
    pub(crate) Status { Running = "running", Complete = "complete", Suspended = "suspended", Error = "error" }
}

words! {
    /// How far a call of the page has come.
    pub(crate) Stage {
        Done = "done",
        /// It was executed when the page was left. A save has one word for both, which is read as this.
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
    #[derive(Default)]
    pub(crate) Start {
        /// With the messages of the submit, which may be none.
        #[default]
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
        /// The same, of events that tell the whole thread: each call is the one that was there before.
        Opens = "submit",
    }
}

words! {
    /// How an agent stands.
    pub(crate) Standing { Idle = "idle", Running = "running", Error = "error" }
}

words! {
    /// How its connection stands.
    pub(crate) ConnectionPhase {
        Closed = "closed", Connecting = "connecting", Open = "open", Reconnecting = "reconnecting",
    }
}

words! {
    /// How a run ended.
    #[non_exhaustive]
    pub Outcome {
        Success = "success", Error = "error", Aborted = "aborted", Interrupted = "interrupted", Cancelled = "cancelled",
        Truncated = "truncated",
        /// Never begun: `ifBusy` was "drop", and a run was on.
        Dropped = "dropped",
        /// Left to the server.
        Disconnected = "disconnected",
    }
}

words! {
    /// Where a checkpoint lies: where a request is about to go out, a run has ended, or a step begins or ends.
    pub(crate) Boundary {
        RunStarted = "run-started", RunFinished = "run-finished", StepStarted = "step-started", StepFinished = "step-finished",
    }
}

words! {
    /// The policy for a submit during a run.
    pub(crate) IfBusy { Queue = "queue", Replace = "replace", Drop = "drop", Reject = "reject", Steer = "steer" }
}

words! {
    /// The policy for a submit while calls wait for people: to begin and to deny them, to wait until they are decided.
    pub(crate) IfAwaiting { Deny = "deny", Wait = "wait", Reject = "reject" }
}

words! {
    /// The kind of an error: what the application should do about it.
    #[non_exhaustive]
    pub ErrorKind {
        /// The network failed, or the stream ended too early.
        Connection = "connection",
        /// The server refused, or answered with something else than a stream.
        Http = "http",
        /// The server refused with 401 or 403.
        Auth = "auth",
        /// The server broke a rule of the protocol (strict rules only).
        Protocol = "protocol",
        /// The agent reported an error of its own (RUN_ERROR).
        Run = "run",
        /// A limit was exceeded.
        Limit = "limit",
        /// The guard lets nothing of the kind go to the agent.
        Blocked = "blocked",
    }
}

words! {
    /// The operations of JSON Patch.
    pub(crate) Operation { Add = "add", Remove = "remove", Replace = "replace", Move = "move", Copy = "copy", Test = "test" }
}
