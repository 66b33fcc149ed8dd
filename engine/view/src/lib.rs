//! Provides the building blocks that texts, pictures and pages share.

pub mod folded;
pub mod histogram;
pub mod legend;
pub mod page;
pub mod palette;
pub mod svg;
pub mod units;
pub mod xml;
