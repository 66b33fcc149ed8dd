//! Defines the colours and strokes of the picture of a model.

use std::io::{self, Write};

/// Colours of tags: the colours of Okabe and Ito that are visible on grey, which most people can distinguish even
/// with colour blindness, and a purple.
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#6a3d9a",
];
/// Number of nesting depths with shades of their own; deeper loops share the last one.
pub(super) const DEPTHS: usize = 6;

/// Returns the index of the colour of a tag, given the number of the tag among all tags.
pub(super) const fn colour(tag: usize) -> usize {
    tag % COLOURS.len()
}

/// Returns whether tags have to share colours.
pub(super) const fn repeats(tags: usize) -> bool {
    tags > COLOURS.len()
}

/// Writes the style classes for a picture with the given number of tags.
pub(super) fn write(out: &mut impl Write, tags: usize) -> io::Result<()> {
    writeln!(
        out,
        "<style>\
         text{{font-size:10px;fill:#222}}\
         .title{{font-size:13px;font-weight:bold}}\
         .k{{font-size:11px;fill:#333}}\
         .b{{stroke:#777;stroke-width:.8}}\
         .n{{font-size:9px;font-weight:bold;fill:#333}}\
         .p{{text-anchor:end}}.p.r{{text-anchor:start}}\
         .p.m,.q,.c text{{stroke:#fff;stroke-width:2.5;paint-order:stroke;stroke-linejoin:round}}\
         .p.m{{font-weight:bold}}\
         .q{{font-size:8px}}\
         .l{{fill:none;stroke:#999;stroke-width:.7}}\
         .c path,.s{{fill:none;stroke:#444;stroke-width:1.1;stroke-dasharray:4 3}}\
         .c circle{{fill:#444}}.c circle.o{{fill:#fff;stroke:#444}}\
         .c text{{text-anchor:middle}}\
         .e{{fill:none;stroke:#888;stroke-width:1.6}}\
         .a,.u{{fill:none;stroke-width:1.1}}\
         .w{{stroke-dasharray:2 1.6}}\
         .o{{fill:#fff;stroke-width:1.1}}"
    )?;
    for depth in 0..DEPTHS {
        let grey = 238 - 20 * depth;
        write!(out, ".d{depth}{{fill:#{grey:02x}{grey:02x}{grey:02x}}}")?;
    }
    let used = tags.min(COLOURS.len());
    for (number, colour) in COLOURS.iter().enumerate().take(used) {
        write!(
            out,
            ".t{number}{{stroke:{colour}}}.a.t{number}{{marker-end:url(#h{number})}}"
        )?;
    }
    writeln!(out, "</style>\n<defs>")?;
    for (number, colour) in COLOURS.iter().enumerate().take(used) {
        writeln!(
            out,
            "<marker id=\"h{number}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"6\" \
             markerHeight=\"6\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
             <path d=\"M0 .8L8 4L0 7.2z\" fill=\"{colour}\"/></marker>"
        )?;
    }
    writeln!(out, "</defs>")
}
