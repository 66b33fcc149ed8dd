//! Writes a trace in the format that the user asks for.

use std::path::{Path, PathBuf};

use foldtrace_convert::{self as convert, ConvertOptions};
use foldtrace_store::{Manifest, Origin};
use foldtrace_stream::read::Progress;
use foldtrace_trace::{
    Diagnostics, ErrorKind, Format, Names, Output, Registry, TraceError, TraceReader, is_object_url,
};

use crate::output::{bytes, counted};
use crate::report::{self, Done};
use crate::{Context, progress};

/// The conversion of an open trace.
pub struct Conversion<'a> {
    /// The path of the input, for the progress bar.
    pub input: &'a Path,
    /// The path of the output; `-` is standard output.
    pub output: &'a Path,
    /// The format of the output.
    pub to: &'a dyn Format,
    /// The options of the conversion.
    pub options: ConvertOptions,
}

impl<'a> Conversion<'a> {
    /// Creates the conversion of a trace made from a store. `replace` is whether to replace an existing output.
    pub fn of_store(store: &'a Path, output: &'a Path, to: &'a dyn Format, replace: bool) -> Self {
        Self {
            input: store,
            output,
            to,
            options: ConvertOptions {
                replace,
                scratch: scratch(output),
                ..ConvertOptions::default()
            },
        }
    }

    /// Writes everything that `reader` provides.
    pub fn run(
        &self,
        reader: &dyn TraceReader,
        origin: &Origin,
        context: Context,
        progress: &Progress,
    ) -> Result<Done, TraceError> {
        let total = convert::total_bytes(reader);
        let to_stdout = self.output == Path::new("-");
        if self.to.descriptor().name == "fold" && !to_stdout {
            let (manifest, diagnostics) =
                progress::watch(progress, self.input, total, context.quiet, || {
                    convert::to_store(reader, origin, self.output, &self.options, progress)
                })?;
            if !context.quiet {
                print_summary(self.output, &manifest);
            }
            return Ok(report(&diagnostics, reader, context));
        }
        let output = if to_stdout {
            Output::Stdout
        } else {
            Output::Path {
                path: self.output.to_owned(),
                replace: self.options.replace,
            }
        };
        let writer = self.to.create(output)?;
        let quiet = context.quiet || to_stdout;
        let diagnostics = progress::watch(progress, self.input, total, quiet, || {
            convert::to_writer(reader, writer, &self.options, progress)
        })?;
        Ok(report(&diagnostics, reader, context))
    }
}

/// Prints the diagnostics of a trace, with the names of its locations.
fn report(diagnostics: &Diagnostics, reader: &dyn TraceReader, context: Context) -> Done {
    let names = if diagnostics.is_empty() {
        Names::default()
    } else {
        Names::new(reader.definitions())
    };
    report::diagnostics(diagnostics, &names, context)
}

/// Returns the format named `name`, or the format that the extension of `output` implies.
pub fn output_format(
    formats: &Registry,
    output: &Path,
    name: Option<&str>,
) -> Result<&'static dyn Format, TraceError> {
    match name {
        Some(name) => formats.by_name(name),
        None => formats
            .by_extension(output)
            .ok_or_else(|| unknown_extension(formats, output)),
    }
}

/// Returns the folder for temporary files: the folder of the output, or the system's if the output is no file.
pub fn scratch(output: &Path) -> PathBuf {
    let is_device = |path: &Path| path.metadata().is_ok_and(|m| !m.is_file() && !m.is_dir());
    match output.parent() {
        _ if output == Path::new("-") || is_device(output) || is_object_url(output) => {
            std::env::temp_dir()
        }
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn unknown_extension(formats: &Registry, output: &Path) -> TraceError {
    let message = if output == Path::new("-") {
        "the format of standard output is not named".to_owned()
    } else {
        format!("the name {} has no extension of a format", output.display())
    };
    let formats: Vec<_> = formats
        .descriptors()
        .filter(|d| d.writes)
        .map(|d| match d.extensions {
            [] => d.name.to_owned(),
            extensions => format!("{} (.{})", d.name, extensions.join(", .")),
        })
        .collect();
    TraceError::new(ErrorKind::Usage, message).hint(format!(
        "--to names the format, one of {}",
        formats.join(", ")
    ))
}

/// Prints a line that summarises the store that was written, and one for its derived tables if it has any.
#[expect(clippy::print_stderr, reason = "this is the command's voice")]
pub fn print_summary(output: &Path, manifest: &Manifest) {
    let counts = &manifest.counts;
    let derived = derived_bytes(manifest);
    let size: u64 = manifest.files.iter().map(|file| file.bytes).sum::<u64>() - derived;
    eprintln!(
        "{}: {} of {} in {}, {:.2} bytes per event",
        output.display(),
        counted(counts.events, "event"),
        counted(counts.locations, "location"),
        bytes(size),
        size as f64 / counts.events.max(1) as f64
    );
    if derived > 0 {
        eprintln!(
            "{}: derived tables take {}",
            output.display(),
            bytes(derived)
        );
    }
}

/// Returns the size of the derived tables of a store, in bytes.
pub fn derived_bytes(manifest: &Manifest) -> u64 {
    let files = manifest.files.iter().filter(|file| file.is_derived());
    files.map(|file| file.bytes).sum()
}
