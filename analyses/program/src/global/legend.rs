//! Explains the symbols of the picture for first-time readers.

use std::collections::BTreeMap;
use std::io::{self, Write};

use foldtrace_view::svg::Length;

use super::layout::{Fate, Layout};
use super::style;

const LINE: f64 = 20.0;
/// Width of a symbol and the space after it.
const SIGN: f64 = 34.0;
const LETTER: f64 = 5.6;
const GAP: f64 = 18.0;
/// Maximum number of tags that are listed.
const TAGS: usize = 14;

/// The tag of a message; `None` for a message without a tag.
pub(super) type Tag = Option<u64>;

struct Item {
    /// SVG in a field of 28 × 12, with the origin in its upper left corner.
    sign: String,
    text: String,
    x: f64,
    line: usize,
}

/// The symbols that occur in a picture, with their meanings, arranged in lines.
pub(super) struct Legend {
    items: Vec<Item>,
    lines: usize,
}

impl Legend {
    pub fn new(layout: &Layout, tags: &BTreeMap<Tag, usize>, width: f64) -> Self {
        let mut items: Vec<(String, String)> = vec![(
            "<path class=\"l\" d=\"M0 6H28\"/>".to_owned(),
            "one process; time increases to the right, not to scale".to_owned(),
        )];
        if !layout.boxes.is_empty() {
            items.push((
                "<rect class=\"b d0\" width=\"28\" height=\"13\" y=\"-1\"/><text class=\"n\" x=\"3\" y=\"8\">5x</text>"
                    .to_owned(),
                "loop: the box is repeated 5 times".to_owned(),
            ));
        }
        for (&tag, &number) in tags.iter().take(TAGS) {
            let colour = style::colour(number);
            let text = tag.map_or("message without a tag".to_owned(), |tag| {
                format!("message, tag {tag}")
            });
            items.push((
                format!("<path class=\"a t{colour}\" d=\"M2 1L26 11\"/>"),
                text,
            ));
        }
        if tags.len() > TAGS {
            items.push((
                String::new(),
                format!("and {} more tags", tags.len() - TAGS),
            ));
        }
        if style::repeats(tags.len()) {
            items.push((String::new(), "colours repeat".to_owned()));
        }
        if layout.arrows.iter().any(|arrow| arrow.messages > 1) {
            items.push((
                "<text class=\"q\" x=\"8\" y=\"9\">12</text>".to_owned(),
                "number of messages, if more than one".to_owned(),
            ));
        }
        if !layout.poles.is_empty() {
            items.push((
                "<g class=\"c\"><path d=\"M14 -2V14\"/><circle cx=\"14\" cy=\"6\" r=\"2.5\"/></g>"
                    .to_owned(),
                "collective operation; one dot per process in it".to_owned(),
            ));
        }
        let has = |fate| {
            let tips = layout.marks.iter().flat_map(|mark| &mark.tips);
            tips.into_iter().any(|tip| tip.fate == fate)
        };
        for (fate, sign, text) in [
            (
                Fate::Later,
                "<path class=\"a w t0\" d=\"M2 2L14 10\"/>",
                "message to or from another iteration",
            ),
            (
                Fate::Outside,
                "<path class=\"a t0\" d=\"M2 2L11 10\"/>",
                "message to or from outside of the loop",
            ),
            (
                Fate::Dangling,
                "<path class=\"u t0\" d=\"M2 2L11 10\"/><circle class=\"o t0\" cx=\"11\" cy=\"10\" r=\"2\"/>",
                "message whose other end is not in the trace",
            ),
        ] {
            if has(fate) {
                items.push((sign.to_owned(), text.to_owned()));
            }
        }
        if layout.marks.iter().any(|mark| mark.tips.is_empty()) {
            items.push((
                "<path class=\"e\" d=\"M14 4v4\"/>".to_owned(),
                "event without communication".to_owned(),
            ));
        }
        let (mut x, mut line) = (0.0, 0);
        let items = items.into_iter().map(|(sign, text)| {
            let sign_width = if sign.is_empty() { 0.0 } else { SIGN };
            let wide = sign_width + text.chars().count() as f64 * LETTER;
            if x > 0.0 && x + wide > width {
                (x, line) = (0.0, line + 1);
            }
            let item = Item {
                sign,
                text,
                x,
                line,
            };
            x += wide + GAP;
            item
        });
        let items: Vec<Item> = items.collect();
        Self {
            lines: items.last().map_or(0, |item| item.line + 1),
            items,
        }
    }

    /// Writes the legend for a page, which breaks the lines itself.
    pub fn write_html(&self, out: &mut impl Write) -> io::Result<()> {
        for item in &self.items {
            write!(out, "<span>")?;
            if !item.sign.is_empty() {
                let sign = &item.sign;
                write!(
                    out,
                    "<svg width=\"28\" height=\"16\" viewBox=\"0 -2 28 16\">{sign}</svg>"
                )?;
            }
            writeln!(out, "{}</span>", item.text)?;
        }
        Ok(())
    }

    pub fn height(&self) -> f64 {
        self.lines as f64 * LINE
    }

    pub fn write(&self, out: &mut impl Write, left: f64, top: f64) -> io::Result<()> {
        for item in &self.items {
            let (x, y) = (left + item.x, top + item.line as f64 * LINE);
            let text = if item.sign.is_empty() { 0.0 } else { SIGN };
            writeln!(
                out,
                "<g transform=\"translate({} {})\">{}<text class=\"k\" x=\"{text}\" y=\"10\">{}</text></g>",
                Length(x),
                Length(y),
                item.sign,
                item.text
            )?;
        }
        Ok(())
    }
}
