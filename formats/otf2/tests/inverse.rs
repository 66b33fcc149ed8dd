//! Checks that archives are read back as they were written, and that libotf2 can read them as well.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use foldtrace_otf2::Otf2;
use foldtrace_trace::{DefinitionKind, Definitions, Format, Output, Severity};
use proptest::prelude::*;

use crate::common::random::{Trace, kinds, kinds_of_3_0, trace};
use crate::common::{Event, library, open, read_content};

fn write(trace: &Trace, folder: &Path) -> PathBuf {
    let path = folder.join("traces.otf2");
    let output = Output::Path {
        path: path.clone(),
        replace: false,
    };
    let mut writer = Otf2.create(output).unwrap();
    writer.definitions(&trace.definitions()).unwrap();
    trace.each_batch(|batch, symbols| writer.write(batch, symbols).unwrap());
    assert!(writer.finish().unwrap().is_empty());
    path
}

/// Returns the events of each location in order.
fn by_location(trace: &Trace) -> BTreeMap<u64, Vec<Event>> {
    let mut all: BTreeMap<u64, Vec<Event>> = BTreeMap::new();
    for (location, events) in &trace.batches {
        let events = events.iter().map(|(event, _)| event.clone());
        all.entry(*location).or_default().extend(events);
    }
    all
}

type Line = (DefinitionKind, Vec<u64>, Vec<u64>, String);

/// Returns all definitions except the properties of the anchor, which has additional ones.
fn lines(definitions: &Definitions) -> Vec<Line> {
    let records = definitions.in_order().into_iter();
    records
        .filter(|record| record.kind != DefinitionKind::TraceProperty)
        .map(|record| {
            let fields = record.kind.fields().len();
            let fields = (0..fields).map(|field| record.get(field)).collect();
            (
                record.kind,
                fields,
                record.list().to_vec(),
                record.text().to_owned(),
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn written_archives_are_read_back(trace in trace(kinds())) {
        let folder = tempfile::tempdir().unwrap();
        let reader = open(&write(&trace, folder.path()), false).unwrap();
        prop_assert_eq!(lines(reader.definitions()), lines(&trace.definitions()));
        let read = read_content(reader.as_ref());
        let mut events = read.events;
        events.retain(|_, events| !events.is_empty());
        prop_assert_eq!(events, by_location(&trace));
        prop_assert!(reader.diagnostics().worst() < Some(Severity::Loss));
    }

    #[test]
    fn the_library_reads_written_archives(trace in trace(kinds_of_3_0())) {
        let folder = tempfile::tempdir().unwrap();
        let anchor = write(&trace, folder.path());
        let content = library::read_content(&anchor).unwrap();
        read_content(open(&anchor, false).unwrap().as_ref()).assert_same(&content);
    }
}
