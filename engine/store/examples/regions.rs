//! Counts the calls of each region in a store: `cargo run -p foldtrace-store --example regions -- RUN.fold`.
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use foldtrace_store::StoreReader;
use foldtrace_store::trace::{EventKind, Position};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = PathBuf::from(
        std::env::args_os()
            .nth(1)
            .ok_or("the path of a store is missing")?,
    );
    let store = StoreReader::open(&path)?;
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    for location in store.locations() {
        let (mut events, mut symbols) = (store.events(location, Position(0)), Vec::new());
        loop {
            events.next_symbols(&mut symbols)?;
            if symbols.is_empty() {
                break;
            }
            for symbol in symbols.iter().map(|&id| store.symbols().symbol(id)) {
                if symbol.kind == EventKind::Enter {
                    *calls
                        .entry(store.names().called(&symbol).unwrap_or("?"))
                        .or_default() += 1;
                }
            }
        }
    }
    println!("{calls:#?}");
    Ok(())
}
