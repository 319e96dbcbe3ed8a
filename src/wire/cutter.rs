//! Cuts a long JSON text into parts that are JSON texts themselves, for a reader who must not take long at once.
//!
//! ```text
//!  [["=",["a"],[1,2,│3,4]],["-",["b"]]]
//!
//!  {"steps":[[[["=",["a"],[1,2]]],0]],"path":[null,null]}
//!  {"steps":[[[3,4],1],[[],1],[[["-",["b"]]],1]],"path":[]}
//! ```
//!
//! A part continues in the container in which the last one stopped. Each of its steps adds elements or members to that and then
//! leaves so many levels; the path leads from there into what the part itself has opened and not closed: a key, or `null`
//! for the last element. The reader begins in the outermost container, and is done once it has left that.

use super::Gather;
use super::text::string_end;
use std::ops::Range;

/// A text on its way.
#[derive(Debug)]
pub(crate) struct Cutter {
    text: String,
    at: usize,
    /// The containers that are open at `at`, with the key that came last in each, as a literal.
    open: Vec<(u8, Range<usize>)>,
}

/// The end of a part, or of a step.
enum End {
    Cut,
    Closed,
}

impl Cutter {
    /// Cuts the text of an array or an object.
    pub fn new(text: String) -> Self {
        let open = text.bytes().next().map(|bracket| (bracket, 0..0));
        Self { text, at: 1, open: open.into_iter().collect() }
    }

    /// The text itself where the first part would be nearly all of it, because what is long in it is one string: a part is
    /// a copy.
    pub fn uncut(mut self, bytes: usize) -> Result<String, Self> {
        let root = self.open.clone();
        self.step(root.len(), self.at + bytes);
        if self.text.len() - self.at <= bytes / 8 {
            return Ok(self.text);
        }
        (self.at, self.open) = (1, root);
        Err(self)
    }

    /// The next part: about so many bytes, and more only where a string is longer; `None`: there is none.
    pub fn part(&mut self, bytes: usize) -> Option<String> {
        if self.open.is_empty() {
            return None;
        }
        let limit = self.at + bytes;
        let mut part = String::with_capacity(bytes + bytes / 8);
        part.push_str("{\"steps\":[");
        loop {
            let (outer, begin) = (self.open.len(), self.at);
            let (bracket, end) = (self.open.last().map_or(b'[', |(bracket, _)| *bracket), self.step(outer, limit));
            part.push('[');
            part.push(char::from(bracket));
            part.push_str(self.text.get(begin..self.at).unwrap_or_default());
            // The containers that the step has opened and not closed.
            let inner = self.open.get(outer..).unwrap_or_default();
            inner.iter().rev().for_each(|(bracket, _)| part.push(closer(*bracket)));
            part.push(closer(bracket));
            // This byte closes the container, or is the comma.
            self.at += 1;
            match end {
                End::Closed => {
                    self.open.pop();
                    part.push_str(",1]");
                    if !self.open.is_empty() {
                        self.skip_comma();
                        part.push(',');
                        continue;
                    }
                }
                End::Cut => part.push_str(",0]"),
            }
            part.push_str("],\"path\":[");
            let keys: Vec<_> = self.open.iter().skip(outer - 1).gather();
            for (at, pair) in keys.windows(2).enumerate() {
                if at > 0 {
                    part.push(',');
                }
                let key = pair.first().filter(|(bracket, _)| *bracket == b'{');
                part.push_str(key.and_then(|(_, key)| self.text.get(key.clone())).unwrap_or("null"));
            }
            part.push_str("]}");
            return Some(part);
        }
    }

    /// Continues to where the container is closed that was open before, or to a comma where it is enough.
    fn step(&mut self, outer: usize, limit: usize) -> End {
        let bytes = self.text.as_bytes();
        let mut literal = 0..0;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    let end = string_end(bytes, self.at + 1).map_or(bytes.len(), |(end, _)| end + 1);
                    literal = self.at..end;
                    self.at = end;
                    continue;
                }
                b':' => self.open.last_mut().into_iter().for_each(|(_, key)| *key = literal.clone()),
                b'{' | b'[' => self.open.push((byte, 0..0)),
                b'}' | b']' if self.open.len() == outer => return End::Closed,
                b'}' | b']' => drop(self.open.pop()),
                b',' if self.at >= limit => return End::Cut,
                _ => {}
            }
            self.at += 1;
        }
        End::Closed
    }

    /// A container was closed: what follows in the one around it begins after the comma.
    fn skip_comma(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if rest.get(spaces) == Some(&b',') {
            self.at += spaces + 1;
        }
    }
}

/// In ASCII two further.
fn closer(bracket: u8) -> char {
    char::from(bracket + 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// As `js/snapshot/mirror.ts` puts the parts together: in a list, the place of what is open by its path from the root.
    fn join(text: &str, bytes: usize) -> (Value, usize) {
        let mut cutter = Cutter::new(text.to_owned());
        let mut root = if text.starts_with('[') { json!([]) } else { json!({}) };
        let (mut stack, mut parts) = (vec![String::new()], 0);
        while let Some(part) = cutter.part(bytes) {
            let part: Value = serde_json::from_str(&part).unwrap_or_else(|error| panic!("{error}: {part}"));
            for step in part["steps"].as_array().unwrap() {
                match root.pointer_mut(stack.last().unwrap()).unwrap() {
                    Value::Array(list) => list.extend(step[0].as_array().unwrap().iter().cloned()),
                    Value::Object(map) => map.extend(step[0].as_object().unwrap().clone()),
                    _ => panic!(),
                }
                stack.truncate(stack.len() - step[1].as_u64().unwrap() as usize);
            }
            for key in part["path"].as_array().unwrap() {
                let at = stack.last().unwrap();
                let key = match root.pointer(at).unwrap() {
                    Value::Array(list) => (list.len() - 1).to_string(),
                    _ => key.as_str().unwrap().replace('~', "~0").replace('/', "~1"),
                };
                stack.push(format!("{at}/{key}"));
            }
            parts += 1;
        }
        assert!(stack.is_empty());
        (root, parts)
    }

    #[test]
    fn one_long_string_is_not_copied() {
        let uncut = |text: &str| Cutter::new(text.to_owned()).uncut(32).map_err(|mut rest| rest.part(32));
        let long = r#"[["+",["a"],"a string that is longer than a part may be, with [,] in it"],8]"#;
        assert_eq!(uncut(long).as_deref(), Ok(long));
        let more = long.replace('8', "[1,2,3]");
        assert_eq!(uncut(&more), Err(Cutter::new(more.clone()).part(32)));
    }

    #[test]
    fn parts_are_json_and_make_the_whole() {
        let texts = [
            r#"[["=",["a"],[1,2,3,4]],["-",["b"]]]"#,
            r#"[]"#,
            r#"{"a":{"b":[[[1,[2,"],{"]],3],{}],"c\"}/~":{"__proto__":[1,2,3],"d":"x"}},"":[0,1]}"#,
            r#"[ [ 1 , [ ] , { "a" : [ 1 , 2 ] , "b" : { "c" : 1 , "d" : [ ] } } ] , "e" , [ [ [ 7 , 8 ] ] ] ]"#,
        ];
        for text in texts {
            for bytes in 0..text.len() + 2 {
                assert_eq!(join(text, bytes).0, serde_json::from_str::<Value>(text).unwrap(), "{bytes}: {text}");
            }
        }
    }

    /// Counted, not timed: a part has about the bytes that were asked for, however the text nests.
    #[test]
    fn parts_are_small() {
        let nested = format!("{}{}", "[".repeat(60), "]".repeat(60));
        let rows: Vec<String> = (0..5_000).map(|at| format!("{{\"id\":{at},\"list\":[1,2,{nested}]}}")).collect();
        let text = format!("[[\"=\",[\"state\"],{{\"rows\":[{}]}}]]", rows.join(","));
        let mut cutter = Cutter::new(text.clone());
        let parts: Vec<usize> = std::iter::from_fn(|| cutter.part(10_000)).map(|part| part.len()).collect();
        assert!(parts.iter().all(|length| *length < 10_500), "{parts:?}");
        assert!(parts.len() <= text.len() / 9_500, "{}", parts.len());
    }
}
