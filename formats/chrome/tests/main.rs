//! Tests of the Chrome format from outside: files of other programs, and the inverse of writing.

#![allow(clippy::unwrap_used, clippy::panic)]

mod foreign;
mod inverse;
mod kineto;
