//! The table of symbols, with one row per distinct topological identity.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use arrow::array::{
    AsArray, BooleanArray, RecordBatch, StringArray, StringDictionaryBuilder, UInt32Array,
};
use arrow::datatypes::Int32Type;
use foldtrace_columns::ColumnType::{Boolean, Id, Number, Text, UInt32, Word};
use foldtrace_columns::{Column, arrow_schema};
use foldtrace_trace::{
    EventKind, Names, Operand, Symbol, SymbolId, SymbolTable, TraceError, UNDEFINED,
};

use crate::error::wrong;
use crate::folder::StoreFolder;
use crate::paths::SYMBOLS;
use crate::tables::{
    KeyedTable, Keys, NamedColumn, Portion, TableWriter, column, defined, dictionary, nullable,
    numbers, read_batches,
};
use crate::unsigned::Unsigned;

/// The number of rows written at once.
const CHUNK: usize = 1 << 16;

/// The column by which rows are found.
const KEY: &str = "symbol";

/// The column of canonical symbols.
const CANONICAL: &str = "canonical";

/// The columns of `symbols.parquet` before those of the operands.
const HEAD: [Column; 4] = [
    Column::required(KEY, UInt32, "number of the row, from 0"),
    Column::required(
        CANONICAL,
        UInt32,
        "the first symbol that is equal except for repeated definitions",
    ),
    Column::required("kind", Word, "kind of the event"),
    Column::optional(
        "name",
        Text,
        "name of the region, collective operation, metric, parameter or string, if it has one",
    ),
];

/// A column that stores of version 1 do not have.
const MPI_NAME: Column = Column::optional(
    "mpi_name",
    Text,
    "the MPI routine that is entered or left, in the spelling of the standard: `MPI_Recv` for \
     `mpi_recv_`, `PMPI_Recv` and `MPI_Recv`; not in version 1",
);

/// The last column, of stores in which the topology has tags.
const TAGGED: Column = Column::required(
    "tagged",
    Boolean,
    "whether its events differ in their tags, which are in topology; only in stores with such symbols",
);

/// Returns the columns that every version has, with one per [`Operand`].
fn columns_of_all_versions() -> Vec<Column> {
    let operands = Operand::ALL.iter().map(|operand| {
        let column_type = if operand.is_number() { Number } else { Id };
        let doc = "the operand; null if the kind does not have it, or the source left it undefined";
        Column::optional(operand.name(), column_type, doc)
    });
    HEAD.into_iter().chain(operands).collect()
}

/// Writes the table. The canonical symbol is the first one that is equal except for repeated definitions.
pub(crate) fn write(
    store: &Path,
    symbols: &SymbolTable,
    names: &Names,
    unsigned: &mut Unsigned,
) -> Result<(), TraceError> {
    let path = store.join(SYMBOLS);
    let mut declared = columns_of_all_versions();
    declared.push(MPI_NAME);
    let has_tags = symbols.has_tagged_rows();
    declared.extend(has_tags.then_some(TAGGED));
    let schema = arrow_schema(&declared);
    let mut table = TableWriter::create_keyed(&path, schema, &[KEY, CANONICAL], symbols.len())?;
    let mut first = FirstIds::new();
    for from in (0..symbols.len()).step_by(CHUNK) {
        let ids = from as u32..symbols.len().min(from + CHUNK) as u32;
        let rows = ids.clone().map(SymbolId::new);
        let is_tagged: Vec<bool> = rows.clone().map(|row| symbols.is_tagged(row)).collect();
        let chunk: Vec<_> = rows.map(|row| symbols.symbol(row)).collect();
        let canonical = ids.clone().zip(&chunk).zip(&is_tagged);
        let canonical: Vec<_> = canonical
            .map(|((id, &symbol), &is_tagged)| first.id(names.canonical(symbol), is_tagged, id))
            .collect();
        let mut kinds = StringDictionaryBuilder::<Int32Type>::new();
        chunk.iter().for_each(|s| kinds.append_value(s.kind.name()));
        let titles: Vec<_> = chunk.iter().map(|symbol| names.title(symbol)).collect();
        let ids = ids.map(Some).collect::<UInt32Array>();
        let mut columns: Vec<NamedColumn> = vec![
            (KEY, Arc::new(ids)),
            (CANONICAL, Arc::new(UInt32Array::from(canonical))),
            ("kind", Arc::new(kinds.finish())),
            ("name", Arc::new(StringArray::from(titles))),
        ];
        columns.extend(Operand::ALL.iter().map(|&operand| {
            let is_here = |is_tagged: bool| !(is_tagged && operand == Operand::Tag);
            let values = chunk.iter().zip(&is_tagged);
            let values = values
                .map(|(symbol, &is_tagged)| symbol.get(operand).filter(|_| is_here(is_tagged)));
            let values = nullable(values.map(|value| value.unwrap_or(UNDEFINED)));
            (operand.name(), values)
        }));
        let mpi_names = chunk.iter().map(|symbol| names.mpi_name(symbol));
        let mpi_names = mpi_names.collect::<StringArray>();
        columns.push(("mpi_name", Arc::new(mpi_names)));
        if has_tags {
            columns.push((TAGGED.name, Arc::new(BooleanArray::from(is_tagged))));
        }
        table.write(columns)?;
    }
    table.finish(unsigned)
}

/// Returns the id of a row of the table of symbols that another table at `path` refers to.
pub(crate) fn row_at(
    row: SymbolId,
    symbols: &SymbolTable,
    path: &Path,
) -> Result<SymbolId, TraceError> {
    if symbols.contains(row) {
        Ok(row)
    } else {
        let message = format!("symbol {row} is not in the table of symbols");
        Err(wrong(path, &message))
    }
}

/// Returns the symbol in `row` of the table of symbols with its tag in another table at `path`. Tagged symbols have one;
/// for the others, `tag` is undefined.
pub(crate) fn with_tag(
    row: SymbolId,
    tag: u64,
    symbols: &SymbolTable,
    path: &Path,
) -> Result<SymbolId, TraceError> {
    let wrong = |message: &str| Err(wrong(path, message));
    let row = row_at(row, symbols, path)?;
    match (symbols.is_tagged(row), tag) {
        (false, UNDEFINED) => Ok(row),
        (false, _) => wrong(&format!("symbol {row} is not tagged, but has tag {tag}")),
        (true, UNDEFINED) => wrong(&format!("symbol {row} is tagged, but has no tag")),
        (true, _) => match u32::try_from(tag) {
            Ok(tag) => Ok(row.with_tag(tag)),
            Err(_) => wrong(&format!("tag {tag} has more than 32 bits")),
        },
    }
}

/// The first id of each canonical symbol.
struct FirstIds {
    canonical: SymbolTable,
    ids: Vec<u32>,
}

impl FirstIds {
    fn new() -> Self {
        Self {
            canonical: SymbolTable::unbounded(),
            ids: Vec::new(),
        }
    }

    fn id(&mut self, canonical: Symbol, is_tagged: bool, id: u32) -> u32 {
        let index = self.canonical.intern_row(canonical, is_tagged).row();
        if index == self.ids.len() {
            self.ids.push(id);
        }
        self.ids[index]
    }
}

/// The columns that are read: those from which symbols are restored, and `canonical`, which must not be null. The others have names, for
/// readers without the definitions.
static COLUMNS_TO_READ: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let operands = Operand::ALL.iter().map(|operand| operand.name());
    [KEY, CANONICAL, "kind", TAGGED.name]
        .into_iter()
        .chain(operands)
        .collect()
});

/// Returns the kinds of the symbols of a batch, the first of which has a number.
fn kinds(batch: &RecordBatch, first: usize, path: &Path) -> Result<Vec<EventKind>, TraceError> {
    let names = dictionary(batch, "kind", path)?;
    let kinds = names.values().as_string_opt::<i32>();
    let kinds = kinds
        .into_iter()
        .flatten()
        .map(|name| name.and_then(EventKind::from_name));
    let kinds: Vec<_> = kinds.collect();
    let rows = names.keys().iter().zip(first..);
    rows.map(|(key, row)| {
        let kind = key.and_then(|key| *kinds.get(usize::try_from(key).ok()?)?);
        kind.ok_or_else(|| wrong(path, &format!("symbol {row} has an unknown kind")))
    })
    .collect()
}

/// A row of the table.
struct Row {
    id: u32,
    symbol: Symbol,
    is_tagged: bool,
}

/// Returns the rows of a batch of the table at `path`.
fn rows(
    batch: &RecordBatch,
    has_tags: bool,
    path: &Path,
) -> Result<impl Iterator<Item = Result<Row, TraceError>>, TraceError> {
    let ids = column::<UInt32Array>(batch, KEY, path)?;
    let first = if ids.is_empty() { 0 } else { ids.value(0) };
    let kinds = kinds(batch, first as usize, path)?;
    let operands = Operand::ALL
        .iter()
        .map(|operand| numbers(batch, operand.name(), path))
        .collect::<Result<Vec<_>, _>>()?;
    if batch.column_by_name(TAGGED.name).is_some() != has_tags {
        let message = "the manifest and the column 'tagged' disagree about tags";
        return Err(wrong(path, message));
    }
    let tagged = if has_tags {
        Some(column::<BooleanArray>(batch, TAGGED.name, path)?)
    } else {
        None
    };
    let path = path.to_owned();
    Ok(kinds.into_iter().enumerate().map(move |(row, kind)| {
        let id = ids.value(row);
        let mut symbol = Symbol::new(kind, &[]);
        for (slot, &operand) in symbol.operands.iter_mut().zip(kind.operands()) {
            *slot = defined(&operands[operand as usize], row);
        }
        let is_tagged = tagged.is_some_and(|tagged| tagged.value(row));
        if is_tagged {
            let slot = kind.slot(Operand::Tag);
            let slot = slot.filter(|&slot| symbol.operands[slot] == UNDEFINED);
            let Some(slot) = slot else {
                let message = format!("symbol {id} should not be tagged");
                return Err(wrong(&path, &message));
            };
            symbol.operands[slot] = 0;
        }
        Ok(Row {
            id,
            symbol,
            is_tagged,
        })
    }))
}

/// Reads the table.
pub(crate) fn read(folder: &StoreFolder) -> Result<SymbolTable, TraceError> {
    let path = folder.path_of(SYMBOLS);
    let mut symbols = SymbolTable::unbounded();
    let has_tags = folder.manifest().has_tags;
    let file = folder.read(SYMBOLS)?;
    // A table that grows is hashed again and again. A manifest may state any number, so the size of the file is a limit.
    let expected = folder.manifest().counts.symbols.min(8 * file.len() as u64);
    symbols.reserve(usize::try_from(expected).unwrap_or_default());
    let (_, batches) = read_batches(
        &path,
        file,
        &columns_of_all_versions(),
        Portion {
            columns: Some(&COLUMNS_TO_READ),
            ..Portion::ALL
        },
    )?;
    for batch in batches {
        for row in rows(&batch?, has_tags, &path)? {
            let row = row?;
            let expected = symbols.len();
            if row.id as usize != expected {
                return Err(wrong(&path, &format!("symbol {expected} is missing")));
            }
            if symbols.append(row.symbol, row.is_tagged).is_none() {
                return Err(repeats(row.id, &path));
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

/// Reads some rows of the table; the others are unknown. Also returns their canonical rows.
pub(crate) fn read_rows(
    folder: &StoreFolder,
    ids: &Keys,
) -> Result<(SymbolTable, HashMap<u32, u32>), TraceError> {
    let path = folder.path_of(SYMBOLS);
    let has_tags = folder.manifest().has_tags;
    let total = folder.manifest().counts.symbols.min(u32::MAX.into());
    let mut symbols = SymbolTable::of_unknown(total as usize);
    let columns = columns_of_all_versions();
    let table = KeyedTable::open(folder, SYMBOLS, &columns, KEY, ids)?;
    let mut canonical = HashMap::new();
    for batch in table.matches(|column| COLUMNS_TO_READ.contains(&column))? {
        let firsts = column::<UInt32Array>(&batch, CANONICAL, &path)?;
        for (row, &first) in rows(&batch, has_tags, &path)?.zip(firsts.values()) {
            let row = row?;
            canonical.insert(row.id, first);
            if !symbols.set(row.id as usize, row.symbol, row.is_tagged) {
                return Err(repeats(row.id, &path));
            }
        }
    }
    if canonical.len() < ids.iter().count() {
        let message = "the table has fewer symbols than the events use";
        return Err(wrong(&path, message));
    }
    Ok((symbols, canonical))
}

fn repeats(id: u32, path: &Path) -> TraceError {
    wrong(path, &format!("symbol {id} repeats an earlier one"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::check_meanings;

    #[test]
    fn meanings_are_those_of_store_md() {
        check_meanings(SYMBOLS, &HEAD);
        check_meanings(SYMBOLS, &[MPI_NAME, TAGGED]);
    }
}
