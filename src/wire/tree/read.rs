//! From JSON text to a tree, in one pass.
//!
//! A container of few bytes stays the text that it is until somebody looks into it: most of a large document are small
//! rows, of which patches touch one or two. (Not so one that has a key twice, of which the last counts.) So what is read is kept as pieces of the text first; the pieces of a container
//! that turns out to be small are forgotten, those of a larger one become its children.

use super::super::json::{JsonError, Reader};
use super::super::text::unescape;
use super::{Node, Short, Text, Tree};
use std::rc::Rc;

/// A container of no more bytes stays text.
const SMALL: usize = 256;

/// From where to where something stands in the text.
type Span = (usize, usize);

/// A value that was read.
#[derive(Debug)]
enum Piece {
    Scalar(Span),
    /// A small container, and how deep it nests.
    Text(Span, usize),
    Built(Tree),
}

/// A container that is open.
#[derive(Debug)]
struct Level {
    bracket: u8,
    start: usize,
    /// Of more bytes it is not small.
    small: usize,
    /// Its first piece.
    first: usize,
    depth: usize,
    /// A value inside cannot stay text.
    odd: bool,
    /// The container as far as it is read, once it is not small.
    built: Option<Tree>,
    /// The key of the member that is being read.
    key: Span,
}

/// Reads a value that is known to be JSON, as much of it at a time as is asked for.
#[derive(Debug)]
pub(crate) struct Builder {
    at: usize,
    small: usize,
    /// The members and elements of the containers that are open, of which it is not known whether they are small.
    pieces: Vec<(Span, Piece)>,
    levels: Vec<Level>,
}

/// Reads a value that is known to be JSON.
pub(super) fn read(json: &str) -> Tree {
    Builder::new(SMALL).read(json, usize::MAX).unwrap_or_default()
}

/// Reads a container that was kept as text: its children are, if they are containers.
pub(super) fn open(json: &str) -> Tree {
    Builder::new(0).read(json, usize::MAX).unwrap_or_default()
}

impl Default for Builder {
    fn default() -> Self {
        Self::new(SMALL)
    }
}

impl Builder {
    fn new(small: usize) -> Self {
        Self { at: 0, small, pieces: Vec::new(), levels: Vec::new() }
    }

    /// Reads so many bytes more, or what there is. The value, once it is whole. The text is the same every time.
    pub fn read(&mut self, json: &str, bytes: usize) -> Option<Tree> {
        // It is known to be JSON.
        self.go_on(json, self.at.saturating_add(bytes)).unwrap_or_else(|_| Some(Tree::default()))
    }

    fn go_on(&mut self, json: &str, until: usize) -> Result<Option<Tree>, JsonError> {
        let mut reader = Reader::from(json, self.at);
        loop {
            let mut value = match reader.open() {
                None => Piece::Scalar((reader.at(), reader.value(0).map(|_| reader.at())?)),
                Some(bracket) => {
                    let level = self.level(bracket, reader.at() - 1);
                    if !reader.closes(bracket) {
                        self.levels.push(level);
                        self.key(&mut reader)?;
                        continue;
                    }
                    self.close(level, json, reader.at())
                }
            };
            loop {
                let Some(level) = self.levels.last_mut() else { return Ok(Some(value.tree(json))) };
                level.add(value, json, reader.at(), &mut self.pieces);
                if reader.goes_on(level.bracket)? {
                    self.key(&mut reader)?;
                    break;
                }
                let Some(level) = self.levels.pop() else { break };
                value = self.close(level, json, reader.at());
            }
            if reader.at() >= until {
                self.at = reader.at();
                return Ok(None);
            }
        }
    }

    fn level(&mut self, bracket: u8, start: usize) -> Level {
        // The size that counts is that of what stands within.
        let small = std::mem::replace(&mut self.small, SMALL);
        let first = self.pieces.len();
        Level { bracket, start, small, first, depth: 1, odd: small == 0, built: None, key: (0, 0) }
    }

    /// Reads the key of the next member, where an object is open.
    fn key(&mut self, reader: &mut Reader<'_>) -> Result<(), JsonError> {
        if let Some(level) = self.levels.last_mut().filter(|level| level.bracket == b'{') {
            let (place, escaped) = reader.key_place()?;
            level.key = place;
            level.odd |= escaped;
        }
        Ok(())
    }

    /// The value of a container that ends at `end`.
    fn close(&mut self, level: Level, json: &str, end: usize) -> Piece {
        let Level { bracket, start, first, depth, odd, built, .. } = level;
        if built.is_none() && !odd && (bracket == b'[' || !self.repeats(first, json)) {
            self.pieces.truncate(first);
            return Piece::Text((start, end), depth);
        }
        Piece::Built(built.unwrap_or_else(|| build(bracket, self.pieces.drain(first..), json)))
    }

    /// Whether a key comes twice among the members from `first` on, which are few.
    fn repeats(&self, first: usize, json: &str) -> bool {
        let key = |place: &Span| json.get(place.0..place.1);
        let mut rest = self.pieces.get(first..).unwrap_or_default();
        while let Some(((name, _), others)) = rest.split_first() {
            if others.iter().any(|(other, _)| key(other) == key(name)) {
                return true;
            }
            rest = others;
        }
        false
    }
}

impl Level {
    /// Adds what was read up to `at`.
    fn add(&mut self, value: Piece, json: &str, at: usize, pieces: &mut Vec<(Span, Piece)>) {
        self.odd |= matches!(value, Piece::Built(_));
        self.depth = self.depth.max(value.depth() + 1);
        match &mut self.built {
            Some(built) => add(built, self.key, value, json),
            None => pieces.push((self.key, value)),
        }
        if self.built.is_none() && at - self.start > self.small {
            self.built = Some(build(self.bracket, pieces.drain(self.first..), json));
        }
    }
}

impl Piece {
    fn depth(&self) -> usize {
        match self {
            Self::Scalar(_) => 0,
            Self::Text(_, depth) => *depth,
            Self::Built(tree) => tree.depth(),
        }
    }

    fn tree(self, json: &str) -> Tree {
        let text = |(start, end): Span| json.get(start..end).unwrap_or_default();
        match self {
            Self::Built(tree) => tree,
            Self::Text(place, depth) if !matches!(text(place), "{}" | "[]") => {
                Tree(Node::Text(Rc::new(Text::new(compact(text(place)), depth))))
            }
            Self::Scalar(place) | Self::Text(place, _) => {
                let text = text(place);
                Tree(Short::new(text).map_or_else(|| Node::Leaf(text.into()), Node::Short))
            }
        }
    }
}

/// A container of these pieces.
fn build(bracket: u8, pieces: impl Iterator<Item = (Span, Piece)>, json: &str) -> Tree {
    let mut built = if bracket == b'{' { Tree::object() } else { Tree::list() };
    pieces.for_each(|(key, piece)| add(&mut built, key, piece, json));
    built
}

fn add(container: &mut Tree, (start, end): Span, value: Piece, json: &str) {
    let value = value.tree(json);
    match &mut container.0 {
        Node::List(list) => Rc::make_mut(list).push(value),
        Node::Object(object) => {
            let key = unescape(json.get(start..end).unwrap_or_default());
            Rc::make_mut(object).insert(key.unwrap_or_default(), value);
        }
        _ => {}
    }
}

/// The text without white space between its parts: its length is the value's.
fn compact(json: &str) -> Box<str> {
    let spaced = json.bytes().any(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
    if !spaced {
        return json.into();
    }
    let (mut inside, mut escaped) = (false, false);
    let kept = json.chars().filter(|c| {
        let quote = *c == '"' && !escaped;
        escaped = inside && *c == '\\' && !escaped;
        inside ^= quote;
        inside || !matches!(c, ' ' | '\n' | '\r' | '\t')
    });
    kept.collect::<String>().into()
}
