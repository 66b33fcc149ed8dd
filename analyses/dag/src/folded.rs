//! Writes stacks in the format of flame graphs: names from the outermost call to the innermost, and a weight.

use std::io::{self, Write};

use foldtrace_calltree::NamedNodes;
use foldtrace_view::folded::write_stack;

use crate::{Stack, Weight};

/// Writes a line for each stack with a positive weight. Times are in nanoseconds.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn write_stacks(
    out: &mut impl Write,
    stacks: &[Stack],
    weight: Weight,
    ticks_per_second: u64,
    named: &NamedNodes<'_>,
) -> io::Result<()> {
    let mut names = Vec::new();
    for stack in stacks {
        let weighs = match weight {
            Weight::Calls => stack.weight,
            Weight::Time => {
                let nanoseconds = i128::from(stack.weight) * 1_000_000_000;
                i64::try_from(nanoseconds / i128::from(ticks_per_second.max(1))).unwrap_or(i64::MAX)
            }
        };
        if weighs <= 0 {
            continue;
        }
        names.clear();
        let mut next = Some(stack);
        while let Some(stack) = next {
            names.push(named.label(stack.label));
            next = stack.below.and_then(|below| stacks.get(below as usize));
        }
        write_stack(out, &names, weighs)?;
    }
    Ok(())
}
