//! No code: the dependencies have the features that crates of the Rust tests enable in them. The command and the Python
//! package for other tests are built together with this crate, so that nothing is built twice.
