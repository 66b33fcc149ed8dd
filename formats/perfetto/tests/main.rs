//! Tests of the Perfetto format from outside.

#![allow(clippy::unwrap_used, clippy::panic)]

mod cases;
#[path = "../../otf2/tests/common/mod.rs"]
mod common;
mod decode;
mod foreign;
mod inverse;
mod packets;
