//! The DAG as a tree to read in a terminal: each node once, its children as nested loops.

use std::io::{self, Write};

use super::view::{Extent, Shares};
use crate::dag::NamedNodes;
use crate::export::count;
use crate::fold::Construct;
use crate::fold::dag::{Children, Dag, Edge, NodeId};

/// A DAG to be written as a tree.
#[derive(Debug)]
pub struct DagText<'a> {
    dag: &'a Dag,
    named: &'a NamedNodes<'a>,
    shares: &'a Shares,
    children: &'a Children,
    extent: Extent,
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
    /// Lines that may still be written, and what is not.
    room: usize,
    left_out: usize,
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
        extent: Extent,
    ) -> Self {
        Self {
            dag,
            named,
            shares,
            children,
            extent,
            is_written: vec![false; dag.graph.len()],
            hidden: 0,
            is_cut: false,
            is_long: false,
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
        let percent = self.extent.min_percent;
        if self.hidden > 0 {
            writeln!(out, "{} below {percent} % are not shown", self.hidden)?;
        }
        if self.is_cut {
            writeln!(out, "… is deeper: --depth {}", self.extent.depth + 1)?;
        }
        if self.is_long {
            let children = self.extent.children;
            writeln!(out, "more than {children} lines of one call: --children N")?;
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
        let has_children = !graph.edges(node).is_empty();
        if !has_children {
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
        let children = self.children;
        let mut list = List {
            recursion: graph.recursion(node),
            depth: depth + 1,
            room: self.extent.children,
            left_out: 0,
        };
        let indent = indent + 2;
        match children.model(node) {
            Some(model) if model.loops() > 0 => {
                self.constructs(out, &mut list, &model.constructs, indent)?;
            }
            _ => {
                for edge in graph.edges(node) {
                    self.one(out, &mut list, edge.node, edge.times(), indent)?;
                }
            }
        }
        if list.left_out > 0 {
            let lead = format!("{:>7} {:>12}  {:>8}  {:indent$}", "", "", "", "");
            writeln!(out, "{lead}… {} more", list.left_out)?;
            self.is_long = true;
        }
        Ok(())
    }

    /// A child in a list, if there is room.
    fn one(
        &mut self,
        out: &mut impl Write,
        list: &mut List,
        node: NodeId,
        times: u64,
        indent: usize,
    ) -> io::Result<()> {
        if list.room == 0 {
            list.left_out += 1;
            return Ok(());
        }
        list.room -= 1;
        let recursion = list.recursion.filter(|edge| edge.node == node);
        let child = Child {
            node,
            times,
            levels: recursion.map(|edge| edge.repetitions),
        };
        self.child(out, &child, indent, list.depth)
    }

    fn constructs(
        &mut self,
        out: &mut impl Write,
        list: &mut List,
        constructs: &[Construct],
        indent: usize,
    ) -> io::Result<()> {
        let children = self.children;
        let node = |construct: &Construct| match construct {
            Construct::Event(event) => Some(children.node(event.symbol)),
            Construct::Loop(_) => None,
        };
        let mut rest = constructs;
        while let Some((construct, behind)) = rest.split_first() {
            rest = behind;
            match construct {
                Construct::Event(event) => {
                    let child = children.node(event.symbol);
                    let same = behind.iter();
                    let same = same.take_while(|other| node(other) == Some(child)).count();
                    rest = &behind[same..];
                    self.one(out, list, child, 1 + same as u64, indent)?;
                }
                Construct::Loop(l) => {
                    let times = count(&l.count);
                    let only = match &l.body[..] {
                        [one] => node(one),
                        _ => None,
                    };
                    if let (Some(child), Some(times)) = (only, times.as_constant()) {
                        self.one(out, list, child, times as u64, indent)?;
                    } else if list.room == 0 {
                        list.left_out += 1;
                    } else {
                        let lead = format!("{:>7} {:>12}  {:>8}  ", "", "", "");
                        writeln!(out, "{lead}{:indent$}{times} times", "")?;
                        self.constructs(out, list, &l.body, indent + 2)?;
                    }
                }
            }
        }
        Ok(())
    }
}
