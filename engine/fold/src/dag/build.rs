//! Builds the graph of one location, one event at a time.
//!
//! A call becomes a node when it closes, so memory is proportional to the graph and the open calls, not to the call
//! tree. The edges of all open calls share one stack, with those of the innermost call on top.

use foldtrace_trace::{Position, SymbolId, SymbolTable, leave_of};

use super::graph::{Edge, EdgeKind, Graph, NodeId, NodeKind, Rules};

/// The role of an event in a call tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Enters a call; the event that leaves the call has the same number.
    Enter(u32),
    /// Leaves a call.
    Leave(u32),
    /// Any other event.
    Leaf,
}

/// The roles of the symbols of a table in call trees.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// The roles of the symbols of each row.
    roles: Vec<Role>,
    /// The symbols of events that leave calls; a call's number is an id in this table.
    calls: SymbolTable,
    /// For each call, the symbol of the event that leaves it, if the table has it.
    leaves: Vec<Option<SymbolId>>,
}

impl Roles {
    /// Returns the roles of the symbols of a table.
    #[must_use]
    pub fn of(table: &SymbolTable) -> Self {
        let mut roles = Self::default();
        roles.update(table);
        roles
    }

    /// Adds the symbols that `table` has gained since the last call. Every call must pass the same growing table.
    pub fn update(&mut self, table: &SymbolTable) {
        for index in self.roles.len()..table.len() {
            let id = SymbolId::new(index as u32);
            let symbol = table.symbol(id);
            let role = match leave_of(symbol) {
                Some(leave) => Role::Enter(self.calls.intern(leave).row_number()),
                None if symbol.kind.is_leave() => {
                    let call = self.calls.intern(symbol);
                    self.leaves.resize(self.calls.len(), None);
                    self.leaves[call.row()] = Some(id);
                    Role::Leave(call.row_number())
                }
                None => Role::Leaf,
            };
            self.roles.push(role);
        }
    }

    fn role(&self, symbol: SymbolId) -> Role {
        self.roles.get(symbol.row()).copied().unwrap_or(Role::Leaf)
    }

    /// Returns the symbol of the event that leaves the call that `enter` enters.
    #[must_use]
    pub fn leave(&self, enter: SymbolId) -> Option<SymbolId> {
        match self.role(enter) {
            Role::Enter(call) => self.leaves.get(call as usize).copied().flatten(),
            Role::Leave(_) | Role::Leaf => None,
        }
    }
}

/// An irregularity in the calls of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Oddity {
    /// A call is left before a call nested in it. It then ends together with the nested call.
    Misnested,
    /// A call is left that was never entered.
    NeverEntered,
    /// A call is never left. It then ends with the location.
    NeverLeft,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The symbol of the event that entered it.
    symbol: SymbolId,
    call: u32,
    /// The index of its first edge on the stack.
    edges: usize,
    /// The position of the event that entered it.
    position: u64,
    /// The number of its children that are calls of itself.
    of_itself: u32,
    /// Whether the latest of these children created a new node.
    is_new: bool,
    /// Whether it was left while calls nested in it are still open.
    is_left: bool,
    /// The innermost enclosing frame of the same call that has not been left, counted from 1; 0 if there
    /// is none.
    around: usize,
}

/// Builds the graph of one location. The labels of nodes are symbols: those of leaves, and those of the events that
/// enter calls.
///
/// ```
/// use foldtrace_fold::dag::{Grower, Roles, Rules};
/// use foldtrace_trace::{EventKind, Symbol, SymbolTable};
///
/// let mut symbols = SymbolTable::default();
/// let enter = symbols.intern(Symbol::new(EventKind::Enter, &[7]));
/// let leave = symbols.intern(Symbol::new(EventKind::Leave, &[7]));
/// let mut grower = Grower::new(Rules::default());
/// for _ in 0..1000 {
///     grower.push(&[enter, leave], &Roles::of(&symbols), &mut |_, _| {});
/// }
/// let (graph, root) = grower.finish(&mut |_, _| {});
/// assert_eq!((graph.len(), graph.length(root)), (2, 2000));
/// assert_eq!(graph.edges(root)[0].repetitions, 1000);
/// ```
#[derive(Clone, Debug)]
pub struct Grower {
    graph: Graph,
    rules: Rules,
    frames: Vec<Frame>,
    /// For each call, its innermost frame that has not been left, counted from 1; 0 if there is none.
    innermost: Vec<usize>,
    stack: Vec<Edge>,
    /// For each row of the table, the node of its symbol with tag 0, if that is a leaf.
    leaves: Vec<Option<NodeId>>,
    position: u64,
    scratch: Vec<Edge>,
}

impl Grower {
    /// Creates the graph of a location without events.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            graph: Graph::default(),
            rules,
            frames: Vec::new(),
            innermost: Vec::new(),
            stack: Vec::new(),
            leaves: Vec::new(),
            position: 0,
            scratch: Vec::new(),
        }
    }

    /// Adds the next events, and passes irregularities to `report`. `roles` must be up to date with the table of the
    /// events' symbols.
    pub fn push(
        &mut self,
        events: &[SymbolId],
        roles: &Roles,
        report: &mut impl FnMut(Oddity, Position),
    ) {
        for &event in events {
            match roles.role(event) {
                Role::Leaf => self.leaf(event),
                Role::Enter(call) => self.enter(event, call),
                Role::Leave(call) => match self.frames.last() {
                    Some(top) if top.call == call && !top.is_left => {
                        self.innermost[call as usize] = top.around;
                        self.close(NodeKind::Call);
                        self.close_left();
                    }
                    _ => {
                        report(self.leave_out_of_order(call), Position(self.position));
                        self.leaf(event);
                    }
                },
            }
            self.position += 1;
        }
    }

    /// Completes the graph, and returns it with its root. Calls that were never left are passed to `report`.
    #[must_use]
    pub fn finish(mut self, report: &mut impl FnMut(Oddity, Position)) -> (Graph, NodeId) {
        for frame in self.frames.iter().filter(|frame| !frame.is_left) {
            report(Oddity::NeverLeft, Position(frame.position));
        }
        while !self.frames.is_empty() {
            self.close(NodeKind::OpenCall);
        }
        let (root, _) = self.graph.intern(NodeKind::Root, 0, &self.stack);
        self.graph.shrink();
        (self.graph, root)
    }

    fn enter(&mut self, symbol: SymbolId, call: u32) {
        let index = call as usize;
        if self.innermost.len() <= index {
            self.innermost.resize(index + 1, 0);
        }
        let around = std::mem::replace(&mut self.innermost[index], self.frames.len() + 1);
        self.frames.push(Frame {
            symbol,
            call,
            edges: self.stack.len(),
            position: self.position,
            of_itself: 0,
            is_new: false,
            is_left: false,
            around,
        });
    }

    fn leaf(&mut self, symbol: SymbolId) {
        let graph = &mut self.graph;
        let mut intern = || graph.intern(NodeKind::Leaf, symbol.into(), &[]).0;
        let node = if symbol.tag() == 0 {
            if self.leaves.len() <= symbol.row() {
                self.leaves.resize(symbol.row() + 1, None);
            }
            *self.leaves[symbol.row()].get_or_insert_with(intern)
        } else {
            intern()
        };
        self.child(node);
    }

    /// Appends a child to the innermost call.
    fn child(&mut self, node: NodeId) {
        let from = self.frames.last().map_or(0, |frame| frame.edges);
        if self.rules.repeats
            && self.stack.len() > from
            && let Some(last) = self.stack.last_mut()
            && last.node == node
            && let Some(repetitions) = last.repetitions.checked_add(1)
        {
            last.repetitions = repetitions;
            last.kind = EdgeKind::Sequence;
        } else {
            self.stack.push(Edge::to(node));
        }
    }

    /// Closes the innermost call.
    fn close(&mut self, kind: NodeKind) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let edges = &self.stack[frame.edges..];
        let label = frame.symbol.into();
        let mut nesting = None;
        if self.rules.recursion && frame.of_itself == 1 {
            nesting = nest(&self.graph, kind, label, edges, &mut self.scratch);
        }
        let (node, is_new) = match nesting {
            None => self.graph.intern(kind, label, edges),
            Some(inner) => {
                // The node with one more level replaces the previous one, which nothing else refers to yet.
                let is_replaced = frame.is_new && inner.is_some();
                if is_replaced && inner == self.graph.nodes().next_back() {
                    self.graph.remove_last();
                }
                self.graph.intern(kind, label, &self.scratch)
            }
        };
        self.stack.truncate(frame.edges);
        if let Some(parent) = self.frames.last_mut()
            && parent.symbol == frame.symbol
        {
            parent.of_itself = parent.of_itself.saturating_add(1);
            parent.is_new = is_new;
        }
        self.child(node);
    }

    /// Closes the calls that were left before the one that has just closed.
    fn close_left(&mut self) {
        while self.frames.last().is_some_and(|frame| frame.is_left) {
            self.close(NodeKind::OpenCall);
        }
    }

    /// Handles an event that leaves a call other than the innermost one. If that call is open, it ends when the calls
    /// nested in it end. The event that leaves it is a leaf.
    fn leave_out_of_order(&mut self, call: u32) -> Oddity {
        let index = self.innermost.get(call as usize).copied().unwrap_or(0);
        let frame = index.checked_sub(1).and_then(|at| self.frames.get_mut(at));
        match frame {
            Some(frame) => {
                frame.is_left = true;
                self.innermost[call as usize] = frame.around;
                Oddity::Misnested
            }
            None => Oddity::NeverEntered,
        }
    }
}

/// Turns the only call of itself among `edges` into a recursive edge, and stores the resulting edges in `nested`. If
/// that call has the same children around a recursive edge of its own, that edge gets one more level instead, and the
/// call, which is no longer needed, is returned. Returns `None` if there is no such call.
fn nest(
    graph: &Graph,
    kind: NodeKind,
    label: u64,
    edges: &[Edge],
    nested: &mut Vec<Edge>,
) -> Option<Option<NodeId>> {
    let is_itself = |edge: &Edge| {
        edge.kind == EdgeKind::Regular
            && graph.kind(edge.node) == kind
            && graph.label(edge.node) == label
    };
    let at = edges.iter().position(is_itself)?;
    let inner = graph.edges(edges[at].node);
    nested.clear();
    nested.extend_from_slice(edges);
    if let Some(deeper) = inner.get(at)
        && deeper.kind == EdgeKind::Recursive
        && inner[..at] == edges[..at]
        && inner[at + 1..] == edges[at + 1..]
        && let Some(levels) = deeper.repetitions.checked_add(1)
    {
        nested[at] = Edge {
            repetitions: levels,
            ..*deeper
        };
        return Some(Some(edges[at].node));
    }
    nested[at].kind = EdgeKind::Recursive;
    Some(None)
}
