//! The errors of a run, as the application sees them.

use crate::rules::Violation;
use crate::thread::LimitExceeded;
use crate::wire::{JsonWriter, Raw};

/// The kind of an error: what the application should do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The network failed, or the stream ended too early.
    Connection,
    /// The server refused, or answered with something else than a stream.
    Http,
    /// The server refused with 401 or 403.
    Auth,
    /// The server broke a rule of the protocol (strict rules only).
    Protocol,
    /// The agent reported an error of its own (RUN_ERROR).
    Run,
    /// A limit was exceeded.
    Limit,
    /// The guard lets nothing of the kind go to the agent.
    #[cfg(feature = "guard")]
    Blocked,
}

impl ErrorKind {
    fn name(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Http => "http",
            Self::Auth => "auth",
            Self::Protocol => "protocol",
            Self::Run => "run",
            Self::Limit => "limit",
            #[cfg(feature = "guard")]
            Self::Blocked => "blocked",
        }
    }
}

/// An error of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentError {
    /// The kind of error.
    pub kind: ErrorKind,
    /// For people.
    pub message: String,
    /// Whether the same run may succeed when it is tried again.
    pub retryable: bool,
    /// HTTP status.
    pub status: Option<u16>,
    /// Milliseconds that the server asks to wait before the next attempt.
    pub retry_after_ms: Option<u64>,
    /// The server's code, or that of the rule or limit.
    pub code: Option<String>,
    /// The tag of the protocol's rule that was broken, in `docs/rules.md`.
    pub rule: Option<&'static str>,
    /// The `type` of the event that broke it.
    pub event_type: Option<String>,
    /// The beginning of the body that the server answered with.
    pub body: Option<String>,
    /// The connection was lost before the run had ended, and not closed by the server.
    pub lost: bool,
}

impl AgentError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>, retryable: bool) -> Self {
        Self {
            kind,
            message: message.into(),
            retryable,
            status: None,
            retry_after_ms: None,
            code: None,
            rule: None,
            event_type: None,
            body: None,
            lost: false,
        }
    }

    /// The stream ended before RUN_FINISHED or RUN_ERROR.
    pub(in crate::session) fn truncated(cause: Option<&str>) -> Self {
        let message = match cause {
            Some(cause) => format!("The connection was lost before the run had ended: {cause}"),
            None => "The stream ended before the run had ended.".to_owned(),
        };
        let lost = cause.is_some();
        Self { code: Some("truncated".into()), lost, ..Self::new(ErrorKind::Connection, message, true) }
    }

    /// A broken rule as the error that strict rules make of it.
    pub(crate) fn broken(violation: Violation, event_type: Option<String>) -> Self {
        let Violation { code, rule, message, .. } = violation;
        let code = Some(code.as_str().to_owned());
        Self { code, rule: Some(rule), event_type, ..Self::new(ErrorKind::Protocol, message, false) }
    }

    /// The error for input that would exceed a limit.
    pub(crate) fn exceeded(exceeded: LimitExceeded) -> Self {
        let LimitExceeded { code, option, limit } = exceeded;
        let message = format!("The thread would exceed {option} ({limit}).");
        Self { code: Some(code.into()), ..Self::new(ErrorKind::Limit, message, false) }
    }

    pub(crate) fn frame_too_long(limit: usize) -> Self {
        let message = format!("A frame is longer than limits.frameBytes ({limit}).");
        Self { code: Some("frame-too-long".into()), ..Self::new(ErrorKind::Limit, message, false) }
    }

    /// An input that the state of a run has no place for.
    pub(in crate::session) fn unexpected() -> Self {
        let message = "unexpected input of a run";
        Self { code: Some("input-unexpected".into()), ..Self::new(ErrorKind::Protocol, message, true) }
    }

    /// An answer that is no stream of events.
    pub(in crate::session) fn http(status: u16, content_type: &str, body: String) -> Self {
        let kind = if matches!(status, 401 | 403) { ErrorKind::Auth } else { ErrorKind::Http };
        let retryable = matches!(status, 408 | 409 | 425 | 429 | 500..);
        let message = match (status, said(&body)) {
            (200..300, _) if body.trim_ascii().is_empty() => format!("The server answered {status} without a body."),
            (200..300, _) => {
                let what = if content_type.is_empty() { "no content type" } else { content_type };
                format!("The server answered {status} with {what}, not with a stream of events.")
            }
            (_, Some(said)) => format!("HTTP {status}: {said}"),
            (_, None) => format!("HTTP {status}"),
        };
        let body = (!body.is_empty()).then_some(body);
        // It works on another run of the thread.
        let code = (status == 409).then(|| "busy".to_owned());
        Self { status: Some(status), code, body, ..Self::new(kind, message, retryable) }
    }

    /// The error as `AgentError.from` of the package reads it.
    pub fn write(&self, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object
            .string("kind", self.kind.name())
            .string("message", &self.message)
            .flag("retryable", self.retryable)
            .number("status", self.status.map(u64::from))
            .number("retryAfterMs", self.retry_after_ms)
            .optional("code", self.code.as_deref())
            .optional("rule", self.rule)
            .optional("eventType", self.event_type.as_deref())
            .optional("body", self.body.as_deref());
        if self.lost {
            object.flag("lost", true);
        }
        object.close();
    }
}

/// The message in the body of an error, in the shapes that servers use.
fn said(body: &str) -> Option<String> {
    let trimmed = body.trim_ascii();
    let text = |raw: Raw<'_>| raw.string().filter(|text| !text.is_empty()).map(String::from);
    if let Ok(Some(fields)) = Raw::parse_object(trimmed, 64) {
        for name in ["message", "error", "detail", "title"] {
            let Some(raw) = fields.some(name) else { continue };
            let inner = raw.object().and_then(|inner| inner.some("message"));
            if let Some(said) = text(raw).or_else(|| inner.and_then(text)) {
                return Some(said);
            }
        }
    }
    let short: String = trimmed.chars().take(200).collect();
    (!short.is_empty() && !short.starts_with('<')).then_some(short)
}
