//! JSON texts one after the other: a line each, or as the elements of an array. Uses nothing of ours but the search for
//! quotes.
//!
//! Lines are cut at line feeds, so that a bad one costs no other. An array may have any layout; its elements are found by
//! counting brackets outside of strings, and each is handed on with its last bracket, before the comma has come.

use super::scan::special;
use super::sse::BadBody;

/// Where the pieces end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    Lines,
    Elements,
}

/// The reader's state between two pieces of text.
#[derive(Debug)]
pub(super) struct Splitter {
    cut: Cut,
    /// The beginning of a piece whose end has not come.
    held: String,
    max: usize,
    array: Array,
    /// How long a piece is that waits, and whether what is held is one that does.
    pub long: usize,
    parked: bool,
}

/// How far an array was read.
#[derive(Debug, Default)]
struct Array {
    /// Brackets that are open, the array's own among them.
    level: usize,
    /// An element has begun.
    inside: bool,
    quoted: bool,
    /// The last byte was the backslash of an escape.
    escaped: bool,
}

impl Splitter {
    /// A splitter that refuses pieces of more than `max` bytes; what ends a line is no part of it.
    pub fn new(cut: Cut, max: usize) -> Self {
        Self { cut, held: String::new(), max, array: Array::default(), long: usize::MAX, parked: false }
    }

    /// The piece that waits.
    pub fn parked(&self) -> Option<&str> {
        self.parked.then(|| trimmed(&self.held))
    }

    /// Hands on the piece that waits.
    pub fn unpark(&mut self, sink: &mut dyn FnMut(&str)) {
        if std::mem::take(&mut self.parked) {
            give(&self.held, sink);
            self.held.clear();
        }
    }

    /// Hands every piece whose end has come to `sink`; in place where it came in one text. Says how much is read: up to a piece
    /// that waits.
    pub fn feed(&mut self, text: &str, sink: &mut dyn FnMut(&str)) -> Result<usize, BadBody> {
        let mut rest = text;
        loop {
            let end = match self.cut {
                Cut::Lines => memchr::memchr(b'\n', rest.as_bytes()).map(|at| at + 1),
                Cut::Elements => {
                    if !self.array.inside {
                        rest = self.array.begin(rest);
                    }
                    self.array.end(rest.as_bytes())
                }
            };
            let Some((piece, tail)) = end.and_then(|end| rest.split_at_checked(end)) else { break };
            rest = tail;
            self.check(piece.strip_suffix('\n').unwrap_or(piece))?;
            if self.held.is_empty() {
                give(piece, sink);
            } else {
                self.held.push_str(piece);
                self.parked = self.held.len() >= self.long;
                if self.parked {
                    return Ok(text.len() - rest.len());
                }
                give(&self.held, sink);
                self.held.clear();
            }
        }
        self.check(rest)?;
        self.held.push_str(rest);
        Ok(text.len())
    }

    /// The end of the text: the last piece, if it lacks its end.
    pub fn finish(&mut self) -> Option<String> {
        let mut last = None;
        give(&std::mem::take(&mut self.held), &mut |piece| last = Some(piece.to_owned()));
        last
    }

    fn check(&self, more: &str) -> Result<(), BadBody> {
        // A carriage return belongs to the end of its line.
        let end = more.chars().next_back().or_else(|| self.held.chars().next_back());
        let length = self.held.len() + more.len() - usize::from(end == Some('\r'));
        if length > self.max { Err(BadBody::FrameTooLong) } else { Ok(()) }
    }
}

/// Whitespace that may stand around a JSON text.
pub(super) fn blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{FEFF}')
}

fn trimmed(piece: &str) -> &str {
    piece.trim_end_matches(blank).trim_start_matches(blank)
}

/// Empty pieces are none.
fn give(piece: &str, sink: &mut dyn FnMut(&str)) {
    let piece = trimmed(piece);
    if !piece.is_empty() {
        sink(piece);
    }
}

impl Array {
    /// Skips what stands between elements.
    fn begin<'t>(&mut self, text: &'t str) -> &'t str {
        let element = text.trim_start_matches(|c| match c {
            '[' if self.level == 0 => {
                self.level = 1;
                true
            }
            ']' => {
                self.level = 0;
                true
            }
            _ => c == ',' || blank(c),
        });
        self.inside = !element.is_empty();
        element
    }

    /// Where the element that has begun ends in `bytes`, if it does there.
    fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if std::mem::take(&mut self.escaped) {
                at += 1;
                continue;
            }
            if self.quoted {
                at += special(bytes.get(at..).unwrap_or_default());
                self.escaped = bytes.get(at) == Some(&b'\\');
                self.quoted = bytes.get(at) != Some(&b'"');
                at += 1;
                continue;
            }
            match byte {
                b'"' => self.quoted = true,
                b'{' | b'[' => self.level += 1,
                // A scalar ends before the byte that follows it.
                b',' | b']' if self.level <= 1 => {
                    self.inside = false;
                    return Some(at);
                }
                b'}' | b']' => {
                    self.level = self.level.saturating_sub(1);
                    if self.level <= 1 {
                        self.inside = false;
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(cut: Cut, texts: &[&str]) -> Vec<String> {
        let (mut splitter, mut found) = (Splitter::new(cut, 60), Vec::new());
        for text in texts {
            splitter.feed(text, &mut |piece| found.push(piece.to_owned())).unwrap();
        }
        found.extend(splitter.finish());
        found
    }

    #[test]
    fn any_cut_gives_the_same_pieces() {
        let cases: [(Cut, &str, &[&str]); 6] = [
            (
                Cut::Lines,
                "\u{FEFF}{\"a\":1}\r\n\n  {\"b\":[\n{\"ü🙂\":2} \n{\"c\"",
                &["{\"a\":1}", "{\"b\":[", "{\"ü🙂\":2}", "{\"c\""],
            ),
            (Cut::Elements, "\u{FEFF} [ ] ", &[]),
            (
                Cut::Elements,
                "[{\"a\":[1,{}]}\n,\n{\"b\":\"]}\\\"\\\\\"},[[]] , 7, \"x,y\" ,null]\n",
                &["{\"a\":[1,{}]}", "{\"b\":\"]}\\\"\\\\\"}", "[[]]", "7", "\"x,y\"", "null"],
            ),
            (
                Cut::Elements,
                "[{\"ü\":\"🙂\"}{\"b\":1}][{\"c\":1}] junk",
                &["{\"ü\":\"🙂\"}", "{\"b\":1}", "{\"c\":1}", "junk"],
            ),
            (Cut::Elements, "[{\"a\":1},{\"b\":\"x", &["{\"a\":1}", "{\"b\":\"x"]),
            (Cut::Elements, "[}{\"a\":1}]", &["}", "{\"a\":1}"]),
        ];
        for (cut, text, expected) in cases {
            assert_eq!(pieces(cut, &[text]), expected, "{text:?}");
            for (before, after) in (0..=text.len()).filter_map(|at| text.split_at_checked(at)) {
                assert_eq!(pieces(cut, &[before, after]), expected, "{before:?} | {after:?}");
            }
            let chars: Vec<String> = text.chars().map(String::from).collect();
            let chars: Vec<&str> = chars.iter().map(String::as_str).collect();
            assert_eq!(pieces(cut, &chars), expected, "{text:?} char by char");
        }
    }

    #[test]
    fn an_element_does_not_wait_for_what_follows_it() {
        let (mut splitter, mut found) = (Splitter::new(Cut::Elements, 60), 0);
        splitter.feed("[{\"a\":1}", &mut |_| found += 1).unwrap();
        assert_eq!(found, 1);
    }

    #[test]
    fn the_limit_is_that_of_a_piece() {
        for (cut, open, close) in [(Cut::Lines, "", "\n"), (Cut::Elements, "[", ",")] {
            let piece = |size: usize| format!("{{\"{}\"}}", "x".repeat(size - 4));
            let many = format!("{open}{}", format!("{}{close}", piece(50)).repeat(20));
            assert_eq!(pieces(cut, &[&many]).len(), 20);
            let long = format!("{open}{}{close}", piece(61));
            assert_eq!(Splitter::new(cut, 60).feed(&long, &mut |_| {}), Err(BadBody::FrameTooLong));
            let mut splitter = Splitter::new(cut, 60);
            let last =
                long.chars().map(|c| splitter.feed(c.encode_utf8(&mut [0; 4]), &mut |_| {})).find(Result::is_err);
            assert_eq!(last, Some(Err(BadBody::FrameTooLong)));
        }
    }
}
