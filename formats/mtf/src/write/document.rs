//! Writes the document: everything that is known when the trace is complete, followed by the quantities.

use std::collections::HashMap;
use std::io::{self, Read, Write};

use foldtrace_calltree::TracePattern;
use foldtrace_fold::dag::{Dag, Edge, EdgeKind, NodeId, NodeKind};
use foldtrace_matching::{Caller, Links, Meaning};
use foldtrace_notation::{MARK, push_definition};
use foldtrace_trace::{DefinitionKind, LocationId, Process, Symbol, SymbolId, UNDEFINED};
use indexmap::IndexMap;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::tag::{Tag, Xml, close};
use crate::operation::{self, Operation};
use crate::schema::{
    DEFINITION, DEFINITIONS, EDGE, EVENT, LABEL, LABELS, LOCATION, MESSAGE, MESSAGES,
    MPI_OPERATION, NAMESPACE, OWN, PATTERN_OCCURRENCE, PROCESS, PROCESSOR, RECEIVER, ROOT,
    ROUTINE_CALL, RUN, SCENARIO, SENDER, TRACE, TRACE_PATTERN, UNITS, VERSION,
};

/// The content of a document besides quantities.
pub(super) struct Content<'a> {
    pub dag: &'a Dag,
    pub links: &'a Links,
    pub patterns: &'a [TracePattern],
    pub meaning: Meaning<'a>,
}

impl Content<'_> {
    /// Writes the document with these quantities.
    pub fn write(&self, out: &mut impl Write, quantities: &mut impl Read) -> io::Result<()> {
        let mut xml = Xml::new_with_indent(out, b' ', 1);
        xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        Tag::new(SCENARIO)
            .text("xmlns", NAMESPACE)
            .text("version", VERSION)
            .open(&mut xml)?;
        self.trace().open(&mut xml)?;
        self.definitions(&mut xml)?;
        self.labels(&mut xml)?;
        self.units(&mut xml)?;
        self.processors(&mut xml)?;
        self.messages(&mut xml)?;
        self.patterns(&mut xml)?;
        io::copy(quantities, xml.get_mut())?;
        close(&mut xml, TRACE)?;
        close(&mut xml, SCENARIO)?;
        xml.get_mut().write_all(b"\n")
    }

    fn trace(&self) -> Tag {
        let clock = self.meaning.definitions.clock();
        let roots = self.dag.roots.iter();
        let events = roots.fold(0u64, |sum, root| {
            sum.saturating_add(self.dag.graph.length(root.node))
        });
        Tag::new(TRACE)
            .number("ticksPerSecond", clock.ticks_per_second)
            .number("globalOffset", clock.global_offset)
            .number("traceLength", clock.trace_length)
            .number("events", events)
    }

    fn definitions(&self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        Tag::new(DEFINITIONS).open(xml)?;
        let mut line = Vec::new();
        for record in self.meaning.definitions.in_order() {
            line.clear();
            push_definition(&mut line, &record);
            let line = String::from_utf8_lossy(line.get(MARK.len()..).unwrap_or_default());
            // Control characters are already escaped. XML allows neither of these two, which are not control
            // characters.
            let line = line.trim().replace('\u{fffe}', "\\u{fffe}");
            let line = line.replace('\u{ffff}', "\\u{ffff}");
            Tag::new(DEFINITION).open(xml)?;
            xml.write_event(Event::Text(BytesText::new(&line)))?;
            close(xml, DEFINITION)?;
        }
        close(xml, DEFINITIONS)
    }

    fn labels(&self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        let labels = &self.dag.labels;
        let mut own: HashMap<u32, Vec<(LocationId, SymbolId)>> = HashMap::new();
        for (location, label, symbol) in labels.own() {
            own.entry(label.0).or_default().push((location, symbol));
        }
        Tag::new(LABELS).open(xml)?;
        for (number, label) in (0..).zip(labels.iter()) {
            let symbol = self.meaning.symbols.symbol(label.symbol);
            let mut tag = Tag::new(LABEL)
                .id("id", 's', number)
                .text("kind", symbol.kind.name())
                .display_name("name", self.name(&symbol));
            if label.variant > 0 {
                tag = tag.number("variant", u64::from(label.variant));
            }
            let tag = operands(tag, &symbol);
            let Some(own) = own.get(&number) else {
                tag.empty(xml)?;
                continue;
            };
            tag.open(xml)?;
            for &(location, symbol) in own {
                let tag = Tag::new(OWN).number("location", location.0);
                operands(tag, &self.meaning.symbols.symbol(symbol)).empty(xml)?;
            }
            close(xml, LABEL)?;
        }
        close(xml, LABELS)
    }

    /// Returns the name of a symbol. A symbol that enters a calling context has the name of its region.
    fn name(&self, symbol: &Symbol) -> Option<&str> {
        let names = self.meaning.names;
        names.called(symbol).or_else(|| {
            let region = names.callee(symbol)?;
            names.name(DefinitionKind::Region, region)
        })
    }

    fn units(&self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        let graph = &self.dag.graph;
        Tag::new(UNITS).open(xml)?;
        for node in graph.nodes() {
            let (tag, name) = self.unit(node);
            let edges = graph.edges(node);
            if edges.is_empty() {
                tag.empty(xml)?;
                continue;
            }
            tag.open(xml)?;
            for (order, edge) in edges.iter().enumerate() {
                edge_tag(order, edge).empty(xml)?;
            }
            close(xml, name)?;
        }
        close(xml, UNITS)
    }

    /// Returns the element of a node, and its name.
    fn unit(&self, node: NodeId) -> (Tag, &'static str) {
        let kind = self.dag.graph.kind(node);
        let symbol = self.dag.symbol(node);
        let symbol = symbol.map(|symbol| self.meaning.symbols.symbol(symbol));
        let operation = symbol.as_ref().and_then(Operation::from_symbol);
        let name = match kind {
            NodeKind::Root => ROOT,
            NodeKind::Call | NodeKind::OpenCall => ROUTINE_CALL,
            NodeKind::Leaf if operation.is_some() => MPI_OPERATION,
            NodeKind::Leaf => EVENT,
        };
        let mut tag = Tag::new(name).id("id", 'n', node.0);
        if let Some(label) = self.dag.label(node) {
            tag = tag.id("label", 's', label.0);
        }
        let called = symbol.as_ref().and_then(|symbol| self.name(symbol));
        if kind.is_call() {
            tag = tag.display_name("name", called);
            if let Some(operation) = called.and_then(operation::of_routine) {
                tag = tag.text("operation", operation);
            }
            if kind == NodeKind::OpenCall {
                tag = tag.text("open", "true");
            }
        } else if let Some(operation) = operation {
            tag = tag
                .text("type", operation.name)
                .text("category", operation.category.name());
            if let Some(phase) = operation.phase {
                tag = tag.text("phase", phase.name());
            }
        } else if let Some(symbol) = symbol {
            tag = tag
                .text("kind", symbol.kind.name())
                .display_name("name", called);
        }
        (tag, name)
    }

    fn processors(&self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        let names = self.meaning.names;
        let groups = self
            .meaning
            .definitions
            .records(DefinitionKind::LocationGroup);
        let parents: HashMap<u64, u64> = groups
            .map(|group| (group.get(0), group.field("system_tree_parent")))
            .filter_map(|(group, parent)| Some((group, parent?)))
            .collect();
        let nodes = self
            .meaning
            .definitions
            .records(DefinitionKind::SystemTreeNode);
        let classes: HashMap<u64, u64> = nodes
            .filter_map(|node| Some((node.get(0), node.field("class")?)))
            .collect();
        let mut processors: IndexMap<Option<u64>, Vec<&Process>> = IndexMap::new();
        for process in names.processes() {
            let parent = parents.get(&process.group).copied();
            processors.entry(parent).or_default().push(process);
        }
        let roots = self.dag.roots.iter().map(|root| (root.location, root.node));
        let roots: HashMap<LocationId, NodeId> = roots.collect();
        for (node, processes) in processors {
            let name = node.and_then(|node| names.name(DefinitionKind::SystemTreeNode, node));
            let class = node.and_then(|node| classes.get(&node));
            Tag::new(PROCESSOR)
                .display_name("name", name)
                .display_name("class", class.map(|&class| names.string(class)))
                .open(xml)?;
            for process in processes {
                let name = names.name(DefinitionKind::LocationGroup, process.group);
                let mut tag = Tag::new(PROCESS).number("rank", process.rank);
                if process.group != UNDEFINED {
                    tag = tag.number("group", process.group);
                }
                tag.display_name("name", name).open(xml)?;
                for &location in &process.locations {
                    self.location(location, &roots).empty(xml)?;
                }
                close(xml, PROCESS)?;
            }
            close(xml, PROCESSOR)?;
        }
        let has_no_process = |root: &LocationId| names.rank(*root).is_none();
        let locations = self.dag.roots.iter().map(|root| root.location);
        let mut locations = locations.filter(has_no_process).peekable();
        if locations.peek().is_some() {
            Tag::new(PROCESSOR).open(xml)?;
            Tag::new(PROCESS).open(xml)?;
            for location in locations {
                self.location(location, &roots).empty(xml)?;
            }
            close(xml, PROCESS)?;
            close(xml, PROCESSOR)?;
        }
        Ok(())
    }

    fn location(&self, location: LocationId, roots: &HashMap<LocationId, NodeId>) -> Tag {
        let name = self
            .meaning
            .names
            .name(DefinitionKind::Location, location.0);
        let tag = Tag::new(LOCATION)
            .number("id", location.0)
            .display_name("name", name);
        match roots.get(&location) {
            Some(root) => tag
                .id("root", 'n', root.0)
                .number("events", self.dag.graph.length(*root)),
            None => tag,
        }
    }

    fn messages(&self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        let links = self.links;
        if links.messages == 0 && links.alone == 0 {
            return Ok(());
        }
        Tag::new(MESSAGES)
            .number("count", links.messages)
            .number("unmatched", links.alone)
            .open(xml)?;
        for link in &links.links {
            Tag::new(MESSAGE).number("count", link.messages).open(xml)?;
            caller(SENDER, &link.sender).empty(xml)?;
            caller(RECEIVER, &link.receiver).empty(xml)?;
            for run in &link.runs {
                let mut tag = Tag::new(RUN)
                    .number("send", run.send)
                    .number("receive", run.receive);
                if run.messages > 1 {
                    tag = tag
                        .number("count", run.messages)
                        .number("sendStep", run.send_step)
                        .number("receiveStep", run.receive_step);
                }
                tag.empty(xml)?;
            }
            close(xml, MESSAGE)?;
        }
        close(xml, MESSAGES)
    }

    fn patterns(&self, xml: &mut Xml<impl Write>) -> io::Result<()> {
        for pattern in self.patterns {
            Tag::new(TRACE_PATTERN)
                .display_name("name", Some(&pattern.name))
                .open(xml)?;
            for occurrence in &pattern.occurrences {
                Tag::new(PATTERN_OCCURRENCE)
                    .id("unit", 'n', occurrence.node)
                    .number("order", u64::from(occurrence.order))
                    .number("skip", occurrence.skip)
                    .number("offset", occurrence.offset)
                    .number("events", occurrence.events)
                    .number("count", occurrence.count)
                    .empty(xml)?;
            }
            close(xml, TRACE_PATTERN)?;
        }
        Ok(())
    }
}

/// Adds the defined operands as attributes, by name.
fn operands(mut tag: Tag, symbol: &Symbol) -> Tag {
    for (slot, operand) in symbol.kind.operands().iter().enumerate() {
        if symbol.operands[slot] != UNDEFINED {
            tag = tag.number(operand.name(), symbol.operands[slot]);
        }
    }
    tag
}

/// Returns the element of an edge, without attributes that have their default values.
fn edge_tag(order: usize, edge: &Edge) -> Tag {
    let tag = Tag::new(EDGE)
        .id("to", 'n', edge.node.0)
        .number("order", order as u64);
    if edge.kind == EdgeKind::Regular {
        return tag;
    }
    tag.text("type", edge.kind.name())
        .number("repetitions", u64::from(edge.repetitions))
}

fn caller(name: &'static str, caller: &Caller) -> Tag {
    Tag::new(name)
        .number("location", caller.location.0)
        .id("call", 'n', caller.call.0)
        .id("operation", 'n', caller.operation.0)
}
