//! Small functions generated code calls, beside it: checks of indices, lengths and values, none
//! of which panics.

use proc_macro2::TokenStream;
use quote::quote;

/// The functions.
pub fn items() -> TokenStream {
    quote! {
        type __Checked<T> = ::core::result::Result<T, __mbd::ModelError>;

        fn __bad(name: &str, value: f64, reason: &str) -> __mbd::ModelError {
            __mbd::ModelError::BadValue { name: name.into(), value, reason: reason.into() }
        }

        fn __size(name: &str, value: f64) -> __Checked<usize> {
            if value >= 0.0 && value <= 1e9 && value.fract() == 0.0 {
                ::core::result::Result::Ok(value as usize)
            } else {
                ::core::result::Result::Err(__bad(name, value, "a size is a whole number from 0 to 1e9"))
            }
        }

        fn __finite(name: &str, value: f64) -> __Checked<f64> {
            if value.is_finite() {
                ::core::result::Result::Ok(value)
            } else {
                ::core::result::Result::Err(__bad(name, value, "it must be a finite number"))
            }
        }

        fn __length(name: &str, len: i64) -> __Checked<usize> {
            if len < 0 {
                return ::core::result::Result::Err(__bad(name, len as f64, "the length of an array cannot be negative; check the sizes"));
            }
            ::core::result::Result::Ok(len as usize)
        }

        /// The range of a loop, which must not reach below zero.
        fn __range(statement: &str, start: i64, end: i64, inclusive: bool) -> __Checked<::core::ops::Range<i64>> {
            let end = if inclusive { end.saturating_add(1) } else { end };
            if start < 0 && start < end {
                return ::core::result::Result::Err(__bad(statement, start as f64, "a loop index cannot be negative"));
            }
            ::core::result::Result::Ok(start..end)
        }

        fn __index(statement: &str, array: &str, index: i64, len: usize) -> __Checked<usize> {
            if index >= 0 && index < len as i64 {
                return ::core::result::Result::Ok(index as usize);
            }
            ::core::result::Result::Err(__mbd::ModelError::IndexOutOfRange {
                statement: statement.into(),
                array: array.into(),
                index,
                len,
            })
        }

        /// Entries of an output are stated in order, from 0.
        fn __in_order(statement: &str, name: &str, index: i64, next: usize) -> __Checked<()> {
            if index == next as i64 {
                return ::core::result::Result::Ok(());
            }
            ::core::result::Result::Err(__bad(
                name,
                index as f64,
                &::std::format!("`{statement}` must give its entries in order from 0, and {next} comes next"),
            ))
        }

        /// The entries of a parameter array. One filled with a single value follows its size.
        fn __array<'a>(name: &str, values: &'a [f64], len: usize, fill: bool) -> __Checked<::std::borrow::Cow<'a, [f64]>> {
            if values.len() == len {
                return ::core::result::Result::Ok(::std::borrow::Cow::Borrowed(values));
            }
            match values {
                [first, rest @ ..] if fill && rest.iter().all(|x| x == first) => {
                    ::core::result::Result::Ok(::std::borrow::Cow::Owned(::std::vec![*first; len]))
                }
                _ => ::core::result::Result::Err(__mbd::ModelError::WrongLength {
                    name: name.into(),
                    len: values.len(),
                    expected: len,
                }),
            }
        }

        fn __set_entry(
            name: &str,
            values: &mut ::std::vec::Vec<f64>,
            len: usize,
            fill: bool,
            index: usize,
            value: f64,
        ) -> __Checked<()> {
            let mut entries = __array(name, values, len, fill)?.into_owned();
            let index = __index("set", name, index as i64, entries.len())?;
            entries[index] = value;
            *values = entries;
            ::core::result::Result::Ok(())
        }

        /// `link[2].mass` as `link[].mass` and 2.
        fn __entry(name: &str) -> ::core::option::Option<(::std::string::String, usize)> {
            let (before, rest) = name.split_once('[')?;
            let (index, after) = rest.split_once(']')?;
            ::core::option::Option::Some((::std::format!("{before}[]{after}"), index.trim().parse().ok()?))
        }

        fn __info(name: ::std::string::String, unit: &str, doc: &str, value: f64, is_size: bool) -> __mbd::ParamInfo {
            __mbd::ParamInfo { name, unit: unit.into(), doc: doc.into(), value, is_size }
        }

        /// The known name nearest to a mistyped one.
        fn __nearest(name: &str, known: &[&str]) -> ::core::option::Option<::std::string::String> {
            let distance = |a: &str, b: &str| {
                let b: ::std::vec::Vec<char> = b.chars().collect();
                let mut row: ::std::vec::Vec<usize> = (0..=b.len()).collect();
                for (i, x) in a.chars().enumerate() {
                    let mut diagonal = ::core::mem::replace(&mut row[0], i + 1);
                    for (j, y) in b.iter().enumerate() {
                        let change = diagonal + usize::from(x != *y);
                        diagonal = row[j + 1];
                        row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
                    }
                }
                row[b.len()]
            };
            let limit = (name.chars().count() / 3).clamp(1, 3);
            let (best, nearest) = known.iter().map(|k| (distance(name, k), *k)).min()?;
            (best <= limit).then(|| nearest.into())
        }
    }
}
