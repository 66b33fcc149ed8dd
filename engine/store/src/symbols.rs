//! The table of symbols, with one row per distinct topological identity.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, StringDictionaryBuilder, UInt32Array};
use arrow::datatypes::Int32Type;
use foldtrace_trace::{
    EventKind, Names, Operand, Symbol, SymbolId, SymbolTable, TraceError, UNDEFINED,
};

use crate::error::wrong;
use crate::folder::StoreFolder;
use crate::paths::SYMBOLS;
use crate::schema;
use crate::tables::{TableWriter, column, defined, nullable, numbers, read_table, texts};
use crate::unsigned::Unsigned;

/// The number of rows written at once.
const CHUNK: usize = 1 << 16;

/// Writes the table. The canonical symbol is the first one that is equal except for repeated definitions.
pub(crate) fn write(
    store: &Path,
    symbols: &SymbolTable,
    names: &Names,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let path = store.join(SYMBOLS);
    let mut table = TableWriter::create(&path, schema::symbols())?;
    let mut first = FirstIds::default();
    for from in (0..symbols.len()).step_by(CHUNK) {
        let ids = from as u32..symbols.len().min(from + CHUNK) as u32;
        let chunk: Vec<_> = ids.clone().map(|id| symbols.symbol(SymbolId(id))).collect();
        let canonical = ids.clone().zip(&chunk);
        let canonical: Vec<_> = canonical
            .map(|(id, &symbol)| first.id(names.canonical(symbol), id))
            .collect();
        let mut kinds = StringDictionaryBuilder::<Int32Type>::new();
        chunk.iter().for_each(|s| kinds.append_value(s.kind.name()));
        let titles: Vec<_> = chunk.iter().map(|symbol| names.title(symbol)).collect();
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(ids.map(Some).collect::<UInt32Array>()),
            Arc::new(UInt32Array::from(canonical)),
            Arc::new(kinds.finish()),
            Arc::new(StringArray::from(titles)),
        ];
        columns.extend(Operand::ALL.iter().map(|&operand| {
            let values = chunk.iter().map(|symbol| symbol.get(operand));
            nullable(values.map(|value| value.unwrap_or(UNDEFINED)))
        }));
        let mpi_names = chunk.iter().map(|symbol| names.mpi_name(symbol));
        columns.push(Arc::new(mpi_names.collect::<StringArray>()));
        table.write(columns)?;
    }
    table.finish(unsigned)
}

/// The first id of each canonical symbol.
#[derive(Default)]
struct FirstIds {
    canonical: SymbolTable,
    ids: Vec<u32>,
}

impl FirstIds {
    fn id(&mut self, canonical: Symbol, id: u32) -> u32 {
        let index = self.canonical.intern(canonical).index();
        if index == self.ids.len() {
            self.ids.push(id);
        }
        self.ids[index]
    }
}

/// Reads the table.
pub(crate) fn read(folder: &StoreFolder) -> Result<SymbolTable, TraceError> {
    const OPERANDS: usize = 4;
    let path = folder.path_of(SYMBOLS);
    let mut symbols = SymbolTable::default();
    for batch in read_table(folder, SYMBOLS, &schema::symbol_operands())? {
        let kinds = texts(&batch, 2, &path)?;
        let operands = (0..Operand::COUNT)
            .map(|i| numbers(&batch, OPERANDS + i, &path))
            .collect::<Result<Vec<_>, _>>()?;
        let ids = column::<UInt32Array>(&batch, 0, &path)?;
        for (row, kind) in kinds.iter().enumerate() {
            let kind = kind
                .as_deref()
                .and_then(EventKind::from_name)
                .ok_or_else(|| wrong(&path, &format!("symbol {row} has an unknown kind")))?;
            let values: Vec<u64> = kind
                .operands()
                .iter()
                .map(|&o| defined(&operands[o as usize], row))
                .collect();
            let expected = symbols.len();
            let id = symbols.intern(Symbol::new(kind, &values));
            if id.index() != expected {
                return Err(wrong(
                    &path,
                    &format!("symbol {expected} repeats symbol {id}"),
                ));
            }
            if ids.value(row) as usize != expected {
                return Err(wrong(&path, &format!("symbol {expected} is missing")));
            }
        }
    }
    let expected = folder.manifest().counts.symbols;
    if symbols.len() as u64 != expected {
        let message = format!(
            "the table has {} symbols, but the manifest states {expected}",
            symbols.len()
        );
        return Err(wrong(&path, &message));
    }
    Ok(symbols)
}
