//! A topology as a picture: processes at their places, with what they exchange.

use std::io::{self, Write};

use quick_xml::escape::escape;

use super::place::Point;
use super::scene::{Kind, Line, Node, RADIUS, Scene, Way};
use super::words::{amount, answer, remarks};
use crate::analysis::{Measure, Pairs};
use crate::export::svg::Length;
use crate::export::units::grouped;
use crate::topology::Found;

const EDGE: f64 = 20.0;
const LETTER: f64 = 6.0;
/// How far a line that goes around is drawn from the middle of its ends.
const STUB: f64 = 27.0;
/// Widths of lines.
const WIDTHS: [f64; 2] = [1.0, 6.0];

const STYLE: &str = "\
:root{--ground:#fff;--ink:#222;--soft:#666;--node:#dfe7f2;--rim:#555;--edge:#3f74b5;--out:#d55e00;--none:#a9afb8}\
@media(prefers-color-scheme:dark){:root{--ground:#17191d;--ink:#e4e4e2;--soft:#a0a4aa;--node:#2a3648;\
--rim:#8d949e;--edge:#79aee6;--out:#ff9440;--none:#5a616b}}\
text{font-size:10px;fill:var(--ink)}\
.title{font-size:13px;font-weight:bold}\
.k{font-size:11px}\
.n{text-anchor:middle}\
.b{font-size:8px;text-anchor:middle;fill:var(--soft)}\
.v{fill:var(--node);stroke:var(--rim);stroke-width:.8}\
.i{fill:none;stroke:var(--soft);stroke-dasharray:2 2}\
.e{fill:none;stroke:var(--edge);stroke-linecap:round}\
.o{fill:none;stroke:var(--out);stroke-dasharray:4 3}\
.m{fill:none;stroke:var(--none);stroke-width:2;stroke-dasharray:.1 5;stroke-linecap:round}\
.h{fill:var(--edge)}";

/// How wide lines are: a tenth of the traffic is a step thinner.
struct Scale {
    measure: Measure,
    most: u64,
    least: u64,
}

impl Scale {
    fn of(pairs: &Pairs) -> Self {
        let measure = pairs.measure();
        let amounts = pairs.pairs.values();
        let amounts = amounts.map(|pair| measure.of(pair.total()).max(1));
        Self {
            measure,
            most: amounts.clone().max().unwrap_or(1),
            least: amounts.min().unwrap_or(1),
        }
    }

    fn width(&self, value: u64) -> f64 {
        let [thin, thick] = WIDTHS;
        let less = (self.most as f64 / value.max(1) as f64).log10();
        (thick - 2.0 * less).clamp(thin, thick)
    }

    /// Values for a legend, the largest first.
    fn marks(&self) -> Vec<u64> {
        let marks = [1, 10, 100].map(|part| self.most / part);
        let marks = marks.into_iter();
        marks
            .filter(|&mark| mark > 0 && 2 * mark >= self.least)
            .collect()
    }
}

/// Writes the topology of a program as a picture.
///
/// # Errors
/// If `out` fails.
pub fn topology_svg(out: &mut impl Write, found: &Found, title: &str) -> io::Result<()> {
    let part = &found.program;
    let scene = Scene::of(part);
    let scale = Scale::of(&part.pairs);
    let title = match &*part.answer() {
        [] => title.to_owned(),
        answers => format!("{title}: {}", answer(answers)),
    };
    let remarks = remarks(part);
    let mut legend = Vec::new();
    let top = EDGE + 30.0 + 16.0 * remarks.len() as f64;
    let mut right = write_legend(&mut legend, &scene, &scale, top)?;
    for remark in &remarks {
        right = right.max(EDGE + LETTER * remark.chars().count() as f64);
    }
    let width = (scene.size.x + 2.0 * EDGE).max(right + EDGE);
    let body = top + 12.0;
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"sans-serif\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <defs><marker id=\"to\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"9\" \
         markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path class=\"h\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" style=\"fill:var(--ground)\"/>\n\
         <text class=\"title\" x=\"{EDGE}\" y=\"{}\">{title}</text>",
        Length(EDGE + 8.0),
        w = Length(width),
        h = Length(body + scene.size.y + EDGE),
        title = escape(&title),
    )?;
    for (line, remark) in remarks.iter().enumerate() {
        let y = EDGE + 26.0 + 16.0 * line as f64;
        let remark = escape(remark);
        writeln!(
            out,
            "<text class=\"k\" x=\"{EDGE}\" y=\"{}\">{remark}</text>",
            Length(y)
        )?;
    }
    out.write_all(&legend)?;
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
    writeln!(out, "</g>\n</svg>")
}

/// What lines mean, beside each other; gives where that ends.
fn write_legend(out: &mut impl Write, scene: &Scene, scale: &Scale, y: f64) -> io::Result<f64> {
    let mut signs: Vec<(String, String)> = Vec::new();
    let unit = scale.measure.name();
    for mark in scale.marks() {
        let width = Length(scale.width(mark));
        let sign = format!("<path class=\"e\" stroke-width=\"{width}\" d=\"M0 0h26\"/>");
        signs.push((sign, format!("{} {unit}", grouped(mark))));
    }
    let has = |kind| scene.lines.iter().any(|line| line.kind == kind);
    if has(Kind::Outside) {
        let sign = "<path class=\"o\" stroke-width=\"1.5\" d=\"M0 0h26\"/>".to_owned();
        signs.push((sign, "too little to be an edge".to_owned()));
    }
    if has(Kind::Missing) {
        let sign = "<path class=\"m\" d=\"M0 0h26\"/>".to_owned();
        signs.push((sign, "missing".to_owned()));
    }
    if scene.nodes.iter().any(|node| node.is_idle) {
        let sign = "<circle class=\"i\" cx=\"20\" r=\"6\"/>".to_owned();
        signs.push((sign, "without edges".to_owned()));
    }
    let mut x = EDGE;
    for (sign, text) in signs {
        writeln!(
            out,
            "<g transform=\"translate({} {})\">{sign}<text class=\"k\" x=\"32\" y=\"4\">{text}</text></g>",
            Length(x),
            Length(y)
        )?;
        x += 32.0 + LETTER * text.chars().count() as f64 + 18.0;
    }
    Ok(x)
}

fn write_line(out: &mut impl Write, scene: &Scene, line: &Line, scale: &Scale) -> io::Result<()> {
    let [one, other] = line.ends.map(|end| &scene.nodes[end]);
    // Where only one sends, that is the first end.
    let is_one_way = (line.pair.there.messages == 0) != (line.pair.back.messages == 0);
    let is_turned = is_one_way && line.pair.there.messages == 0;
    let (from, to) = if is_turned {
        (other, one)
    } else {
        (one, other)
    };
    let class = match line.kind {
        Kind::Edge => "e",
        Kind::Outside => "o",
        Kind::Missing => "m",
    };
    write!(out, "<g>")?;
    if line.kind == Kind::Missing {
        let title = format!("{} and {}: missing", one.rank, other.rank);
        write!(out, "<title>{title}</title><path class=\"{class}\" d=\"")?;
    } else {
        let width = Length(scale.width(scale.measure.of(line.pair.total())));
        let title = title(line, one.rank, other.rank);
        write!(
            out,
            "<title>{title}</title><path class=\"{class}\" stroke-width=\"{width}\" d=\""
        )?;
    }
    let arrow = if is_one_way {
        " marker-end=\"url(#to)\""
    } else {
        ""
    };
    match line.way {
        Way::Straight => {
            let (start, end) = (rim(from.at, to.at), rim(to.at, from.at));
            write!(out, "M{start}L{end}\"{arrow}/>")?;
        }
        Way::Curved(towards) => {
            let (start, end) = (rim(from.at, towards), rim(to.at, towards));
            write!(out, "M{start}Q{towards} {end}\"{arrow}/>")?;
        }
        Way::Around(beyond) => {
            let [there, back] = beyond;
            let stubs = [(one, there, other), (other, back, one)];
            for (node, towards, _) in stubs {
                let ahead = towards.minus(node.at).unit();
                let start = node.at.plus(ahead, RADIUS);
                write!(out, "M{start}L{}", node.at.plus(ahead, STUB))?;
            }
            write!(out, "\"/>")?;
            for (node, towards, other) in stubs {
                let ahead = towards.minus(node.at).unit();
                let at = node.at.plus(ahead, STUB + 9.0);
                let (x, y) = (Length(at.x), Length(at.y + 3.0));
                write!(
                    out,
                    "<text class=\"b\" x=\"{x}\" y=\"{y}\">{}</text>",
                    other.rank
                )?;
            }
        }
    }
    writeln!(out, "</g>")
}

/// What two processes exchange.
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

/// Where a line from a node towards somewhere leaves it.
fn rim(node: Point, towards: Point) -> Point {
    node.plus(towards.minus(node).unit(), RADIUS + 1.0)
}
