//! Encodes columns without the Parquet library where this makes files smaller or takes less time: increasing numbers,
//! ids, and columns without values.

mod delta;
mod ids;
mod pack;
mod pages;

use std::io::Write;

use parquet::basic::Encoding;
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::ColumnDescPtr;

pub(crate) use self::delta::zigzag;
pub(crate) use self::ids::Dictionary;
use self::pack::{Widths, varint};
pub(super) use self::pages::Codec;
use self::pages::ColumnChunk;
use crate::tables::PAGE_ROWS;

/// The number of values from which the widths are chosen.
const SAMPLE: usize = 1 << 13;

/// The number of ids from which the width is chosen: ids without repetition need a longer sample than times.
const SAMPLE_OF_IDS: usize = 1 << 15;

/// Writes the next column of a row group, of unsigned numbers without nulls, as differences.
pub(super) fn write_differences<W: Write + Send>(
    row_group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    values: &[u64],
    codec: &mut Codec,
) -> Result<()> {
    let sample = &values[..values.len().min(SAMPLE)];
    let widths = better_widths(codec, |widths, body| delta::encode(sample, widths, body))?;
    let mut chunk = ColumnChunk::new(column, Encoding::DELTA_BINARY_PACKED, codec);
    let mut body = Vec::new();
    for page in values.chunks(PAGE_ROWS) {
        body.clear();
        delta::encode(page, widths, &mut body);
        chunk.append(&body, page.len(), Some(bounds(page)))?;
    }
    chunk.finish(row_group)
}

/// Values that begin with `first`, each greater by `step` than the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progression {
    pub first: u64,
    pub step: u64,
    pub count: usize,
}

impl Progression {
    /// Removes and returns the first values, at most `count`.
    fn split(&mut self, count: usize) -> Self {
        let count = count.min(self.count);
        let taken = Self { count, ..*self };
        self.first += self.step * count as u64;
        self.count -= count;
        taken
    }

    fn values(self) -> impl Iterator<Item = u64> {
        (0..self.count as u64).map(move |index| self.first + self.step * index)
    }
}

/// Writes the next column of a row group, of unsigned numbers without nulls that consist of progressions, as
/// differences.
pub(super) fn write_progressions<W: Write + Send>(
    row_group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    progressions: impl Iterator<Item = Progression>,
    codec: &mut Codec,
) -> Result<()> {
    let mut progressions = progressions
        .filter(|progression| progression.count > 0)
        .peekable();
    let mut chunk = ColumnChunk::new(column, Encoding::DELTA_BINARY_PACKED, codec);
    let (mut body, mut page, mut values) = (Vec::new(), Vec::new(), Vec::new());
    while progressions.peek().is_some() {
        let mut room = PAGE_ROWS;
        page.clear();
        while let Some(progression) = progressions.peek_mut().filter(|_| room > 0) {
            let taken = progression.split(room);
            room -= taken.count;
            page.push(taken);
            if progression.count == 0 {
                progressions.next();
            }
        }
        body.clear();
        if let &[Progression { first, step, count }] = &page[..] {
            delta::encode_progression(first, step, count, &mut body);
            let last = first + step * (count as u64 - 1);
            chunk.append(&body, count, Some((first, last)))?;
        } else {
            values.clear();
            values.extend(page.iter().flat_map(|progression| progression.values()));
            delta::encode(&values, Widths::Bytes, &mut body);
            chunk.append(&body, values.len(), Some(bounds(&values)))?;
        }
    }
    chunk.finish(row_group)
}

/// Returns the least and the greatest value.
fn bounds(values: &[u64]) -> (u64, u64) {
    let bounds = (u64::MAX, 0);
    values.iter().fold(bounds, |(least, greatest), &value| {
        (value.min(least), value.max(greatest))
    })
}

/// Returns the widths with which a sample takes less space when it is compressed.
fn better_widths(
    codec: &mut Codec,
    encode_sample: impl Fn(Widths, &mut Vec<u8>),
) -> Result<Widths> {
    let mut size = |widths| {
        let mut body = Vec::new();
        encode_sample(widths, &mut body);
        Ok::<_, ParquetError>(codec.compress(&body)?.len())
    };
    Ok(if size(Widths::Bytes)? <= size(Widths::Bits)? {
        Widths::Bytes
    } else {
        Widths::Bits
    })
}

/// Writes the next column of a row group, of 32-bit ids without nulls. Uses the memory of `dictionary`.
pub(super) fn write_ids<W: Write + Send>(
    row_group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    ids: &[u32],
    dictionary: &mut Dictionary,
    codec: &mut Codec,
) -> Result<()> {
    let mut widths = None;
    let mut body = Vec::new();
    let mut chunk;
    if dictionary.collect(ids) {
        let sample = &ids[..ids.len().min(SAMPLE_OF_IDS)];
        let better = better_widths(codec, |widths, body| {
            dictionary.encode(sample, widths, body)
        })?;
        widths = Some(better);
        chunk = ColumnChunk::new(column, Encoding::RLE_DICTIONARY, codec);
        plain(dictionary.ids(), &mut body);
        chunk.dictionary(&body, dictionary.ids().len())?;
    } else {
        chunk = ColumnChunk::new(column, Encoding::PLAIN, codec);
    }
    for page in ids.chunks(PAGE_ROWS) {
        body.clear();
        match widths {
            Some(widths) => dictionary.encode(page, widths, &mut body),
            None => plain(page, &mut body),
        }
        let bounds = page.iter().fold((u32::MAX, 0), |(least, greatest), &id| {
            (id.min(least), id.max(greatest))
        });
        chunk.append(&body, page.len(), Some((bounds.0.into(), bounds.1.into())))?;
    }
    chunk.finish(row_group)
}

fn plain(ids: &[u32], body: &mut Vec<u8>) {
    body.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
}

/// Writes the next column of a row group, in which all `rows` values are null.
pub(super) fn write_nulls<W: Write + Send>(
    row_group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    rows: usize,
    codec: &mut Codec,
) -> Result<()> {
    let mut chunk = ColumnChunk::new(column, Encoding::PLAIN, codec);
    let mut left = rows;
    while left > 0 {
        let now = left.min(PAGE_ROWS);
        // The levels are one run of zeros: twice its length as a varint, and the level.
        let mut run = Vec::new();
        varint(2 * now as u64, &mut run);
        run.push(0);
        let mut body = (run.len() as u32).to_le_bytes().to_vec();
        body.extend(run);
        chunk.append(&body, now, None)?;
        left -= now;
    }
    chunk.finish(row_group)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use parquet::basic::{LogicalType, Repetition, ZstdLevel};
    use parquet::column::reader::get_typed_column_reader;
    use parquet::data_type::{Int32Type, Int64Type};
    use parquet::file::page_index::column_index::ColumnIndexMetaData;
    use parquet::file::properties::WriterProperties;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::file::serialized_reader::ReadOptionsBuilder;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::Type;
    use proptest::prelude::*;

    use super::*;

    fn values() -> impl Strategy<Value = Vec<u64>> {
        let step = prop_oneof![
            5 => 0..300_i64,
            3 => Just(1_i64),
            2 => 0..1_000_000_i64,
            1 => -500..0_i64,
            1 => any::<i64>(),
        ];
        // Long stretches exercise blocks and pages.
        prop::collection::vec((step, 1..900_usize), 0..12).prop_map(|stretches| {
            let mut value = 0_u64;
            let mut values = Vec::new();
            for (step, count) in stretches {
                for index in 0..count {
                    value = value.wrapping_add((step + (index % 7) as i64) as u64);
                    values.push(value);
                }
            }
            values
        })
    }

    /// Writes a file with two columns, the values and the same number of nulls, and reads it with the library.
    fn through_parquet(values: &[u64]) -> (Vec<u64>, Vec<i16>) {
        let column = |name: &str, repetition| {
            let column = Type::primitive_type_builder(name, parquet::basic::Type::INT64);
            let unsigned = LogicalType::integer(64, false);
            let column = column.with_logical_type(Some(unsigned));
            Arc::new(column.with_repetition(repetition).build().unwrap())
        };
        let fields = vec![
            column("values", Repetition::REQUIRED),
            column("nulls", Repetition::OPTIONAL),
        ];
        let schema = Type::group_type_builder("rows").with_fields(fields);
        let schema = Arc::new(schema.build().unwrap());
        let properties = Arc::new(WriterProperties::default());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
        let columns = writer.schema_descr().columns().to_vec();
        let mut codec = Codec::new(ZstdLevel::default()).unwrap();
        let mut row_group = writer.next_row_group().unwrap();
        write_differences(&mut row_group, columns[0].clone(), values, &mut codec).unwrap();
        write_nulls(&mut row_group, columns[1].clone(), values.len(), &mut codec).unwrap();
        row_group.close().unwrap();
        let bytes = bytes::Bytes::from(writer.into_inner().unwrap());

        let reader = SerializedFileReader::new(bytes).unwrap();
        let row_group = reader.get_row_group(0).unwrap();
        let (mut read, mut nulls, mut levels) = (Vec::new(), Vec::new(), Vec::new());
        let all = values.len();
        get_typed_column_reader::<Int64Type>(row_group.get_column_reader(0).unwrap())
            .read_records(all, None, None, &mut read)
            .unwrap();
        get_typed_column_reader::<Int64Type>(row_group.get_column_reader(1).unwrap())
            .read_records(all, Some(&mut levels), None, &mut nulls)
            .unwrap();
        assert!(nulls.is_empty());
        (read.into_iter().map(|value| value as u64).collect(), levels)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_library_reads_the_encoded_columns(values in values()) {
            let (read, levels) = through_parquet(&values);
            prop_assert_eq!(levels, vec![0; values.len()]);
            prop_assert_eq!(read, values);
        }
    }

    /// Writes a file with a column of ids, and reads it with the library. Returns the ids, and the bounds of pages.
    fn ids_through_parquet(ids: &[u32], dictionary: &mut Dictionary) -> (Vec<u32>, Vec<[u32; 2]>) {
        let column = Type::primitive_type_builder("ids", parquet::basic::Type::INT32);
        let column = column.with_logical_type(Some(LogicalType::integer(32, false)));
        let column = column.with_repetition(Repetition::REQUIRED);
        let schema = Type::group_type_builder("rows");
        let schema = schema.with_fields(vec![Arc::new(column.build().unwrap())]);
        let schema = Arc::new(schema.build().unwrap());
        let properties = Arc::new(WriterProperties::default());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
        let column = writer.schema_descr().column(0);
        let mut codec = Codec::new(ZstdLevel::default()).unwrap();
        // A second row group uses the dictionary again.
        for _ in 0..2 {
            let mut row_group = writer.next_row_group().unwrap();
            write_ids(&mut row_group, column.clone(), ids, dictionary, &mut codec).unwrap();
            row_group.close().unwrap();
        }
        let bytes = bytes::Bytes::from(writer.into_inner().unwrap());

        let options = ReadOptionsBuilder::new().with_page_index().build();
        let reader = SerializedFileReader::new_with_options(bytes, options).unwrap();
        let mut read = Vec::new();
        get_typed_column_reader::<Int32Type>(
            reader
                .get_row_group(1)
                .unwrap()
                .get_column_reader(0)
                .unwrap(),
        )
        .read_records(ids.len(), None, None, &mut read)
        .unwrap();
        let index = reader.metadata().page_index_for_row_group(1);
        let index = index.column_index(0).unwrap();
        let ColumnIndexMetaData::INT32(index) = index else {
            panic!("{index:?}");
        };
        let least = index.min_values().iter().zip(index.max_values());
        let bounds = least.map(|(least, greatest)| [*least as u32, *greatest as u32]);
        (
            read.into_iter().map(|id| id as u32).collect(),
            bounds.collect(),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn the_library_reads_the_encoded_ids(
            distinct in prop_oneof![Just(1_u32), 2..10_u32, 200..300_u32, 60_000..70_000_u32],
            stretches in prop::collection::vec((any::<u32>(), 1..40_usize, 1..2_000_usize), 0..60),
        ) {
            let mut ids = Vec::new();
            for (first, run, count) in stretches {
                ids.extend((0..count as u32).map(|n| first.wrapping_add(n / run as u32) % distinct));
            }
            let (read, bounds) = ids_through_parquet(&ids, &mut Dictionary::default());
            let pages = ids.chunks(PAGE_ROWS);
            let of_page = |page: &[u32]| [*page.iter().min().unwrap(), *page.iter().max().unwrap()];
            prop_assert_eq!(bounds, pages.map(of_page).collect::<Vec<_>>());
            prop_assert_eq!(read, ids);
        }
    }

    #[test]
    fn a_chunk_may_have_many_pages() {
        let values: Vec<u64> = (0..3 * PAGE_ROWS as u64 + 5)
            .map(|n| n * n % 1013 + 7 * n)
            .collect();
        let (read, levels) = through_parquet(&values);
        assert_eq!(levels.len(), values.len());
        assert_eq!(read, values);

        for distinct in [1, 3, 256, 257, 40_000, u32::MAX] {
            let ids: Vec<u32> = (0..3 * PAGE_ROWS as u32 + 5)
                .map(|n| n / 9 * 7 % distinct)
                .collect();
            let (read, bounds) = ids_through_parquet(&ids, &mut Dictionary::default());
            assert_eq!(bounds.len(), 4);
            assert_eq!(read, ids);
        }
    }
}
