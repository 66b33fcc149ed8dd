//! Shows how two DAGs differ: as text for people, and in a serialized form for programs.

use std::io::{self, Write};

use foldtrace_calltree::NamedNodes;
use foldtrace_fold::dag::{Comparison, NodeId};
use serde::Serialize;

/// A comparison of the DAGs of two stores.
#[derive(Clone, Copy, Debug)]
pub struct Difference<'a> {
    /// The result of the comparison.
    pub found: &'a Comparison,
    /// The names of the nodes of both DAGs.
    pub named: &'a [NamedNodes<'a>; 2],
    /// The number of occurrences of each node, in both DAGs.
    pub occurrences: &'a [Vec<u64>; 2],
}

/// A node of both stores, or of one of them.
#[derive(Serialize)]
struct Row {
    name: String,
    nodes: [Option<u32>; 2],
    occurrences: [u64; 2],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    edges: Vec<ChangedEdge>,
}

/// An edge whose repetitions have changed.
#[derive(Serialize)]
struct ChangedEdge {
    order: usize,
    repetitions: [u32; 2],
}

impl Difference<'_> {
    fn row(&self, before: Option<NodeId>, after: Option<NodeId>) -> Row {
        let both = [before, after];
        let count = |side: usize| {
            let count = both[side].and_then(|node| self.occurrences[side].get(node.index()));
            count.copied().unwrap_or(0)
        };
        let name = match (before, after) {
            (Some(node), _) => self.named[0].node(node),
            (None, Some(node)) => self.named[1].node(node),
            (None, None) => String::new(),
        };
        Row {
            name,
            nodes: both.map(|node| node.map(|node| node.0)),
            occurrences: [count(0), count(1)],
            edges: Vec::new(),
        }
    }

    fn common(&self) -> impl Iterator<Item = Row> {
        let common = self.found.common.iter();
        common.map(|&(before, after)| self.row(Some(before), Some(after)))
    }

    fn changed(&self) -> impl Iterator<Item = Row> {
        self.found.changed.iter().map(|change| {
            let edges = change
                .edges
                .iter()
                .map(|&(order, before, after)| ChangedEdge {
                    order,
                    repetitions: [before, after],
                });
            Row {
                edges: edges.collect(),
                ..self.row(Some(change.before), Some(change.after))
            }
        })
    }

    fn only_before(&self) -> impl Iterator<Item = Row> {
        let nodes = self.found.only_before.iter();
        nodes.map(|&node| self.row(Some(node), None))
    }

    fn only_after(&self) -> impl Iterator<Item = Row> {
        let nodes = self.found.only_after.iter();
        nodes.map(|&node| self.row(None, Some(node)))
    }

    /// Writes the number of nodes that both DAGs have in common, and all nodes that differ.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let found = self.found;
        let as_often = self
            .common()
            .filter(|row| row.occurrences[0] == row.occurrences[1]);
        let as_often = as_often.count();
        writeln!(
            out,
            "nodes in both: {}, {as_often} of them with equal occurrences; with other counts of children: {}; \
             only in the first: {}; only in the second: {}",
            found.common.len(),
            found.changed.len(),
            found.only_before.len(),
            found.only_after.len()
        )?;
        let other = self
            .common()
            .filter(|row| row.occurrences[0] != row.occurrences[1]);
        write_rows(out, "in both, with different occurrences", other)?;
        write_rows(out, "other counts of children", self.changed())?;
        write_rows(out, "only in the first", self.only_before())?;
        write_rows(out, "only in the second", self.only_after())
    }
}

fn write_rows(
    out: &mut impl Write,
    title: &str,
    rows: impl Iterator<Item = Row>,
) -> io::Result<()> {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    writeln!(
        out,
        "{:>8} {:>8} {:>12} {:>12}  call",
        "first", "second", "occurrences", "occurrences"
    )?;
    for row in rows {
        let number = |side: usize| row.nodes[side].map_or(String::new(), |node| format!("#{node}"));
        let [before, after] = row.occurrences;
        write!(
            out,
            "{:>8} {:>8} {before:>12} {after:>12}  {}",
            number(0),
            number(1),
            row.name
        )?;
        for edge in &row.edges {
            let [before, after] = edge.repetitions;
            write!(out, "  [{}]: {before} → {after}", edge.order)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

impl Serialize for Difference<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Lists {
            common: Vec<Row>,
            changed: Vec<Row>,
            only_first: Vec<Row>,
            only_second: Vec<Row>,
        }
        let lists = Lists {
            common: self.common().collect(),
            changed: self.changed().collect(),
            only_first: self.only_before().collect(),
            only_second: self.only_after().collect(),
        };
        lists.serialize(serializer)
    }
}
