//! Bytes of messages: the model knows how many messages there are, the store how long they are.

use std::collections::BTreeMap;

use foldtrace_trace::{Diagnostics, EventBatch, EventStream, Position, Quantity, Step, TraceError};
use rayon::prelude::*;

use super::Program;
use super::found::{Found, Instances};
use crate::analysis::{Matrix, Wire};
use crate::fold::merge::Process;
use crate::store::StoreReader;

/// Who sends how many bytes to whom.
type Bytes = BTreeMap<(Option<u64>, Option<u64>), u64>;

/// Adds to a matrix the bytes of the messages that are sent in a construct, or in the whole program.
///
/// # Errors
/// If a table is missing or damaged.
pub fn add_bytes(
    matrix: &mut Matrix,
    store: &StoreReader,
    program: &Program,
    construct: Option<&Found<'_>>,
) -> Result<(), TraceError> {
    let placed = program.model.system.places();
    let processes: Vec<Process> = program.model.processes().collect();
    let all = processes.into_par_iter().map(|process| {
        let instances = match construct {
            Some(found) => match program.instances(found, &placed, process) {
                Some(instances) => instances,
                None => return Ok(Bytes::new()),
            },
            None => Instances {
                start: 0,
                strides: Vec::new(),
                length: u64::MAX,
            },
        };
        of_process(store, program, process, &instances)
    });
    for bytes in all.collect::<Result<Vec<_>, TraceError>>()? {
        for (pair, bytes) in bytes {
            let traffic = matrix.pairs.entry(pair).or_default();
            *traffic.bytes.get_or_insert(0) += bytes;
        }
    }
    for traffic in matrix.pairs.values_mut() {
        traffic.bytes.get_or_insert(0);
    }
    Ok(())
}

fn of_process(
    store: &StoreReader,
    program: &Program,
    process: Process,
    instances: &Instances,
) -> Result<Bytes, TraceError> {
    let symbols = store.symbols();
    let mut bytes = Bytes::new();
    let mut starts = instances.starts();
    let (mut ordinal, mut start) = (0, starts.next());
    let mut stream = store.events(program.location(process), Position(0));
    let (mut batch, mut diagnostics) = (EventBatch::default(), Diagnostics::default());
    while stream.next_batch(&mut batch, &mut diagnostics)? == Step::Batch {
        for event in batch.iter(symbols) {
            if !program.selection.contains(symbols.kind(event.symbol)) {
                continue;
            }
            while start.is_some_and(|start| ordinal - start.min(ordinal) >= instances.length) {
                start = starts.next();
            }
            let Some(start) = start else {
                return Ok(bytes);
            };
            let role = program.wires.wiring.role(process, event.symbol);
            let is_within = start <= ordinal;
            ordinal += 1;
            for end in role.iter().flat_map(|role| &role.ends) {
                if is_within
                    && end.is_source()
                    && let Some(&Wire::Messages {
                        sender, receiver, ..
                    }) = program.wires.wire(end.channel())
                {
                    let sent = event.get(Quantity::Bytes).unwrap_or(0);
                    *bytes.entry((sender, receiver)).or_default() += sent;
                }
            }
        }
    }
    Ok(bytes)
}
