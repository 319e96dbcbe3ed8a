//! The document that a snapshot is: rows that tables describe, and JSON values in their members.
//!
//! ```text
//!  table ──► Row: set, grow, merge ──► marks ──► patch            one way to change a value, which marks it
//!              ├─► write: snapshot, request, save                 one walker over the table for all of them
//!              └─◄ read: events, saves, what the application gives
//!  Order ──► parts: kept ranges, new ones ──► patch               how a list has changed
//! ```
//!
//! Uses `wire`. It knows what is in a thread, and nothing of what happens to it.

mod agent;
mod args;
mod call;
mod message;
mod order;
mod parts;
mod patch;
mod report;
mod row;
mod rows;
mod saves;
mod table;
mod tracked;
mod words;

pub(crate) use agent::*;
pub(crate) use args::{MAX_DEPTH as ARGS_DEPTH, same_args};
pub(crate) use call::{
    ARGUMENTS, CALL_METADATA, CALL_OF_AG_UI, Call, ENCRYPTED_VALUE, FAILURE, OWN_ID, PHASE, RESULT, STATUS, TOOL,
    numbered, wire_id,
};
pub(crate) use message::*;
pub(crate) use order::{Insertion, Item, Order, Part, Place, Slots, add as add_part, parts_of};
pub(crate) use patch::Patch;
pub(crate) use report::*;
pub(crate) use row::{Members, Row, Value, select};
pub(crate) use rows::Rows;
pub(crate) use saves::*;
pub(crate) use tracked::Document;
pub(crate) use words::{
    Boundary, CallPhase, CallStatus, ConnectionPhase, Delivery, IfAwaiting, IfBusy, Operation, Role, Stage, Standing,
    Start, Status,
};
pub use words::{ErrorKind, Outcome};
