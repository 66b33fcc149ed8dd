//! What a footer says of places in its file, held against the file before anybody goes there: the
//! reader of Parquet takes it for true, and some of what cannot be true ends the program.

use std::path::Path;

use foldtrace_trace::TraceError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::reader::ChunkReader;

use super::error::{Reading, wrong};

/// Opens a table that is read as a whole.
pub(super) fn open_table<R: ChunkReader + 'static>(
    path: &Path,
    file: R,
) -> Result<ParquetRecordBatchReaderBuilder<R>, TraceError> {
    let size = file.len();
    let table = ParquetRecordBatchReaderBuilder::try_new(file).reading(path)?;
    check_chunks(path, table.metadata(), size)?;
    Ok(table)
}

/// Checks that all columns are within the `size` bytes of the file.
pub(super) fn check_chunks(
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
pub(super) fn check_pages(path: &Path, metadata: &ParquetMetaData) -> Result<(), TraceError> {
    for (number, row_group) in metadata.row_groups().iter().enumerate() {
        let index = metadata.page_index_for_row_group(number);
        for (column, chunk) in row_group.columns().iter().enumerate() {
            let Some(pages) = index.page_locations(column) else {
                continue;
            };
            let span = span(chunk).unwrap_or_default();
            if !follow_each_other(pages, span, row_group.num_rows()) {
                let column = chunk.column_path();
                let message = format!("pages of column {column} are not where it is");
                return Err(wrong(path, &message));
            }
        }
    }
    Ok(())
}

fn follow_each_other(pages: &[PageLocation], (start, length): (u64, u64), rows: i64) -> bool {
    let (mut byte, mut row) = (start, 0);
    pages.iter().all(|page| {
        let is_behind = u64::try_from(page.offset).is_ok_and(|begin| begin >= byte)
            && (row..=rows).contains(&page.first_row_index);
        let size = u64::try_from(page.compressed_page_size).ok();
        let end = size.and_then(|size| page.offset.checked_add_unsigned(size));
        byte = end.map_or(u64::MAX, i64::cast_unsigned);
        row = page.first_row_index;
        is_behind && byte <= start.saturating_add(length)
    })
}

/// Where a column begins, and its length; `None` if that cannot be.
fn span(chunk: &ColumnChunkMetaData) -> Option<(u64, u64)> {
    let data = chunk.data_page_offset();
    let start = chunk.dictionary_page_offset().unwrap_or(data);
    let length = chunk.compressed_size();
    Some((u64::try_from(start).ok()?, u64::try_from(length).ok()?))
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn pages_follow_each_other_within_their_column() {
        assert!(follow_each_other(&pages(), (40, 60), 10));
        assert!(
            follow_each_other(&pages(), (30, 90), 9),
            "a dictionary is before them"
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
