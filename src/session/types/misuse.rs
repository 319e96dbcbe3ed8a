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
        self.told().0
    }

    /// Its code, and what is said before and after the text that it holds.
    fn told(&self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Input(_) => ("input", "expected ", ""),
            Self::Policy(_) => ("input", "guard: ", ""),
            Self::Busy => ("busy", "a run is in progress, and ifBusy is \"reject\"", ""),
            Self::Awaiting => {
                ("calls-open", "tool calls wait for approval or for an answer, and ifAwaiting is \"reject\"", "")
            }
            Self::QueueFull => ("queue-full", "the queue is full: limits.queue submits wait already", ""),
            Self::NothingToRegenerate => {
                ("nothing-to-regenerate", "there is no such assistant message with a user message before it", "")
            }
            Self::NothingToReplace => ("nothing-to-replace", "there is no user message with the id of `replaces`", ""),
            Self::InterruptsOpen(_) => {
                ("interrupts-open", "interrupts ", " are open: pass `resume` with a reply to each")
            }
            Self::InterruptUnknown(_) => ("interrupt-unknown", "interrupt ", " is not open, or has two replies"),
            Self::InterruptExpired(_) => ("interrupt-expired", "interrupt ", " has expired, and can only be cancelled"),
            Self::Restore(_) => ("restore", "", ""),
            Self::NothingToAttach => {
                ("nothing-to-attach", "there is no run to join: it needs a runId, and the option `resume`", "")
            }
            Self::Dialect(_) => ("dialect", "unknown dialect ", ", or unknown settings of it: there are "),
            Self::Disposed => ("disposed", "the agent was disposed of; create another with createAgent()", ""),
        }
    }

    /// The text that it holds.
    fn text(&self) -> &str {
        match self {
            Self::Input(text) | Self::Restore(text) => text,
            Self::Policy(text)
            | Self::InterruptsOpen(text)
            | Self::InterruptUnknown(text)
            | Self::InterruptExpired(text)
            | Self::Dialect(text) => text,
            _ => "",
        }
    }
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, before, after) = self.told();
        let known = if let Self::Dialect(_) = self { crate::dialect::names() } else { String::new() };
        f.write_str(&[before, self.text(), after, &known].concat())
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
