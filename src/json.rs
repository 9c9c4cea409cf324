//! JSON text with numbers that read back exactly.

use crate::Stats;

/// A JSON value; objects keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Integer(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object of the given members.
    pub(crate) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    /// An object of named numbers.
    pub(crate) fn numbers<'a>(members: impl IntoIterator<Item = (&'a str, f64)>) -> Json {
        Json::Object(
            members
                .into_iter()
                .map(|(key, value)| (key.to_string(), Json::Number(value)))
                .collect(),
        )
    }

    /// A list.
    pub(crate) fn list(items: impl IntoIterator<Item = impl Into<Json>>) -> Json {
        Json::List(items.into_iter().map(Into::into).collect())
    }

    /// The member of an object.
    #[cfg(feature = "cli")]
    pub(crate) fn member(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Reads what [`Display`](std::fmt::Display) writes, and any other JSON; numbers without a point are
    /// integers where they fit.
    ///
    /// # Errors
    /// At which byte it is no JSON.
    #[cfg(feature = "cli")]
    pub(crate) fn parse(text: &str) -> Result<Json, usize> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.space();
        if reader.at == text.len() { Ok(value) } else { Err(reader.at) }
    }

    fn write(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            // Debug is the shortest text that reads back as the same number; JSON has no NaN.
            Json::Number(value) if value.is_finite() => out.push_str(&format!("{value:?}")),
            Json::Number(_) => out.push_str("null"),
            Json::Integer(value) => out.push_str(&value.to_string()),
            Json::Text(text) => write_text(text, out),
            Json::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    write_text(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// Reads a text from its beginning.
#[cfg(feature = "cli")]
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// Lists and objects in one another, at most.
#[cfg(feature = "cli")]
const DEEPEST: usize = 64;

#[cfg(feature = "cli")]
impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Passes a mark if it stands here, after space.
    fn takes(&mut self, mark: &str) -> bool {
        self.space();
        let there = self.rest().starts_with(mark);
        self.at += if there { mark.len() } else { 0 };
        there
    }

    fn needs(&mut self, mark: &str) -> Result<(), usize> {
        if self.takes(mark) { Ok(()) } else { Err(self.at) }
    }

    fn value(&mut self, depth: usize) -> Result<Json, usize> {
        if depth > DEEPEST {
            return Err(self.at);
        }
        if self.takes("{") {
            let mut members = Vec::new();
            while !self.takes("}") {
                if !members.is_empty() {
                    self.needs(",")?;
                }
                self.needs("\"")?;
                let key = self.string()?;
                self.needs(":")?;
                members.push((key, self.value(depth + 1)?));
            }
            return Ok(Json::Object(members));
        }
        if self.takes("[") {
            let mut items = Vec::new();
            while !self.takes("]") {
                if !items.is_empty() {
                    self.needs(",")?;
                }
                items.push(self.value(depth + 1)?);
            }
            return Ok(Json::List(items));
        }
        if self.takes("\"") {
            return Ok(Json::Text(self.string()?));
        }
        for (word, value) in
            [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))]
        {
            if self.takes(word) {
                return Ok(value);
            }
        }
        let rest = self.rest();
        let other = |c: char| !(c.is_ascii_digit() || "+-.eE".contains(c));
        let number = &rest[..rest.find(other).unwrap_or(rest.len())];
        let value = match (number.parse::<i64>(), number.parse::<f64>()) {
            (Ok(whole), _) => Json::Integer(whole),
            (_, Ok(value)) if value.is_finite() => Json::Number(value),
            _ => return Err(self.at),
        };
        self.at += number.len();
        Ok(value)
    }

    /// A text, after its first quotation mark.
    fn string(&mut self) -> Result<String, usize> {
        let mut out = String::new();
        loop {
            let c = self.next()?;
            match c {
                '"' => return Ok(out),
                '\\' => out.push(self.escaped()?),
                c if c < ' ' => return Err(self.at),
                c => out.push(c),
            }
        }
    }

    fn next(&mut self) -> Result<char, usize> {
        let c = self.rest().chars().next().ok_or(self.at)?;
        self.at += c.len_utf8();
        Ok(c)
    }

    fn escaped(&mut self) -> Result<char, usize> {
        Ok(match self.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let first = self.unit()?;
                let code = match first {
                    // A pair stands for one character.
                    0xd800..0xdc00 => {
                        let second = if self.rest().starts_with("\\u") {
                            self.at += 2;
                            self.unit()?
                        } else {
                            0
                        };
                        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400);
                        0x10000 + ((first - 0xd800) << 10) + low.ok_or(self.at)?
                    }
                    code => code,
                };
                char::from_u32(code).ok_or(self.at)?
            }
            c @ ('"' | '\\' | '/') => c,
            _ => return Err(self.at),
        })
    }

    /// Four hexadecimal digits.
    fn unit(&mut self) -> Result<u32, usize> {
        let digits = self.rest().get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|d| u32::from_str_radix(d, 16).ok()).ok_or(self.at)?;
        self.at += 4;
        Ok(unit)
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

impl std::fmt::Display for Json {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        self.write(&mut out);
        f.write_str(&out)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Json::Number(value)
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Json::Integer(value as i64)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Json::Integer(value)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Json::Text(value.into())
    }
}

impl From<&Stats> for Json {
    fn from(stats: &Stats) -> Self {
        Json::object([
            ("steps", stats.steps.into()),
            ("rejected", stats.rejected.into()),
            ("newton_iterations", stats.newton_iterations.into()),
            ("jacobians", stats.jacobians.into()),
            ("factorizations", stats.factorizations.into()),
            ("residuals", stats.residuals.into()),
            ("newton_failures", stats.newton_failures.into()),
            ("substituted", stats.substituted.into()),
            ("h_min", stats.h_min.into()),
            ("h_max", stats.h_max.into()),
            ("wall_s", stats.wall_s.into()),
        ])
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Json::Text(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_exactly_and_text_is_escaped() {
        for value in [0.1, -0.0, 1e-300, 1.0 / 3.0, 123456789.123456789, f64::MAX, 5e-324, 1e16] {
            let text = Json::Number(value).to_string();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
        assert_eq!(Json::list([f64::NAN, f64::INFINITY, 2.0]).to_string(), "[null,null,2.0]");
        let object = Json::object([("a \"b\"\\\n\u{1}", "ψ".into()), ("n", 3usize.into())]);
        assert_eq!(object.to_string(), r#"{"a \"b\"\\\n\u0001":"ψ","n":3}"#);
    }

    #[test]
    #[cfg(feature = "cli")]
    fn what_is_written_is_read() {
        let value = Json::object([
            ("a \"b\"\\\n\u{1}", "ψ 🦀".into()),
            ("n", 3usize.into()),
            ("x", Json::list([0.1, -1e-300, 2.0])),
            ("e", Json::Object(Vec::new())),
            ("l", Json::List(vec![Json::Null, Json::Bool(true)])),
        ]);
        assert_eq!(Json::parse(&value.to_string()), Ok(value));
        assert_eq!(Json::parse(" [ 1 , \"\\ud83e\\udd80\\/\" ] "), {
            Ok(Json::List(vec![Json::Integer(1), "🦀/".into()]))
        });
        for wrong in
            ["", "{", "[1,]", "{\"a\" 1}", "1 2", "\"\\ud83e\"", "nul", "-", "1e999", "[1 2]"]
        {
            assert!(Json::parse(wrong).is_err(), "{wrong}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
