//! Replays a program from its merged model, without the trace.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use foldtrace_fold::merge::{Channel, Process, Role, Schedule, Wiring};
use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, Model};
use foldtrace_trace::{
    ErrorKind, EventKind, Place, Remedy, Symbol, SymbolId, SymbolTable, TraceError, UNDEFINED,
};
use serde_json::Value;

use super::{ProgramLabels, ProgramLoops};
use crate::local::MAX_DEPTH;

/// A program that is ready to be replayed, from a store or from JSON.
#[derive(Clone, Debug)]
pub struct ReplayedProgram {
    labels: Vec<String>,
    models: Vec<Model>,
    wiring: Wiring,
    symbols: SymbolTable,
    /// The text of each event.
    texts: HashMap<(Process, SymbolId), String>,
}

impl ReplayedProgram {
    /// Reads a model in the format of `loops --global --format json`.
    ///
    /// # Errors
    /// If `bytes` are not such a model; the message names `path`.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, TraceError> {
        let malformed = |message: String| {
            TraceError::new(ErrorKind::Malformed, message)
                .at(Place::file(path))
                .remedy(Remedy::WriteProgramModel)
        };
        let no_model = || format!("{} is not the model of a program", path.display());
        let programs: Vec<ProgramLoops> = serde_json::from_slice(bytes)
            .map_err(|error| malformed(no_model()).caused_by(error))?;
        let [program] = &programs[..] else {
            return Err(malformed(no_model()));
        };
        Self::from_loops(program).map_err(|problem| malformed(format!("the model has {problem}")))
    }

    /// Creates the replay of a program of a store.
    #[must_use]
    pub fn new(words: &ProgramLabels<'_>) -> Self {
        let (program, model) = (words.program, &words.program.model);
        let models: Vec<Model> = model.processes().map(|p| model.project(p)).collect();
        let mut texts = HashMap::new();
        for (process, model) in model.processes().zip(&models) {
            each_event(&model.constructs, &mut |symbol| {
                let text = texts.entry((process, symbol));
                text.or_insert_with(|| words.exact(process, symbol));
            });
        }
        Self {
            labels: model.processes().map(|p| words.process(p)).collect(),
            models,
            wiring: program.wires.wiring.clone(),
            symbols: words.symbols.clone(),
            texts,
        }
    }

    fn from_loops(program: &ProgramLoops) -> Result<Self, String> {
        let is_message = |channel: &&Value| channel.get("sender").is_some();
        let messages = program.channels.iter().take_while(is_message).count();
        let mut wiring = Wiring::new(messages as u32);
        for _ in messages..program.channels.len() {
            wiring.add_collective();
        }
        let mut replayed = Self {
            labels: program.processes.iter().map(|p| p.label.clone()).collect(),
            models: Vec::new(),
            wiring,
            symbols: SymbolTable::default(),
            texts: HashMap::new(),
        };
        let bodies = replayed.sequence(&program.model, 0)?;
        for (process, entry) in program.processes.iter().enumerate() {
            replayed.models.push(Model {
                constructs: bodies.get(process).cloned().unwrap_or_default().into(),
                events: entry.events,
            });
        }
        Ok(replayed)
    }

    /// Returns the events and loops of each process in a list of constructs.
    fn sequence(&mut self, nodes: &[Value], depth: usize) -> Result<Vec<Vec<Construct>>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("loops nested deeper than {MAX_DEPTH}"));
        }
        let mut bodies: Vec<Vec<Construct>> = vec![Vec::new(); self.labels.len()];
        for node in nodes {
            let processes = node.get("processes").and_then(Value::as_array);
            let numbers = processes.ok_or("a construct without processes")?.iter();
            let processes: Option<Vec<usize>> =
                numbers.map(|n| usize::try_from(n.as_u64()?).ok()).collect();
            let processes = processes.unwrap_or_default();
            if processes.iter().any(|&process| process >= bodies.len()) {
                return Err("a construct whose process is not in the list of processes".to_owned());
            }
            if let Some(inner) = node.get("loop") {
                let count = inner.get("count").and_then(Value::as_i64);
                let body = inner.get("body").and_then(Value::as_array);
                let (Some(base), Some(body)) = (count, body) else {
                    return Err("a loop without a count or a body".to_owned());
                };
                let mut inner = self.sequence(body, depth + 1)?;
                for process in processes {
                    bodies[process].push(Construct::Loop(LoopConstruct {
                        count: Count {
                            base,
                            steps: Vec::new(),
                        },
                        body: std::mem::take(&mut inner[process]).into(),
                    }));
                }
                continue;
            }
            let (members, is_collective) = match (node.get("event"), node.get("collective")) {
                (Some(event), _) => (std::slice::from_ref(event), false),
                (None, Some(Value::Array(members))) => (&members[..], true),
                _ => return Err("a construct that is neither an event nor a loop".to_owned()),
            };
            for (process, event) in processes.into_iter().zip(members) {
                let symbol = self.event(Process(process as u32), event, is_collective);
                let symbol =
                    symbol.ok_or("an event without a kind or a text, or with invalid ends")?;
                bodies[process].push(Construct::Event(EventConstruct {
                    symbol,
                    steps: Vec::new(),
                }));
            }
        }
        Ok(bodies)
    }

    fn event(&mut self, process: Process, event: &Value, is_collective: bool) -> Option<SymbolId> {
        let kind = EventKind::from_name(event.get("kind")?.as_str()?)?;
        let operands = kind.operands().iter();
        let operands = operands.map(|operand| event.get(operand.name()).and_then(Value::as_u64));
        let operands: Vec<u64> = operands.map(|value| value.unwrap_or(UNDEFINED)).collect();
        let symbol = self.symbols.intern(Symbol::new(kind, &operands));
        let text = event.get("text")?.as_str()?;
        self.texts
            .entry((process, symbol))
            .or_insert_with(|| text.to_owned());
        let mut ends = Vec::new();
        for end in event
            .get("ends")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let channel = Channel(u32::try_from(end.get("channel")?.as_u64()?).ok()?);
            ends.push(match end.get("end")?.as_str()? {
                "source" => channel.source(),
                "sink" => channel.sink(),
                _ => return None,
            });
        }
        if is_collective || !ends.is_empty() {
            let role = Role {
                ends,
                is_collective,
                synchronises: event.get("synchronises").and_then(Value::as_bool) == Some(true),
            };
            self.wiring.set(process, symbol, role);
        }
        Some(symbol)
    }

    /// Writes the events of all processes in a legal order. Returns the number of events that were written without an
    /// event that has to come first, because that event never comes.
    ///
    /// # Errors
    /// If `output` cannot be written.
    pub fn write(&self, output: &mut impl Write) -> io::Result<u64> {
        let mut schedule = Schedule::new(&self.models, &self.wiring, &self.symbols);
        for happening in schedule.by_ref() {
            let label = &self.labels[happening.process.index()];
            let text = self.texts.get(&(happening.process, happening.symbol));
            let text = text.map_or("", String::as_str);
            writeln!(output, "{label}:{}\t{text}", happening.position)?;
        }
        Ok(schedule.forced())
    }
}

/// Calls `take` for each event of a model as written.
fn each_event(constructs: &[Construct], take: &mut impl FnMut(SymbolId)) {
    for construct in constructs {
        match construct {
            Construct::Event(event) => take(event.symbol),
            Construct::Loop(l) => each_event(&l.body, take),
        }
    }
}
