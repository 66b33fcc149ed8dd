//! Writes colours and strokes, for light and dark backgrounds.

use std::io::{self, Write};

use super::levels::LEVELS;

/// Colours from pale yellow to dark purple, with evenly decreasing lightness: darker means later, also in greyscale
/// and for most colour vision deficiencies.
const RAMP: [&str; LEVELS] = [
    "#fbefb4", "#f6d746", "#fca50a", "#f37819", "#dd513a", "#bc3754", "#8b226a", "#4a0c6b",
];

const RULES: &str = "\
text{font-size:10px;fill:var(--ink)}\
.title{font-size:13px;font-weight:bold}\
.head{font-size:11px;font-weight:bold}\
.k{font-size:11px;fill:var(--ink)}\
.n{text-anchor:end}.i{text-anchor:middle;fill:var(--soft)}\
.g{fill:none;stroke:var(--grid)}\
.x{fill:none;stroke:var(--soft);stroke-width:.8}\
.v{fill:var(--band)}\
.p{fill:none;stroke:var(--part);stroke-width:1}\
.o{stroke:var(--edge);stroke-width:.6}\
.m,.w{fill:none;stroke:var(--way);stroke-width:.8}\
.w{stroke:var(--late);stroke-width:1.3;stroke-opacity:.85}\
.f{fill:none;stroke:var(--mark);stroke-width:var(--frame,1.6)}\
.d{stroke-dasharray:2.5 1.5}";

/// Writes the rules that all shapes share.
pub(super) fn write(out: &mut impl Write) -> io::Result<()> {
    let colours = |out: &mut dyn Write, order: &mut dyn Iterator<Item = &&str>| {
        for (level, colour) in order.enumerate() {
            write!(out, "--l{}:{colour};", level + 1)?;
        }
        Ok::<(), io::Error>(())
    };
    write!(
        out,
        ":root{{--ground:#fff;--ink:#222;--soft:#666;--grid:#ebebeb;--band:#dfe7f2;--part:#8a94a6;--edge:#555;\
         --way:#6b7686;--late:#14181f;--mark:#0062e0;--l0:#dcdee1;"
    )?;
    colours(out, &mut RAMP.iter())?;
    // On a dark background, brighter means later.
    write!(
        out,
        "}}@media(prefers-color-scheme:dark){{:root{{--ground:#17191d;--ink:#e4e4e2;--soft:#a0a4aa;--grid:#292d33;\
         --band:#2a3648;--part:#7b8698;--edge:#8d949e;--way:#8791a0;--late:#fff;--mark:#4cc2ff;--l0:#41464e;"
    )?;
    colours(out, &mut RAMP.iter().rev())?;
    write!(out, "}}}}{RULES}")?;
    for level in 0..=LEVELS {
        write!(out, ".l{level}{{fill:var(--l{level})}}")?;
    }
    writeln!(out)
}
