//! The decisions of a policy.

mod gate;
mod policy;

use crate::dialect::{fixture, played};
use crate::support::Agent;
use ag_ui_wasm::session::Options;
use serde_json::{Value, json};
