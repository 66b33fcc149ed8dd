//! Draws the shapes that the SVG picture and the HTML page share.

use std::io::{self, Write};

use foldtrace_view::svg::{FineLength, Length};
use foldtrace_view::units::{Seconds, grouped};
use foldtrace_view::xml::escape;

use super::levels::{Levels, delaying, marked};
use super::place::{Axis, Columns, Placed};
use super::{Cell, Grid, seconds};
use crate::{Class, Kind};

/// The distance between a mark and the cell that it surrounds.
const AROUND: f64 = 1.7;

/// Returns the description of a class of lateness.
pub(super) const fn class(class: Option<Class>) -> &'static str {
    match class {
        None => "not late",
        Some(Class::Created) => "created here (a)",
        Some(Class::LateToStart) => "late to start (b)",
        Some(Class::LateSender) => "from a late sender (c)",
        Some(Class::Message) => "from a slow message (d)",
    }
}

/// Returns the description of a kind of cell.
pub(super) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Aggregate => "aggregate",
        Kind::Send => "sends",
        Kind::Receive => "receives",
        Kind::Collective => "collective",
    }
}

/// Writes all shapes of a picture. Cells have tooltips if `titles` is set.
pub(super) fn shapes(
    out: &mut impl Write,
    grid: &Grid,
    placed: &Placed,
    levels: &Levels,
    titles: bool,
) -> io::Result<()> {
    write!(out, "<path class=\"g\" d=\"")?;
    for row in 0..placed.rows {
        let y = placed.row * (row as f64 + 0.5);
        write!(out, "M0 {}H{}", Length(y), Length(placed.width))?;
    }
    writeln!(out, "\"/>")?;
    if placed.axis == Axis::Steps {
        bands(out, grid, placed)?;
        separators(out, grid, placed)?;
    }
    cells(out, grid, placed, levels, titles)?;
    messages(out, grid, placed)?;
    marks(out, grid, placed)
}

/// Writes a band through the members of each collective operation.
fn bands(out: &mut impl Write, grid: &Grid, placed: &Placed) -> io::Result<()> {
    for members in grid.collectives().values() {
        let (Some(&first), Some(&last)) = (members.first(), members.last()) else {
            continue;
        };
        let (top, bottom) = (&placed.frames[first], &placed.frames[last]);
        writeln!(
            out,
            "<rect class=\"v\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\"/>",
            Length(top.x - 3.0),
            Length(top.y - 2.0),
            Length(top.width + 6.0),
            Length(bottom.y + bottom.height - top.y + 4.0)
        )?;
    }
    Ok(())
}

/// Writes a line between adjacent cells of a row that belong to different partitions.
fn separators(out: &mut impl Write, grid: &Grid, placed: &Placed) -> io::Result<()> {
    let columns = Columns::new(grid);
    write!(out, "<path class=\"p\" d=\"")?;
    for pair in grid.cells.windows(2) {
        let [before, after] = pair else { continue };
        if before.row == after.row && before.event.partition != after.event.partition {
            write!(
                out,
                "M{} {}v{}",
                Length(columns.left(after.event.step)),
                Length(placed.row * after.row as f64),
                Length(placed.row)
            )?;
        }
    }
    writeln!(out, "\"/>")
}

fn cells(
    out: &mut impl Write,
    grid: &Grid,
    placed: &Placed,
    levels: &Levels,
    titles: bool,
) -> io::Result<()> {
    writeln!(out, "<g class=\"cells\">")?;
    for (cell, frame) in grid.cells.iter().zip(&placed.frames) {
        let class = if cell.is_aggregate() { "a" } else { "o" };
        write!(
            out,
            "<rect class=\"{class} l{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            levels.colour_of(cell),
            FineLength(frame.x),
            Length(frame.y),
            FineLength(frame.width),
            Length(frame.height)
        )?;
        if titles {
            let title = title(grid, cell);
            writeln!(out, "><title>{}</title></rect>", escape(&title))?;
        } else {
            writeln!(out, "/>")?;
        }
    }
    writeln!(out, "</g>")
}

/// Returns the text that describes a cell when the reader points at it.
fn title(grid: &Grid, cell: &Cell) -> String {
    let time = |ticks| Seconds(seconds(grid.clock, ticks));
    let mut title = format!(
        "{}, step {}: {}, {}",
        grid.rows[cell.row],
        grouped(cell.event.step),
        cell.name,
        time(cell.ticks())
    );
    if cell.event.lateness > 0 {
        title += &format!(
            "; {} late, {}",
            time(cell.event.lateness),
            class(cell.event.class)
        );
    }
    if cell.event.differential_lateness > 0 {
        title += &format!(", {} new", time(cell.event.differential_lateness));
    }
    title
}

/// Writes lines from sends to receives; messages that make their receiver late are drawn last.
fn messages(out: &mut impl Write, grid: &Grid, placed: &Placed) -> io::Result<()> {
    let delaying = delaying(grid);
    // Many lines are paler, so that the boxes stay visible.
    let (first, last) = grid.steps();
    let crowd = grid.messages.len() as f64
        / match placed.axis {
            Axis::Steps => 24.0 * (last - first + 1) as f64,
            Axis::Time => 400.0,
        };
    let opacity = (1.0 / crowd.max(1.0)).clamp(0.3, 0.75);
    for (class, is_late) in [("m", false), ("w", true)] {
        write!(out, "<path class=\"{class}\"")?;
        if !is_late {
            write!(out, " stroke-opacity=\"{opacity:.2}\"")?;
        }
        write!(out, " d=\"")?;
        let messages = grid.messages.iter().zip(&delaying);
        for (&message, _) in messages.filter(|(_, late)| **late == is_late) {
            let (x, y, to_x, to_y) = placed.message(message);
            write!(
                out,
                "M{} {}L{} {}",
                Length(x),
                Length(y),
                Length(to_x),
                Length(to_y)
            )?;
        }
        writeln!(out, "\"/>")?;
    }
    Ok(())
}

/// Writes frames around cells in which much lateness begins.
fn marks(out: &mut impl Write, grid: &Grid, placed: &Placed) -> io::Result<()> {
    let least = marked(grid);
    for (cell, frame) in grid.cells.iter().zip(&placed.frames) {
        if cell.event.differential_lateness < least {
            continue;
        }
        let class = match cell.event.class {
            Some(Class::Message) => "f d",
            _ => "f",
        };
        writeln!(
            out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\"/>",
            Length(frame.x - AROUND),
            Length(frame.y - AROUND),
            Length(frame.width + 2.0 * AROUND),
            Length(frame.height + 2.0 * AROUND)
        )?;
    }
    Ok(())
}
