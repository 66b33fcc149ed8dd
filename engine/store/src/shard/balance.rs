//! Distributes work over tasks that do not talk to each other: each computes the same distribution.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Distributes pieces of work of these sizes over tasks, which already have `loads`: the next largest piece goes to the task with
/// the least load. Returns the number of the task of each piece.
#[must_use]
pub fn distribute(sizes: &[u64], loads: &[u64]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&piece| (Reverse(sizes[piece]), piece));
    let mut loads: BinaryHeap<Reverse<(u64, u32)>> =
        loads.iter().copied().zip(0..).map(Reverse).collect();
    let mut of = vec![0; sizes.len()];
    for piece in order {
        if let Some(Reverse((load, task))) = loads.pop() {
            of[piece] = task;
            // A piece without a size counts, too, so that all tasks get some.
            loads.push(Reverse((load + sizes[piece].max(1), task)));
        }
    }
    of
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_piece_has_a_task_and_no_task_is_overloaded(
            sizes in prop::collection::vec(0_u64..1000, 0..60),
            loads in prop::collection::vec(0_u64..1000, 1..20),
        ) {
            let of = distribute(&sizes, &loads);
            prop_assert_eq!(of.len(), sizes.len());
            let mut sums = loads.clone();
            for (&task, size) in of.iter().zip(&sizes) {
                sums[task as usize] += size.max(&1);
            }
            let total: u64 = sums.iter().sum();
            let mean = total / loads.len() as u64;
            let greatest = sizes.iter().copied().max().unwrap_or_default().max(1);
            for (sum, &before) in sums.iter().zip(&loads) {
                prop_assert!(*sum == before || *sum <= mean + greatest);
            }
        }
    }
}
