//! The meaning of the records of OTF2, in tables that the reader and the writer share.

pub(crate) mod definitions;
pub(crate) mod events;
pub(crate) mod legacy;
pub(crate) mod optional_parts;
pub(crate) mod snapshots;
