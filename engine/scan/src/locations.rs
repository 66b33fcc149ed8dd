//! The locations of a store as a record batch.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int64Builder, RecordBatch, StringBuilder, StringDictionaryBuilder, UInt64Array,
};
use arrow::datatypes::Int32Type;
use foldtrace_columns::ColumnType::{Id, Number, Text, Word};
use foldtrace_columns::{Column, TableColumns, arrow_schema};
use foldtrace_store::StoreReader;
use foldtrace_trace::{DefinitionKind, ErrorKind, LocationId, Place, TraceError, TraceReader};

/// The columns of the locations.
const LOCATIONS: TableColumns = TableColumns {
    name: "locations",
    columns: &[
        Column::required("location", Id, "id of the location"),
        Column::required("label", Text, "its name on the command line"),
        Column::optional("rank", Number, "rank of its process"),
        Column::optional("thread", Number, "number of the location in its process"),
        Column::optional("name", Text, "its name in the trace"),
        Column::optional("group", Word, "name of its group, such as a process"),
        Column::required("events", Number, "number of its events"),
    ],
    sorted_by: &["location"],
};

/// Returns a row for each location of a store, in the order of their ids.
///
/// # Errors
/// Returns an error if the rows cannot be assembled, which is a mistake of this library.
pub fn locations(store: &StoreReader) -> Result<RecordBatch, TraceError> {
    let (names, index) = (store.names(), store.index());
    let defined = store.definitions().records(DefinitionKind::Location);
    let groups = defined.map(|location| (location.get(0), location.get(4)));
    let groups: HashMap<u64, u64> = groups.collect();
    let mut locations: Vec<LocationId> = store.locations().collect();
    locations.sort_unstable();

    let signed = |number: u64| i64::try_from(number).ok();
    let mut labels = StringBuilder::new();
    let mut ranks = Int64Builder::new();
    let mut threads = Int64Builder::new();
    let mut named = StringBuilder::new();
    let mut grouped = StringDictionaryBuilder::<Int32Type>::new();
    let mut events = Int64Builder::new();
    for &location in &locations {
        let (rank, thread) = names.rank(location).unzip();
        let group = groups.get(&location.0);
        labels.append_value(names.label(location));
        ranks.append_option(rank.and_then(signed));
        threads.append_option(thread.and_then(signed));
        named.append_option(names.name(DefinitionKind::Location, location.0));
        grouped.append_option(group.and_then(|&id| names.name(DefinitionKind::LocationGroup, id)));
        events.append_option(signed(index.events(location)));
    }
    let ids = locations.iter().map(|location| location.0);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(ids)),
        Arc::new(labels.finish()),
        Arc::new(ranks.finish()),
        Arc::new(threads.finish()),
        Arc::new(named.finish()),
        Arc::new(grouped.finish()),
        Arc::new(events.finish()),
    ];
    let schema = Arc::new(arrow_schema(LOCATIONS.columns));
    RecordBatch::try_new(schema, columns).map_err(|error| {
        TraceError::new(ErrorKind::Internal, "cannot assemble the locations")
            .at(Place::file(store.path()))
            .caused_by(error)
    })
}

#[cfg(test)]
mod tests {
    use arrow::array::AsArray;
    use arrow::datatypes::Int64Type;

    use super::*;

    #[test]
    fn each_location_has_its_rank_its_label_and_its_events() {
        let store = StoreReader::open("../../tests/data/stores/v2/ring-4.fold".as_ref()).unwrap();
        let rows = locations(&store).unwrap();
        let column = |name| rows[name].as_primitive::<Int64Type>().values().to_vec();
        assert_eq!(column("rank"), [0, 1, 2, 3]);
        assert_eq!(column("thread"), [0; 4]);
        let all = column("events").iter().sum::<i64>();
        assert_eq!(all.cast_unsigned(), store.index().total());
        for row in 0..rows.num_rows() {
            let label = rows["label"].as_string::<i32>().value(row);
            let id = rows["location"].as_primitive::<arrow::datatypes::UInt64Type>();
            let found = store.names().parse_label(label).unwrap();
            assert_eq!(found.0, id.value(row));
        }
    }
}
