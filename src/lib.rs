//! foldtrace: converts, stores, folds and explains execution traces of parallel programs.

pub mod fold;
