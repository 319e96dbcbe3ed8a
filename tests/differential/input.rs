//! The inputs of a core.

/// An input of a session.
#[derive(Debug, Clone)]
pub enum Input {
    Submit(String),
    Retry(String),
    Regenerate(String, String),
    Attach,
    Answer(String),
    Settle(String),
    Approve(String),
    Deny(String),
    EditMessages(String, String),
    EditState(String, String),
    SetState(String),
    EditQueued(u32, String),
    Restore(String),
    Reset,
    Stop,
    Disconnect,
    Tick,
    Head(u32, &'static str),
    Bytes(u32, Vec<u8>),
    End(u32),
    Failed(u32),
}

/// How a session is made.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    pub strict: bool,
    pub protocol: &'static str,
    pub resume: Option<&'static str>,
    pub posts: bool,
    pub history: usize,
}

impl Default for Setup {
    fn default() -> Self {
        Self { strict: false, protocol: "1.0", resume: None, posts: false, history: 0 }
    }
}
