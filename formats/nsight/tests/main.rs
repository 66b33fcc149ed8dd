//! Tests of the public interface: the meaning of tables, their order, and damaged databases.

#![allow(clippy::unwrap_used, clippy::panic)]

mod damage;
mod databases;
mod folder;
mod order;
mod reading;
