//! Objects of JSON, whose members keep their order.

use serde_json::{Map, Value};

/// An object in the making.
pub(crate) type Members = Map<String, Value>;

/// An object, as by `json!`, which compiles to more code.
macro_rules! object {
    ($($key:literal: $value:expr),* $(,)?) => {
        serde_json::Value::Object($crate::json::members([
            $(($key, serde_json::to_value(&$value).unwrap_or_default())),*
        ]))
    };
}
pub(crate) use object;

/// The beginning of an object. Its values are moved, and not copied as by `object!`: some are megabytes.
pub(crate) fn members<const N: usize>(mut members: [(&str, Value); N]) -> Members {
    taken(&mut members)
}

fn taken(members: &mut [(&str, Value)]) -> Members {
    members.iter_mut().map(|(key, value)| (key.to_string(), value.take())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_numbers_read_back_exactly() {
        let object = object! { "b": "ψ", "a": [f64::NAN, f64::INFINITY, 2.0], "c": None::<usize> };
        assert_eq!(object.to_string(), r#"{"b":"ψ","a":[null,null,2.0],"c":null}"#);
        for value in [0.1, -0.0, 1e-300, 1.0 / 3.0, 5e-5, f64::MAX, 5e-324, 1e16] {
            let text = Value::from(value).to_string();
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
    }
}
