//! An open trace with one file per rank.

use std::path::PathBuf;

use foldtrace_input::{LineStream, Lines};
use foldtrace_trace::{
    Diagnostics, ErrorKind, EventStream, Input, LocationId, ReadOptions, StreamInfo, TraceError,
    TraceHead, TraceReader,
};

use crate::definitions::TraceDefinitions;
use crate::parser::TiParser;

/// A trace with one stream per rank.
pub(crate) struct TiReader {
    files: Vec<(u64, PathBuf)>,
    ranks: u64,
    options: ReadOptions,
    head: TraceHead,
}

impl TiReader {
    /// Creates a trace of `ranks` ranks, in which `files` has the files of the active ranks. `diagnostics` describes
    /// problems with the files.
    pub(crate) fn new(
        files: Vec<(u64, PathBuf)>,
        ranks: u64,
        diagnostics: Diagnostics,
        options: ReadOptions,
    ) -> Self {
        let mut trace_definitions = TraceDefinitions::new();
        if let Some(last) = ranks.checked_sub(1) {
            trace_definitions.define_ranks_up_to(last);
        }
        trace_definitions.define_world();
        let streams = files.iter().map(|(rank, file)| StreamInfo {
            location: Some(LocationId(*rank)),
            bytes: file.metadata().map_or(0, |metadata| metadata.len()),
            part: None,
        });
        Self {
            head: TraceHead {
                definitions: trace_definitions.minter.take(),
                diagnostics,
                streams: streams.collect(),
                ..TraceHead::default()
            },
            files,
            ranks,
            options,
        }
    }
}

impl TraceReader for TiReader {
    fn head(&self) -> &TraceHead {
        &self.head
    }

    fn open_stream(&self, index: usize) -> Result<Box<dyn EventStream + '_>, TraceError> {
        let Some((rank, file)) = self.files.get(index) else {
            let streams = self.files.len();
            let message = format!("this trace has {streams} streams, there is no stream {index}");
            return Err(TraceError::new(ErrorKind::Usage, message));
        };
        let lines = Lines::open(Input::Path(file.clone()))?;
        let parser = TiParser::for_rank(*rank, self.ranks, file.clone());
        Ok(Box::new(LineStream::new(parser, lines, self.options)))
    }
}
