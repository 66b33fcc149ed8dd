//! The filter of a cut, as the user specifies it, and its translation to the ids of a trace.

use std::collections::{HashMap, HashSet};

use foldtrace_trace::{
    DefinitionKind, Definitions, ErrorKind, EventKind, LocationId, Names, Operand, Symbol,
    TraceError, UNDEFINED, format_set, parse_set,
};

use super::pattern::{self, Pattern};
use super::time::TimeSpan;
use crate::select;

/// The filter of a cut. An event is kept if it passes all parts; the default filter keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Keeps events in this range of time.
    pub time: TimeSpan,
    /// Keeps these locations, in the form that [`Names::parse_label`] parses; all locations if empty.
    pub locations: Vec<String>,
    /// Keeps locations of processes with these ranks; all processes if empty.
    pub processes: Vec<u64>,
    /// Keeps calls of these regions, with all events within them; everything if empty.
    pub regions: Vec<Pattern>,
    /// Keeps events of these kinds.
    pub kinds: Kinds,
}

impl Filter {
    /// Returns whether the filter keeps everything.
    #[must_use]
    pub fn keeps_all(&self) -> bool {
        *self == Self::default()
    }

    /// Checks that the trace defines all names in the filter.
    ///
    /// # Errors
    /// Returns an error if the filter names a location, process or region that `definitions` do not define.
    pub(super) fn check(&self, definitions: &Definitions) -> Result<(), TraceError> {
        let names = Names::new(definitions);
        for text in &self.locations {
            select::location(&names, text)?;
        }
        if let Some(rank) = self.processes.iter().find(|&&r| names.process(r).is_none()) {
            let ranks: Vec<u64> = names.processes().iter().map(|p| p.rank).collect();
            let message = format!("there is no process with rank {rank}");
            let hint = if ranks.is_empty() {
                "the trace defines no processes".to_owned()
            } else {
                format!("this trace has ranks {}", format_set(&ranks))
            };
            return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
        }
        let regions = region_names(definitions, &names);
        for pattern in &self.regions {
            if !regions.iter().any(|(_, name)| pattern.matches(name)) {
                return Err(pattern.unknown(regions.iter().map(|&(_, name)| name)));
            }
        }
        Ok(())
    }
}

/// Parses ranks of processes, such as `0-3,7`.
///
/// # Errors
/// Returns an error if `text` is not a set of ranks.
pub fn parse_ranks(text: &str) -> Result<Vec<u64>, TraceError> {
    parse_set(text).ok_or_else(|| {
        let message = format!("'{text}' is not a set of ranks");
        TraceError::new(ErrorKind::Usage, message).hint("write ranks and ranges, such as 0-3,7")
    })
}

/// A set of kinds of events; the default contains all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds([bool; EventKind::COUNT]);

impl Default for Kinds {
    fn default() -> Self {
        Self([true; EventKind::COUNT])
    }
}

/// The name that stands for all kinds of communication.
const COMMUNICATION: &str = "comm";

impl Kinds {
    /// Returns the kinds with these names, where `comm` stands for sends, completed receives and collective
    /// operations. Without names, all kinds are returned.
    ///
    /// # Errors
    /// Returns an error if a name is not that of a kind.
    pub fn parse(names: &[String]) -> Result<Self, TraceError> {
        if names.is_empty() {
            return Ok(Self::default());
        }
        let mut kinds = Self([false; EventKind::COUNT]);
        for name in names {
            if name == COMMUNICATION {
                for kind in EventKind::ALL.iter().filter(|kind| kind.is_communication()) {
                    kinds.0[*kind as usize] = true;
                }
                continue;
            }
            let kind = EventKind::from_name(name).ok_or_else(|| {
                let known = EventKind::ALL.iter().map(|kind| kind.name());
                let similar = pattern::nearest(name, known.chain([COMMUNICATION]));
                let message = format!("there is no kind of event '{name}'");
                TraceError::new(ErrorKind::Usage, message)
                    .hint(format!("similar: {}", similar.unwrap_or_default()))
            })?;
            kinds.0[kind as usize] = true;
        }
        Ok(kinds)
    }

    /// Returns whether the set contains a kind.
    #[must_use]
    pub fn contains(&self, kind: EventKind) -> bool {
        self.0[kind as usize]
    }
}

/// A filter translated to the ids of a trace, as far as they are defined so far.
#[derive(Debug)]
pub(super) struct View {
    names: Names,
    locations: Option<HashSet<LocationId>>,
    ranks: Option<HashSet<u64>>,
    regions: Option<HashSet<u64>>,
    contexts: HashMap<u64, Context>,
}

/// A calling context.
#[derive(Clone, Copy, Debug)]
struct Context {
    region: u64,
    parent: u64,
}

impl View {
    pub fn new(filter: &Filter, definitions: &Definitions) -> Self {
        let names = Names::new(definitions);
        let labels = filter.locations.iter();
        let locations = labels.filter_map(|text| names.parse_label(text)).collect();
        let is_kept = |name: &str| filter.regions.iter().any(|p| p.matches(name));
        let regions = region_names(definitions, &names).into_iter();
        let regions = regions.filter(|(_, name)| is_kept(name));
        let regions = regions.map(|(id, _)| id).collect();
        let contexts = definitions.records(DefinitionKind::CallingContext);
        let contexts = contexts.map(|record| {
            let (region, parent) = (record.field("region"), record.field("parent"));
            let context = Context {
                region: region.unwrap_or(UNDEFINED),
                parent: parent.unwrap_or(UNDEFINED),
            };
            (record.get(0), context)
        });
        Self {
            locations: (!filter.locations.is_empty()).then_some(locations),
            ranks: (!filter.processes.is_empty())
                .then(|| filter.processes.iter().copied().collect()),
            regions: (!filter.regions.is_empty()).then_some(regions),
            contexts: contexts.collect(),
            names,
        }
    }

    /// Returns whether any events of a location are kept.
    pub fn keeps_location(&self, location: LocationId) -> bool {
        let rank = || self.names.rank(location).map(|(rank, _)| rank);
        let named = self.locations.as_ref();
        let ranks = self.ranks.as_ref();
        named.is_none_or(|named| named.contains(&location))
            && ranks.is_none_or(|ranks| rank().is_some_and(|rank| ranks.contains(&rank)))
    }

    /// Returns whether only calls of some regions are kept.
    pub fn has_regions(&self) -> bool {
        self.regions.is_some()
    }

    /// Returns whether a symbol enters a region whose calls are kept.
    pub fn enters_kept_region(&self, symbol: &Symbol) -> bool {
        let Some(regions) = &self.regions else {
            return false;
        };
        match symbol.kind {
            EventKind::Enter => symbol
                .get(Operand::Region)
                .is_some_and(|region| regions.contains(&region)),
            EventKind::CallingContextEnter => symbol
                .get(Operand::CallingContext)
                .and_then(|context| self.contexts.get(&context))
                .is_some_and(|context| regions.contains(&context.region)),
            _ => false,
        }
    }

    /// Returns the unwind distance for entering a calling context after `previous` was entered: one more than the
    /// number of contexts that are new.
    pub fn unwind_distance(&self, context: u64, previous: Option<u64>) -> u64 {
        let path = |from: u64| {
            let next = |&id: &u64| {
                let parent = self.contexts.get(&id)?.parent;
                (parent != UNDEFINED).then_some(parent)
            };
            // Damaged definitions may form a cycle.
            std::iter::successors(Some(from), next).take(self.contexts.len().max(1))
        };
        let known: HashSet<u64> = previous.into_iter().flat_map(path).collect();
        let new = path(context).take_while(|id| !known.contains(id));
        new.count() as u64 + 1
    }
}

/// Returns the ids of regions, with the names in the last definition of each id.
fn region_names<'a>(definitions: &Definitions, names: &'a Names) -> Vec<(u64, &'a str)> {
    let regions = definitions.records(DefinitionKind::Region);
    regions
        .filter_map(|record| {
            let id = record.get(0);
            Some((id, names.name(DefinitionKind::Region, id)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_named_one_by_one_or_as_communication() {
        let kinds = Kinds::parse(&["enter".to_owned(), "comm".to_owned()]).unwrap();
        let kept: Vec<_> = EventKind::ALL
            .iter()
            .filter(|&&kind| kinds.contains(kind) != kind.is_communication())
            .collect();
        assert_eq!(kept, [&EventKind::Enter]);
        assert_eq!(Kinds::parse(&[]).unwrap(), Kinds::default());
        assert!(Kinds::parse(&["entre".to_owned()]).is_err());
    }

    #[test]
    fn unwind_distances_count_what_is_new() {
        let mut definitions = Definitions::default();
        // 1 is the parent of 2, which is the parent of 3; 4 is a sibling of 2.
        for (id, parent) in [(1, UNDEFINED), (2, 1), (3, 2), (4, 1), (5, 5)] {
            let fields = [id, 0, UNDEFINED, parent];
            definitions.push(DefinitionKind::CallingContext, &fields, &[], "");
        }
        let view = View::new(&Filter::default(), &definitions);
        assert_eq!(view.unwind_distance(1, None), 2);
        assert_eq!(view.unwind_distance(3, None), 4);
        assert_eq!(view.unwind_distance(3, Some(1)), 3);
        assert_eq!(view.unwind_distance(3, Some(2)), 2);
        assert_eq!(view.unwind_distance(4, Some(3)), 2);
        assert_eq!(view.unwind_distance(3, Some(3)), 1);
        assert!(view.unwind_distance(5, None) > 1, "a cycle ends");
    }
}
