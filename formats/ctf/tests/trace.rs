//! Writes traces into folders of their own, and shows what is read from them.

use std::path::PathBuf;

use foldtrace_ctf::Ctf;
use foldtrace_testing::{Event, Read, read};
use foldtrace_trace::{DefinitionKind, EventKind, Names, Operand, Quantity, ValueType};

/// What most metadata of version 1.8 begin with.
pub(crate) const TRACE: &str = "\
/* CTF 1.8 */
typealias integer { size = 8; } := u8;
typealias integer { size = 16; } := u16;
typealias integer { size = 32; } := u32;
typealias integer { size = 64; } := u64;
trace { major = 1; minor = 8; byte_order = le; };
";

/// A trace in a folder of its own.
pub(crate) struct Trace {
    folder: tempfile::TempDir,
}

impl Trace {
    /// Writes a trace with one stream.
    pub(crate) fn new(metadata: &str, stream: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let trace = Self { folder };
        trace.add("metadata", metadata.as_bytes());
        trace.add("stream", stream);
        trace
    }

    /// Adds a file, with its folder.
    pub(crate) fn add(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Reads the trace without errors.
    pub(crate) fn read(&self) -> Read {
        let trace = read(&Ctf, self.folder.path(), false).unwrap();
        assert!(trace.errors.is_empty(), "{:?}", trace.errors);
        trace
    }

    /// Reads what can be salvaged.
    pub(crate) fn salvage(&self) -> Read {
        let trace = read(&Ctf, self.folder.path(), true).unwrap();
        assert!(trace.errors.is_empty(), "{:?}", trace.errors);
        trace
    }

    /// Returns the message of the first error.
    pub(crate) fn error(&self) -> String {
        match read(&Ctf, self.folder.path(), false) {
            Ok(trace) => trace.errors[0].to_string(),
            Err(error) => error.to_string(),
        }
    }
}

/// Returns the keys of the diagnostics with their counts.
pub(crate) fn problems(trace: &Read) -> Vec<String> {
    let groups = trace.diagnostics.groups();
    groups
        .map(|(key, group)| format!("{key} {}", group.count))
        .collect()
}

/// Shows the attributes of an event.
pub(crate) fn attributes(event: &Event, names: &Names) -> Vec<String> {
    let attributes = event.attributes.iter();
    let show = |&(id, value_type, bits): &(u64, ValueType, u64)| {
        let name = names.name(DefinitionKind::Attribute, id).unwrap();
        match value_type {
            ValueType::String => format!("{name}={}", names.string(bits)),
            ValueType::Double => format!("{name}={:?}", f64::from_bits(bits)),
            ValueType::Int64 => format!("{name}={}", bits as i64),
            _ => format!("{name}={bits}"),
        }
    };
    attributes.map(show).collect()
}

/// Shows the events of all locations, those of each one after its name.
pub(crate) fn show(trace: &Read) -> Vec<String> {
    let names = Names::new(&trace.definitions);
    let mut lines = Vec::new();
    for (location, events) in &trace.events {
        let name = names.name(DefinitionKind::Location, location.0).unwrap();
        let rank = names.rank(*location).map_or(-1, |(rank, _)| rank as i64);
        lines.push(format!("{name} of rank {rank}"));
        for event in events {
            let called = names.called(&event.symbol).unwrap_or_else(|| {
                let string = event.symbol.get(Operand::String);
                string.map_or("?", |string| names.string(string))
            });
            let what = match event.symbol.kind {
                kind if kind.is_send() || kind.is_receive() => {
                    let peer = event.symbol.get(Operand::Peer).unwrap() as i64;
                    let bytes = event.quantities[Quantity::Bytes as usize];
                    format!("{kind} {peer} bytes {bytes}")
                }
                EventKind::Leave if event.symbol.get(Operand::Region).is_none() => {
                    "leave".to_owned()
                }
                kind => format!("{kind} {called}"),
            };
            let mut line = format!("{} {what}", event.time);
            for attribute in attributes(event, &names) {
                line = format!("{line} {attribute}");
            }
            lines.push(line);
        }
    }
    lines
}
