//! A small JSON reader, so that what the program prints is read by something else than its writer.

use std::ops::Index;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl Value {
    pub fn number(&self) -> f64 {
        match self {
            Value::Number(value) => *value,
            other => panic!("{other:?} is no number"),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            other => panic!("{other:?} is no text"),
        }
    }

    pub fn list(&self) -> &[Value] {
        match self {
            Value::List(items) => items,
            other => panic!("{other:?} is no list"),
        }
    }

    pub fn keys(&self) -> Vec<&str> {
        match self {
            Value::Object(members) => members.iter().map(|m| m.0.as_str()).collect(),
            other => panic!("{other:?} is no object"),
        }
    }
}

impl Index<&str> for Value {
    type Output = Value;

    fn index(&self, key: &str) -> &Value {
        match self {
            Value::Object(members) => {
                &members
                    .iter()
                    .find(|m| m.0 == key)
                    .unwrap_or_else(|| panic!("no {key} in {:?}", self.keys()))
                    .1
            }
            other => panic!("{other:?} is no object"),
        }
    }
}

/// Reads exactly one value.
pub fn parse(text: &str) -> Value {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value();
    reader.space();
    assert_eq!(reader.at, text.len(), "something follows: {}", &text[reader.at..]);
    value
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\n', '\t', '\r']).len();
    }

    fn peek(&mut self) -> char {
        self.space();
        self.text[self.at..].chars().next().unwrap_or('\0')
    }

    fn accept(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.accept(token), "expected {token} at {:?}", &self.text[self.at..]);
    }

    fn value(&mut self) -> Value {
        match self.peek() {
            '{' => Value::Object(self.items("{", "}", |r| {
                let key = r.string();
                r.expect(":");
                (key, r.value())
            })),
            '[' => Value::List(self.items("[", "]", Reader::value)),
            '"' => Value::Text(self.string()),
            _ if self.accept("null") => Value::Null,
            _ if self.accept("true") => Value::Bool(true),
            _ if self.accept("false") => Value::Bool(false),
            _ => {
                let rest = &self.text[self.at..];
                let end = rest.find(|c| !"+-.eE0123456789".contains(c)).unwrap_or(rest.len());
                self.at += end;
                Value::Number(rest[..end].parse().unwrap_or_else(|_| panic!("at {rest:?}")))
            }
        }
    }

    fn items<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Self) -> T,
    ) -> Vec<T> {
        self.expect(open);
        let mut items = Vec::new();
        if !self.accept(close) {
            loop {
                items.push(item(self));
                if self.accept(close) {
                    break;
                }
                self.expect(",");
            }
        }
        items
    }

    fn string(&mut self) -> String {
        self.expect("\"");
        let mut out = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return out;
                }
                '\\' => match chars.next().map(|c| c.1) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('u') => {
                        let hex: String = chars.by_ref().take(4).map(|c| c.1).collect();
                        out.push(char::from_u32(u32::from_str_radix(&hex, 16).unwrap()).unwrap());
                    }
                    Some(c) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        panic!("a string does not end");
    }
}
