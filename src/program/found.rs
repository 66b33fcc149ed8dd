//! Finding a construct by its number, and its instances in a process.

use foldtrace_trace::{ErrorKind, TraceError};

use super::Program;
use crate::fold::merge::{Construct, Placed, Process};

/// A construct that was asked for.
#[derive(Clone, Debug)]
pub struct Found<'a> {
    /// The construct.
    pub construct: &'a Construct,
    /// How often it happens: the iterations of all loops around it.
    pub times: u64,
    /// Indices of the constructs around it and its own, from 0.
    pub path: Vec<usize>,
    /// The iterations of the loops around it, the outermost first.
    pub counts: Vec<u64>,
}

/// Instances of a construct in a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instances {
    /// Position of the first one, among the events that the model is of.
    pub start: u64,
    /// For each loop around, the outermost first: its iterations, and how far these are apart.
    pub strides: Vec<(u64, u64)>,
    /// Events of each instance.
    pub length: u64,
}

impl Instances {
    /// Where the instances begin, in order.
    pub fn starts(&self) -> impl Iterator<Item = u64> {
        let mut indices = vec![0; self.strides.len()];
        let mut is_over = self.strides.iter().any(|&(count, _)| count == 0);
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let offsets = indices.iter().zip(&self.strides);
            let offset: u64 = offsets.map(|(index, (_, stride))| index * stride).sum();
            is_over = true;
            for (index, (count, _)) in indices.iter_mut().zip(&self.strides).rev() {
                *index += 1;
                if *index < *count {
                    is_over = false;
                    break;
                }
                *index = 0;
            }
            Some(self.start + offset)
        })
    }
}

impl Program {
    /// The construct with a number, such as `3.1`.
    ///
    /// # Errors
    /// If there is none.
    pub fn construct(&self, number: &str) -> Result<Found<'_>, TraceError> {
        let mut system = &self.model.system;
        let mut found: Option<Found<'_>> = None;
        for part in number.split('.') {
            let inner = found.as_ref().map(|found| found.construct.as_loop());
            let (mut counts, mut path) = (Vec::new(), Vec::new());
            if let (Some(inner), Some(outer)) = (inner, &mut found) {
                (counts, path) = (
                    std::mem::take(&mut outer.counts),
                    std::mem::take(&mut outer.path),
                );
                let Some((count, body)) = inner else {
                    return Err(unknown(
                        number,
                        "the construct before the last dot is no loop",
                    ));
                };
                counts.push(count);
                system = body;
            }
            let index = part.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let construct = index.and_then(|index| system.constructs.get(index));
            let (Some(index), Some(construct)) = (index, construct) else {
                let last = system.constructs.len();
                return Err(unknown(
                    number,
                    &format!("'{part}' is not among 1 to {last}"),
                ));
            };
            path.push(index);
            found = Some(Found {
                construct,
                times: counts.iter().product(),
                path,
                counts,
            });
        }
        found.ok_or_else(|| unknown(number, "it is empty"))
    }

    /// Where a process has the instances of a construct; `None` if it takes no part in it. `placed` are the
    /// places of the model.
    #[must_use]
    pub fn instances(
        &self,
        found: &Found<'_>,
        placed: &[Placed],
        process: Process,
    ) -> Option<Instances> {
        let (mut system, mut placed) = (&self.model.system, placed);
        let (mut start, mut strides, mut length) = (0, Vec::new(), 0);
        for (depth, &index) in found.path.iter().enumerate() {
            let construct = system.constructs.get(index)?;
            let own = placed.get(index)?;
            let at = construct.processes.binary_search(&process).ok()?;
            let place = own.places.get(at)?;
            start += place.position;
            length = place.length;
            if let (Some((count, body)), true) = (construct.as_loop(), depth + 1 < found.path.len())
            {
                strides.push((count, place.iteration));
                (system, placed) = (body, &own.body);
            }
        }
        Some(Instances {
            start,
            strides,
            length,
        })
    }
}

fn unknown(number: &str, why: &str) -> TraceError {
    TraceError::new(
        ErrorKind::Usage,
        format!("there is no construct '{number}': {why}"),
    )
    .hint("'foldtrace loops --global --positions' shows the numbers of all constructs")
}
