//! Prints diagnostics for people: one line per case in a pipe, at most two lines per case in a terminal.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use foldtrace_trace::{Diagnostic, DiagnosticGroup, Diagnostics, Names, Place, Severity};

use crate::paragraph::{filled, shortened};
use crate::style::{self, HINT};

/// The width of the column of severities: the longest name and two spaces.
const INDENT: usize = 9;

/// The maximum number of lines per case in a terminal, unless the output is verbose.
const LINES: usize = 2;

/// Diagnostics to be printed as a summary.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a> {
    /// The diagnostics.
    pub diagnostics: &'a Diagnostics,
    /// The names of the locations.
    pub names: &'a Names,
    /// Whether only losses are printed.
    pub is_quiet: bool,
    /// Whether all kept cases are printed, not only the first case of each key.
    pub is_verbose: bool,
}

impl Summary<'_> {
    /// Writes the diagnostics for a terminal with `width` columns, or for a pipe if `width` is `None`.
    ///
    /// # Errors
    /// Returns an error if `out` does.
    pub fn write(&self, out: &mut impl Write, width: Option<usize>) -> io::Result<()> {
        let groups = self.diagnostics.groups();
        let shown = groups.filter(|(_, group)| !self.is_quiet || group.severity == Severity::Loss);
        let shown: Vec<_> = shown.collect();
        let widest = shown.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
        for (key, group) in shown {
            match width {
                Some(width) => self.write_paragraphs(out, width, key, group)?,
                None => self.write_lines(out, widest, key, group)?,
            }
        }
        Ok(())
    }

    fn cases<'g>(&self, group: &'g DiagnosticGroup) -> &'g [Diagnostic] {
        let most = if self.is_verbose { usize::MAX } else { 1 };
        &group.cases[..group.cases.len().min(most)]
    }

    /// Writes one line per case, in columns.
    fn write_lines(
        &self,
        out: &mut impl Write,
        widest: usize,
        key: &str,
        group: &DiagnosticGroup,
    ) -> io::Result<()> {
        for (index, case) in self.cases(group).iter().enumerate() {
            let severity = format!("{:<7}", group.severity.name());
            let severity = style::stderr(style::severity(group.severity), severity);
            let count = match index {
                0 => group.count.to_string(),
                _ => String::new(),
            };
            let text = self.text(case, false);
            writeln!(out, "{severity}  {key:<widest$}  {count:>8}  {text}")?;
        }
        if let Some(hint) = hint(group) {
            writeln!(out, "{:<7}  {:<widest$}  {:>8}  hint: {hint}", "", "", "")?;
        }
        Ok(())
    }

    /// Writes one paragraph per case: its key, how often it occurred, its message and its place.
    fn write_paragraphs(
        &self,
        out: &mut impl Write,
        width: usize,
        key: &str,
        group: &DiagnosticGroup,
    ) -> io::Result<()> {
        let room = width.saturating_sub(INDENT).max(20);
        for (index, case) in self.cases(group).iter().enumerate() {
            let lead = match (index, group.count) {
                (0, 2..) => format!("{key}, {} times:", group.count),
                _ => format!("{key}:"),
            };
            let mut lines = filled(&format!("{lead} {}", self.text(case, false)), room);
            if lines.len() > LINES && !self.is_verbose {
                lines = filled(&format!("{lead} {}", self.text(case, true)), room);
                limit(&mut lines, room);
            }
            for (number, line) in lines.iter().enumerate() {
                let name = if number == 0 {
                    group.severity.name()
                } else {
                    ""
                };
                let indent = INDENT - name.len();
                let name = style::stderr(style::severity(group.severity), name);
                writeln!(out, "{name}{:indent$}{line}", "")?;
            }
        }
        if let Some(hint) = hint(group) {
            const LEAD: &str = "hint:";
            for (number, line) in filled(hint, room - LEAD.len() - 1).iter().enumerate() {
                let name = if number == 0 { LEAD } else { "     " };
                let name = style::stderr(HINT, name);
                writeln!(out, "{:INDENT$}{name} {line}", "")?;
            }
        }
        Ok(())
    }

    /// Returns the message of a case and its place. If `is_short`, the place has no file if it has a location, and
    /// otherwise only the last component of the path.
    fn text(&self, case: &Diagnostic, is_short: bool) -> String {
        let place = self.place(&case.place, is_short);
        let at = if place.is_empty() { "" } else { " at " };
        format!("{}{at}{place}", case.message)
    }

    fn place(&self, place: &Place, is_short: bool) -> String {
        let (location, mut rest) = (place.location, place.clone());
        let position = rest.position.take();
        rest.location = None;
        if is_short && location.is_some() {
            // The events of a location are in one file, so the position is enough.
            (rest.file, rest.byte, rest.line) = (None, None, None);
        } else if is_short && let Some(file) = &rest.file {
            rest.file = Some(Path::new("…").join(file.file_name().unwrap_or_default()));
        }
        let mut text = rest.to_string();
        let mut add = |part: &str| {
            let separator = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{separator}{part}");
        };
        if let Some(location) = location {
            add(&self.names.described(location));
        }
        if let Some(position) = position {
            add(&format!("position {position}"));
        }
        text
    }
}

fn hint(group: &DiagnosticGroup) -> Option<&'static str> {
    group.cases.first().and_then(|case| case.hint)
}

/// Removes the lines after the first [`LINES`], and ends the last line that is left with an ellipsis.
fn limit(lines: &mut Vec<String>, width: usize) {
    let is_cut = lines.len() > LINES;
    lines.truncate(LINES);
    if let (true, Some(last)) = (is_cut, lines.last_mut()) {
        *last = format!("{} …", shortened(last, width.saturating_sub(2)));
    }
}

#[cfg(test)]
mod tests {
    use foldtrace_trace::{DefinitionKind, Definitions, LocationId, Position, UNDEFINED};
    use unicode_width::UnicodeWidthStr;

    use super::*;

    fn names() -> Names {
        let mut definitions = Definitions::default();
        let group = [0, 0, 1, 0, UNDEFINED];
        definitions.push(DefinitionKind::LocationGroup, &group, &[], "");
        definitions.push(
            DefinitionKind::Location,
            &[268_435_454, 0, 1, 2, 0],
            &[],
            "",
        );
        Names::new(&definitions)
    }

    fn shown(width: Option<usize>, is_verbose: bool, message: &str) -> String {
        let place = Place::file("/scratch/a/long/way/to/the/archive/eztrace_log/268435454.evt");
        let place = place.event(LocationId(268_435_454), Position(15_135));
        let case = Diagnostic::new(Severity::Warning, "otf2.time_backwards", message).at(place);
        let mut diagnostics = Diagnostics::default();
        diagnostics.report_many(case.hint("the clock was set back while the program ran"), 7);
        let summary = Summary {
            diagnostics: &diagnostics,
            names: &names(),
            is_quiet: false,
            is_verbose,
        };
        let mut out = Vec::new();
        summary.write(&mut out, width).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_pipe_gets_a_line_with_the_rank_of_the_location() {
        let expected = "warning  otf2.time_backwards         7  time goes back at \
            /scratch/a/long/way/to/the/archive/eztrace_log/268435454.evt, \
            rank 0, thread 0 (location 268435454), position 15135\n";
        let shown = shown(None, false, "time goes back");
        assert_eq!(shown.lines().next(), expected.lines().next());
    }

    #[test]
    fn a_terminal_gets_two_lines() {
        let expected = "\
warning  otf2.time_backwards, 7 times: time goes back at rank 0, thread 0
         (location 268435454), position 15135
         hint: the clock was set back while the program ran
";
        assert_eq!(shown(Some(82), false, "time goes back"), expected);
        for width in 60..140 {
            for message in ["time goes back", &"a long message ".repeat(20)] {
                let shown = shown(Some(width), false, message);
                let lines = shown.lines().filter(|line| !line.contains("hint:"));
                assert!(lines.clone().count() <= 2, "{shown}");
                assert!(shown.lines().all(|line| line.width() <= width), "{shown}");
            }
        }
        let verbose = shown(Some(80), true, "time goes back");
        assert!(verbose.contains("/scratch/a/long/way"), "{verbose}");
    }
}
