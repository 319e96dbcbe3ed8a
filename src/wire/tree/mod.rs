//! A JSON document that is changed in place.
//!
//! Every container knows its size and how deep it nests, so what is moved, copied or removed is never looked through. A
//! copy shares all its parts with what it is a copy of, until one of them is changed. An object keeps its members in the
//! order in which they were set. Small containers are text until somebody looks into them (`read.rs`).

mod list;
mod object;
mod read;

use super::json::{Raw, literal};
use super::pointer::{Token, split_front};
use super::text::{cut, write_json};
use super::write::JsonWriter;
use list::List;
pub use object::Object;
pub(crate) use read::Builder;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

/// A JSON value. To clone it costs nothing.
#[derive(Debug, Clone)]
pub struct Tree(Node);

#[derive(Debug, Clone)]
enum Node {
    /// No container, or an empty one: its JSON text.
    Short(Short),
    /// No container.
    Leaf(Rc<str>),
    /// A small container as JSON text.
    Text(Rc<Text>),
    List(Rc<List>),
    Object(Rc<Object>),
}

/// JSON text of few bytes, without an allocation: numbers, mostly.
#[derive(Debug, Clone, Copy)]
struct Short {
    length: u8,
    bytes: [u8; Short::MOST],
}

impl Short {
    /// In WebAssembly as much as fits beside the other kinds of a [`Node`].
    const MOST: usize = 10;

    fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { length: text.len() as u8, bytes })
    }

    /// The bracket of an empty container.
    fn bracket(&self) -> Option<u8> {
        self.bytes.first().copied().filter(|byte| matches!(byte, b'{' | b'['))
    }

    fn text(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.length)).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// A container without white space between its parts.
#[derive(Debug)]
struct Text {
    json: Box<str>,
    depth: usize,
    /// The parsed value, once somebody has looked.
    opened: OnceCell<Tree>,
}

impl Text {
    fn new(json: Box<str>, depth: usize) -> Self {
        Self { json, depth, opened: OnceCell::new() }
    }

    fn opened(&self) -> &Tree {
        self.opened.get_or_init(|| read::open(&self.json))
    }
}

/// How much is in a container.
#[derive(Debug, Clone, Copy, Default)]
struct ContainerSize {
    /// As JSON, with a comma after each.
    bytes: usize,
    /// Levels of nesting: at most so many. Containers that once nested deeper may say more.
    depth: usize,
}

impl ContainerSize {
    fn grow(&mut self, key: usize, child: &Tree) {
        self.bytes += key + child.bytes();
        self.depth = self.depth.max(child.depth() + 1);
    }

    fn shrink(&mut self, key: usize, child: &Tree) {
        self.bytes = self.bytes.saturating_sub(key + child.bytes());
    }

    /// Of the whole container: the brackets, and no comma after the last.
    fn whole(self) -> usize {
        2 + self.bytes.saturating_sub(COMMA)
    }
}

/// The node of an empty container that stands as text.
fn empty(bracket: u8) -> &'static Node {
    thread_local! {
        static EMPTY: [&'static Node; 2] = [Tree::list(), Tree::object()].map(|tree| &*Box::leak(Box::new(tree.0)));
    }
    EMPTY.with(|[list, object]| if bracket == b'{' { *object } else { *list })
}

/// The bytes that an element adds besides its value.
const COMMA: usize = 1;

/// How a change of one container is taken back. Places are indices of a list, or numbers of an object's members.
#[derive(Debug)]
pub(crate) enum Undo {
    /// Take out what stands there.
    Inserted(usize),
    /// Put this back in the place of what stands there.
    Replaced(usize, Tree),
    /// Put this back between the others. Without a value: what was taken out last.
    Removed(usize, Option<Rc<str>>, Option<Tree>),
}

/// Why a path leads nowhere.
pub(crate) type Misfit = &'static str;

const NOTHING: Misfit = "the path leads nowhere";

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.equals(other)
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::read(Raw::NULL)
    }
}

impl Tree {
    /// An empty object.
    pub fn object() -> Self {
        Self(Node::Object(Rc::default()))
    }

    /// An empty array.
    pub fn list() -> Self {
        Self(Node::List(Rc::default()))
    }

    /// Reads a value, in one pass. Of a key that comes twice, the last one counts.
    pub fn read(raw: Raw<'_>) -> Self {
        read::read(raw.text())
    }

    /// The value as it is where somebody has looked into it: no [`Node::Text`].
    fn opened(&self) -> &Node {
        match &self.0 {
            Node::Text(text) => &text.opened().0,
            Node::Short(short) => short.bracket().map_or(&self.0, |bracket| empty(bracket)),
            node => node,
        }
    }

    /// The same, to be changed.
    fn open(&mut self) -> &mut Node {
        if let Node::Text(_) | Node::Short(_) = &self.0 {
            *self = Self(self.opened().clone());
        }
        &mut self.0
    }

    /// The JSON text of what is no container.
    fn scalar(&self) -> Option<&str> {
        match &self.0 {
            Node::Short(short) if short.bracket().is_none() => Some(short.text()),
            Node::Leaf(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        self.members().is_some()
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.scalar() == Some("null")
    }

    /// Its bytes as JSON, roughly: what is escaped in keys is not counted.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Node::Short(short) => short.length.into(),
            Node::Leaf(text) => text.len(),
            Node::Text(text) => text.json.len(),
            Node::List(list) => list.size.whole(),
            Node::Object(object) => object.size.whole(),
        }
    }

    /// Levels of nesting: at most so many.
    pub fn depth(&self) -> usize {
        match &self.0 {
            Node::Short(short) => short.bracket().is_some().into(),
            Node::Leaf(_) => 0,
            Node::Text(text) => text.depth,
            // An empty container is a level, too.
            Node::List(list) => list.size.depth.max(1),
            Node::Object(object) => object.size.depth.max(1),
        }
    }

    /// Writes it as JSON text.
    pub fn write(&self, out: &mut String) {
        match &self.0 {
            // Of a string only text may have halves in it.
            Node::Short(short) if short.bytes.first() != Some(&b'"') => out.push_str(short.text()),
            Node::Short(short) => write_json(out, short.text()),
            Node::Leaf(text) => write_json(out, text),
            Node::Text(text) => write_json(out, &text.json),
            Node::List(list) => {
                let mut out = JsonWriter::array(out);
                list.items().iter().for_each(|item| item.write(out.item()));
            }
            Node::Object(object) => {
                let mut out = JsonWriter::object(out);
                object.iter().for_each(|(key, value)| value.write(out.member(key)));
            }
        }
    }

    /// Its JSON text.
    #[inline(never)]
    pub fn to_json(&self) -> String {
        let mut json = String::new();
        self.write(&mut json);
        json
    }

    /// The elements, where it is an array.
    pub fn items(&self) -> Option<&[Tree]> {
        match self.opened() {
            Node::List(list) => Some(list.items()),
            _ => None,
        }
    }

    /// The members, where it is an object.
    pub fn members(&self) -> Option<&Object> {
        match self.opened() {
            Node::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of that name, where it is an object.
    pub fn member(&self, name: &str) -> Option<&Tree> {
        self.members()?.get(name)
    }

    /// The child that a token of a pointer names.
    pub(crate) fn child(&self, token: &Token<'_>) -> Option<&Tree> {
        match self.opened() {
            Node::List(list) => list.items().get(element(token, list.items().len())?),
            Node::Object(object) => object.get(&token.decoded()),
            _ => None,
        }
    }

    /// The value at the end of a path.
    pub(crate) fn at(&self, path: &str) -> Result<&Tree, Misfit> {
        match split_front(path) {
            Some((token, rest)) => self.child(&token).ok_or(NOTHING)?.at(rest),
            None => Ok(self),
        }
    }

    /// Lets `edit` change what stands at the end of a path. It fails before it has changed anything, or not at all.
    pub(crate) fn edit(
        &mut self,
        path: &str,
        edit: &mut dyn FnMut(&mut Tree) -> Result<(), Misfit>,
    ) -> Result<(), Misfit> {
        let Some((token, rest)) = split_front(path) else { return edit(self) };
        let (size, child) = self.place(&token).and_then(|place| self.at_mut(place)).ok_or(NOTHING)?;
        size.shrink(0, child);
        let result = child.edit(rest, edit);
        size.grow(0, child);
        result
    }

    /// Adds a member, or puts it in the place of one; or an element before another, or at the end.
    /// Takes `value` only if that goes well.
    pub(crate) fn insert(&mut self, token: &Token<'_>, value: &mut Option<Tree>) -> Result<Undo, Misfit> {
        match self.open() {
            Node::List(list) => {
                let length = list.items().len();
                let at = new_element(token, length).ok_or(NOTHING)?;
                Rc::make_mut(list).insert(at, value.take().unwrap_or_default());
                Ok(Undo::Inserted(at))
            }
            Node::Object(object) => Ok(Rc::make_mut(object).insert(token.decoded(), value.take().unwrap_or_default())),
            _ => Err(NOTHING),
        }
    }

    /// Puts `value` in the place of what is there. Takes it only if that goes well.
    pub(crate) fn replace(&mut self, token: &Token<'_>, value: &mut Option<Tree>) -> Result<Undo, Misfit> {
        let place = self.place(token).ok_or(NOTHING)?;
        let old = self.swap(place, value.take().unwrap_or_default()).ok_or(NOTHING)?;
        Ok(Undo::Replaced(place, old))
    }

    /// Sets members, where both are objects.
    pub(crate) fn merge(&mut self, members: Raw<'_>) -> bool {
        let members = Self::read(members);
        match (self.open(), members.members()) {
            (Node::Object(object), Some(members)) => {
                let object = Rc::make_mut(object);
                members.iter().for_each(|(key, value)| drop(object.insert(Cow::Borrowed(key), value.clone())));
                true
            }
            _ => false,
        }
    }

    /// Takes out what is there.
    pub(crate) fn remove(&mut self, token: &Token<'_>) -> Result<(Undo, Tree), Misfit> {
        let place = self.place(token).ok_or(NOTHING)?;
        let (key, value) = self.take(place).ok_or(NOTHING)?;
        Ok((Undo::Removed(place, key, None), value))
    }

    fn place(&self, token: &Token<'_>) -> Option<usize> {
        match self.opened() {
            Node::List(list) => element(token, list.items().len()),
            Node::Object(object) => object.number(&token.decoded()),
            _ => None,
        }
    }

    /// A child, with the size of what it stands in beside it.
    fn at_mut(&mut self, place: usize) -> Option<(&mut ContainerSize, &mut Tree)> {
        match self.open() {
            Node::List(list) => Rc::make_mut(list).at_mut(place),
            Node::Object(object) => Rc::make_mut(object).at_mut(place),
            _ => None,
        }
    }

    fn swap(&mut self, place: usize, value: Tree) -> Option<Tree> {
        let (size, at) = self.at_mut(place)?;
        size.shrink(0, at);
        size.grow(0, &value);
        Some(std::mem::replace(at, value))
    }

    fn take(&mut self, place: usize) -> Option<(Option<Rc<str>>, Tree)> {
        match self.open() {
            Node::List(list) => Rc::make_mut(list).remove(place).map(|value| (None, value)),
            Node::Object(object) => Rc::make_mut(object).take(place).map(|(key, value)| (Some(key), value)),
            _ => None,
        }
    }

    /// Takes a change back. `hand` has what was taken out last.
    pub(crate) fn undo(&mut self, undo: Undo, hand: &mut Option<Tree>) {
        match undo {
            Undo::Inserted(place) => *hand = self.take(place).map(|(_, value)| value),
            Undo::Replaced(place, old) => *hand = self.swap(place, old),
            Undo::Removed(place, key, value) => match (self.open(), key) {
                (Node::List(list), _) => Rc::make_mut(list).insert(place, value.or(hand.take()).unwrap_or_default()),
                (Node::Object(object), Some(key)) => {
                    Rc::make_mut(object).put(place, key, value.or(hand.take()).unwrap_or_default());
                }
                _ => {}
            },
        }
    }

    /// Equality of RFC 6902, section 4.6: numbers by their value, members in any order.
    pub fn equals(&self, other: &Tree) -> bool {
        if self.is_copy(other) {
            return true;
        }
        if let (Some(a), Some(b)) = (self.scalar(), other.scalar()) {
            return a == b || equal(a, b);
        }
        if let (Node::Text(a), Node::Text(b)) = (&self.0, &other.0)
            && a.json == b.json
        {
            return true;
        }
        match (self.opened(), other.opened()) {
            (Node::List(a), Node::List(b)) => {
                a.items().len() == b.items().len() && a.items().iter().zip(b.items()).all(|(a, b)| a.equals(b))
            }
            (Node::Object(a), Node::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| a.equals(b)))
            }
            _ => false,
        }
    }

    /// Whether one is a copy of the other, and neither was changed since: known without looking at what is in them.
    pub fn is_copy(&self, other: &Tree) -> bool {
        match (&self.0, &other.0) {
            (Node::Text(a), Node::Text(b)) => Rc::ptr_eq(a, b),
            (Node::List(a), Node::List(b)) => Rc::ptr_eq(a, b),
            (Node::Object(a), Node::Object(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The place that a token of a pointer names in a list of this length (RFC 6901, 4).
pub(crate) fn element(token: &Token<'_>, length: usize) -> Option<usize> {
    let text = token.encoded();
    let plain = (text.len() == 1 || !text.starts_with('0')) && text.bytes().all(|byte| byte.is_ascii_digit());
    let at = text.parse::<u64>().ok().filter(|at| plain && *at < length as u64)?;
    Some(at as usize)
}

/// The same for a new element, which may stand at the end.
pub(crate) fn new_element(token: &Token<'_>, length: usize) -> Option<usize> {
    if token.encoded() == "-" { Some(length) } else { element(token, length + 1) }
}

/// Whether two leaves that are written in different ways are the same.
fn equal(a: &str, b: &str) -> bool {
    match (literal(a), literal(b)) {
        (Some(a), Some(b)) => a.decode() == b.decode(),
        (None, None) => decimal(a).is_some_and(|number| Some(number) == decimal(b)),
        _ => false,
    }
}

/// A JSON number, where JSON text is one, as sign, digits without zeros at either end, and exponent: equal for equal numbers, and exact.
pub(crate) fn decimal(number: &str) -> Option<(bool, String, i64)> {
    let Some(b'-' | b'0'..=b'9') = number.as_bytes().first() else { return None };
    let end = number.bytes().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(number.len());
    let (mantissa, exponent) = (number.get(..end).unwrap_or_default(), number.get(end + 1..).unwrap_or("0"));
    let (whole, fraction) = cut(mantissa, b'.').unwrap_or((mantissa, ""));
    let below = exponent.starts_with('-');
    // A form of `parse` for each type of number is compiled by itself.
    let exponent: u64 = exponent.strip_prefix('-').unwrap_or(exponent).parse().unwrap_or(u64::MAX);
    let exponent = i64::try_from(exponent).unwrap_or(i64::MAX) * if below { -1 } else { 1 };
    let digits = [whole.strip_prefix('-').unwrap_or(whole), fraction].concat();
    let stripped = digits.trim_end_matches('0');
    let exponent = exponent.saturating_add((digits.len() - stripped.len()) as i64 - fraction.len() as i64);
    Some(match stripped.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        digits => (whole.starts_with('-'), digits.to_owned(), exponent),
    })
}

#[cfg(test)]
mod tests;
