//! Reads everything before the quantities: definitions, labels, the DAG, and the node of each location.

use std::collections::{BTreeMap, HashMap};

use foldtrace_fold::dag::{NodeId, NodeKind};
use foldtrace_notation::parse_definition;
use foldtrace_trace::{
    Definitions, EventKind, LocationId, MAX_OPERANDS, Symbol, TraceError, UNDEFINED,
};

use super::source::Source;
use super::units::{Ids, Units};
use crate::schema::{
    DEFINITION, DEFINITIONS, EVENTS, LABEL, LABELS, LOCATION, OWN, PROCESS, PROCESSOR, TRACE, UNITS,
};

/// The content of a document before its quantities.
#[derive(Debug, Default)]
pub(super) struct Preamble {
    /// The definitions, until the reader moves them to the head of the trace.
    pub definitions: Definitions,
    /// The symbols of the labels.
    pub labels: Vec<Symbol>,
    /// The symbols of locations that differ from those of their labels.
    pub own: HashMap<(LocationId, u32), Symbol>,
    pub units: Units,
    /// The node of each location that has events.
    pub roots: BTreeMap<LocationId, NodeId>,
    /// Whether there are quantities. The source is then inside the first such element.
    pub has_events: bool,
}

impl Preamble {
    /// Reads up to the quantities of the first location, or to the end of the trace.
    pub fn read(source: &mut Source) -> Result<Self, TraceError> {
        source.begin()?;
        while source.child()? {
            if source.element.name() == TRACE {
                let mut preamble = Self::default();
                preamble.read_trace(source)?;
                return Ok(preamble);
            }
            source.skip()?;
        }
        Err(source.fault("expected a <Trace> in the scenario, found none"))
    }

    fn read_trace(&mut self, source: &mut Source) -> Result<(), TraceError> {
        let mut labels = Ids::default();
        while source.child()? {
            match source.element.name() {
                DEFINITIONS => self.read_definitions(source)?,
                LABELS => self.read_labels(source, &mut labels)?,
                UNITS => self.units.read(source, &labels, &self.labels)?,
                PROCESSOR => self.read_processor(source)?,
                EVENTS => {
                    self.has_events = true;
                    return Ok(());
                }
                _ => source.skip()?,
            }
        }
        Ok(())
    }

    fn read_definitions(&mut self, source: &mut Source) -> Result<(), TraceError> {
        let mut text = String::new();
        while source.child()? {
            if source.element.name() != DEFINITION {
                source.skip()?;
                continue;
            }
            source.text(&mut text)?;
            let definition = parse_definition(text.as_bytes(), 0).map_err(|fault| {
                let error = source.fault(fault.message);
                match fault.hint {
                    Some(hint) => error.hint(hint),
                    None => error,
                }
            })?;
            definition.push_to(&mut self.definitions);
        }
        Ok(())
    }

    fn read_labels(&mut self, source: &mut Source, ids: &mut Ids) -> Result<(), TraceError> {
        while source.child()? {
            if source.element.name() != LABEL {
                source.skip()?;
                continue;
            }
            let number = ids.add(source)?;
            let name = source.required("kind")?;
            let Some(kind) = EventKind::from_name(name) else {
                return Err(source
                    .expected("a kind of event", name)
                    .hint("'schemas/events.md' lists the kinds"));
            };
            let symbol = read_symbol(source, kind)?;
            self.labels.push(symbol);
            while source.child()? {
                if source.element.name() == OWN {
                    let location = LocationId(source.required_number("location")?);
                    let own = read_symbol(source, kind)?;
                    if self.own.insert((location, number), own).is_some() {
                        return Err(source.fault(format!(
                            "expected one symbol per label for location {location}, found a second one"
                        )));
                    }
                }
                source.skip()?;
            }
        }
        Ok(())
    }

    fn read_processor(&mut self, source: &mut Source) -> Result<(), TraceError> {
        while source.child()? {
            if source.element.name() == PROCESS {
                while source.child()? {
                    if source.element.name() == LOCATION {
                        self.read_location(source)?;
                    }
                    source.skip()?;
                }
            } else {
                source.skip()?;
            }
        }
        Ok(())
    }

    fn read_location(&mut self, source: &Source) -> Result<(), TraceError> {
        let location = LocationId(source.required_number("id")?);
        if source.element.get("root").is_none() {
            return Ok(());
        }
        let node = self.units.find(source, "root")?;
        if self.units.graph().kind(node) != NodeKind::Root {
            let found = source.required("root")?;
            return Err(source.expected("a <Root> as 'root'", found));
        }
        if self.roots.insert(location, node).is_some() {
            return Err(source.fault(format!(
                "expected each location once, found location {location} again"
            )));
        }
        Ok(())
    }
}

/// Reads the operands of an element. Missing operands are undefined.
fn read_symbol(source: &Source, kind: EventKind) -> Result<Symbol, TraceError> {
    let mut operands = [UNDEFINED; MAX_OPERANDS];
    for (slot, operand) in operands.iter_mut().zip(kind.operands()) {
        *slot = source.number(operand.name())?.unwrap_or(UNDEFINED);
    }
    Ok(Symbol::new(kind, &operands))
}
