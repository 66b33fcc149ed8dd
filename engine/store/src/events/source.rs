//! The parts of an open store from which its events are read.

use std::collections::HashMap;
use std::sync::OnceLock;

use foldtrace_columns::TableColumns;
use foldtrace_trace::{SymbolTable, TraceError};
use parquet::data_type::Int32Type;

use super::open_parts::OpenParts;
use super::part_tables::{Column, PageIndex, PartTable, PartTables};
use crate::archive::ArchiveReader;
use crate::folder::{Form, StoreFolder};
use crate::index::Index;
use crate::schema::TOPOLOGY;
use crate::symbols;
use crate::tables::PageCache;

/// A store with its symbols and its index, from which events are read.
#[derive(Debug)]
pub(crate) struct EventSource {
    folder: StoreFolder,
    symbols: SymbolTable,
    /// The canonical rows of symbols, if there are symbols that are unknown.
    canonical: HashMap<u32, u32>,
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
        let index = Index::read(&folder)?;
        Self::with_all_symbols(folder, index)
    }

    /// Reads all symbols of a store, of which `index` may have some locations only.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn with_all_symbols(folder: StoreFolder, index: Index) -> Result<Self, TraceError> {
        let symbols = symbols::read(&folder)?;
        Ok(Self::new(folder, symbols, index))
    }

    /// Reads the symbols of a store that occur in the segments of an index, which may have some locations only.
    ///
    /// # Errors
    /// Returns an error if a table is missing or damaged.
    pub fn with_their_symbols(folder: StoreFolder, index: Index) -> Result<Self, TraceError> {
        let mut source = Self::new(folder, SymbolTable::default(), index);
        let mut topology = source.part_tables(TOPOLOGY);
        let mut rows = Vec::new();
        for segment in source.index.segments() {
            let table = topology.part(segment.part)?;
            table.check_rows(segment)?;
            let row = u64::from(segment.row);
            let group = table.row_group(segment.row_group, PageIndex::from_row(row))?;
            Column::<Int32Type>::new(&group, "symbol", row).read(segment.events, &mut rows)?;
        }
        let rows = rows.into_iter().map(|row| u64::from(row.cast_unsigned()));
        let rows = rows.collect();
        (source.symbols, source.canonical) = symbols::read_rows(&source.folder, &rows)?;
        Ok(source)
    }

    fn new(folder: StoreFolder, symbols: SymbolTable, index: Index) -> Self {
        Self {
            folder,
            symbols,
            canonical: HashMap::new(),
            index,
            archive: OnceLock::new(),
            open_parts: OpenParts::default(),
            pages: PageCache::default(),
        }
    }

    pub fn folder(&self) -> &StoreFolder {
        &self.folder
    }

    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Returns the canonical rows of symbols, if there are symbols that are unknown.
    pub fn canonical(&self) -> &HashMap<u32, u32> {
        &self.canonical
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
