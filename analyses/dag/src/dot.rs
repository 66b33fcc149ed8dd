//! Writes the DAG in the DOT language of Graphviz.

use std::io::{self, Write};

use foldtrace_calltree::NamedNodes;
use foldtrace_fold::dag::Dag;

use super::view::{Shares, View};

/// Writes the nodes and lines of `view` as a graph.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn dag_dot(
    out: &mut impl Write,
    dag: &Dag,
    named: &NamedNodes<'_>,
    shares: &Shares,
    view: &View,
) -> io::Result<()> {
    writeln!(out, "digraph dag {{")?;
    writeln!(out, "  rankdir=LR")?;
    writeln!(
        out,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"]"
    )?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10]")?;
    for shown in &view.nodes {
        let node = shown.node;
        let shape = if dag.graph.kind(node).is_leaf() {
            ", style=\"filled\", color=gray"
        } else {
            ""
        };
        let mut below = format!("#{} ×{}", node.0, shares.occurrences[node.index()]);
        if let Some(percent) = shares.percent(dag, node) {
            below += &format!(", {percent:.1} %");
        }
        let name = escaped(&named.node(node));
        writeln!(out, "  n{} [label=\"{name}\\n{below}\"{shape}]", node.0)?;
    }
    for line in &view.lines {
        let style = if line.levels.is_some() {
            ", style=dashed"
        } else {
            ""
        };
        let (from, to, text) = (line.from.0, line.to.0, line.text());
        let edges = match line.edges {
            1 => format!("order {}", line.order),
            edges => format!("order {}, {edges} edges", line.order),
        };
        writeln!(
            out,
            "  n{from} -> n{to} [label=\"{text}\", tooltip=\"{edges}\"{style}]"
        )?;
    }
    writeln!(out, "}}")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
