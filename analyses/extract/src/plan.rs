//! Compiles constructs to positions, as the annotation compiler of the paper.
//!
//! Loops of a merged model are rectangular, so the position of an occurrence is a constant plus, for each enclosing
//! loop, a constant times the loop's index. Positions count the events of the model's selection.

use std::ops::Range;

use foldtrace_fold::Selection;
use foldtrace_fold::merge::{Construct, Kind, Placed, Process};
use foldtrace_program::global::ProgramLabels;
use foldtrace_program::outline::{Entry, find, outline};
use foldtrace_store::Field;
use foldtrace_trace::{ErrorKind, LocationId, Quantity, Remedy, TraceError};

use super::request::{At, Attribute, Get, Instances, Number, Request};

/// A run of events per iteration of some loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    /// The position of the first event if all indices are 0.
    pub start: u64,
    /// The increment of the position per increment of each index, from the outermost loop inwards.
    pub steps: Vec<u64>,
    /// The number of events in the run.
    pub length: u64,
}

/// The points of a record in one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The name of the process as users know it.
    pub process: String,
    /// The location of the process.
    pub location: LocationId,
    /// The number of events of the process in the model.
    pub events: u64,
    /// The points of the record.
    pub points: Vec<Affine>,
}

/// The records with one label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The label.
    pub label: String,
    /// The iterations of the enclosing loops, from the outermost inwards. Their product is the number of occurrences
    /// in each process.
    pub counts: Vec<u64>,
    /// The lines of its processes.
    pub lines: Vec<Line>,
}

impl Record {
    /// Returns the number of occurrences in each process.
    #[must_use]
    pub fn occurrences(&self) -> u64 {
        self.counts.iter().product()
    }

    /// Returns the indices of some occurrences, one column per loop.
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
    /// Returns the position of the first event for each row of some columns of indices.
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

/// The compiled form of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The selection of events that positions of the model count.
    pub selection: Selection,
    /// The attributes to extract for each event.
    pub attributes: Vec<Attribute>,
    /// Whether occurrences are runs of events, with lengths, ends and sums.
    pub has_runs: bool,
    /// The names of the points of a record; empty strings if they have no names.
    pub points: Vec<String>,
    /// The records, in the order of the rows.
    pub records: Vec<Record>,
}

impl Plan {
    /// Compiles a request.
    ///
    /// # Errors
    /// If a construct does not exist, does not cover a requested process, or has no iterations although they are
    /// requested; if an attribute of runs has no sum; or if the annotations of a record do not occur together.
    pub fn new(request: &Request, words: ProgramLabels<'_>) -> Result<Self, TraceError> {
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

    /// Checks that attributes of runs can be summed: only bytes can.
    fn check_sums(&self) -> Result<(), TraceError> {
        let is_summed = |quantity| matches!(quantity, Quantity::Bytes | Quantity::BytesReceived);
        for &attribute in &self.attributes {
            if let Attribute::Field(Field::Quantity(quantity)) = attribute
                && self.has_runs
                && !is_summed(quantity)
            {
                let message = format!(
                    "'{}' cannot be summed over several events",
                    attribute.name()
                );
                let hint = "extract single events: first, last, or after";
                return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
            }
        }
        Ok(())
    }

    /// Returns the columns of the store that have to be read.
    pub fn fields(&self) -> impl Iterator<Item = Field> {
        self.attributes
            .iter()
            .filter_map(|attribute| match attribute {
                Attribute::Position => None,
                Attribute::Field(field) => Some(*field),
            })
    }

    /// Returns the maximum number of loops around a record.
    #[must_use]
    pub fn depth(&self) -> usize {
        let depths = self.records.iter().map(|record| record.counts.len());
        depths.max().unwrap_or(0)
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> u64 {
        let rows = |record: &Record| record.occurrences() * record.lines.len() as u64;
        self.records.iter().map(rows).sum()
    }

    /// Returns the locations, each once, in the order of their ids.
    #[must_use]
    pub fn locations(&self) -> Vec<LocationId> {
        let lines = self.records.iter().flat_map(|record| &record.lines);
        let mut locations: Vec<_> = lines.map(|line| line.location).collect();
        locations.sort_unstable();
        locations.dedup();
        locations
    }
}

/// Joins several records that occur together into one.
fn join<'a>(records: impl Iterator<Item = &'a Record>) -> Result<Record, TraceError> {
    let mut joined: Option<Record> = None;
    for record in records {
        let Some(joined) = &mut joined else {
            joined = Some(record.clone());
            continue;
        };
        let locations =
            |record: &Record| -> Vec<_> { record.lines.iter().map(|l| l.location).collect() };
        if (&joined.counts, locations(joined)) != (&record.counts, locations(record)) {
            let (one, other) = (&joined.label, &record.label);
            let message = format!("'{one}' and '{other}' do not occur together");
            let hint = "the annotations of a 'print' must have the same enclosing loops and the same processes";
            return Err(TraceError::new(ErrorKind::Usage, message).hint(hint));
        }
        joined.label = format!("{},{}", joined.label, record.label);
        for (line, other) in joined.lines.iter_mut().zip(&record.lines) {
            line.points.extend(other.points.iter().cloned());
        }
    }
    joined.ok_or_else(|| TraceError::new(ErrorKind::Usage, "a 'print' has no label"))
}

/// A construct that was looked up by its number.
struct NumberedConstruct<'a> {
    construct: &'a Construct,
    /// The construct and its enclosing loops, from the outermost inwards.
    path: Vec<(&'a Construct, &'a Placed)>,
}

struct Compiler<'a> {
    words: ProgramLabels<'a>,
    entries: Vec<Entry<'a>>,
    places: Vec<Placed>,
}

impl Compiler<'_> {
    fn find(&self, number: &Number) -> Result<NumberedConstruct<'_>, TraceError> {
        let entry = find(&self.entries, &number.to_string())?;
        let (mut system, mut places) = (&self.words.program.model.system, &self.places);
        let mut path = Vec::new();
        for &index in &number.0 {
            let index = index - 1;
            path.push((&system.constructs[index], &places[index]));
            places = &places[index].body;
            system = system.constructs[index].as_loop().map_or(system, |l| l.1);
        }
        Ok(NumberedConstruct {
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
                let message = format!("construct {number} is {kind}, which has no iterations");
                return Err(
                    TraceError::new(ErrorKind::Usage, message).remedy(Remedy::NumberConstructs)
                );
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

    /// Returns the process of the model for a location, if the construct covers it.
    fn process(
        &self,
        location: LocationId,
        found: &NumberedConstruct<'_>,
        number: &Number,
    ) -> Result<Process, TraceError> {
        let words = self.words;
        let covered = found.construct.processes.iter().copied();
        let mut covering = covered.clone();
        let process = covering.find(|&p| words.program.location(p) == location);
        process.ok_or_else(|| {
            let label = words.names.label(location);
            let message = format!("process {label} does not execute construct {number}");
            let hint = format!(
                "the processes of the construct are {}",
                words.processes(covered)
            );
            TraceError::new(ErrorKind::Usage, message).hint(hint)
        })
    }

    fn line(&self, get: &Get, found: &NumberedConstruct<'_>, process: Process) -> Line {
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
            At::After => point.start += point.length,
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
