//! Writes steps as an SVG picture: logical steps above, physical time below.

use std::io::{self, Write};

use foldtrace_view::svg::{Canvas, Length};
use foldtrace_view::units::{Seconds, even_marks, grouped};
use foldtrace_view::xml::escape;

use super::legend::{colours, signs};
use super::levels::{Levels, Measure};
use super::place::{Columns, Placed, brackets, logical, physical};
use super::{Grid, draw, since};

const STYLE: &str = include_str!("picture.css");
const EDGE: f64 = 16.0;
/// The width of a letter in the names of rows.
const LETTER: f64 = 6.1;
/// The height of a line of brackets.
const BRACKET: f64 = 13.0;
/// The minimum width of the picture of physical time.
const NARROW: f64 = 760.0;

/// Writes steps as an SVG picture.
///
/// # Errors
/// Returns an error if `out` does.
pub fn steps_svg(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    let steps = logical(grid);
    let time = physical(grid, steps.width.max(NARROW));
    let levels = Levels::new(grid, Measure::Lateness);
    let letters = grid.rows.iter().map(|label| label.chars().count()).max();
    let names = letters.unwrap_or(0).max(4) as f64 * LETTER + 8.0;
    let width = 2.0 * (EDGE + names) + time.width;

    let mut lines = vec![grid.summary.as_str()];
    if !grid.left_out.is_empty() {
        lines.push(&grid.left_out);
    }
    let colours = colours(format!("colour: {}", levels.measure.name()), &levels);
    let (signs, legend_width) = (signs(grid), width - 2.0 * EDGE);
    let colours_top = EDGE + 24.0 + 16.0 * lines.len() as f64;
    let signs_top = colours_top + colours.height(legend_width);
    let brackets = brackets(grid);
    let bracket_lines = brackets.iter().map(|bracket| bracket.line + 1).max();
    let whole_top = signs_top + signs.height(legend_width) + 18.0;
    let whole_height = grid.whole.as_ref().map(|whole| whole.height() + 44.0);
    let brackets_top = whole_top + whole_height.unwrap_or_default();
    let upper = brackets_top + 22.0 + BRACKET * bracket_lines.unwrap_or(0) as f64;
    let lower = upper + steps.height() + 44.0;
    let height = lower + time.height() + 40.0;

    let canvas = Canvas {
        title: &grid.title,
        width,
        height,
        style: STYLE,
    };
    canvas.start(out)?;
    canvas.heading(out, (EDGE, EDGE + 10.0), &lines)?;
    colours.write_svg(out, (EDGE, colours_top), legend_width)?;
    signs.write_svg(out, (EDGE, signs_top), legend_width)?;
    let left = EDGE + names;
    if let Some(whole) = &grid.whole {
        head(out, left, whole_top, &whole.caption())?;
        group(out, left, whole_top + 10.0)?;
        whole.write(out, grid, &levels, time.width)?;
        writeln!(out, "</g>")?;
    }
    head(out, left, brackets_top, "logical steps")?;
    group(out, left, upper)?;
    axis_of_steps(out, grid)?;
    for bracket in &brackets {
        write_bracket(out, &Columns::new(grid), bracket)?;
    }
    rows(out, grid, &steps)?;
    draw::shapes(out, grid, &steps, &levels, true)?;
    writeln!(out, "</g>")?;
    head(out, left, lower - 10.0, "physical time")?;
    group(out, left, lower)?;
    axis_of_time(out, grid, &time)?;
    rows(out, grid, &time)?;
    draw::shapes(out, grid, &time, &levels, false)?;
    writeln!(out, "</g>")?;
    canvas.end(out)
}

fn head(out: &mut impl Write, x: f64, y: f64, text: &str) -> io::Result<()> {
    writeln!(
        out,
        "<text class=\"head\" x=\"{}\" y=\"{}\">{text}</text>",
        Length(x),
        Length(y)
    )
}

fn group(out: &mut impl Write, x: f64, y: f64) -> io::Result<()> {
    writeln!(
        out,
        "<g transform=\"translate({} {})\">",
        Length(x),
        Length(y)
    )
}

/// Writes the names of rows, on both sides.
fn rows(out: &mut impl Write, grid: &Grid, placed: &Placed) -> io::Result<()> {
    for (row, label) in grid.rows.iter().enumerate() {
        let (y, label) = (placed.row * (row as f64 + 0.5) + 3.5, escape(label));
        writeln!(
            out,
            "<text class=\"n\" x=\"-6\" y=\"{y}\">{label}</text><text x=\"{}\" y=\"{y}\">{label}</text>",
            Length(placed.width + 6.0),
            y = Length(y),
        )?;
    }
    Ok(())
}

fn axis_of_steps(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    let columns = Columns::new(grid);
    let (first, last) = grid.steps();
    let letters = grouped(last).chars().count() as f64;
    let room = (letters * LETTER + 8.0) / columns.pitch;
    let every = [1, 2, 5, 10, 20, 50, 100];
    let every = every.into_iter().find(|&every| every as f64 >= room);
    let every = every.unwrap_or(100);
    for step in (first..=last).filter(|step| step % every == 0) {
        writeln!(
            out,
            "<text class=\"i\" x=\"{}\" y=\"-5\">{}</text>",
            Length(columns.middle(step)),
            grouped(step)
        )?;
    }
    Ok(())
}

fn write_bracket(
    out: &mut impl Write,
    columns: &Columns,
    bracket: &super::place::Bracket,
) -> io::Result<()> {
    let (from, to) = (
        columns.left(bracket.first) + 2.0,
        columns.left(bracket.last + 1) - 2.0,
    );
    let y = -18.0 - BRACKET * bracket.line as f64;
    let number = grouped(bracket.partition);
    let long = format!("partition {number}");
    let fits = |text: &str| text.chars().count() as f64 * LETTER + 4.0 <= to - from;
    let text = [long, number].into_iter().find(|text| fits(text));
    writeln!(
        out,
        "<path class=\"p\" d=\"M{} {}v-4H{}v4\"><title>partition {}</title></path>\
         <text class=\"i\" x=\"{}\" y=\"{}\">{}</text>",
        Length(from),
        Length(y + 4.0),
        Length(to),
        bracket.partition,
        Length((from + to) / 2.0),
        Length(y - 2.0),
        text.unwrap_or_default()
    )
}

/// Writes the axis of time, relative to the start that the text below the axis shows.
fn axis_of_time(out: &mut impl Write, grid: &Grid, placed: &Placed) -> io::Result<()> {
    let (from, to) = grid.span();
    let (from, to) = (since(grid.clock, from), since(grid.clock, to));
    let y = placed.height() + 2.0;
    writeln!(
        out,
        "<path class=\"x\" d=\"M0 {}H{}\"/>",
        Length(y),
        Length(placed.width)
    )?;
    for seconds in even_marks(0.0, to - from, (placed.width / 90.0) as usize) {
        let x = placed.width * seconds / (to - from);
        writeln!(
            out,
            "<path class=\"x\" d=\"M{x} {y}v4\"/><text class=\"i\" x=\"{x}\" y=\"{}\">+{}</text>",
            Length(y + 14.0),
            Seconds(seconds),
            x = Length(x),
            y = Length(y),
        )?;
    }
    writeln!(
        out,
        "<text class=\"i\" style=\"text-anchor:start\" y=\"{}\">starting at {from:.9} s</text>",
        Length(y + 29.0)
    )
}
