//! Bytes of messages: the model knows how many messages there are, the store how long they are.

use foldtrace_trace::TraceError;

use super::outline::{Entry, outline};
use super::{Program, costs};
use crate::analysis::Matrix;
use crate::fold::merge::Kind;
use crate::read::Progress;
use crate::store::StoreReader;

/// Adds to a matrix the bytes of the messages that are sent in a construct, or in the whole program.
///
/// # Errors
/// If a table is missing or damaged, or the work was stopped.
pub fn add_bytes(
    matrix: &mut Matrix,
    store: &StoreReader,
    program: &Program,
    construct: Option<&Entry<'_>>,
    progress: &Progress,
) -> Result<(), TraceError> {
    let entries = outline(&program.model.system);
    let costs = costs(store, program, progress)?;
    for traffic in matrix.pairs.values_mut() {
        traffic.bytes = Some(0);
    }
    for (entry, cost) in entries.iter().zip(&costs) {
        let Kind::Event(member) = &entry.construct.kind else {
            continue;
        };
        if construct.is_none_or(|construct| entry.is_in(construct))
            && let Some(pair) = program.wires.sends(*member)
        {
            let traffic = matrix.pairs.entry(pair).or_default();
            *traffic.bytes.get_or_insert(0) += cost.sent;
        }
    }
    Ok(())
}
