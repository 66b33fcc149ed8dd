//! Reads a store in all ways, for the targets with stores.

use std::path::Path;

use foldtrace::fold::dag::Roles;
use foldtrace::store::{FoldFormat, StoreReader, verify};
use foldtrace_trace::Input;

use crate::trace::read_both;

/// Reads everything in a store.
pub fn read(store: &Path) {
    read_both(&FoldFormat, || Input::Path(store.to_owned()));
    let _ = verify(store);
    expand(store);
}

/// Expands the models and the DAG, each up to a fixed number of events.
fn expand(store: &Path) {
    const EVENTS: usize = 1 << 12;
    let Ok(reader) = StoreReader::open(store) else {
        return;
    };
    if let Ok(Some(dag)) = reader.dag() {
        let roles = Roles::of(reader.symbols());
        for &root in &dag.roots {
            dag.events(root, &roles).take(EVENTS).for_each(drop);
        }
    }
    for stored in reader.models().into_iter().flatten().flatten() {
        let events = stored.model.expand(reader.symbols());
        assert!(events.take(EVENTS).count() as u64 <= stored.model.events);
    }
}
