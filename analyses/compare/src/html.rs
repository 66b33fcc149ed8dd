//! Writes comparisons as a page: the findings, each with its times over the iterations of both runs.

use std::io::{self, Write};

use foldtrace_view::legend::Legend;
use foldtrace_view::page::Page;
use foldtrace_view::xml::escape;

use crate::text::{Described, remarks, summary};
use crate::{Comparison, Finding};

const STYLE: &str = include_str!("page/page.css");

/// The size of a drawing of times.
const WIDTH: f64 = 200.0;
/// The height of a drawing of times.
const HEIGHT: f64 = 36.0;

/// Writes the comparisons of runs with these names as a self-contained page without scripts.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn compare_html(out: &mut impl Write, compared: &[(&Comparison, [&str; 2])]) -> io::Result<()> {
    let first = compared.first().map_or("", |(_, [first, _])| first);
    let others: Vec<&str> = compared.iter().map(|(_, [_, second])| *second).collect();
    let title = format!("{} compared with {first}", others.join(", "));
    let page = Page {
        title: &title,
        summary: "The effect of a finding is the time that each process takes longer because of it.",
        controls: "",
        style: STYLE,
        script: None,
        is_served: false,
    };
    page.start(out)?;
    legend(first).write_html(out)?;
    page.contents(out)?;
    for (comparison, names) in compared {
        section(out, comparison, *names)?;
    }
    page.end(out, |_| Ok(()))
}

fn legend(first: &str) -> Legend {
    let mut legend = Legend::default();
    for (class, text) in [
        ("before", format!("time over the iterations of {first}")),
        ("after", "of the other run".to_owned()),
    ] {
        let sign = format!("<polyline class=\"{class}\" points=\"0,6 16,6\"/>");
        legend.sign(16.0, sign, &text);
    }
    legend.text("grey findings are likely consequences of others");
    legend
}

fn section(out: &mut impl Write, comparison: &Comparison, names: [&str; 2]) -> io::Result<()> {
    let [_, second] = names;
    writeln!(
        out,
        "<section>\n<h2>{}</h2>\n<p>{}</p>",
        escape(second),
        escape(summary(comparison, names))
    )?;
    for remark in remarks(comparison) {
        writeln!(out, "<p>{}</p>", escape(remark))?;
    }
    if comparison.findings.is_empty() {
        return writeln!(out, "</section>");
    }
    writeln!(
        out,
        "<table>\n<thead><tr><th class=\"number\">effect</th><th class=\"number\">share</th><th class=\"number\">ratio</th>\
         <th class=\"number\">before</th><th class=\"number\">after</th><th>what</th><th>where</th>\
         <th>over the iterations</th></tr></thead>\n<tbody>"
    )?;
    let impacts = comparison
        .findings
        .iter()
        .map(|finding| finding.impact.abs());
    let most = impacts.fold(1.0, f64::max);
    for finding in &comparison.findings {
        row(out, finding, comparison.durations[0], most)?;
    }
    writeln!(out, "</tbody>\n</table>\n</section>")
}

fn row(out: &mut impl Write, finding: &Finding, duration: f64, most: f64) -> io::Result<()> {
    let described = Described::new(finding, duration);
    let class = if finding.is_consequence {
        " class=\"consequence\""
    } else {
        ""
    };
    let less = if finding.impact < 0.0 {
        " class=\"less\""
    } else {
        ""
    };
    writeln!(
        out,
        "<tr{class}><td class=\"number effect\">{}<div{less} style=\"width:{:.1}%\"></div></td>\
         <td class=\"number\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
         <td class=\"number\">{}</td><td>{}</td><td>{}</td><td>",
        described.effect,
        100.0 * finding.impact.abs() / most,
        described.share,
        described.ratio,
        described.before,
        described.after,
        escape(&described.what),
        escape(&described.place),
    )?;
    drawing(out, &finding.series)?;
    writeln!(out, "</td></tr>")
}

/// Draws the times of both runs over their iterations, from 0 to the greatest.
fn drawing(out: &mut impl Write, series: &[Vec<f64>; 2]) -> io::Result<()> {
    let times = series.iter().flatten();
    let most = times.copied().fold(0.0, f64::max);
    if most <= 0.0 {
        return Ok(());
    }
    writeln!(
        out,
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\">"
    )?;
    for (class, times) in [("before", &series[0]), ("after", &series[1])] {
        let step = WIDTH / times.len().saturating_sub(1).max(1) as f64;
        let points = times.iter().enumerate().map(|(index, time)| {
            let height = 2.0 + (HEIGHT - 4.0) * (1.0 - time.max(0.0) / most);
            format!("{:.1},{height:.1}", index as f64 * step)
        });
        let points: Vec<String> = points.collect();
        writeln!(
            out,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            points.join(" ")
        )?;
    }
    writeln!(out, "</svg>")
}
