//! Every rule of the language has a case that breaks it: the messages, and the tokens they stand
//! at, are part of the language. Messages of rustc's own are pinned to one toolchain, so the cases
//! run on that one only.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
