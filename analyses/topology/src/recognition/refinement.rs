//! Colour refinement of two graphs in parallel.
//!
//! The nodes of both graphs are partitioned into cells. If the nodes of a cell have different numbers of edges of a
//! colour from another cell, the cell is split by these numbers, until nothing changes. An isomorphism only maps
//! nodes to nodes of the same cell, so each cell must have as many nodes of one graph as of the other; otherwise
//! there is no isomorphism. As in Hopcroft's minimisation of automata, all parts of a split cell except the largest
//! are used to split others, which takes O(m log n) for m edges.

use super::colored::Colored;

/// The nodes of two graphs in cells. The numbers of the second graph's nodes follow those of the first.
pub(super) struct Cells<'a> {
    graphs: Edges<'a>,
    /// The number of nodes of each graph.
    nodes: u32,
    /// All nodes, with the nodes of a cell next to each other; the index of each node in this order; and the first
    /// index of each node's cell, which identifies the cell.
    order: Vec<u32>,
    index: Vec<u32>,
    cell: Vec<u32>,
    /// The number of nodes of the cell that begins at an index.
    sizes: Vec<u32>,
    /// The cells that others still have to be split by.
    waiting: Vec<u32>,
    is_waiting: Vec<bool>,
    /// The splits so far: the cell, and the start of its new part.
    splits: Vec<(u32, u32)>,
    /// The number of edges visited.
    pub(super) work: u64,
    counts: Vec<u32>,
    touched: Vec<u32>,
}

/// The edges of both graphs: the neighbours of a node, and the colours that they see.
struct Edges<'a> {
    graphs: [&'a Colored<'a>; 2],
    nodes: u32,
}

impl Edges<'_> {
    fn append(&self, node: u32, found: &mut Vec<(u32, u32)>) {
        let (graph, first) = match node.checked_sub(self.nodes) {
            None => (self.graphs[0], 0),
            Some(_) => (self.graphs[1], self.nodes),
        };
        let seen = graph.seen(node - first);
        found.extend(seen.map(|(other, colour)| (colour, other + first)));
    }
}

/// The error that the two graphs are not isomorphic, given the nodes that were fixed.
#[derive(Debug)]
pub(super) struct Different;

impl<'a> Cells<'a> {
    /// Puts all nodes of two graphs with the same number of nodes into one cell.
    pub(super) fn new(one: &'a Colored<'a>, other: &'a Colored<'a>) -> Self {
        let nodes = one.graph.nodes();
        let mut sizes = vec![0; 2 * nodes];
        let mut is_waiting = vec![false; 2 * nodes];
        if nodes > 0 {
            sizes[0] = 2 * nodes as u32;
            is_waiting[0] = true;
        }
        Self {
            graphs: Edges {
                graphs: [one, other],
                nodes: nodes as u32,
            },
            nodes: nodes as u32,
            order: (0..2 * nodes as u32).collect(),
            index: (0..2 * nodes as u32).collect(),
            cell: vec![0; 2 * nodes],
            sizes,
            waiting: if nodes > 0 { vec![0] } else { Vec::new() },
            is_waiting,
            splits: Vec::new(),
            work: 0,
            counts: vec![0; 2 * nodes],
            touched: Vec::new(),
        }
    }

    fn members(&self, cell: u32) -> &[u32] {
        &self.order[cell as usize..][..self.sizes[cell as usize] as usize]
    }

    /// Returns the first cell, starting from `cell`, with several nodes of each graph.
    pub(super) fn unsettled(&self, mut cell: u32) -> Option<u32> {
        while (cell as usize) < self.order.len() {
            let size = self.sizes[cell as usize];
            if size > 2 {
                return Some(cell);
            }
            cell += size;
        }
        None
    }

    /// Returns a node of the first graph in a cell.
    pub(super) fn pick(&self, cell: u32) -> Option<u32> {
        let mut members = self.members(cell).iter().copied();
        members.find(|&node| node < self.nodes)
    }

    /// Returns the next node of the second graph in a cell, after the last one that was tried.
    pub(super) fn partner(&mut self, cell: u32, last: Option<u32>) -> Option<u32> {
        self.work += u64::from(self.sizes[cell as usize]);
        let members = self.members(cell).iter();
        let others = members.filter_map(|&node| node.checked_sub(self.nodes));
        others
            .filter(|&other| last.is_none_or(|last| other > last))
            .min()
    }

    /// Returns the node of the second graph for each node of the first, if all cells have two nodes.
    pub(super) fn mapping(&self) -> Vec<u32> {
        let mut mapping = vec![0; self.nodes as usize];
        for pair in self.order.chunks_exact(2) {
            let (one, other) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            if let (Some(to), Some(other)) =
                (mapping.get_mut(one as usize), other.checked_sub(self.nodes))
            {
                *to = other;
            }
        }
        mapping
    }

    /// Returns the current state, to which [`Self::undo`] can return.
    pub(super) const fn mark(&self) -> usize {
        self.splits.len()
    }

    /// Joins the cells that were split since a mark.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.splits.len() > mark {
            let Some((cell, part)) = self.splits.pop() else {
                return;
            };
            let size = std::mem::take(&mut self.sizes[part as usize]);
            self.sizes[cell as usize] += size;
            for &node in &self.order[part as usize..(part + size) as usize] {
                self.cell[node as usize] = cell;
            }
        }
    }

    /// Puts two nodes, one of each graph, into a cell of their own.
    pub(super) fn fix(&mut self, one: u32, other: u32) -> Result<(), Different> {
        let other = other + self.nodes;
        let cell = self.cell[one as usize];
        if cell != self.cell[other as usize] {
            return Err(Different);
        }
        if self.sizes[cell as usize] > 2 {
            let part = cell + self.sizes[cell as usize] - 2;
            self.put(one, part);
            self.put(other, part + 1);
            self.split(cell, part - cell);
            self.wait(part);
        }
        Ok(())
    }

    /// Moves a node to an index, and the node at that index to its place.
    fn put(&mut self, node: u32, index: u32) {
        let (from, other) = (self.index[node as usize], self.order[index as usize]);
        self.order.swap(from as usize, index as usize);
        self.index[node as usize] = index;
        self.index[other as usize] = from;
    }

    /// Splits the nodes after the first `size` nodes off a cell, into a new cell.
    fn split(&mut self, cell: u32, size: u32) {
        let part = cell + size;
        self.sizes[part as usize] = self.sizes[cell as usize] - size;
        self.sizes[cell as usize] = size;
        for &node in &self.order[part as usize..][..self.sizes[part as usize] as usize] {
            self.cell[node as usize] = part;
        }
        self.splits.push((cell, part));
    }

    fn wait(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.is_waiting[cell as usize], true) {
            self.waiting.push(cell);
        }
    }

    /// Splits cells until nothing changes.
    pub(super) fn refine(&mut self) -> Result<(), Different> {
        let mut edges = Vec::new();
        while let Some(cell) = self.waiting.pop() {
            self.is_waiting[cell as usize] = false;
            edges.clear();
            for &node in self.members(cell) {
                self.graphs.append(node, &mut edges);
            }
            self.work += edges.len() as u64 + 1;
            if edges.iter().any(|edge| edge.0 != edges[0].0) {
                edges.sort_unstable();
            }
            for edges in edges.chunk_by(|one, next| one.0 == next.0) {
                if self.split_by(edges).is_err() {
                    for cell in self.waiting.drain(..) {
                        self.is_waiting[cell as usize] = false;
                    }
                    return Err(Different);
                }
            }
        }
        Ok(())
    }

    /// Splits cells by how often their nodes are the ends of `edges`.
    fn split_by(&mut self, edges: &[(u32, u32)]) -> Result<(), Different> {
        self.touched.clear();
        for &(_, node) in edges {
            let count = &mut self.counts[node as usize];
            if *count == 0 {
                self.touched.push(node);
            }
            *count += 1;
        }
        let mut touched = std::mem::take(&mut self.touched);
        touched
            .sort_unstable_by_key(|&node| (self.cell[node as usize], self.counts[node as usize]));
        let mut result = Ok(());
        let mut rest = touched.as_slice();
        while let (Ok(()), Some(&first)) = (&result, rest.first()) {
            let cell = self.cell[first as usize];
            let is_here = |node: &&u32| self.cell[**node as usize] == cell;
            let (nodes, others) = rest.split_at(rest.iter().take_while(is_here).count());
            rest = others;
            result = self.split_cell(nodes);
        }
        for &node in &touched {
            self.counts[node as usize] = 0;
        }
        self.touched = touched;
        result
    }

    /// Splits a cell. `nodes` are its nodes with counts above 0, sorted by their counts.
    fn split_cell(&mut self, nodes: &[u32]) -> Result<(), Different> {
        let Some(&first) = nodes.first() else {
            return Ok(());
        };
        let cell = self.cell[first as usize];
        let size = self.sizes[cell as usize];
        let counts = &self.counts;
        let groups = nodes.chunk_by(|&one, &next| counts[one as usize] == counts[next as usize]);
        let is_even = |group: &[u32]| {
            let of_one = group.iter().filter(|&&node| node < self.nodes).count();
            2 * of_one == group.len()
        };
        let groups: Vec<&[u32]> = groups.collect();
        if !groups.iter().all(|group| is_even(group)) {
            return Err(Different);
        }
        let mut largest = (size - nodes.len() as u32, cell);
        let mut end = cell + size;
        let mut parts = Vec::new();
        for group in groups.iter().rev() {
            let start = end - group.len() as u32;
            largest = largest.max((end - start, start));
            if start > cell {
                for (index, &node) in (start..).zip(*group) {
                    self.put(node, index);
                }
                self.split(cell, start - cell);
                parts.push(start);
            }
            end = start;
        }
        // The part that is left out is redundant: its counts are those of the whole cell minus those of the other
        // parts.
        let is_waiting = self.is_waiting[cell as usize];
        if !parts.is_empty() && !is_waiting {
            parts.push(cell);
        }
        for part in parts {
            if is_waiting || part != largest.1 {
                self.wait(part);
            }
        }
        Ok(())
    }
}
