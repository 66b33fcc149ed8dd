//! What the records of OTF2 mean: tables that reading and writing share.

pub(crate) mod definitions;
pub(crate) mod events;
pub(crate) mod legacy;
pub(crate) mod snapshots;
