//! The subcommands `patterns` and `filter`.

mod filter;
mod patterns;

pub use filter::Filter;
pub use patterns::Patterns;
