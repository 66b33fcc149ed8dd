//! Writes call paths in the format of flame graph tools: names from the outermost call to the innermost, and the
//! nanoseconds in which the innermost was running.

use std::io::{self, Write};

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
            // In this format, semicolons separate names and line breaks separate paths.
            let name = profile.name(node.region).replace(';', ",");
            names.push(name.replace(['\n', '\r'], " "));
            next = node
                .parent
                .and_then(|parent| tree.nodes().get(parent.0 as usize));
        }
        names.reverse();
        writeln!(out, "{} {nanoseconds}", names.join(";"))?;
    }
    Ok(())
}
