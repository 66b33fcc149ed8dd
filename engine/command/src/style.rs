//! Provides colours and the width of the terminal. Colours are used only in terminals that support them, and only if
//! `NO_COLOR` and `CLICOLOR` allow it.

use std::fmt::{self, Display};
use std::io;

use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use foldtrace_trace::Severity;
use terminal_size::{Width, terminal_size_of};

/// The style of the header of a table.
pub const HEADING: Style = Style::new().bold();
/// The style of the most important part of an output, such as the row with the largest share.
pub const EMPHASIS: Style = AnsiColor::Cyan.on_default().bold();
/// The style of a remark of minor importance.
pub const FAINT: Style = Style::new().dimmed();
/// The style of the word that introduces an error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of the word that introduces a hint.
pub const HINT: Style = AnsiColor::Cyan.on_default();

/// Returns the style of the name of a severity.
pub fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Note => AnsiColor::Blue.on_default(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Loss => ERROR,
    }
}

/// A text with its style, which is empty where no colours are shown.
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

/// Styles a text for standard output.
pub fn stdout<T: Display>(style: Style, text: T) -> Styled<T> {
    styled(&io::stdout(), style, text)
}

/// Styles a text for standard error.
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

/// Returns the width of the terminal in columns; `None` if standard output is not a terminal.
pub fn width() -> Option<usize> {
    terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width))
}

/// Returns the width of the terminal in columns; `None` if standard error is not a terminal.
pub fn stderr_width() -> Option<usize> {
    terminal_size_of(io::stderr()).map(|(Width(width), _)| usize::from(width))
}
