//! Tests of the text format from outside: reading, writing, and their inverse.

#![allow(clippy::unwrap_used, clippy::panic)]

mod corpus;
mod inverse;
mod output;
