//! Draws a topology: processes at their positions, and the traffic between them.

use std::io::{self, Write};

use foldtrace_matching::Measure;
use foldtrace_view::legend::Legend;
use foldtrace_view::svg::{Canvas, Length};
use foldtrace_view::units::grouped;

use super::place::Point;
use super::scene::{Kind, Line, Node, RADIUS, Scene, Way};
use super::words::{amount, answer, remarks};
use crate::Pairs;
use crate::find::TopologyReport;

const EDGE: f64 = 20.0;
const LETTER: f64 = 6.0;
/// Width of a sign of the legend.
const SIGN: f64 = 26.0;
/// Length of the stubs of a line that goes around, from the centre of its node.
const STUB: f64 = 27.0;
/// Length of an arrowhead.
const ARROW: f64 = 10.0;
/// Minimum and maximum width of a line.
const WIDTHS: [f64; 2] = [1.0, 4.0];

const STYLE: &str = "\
.n { text-anchor: middle; }
.b { font-size: 8px; text-anchor: middle; fill: var(--soft); }
.v { fill: var(--node); stroke: var(--rim); stroke-width: .8; }
.i { fill: none; stroke: var(--soft); stroke-dasharray: 2 2; }
.e { fill: none; stroke: var(--series-0); stroke-linecap: round; }
.o { fill: none; stroke: var(--series-1); stroke-dasharray: 4 3; }
.m { fill: none; stroke: var(--line); stroke-width: 2; stroke-dasharray: .1 5; stroke-linecap: round; }
.h { fill: var(--series-0); }
";
/// The arrowhead of messages that go in one direction only.
const ARROWHEAD: &str = "<defs><marker id=\"to\" viewBox=\"0 0 8 8\" refY=\"4\" markerWidth=\"10\" \
    markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
    <path class=\"h\" d=\"M0 0L8 4L0 8z\"/></marker></defs>";

/// The scale of line widths: a tenth of the traffic is a fixed step thinner.
struct Scale {
    measure: Measure,
    most: u64,
}

impl Scale {
    fn new(pairs: &Pairs) -> Self {
        let measure = pairs.measure();
        let amounts = pairs.pairs.values().map(|pair| measure.of(pair.total()));
        Self {
            measure,
            most: amounts.max().unwrap_or(0).max(1),
        }
    }

    /// Returns the logarithm to base 10 of the ratio between the maximum and a value.
    fn tenths(&self, value: u64) -> f64 {
        (self.most as f64 / value.max(1) as f64).log10()
    }

    fn width(&self, value: u64) -> f64 {
        let [thin, thick] = WIDTHS;
        (thick - 1.5 * self.tenths(value)).clamp(thin, thick)
    }

    /// Returns the values for the legend, the largest first; each is close to the traffic of an edge.
    fn marks(&self, edges: &Pairs) -> Vec<u64> {
        let amounts = edges.pairs.values();
        let amounts = amounts.map(|pair| self.measure.of(pair.total()));
        let mut tenths: Vec<u32> = amounts
            .map(|value| self.tenths(value).round().min(3.0) as u32)
            .collect();
        tenths.sort_unstable();
        tenths.dedup();
        let marks = tenths
            .into_iter()
            .map(|tenths| self.most / 10_u64.pow(tenths));
        marks.filter(|&mark| mark > 0).collect()
    }
}

/// Writes the topology of a program as a picture.
///
/// # Errors
/// If `out` fails.
pub fn topology_svg(out: &mut impl Write, found: &TopologyReport, title: &str) -> io::Result<()> {
    let part = &found.program;
    let scene = Scene::new(part);
    let scale = Scale::new(&part.pairs);
    let title = match &*part.answer() {
        [] => title.to_owned(),
        answers => format!("{title}: {}", answer(answers)),
    };
    let remarks = remarks(part);
    let legend = legend(&scene, &scale.marks(&part.kept), &scale);
    let remarks_width = remarks.iter().map(|remark| remark.chars().count());
    let remarks_width = LETTER * remarks_width.max().unwrap_or(0) as f64;
    let width = scene.size.x.max(legend.width()).max(remarks_width) + 2.0 * EDGE;
    let body = EDGE + 42.0 + 16.0 * remarks.len() as f64;
    let canvas = Canvas {
        title: &title,
        width,
        height: body + scene.size.y + EDGE,
        style: STYLE,
    };
    canvas.start(out)?;
    writeln!(out, "{ARROWHEAD}")?;
    let remarks: Vec<&str> = remarks.iter().map(String::as_str).collect();
    canvas.heading(out, (EDGE, EDGE + 8.0), &remarks)?;
    legend.write_svg(out, (EDGE, body - 18.0), f64::INFINITY)?;
    let left = (width - scene.size.x) / 2.0;
    writeln!(
        out,
        "<g transform=\"translate({} {})\">",
        Length(left),
        Length(body)
    )?;
    for line in &scene.lines {
        write_line(out, &scene, line, &scale)?;
    }
    for node in &scene.nodes {
        write_node(out, node)?;
    }
    writeln!(out, "</g>")?;
    canvas.end(out)
}

/// Returns the legend of the lines and nodes that occur in a picture.
fn legend(scene: &Scene, marks: &[u64], scale: &Scale) -> Legend {
    let mut legend = Legend::default();
    let unit = scale.measure.name();
    for &mark in marks {
        let width = Length(scale.width(mark));
        let sign = format!("<path class=\"e\" stroke-width=\"{width}\" d=\"M0 6h26\"/>");
        legend.sign(SIGN, sign, format!("{} {unit}", grouped(mark)));
    }
    let has = |kind| scene.lines.iter().any(|line| line.kind == kind);
    let other = "<path class=\"o\" stroke-width=\"1.5\" d=\"M0 6h26\"/>";
    let missing = "<path class=\"m\" d=\"M0 6h26\"/>";
    for (kind, sign, text) in [
        (Kind::Outside, other, "too little traffic for an edge"),
        (Kind::Extra, other, "extra edge"),
        (Kind::Missing, missing, "missing edge"),
    ] {
        if has(kind) {
            legend.sign(SIGN, sign, text);
        }
    }
    if scene.nodes.iter().any(|node| node.is_idle) {
        let sign = "<circle class=\"i\" cx=\"20\" cy=\"6\" r=\"6\"/>";
        legend.sign(SIGN, sign, "process without edges");
    }
    legend
}

fn write_line(out: &mut impl Write, scene: &Scene, line: &Line, scale: &Scale) -> io::Result<()> {
    let [one, other] = line.ends.map(|end| &scene.nodes[end]);
    let sent = [line.pair.there, line.pair.back].map(|traffic| traffic.messages > 0);
    let is_one_way = sent[0] != sent[1] && line.kind == Kind::Edge;
    let path = if sent[1] && is_one_way {
        path(line.way.reversed(), other, one, true)
    } else {
        path(line.way, one, other, is_one_way)
    };
    let arrow = if is_one_way {
        " marker-end=\"url(#to)\""
    } else {
        ""
    };
    let (class, title) = match line.kind {
        Kind::Edge => ("e", title(line, one.rank, other.rank)),
        Kind::Outside | Kind::Extra => ("o", title(line, one.rank, other.rank)),
        Kind::Missing => (
            "m",
            format!("{} and {}: missing edge", one.rank, other.rank),
        ),
    };
    write!(
        out,
        "<g><title>{title}</title><path class=\"{class}\"{arrow}"
    )?;
    if line.kind != Kind::Missing {
        let width = scale.width(scale.measure.of(line.pair.total()));
        write!(out, " stroke-width=\"{}\"", Length(width))?;
    }
    write!(out, " d=\"{path}\"/>")?;
    if let Way::Around([there, back]) = line.way {
        write_other_end(out, one, there, other.rank)?;
        write_other_end(out, other, back, one.rank)?;
    }
    writeln!(out, "</g>")
}

/// Returns the path of a line from one node to another, with space for an arrowhead if it has one.
fn path(way: Way, from: &Node, to: &Node, has_arrow: bool) -> String {
    let until = RADIUS + if has_arrow { ARROW } else { 0.0 };
    let end = |towards: Point| to.at.plus(towards.minus(to.at).unit(), until);
    let start = |towards: Point| from.at.plus(towards.minus(from.at).unit(), RADIUS);
    match way {
        Way::Straight => format!("M{}L{}", start(to.at), end(from.at)),
        Way::Curved(by) => format!("M{}Q{by} {}", start(by), end(by)),
        Way::Down => {
            let middle = (from.at.y + to.at.y) / 2.0;
            let [above, below] = [from.at.x, to.at.x].map(|x| Point { x, y: middle });
            format!("M{}C{above} {below} {}", start(above), end(below))
        }
        Way::Around([there, back]) => {
            // The arrowhead is on the stub at the destination.
            let beyond = |node: &Node, by: Point| node.at.plus(by.minus(node.at).unit(), STUB);
            let (there, back) = (beyond(from, there), beyond(to, back));
            format!("M{}L{there}M{back}L{}", start(there), end(back))
        }
    }
}

/// Labels a stub with the rank at the other end.
fn write_other_end(out: &mut impl Write, node: &Node, by: Point, other: u64) -> io::Result<()> {
    let at = node.at.plus(by.minus(node.at).unit(), STUB + 9.0);
    let (x, y) = (Length(at.x), Length(at.y + 3.0));
    write!(out, "<text class=\"b\" x=\"{x}\" y=\"{y}\">{other}</text>")
}

/// Describes the traffic between two processes.
fn title(line: &Line, one: u64, other: u64) -> String {
    let mut ways = Vec::new();
    for (from, to, traffic) in [(one, other, line.pair.there), (other, one, line.pair.back)] {
        if traffic.messages > 0 {
            ways.push(format!("{from} to {to}: {}", amount(traffic)));
        }
    }
    ways.join("\n")
}

fn write_node(out: &mut impl Write, node: &Node) -> io::Result<()> {
    let class = if node.is_idle { "i" } else { "v" };
    let place = node.place.as_ref().map(|place| {
        let place: Vec<String> = place.iter().map(u32::to_string).collect();
        format!(" at {}", place.join(","))
    });
    let (x, y) = (Length(node.at.x), Length(node.at.y));
    writeln!(
        out,
        "<g><title>rank {rank}{place}</title><circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"/>\
         <text class=\"n\" x=\"{x}\" y=\"{}\">{rank}</text></g>",
        Length(node.at.y + 3.5),
        rank = node.rank,
        place = place.unwrap_or_default(),
    )
}
