//! Writes the result of a subcommand: to standard output, or to the file given with `--output`.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind as Mistake;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use foldtrace_output::OutputFile;
use foldtrace_trace::{ErrorKind, Output, TraceError};
pub use foldtrace_view::units::{counted, grouped};
use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use crate::Context;
use crate::format::{self, Format, Formats};
use crate::style::Terminal;

/// The options `--output`, `--force`, `--format` and `--json` of a subcommand that writes the formats of `F`.
///
/// A subcommand with a single format has no `--format`, and one without JSON has no `--json`.
pub struct OutputOptions<F> {
    file: Option<PathBuf>,
    force: bool,
    format: Format,
    formats: PhantomData<fn() -> F>,
}

impl<F> std::fmt::Debug for OutputOptions<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OutputOptions")
            .field("file", &self.file)
            .field("force", &self.force)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

impl<F> OutputOptions<F> {
    /// Returns the format of the result.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns whether the result is written as JSON.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Returns the file to write, or `None` for standard output.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns whether an existing file is replaced.
    #[must_use]
    pub const fn replaces(&self) -> bool {
        self.force
    }

    /// Returns the destination for writers that create it themselves.
    #[must_use]
    pub fn destination(&self) -> Output {
        match &self.file {
            Some(path) => Output::Path {
                path: path.clone(),
                replace: self.force,
            },
            None => Output::Stdout,
        }
    }

    /// Returns whether the report of a subcommand that also writes a trace is left out: both would go to standard
    /// output, or the command is quiet and the report is for people.
    #[must_use]
    pub fn is_left_out_beside(&self, trace: &Path, context: Context) -> bool {
        let is_for_people = context.quiet && self.format == Format::Text;
        self.file.is_none() && (trace == Path::new("-") || is_for_people)
    }

    /// Checks that the result is text, because a request with `option` has no other format.
    ///
    /// # Errors
    /// Returns an error if the output has another format.
    pub fn check_is_text(&self, option: &str) -> Result<(), TraceError> {
        if self.format == Format::Text {
            return Ok(());
        }
        let format = self.format.name();
        let message =
            format!("with {option}, the result is text and cannot be written as {format}");
        let hint = format!("use --format text, or leave out {option}");
        Err(TraceError::new(ErrorKind::Usage, message).hint(hint))
    }

    /// Checks that the file for the report of a subcommand that also writes a trace does not have the name of a trace.
    ///
    /// # Errors
    /// Returns an error if the extension of the file belongs to a format of traces.
    pub fn check_is_no_trace(&self, context: Context) -> Result<(), TraceError> {
        let Some(file) = self.file.as_deref().filter(|_| self.format == Format::Text) else {
            return Ok(());
        };
        let Some(format) = context.formats.by_extension(file) else {
            return Ok(());
        };
        let name = format.descriptor().name;
        let message = format!(
            "--output names the report, but {} has the extension of {name}",
            file.display()
        );
        let hint = format!("name the trace without --output: {}", file.display());
        Err(TraceError::new(ErrorKind::Usage, message).hint(hint))
    }

    /// Creates the writer of the result.
    ///
    /// # Errors
    /// Returns an error if the file exists and must not be replaced, or cannot be created.
    pub fn create(&self) -> Result<OutputWriter, TraceError> {
        let terminal = match self.file {
            Some(_) => Terminal::NONE,
            None => Terminal::stdout(),
        };
        Ok(OutputWriter {
            out: BufWriter::with_capacity(1 << 16, OutputFile::create(self.destination())?),
            terminal,
        })
    }
}

impl<F: Formats> Args for OutputOptions<F> {
    fn augment_args(command: Command) -> Command {
        let output = Arg::new("output")
            .short('o')
            .long("output")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf));
        let force = Arg::new("force")
            .long("force")
            .action(ArgAction::SetTrue)
            .help("Replace an existing output");
        if F::FORMATS.len() == 1 {
            let help = "File to write [default: standard output]";
            return command.arg(output.help(help)).arg(force);
        }
        let help = "File to write; its extension sets the format [default: standard output]";
        let format = Arg::new("format")
            .long("format")
            .value_name("FORMAT")
            .value_parser(format::parser(F::FORMATS))
            .help(format!(
                "Format of the output [default: {}]",
                F::FORMATS[0].name()
            ));
        let command = command.arg(output.help(help)).arg(force).arg(format);
        if !F::FORMATS.contains(&Format::Json) {
            return command;
        }
        let json = Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .conflicts_with("format")
            .help("Same as --format json");
        command.arg(json)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<F: Formats> FromArgMatches for OutputOptions<F> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let file = matches.get_one::<PathBuf>("output").cloned();
        let file = file.filter(|path| path != Path::new("-"));
        // Subcommands without a choice do not have these options.
        let named = matches.try_get_one::<Format>("format").ok().flatten();
        let is_json = matches.try_get_one::<bool>("json").ok().flatten() == Some(&true);
        let format = match named {
            Some(&format) => format,
            None if is_json => Format::Json,
            None => implied(F::FORMATS, file.as_deref())?,
        };
        Ok(Self {
            file,
            force: matches.get_flag("force"),
            format,
            formats: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns the format that the extension of the output implies, or the default. Text may have any extension that is
/// not the extension of another format.
fn implied(formats: &[Format], file: Option<&Path>) -> Result<Format, clap::Error> {
    let default = formats[0];
    let Some(path) = file.filter(|_| formats.len() > 1) else {
        return Ok(default);
    };
    match Format::of_file(path) {
        Some(format) if formats.contains(&format) => Ok(format),
        None if default == Format::Text => Ok(default),
        _ => {
            let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
            let shown = path.display();
            let problem = match path.extension() {
                Some(_) => format!("the extension of {shown} is not a format of this subcommand"),
                None => format!("{shown} has no extension that names a format of this subcommand"),
            };
            let names = names.join(", ");
            let message = format!("{problem}, which writes {names}; --format names one");
            Err(clap::Error::raw(Mistake::InvalidValue, message))
        }
    }
}

/// The writer of a result. A file appears when it is finished; until then, and after an error, it does not exist.
pub struct OutputWriter {
    out: BufWriter<OutputFile>,
    terminal: Terminal,
}

impl OutputWriter {
    /// Returns the properties of the terminal to which the result is written.
    #[must_use]
    pub const fn terminal(&self) -> Terminal {
        self.terminal
    }

    /// Writes a value as JSON, and completes the output.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn json(mut self, value: &impl Serialize) -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut self, value).map_err(io::Error::from)?;
        writeln!(self)?;
        Ok(self.finish()?)
    }

    /// Writes values as a JSON array, one after the other, and completes the output.
    ///
    /// # Errors
    /// Returns an error if a value is one, or if the output cannot be written.
    pub fn json_list<T: Serialize>(
        mut self,
        values: impl Iterator<Item = Result<T, TraceError>>,
    ) -> anyhow::Result<()> {
        let mut serializer = serde_json::Serializer::pretty(&mut self);
        let mut list = serializer.serialize_seq(None).map_err(io::Error::from)?;
        for value in values {
            list.serialize_element(&value?).map_err(io::Error::from)?;
        }
        list.end().map_err(io::Error::from)?;
        writeln!(self)?;
        Ok(self.finish()?)
    }

    /// Writes a value as a line of JSON, for results with many values.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut *self, value).map_err(io::Error::from)?;
        writeln!(self)
    }

    /// Completes the output.
    ///
    /// # Errors
    /// Returns an error if the last bytes cannot be written, or if a file cannot get its name.
    pub fn finish(self) -> Result<(), TraceError> {
        let path = self.out.get_ref().path().to_owned();
        let file = self.out.into_inner();
        let file = file.map_err(|error| TraceError::unwritable(&path, error.into_error()))?;
        file.complete()
    }

    /// Adds the path of the output to an error. Errors of standard output get theirs where they are reported.
    fn placed(&self, error: io::Error) -> io::Error {
        let path = self.out.get_ref().path();
        if path == Path::new("-") || error.kind() == io::ErrorKind::Interrupted {
            return error;
        }
        io::Error::new(error.kind(), TraceError::unwritable(path, error))
    }
}

impl Write for OutputWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        written.map_err(|error| self.placed(error))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.out.write_all(bytes);
        written.map_err(|error| self.placed(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        flushed.map_err(|error| self.placed(error))
    }
}

/// Prints how many locations are left out of a table because they have only metric events.
pub fn left_out_for_metrics(out: &mut impl Write, locations: usize) -> io::Result<()> {
    if locations == 0 {
        return Ok(());
    }
    let count = counted(locations as u64, "location");
    writeln!(out, " {count} with metric events only left out")
}

/// Formats a number of bytes with a decimal unit.
pub fn bytes(number: u64) -> String {
    indicatif::DecimalBytes(number).to_string()
}

/// Returns whether standard error is a terminal.
pub fn stderr_is_terminal() -> bool {
    io::stderr().is_terminal()
}
