//! Writes table metadata that makes pandas read nullable integers exactly.
//!
//! By default, pandas converts integer columns with nulls to floating-point numbers, which changes values above 2^53.
//! With this metadata, it uses its nullable integer types instead.

use arrow::datatypes::{DataType, Field, Schema};
use serde_json::{Value, json};

/// The metadata key that pandas reads.
pub const PANDAS: &str = "pandas";

/// Returns the pandas metadata for a table with these columns, or `None` if no column needs any.
///
/// The format is pyarrow's, reduced to the keys that pyarrow requires: the full metadata would double the
/// size of small tables.
#[must_use]
pub fn pandas(schema: &Schema) -> Option<String> {
    let columns: Vec<Value> = schema.fields().iter().filter_map(|f| column(f)).collect();
    if columns.is_empty() {
        return None;
    }
    let metadata = json!({ "columns": columns, "index_columns": [] });
    Some(metadata.to_string())
}

/// Returns `schema` with the pandas metadata added. pyarrow reads it from the Arrow schema, or from the
/// footer of a Parquet file that has no Arrow schema.
#[must_use]
pub fn with_pandas(schema: &Schema) -> Schema {
    let mut metadata = schema.metadata().clone();
    metadata.remove(PANDAS);
    metadata.extend(pandas(schema).map(|columns| (PANDAS.to_owned(), columns)));
    Schema::new_with_metadata(schema.fields().clone(), metadata)
}

fn column(field: &Field) -> Option<Value> {
    let (arrow, pandas) = match field.data_type() {
        _ if !field.is_nullable() => return None,
        DataType::Int32 => ("int32", "Int32"),
        DataType::Int64 => ("int64", "Int64"),
        DataType::UInt32 => ("uint32", "UInt32"),
        DataType::UInt64 => ("uint64", "UInt64"),
        _ => return None,
    };
    let name = field.name();
    Some(json!({
        "name": name,
        "pandas_type": arrow,
        "numpy_type": pandas,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_that_may_be_null_are_named() {
        let schema = Schema::new(vec![
            Field::new("position", DataType::Int64, false),
            Field::new("bytes", DataType::Int64, true),
            Field::new("region", DataType::UInt64, true),
            Field::new("name", DataType::Utf8, true),
        ]);
        let metadata: Value = serde_json::from_str(&pandas(&schema).unwrap()).unwrap();
        let columns = metadata["columns"].as_array().unwrap();
        let types: Vec<_> = columns
            .iter()
            .map(|column| {
                (
                    column["name"].as_str().unwrap(),
                    column["numpy_type"].as_str().unwrap(),
                )
            })
            .collect();
        assert_eq!(types, [("bytes", "Int64"), ("region", "UInt64")]);
        let required = Schema::new(vec![Field::new("position", DataType::Int64, false)]);
        assert_eq!(pandas(&required), None);
    }
}
