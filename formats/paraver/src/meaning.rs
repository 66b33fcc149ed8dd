//! The meaning of types of events: calls, parameters, or metrics.
//!
//! A type is one of calls if the label of its value 0 says that something ends, or if Extrae defines it so: any other value
//! begins a call of the region with its label, unless Extrae only tells by it where something happens. The values of other types
//! with labels are parameters, and numbers without labels are metrics.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use foldtrace_mpi::blocking_collective;
use foldtrace_trace::{EventKind, Minter, Symbol, SymbolId, SymbolTable, UNDEFINED, ValueType};

use crate::extrae::{self, OperationPart};
use crate::labels::{Labels, TypeLabels};

/// The name of the parameter that is the state of a thread, and its value between states.
pub(crate) const STATE: &str = "State";
pub(crate) const BETWEEN_STATES: &str = "none";

/// The number of a type among those that occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TypeId(u32);

/// The meaning of the events of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// They begin and end calls. If calls of the type cannot be nested, the next one ends the one before.
    Calls { are_nested: bool },
    /// They set a parameter, with this id.
    Parameter(u64),
    /// They are values of a metric.
    Metric(SymbolId),
    /// They describe a collective operation; where there is none, they are values of a metric.
    Operation(OperationPart, SymbolId),
}

/// The events of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSymbols {
    pub enter: SymbolId,
    pub leave: SymbolId,
    /// The code of the collective operation that the routine performs.
    pub operation: Option<u64>,
}

/// A type that occurs.
#[derive(Debug)]
struct EventType {
    name: String,
    labels: TypeLabels,
    meaning: Meaning,
    /// The paradigm of its calls, as a code of OTF2.
    paradigm: u64,
    /// The calls that values begin.
    calls: HashMap<u64, CallSymbols, FixedState>,
    /// The parameters that values are.
    parameters: HashMap<u64, SymbolId, FixedState>,
}

/// The types of events that occur, and states.
#[derive(Debug, Default)]
pub(crate) struct Types {
    labels: Labels,
    types: Vec<EventType>,
    by_number: HashMap<u64, TypeId, FixedState>,
    /// Whether any type that has labels is one of calls. If not, states are the only calls.
    has_calls: bool,
    state_calls: HashMap<u64, CallSymbols, FixedState>,
    /// The parameter that is the state of a thread; its values are the labels of states.
    state_parameter: Option<u64>,
    state_values: HashMap<Option<u64>, SymbolId, FixedState>,
}

impl Types {
    /// Creates the types of a trace with these labels; `None` if it has no labels.
    pub(crate) fn new(labels: Option<Labels>) -> Self {
        let has_calls = labels.as_ref().is_none_or(|labels| {
            let mut types = labels.types();
            types.any(|number| begins_calls(number, &labels.of_type(number)))
        });
        Self {
            labels: labels.unwrap_or_default(),
            has_calls,
            ..Self::default()
        }
    }

    /// Returns whether states are calls.
    pub(crate) fn has_state_calls(&self) -> bool {
        !self.has_calls
    }

    /// Returns the type with a number, and its meaning.
    #[inline]
    pub(crate) fn find(
        &mut self,
        number: u64,
        minter: &mut Minter,
        symbols: &mut SymbolTable,
    ) -> (TypeId, Meaning) {
        if let Some(&id) = self.by_number.get(&number) {
            return (id, self.types[id.0 as usize].meaning);
        }
        self.add(number, minter, symbols)
    }

    #[cold]
    fn add(
        &mut self,
        number: u64,
        minter: &mut Minter,
        symbols: &mut SymbolTable,
    ) -> (TypeId, Meaning) {
        let labels = self.labels.of_type(number);
        let name = labels.name.clone();
        let name = name.unwrap_or_else(|| format!("Event {number}"));
        let mut metric = || {
            let class = if extrae::is_counter(number) {
                minter.counter(&name, "", ValueType::Int64)
            } else {
                minter.metric(&name, "", ValueType::Int64)
            };
            symbols.intern(Symbol::new(EventKind::Metric, &[class]))
        };
        let meaning = if let Some(part) = OperationPart::of_type(number) {
            Meaning::Operation(part, metric())
        } else if begins_calls(number, &labels) {
            Meaning::Calls {
                are_nested: !extrae::is_mpi(number),
            }
        } else if labels.values.is_some() {
            Meaning::Parameter(minter.parameter(&name))
        } else {
            Meaning::Metric(metric())
        };
        let id = TypeId(self.types.len() as u32);
        self.types.push(EventType {
            name,
            labels,
            meaning,
            paradigm: extrae::paradigm(number).unwrap_or(UNDEFINED),
            calls: HashMap::default(),
            parameters: HashMap::default(),
        });
        self.by_number.insert(number, id);
        (id, meaning)
    }

    /// Returns the events of the call that a value of a type begins.
    #[inline]
    pub(crate) fn call(
        &mut self,
        id: TypeId,
        value: u64,
        minter: &mut Minter,
        symbols: &mut SymbolTable,
    ) -> CallSymbols {
        let of_type = &mut self.types[id.0 as usize];
        if let Some(&known) = of_type.calls.get(&value) {
            return known;
        }
        let region = of_type.region(value);
        let id = minter.region_of(&region, of_type.paradigm);
        let call = call_of(&region, id, symbols);
        of_type.calls.insert(value, call);
        call
    }

    /// Returns the symbol of a parameter with a value.
    #[inline]
    pub(crate) fn parameter(
        &mut self,
        (id, parameter): (TypeId, u64),
        value: u64,
        minter: &mut Minter,
        symbols: &mut SymbolTable,
    ) -> SymbolId {
        let of_type = &mut self.types[id.0 as usize];
        if let Some(&known) = of_type.parameters.get(&value) {
            return known;
        }
        let label = of_type.label(value);
        let text = label.map_or_else(|| (value as i64).to_string(), str::to_owned);
        let symbol = parameter_of(parameter, &text, minter, symbols);
        of_type.parameters.insert(value, symbol);
        symbol
    }

    /// Returns the events of a state that is a call.
    pub(crate) fn state_call(
        &mut self,
        state: u64,
        minter: &mut Minter,
        symbols: &mut SymbolTable,
    ) -> CallSymbols {
        if let Some(&known) = self.state_calls.get(&state) {
            return known;
        }
        let region = self.labels.state(state);
        let call = call_of(&region, minter.region(&region), symbols);
        self.state_calls.insert(state, call);
        call
    }

    /// Returns the symbol of a state that is the value of a parameter; `None` is the time between states.
    pub(crate) fn state_value(
        &mut self,
        state: Option<u64>,
        minter: &mut Minter,
        symbols: &mut SymbolTable,
    ) -> SymbolId {
        if let Some(&known) = self.state_values.get(&state) {
            return known;
        }
        let parameter = *self
            .state_parameter
            .get_or_insert_with(|| minter.parameter(STATE));
        let text = state.map_or_else(
            || BETWEEN_STATES.to_owned(),
            |state| self.labels.state(state),
        );
        let symbol = parameter_of(parameter, &text, minter, symbols);
        self.state_values.insert(state, symbol);
        symbol
    }
}

impl EventType {
    /// Returns whether there is only one value besides 0.
    fn has_one_value(&self) -> bool {
        let values = self.labels.values.as_ref();
        values.is_some_and(|values| values.keys().filter(|&&value| value != 0).count() == 1)
    }

    fn label(&self, value: u64) -> Option<&str> {
        let label = self.labels.values.as_ref()?.get(&value)?;
        (!label.is_empty()).then_some(label)
    }

    /// Returns the name of the region that a value begins.
    fn region(&self, value: u64) -> String {
        match self.label(value) {
            // The type itself says what begins.
            Some(label) if label.eq_ignore_ascii_case("begin") && self.has_one_value() => {
                self.name.clone()
            }
            Some(label) => label.to_owned(),
            None => format!("{} {}", self.name, value as i64),
        }
    }
}

/// Returns whether the values of a type begin and end calls.
fn begins_calls(number: u64, labels: &TypeLabels) -> bool {
    if extrae::is_place(number) {
        return false;
    }
    let Some(values) = &labels.values else {
        return extrae::is_calls(number);
    };
    let Some(zero) = values.get(&0).map(|label| label.to_ascii_lowercase()) else {
        return extrae::is_calls(number);
    };
    ["end", "exit", "leave"].contains(&&*zero)
        || ["end ", "end of ", "exit ", "outside", "not in "]
            .iter()
            .any(|words| zero.starts_with(words))
}

/// Returns the events of calls of a region, by its name and its id.
fn call_of(region: &str, id: u64, symbols: &mut SymbolTable) -> CallSymbols {
    let code = blocking_collective(region);
    CallSymbols {
        enter: symbols.intern(Symbol::new(EventKind::Enter, &[id])),
        leave: symbols.intern(Symbol::new(EventKind::Leave, &[id])),
        operation: code.map(|code| code as u64),
    }
}

fn parameter_of(
    parameter: u64,
    text: &str,
    minter: &mut Minter,
    symbols: &mut SymbolTable,
) -> SymbolId {
    let string = minter.string(text);
    symbols.intern(Symbol::new(
        EventKind::ParameterString,
        &[parameter, string],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_calls_end_with_value_0() {
        let labels = Labels::parse(
            "\
EVENT_TYPE
9 50000001 MPI Point-to-point
VALUES
2 MPI_Recv
0 End
EVENT_TYPE
0 63000001 CUDA library call
VALUES
0 Outside CUDA
4 cudaLaunch
EVENT_TYPE
6 40000012 Tracing
VALUES
0 Disabled
1 Enabled
EVENT_TYPE
6 60000019 User function
EVENT_TYPE
6 42000050 PAPI_TOT_INS
",
        );
        let of_type = |number| begins_calls(number, &labels.of_type(number));
        let calls = [50_000_001, 63_000_001, 60_000_019, 50_000_002];
        assert!(calls.into_iter().all(of_type));
        assert!(![40_000_012, 42_000_050, 7].into_iter().any(of_type));
        // Callers, sampled functions and lines of functions begin nothing.
        let places = [30_000_000, 30_000_101, 60_000_119, 70_000_003, 80_000_001];
        let ended = Labels::parse(
            &places
                .map(|it| format!("EVENT_TYPE\n0 {it} x\nVALUES\n0 End\n1 f\n"))
                .concat(),
        );
        assert!(
            !places
                .into_iter()
                .any(|number| begins_calls(number, &ended.of_type(number)))
        );
        assert!(!Types::new(Some(labels)).has_state_calls());
        assert!(!Types::new(None).has_state_calls());
        assert!(Types::new(Some(Labels::parse("STATES\n0 Idle\n"))).has_state_calls());
    }

    #[test]
    fn regions_have_the_label_of_a_value_or_of_its_type() {
        let labels = Labels::parse(
            "EVENT_TYPE\n6 40000001 Application\nVALUES\n0 End\n1 Begin\n\
             EVENT_TYPE\n6 7 Phase\nVALUES\n0 End\n1 begin\n2 Restart\n",
        );
        let mut types = Types::new(Some(labels));
        let (mut minter, mut symbols) = (Minter::default(), SymbolTable::default());
        for (number, value, region) in [
            (40_000_001, 1, "Application"),
            (40_000_001, 9, "Application 9"),
            (7, 1, "begin"),
            (7, 2, "Restart"),
        ] {
            let (id, meaning) = types.find(number, &mut minter, &mut symbols);
            assert_eq!(meaning, Meaning::Calls { are_nested: true });
            let call = types.call(id, value, &mut minter, &mut symbols);
            let id = minter.region(region);
            assert_eq!(symbols.symbol(call.enter).operands[0], id, "{region}");
        }
    }
}
