//! Defines the colours and strokes of the picture of a model.

use std::io::{self, Write};

use foldtrace_view::palette::{Fill, SERIES};

/// The style sheet of the picture.
pub(super) const STYLE: &str = include_str!("picture.css");
/// Number of nesting depths with shades of their own; deeper loops share the last one.
pub(super) const DEPTHS: usize = 6;

/// Returns the index of the colour of a tag, given the number of the tag among all tags.
pub(super) const fn colour(tag: usize) -> usize {
    tag % SERIES
}

/// Returns whether tags have to share colours.
pub(super) const fn repeats(tags: usize) -> bool {
    tags > SERIES
}

/// Writes the arrowheads of a picture with the given number of tags.
pub(super) fn write_arrowheads(out: &mut impl Write, tags: usize) -> io::Result<()> {
    writeln!(out, "<defs>")?;
    for colour in 0..tags.min(SERIES) {
        writeln!(
            out,
            "<marker id=\"h{colour}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"6\" \
             markerHeight=\"6\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
             <path d=\"M0 .8L8 4L0 7.2z\" {}/></marker>",
            Fill(&format!("series-{colour}"))
        )?;
    }
    writeln!(out, "</defs>")
}
