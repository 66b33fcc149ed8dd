//! What all texts, pictures and pages share.

pub mod histogram;
pub mod svg;
pub mod units;
pub mod xml;
