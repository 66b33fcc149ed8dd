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

impl<T> Styled<T> {
    fn new(has_colours: bool, style: Style, text: T) -> Self {
        let style = if has_colours { style } else { Style::new() };
        Self { style, text }
    }
}

impl<T: Display> Display for Styled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { style, text } = self;
        write!(f, "{style}{text}{style:#}")
    }
}

/// The properties of the terminal to which a result is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// The width in columns; `None` for a file or a pipe.
    pub width: Option<usize>,
    /// Whether colours are shown.
    pub has_colours: bool,
}

impl Terminal {
    /// No terminal: results have their full width and no colours.
    pub const NONE: Self = Self {
        width: None,
        has_colours: false,
    };

    /// Returns the properties of standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self {
            width: terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width)),
            has_colours: has_colours(&io::stdout()),
        }
    }

    /// Styles a text where colours are shown.
    pub fn styled<T: Display>(self, style: Style, text: T) -> Styled<T> {
        Styled::new(self.has_colours, style, text)
    }
}

/// Styles a text for standard error.
pub fn stderr<T: Display>(style: Style, text: T) -> Styled<T> {
    Styled::new(has_colours(&io::stderr()), style, text)
}

fn has_colours(stream: &impl RawStream) -> bool {
    !matches!(AutoStream::choice(stream), ColorChoice::Never)
}

/// Returns the width of the terminal in columns; `None` if standard error is not a terminal.
pub fn stderr_width() -> Option<usize> {
    terminal_size_of(io::stderr()).map(|(Width(width), _)| usize::from(width))
}
