//! Reads the pages of a column chunk, with one decompressor per thread.
//!
//! The Parquet library creates a codec for each column that it opens. Zstandard then asks the processor for its
//! features, for which a virtual machine leaves to its host: that took four fifths of the time of reading a million
//! locations. So the library reads the pages as if they were not compressed.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use zstd::zstd_safe::get_frame_content_size;

use crate::zstandard;

/// The pages of a column chunk.
pub(super) struct ChunkPages<R: ChunkReader> {
    pages: SerializedPageReader<R>,
    /// Whether `pages` returns compressed pages.
    is_compressed: bool,
}

impl<R: ChunkReader> ChunkPages<R> {
    pub fn open(
        file: &Arc<R>,
        metadata: &ParquetMetaData,
        row_group: usize,
        column: usize,
    ) -> Result<Self> {
        let footer = metadata.row_group(row_group);
        let chunk = footer.column(column);
        let index = metadata.page_index_for_row_group(row_group);
        let is_compressed = matches!(chunk.compression(), Compression::ZSTD(_));
        let raw = is_compressed.then(|| uncompressed(chunk)).transpose()?;
        let pages = SerializedPageReader::new(
            Arc::clone(file),
            raw.as_ref().unwrap_or(chunk),
            footer.num_rows() as usize,
            index.page_locations(column).cloned(),
        )?;
        Ok(Self {
            pages,
            is_compressed,
        })
    }

    fn decoded(&self, page: Option<Page>) -> Result<Option<Page>> {
        if self.is_compressed {
            page.map(decompressed).transpose()
        } else {
            Ok(page)
        }
    }
}

/// Returns the place of a column chunk, without its compression.
fn uncompressed(chunk: &ColumnChunkMetaData) -> Result<ColumnChunkMetaData> {
    ColumnChunkMetaData::builder(chunk.column_descr_ptr())
        .set_compression(Compression::UNCOMPRESSED)
        .set_data_page_offset(chunk.data_page_offset())
        .set_dictionary_page_offset(chunk.dictionary_page_offset())
        .set_total_compressed_size(chunk.compressed_size())
        .build()
}

impl<R: ChunkReader> PageReader for ChunkPages<R> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        self.decoded(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        let page = self.pages.take_deferred_dictionary()?;
        self.decoded(page)
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

impl<R: ChunkReader> Iterator for ChunkPages<R> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

fn decompressed(mut page: Page) -> Result<Page> {
    match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = decompress(buf)?,
        Page::DataPageV2 {
            buf,
            def_levels_byte_len,
            rep_levels_byte_len,
            is_compressed,
            ..
        } if *is_compressed => {
            // Levels are never compressed.
            let levels = (*def_levels_byte_len as usize)
                .saturating_add(*rep_levels_byte_len as usize)
                .min(buf.len());
            let values = decompress(&buf[levels..])?;
            *buf = Bytes::from([&buf[..levels], &values].concat());
            *is_compressed = false;
        }
        Page::DataPageV2 { .. } => {}
    }
    Ok(page)
}

/// The maximum number of bytes of a page.
const LARGEST_PAGE: u64 = i32::MAX as u64;

fn decompress(bytes: &[u8]) -> Result<Bytes> {
    if bytes.is_empty() {
        return Ok(Bytes::new());
    }
    let failed = |error: std::io::Error| ParquetError::External(Box::new(error));
    let size = get_frame_content_size(bytes)
        .map_err(|_| ParquetError::General("a page is not compressed with Zstandard".to_owned()))?;
    let too_large = || {
        let message = format!("a page has more than {LARGEST_PAGE} bytes");
        Err(ParquetError::General(message))
    };
    let Some(size) = size else {
        // Some writers do not know the size of a page when they begin to compress it.
        let mut decompressed = Vec::new();
        let decoder = zstd::Decoder::with_buffer(bytes).map_err(failed)?;
        let mut decoder = decoder.take(LARGEST_PAGE + 1);
        decoder.read_to_end(&mut decompressed).map_err(failed)?;
        return if decompressed.len() as u64 > LARGEST_PAGE {
            too_large()
        } else {
            Ok(decompressed.into())
        };
    };
    if size > LARGEST_PAGE {
        return too_large();
    }
    let decompressed = zstandard::decompress(bytes, size as usize);
    decompressed.map(Bytes::from).map_err(failed)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pages_are_decompressed(bytes in prop::collection::vec(0..4_u8, 0..5000)) {
            let with_size = zstd::bulk::compress(&bytes, 3).unwrap();
            prop_assert_eq!(&decompress(&with_size).unwrap()[..], &bytes[..]);
            let without_size = zstd::encode_all(&bytes[..], 3).unwrap();
            prop_assert_eq!(&decompress(&without_size).unwrap()[..], &bytes[..]);
        }

        #[test]
        fn damage_is_an_error_or_changes_values(
            bytes in prop::collection::vec(0..4_u8, 1..500),
            at in any::<prop::sample::Index>(),
            bits in 1..=255_u8,
        ) {
            let mut compressed = zstd::bulk::compress(&bytes, 3).unwrap();
            let at = at.index(compressed.len());
            compressed[at] ^= bits;
            let _ = decompress(&compressed);
            compressed.truncate(at);
            prop_assert!(at == 0 || decompress(&compressed).is_err());
        }
    }
}
