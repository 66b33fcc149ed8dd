//! Reads events from SQLite databases, for the formats that are databases.
//!
//! A [`Database`] is opened read only and left as it is. Its tables have one row for each call or other event, in any order. A
//! [`Survey`] reads the times of a table once; [`MergedRows`] then provides the rows of all tables in the order of time, from a
//! thread of its own. A [`Mapper`] of the format gives each row its meaning, and a [`Timeline`] turns calls with a beginning and
//! an end into events. [`DatabaseStream`] joins these parts to a stream of batches.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod attributes;
mod calls;
mod connection;
mod damage;
mod fault;
mod locations;
mod lookup;
mod merge;
mod reader;
mod rows;
mod schema;
mod stream;
mod strings;
mod survey;
mod timeline;

pub use attributes::AttributeColumn;
pub use calls::{Call, Calls};
pub use connection::{Database, SIGNATURE, has_name, has_table};
pub use damage::Damage;
pub use locations::{LocationType, Locations, process_number};
pub use lookup::Fields;
pub use merge::{MergedRows, ORDER, Query};
pub use reader::{DatabaseReader, Plan, path_of};
pub use rows::{Cell, Row};
pub use schema::{Table, quoted};
pub use stream::{DatabaseStream, Mapper};
pub use strings::Strings;
pub use survey::{Survey, SurveyedRow};
pub use timeline::{Lane, Moment, Span, Timeline};
