//! Follows a process: its recorded time, its time on the ideal network, and its useful time.

use foldtrace_matching::{Action, CalleeIndex, Paradigm, Regions};
use foldtrace_program::{Iteration, PhaseClock, PhaseCursor};
use foldtrace_trace::{CallStack, LocationId, SymbolTable, Timestamp};

use crate::clocks::Clocks;
use crate::iterations::Iterations;

/// The effect of the events of a symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effect {
    /// The effect on the calls of the process.
    calls: CallEffect,
    /// Whether the model of the program counts the event.
    is_selected: bool,
}

#[derive(Clone, Copy, Debug)]
enum CallEffect {
    None,
    Enter { callee: CalleeIndex, is_mpi: bool },
    Leave(CalleeIndex),
}

impl Effect {
    /// Returns the effect of each row of a table of symbols; `is_selected` says which events the model counts.
    pub fn of_symbols(
        regions: &Regions,
        symbols: &SymbolTable,
        is_selected: impl Fn(foldtrace_trace::EventKind) -> bool,
    ) -> Vec<Self> {
        let effects = symbols.iter().map(|(id, symbol)| Self {
            calls: match regions.action(id.row()) {
                Action::None => CallEffect::None,
                Action::Leave(callee) => CallEffect::Leave(callee),
                Action::Enter(callee, region) => {
                    let region = regions.regions().get(region.0 as usize);
                    let is_mpi = region.is_some_and(|it| it.paradigm == Paradigm::Mpi);
                    CallEffect::Enter { callee, is_mpi }
                }
            },
            is_selected: is_selected(symbol.kind),
        });
        effects.collect()
    }

    /// Returns whether the events enter MPI.
    pub const fn enters_mpi(&self) -> bool {
        matches!(self.calls, CallEffect::Enter { is_mpi: true, .. })
    }
}

/// The state of a process.
#[derive(Debug)]
pub(crate) struct Lane<'a> {
    pub location: LocationId,
    /// The clocks at the first event; `None` before it.
    pub start: Option<Clocks>,
    pub now: Clocks,
    open: CallStack<CalleeIndex, bool>,
    /// The number of open calls of MPI, which may call each other.
    open_in_mpi: u32,
    /// The clocks at which the outermost open call of MPI was entered.
    entered: Clocks,
    phases: PhaseClock<'a, Clocks>,
    /// The times of each phase.
    totals: Vec<Clocks>,
}

impl<'a> Lane<'a> {
    /// Creates the state of a process before its first event. There are `phases` phases, through which `cursor` leads.
    pub fn new(location: LocationId, cursor: PhaseCursor<'a>, phases: usize) -> Self {
        Self {
            location,
            start: None,
            now: Clocks::default(),
            open: CallStack::default(),
            open_in_mpi: 0,
            entered: Clocks::default(),
            phases: PhaseClock::new(cursor),
            totals: vec![Clocks::default(); phases],
        }
    }

    /// Takes the next event. Time outside of MPI passes on all clocks, time within only on the recorded one.
    #[inline]
    pub fn pass(&mut self, time: Timestamp, effect: Effect, iterations: &mut Iterations<'_>) {
        if self.start.is_none() {
            self.now.recorded = time.0;
            self.now.ideal = time.0;
            self.start = Some(self.now);
        }
        let ticks = time.0.saturating_sub(self.now.recorded);
        self.now.recorded += ticks;
        if self.open_in_mpi == 0 {
            self.now.ideal += ticks;
            self.now.useful += ticks;
        }
        match effect.calls {
            CallEffect::None => {}
            CallEffect::Enter { callee, is_mpi } => {
                self.open.enter(callee, is_mpi);
                if is_mpi {
                    if self.open_in_mpi == 0 {
                        self.entered = self.now;
                    }
                    self.open_in_mpi += 1;
                }
            }
            CallEffect::Leave(callee) => {
                if self.open.leave(callee).is_some_and(|left| left.call) {
                    self.open_in_mpi -= 1;
                    if self.open_in_mpi == 0 {
                        let ended = ended(&mut self.totals, iterations);
                        self.phases.leave(self.now, ended);
                    }
                }
            }
        }
        if effect.is_selected {
            let entered = (self.open_in_mpi > 0).then_some(self.entered);
            let ended = ended(&mut self.totals, iterations);
            self.phases.advance(self.now, entered, ended);
        }
    }

    /// Lets the process wait on the ideal network until a time.
    pub fn wait(&mut self, until: u64) {
        self.now.ideal = self.now.ideal.max(until);
    }

    /// Ends the process. Returns the times of each phase.
    pub fn finish(&mut self, iterations: &mut Iterations<'_>) -> Vec<Clocks> {
        let ended = ended(&mut self.totals, iterations);
        self.phases.end(self.now, ended);
        std::mem::take(&mut self.totals)
    }
}

/// Returns what to do with an iteration that ends: it counts for its phase, and for all processes.
fn ended(
    totals: &mut [Clocks],
    iterations: &mut Iterations<'_>,
) -> impl FnMut(Iteration, Clocks, Clocks) {
    |iteration, begin, end| {
        let ticks = end.since(begin);
        if let Some(total) = totals.get_mut(iteration.phase.0 as usize) {
            *total = total.plus(ticks);
        }
        iterations.add(iteration, ticks);
    }
}
