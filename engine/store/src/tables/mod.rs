//! Parquet files: their properties, writing and reading them, and checks of their metadata.

mod chunk_pages;
mod guard;
mod keyed;
mod page_cache;
mod properties;
mod read;
mod retype;
mod splice;
mod write;

pub(crate) use guard::{GuardedPages, GuardedTable, check_chunks, check_pages};
pub(crate) use keyed::{KeyedTable, Keys, page_bounds, rows_with};
pub(crate) use page_cache::{CachedTable, PageCache};
pub use properties::ROW_GROUP_ROWS;
pub(crate) use properties::{PAGE_ROWS, clock_entries, declared_properties, pandas_entry};
pub use read::{Overlap, Portion};
pub(crate) use read::{
    check_schema, column, column_index, defined, dictionary, is_null, numbers, read_batches,
    read_table, symbol_at, texts,
};
pub use retype::Written;
pub(crate) use splice::unite;
pub use write::NamedColumn;
pub(crate) use write::{
    TableWriter, create_file, nullable, without_names, write_keyed_table, write_table,
};
