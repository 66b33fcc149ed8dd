//! Writes a column chunk page by page, for columns that are encoded without the Parquet library.

use std::io::Write;

use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Compression, Encoding, PageType, Type, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats,
};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::zstd_safe::CParameter;

/// The least and the greatest value of a page, compared as unsigned numbers.
pub(super) type Bounds = Option<(u64, u64)>;

/// A column chunk that compresses pages and collects them until it is complete.
pub(super) struct ColumnChunk<'a> {
    column: ColumnDescPtr,
    codec: &'a mut Codec,
    encoding: Encoding,
    chunk: TrackedWrite<Vec<u8>>,
    column_index: ColumnIndexBuilder,
    offset_index: OffsetIndexBuilder,
    pages: Vec<Bounds>,
    /// The place of the first page: after the dictionary, if there is one.
    first_page: usize,
    rows: u64,
    nulls: u64,
    uncompressed: usize,
}

impl<'a> ColumnChunk<'a> {
    /// Begins the chunk of `column`, the next column of a row group, with pages of one encoding.
    pub fn new(column: ColumnDescPtr, encoding: Encoding, codec: &'a mut Codec) -> Self {
        Self {
            column_index: ColumnIndexBuilder::new(column.physical_type()),
            column,
            codec,
            encoding,
            chunk: TrackedWrite::new(Vec::new()),
            offset_index: OffsetIndexBuilder::new(),
            pages: Vec::new(),
            first_page: 0,
            rows: 0,
            nulls: 0,
            uncompressed: 0,
        }
    }

    /// Writes the dictionary, which comes before all pages: `values` plain values in `body`.
    pub fn dictionary(&mut self, body: &[u8], values: usize) -> Result<()> {
        let page = Page::DictionaryPage {
            buf: Bytes::from(self.codec.compress(body)?),
            num_values: values as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        let written = self.write(page, body.len())?;
        self.first_page = written.compressed_size;
        Ok(())
    }

    /// Appends a page of `rows` rows. Without bounds, all of them are null.
    pub fn append(&mut self, body: &[u8], rows: usize, bounds: Bounds) -> Result<()> {
        let nulls = if bounds.is_none() { rows as u64 } else { 0 };
        let page = Page::DataPage {
            buf: Bytes::from(self.codec.compress(body)?),
            num_values: rows as u32,
            encoding: self.encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: Some(self.statistics(bounds, nulls)),
        };
        let written = self.write(page, body.len())?;
        let [least, greatest] = match bounds {
            Some((least, greatest)) => [least, greatest].map(|bound| self.plain(bound)),
            None => [Vec::new(), Vec::new()],
        };
        self.column_index
            .append(bounds.is_none(), least, greatest, nulls as i64, None);
        self.offset_index
            .append_offset_and_size(written.offset as i64, written.compressed_size as i32);
        self.offset_index.append_row_count(rows as i64);
        self.pages.push(bounds);
        self.rows += rows as u64;
        self.nulls += nulls;
        Ok(())
    }

    fn write(&mut self, page: Page, uncompressed: usize) -> Result<PageWriteSpec> {
        let page = CompressedPage::new(page, uncompressed);
        let written = SerializedPageWriter::new(&mut self.chunk).write_page(page)?;
        self.uncompressed += written.uncompressed_size;
        Ok(written)
    }

    /// Returns whether the values have 32 bits; all others have 64.
    fn is_narrow(&self) -> bool {
        self.column.physical_type() == Type::INT32
    }

    /// Returns a value in the plain encoding.
    fn plain(&self, value: u64) -> Vec<u8> {
        if self.is_narrow() {
            (value as u32).to_le_bytes().to_vec()
        } else {
            value.to_le_bytes().to_vec()
        }
    }

    fn statistics(&self, bounds: Bounds, nulls: u64) -> Statistics {
        let (least, greatest) = bounds.unzip();
        if self.is_narrow() {
            let bits = |bound: Option<u64>| bound.map(|bound| bound as i32);
            return Statistics::int32(bits(least), bits(greatest), None, Some(nulls), false);
        }
        let bits = |bound: Option<u64>| bound.map(|bound| bound as i64);
        Statistics::int64(bits(least), bits(greatest), None, Some(nulls), false)
    }

    /// Completes the chunk as the next column of `row_group`.
    pub fn finish<W: Write + Send>(
        mut self,
        row_group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<()> {
        let bounds = self.pages.iter().flatten();
        let bounds = bounds.copied().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.column_index.set_boundary_order(order(&self.pages));
        let statistics = self.statistics(bounds, self.nulls);
        let mut encodings = vec![self.encoding, Encoding::RLE];
        let mut pages = vec![PageEncodingStats {
            page_type: PageType::DATA_PAGE,
            encoding: self.encoding,
            count: self.pages.len() as i32,
        }];
        if self.first_page > 0 {
            encodings.push(Encoding::PLAIN);
            pages.push(PageEncodingStats {
                page_type: PageType::DICTIONARY_PAGE,
                encoding: Encoding::PLAIN,
                count: 1,
            });
        }
        let bytes = self.chunk.into_inner()?;
        let metadata = ColumnChunkMetaData::builder(self.column)
            .set_compression(Compression::ZSTD(self.codec.level))
            .set_encodings(encodings)
            .set_page_encoding_stats(pages)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_num_values(self.rows as i64)
            .set_dictionary_page_offset((self.first_page > 0).then_some(0))
            .set_data_page_offset(self.first_page as i64)
            .set_statistics(statistics)
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: self.rows,
            metadata,
            bloom_filter: None,
            column_index: Some(self.column_index.build()?),
            offset_index: Some(self.offset_index.build()),
        };
        row_group.append_column(&Bytes::from(bytes), close)
    }
}

/// Returns whether the bounds of pages ascend, which lets readers search them.
fn order(pages: &[Bounds]) -> BoundaryOrder {
    let bounds: Vec<_> = pages.iter().flatten().collect();
    if bounds.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1) {
        BoundaryOrder::ASCENDING
    } else {
        BoundaryOrder::UNORDERED
    }
}

/// The length of the shortest match that Zstandard looks for. Its own choice for the default level is 4 bytes; longer
/// matches of times make stores of real traces smaller and take less time to find.
const MIN_MATCH: u32 = 5;

/// The level whose own choice is faster.
const FASTEST: i32 = 1;

/// A compressor of pages.
pub(crate) struct Codec {
    level: ZstdLevel,
    zstd: zstd::bulk::Compressor<'static>,
}

impl std::fmt::Debug for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Codec")
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

impl Codec {
    /// Creates a Zstandard compressor with a level.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn new(level: ZstdLevel) -> std::io::Result<Self> {
        let mut zstd = zstd::bulk::Compressor::new(level.compression_level())?;
        if level.compression_level() > FASTEST {
            zstd.set_parameter(CParameter::MinMatch(MIN_MATCH))?;
        }
        Ok(Self { level, zstd })
    }

    pub(super) fn compress(&mut self, bytes: &[u8]) -> Result<Vec<u8>> {
        let compressed = self.zstd.compress(bytes);
        compressed.map_err(|error| ParquetError::External(Box::new(error)))
    }
}
