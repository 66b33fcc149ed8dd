//! Writes a column chunk page by page, for columns that are encoded without the Parquet library.

use std::io::Write;

use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Compression, Encoding, PageType, Type, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats,
};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

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
    rows: u64,
    nulls: u64,
    uncompressed: usize,
}

impl<'a> ColumnChunk<'a> {
    /// Begins the chunk of `column`, the next column of a row group, with pages of one encoding.
    pub fn new(column: ColumnDescPtr, encoding: Encoding, codec: &'a mut Codec) -> Self {
        Self {
            column,
            codec,
            encoding,
            chunk: TrackedWrite::new(Vec::new()),
            column_index: ColumnIndexBuilder::new(Type::INT64),
            offset_index: OffsetIndexBuilder::new(),
            pages: Vec::new(),
            rows: 0,
            nulls: 0,
            uncompressed: 0,
        }
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
            statistics: Some(statistics(bounds, nulls)),
        };
        let page = CompressedPage::new(page, body.len());
        let written = SerializedPageWriter::new(&mut self.chunk).write_page(page)?;
        let [least, greatest] = match bounds {
            Some((least, greatest)) => [least, greatest].map(|b| b.to_le_bytes().to_vec()),
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
        self.uncompressed += written.uncompressed_size;
        Ok(())
    }

    /// Completes the chunk as the next column of `row_group`.
    pub fn finish<W: Write + Send>(
        mut self,
        row_group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<()> {
        let bounds = self.pages.iter().flatten();
        let bounds = bounds.copied().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.column_index.set_boundary_order(order(&self.pages));
        let bytes = self.chunk.into_inner()?;
        let pages = PageEncodingStats {
            page_type: PageType::DATA_PAGE,
            encoding: self.encoding,
            count: self.pages.len() as i32,
        };
        let metadata = ColumnChunkMetaData::builder(self.column)
            .set_compression(Compression::ZSTD(self.codec.level))
            .set_encodings(vec![self.encoding, Encoding::RLE])
            .set_page_encoding_stats(vec![pages])
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(self.uncompressed as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(0)
            .set_statistics(statistics(bounds, self.nulls))
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

fn statistics(bounds: Bounds, nulls: u64) -> Statistics {
    let (least, greatest) = bounds.unzip();
    let bits = |bound: Option<u64>| bound.map(|bound| bound as i64);
    Statistics::int64(bits(least), bits(greatest), None, Some(nulls), false)
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
        let zstd = zstd::bulk::Compressor::new(level.compression_level())?;
        Ok(Self { level, zstd })
    }

    pub(super) fn compress(&mut self, bytes: &[u8]) -> Result<Vec<u8>> {
        let compressed = self.zstd.compress(bytes);
        compressed.map_err(|error| ParquetError::External(Box::new(error)))
    }
}
