//! From JSON text to a tree, in one pass.
//!
//! A container of few bytes stays the text that it is until somebody looks into it: most of a large document are small
//! rows, of which patches touch one or two. (Not so one that has a key twice, of which the last counts.) So what is read is kept as pieces of the text first; the pieces of a container
//! that turns out to be small are forgotten, those of a larger one become its children.

use super::super::json::{JsonError, Reader};
use super::super::text::unescape;
use super::object::Object;
use super::{List, Node, Short, Text, Tree};
use std::rc::Rc;

/// A container of no more bytes stays text.
const SMALL: usize = 256;

/// A value that was read.
enum Piece<'a> {
    Scalar(&'a str),
    /// A small container, and how deep it nests.
    Text(&'a str, usize),
    Built(Tree),
}

/// A container that is not small.
enum Built {
    List(Box<List>),
    Object(Box<Object>),
}

struct Builder<'a> {
    reader: Reader<'a>,
    small: usize,
    /// The members and elements of the containers that are open, of which it is not known whether they are small.
    pieces: Vec<(&'a str, Piece<'a>)>,
}

/// Reads a value that is known to be JSON.
pub(super) fn read(json: &str) -> Tree {
    build(json, SMALL)
}

/// Reads a container that was kept as text: its children are, if they are containers.
pub(super) fn open(json: &str) -> Tree {
    build(json, 0)
}

fn build(json: &str, small: usize) -> Tree {
    let mut builder = Builder { reader: Reader::new(json, usize::MAX), small, pieces: Vec::new() };
    builder.value().map(Piece::tree).unwrap_or_default()
}

impl<'a> Builder<'a> {
    fn value(&mut self) -> Result<Piece<'a>, JsonError> {
        let Some(open) = self.reader.open() else { return Ok(Piece::Scalar(self.reader.value(0)?.text())) };
        // The size that counts is that of what stands within.
        let small = std::mem::replace(&mut self.small, SMALL);
        let (start, first) = (self.reader.at() - 1, self.pieces.len());
        let (mut depth, mut odd) = (1, small == 0);
        let mut built: Option<Built> = None;
        loop {
            if first == self.pieces.len() && built.is_none() && self.reader.closes(open) {
                break;
            }
            let (key, escaped) = if open == b'{' { self.reader.key()? } else { Default::default() };
            let value = self.value()?;
            odd |= escaped || matches!(value, Piece::Built(_));
            depth = depth.max(value.depth() + 1);
            match &mut built {
                Some(built) => built.add(key, value.tree()),
                None => self.pieces.push((key, value)),
            }
            if built.is_none() && self.reader.at() - start > small {
                built = Some(self.built(open, first));
            }
            if !self.reader.goes_on(open)? {
                break;
            }
        }
        if built.is_none() && !odd && (open == b'[' || !self.repeats(first)) {
            self.pieces.truncate(first);
            return Ok(Piece::Text(self.reader.since(start), depth));
        }
        Ok(Piece::Built(built.unwrap_or_else(|| self.built(open, first)).tree()))
    }

    /// The container of the pieces from `first` on.
    fn built(&mut self, open: u8, first: usize) -> Built {
        let mut built = Built::new(open);
        self.pieces.drain(first..).for_each(|(key, piece)| built.add(key, piece.tree()));
        built
    }

    /// Whether a key comes twice among the members from `first` on, which are few.
    fn repeats(&self, first: usize) -> bool {
        let mut rest = self.pieces.get(first..).unwrap_or_default();
        while let Some(((key, _), others)) = rest.split_first() {
            if others.iter().any(|(other, _)| other == key) {
                return true;
            }
            rest = others;
        }
        false
    }
}

impl Piece<'_> {
    fn depth(&self) -> usize {
        match self {
            Self::Scalar(_) => 0,
            Self::Text(_, depth) => *depth,
            Self::Built(tree) => tree.depth(),
        }
    }

    fn tree(self) -> Tree {
        match self {
            Self::Scalar(text) | Self::Text(text @ ("{}" | "[]"), _) => {
                Tree(Short::new(text).map_or_else(|| Node::Leaf(text.into()), Node::Short))
            }
            Self::Text(text, depth) => Tree(Node::Text(Rc::new(Text::new(compact(text), depth)))),
            Self::Built(tree) => tree,
        }
    }
}

impl Built {
    fn new(open: u8) -> Self {
        if open == b'{' { Self::Object(Box::default()) } else { Self::List(Box::default()) }
    }

    fn add(&mut self, key: &str, value: Tree) {
        match self {
            Self::List(list) => list.push(value),
            Self::Object(object) => drop(object.insert(unescape(key).unwrap_or_default(), value)),
        }
    }

    fn tree(self) -> Tree {
        Tree(match self {
            Self::List(list) => Node::List(Rc::from(list)),
            Self::Object(object) => Node::Object(Rc::from(object)),
        })
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
