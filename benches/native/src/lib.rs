//! The measured parts of the core, and the streams of frames that they read. Each part is given a whole stream and
//! returns a count, so that a part that did nothing is noticed.

use ag_ui_wasm::rules::{ChunkExpander, OrderKeeper};
use ag_ui_wasm::session::{Effect, Options, Session};
use ag_ui_wasm::thread::{Thread, ThreadLimits};
use ag_ui_wasm::wire::{BadBody, Delta, Format, Framer, Incoming, frame_fields};

const FRAME: usize = 10 << 20;
const DEPTH: usize = 512;
const NOW: f64 = 1_795_242_089_624.0;
const THREAD: &str =
    r#""threadId":"7f0a4c7e-2f0d-4b7e-9a52-6d2f0c1f6f11","runId":"0b1d7f7e-6a55-4d0a-8d8e-1a2f3c4d5e6f""#;
const MESSAGE: &str = r#""messageId":"024ce5a3-5b29-4f79-89ca-29f69a10eaf8""#;
/// Twelve characters each on average, as they stand in JSON.
const WORDS: [&str; 8] = [
    " the weather",
    " in Zürich is",
    " sunny, with",
    r"\n\n- **highs**",
    " around 21 °C",
    ", a breeze",
    r#" from \"south\""#,
    " showers 🌦️",
];

/// A body as it is read: ten frames a read.
pub struct Stream {
    pub reads: Vec<Vec<u8>>,
    pub events: usize,
}

impl Stream {
    fn of(frames: &[String]) -> Self {
        Self { reads: frames.chunks(10).map(|read| read.concat().into_bytes()).collect(), events: frames.len() }
    }

    /// One message in deltas, with START and END.
    pub fn text(deltas: usize) -> Self {
        let content = |at: usize| frame("TEXT_MESSAGE_CONTENT", &format!(r#"{MESSAGE},"delta":"{}""#, word(at)));
        Self::run(
            frame("TEXT_MESSAGE_START", &format!(r#"{MESSAGE},"role":"assistant""#)),
            (0..deltas).map(content),
            frame("TEXT_MESSAGE_END", MESSAGE),
        )
    }

    /// The same as agents send it: a read for each frame.
    pub fn one_a_read(deltas: usize) -> Self {
        let whole = Self::text(deltas);
        let mut reads = Vec::new();
        for read in &whole.reads {
            let text = std::str::from_utf8(read).unwrap_or_default();
            reads.extend(text.split_inclusive("\n\n").map(|frame| frame.as_bytes().to_vec()));
        }
        Self { reads, ..whole }
    }

    /// The same in TEXT_MESSAGE_CHUNK, which the rules expand.
    pub fn chunks(deltas: usize) -> Self {
        let chunk = |at: usize| frame("TEXT_MESSAGE_CHUNK", &format!(r#"{MESSAGE},"delta":"{}""#, word(at)));
        Self::run(String::new(), (0..deltas).map(chunk), String::new())
    }

    /// Arguments of one tool call, eight characters a delta.
    pub fn args(deltas: usize) -> Self {
        let call = r#""toolCallId":"call_9hx2""#;
        let start = frame("TOOL_CALL_START", &format!(r#"{call},"toolCallName":"write""#));
        let piece = |at: usize| match at {
            0 => r#"{\"rows\":["#.to_owned(),
            at if at + 1 == deltas => "0]}".to_owned(),
            at => format!("{},", 1_000_000 + at),
        };
        let args = (0..deltas).map(|at| frame("TOOL_CALL_ARGS", &format!(r#"{call},"delta":"{}""#, piece(at))));
        Self::run(start, args, frame("TOOL_CALL_END", call))
    }

    /// A state of `rows` rows, of which each delta changes one.
    pub fn state(rows: usize, deltas: usize) -> Self {
        let row = |at: usize| format!(r#"{{"id":{at},"name":"row {at}","done":false,"tags":["a","b"]}}"#);
        let list: Vec<String> = (0..rows).map(row).collect();
        let snapshot = frame("STATE_SNAPSHOT", &format!(r#""snapshot":{{"rows":[{}]}}"#, list.join(",")));
        let delta = |at: usize| {
            let row = at * 7919 % rows;
            frame(
                "STATE_DELTA",
                &format!(r#""delta":[{{"op":"replace","path":"/rows/{row}/name","value":"changed {at}"}}]"#),
            )
        };
        Self::run(snapshot, (0..deltas).map(delta), String::new())
    }

    fn run(first: String, rest: impl Iterator<Item = String>, last: String) -> Self {
        let mut frames = vec![frame("RUN_STARTED", THREAD), first];
        frames.extend(rest);
        frames.extend([last, frame("RUN_FINISHED", THREAD)]);
        frames.retain(|frame| !frame.is_empty());
        Self::of(&frames)
    }
}

fn word(at: usize) -> &'static str {
    WORDS.get(at % WORDS.len()).copied().unwrap_or_default()
}

fn frame(event: &str, members: &str) -> String {
    format!("data: {{\"type\":\"{event}\",\"timestamp\":1795242089624,{members}}}\n\n")
}

fn frames(stream: &Stream, take: &mut dyn FnMut(Option<&Delta<'_>>, &str)) {
    let mut framer = Framer::new(Format::EventStream, FRAME, DEPTH);
    let result: Result<(), BadBody> = stream.reads.iter().try_for_each(|read| {
        framer.feed(read, false, &mut |frame| {
            if let Ok(frame) = frame {
                take(frame.delta.as_ref(), frame.data);
            }
            false
        })
    });
    assert_eq!(result, Ok(()));
}

/// Bytes to typed events. Says how many bytes of deltas came by the fast way, and how many events by the other.
pub fn reader(stream: &Stream) -> (usize, usize) {
    let (mut bytes, mut others) = (0, 0);
    frames(stream, &mut |delta, data| match delta {
        Some(delta) => bytes += delta.delta.decode().len(),
        None => others += usize::from(general(data).is_some()),
    });
    (bytes, others)
}

fn general(data: &str) -> Option<Incoming<'_>> {
    Incoming::read(&frame_fields(data, DEPTH).ok()?, &mut |_| {}).ok()
}

/// The rules on events that are read the general way. Says how many events passed them.
pub fn rules(stream: &Stream) -> usize {
    let (mut expander, mut order, mut passed) = (ChunkExpander::default(), OrderKeeper::default(), 0);
    frames(stream, &mut |_, data| {
        let Some(incoming) = general(data) else { return };
        let result = expander.expand(&incoming, &mut |incoming, _| passed += usize::from(order.check(incoming).is_none()));
        assert!(result.is_ok());
    });
    passed
}

/// The reducer alone, without rules and without patches. Says how many events it was given.
pub fn reducer(stream: &Stream) -> usize {
    let mut thread = Thread::new(ThreadLimits { depth: DEPTH, state_bytes: FRAME }, None, None);
    let mut reduced = 0;
    frames(stream, &mut |delta, data| {
        if let Some(delta) = delta {
            thread.grow(delta);
        } else if let Some(incoming) = general(data) {
            thread.apply(&incoming, NOW);
        }
        reduced += 1;
    });
    reduced
}

/// The whole core, as the package uses it: a patch is taken after every `reads` reads. Says how long the patches are.
pub fn session(stream: &Stream, reads: usize) -> usize {
    let mut session = Session::new(Options::default(), None, None).unwrap_or_else(|error| panic!("{error}"));
    let input = r#"{"messages":[],"tools":[],"context":[],"forwardedProps":{},"runId":"r"}"#;
    let ticket = session.submit(input, NOW);
    assert!(ticket.is_ok());
    let mut request = None;
    let mut drain = |session: &mut Session| {
        while let Some(effect) = session.poll_effect() {
            match effect {
                Effect::Open { request: number, .. } => request = Some(number),
                Effect::Warning(warning) => panic!("{warning:?}"),
                _ => {}
            }
        }
        request.unwrap_or_default()
    };
    let request = drain(&mut session);
    session.head(request, 200, "text/event-stream", None, NOW);
    let mut length = 0;
    for (at, read) in stream.reads.iter().enumerate() {
        session.read(request, read, NOW);
        drain(&mut session);
        if (at + 1) % reads == 0 {
            length += session.take_patch(usize::MAX).map_or(0, |patch| patch.len());
        }
    }
    session.end(request, NOW);
    drain(&mut session);
    length + session.take_patch(usize::MAX).map_or(0, |patch| patch.len())
}
