//! The graph of one location, event by event.
//!
//! A call becomes a node when it closes, so memory is the graph and what is open, not the call tree.
//! The edges of all open calls stand on one stack, those of the innermost on top.

use foldtrace_trace::{Position, SymbolId, SymbolTable, leave_of};

use super::graph::{Edge, EdgeKind, Graph, NodeId, NodeKind, Rules};

/// What an event is in a call tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// Enters a call; the number is the same for the event that leaves it.
    Enter(u32),
    /// Leaves a call.
    Leave(u32),
    /// Any other event.
    Leaf,
}

/// What the symbols of a table are in call trees.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    roles: Vec<Role>,
    /// The symbols of events that leave calls; a call's number is an id of this table.
    calls: SymbolTable,
    /// For each call, the symbol of the event that leaves it, if the table has it.
    leaves: Vec<Option<SymbolId>>,
}

impl Roles {
    /// Those of a table.
    #[must_use]
    pub fn of(table: &SymbolTable) -> Self {
        let mut roles = Self::default();
        roles.update(table);
        roles
    }

    /// Takes in what `table` has gained; it must be the same growing table at every call.
    pub fn update(&mut self, table: &SymbolTable) {
        for index in self.roles.len()..table.len() {
            let id = SymbolId(index as u32);
            let symbol = table.symbol(id);
            let role = match leave_of(symbol) {
                Some(leave) => Role::Enter(self.calls.intern(leave).0),
                None if symbol.kind.is_leave() => {
                    let call = self.calls.intern(symbol);
                    self.leaves.resize(self.calls.len(), None);
                    self.leaves[call.index()] = Some(id);
                    Role::Leave(call.0)
                }
                None => Role::Leaf,
            };
            self.roles.push(role);
        }
    }

    fn role(&self, symbol: SymbolId) -> Role {
        self.roles
            .get(symbol.index())
            .copied()
            .unwrap_or(Role::Leaf)
    }

    /// The symbol of the event that leaves what `enter` has entered.
    #[must_use]
    pub fn leave(&self, enter: SymbolId) -> Option<SymbolId> {
        match self.role(enter) {
            Role::Enter(call) => self.leaves.get(call as usize).copied().flatten(),
            Role::Leave(_) | Role::Leaf => None,
        }
    }
}

/// What is odd about the calls of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Oddity {
    /// A call is left before a call within it. It then ends with that one.
    Misnested,
    /// A call is left that was not entered.
    NeverEntered,
    /// A call is never left. It then ends with the location.
    NeverLeft,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The symbol that entered it.
    symbol: SymbolId,
    call: u32,
    /// Where its edges begin on the stack.
    edges: usize,
    /// Position of the event that entered it.
    position: u64,
    /// Calls of itself that it has as children.
    of_itself: u32,
    /// Whether the latest of them made a new node.
    is_new: bool,
    /// Whether it was left while calls within it are open.
    is_left: bool,
    /// The innermost enclosing frame of the same call that has not been left, counted from 1; 0 if there
    /// is none.
    around: usize,
}

/// Grows the graph of one location. Labels of nodes are the symbols that enter calls, or of leaves.
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
    /// The node of each symbol that is a leaf.
    leaves: Vec<Option<NodeId>>,
    position: u64,
    scratch: Vec<Edge>,
}

impl Grower {
    /// The graph of a location without events.
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

    /// Takes the next events; tells what is odd about them. `roles` must be up to date with the table
    /// of their symbols.
    pub fn push(
        &mut self,
        events: &[SymbolId],
        roles: &Roles,
        tell: &mut impl FnMut(Oddity, Position),
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
                        tell(self.leave_out_of_order(call), Position(self.position));
                        self.leaf(event);
                    }
                },
            }
            self.position += 1;
        }
    }

    /// Completes the graph; gives it with its root.
    #[must_use]
    pub fn finish(mut self, tell: &mut impl FnMut(Oddity, Position)) -> (Graph, NodeId) {
        for frame in self.frames.iter().filter(|frame| !frame.is_left) {
            tell(Oddity::NeverLeft, Position(frame.position));
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
        if self.leaves.len() <= symbol.index() {
            self.leaves.resize(symbol.index() + 1, None);
        }
        let graph = &mut self.graph;
        let node = *self.leaves[symbol.index()]
            .get_or_insert_with(|| graph.intern(NodeKind::Leaf, symbol.0, &[]).0);
        self.child(node);
    }

    /// The innermost call has a child.
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
        let label = frame.symbol.0;
        let mut nesting = None;
        if self.rules.recursion && frame.of_itself == 1 {
            nesting = nest(&self.graph, kind, label, edges, &mut self.scratch);
        }
        let (node, is_new) = match nesting {
            None => self.graph.intern(kind, label, edges),
            Some(inner) => {
                // A level more replaces the node of those before, which nothing else knows yet.
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

    /// Closes calls that were left before the one that has just closed.
    fn close_left(&mut self) {
        while self.frames.last().is_some_and(|frame| frame.is_left) {
            self.close(NodeKind::OpenCall);
        }
    }

    /// Something is left that is not the innermost call. A call that is open ends when those within
    /// it do; the event that leaves it is a leaf.
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

/// Makes the only call of itself among `edges` a recursive edge; `nested` has the edges then. If that
/// call has the same children around a recursive edge of its own, there is a level more instead, and the
/// call is not needed any more: it is what comes back.
fn nest(
    graph: &Graph,
    kind: NodeKind,
    label: u32,
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
