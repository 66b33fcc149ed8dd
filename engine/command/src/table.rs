//! Lays out the tables that commands print: at full width in a pipe, fitted to its width in a terminal.

use std::fmt::{self, Display};

use comfy_table::{CellAlignment, Table as Grid, presets};
use foldtrace_trace::Printable;
use unicode_width::UnicodeWidthStr;

use crate::paragraph::shortened;
use crate::style::{EMPHASIS, FAINT, HEADING, Terminal};

/// The number of spaces around a cell, left and right together.
const PADDING: usize = 2;

/// The columns of a table, independent of its rows.
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// The names of the columns; empty for a table without a header.
    pub header: &'static [&'static str],
    /// The indices of columns that are aligned to the right, such as numbers.
    pub right: &'static [usize],
    /// The steps that are taken in this order until the table fits into the terminal.
    pub narrowing: &'static [Narrow],
}

/// A step that makes a table narrower.
#[derive(Clone, Copy, Debug)]
pub enum Narrow {
    /// Shortens the cells of a column (first field), but not below a width (second field).
    Shorten(usize, usize),
    /// Leaves a column out.
    Drop(usize),
}

/// A table that is ready to be printed.
#[derive(Debug)]
pub struct Table {
    lines: Vec<String>,
    left_out: Vec<&'static str>,
    emphasised: Option<usize>,
    is_headed: bool,
    terminal: Terminal,
}

impl Table {
    /// Lays out a table, fitted to the width of the terminal. Rows may be shorter than the header.
    pub fn new(columns: &Columns, mut rows: Vec<Vec<String>>, terminal: Terminal) -> Self {
        for cell in rows.iter_mut().flatten() {
            if cell.contains(char::is_control) {
                *cell = Printable(cell).to_string();
            }
        }
        let mut layout = Layout::new(columns, &rows);
        if let Some(width) = terminal.width {
            layout.narrow(columns.narrowing, width);
        }
        let is_headed = !columns.header.is_empty();
        let mut grid = Grid::new();
        grid.load_style(presets::NOTHING);
        if is_headed {
            grid.set_header(layout.cells(columns.header.iter().copied()));
        }
        for row in &rows {
            grid.add_row(layout.cells(row.iter().map(String::as_str)));
        }
        for (index, column) in layout.shown().enumerate() {
            if columns.right.contains(&column)
                && let Some(column) = grid.column_mut(index)
            {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Self {
            lines: grid
                .lines()
                .map(|line| line.trim_end().to_owned())
                .collect(),
            left_out: layout.left_out(columns.header),
            emphasised: None,
            is_headed,
            terminal,
        }
    }

    /// Emphasises a row where colours are shown.
    pub fn emphasise(mut self, row: usize) -> Self {
        self.emphasised = Some(row + usize::from(self.is_headed));
        self
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.lines.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            let line_style = if self.is_headed && index == 0 {
                Some(HEADING)
            } else {
                self.emphasised
                    .filter(|&row| row == index)
                    .map(|_| EMPHASIS)
            };
            match line_style {
                Some(line_style) => write!(f, "{}", self.terminal.styled(line_style, line))?,
                None => write!(f, "{line}")?,
            }
        }
        if !self.left_out.is_empty() {
            let left_out = format!(" no room for: {}", self.left_out.join(", "));
            write!(f, "\n{}", self.terminal.styled(FAINT, &left_out))?;
        }
        Ok(())
    }
}

/// The widths of the columns; `None` for a column that is left out.
struct Layout {
    widths: Vec<Option<usize>>,
}

impl Layout {
    fn new(columns: &Columns, rows: &[Vec<String>]) -> Self {
        let shortest = columns.header.len();
        let count = rows.iter().map(Vec::len).max().unwrap_or(0).max(shortest);
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            let header = columns.header.get(column).map_or(0, |name| name.width());
            let widest = cells.map(|cell| cell.width()).max().unwrap_or(0);
            Some(widest.max(header))
        };
        Self {
            widths: (0..count).map(width).collect(),
        }
    }

    fn width(&self) -> usize {
        let widths = self.widths.iter().flatten();
        widths.map(|width| width + PADDING).sum()
    }

    fn narrow(&mut self, steps: &[Narrow], width: usize) {
        for step in steps {
            let excess = self.width().saturating_sub(width);
            if excess == 0 {
                return;
            }
            let (Narrow::Shorten(column, _) | Narrow::Drop(column)) = *step;
            let Some(entry) = self.widths.get_mut(column) else {
                continue;
            };
            *entry = match *step {
                Narrow::Drop(_) => None,
                Narrow::Shorten(_, least) => entry.map(|now| {
                    let shorter = now.saturating_sub(excess).max(least);
                    shorter.min(now)
                }),
            };
        }
    }

    /// Returns the indices of the columns that are shown.
    fn shown(&self) -> impl Iterator<Item = usize> {
        let columns = self.widths.iter().enumerate();
        columns.filter_map(|(column, width)| width.map(|_| column))
    }

    fn left_out(&self, header: &[&'static str]) -> Vec<&'static str> {
        let columns = header.iter().zip(&self.widths);
        let left_out = columns.filter(|(_, width)| width.is_none());
        left_out.map(|(name, _)| *name).collect()
    }

    /// Returns the cells of a row that are shown, shortened to the widths of their columns.
    fn cells<'a>(&self, row: impl Iterator<Item = &'a str>) -> Vec<String> {
        let cells = row.zip(&self.widths);
        let cells = cells.filter_map(|(cell, width)| width.map(|width| shortened(cell, width)));
        cells.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns = Columns {
        header: &["name", "events", "note"],
        right: &[1],
        narrowing: &[
            Narrow::Shorten(0, 6),
            Narrow::Drop(2),
            Narrow::Shorten(0, 4),
        ],
    };

    fn table(width: Option<usize>) -> String {
        let row = |name: &str, events: &str, note: &str| [name, events, note].map(str::to_owned);
        let rows = [
            row("exchange_halo", "1,200", "main"),
            row("init", "7", "once"),
        ];
        let rows = rows.into_iter().map(Vec::from).collect();
        let terminal = Terminal {
            width,
            has_colours: false,
        };
        Table::new(&COLUMNS, rows, terminal).to_string()
    }

    #[test]
    fn columns_are_shortened_and_dropped_in_the_declared_order() {
        let full = " name           events  note\n exchange_halo   1,200  main\n init                7  once";
        assert_eq!(table(None), full);
        assert_eq!(table(Some(29)), full);
        let shortened =
            " name        events  note\n exchange_…   1,200  main\n init             7  once";
        assert_eq!(table(Some(26)), shortened);
        let dropped = " name    events\n excha…   1,200\n init         7\n no room for: note";
        assert_eq!(table(Some(20)), dropped);
        let least = " name  events\n exc…   1,200\n init       7\n no room for: note";
        assert_eq!(table(Some(3)), least);
    }

    #[test]
    fn control_characters_are_escaped() {
        let rows = vec![vec!["a\u{1b}[31m\nb".to_owned()]];
        let columns = Columns {
            header: &[],
            right: &[],
            narrowing: &[],
        };
        let shown = Table::new(&columns, rows, Terminal::NONE).to_string();
        assert_eq!(shown, " a\\u{1b}[31m\\u{a}b");
    }
}
