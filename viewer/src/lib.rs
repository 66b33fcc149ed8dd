//! A page that shows a store in a browser: an overview in words and tables, and a timeline of all locations whose parts can be
//! chosen, with the profile of what is chosen. The page is one file, and works without a network.
//!
//! [`Report`] gathers the data and writes the page. The folder `page` has the sources of its script, and the folder
//! `bundle` the script that they are compiled to.

#[cfg(feature = "command")]
pub mod command;
mod overview;
mod pack;
mod report;
mod timeline;

pub use report::Report;
