//! Replays a program from its merged model, without the trace.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use foldtrace_fold::merge::{End, Process, Role, Schedule, Wiring};
use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, Model};
use foldtrace_trace::{
    ErrorKind, EventKind, Place, Remedy, Symbol, SymbolId, SymbolTable, TraceError, UNDEFINED,
};

use super::{ChannelJson, ConstructJson, EndJson, MemberJson, ProgramJson, ProgramLabels};
use crate::json::NumberJson;
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
        let programs: Vec<ProgramJson> = serde_json::from_slice(bytes)
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

    fn from_loops(program: &ProgramJson) -> Result<Self, String> {
        let is_message = |channel: &&ChannelJson| matches!(channel, ChannelJson::Messages { .. });
        let messages = program.channels.iter().take_while(is_message).count();
        let mut wiring = Wiring::new(messages as u32);
        for _ in messages..program.channels.len() {
            wiring.add_collective();
        }
        let mut replayed = Self {
            labels: program.processes.iter().map(|p| p.label.clone()).collect(),
            models: Vec::new(),
            wiring,
            symbols: SymbolTable::unbounded(),
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
    fn sequence(
        &mut self,
        constructs: &[ConstructJson],
        depth: usize,
    ) -> Result<Vec<Vec<Construct>>, String> {
        if depth > MAX_DEPTH {
            return Err(format!("loops nested deeper than {MAX_DEPTH}"));
        }
        let mut bodies: Vec<Vec<Construct>> = vec![Vec::new(); self.labels.len()];
        for construct in constructs {
            let processes = construct.processes.iter();
            let processes: Vec<usize> = processes.map(|&process| process as usize).collect();
            if processes.iter().any(|&process| process >= bodies.len()) {
                return Err("a construct whose process is not in the list of processes".to_owned());
            }
            if let Some(repeated) = &construct.repeated {
                let base = i64::try_from(repeated.count);
                let base = base.map_err(|_| "a loop with too many iterations")?;
                let mut inner = self.sequence(&repeated.body, depth + 1)?;
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
            let (members, is_collective) = match (&construct.event, &construct.collective) {
                (Some(event), _) => (std::slice::from_ref(event), false),
                (None, Some(members)) => (&members[..], true),
                (None, None) => {
                    return Err("a construct that is neither an event nor a loop".to_owned());
                }
            };
            for (process, member) in processes.into_iter().zip(members) {
                let symbol = self.event(Process(process as u32), member, is_collective);
                bodies[process].push(Construct::Event(EventConstruct {
                    symbol: symbol.ok_or("an event without a known kind")?,
                    steps: Vec::new(),
                }));
            }
        }
        Ok(bodies)
    }

    /// Adds an event of a process. Returns `None` if its kind is unknown.
    fn event(
        &mut self,
        process: Process,
        member: &MemberJson,
        is_collective: bool,
    ) -> Option<SymbolId> {
        let event = &member.event;
        let kind = EventKind::from_name(&event.kind)?;
        let operands =
            kind.operands()
                .iter()
                .map(|operand| match event.operands.get(operand.name()) {
                    Some(NumberJson::Constant(number)) => number.as_u64().unwrap_or(UNDEFINED),
                    _ => UNDEFINED,
                });
        let operands: Vec<u64> = operands.collect();
        let symbol = self.symbols.intern(Symbol::new(kind, &operands));
        self.texts
            .entry((process, symbol))
            .or_insert_with(|| event.text.clone());
        let ends = member.ends.iter().flatten();
        let ends: Vec<End> = ends.map(EndJson::end).collect();
        if is_collective || !ends.is_empty() {
            let role = Role {
                ends,
                is_collective,
                synchronises: member.synchronises,
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
