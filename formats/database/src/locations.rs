//! Definitions of threads, accelerators and their streams.

use foldtrace_trace::{DefinitionKind, LocationId, Minter, UNDEFINED, ValueType};

/// The type of a location, as in OTF2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocationType {
    /// A thread of a process.
    Thread = 1,
    /// A stream of an accelerator.
    Stream = 2,
    /// A source of metrics.
    Metric = 3,
}

/// Numbers processes, accelerators and locations in the order in which they are defined.
#[derive(Debug, Default)]
pub struct Locations {
    groups: u64,
    locations: u64,
}

impl Locations {
    /// Defines a process on a node of the machine and returns its id. If `machine` is `None`, the node is unknown.
    pub fn process(&mut self, minter: &mut Minter, name: &str, machine: Option<u64>) -> u64 {
        const PROCESS: u64 = 1;
        self.group(
            minter,
            name,
            [PROCESS, machine.unwrap_or(UNDEFINED), UNDEFINED],
        )
    }

    /// Defines the accelerator that a process uses, and returns the id of the group of its streams.
    pub fn accelerator(&mut self, minter: &mut Minter, name: &str, process: u64) -> u64 {
        const ACCELERATOR: u64 = 2;
        self.group(minter, name, [ACCELERATOR, UNDEFINED, process])
    }

    fn group(&mut self, minter: &mut Minter, name: &str, rest: [u64; 3]) -> u64 {
        let (id, name) = (self.groups, minter.string(name));
        self.groups += 1;
        let [kind, machine, creator] = rest;
        let fields = [id, name, kind, machine, creator];
        minter.define(DefinitionKind::LocationGroup, &fields, &[], "");
        id
    }

    /// Defines a location of a process or an accelerator.
    pub fn location(
        &mut self,
        minter: &mut Minter,
        name: &str,
        location_type: LocationType,
        group: u64,
    ) -> LocationId {
        let (id, name) = (self.locations, minter.string(name));
        self.locations += 1;
        let fields = [id, name, location_type as u64, UNDEFINED, group];
        minter.define(DefinitionKind::Location, &fields, &[], "");
        LocationId(id)
    }
}

/// Adds a number as a property of a process.
pub fn process_number(minter: &mut Minter, process: u64, name: &str, number: u64) {
    let fields = [
        process,
        minter.string(name),
        ValueType::Uint64 as u64,
        number,
    ];
    minter.define(DefinitionKind::LocationGroupProperty, &fields, &[], "");
}
