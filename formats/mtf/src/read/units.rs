//! Reads the traceable units and their edges into a graph, and checks each node.

use foldhash::fast::FixedState;
use foldtrace_fold::dag::{BadNode, Edge, EdgeKind, Graph, NodeId, NodeKind};
use foldtrace_trace::{Symbol, TraceError, leave_of};
use indexmap::IndexSet;

use super::source::Source;
use crate::schema::{EDGE, EVENT, MPI_OPERATION, ROOT, ROUTINE_CALL};

/// The ids of a document, which may be any words, and their numbers.
#[derive(Debug, Default)]
pub(super) struct Ids(IndexSet<Box<str>, FixedState>);

impl Ids {
    /// Assigns a number to the id of the current element.
    pub fn add(&mut self, source: &Source) -> Result<u32, TraceError> {
        let id = source.required("id")?;
        let (number, is_new) = self.0.insert_full(id.into());
        match u32::try_from(number) {
            Ok(number) if is_new => Ok(number),
            _ => Err(source.expected("a unique id", id)),
        }
    }

    /// Returns the number of the element to which an attribute refers.
    pub fn find(&self, source: &Source, key: &str, element: &str) -> Result<u32, TraceError> {
        let id = source.required(key)?;
        let number = self.0.get_index_of(id);
        number
            .and_then(|number| u32::try_from(number).ok())
            .ok_or_else(|| {
                source.expected(&format!("the id of an earlier {element} as '{key}'"), id)
            })
    }
}

/// The units of a document.
#[derive(Debug, Default)]
pub(super) struct Units {
    graph: Graph,
    ids: Ids,
    edges: Vec<Edge>,
}

impl Units {
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the unit to which an attribute refers.
    pub fn find(&self, source: &Source, key: &str) -> Result<NodeId, TraceError> {
        let found = self.ids.find(source, key, "unit");
        found.map(NodeId).map_err(|error| {
            error
                .hint("a unit comes after the units that its edges lead to, so there are no cycles")
        })
    }

    /// Reads the units of the open element.
    pub fn read(
        &mut self,
        source: &mut Source,
        ids: &Ids,
        labels: &[Symbol],
    ) -> Result<(), TraceError> {
        while source.child()? {
            let kind = match source.element.name() {
                ROOT => NodeKind::Root,
                MPI_OPERATION | EVENT => NodeKind::Leaf,
                ROUTINE_CALL => match source.element.get("open").map(str::trim_ascii) {
                    Some("true" | "1") => NodeKind::OpenCall,
                    None | Some("false" | "0") => NodeKind::Call,
                    Some(other) => return Err(source.expected("true or false as 'open'", other)),
                },
                _ => {
                    source.skip()?;
                    continue;
                }
            };
            self.read_unit(source, kind, ids, labels)?;
        }
        Ok(())
    }

    fn read_unit(
        &mut self,
        source: &mut Source,
        kind: NodeKind,
        ids: &Ids,
        labels: &[Symbol],
    ) -> Result<(), TraceError> {
        let number = self.ids.add(source)?;
        let mut label = 0;
        if kind != NodeKind::Root {
            label = ids.find(source, "label", "label")?;
            let enters = |label: &Symbol| leave_of(*label).is_some();
            if labels.get(label as usize).is_some_and(enters) != kind.is_call() {
                let expected = if kind.is_call() {
                    "a label of events that enter a call"
                } else {
                    "a label of events that do not enter a call"
                };
                return Err(source.expected(expected, source.required("label")?));
            }
        }
        // The unit already has its number, but must not be its own child.
        self.edges.clear();
        while source.child()? {
            if source.element.name() == EDGE {
                let edge = self.read_edge(source, NodeId(number))?;
                self.edges.push(edge);
            }
            source.skip()?;
        }
        let pushed = self.graph.push(kind, label.into(), &self.edges);
        pushed.map(drop).map_err(|bad| invalid_unit(source, bad))
    }

    fn read_edge(&self, source: &Source, parent: NodeId) -> Result<Edge, TraceError> {
        let node = self.find(source, "to")?;
        if node == parent {
            return Err(invalid_unit(source, BadNode::Later(self.edges.len())));
        }
        let kind = match source.element.get("type") {
            None => EdgeKind::Regular,
            Some(name) => EdgeKind::from_name(name)
                .ok_or_else(|| source.expected("regular, sequence or recursive as 'type'", name))?,
        };
        let repetitions = source.number("repetitions")?.unwrap_or(1);
        let repetitions = u32::try_from(repetitions).map_err(|_| {
            let found = repetitions.to_string();
            source.expected("a 32-bit number as 'repetitions'", &found)
        })?;
        let order = source.number("order")?;
        if let Some(order) = order.filter(|&order| order != self.edges.len() as u64) {
            let expected = format!("{} as 'order' of this edge", self.edges.len());
            return Err(source.expected(&expected, &order.to_string()));
        }
        Ok(Edge {
            node,
            repetitions,
            kind,
        })
    }
}

fn invalid_unit(source: &Source, bad: BadNode) -> TraceError {
    source
        .fault(format!(
            "expected a valid unit of a DAG, found an invalid one: {bad}"
        ))
        .hint("edges are numbered from 0; 'schemas/mtf.md' describes valid units")
}
