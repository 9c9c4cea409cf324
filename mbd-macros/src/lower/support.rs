//! Small functions generated code calls, beside it: checks of indices, lengths and values, none
//! of which panics.

use proc_macro2::TokenStream;
use quote::quote;

/// The functions.
pub fn items() -> TokenStream {
    quote! {
        type __Checked<T> = ::core::result::Result<T, __mbd::ModelError>;

        /// What was set at a kind of scalar, a level of bodies and an index, by which statement.
        type __Set = ::std::collections::BTreeMap<
            (::core::primitive::u8, ::core::primitive::usize, ::core::primitive::usize),
            &'static ::core::primitive::str,
        >;

        fn __bad(name: &::core::primitive::str, value: ::core::primitive::f64, reason: &::core::primitive::str) -> __mbd::ModelError {
            __mbd::ModelError::BadValue { name: name.into(), value, reason: reason.into() }
        }

        fn __bad_whole(what: ::std::string::String, value: ::core::primitive::i64, reason: ::std::string::String) -> __mbd::ModelError {
            __mbd::ModelError::BadWhole { what, value, reason }
        }

        fn __size(name: &::core::primitive::str, value: ::core::primitive::f64) -> __Checked<::core::primitive::usize> {
            if value >= 0.0 && value <= 1e9 && value.fract() == 0.0 {
                ::core::result::Result::Ok(value as ::core::primitive::usize)
            } else {
                ::core::result::Result::Err(__bad(name, value, "a size is a whole number from 0 to 1e9"))
            }
        }

        fn __finite(name: &::core::primitive::str, value: ::core::primitive::f64) -> __Checked<::core::primitive::f64> {
            if value.is_finite() {
                ::core::result::Result::Ok(value)
            } else {
                ::core::result::Result::Err(__bad(name, value, "it must be a finite number"))
            }
        }

        fn __length(name: &::core::primitive::str, len: ::core::primitive::i64) -> __Checked<::core::primitive::usize> {
            if len < 0 {
                return ::core::result::Result::Err(__bad_whole(::std::format!("the length of `{name}`"), len, "a length is not negative; check the sizes".into()));
            }
            ::core::result::Result::Ok(len as ::core::primitive::usize)
        }

        /// The range of a loop, which must not reach below zero.
        fn __range(statement: &::core::primitive::str, start: ::core::primitive::i64, end: ::core::primitive::i64, inclusive: ::core::primitive::bool) -> __Checked<::core::ops::Range<::core::primitive::i64>> {
            let end = if inclusive { end.saturating_add(1) } else { end };
            if start < 0 && start < end {
                return ::core::result::Result::Err(__bad_whole(::std::format!("the loop index of `{statement}`"), start, "an index is not negative".into()));
            }
            ::core::result::Result::Ok(start..end)
        }

        fn __index(statement: &::core::primitive::str, array: &::core::primitive::str, index: ::core::primitive::i64, len: ::core::primitive::usize) -> __Checked<::core::primitive::usize> {
            if index >= 0 && index < len as ::core::primitive::i64 {
                return ::core::result::Result::Ok(index as ::core::primitive::usize);
            }
            ::core::result::Result::Err(__mbd::ModelError::IndexOutOfRange {
                statement: statement.into(),
                array: array.into(),
                index,
                len,
            })
        }

        /// Entries of an output are stated in order, from 0.
        fn __in_order(statement: &::core::primitive::str, name: &::core::primitive::str, index: ::core::primitive::i64, next: ::core::primitive::usize) -> __Checked<()> {
            if index == next as ::core::primitive::i64 {
                return ::core::result::Result::Ok(());
            }
            ::core::result::Result::Err(__bad_whole(
                ::std::format!("the index of `{name}`"),
                index,
                ::std::format!("`{statement}` must give its entries in order from 0, and {next} comes next"),
            ))
        }

        /// The entries of a parameter array. One filled with a single value follows its size.
        fn __array<'a>(name: &::core::primitive::str, values: &'a [::core::primitive::f64], len: ::core::primitive::usize, fill: ::core::primitive::bool) -> __Checked<::std::borrow::Cow<'a, [::core::primitive::f64]>> {
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

        /// Entries of an array are found by index, so that what sets one twice shows only here.
        fn __once(
            set: &mut __Set,
            at: (::core::primitive::u8, ::core::primitive::usize, ::core::primitive::usize),
            name: ::std::string::String,
            statement: &'static ::core::primitive::str,
        ) -> __Checked<()> {
            match set.insert(at, statement) {
                ::core::option::Option::None => ::core::result::Result::Ok(()),
                ::core::option::Option::Some(first) => ::core::result::Result::Err(__mbd::ModelError::SetTwice {
                    name,
                    first: first.into(),
                    second: statement.into(),
                }),
            }
        }

        fn __set_entry(
            name: &::core::primitive::str,
            values: &mut ::std::vec::Vec<::core::primitive::f64>,
            len: ::core::primitive::usize,
            fill: ::core::primitive::bool,
            index: ::core::primitive::usize,
            value: ::core::primitive::f64,
        ) -> __Checked<()> {
            let mut entries = __array(name, values, len, fill)?.into_owned();
            let index = __index("set", name, index as ::core::primitive::i64, entries.len())?;
            entries[index] = value;
            *values = entries;
            ::core::result::Result::Ok(())
        }

        /// `axle[2].wheel[1].mass` as `axle[].wheel[].mass` and 2, 1.
        fn __entry(name: &::core::primitive::str) -> ::core::option::Option<(::std::string::String, ::std::vec::Vec<::core::primitive::usize>)> {
            let (mut pattern, mut indices) = (::std::string::String::new(), ::std::vec::Vec::new());
            let mut rest = name;
            while let ::core::option::Option::Some((before, after)) = rest.split_once('[') {
                let (index, after) = after.split_once(']')?;
                indices.push(index.trim().parse().ok()?);
                pattern += &::std::format!("{before}[]");
                rest = after;
            }
            ::core::option::Option::Some((pattern + rest, indices))
        }

        /// Which of all entries of arrays inside arrays.
        fn __place(name: &::core::primitive::str, indices: &[::core::primitive::usize], lens: &[::core::primitive::i64]) -> __Checked<::core::primitive::usize> {
            let mut place = 0usize;
            for (&index, &len) in indices.iter().zip(lens) {
                let len = __length(name, len)?;
                place = place * len + __index("set", name, index as ::core::primitive::i64, len)?;
            }
            ::core::result::Result::Ok(place)
        }

        fn __info(name: ::std::string::String, unit: &::core::primitive::str, doc: &::core::primitive::str, value: ::core::primitive::f64, is_size: ::core::primitive::bool) -> __mbd::ParamInfo {
            __mbd::ParamInfo { name, unit: unit.into(), doc: doc.into(), value, is_size }
        }

        /// The known name nearest to a mistyped one.
        fn __nearest(name: &::core::primitive::str, known: &[&::core::primitive::str]) -> ::core::option::Option<::std::string::String> {
            let distance = |a: &::core::primitive::str, b: &::core::primitive::str| {
                let b: ::std::vec::Vec<char> = b.chars().collect();
                let mut row: ::std::vec::Vec<::core::primitive::usize> = (0..=b.len()).collect();
                for (i, x) in a.chars().enumerate() {
                    let mut diagonal = ::core::mem::replace(&mut row[0], i + 1);
                    for (j, y) in b.iter().enumerate() {
                        let change = diagonal + ::core::primitive::usize::from(x != *y);
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

/// Generated code follows the user's spelling (`Theta`, redundant parentheses) and must not answer
/// to lints the user cannot mend.
pub fn lints() -> TokenStream {
    quote!(#[allow(
        unused,
        nonstandard_style,
        missing_docs,
        clippy::all,
        clippy::pedantic,
        clippy::nursery,
        clippy::restriction
    )])
}
