//! The table of a tool call. The mirror has it twice: as its message has it, and in the list of all calls.

use super::args::ArgsReader;
use super::patch::{Patch, Path};
use super::row::{Members, Row, Value};
use super::table::{Kind, Member, table};
use super::words::{CallPhase, CallStatus};
use crate::wire::{Fields, JsonWriter, write_string};

table! {
    CALL {
        OWN_ID = Member::new("id", Kind::Text).at(["id", "id"]),
        TOOL = Member::new("name", Kind::Text).at(["function\",\"name", "name"]),
        ARGUMENTS = Member::new("arguments", Kind::Text).at(["function\",\"arguments", "argsText"]).grows(0),
        ENCRYPTED_VALUE = Member::new("encryptedValue", Kind::Text),
        CALL_METADATA = Member::new("metadata", Kind::Object),
        STATUS = Member::new("status", Kind::Word(CallStatus::WORDS)).at(["", "status"]).of(0),
        PHASE = Member::new("phase", Kind::Word(CallPhase::WORDS)).at(["", "phase"]).of(0),
        /// JSON text.
        RESULT = Member::new("result", Kind::Json).at(["", "result"]).of(0),
        FAILURE = Member::new("error", Kind::Text).at(["", "error"]).of(0),
    }
}

/// The id that the call with this number has in its thread, where the server gives it and others one id.
pub(crate) fn numbered(id: &str, number: usize) -> String {
    if number > 1 { [id, "~again~", &number.to_string()].concat() } else { id.to_owned() }
}

/// The id that the server gives a call, and its number.
pub(crate) fn wire_id(id: &str) -> (&str, usize) {
    let begin = id.bytes().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let (again, number) = id.split_at_checked(begin).unwrap_or_default();
    let digit = |number: usize, digit: u8| number.wrapping_mul(10).wrapping_add(usize::from(digit & 15));
    let number = number.bytes().fold(0, digit);
    // A server may write any number: those that are not there are looked for one by one.
    let again = again.strip_suffix("~again~").filter(|_| (2..100_000).contains(&number));
    again.map_or((id, 1), |id| (id, number))
}

/// Where the mirror has a call: in its message, and in the list of all.
const IN_MESSAGE: usize = 0;
const IN_LIST: usize = 1;

/// The members of a call in AG-UI: two calls are the same where these are.
pub(crate) const CALL_OF_AG_UI: Members = (1 << STATUS) - 1;

/// A tool call, and what is noted of it.
#[derive(Debug, Default)]
pub(crate) struct Call {
    pub row: Row,
    /// Set once it is in the mirror's list; its index there, while the list is being rebuilt.
    pub place: Option<usize>,
    /// The mirror gets it with the patch that is being written.
    pub fresh: bool,
    /// Noted for the next patch, and for the end of the run.
    pub touched: bool,
    pub open: bool,
    /// It came with a list of messages, and nobody has looked whether it was in the thread before.
    pub is_new: bool,
    /// Bytes of the arguments that were found to be JSON, or not.
    pub checked: Option<usize>,
    args: ArgsReader,
}

impl Call {
    /// A call whose arguments are about to stream.
    pub fn new(id: &str, tool: &str) -> Self {
        let mut row = Row::new(CALL);
        row.set_text(OWN_ID, id);
        row.set_text(TOOL, tool);
        row.set_text(ARGUMENTS, "");
        row.set_word(STATUS, CallStatus::Running as u8);
        row.set_word(PHASE, CallPhase::InputStreaming as u8);
        Self { row, ..Self::default() }
    }

    /// One of a message that came whole.
    pub fn read(fields: &Fields<'_>) -> Option<Self> {
        let function = fields.object("function")?;
        let string = |fields: &Fields<'_>, name: &str| Some(fields.text(name)?.into_owned());
        let mut call = Self::new(&string(fields, "id")?, &string(&function, "name")?);
        call.row.assume(Row::read(CALL, fields, 1), 1 << ENCRYPTED_VALUE | 1 << CALL_METADATA);
        call.row.set(ARGUMENTS, Value::Text(string(&function, "arguments").unwrap_or_default()));
        call.row.set_word(STATUS, CallStatus::Complete as u8);
        call.row.set_word(PHASE, CallPhase::InputAvailable as u8);
        (call.is_new, call.checked) = (true, Some(usize::MAX));
        Some(call)
    }

    pub fn id(&self) -> &str {
        self.row.text(OWN_ID)
    }

    pub fn tool(&self) -> &str {
        self.row.text(TOOL)
    }

    pub fn arguments(&self) -> &str {
        self.row.text(ARGUMENTS)
    }

    pub fn status(&self) -> CallStatus {
        CallStatus::numbered(self.row.word(STATUS)).unwrap_or(CallStatus::Running)
    }

    pub fn phase(&self) -> CallPhase {
        CallPhase::numbered(self.row.word(PHASE)).unwrap_or(CallPhase::InputStreaming)
    }

    /// Its answer as JSON text.
    pub fn result(&self) -> Option<&str> {
        self.row.some(RESULT)
    }

    pub fn error(&self) -> Option<&str> {
        self.row.some(FAILURE)
    }

    /// Whether the mirror has its name and its arguments as they are.
    pub fn is_shown(&self) -> bool {
        self.place.is_some()
            && !self.row.is_marked(TOOL)
            && !self.row.is_marked(ARGUMENTS)
            && self.row.mirrored_length(ARGUMENTS) == self.arguments().len()
    }

    /// Writes it in AG-UI's shape.
    pub fn write_in_message(&self, out: &mut String) {
        self.write_as(self.id(), out);
    }

    /// The same for the server.
    pub fn write_outgoing(&self, out: &mut String) {
        self.write_as(wire_id(self.id()).0, out);
    }

    fn write_as(&self, id: &str, out: &mut String) {
        let mut object = JsonWriter::object(out);
        object.string("id", id).string("type", "function");
        JsonWriter::object(object.member("function")).string("name", self.tool()).string("arguments", self.arguments());
        self.row.write(&mut object, IN_MESSAGE, 1 << ENCRYPTED_VALUE | 1 << CALL_METADATA);
    }

    /// Writes it as the list has it, with `more` from its message. Its arguments are read from their text: they follow.
    pub fn write_in_list(&self, out: &mut String, more: &mut dyn FnMut(&mut JsonWriter<'_>)) {
        let mut object = JsonWriter::object(out);
        self.row.write(&mut object, IN_LIST, 1 << OWN_ID | 1 << TOOL);
        object.member("args").push_str("{}");
        self.row.write(&mut object, IN_LIST, 1 << ARGUMENTS);
        more(&mut object);
        self.row.write(&mut object, IN_LIST, !CALL_OF_AG_UI);
    }

    /// Writes what the mirror lacks. `in_message`: where its message has it, unless it was written with that.
    pub fn write_changes(&mut self, in_message: Option<&str>, in_list: &str, patch: &mut Patch) {
        let root = [in_list, ",\"args\""].concat();
        if std::mem::take(&mut self.fresh) {
            self.row.set_mirrored();
            return self.write_args(0, &root, patch);
        }
        let anew = self.row.is_marked(ARGUMENTS);
        let from = if anew { 0 } else { self.row.mirrored_length(ARGUMENTS) };
        let places = [(IN_LIST, in_list), (IN_MESSAGE, in_message.unwrap_or_default())];
        self.row.write_changes(places.get(..1 + usize::from(in_message.is_some())).unwrap_or_default(), patch);
        if anew {
            patch.set(&root, |out| out.push_str("{}"));
            self.args = ArgsReader::default();
        }
        self.write_args(from, &root, patch);
    }

    fn write_args(&mut self, from: usize, root: &str, patch: &mut Patch) {
        if let Some(text) = self.row.text(ARGUMENTS).get(from..).filter(|text| !text.is_empty()) {
            self.args.feed(text, &Path(root), patch.ops());
        }
        if self.phase() != CallPhase::InputStreaming {
            self.args.finish(&Path(root), patch.ops());
        }
    }

    /// Writes its id.
    pub fn write_id(&self, out: &mut String) {
        write_string(out, self.id());
    }
}
