//! The effects that a session asks its border to perform.

use super::Ticket;
use crate::thread::Warning;
use std::rc::Rc;

/// An effect for the border to perform, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Send this body (a `RunAgentInput`), and report what comes back under this number.
    Open {
        /// Names the request.
        request: u32,
        /// Where it goes.
        target: Target,
        /// The run that it begins or joins.
        run_id: String,
        /// How far the stream of a run that is joined was read.
        cursor: Option<String>,
        /// JSON text.
        body: Rc<str>,
    },
    /// Tell the server that the run is stopped, where the application says how.
    StopRemote {
        /// The run.
        run_id: String,
    },
    /// Abort the request; nothing more is wanted from it.
    Close {
        /// Names the request.
        request: u32,
    },
    /// Call [`crate::session::Session::tick`] at this time (milliseconds since 1970), and not at an earlier one.
    Wake {
        /// When; `None`: not at all.
        at: Option<f64>,
    },
    /// Write this save, where saves are kept, and report it with [`crate::session::Session::saved`]: within a bounded time, even if
    /// the store refuses or does not answer.
    Save {
        /// Names the save; later ones have greater numbers.
        number: u32,
        /// As [`crate::session::Session::save`] gives it.
        save: String,
        /// It has only what has changed since the last one that was whole.
        part: bool,
    },
    /// A submit has come to its end.
    Settled {
        /// The core's own number of it; 0 where nobody asked for the run.
        ticket: Ticket,
        /// Its name: the `runId` that was asked for.
        name: String,
        /// JSON text: `{runId, outcome, error?, result?, pendingToolCallIds?}`.
        result: String,
    },
    /// Call the page's tool, and report what it gives with [`crate::session::Session::settle_call`].
    Execute {
        /// Names the call.
        tool_call_id: String,
        /// The tool's name.
        name: String,
        /// The arguments as JSON text.
        args: String,
        /// A person has approved it: nobody is asked again.
        approved: bool,
    },
    /// The page's tool need not continue: nobody waits for its result.
    Abandon {
        /// Names the call.
        tool_call_id: String,
    },
    /// A CUSTOM event.
    Custom {
        /// Its name.
        name: String,
        /// Its value as JSON text.
        value: String,
    },
    /// An event as it came, as JSON text.
    Event(String),
    /// A decision of the guard about an event, as JSON text.
    Decision(String),
    /// Something odd that was dealt with.
    Warning(Warning),
    /// The snapshot is out of date; `urgent`: the user waits for it.
    Changed {
        /// Whether to publish at once.
        urgent: bool,
    },
}

/// Where a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Target {
    /// POST, which begins a run.
    #[default]
    Run,
    /// The same once more, because it is safe.
    Again,
    /// The way by which a run is joined.
    Resume,
}
