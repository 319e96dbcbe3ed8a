//! When a request is sent again, and where a stream that was cut continues. Pure: the time is an argument, and its jitter comes
//! from a seed. Uses `wire`; the handlers ask it, and do what follows.
//!
//! ```text
//!              cut, and the run can be joined                     an event that is new
//!  streaming ─────────────────────────────────► waiting ──► connecting ──► streaming ──► budget full again
//!  connecting ── refused before it began ─────────▲  ▲          │
//!                                                    └──────────┘ failed again, budget left
//! ```

use crate::session::settings::{Setting, settings};
use crate::session::types::Misuse;
use crate::wire::{Fields, Frame, Gather, JsonWriter, Raw, Token, parse_time, pieces, quoted};

settings! {
    /// How a session deals with broken networks.
    #[derive(Debug, Clone, PartialEq)]
    Network {
        /// Attempts in a row that bring nothing new, before the run is given up; default 5.
        attempts: u32 = 5, "attempts";
        /// Milliseconds that the first attempt waits at most, default 500. A server's `retry:` takes its place.
        base_ms: f64 = 500.0, "baseMs";
        /// Milliseconds that any attempt waits at least, whatever the server asks for; default 100.
        min_ms: f64 = 100.0, "minMs";
        /// Connections that one run may make in a minute, whatever comes over them; default 60.
        per_minute: f64 = 60.0, "perMinute";
        /// Connections that one run may make at all; default 1,000.
        per_run: u32 = 1000, "perRun";
        /// Milliseconds that the queue waits after the loss of a run's connection; default 1,000.
        queue_ms: f64 = 1000.0, "queueMs";
        /// Milliseconds that any attempt waits at most, default 30,000.
        max_ms: f64 = 30_000.0, "maxMs";
        /// Milliseconds without a byte after which a connection counts as lost; 0 (default): never.
        idle_ms: f64 = 0.0, "idleMs";
        /// Requests that the server refused before the run began are sent again; default no.
        refusals: bool = false, "refusals";
        /// A POST that may have begun a run may be sent again: the server knows runs by their id; default no.
        posts: bool = false, "posts";
        /// On 401 the request is made once more, with headers that are asked for anew; default no.
        renew_headers: bool = false, "renewHeaders";
        /// How a run is joined again; `None` (default): it is not.
        resume: Option<Resume> = None;
        /// Where the jitter begins.
        seed: u64 = 1, "seed";
    }
}

impl Network {
    /// Reads the application's JSON: the members above by their names in camel case, and `by`, `path`, `param` of the
    /// way to resume.
    pub fn read(json: &str) -> Result<Self, Misuse> {
        let expected = Misuse::Input("an object with the options of the network");
        let fields = Fields::read(json, 8).ok_or(expected)?;
        let mut network = Self { resume: Resume::read(&fields)?, ..Self::default() };
        network.take(&fields);
        Ok(network)
    }

    /// Whether a request that was answered with this status may be sent again.
    pub(in crate::session) fn repeats(&self, status: u16, joins: bool) -> bool {
        match status {
            409 if self.hydrates() => true,
            409 | 425 | 429 | 503 => joins || self.refusals || self.posts,
            // A gateway does not know whether the agent behind it has begun.
            408 | 502 | 504 => joins || self.posts,
            500.. => joins,
            _ => false,
        }
    }

    /// Whether the server says how things stand, and not before the run is over that it works on.
    pub(in crate::session) fn hydrates(&self) -> bool {
        self.resume.as_ref().is_some_and(|resume| resume.hydrates)
    }

    /// Full jitter: anything from the floor up to the bound, which doubles with every attempt.
    pub(in crate::session) fn delay(&mut self, attempt: u32, base: Option<f64>) -> f64 {
        // xorshift64*, which must not stand at 0.
        let mut seed = self.seed.max(1);
        seed ^= seed >> 12;
        seed ^= seed << 25;
        seed ^= seed >> 27;
        self.seed = seed;
        let random = (seed.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1_u64 << 53) as f64;
        self.pause(attempt, base, random)
    }

    /// The delay at a point of the jitter, from 0 to 1. `js/network/retry.ts` has the same rule, with the defaults and the
    /// budget, for connections that are kept open: those are made in the page, where no core may be loaded yet or the
    /// core may be in a worker. `table.json` holds both.
    fn pause(&self, attempt: u32, base: Option<f64>, random: f64) -> f64 {
        let bound = base.unwrap_or(self.base_ms) * f64::from(1_u32 << attempt.saturating_sub(1).min(30));
        self.min_ms + random * (bound.min(self.max_ms) - self.min_ms).max(0.0)
    }
}

/// How a run is joined again, after the connection was lost or left.
#[derive(Debug, Clone, PartialEq)]
pub struct Resume {
    /// The mark that identifies how far the stream was read.
    mark: Mark,
    /// How the stream begins where there is no cursor; `None`: it needs one.
    whole: Option<RejoinAnswer>,
    /// The request that begins a run may be answered with the run's id instead of its stream.
    pub(in crate::session) split: bool,
    /// The member of `forwardedProps` that tells the server the cursor.
    param: Option<String>,
    /// An empty request says how things stand when the last run was over.
    hydrates: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Mark {
    None,
    /// The `id` of a server-sent event.
    Id,
    /// A member of the event, as a path of keys.
    Member(Vec<String>),
}

/// How the stream of a run that is joined continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum RejoinAnswer {
    /// After the cursor.
    Rest,
    /// With snapshots, and with a START of what is open, or without one.
    Snapshot,
    /// From the beginning of the run.
    Replay,
}

/// The ways by their names.
const WAYS: &str = "\"last-event-id\", \"run-url\", \"cursor\" or \"socket-cursor\" with a \"path\", \"snapshot\", \"prelude\", \"replay\" \
    or \"hydrate\" as \"resume.by\"";

impl Resume {
    /// One of the ways by its name; see `ResumeOptions` in `js/api/transport.ts`.
    pub fn by(name: &str, path: Option<&str>, param: Option<&str>) -> Result<Self, Misuse> {
        let plain = |mark, whole| Self { mark, whole, split: false, param: None, hydrates: false };
        Ok(match (name, path) {
            ("last-event-id", _) => plain(Mark::Id, None),
            ("run-url", _) => Self { split: true, ..plain(Mark::Id, Some(RejoinAnswer::Replay)) },
            ("cursor" | "socket-cursor", Some(path)) => {
                let param = param.map(str::to_owned);
                Self { param, ..plain(Mark::Member(keys(path)), None) }
            }
            ("snapshot" | "prelude", _) => plain(Mark::None, Some(RejoinAnswer::Snapshot)),
            ("hydrate", _) => Self { hydrates: true, ..plain(Mark::None, Some(RejoinAnswer::Snapshot)) },
            ("replay", _) => plain(Mark::None, Some(RejoinAnswer::Replay)),
            _ => return Err(Misuse::Input(WAYS)),
        })
    }

    fn read(fields: &Fields<'_>) -> Result<Option<Self>, Misuse> {
        let text = |name: &str| fields.text(name);
        text("by").map(|by| Self::by(&by, text("path").as_deref(), text("param").as_deref())).transpose()
    }

    /// How the stream of a run continues that was read up to this cursor; `None`: it cannot be joined.
    pub(in crate::session) fn answer(&self, cursor: Option<&str>) -> Option<RejoinAnswer> {
        if cursor.is_some() { Some(RejoinAnswer::Rest) } else { self.whole }
    }

    fn replays(&self) -> bool {
        self.whole == Some(RejoinAnswer::Replay)
    }

    /// Whether a run may be told from its beginning, and not after a cursor.
    pub(in crate::session) fn may_replay(&self) -> bool {
        self.whole.is_some()
    }

    /// Whether a replay may begin with earlier runs of the thread.
    pub(in crate::session) fn replays_threads(&self) -> bool {
        self.replays() && self.mark == Mark::None
    }

    /// The mark that identifies the place of a frame in the stream; and whether it grows.
    pub fn mark(&self, frame: &Frame<'_>, max_depth: usize) -> Option<(String, Option<u64>)> {
        let mark = match &self.mark {
            Mark::None => return None,
            Mark::Id => return (frame.own_id && !frame.id.is_empty()).then(|| (frame.id.to_owned(), None)),
            Mark::Member(path) => {
                let mut at = Raw::parse(frame.data, max_depth).ok()?;
                for key in path {
                    at = at.object()?.some(key)?;
                }
                at
            }
        };
        let text = mark.string().map_or_else(|| mark.text().to_owned(), String::from);
        let number = text.parse().ok();
        Some((text, number))
    }

    /// The body of the request that began the run, with the cursor where the server looks for it, or without what it asked.
    pub(in crate::session) fn body(&self, body: &str, cursor: Option<&str>) -> Option<String> {
        const PROPS: &str = "forwardedProps";
        let place = self.param.as_deref().zip(cursor);
        if !self.hydrates && place.is_none() {
            return None;
        }
        let fields = Fields::read(body, usize::MAX)?;
        let Some((param, cursor)) = place else {
            return Some(JsonWriter::changed(&fields, &[("resume", None), ("messages", Some("[]"))]));
        };
        // A mark that was a number in the events is one in the request.
        let cursor = cursor.parse::<u64>().map_or_else(|_| quoted(cursor), |number| number.to_string());
        let props = JsonWriter::changed(&fields.object(PROPS).unwrap_or_default(), &[(param, Some(&cursor))]);
        Some(JsonWriter::changed(&fields, &[(PROPS, Some(&props))]))
    }
}

/// The keys of a JSON Pointer, or one member's name.
fn keys(path: &str) -> Vec<String> {
    let Some(tokens) = path.strip_prefix('/') else { return vec![path.to_owned()] };
    let key = |token: &str| {
        Token::from_encoded(token).map_or_else(|_| token.to_owned(), |token| token.decoded().into_owned())
    };
    pieces(tokens, b'/').into_iter().map(key).gather()
}

/// The milliseconds that a `Retry-After` asks for: seconds, or a date as HTTP writes it.
pub(in crate::session) fn retry_after(value: &str, now: f64) -> Option<f64> {
    let value = value.trim_ascii();
    if let Some(seconds) = value.parse::<u64>().ok().filter(|seconds| *seconds <= u32::MAX.into()) {
        return Some(seconds as f64 * 1000.0);
    }
    let [_, day, month, year, time, ..] = pieces(value, b' ')[..] else { return None };
    let months = b"JanFebMarAprMayJunJulAugSepOctNovDec".as_chunks::<3>().0;
    let month = months.iter().position(|name| name == month.as_bytes())? + 1;
    parse_time(&format!("{year}-{month:02}-{day}T{time}Z")).map(|at| (at - now).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = 784_111_777_000.0;
        for (value, expected) in [
            ("120", Some(120_000.0)),
            (" 0 ", Some(0.0)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10_000.0)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0.0)),
            ("Sun, 06 ovD 1994 08:49:47 GMT", None),
            ("-1", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(retry_after(value, now), expected, "{value:?}");
        }
    }

    #[test]
    fn delays_are_anything_up_to_a_bound_that_doubles() {
        let mut network = Network { min_ms: 0.0, base_ms: 100.0, max_ms: 1000.0, seed: 7, ..Network::default() };
        for (attempt, bound) in [(1, 100.0), (2, 200.0), (3, 400.0), (4, 800.0), (5, 1000.0), (60, 1000.0)] {
            let delays: Vec<f64> = (0..200).map(|_| network.delay(attempt, None)).collect();
            assert!(delays.iter().all(|delay| (0.0..bound).contains(delay)), "{attempt}");
            assert!(delays.iter().any(|delay| *delay < bound / 10.0), "{attempt}");
            assert!(delays.iter().any(|delay| *delay > bound * 0.9), "{attempt}");
        }
        assert!(network.delay(1, Some(3.0)) < 3.0, "the server's own base");
        network.min_ms = 50.0;
        for base in [Some(0.0), Some(49.0), None] {
            let delays: Vec<f64> = (0..200).map(|_| network.delay(1, base)).collect();
            assert!(delays.iter().all(|delay| (50.0..=100.0).contains(delay)), "{base:?}");
        }
        assert_eq!(
            Network { seed: 3, ..network.clone() }.delay(1, None),
            Network { seed: 3, ..network }.delay(1, None)
        );
    }

    #[test]
    fn defaults_and_pauses_are_those_of_the_table() {
        let table: serde_json::Value = serde_json::from_str(include_str!("table.json")).unwrap();
        let Network { attempts, base_ms, min_ms, max_ms, per_minute, per_run, queue_ms, idle_ms, .. } =
            Network::default();
        let defaults =
            [f64::from(attempts), base_ms, min_ms, max_ms, per_minute, f64::from(per_run), queue_ms, idle_ms];
        let names = ["attempts", "baseMs", "minMs", "maxMs", "perMinute", "perRun", "queueMs", "idleMs"];
        assert_eq!(defaults.map(Some), names.map(|name| table["defaults"][name].as_f64()));
        for row in table["pauses"].as_array().unwrap() {
            let [base_ms, min_ms, max_ms, attempt, random, pause] = std::array::from_fn(|at| row[at].as_f64().unwrap());
            let network = Network { base_ms, min_ms, max_ms, ..Network::default() };
            assert_eq!(network.pause(attempt as u32, None, random), pause, "{row}");
        }
    }

    #[test]
    fn the_cursor_goes_into_forwarded_props() {
        let resume = Resume::by("cursor", Some("/metadata/a~1b"), Some("after")).unwrap();
        let body = r#"{"threadId":"t","state":{"n":1.0},"forwardedProps":{"after":1,"x":12345678901234567890}}"#;
        let expected = r#"{"threadId":"t","state":{"n":1.0},"forwardedProps":{"x":12345678901234567890,"after":7}}"#;
        assert_eq!(resume.body(body, Some("7")).as_deref(), Some(expected));
        let expected = r#"{"forwardedProps":{"after":"7-b"}}"#;
        assert_eq!(resume.body("{}", Some("7-b")).as_deref(), Some(expected));
        assert_eq!(resume.body("{}", None), None);
        assert_eq!(resume.mark, Mark::Member(vec!["metadata".into(), "a/b".into()]));
    }

    #[test]
    fn the_options_are_read() {
        let network = Network::read(r#"{"attempts":0,"idleMs":9,"posts":true,"by":"run-url","seed":5}"#).unwrap();
        let resume = Some(Resume::by("run-url", None, None).unwrap());
        let expected = Network { attempts: 0, idle_ms: 9.0, posts: true, seed: 5, resume, ..Network::default() };
        assert_eq!(network, expected);
        for json in ["[]", r#"{"by":"magic"}"#, r#"{"by":"cursor"}"#] {
            assert!(Network::read(json).is_err(), "{json}");
        }
    }
}
