//! A mirror whose containers are shared from one snapshot to the next, as those of `js/snapshot/mirror.ts` are.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// A value, whose containers have an identity.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Leaf(Value),
    List(Rc<Vec<Node>>),
    Object(Rc<BTreeMap<String, Node>>),
}

impl Node {
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Array(items) => Self::List(Rc::new(items.iter().map(Self::of).collect())),
            Value::Object(members) => {
                Self::Object(Rc::new(members.iter().map(|(key, value)| (key.clone(), Self::of(value))).collect()))
            }
            leaf => Self::Leaf(leaf.clone()),
        }
    }

    pub fn value(&self) -> Value {
        match self {
            Self::Leaf(leaf) => leaf.clone(),
            Self::List(items) => items.iter().map(Self::value).collect(),
            Self::Object(members) => {
                Value::Object(members.iter().map(|(key, node)| (key.clone(), node.value())).collect::<Map<_, _>>())
            }
        }
    }

    fn identity(&self) -> Option<usize> {
        match self {
            Self::Leaf(_) => None,
            Self::List(items) => Some(Rc::as_ptr(items) as usize),
            Self::Object(members) => Some(Rc::as_ptr(members) as usize),
        }
    }

    fn each(&self, path: &mut String, take: &mut impl FnMut(&str, usize)) {
        self.identity().into_iter().for_each(|identity| take(path, identity));
        let length = path.len();
        let mut inside = |key: &str, node: &Self| {
            path.push('/');
            path.push_str(key);
            node.each(path, take);
            path.truncate(length);
        };
        match self {
            Self::Leaf(_) => {}
            Self::List(items) => items.iter().enumerate().for_each(|(at, node)| inside(&at.to_string(), node)),
            Self::Object(members) => members.iter().for_each(|(key, node)| inside(key, node)),
        }
    }

    /// The places of the containers that this snapshot has from an earlier one.
    pub fn kept(&self, before: &Self) -> HashSet<String> {
        let mut known = HashSet::new();
        before.each(&mut String::new(), &mut |_, identity| {
            known.insert(identity);
        });
        let mut kept = HashSet::new();
        self.each(&mut String::new(), &mut |path, identity| {
            if known.contains(&identity) {
                kept.insert(path.to_owned());
            }
        });
        kept
    }

    /// Applies a patch: this snapshot stays as it is.
    pub fn patched(&self, patch: &Value) -> Self {
        let mut root = self.clone();
        for operation in patch.as_array().unwrap() {
            let operation = operation.as_array().unwrap();
            let path = |at: usize| -> Vec<Value> { operation[at].as_array().unwrap().clone() };
            match operation[0].as_str().unwrap() {
                name @ ("=" | "~") => {
                    let old = root.get(&path(1)).cloned();
                    let new = match &old {
                        Some(old) if name == "~" => old.keep(&operation[2]),
                        _ => Self::of(&operation[2]),
                    };
                    // An unchanged value is not copied.
                    let stays = old.is_some_and(|old| old.identity() == new.identity() && old == new);
                    if !stays {
                        root.set(&path(1), new);
                    }
                }
                "+" => {
                    for at in std::iter::once(1).chain(3..operation.len()) {
                        let mut text = root.get(&path(at)).map_or(String::new(), |node| match node {
                            Self::Leaf(Value::String(text)) => text.clone(),
                            other => panic!("no text: {other:?}"),
                        });
                        text.push_str(operation[2].as_str().unwrap());
                        root.set(&path(at), Self::Leaf(Value::String(text)));
                    }
                }
                "-" if root.get(&path(1)).is_some() => root.remove(&path(1)),
                "-" => {}
                "p" => operation[2].as_array().unwrap().iter().for_each(|step| root.step(&path(1), step)),
                "o" => {
                    let Some(Self::List(old)) = root.get(&path(1)).cloned() else { panic!("no list") };
                    let items = operation[2].as_array().unwrap().iter().flat_map(|item| match item.as_array() {
                        Some(range) => {
                            old[range[0].as_u64().unwrap() as usize..range[1].as_u64().unwrap() as usize].to_vec()
                        }
                        None => vec![Self::of(item)],
                    });
                    let list = Self::List(Rc::new(items.collect()));
                    root.set(&path(1), list);
                }
                "c" => {}
                other => panic!("unknown operation {other}"),
            }
        }
        root
    }

    /// A new value in the place of this one, with every part of this one that is equal.
    fn keep(&self, value: &Value) -> Self {
        let new = match (self, value) {
            (Self::List(old), Value::Array(items)) => Self::List(Rc::new(
                items
                    .iter()
                    .enumerate()
                    .map(|(at, item)| old.get(at).map_or_else(|| Self::of(item), |old| old.keep(item)))
                    .collect(),
            )),
            (Self::Object(old), Value::Object(members)) => Self::Object(Rc::new(
                members
                    .iter()
                    .map(|(key, value)| {
                        (key.clone(), old.get(key).map_or_else(|| Self::of(value), |old| old.keep(value)))
                    })
                    .collect(),
            )),
            _ => Self::of(value),
        };
        if new == *self { self.clone() } else { new }
    }

    fn child(&self, key: &Value) -> Option<&Self> {
        match self {
            Self::Leaf(_) => None,
            Self::List(items) => items.get(key.as_u64()? as usize),
            Self::Object(members) => members.get(key.as_str()?),
        }
    }

    fn get(&self, path: &[Value]) -> Option<&Self> {
        path.iter().try_fold(self, |at, key| at.child(key))
    }

    fn change(&mut self, path: &[Value], change: &mut dyn FnMut(&mut Self)) {
        let Some((key, rest)) = path.split_first() else { return change(self) };
        match self {
            Self::List(items) => Rc::make_mut(items)[key.as_u64().unwrap() as usize].change(rest, change),
            Self::Object(members) => {
                Rc::make_mut(members).get_mut(key.as_str().unwrap()).unwrap().change(rest, change);
            }
            Self::Leaf(leaf) => panic!("{key} leads into {leaf}"),
        }
    }

    fn set(&mut self, path: &[Value], node: Self) {
        let Some((key, above)) = path.split_last() else { return *self = node };
        self.change(above, &mut |at| match at {
            Self::List(items) => {
                let (items, at) = (Rc::make_mut(items), key.as_u64().unwrap() as usize);
                if at == items.len() { items.push(node.clone()) } else { items[at] = node.clone() }
            }
            Self::Object(members) => drop(Rc::make_mut(members).insert(key.as_str().unwrap().to_owned(), node.clone())),
            Self::Leaf(leaf) => panic!("{key} leads into {leaf}"),
        });
    }

    fn remove(&mut self, path: &[Value]) {
        let (key, above) = path.split_last().unwrap();
        self.change(above, &mut |at| match at {
            Self::List(items) => drop(Rc::make_mut(items).remove(key.as_u64().unwrap() as usize)),
            Self::Object(members) => drop(Rc::make_mut(members).remove(key.as_str().unwrap())),
            Self::Leaf(leaf) => panic!("{key} leads into {leaf}"),
        });
    }

    /// One operation of RFC 6902 on the document at `base`.
    fn step(&mut self, base: &[Value], step: &Value) {
        let op = step["op"].as_str().unwrap();
        let pointer = |name: &str| step[name].as_str().unwrap_or_default();
        let take_out = |root: &mut Self, path: &[Value]| {
            if path.len() == base.len() { root.set(path, Self::Leaf(Value::Null)) } else { root.remove(path) }
        };
        let value = match op {
            "test" => return,
            "move" if pointer("from") == pointer("path") => return,
            "move" | "copy" => {
                let from = self.resolve(base, pointer("from"));
                let value = self.get(&from).unwrap().clone();
                if op == "move" {
                    take_out(self, &from);
                }
                value
            }
            "remove" => {
                let path = self.resolve(base, pointer("path"));
                return take_out(self, &path);
            }
            _ => Self::of(&step["value"]),
        };
        let path = self.resolve(base, pointer("path"));
        let (key, above) = path.split_last().unwrap();
        let inserts = op != "replace" && path.len() > base.len();
        if inserts && matches!(self.get(above), Some(Self::List(_))) {
            self.change(above, &mut |at| {
                if let Self::List(items) = at {
                    Rc::make_mut(items).insert(key.as_u64().unwrap() as usize, value.clone());
                }
            });
        } else {
            self.set(&path, value);
        }
    }

    /// A JSON pointer as a path: the tokens under a list become indices, `-` its end.
    fn resolve(&self, base: &[Value], pointer: &str) -> Vec<Value> {
        let mut path = base.to_vec();
        for token in pointer.split('/').skip(1) {
            let name = token.replace("~1", "/").replace("~0", "~");
            let key = match self.get(&path) {
                Some(Self::List(items)) if name == "-" => items.len().into(),
                Some(Self::List(_)) => name.parse::<u64>().unwrap().into(),
                _ => Value::String(name),
            };
            path.push(key);
        }
        path
    }
}
