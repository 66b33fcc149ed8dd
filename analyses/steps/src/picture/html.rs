//! Writes steps as a page: both pictures, and next to them where lateness begins.

use std::io::{self, Write};

use foldtrace_view::page::{Page, script_safe};
use foldtrace_view::svg::Length;
use foldtrace_view::xml::escape;
use indexmap::IndexSet;
use serde_json::json;

use super::legend::{colours, signs};
use super::levels::{Levels, Measure};
use super::place::{Columns, Placed, brackets, logical, physical};
use super::whole::Whole;
use super::{Beginning, Grid, draw, since};
use crate::{Class, Kind};

const STYLE: &str = concat!(include_str!("picture.css"), include_str!("page/page.css"));
const SCRIPT: &str = include_str!("page/page.js");
const BUTTONS: &str = "\
<button data-key=\"+\" title=\"wider (+)\">+</button>\
<button data-key=\"-\" title=\"narrower (-)\">−</button>\
<button data-key=\"t\" title=\"taller rows (t)\">taller</button>\
<button data-key=\"l\" title=\"shorter rows (l)\">shorter</button>\
<button data-key=\"0\" title=\"initial view (0)\">fit</button>
<span class=\"hint\">wheel: zoom · drag or arrow keys: move · point: show details · click: select in both pictures</span>
";
/// The width of the picture of physical time, before it is stretched.
const WIDTH: f64 = 10_000.0;
/// The width of a letter in the names of rows.
const LETTER: f64 = 6.6;
const KINDS: [Kind; 4] = [Kind::Aggregate, Kind::Send, Kind::Receive, Kind::Collective];
const CLASSES: [Option<Class>; 5] = [
    None,
    Some(Class::Created),
    Some(Class::LateToStart),
    Some(Class::LateSender),
    Some(Class::Message),
];

/// Writes steps as a self-contained page.
///
/// # Errors
/// Returns an error if `out` does.
pub fn steps_html(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    let levels = Measure::ALL.map(|measure| Levels::new(grid, measure));
    let page = Page {
        title: &grid.title,
        summary: &grid.summary,
        controls: &controls(),
        style: STYLE,
        script: Some(SCRIPT),
        is_served: false,
    };
    page.start(out)?;
    if !grid.left_out.is_empty() {
        writeln!(out, "<p id=\"left-out\">{}</p>", escape(&grid.left_out))?;
    }
    for (number, levels) in levels.iter().enumerate() {
        let hidden = if number > 0 { " hidden" } else { "" };
        writeln!(out, "<div class=\"ramp\"{hidden}>")?;
        colours(levels.measure.name().to_owned(), levels).write_html(out)?;
        writeln!(out, "</div>")?;
    }
    signs(grid).write_html(out)?;
    page.contents(out)?;
    origins(out, &grid.origins)?;
    writeln!(out, "<div id=\"pictures\">")?;
    if let Some(whole) = &grid.whole {
        map(out, grid, whole, &levels[0])?;
    }
    let (steps, time) = (logical(grid), physical(grid, WIDTH));
    pane(out, grid, &steps, &levels[0], "steps")?;
    pane(out, grid, &time, &levels[0], "time")?;
    writeln!(out, "</div>")?;
    page.end(out, |out| data(out, grid, &levels))
}

/// Returns the choice of a measure and the buttons.
fn controls() -> String {
    let mut controls = "<span>colour:</span>\n".to_owned();
    for (number, measure) in Measure::ALL.iter().enumerate() {
        let checked = if number == 0 { " checked" } else { "" };
        let input = format!("<input type=\"radio\" name=\"measure\" value=\"{number}\"{checked}>");
        controls += &format!("<label>{input}{}</label>\n", measure.name());
    }
    controls + BUTTONS
}

/// Writes the rankings of lateness origins; origins that are drawn can be clicked.
fn origins(out: &mut impl Write, rankings: &[(String, Vec<Beginning>)]) -> io::Result<()> {
    writeln!(
        out,
        "<aside id=\"origins\">\n<h2>Where lateness begins</h2>"
    )?;
    // The numbers of the marks in the map of all steps.
    let mut marks = 0..;
    for (title, origins) in rankings.iter().filter(|(_, origins)| !origins.is_empty()) {
        writeln!(out, "<h3>{}</h3>\n<ol>", escape(title))?;
        for ((number, origin), mark) in (1..).zip(origins).zip(&mut marks) {
            let (place, text) = (escape(&origin.place), escape(&origin.text));
            let text = format!("<b>{number}. {place}</b>{text}");
            if let Some(cell) = origin.cell {
                let path = origin.path.iter();
                let path: Vec<String> = path.map(|(from, to)| format!("{from}-{to}")).collect();
                let path = path.join(" ");
                writeln!(
                    out,
                    "<li><button data-mark=\"{mark}\" data-cell=\"{cell}\" data-path=\"{path}\">{text}</button></li>"
                )?;
            } else if origin.at.is_some() {
                writeln!(out, "<li><button data-mark=\"{mark}\">{text}</button></li>")?;
            } else {
                writeln!(out, "<li>{text} (not drawn)</li>")?;
            }
        }
        writeln!(out, "</ol>")?;
    }
    if rankings.iter().all(|(_, origins)| origins.is_empty()) {
        writeln!(out, "<p>No event is late.</p>")?;
    }
    writeln!(out, "</aside>")
}

/// Returns the width of the names of rows, in pixels.
fn width_of_names(grid: &Grid) -> f64 {
    let letters = grid.rows.iter().map(|label| label.chars().count()).max();
    letters.unwrap_or(0) as f64 * LETTER + 14.0
}

/// Writes the map of all steps.
fn map(out: &mut impl Write, grid: &Grid, whole: &Whole, levels: &Levels) -> io::Result<()> {
    writeln!(
        out,
        "<figure id=\"all\">\n<figcaption>all steps <span>{}</span></figcaption>\n\
         <svg class=\"map\" style=\"--names:{}px;height:{}px\" viewBox=\"0 0 {} {}\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"lateness of all steps\">",
        whole.caption(),
        Length(width_of_names(grid)),
        Length(whole.height()),
        Length(WIDTH),
        Length(whole.height()),
    )?;
    whole.write(out, grid, levels, WIDTH)?;
    writeln!(out, "</svg>\n</figure>")
}

fn pane(
    out: &mut impl Write,
    grid: &Grid,
    placed: &Placed,
    levels: &Levels,
    id: &str,
) -> io::Result<()> {
    let names = width_of_names(grid);
    let caption = if id == "steps" {
        "logical steps <span>one column per step, one row per process</span>".to_owned()
    } else {
        let from = since(grid.clock, grid.span().0);
        format!("physical time <span>starting at {from:.9} s</span>")
    };
    let axis = "<svg class=\"axis\" aria-hidden=\"true\"></svg>";
    write!(
        out,
        "<figure id=\"{id}\">\n<figcaption>{caption}</figcaption>\n"
    )?;
    if id == "steps" {
        writeln!(out, "{axis}")?;
    }
    writeln!(
        out,
        "<svg class=\"names\" style=\"width:{}px\"></svg>\n\
         <svg class=\"plot\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{} processes, {} operations and aggregates, {} messages\">",
        Length(names),
        Length(placed.width),
        Length(placed.height()),
        grid.rows.len(),
        grid.cells.len(),
        grid.messages.len()
    )?;
    draw::shapes(out, grid, placed, levels, false)?;
    writeln!(out, "<g class=\"over\"></g>\n</svg>")?;
    if id != "steps" {
        writeln!(out, "{axis}")?;
    }
    writeln!(out, "</figure>")
}

/// Writes the data for the script, one line per cell.
fn data(out: &mut impl Write, grid: &Grid, levels: &[Levels; 3]) -> io::Result<()> {
    let (from, to) = grid.span();
    let (first, last) = grid.steps();
    let columns = Columns::new(grid);
    let mut names = IndexSet::new();
    let brackets = brackets(grid);
    let brackets = brackets
        .iter()
        .map(|one| json!([one.partition, one.first, one.last, one.line]));
    let head = json!({
        "rows": grid.rows,
        "kinds": KINDS.map(draw::kind),
        "classes": CLASSES.map(draw::class),
        "ticks": {
            "second": grid.clock.ticks_per_second,
            "begin": from.0 as i128 as f64 - grid.clock.global_offset as f64,
            "span": to.0.saturating_sub(from.0).max(1),
        },
        "steps": {
            "first": first,
            "last": last,
            "pitch": columns.pitch,
            "middle": columns.middle(first),
        },
        "brackets": brackets.collect::<Vec<_>>(),
        "measures": Measure::ALL.map(Measure::name),
        "messages": grid.messages,
    });
    let head = head.to_string();
    // The object stays open for the cells, each in its own line.
    let open = head.strip_suffix('}').unwrap_or(&head);
    write!(out, "{},\"cells\":[", script_safe(open))?;
    for (number, cell) in grid.cells.iter().enumerate() {
        let event = &cell.event;
        let colours = levels
            .iter()
            .fold(0, |sum, level| 10 * sum + level.colour_of(cell));
        let line = json!([
            cell.row,
            names.insert_full(cell.name.as_str()).0,
            KINDS.iter().position(|&kind| kind == event.kind),
            event.partition,
            event.step,
            event.position.0,
            event.start.0.saturating_sub(from.0),
            cell.ticks(),
            event.lateness,
            event.differential_lateness,
            CLASSES.iter().position(|&class| class == event.class),
            colours,
        ]);
        let comma = if number > 0 { ",\n" } else { "\n" };
        write!(out, "{comma}{line}")?;
    }
    let names = json!(names.iter().collect::<Vec<_>>()).to_string();
    writeln!(out, "],\"names\":{}}}", script_safe(&names))
}
