//! The parts of an open store from which its events are read.

use std::sync::OnceLock;

use foldtrace_columns::TableColumns;
use foldtrace_trace::{SymbolTable, TraceError};

use super::open_parts::OpenParts;
use super::part_tables::{PartTable, PartTables};
use crate::archive::ArchiveReader;
use crate::folder::{Form, StoreFolder};
use crate::index::Index;
use crate::symbols;
use crate::tables::PageCache;

/// A store with its symbols and its index, from which events are read.
#[derive(Debug)]
pub(crate) struct EventSource {
    folder: StoreFolder,
    symbols: SymbolTable,
    index: Index,
    archive: OnceLock<ArchiveReader>,
    open_parts: OpenParts<PartTable>,
    pages: PageCache,
}

impl EventSource {
    /// Reads the symbols and the index of a store.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn open(folder: StoreFolder) -> Result<Self, TraceError> {
        Ok(Self {
            symbols: symbols::read(&folder)?,
            index: Index::read(&folder)?,
            folder,
            archive: OnceLock::new(),
            open_parts: OpenParts::default(),
            pages: PageCache::default(),
        })
    }

    pub fn folder(&self) -> &StoreFolder {
        &self.folder
    }

    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Returns the tables of one kind in all parts.
    pub fn part_tables(&self, columns: TableColumns) -> PartTables {
        PartTables::new(
            &self.folder,
            columns,
            self.open_parts.clone(),
            self.pages.clone(),
        )
    }

    /// Returns the encoding of the quantities.
    pub fn form(&self) -> Form {
        self.folder.manifest().form
    }

    /// Returns the reader of the quantities of an archive.
    pub fn archive(&self) -> &ArchiveReader {
        let create = || ArchiveReader::new(&self.folder, &self.symbols);
        self.archive.get_or_init(create)
    }
}
