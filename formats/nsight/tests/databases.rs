//! Databases for tests, and their events as texts.

use std::path::{Path, PathBuf};

use foldtrace_nsight::Nsight;
use foldtrace_testing::{Event, Read, read};
use foldtrace_trace::{DefinitionKind, EventKind, Names, Operand, Quantity, UNDEFINED, ValueType};
use rusqlite::Connection;

/// Returns the path of an input of the corpus.
pub(crate) fn sample(case: &str) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/nsight");
    data.join(case).join("input.sqlite")
}

/// Reads a database that has no damage.
pub(crate) fn read_whole(path: &Path) -> Read {
    let trace = read(&Nsight, path, false).unwrap();
    assert!(trace.errors.is_empty(), "{:?}", trace.errors);
    trace
}

/// Reads a database that SQL describes.
pub(crate) fn read_sql(sql: &str) -> Read {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    read_whole(&path)
}

/// Shows an event as a few words, with its time.
pub(crate) fn show(event: &Event, names: &Names) -> String {
    let get = |operand| event.symbol.get(operand).unwrap_or(UNDEFINED) as i64;
    let title = names.title(&event.symbol).unwrap_or("?");
    let quantity = |quantity: Quantity| event.quantities[quantity as usize] as i64;
    let mut text = match event.symbol.kind {
        EventKind::Metric => format!("{title}={}", event.metrics[0].2 as i64),
        kind if kind.is_send() || kind.is_receive() => format!(
            "{kind} {} in {} tag {} bytes {}",
            get(Operand::Peer),
            get(Operand::Communicator),
            get(Operand::Tag),
            quantity(Quantity::Bytes)
        ),
        kind if kind.is_collective() => format!(
            "{title} in {} root {} bytes {} {}",
            get(Operand::Communicator),
            get(Operand::Root),
            quantity(Quantity::Bytes),
            quantity(Quantity::BytesReceived)
        ),
        kind => format!("{kind} {title}"),
    };
    for &(id, value_type, bits) in &event.attributes {
        let name = names.name(DefinitionKind::Attribute, id).unwrap_or("?");
        let value = match value_type {
            ValueType::String => names.string(bits).to_owned(),
            ValueType::Double => f64::from_bits(bits).to_string(),
            _ => (bits as i64).to_string(),
        };
        text.push_str(&format!(", {name}={value}"));
    }
    format!("{} {text}", event.time)
}

/// Returns the events of each location as texts, with the label and the name of the location.
pub(crate) fn shown(trace: &Read) -> Vec<(String, Vec<String>)> {
    let names = Names::new(&trace.definitions);
    let locations = trace.events.iter().map(|(&location, events)| {
        let (rank, thread) = names.rank(location).unwrap();
        let name = names.name(DefinitionKind::Location, location.0).unwrap();
        let events = events.iter().map(|event| show(event, &names));
        (format!("{rank}.{thread} {name}"), events.collect())
    });
    locations.collect()
}

/// Returns the keys of the diagnostics and their counts.
pub(crate) fn keys(trace: &Read) -> Vec<(&str, u64)> {
    let groups = trace.diagnostics.groups();
    groups.map(|(key, group)| (key, group.count)).collect()
}
