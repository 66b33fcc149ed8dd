//! Opens a table of a part for reading: its footer at once, everything else on demand.
//!
//! A part of a long trace has thousands of row groups. The index of pages is therefore read for one row group at a
//! time, columns are opened when a value of them is read, and skipped rows cost nothing until a later row is read.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use foldtrace_columns::TableColumns;
use foldtrace_trace::TraceError;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::DataType;
use parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader,
    ParquetStatisticsPolicy, RowGroupMetaData,
};
use parquet::file::reader::Length;

use super::open_parts::OpenParts;
use crate::error::{Reading, wrong};
use crate::folder::{CheckedFile, StoreFolder};
use crate::index::Segment;
use crate::paths::part_table;
use crate::tables::{
    CachedTable, GuardedPages, PageCache, check_chunks, check_pages, check_schema, column_index,
    is_null, page_bounds,
};

/// The tables of one kind in all parts; the last one used stays open.
pub(crate) struct PartTables {
    store: StoreFolder,
    columns: TableColumns,
    open: Option<(u32, Arc<PartTable>)>,
    /// The open tables of all streams.
    shared: OpenParts<PartTable>,
    pages: PageCache,
}

/// An open table.
pub(crate) struct PartTable {
    path: PathBuf,
    file: Arc<CheckedFile>,
    metadata: ParquetMetaData,
    latest: Mutex<Option<Latest>>,
    decoded: CachedTable,
}

/// The row group that was used last.
struct Latest {
    number: u32,
    pages: PageIndex,
    row_group: Arc<RowGroup>,
}

/// A row group of a table.
pub(crate) struct RowGroup {
    path: PathBuf,
    file: Arc<CheckedFile>,
    /// The footer as if this were the only row group, with its index of pages if that was read.
    metadata: Arc<ParquetMetaData>,
    decoded: CachedTable,
}

/// A data page of a column: its rows in the row group, and the bounds of its values if they are known.
pub(crate) struct Page {
    pub rows: Range<u64>,
    pub least: Option<u64>,
    pub greatest: Option<u64>,
}

/// The parts of the index of pages to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PageIndex {
    None,
    /// The first rows of pages.
    Rows,
    /// The first rows of pages, and the bounds of their values.
    Values,
}

impl PageIndex {
    /// Returns the parts that a reader from `row` on needs. Reading from row 0 on needs no index, because pages follow
    /// each other.
    pub fn from_row(row: u64) -> Self {
        if row == 0 { Self::None } else { Self::Rows }
    }
}

impl PartTables {
    pub fn new(
        store: &StoreFolder,
        columns: TableColumns,
        shared: OpenParts<PartTable>,
        pages: PageCache,
    ) -> Self {
        Self {
            store: store.clone(),
            columns,
            open: None,
            shared,
            pages,
        }
    }

    /// Closes the open table.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Returns the table of a part.
    pub fn part(&mut self, part: u32) -> Result<&PartTable, TraceError> {
        let table = match self.open.take() {
            Some((open, table)) if open == part => table,
            _ => self.shared.get(self.columns.name, part, || {
                let file = part_table(self.columns.name, part);
                let file = self.store.file(&file)?;
                let decoded = self.pages.table(self.columns.name, part);
                PartTable::open(file, &self.columns, decoded)
            })?,
        };
        Ok(&self.open.insert((part, table)).1)
    }
}

impl PartTable {
    /// Opens the table in `file`; it must have these columns.
    fn open(
        file: CheckedFile,
        columns: &TableColumns,
        decoded: CachedTable,
    ) -> Result<Self, TraceError> {
        let path = file.path().to_owned();
        let options = ParquetMetaDataOptions::new()
            .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
            .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll);
        let metadata = ParquetMetaDataReader::new()
            .with_metadata_options(Some(options))
            .parse_and_finish(&file)
            .reading(&path)?;
        check_chunks(&path, &metadata, file.len())?;
        let of_file = metadata.file_metadata();
        let found = parquet::arrow::parquet_to_arrow_schema(
            of_file.schema_descr(),
            of_file.key_value_metadata(),
        )
        .reading(&path)?;
        check_schema(&path, &found, columns.columns)?;
        Ok(Self {
            decoded,
            path,
            file: Arc::new(file),
            metadata,
            latest: Mutex::new(None),
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the footers of all row groups.
    pub fn row_groups(&self) -> &[RowGroupMetaData] {
        self.metadata.row_groups()
    }

    /// Checks that the table has the rows of a segment.
    pub fn check_rows(&self, segment: &Segment) -> Result<(), TraceError> {
        let row_group = self.row_groups().get(segment.row_group as usize);
        let rows = row_group.map_or(0, |row_group| row_group.num_rows().max(0) as u64);
        if u64::from(segment.row).saturating_add(segment.events) <= rows {
            return Ok(());
        }
        let message = format!(
            "row group {} has fewer rows than the index says",
            segment.row_group
        );
        Err(wrong(&self.path, &message))
    }

    /// Returns a row group with at least the requested parts of its index of pages.
    pub fn row_group(&self, number: u32, pages: PageIndex) -> Result<Arc<RowGroup>, TraceError> {
        let lock = || self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(latest) = &*lock()
            && latest.number == number
            && latest.pages >= pages
        {
            return Ok(Arc::clone(&latest.row_group));
        }
        let row_group = Arc::new(self.read_row_group(number, pages)?);
        *lock() = Some(Latest {
            number,
            pages,
            row_group: Arc::clone(&row_group),
        });
        Ok(row_group)
    }

    fn read_row_group(&self, number: u32, pages: PageIndex) -> Result<RowGroup, TraceError> {
        let Some(row_group) = self.row_groups().get(number as usize) else {
            let message = format!("row group {number} is missing");
            return Err(wrong(&self.path, &message));
        };
        let alone = ParquetMetaData::new(
            self.metadata.file_metadata().clone(),
            vec![row_group.clone()],
        );
        let policy = |is_requested| {
            if is_requested {
                PageIndexPolicy::Required
            } else {
                PageIndexPolicy::Skip
            }
        };
        let mut reader = ParquetMetaDataReader::new_with_metadata(alone)
            .with_offset_index_policy(policy(pages != PageIndex::None))
            .with_column_index_policy(policy(pages == PageIndex::Values));
        reader.read_page_indexes(&*self.file).reading(&self.path)?;
        let metadata = reader.finish().reading(&self.path)?;
        check_pages(&self.path, &metadata)?;
        Ok(RowGroup {
            decoded: self.decoded.clone(),
            path: self.path.clone(),
            file: Arc::clone(&self.file),
            metadata: Arc::new(metadata),
        })
    }
}

impl RowGroup {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self) -> &Arc<CheckedFile> {
        &self.file
    }

    /// Returns the footer as if this were the only row group.
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        &self.metadata
    }

    fn footer(&self) -> &RowGroupMetaData {
        self.metadata.row_group(0)
    }

    /// Returns the index of a column, which is out of bounds if there is no such column.
    fn column_index(&self, name: &str) -> usize {
        let footer = self.footer();
        column_index(footer, name).unwrap_or(footer.num_columns())
    }

    /// Returns the data pages of a column; a single page with all rows if there is no index of pages.
    pub fn pages(&self, column: &str) -> Vec<Page> {
        let column = self.column_index(column);
        let index = self.metadata.page_index_for_row_group(0);
        let begins: Vec<u64> = match index.page_locations(column) {
            Some(pages) => pages
                .iter()
                .map(|p| p.first_row_index.max(0) as u64)
                .collect(),
            None => vec![0],
        };
        let bounds = index.column_index(column);
        let pages = begins.iter().enumerate().map(|(page, &begin)| {
            let end = begins.get(page + 1).copied().unwrap_or(u64::MAX);
            let bounds = bounds.and_then(|bounds| page_bounds(bounds, page));
            let (least, greatest) = bounds.unzip();
            Page {
                rows: begin..end,
                least,
                greatest,
            }
        });
        pages.collect()
    }
}

/// A column of a row group, read from a given row on.
pub(crate) struct Column<T: DataType> {
    row_group: Arc<RowGroup>,
    index: usize,
    /// The reader, opened when the first value is read.
    reader: Option<ColumnReaderImpl<T>>,
    /// The number of rows to skip before the next row that is read.
    to_skip: u64,
    /// Whether the whole row group has no value in this column.
    is_null: bool,
}

impl<T: DataType> Column<T> {
    /// Creates the column `name`, read from `row` on.
    pub fn new(row_group: &Arc<RowGroup>, name: &str, row: u64) -> Self {
        let (footer, index) = (row_group.footer(), row_group.column_index(name));
        Self {
            row_group: Arc::clone(row_group),
            index,
            reader: None,
            to_skip: row,
            is_null: is_null(footer, index),
        }
    }

    /// Returns whether the whole row group has no value in this column.
    pub fn has_none(&self) -> bool {
        self.is_null
    }

    /// Skips rows. Pages that are skipped as a whole are never decoded.
    pub fn skip(&mut self, rows: u64) {
        self.to_skip += rows;
    }

    /// Appends the values of the next rows, all of which must have one.
    pub fn read(&mut self, rows: u64, values: &mut Vec<T::T>) -> Result<(), TraceError> {
        self.read_rows(rows, None, values)
    }

    /// Appends the values of the next rows, and a level per row: 1 if the row has a value, 0 if not.
    pub fn read_nullable(
        &mut self,
        rows: u64,
        values: &mut Vec<T::T>,
        levels: &mut Vec<i16>,
    ) -> Result<(), TraceError> {
        if self.is_null {
            levels.resize(levels.len() + rows as usize, 0);
            return Ok(());
        }
        self.read_rows(rows, Some(levels), values)
    }

    fn read_rows(
        &mut self,
        rows: u64,
        levels: Option<&mut Vec<i16>>,
        values: &mut Vec<T::T>,
    ) -> Result<(), TraceError> {
        let mut reader = match self.reader.take() {
            Some(reader) => reader,
            None => self.open()?,
        };
        let path = &self.row_group.path;
        let skipped = reader.skip_records(self.to_skip as usize).reading(path)?;
        let (read, _, _) = reader
            .read_records(rows as usize, levels, None, values)
            .reading(path)?;
        if (skipped as u64, read as u64) != (self.to_skip, rows) {
            return Err(wrong(path, "the table has fewer rows than the index says"));
        }
        self.to_skip = 0;
        self.reader = Some(reader);
        Ok(())
    }

    fn open(&self) -> Result<ColumnReaderImpl<T>, TraceError> {
        let RowGroup { path, file, .. } = &*self.row_group;
        let footer = self.row_group.footer();
        let Some(column) = footer.columns().get(self.index) else {
            return Err(wrong(path, &format!("column {} is missing", self.index)));
        };
        if column.column_type() != T::get_physical_type() {
            let message = format!("column {} of the table has an unexpected type", self.index);
            return Err(wrong(path, &message));
        }
        let metadata = &self.row_group.metadata;
        let pages = GuardedPages::open(file, metadata, 0, self.index).reading(path)?;
        let pages = pages.sharing(&self.row_group.decoded, column);
        Ok(ColumnReaderImpl::new(
            column.column_descr_ptr(),
            Box::new(pages),
        ))
    }
}
