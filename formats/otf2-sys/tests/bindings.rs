//! Checks that the committed bindings are those of the headers of the installed library.

#[test]
fn the_committed_bindings_are_up_to_date() {
    let generated = concat!(env!("OUT_DIR"), "/bindings.rs");
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bindings.rs");
    let same = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"))
        == include_str!("../src/bindings.rs");
    assert!(
        same,
        "the committed bindings differ from those that bindgen generates from the installed headers.\n\
         Check the difference, and copy the file if it is right:\n\
         diff {committed} {generated}\n\
         cp {generated} {committed}"
    );
}
