//! Whether the committed bindings are those of the installed library's headers.
#![cfg(feature = "regenerate")]

#[test]
fn the_committed_bindings_are_up_to_date() {
    let made = concat!(env!("OUT_DIR"), "/bindings.rs");
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bindings.rs");
    let same = include_str!(concat!(env!("OUT_DIR"), "/bindings.rs"))
        == include_str!("../src/bindings.rs");
    assert!(
        same,
        "the bindings differ from what bindgen makes of the installed headers.\n\
         Look at the difference, and if it is right, take it over:\n\
         diff {committed} {made}\n\
         cp {made} {committed}"
    );
}
