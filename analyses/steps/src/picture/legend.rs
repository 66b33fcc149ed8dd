//! Draws the legend of colours and signs, for first-time readers.

use std::io::{self, Write};

use foldtrace_view::svg::Length;
use foldtrace_view::units::Seconds;

use super::levels::{Levels, delaying, marked};
use super::place::brackets;
use super::{Grid, seconds};
use crate::{Class, Kind};

const LINE: f64 = 20.0;
const LETTER: f64 = 5.7;
const GAP: f64 = 16.0;

/// A sign and its meaning. The sign is drawn in a field 12 units high, from its upper left corner.
struct Item {
    sign: String,
    width: f64,
    text: String,
    /// Whether the item begins a line.
    first: bool,
}

pub(super) struct Legend {
    items: Vec<Item>,
}

impl Legend {
    pub fn new(grid: &Grid, levels: &Levels) -> Self {
        let mut legend = Self { items: Vec::new() };
        legend.add("", 0.0, &format!("colour: {}", levels.measure.name()));
        legend.swatch(0, "none".to_owned());
        for (level, &bound) in levels.bounds.iter().enumerate() {
            legend.swatch(levels.colour(level), format!("up to {}", Seconds(bound)));
        }
        legend.signs(grid);
        legend
    }

    fn signs(&mut self, grid: &Grid) {
        let from = self.items.len();
        let has = |kind| grid.cells.iter().any(|cell| cell.event.kind == kind);
        self.add(
            "<rect class=\"o l0\" x=\"1\" width=\"14\" height=\"12\"/>",
            16.0,
            "operation: a call that sends, receives or synchronises",
        );
        if has(Kind::Aggregate) {
            self.add(
                "<rect class=\"a l0\" y=\"3\" width=\"14\" height=\"6\"/>",
                14.0,
                "activity before an operation",
            );
        }
        if has(Kind::Collective) {
            self.add(
                "<rect class=\"v\" x=\"1\" y=\"-3\" width=\"14\" height=\"17\" rx=\"3\"/>",
                16.0,
                "collective operation",
            );
        }
        if !grid.messages.is_empty() {
            self.add("<path class=\"m\" d=\"M0 1L24 11\"/>", 24.0, "message");
        }
        let least = marked(grid);
        if delaying(grid).contains(&true) {
            self.add(
                "<path class=\"w\" d=\"M0 1L24 11\"/>",
                24.0,
                "message that makes its receiver very late",
            );
        }
        let begins = |class| {
            let cells = grid.cells.iter();
            let mut marked = cells.filter(|cell| cell.event.differential_lateness >= least);
            marked.any(|cell| (cell.event.class == Some(Class::Message)) == class)
        };
        let amount = Seconds(seconds(grid.clock, least));
        if begins(false) {
            self.add(
                "<rect class=\"f\" x=\"1\" width=\"14\" height=\"12\" rx=\"1.5\"/>",
                16.0,
                &format!("origin of lateness: {amount} or more are new (a)"),
            );
        }
        if begins(true) {
            self.add(
                "<rect class=\"f d\" x=\"1\" width=\"14\" height=\"12\" rx=\"1.5\"/>",
                16.0,
                &format!("slow message: {amount} or more are new (d)"),
            );
        }
        let propagated = [Some(Class::LateToStart), Some(Class::LateSender)];
        if grid
            .cells
            .iter()
            .any(|cell| propagated.contains(&cell.event.class))
        {
            self.add(
                "",
                0.0,
                "late without a frame: due to the previous event (b) or a late sender (c)",
            );
        }
        let mut partitions: Vec<_> = grid.cells.iter().map(|cell| cell.event.partition).collect();
        partitions.sort_unstable();
        partitions.dedup();
        if partitions.len() > 1 {
            let text = if brackets(grid).is_empty() {
                "start of a partition"
            } else {
                "start of a partition; brackets show its number"
            };
            self.add("<path class=\"p\" d=\"M4 -1V13\"/>", 8.0, text);
        }
        if let Some(item) = self.items.get_mut(from) {
            item.first = true;
        }
    }

    fn swatch(&mut self, colour: usize, text: String) {
        let sign = format!("<rect class=\"l{colour}\" width=\"18\" height=\"12\"/>");
        self.add(&sign, 18.0, &text);
    }

    fn add(&mut self, sign: &str, width: f64, text: &str) {
        self.items.push(Item {
            sign: sign.to_owned(),
            width,
            text: text.to_owned(),
            first: false,
        });
    }

    /// Writes the legend in lines of this width, and returns its height.
    pub fn write(&self, out: &mut impl Write, left: f64, top: f64, width: f64) -> io::Result<f64> {
        let (mut x, mut y) = (0.0, 0.0);
        for item in &self.items {
            let text = if item.width > 0.0 {
                item.width + 5.0
            } else {
                0.0
            };
            let wide = text + item.text.chars().count() as f64 * LETTER;
            if x > 0.0 && (item.first || x + wide > width) {
                (x, y) = (0.0, y + LINE);
            }
            writeln!(
                out,
                "<g transform=\"translate({} {})\">{}<text class=\"k\" x=\"{}\" y=\"10\">{}</text></g>",
                Length(left + x),
                Length(top + y),
                item.sign,
                Length(text),
                item.text
            )?;
            x += wide + GAP;
        }
        Ok(y + LINE)
    }

    /// Writes the signs for a page, which breaks lines itself and has its own colours.
    pub fn write_html(grid: &Grid, out: &mut impl Write) -> io::Result<()> {
        let mut legend = Self { items: Vec::new() };
        legend.signs(grid);
        for item in &legend.items {
            write!(out, "<span>")?;
            if item.width > 0.0 {
                let (sign, width) = (&item.sign, item.width);
                write!(
                    out,
                    "<svg width=\"{width}\" height=\"18\" viewBox=\"0 -3 {width} 18\" aria-hidden=\"true\">{sign}</svg>"
                )?;
            }
            writeln!(out, "{}</span>", item.text)?;
        }
        Ok(())
    }
}
