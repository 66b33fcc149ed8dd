//! Converts the times of a table from ticks to nanoseconds.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use arrow::error::ArrowError;
use foldtrace_columns::{TableColumns, Unit, numbers};
use foldtrace_trace::{Clock, Timestamp};

/// The conversion of a table's times to nanoseconds since the first tick of the trace, as in the flat table. A time that does
/// not fit into 64 bits becomes null.
#[derive(Clone, Debug)]
pub struct Nanoseconds {
    clock: Clock,
    /// The conversion of each column.
    conversions: Vec<Conversion>,
    schema: SchemaRef,
}

/// The conversion of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conversion {
    None,
    Time,
    Duration,
    /// A duration from the time in the column with this index. Its end is converted, so that it is the difference of times.
    Since(usize),
}

impl Nanoseconds {
    /// Creates the conversion of the table `columns`, whose rows have `schema`.
    #[must_use]
    pub fn new(columns: &TableColumns, schema: &Schema, clock: Clock) -> Self {
        let conversion = |field: &Arc<Field>| match columns.column(field.name())?.unit? {
            Unit::Time => Some(Conversion::Time),
            Unit::Duration => Some(Conversion::Duration),
            Unit::Since(begin) => schema.index_of(begin).ok().map(Conversion::Since),
            Unit::Bytes => None,
        };
        let fields = schema.fields().iter();
        let conversions = fields.map(|field| conversion(field).unwrap_or(Conversion::None));
        let conversions: Vec<Conversion> = conversions.collect();
        let fields = schema.fields().iter().zip(&conversions);
        let fields = fields.map(|(field, conversion)| match conversion {
            Conversion::None => Arc::clone(field),
            _ => {
                let field = Field::clone(field).with_data_type(DataType::Int64);
                Arc::new(field.with_nullable(true))
            }
        });
        let fields: Vec<Arc<Field>> = fields.collect();
        Self {
            clock,
            conversions,
            schema: Arc::new(Schema::new(fields)),
        }
    }

    /// Returns the columns of converted rows.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Converts rows.
    ///
    /// # Errors
    /// Returns an error if the rows have other columns.
    pub fn convert(&self, rows: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let columns = rows.columns().iter().zip(&self.conversions);
        let columns = columns.map(|(column, conversion)| match *conversion {
            Conversion::None => Ok(Arc::clone(column)),
            Conversion::Time => self.times(column),
            Conversion::Duration => self.durations(column),
            Conversion::Since(begin) => self.since(rows.column(begin), column),
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows.num_rows()));
        RecordBatch::try_new_with_options(self.schema(), columns, &options)
    }

    fn times(&self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let times = numbers(column).ok_or_else(|| not_ticks(column))?;
        let times = times
            .iter()
            .map(|time| self.clock.nanoseconds(Timestamp(time?)));
        Ok(Arc::new(times.collect::<Int64Array>()))
    }

    fn durations(&self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let ticks_per_second = i128::from(self.clock.ticks_per_second.max(1));
        let scaled = |ticks: i128| i64::try_from(ticks * 1_000_000_000 / ticks_per_second).ok();
        let durations: Int64Array = match column.as_primitive_opt::<Int64Type>() {
            Some(signed) => signed.iter().map(|ticks| scaled(ticks?.into())).collect(),
            None => {
                let ticks = numbers(column).ok_or_else(|| not_ticks(column))?;
                ticks.iter().map(|ticks| scaled(ticks?.into())).collect()
            }
        };
        Ok(Arc::new(durations))
    }

    fn since(&self, begin: &ArrayRef, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let begins = numbers(begin).ok_or_else(|| not_ticks(begin))?;
        let ticks = column.as_primitive_opt::<Int64Type>();
        let ticks = ticks.ok_or_else(|| not_ticks(column))?;
        let durations = begins.iter().zip(ticks).map(|(begin, ticks)| {
            let (begin, ticks) = (begin?, ticks?);
            let end = Timestamp(begin.checked_add_signed(ticks)?);
            let [begin, end] = [Timestamp(begin), end].map(|time| self.clock.nanoseconds(time));
            end?.checked_sub(begin?)
        });
        Ok(Arc::new(durations.collect::<Int64Array>()))
    }
}

fn not_ticks(column: &ArrayRef) -> ArrowError {
    let message = format!("a column of ticks has the type {}", column.data_type());
    ArrowError::SchemaError(message)
}

#[cfg(test)]
mod tests {
    use arrow::array::UInt64Array;
    use foldtrace_columns::Column;
    use foldtrace_columns::ColumnType::{Number, Signed};

    use super::*;

    const TABLE: TableColumns = TableColumns {
        name: "calls",
        columns: &[
            Column::required("position", Number, ""),
            Column::optional("start", Number, "").unit(Unit::Time),
            Column::optional("duration", Signed, "").unit(Unit::Since("start")),
            Column::optional("exclusive", Signed, "").unit(Unit::Duration),
        ],
        sorted_by: &[],
    };

    fn signed(values: [i64; 2]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    #[test]
    fn durations_are_differences_of_times() {
        let clock = Clock {
            ticks_per_second: 3,
            global_offset: 100,
            trace_length: 0,
        };
        let columns = vec![
            signed([7, 8]),
            signed([101, 90]),
            signed([1, 10]),
            signed([1, -2]),
        ];
        let rows = RecordBatch::try_new(Arc::new(TABLE.schema()), columns).unwrap();
        let conversion = Nanoseconds::new(&TABLE, &rows.schema(), clock);
        let converted = conversion.convert(&rows).unwrap();
        let column = |index: usize| converted.column(index).as_primitive::<Int64Type>().values();
        assert_eq!(column(0), &[7, 8]);
        assert_eq!(column(1), &[333_333_333, -3_333_333_333]);
        // From 333,333,333 to 666,666,666, and from −3,333,333,333 to 0.
        assert_eq!(column(2), &[333_333_333, 3_333_333_333]);
        assert_eq!(column(3), &[333_333_333, -666_666_666]);
    }

    #[test]
    fn times_of_64_bits_fit_or_are_null() {
        let schema = Schema::new(vec![Field::new("start", DataType::UInt64, false)]);
        let times = UInt64Array::from(vec![u64::MAX, 5]);
        let rows = RecordBatch::try_new(Arc::new(schema), vec![Arc::new(times)]).unwrap();
        let convert = |clock| {
            let conversion = Nanoseconds::new(&TABLE, &rows.schema(), clock);
            let converted = conversion.convert(&rows).unwrap();
            let times = converted.column(0).as_primitive::<Int64Type>().clone();
            times.iter().collect::<Vec<_>>()
        };
        assert_eq!(convert(Clock::default()), [None, Some(5)]);
        let late = Clock {
            global_offset: u64::MAX - 1,
            ..Clock::default()
        };
        assert_eq!(convert(late)[0], Some(1));
    }
}
