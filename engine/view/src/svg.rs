//! Writes the start of an SVG picture, and lengths in it.

use std::fmt::{self, Display};
use std::io::{self, Write};

/// Writes the start of a picture of this size in pixels, including its white background.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn start(out: &mut impl Write, width: f64, height: f64) -> io::Result<()> {
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">"
    )?;
    writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>")
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
