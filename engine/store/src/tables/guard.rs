//! Checks the metadata of a table against its file before it is used. Parquet's reader trusts the metadata, and some
//! invalid metadata would end the program.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use foldtrace_trace::TraceError;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowGroups, RowSelection,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::reader::ChunkReader;

use super::chunk_pages::ChunkPages;
use super::page_cache::{CachedColumn, CachedTable};
use crate::error::{Reading, wrong};

/// A table that is read as record batches.
pub(crate) struct GuardedTable<R> {
    file: Arc<R>,
    footer: ArrowReaderMetadata,
}

impl<R: ChunkReader + 'static> GuardedTable<R> {
    /// Opens the table at `path`.
    pub fn open(path: &Path, file: R) -> Result<Self, TraceError> {
        let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).reading(path)?;
        check_chunks(path, footer.metadata(), file.len())?;
        let file = Arc::new(file);
        Ok(Self { file, footer })
    }

    /// Creates a table from a footer that was already read and checked.
    pub fn new(
        path: &Path,
        file: Arc<R>,
        footer: Arc<ParquetMetaData>,
    ) -> Result<Self, TraceError> {
        let footer =
            ArrowReaderMetadata::try_new(footer, ArrowReaderOptions::new()).reading(path)?;
        Ok(Self { file, footer })
    }

    pub fn schema(&self) -> &SchemaRef {
        self.footer.schema()
    }

    pub fn footer(&self) -> &ParquetMetaData {
        self.footer.metadata()
    }

    /// Reads columns of row groups; with `rows`, only these rows.
    pub fn batches(
        &self,
        columns: impl IntoIterator<Item = usize>,
        row_groups: Vec<usize>,
        batch_size: usize,
        rows: Option<RowSelection>,
    ) -> ParquetResult<ParquetRecordBatchReader> {
        let schema = self.footer.parquet_schema();
        let columns = ProjectionMask::roots(schema, columns);
        let levels = parquet_to_arrow_field_levels(schema, columns, Some(self.schema().fields()))?;
        let chunks = Chunks {
            file: Arc::clone(&self.file),
            metadata: Arc::clone(self.footer.metadata()),
            row_groups,
        };
        // The reader reserves memory for a whole batch of each column, however few rows there are.
        let batch_size = batch_size.min(chunks.num_rows()).max(1);
        ParquetRecordBatchReader::try_new_with_row_groups(&levels, &chunks, batch_size, rows)
    }
}

/// Row groups whose pages are checked.
struct Chunks<R> {
    file: Arc<R>,
    metadata: Arc<ParquetMetaData>,
    row_groups: Vec<usize>,
}

impl<R: ChunkReader + 'static> RowGroups for Chunks<R> {
    fn num_rows(&self) -> usize {
        self.row_groups()
            .map(|group| group.num_rows() as usize)
            .sum()
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let (file, metadata) = (Arc::clone(&self.file), Arc::clone(&self.metadata));
        let row_groups = self.row_groups.clone().into_iter();
        Ok(Box::new(ColumnPages(row_groups.map(move |row_group| {
            let pages = GuardedPages::open(&file, &metadata, row_group, column)?;
            Ok(Box::new(pages) as Box<dyn PageReader>)
        }))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        let numbers = self.row_groups.iter();
        Box::new(numbers.map(|&number| self.metadata.row_group(number)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of a column, one row group after the other.
struct ColumnPages<I>(I);

impl<I: Iterator> Iterator for ColumnPages<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl<I> PageIterator for ColumnPages<I> where
    I: Iterator<Item = ParquetResult<Box<dyn PageReader>>> + Send
{
}

/// The pages of a column of a row group. A page that uses a dictionary is an error unless a dictionary precedes it.
pub(crate) struct GuardedPages<R: ChunkReader> {
    pages: ChunkPages<R>,
    has_dictionary: bool,
    /// Whether the dictionary was skipped, and not decoded since.
    is_deferred: bool,
    /// The decoded pages that other readers share.
    cached: Option<CachedColumn>,
}

impl<R: ChunkReader> GuardedPages<R> {
    pub fn open(
        file: &Arc<R>,
        metadata: &ParquetMetaData,
        row_group: usize,
        column: usize,
    ) -> ParquetResult<Self> {
        Ok(Self {
            pages: ChunkPages::open(file, metadata, row_group, column)?,
            has_dictionary: false,
            is_deferred: false,
            cached: None,
        })
    }

    /// Shares decoded pages with other readers of the column that `chunk` describes.
    pub fn sharing(mut self, table: &CachedTable, chunk: &ColumnChunkMetaData) -> Self {
        self.cached = span(chunk).map(|(start, _)| table.column(start));
        self
    }

    /// Reads or decodes the next page.
    fn next_page(&mut self) -> ParquetResult<Option<Page>> {
        let Some(cached) = &mut self.cached else {
            return self.pages.get_next_page();
        };
        let is_data = self
            .pages
            .peek_next_page()?
            .is_some_and(|next| !next.is_dict);
        if !is_data {
            return self.pages.get_next_page();
        }
        let page = match cached.data_page() {
            Some(page) => {
                self.pages.skip_next_page()?;
                Some(page)
            }
            None => {
                let page = self.pages.get_next_page()?;
                page.iter().for_each(|page| cached.keep_data_page(page));
                page
            }
        };
        cached.advance();
        Ok(page)
    }
}

impl<R: ChunkReader> PageReader for GuardedPages<R> {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        let page = self.next_page()?;
        let with_dictionary = [Encoding::PLAIN_DICTIONARY, Encoding::RLE_DICTIONARY];
        match &page {
            Some(Page::DictionaryPage { .. }) => self.has_dictionary = true,
            Some(page) if !self.has_dictionary && with_dictionary.contains(&page.encoding()) => {
                let message = "a page is encoded with a dictionary that is missing";
                return Err(ParquetError::General(message.to_owned()));
            }
            _ => {}
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        let next = self.pages.peek_next_page()?;
        let is_dictionary = next.is_some_and(|next| next.is_dict);
        self.has_dictionary |= is_dictionary;
        self.is_deferred |= is_dictionary;
        if !is_dictionary && let Some(cached) = &mut self.cached {
            cached.advance();
        }
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> ParquetResult<Option<Page>> {
        if !std::mem::take(&mut self.is_deferred) {
            return Ok(None);
        }
        if let Some(dictionary) = self.cached.as_ref().and_then(CachedColumn::dictionary) {
            return Ok(Some(dictionary));
        }
        let dictionary = self.pages.take_deferred_dictionary()?;
        if let (Some(page), Some(cached)) = (&dictionary, &self.cached) {
            cached.keep_dictionary(page);
        }
        Ok(dictionary)
    }

    fn at_record_boundary(&mut self) -> ParquetResult<bool> {
        self.pages.at_record_boundary()
    }
}

impl<R: ChunkReader> Iterator for GuardedPages<R> {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Checks that all columns are within the `size` bytes of the file.
pub(crate) fn check_chunks(
    path: &Path,
    metadata: &ParquetMetaData,
    size: u64,
) -> Result<(), TraceError> {
    for (number, row_group) in metadata.row_groups().iter().enumerate() {
        let outside = |chunk: &&ColumnChunkMetaData| {
            let end = span(chunk).and_then(|(start, length)| start.checked_add(length));
            end.is_none_or(|end| end > size)
        };
        if let Some(chunk) = row_group.columns().iter().find(outside) {
            let column = chunk.column_path();
            let message = format!("column {column} of row group {number} is not within the file");
            return Err(wrong(path, &message));
        }
    }
    Ok(())
}

/// Checks that the pages of an index follow each other, within their columns.
pub(crate) fn check_pages(path: &Path, metadata: &ParquetMetaData) -> Result<(), TraceError> {
    for (number, row_group) in metadata.row_groups().iter().enumerate() {
        let index = metadata.page_index_for_row_group(number);
        for (column, chunk) in row_group.columns().iter().enumerate() {
            let Some(pages) = index.page_locations(column) else {
                continue;
            };
            let span = span(chunk).unwrap_or_default();
            if !follow_each_other(pages, span, row_group.num_rows()) {
                let column = chunk.column_path();
                let message =
                    format!("the pages of column {column} overlap or lie outside of the column");
                return Err(wrong(path, &message));
            }
            let bounds = index.column_index(column);
            if bounds.is_some_and(|bounds| bounds.num_pages() != pages.len() as u64) {
                let column = chunk.column_path();
                let message = format!("the bounds of column {column} are not those of its pages");
                return Err(wrong(path, &message));
            }
        }
    }
    Ok(())
}

fn follow_each_other(pages: &[PageLocation], (start, length): (u64, u64), rows: i64) -> bool {
    let (mut byte, mut row) = (start, 0);
    pages.iter().all(|page| {
        let is_after = u64::try_from(page.offset).is_ok_and(|begin| begin >= byte)
            && (row..=rows).contains(&page.first_row_index);
        let size = u64::try_from(page.compressed_page_size).ok();
        let end = size.and_then(|size| page.offset.checked_add_unsigned(size));
        byte = end.map_or(u64::MAX, i64::cast_unsigned);
        row = page.first_row_index;
        is_after && byte <= start.saturating_add(length)
    })
}

/// Returns the offset of a column and its length; `None` if one of them is invalid.
fn span(chunk: &ColumnChunkMetaData) -> Option<(u64, u64)> {
    let data = chunk.data_page_offset();
    let start = chunk.dictionary_page_offset().unwrap_or(data);
    let length = chunk.compressed_size();
    Some((u64::try_from(start).ok()?, u64::try_from(length).ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use std::ops::Range;

    use arrow::array::{ArrayRef, Int64Array, RecordBatch};
    use bytes::Bytes;
    use parquet::arrow::ArrowWriter;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::column::reader::ColumnReaderImpl;
    use parquet::data_type::Int64Type;
    use parquet::file::metadata::{PageIndexPolicy, ParquetMetaDataReader};
    use parquet::file::properties::WriterProperties;

    use super::super::page_cache::PageCache;
    use super::*;

    fn pages() -> [PageLocation; 3] {
        [(40, 10, 0), (50, 20, 7), (70, 30, 9)].map(
            |(offset, compressed_page_size, first_row_index)| PageLocation {
                offset,
                compressed_page_size,
                first_row_index,
            },
        )
    }

    /// Returns a table with a column of 1,000 numbers, in pages of 100, some with a dictionary.
    fn table_of_numbers(has_dictionary: bool) -> Bytes {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(has_dictionary)
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_data_page_row_count_limit(100)
            .set_write_batch_size(100);
        let numbers = Int64Array::from_iter_values((0..1000).map(|row| row * row % 17));
        let batch =
            RecordBatch::try_from_iter([("number", Arc::new(numbers) as ArrayRef)]).unwrap();
        let mut file = Vec::new();
        let mut writer =
            ArrowWriter::try_new(&mut file, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        file.into()
    }

    /// Reads rows of a column of numbers.
    fn read(
        file: &Bytes,
        footer: &ParquetMetaData,
        cached: Option<&CachedTable>,
        rows: Range<usize>,
    ) -> ParquetResult<Vec<i64>> {
        let chunk = footer.row_group(0).column(0);
        let mut pages = GuardedPages::open(&Arc::new(file.clone()), footer, 0, 0)?;
        if let Some(cached) = cached {
            pages = pages.sharing(cached, chunk);
        }
        let mut reader =
            ColumnReaderImpl::<Int64Type>::new(chunk.column_descr_ptr(), Box::new(pages));
        reader.skip_records(rows.start)?;
        let mut numbers = Vec::new();
        reader.read_records(rows.len(), None, None, &mut numbers)?;
        Ok(numbers)
    }

    #[test]
    fn shared_pages_are_decoded_once() {
        for has_dictionary in [false, true] {
            let file = table_of_numbers(has_dictionary);
            let footers = [PageIndexPolicy::Skip, PageIndexPolicy::Required].map(|index| {
                let mut reader = ParquetMetaDataReader::new().with_page_index_policy(index);
                reader.try_parse(&file).unwrap();
                reader.finish().unwrap()
            });
            let [_, indexed] = &footers;
            let (start, length) = indexed.row_group(0).column(0).byte_range();
            let mut lost = file.to_vec();
            lost[start as usize..(start + length) as usize].fill(0);
            let lost = Bytes::from(lost);
            let all = read(&file, indexed, None, 0..1000).unwrap();
            for footer in &footers {
                let cached = PageCache::default().table("numbers", 0);
                for rows in [130..350, 0..150, 399..401, 349..1000, 0..1000] {
                    let numbers = read(&file, footer, Some(&cached), rows.clone()).unwrap();
                    assert_eq!(numbers, all[rows]);
                }
                // The pages of a column that the file has lost come from the cache.
                assert!(read(&lost, indexed, None, 350..420).is_err());
                let kept = read(&lost, indexed, Some(&cached), 350..420).unwrap();
                assert_eq!(kept, all[350..420]);
            }
        }
    }

    #[test]
    fn pages_follow_each_other_within_their_column() {
        assert!(follow_each_other(&pages(), (40, 60), 10));
        assert!(
            follow_each_other(&pages(), (30, 90), 9),
            "a dictionary precedes the pages"
        );
        assert!(follow_each_other(&[], (40, 0), 0));
        let changes: [fn(&mut [PageLocation; 3]); 7] = [
            |pages| pages[0].offset = -1,
            |pages| pages[0].offset = 0,
            |pages| pages[0].offset = i64::MAX,
            |pages| pages[1].compressed_page_size = -1,
            |pages| pages[2].compressed_page_size = i32::MAX,
            |pages| pages[1].first_row_index = 11,
            |pages| pages.swap(1, 2),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut pages = pages();
            change(&mut pages);
            assert!(!follow_each_other(&pages, (40, 60), 10), "change {number}");
        }
    }
}
