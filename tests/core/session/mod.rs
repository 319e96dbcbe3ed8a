//! Runs: what is sent, what an answer does, and what lasts.

mod asked;
mod bad_input;
mod call;
mod changed_calls;
mod edits;
mod life;
mod network;
mod page_tools;
mod queue;
mod rejoined;
mod replays;
mod request;
mod saving;
mod steps;
mod submit;
mod unanswered;
