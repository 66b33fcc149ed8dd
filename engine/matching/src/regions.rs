//! Regions: what symbols enter and leave, and the programming model that each region belongs to.
//!
//! Regions of the same name are one region here, because some traces define a region once per process.

use foldhash::fast::FixedState;
use foldtrace_trace::{
    DefinitionKind, Definitions, EventKind, Names, Operand, Symbol, SymbolTable,
};
use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};

/// The programming model that a region belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Paradigm {
    /// The program itself, and everything that belongs to no other paradigm.
    Computation,
    /// MPI.
    Mpi,
    /// OpenMP.
    OpenMp,
    /// Other communication: GASPI, UPC, SHMEM.
    Communication,
    /// Threads and tasks: POSIX threads, OmpSs and others.
    Threads,
    /// Accelerators: CUDA, HIP, OpenCL, OpenACC and others.
    Accelerator,
    /// Input and output of files.
    Io,
    /// The recording of the trace.
    Measurement,
}

impl Paradigm {
    /// All paradigms.
    pub const ALL: [Self; 8] = [
        Self::Computation,
        Self::Mpi,
        Self::OpenMp,
        Self::Communication,
        Self::Threads,
        Self::Accelerator,
        Self::Io,
        Self::Measurement,
    ];

    /// Returns the name in JSON and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Computation => "computation",
            Self::Mpi => "mpi",
            Self::OpenMp => "openmp",
            Self::Communication => "communication",
            Self::Threads => "threads",
            Self::Accelerator => "accelerator",
            Self::Io => "io",
            Self::Measurement => "measurement",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Mpi => "MPI",
            Self::OpenMp => "OpenMP",
            Self::Io => "I/O",
            other => other.name(),
        }
    }

    /// Returns the paradigm of a region other than an MPI routine from its name, and from the role and the paradigm of
    /// its definition (OTF2's codes).
    fn of_region(name: &str, role: Option<u64>, paradigm: Option<u64>) -> Self {
        const FILE_IO: [u64; 2] = [27, 38];
        if role.is_some_and(|role| FILE_IO.contains(&role)) {
            return Self::Io;
        }
        match paradigm {
            Some(3) => Self::OpenMp,
            Some(4) => Self::Mpi,
            Some(6) => Self::Measurement,
            Some(11..=13) => Self::Communication,
            Some(7 | 9 | 14..=17 | 20) => Self::Threads,
            Some(5 | 8 | 18..=19 | 23) => Self::Accelerator,
            _ if name.starts_with("!$omp") => Self::OpenMp,
            _ => Self::Computation,
        }
    }
}

/// A region that symbols enter or leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The name; `region 7` if the trace does not name region 7.
    pub name: String,
    /// The programming model.
    pub paradigm: Paradigm,
}

/// The index of a region in [`Regions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RegionIndex(pub u32);

/// The index of a callee: a region or calling context as the source identifies it. A leave ends a call of the same
/// callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CalleeIndex(pub u32);

/// The effect of an event on the calls of its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The event neither enters nor leaves a call.
    None,
    /// The event enters a call.
    Enter(CalleeIndex, RegionIndex),
    /// The event leaves a call.
    Leave(CalleeIndex),
}

/// The regions of a trace, and the effect of each symbol on calls.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    regions: Vec<Region>,
    /// By row of the table of symbols.
    actions: Vec<Action>,
}

impl Regions {
    /// Returns the regions that `symbols` enter or leave, in the order of the rows of that table.
    #[must_use]
    pub fn new(definitions: &Definitions, names: &Names, symbols: &SymbolTable) -> Self {
        let defined = definitions.records(DefinitionKind::Region);
        // If an id is defined twice, the later definition applies.
        let defined: IndexMap<u64, _, FixedState> = defined.map(|r| (r.get(0), r)).collect();
        let mut callees: IndexSet<(bool, Option<u64>), FixedState> = IndexSet::default();
        let mut regions: IndexMap<String, Paradigm, FixedState> = IndexMap::default();
        let mut action = |symbol: Symbol| {
            let (is_context, enters) = match symbol.kind {
                EventKind::Enter => (false, true),
                EventKind::Leave => (false, false),
                EventKind::CallingContextEnter => (true, true),
                EventKind::CallingContextLeave => (true, false),
                _ => return Action::None,
            };
            let operand = if is_context {
                Operand::CallingContext
            } else {
                Operand::Region
            };
            let (callee, _) = callees.insert_full((is_context, symbol.get(operand)));
            let callee = CalleeIndex(callee as u32);
            if !enters {
                return Action::Leave(callee);
            }
            let id = names.callee(&symbol);
            let name = names.region_name(&symbol);
            let record = id.and_then(|id| defined.get(&id));
            let field = |field| record.and_then(|record| record.field(field));
            // EZTrace defines MPI routines as functions of the user.
            let paradigm = match names.mpi_name(&symbol) {
                Some(_) => Paradigm::Mpi,
                None => Paradigm::of_region(&name, field("role"), field("paradigm")),
            };
            let entry = regions.entry(name);
            let index = RegionIndex(entry.index() as u32);
            entry.or_insert(paradigm);
            Action::Enter(callee, index)
        };
        let actions = symbols.iter().map(|(_, symbol)| action(symbol)).collect();
        let regions = regions.into_iter();
        Self {
            regions: regions
                .map(|(name, paradigm)| Region { name, paradigm })
                .collect(),
            actions,
        }
    }

    /// Returns the effect of the events in a row of the table of symbols.
    #[must_use]
    #[inline]
    pub fn action(&self, row: usize) -> Action {
        self.actions.get(row).copied().unwrap_or(Action::None)
    }

    /// Returns the regions that are entered, by index.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }
}
