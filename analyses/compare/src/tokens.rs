//! Selects the events whose repetition defines the loops that are compared, independent of ranks and ids.
//!
//! These are the calls of MPI and other runtimes, and sends with their tags but without their peers, so that a loop is
//! the same in all processes, on any number of processes. Calls that only ask for a state, such as `MPI_Test`, are not
//! selected, because their number is different in each run. In a trace without such calls, loops consist of messages
//! and collective operations, or else of all calls.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use foldtrace_fold::Shapes;
use foldtrace_matching::{Action, CalleeIndex, Paradigm, Regions};
use foldtrace_mpi::{has_message, mpi_routine};
use foldtrace_store::StoreReader;
use foldtrace_trace::{
    COLLECTIVES, EventKind, Operand, Quantity, Symbol, SymbolId, SymbolTable, TraceReader,
};

use crate::ids::{NameId, Vocabulary};

/// MPI routines that only ask for a state, by the beginnings of their names.
const INQUIRIES: [&str; 9] = [
    "test",
    "iprobe",
    "improbe",
    "wtime",
    "wtick",
    "comm_rank",
    "comm_size",
    "get_",
    "initialized",
];

/// What an event does to the calls of its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    None,
    /// Enters a function of the program.
    Enter(CalleeIndex, NameId),
    /// Enters a routine of MPI or of another runtime.
    EnterRuntime(CalleeIndex, NameId),
    /// Leaves a call.
    Leave(CalleeIndex),
}

/// The meaning of a row of the table of symbols.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// What the event does to the calls of its location.
    pub step: Step,
    /// The token that the event is; `None` if it is not selected.
    pub token: Option<SymbolId>,
    /// The name of the token, if the event is not part of a named call.
    pub name: Option<NameId>,
    /// Whether the event sends or receives a message.
    pub is_message: bool,
    /// Whether the event has a number of bytes.
    pub has_bytes: bool,
}

/// The tokens of a store.
#[derive(Debug)]
pub struct Tokens {
    effects: Vec<Effect>,
    symbols: SymbolTable,
    shapes: Shapes,
    /// The name of each row of `symbols`; `None` for events within a named call.
    names: Vec<Option<NameId>>,
    /// The routines that send or receive messages, if the store has messages.
    with_message: HashSet<NameId, FixedState>,
}

/// Which events are tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selected {
    RuntimeCalls,
    Communication,
    AllCalls,
}

impl Tokens {
    /// Selects the tokens of a store, and adds the names of its regions to `vocabulary`.
    pub fn new(store: &StoreReader, vocabulary: &mut Vocabulary) -> Self {
        let regions = Regions::new(store.definitions(), store.names(), store.symbols());
        let is_runtime =
            |paradigm| !matches!(paradigm, Paradigm::Computation | Paradigm::Measurement);
        let called = regions.regions().iter().map(|region| Called {
            name: vocabulary.add(&region.name),
            is_runtime: is_runtime(region.paradigm),
            is_inquiry: is_inquiry(&region.name),
        });
        let called: Vec<Called> = called.collect();
        let has_communication = store
            .symbols()
            .iter()
            .any(|(_, symbol)| symbol.kind.is_communication());
        let selected = if called
            .iter()
            .any(|region| region.is_runtime && !region.is_inquiry)
        {
            Selected::RuntimeCalls
        } else if has_communication {
            Selected::Communication
        } else {
            Selected::AllCalls
        };
        let mut tokens = Self {
            effects: Vec::new(),
            symbols: SymbolTable::default(),
            shapes: Shapes::default(),
            names: Vec::new(),
            with_message: HashSet::default(),
        };
        if store
            .symbols()
            .iter()
            .any(|(_, symbol)| symbol.kind.is_send())
        {
            let with_message = regions
                .regions()
                .iter()
                .filter(|region| has_message(&region.name));
            tokens.with_message = with_message
                .map(|region| vocabulary.add(&region.name))
                .collect();
        }
        for (id, symbol) in store.symbols().iter() {
            let effect = tokens.effect(
                selected,
                &symbol,
                regions.action(id.row()),
                &called,
                vocabulary,
                store,
            );
            tokens.effects.push(effect);
        }
        tokens.shapes.update(&tokens.symbols);
        tokens
    }

    fn effect(
        &mut self,
        selected: Selected,
        symbol: &Symbol,
        action: Action,
        called: &[Called],
        vocabulary: &mut Vocabulary,
        store: &StoreReader,
    ) -> Effect {
        let mut effect = Effect {
            step: Step::None,
            token: None,
            name: None,
            is_message: symbol.kind.is_send() || symbol.kind.is_receive(),
            has_bytes: symbol.kind.quantities().contains(&Quantity::Bytes),
        };
        match action {
            Action::Enter(callee, region) => {
                let Some(region) = called.get(region.0 as usize) else {
                    return effect;
                };
                let is_token = match selected {
                    Selected::RuntimeCalls => region.is_runtime && !region.is_inquiry,
                    Selected::Communication => false,
                    Selected::AllCalls => true,
                };
                if is_token {
                    let token = Symbol::new(EventKind::Enter, &[region.name.0.into()]);
                    effect.token = Some(self.intern(token, Some(region.name)));
                }
                effect.step = if region.is_runtime {
                    Step::EnterRuntime(callee, region.name)
                } else {
                    Step::Enter(callee, region.name)
                };
            }
            Action::Leave(callee) => effect.step = Step::Leave(callee),
            Action::None if selected == Selected::RuntimeCalls && symbol.kind.is_send() => {
                effect.token = Some(self.intern(without_peer(symbol, store.symbols()), None));
            }
            Action::None
                if selected == Selected::Communication && symbol.kind.is_communication() =>
            {
                let operation = symbol.get(Operand::Operation);
                let operation = operation.and_then(|operation| COLLECTIVES.name(operation));
                let name = operation.unwrap_or(symbol.kind.name());
                let name = vocabulary.add(name);
                effect.name = Some(name);
                effect.token = Some(self.intern(without_peer(symbol, store.symbols()), Some(name)));
            }
            Action::None => {}
        }
        effect
    }

    fn intern(&mut self, symbol: Symbol, name: Option<NameId>) -> SymbolId {
        let id = self.symbols.intern(symbol);
        if id.row() == self.names.len() {
            self.names.push(name);
        }
        id
    }

    /// Returns the meaning of the events in a row of the table of symbols.
    #[inline]
    pub fn effect_of(&self, row: usize) -> Option<&Effect> {
        self.effects.get(row)
    }

    /// Returns whether calls of a routine send or receive a message, unless their peer is `MPI_PROC_NULL`.
    pub fn has_message(&self, name: NameId) -> bool {
        self.with_message.contains(&name)
    }

    /// Returns the table of tokens.
    pub const fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Returns the shapes of the tokens.
    pub const fn shapes(&self) -> &Shapes {
        &self.shapes
    }

    /// Returns the name of a token; `None` for an event within a named call.
    pub fn name(&self, token: SymbolId) -> Option<NameId> {
        self.names.get(token.row()).copied().flatten()
    }
}

/// A region that is called.
#[derive(Clone, Copy, Debug)]
struct Called {
    name: NameId,
    is_runtime: bool,
    is_inquiry: bool,
}

fn is_inquiry(name: &str) -> bool {
    let routine = mpi_routine(name);
    routine.is_some_and(|own| INQUIRIES.iter().any(|begin| own.starts_with(begin)))
}

/// Returns the symbol of a message or collective operation without everything that depends on the process. Tags of a
/// trace with many tags are left out, too, because they are likely to differ in each iteration.
fn without_peer(symbol: &Symbol, symbols: &SymbolTable) -> Symbol {
    let operands = symbol.kind.operands().iter();
    let kept = operands.map(|&operand| match operand {
        Operand::Tag if !symbols.has_many_tags() => symbol.get(operand).unwrap_or(0),
        Operand::Operation => symbol.get(operand).unwrap_or(0),
        _ => 0,
    });
    Symbol::new(symbol.kind, &kept.collect::<Vec<_>>())
}
