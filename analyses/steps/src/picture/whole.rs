//! Draws the lateness of all steps above those that are drawn one by one.

use std::io::{self, Write};

use foldtrace_trace::LocationId;
use foldtrace_view::svg::{FineLength, Length};
use foldtrace_view::units::grouped;
use foldtrace_view::xml::escape;

use super::levels::Levels;
use super::{Beginning, Grid};
use crate::{LatenessMap, StepEvent};

/// The greatest number of cells, and of ranges.
const CELLS: usize = 30_000;
const RANGES: usize = 512;

/// The height of all rows, and the greatest height of one.
const HEIGHT: f64 = 200.0;
const ROW: f64 = 12.0;

/// The lateness of all steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Whole {
    pub map: LatenessMap,
    /// The number of steps.
    pub steps: u64,
}

impl Whole {
    /// Creates an empty map for a picture with these rows.
    pub fn map(rows: impl ExactSizeIterator<Item = LocationId>) -> LatenessMap {
        let most = (CELLS / rows.len().max(1)).min(RANGES);
        LatenessMap::new(rows, most)
    }

    /// Returns the lateness of all cells, in ticks.
    pub fn lateness(&self) -> impl Iterator<Item = u64> {
        self.map.rows().flatten().map(|(_, latest)| latest.lateness)
    }

    /// Returns the row and the step of an event, if its location has a row.
    pub fn place(&self, event: &StepEvent) -> Option<(usize, u64)> {
        Some((self.map.row_of(event.location)?, event.step))
    }

    /// Returns a description.
    pub fn caption(&self) -> String {
        let each = match self.map.steps_of_range() {
            1 => "each step".to_owned(),
            many => format!("each {} steps", grouped(many)),
        };
        format!(
            "the greatest lateness in {each} of all {}; below are those in the frame",
            grouped(self.steps)
        )
    }

    fn row(&self) -> f64 {
        (HEIGHT / self.map.rows().count().max(1) as f64).min(ROW)
    }

    pub fn height(&self) -> f64 {
        self.row() * self.map.rows().count() as f64
    }

    /// Returns the place of a step in a picture of the given width.
    fn x(&self, step: u64, width: f64) -> f64 {
        width * step as f64 / self.steps.max(1) as f64
    }

    /// Writes the map, the frame of the steps that are drawn, and a mark for each origin of lateness.
    pub fn write(
        &self,
        out: &mut impl Write,
        grid: &Grid,
        levels: &Levels,
        width: f64,
    ) -> io::Result<()> {
        let row_height = self.row();
        writeln!(out, "<g class=\"c\">")?;
        for (number, row) in self.map.rows().enumerate() {
            let y = row_height * number as f64;
            for (range, latest) in row {
                let first = range as u64 * self.map.steps_of_range();
                let end = self.steps.min(first + self.map.steps_of_range());
                let (x, right) = (self.x(first, width), self.x(end, width));
                writeln!(
                    out,
                    "<rect class=\"l{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                    levels.colour_of_ticks(latest.lateness),
                    FineLength(x),
                    FineLength(y),
                    // Neighbours overlap a little, so that nothing shines through between them.
                    FineLength(1.02 * (right - x)),
                    FineLength(row_height)
                )?;
            }
        }
        writeln!(out, "</g>")?;
        let (first, last) = grid.steps();
        let x = self.x(first, width);
        writeln!(
            out,
            "<rect class=\"f\" x=\"{}\" width=\"{}\" height=\"{}\"/>",
            FineLength(x),
            FineLength((self.x(last + 1, width) - x).max(1.0)),
            Length(self.height())
        )?;
        let origins = grid.origins.iter().flat_map(|(_, origins)| origins);
        for (number, origin) in origins.enumerate() {
            self.write_mark(out, grid, number, origin, width)?;
        }
        Ok(())
    }

    /// Writes the mark of an origin.
    fn write_mark(
        &self,
        out: &mut impl Write,
        grid: &Grid,
        number: usize,
        origin: &Beginning,
        width: f64,
    ) -> io::Result<()> {
        let Some((row, step)) = origin.at else {
            return Ok(());
        };
        writeln!(
            out,
            "<path class=\"q\" data-origin=\"{number}\" d=\"M{} {}v{}\"><title>{} at step {}: {}</title></path>",
            FineLength(self.x(step, width)),
            FineLength(self.row() * row as f64),
            FineLength(self.row()),
            escape(&grid.rows[row]),
            grouped(step),
            escape(&origin.text)
        )
    }
}
