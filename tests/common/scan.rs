//! What extractions have to give: a scan of the whole store, and the loops of the model replayed one iteration
//! after the other.

use std::collections::BTreeMap;
use std::fs;

use foldtrace::extract::{self, At, Attribute, Get, Instances, Number, Plan, Request};
use foldtrace::fold::Selection;
use foldtrace::fold::merge::{Process, System};
use foldtrace::program::global::ProgramLabels;
use foldtrace::program::outline::outline;
use foldtrace::program::{Merging, Program};
use foldtrace::read::Progress;
use foldtrace::store::StoreReader;
use foldtrace_output::OutputFile;
use foldtrace_table::Encoding;
use foldtrace_trace::{
    Diagnostics, EventBatch, EventStream, LocationId, Output, Position, Quantity, Step, UNDEFINED,
};

use crate::common::Folder;

/// Occurrences of a construct in a process: indices of the loops around, first event, event behind the last.
type Occurrences = Vec<(Vec<u64>, u64, u64)>;

/// What happens in a process, by replaying the loops one iteration after the other.
#[derive(Default)]
struct Replayed {
    constructs: BTreeMap<Vec<usize>, Occurrences>,
    iterations: BTreeMap<Vec<usize>, Occurrences>,
    events: Vec<Vec<usize>>,
}

impl Replayed {
    fn run(&mut self, system: &System, process: Process, path: &mut Vec<usize>, at: &mut Vec<u64>) {
        for (index, construct) in system.constructs.iter().enumerate() {
            if !construct.covers(process) {
                continue;
            }
            path.push(index + 1);
            let first = self.events.len() as u64;
            match construct.as_loop() {
                None => self.events.push(path.clone()),
                Some((count, body)) => {
                    for iteration in 0..count {
                        let begin = self.events.len() as u64;
                        at.push(iteration);
                        self.run(body, process, path, at);
                        let end = self.events.len() as u64;
                        let iterations = self.iterations.entry(path.clone()).or_default();
                        iterations.push((at.clone(), begin, end));
                        at.pop();
                    }
                }
            }
            let end = self.events.len() as u64;
            let occurrences = self.constructs.entry(path.clone()).or_default();
            occurrences.push((at.clone(), first, end));
            path.pop();
        }
    }

    fn of(program: &Program, process: Process) -> Self {
        let mut replayed = Self::default();
        replayed.run(
            &program.model.system,
            process,
            &mut Vec::new(),
            &mut Vec::new(),
        );
        replayed
    }
}

/// An event as a whole scan finds it.
pub struct Scanned {
    pub position: u64,
    pub time: u64,
    pub quantities: [Option<u64>; Quantity::COUNT],
}

/// The selected events of a location, by reading it from its beginning to its end.
pub fn scanned(store: &StoreReader, location: LocationId, selection: Selection) -> Vec<Scanned> {
    let mut stream = store.events(location, Position(0));
    let (mut batch, mut events) = (EventBatch::default(), Vec::new());
    while stream
        .next_batch(&mut batch, &mut Diagnostics::default())
        .unwrap()
        == Step::Batch
    {
        let symbols = store.symbols();
        for event in batch.iter(symbols) {
            if selection.contains(symbols.kind(event.symbol)) {
                let kind = symbols.kind(event.symbol);
                let quantities = Quantity::ALL.iter().map(|&quantity| {
                    let value = event.quantities[quantity as usize];
                    let is_known = value != UNDEFINED || quantity == Quantity::Value;
                    (kind.quantities().contains(&quantity) && is_known).then_some(value)
                });
                events.push(Scanned {
                    position: event.position.0,
                    time: event.time.0,
                    quantities: quantities.collect::<Vec<_>>().try_into().unwrap(),
                });
            }
        }
    }
    events
}

/// All that is needed for extractions from a store.
pub struct Bench {
    pub folder: Folder,
    pub store: StoreReader,
}

impl Bench {
    pub fn new(folder: Folder, store: &str) -> Self {
        let store = StoreReader::open(&folder.path(store)).unwrap();
        Self { folder, store }
    }

    pub fn program(&self, selection: Selection) -> Program {
        let locations: Vec<_> = self.store.locations().collect();
        Program::from_store(
            &self.store,
            &locations,
            &Merging::new(selection),
            &Progress::default(),
        )
        .unwrap()
    }

    pub fn words<'a>(&'a self, program: &'a Program) -> ProgramLabels<'a> {
        ProgramLabels {
            program,
            names: self.store.names(),
            symbols: self.store.symbols(),
        }
    }

    /// The rows of a request, header first.
    pub fn rows(&self, program: &Program, request: &Request) -> Vec<Vec<String>> {
        let plan = Plan::new(request, self.words(program)).unwrap();
        let path = self.folder.path("rows.csv");
        let output = Output::Path {
            path: path.clone(),
            replace: true,
        };
        let file = OutputFile::create(output).unwrap();
        let progress = Progress::default();
        extract::scan(&self.store, &plan, Encoding::Csv, file, &progress).unwrap();
        let text = fs::read_to_string(path).unwrap();
        let cells = |line: &str| line.split(',').map(str::to_owned).collect();
        text.lines().map(cells).collect()
    }
}

/// The numbers of all constructs, and which of them are loops.
pub fn constructs(program: &Program) -> Vec<(Number, bool)> {
    let entries = outline(&program.model.system).into_iter();
    let entries = entries.map(|entry| {
        let is_loop = entry.construct.as_loop().is_some();
        (entry.number.parse().unwrap(), is_loop)
    });
    entries.collect()
}

/// One annotation of a construct.
pub fn get(construct: &Number, instances: Instances, at: At) -> Get {
    Get {
        label: construct.to_string(),
        construct: construct.clone(),
        instances,
        at,
        processes: Vec::new(),
    }
}

fn cell(value: Option<u64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// What a replay and a scan of the whole store find in each process.
pub struct Truth {
    replayed: Vec<Replayed>,
    events: Vec<Vec<Scanned>>,
}

impl Truth {
    pub fn of(bench: &Bench, program: &Program) -> Self {
        let scan = |p| scanned(&bench.store, program.location(p), program.selection);
        let replay = |p| Replayed::of(program, p);
        Self {
            replayed: program.model.processes().map(replay).collect(),
            events: program.model.processes().map(scan).collect(),
        }
    }
}

/// The rows of a request by brute force, in their order.
pub fn expected(
    bench: &Bench,
    program: &Program,
    truth: &Truth,
    request: &Request,
    has_runs: bool,
) -> Vec<Vec<String>> {
    let location = |process: Process| program.location(process);
    let mut rows = Vec::new();
    let mut depth = 0;
    for get in &request.gets {
        for process in program.model.processes() {
            let (replayed, events) = (
                &truth.replayed[process.index()],
                &truth.events[process.index()],
            );
            assert_eq!(replayed.events.len(), events.len());
            let found = match get.instances {
                Instances::Construct => replayed.constructs.get(&get.construct.0),
                Instances::Iterations => replayed.iterations.get(&get.construct.0),
            };
            for (indices, first, end) in found.into_iter().flatten() {
                let run = match get.at {
                    At::Whole => *first..*end,
                    At::First => *first..first + 1,
                    At::Last => end - 1..*end,
                    At::After => *end..end + 1,
                };
                depth = depth.max(indices.len());
                let of = |i: u64| events.get(i as usize);
                let (begin, last) = (of(run.start), of(run.end - 1));
                let mut cells = vec![cell(begin.map(|e| e.position))];
                if has_runs {
                    cells.push(cell(begin.map(|_| run.end - run.start)));
                    cells.push(cell(last.map(|e| e.position)));
                }
                for attribute in &request.attributes {
                    let Attribute::Field(field) = attribute else {
                        continue;
                    };
                    match field {
                        foldtrace::store::Field::Time => {
                            cells.push(cell(begin.map(|e| e.time)));
                            if has_runs {
                                cells.push(cell(last.map(|e| e.time)));
                            }
                        }
                        foldtrace::store::Field::Quantity(quantity) => {
                            let value = |i| of(i).and_then(|e| e.quantities[*quantity as usize]);
                            let sum = || run.clone().filter_map(value).sum();
                            let value = match has_runs {
                                true => begin.map(|_| sum()),
                                false => value(run.start),
                            };
                            // Only a value can have a sign.
                            let text = match quantity {
                                Quantity::Value => {
                                    value.map_or_else(String::new, |v| v.cast_signed().to_string())
                                }
                                _ => cell(value),
                            };
                            cells.push(text);
                        }
                    }
                }
                let label = bench.store.names().label(location(process));
                let head = vec![get.label.clone(), label, location(process).to_string()];
                rows.push((head, indices.clone(), cells));
            }
        }
    }
    let row = |(head, indices, cells): (Vec<String>, Vec<u64>, Vec<String>)| {
        let mut row = head;
        let missing = depth - indices.len();
        row.extend(indices.iter().map(u64::to_string));
        row.extend(std::iter::repeat_n(String::new(), missing));
        row.extend(cells);
        row
    };
    rows.into_iter().map(row).collect()
}
