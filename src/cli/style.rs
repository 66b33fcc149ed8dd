//! Colours, and the width of the terminal: only where a person reads, and never against `NO_COLOR`,
//! `CLICOLOR` or a terminal that has none.

use std::fmt::{self, Display};
use std::io;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use foldtrace_trace::Severity;
use terminal_size::{Width, terminal_size_of};

/// The header of a table.
pub const HEADING: Style = Style::new().bold();
/// What a reader should see first, such as the largest share.
pub const EMPHASIS: Style = AnsiColor::Cyan.on_default().bold();
/// What is said beside the point.
pub const FAINT: Style = Style::new().dimmed();
/// An error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// A hint.
pub const HINT: Style = AnsiColor::Cyan.on_default();

/// The style in which a severity is named.
pub fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Note => AnsiColor::Blue.on_default(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Loss => ERROR,
    }
}

/// A text in a style, or without one where no colours are shown.
pub struct Styled<T> {
    style: Style,
    text: T,
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { style, text } = self;
        write!(f, "{style}{text}{style:#}")
    }
}

/// A text on standard output.
pub fn stdout<T: Display>(style: Style, text: T) -> Styled<T> {
    styled(&io::stdout(), style, text)
}

/// A text on standard error.
pub fn stderr<T: Display>(style: Style, text: T) -> Styled<T> {
    styled(&io::stderr(), style, text)
}

fn styled<T: Display>(stream: &impl RawStream, style: Style, text: T) -> Styled<T> {
    let style = match AutoStream::choice(stream) {
        ColorChoice::Never => Style::new(),
        _ => style,
    };
    Styled { style, text }
}

/// Columns of the terminal that standard output is; `None` if it is none.
pub fn width() -> Option<usize> {
    terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width))
}

/// Columns of the terminal that standard error is; `None` if it is none.
pub fn stderr_width() -> Option<usize> {
    terminal_size_of(io::stderr()).map(|(Width(width), _)| usize::from(width))
}
