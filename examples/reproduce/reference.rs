//! The reference data of tests/references: computed by an independent implementation.

use crate::report::Failure;
use serde_json::Value;

/// An entry of the file on HHT-I3, SOI2 and state space, by its keys.
pub fn soi2(keys: &[&str]) -> Result<Value, Failure> {
    entry(include_str!("../../tests/references/soi2-hht-statespace.json"), keys)
}

/// An entry of the file on the stiff problems, by its keys.
pub fn stiff(keys: &[&str]) -> Result<Value, Failure> {
    entry(include_str!("../../tests/references/alpha-cs-cm.json"), keys)
}

fn entry(file: &str, keys: &[&str]) -> Result<Value, Failure> {
    let root: Value = serde_json::from_str(file).map_err(|e| Failure::Reference(e.to_string()))?;
    let found = keys.iter().try_fold(&root, |value, key| value.get(key));
    found.cloned().ok_or_else(|| Failure::Reference(format!("there is no {}", keys.join("."))))
}

/// The numbers of a list, or of a number as one; entries that are none count as NaN.
pub fn numbers(value: &Value) -> Vec<f64> {
    let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
    value.as_array().map_or_else(|| vec![number(value)], |list| list.iter().map(number).collect())
}
