//! Encodes columns without the Parquet library where this makes files smaller: increasing numbers, and columns
//! without values.

mod delta;
mod pages;

use std::io::Write;

use parquet::basic::Encoding;
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::ColumnDescPtr;

use self::delta::Widths;
pub(crate) use self::delta::zigzag;
pub(super) use self::pages::Codec;
use self::pages::ColumnChunk;
use crate::tables::PAGE_ROWS;

/// The number of values from which the widths are chosen.
const SAMPLE: usize = 1 << 13;

/// Writes the next column of a row group, of unsigned numbers without nulls, as differences.
pub(super) fn write_differences<W: Write + Send>(
    row_group: &mut SerializedRowGroupWriter<'_, W>,
    column: ColumnDescPtr,
    values: &[u64],
    codec: &mut Codec,
) -> Result<()> {
    let widths = better_widths(&values[..values.len().min(SAMPLE)], codec)?;
    let mut chunk = ColumnChunk::new(column, Encoding::DELTA_BINARY_PACKED, codec);
    let mut body = Vec::new();
    for page in values.chunks(PAGE_ROWS) {
        body.clear();
        delta::encode(page, widths, &mut body);
        let bounds = page
            .iter()
            .fold((u64::MAX, 0), |(least, greatest), &value| {
                (value.min(least), value.max(greatest))
            });
        chunk.append(&body, page.len(), Some(bounds))?;
    }
    chunk.finish(row_group)
}

fn better_widths(sample: &[u64], codec: &mut Codec) -> Result<Widths> {
    let mut size = |widths| {
        let mut body = Vec::new();
        delta::encode(sample, widths, &mut body);
        Ok::<_, ParquetError>(codec.compress(&body)?.len())
    };
    Ok(if size(Widths::Bytes)? <= size(Widths::Bits)? {
        Widths::Bytes
    } else {
        Widths::Bits
    })
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
        delta::varint(2 * now as u64, &mut run);
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
    use parquet::data_type::Int64Type;
    use parquet::file::properties::WriterProperties;
    use parquet::file::reader::{FileReader, SerializedFileReader};
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

    #[test]
    fn a_chunk_may_have_many_pages() {
        let values: Vec<u64> = (0..3 * PAGE_ROWS as u64 + 5)
            .map(|n| n * n % 1013 + 7 * n)
            .collect();
        let (read, levels) = through_parquet(&values);
        assert_eq!(levels.len(), values.len());
        assert_eq!(read, values);
    }
}
