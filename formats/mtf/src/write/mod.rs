//! Writes a document: graphs are built while the quantities are written to a temporary file. When both are complete,
//! the DAG is written, followed by the quantities.

mod blocks;
mod document;
mod spool;
mod tag;

use std::io::{BufWriter, Write};

use foldtrace_calltree::{NamedNodes, Pattern, join, messages};
use foldtrace_fold::dag::{Graph, Grower, NodeId, Roles, Rules};
use foldtrace_matching::Meaning;
use foldtrace_output::OutputFile;
use foldtrace_trace::{
    Definitions, Diagnostics, ErrorKind, EventBatch, LocationId, Names, Order, Output, SymbolTable,
    TraceError, TraceWriter,
};

use blocks::Blocks;
use document::Content;
use spool::Spool;

/// Size of the write buffer, in bytes.
const BUFFER: usize = 1 << 18;

/// Writes an MTF document.
pub struct MtfWriter {
    file: OutputFile,
    blocks: Blocks,
    definitions: Definitions,
    symbols: SymbolTable,
    roles: Roles,
    growing: Option<(LocationId, Grower)>,
    grown: Vec<(LocationId, Graph, NodeId)>,
    patterns: Vec<Pattern>,
}

impl MtfWriter {
    /// Creates a document.
    ///
    /// # Errors
    /// If the output cannot be created.
    pub fn create(output: Output) -> Result<Self, TraceError> {
        let file = OutputFile::create(output)?;
        let spool =
            Spool::beside(&file).map_err(|error| TraceError::unwritable(file.path(), error))?;
        Ok(Self {
            blocks: Blocks::new(spool),
            file,
            definitions: Definitions::default(),
            symbols: SymbolTable::default(),
            roles: Roles::default(),
            growing: None,
            grown: Vec::new(),
            patterns: Vec::new(),
        })
    }

    /// Adds patterns, which are searched in the trace when it is complete.
    #[must_use]
    pub fn with_patterns(mut self, patterns: Vec<Pattern>) -> Self {
        self.patterns = patterns;
        self
    }

    fn unwritable(&self, error: std::io::Error) -> TraceError {
        TraceError::unwritable(self.file.path(), error)
    }

    /// Completes the current location, if there is one.
    fn end_location(&mut self) -> Result<(), TraceError> {
        let Some((location, grower)) = self.growing.take() else {
            return Ok(());
        };
        // The DAG represents irregular calls as they are, so nothing is reported.
        let (graph, root) = grower.finish(&mut |_, _| {});
        self.grown.push((location, graph, root));
        self.blocks
            .end_location()
            .map_err(|error| self.unwritable(error))
    }

    fn begin_location(&mut self, location: LocationId) -> Result<(), TraceError> {
        self.end_location()?;
        if let Some(&(last, ..)) = self.grown.last()
            && last >= location
        {
            let message = format!(
                "expected locations in ascending order, found location {location} after {last}"
            );
            return Err(TraceError::new(ErrorKind::Internal, message));
        }
        self.growing = Some((location, Grower::new(Rules::default())));
        self.blocks
            .begin_location(location)
            .map_err(|error| self.unwritable(error))
    }
}

impl TraceWriter for MtfWriter {
    fn order(&self) -> Order {
        Order::Location
    }

    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.definitions.append(definitions);
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.definitions.append(&batch.definitions);
        if batch.is_empty() {
            return Ok(());
        }
        if symbols.len() > self.symbols.len() {
            self.symbols = symbols.clone();
            self.roles.update(&self.symbols);
        }
        if self.growing.as_ref().map(|growing| growing.0) != Some(batch.location) {
            self.begin_location(batch.location)?;
        }
        if let Some((_, grower)) = &mut self.growing {
            grower.push(&batch.symbols, &self.roles, &mut |_, _| {});
        }
        self.blocks
            .push(batch, symbols)
            .map_err(|error| TraceError::unwritable(self.file.path(), error))
    }

    fn finish(mut self: Box<Self>) -> Result<Diagnostics, TraceError> {
        self.end_location()?;
        let path = self.file.path().to_owned();
        let unwritable = |error| TraceError::unwritable(&path, error);
        let names = Names::new(&self.definitions);
        let meaning = Meaning {
            definitions: &self.definitions,
            names: &names,
            symbols: &self.symbols,
        };
        let (dag, census) = join(self.grown, &meaning);
        let named = NamedNodes::with_tags(&dag, &names, &self.symbols);
        let patterns = self.patterns.iter();
        let patterns = patterns.map(|pattern| pattern.find(&dag, &named));
        let content = Content {
            dag: &dag,
            links: &messages(&dag, &census, &meaning),
            patterns: &patterns.collect::<Result<Vec<_>, _>>()?,
            meaning,
        };
        let mut out = BufWriter::with_capacity(BUFFER, self.file);
        let mut quantities = self.blocks.finish().map_err(unwritable)?;
        content
            .write(&mut out, &mut quantities)
            .and_then(|()| out.flush())
            .map_err(unwritable)?;
        let file = out
            .into_inner()
            .map_err(|error| unwritable(error.into_error()))?;
        file.complete()?;
        Ok(Diagnostics::default())
    }
}
