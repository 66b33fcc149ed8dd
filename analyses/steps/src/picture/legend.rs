//! Explains the colours and signs of the pictures for first-time readers.

use foldtrace_view::legend::Legend;
use foldtrace_view::units::Seconds;

use super::levels::{Levels, delaying, marked};
use super::place::brackets;
use super::{Grid, seconds};
use crate::{Class, Kind};

/// Returns the legend of the colours of a measure, which begins with `caption`.
pub(super) fn colours(caption: String, levels: &Levels) -> Legend {
    let mut legend = Legend::default();
    legend.text(caption);
    let swatch = |colour| format!("<rect class=\"l{colour}\" width=\"18\" height=\"12\"/>");
    legend.sign(18.0, swatch(0), "none");
    for (level, &bound) in levels.bounds.iter().enumerate() {
        let text = format!("up to {}", Seconds(bound));
        legend.sign(18.0, swatch(levels.colour(level)), text);
    }
    legend
}

/// Returns the legend of the signs that occur in a picture.
pub(super) fn signs(grid: &Grid) -> Legend {
    let mut legend = Legend::default();
    let has = |kind| grid.cells.iter().any(|cell| cell.event.kind == kind);
    legend.sign(
        16.0,
        "<rect class=\"o l0\" x=\"1\" width=\"14\" height=\"12\"/>",
        "operation: a call that sends, receives or synchronises",
    );
    if has(Kind::Aggregate) {
        legend.sign(
            14.0,
            "<rect class=\"a l0\" y=\"3\" width=\"14\" height=\"6\"/>",
            "activity before an operation",
        );
    }
    if has(Kind::Collective) {
        legend.sign(
            16.0,
            "<rect class=\"v\" x=\"1\" y=\"-3\" width=\"14\" height=\"17\" rx=\"3\"/>",
            "collective operation",
        );
    }
    if !grid.messages.is_empty() {
        legend.sign(24.0, "<path class=\"m\" d=\"M0 1L24 11\"/>", "message");
    }
    let least = marked(grid);
    if delaying(grid).contains(&true) {
        legend.sign(
            24.0,
            "<path class=\"w\" d=\"M0 1L24 11\"/>",
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
        legend.sign(
            16.0,
            "<rect class=\"f\" x=\"1\" width=\"14\" height=\"12\" rx=\"1.5\"/>",
            format!("origin of lateness: {amount} or more are new (a)"),
        );
    }
    if begins(true) {
        legend.sign(
            16.0,
            "<rect class=\"f d\" x=\"1\" width=\"14\" height=\"12\" rx=\"1.5\"/>",
            format!("slow message: {amount} or more are new (d)"),
        );
    }
    let propagated = [Some(Class::LateToStart), Some(Class::LateSender)];
    if grid
        .cells
        .iter()
        .any(|cell| propagated.contains(&cell.event.class))
    {
        legend.text("late without a frame: due to the previous event (b) or a late sender (c)");
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
        legend.sign(8.0, "<path class=\"p\" d=\"M4 -1V13\"/>", text);
    }
    legend
}
