//! A schedule: how the world is, and what happens in it, made from a seed. A step names what it is about by a number that
//! is taken modulo what there is, so that a schedule without some of its steps is a schedule too.

use super::server::Framing;
use crate::support::streams::Random;
use std::fmt;

/// When the page looks at what changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publishing {
    /// As soon as it is told.
    AtOnce,
    /// At once where it is urgent, else with the next frame.
    Frames,
}

#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    pub strict: bool,
    pub framing: Framing,
    /// The server makes one mistake in so many answers; 0: none.
    pub faults: usize,
    pub grace_ms: f64,
    pub max_queue: usize,
    /// The page has tools; so many runs may follow on their calls.
    pub follow_ups: Option<usize>,
    /// How a run is joined that was cut.
    pub resume: Option<Dialect>,
    /// Requests are sent again where nothing came.
    pub posts: bool,
    /// Headers are asked for again after a 401.
    pub renew: bool,
    pub idle_ms: f64,
    /// The delay of waiting submits after a loss.
    pub queue_ms: f64,
    /// Connections that a run may make in a minute.
    pub per_minute: f64,
    /// The server asks to come back at once.
    pub hurries: bool,
    /// It names the calls of each run anew: an id comes again.
    pub reuses: bool,
    /// Somebody keeps the session's saves.
    pub saves: bool,
    pub publishing: Publishing,
    /// A second session gets the same inputs and is read only once, at the end.
    pub twin: bool,
    pub steps: Vec<Step>,
}

/// How a server lets a run be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Frames are numbered with `id:`; the rest comes after `Last-Event-ID`.
    Id,
    /// Events have their number as a member.
    Member,
    /// The same over a socket.
    Socket,
    /// A run has an address, which streams it: after `Last-Event-ID` if its frames are numbered, else from its beginning.
    RunUrl { ids: bool },
    /// The whole run is replayed.
    Replay,
    /// All runs of the thread are.
    Thread,
    /// The messages and the state as they are, then what follows.
    Snapshot,
    /// The same, with RUN_STARTED before it and a START of all that is open after it.
    Prelude,
    /// The server works on without a listener, refuses requests while it does, and tells an empty one how its last run has
    /// left the thread.
    Hydrate,
}

impl Dialect {
    /// Whether frames have an `id:`.
    pub fn ids(self) -> bool {
        matches!(self, Self::Id | Self::RunUrl { ids: true })
    }

    /// Whether events say their number.
    pub fn members(self) -> bool {
        matches!(self, Self::Member | Self::Socket)
    }

    /// Whether a run whose stream had no number yet can be joined.
    pub fn whole(self) -> bool {
        !matches!(self, Self::Id | Self::Member | Self::Socket)
    }

    /// Whether a page that joins is told how things stand, and not what has happened.
    pub fn stands(self) -> bool {
        matches!(self, Self::Snapshot | Self::Prelude | Self::Hydrate)
    }
}

/// How much of a body comes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    Bytes(usize),
    Frame,
    All,
}

/// The policy for a submit during a run.
pub type Policy = &'static str;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    // The user.
    Submit {
        seed: u32,
        policy: Policy,
        answers: bool,
    },
    Retry {
        policy: Policy,
    },
    Regenerate {
        which: Option<usize>,
        seed: u32,
    },
    Stop,
    /// The run is left to the server.
    Disconnect,
    /// The run that was left is joined.
    Attach,
    Cancel(usize),
    /// A submit whose message takes the place of one that was sent.
    Replace {
        which: usize,
        seed: u32,
    },
    EditQueued {
        which: usize,
        seed: u32,
    },
    /// To one of the open interrupts.
    Answer(usize),
    /// The page is left, and comes back with what it had saved.
    Reload,
    SetMessages(usize),
    SetState(usize),
    /// The same of what is shown, which may be older.
    EditMessages(usize),
    EditState(usize),
    /// Of the calls that wait for somebody.
    Approve {
        which: usize,
        edited: bool,
    },
    Deny(usize),
    Reset,
    Dispose,
    // The page: a call that it executes, or any that there is.
    Settle {
        which: usize,
        any: bool,
        fails: bool,
    },
    Hold(usize),
    // The network, about the request that is open: the head, then the body, then its end.
    Deliver(Amount),
    Break,
    /// Something comes of a request that is over.
    Late(usize),
    // The clock.
    Wait(usize),
    /// A timer that nobody asked for, or that is early.
    Tick,
    /// The page paints.
    Frame,
}

const WAYS: [Option<Dialect>; 11] = [
    None,
    Some(Dialect::Member),
    Some(Dialect::Id),
    Some(Dialect::Socket),
    Some(Dialect::RunUrl { ids: true }),
    Some(Dialect::RunUrl { ids: false }),
    Some(Dialect::Replay),
    Some(Dialect::Thread),
    Some(Dialect::Snapshot),
    Some(Dialect::Prelude),
    Some(Dialect::Hydrate),
];

const POLICIES: [Policy; 4] = ["queue", "replace", "drop", "reject"];

impl Plan {
    /// Whether ids of frames are names, and no numbers.
    pub fn names(&self) -> bool {
        self.seed.is_multiple_of(2) && self.resume.is_some_and(Dialect::ids)
    }

    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let framing = [Framing::Sse, Framing::Sse, Framing::SseCrLf, Framing::Lines][random.below(4)];
        let steps = 8 + random.below(40);
        // A user who is calm lets answers come.
        let calm = 2 + random.below(10);
        let mut plan = Self {
            seed,
            strict: random.one_in(4),
            framing,
            faults: [0, 2, 4, 8][random.below(4)],
            grace_ms: [0.0, 250.0, 1000.0][random.below(3)],
            max_queue: [32, 32, 2][random.below(3)],
            follow_ups: [None, Some(8), Some(8), Some(1)][random.below(4)],
            resume: WAYS[random.below(WAYS.len())],
            posts: random.one_in(4),
            renew: random.one_in(2),
            idle_ms: [0.0, 20_000.0][random.below(2)],
            queue_ms: if seed % 5 < 2 { 0.0 } else { 1000.0 },
            per_minute: [60.0, 4.0, 2.0][random.below(3)],
            hurries: random.one_in(4),
            reuses: seed % 7 < 2,
            saves: !seed.is_multiple_of(3),
            publishing: [Publishing::AtOnce, Publishing::AtOnce, Publishing::Frames][random.below(3)],
            twin: random.one_in(3),
            steps: Vec::with_capacity(steps),
        };
        // Lines have no ids.
        if plan.framing == Framing::Lines && plan.resume.is_some_and(Dialect::ids) {
            plan.resume = Some(Dialect::Member);
        }
        for _ in 0..steps {
            let step = if random.one_in(calm) { user(&mut random) } else { world(&mut random) };
            plan.steps.push(step);
        }
        // A page that comes back joins the run that it has left.
        if seed.is_multiple_of(4) {
            let steps = std::mem::take(&mut plan.steps).into_iter();
            let joins = |step| if step == Step::Reload { vec![step, Step::Attach] } else { vec![step] };
            plan.steps = steps.flat_map(joins).collect();
        }
        // A page is left that has answered a call which the replay in progress has yet to bring again.
        if seed % 16 == 9 {
            plan.follow_ups = Some(8);
            plan.resume = Some([Dialect::Replay, Dialect::Thread][random.below(2)]);
            let frame = Step::Deliver(Amount::Frame);
            let settle = Step::Settle { which: 0, any: false, fails: false };
            let mut steps = vec![Step::Submit { seed: random.below(10_000) as u32, policy: "queue", answers: false }];
            for _ in 0..6 + random.below(12) {
                steps.extend([frame.clone(), settle.clone()]);
            }
            steps.extend([Step::Break, Step::Wait(5000)]);
            steps.extend(vec![frame; 1 + random.below(3)]);
            steps.extend([Step::Reload, Step::Attach, Step::Wait(5000), Step::Deliver(Amount::All)]);
            plan.steps.splice(..0, steps);
        }
        // A page is loaded anew in the middle of a run whose frames have names: it knows the first and the last that it has read.
        if seed % 16 == 2 {
            plan.resume = Some([Dialect::Id, Dialect::RunUrl { ids: true }][random.below(2)]);
            plan.framing = [Framing::Sse, Framing::SseCrLf][random.below(2)];
            let mut steps = vec![Step::Submit { seed: random.below(10_000) as u32, policy: "queue", answers: false }];
            steps.extend(vec![Step::Deliver(Amount::Frame); 3 + random.below(12)]);
            steps.extend([Step::Reload, Step::Attach, Step::Deliver(Amount::All), Step::Deliver(Amount::All)]);
            plan.steps.splice(..0, steps);
        }
        // Somebody edits, again and again, messages of which more has come than the page shows.
        if seed % 16 == 13 {
            plan.publishing = Publishing::Frames;
            let mut steps = vec![Step::Submit { seed: random.below(10_000) as u32, policy: "queue", answers: false }];
            for _ in 0..4 + random.below(12) {
                steps.extend(vec![Step::Deliver(Amount::Frame); 1 + random.below(3)]);
                steps.extend(random.one_in(2).then_some(Step::Frame));
                steps.extend(random.one_in(2).then(|| Step::EditMessages(2 + 4 * random.below(9))));
            }
            plan.steps.splice(..0, steps);
        }
        // Interrupts are answered one by one, so slowly that an answer may expire before the last one is given.
        if seed % 16 == 5 {
            let mut steps = Vec::new();
            for _ in 0..6 + random.below(6) {
                steps.push(Step::Submit { seed: random.below(10_000) as u32, policy: "queue", answers: false });
                // The head, the body and its end, of a request that may be sent twice.
                steps.extend(vec![Step::Deliver(Amount::All); 3 + random.below(4)]);
                steps.extend([Step::Answer(random.below(3)), Step::Wait(1000)]);
                steps.extend([
                    Step::Answer(random.below(3)),
                    Step::Answer(random.below(3)),
                    Step::Deliver(Amount::All),
                ]);
                // The thread stays short: a save of a long one is not written at once.
                steps.push(Step::Reset);
            }
            plan.steps.splice(..0, steps);
        }
        // With saves a request goes out last in its step, and one that is replaced at once never does: the model does not
        // see which run the policy was about.
        for step in plan.steps.iter_mut().filter(|_| plan.saves) {
            if let Step::Submit { policy: policy @ ("replace" | "drop"), .. }
            | Step::Retry { policy: policy @ ("replace" | "drop") } = step
            {
                *policy = "queue";
            }
        }
        plan
    }
}

fn user(random: &mut Random) -> Step {
    let seed = random.below(10_000) as u32;
    let policy = if random.one_in(2) { "queue" } else { POLICIES[random.below(4)] };
    match random.below(45) {
        0..10 => Step::Submit { seed, policy, answers: !random.one_in(3) },
        10..12 => Step::Retry { policy },
        12..14 => Step::Regenerate { which: random.one_in(2).then(|| random.below(9)), seed },
        14..17 => Step::Stop,
        17..19 => Step::Cancel(random.below(9)),
        19 => Step::SetMessages(random.below(9)),
        20..22 => Step::SetState(random.below(9)),
        22 => Step::Reset,
        23..26 => Step::Approve { which: random.below(9), edited: random.one_in(3) },
        26 | 27 => Step::Deny(random.below(9)),
        29 => Step::Replace { which: random.below(9), seed },
        30 | 31 => Step::EditQueued { which: random.below(9), seed },
        32..35 => Step::Answer(random.below(5)),
        35 => Step::Reload,
        36 | 37 => Step::Disconnect,
        38 | 39 => Step::Attach,
        28 => Step::Hold(random.below(9)),
        41..=43 => Step::EditMessages(random.below(99)),
        44 => Step::EditState(random.below(9)),
        _ if random.one_in(4) => Step::Dispose,
        _ => Step::Stop,
    }
}

fn world(random: &mut Random) -> Step {
    match random.below(28) {
        0..7 => Step::Deliver(Amount::Frame),
        7..12 => Step::Deliver(Amount::Bytes(1 + random.below(200))),
        12..17 => Step::Deliver(Amount::All),
        17 => Step::Break,
        18 => Step::Late(random.below(99)),
        19..21 => Step::Wait([1, 100, 250, 1000, 5000, 30_000][random.below(6)]),
        21 => Step::Tick,
        22..26 => Step::Settle { which: random.below(9), any: random.one_in(6), fails: random.one_in(4) },
        _ => Step::Frame,
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            seed,
            strict,
            framing,
            faults,
            grace_ms,
            max_queue,
            follow_ups,
            publishing,
            resume,
            posts,
            renew,
            idle_ms,
            per_minute,
            hurries,
            reuses,
            queue_ms,
            saves,
            ..
        } = self;
        let rules = if *strict { "strict" } else { "tolerant" };
        write!(f, "seed {seed}: {rules} rules, {framing:?}, ")?;
        match faults {
            0 => write!(f, "a server without faults")?,
            n => write!(f, "a fault in one of {n} answers")?,
        }
        match follow_ups {
            None => write!(f, ", no tools in the page")?,
            Some(n) => write!(f, ", tools in the page, maxFollowUps {n}")?,
        }
        write!(f, ", graceMs {grace_ms}, limits.queue {max_queue}, published {publishing:?}")?;
        write!(f, "\n  resume {resume:?}, posts {posts}, renew {renew}, idleMs {idle_ms}, saves {saves}")?;
        write!(f, ", perMinute {per_minute}, hurries {hurries}, queueMs {queue_ms}, reuses {reuses}")
    }
}
