//! Locates the events of each process: figure 8 of RR-8562.
//!
//! The number of iterations of a loop of a merged model does not depend on the indices of the enclosing loops, so the
//! position of a construct in a process is affine in these indices.

use super::Process;
use super::system::{Kind, System};

/// The place of a construct in one process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The position, relative to the start of the current iteration of the innermost enclosing loop.
    pub position: u64,
    /// The number of events per instance of the construct.
    pub length: u64,
    /// The number of events per iteration of a loop; 1 for an event.
    pub iteration: u64,
}

/// The places of a construct. They form the same tree as the constructs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// One place per process of the construct, in the same order.
    pub places: Vec<Place>,
    /// The places of the constructs in its body.
    pub body: Vec<Placed>,
}

impl System {
    /// Returns the places of all constructs.
    #[must_use]
    pub fn places(&self) -> Vec<Placed> {
        self.measure(&mut Vec::new())
    }

    /// Returns the places of all constructs, and adds the number of events of each process to `lengths`.
    fn measure(&self, lengths: &mut Vec<u64>) -> Vec<Placed> {
        let mut inner = Vec::new();
        let placed = self.constructs.iter().map(|construct| {
            let mut body = Vec::new();
            inner.clear();
            let mut count = 1;
            if let Kind::Loop {
                count: times,
                body: system,
            } = &construct.kind
            {
                count = *times;
                body = system.measure(&mut inner);
            }
            let places = construct.processes.iter().map(|&Process(process)| {
                let process = process as usize;
                if lengths.len() <= process {
                    lengths.resize(process + 1, 0);
                }
                let iteration = inner.get(process).copied().unwrap_or(1);
                let length = iteration * count;
                let position = lengths[process];
                lengths[process] += length;
                Place {
                    position,
                    length,
                    iteration,
                }
            });
            Placed {
                places: places.collect(),
                body,
            }
        });
        placed.collect()
    }
}
