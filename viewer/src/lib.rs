//! A page that shows a store in a browser: an overview in words and tables, and views of the run that are linked with each other,
//! with the profile of what is chosen in them.
//!
//! [`Report`] writes the page as one file, which works without a network. A [`Server`] sends it to browsers of this machine, and
//! single calls and messages on demand. The folder `page` has the sources of the script of the page, and the folder `bundle` the
//! script that they are compiled to.

mod basis;
mod clock;
#[cfg(feature = "command")]
pub mod command;
mod detail;
mod error;
mod overview;
mod pack;
mod page;
mod report;
mod server;
mod timeline;

pub use report::Report;
pub use server::{Served, Server};
