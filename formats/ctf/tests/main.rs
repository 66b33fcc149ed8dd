//! Tests of the public interface: fields, packets, objects, and the meaning of events.

#![allow(clippy::unwrap_used, clippy::panic)]

mod calls;
mod fields;
mod packets;
mod trace;
