//! What a cut keeps, as the user says it, and what that means in the ids of a trace.

use std::collections::{HashMap, HashSet};

use foldtrace_trace::{
    DefinitionKind, Definitions, ErrorKind, EventKind, LocationId, Names, Operand, Symbol,
    TraceError, UNDEFINED, format_set, parse_set,
};

use super::pattern::{self, Pattern};
use super::time::TimeSpan;
use crate::select;

/// What a cut keeps. All of its filters have to agree; a default one keeps everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Events of this range of time.
    pub time: TimeSpan,
    /// Locations, as [`Names::parse_label`] reads them; all if there are none.
    pub locations: Vec<String>,
    /// Locations of processes of these ranks; of all if there are none.
    pub processes: Vec<u64>,
    /// Calls of these regions, with all that happens within; everything if there are none.
    pub regions: Vec<Pattern>,
    /// Events of these kinds.
    pub kinds: Kinds,
}

impl Filter {
    /// Whether it keeps everything.
    #[must_use]
    pub fn keeps_all(&self) -> bool {
        *self == Self::default()
    }

    /// # Errors
    /// If it names what `definitions` do not define.
    pub(super) fn check(&self, definitions: &Definitions) -> Result<(), TraceError> {
        let names = Names::new(definitions);
        for text in &self.locations {
            select::location(&names, text)?;
        }
        if let Some(rank) = self.processes.iter().find(|&&r| names.process(r).is_none()) {
            let ranks: Vec<u64> = names.processes().iter().map(|p| p.rank).collect();
            let message = format!("there is no process {rank}");
            let error = TraceError::new(ErrorKind::Usage, message);
            return Err(match ranks.is_empty() {
                true => error.hint("the trace defines no processes"),
                false => error.hint(format!("there are the ranks {}", format_set(&ranks))),
            });
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

/// Reads ranks of processes: `0-3,7`.
///
/// # Errors
/// If `text` is not such a set.
pub fn parse_ranks(text: &str) -> Result<Vec<u64>, TraceError> {
    parse_set(text).ok_or_else(|| {
        let message = format!("'{text}' is not a set of ranks");
        TraceError::new(ErrorKind::Usage, message).hint("write ranks and ranges, such as 0-3,7")
    })
}

/// A set of kinds of events; the default has all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kinds([bool; EventKind::COUNT]);

impl Default for Kinds {
    fn default() -> Self {
        Self([true; EventKind::COUNT])
    }
}

/// The name of the kinds that count as communication.
const COMMUNICATION: &str = "comm";

impl Kinds {
    /// The kinds of these names, `comm` for sends, completed receives and collectives; all if there
    /// is no name.
    ///
    /// # Errors
    /// If there is no kind of a name.
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

    pub(super) fn contains(&self, kind: EventKind) -> bool {
        self.0[kind as usize]
    }
}

/// A filter in the ids of a trace, as far as these are defined by now.
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
        let is_wanted = |name: &str| filter.regions.iter().any(|p| p.matches(name));
        let regions = region_names(definitions, &names).into_iter();
        let regions = regions.filter(|(_, name)| is_wanted(name));
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

    /// Whether events of a location are kept at all.
    pub fn keeps_location(&self, location: LocationId) -> bool {
        let rank = || self.names.rank(location).map(|(rank, _)| rank);
        let named = self.locations.as_ref();
        let ranks = self.ranks.as_ref();
        named.is_none_or(|named| named.contains(&location))
            && ranks.is_none_or(|ranks| rank().is_some_and(|rank| ranks.contains(&rank)))
    }

    /// Whether only calls of certain regions are kept.
    pub fn has_regions(&self) -> bool {
        self.regions.is_some()
    }

    /// Whether a symbol enters a region whose calls are kept.
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

    /// The unwind distance of entering a calling context when the last one entered is `previous`:
    /// one more than the contexts that are new.
    pub fn unwind_distance(&self, context: u64, previous: Option<u64>) -> u64 {
        let path = |from: u64| {
            let next = |&id: &u64| {
                let parent = self.contexts.get(&id)?.parent;
                (parent != UNDEFINED).then_some(parent)
            };
            // Damaged definitions may go in a circle.
            std::iter::successors(Some(from), next).take(self.contexts.len().max(1))
        };
        let known: HashSet<u64> = previous.into_iter().flat_map(path).collect();
        let new = path(context).take_while(|id| !known.contains(id));
        new.count() as u64 + 1
    }
}

/// Ids of regions, and the names that count for them: of the last definition of the id.
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
        // 1 is the parent of 2, that of 3; 4 stands beside 2.
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
        assert!(view.unwind_distance(5, None) > 1, "a circle ends");
    }
}
