//! Writes patterns as a page: an overview, then each pattern with its items and durations.

use std::io::{self, Write};

use foldtrace_view::legend::Legend;
use foldtrace_view::page::Page;
use foldtrace_view::units::{Percent, Seconds, grouped};
use foldtrace_view::xml::escape;

use super::{Histogram, PatternCard, PatternsPage, histogram};

const STYLE: &str = include_str!("page/page.css");

/// Writes a self-contained page without scripts.
///
/// # Errors
/// Returns an error if `out` does.
pub fn patterns_html(out: &mut impl Write, page: &PatternsPage) -> io::Result<()> {
    let frame = Page {
        title: &page.title,
        summary: &page.summary,
        controls: "",
        style: STYLE,
        script: None,
        is_served: false,
    };
    frame.start(out)?;
    legend().write_html(out)?;
    frame.contents(out)?;
    if !page.left_out.is_empty() {
        writeln!(out, "<p class=\"left-out\">{}</p>", escape(&page.left_out))?;
    }
    overview(out, &page.patterns)?;
    for (index, pattern) in page.patterns.iter().enumerate() {
        card(out, index + 1, pattern)?;
    }
    frame.end(out, |_| Ok(()))
}

fn legend() -> Legend {
    let mut legend = Legend::default();
    for (class, text) in [
        ("in", "occurrences in a peak"),
        ("out", "occurrences outside of all peaks, worth a look"),
        ("window", "range of a peak"),
    ] {
        let sign = format!("<rect class=\"{class}\" width=\"16\" height=\"12\"/>");
        legend.sign(16.0, sign, text);
    }
    legend.text("both axes are logarithmic; shares are relative to all occurrences");
    legend
}

fn overview(out: &mut impl Write, patterns: &[PatternCard]) -> io::Result<()> {
    if patterns.is_empty() {
        return writeln!(out, "<p>No pattern occurs.</p>");
    }
    writeln!(
        out,
        "<table id=\"overview\">\n<thead><tr><th class=\"number\">no.</th><th>pattern</th><th>where</th>\
         <th class=\"number\">iterations</th><th class=\"number\">events each</th>\
         <th class=\"number\">share of events</th><th></th><th class=\"number\">time</th>\
         <th class=\"number\">peaks</th><th class=\"number\">outside</th></tr></thead>\n<tbody>"
    )?;
    for (index, pattern) in patterns.iter().enumerate() {
        let first = pattern.histograms.first();
        let number = index + 1;
        writeln!(
            out,
            "<tr><td class=\"number\">{number}</td><td><a href=\"#p{number}\"><code>{}</code></a></td>\
             <td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"share-bar\"><div style=\"width:{:.1}%\"></div></td>\
             <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
            escape(&pattern.name),
            escape(&pattern.locations),
            grouped(pattern.iterations),
            grouped(pattern.events),
            Percent(pattern.occupation),
            100.0 * pattern.occupation.clamp(0.0, 1.0),
            Seconds(pattern.seconds),
            first.map_or(0, |histogram| histogram.peaks.len()),
            grouped(first.map_or(0, |histogram| histogram.outliers)),
        )?;
    }
    writeln!(out, "</tbody>\n</table>")
}

fn card(out: &mut impl Write, number: usize, pattern: &PatternCard) -> io::Result<()> {
    // The pattern that takes the most time is open. A link into another one opens it.
    let open = if number == 1 { " open" } else { "" };
    writeln!(
        out,
        "<details{open}>\n<summary><h2><b>{number}</b><code>{}</code><span>{}</span>\
         <span>{} iterations of {} events</span><span>{} of all events</span><span>{}</span></h2></summary>\n\
         <section id=\"p{number}\">\n<div class=\"both\">\n<div class=\"text\"><pre>",
        escape(&pattern.name),
        escape(&pattern.locations),
        grouped(pattern.iterations),
        grouped(pattern.events),
        Percent(pattern.occupation),
        Seconds(pattern.seconds),
    )?;
    for line in &pattern.text {
        writeln!(out, "{}", escape(line))?;
    }
    writeln!(out, "</pre></div>\n<div class=\"shown\">")?;
    for one in &pattern.histograms {
        figure(out, one)?;
    }
    writeln!(out, "</div>\n</div>\n</section>\n</details>")
}

fn figure(out: &mut impl Write, one: &Histogram) -> io::Result<()> {
    writeln!(
        out,
        "<figure>\n<figcaption><b>{}</b> {}</figcaption>",
        escape(&one.title),
        escape(&one.subtitle)
    )?;
    histogram::write(out, one)?;
    writeln!(
        out,
        "<table>\n<thead><tr><th class=\"number\">peak</th><th>from, to</th>\
         <th class=\"number\">occurrences</th><th class=\"number\">share</th></tr></thead>\n<tbody>"
    )?;
    let total = one.total().max(1) as f64;
    for peak in &one.peaks {
        writeln!(
            out,
            "<tr><td class=\"number\">{}</td><td>{} to {}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td></tr>",
            Seconds(peak.seconds),
            Seconds(peak.lo),
            Seconds(peak.hi),
            grouped(peak.count),
            Percent(peak.count as f64 / total),
        )?;
    }
    writeln!(
        out,
        "<tr{}><td class=\"number\">–</td><td>outside of all peaks</td>\
         <td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n</tbody>\n</table>\n</figure>",
        if one.outliers > 0 {
            " class=\"outliers\""
        } else {
            ""
        },
        grouped(one.outliers),
        Percent(one.outliers as f64 / total)
    )
}
