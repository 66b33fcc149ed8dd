//! The registration of MTF as a trace format.

use foldtrace_trace::{
    Descriptor, Format, Input, Output, PathKind, Probe, ReadOptions, TraceError, TraceReader,
    TraceWriter,
};
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::read::MtfReader;
use crate::schema::{FAMILY, SCENARIO};
use crate::write::MtfWriter;

static DESCRIPTOR: Descriptor = Descriptor {
    name: "mtf",
    extensions: &["mtf"],
    about: "MTF, the MPI trace format, as XML: call trees as an ordered DAG, and messages",
    holds: "everything",
    drops: "nothing",
    reads: true,
    writes: true,
    is_text: true,
};

/// The format of MTF documents.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mtf;

impl Format for Mtf {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        probe.kind != PathKind::Folder && is_mtf(probe.head)
    }

    fn open(&self, input: Input, _: &ReadOptions) -> Result<Box<dyn TraceReader>, TraceError> {
        Ok(Box::new(MtfReader::open(input)?))
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        Ok(Box::new(MtfWriter::create(output)?))
    }
}

/// Returns whether the first element is an MTF scenario, of any version.
fn is_mtf(head: &[u8]) -> bool {
    let mut reader = Reader::from_reader(head);
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(root) | Event::Empty(root)) => {
                return root.local_name().as_ref() == SCENARIO
                    && root.attributes_raw().contains(FAMILY);
            }
            Ok(Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::DocType(_)) => {}
            Ok(Event::Text(text)) if text.chars().all(char::is_whitespace) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_begin_with_a_scenario() {
        for head in [
            "<Scenario xmlns='urn:foldtrace:mtf:1'>",
            "\u{feff}<?xml version=\"1.0\"?>\n<!-- of a test -->\n<m:Scenario a='<' xmlns:m=\"urn:foldtrace:mtf:9\"/>",
        ] {
            assert!(is_mtf(head.as_bytes()), "{head}");
        }
        for head in [
            "",
            "0 send 1 17\n",
            "<Scenario>",
            "<Scenario xmlns='urn:foldtrace:mtf:1'",
            "<Trace><Scenario xmlns='urn:foldtrace:mtf:1'/></Trace>",
            "text <Scenario xmlns='urn:foldtrace:mtf:1'>",
        ] {
            assert!(!is_mtf(head.as_bytes()), "{head}");
        }
    }
}
