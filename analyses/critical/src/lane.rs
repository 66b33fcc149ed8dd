//! Follows a location, and divides its part of the critical path among regions and iterations.

use std::collections::HashMap;

use foldtrace_matching::{Action, CalleeIndex, Paradigm, RegionIndex, Regions};
use foldtrace_program::{Iteration, PhaseClock, PhaseCursor};
use foldtrace_trace::{CallStack, EventKind, SymbolId, SymbolTable, Timestamp, TraceError};

use crate::rows::RowReader;
use crate::sums::RegionTicks;

/// A segment of the path in a location, by the complement of its begin: the first segment comes first.
pub(crate) const fn segment_row(begin: u64, end: u64) -> [u64; 2] {
    [!begin, end]
}

/// The effect of the events of a symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    calls: Action,
    /// Whether the event enters a call of MPI.
    is_mpi: bool,
    /// Whether the model of the program counts the event.
    is_selected: bool,
}

impl Effect {
    /// Returns the effect of each row of a table of symbols; `is_selected` says which events the model counts.
    pub fn of_symbols(
        regions: &Regions,
        symbols: &SymbolTable,
        is_selected: impl Fn(EventKind) -> bool,
    ) -> Vec<Self> {
        let effects = symbols.iter().map(|(id, symbol)| {
            let calls = regions.action(id.row());
            let is_mpi = match calls {
                Action::Enter(_, region) => {
                    regions.regions()[region.0 as usize].paradigm == Paradigm::Mpi
                }
                _ => false,
            };
            Self {
                calls,
                is_mpi,
                is_selected: is_selected(symbol.kind),
            }
        });
        effects.collect()
    }

    /// Returns whether the event enters a call of MPI.
    pub const fn enters_mpi(&self) -> bool {
        self.is_mpi
    }
}

/// The time of a location, and how much of it was on the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Clocks {
    time: u64,
    on_path: u64,
}

/// An open call.
#[derive(Clone, Copy, Debug)]
struct Open {
    region: RegionIndex,
    is_mpi: bool,
}

/// The state of a location.
#[derive(Debug)]
pub(crate) struct Lane<'a> {
    effects: &'a [Effect],
    /// The segments that have not ended.
    segments: RowReader<2>,
    /// The begin and the end of the first of them.
    segment: Option<(u64, u64)>,
    now: Clocks,
    /// Whether the location has had an event.
    has_begun: bool,
    open: CallStack<CalleeIndex, Open>,
    /// The number of open calls of MPI, which may call each other.
    open_in_mpi: u32,
    /// The clocks at which the outermost open call of MPI was entered.
    entered: Clocks,
    /// The innermost open region, of those within MPI the outermost; `None` outside of calls.
    region: Option<RegionIndex>,
    phases: PhaseClock<'a, Clocks>,
    /// The time on the path, by iteration.
    pub iterations: HashMap<Iteration, u64>,
}

impl<'a> Lane<'a> {
    /// Creates the state of a location before its first event.
    ///
    /// # Errors
    /// Returns an error if the temporary file of the segments cannot be read.
    pub fn new(
        effects: &'a [Effect],
        mut segments: RowReader<2>,
        phases: PhaseCursor<'a>,
    ) -> Result<Self, TraceError> {
        let segment = next(&mut segments)?;
        Ok(Self {
            effects,
            segments,
            segment,
            now: Clocks::default(),
            has_begun: false,
            open: CallStack::default(),
            open_in_mpi: 0,
            entered: Clocks::default(),
            region: None,
            phases: PhaseClock::new(phases),
            iterations: HashMap::new(),
        })
    }

    /// Takes the next event; adds the time before it to `regions`.
    ///
    /// # Errors
    /// Returns an error if the temporary file of the segments cannot be read.
    #[inline]
    pub fn take(
        &mut self,
        symbol: SymbolId,
        time: Timestamp,
        regions: &mut RegionTicks,
    ) -> Result<(), TraceError> {
        self.pass(time.0, regions)?;
        let Some(&effect) = self.effects.get(symbol.row()) else {
            return Ok(());
        };
        match effect.calls {
            Action::None => {}
            Action::Enter(callee, region) => {
                let is_mpi = effect.is_mpi;
                self.open.enter(callee, Open { region, is_mpi });
                if self.open_in_mpi == 0 {
                    self.region = Some(region);
                    self.entered = self.now;
                }
                self.open_in_mpi += u32::from(is_mpi);
            }
            Action::Leave(callee) => self.leave(callee),
        }
        if effect.is_selected {
            let entered = (self.open_in_mpi > 0).then_some(self.entered);
            let iterations = &mut self.iterations;
            self.phases.advance(self.now, entered, |it, begin, end| {
                add(iterations, it, begin, end);
            });
        }
        Ok(())
    }

    fn leave(&mut self, callee: CalleeIndex) {
        let Some(left) = self.open.leave(callee) else {
            return;
        };
        self.open_in_mpi -= u32::from(left.call.is_mpi);
        if self.open_in_mpi > 0 {
            return;
        }
        self.region = self.open.last().map(|open| open.region);
        if left.call.is_mpi {
            let iterations = &mut self.iterations;
            self.phases
                .leave(self.now, |it, begin, end| add(iterations, it, begin, end));
        }
    }

    /// Ends the location.
    ///
    /// # Errors
    /// Returns an error if the temporary file of the segments cannot be read.
    pub fn finish(&mut self, regions: &mut RegionTicks) -> Result<(), TraceError> {
        let iterations = &mut self.iterations;
        self.phases
            .end(self.now, |it, begin, end| add(iterations, it, begin, end));
        let on_path = self.overlap(u64::MAX)?;
        regions.add_absent(on_path);
        self.now.on_path += on_path;
        Ok(())
    }

    /// Returns whether a part of the path is still to come.
    pub const fn is_on_path(&self) -> bool {
        self.segment.is_some()
    }

    /// Returns the time on the path.
    pub const fn on_path(&self) -> u64 {
        self.now.on_path
    }

    /// Lets time pass until an event.
    #[inline]
    fn pass(&mut self, time: u64, regions: &mut RegionTicks) -> Result<(), TraceError> {
        let time = time.max(self.now.time);
        let on_path = self.overlap(time)?;
        if self.has_begun {
            regions.add(self.region, time - self.now.time, on_path);
        } else {
            regions.add_absent(on_path);
            self.has_begun = true;
        }
        self.now.time = time;
        self.now.on_path += on_path;
        Ok(())
    }

    /// Returns how much of the time from now until `end` is on the path.
    #[inline]
    fn overlap(&mut self, end: u64) -> Result<u64, TraceError> {
        let mut ticks = 0;
        while let Some((from, to)) = self.segment
            && from < end
        {
            ticks += to.min(end).saturating_sub(from.max(self.now.time));
            if to > end {
                break;
            }
            self.segment = next(&mut self.segments)?;
        }
        Ok(ticks)
    }
}

fn next(segments: &mut RowReader<2>) -> Result<Option<(u64, u64)>, TraceError> {
    let row = segments.next()?;
    Ok(row.map(|[begin, end]| (!begin, end)))
}

fn add(iterations: &mut HashMap<Iteration, u64>, iteration: Iteration, begin: Clocks, end: Clocks) {
    let ticks = end.on_path - begin.on_path;
    if ticks > 0 {
        *iterations.entry(iteration).or_default() += ticks;
    }
}
