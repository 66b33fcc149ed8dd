//! Where the events of each process stand: figure 8 of RR-8562.
//!
//! The loops of a merged model have the same iterations whatever the indices of those around them, so
//! the position of a construct in a process is affine in these indices.

use super::Process;
use super::system::{Kind, System};

/// The place of one process in a construct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Position, from the start of the present iteration of the nearest loop around the construct.
    pub position: u64,
    /// Events of one instance of the construct.
    pub length: u64,
    /// Events of one iteration of a loop; 1 of an event.
    pub iteration: u64,
}

/// The places of a construct; runs along the tree of constructs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// One for each of the construct's processes, in the same order.
    pub places: Vec<Place>,
    /// Those of the constructs in its body.
    pub body: Vec<Placed>,
}

impl System {
    /// The places of all constructs.
    #[must_use]
    pub fn places(&self) -> Vec<Placed> {
        self.measure(&mut Vec::new())
    }

    /// The same; `lengths` has the events of each process when this returns.
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
