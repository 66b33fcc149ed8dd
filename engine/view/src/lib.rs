//! Provides the building blocks that texts, pictures and pages share.

pub mod histogram;
pub mod svg;
pub mod units;
pub mod xml;
