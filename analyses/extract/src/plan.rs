//! The annotation compiler: from constructs to positions.
//!
//! Loops of a merged model are rectangular, so the position of an occurrence is a number and, for each loop
//! around it, another one times the loop's index. Positions count the events of the model's selection.

use std::ops::Range;

use foldtrace_fold::Selection;
use foldtrace_fold::merge::{Construct, Kind, Placed, Process};
use foldtrace_program::global::Words;
use foldtrace_program::outline::{Entry, find, outline};
use foldtrace_store::Field;
use foldtrace_trace::{ErrorKind, LocationId, Quantity, TraceError};

use super::request::{At, Attribute, Get, Instances, NUMBERS, Number, Request};

/// A run of events for each iteration of some loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    /// Where it begins if all indices are 0.
    pub start: u64,
    /// How far one more of each index moves it, from the outermost loop on.
    pub steps: Vec<u64>,
    /// Events in it.
    pub length: u64,
}

/// What one process has of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The process, as users call it.
    pub process: String,
    /// Its location.
    pub location: LocationId,
    /// How many of its events the model has.
    pub events: u64,
    /// The points of the record.
    pub points: Vec<Affine>,
}

/// Records of one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The label.
    pub label: String,
    /// Iterations of the loops around, from the outermost on: how often it occurs in each process.
    pub counts: Vec<u64>,
    /// Its processes.
    pub lines: Vec<Line>,
}

impl Record {
    /// How often it occurs in each process.
    #[must_use]
    pub fn occurrences(&self) -> u64 {
        self.counts.iter().product()
    }

    /// The indices of some occurrences, a column for each loop.
    #[must_use]
    pub fn indices(&self, occurrences: Range<u64>) -> Vec<Vec<u64>> {
        let mut period = self.occurrences().max(1);
        let column = |&count: &u64| {
            period /= count.max(1);
            let index = |row| row / period % count.max(1);
            occurrences.clone().map(index).collect()
        };
        self.counts.iter().map(column).collect()
    }
}

impl Affine {
    /// Where it begins, for each row of some columns of indices.
    #[must_use]
    pub fn starts(&self, rows: usize, indices: &[Vec<u64>]) -> Vec<u64> {
        let mut starts = vec![self.start; rows];
        for (step, column) in self.steps.iter().zip(indices) {
            for (start, index) in starts.iter_mut().zip(column) {
                *start += step * index;
            }
        }
        starts
    }
}

/// What a request compiles to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Which events positions of the model count.
    pub selection: Selection,
    /// What is wanted of each event.
    pub attributes: Vec<Attribute>,
    /// Whether occurrences are runs of events, with lengths, ends and sums.
    pub has_runs: bool,
    /// What the points of a record are called; empty if they have no name.
    pub points: Vec<String>,
    /// The records, in the order of the rows.
    pub records: Vec<Record>,
}

impl Plan {
    /// Compiles a request.
    ///
    /// # Errors
    /// If there is no such construct, it does not cover a process, or what is wanted of it makes no sense.
    pub fn new(request: &Request, words: Words<'_>) -> Result<Self, TraceError> {
        let places = words.program.model.system.places();
        let entries = outline(&words.program.model.system);
        let compiler = Compiler {
            words,
            entries,
            places,
        };
        let compiled: Result<Vec<_>, _> = request.gets.iter().map(|g| compiler.get(g)).collect();
        let compiled = compiled?;
        let points = request.prints.first().map(|print| {
            let names = print.parts.iter().map(|(name, _)| name.clone());
            names.collect::<Vec<_>>()
        });
        let records = match points {
            None => compiled,
            Some(_) => {
                let prints = request.prints.iter();
                let joined = prints.map(|print| join(print.parts.iter().map(|p| &compiled[p.1])));
                joined.collect::<Result<_, _>>()?
            }
        };
        let lines = records.iter().flat_map(|record| &record.lines);
        let mut points_of_all = lines.flat_map(|line| &line.points);
        let plan = Self {
            selection: words.program.selection,
            attributes: request.attributes.clone(),
            has_runs: points_of_all.any(|point| point.length > 1),
            points: points.unwrap_or_else(|| vec![String::new()]),
            records,
        };
        plan.check_sums()?;
        Ok(plan)
    }

    /// Only what counts something has a sum.
    fn check_sums(&self) -> Result<(), TraceError> {
        let is_summed = |quantity| matches!(quantity, Quantity::Bytes | Quantity::BytesReceived);
        for &attribute in &self.attributes {
            if let Attribute::Field(Field::Quantity(quantity)) = attribute
                && self.has_runs
                && !is_summed(quantity)
            {
                let message = format!("'{}' of many events has no sum", attribute.name());
                let hint = "ask for single events: first, last, or behind";
                return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
            }
        }
        Ok(())
    }

    /// The columns of the store that are wanted.
    pub fn fields(&self) -> impl Iterator<Item = Field> {
        self.attributes
            .iter()
            .filter_map(|attribute| match attribute {
                Attribute::Position => None,
                Attribute::Field(field) => Some(*field),
            })
    }

    /// How deep the deepest record is in loops.
    #[must_use]
    pub fn depth(&self) -> usize {
        let depths = self.records.iter().map(|record| record.counts.len());
        depths.max().unwrap_or(0)
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> u64 {
        let rows = |record: &Record| record.occurrences() * record.lines.len() as u64;
        self.records.iter().map(rows).sum()
    }

    /// The locations, each once, in the order of their ids.
    #[must_use]
    pub fn locations(&self) -> Vec<LocationId> {
        let lines = self.records.iter().flat_map(|record| &record.lines);
        let mut locations: Vec<_> = lines.map(|line| line.location).collect();
        locations.sort_unstable();
        locations.dedup();
        locations
    }
}

/// One record of several that occur together.
fn join<'a>(records: impl Iterator<Item = &'a Record>) -> Result<Record, TraceError> {
    let mut joined: Option<Record> = None;
    for record in records {
        let Some(joined) = &mut joined else {
            joined = Some(record.clone());
            continue;
        };
        let who = |record: &Record| -> Vec<_> { record.lines.iter().map(|l| l.location).collect() };
        if (&joined.counts, who(joined)) != (&record.counts, who(record)) {
            let (one, other) = (&joined.label, &record.label);
            let message = format!("'{one}' and '{other}' do not occur together");
            let hint =
                "what one 'print' has must have the same loops around and the same processes";
            return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
        }
        joined.label = format!("{},{}", joined.label, record.label);
        for (line, other) in joined.lines.iter_mut().zip(&record.lines) {
            line.points.extend(other.points.iter().cloned());
        }
    }
    joined.ok_or_else(|| TraceError::new(ErrorKind::Usage, "a 'print' has no label"))
}

/// A construct, found by its number.
struct Found<'a> {
    construct: &'a Construct,
    /// It and those around it, from the outermost on.
    path: Vec<(&'a Construct, &'a Placed)>,
}

struct Compiler<'a> {
    words: Words<'a>,
    entries: Vec<Entry<'a>>,
    places: Vec<Placed>,
}

impl Compiler<'_> {
    fn find(&self, number: &Number) -> Result<Found<'_>, TraceError> {
        let entry = find(&self.entries, &number.to_string())?;
        let (mut system, mut places) = (&self.words.program.model.system, &self.places);
        let mut path = Vec::new();
        for &index in &number.0 {
            let index = index - 1;
            path.push((&system.constructs[index], &places[index]));
            places = &places[index].body;
            system = system.constructs[index].as_loop().map_or(system, |l| l.1);
        }
        Ok(Found {
            construct: entry.construct,
            path,
        })
    }

    fn get(&self, get: &Get) -> Result<Record, TraceError> {
        let found = self.find(&get.construct)?;
        let number = &get.construct;
        let loops = match get.instances {
            Instances::Construct => &found.path[..found.path.len() - 1],
            Instances::Iterations if found.construct.as_loop().is_some() => &found.path[..],
            Instances::Iterations => {
                let kind = match found.construct.kind {
                    Kind::Collective { .. } => "a collective operation",
                    _ => "an event",
                };
                let message = format!("construct {number} is {kind}: it has no iterations");
                return Err(TraceError::new(ErrorKind::Usage, message).hint(NUMBERS));
            }
        };
        let counts = loops
            .iter()
            .filter_map(|(construct, _)| construct.as_loop());
        let covered = &found.construct.processes;
        let processes = match &*get.processes {
            [] => covered.to_vec(),
            some => some
                .iter()
                .map(|&l| self.process(l, &found, number))
                .collect::<Result<_, _>>()?,
        };
        let lines = processes
            .iter()
            .map(|&process| self.line(get, &found, process));
        Ok(Record {
            label: get.label.clone(),
            counts: counts.map(|(count, _)| count).collect(),
            lines: lines.collect(),
        })
    }

    /// The process of the model that a location is, if the construct covers it.
    fn process(
        &self,
        location: LocationId,
        found: &Found<'_>,
        number: &Number,
    ) -> Result<Process, TraceError> {
        let words = self.words;
        let covered = found.construct.processes.iter().copied();
        let mut covering = covered.clone();
        let process = covering.find(|&p| words.program.location(p) == location);
        process.ok_or_else(|| {
            let label = words.names.label(location);
            let message = format!("construct {number} does not cover process {label}");
            let hint = format!("it covers {}", words.processes(covered));
            TraceError::new(ErrorKind::Usage, message).hint(hint)
        })
    }

    fn line(&self, get: &Get, found: &Found<'_>, process: Process) -> Line {
        let mut point = Affine {
            start: 0,
            steps: Vec::new(),
            length: 1,
        };
        let last = found.path.len() - 1;
        for (depth, (construct, placed)) in found.path.iter().enumerate() {
            let index = construct.processes.binary_search(&process).ok();
            let place = index.and_then(|index| placed.places.get(index));
            let place = place.copied().unwrap_or_default();
            point.start += place.position;
            if depth < last || get.instances == Instances::Iterations {
                point.steps.push(place.iteration);
                point.length = place.iteration;
            } else {
                point.length = place.length;
            }
        }
        match get.at {
            At::Whole | At::First => {}
            At::Last => point.start += point.length.saturating_sub(1),
            At::Behind => point.start += point.length,
        }
        if get.at != At::Whole {
            point.length = 1;
        }
        let events = self.words.program.model.events.get(process.index());
        Line {
            process: self.words.process(process),
            location: self.words.program.location(process),
            events: events.copied().unwrap_or(0),
            points: vec![point],
        }
    }
}
