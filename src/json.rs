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
}
