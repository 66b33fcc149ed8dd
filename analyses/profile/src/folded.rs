//! Writes call paths as stacks for flame graph tools, with the nanoseconds in which the innermost region was running.

use std::io::{self, Write};

use foldtrace_view::folded::write_stack;

use crate::{Profile, Tree};

/// Writes a line for each call path with a positive exclusive time.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn folded(out: &mut impl Write, profile: &Profile, tree: &Tree) -> io::Result<()> {
    let mut names = Vec::new();
    for node in tree.nodes() {
        let nanoseconds = profile.nanoseconds(node.exclusive);
        if nanoseconds <= 0 {
            continue;
        }
        names.clear();
        let mut next = Some(node);
        while let Some(node) = next {
            names.push(profile.name(node.region));
            let parent = node.parent.map(|parent| parent.0 as usize);
            next = parent.and_then(|parent| tree.nodes().get(parent));
        }
        write_stack(out, &names, nanoseconds)?;
    }
    Ok(())
}
