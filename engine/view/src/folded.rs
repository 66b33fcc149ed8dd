//! Stacks in the format of flame graph tools: names from the outermost call to the innermost, and a weight.

use std::io::{self, Write};

/// Writes a stack as a line; `names` begins with the innermost call.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn write_stack(out: &mut impl Write, names: &[impl AsRef<str>], weight: i64) -> io::Result<()> {
    for (index, name) in names.iter().rev().enumerate() {
        let separator = if index == 0 { "" } else { ";" };
        // In this format, semicolons separate names and line breaks separate stacks.
        let name = name.as_ref().replace(';', ",").replace(['\n', '\r'], " ");
        write!(out, "{separator}{name}")?;
    }
    writeln!(out, " {weight}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_no_separators() {
        let mut out = Vec::new();
        write_stack(&mut out, &["in;ner\nmost", "outer"], 7).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "outer;in,ner most 7\n");
    }
}
