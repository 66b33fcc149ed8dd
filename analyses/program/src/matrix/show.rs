//! Shows the communication matrix as a table, as CSV, as JSON, and as a heat map.

use std::io::{self, Write};

use foldtrace_matching::Measure;
use foldtrace_view::legend::Legend;
use foldtrace_view::palette::Mixture;
use foldtrace_view::svg::Canvas;
use serde::Serialize;

use super::Matrix;

/// A communication matrix as JSON; `schemas/matrix.schema.json` describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct MatrixJson {
    /// The number in `loops --global` of the construct in which the messages are sent; null for the whole program.
    pub construct: Option<String>,
    /// The ranks of the processes.
    pub processes: Vec<u64>,
    /// The number of messages sent.
    pub messages: u64,
    /// The bytes of these messages; only with `--bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub bytes: Option<u64>,
    /// The pairs of processes that exchange messages.
    pub pairs: Vec<PairJson>,
}

/// The traffic from one process to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct PairJson {
    /// The rank of the sender in the program; null if unknown.
    pub sender: Option<u64>,
    /// The rank of the receiver in the program; null if unknown.
    pub receiver: Option<u64>,
    /// The number of messages.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub messages: u64,
    /// The bytes of these messages; only with `--bytes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub bytes: Option<u64>,
}

/// Converts a matrix over the given ranks to JSON.
#[must_use]
pub fn matrix_json(matrix: &Matrix, ranks: &[u64], construct: Option<&str>) -> MatrixJson {
    let pairs = matrix.pairs.iter();
    let pairs = pairs.map(|(&(sender, receiver), traffic)| PairJson {
        sender,
        receiver,
        messages: traffic.messages,
        bytes: traffic.bytes,
    });
    MatrixJson {
        construct: construct.map(str::to_owned),
        processes: ranks.to_vec(),
        messages: matrix.messages(),
        bytes: matrix.bytes(),
        pairs: pairs.collect(),
    }
}

fn rank(rank: Option<u64>) -> String {
    rank.map_or_else(|| "*".to_owned(), |rank| rank.to_string())
}

/// Returns the ranks with a row or a column, and `None`, shown as `*`, if a sender or a receiver is unknown.
fn axis(matrix: &Matrix, ranks: &[u64]) -> Vec<Option<u64>> {
    let mut all: Vec<Option<u64>> = ranks.iter().copied().map(Some).collect();
    let pairs = matrix.pairs.keys();
    all.extend(pairs.flat_map(|&(sender, receiver)| [sender, receiver]));
    // The unknown process comes last.
    all.sort_unstable_by_key(|rank| (rank.is_none(), *rank));
    all.dedup();
    all
}

/// Writes a matrix as comma-separated values, one line per pair.
///
/// # Errors
/// If `out` fails.
pub fn matrix_csv(out: &mut impl Write, matrix: &Matrix) -> io::Result<()> {
    let has_bytes = matrix.pairs.values().any(|traffic| traffic.bytes.is_some());
    let bytes = if has_bytes { ",bytes" } else { "" };
    writeln!(out, "sender,receiver,messages{bytes}")?;
    let known = |rank: Option<u64>| rank.map_or_else(String::new, |rank| rank.to_string());
    for (&(sender, receiver), traffic) in &matrix.pairs {
        let (sender, receiver) = (known(sender), known(receiver));
        write!(out, "{sender},{receiver},{}", traffic.messages)?;
        if has_bytes {
            write!(out, ",{}", traffic.bytes.unwrap_or(0))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes a matrix as a table: a row per sender, a column per receiver, and a dot where nothing is sent. A table
/// that is wider than `width` is split into blocks of columns, one below the other.
///
/// # Errors
/// If `out` fails.
pub fn matrix_text(
    out: &mut impl Write,
    matrix: &Matrix,
    ranks: &[u64],
    measure: Measure,
    width: Option<usize>,
) -> io::Result<()> {
    let axis = axis(matrix, ranks);
    let cell = |sender, receiver| {
        let traffic = matrix.pairs.get(&(sender, receiver));
        let value = traffic.map_or(0, |traffic| measure.of(*traffic));
        if value == 0 {
            ".".to_owned()
        } else {
            value.to_string()
        }
    };
    let head = "from \\ to";
    let column_width = |receiver| {
        let cells = axis.iter().map(|&sender| cell(sender, receiver).len());
        cells.max().unwrap_or(0).max(rank(receiver).len())
    };
    let columns = axis
        .iter()
        .map(|&receiver| (receiver, column_width(receiver)));
    let columns: Vec<_> = columns.collect();
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(head.len()));
    for (number, block) in blocks(&columns, room).into_iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        write!(out, "{head}")?;
        for &(receiver, width) in block {
            write!(out, "  {:>width$}", rank(receiver))?;
        }
        writeln!(out)?;
        for &sender in &axis {
            write!(out, "{:>1$}", rank(sender), head.len())?;
            for &(receiver, width) in block {
                write!(out, "  {:>width$}", cell(sender, receiver))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Splits columns into blocks that fit into `room`, with at least one column per block.
fn blocks<T>(columns: &[(T, usize)], room: usize) -> Vec<&[(T, usize)]> {
    let mut blocks = Vec::new();
    let mut rest = columns;
    while !rest.is_empty() {
        let mut used = 0;
        let fits = rest.iter().take_while(|(_, width)| {
            used += width + 2;
            used <= room
        });
        let (block, others) = rest.split_at(fits.count().max(1));
        blocks.push(block);
        rest = others;
    }
    if blocks.is_empty() {
        blocks.push(columns);
    }
    blocks
}

const STYLE: &str = "\
text { font-size: 12px; }
.to { text-anchor: middle; }
.from { text-anchor: end; }
.cell { fill: color-mix(in srgb, var(--series-0) var(--share), var(--ground)); stroke: var(--ground); stroke-width: .5; }
.frame { fill: none; stroke: var(--soft); }
";

/// Returns the colour of a cell: stronger for larger values, on a logarithmic scale.
fn cell(value: u64, most: u64) -> Mixture<'static> {
    let share = ((value + 1) as f64).ln() / ((most + 1) as f64).ln().max(f64::MIN_POSITIVE);
    Mixture {
        colour: "series-0",
        ground: "ground",
        percent: 7.0 + 93.0 * share,
    }
}

/// Writes a matrix as a heat map.
///
/// # Errors
/// If `out` fails.
pub fn matrix_svg(
    out: &mut impl Write,
    matrix: &Matrix,
    ranks: &[u64],
    measure: Measure,
    title: &str,
) -> io::Result<()> {
    let axis = axis(matrix, ranks);
    let count = axis.len().max(1) as f64;
    let side = (720.0 / count).clamp(3.0, 40.0);
    let (left, top) = (70.0, 90.0);
    let extent = side * count;
    let canvas = Canvas {
        title,
        width: (left + extent + 150.0).max(560.0),
        height: top + extent + 30.0,
        style: STYLE,
    };
    canvas.start(out)?;
    canvas.heading(out, (left, 24.0), &[])?;
    let (x, y) = (left + extent / 2.0, top + extent / 2.0);
    writeln!(
        out,
        "<text class=\"to\" x=\"{x:.1}\" y=\"52\">to</text>\
         <text class=\"to\" transform=\"translate(24 {y:.1}) rotate(-90)\">from</text>"
    )?;
    // If cells are small, only some ranks are labelled.
    let every = (14.0 / side).ceil() as usize;
    for (index, &process) in axis.iter().enumerate().step_by(every) {
        let at = side * (index as f64 + 0.5);
        let label = rank(process);
        writeln!(
            out,
            "<text class=\"to\" x=\"{:.1}\" y=\"{}\">{label}</text>\
             <text class=\"from\" x=\"{}\" y=\"{:.1}\">{label}</text>",
            left + at,
            top - 8.0,
            left - 8.0,
            top + at + 4.0
        )?;
    }
    let most = matrix.pairs.values().map(|traffic| measure.of(*traffic));
    let most = most.max().unwrap_or(0);
    let place =
        |rank: Option<u64>| axis.iter().position(|&other| other == rank).unwrap_or(0) as f64;
    for (&(sender, receiver), traffic) in &matrix.pairs {
        let (x, y) = (left + side * place(receiver), top + side * place(sender));
        let value = measure.of(*traffic);
        writeln!(
            out,
            "<rect class=\"cell\" {} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" \
             height=\"{side:.1}\"><title>{} to {}: {value} {}</title></rect>",
            cell(value, most),
            rank(sender),
            rank(receiver),
            measure.name(),
        )?;
    }
    writeln!(
        out,
        "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{extent:.1}\" height=\"{extent:.1}\"/>"
    )?;
    // One line per item.
    legend(measure, most).write_svg(out, (left + extent + 30.0, top), 0.0)?;
    canvas.end(out)
}

/// Returns the legend of five colours between 1 and the largest value.
fn legend(measure: Measure, most: u64) -> Legend {
    let mut legend = Legend::default();
    let steps = if most > 0 { 5 } else { 0 };
    for step in 0..steps {
        let share = f64::from(4 - step) / 4.0;
        let value = (most as f64).powf(share).round() as u64;
        let sign = format!(
            "<rect class=\"cell\" {} width=\"18\" height=\"12\"/>",
            cell(value, most)
        );
        legend.sign(18.0, sign, value.to_string());
    }
    legend.text(measure.name());
    legend
}
