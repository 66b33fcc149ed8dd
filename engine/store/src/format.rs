//! The store as a trace format, called `fold`.

use foldtrace_fold::DEFAULT_MAX_BODY;
use foldtrace_trace::{
    Definitions, Descriptor, Diagnostics, ErrorKind, EventBatch, Format, Input, Output, PathKind,
    Probe, ReadOptions, SymbolTable, TraceError, TraceReader, TraceWriter,
};

use crate::origin::Origin;
use crate::part::Ingest;
use crate::paths::MANIFEST;
use crate::reader::StoreReader;
use crate::writer::StoreWriter;

/// The trace format of stores.
#[derive(Clone, Copy, Debug)]
pub struct FoldFormat;

impl Format for FoldFormat {
    fn descriptor(&self) -> &'static Descriptor {
        &Descriptor {
            name: "fold",
            extensions: &["fold"],
            about: "foldtrace's columnar Parquet store, a folder",
            holds: "everything",
            drops: "nothing",
            reads: true,
            writes: true,
            is_text: false,
        }
    }

    fn sniff(&self, probe: &Probe<'_>) -> bool {
        match probe.kind {
            PathKind::Folder => probe.path.join(MANIFEST).is_file(),
            // No other format is read from object stores.
            PathKind::ObjectFolder => true,
            PathKind::File | PathKind::Stream => false,
        }
    }

    fn open(
        &self,
        input: Input,
        options: &ReadOptions,
    ) -> Result<Box<dyn TraceReader>, TraceError> {
        match input {
            Input::Path(path) if options.salvage => Ok(Box::new(StoreReader::open_damaged(&path)?)),
            Input::Path(path) => Ok(Box::new(StoreReader::open(&path)?)),
            Input::Stream { .. } => Err(no_stream("read from a pipe")),
        }
    }

    fn create(&self, output: Output) -> Result<Box<dyn TraceWriter>, TraceError> {
        match output {
            Output::Path { path, replace } => {
                Ok(Box::new(SinglePartWriter::create(&path, replace)?))
            }
            Output::Stdout => Err(no_stream("written to a pipe")),
        }
    }
}

fn no_stream(action: &str) -> TraceError {
    TraceError::new(
        ErrorKind::Usage,
        format!("a store is a folder and cannot be {action}"),
    )
    .hint("name a folder such as run.fold")
}

/// A writer that appends batches to a store with a single part. Conversions use [`Ingest`] directly, with one part
/// per core.
struct SinglePartWriter {
    store: StoreWriter<'static>,
    ingest: Ingest<'static>,
    definitions: Definitions,
}

impl SinglePartWriter {
    fn create(path: &std::path::Path, replace: bool) -> Result<Self, TraceError> {
        let store = StoreWriter::create(path, replace)?;
        let ingest = Ingest::new(store.part(0)?, DEFAULT_MAX_BODY);
        Ok(Self {
            store,
            ingest,
            definitions: Definitions::default(),
        })
    }
}

impl TraceWriter for SinglePartWriter {
    fn definitions(&mut self, definitions: &Definitions) -> Result<(), TraceError> {
        self.definitions.append(definitions);
        Ok(())
    }

    fn write(&mut self, batch: &EventBatch, symbols: &SymbolTable) -> Result<(), TraceError> {
        self.definitions.append(&batch.definitions);
        // Consecutive batches may belong to different streams.
        self.ingest.begin_stream();
        self.ingest.write(batch, symbols)
    }

    fn finish(self: Box<Self>) -> Result<Diagnostics, TraceError> {
        let parts = vec![self.ingest.finish(self.definitions.clock())?];
        self.store.finish(
            &Origin::default(),
            &self.definitions,
            &Diagnostics::default(),
            parts,
            DEFAULT_MAX_BODY,
        )?;
        Ok(Diagnostics::default())
    }
}
