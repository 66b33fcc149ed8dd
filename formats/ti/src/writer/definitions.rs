//! The definitions of a trace that the writer needs: the ranks of locations, and the regions that are MPI calls.

use std::collections::HashMap;
use std::sync::Arc;

use foldtrace_trace::{
    DefinitionKind, Definitions, EventBatch, EventRef, LocationId, Members, Names, Operand,
    Quantity, Ranks, Symbol, UNDEFINED, ValueType,
};

use super::caller::{Purpose, strip_mpi_prefix};
use super::record::Message;
use crate::definitions::{ACTION, FLOPS, SECONDS};

/// The paradigm of MPI in OTF2.
const MPI: u64 = 4;

/// Data derived from the definitions.
#[derive(Default)]
pub(crate) struct ResolvedDefinitions {
    pub names: Names,
    pub ranks: Ranks,
    pub ticks_per_second: f64,
    rank_count: u64,
    /// The rank of each location whose events are written.
    pub rank_by_location: HashMap<LocationId, u64>,
    /// The purpose and the name of each MPI region, by id.
    pub calls: HashMap<u64, (Purpose, Arc<str>)>,
    action: Option<u64>,
    flops: Option<u64>,
    seconds: Option<u64>,
}

impl ResolvedDefinitions {
    /// Resolves all definitions of a trace.
    pub(crate) fn new(definitions: &Definitions) -> Self {
        let names = Names::new(definitions);
        let ranks = Ranks::new(definitions, &names);
        let mut calls = HashMap::new();
        for region in definitions.records(DefinitionKind::Region) {
            let name = names.string(region.get(1));
            if strip_mpi_prefix(name).is_some() || region.field("paradigm") == Some(MPI) {
                calls.insert(region.get(0), (Purpose::of_region(name), Arc::from(name)));
            }
        }
        let mut rank_by_location = HashMap::new();
        let mut rank_count = names.processes().len() as u64;
        for process in names.processes() {
            rank_by_location.extend(
                process
                    .locations
                    .first()
                    .map(|&first| (first, process.rank)),
            );
        }
        if !names.communicating().is_empty() {
            // Communicating locations need not be the first locations of their processes, and not every process has
            // one.
            rank_by_location.clear();
            rank_count = 0;
            for &location in names.communicating() {
                if let Some((rank, _)) = names.rank(location)
                    && rank == rank_count
                {
                    rank_by_location.insert(location, rank);
                    rank_count += 1;
                }
            }
        }
        let attribute = |name: &str, value_type: ValueType| {
            let mut all = definitions.records(DefinitionKind::Attribute);
            let found = all.find(|attribute| {
                names.string(attribute.get(1)) == name && attribute.get(3) == value_type as u64
            });
            found.map(|attribute| attribute.get(0))
        };
        Self {
            action: attribute(ACTION, ValueType::String),
            flops: attribute(FLOPS, ValueType::Double),
            seconds: attribute(SECONDS, ValueType::Double),
            ticks_per_second: definitions.clock().ticks_per_second as f64,
            names,
            ranks,
            rank_count,
            rank_by_location,
            calls,
        }
    }

    /// Returns the number of ranks.
    pub(crate) fn rank_count(&self) -> u64 {
        self.rank_count
    }

    /// Returns whether a communicator contains all ranks, each with the same number as in the whole program.
    pub(crate) fn is_world(&self, communicator: Option<u64>) -> bool {
        match communicator.map(|id| self.ranks.members(id)) {
            Some(Some(Members::Group(members))) => {
                members.len() as u64 == self.rank_count()
                    && (0..).zip(members).all(|(i, &m)| i == m)
            }
            Some(Some(_)) => false,
            // Without definitions, the communicator can only be that of all ranks.
            Some(None) | None => true,
        }
    }

    /// Returns whether the trace was read from a time-independent trace.
    pub(crate) fn has_actions(&self) -> bool {
        self.action.is_some()
    }

    /// Returns the line of an action that was read from a time-independent trace.
    pub(crate) fn action_line(&self, batch: &EventBatch, event: &EventRef) -> Option<String> {
        let attributes = &batch.attributes;
        attributes.rows(event.index).find_map(|row| {
            let (id, value) = (Some(attributes.attribute[row]), attributes.value[row]);
            if id == self.action {
                Some(self.names.string(value).to_owned())
            } else if id == self.flops {
                Some(format!("compute {}", f64::from_bits(value)))
            } else if id == self.seconds {
                Some(format!("sleep {}", f64::from_bits(value)))
            } else {
                None
            }
        })
    }

    /// Returns a message with its peer; `None` if the peer is not a rank.
    pub(crate) fn message(&self, symbol: Symbol, event: &EventRef, own: u64) -> Option<Message> {
        let communicator = symbol.get(Operand::Communicator);
        let peer = symbol.get(Operand::Peer)?;
        let peer = self.ranks.rank(communicator, peer, Some(own));
        (peer < self.rank_count()).then(|| Message {
            peer,
            communicator: communicator.unwrap_or(UNDEFINED),
            tag: symbol.get(Operand::Tag).unwrap_or(UNDEFINED),
            bytes: event.get(Quantity::Bytes).unwrap_or(0),
        })
    }
}
