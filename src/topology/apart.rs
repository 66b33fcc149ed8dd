//! Topologies of parts of a program: several patterns, one beside the other or one after the other
//! (Xu et al., section 6.2).

use std::collections::BTreeSet;

use foldtrace_trace::{DefinitionKind, LocationId, Members, TraceError};

use super::exchange::Sent;
use super::identifier::Identifier;
use super::{By, Part, Scope};
use crate::analysis::{Matrix, Measure, Pairs};
use crate::fold::Selection;
use crate::program::outline::outline;
use crate::program::{Program, add_costs, costs};
use crate::read::Progress;
use crate::store::StoreReader;

/// A program that is taken apart.
pub(super) struct Apart<'a> {
    pub store: &'a StoreReader,
    pub sent: &'a Sent,
    pub program: &'a Part,
    pub progress: &'a Progress,
}

impl Apart<'_> {
    /// The parts that are wanted. If no sort of them is, and the whole program is nothing known, those of
    /// all sorts that are something.
    pub fn find(
        &self,
        by: Option<By>,
        identifier: &mut Identifier<'_>,
    ) -> Result<Vec<Part>, TraceError> {
        if let Some(by) = by {
            return self.by(by, identifier);
        }
        let mut found = Vec::new();
        if self.program.answer().is_empty() && !self.program.pairs.pairs.is_empty() {
            for by in [By::Tag, By::Communicator, By::Construct] {
                let parts = self.by(by, identifier)?.into_iter();
                found.extend(parts.filter(|part| !part.answer().is_empty()));
            }
        }
        Ok(found)
    }

    fn by(&self, by: By, identifier: &mut Identifier<'_>) -> Result<Vec<Part>, TraceError> {
        match by {
            By::Tag => Ok(self.tags(identifier)),
            By::Communicator => Ok(self.communicators(identifier)),
            By::Construct => self.constructs(identifier),
        }
    }

    fn tags(&self, identifier: &mut Identifier<'_>) -> Vec<Part> {
        let exchange = &self.sent.exchange;
        let tags: BTreeSet<Option<u64>> = exchange.lanes.keys().map(|lane| lane.tag).collect();
        let parts = tags.into_iter().map(|tag| {
            let ranks = self.program.ranks.clone();
            let pairs = Pairs::of(&exchange.on(|lane| lane.tag == tag), &ranks);
            identifier.part(Scope::Tag(tag), ranks, pairs)
        });
        parts.collect()
    }

    fn communicators(&self, identifier: &mut Identifier<'_>) -> Vec<Part> {
        let exchange = &self.sent.exchange;
        let ids = exchange.lanes.keys().map(|lane| lane.communicator);
        let ids: BTreeSet<Option<u64>> = ids.collect();
        let parts = ids.into_iter().map(|id| {
            let ranks = self.members(id);
            let pairs = Pairs::of(&exchange.on(|lane| lane.communicator == id), &ranks);
            let names = self.store.names();
            let name = id.and_then(|id| names.name(DefinitionKind::Comm, id));
            let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
            identifier.part(Scope::Communicator { id, name }, ranks, pairs)
        });
        parts.collect()
    }

    /// The ranks of the members of a communicator, in their order.
    fn members(&self, id: Option<u64>) -> Vec<u64> {
        let ranks = self.sent.communicators.ranks();
        match id.and_then(|id| ranks.members(id)) {
            Some(Members::Group(members)) => members.clone(),
            Some(Members::Between(one, other)) => [&**one, other].concat(),
            Some(Members::Alone) | None => self.program.ranks.clone(),
        }
    }

    /// Loops in which messages are sent; of loops around each other with the same edges, the outermost.
    fn constructs(&self, identifier: &mut Identifier<'_>) -> Result<Vec<Part>, TraceError> {
        let locations: Vec<LocationId> = self.store.locations().collect();
        let selection = Selection::Communication;
        let program = Program::of(self.store, &locations, selection, None, self.progress)?;
        let entries = outline(&program.model.system);
        let has_bytes = self.program.pairs.measure() == Measure::Bytes;
        let costs = has_bytes.then(|| costs(self.store, &program, self.progress));
        let costs = costs.transpose()?;
        let mut parts: Vec<Option<Part>> = Vec::new();
        for entry in &entries {
            let part = entry.construct.as_loop().map(|_| {
                let (construct, times) = (entry.construct, entry.instances);
                let mut matrix = Matrix::of_construct(construct, times, &program.wires);
                if let Some(costs) = &costs {
                    add_costs(&mut matrix, &program, &entries, costs, Some(entry));
                }
                let sends = matrix.pairs.iter();
                let sends = sends.map(|(&(from, to), &traffic)| (from, to, traffic));
                let ranks = self.program.ranks.clone();
                let pairs = Pairs::new(&ranks, sends);
                identifier.part(Scope::Construct(entry.number.clone()), ranks, pairs)
            });
            let around = entry.parent.and_then(|parent| parts[parent].as_ref());
            let is_known = |part: &Part| {
                around.is_some_and(|around| part.kept.pairs.keys().eq(around.kept.pairs.keys()))
            };
            let is_new = |part: &Part| !part.kept.pairs.is_empty() && !is_known(part);
            // What is in a loop that says nothing new is compared with what is around that.
            let part = match part {
                Some(part) if is_new(&part) => Some(part),
                _ => None,
            };
            parts.push(part);
        }
        Ok(parts.into_iter().flatten().collect())
    }
}
