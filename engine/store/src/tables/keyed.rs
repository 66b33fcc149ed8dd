//! Reads the rows of a table that have one of some keys. Of a large table, only the pages that may contain them are read.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{BooleanArray, RecordBatch, UInt32Array, UInt64Array};
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use foldtrace_columns::Column;
use foldtrace_trace::TraceError;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection};
use parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::reader::Length;

use super::guard::{GuardedTable, check_chunks, check_pages};
use super::read::{bounds, check_schema, column_index, has_values, is_null, with_nulls};
use crate::error::{Reading, wrong};
use crate::folder::{CheckedFile, StoreFolder};

/// The number of rows that are decoded at once.
const BATCH: usize = 1 << 13;

/// A set of keys, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys(Vec<u64>);

impl Keys {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    pub fn contains(&self, key: u64) -> bool {
        self.0.binary_search(&key).is_ok()
    }

    /// Returns whether one of the keys is in a range, of which both bounds are part.
    fn has_between(&self, least: u64, greatest: u64) -> bool {
        let next = self.0.partition_point(|&key| key < least);
        self.0.get(next).is_some_and(|&key| key <= greatest)
    }
}

impl FromIterator<u64> for Keys {
    fn from_iter<I: IntoIterator<Item = u64>>(keys: I) -> Self {
        let mut keys: Vec<u64> = keys.into_iter().collect();
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }
}

/// A table whose rows with some keys are read.
pub(crate) struct KeyedTable<'a> {
    path: PathBuf,
    table: GuardedTable<CheckedFile>,
    /// The rows in pages that may have the keys.
    rows: RowSelection,
    key: &'a str,
    keys: &'a Keys,
}

impl<'a> KeyedTable<'a> {
    /// Opens a table of a store, which must have `columns`, to read rows in which the column `key`, an id, is one of `keys`.
    pub fn open(
        folder: &StoreFolder,
        file: &str,
        columns: &[Column],
        key: &'a str,
        keys: &'a Keys,
    ) -> Result<Self, TraceError> {
        let (path, file) = (folder.path_of(file), folder.file(file)?);
        let all = ParquetMetaDataReader::new().parse_and_finish(&file);
        let all = all.reading(&path)?;
        check_chunks(&path, &all, file.len())?;
        let groups = all.row_groups().iter();
        let groups = groups.filter(|group| may_have(group, key, keys)).cloned();
        let some = ParquetMetaData::new(all.file_metadata().clone(), groups.collect());
        let mut reader = ParquetMetaDataReader::new_with_metadata(some)
            .with_page_index_policy(PageIndexPolicy::Optional);
        reader.read_page_indexes(&file).reading(&path)?;
        let footer = reader.finish().reading(&path)?;
        check_pages(&path, &footer)?;
        let rows = pages_with(&footer, key, keys);
        let table = GuardedTable::new(&path, Arc::new(file), Arc::new(footer))?;
        check_schema(&path, table.schema(), columns)?;
        Ok(Self {
            path,
            table,
            rows,
            key,
            keys,
        })
    }

    pub fn schema(&self) -> &SchemaRef {
        self.table.schema()
    }

    /// Returns the number of rows in the pages that may have rows with the keys.
    pub fn rows(&self) -> usize {
        self.rows.row_count()
    }

    /// Reads columns of the pages that may have rows with the keys.
    pub fn batches(
        &self,
        columns: impl IntoIterator<Item = usize>,
        batch_size: usize,
    ) -> Result<ParquetRecordBatchReader, TraceError> {
        let groups = 0..self.table.footer().row_groups().len();
        let rows = Some(self.rows.clone());
        let batches = self
            .table
            .batches(columns, groups.collect(), batch_size, rows);
        batches.reading(&self.path)
    }

    /// Reads the rows with the keys, and the columns that are `needed`.
    pub fn matches(&self, needed: impl Fn(&str) -> bool) -> Result<Vec<RecordBatch>, TraceError> {
        let Self {
            path, key, keys, ..
        } = self;
        let fields = self.schema().fields().iter().enumerate();
        let needed = fields.filter(|(_, field)| needed(field.name()));
        let needed: Vec<usize> = needed.map(|(index, _)| index).collect();
        let schema = Arc::new(self.schema().project(&needed).reading(path)?);
        let has_values = has_values(self.schema(), self.table.footer());
        let is_read: Vec<bool> = needed.iter().map(|&index| has_values[index]).collect();
        let columns = needed.into_iter().filter(|&index| has_values[index]);
        let rows = self.batches(columns, BATCH)?.map(|batch| {
            let batch = with_nulls(&batch.reading(path)?, &schema, &is_read).reading(path)?;
            let is_wanted = are_in(&batch, key, keys).ok_or_else(|| {
                let message = format!("column '{key}' of the table has an unexpected type");
                wrong(path, &message)
            })?;
            filter_record_batch(&batch, &is_wanted).reading(path)
        });
        rows.filter(|rows| rows.as_ref().map_or(true, |rows| rows.num_rows() > 0))
            .collect()
    }
}

/// Returns the rows of a table of a store, which must have `columns`, in which the column `key`, an id, is one of `keys`.
pub(crate) fn rows_with(
    folder: &StoreFolder,
    file: &str,
    columns: &[Column],
    key: &str,
    keys: &Keys,
) -> Result<Vec<RecordBatch>, TraceError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    KeyedTable::open(folder, file, columns, key, keys)?.matches(|_| true)
}

fn rows_of(group: &RowGroupMetaData) -> usize {
    usize::try_from(group.num_rows()).unwrap_or_default()
}

/// Returns whether a row group may have a row with one of the keys, according to its statistics.
fn may_have(group: &RowGroupMetaData, key: &str, keys: &Keys) -> bool {
    let column = column_index(group, key);
    if column.is_some_and(|column| is_null(group, column)) {
        return false;
    }
    let bounds = bounds(group, key);
    bounds.is_none_or(|(least, greatest)| keys.has_between(least, greatest))
}

/// Returns the rows of all row groups in the pages that may have rows with the keys.
fn pages_with(footer: &ParquetMetaData, key: &str, keys: &Keys) -> RowSelection {
    let mut first = 0;
    let mut rows = Vec::new();
    for (number, group) in footer.row_groups().iter().enumerate() {
        let pages = pages_of_group(footer, number, key, keys).into_iter();
        rows.extend(pages.map(|page| first + page.start..first + page.end));
        first += rows_of(group);
    }
    RowSelection::from_consecutive_ranges(rows.into_iter(), first)
}

/// Returns the rows of each page of a row group that may have one of the keys. Without an index of pages, all rows are in
/// one page.
fn pages_of_group(
    footer: &ParquetMetaData,
    group: usize,
    key: &str,
    keys: &Keys,
) -> Vec<Range<usize>> {
    let rows = rows_of(footer.row_group(group));
    let index = footer.page_index_for_row_group(group);
    let column = column_index(footer.row_group(group), key);
    let pages = column.and_then(|column| index.page_locations(column));
    let begins: Vec<usize> = match pages {
        Some(pages) => {
            let begins = pages.iter().map(|page| page.first_row_index);
            let begins = begins.map(|row| usize::try_from(row).unwrap_or_default());
            begins.collect()
        }
        None => vec![0],
    };
    let index = column.and_then(|column| index.column_index(column));
    let may_have = |page: usize| index.is_none_or(|index| page_may_have(index, page, keys));
    let pages = (0..begins.len()).filter(|&page| may_have(page));
    let end = |page: usize| begins.get(page + 1).copied().unwrap_or(rows);
    pages.map(|page| begins[page]..end(page)).collect()
}

/// Returns whether a page may have one of the keys, according to the index of pages.
fn page_may_have(index: &ColumnIndexMetaData, page: usize, keys: &Keys) -> bool {
    let bounds = page_bounds(index, page);
    !index.is_null_page(page)
        && bounds.is_none_or(|(least, greatest)| keys.has_between(least, greatest))
}

/// Returns the least and the greatest number in a page, if they are known.
pub(crate) fn page_bounds(index: &ColumnIndexMetaData, page: usize) -> Option<(u64, u64)> {
    let wide = |value: &i32| u64::from(value.cast_unsigned());
    match index {
        _ if index.is_null_page(page) => None,
        ColumnIndexMetaData::INT64(pages) => {
            let (least, greatest) = (pages.min_values().get(page)?, pages.max_values().get(page)?);
            Some((least.cast_unsigned(), greatest.cast_unsigned()))
        }
        ColumnIndexMetaData::INT32(pages) => {
            let (least, greatest) = (pages.min_values().get(page)?, pages.max_values().get(page)?);
            Some((wide(least), wide(greatest)))
        }
        _ => None,
    }
}

/// Returns, for each row of a batch, whether it has one of the keys; `None` if the column has no ids.
fn are_in(batch: &RecordBatch, key: &str, keys: &Keys) -> Option<BooleanArray> {
    let column = batch.column_by_name(key)?;
    let wide = foldtrace_columns::numbers(column);
    let narrow = || column.as_any().downcast_ref::<UInt32Array>();
    let numbers = match wide {
        Some(wide) => wide,
        None => narrow()?
            .iter()
            .map(|key| key.map(u64::from))
            .collect::<UInt64Array>(),
    };
    let are_in = numbers
        .iter()
        .map(|key| Some(key.is_some_and(|key| keys.contains(key))));
    Some(are_in.collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::ops::RangeInclusive;
    use std::path::Path;

    use arrow::array::Array;
    use foldtrace_columns::ColumnType::{Id, Number, UInt32};
    use foldtrace_columns::arrow_schema;
    use proptest::prelude::*;

    use super::*;
    use crate::tables::{NamedColumn, PAGE_ROWS, numbers, write_keyed_table};
    use crate::unsigned::Unsigned;

    const COLUMNS: &[Column] = &[
        Column::required("id", Id, "an id"),
        Column::optional("rank", Number, "a key that some rows lack"),
        Column::required("row", UInt32, "a key of 32 bits"),
        Column::optional("nothing", Number, "a column without values"),
    ];

    /// Writes a table, and opens its folder.
    fn store(folder: &Path, ids: &[u64], ranks: &[Option<u64>]) -> StoreFolder {
        let rows = 0..u32::try_from(ids.len()).unwrap();
        let columns: Vec<NamedColumn> = vec![
            ("id", Arc::new(UInt64Array::from(ids.to_vec()))),
            ("rank", Arc::new(UInt64Array::from(ranks.to_vec()))),
            ("row", Arc::new(UInt32Array::from_iter_values(rows))),
            ("nothing", Arc::new(UInt64Array::new_null(ids.len()))),
        ];
        let keys = ["id", "rank", "row"];
        let (path, schema) = (folder.join("rows.parquet"), arrow_schema(COLUMNS));
        write_keyed_table(&path, schema, &keys, columns, &mut Unsigned::default()).unwrap();
        StoreFolder::sealed(folder)
    }

    /// Returns the numbers of the rows with the keys.
    fn found(store: &StoreFolder, key: &str, keys: &Keys) -> Vec<u32> {
        let rows = rows_with(store, "rows.parquet", COLUMNS, key, keys).unwrap();
        let numbers = rows.iter().flat_map(|rows| {
            let column = rows.column(2).as_any().downcast_ref::<UInt32Array>();
            assert_eq!(
                numbers(rows, "nothing", Path::new(""))
                    .unwrap()
                    .null_count(),
                rows.num_rows()
            );
            column.unwrap().values().to_vec()
        });
        numbers.collect()
    }

    fn keys(values: RangeInclusive<u64>) -> impl Strategy<Value = Keys> {
        prop::collection::vec(prop_oneof![values, any::<u64>()], 0..6)
            .prop_map(|keys| keys.into_iter().collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn the_rows_with_some_keys_are_found(
            rows in prop_oneof![Just(9_usize), Just(PAGE_ROWS), PAGE_ROWS + 1..3 * PAGE_ROWS],
            start in prop_oneof![Just(0), Just(u64::MAX - (3 * PAGE_ROWS) as u64)],
            step in 1..4_usize,
            keys in keys(0..=(3 * PAGE_ROWS) as u64),
        ) {
            let folder = tempfile::tempdir().unwrap();
            // Ids repeat, and no id is that of an undefined one.
            let ids: Vec<u64> = (0..rows).map(|row| start + (row / step) as u64).collect();
            let ranks: Vec<Option<u64>> = (0..rows as u64)
                .map(|row| (row % 3 > 0).then_some(row / 2)).collect();
            let store = store(folder.path(), &ids, &ranks);
            let with = |is: &dyn Fn(usize) -> bool| -> Vec<u32> {
                (0..rows).filter(|&row| is(row)).map(|row| row as u32).collect()
            };
            prop_assert_eq!(found(&store, "row", &keys), with(&|row| keys.contains(row as u64)));
            prop_assert_eq!(
                found(&store, "rank", &keys),
                with(&|row| ranks[row].is_some_and(|rank| keys.contains(rank)))
            );
            let keys: Keys = keys.iter().map(|key| start.saturating_add(key)).collect();
            prop_assert_eq!(found(&store, "id", &keys), with(&|row| keys.contains(ids[row])));
        }
    }

    #[test]
    fn only_pages_that_may_have_the_keys_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let ids: Vec<u64> = (0..5 * PAGE_ROWS as u64).collect();
        let ranks = vec![None; ids.len()];
        let store = store(folder.path(), &ids, &ranks);
        let rows = |key, ids: &[u64]| {
            let keys = ids.iter().copied().collect();
            KeyedTable::open(&store, "rows.parquet", COLUMNS, key, &keys)
                .unwrap()
                .rows()
        };
        assert_eq!(rows("id", &[70_000]), 1 << 13);
        assert_eq!(rows("row", &[70_000, 70_001, 300_000]), 2 << 13);
        assert_eq!(rows("rank", &[70_000]), 0);
        assert_eq!(rows("id", &[1 << 40]), 0);
    }
}
