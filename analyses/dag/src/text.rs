//! Writes the DAG as a tree for the terminal: each node once, with its children as nested loops.

use std::io::{self, Write};

use foldtrace_calltree::{MetricNodes, NamedNodes};
use foldtrace_fold::dag::{Children, Dag, Edge, NodeId};
use foldtrace_fold::{Construct, Polynomial};

use super::view::{Extent, Shares};

/// A DAG to be written as a tree.
#[derive(Debug)]
pub struct DagText<'a> {
    dag: &'a Dag,
    named: &'a NamedNodes<'a>,
    shares: &'a Shares,
    children: &'a Children,
    extent: Extent,
    left_out: &'a MetricNodes,
    is_written: Vec<bool>,
    hidden: u64,
    is_cut: bool,
    is_long: bool,
}

/// A list of children that is being written.
struct List {
    /// The recursive edge of the parent.
    recursion: Option<Edge>,
    depth: usize,
    /// The number of lines that may still be written.
    room: usize,
    /// The number of items that are not written.
    left_out: usize,
}

/// An item of a list of children.
enum Item {
    /// A child, and the number of times it occurs in a row.
    Node(NodeId, u64),
    /// A loop over other items, with its number of iterations.
    Loop(Polynomial, Vec<Item>),
}

/// A child in a list, with its number of repetitions or, if it is recursive, of levels.
struct Child {
    node: NodeId,
    times: u64,
    levels: Option<u32>,
}

impl<'a> DagText<'a> {
    /// Creates the tree of `dag` without the nodes in `left_out`. `children` contains the children of each node as
    /// loops, as far as they are folded.
    #[must_use]
    pub fn new(
        dag: &'a Dag,
        named: &'a NamedNodes<'a>,
        shares: &'a Shares,
        children: &'a Children,
        extent: Extent,
        left_out: &'a MetricNodes,
    ) -> Self {
        Self {
            dag,
            named,
            shares,
            children,
            extent,
            left_out,
            is_written: vec![false; dag.graph.len()],
            hidden: 0,
            is_cut: false,
            is_long: false,
        }
    }

    /// Writes the tree.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{:>7} {:>12}  {:>8}  call",
            "time", "occurrences", "node"
        )?;
        for root in &self.dag.roots {
            if !self.is_written[root.node.index()] && !self.left_out.contains(root.node) {
                let child = Child {
                    node: root.node,
                    times: 1,
                    levels: None,
                };
                self.child(out, &child, 0, 0)?;
            }
        }
        let percent = self.extent.min_percent;
        if self.hidden > 0 {
            writeln!(out, "{} lines below {percent} % are not shown", self.hidden)?;
        }
        if self.is_cut {
            writeln!(out, "… has more levels: --depth {}", self.extent.depth + 1)?;
        }
        if self.is_long {
            let children = self.extent.children;
            writeln!(
                out,
                "calls with more than {children} lines are cut: --children N"
            )?;
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
        if percent.unwrap_or(0.0) < self.extent.min_percent {
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
        let items = self.items_of(node);
        if items.is_empty() {
            return writeln!(out);
        }
        if self.is_written[node.index()] {
            return writeln!(out, "  (see above)");
        }
        if depth >= self.extent.depth {
            self.is_cut = true;
            return writeln!(out, " …");
        }
        self.is_written[node.index()] = true;
        writeln!(out)?;
        let mut list = List {
            recursion: graph.recursion(node),
            depth: depth + 1,
            room: self.extent.children,
            left_out: 0,
        };
        let indent = indent + 2;
        self.items(out, &mut list, &items, indent)?;
        if list.left_out > 0 {
            let lead = format!("{:>7} {:>12}  {:>8}  {:indent$}", "", "", "", "");
            writeln!(out, "{lead}… {} more", list.left_out)?;
            self.is_long = true;
        }
        Ok(())
    }

    /// Returns the children of a node, as loops if they are folded.
    fn items_of(&self, node: NodeId) -> Vec<Item> {
        if let Some(model) = self.children.model(node).filter(|model| model.loops() > 0) {
            return self.items_of_model(&model.constructs);
        }
        let mut items = Vec::new();
        for edge in self.dag.graph.edges(node) {
            self.add(&mut items, edge.node, edge.times());
        }
        items
    }

    fn items_of_model(&self, constructs: &[Construct]) -> Vec<Item> {
        let mut items = Vec::new();
        for construct in constructs {
            match construct {
                Construct::Event(event) => {
                    self.add(&mut items, self.children.node(event.symbol), 1);
                }
                Construct::Loop(l) => {
                    let (times, body) = (l.count.polynomial(), self.items_of_model(&l.body));
                    match (&body[..], times.as_constant()) {
                        ([], _) => {}
                        (&[Item::Node(node, 1)], Some(times)) => {
                            self.add(&mut items, node, times as u64);
                        }
                        _ => items.push(Item::Loop(times, body)),
                    }
                }
            }
        }
        items
    }

    /// Appends a child to `items`, or adds `times` to the last item if that is the same child.
    fn add(&self, items: &mut Vec<Item>, node: NodeId, times: u64) {
        if self.left_out.contains(node) {
            return;
        }
        match items.last_mut() {
            Some(Item::Node(last, sum)) if *last == node => *sum += times,
            _ => items.push(Item::Node(node, times)),
        }
    }

    fn items(
        &mut self,
        out: &mut impl Write,
        list: &mut List,
        items: &[Item],
        indent: usize,
    ) -> io::Result<()> {
        for item in items {
            if list.room == 0 {
                list.left_out += 1;
                continue;
            }
            match item {
                Item::Node(node, times) => {
                    list.room -= 1;
                    let recursion = list.recursion.filter(|edge| edge.node == *node);
                    let child = Child {
                        node: *node,
                        times: *times,
                        levels: recursion.map(|edge| edge.repetitions),
                    };
                    self.child(out, &child, indent, list.depth)?;
                }
                Item::Loop(times, body) => {
                    let lead = format!("{:>7} {:>12}  {:>8}  ", "", "", "");
                    writeln!(out, "{lead}{:indent$}{times} times", "")?;
                    self.items(out, list, body, indent + 2)?;
                }
            }
        }
        Ok(())
    }
}
