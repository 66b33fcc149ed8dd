//! Writes the legend of a picture or a page.

use std::io::{self, Write};

use crate::svg::Length;
use crate::xml::escape;

/// The height of a line.
const LINE: f64 = 20.0;
/// The average width of a letter.
const LETTER: f64 = 5.7;
/// The distance from a sign to its meaning.
const SPACE: f64 = 6.0;
/// The distance between two items.
const GAP: f64 = 18.0;

/// The signs of a picture with their meanings, in the order of reading.
#[derive(Clone, Debug, Default)]
pub struct Legend {
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
struct Item {
    sign: String,
    /// The width of the sign; 0 if there is none.
    width: f64,
    text: String,
}

impl Item {
    /// Returns the distance from the left end of the item to its text.
    fn indent(&self) -> f64 {
        if self.width > 0.0 {
            self.width + SPACE
        } else {
            0.0
        }
    }

    fn total_width(&self) -> f64 {
        self.indent() + self.text.chars().count() as f64 * LETTER
    }
}

impl Legend {
    /// Adds a sign with its meaning. The sign is SVG, `width` × 12 pixels in size, from its upper left corner.
    pub fn sign(&mut self, width: f64, sign: impl Into<String>, text: impl Into<String>) {
        self.items.push(Item {
            sign: sign.into(),
            width,
            text: text.into(),
        });
    }

    /// Adds a text without a sign.
    pub fn text(&mut self, text: impl Into<String>) {
        self.sign(0.0, "", text);
    }

    /// Returns the width of the legend in a single line.
    #[must_use]
    pub fn width(&self) -> f64 {
        let items = self.items.iter();
        items.map(|item| item.total_width() + GAP).sum()
    }

    /// Returns the height of the legend in lines of `width` pixels.
    #[must_use]
    pub fn height(&self, width: f64) -> f64 {
        let last = self.placed(width).last();
        last.map_or(0.0, |(_, y, _)| y + LINE)
    }

    /// Returns each item with the position of its upper left corner, in lines of `width` pixels.
    fn placed(&self, width: f64) -> impl Iterator<Item = (f64, f64, &Item)> {
        let (mut x, mut y) = (0.0, 0.0);
        self.items.iter().map(move |item| {
            if x > 0.0 && x + item.total_width() > width {
                (x, y) = (0.0, y + LINE);
            }
            let left = x;
            x += item.total_width() + GAP;
            (left, y, item)
        })
    }

    /// Writes the legend into a picture, from its upper left corner and in lines of `width` pixels.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write_svg(
        &self,
        out: &mut impl Write,
        (left, top): (f64, f64),
        width: f64,
    ) -> io::Result<()> {
        for (x, y, item) in self.placed(width) {
            writeln!(
                out,
                "<g transform=\"translate({} {})\">{}<text class=\"k\" x=\"{}\" y=\"10\">{}</text></g>",
                Length(left + x),
                Length(top + y),
                item.sign,
                Length(item.indent()),
                escape(&item.text)
            )?;
        }
        Ok(())
    }

    /// Writes the legend into a page, which breaks the lines itself.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn write_html(&self, out: &mut impl Write) -> io::Result<()> {
        for Item { sign, width, text } in &self.items {
            write!(out, "<span>")?;
            if *width > 0.0 {
                write!(
                    out,
                    "<svg width=\"{width}\" height=\"18\" viewBox=\"0 -3 {width} 18\" aria-hidden=\"true\">{sign}</svg>"
                )?;
            }
            writeln!(out, "{}</span>", escape(text))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_line_continues_in_the_next_one() {
        let mut legend = Legend::default();
        assert_eq!(legend.height(100.0), 0.0);
        legend.sign(14.0, "<path/>", "a sign");
        legend.text("a<b");
        let places = |width| -> Vec<(f64, f64)> {
            let placed = legend.placed(width);
            placed.map(|(x, y, _)| (x.round(), y)).collect()
        };
        assert_eq!(places(100.0), [(0.0, 0.0), (72.0, 0.0)]);
        assert_eq!(places(80.0), [(0.0, 0.0), (0.0, 20.0)]);
        assert_eq!(legend.height(80.0), 40.0);
        let mut out = Vec::new();
        legend.write_svg(&mut out, (1.0, 2.5), 100.0).unwrap();
        legend.write_html(&mut out).unwrap();
        let expected = "\
            <g transform=\"translate(1 2.5)\"><path/><text class=\"k\" x=\"20\" y=\"10\">a sign</text></g>\n\
            <g transform=\"translate(73.2 2.5)\"><text class=\"k\" x=\"0\" y=\"10\">a&lt;b</text></g>\n\
            <span><svg width=\"14\" height=\"18\" viewBox=\"0 -3 14 18\" aria-hidden=\"true\"><path/></svg>a sign</span>\n\
            <span>a&lt;b</span>\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
