//! The columns of the tables of events, and the schemas of tables in older stores; `schemas/store.md` publishes them.
//!
//! Each other table is declared next to the code that writes it. Numbers that users subtract are signed. A column is
//! unsigned instead if one of its numbers needs the 64th bit, see [`Unsigned`](super::Unsigned).

use arrow::datatypes::Schema;
use foldtrace_columns::ColumnType::{Double, Id, Number, Signed, UInt32, Word};
use foldtrace_columns::{Column, TableColumns, Unit, arrow_schema, without_sign};
use foldtrace_trace::Quantity;

/// The column of times in [`QUANTITY`].
pub(crate) const TIME: &str = "time";

/// The order of the rows of all tables of events.
const SORTED_BY: &[&str] = &["location", "position"];

/// The column of tags in tables that refer to symbols.
pub(crate) const TAG: &str = "tag";

/// The columns of `topology/part-*.parquet`: the symbols of events. The last one is only in stores with tagged symbols.
const TOPOLOGY_COLUMNS: &[Column; 4] = &[
    Column::required("location", Id, "id of the location").delta(),
    Column::required("position", Number, "index of the event in its location").delta(),
    Column::required("symbol", UInt32, "the symbol: the row of `symbols.parquet`"),
    Column::optional(
        TAG,
        Number,
        "the tag, if the symbol is `tagged`; only in stores with such symbols",
    )
    .delta(),
];

/// `topology/part-*.parquet` in stores without tagged symbols.
pub(crate) const TOPOLOGY: TableColumns = TableColumns {
    name: "topology",
    columns: TOPOLOGY_COLUMNS.split_at(3).0,
    sorted_by: SORTED_BY,
};

/// `topology/part-*.parquet` in stores with tagged symbols.
pub(crate) const TAGGED_TOPOLOGY: TableColumns = TableColumns {
    columns: TOPOLOGY_COLUMNS,
    ..TOPOLOGY
};

/// `quantity/part-*.parquet`: the times and quantities of events, with a column per [`Quantity`].
pub(crate) const QUANTITY: TableColumns = TableColumns {
    name: "quantity",
    columns: &[
        Column::required("location", Id, "as in topology").delta(),
        Column::required("position", Number, "as in topology").delta(),
        Column::required(
            TIME,
            Number,
            "time in ticks of the source's clock; not always ascending",
        )
        .unit(Unit::Time)
        .delta(),
        Column::optional(Quantity::Bytes.name(), Number, "bytes").unit(Unit::Bytes),
        Column::optional(Quantity::BytesReceived.name(), Number, "bytes").unit(Unit::Bytes),
        Column::optional(Quantity::Request.name(), Id, "request or matching id"),
        Column::optional(
            Quantity::Value.name(),
            Number,
            "a number whose meaning depends on the kind; unsigned for some kinds, see \
             [events.md](events.md#quantities)",
        ),
        Column::optional(
            Quantity::Offset.name(),
            Number,
            "bytes from the start of a file",
        )
        .unit(Unit::Bytes),
    ],
    sorted_by: SORTED_BY,
};

/// `metrics/part-*.parquet`: exactly one of the last three columns is set.
pub(crate) const METRICS: TableColumns = TableColumns {
    name: "metrics",
    columns: &[
        Column::required("location", Id, "id of the location").delta(),
        Column::required("position", Number, "position of the event").delta(),
        Column::required(
            "member",
            UInt32,
            "index of the member in its metric's class",
        ),
        Column::required(
            "type",
            Word,
            "type of the value, see [events.md](events.md#types-of-values)",
        ),
        Column::optional(
            "uint64",
            Id,
            "the value, if it is neither signed nor floating-point",
        )
        .delta(),
        Column::optional("int64", Signed, "the value of an `int8` … `int64`").delta(),
        Column::optional(
            "double",
            Double,
            "the value of a `double`, or of a `float`, which a Float64 holds exactly",
        ),
    ],
    sorted_by: SORTED_BY,
};

/// `attributes/part-*.parquet`.
pub(crate) const ATTRIBUTES: TableColumns = TableColumns {
    name: "attributes",
    columns: &[
        Column::required("location", Id, "id of the location").delta(),
        Column::required("position", Number, "position of the event").delta(),
        Column::required(
            "attribute",
            Id,
            "id of the attribute; for type `argument`, the number of the argument",
        ),
        Column::required("type", Word, "type of the value"),
        Column::required(
            "bits",
            Id,
            "the value: two's complement if signed, IEEE bits if floating-point, an id if a reference",
        ),
    ],
    sorted_by: SORTED_BY,
};

/// Returns the schema of a table that is added to a store of `version`. In version 1, only [`Signed`] columns are
/// signed.
pub(crate) fn in_version(version: u32, columns: &[Column]) -> Schema {
    let is_unsigned = |name: &str| {
        let mut columns = columns.iter().filter(|column| column.name == name);
        version == 1 && columns.any(|column| column.column_type != Signed)
    };
    without_sign(&arrow_schema(columns), is_unsigned)
}

#[cfg(test)]
pub(crate) mod tests {
    use arrow::datatypes::DataType::{Int32, Int64, UInt32, UInt64};
    use foldtrace_columns::ColumnType;

    use super::{
        ATTRIBUTES, Column, METRICS, Number, QUANTITY, Quantity, Signed, TAGGED_TOPOLOGY,
        in_version,
    };

    /// Checks the meanings of the columns of the table at `path` against `store.md`.
    pub(crate) fn check_meanings(path: &str, columns: &[Column]) {
        let page = include_str!("../../../schemas/store.md");
        let is_about = |section: &&str| section.starts_with(&format!("`{path}`\n"));
        let section = page.split("\n### ").find(is_about);
        let section = section.unwrap_or_else(|| panic!("store.md has no section about {path}"));
        for column in columns {
            assert!(column.is_described_in(section), "{path}: {column:?}");
        }
    }

    #[test]
    fn meanings_are_those_of_store_md() {
        for table in [TAGGED_TOPOLOGY, QUANTITY, METRICS, ATTRIBUTES] {
            let path = format!("{}/part-NNNNN.parquet", table.name);
            check_meanings(&path, table.columns);
            assert_eq!(table.sorting().count(), table.sorted_by.len(), "{path}");
        }
    }

    #[test]
    fn each_quantity_has_a_column_in_order() {
        let columns = QUANTITY.columns[3..].iter().map(|column| column.name);
        assert!(columns.eq(Quantity::ALL.iter().map(|quantity| quantity.name())));
    }

    #[test]
    fn only_signed_columns_have_a_sign_in_version_1() {
        let columns = [
            Column::required("start", Number, ""),
            Column::required("duration", Signed, ""),
            Column::required("depth", ColumnType::Int32, ""),
        ];
        let types = |version| {
            let schema = in_version(version, &columns);
            let types = schema
                .fields()
                .iter()
                .map(|field| field.data_type().clone());
            types.collect::<Vec<_>>()
        };
        assert_eq!(types(1), [UInt64, Int64, UInt32]);
        assert_eq!(types(2), [Int64, Int64, Int32]);
    }
}
