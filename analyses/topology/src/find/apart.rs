//! Finds the topologies of parts of a program, which may use several patterns, side by side or in sequence (Xu et
//! al., section 6.2).

use std::collections::BTreeSet;

use foldtrace_matching::Measure;
use foldtrace_program::outline::outline;
use foldtrace_program::{Matrix, Merging, Program, add_costs, costs};
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    DefinitionKind, Diagnostic, Diagnostics, LocationId, Members, Remedy, Severity, TraceError,
};

use super::exchange::Sent;
use super::identifier::Identifier;
use super::{By, Part, Scope};
use crate::Pairs;

/// A program to be divided into parts.
pub(super) struct Apart<'a> {
    pub store: &'a StoreReader,
    pub sent: &'a Sent,
    pub program: &'a Part,
    pub merging: &'a Merging,
    pub progress: &'a Progress,
}

impl Apart<'_> {
    /// Returns the parts for `by`. Without `by`, and if the topology of the whole program is unknown, returns the
    /// parts of all kinds whose topology is known.
    pub fn find(
        &self,
        by: Option<By>,
        identifier: &mut Identifier<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<Part>, TraceError> {
        if let Some(by) = by {
            return self.by(by, identifier);
        }
        let mut found = Vec::new();
        if self.program.answer().is_empty() && !self.program.pairs.pairs.is_empty() {
            for by in [By::Tag, By::Communicator, By::Construct] {
                let parts = match self.by(by, identifier) {
                    Err(error) if error.remedy == Some(Remedy::MaxTerms) => {
                        let note =
                            Diagnostic::new(Severity::Note, "topology.constructs", error.message);
                        diagnostics.report(note);
                        continue;
                    }
                    parts => parts?,
                };
                let known = parts.into_iter();
                found.extend(known.filter(|part| !part.answer().is_empty()));
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
            let pairs = Pairs::from_exchange(&exchange.on(|lane| lane.tag == tag), &ranks);
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
            let pairs = Pairs::from_exchange(&exchange.on(|lane| lane.communicator == id), &ranks);
            let names = self.store.names();
            let name = id.and_then(|id| names.name(DefinitionKind::Comm, id));
            let name = name.filter(|name| !name.is_empty()).map(str::to_owned);
            identifier.part(Scope::Communicator { id, name }, ranks, pairs)
        });
        parts.collect()
    }

    /// Returns the ranks of the members of a communicator, in order.
    fn members(&self, id: Option<u64>) -> Vec<u64> {
        let ranks = self.sent.communicators.ranks();
        match id.and_then(|id| ranks.members(id)) {
            Some(Members::Group(members)) => members.clone(),
            Some(Members::Between(one, other)) => [&**one, other].concat(),
            Some(Members::Alone) | None => self.program.ranks.clone(),
        }
    }

    /// Returns the loops in which messages are sent. A loop with the same edges as an enclosing loop is left out.
    fn constructs(&self, identifier: &mut Identifier<'_>) -> Result<Vec<Part>, TraceError> {
        let locations: Vec<LocationId> = self.store.locations().collect();
        let program = Program::from_store(self.store, &locations, self.merging, self.progress)?;
        let entries = outline(&program.model.system);
        let has_bytes = self.program.pairs.measure() == Measure::Bytes;
        let costs = has_bytes.then(|| costs(self.store, &program, self.progress));
        let costs = costs.transpose()?.unwrap_or_default();
        let mut parts: Vec<Part> = Vec::new();
        // The part of each entry, or of the loop around it.
        let mut part_of: Vec<Option<usize>> = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let around = entry.parent.and_then(|parent| part_of[parent]);
            part_of.push(around);
            if entry.construct.as_loop().is_none() {
                continue;
            }
            let (construct, times) = (entry.construct, entry.instances);
            let mut matrix = Matrix::of_construct(construct, times, &program.wires);
            if has_bytes {
                let inside = entries[index..].iter().zip(&costs[index..]);
                let inside = inside.take_while(|(inner, _)| inner.is_in(entry));
                add_costs(&mut matrix, &program, inside);
            }
            let part = self.construct(&entry.number, &matrix, identifier);
            let graph = part.kept.graph();
            let is_known = around.is_some_and(|around| parts[around].kept.graph() == graph);
            if graph.edges() > 0 && !is_known {
                part_of[index] = Some(parts.len());
                parts.push(part);
            }
        }
        Ok(parts)
    }

    fn construct(&self, number: &str, sent: &Matrix, identifier: &mut Identifier<'_>) -> Part {
        let sends = sent.pairs.iter();
        let sends = sends.map(|(&(from, to), &traffic)| (from, to, traffic));
        let ranks = self.program.ranks.clone();
        let pairs = Pairs::new(&ranks, sends);
        identifier.part(Scope::Construct(number.to_owned()), ranks, pairs)
    }
}
