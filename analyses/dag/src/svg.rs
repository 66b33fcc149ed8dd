//! Draws the DAG as an SVG picture: roots on the left, children to the right of their parents, colour by share of the
//! time.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use foldtrace_calltree::NamedNodes;
use foldtrace_fold::dag::{Dag, NodeId};
use foldtrace_view::palette::Mixture;
use foldtrace_view::svg::{Canvas, shortened};
use foldtrace_view::xml::escape;

use super::view::{Shares, Shown, View};

const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 36.0;
const COLUMN: f64 = 270.0;
const ROW: f64 = 48.0;
const MARGIN: f64 = 24.0;
/// The number of characters of a name that fit into a box.
const LETTERS: usize = 27;
/// The greatest number of nodes whose numbers are in a title.
const NUMBERS: usize = 8;
/// The number of sweeps that reorder the rows by the positions of neighbouring nodes.
const SWEEPS: usize = 4;

const STYLE: &str = "\
text { text-anchor: middle; }
.line { fill: none; stroke: var(--line); }
.nested { stroke-dasharray: 5 4; }
.inner { fill: color-mix(in srgb, var(--series-1) var(--share), var(--ground)); stroke: var(--rim); }
.leaf { fill: color-mix(in srgb, var(--series-1) var(--share), var(--leaf)); stroke: var(--rule); }
.name { font-size: 12px; }
.below { fill-opacity: .8; }
.times { text-anchor: end; stroke: var(--ground); stroke-width: 3; paint-order: stroke; }
.k { text-anchor: start; fill: var(--soft); }
";

/// Writes the nodes and lines of `view` as a picture.
///
/// # Errors
/// Returns an error if writing to `out` fails.
pub fn dag_svg(
    out: &mut impl Write,
    dag: &Dag,
    named: &NamedNodes<'_>,
    shares: &Shares,
    view: &View,
) -> io::Result<()> {
    let places = places(view);
    let right = places.values().map(|place| place.0).fold(0.0, f64::max);
    let bottom = places.values().map(|place| place.1).fold(0.0, f64::max);
    let (width, height) = (right + WIDTH + MARGIN, bottom + HEIGHT + 2.0 * MARGIN);
    let canvas = Canvas {
        title: "call trees, with equal parts once",
        width,
        height,
        style: STYLE,
    };
    canvas.start(out)?;
    // Wide lines come first, so that thin lines stay visible.
    let mut lines: Vec<_> = view.lines.iter().collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.times));
    for line in lines {
        let (Some(&from), Some(&to)) = (places.get(&line.from), places.get(&line.to)) else {
            continue;
        };
        let (x1, y1) = (from.0 + WIDTH, from.1 + HEIGHT / 2.0);
        let (x2, y2) = (to.0, to.1 + HEIGHT / 2.0);
        let middle = (x2 - x1).max(60.0) / 2.0;
        let wide = 1.0 + (line.times as f64).log10();
        let nested = if line.levels.is_some() { " nested" } else { "" };
        writeln!(
            out,
            "<path class=\"line{nested}\" d=\"M{x1:.0} {y1:.0} C{:.0} {y1:.0} {:.0} {y2:.0} {x2:.0} {y2:.0}\" \
             stroke-width=\"{wide:.1}\"/>",
            x1 + middle,
            x2 - middle
        )?;
    }
    for shown in &view.nodes {
        draw_node(out, dag, named, shares, shown, places[&shown.node])?;
    }
    // Where several lines meet, each label is written once.
    let mut texts: BTreeMap<NodeId, Vec<String>> = BTreeMap::new();
    for line in &view.lines {
        let text = line.text();
        let of_node = texts.entry(line.to).or_default();
        if !text.is_empty() && !of_node.contains(&text) {
            of_node.push(text);
        }
    }
    for (node, texts) in texts.iter().filter(|(_, texts)| !texts.is_empty()) {
        if let Some(&(x, y)) = places.get(node) {
            writeln!(
                out,
                "<text class=\"times\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
                x - 5.0,
                y + HEIGHT / 2.0 - 4.0,
                texts.join(", ")
            )?;
        }
    }
    if view.is_united {
        writeln!(
            out,
            "<text class=\"k\" x=\"{MARGIN}\" y=\"{:.0}\">calls of a region with the same calls in them are one box, \
             whatever their peers and counts; so are locations</text>",
            height - 24.0
        )?;
    }
    if view.hidden > 0 {
        writeln!(
            out,
            "<text class=\"k\" x=\"{MARGIN}\" y=\"{:.0}\">{} more nodes are not shown: --depth, --threshold</text>",
            height - 10.0,
            view.hidden
        )?;
    }
    canvas.end(out)
}

fn draw_node(
    out: &mut impl Write,
    dag: &Dag,
    named: &NamedNodes<'_>,
    shares: &Shares,
    shown: &Shown,
    (x, y): (f64, f64),
) -> io::Result<()> {
    let percents = shown.nodes().map(|node| shares.percent(dag, node));
    let percent: Option<f64> = percents.sum();
    let is_leaf = dag.graph.kind(shown.node).is_leaf();
    let (class, ground, rx) = if is_leaf {
        ("leaf", "leaf", 0)
    } else {
        ("inner", "ground", 7)
    };
    let fill = Mixture {
        colour: "series-1",
        ground,
        percent: percent.map_or(0.0, colour_share),
    };
    let name = match &shown.others[..] {
        [] => named.node(shown.node),
        _ => named.common(&shown.nodes().collect::<Vec<_>>()),
    };
    let occurrences = shown.nodes().map(|node| shares.occurrences[node.index()]);
    let occurrences: u64 = occurrences.sum();
    let mut below = match shown.others.len() {
        0 => format!("#{} ×{occurrences}", shown.node.0),
        others => format!("{} nodes ×{occurrences}", others + 1),
    };
    if let Some(percent) = percent {
        below += &format!("  {percent:.1} %");
    }
    let about = if shown.others.is_empty() {
        format!("{} events", dag.graph.length(shown.node))
    } else {
        let numbers = shown.nodes().take(NUMBERS);
        let numbers: Vec<String> = numbers.map(|node| format!("#{}", node.0)).collect();
        format!("{}, …", numbers.join(", "))
    };
    let (middle, first, second) = (x + WIDTH / 2.0, y + 15.0, y + 29.0);
    writeln!(
        out,
        "<g><title>{} · {below} · {about}</title>\
         <rect class=\"{class}\" {fill} x=\"{x:.0}\" y=\"{y:.0}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"{rx}\"/>\
         <text class=\"name\" x=\"{middle:.0}\" y=\"{first:.0}\">{}</text>\
         <text class=\"below\" x=\"{middle:.0}\" y=\"{second:.0}\">{below}</text></g>",
        escape(&name),
        escape(shortened(&name, LETTERS)),
    )
}

/// Returns the share of the colour in the box of a node, in percent. Text stays readable on the largest one.
fn colour_share(percent: f64) -> f64 {
    60.0 * (percent / 100.0).clamp(0.0, 1.0).sqrt()
}

/// Returns the upper left corner of each node: one column per layer, with the rows in the order of the mean row of
/// the parents or children.
fn places(view: &View) -> HashMap<NodeId, (f64, f64)> {
    let mut columns: Vec<Vec<NodeId>> = Vec::new();
    for shown in &view.nodes {
        if columns.len() <= shown.layer {
            columns.resize(shown.layer + 1, Vec::new());
        }
        columns[shown.layer].push(shown.node);
    }
    let mut rows: HashMap<NodeId, f64> = HashMap::new();
    for column in &mut columns {
        column.sort();
        rows.extend(column.iter().copied().zip((0u32..).map(f64::from)));
    }
    let mut neighbours: HashMap<NodeId, [Vec<(NodeId, usize)>; 2]> = HashMap::new();
    for line in &view.lines {
        neighbours.entry(line.to).or_default()[0].push((line.from, line.order));
        neighbours.entry(line.from).or_default()[1].push((line.to, 0));
    }
    for sweep in 0..SWEEPS {
        let side = sweep % 2;
        for column in &mut columns {
            let wish = |node: &NodeId| {
                let near = neighbours.get(node).map_or(&[][..], |both| &both[side]);
                if near.is_empty() {
                    return rows.get(node).copied().unwrap_or(0.0);
                }
                let sum: f64 = near
                    .iter()
                    .map(|(other, order)| {
                        let row = rows.get(other).copied().unwrap_or(0.0);
                        row + *order as f64 / 1e6
                    })
                    .sum();
                sum / near.len() as f64
            };
            let mut wished: Vec<(f64, NodeId)> = column.iter().map(|n| (wish(n), *n)).collect();
            wished.sort_by(|a, b| a.0.total_cmp(&b.0));
            // The row is as close to the desired one as the preceding nodes allow.
            let mut next = 0.0f64;
            for (place, (wish, node)) in column.iter_mut().zip(wished) {
                let row = wish.max(next);
                rows.insert(node, row);
                next = row + 1.0;
                *place = node;
            }
        }
    }
    let top = rows.values().copied().fold(f64::INFINITY, f64::min);
    let place = |(node, row): (NodeId, f64), layer: usize| {
        (
            node,
            (MARGIN + layer as f64 * COLUMN, MARGIN + (row - top) * ROW),
        )
    };
    let shown = view.nodes.iter();
    shown
        .map(|shown| {
            place(
                (shown.node, rows.get(&shown.node).copied().unwrap_or(0.0)),
                shown.layer,
            )
        })
        .collect()
}
