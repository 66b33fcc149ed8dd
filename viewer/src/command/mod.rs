//! The subcommands `foldtrace report` and `foldtrace view`.

mod report;
mod view;

pub use report::Reporting;
pub use view::Viewing;
