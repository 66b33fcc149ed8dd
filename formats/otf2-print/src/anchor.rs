//! Reads the description of the anchor file: properties of the trace, with the names that the reader of archives
//! gives them.

use foldtrace_input::LONGEST_LINE;

use crate::cursor::text;

/// Width of the column of labels.
const COLUMN: usize = 31;
/// Maximum number of lines of the section that are kept.
const MOST_LINES: usize = 1 << 16;

/// Labels and the names of their properties. Labels without a name follow from the rest of the trace.
const LABELS: [(&str, &str); 14] = [
    ("Version", "otf2_version"),
    ("Creator", "creator"),
    ("Description", "description"),
    ("Machine name", "machine_name"),
    ("Trace identifier", "trace_id"),
    ("Number of snapshots", "snapshots"),
    ("Property value", ""),
    ("Property name", ""),
    ("Chunk size events", ""),
    ("Chunk size definitions", ""),
    ("File substrate", ""),
    ("Compression", ""),
    ("Number of locations", ""),
    ("Number of global definitions", ""),
];

/// The lines of the section of the anchor.
#[derive(Default)]
pub(crate) struct Anchor {
    /// Labels and values.
    lines: Vec<(&'static str, String)>,
}

impl Anchor {
    /// Takes the next line of the section.
    pub(crate) fn take(&mut self, line: &[u8]) {
        let label = line
            .get(..COLUMN.min(line.len()))
            .unwrap_or_default()
            .trim_ascii_end();
        let known = LABELS.iter().find(|(known, _)| known.as_bytes() == label);
        let is_other = label.starts_with(b"Number of ");
        let value = text(line.get(COLUMN..).unwrap_or_default());
        let has_room = self.lines.len() < MOST_LINES;
        match (known, self.lines.last_mut()) {
            (Some((known, _)), _) if has_room => {
                self.lines.push((known, value.into_owned()));
            }
            (None, Some((_, before))) if !is_other && before.len() + line.len() < LONGEST_LINE => {
                // The value continues on the next line.
                before.push('\n');
                before.push_str(&text(line));
            }
            _ => {}
        }
    }

    /// Removes and returns the properties, each as `name=value`.
    pub(crate) fn properties(&mut self) -> Vec<String> {
        let lines = std::mem::take(&mut self.lines);
        let mut properties = Vec::new();
        for (_, name) in LABELS.iter().filter(|(_, name)| !name.is_empty()) {
            let is_named = |label: &str| LABELS.iter().any(|(l, n)| *l == label && n == name);
            let value = lines.iter().find(|(label, _)| is_named(label));
            if let Some((_, value)) = value
                && !value.is_empty()
                && !(*name == "snapshots" && value == "0")
            {
                properties.push(match *name {
                    "trace_id" => format!("{name}={value:0>16}"),
                    _ => format!("{name}={value}"),
                });
            }
        }
        for pair in lines.windows(2) {
            if let [("Property name", name), ("Property value", value)] = pair {
                properties.push(format!("{name}={value}"));
            }
        }
        properties
    }
}
