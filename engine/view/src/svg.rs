//! Writes the frame of an SVG picture, its heading, and lengths in it.

use std::fmt::{self, Display};
use std::io::{self, Write};

use crate::palette::{Fill, STYLE, with_literals};
use crate::xml::escape;

/// The frame of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Canvas<'a> {
    /// The title, which browsers show as the name of the document.
    pub title: &'a str,
    /// The width in pixels.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
    /// The CSS rules of this picture, which follow those of all pictures.
    pub style: &'a str,
}

impl Canvas<'_> {
    /// Writes the start of the picture, including its background.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn start(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title\">\n\
             <title id=\"title\">{}</title>\n<style>\n{}{}</style>\n\
             <rect width=\"100%\" height=\"100%\" {}/>",
            escape(self.title),
            with_literals(STYLE),
            with_literals(self.style),
            Fill("ground"),
            width = Length(self.width),
            height = Length(self.height),
        )
    }

    /// Writes the title, and `lines` below it, from the left end of the baseline of the title.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn heading(
        &self,
        out: &mut impl Write,
        (x, y): (f64, f64),
        lines: &[&str],
    ) -> io::Result<()> {
        let title = escape(self.title);
        writeln!(
            out,
            "<text class=\"title\" x=\"{x}\" y=\"{y}\">{title}</text>"
        )?;
        for (number, line) in lines.iter().enumerate() {
            let (y, line) = (y + 18.0 + 16.0 * number as f64, escape(*line));
            writeln!(out, "<text class=\"k\" x=\"{x}\" y=\"{y}\">{line}</text>")?;
        }
        Ok(())
    }

    /// Writes the end of the picture.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn end(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "</svg>")
    }
}

/// Shortens a text to at most `letters` letters. A text that is cut ends with an ellipsis.
#[must_use]
pub fn shortened(text: &str, letters: usize) -> String {
    if text.chars().count() <= letters {
        return text.to_owned();
    }
    let kept = text.chars().take(letters.saturating_sub(1));
    kept.chain(['…']).collect()
}

/// A length with one decimal place, if it needs one.
#[derive(Clone, Copy, Debug)]
pub struct Length(
    /// The length in pixels.
    pub f64,
);

impl Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        match tenths % 10 {
            0 => write!(f, "{}", tenths / 10),
            _ => write!(f, "{}", tenths as f64 / 10.0),
        }
    }
}

/// A length with two decimal places, if it needs them, for thin shapes.
#[derive(Clone, Copy, Debug)]
pub struct FineLength(
    /// The length in pixels.
    pub f64,
);

impl Display for FineLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_escapes_its_texts() {
        let canvas = Canvas {
            title: "a<b",
            width: 10.0,
            height: 20.05,
            style: ".x { fill: none; }\n",
        };
        let mut out = Vec::new();
        canvas.start(&mut out).unwrap();
        canvas.heading(&mut out, (1.0, 2.0), &["c&d"]).unwrap();
        canvas.end(&mut out).unwrap();
        let svg = String::from_utf8(out)
            .unwrap()
            .replace(&with_literals(STYLE), "");
        let expected = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"20.1\" \
            viewBox=\"0 0 10 20.1\" role=\"img\" aria-labelledby=\"title\">\n\
            <title id=\"title\">a&lt;b</title>\n<style>\n.x { fill: none; }\n</style>\n\
            <rect width=\"100%\" height=\"100%\" fill=\"#fff\" style=\"fill:var(--ground)\"/>\n\
            <text class=\"title\" x=\"1\" y=\"2\">a&lt;b</text>\n\
            <text class=\"k\" x=\"1\" y=\"20\">c&amp;d</text>\n</svg>\n";
        assert_eq!(svg, expected);
    }
}
