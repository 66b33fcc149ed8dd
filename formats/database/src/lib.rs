//! Reads events from SQLite databases, for the formats that are databases.
//!
//! A [`Database`] is opened read only and left as it is. Its tables have one row for each call or other event, in any order. A
//! [`Survey`] reads the times of a table once; a [`DatabaseStream`] then gets the rows of all tables in the order of time, from
//! a thread of its own. A [`Mapper`] of the format gives each row its meaning, and a [`Timeline`] turns calls with a beginning
//! and an end into events. A trace may be a folder of several databases, which a [`DatabaseReader`] reads one after another.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod attributes;
mod blocks;
mod calls;
mod connection;
mod damage;
mod fault;
mod folder;
mod irregularities;
mod lanes;
mod lookup;
mod merge;
mod packed;
mod properties;
mod reader;
mod rows;
mod schema;
mod stream;
mod strings;
mod survey;
mod timeline;

pub use attributes::AttributeColumn;
pub use calls::{Call, Calls};
pub use connection::{Database, SIGNATURE, has_name};
pub use damage::Damage;
pub use folder::{Kind, open_each};
pub use irregularities::report_counts;
pub use lanes::Lanes;
pub use lookup::{Fields, SmallTables};
pub use merge::{Order, Query};
pub use properties::process_number;
pub use reader::{DatabaseReader, Plan, path_of};
pub use rows::{Cell, Row};
pub use schema::{Table, quoted};
pub use stream::{DatabaseStream, Mapper};
pub use strings::Strings;
pub use survey::{Survey, SurveyedRow};
pub use timeline::{Lane, Moment, Span, Timeline};
