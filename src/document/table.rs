//! Tables: the members that the rows of a kind have, what each holds, and where it goes.

/// The type of a member.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number.
    Count,
    /// A boolean, which is this one where it is not there.
    Flag(bool),
    /// JSON text, which is written as it is.
    Json,
    /// An object.
    Object,
    /// A string, a list of parts or an object, as the row demands.
    Content,
    /// A list of rows of this table, each with its first member.
    List(&'static [Member]),
    /// A list of rows, which is not held here: the member is no more than its mark.
    Rows,
}

/// Whether requests have a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InRequests {
    Always,
    /// To servers that know subagents.
    Tagged,
    Never,
}

/// A member of the rows of a table.
#[derive(Debug)]
pub(crate) struct Member {
    /// Its name where the whole row is one object.
    pub name: &'static str,
    /// Its path in each of the two places where the mirror may have the row, without the outer quotes; empty: it is not there.
    pub at: [&'static str; 2],
    pub kind: Kind,
    /// Which variants of the row have it, a bit for each.
    pub of: u8,
    pub sent: InRequests,
    /// Of a string that grows: its place in `Row::mirrored`.
    pub grows: Option<usize>,
}

impl Member {
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, at: [name, ""], kind, of: u8::MAX, sent: InRequests::Always, grows: None }
    }

    pub const fn of(self, of: u8) -> Self {
        Self { of, ..self }
    }

    pub const fn at(self, at: [&'static str; 2]) -> Self {
        Self { at, ..self }
    }

    pub const fn sent(self, sent: InRequests) -> Self {
        Self { sent, ..self }
    }

    pub const fn grows(self, place: usize) -> Self {
        Self { grows: Some(place), ..self }
    }
}

/// Makes a table, and of each member's name its place in it.
macro_rules! table {
    ($(#[$about:meta])* $table:ident { $($(#[$of:meta])* $name:ident = $member:expr,)* }) => {
        $(#[$about])*
        pub(crate) static $table: &[$crate::document::table::Member] = &[$($member),*];
        table!(@ 0; $($(#[$of])* $name)*);
    };
    (@ $at:expr; $(#[$of:meta])* $name:ident $($rest:tt)*) => {
        $(#[$of])*
        pub(crate) const $name: usize = $at;
        table!(@ $at + 1; $($rest)*);
    };
    (@ $at:expr;) => {};
}
pub(super) use table;
