//! Columns of lists: the metric values or attributes of an event, any number of typed values.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Builder, Int64Builder, ListArray, NullBufferBuilder, StringBuilder,
    StructArray, UInt64Builder,
};
use arrow::buffer::{OffsetBuffer, ScalarBuffer};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Fields};
use arrow::error::ArrowError;
use foldtrace_trace::ValueType;

/// Returns the fields of a typed value. `id` is the name, and `id_type` the type, of the field with its id.
fn value_fields(id: &str, id_type: DataType) -> Fields {
    Fields::from(vec![
        Field::new(id, id_type, false),
        Field::new("name", DataType::Utf8, true),
        Field::new("type", DataType::Utf8, false),
        Field::new("uint64", DataType::UInt64, true),
        Field::new("int64", DataType::Int64, true),
        Field::new("double", DataType::Float64, true),
        Field::new("text", DataType::Utf8, true),
    ])
}

/// Returns a column of lists of typed values; null if an event has none.
pub(crate) fn list_of_values(column: &str, id: &str, id_type: DataType) -> Field {
    let item = DataType::Struct(value_fields(id, id_type));
    Field::new_list(column, Field::new_list_field(item, false), true)
}

/// A typed value of an event.
pub(crate) struct Value<'a> {
    /// The id of its metric member or attribute.
    pub(crate) id: u64,
    /// The name of its metric member or attribute.
    pub(crate) name: Option<&'a str>,
    pub(crate) value_type: ValueType,
    pub(crate) bits: u64,
    /// The string, if the value refers to one.
    pub(crate) text: Option<&'a str>,
}

/// Collects the typed values of events.
#[derive(Debug, Default)]
pub(crate) struct Values {
    ids: UInt64Builder,
    names: StringBuilder,
    types: StringBuilder,
    uint64: UInt64Builder,
    int64: Int64Builder,
    double: Float64Builder,
    texts: StringBuilder,
    /// The number of values up to the end of each event, and the number so far.
    ends: Vec<i32>,
    count: i32,
}

impl Values {
    /// Adds a value of the current event.
    pub(crate) fn push(&mut self, value: &Value<'_>) {
        let (value_type, bits) = (value.value_type, value.bits);
        let double = value_type.as_double(bits);
        let is_signed = value_type.is_signed();
        self.ids.append_value(value.id);
        self.names.append_option(value.name);
        self.types.append_value(value_type.name());
        self.uint64
            .append_option((!is_signed && double.is_none()).then_some(bits));
        self.int64.append_option(is_signed.then_some(bits as i64));
        self.double.append_option(double);
        self.texts.append_option(value.text);
        self.count += 1;
    }

    /// Ends the list of the current event.
    pub(crate) fn end_event(&mut self) {
        self.end_events(1);
    }

    /// Ends the list of the current event, and adds empty lists, so that there are `count` lists more than before.
    pub(crate) fn end_events(&mut self, count: usize) {
        self.ends.resize(self.ends.len() + count, self.count);
    }

    /// Returns the values of the events so far, as a column of the type of `field`.
    pub(crate) fn column(&mut self, field: &Field) -> Result<ArrayRef, ArrowError> {
        let DataType::List(item) = field.data_type() else {
            return Err(ArrowError::SchemaError(format!(
                "column {field} is not a list"
            )));
        };
        let DataType::Struct(fields) = item.data_type() else {
            return Err(ArrowError::SchemaError(format!("{item} is not a struct")));
        };
        if self.count == 0 {
            let lists = ListArray::new_null(Arc::clone(item), self.ends.len());
            self.ends.clear();
            return Ok(Arc::new(lists));
        }
        let ids: ArrayRef = Arc::new(self.ids.finish());
        let id_type = fields.first().map_or(&DataType::UInt64, |f| f.data_type());
        let columns: Vec<ArrayRef> = vec![
            cast(&ids, id_type)?,
            Arc::new(self.names.finish()),
            Arc::new(self.types.finish()),
            Arc::new(self.uint64.finish()),
            Arc::new(self.int64.finish()),
            Arc::new(self.double.finish()),
            Arc::new(self.texts.finish()),
        ];
        let values = StructArray::try_new(fields.clone(), columns, None)?;
        let mut is_valid = NullBufferBuilder::new(self.ends.len());
        let mut offsets = Vec::with_capacity(self.ends.len() + 1);
        let mut begin = 0;
        offsets.push(begin);
        for end in self.ends.drain(..) {
            is_valid.append(end > begin);
            offsets.push(end);
            begin = end;
        }
        self.count = 0;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let lists = ListArray::try_new(
            Arc::clone(item),
            offsets,
            Arc::new(values),
            is_valid.finish(),
        )?;
        Ok(Arc::new(lists))
    }
}
