//! Tests of the public interface: the meaning of traces, their output, and that traces read back unchanged.

#![allow(clippy::unwrap_used, clippy::panic)]

mod inverse;
mod output;
mod reading;

use std::path::{Path, PathBuf};

/// Returns the path of an undamaged trace in the corpus.
fn good_case(case: &str) -> PathBuf {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/paje/good");
    corpus.join(case).join("input.paje")
}
