//! Tests of the public interface: the meaning of tables, and damaged databases.

#![allow(clippy::unwrap_used, clippy::panic)]

mod damage;
mod databases;
mod folder;
mod reading;
