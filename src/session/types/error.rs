//! The errors of a run, as the application sees them.

use crate::document::*;
use crate::rules::Violation;
use crate::thread::LimitExceeded;
use crate::wire::Raw;

/// An error of a run: a row of [`AGENT_ERROR`].
#[derive(Debug, Clone, PartialEq)]
pub struct AgentError(Box<Row>);

impl AgentError {
    pub(crate) fn new(kind: ErrorKind, message: &str, retryable: bool) -> Self {
        let mut row = Box::new(Row::new(AGENT_ERROR));
        row.set_word(ERROR_KIND, kind as u8);
        row.set_word(RETRYABLE, retryable.into());
        Self(row).with(ERROR_TEXT, Some(message))
    }

    /// The same with another text, or without it.
    pub(in crate::session) fn with(mut self, member: usize, text: Option<&str>) -> Self {
        self.0.set_some(member, text);
        self
    }

    fn count(mut self, member: usize, count: Option<u64>) -> Self {
        self.0.set(member, count.map(Value::count).unwrap_or_default());
        self
    }

    /// Whether what the server has sent is the reason: a broken rule, or a limit.
    pub(in crate::session) fn breaks(&self) -> bool {
        [ErrorKind::Protocol, ErrorKind::Limit].map(|kind| kind as u8).contains(&self.0.word(ERROR_KIND))
    }

    /// Whether the reason is the connection: a later page may ask again.
    pub(in crate::session) fn is_of_connection(&self) -> bool {
        self.0.word(ERROR_KIND) == ErrorKind::Connection as u8
    }

    pub(in crate::session) fn has_body(&self) -> bool {
        self.0.has(ERROR_BODY)
    }

    /// The stream ended before RUN_FINISHED or RUN_ERROR.
    pub(in crate::session) fn truncated(cause: Option<&str>) -> Self {
        let message = match cause {
            Some(cause) => format!("The connection was lost before the run had ended: {cause}"),
            None => "The stream ended before the run had ended.".to_owned(),
        };
        let mut error = Self::new(ErrorKind::Connection, &message, true).with(ERROR_CODE, Some("truncated"));
        if cause.is_some() {
            error.0.set_word(LOST, 1);
        }
        error
    }

    /// A broken rule as the error that strict rules make of it.
    pub(crate) fn broken(violation: Violation) -> Self {
        let Violation { code, rule, message, event_type, .. } = violation;
        let error = Self::new(ErrorKind::Protocol, &message, false).with(ERROR_CODE, Some(code));
        error.with(BROKEN_RULE, Some(rule)).with(BREAKING_EVENT, event_type.as_deref())
    }

    /// The error for input that would exceed a limit.
    pub(crate) fn exceeded(exceeded: LimitExceeded) -> Self {
        let LimitExceeded { code, option, limit } = exceeded;
        let message = format!("The thread would exceed {option} ({limit}).");
        Self::new(ErrorKind::Limit, &message, false).with(ERROR_CODE, Some(code))
    }

    pub(crate) fn frame_too_long(limit: usize) -> Self {
        let message = format!("A frame is longer than limits.frameBytes ({limit}).");
        Self::new(ErrorKind::Limit, &message, false).with(ERROR_CODE, Some("frame-too-long"))
    }

    /// An input that the state of a run has no place for.
    pub(in crate::session) fn unexpected() -> Self {
        let error = Self::new(ErrorKind::Protocol, "unexpected input of a run", true);
        error.with(ERROR_CODE, Some("input-unexpected"))
    }

    /// An answer that is no stream of events. `retry_after`: milliseconds.
    pub(in crate::session) fn http(status: u16, content_type: &str, body: &str, retry_after: Option<u64>) -> Self {
        let kind = if matches!(status, 401 | 403) { ErrorKind::Auth } else { ErrorKind::Http };
        let retryable = matches!(status, 408 | 409 | 425 | 429 | 500..);
        let message = match (status, said(body)) {
            (200..300, _) if body.trim_ascii().is_empty() => format!("The server answered {status} without a body."),
            (200..300, _) => {
                let what = if content_type.is_empty() { "no content type" } else { content_type };
                format!("The server answered {status} with {what}, not with a stream of events.")
            }
            (_, Some(said)) => format!("HTTP {status}: {said}"),
            (_, None) => format!("HTTP {status}"),
        };
        let error = Self::new(kind, &message, retryable).count(HTTP_STATUS, Some(status.into()));
        // It works on another run of the thread.
        let error = error.count(RETRY_AFTER, retry_after).with(ERROR_CODE, (status == 409).then_some("busy"));
        error.with(ERROR_BODY, Some(body).filter(|body| !body.is_empty()))
    }

    /// The error as `AgentError.from` of the package reads it.
    pub fn write(&self, out: &mut String) {
        self.0.write_object(out);
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
