//! Serializes the DAG as JSON, as described by `schemas/dag.schema.json`. Lists are serialized while they are
//! iterated.

use foldtrace_calltree::NamedNodes;
use foldtrace_fold::dag::{Dag, Keys, NodeId};
use foldtrace_matching::{Caller, Links, Run};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::view::Shares;

/// A DAG with its messages.
#[derive(Clone, Copy, Debug)]
pub struct DagJson<'a> {
    /// The DAG.
    pub dag: &'a Dag,
    /// The names of its nodes.
    pub named: &'a NamedNodes<'a>,
    /// The number of occurrences of each node.
    pub shares: &'a Shares,
    /// Its messages.
    pub links: &'a Links,
}

#[derive(Serialize)]
struct Root {
    location: u64,
    node: u32,
}

#[derive(Serialize)]
struct Node {
    node: u32,
    kind: &'static str,
    name: String,
    events: u64,
    occurrences: u64,
    key: String,
    edges: Vec<Edge>,
}

#[derive(Serialize)]
struct Edge {
    order: usize,
    node: u32,
    #[serde(rename = "type")]
    kind: &'static str,
    repetitions: u32,
    offset: u64,
}

#[derive(Serialize)]
struct End {
    location: u64,
    call: u32,
    operation: u32,
}

#[derive(Serialize)]
struct Message<'a> {
    sender: End,
    receiver: End,
    messages: u64,
    runs: &'a [Run],
}

impl From<Caller> for End {
    fn from(caller: Caller) -> Self {
        Self {
            location: caller.location.0,
            call: caller.call.0,
            operation: caller.operation.0,
        }
    }
}

/// A list that is produced while it is serialized.
struct List<F>(F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl Serialize for DagJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let graph = &self.dag.graph;
        let keys = Keys::of(graph, &self.named.keys());
        let mut object = serializer.serialize_struct("dag", 3)?;
        let roots = || {
            self.dag.roots.iter().map(|root| Root {
                location: root.location.0,
                node: root.node.0,
            })
        };
        object.serialize_field("roots", &List(roots))?;
        let nodes = || graph.nodes().map(|node| self.node(node, &keys));
        object.serialize_field("nodes", &List(nodes))?;
        object.serialize_field("messages", &List(|| self.messages()))?;
        object.end()
    }
}

impl DagJson<'_> {
    fn node(&self, node: NodeId, keys: &Keys) -> Node {
        let graph = &self.dag.graph;
        let edges = graph.placed_edges(node).enumerate();
        Node {
            node: node.0,
            kind: graph.kind(node).name(),
            name: self.named.node(node),
            events: graph.length(node),
            occurrences: self.shares.occurrences[node.index()],
            key: blake3::Hash::from_bytes(keys.content[node.index()])
                .to_hex()
                .to_string(),
            edges: edges
                .map(|(order, (edge, offset))| Edge {
                    order,
                    node: edge.node.0,
                    kind: edge.kind.name(),
                    repetitions: edge.repetitions,
                    offset,
                })
                .collect(),
        }
    }

    fn messages(&self) -> impl Iterator<Item = Message<'_>> {
        self.links.links.iter().map(|link| Message {
            sender: link.sender.into(),
            receiver: link.receiver.into(),
            messages: link.messages,
            runs: &link.runs,
        })
    }
}
