//! Combines the collective operations of all ranks into one list.
//!
//! A replay hangs if a rank performs a different operation than the others, or none, and stops if the ranks disagree
//! on sizes. The lists of the ranks are therefore compared: the operations that all ranks have in common, up to the
//! first difference, are kept, with the largest sizes of any rank.

use foldtrace_trace::COLLECTIVES;

/// A collective operation, by its number in [`COLLECTIVES`], with the sizes that the ranks specify.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    pub operation: u64,
    pub root: u64,
    /// Number of bytes sent, by the rank that sends most.
    pub sent: u64,
    /// Number of bytes received, by the rank that receives most.
    pub received: u64,
}

/// The operations that all ranks seen so far have in common.
#[derive(Debug, Default)]
pub(crate) struct Agreed {
    list: Vec<Collective>,
    ranks: u64,
    /// The number of operations of the current rank, and whether any of them differs from the list.
    seen: usize,
    differs: bool,
    /// The number of operations of all ranks.
    all: u64,
}

impl Agreed {
    /// Adds the next operation of the current rank.
    pub(crate) fn add(&mut self, new: Collective) {
        self.all += 1;
        if self.ranks == 0 {
            self.list.push(new);
        } else if !self.differs {
            match self.list.get_mut(self.seen) {
                Some(old) if old.operation == new.operation && old.root == new.root => {
                    old.sent = old.sent.max(new.sent);
                    old.received = old.received.max(new.received);
                }
                _ => {
                    self.differs = true;
                    self.list.truncate(self.seen);
                }
            }
        }
        self.seen += 1;
    }

    /// Ends the current rank.
    pub(crate) fn end_rank(&mut self) {
        self.list.truncate(self.seen);
        self.ranks += 1;
        self.seen = 0;
        self.differs = false;
    }

    /// Returns the operations that all `ranks` ranks have in common, and the number of operations of all ranks that
    /// are left out.
    pub(crate) fn finish(mut self, ranks: u64) -> (Vec<Collective>, u64) {
        if self.ranks < ranks {
            self.list.clear();
        }
        let left_out = self.all - self.list.len() as u64 * self.ranks;
        (self.list, left_out)
    }
}

impl Collective {
    /// Returns whether there is an action for the operation.
    pub(crate) fn has_action(operation: u64) -> bool {
        operation <= 16
    }

    /// Returns whether an MPI call is a collective operation, based on the part of its lowercase name after `mpi_`.
    pub(crate) fn is_routine(name: &str) -> bool {
        let is_blocking = |name| COLLECTIVES.code(&format!("mpi_{name}")).is_some();
        is_blocking(name) || name.strip_prefix('i').is_some_and(is_blocking)
    }

    /// Returns whether the ranks have parts of different sizes, of which the trace contains only the sums.
    pub(crate) fn is_uneven(self) -> bool {
        matches!(self.operation, 3 | 5 | 7 | 9 | 10 | 13)
    }

    /// Returns the action, for `ranks` ranks in total. Sizes are in bytes.
    pub(crate) fn line(self, ranks: u64) -> String {
        let Self {
            root,
            sent,
            received,
            ..
        } = self;
        // The part of one rank, if all ranks have equal parts.
        let share = |bytes: u64| bytes.div_ceil(ranks.max(1));
        let or = |bytes: u64, other: u64| if bytes > 0 { bytes } else { other };
        match self.operation {
            0 => "barrier".to_owned(),
            1 => format!("bcast {} {root}", or(received, sent)),
            2 | 3 => format!("gather {sent} {sent} {root}"),
            4 | 5 => format!("scatter {received} {received} {root}"),
            6 | 7 => {
                let own = if received == sent.saturating_mul(ranks) {
                    sent
                } else {
                    share(received)
                };
                format!("allgather {own} {own}")
            }
            8..=10 => format!("alltoall {0} {0}", share(sent)),
            11 => format!("allreduce {} 0", or(sent, received)),
            12 => format!("reduce {} 0 {root}", or(sent, received)),
            13 | 16 => {
                let own = or(received, share(sent)).to_string();
                let counts = vec![own; ranks as usize].join(" ");
                format!("reducescatter {counts} 0")
            }
            14 => format!("scan {} 0", or(sent, received)),
            _ => format!("exscan {} 0", or(sent, received)),
        }
    }

    /// Returns the MPI name of an operation.
    pub(crate) fn name(operation: u64) -> &'static str {
        COLLECTIVES
            .name(operation)
            .unwrap_or("collective operation")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collective(operation: u64, sent: u64) -> Collective {
        Collective {
            operation,
            root: 0,
            sent,
            received: 0,
        }
    }

    #[test]
    fn ranks_agree_up_to_the_first_difference() {
        let mut agreed = Agreed::default();
        for operations in [[1, 11, 0], [1, 11, 11], [1, 11, 0]] {
            for (place, operation) in operations.into_iter().enumerate() {
                agreed.add(collective(operation, place as u64 + 10 * operation));
            }
            agreed.end_rank();
        }
        let (list, left_out) = agreed.finish(3);
        assert_eq!(list, [collective(1, 10), collective(11, 111)]);
        assert_eq!(left_out, 3);
    }

    #[test]
    fn nothing_is_common_with_a_rank_without_events() {
        let mut agreed = Agreed::default();
        agreed.add(collective(0, 0));
        agreed.end_rank();
        assert_eq!(agreed.finish(2), (vec![], 1));
    }

    #[test]
    fn sizes_are_those_of_a_rank() {
        let line = |operation, sent, received| {
            let collective = Collective {
                operation,
                root: 1,
                sent,
                received,
            };
            collective.line(4)
        };
        assert_eq!(line(1, 0, 12), "bcast 12 1");
        assert_eq!(line(2, 5, 20), "gather 5 5 1");
        assert_eq!(line(6, 5, 20), "allgather 5 5");
        assert_eq!(line(7, 5, 18), "allgather 5 5");
        assert_eq!(line(9, 18, 20), "alltoall 5 5");
        assert_eq!(line(12, 8, 0), "reduce 8 0 1");
        assert_eq!(line(13, 0, 8), "reducescatter 8 8 8 8 0");
    }
}
