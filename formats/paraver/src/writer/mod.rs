//! Writes a trace that Paraver and its tools can open: records, labels and names in three files.
//!
//! `schemas/paraver.md` says what is left out.

mod content;
mod messages;
mod metrics;
mod numbers;
mod program;
mod records;
mod thread;
mod vocabulary;

use std::io::{self, Write as _};
use std::path::PathBuf;

use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, EventBatch, Order, Output, SymbolTable, TraceError,
    TraceWriter, uncompressed,
};

use crate::companions::beside;
use content::Content;

/// The comment of a trace whose states follow from its calls.
pub(crate) const DERIVED_STATES: &[u8] = b"#foldtrace: states follow from calls";

/// The property of a trace that is its date.
pub(crate) const DATE: &str = "paraver.date=";

/// Size of a block that is written at once, in bytes.
const BLOCK: usize = 1 << 18;

/// Writes a Paraver trace.
pub(crate) struct ParaverWriter {
    records: OutputFile,
    labels: OutputFile,
    rows: OutputFile,
    defined: Definitions,
    content: Option<Content>,
}

impl ParaverWriter {
    pub(crate) fn create(output: Output) -> Result<Self, TraceError> {
        let Output::Path { path, replace } = output else {
            return Err(TraceError::new(
                ErrorKind::Usage,
                "a Paraver trace consists of three files, so it cannot be written to standard output",
            )
            .hint("give the name of a file, such as run.prv"));
        };
        let file = |path: PathBuf| OutputFile::create(Output::Path { path, replace });
        let extension = uncompressed(&path).extension().map(ToOwned::to_owned);
        if extension.is_some_and(|it| it == "pcf" || it == "row") {
            return Err(TraceError::new(
                ErrorKind::Usage,
                format!(
                    "{} would be the file of labels or names of the trace",
                    path.display()
                ),
            )
            .hint("give the trace a name that ends in .prv"));
        }
        Ok(Self {
            labels: file(beside(&path, "pcf"))?,
            rows: file(beside(&path, "row"))?,
            records: file(path)?,
            defined: Definitions::default(),
            content: None,
        })
    }

    fn content(&mut self) -> &mut Content {
        let defined = &self.defined;
        self.content.get_or_insert_with(|| Content::new(defined))
    }
}

impl TraceWriter for ParaverWriter {
    fn order(&self) -> Order {
        Order::Time
    }

    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.defined.append(definitions);
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.content().write(batch, symbols).map_err(unsorted)
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.content();
        let Some(mut content) = self.content.take() else {
            return Ok(Diagnostics::default());
        };
        let (mut block, mut records) = content.finish().map_err(unsorted)?;
        while let Some(record) = records.next().map_err(unsorted)? {
            block.extend_from_slice(record);
            if block.len() >= BLOCK {
                write(&mut self.records, &block)?;
                block.clear();
            }
        }
        write(&mut self.records, &block)?;
        write(&mut self.labels, content.labels().as_bytes())?;
        write(&mut self.rows, content.rows().as_bytes())?;
        self.labels.complete()?;
        self.rows.complete()?;
        self.records.complete()?;
        Ok(content.into_diagnostics())
    }
}

fn write(file: &mut OutputFile, bytes: &[u8]) -> Result<(), TraceError> {
    let written = file.write_all(bytes);
    written.map_err(|error| TraceError::unwritable(file.path(), error))
}

/// Returns the error for records that cannot be sorted.
fn unsorted(error: io::Error) -> TraceError {
    TraceError::unwritable(&std::env::temp_dir(), error)
        .hint("records are sorted there; set TMPDIR to use another folder")
}
