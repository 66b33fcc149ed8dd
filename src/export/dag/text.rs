//! The DAG as a tree to read in a terminal: each node once, its children as nested loops.

use std::io::{self, Write};

use super::view::Shares;
use crate::dag::NamedNodes;
use crate::export::count;
use crate::fold::Construct;
use crate::fold::dag::{Children, Dag, NodeId};

/// How much is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// Calls within calls, from the roots on.
    pub depth: usize,
    /// Least share of the time, in percent.
    pub min_percent: f64,
}

/// A DAG to be written as a tree.
#[derive(Debug)]
pub struct DagText<'a> {
    dag: &'a Dag,
    named: &'a NamedNodes<'a>,
    shares: &'a Shares,
    children: &'a Children,
    options: TreeOptions,
    is_written: Vec<bool>,
    hidden: u64,
    is_cut: bool,
}

/// A child in a list, with what is said of how often it comes.
struct Child {
    node: NodeId,
    times: u64,
    levels: Option<u32>,
}

impl<'a> DagText<'a> {
    /// The tree of `dag`; `children` are those of its nodes as loops, as far as they are.
    #[must_use]
    pub fn new(
        dag: &'a Dag,
        named: &'a NamedNodes<'a>,
        shares: &'a Shares,
        children: &'a Children,
        options: TreeOptions,
    ) -> Self {
        Self {
            dag,
            named,
            shares,
            children,
            options,
            is_written: vec![false; dag.graph.len()],
            hidden: 0,
            is_cut: false,
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{:>7} {:>12}  {:>8}  call",
            "time", "occurrences", "node"
        )?;
        for root in &self.dag.roots {
            if !self.is_written[root.node.index()] {
                let child = Child {
                    node: root.node,
                    times: 1,
                    levels: None,
                };
                self.child(out, &child, 0, 0)?;
            }
        }
        let percent = self.options.min_percent;
        if self.hidden > 0 {
            writeln!(out, "{} below {percent} % are not shown", self.hidden)?;
        }
        if self.is_cut {
            writeln!(out, "… is deeper: --depth {}", self.options.depth + 1)?;
        }
        Ok(())
    }

    fn child(
        &mut self,
        out: &mut impl Write,
        child: &Child,
        indent: usize,
        depth: usize,
    ) -> io::Result<()> {
        let (dag, node) = (self.dag, child.node);
        let graph = &dag.graph;
        let percent = self.shares.percent(dag, node);
        if percent.unwrap_or(0.0) < self.options.min_percent {
            self.hidden += 1;
            return Ok(());
        }
        let time = percent.map_or(String::new(), |percent| format!("{percent:.1} %"));
        let occurrences = self.shares.occurrences[node.index()];
        let number = format!("#{}", node.0);
        write!(
            out,
            "{time:>7} {occurrences:>12}  {number:>8}  {:indent$}",
            ""
        )?;
        match (child.levels, child.times) {
            (Some(1), _) => write!(out, "nested: ")?,
            (Some(levels), _) => write!(out, "nested {levels} deep: ")?,
            (None, 1) => {}
            (None, times) => write!(out, "{times} × ")?,
        }
        write!(out, "{}", self.named.node(node))?;
        let has_children = !graph.edges(node).is_empty();
        if !has_children {
            return writeln!(out);
        }
        if self.is_written[node.index()] {
            return writeln!(out, "  (see above)");
        }
        if depth >= self.options.depth {
            self.is_cut = true;
            return writeln!(out, " …");
        }
        self.is_written[node.index()] = true;
        writeln!(out)?;
        let children = self.children;
        match children.model(node) {
            Some(model) if model.loops() > 0 => {
                self.constructs(out, node, &model.constructs, indent + 2, depth + 1)
            }
            _ => {
                for edge in graph.edges(node) {
                    let is_nested = edge.times() != u64::from(edge.repetitions);
                    let child = Child {
                        node: edge.node,
                        times: edge.times(),
                        levels: (is_nested || self.is_itself(node, edge.node))
                            .then_some(edge.repetitions),
                    };
                    self.child(out, &child, indent + 2, depth + 1)?;
                }
                Ok(())
            }
        }
    }

    /// Whether a child is the call of its parent in which nesting ends.
    fn is_itself(&self, parent: NodeId, child: NodeId) -> bool {
        let recursion = self.dag.graph.recursion(parent);
        recursion.is_some_and(|edge| edge.node == child)
    }

    fn constructs(
        &mut self,
        out: &mut impl Write,
        parent: NodeId,
        constructs: &[Construct],
        indent: usize,
        depth: usize,
    ) -> io::Result<()> {
        let children = self.children;
        let node = |construct: &Construct| match construct {
            Construct::Event(event) => Some(children.node(event.symbol)),
            Construct::Loop(_) => None,
        };
        let mut index = 0;
        while let Some(construct) = constructs.get(index) {
            match construct {
                Construct::Event(event) => {
                    let child = children.node(event.symbol);
                    let same = constructs[index..].iter();
                    let same = same.take_while(|other| node(other) == Some(child)).count();
                    let recursion = self.dag.graph.recursion(parent);
                    let levels = recursion.filter(|edge| edge.node == child);
                    let child = Child {
                        node: child,
                        times: same as u64,
                        levels: levels.map(|edge| edge.repetitions),
                    };
                    self.child(out, &child, indent, depth)?;
                    index += same;
                }
                Construct::Loop(l) => {
                    let times = count(&l.count);
                    match (&l.body[..], times.as_constant()) {
                        ([one @ Construct::Event(_)], Some(times)) => {
                            let child = Child {
                                node: node(one).unwrap_or(parent),
                                times: times as u64,
                                levels: None,
                            };
                            self.child(out, &child, indent, depth)?;
                        }
                        _ => {
                            let lead = format!("{:>7} {:>12}  {:>8}  ", "", "", "");
                            writeln!(out, "{lead}{:indent$}{times} times", "")?;
                            self.constructs(out, parent, &l.body, indent + 2, depth)?;
                        }
                    }
                    index += 1;
                }
            }
        }
        Ok(())
    }
}
