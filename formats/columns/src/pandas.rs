//! What pandas has to know: it makes floating-point numbers of integers that may be null, which changes
//! those beyond 2^53, unless the metadata of a table asks for its nullable integers.

use arrow::datatypes::{DataType, Field, Schema};
use serde_json::{Value, json};

/// The key of pandas in the metadata of a table.
pub const PANDAS: &str = "pandas";

/// Returns what the metadata of a table with these columns says to pandas; `None` if no column needs it.
///
/// The format is pyarrow's, without what pyarrow does not ask for: small tables would double in size.
#[must_use]
pub fn pandas(schema: &Schema) -> Option<String> {
    let columns: Vec<Value> = schema.fields().iter().filter_map(|f| column(f)).collect();
    if columns.is_empty() {
        return None;
    }
    let metadata = json!({ "columns": columns, "index_columns": [] });
    Some(metadata.to_string())
}

/// Returns the columns with that in their metadata. pyarrow finds it there, unless a file of Parquet has no
/// schema of Arrow: then it looks into the footer.
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
