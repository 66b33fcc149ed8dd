//! Draws a histogram of durations on a logarithmic axis, with its peaks shaded.

use std::io::{self, Write};

use foldtrace_view::svg::{FineLength, Length};
use foldtrace_view::units::{Percent, Seconds, log_marks};
use foldtrace_view::xml::escape;

use super::{Histogram, Peak};

pub(super) const WIDTH: f64 = 640.0;
/// The height of the highest bar.
const BARS: f64 = 118.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 24.0;
/// The height of a line of labels of peaks.
const LINE: f64 = 14.0;
const LINES: usize = 3;
/// The width of a letter of the labels.
const LETTER: f64 = 6.1;
/// The minimum width of a window.
const THIN: f64 = 2.0;

/// The mapping from durations and counts to positions in the picture.
struct Scale {
    from: f64,
    to: f64,
    most: f64,
    /// The top of the highest bar.
    top: f64,
}

impl Scale {
    fn new(histogram: &Histogram) -> Self {
        let bins = histogram.bins.iter();
        let edges = bins.flat_map(|&(lo, hi, _)| [lo, hi]);
        let windows = histogram.peaks.iter().flat_map(|peak| [peak.lo, peak.hi]);
        let positive = edges.chain(windows).filter(|&s| s > 0.0 && s.is_finite());
        let (mut from, mut to) = positive.fold((f64::INFINITY, 0.0_f64), |(from, to), s| {
            (from.min(s), to.max(s))
        });
        if from > to {
            (from, to) = (1e-9, 1.0);
        }
        // Durations that are all similar do not fill the picture, because that would make their noise look large.
        let middle = (from * to).sqrt();
        (from, to) = (from.min(middle / 1.25) / 1.02, to.max(middle * 1.25) * 1.02);
        let most = histogram.bins.iter().map(|&(_, _, count)| count).max();
        Self {
            from: from.ln(),
            to: to.ln(),
            most: most.unwrap_or(0).max(1) as f64,
            top: 0.0,
        }
    }

    fn x(&self, seconds: f64) -> f64 {
        let at = seconds
            .max(f64::MIN_POSITIVE)
            .ln()
            .clamp(self.from, self.to);
        LEFT + (WIDTH - LEFT - RIGHT) * (at - self.from) / (self.to - self.from)
    }

    /// Returns the position of a count on a logarithmic axis, so that single occurrences are visible next to
    /// thousands.
    fn y(&self, count: f64) -> f64 {
        self.floor() - BARS * count.ln_1p() / self.most.ln_1p()
    }

    fn floor(&self) -> f64 {
        self.top + BARS
    }
}

/// Returns the windows of peaks as they are drawn; windows that overlap are merged.
fn windows(scale: &Scale, peaks: &[Peak]) -> Vec<(f64, f64)> {
    let mut windows: Vec<(f64, f64)> = peaks.iter().map(|peak| window(scale, peak)).collect();
    windows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut joined: Vec<(f64, f64)> = Vec::new();
    for (from, to) in windows {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

fn window(scale: &Scale, peak: &Peak) -> (f64, f64) {
    let (from, to) = (scale.x(peak.lo), scale.x(peak.hi));
    let missing = (THIN - (to - from)).max(0.0) / 2.0;
    (from - missing, to + missing)
}

/// Cuts a bar where windows begin and end: returns the start and the end of each piece, and whether it is in a
/// window.
fn pieces(bar: (f64, f64), windows: &[(f64, f64)]) -> Vec<(f64, f64, bool)> {
    let mut pieces = Vec::new();
    let mut at = bar.0;
    for &(from, to) in windows {
        let (from, to) = (from.clamp(at, bar.1.max(at)), to.clamp(at, bar.1.max(at)));
        if from > at {
            pieces.push((at, from, false));
        }
        if to > from {
            pieces.push((from, to, true));
        }
        at = to.max(at);
    }
    if bar.1 > at {
        pieces.push((at, bar.1, false));
    }
    pieces
}

/// The label above a peak.
struct Label<'a> {
    middle: f64,
    /// The line of the label, counted upwards from the bars.
    line: usize,
    text: String,
    peak: &'a Peak,
}

/// Returns the labels of peaks, the largest first; peaks without room for a label have none.
fn labels<'a>(scale: &Scale, peaks: &'a [Peak], total: u64) -> Vec<Label<'a>> {
    let mut order: Vec<&Peak> = peaks.iter().collect();
    order.sort_by_key(|peak| std::cmp::Reverse(peak.count));
    let mut taken: [Vec<(f64, f64)>; LINES] = Default::default();
    let mut labels = Vec::new();
    for peak in order {
        let share = peak.count as f64 / total.max(1) as f64;
        let text = format!("{} · {}", Seconds(peak.seconds), Percent(share));
        let half = text.chars().count() as f64 * LETTER / 2.0;
        let middle = scale.x(peak.seconds).clamp(LEFT + half, WIDTH - half - 2.0);
        let (from, to) = (middle - half - 6.0, middle + half + 6.0);
        let free = |line: &Vec<(f64, f64)>| line.iter().all(|&(a, b)| to <= a || from >= b);
        if let Some(line) = taken.iter().position(free) {
            taken[line].push((from, to));
            labels.push(Label {
                middle,
                line,
                text,
                peak,
            });
        }
    }
    labels
}

/// Writes the picture.
pub(super) fn write(out: &mut impl Write, histogram: &Histogram) -> io::Result<()> {
    let mut scale = Scale::new(histogram);
    let total = histogram.total();
    let labels = labels(&scale, &histogram.peaks, total);
    let lines = labels.iter().map(|label| label.line + 1).max();
    scale.top = 8.0 + LINE * lines.unwrap_or(0) as f64;
    let (floor, height) = (scale.floor(), scale.floor() + BOTTOM);
    let label = format!(
        "{}: {total} occurrences, {} peaks, {} occurrences outside of peaks",
        histogram.title,
        histogram.peaks.len(),
        histogram.outliers
    );
    writeln!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escape(&label)
    )?;
    for peak in &histogram.peaks {
        let (from, to) = window(&scale, peak);
        writeln!(
            out,
            "<rect class=\"window\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BARS}\"/>",
            Length(from),
            Length(scale.top),
            Length(to - from)
        )?;
    }
    axis_of_numbers(out, &scale)?;
    let windows = windows(&scale, &histogram.peaks);
    for &(lo, hi, count) in histogram.bins.iter().filter(|bin| bin.2 > 0) {
        let mut bar = (scale.x(lo), scale.x(hi));
        bar.1 = bar.1.max(bar.0 + 1.0);
        let y = scale.y(count as f64);
        write!(out, "<g>")?;
        for (from, to, inside) in pieces(bar, &windows) {
            let class = if inside { "in" } else { "out" };
            write!(
                out,
                "<path class=\"{class}\" d=\"M{} {}H{}V{}H{}z\"/>",
                FineLength(from),
                Length(y),
                FineLength(to),
                Length(floor),
                FineLength(from)
            )?;
        }
        writeln!(
            out,
            "<title>{} to {}: {count}</title></g>",
            Seconds(lo),
            Seconds(hi)
        )?;
    }
    axis_of_durations(out, &scale)?;
    for Label {
        middle,
        line,
        text,
        peak,
    } in labels
    {
        let y = scale.top - 5.0 - LINE * line as f64;
        let x = Length(scale.x(peak.seconds));
        writeln!(
            out,
            "<path class=\"peak\" d=\"M{x} {}V{}\"/>\
             <text class=\"share\" x=\"{}\" y=\"{}\">{text}<title>{} to {}: {}</title></text>",
            Length(y + 3.0),
            Length(floor),
            Length(middle),
            Length(y),
            Seconds(peak.lo),
            Seconds(peak.hi),
            peak.count
        )?;
    }
    writeln!(out, "</svg>")
}

fn axis_of_numbers(out: &mut impl Write, scale: &Scale) -> io::Result<()> {
    let mut mark = 1_u64;
    let mut last = f64::INFINITY;
    loop {
        let y = scale.y(mark as f64);
        if mark as f64 > scale.most {
            return Ok(());
        }
        if last - y >= 11.0 {
            last = y;
            writeln!(
                out,
                "<path class=\"grid\" d=\"M{LEFT} {y}H{}\"/><text class=\"mark\" text-anchor=\"end\" \
                 x=\"{}\" y=\"{}\">{}</text>",
                Length(WIDTH - RIGHT),
                LEFT - 6.0,
                Length(y + 3.5),
                foldtrace_view::units::grouped(mark),
                y = Length(y),
            )?;
        }
        mark = match mark.checked_mul(10) {
            Some(next) => next,
            None => return Ok(()),
        };
    }
}

fn axis_of_durations(out: &mut impl Write, scale: &Scale) -> io::Result<()> {
    let floor = Length(scale.floor());
    writeln!(
        out,
        "<path class=\"axis\" d=\"M{LEFT} {floor}H{}\"/>",
        Length(WIDTH - RIGHT)
    )?;
    let mut last = f64::NEG_INFINITY;
    for seconds in log_marks(scale.from.exp(), scale.to.exp(), 9) {
        let x = scale.x(seconds);
        if x - last < 48.0 {
            continue;
        }
        last = x;
        writeln!(
            out,
            "<path class=\"axis\" d=\"M{x} {floor}v4\"/><text class=\"mark\" text-anchor=\"middle\" \
             x=\"{x}\" y=\"{}\">{}</text>",
            Length(scale.floor() + 15.0),
            Seconds(seconds),
            x = Length(x.min(WIDTH - 24.0)),
        )?;
    }
    Ok(())
}
