//! The labels of states, of types of events and of their values: a `.pcf` file.
//!
//! Its sections begin with a keyword on a line of its own. A block of `EVENT_TYPE` has one or more types, each with a colour,
//! a number and a label, and, after `VALUES`, the values that all of them share. Colours and options are left out.

use std::collections::HashMap;
use std::sync::Arc;

use crate::extrae;

/// The labels of the values of a type.
pub(crate) type Values = HashMap<u64, String>;

/// The labels of a type of events.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypeLabels {
    pub name: Option<String>,
    /// The labels of values; `None` if values are plain numbers.
    pub values: Option<Arc<Values>>,
}

/// The labels of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    states: Values,
    types: HashMap<u64, TypeLabels>,
}

/// The section that contains a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Other,
    States,
    Types,
    Values,
}

impl Section {
    /// Returns the section that a line begins.
    fn beginning_with(line: &str) -> Option<Self> {
        match line {
            "STATES" => Some(Self::States),
            "EVENT_TYPE" => Some(Self::Types),
            "VALUES" => Some(Self::Values),
            "DEFAULT_OPTIONS" | "DEFAULT_SEMANTIC" | "STATES_COLOR" | "GRADIENT_COLOR"
            | "GRADIENT_NAMES" => Some(Self::Other),
            _ => None,
        }
    }
}

impl Labels {
    /// Parses a `.pcf` file. Lines that are not understood are left out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut labels = Self::default();
        let mut section = Section::Other;
        // The types of the current block, and the values that they share.
        let mut block = Vec::new();
        let mut values = Values::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(next) = Section::beginning_with(line) {
                if next != Section::Values {
                    labels.share(&mut block, &mut values);
                }
                section = next;
                continue;
            }
            match section {
                Section::Other => {}
                Section::States => {
                    labels.states.extend(numbered(line));
                }
                Section::Types => {
                    let label = line.split_once(char::is_whitespace);
                    if let Some((number, name)) = label.and_then(|(_, rest)| numbered(rest.trim()))
                    {
                        labels.types.entry(number).or_default().name = Some(name);
                        block.push(number);
                    }
                }
                Section::Values => values.extend(numbered(line)),
            }
        }
        labels.share(&mut block, &mut values);
        labels
    }

    /// Ends a block: its types share its values.
    fn share(&mut self, block: &mut Vec<u64>, values: &mut Values) {
        let values = std::mem::take(values);
        let shared = (!values.is_empty()).then(|| Arc::new(values));
        for number in block.drain(..) {
            if let Some(labels) = self.types.get_mut(&number)
                && shared.is_some()
            {
                labels.values.clone_from(&shared);
            }
        }
    }

    /// Returns the label of a state.
    pub(crate) fn state(&self, state: u64) -> String {
        let label = self.states.get(&state).cloned();
        let known = || extrae::state(state).map(str::to_owned);
        label
            .or_else(known)
            .unwrap_or_else(|| format!("State {state}"))
    }

    /// Returns the labels of a type of events. Those that Extrae defines are known without a file.
    pub(crate) fn of_type(&self, number: u64) -> TypeLabels {
        if let Some(labels) = self.types.get(&number) {
            return labels.clone();
        }
        let Some((name, values)) = extrae::calls(number) else {
            return TypeLabels::default();
        };
        let values = values.into_iter();
        TypeLabels {
            name: Some(name.to_owned()),
            values: Some(Arc::new(
                values
                    .map(|(value, name)| (value, name.to_owned()))
                    .collect(),
            )),
        }
    }

    /// Returns the numbers of all types that have labels.
    pub(crate) fn types(&self) -> impl Iterator<Item = u64> {
        self.types.keys().copied()
    }
}

/// Splits a line into a number and the text after it.
fn numbered(line: &str) -> Option<(u64, String)> {
    let (number, text) = line.split_once(char::is_whitespace)?;
    let number = match number.parse() {
        Ok(number) => number,
        Err(_) => number.parse::<i64>().ok()? as u64,
    };
    Some((number, text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_block_share_its_values() {
        let labels = Labels::parse(
            "\
DEFAULT_OPTIONS
LEVEL               THREAD

STATES
0    Idle
1    Running in  a loop
STATES_COLOR
0    {117,195,255}

EVENT_TYPE
6    40000001    Application
6    40000003    Flushing Traces
VALUES
1      Begin
0      End

EVENT_TYPE
0 42000050 PAPI_TOT_INS (Instr completed)
EVENT_TYPE
9\t77\tMode
VALUES
-1\tunknown
",
        );
        assert_eq!(labels.state(1), "Running in  a loop");
        assert_eq!(labels.state(3), "Waiting a message");
        assert_eq!(labels.state(99), "State 99");
        for number in [40_000_001, 40_000_003] {
            let values = labels.of_type(number).values.unwrap();
            assert_eq!((&*values[&1], &*values[&0]), ("Begin", "End"));
        }
        let counter = labels.of_type(42_000_050);
        assert_eq!(
            counter.name.as_deref(),
            Some("PAPI_TOT_INS (Instr completed)")
        );
        assert!(counter.values.is_none());
        assert_eq!(labels.of_type(77).values.unwrap()[&u64::MAX], "unknown");
        assert_eq!(labels.types().count(), 4);
    }
}
