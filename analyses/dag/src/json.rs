//! Serializes the DAG as JSON, as described by `schemas/dag.schema.json`. Lists are serialized while they are
//! iterated.

use foldtrace_calltree::NamedNodes;
use foldtrace_fold::dag::{Dag, Keys, NodeId};
#[cfg(feature = "schema")]
use foldtrace_fold::dag::{EdgeKind, NodeKind};
use foldtrace_matching::{Caller, Links, Run};
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

/// The root node of a location.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Root {
    /// The id of the location.
    location: u64,
    /// The number of the node.
    #[cfg_attr(feature = "schema", schemars(range(max = u32::MAX)))]
    node: u32,
}

/// A node.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Node {
    /// The number of the node.
    #[cfg_attr(feature = "schema", schemars(range(max = u32::MAX)))]
    node: u32,
    /// The kind of the node; an open call has no event that leaves it.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = NodeKind::ALL.map(NodeKind::name))))]
    kind: &'static str,
    /// The name of the call or event; for a root, its locations.
    name: String,
    /// The number of events of one occurrence.
    events: u64,
    /// The number of occurrences in all locations.
    occurrences: u64,
    /// The BLAKE3 hash of the content of the node, the same in all traces.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    key: String,
    /// The edges to its children, in order.
    edges: Vec<Edge>,
}

/// An edge from a node to a child.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Edge {
    /// The index of the edge among those of the parent.
    order: usize,
    /// The number of the child.
    #[cfg_attr(feature = "schema", schemars(range(max = u32::MAX)))]
    node: u32,
    /// The reason for the repetitions: the child occurs once, several times in a row, or at the end of a recursion.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = EdgeKind::ALL.map(EdgeKind::name))))]
    kind: &'static str,
    /// The number of repetitions.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = u32::MAX)))]
    repetitions: u32,
    /// The number of events of the parent before the child.
    offset: u64,
}

/// An end of messages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct End {
    /// The id of the location.
    location: u64,
    /// The node of the call; the root outside of any call.
    #[cfg_attr(feature = "schema", schemars(range(max = u32::MAX)))]
    call: u32,
    /// The node of the send or receive.
    #[cfg_attr(feature = "schema", schemars(range(max = u32::MAX)))]
    operation: u32,
}

/// All messages between the same two calls.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Message<'a> {
    /// The sending call.
    sender: End,
    /// The receiving call.
    receiver: End,
    /// The number of messages.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    messages: u64,
    /// The positions of the messages, as runs at equal distances.
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

/// The document. Its lists are produced while they are serialized.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Document<R, N, M> {
    /// The root node of each location.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Root>"))]
    roots: R,
    /// All nodes by number, children before parents.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Node>"))]
    nodes: N,
    /// All messages, by sending and receiving call.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<Message<'static>>"))]
    messages: M,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for DagJson<'_> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Dag".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Document::<(), (), ()>::json_schema(generator)
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
        let keys = Keys::new(graph, &self.named.keys());
        let roots = || {
            self.dag.roots.iter().map(|root| Root {
                location: root.location.0,
                node: root.node.0,
            })
        };
        let nodes = || graph.nodes().map(|node| self.node(node, &keys));
        let document = Document {
            roots: List(roots),
            nodes: List(nodes),
            messages: List(|| self.messages()),
        };
        document.serialize(serializer)
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
