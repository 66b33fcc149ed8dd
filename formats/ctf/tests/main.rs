//! Tests of the public interface: fields, packets, objects, the meaning of events, and what is written.

#![allow(clippy::unwrap_used, clippy::panic)]

mod calls;
mod fields;
mod inverse;
mod order;
mod packets;
mod trace;
