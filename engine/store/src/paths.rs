//! The paths of files within a store, with `/` as separator. The paths of derived tables are in
//! [`Derived`](crate::Derived).

/// The manifest.
pub(crate) const MANIFEST: &str = "manifest.json";

/// The chaining values of large files.
pub(crate) const HASHES: &str = "hashes";

/// The index of positions.
pub(crate) const INDEX: &str = "index.parquet";

/// The table of symbols.
pub(crate) const SYMBOLS: &str = "symbols.parquet";

/// The loop models of all locations.
pub(crate) const LOOPS: &str = "models/loops.parquet";

/// The problems found in the source.
pub(crate) const DIAGNOSTICS: &str = "diagnostics.parquet";

/// The views for DuckDB.
pub(crate) const VIEWS: &str = "views.sql";

/// The ranks of the locations.
pub(crate) const RANKS: &str = "definitions/ranks.parquet";

/// The names and units of metrics.
pub(crate) const METRIC_NAMES: &str = "definitions/metric_names.parquet";

/// Returns the path of the table that part `number` has in `folder`, one of the folders of event tables.
pub(crate) fn part_table(folder: &str, number: u32) -> String {
    format!("{folder}/part-{number:05}.parquet")
}

/// Returns the path of the coded quantities of part `number` of an archive.
pub(crate) fn coded_part(number: u32) -> String {
    format!("archive/part-{number:05}.coded")
}
