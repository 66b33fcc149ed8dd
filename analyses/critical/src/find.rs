//! Finds the critical path of a store.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use foldtrace_clock::Correction;
use foldtrace_matching::{Census, RegionIndex, Regions};
use foldtrace_program::ProgramPhases;
use foldtrace_store::StoreReader;
use foldtrace_stream::read::Progress;
use foldtrace_trace::{ErrorKind, LocationId, Position, Timestamp, TraceError, TraceReader};
use foldtrace_waits::{Found, Options, WaitState};
use rayon::prelude::*;

use crate::lane::{Effect, Lane, segment_row};
use crate::path::{PathEnd, Segment, Sink, Waited, follow};
use crate::rows::{RowReader, RowWriter};
use crate::sums::{Critical, ProcessTime, Sums};

/// Finds the critical path of a store, with times as `correction` corrects them, and reports its segments to `sink`.
///
/// # Errors
/// Returns an error if the store has no events, a table is missing or damaged, a temporary file cannot be written, the sink
/// fails, or the work was stopped.
pub fn find(
    store: &StoreReader,
    correction: &Correction,
    progress: &Progress,
    sink: &mut impl Sink,
) -> Result<Critical, TraceError> {
    let regions = Regions::new(store.definitions(), store.names(), store.symbols());
    let effects = Effect::of_symbols(&regions, store.symbols(), |kind| {
        ProgramPhases::SELECTION.contains(kind)
    });
    let locations: Vec<LocationId> = store.locations().collect();
    let processes = processes(store, &locations, &effects, progress)?;
    let ends = Ends::of_store(store, correction, &locations, &processes)?;
    let mut log = WaitLog {
        lanes: (0..)
            .zip(&locations)
            .map(|(lane, &id)| (id, lane))
            .collect(),
        rows: RowWriter::create(locations.len())?,
    };
    // Causes would take more time than the wait states themselves.
    let options = Options {
        causes: 0,
        ..Options::default()
    };
    let Found {
        summary,
        clock,
        diagnostics,
        ..
    } = foldtrace_waits::find(store, correction, options, progress, &mut log)?;
    let (segments, count) = path(log.rows.finish(), &locations, &ends, sink)?;
    let program = ProgramPhases::of_store(store, progress)?;
    let walk = Walk {
        store,
        correction,
        effects: &effects,
        program: &program,
        regions: regions.regions().len(),
    };
    let lanes = locations.par_iter().zip(processes.par_iter().zip(segments));
    let sums = lanes
        .enumerate()
        .try_fold(
            || Sums::new(walk.regions),
            |sums, (lane, (&location, (&is_process, segments)))| {
                progress.check()?;
                walk.add(sums, lane, location, is_process, segments)
            },
        )
        .try_reduce(|| Sums::new(walk.regions), |one, other| Ok(one.with(other)))?;
    let mut waiting: HashMap<Option<RegionIndex>, u64> = HashMap::new();
    for waited in &summary.waiting {
        let path = summary.paths.get(waited.path.0 as usize);
        let region = path.and_then(|path| path.region);
        *waiting.entry(region).or_default() += waited.total.ticks;
    }
    let of_processes = processes.iter().filter(|is_process| **is_process).count();
    let loops = sums.loops(program.phases.phases());
    let mut times = sums.processes;
    times.sort_unstable();
    let times = times.into_iter().map(|(lane, ticks)| ProcessTime {
        location: locations[lane],
        ticks,
    });
    Ok(Critical {
        clock,
        length: ends.last - ends.first,
        absent: sums.regions.absent,
        segments: count,
        regions: sums.regions.regions(&waiting, of_processes),
        processes: times.collect(),
        loops,
        irregular: program.irregular,
        names: regions,
        diagnostics,
    })
}

/// Returns which locations are processes: those that call MPI, or all if none does.
fn processes(
    store: &StoreReader,
    locations: &[LocationId],
    effects: &[Effect],
    progress: &Progress,
) -> Result<Vec<bool>, TraceError> {
    let census = Census::from_store(store, progress)?;
    let calling = census.locations().filter(|(_, counts)| {
        let mut effects = counts.iter().filter_map(|(id, _)| effects.get(id.row()));
        effects.any(Effect::enters_mpi)
    });
    let calling: HashSet<LocationId> = calling.map(|(location, _)| location).collect();
    let is_process = |location| calling.is_empty() || calling.contains(location);
    Ok(locations.iter().map(is_process).collect())
}

/// The times at which a trace begins and ends.
struct Ends {
    first: u64,
    last: u64,
    /// The number of the location that ends last.
    last_lane: usize,
    /// The number of the process that ends last, and the time at which it does.
    last_process: (usize, u64),
}

impl Ends {
    fn of_store(
        store: &StoreReader,
        correction: &Correction,
        locations: &[LocationId],
        processes: &[bool],
    ) -> Result<Self, TraceError> {
        let ends = correction.ends(store, locations)?;
        let ended = |wants: &dyn Fn(usize) -> bool| {
            let ends = (0..).zip(&ends).filter(|&(lane, _)| wants(lane));
            let ends = ends.filter_map(|(lane, ends)| Some(((*ends)?.1.0, lane)));
            // Of those that end at the same time, the first one.
            ends.max_by_key(|&(end, lane)| (end, Reverse(lane)))
        };
        let all = ended(&|_| true);
        let of_processes = ended(&|lane| processes[lane]);
        let (Some((last, last_lane)), Some((end, lane))) = (all, of_processes) else {
            let message = "the trace has no events, so it has no critical path";
            return Err(TraceError::new(ErrorKind::Usage, message));
        };
        let first = ends.iter().flatten().map(|(first, _)| first.0).min();
        Ok(Self {
            first: first.unwrap_or(last),
            last,
            last_lane,
            last_process: (lane, end),
        })
    }
}

/// Writes the wait states of all locations to a temporary file.
struct WaitLog {
    lanes: HashMap<LocationId, usize>,
    rows: RowWriter<{ Waited::NUMBERS }>,
}

impl foldtrace_waits::Sink for WaitLog {
    fn wait(&mut self, wait: &WaitState) -> Result<(), TraceError> {
        let lanes = [wait.location, wait.late].map(|location| self.lanes.get(&location));
        let [Some(&lane), Some(&late)] = lanes else {
            return Ok(());
        };
        let waited = Waited {
            position: wait.position.0,
            end: wait.start.0 + wait.ticks,
            late,
            late_position: wait.late_position.0,
        };
        self.rows.push(lane, waited.row())
    }
}

/// Returns the segments of the path in each location, and the number of all.
fn path(
    mut waits: Vec<RowReader<{ Waited::NUMBERS }>>,
    locations: &[LocationId],
    ends: &Ends,
    sink: &mut impl Sink,
) -> Result<(Vec<RowReader<2>>, u64), TraceError> {
    let mut rows = RowWriter::create(locations.len())?;
    let mut count = 0;
    let mut pass = |lane: usize, segment: &Segment| {
        count += 1;
        if segment.ticks() > 0 {
            rows.push(lane, segment_row(segment.begin.0, segment.end.0))?;
        }
        sink.segment(segment)
    };
    let (lane, end) = ends.last_process;
    if end < ends.last {
        // A location that does not communicate, such as the stream of a GPU, ends last.
        let tail = Segment {
            location: locations[ends.last_lane],
            begin: Timestamp(end),
            end: Timestamp(ends.last),
            waited: None,
            released: None,
        };
        pass(ends.last_lane, &tail)?;
    }
    let begin = ends.first;
    follow(&mut waits, locations, PathEnd { lane, begin, end }, pass)?;
    Ok((rows.finish(), count))
}

/// What the second pass needs: it divides the path among regions and iterations.
struct Walk<'a> {
    store: &'a StoreReader,
    correction: &'a Correction,
    effects: &'a [Effect],
    program: &'a ProgramPhases,
    regions: usize,
}

impl Walk<'_> {
    /// Adds a location to the sums.
    fn add(
        &self,
        mut sums: Sums,
        number: usize,
        location: LocationId,
        is_process: bool,
        segments: RowReader<2>,
    ) -> Result<Sums, TraceError> {
        let cursor = self.program.cursor(location);
        let mut lane = Lane::new(self.effects, segments, cursor)?;
        if !is_process && !lane.is_on_path() {
            return Ok(sums);
        }
        let mut events = self.store.events(location, Position(0));
        let (mut symbols, mut times) = (Vec::new(), Vec::new());
        let mut position = Position(0);
        loop {
            events.next_times(&mut symbols, &mut times)?;
            if symbols.is_empty() {
                break;
            }
            self.correction.correct(location, position, &mut times);
            position.0 += times.len() as u64;
            for (&symbol, &time) in symbols.iter().zip(&times) {
                lane.take(symbol, time, &mut sums.regions)?;
            }
        }
        lane.finish(&mut sums.regions)?;
        sums.processes.push((number, lane.on_path()));
        sums.add_iterations(lane.iterations);
        Ok(sums)
    }
}
