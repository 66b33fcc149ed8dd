//! The content of an archive as plain numbers, according to libotf2 and according to our reader.
//!
//! Both are compared as a whole, so that no part of what libotf2 returns can be forgotten.

#![allow(dead_code, missing_docs, unreachable_pub)]

pub mod library;
pub mod random;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use foldtrace_otf2::Otf2;
use foldtrace_trace::{
    DefinitionKind, DefinitionRecord, Definitions, Diagnostics, EventBatch, Format, Input, Output,
    ReadOptions, Step, SymbolTable, TraceError, TraceReader, ValueType,
};

/// A definition: the name of its kind, its fields in the order of the model, its list, its text.
pub type Definition = (String, Vec<u64>, Vec<u64>, String);

/// An attribute: its id, its type and its bits.
pub type Attribute = (u64, u8, u64);

/// An event with all its data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    pub kind: String,
    pub time: u64,
    pub operands: Vec<u64>,
    pub quantities: Vec<u64>,
    /// Type and bits of the members of a metric.
    pub metrics: Vec<(u8, u64)>,
    /// Strings of the arguments, at the beginning of a program.
    pub arguments: Vec<u64>,
    /// Attributes in the order of their ids.
    pub attributes: Vec<Attribute>,
}

/// A record of a snapshot: its name, the time of the snapshot, its numbers, its attributes.
pub type Snapshot = (String, u64, Vec<u64>, Vec<Attribute>);

/// The content of an archive, except for thumbnails, which not every libotf2 can read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArchiveContent {
    pub definitions: Vec<Definition>,
    /// The local definitions of each location.
    pub own: BTreeMap<u64, Vec<Definition>>,
    /// The mapping tables of each location: kind of ids, pairs of local and global id.
    pub mappings: BTreeMap<u64, Vec<(u64, Vec<u64>)>>,
    /// The clock offsets of each location: time, offset, bits of the standard deviation.
    pub clocks: BTreeMap<u64, Vec<(u64, u64, u64)>>,
    pub events: BTreeMap<u64, Vec<Event>>,
    /// Categories and markers: fields, then texts.
    pub markers: Vec<(Vec<u64>, Vec<String>)>,
    pub snapshots: BTreeMap<u64, Vec<Snapshot>>,
}

impl ArchiveContent {
    /// Panics at the first difference, instead of printing both completely.
    #[track_caller]
    pub fn assert_same(&self, other: &Self) {
        for (location, events) in &self.events {
            let others = &other.events[location];
            for (position, (a, b)) in events.iter().zip(others).enumerate() {
                assert_eq!(a, b, "location {location}, position {position}");
            }
            assert_eq!(events.len(), others.len(), "location {location}");
        }
        for (a, b) in self.definitions.iter().zip(&other.definitions) {
            assert_eq!(a, b);
        }
        assert_eq!(self.own, other.own);
        assert_eq!(self.mappings, other.mappings);
        assert_eq!(self.clocks, other.clocks);
        assert_eq!(self.markers, other.markers);
        assert_eq!(self.snapshots, other.snapshots);
        assert!(self == other);
    }
}

pub fn open(path: &Path, salvage: bool) -> Result<Box<dyn TraceReader>, TraceError> {
    Otf2.open(Input::Path(path.to_owned()), &ReadOptions::whole(salvage))
}

/// Calls `visit` with every batch of a stream.
pub fn each_batch(
    reader: &dyn TraceReader,
    stream: usize,
    mut visit: impl FnMut(&EventBatch, &SymbolTable),
) -> Diagnostics {
    let mut stream = reader.open_stream(stream).unwrap();
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    while stream.next_batch(&mut batch, &mut diagnostics).unwrap() == Step::Batch {
        visit(&batch, stream.symbols());
    }
    diagnostics
}

/// Reads an archive and writes it again at `target`.
pub fn rewrite(reader: &dyn TraceReader, target: &Path) -> PathBuf {
    let output = Output::Path {
        path: target.to_owned(),
        replace: false,
    };
    let mut writer = Otf2.create(output).unwrap();
    writer.definitions(reader.definitions()).unwrap();
    for stream in 0..reader.streams().len() {
        each_batch(reader, stream, |batch, symbols| {
            writer.write(batch, symbols).unwrap();
        });
    }
    writer.finish().unwrap();
    anchor(target)
}

/// Returns the anchor that `path` is, or the anchor in that folder.
pub fn anchor(path: &Path) -> PathBuf {
    if path.is_file() {
        return path.to_owned();
    }
    let mut anchors = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    anchors
        .find(|path| path.extension().is_some_and(|ending| ending == "otf2"))
        .unwrap()
}

/// Returns the examples of the project and the good archives of its corpus.
pub fn recorded() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The root crate has the corpus itself; crates of formats have it two folders above.
    let is_root = here.join("tests/data").exists();
    let root = here.join(if is_root { "." } else { "../.." });
    let entries = |folder: &str| fs::read_dir(root.join(folder)).unwrap();
    let examples = entries("examples").map(|entry| entry.unwrap().path());
    let corpus = entries("tests/data/otf2/good").map(|entry| entry.unwrap().path());
    let corpus = corpus
        // This case has records that are newer than some versions of libotf2.
        .filter(|case| !case.ends_with("everything"))
        .map(|case| case.join("input"));
    let mut found: Vec<_> = examples
        // The folder also contains recipes, pictures and programs.
        .filter(|path| {
            path.is_dir()
                && !["recipes", "interleaved", "gallery"]
                    .iter()
                    .any(|f| path.ends_with(f))
        })
        .chain(corpus)
        .map(|path| anchor(&path))
        .collect();
    found.sort();
    assert!(found.len() > 5);
    found
}

/// Returns the content of an archive according to our reader.
pub fn read_content(reader: &dyn TraceReader) -> ArchiveContent {
    let mut content = ArchiveContent::default();
    definitions(reader.definitions(), &mut content);
    for (index, stream) in reader.streams().iter().enumerate() {
        let location = stream.location.unwrap().0;
        content.own.entry(location).or_default();
        content.mappings.entry(location).or_default();
        content.clocks.entry(location).or_default();
        let events = content.events.entry(location).or_default();
        each_batch(reader, index, |batch, symbols| {
            assert_eq!(batch.location.0, location);
            events_of(batch, symbols, events);
        });
    }
    content
}

/// Appends the events of a batch.
pub fn events_of(batch: &EventBatch, symbols: &SymbolTable, events: &mut Vec<Event>) {
    for event in batch.iter(symbols) {
        assert_eq!(event.position.0, events.len() as u64, "no gap");
        let symbol = symbols.symbol(event.symbol);
        let kind = symbol.kind;
        let quantities = kind.quantities().iter();
        let metrics = &batch.metrics;
        let rows = metrics.rows(event.index);
        let members: Vec<u32> = rows.clone().map(|row| metrics.member[row]).collect();
        assert_eq!(members, (0..members.len() as u32).collect::<Vec<_>>());
        let values = rows.map(|row| (metrics.value_type[row] as u8, metrics.value[row]));
        let columns = &batch.attributes;
        let (mut attributes, mut arguments) = (Vec::new(), Vec::new());
        for row in columns.rows(event.index) {
            let (id, value) = (columns.attribute[row], columns.value[row]);
            match columns.value_type[row] {
                ValueType::Argument => {
                    assert_eq!(id, arguments.len() as u64);
                    arguments.push(value);
                }
                value_type => attributes.push((id, value_type as u8, value)),
            }
        }
        attributes.sort_unstable();
        events.push(Event {
            kind: kind.name().to_owned(),
            time: event.time.0,
            operands: symbol.operands[..kind.operands().len()].to_vec(),
            quantities: quantities.map(|&q| event.quantities[q as usize]).collect(),
            metrics: values.collect(),
            arguments,
            attributes,
        });
    }
}

/// Types of the records that global and local definitions share, from 10 on.
const SHARED: [&str; 34] = [
    "String",
    "Attribute",
    "SystemTreeNode",
    "LocationGroup",
    "Location",
    "Region",
    "Callsite",
    "Callpath",
    "Group",
    "MetricMember",
    "MetricClass",
    "MetricInstance",
    "Comm",
    "Parameter",
    "RmaWin",
    "MetricClassRecorder",
    "SystemTreeNodeProperty",
    "SystemTreeNodeDomain",
    "LocationGroupProperty",
    "LocationProperty",
    "CartDimension",
    "CartTopology",
    "CartCoordinate",
    "SourceCodeLocation",
    "CallingContext",
    "CallingContextProperty",
    "InterruptGenerator",
    "IoFileProperty",
    "IoRegularFile",
    "IoDirectory",
    "IoHandle",
    "IoPreCreatedHandleState",
    "CallpathParameter",
    "InterComm",
];

/// Types of the records of snapshots, from 10 on.
const SNAPSHOTS: [&str; 20] = [
    "SnapshotStart",
    "SnapshotEnd",
    "MeasurementOnOff",
    "Enter",
    "MpiSend",
    "MpiIsend",
    "MpiIsendComplete",
    "MpiRecv",
    "MpiIrecvRequest",
    "MpiIrecv",
    "MpiCollectiveBegin",
    "MpiCollectiveEnd",
    "OmpFork",
    "OmpAcquireLock",
    "OmpTaskCreate",
    "OmpTaskSwitch",
    "Metric",
    "ParameterString",
    "ParameterInt",
    "ParameterUnsignedInt",
];

fn named(names: &[&str], code: u64) -> String {
    names[code as usize - 10].to_owned()
}

fn fields(record: &DefinitionRecord<'_>) -> Vec<u64> {
    let fields = record.kind.fields().len();
    (0..fields).map(|field| record.get(field)).collect()
}

fn definitions(all: &Definitions, content: &mut ArchiveContent) {
    let mut group = String::new();
    let mut attributes: BTreeMap<(u64, u64), Vec<Attribute>> = BTreeMap::new();
    for attribute in all.records(DefinitionKind::SnapshotAttribute) {
        let key = (attribute.get(0), attribute.get(1));
        let value = (attribute.get(2), attribute.get(3) as u8, attribute.get(4));
        attributes.entry(key).or_default().push(value);
    }
    for record in all.in_order() {
        let (fields, list, text) = (fields(&record), record.list(), record.text());
        match record.kind {
            DefinitionKind::LocalDefinition => {
                let kind = named(&SHARED, fields[1]);
                let model = DefinitionKind::ALL
                    .iter()
                    .find(|known| format!("{known:?}") == kind)
                    .unwrap();
                let (own, list) = list.split_at(model.fields().len());
                let own = (kind, own.to_vec(), list.to_vec(), text.to_owned());
                content.own.entry(fields[0]).or_default().push(own);
            }
            DefinitionKind::MappingTable => {
                let table = (fields[1], list.to_vec());
                content.mappings.entry(fields[0]).or_default().push(table);
            }
            DefinitionKind::ClockOffset => {
                let offset = (fields[1], fields[2], fields[3]);
                content.clocks.entry(fields[0]).or_default().push(offset);
            }
            DefinitionKind::MarkerGroup => group = text.to_owned(),
            DefinitionKind::MarkerCategory => {
                let texts = vec![std::mem::take(&mut group), text.to_owned()];
                content.markers.push((fields, texts));
            }
            DefinitionKind::Marker => content.markers.push((fields, vec![text.to_owned()])),
            DefinitionKind::Snapshot => {
                let [location, index, code, time, event] = fields[..] else {
                    panic!("a snapshot has five fields");
                };
                let name = named(&SNAPSHOTS, code);
                let mut numbers = list.to_vec();
                if !name.starts_with("Snapshot") {
                    numbers.insert(0, event);
                }
                let mut own = attributes.remove(&(location, index)).unwrap_or_default();
                own.sort_unstable();
                let snapshots = content.snapshots.entry(location).or_default();
                snapshots.push((name, time, numbers, own));
            }
            // libotf2 reports these elsewhere or not at all.
            DefinitionKind::TraceProperty
            | DefinitionKind::SnapshotAttribute
            | DefinitionKind::Thumbnail
            | DefinitionKind::ThumbnailDescription
            | DefinitionKind::ThumbnailSample => {}
            kind => {
                let kind = format!("{kind:?}");
                let definition = (kind, fields, list.to_vec(), text.to_owned());
                content.definitions.push(definition);
            }
        }
    }
}
