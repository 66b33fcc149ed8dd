//! What the records of OTF2 mean: tables that reading and writing share.

pub(crate) mod definitions;
pub(crate) mod events;
mod legacy;
pub(crate) mod snapshots;
