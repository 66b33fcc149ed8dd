//! No code: the dependencies have the features that crates of the Rust tests enable in them. The command and the Python
//! package that other tests use have the same through the feature `schema` of `foldtrace`, so nothing is built twice.
