//! Iterates over the calls of a logical program: over all of them, or over those that one process executes.

use foldtrace_topology::recognition::Topology;

use super::{Call, Construct, Letter, Logical};

/// An iterator over the calls of a program in the order of execution, with the letter of each call.
#[derive(Clone, Debug)]
pub struct Calls<'a> {
    /// The bodies that are being executed, from the outermost to the innermost.
    open: Vec<Open<'a>>,
    /// The indices of the enclosing loops: one fewer than there are open bodies.
    indices: Vec<i64>,
}

#[derive(Clone, Debug)]
struct Open<'a> {
    body: &'a [Construct],
    next: usize,
    /// The number of iterations after the current one.
    left: i64,
}

/// Returns an iterator over the calls of a program in the order of execution.
#[must_use]
pub fn calls_of(program: &[Construct]) -> Calls<'_> {
    Calls {
        open: vec![Open {
            body: program,
            next: 0,
            left: 0,
        }],
        indices: Vec::new(),
    }
}

impl<'a> Iterator for Calls<'a> {
    type Item = (&'a Call, Letter);

    fn next(&mut self) -> Option<(&'a Call, Letter)> {
        loop {
            let open = self.open.last_mut()?;
            match open.body.get(open.next) {
                Some(Construct::Call(call)) => {
                    open.next += 1;
                    if let Some(letter) = call.action.letter(&self.indices) {
                        return Some((call, letter));
                    }
                }
                Some(Construct::Loop(inner)) => {
                    open.next += 1;
                    let count = inner.count.at(&self.indices);
                    if count > 0 {
                        self.indices.push(0);
                        self.open.push(Open {
                            body: &inner.body,
                            next: 0,
                            left: count - 1,
                        });
                    }
                }
                None if open.left > 0 => {
                    open.left -= 1;
                    open.next = 0;
                    if let Some(index) = self.indices.last_mut() {
                        *index += 1;
                    }
                }
                None => {
                    self.open.pop();
                    self.indices.pop();
                }
            }
        }
    }
}

/// An iterator over the calls that the process at a node executes, with the number and the letter of each call. Calls
/// in a direction without a neighbour and calls whose guard does not hold are left out.
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    calls: Calls<'a>,
    topology: &'a Topology,
    node: u32,
}

impl<'a> Instances<'a> {
    /// Creates an iterator over the calls of `program` that the process at `node` executes.
    #[must_use]
    pub fn new(program: &'a [Construct], topology: &'a Topology, node: u32) -> Self {
        Self {
            calls: calls_of(program),
            topology,
            node,
        }
    }
}

impl Logical {
    /// Returns an iterator over the calls that the process at a node executes.
    #[must_use]
    pub fn instances(&self, node: u32) -> Instances<'_> {
        Instances::new(&self.program, &self.topology, node)
    }
}

impl Iterator for Instances<'_> {
    type Item = (u32, Letter);

    fn next(&mut self) -> Option<(u32, Letter)> {
        let (topology, node) = (self.topology, self.node);
        let mut own = self.calls.by_ref().filter(|(call, letter)| {
            let is_let = call.guard.is_none_or(|guard| guard.holds(node, topology));
            is_let && letter.is_of(node, topology)
        });
        own.next().map(|(call, letter)| (call.number, letter))
    }
}
