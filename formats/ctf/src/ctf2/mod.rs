//! Parses the metadata of CTF 2: a sequence of JSON objects, each after a record separator.

mod field_classes;
mod fragments;
mod object;

pub(crate) use fragments::parse;
