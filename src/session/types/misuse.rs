//! The mistakes of an application.

use crate::wire::Raw;
use std::fmt;

/// The application misused the API. Nothing has changed.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// The input is not what it must be.
    Input(&'static str),
    /// The guard's policy is not one; it says why.
    Policy(String),
    /// A run is in progress, and the submit was to be rejected then.
    Busy,
    /// Calls wait for people, and the submit was to be rejected then.
    Awaiting,
    /// More submits wait than `limits.queue` allows.
    QueueFull,
    /// There is no such assistant message, or no user message before it.
    NothingToRegenerate,
    /// There is no such user message to replace.
    NothingToReplace,
    /// These interrupts are open, and the submit does not answer them.
    InterruptsOpen(String),
    /// This interrupt is not open, or was answered twice.
    InterruptUnknown(String),
    /// This interrupt has expired, and was not cancelled.
    InterruptExpired(String),
    /// The save cannot be restored.
    Restore(&'static str),
    /// No run is known that could be joined, or no way to do it.
    NothingToAttach,
    /// This build does not speak it, or not with these settings.
    Dialect(String),
    /// The session was disposed of.
    Disposed,
}

impl Misuse {
    /// Stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Input(_) | Self::Policy(_) => "input",
            Self::Busy => "busy",
            Self::Awaiting => "calls-open",
            Self::QueueFull => "queue-full",
            Self::NothingToRegenerate => "nothing-to-regenerate",
            Self::NothingToReplace => "nothing-to-replace",
            Self::InterruptsOpen(_) => "interrupts-open",
            Self::InterruptUnknown(_) => "interrupt-unknown",
            Self::InterruptExpired(_) => "interrupt-expired",
            Self::Restore(_) => "restore",
            Self::NothingToAttach => "nothing-to-attach",
            Self::Dialect(_) => "dialect",
            Self::Disposed => "disposed",
        }
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(expected) => write!(f, "expected {expected}"),
            Self::Policy(why) => write!(f, "guard: {why}"),
            Self::Dialect(name) => {
                write!(f, "unknown dialect {name}, or unknown settings of it: there are {}", crate::dialect::names())
            }
            Self::Busy => f.write_str("a run is in progress, and ifBusy is \"reject\""),
            Self::Awaiting => {
                f.write_str("tool calls wait for approval or for an answer, and ifAwaiting is \"reject\"")
            }
            Self::QueueFull => f.write_str("the queue is full: limits.queue submits wait already"),
            Self::NothingToRegenerate => {
                f.write_str("there is no such assistant message with a user message before it")
            }
            Self::NothingToReplace => f.write_str("there is no user message with the id of `replaces`"),
            Self::InterruptsOpen(ids) => {
                write!(f, "interrupts {ids} are open: pass `resume` with a reply to each")
            }
            Self::InterruptUnknown(id) => write!(f, "interrupt {id} is not open, or has two replies"),
            Self::InterruptExpired(id) => write!(f, "interrupt {id} has expired, and can only be cancelled"),
            Self::Restore(what) => f.write_str(what),
            Self::NothingToAttach => f.write_str("there is no run to join: it needs a runId, and the option `resume`"),
            Self::Disposed => f.write_str("the agent was disposed of; create another with createAgent()"),
        }
    }
}

/// A JSON array of messages.
pub(in crate::session) fn list(json: &str, depth: usize) -> Result<Raw<'_>, Misuse> {
    let expected = Misuse::Input("a JSON array of messages");
    Raw::parse(json, depth).ok().filter(|raw| raw.text().starts_with('[')).ok_or(expected)
}

/// Any JSON.
pub(in crate::session) fn value(json: &str, depth: usize) -> Result<Raw<'_>, Misuse> {
    Raw::parse(json, depth).map_err(|_| Misuse::Input("JSON"))
}
