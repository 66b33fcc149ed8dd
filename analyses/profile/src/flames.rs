//! Draws call paths as a flame graph: outermost calls at the top, widths in proportion to the time, colours by
//! programming model.

use std::fmt::Write as _;
use std::io::{self, Write};

use foldtrace_matching::Paradigm;
use foldtrace_view::legend::Legend;
use foldtrace_view::palette::Fill;
use foldtrace_view::svg::{Canvas, FineLength, Length, shortened};
use foldtrace_view::units::{Percent, Seconds, counted};
use foldtrace_view::xml::escape;

use crate::{NodeIndex, Profile, Tree};

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 16.0;
const ROW: f64 = 19.0;
/// The average width of a letter.
const LETTER: f64 = 6.2;
/// The width of the narrowest call that is drawn.
const NARROWEST: f64 = 0.4;
/// The height of the title and the line below it.
const HEADING: f64 = 52.0;

const STYLE: &str = "\
.call { stroke: var(--ground); stroke-width: .5; }
.name { font-size: 11px; fill: var(--ground); pointer-events: none; }
.all { font-size: 11px; }
";

/// A call path in the picture.
struct Flame {
    node: NodeIndex,
    level: usize,
    left: f64,
    width: f64,
}

/// Draws the call paths of a profile as a flame graph. `title` names the trace.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn flames_svg(
    out: &mut impl Write,
    profile: &Profile,
    tree: &Tree,
    title: &str,
) -> io::Result<()> {
    let total = profile.total().max(1) as f64;
    let (flames, hidden) = flames(tree, total);
    let levels = flames.iter().map(|flame| flame.level + 1).max();
    let legend = legend(profile);
    let inner = WIDTH - 2.0 * MARGIN;
    let below = legend.height(inner);
    // The first row is for all locations together.
    let rows = levels.unwrap_or(0) + 1;
    let bottom = HEADING + rows as f64 * ROW;
    let canvas = Canvas {
        title,
        width: WIDTH,
        height: bottom + below + 2.0 * MARGIN,
        style: STYLE,
    };
    canvas.start(out)?;
    let seconds = |ticks: i64| Seconds(profile.nanoseconds(ticks) as f64 / 1e9);
    let mut about = format!(
        "{} in {}",
        seconds(profile.total()),
        counted(profile.calling().count() as u64, "location")
    );
    if hidden > 0 {
        let _ = write!(
            about,
            "; {} too narrow to draw",
            counted(hidden, "call path")
        );
    }
    canvas.heading(out, (MARGIN, 24.0), &[&about])?;
    writeln!(
        out,
        "<rect class=\"call\" {} x=\"{MARGIN}\" y=\"{HEADING}\" width=\"{inner}\" height=\"{ROW}\"/>\
         <text class=\"all\" x=\"{}\" y=\"{}\">all locations</text>",
        Fill("rule"),
        MARGIN + 4.0,
        HEADING + 13.5,
    )?;
    for flame in &flames {
        draw(out, profile, tree, flame, total)?;
    }
    legend.write_svg(out, (MARGIN, bottom + MARGIN), inner)?;
    canvas.end(out)
}

fn draw(
    out: &mut impl Write,
    profile: &Profile,
    tree: &Tree,
    flame: &Flame,
    total: f64,
) -> io::Result<()> {
    let Some(node) = tree.nodes().get(flame.node.0 as usize) else {
        return Ok(());
    };
    let name = profile.name(node.region);
    let seconds = |ticks: i64| Seconds(profile.nanoseconds(ticks) as f64 / 1e9);
    let (x, y) = (
        MARGIN + flame.left,
        HEADING + (flame.level + 1) as f64 * ROW,
    );
    writeln!(
        out,
        "<g><title>{}: {} of all time, {} in {}, {} by itself</title>\
         <rect class=\"call\" {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{ROW}\"/>{}</g>",
        escape(name),
        Percent(node.inclusive as f64 / total),
        seconds(node.inclusive),
        counted(node.calls, "call"),
        seconds(node.exclusive),
        Fill(colour(profile.paradigm(node.region))),
        FineLength(x),
        Length(y),
        FineLength(flame.width),
        label(name, x, y, flame.width),
    )
}

/// Returns the name as far as it fits into a call.
fn label(name: &str, x: f64, y: f64, width: f64) -> String {
    let room = ((width - 6.0) / LETTER) as usize;
    if room < 3 {
        return String::new();
    }
    format!(
        "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>",
        FineLength(x + 4.0),
        Length(y + 13.5),
        escape(shortened(name, room))
    )
}

/// Returns the paths that are wide enough to draw, and the number of others. Children are sorted by time.
fn flames(tree: &Tree, total: f64) -> (Vec<Flame>, u64) {
    let inner = WIDTH - 2.0 * MARGIN;
    let width = |node: NodeIndex| {
        let node = tree.nodes().get(node.0 as usize);
        let ticks = node.map_or(0, |node| node.inclusive.max(0));
        inner * ticks as f64 / total
    };
    let (outermost, children) = tree.children();
    let (mut flames, mut hidden) = (Vec::new(), 0);
    let mut waiting = vec![(outermost, 0, 0.0)];
    while let Some((mut nodes, level, mut left)) = waiting.pop() {
        nodes.sort_by(|a, b| width(*b).total_cmp(&width(*a)));
        for node in nodes {
            let width = width(node);
            if width < NARROWEST {
                hidden += 1;
                continue;
            }
            let flame = Flame {
                node,
                level,
                left,
                width,
            };
            flames.push(flame);
            if let Some(children) = children.get(node.0 as usize) {
                waiting.push((children.clone(), level + 1, left));
            }
            left += width;
        }
    }
    (flames, hidden)
}

/// Returns the meaning of the colours, with the share of each programming model.
fn legend(profile: &Profile) -> Legend {
    let total = profile.total().max(1) as f64;
    let mut legend = Legend::default();
    for (paradigm, ticks) in profile.paradigms() {
        let sign = format!(
            "<rect {} width=\"12\" height=\"12\"/>",
            Fill(colour(paradigm))
        );
        let share = Percent(ticks as f64 / total);
        legend.sign(12.0, sign, format!("{} {share}", paradigm.title()));
    }
    legend
}

/// Returns the name of the colour of a programming model.
const fn colour(paradigm: Paradigm) -> &'static str {
    match paradigm {
        Paradigm::Computation => "series-0",
        Paradigm::Mpi => "series-1",
        Paradigm::OpenMp => "series-2",
        Paradigm::Communication => "series-3",
        Paradigm::Threads => "series-4",
        Paradigm::Accelerator => "series-5",
        Paradigm::Io => "series-6",
        Paradigm::Measurement => "soft",
    }
}
