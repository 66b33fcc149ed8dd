//! Replays a program from its merged model, without the trace.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::path::Path;

use foldtrace_fold::merge::{End, Process, Role, Schedule, Wiring};
use foldtrace_fold::{Construct, Count, EventConstruct, LoopConstruct, Model, Step};
use foldtrace_trace::{
    ErrorKind, EventKind, Operand, Place, Remedy, Symbol, SymbolId, SymbolTable, SymbolText,
    TraceError, UNDEFINED,
};

use super::{ChannelJson, ConstructJson, EndJson, MemberJson, ProgramJson, ProgramLabels};
use crate::json::NumberJson;
use crate::local::{Affine, MAX_DEPTH};

/// The place of the tag in the text of an event.
const TAG: &str = "{tag}";

/// A program that is ready to be replayed, from a store or from JSON.
#[derive(Clone, Debug)]
pub struct ReplayedProgram {
    labels: Vec<String>,
    models: Vec<Model>,
    wiring: Wiring,
    symbols: SymbolTable,
    /// The text of each event, by its process and the row of its symbol. If the symbols of the row differ in their tags,
    /// it contains [`TAG`] instead of a tag.
    texts: HashMap<(Process, u32), String>,
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
        let wiring = program.wires.wiring.clone();
        let mut rows: BTreeSet<(Process, u32)> = wiring.rows().collect();
        for (process, model) in model.processes().zip(&models) {
            each_event(&model.constructs, &mut |symbol| {
                rows.insert((process, symbol.row_number()));
            });
        }
        let text = |(process, row)| ((process, row), text(words, process, SymbolId::new(row)));
        let texts = rows.into_iter().map(text).collect();
        Self {
            labels: model.processes().map(|p| words.process(p)).collect(),
            models,
            wiring,
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
        let bodies = replayed.sequence(&program.model, &mut Vec::new())?;
        for (process, entry) in program.processes.iter().enumerate() {
            replayed.models.push(Model {
                constructs: bodies.get(process).cloned().unwrap_or_default().into(),
                events: entry.events,
            });
        }
        Ok(replayed)
    }

    /// Returns the events and loops of each process in a list of constructs; `counts` are the numbers of iterations of the
    /// enclosing loops.
    fn sequence(
        &mut self,
        constructs: &[ConstructJson],
        counts: &mut Vec<i64>,
    ) -> Result<Vec<Vec<Construct>>, String> {
        if counts.len() > MAX_DEPTH {
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
                counts.push(base);
                let mut inner = self.sequence(&repeated.body, counts)?;
                counts.pop();
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
                let event = self.event(Process(process as u32), member, is_collective, counts)?;
                bodies[process].push(Construct::Event(event));
            }
        }
        Ok(bodies)
    }

    /// Adds an event of a process that is in loops with these numbers of iterations.
    fn event(
        &mut self,
        process: Process,
        member: &MemberJson,
        is_collective: bool,
        counts: &[i64],
    ) -> Result<EventConstruct, String> {
        let event = &member.event;
        let kind = EventKind::from_name(&event.kind).ok_or("an event without a known kind")?;
        let (mut operands, mut steps) = (Vec::new(), Vec::new());
        for (slot, operand) in (0..).zip(kind.operands()) {
            operands.push(match event.operands.get(operand.name()) {
                Some(NumberJson::Constant(number)) => number.as_u64().unwrap_or(UNDEFINED),
                Some(function @ NumberJson::Function(_)) if *operand == Operand::Tag => {
                    let tag = Affine::from_json(function);
                    let tag = tag.ok_or("an event whose tag is not affine")?;
                    let has_tag = |tag: i64| u32::try_from(tag).is_ok();
                    if !tag.extremes(counts).into_iter().all(has_tag) {
                        return Err("an event whose tag does not fit into 32 bits".to_owned());
                    }
                    steps.extend(tag.steps.iter().map(|&(depth, coefficient)| Step {
                        slot,
                        depth: depth as u16,
                        coefficient,
                    }));
                    tag.base as u64
                }
                Some(NumberJson::Function(_)) => {
                    return Err(format!("an event whose {operand} changes"));
                }
                None => UNDEFINED,
            });
        }
        let symbol = Symbol::new(kind, &operands);
        let symbol = if steps.is_empty() {
            self.symbols.intern(symbol)
        } else {
            self.symbols.intern_with_tag(symbol)
        };
        let row = (process, symbol.row_number());
        self.texts.entry(row).or_insert_with(|| event.text.clone());
        let ends = member.ends.iter().flatten();
        let ends: Vec<End> = ends.map(EndJson::end).collect();
        if is_collective || !ends.is_empty() {
            let role = Role {
                ends,
                is_collective,
                synchronises: member.synchronises,
                has_all_tags: !steps.is_empty(),
            };
            self.wiring.set(process, symbol, role);
        }
        Ok(EventConstruct { symbol, steps })
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
            let row = (happening.process, happening.symbol.row_number());
            let text = self.texts.get(&row).map_or("", String::as_str);
            write!(output, "{label}:{}\t", happening.position)?;
            match text.split_once(TAG) {
                Some((before, after)) if self.symbols.is_tagged(happening.symbol) => {
                    writeln!(output, "{before}{}{after}", happening.symbol.tag())?;
                }
                _ => writeln!(output, "{text}")?,
            }
        }
        Ok(schedule.forced())
    }
}

/// Returns the text of the events of a process whose symbols are in the same row as `symbol`.
fn text(words: &ProgramLabels<'_>, process: Process, symbol: SymbolId) -> String {
    let symbols = words.symbols;
    let is_tagged = symbols.is_tagged(symbol);
    let slot = symbols.kind(symbol).slot(Operand::Tag);
    let functions = slot
        .filter(|_| is_tagged)
        .map(|slot| (slot, TAG.to_owned()));
    let location = words.program.location(process);
    let text = SymbolText {
        exact: true,
        functions: functions.as_slice(),
        ..SymbolText::new(words.names, location, symbols.symbol(symbol))
    };
    text.to_string()
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
