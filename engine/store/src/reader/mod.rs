//! Reads a store: its small tables, its events, and values computed from the events.

mod gather;
mod local_models;
mod some_locations;
mod span;
mod store;
mod store_reader;
mod totals;

pub use local_models::{LocationModels, locations_with_only_metrics, models_with};
pub use store::Store;
pub use store_reader::StoreReader;
