//! What a logical program says that one process does.

use super::{Construct, Letter, Logical};
use crate::analysis::topology::Topology;

/// The calls of a program that the process at a node makes, one after the other: their numbers, and what
/// they are.
#[derive(Clone, Debug)]
pub struct Instances<'a> {
    topology: &'a Topology,
    node: u32,
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

impl<'a> Instances<'a> {
    /// Those of a program at a node of a topology.
    #[must_use]
    pub fn new(program: &'a [Construct], topology: &'a Topology, node: u32) -> Self {
        Self {
            topology,
            node,
            open: vec![Open {
                body: program,
                next: 0,
                left: 0,
            }],
            indices: Vec::new(),
        }
    }
}

impl Logical {
    /// What the program says that a process does.
    #[must_use]
    pub fn instances(&self, node: u32) -> Instances<'_> {
        Instances::new(&self.program, &self.topology, node)
    }
}

impl Iterator for Instances<'_> {
    type Item = (u32, Letter);

    fn next(&mut self) -> Option<(u32, Letter)> {
        loop {
            let open = self.open.last_mut()?;
            match open.body.get(open.next) {
                Some(Construct::Call(call)) => {
                    open.next += 1;
                    let letter = call.action.letter(&self.indices);
                    let letter = letter.filter(|letter| letter.is_of(self.node, self.topology));
                    if let Some(letter) = letter {
                        return Some((call.number, letter));
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
