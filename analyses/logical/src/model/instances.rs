//! A logical program, call by call: as it is written, and as one process follows it.

use foldtrace_topology::recognition::Topology;

use super::{Call, Construct, Letter, Logical};

/// The calls of a program, one after the other, and what they are.
#[derive(Clone, Debug)]
pub struct Calls<'a> {
    /// The bodies that are under way, from the outermost one.
    open: Vec<Open<'a>>,
    /// The indices of the loops around, one less than there are bodies.
    indices: Vec<i64>,
}

#[derive(Clone, Debug)]
struct Open<'a> {
    body: &'a [Construct],
    next: usize,
    /// Iterations after this one.
    left: i64,
}

/// The calls of a program.
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

/// The calls of a program that the process at a node makes: those in directions in which it has a neighbour, as far as
/// their guards let it. Their numbers, and what they are.
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    calls: Calls<'a>,
    topology: &'a Topology,
    node: u32,
}

impl<'a> Instances<'a> {
    /// Those of a program at a node of a topology.
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
    /// What the program says that the process at a node does.
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
