//! The table of symbols: one row a distinct topological identity.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray, StringDictionaryBuilder, UInt32Array, UInt64Array};
use arrow::datatypes::Int32Type;
use foldtrace_trace::{EventKind, Names, Operand, Symbol, SymbolTable, TraceError};

use super::error::wrong;
use super::parquet_io::{column, defined, nullable, read_table, texts, write_table};
use super::schema;

pub(super) const FILE: &str = "symbols.parquet";

/// Writes the table. Canonical is the first symbol that is the same but for repeated definitions.
pub(super) fn write(store: &Path, symbols: &SymbolTable, names: &Names) -> Result<(), TraceError> {
    let mut first: HashMap<Symbol, u32> = HashMap::new();
    let mut kinds = StringDictionaryBuilder::<Int32Type>::new();
    let mut canonical = Vec::with_capacity(symbols.len());
    let mut called = Vec::with_capacity(symbols.len());
    for (id, symbol) in symbols.iter() {
        canonical.push(*first.entry(names.canonical(symbol)).or_insert(id.0));
        kinds.append_value(symbol.kind.name());
        called.push(names.called(&symbol).map(str::to_owned));
    }
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new((0..symbols.len() as u32).map(Some).collect::<UInt32Array>()),
        Arc::new(UInt32Array::from(canonical)),
        Arc::new(kinds.finish()),
        Arc::new(StringArray::from(called)),
    ];
    columns.extend(Operand::ALL.iter().map(|&operand| {
        nullable(
            symbols
                .iter()
                .map(|(_, s)| s.get(operand).unwrap_or(foldtrace_trace::UNDEFINED)),
        )
    }));
    write_table(&store.join(FILE), schema::symbols(), columns)
}

/// Reads the table back.
pub(super) fn read(store: &Path) -> Result<SymbolTable, TraceError> {
    const OPERANDS: usize = 4;
    let path = store.join(FILE);
    let mut symbols = SymbolTable::default();
    for batch in read_table(&path, &schema::symbols())? {
        let kinds = texts(&batch, 2, &path)?;
        let operands = (0..Operand::COUNT)
            .map(|i| column::<UInt64Array>(&batch, OPERANDS + i, &path))
            .collect::<Result<Vec<_>, _>>()?;
        for (row, kind) in kinds.iter().enumerate() {
            let kind = kind
                .as_deref()
                .and_then(EventKind::from_name)
                .ok_or_else(|| {
                    wrong(
                        &path,
                        &format!("symbol {row} has no kind that this version knows"),
                    )
                })?;
            let values: Vec<u64> = kind
                .operands()
                .iter()
                .map(|&o| defined(operands[o as usize], row))
                .collect();
            let expected = symbols.len();
            let id = symbols.intern(Symbol::new(kind, &values));
            if id.index() != expected {
                return Err(wrong(&path, &format!("symbol {expected} stands twice")));
            }
        }
    }
    Ok(symbols)
}
