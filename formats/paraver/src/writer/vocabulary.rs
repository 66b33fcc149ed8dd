//! The types of events that a trace has, with the labels of their values: the content of a `.pcf` file.

use std::collections::HashMap;
use std::fmt::Write as _;

use foldhash::fast::FixedState;
use foldtrace_mpi::mpi_name;
use indexmap::IndexMap;

use super::program::line;
use crate::extrae;

/// The first types of metrics whose values count from one to the next, of other metrics, of parameters, and of other events.
const COUNTERS: u64 = 42_000_000;
const METRICS: u64 = 90_000_000;
const PARAMETERS: u64 = 91_000_000;
const KINDS: u64 = 92_000_000;

/// The first value of routines of MPI to which Extrae gives none.
const OTHER_ROUTINES: u64 = 1_000;

/// The colours of states, by number, as Paraver has them.
const STATE_COLOURS: [[u8; 3]; 15] = [
    [117, 195, 255],
    [0, 0, 255],
    [255, 255, 255],
    [255, 0, 0],
    [255, 0, 174],
    [179, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [235, 0, 0],
    [0, 162, 0],
    [255, 0, 255],
    [100, 100, 177],
    [172, 174, 41],
    [255, 144, 26],
    [2, 255, 177],
];

/// The events that begin a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallCode {
    pub event_type: u64,
    pub value: u64,
    /// The state of a thread in the call; `None` if the call does not change it.
    pub state: Option<u64>,
    /// The code of the collective operation that the routine performs.
    pub operation: Option<u64>,
}

/// A type of events.
#[derive(Clone, Debug, Default)]
struct EventType {
    name: String,
    /// The labels of values. Types without any have plain numbers.
    values: IndexMap<u64, String>,
    /// The values by label.
    by_label: HashMap<String, u64, FixedState>,
}

/// All types of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Vocabulary {
    types: IndexMap<u64, EventType>,
    by_name: HashMap<(u64, String), u64, FixedState>,
    states: IndexMap<String, u64>,
}

impl Default for Vocabulary {
    /// Creates the types of a trace without events. Functions are among them, so that states are not taken for calls.
    fn default() -> Self {
        let mut vocabulary = Self {
            types: IndexMap::default(),
            by_name: HashMap::default(),
            states: IndexMap::default(),
        };
        vocabulary.calls(extrae::USER_FUNCTION);
        vocabulary
    }
}

impl Vocabulary {
    /// Returns a type of calls.
    fn calls(&mut self, event_type: u64) -> &mut EventType {
        self.types.entry(event_type).or_insert_with(|| {
            let name = extrae::calls(event_type).map_or("", |(name, _)| name);
            EventType {
                name: name.to_owned(),
                values: IndexMap::from([(0, "End".to_owned())]),
                by_label: HashMap::default(),
            }
        })
    }

    /// Returns the events that begin calls of a region, by its name and its paradigm in OTF2.
    pub(crate) fn call(&mut self, name: &str, paradigm: Option<u64>) -> CallCode {
        const OPENMP: u64 = 3;
        let name = line(name);
        let routine = mpi_name(&name);
        let state = routine.as_deref().map(extrae::state_in);
        let operation = foldtrace_mpi::blocking_collective(&name).map(|code| code as u64);
        let (event_type, preferred) = match routine.as_deref().map(extrae::routine) {
            Some(Some((number, value))) => (number, Some(value)),
            Some(None) => (extrae::OTHER, None),
            None if paradigm == Some(OPENMP) => (extrae::PARALLEL_FUNCTION, None),
            None => (extrae::USER_FUNCTION, None),
        };
        let first = if routine.is_some() { OTHER_ROUTINES } else { 1 };
        CallCode {
            event_type,
            value: self.calls(event_type).value(&name, preferred, first),
            state,
            operation,
        }
    }

    /// Returns the events that begin a call of a region within another call of MPI, which Extrae does not nest.
    pub(crate) fn nested_call(&mut self, name: &str) -> CallCode {
        let functions = self.calls(extrae::USER_FUNCTION);
        CallCode {
            event_type: extrae::USER_FUNCTION,
            value: functions.value(&line(name), None, 1),
            state: None,
            operation: None,
        }
    }

    /// Returns the type of the values of a metric; `counts` says whether they count from one to the next.
    pub(crate) fn metric(&mut self, name: &str, counts: bool) -> u64 {
        self.named(if counts { COUNTERS } else { METRICS }, name)
    }

    /// Returns the type of the values of a parameter.
    pub(crate) fn parameter(&mut self, name: &str) -> u64 {
        self.named(PARAMETERS, name)
    }

    /// Returns the type of the events of a kind that Paraver does not have.
    pub(crate) fn kind(&mut self, name: &str) -> u64 {
        self.named(KINDS, name)
    }

    fn named(&mut self, first: u64, name: &str) -> u64 {
        let name = line(name);
        let key = (first, name);
        if let Some(&known) = self.by_name.get(&key) {
            return known;
        }
        let of_family = self.by_name.keys().filter(|(family, _)| *family == first);
        let number = first + of_family.count() as u64;
        let name = key.1.clone();
        self.by_name.insert(key, number);
        self.types.insert(
            number,
            EventType {
                name,
                ..EventType::default()
            },
        );
        number
    }

    /// Returns the value of a type that has this label.
    pub(crate) fn value(&mut self, event_type: u64, label: &str) -> u64 {
        let labels = self.types.entry(event_type).or_default();
        labels.value(&line(label), None, 1)
    }

    /// Returns the number of a state with this name.
    pub(crate) fn state(&mut self, name: &str) -> u64 {
        const FIRST_UNKNOWN: usize = 100;
        let name = line(name);
        let known = extrae::STATES.iter().position(|state| *state == name);
        let others = self.states.len();
        *self
            .states
            .entry(name)
            .or_insert_with(|| known.unwrap_or(FIRST_UNKNOWN + others) as u64)
    }

    /// Returns the file of labels.
    pub(crate) fn labels(&self) -> String {
        let mut text = String::from(
            "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\
             LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n\
             NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n\
             DEFAULT_SEMANTIC\n\nTHREAD_FUNC         State As Is\n\n\nSTATES\n",
        );
        let known = (0..).zip(extrae::STATES);
        let others = self.states.iter().map(|(name, &state)| (state, &**name));
        let others = others.filter(|&(state, _)| extrae::state(state).is_none());
        for (state, name) in known.chain(others) {
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{state}    {name}");
        }
        text.push_str("\n\nSTATES_COLOR\n");
        for (state, [red, green, blue]) in STATE_COLOURS.iter().enumerate() {
            let _ = writeln!(text, "{state}    {{{red},{green},{blue}}}");
        }
        for (number, labels) in &self.types {
            let _ = writeln!(text, "\n\nEVENT_TYPE\n0    {number}    {}", labels.name);
            if !labels.values.is_empty() {
                text.push_str("VALUES\n");
            }
            for (value, label) in &labels.values {
                let _ = writeln!(text, "{value}      {label}");
            }
        }
        text
    }
}

impl EventType {
    /// Returns the value with a label: if it is new, the preferred one, or else the next one from `first` on.
    fn value(&mut self, label: &str, preferred: Option<u64>, first: u64) -> u64 {
        if let Some(&known) = self.by_label.get(label) {
            return known;
        }
        let preferred = preferred.filter(|value| !self.values.contains_key(value));
        let value = preferred.unwrap_or_else(|| {
            let mut value = first + self.by_label.len() as u64;
            while self.values.contains_key(&value) {
                value += 1;
            }
            value
        });
        self.values.insert(value, label.to_owned());
        self.by_label.insert(label.to_owned(), value);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::Labels;

    #[test]
    fn each_spelling_of_a_routine_keeps_its_name() {
        let mut vocabulary = Vocabulary::default();
        let send = vocabulary.call("MPI_Send", None);
        assert_eq!((send.event_type, send.value), (50_000_001, 1));
        let fortran = vocabulary.call("mpi_send_", None);
        assert_eq!(fortran.event_type, 50_000_001);
        assert_ne!(fortran.value, 1);
        let new = vocabulary.call("MPI_Session_init", None);
        assert_eq!((new.event_type, new.value), (50_000_003, 1_000));
        let reduce = vocabulary.call("MPI_Reduce_scatter", None);
        assert_eq!(
            (reduce.event_type, reduce.operation),
            (50_000_002, Some(13))
        );
        let work = vocabulary.call("work\nhard", None);
        assert_eq!((work.event_type, work.value), (60_000_019, 1));
        assert_eq!(vocabulary.call("work\nhard", None), work);
        let labels = Labels::parse(&vocabulary.labels());
        for (code, name) in [
            (send, "MPI_Send"),
            (fortran, "mpi_send_"),
            (new, "MPI_Session_init"),
            (work, "work hard"),
        ] {
            let values = labels.of_type(code.event_type).values.unwrap();
            assert_eq!(values[&code.value], name);
        }
    }

    #[test]
    fn metrics_parameters_and_states_have_numbers_of_their_own() {
        let mut vocabulary = Vocabulary::default();
        let counter = vocabulary.metric("PAPI_TOT_INS", true);
        assert!(extrae::is_counter(counter));
        assert_eq!(vocabulary.metric("PAPI_TOT_INS", true), counter);
        assert_ne!(vocabulary.metric("power", false), counter);
        let mode = vocabulary.parameter("mode");
        assert_eq!(vocabulary.value(mode, "fast"), 1);
        assert_eq!(vocabulary.value(mode, "slow"), 2);
        assert_eq!(vocabulary.state("Running"), 1);
        let own = vocabulary.state("Dreaming");
        let labels = Labels::parse(&vocabulary.labels());
        assert_eq!(labels.state(own), "Dreaming");
        assert_eq!(labels.of_type(mode).values.unwrap()[&2], "slow");
        assert!(labels.of_type(counter).values.is_none());
    }
}
