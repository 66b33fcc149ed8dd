//! Opens the inputs of subcommands: traces in any format, and the stores that analyses read.

use std::borrow::Cow;
use std::env;
use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::Args;
use foldtrace_convert::{self as convert, ConvertOptions};
use foldtrace_open::{Opened, Recognised};
use foldtrace_output::Scratch;
use foldtrace_store::{FoldFormat, Origin, Source, StoreReader};
use foldtrace_trace::{Descriptor, ErrorKind, Format, ReadOptions, Remedy, TraceError};

use crate::report::{self, Done, Outcome};
use crate::{Context, progress, signals};

/// A trace to open.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// The path of the trace; `-` is standard input.
    pub path: &'a Path,
    /// The name of the format, if the user gave one.
    pub format: Option<&'a str>,
    /// How to read the trace.
    pub options: ReadOptions,
}

impl Opening<'_> {
    /// Opens the trace, and prints a note if its format is a guess.
    ///
    /// # Errors
    /// If the trace cannot be read, no format recognises it, or its reader rejects it.
    pub fn open(&self, stop: &Arc<AtomicBool>, context: Context) -> Result<Opened, TraceError> {
        self.recognise(stop, context)?.open(&self.options)
    }

    /// Recognises the format of the trace, and prints a note if it is a guess.
    ///
    /// # Errors
    /// If the trace cannot be read, or no format recognises it.
    pub fn recognise(
        &self,
        stop: &Arc<AtomicBool>,
        context: Context,
    ) -> Result<Recognised, TraceError> {
        let recognised = foldtrace_open::recognise(context.formats, self.path, self.format, stop)?;
        if recognised.is_guess() {
            let (path, name) = (self.path.display(), recognised.format().name);
            let text =
                format!("{path} is read as '{name}', which is a guess; --from names its format");
            report::note(&text, context);
        }
        Ok(recognised)
    }
}

/// Returns the origin of a store that is made from the trace at `path`.
#[must_use]
pub fn origin(trace: &Recognised, path: &Path) -> Origin {
    let name = path.file_name().unwrap_or_default();
    Origin::trace(Source {
        format: trace.format().name.to_owned(),
        name: name.to_string_lossy().into_owned(),
    })
}

/// The arguments that name the store of an analysis.
#[derive(Args, Clone, Debug)]
pub struct StoreInput {
    /// Store to read. A trace in another format (or - for standard input) is converted to a
    /// temporary store first.
    #[arg(value_name = "STORE")]
    path: PathBuf,
    /// Format of the input; by default it is recognised from the content.
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Keep the intact parts of a damaged trace and report what was lost (exit code 3).
    #[arg(long)]
    salvage: bool,
}

impl StoreInput {
    /// Returns the path that the user gave.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the last part of the path.
    #[must_use]
    pub fn file_name(&self) -> Cow<'_, str> {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy()
    }

    /// Returns the last part of the path, without its extension.
    #[must_use]
    pub fn file_stem(&self) -> Cow<'_, str> {
        let name = self.path.file_stem().unwrap_or(self.path.as_os_str());
        name.to_string_lossy()
    }

    /// Returns the input at another path, which is read with the same options.
    #[must_use]
    pub fn at(&self, path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            ..self.clone()
        }
    }

    /// Opens the store, or converts the trace to a temporary store. Prints what the conversion lost.
    ///
    /// # Errors
    /// If the input cannot be read, its reader rejects it, or the temporary store cannot be written.
    pub fn open(&self, context: Context) -> Result<InputStore, TraceError> {
        self.open_with(StoreReader::open, context)
    }

    /// Opens the store as [`open`](Self::open) does, to read the locations with these labels, or all if there are none. See
    /// [`StoreReader::open_for`].
    ///
    /// # Errors
    /// Returns the same errors as [`open`](Self::open).
    pub fn open_for(&self, labels: &[String], context: Context) -> Result<InputStore, TraceError> {
        self.open_with(|path| StoreReader::open_for(path, labels), context)
    }

    fn open_with(
        &self,
        open: impl FnOnce(&Path) -> Result<StoreReader, TraceError>,
        context: Context,
    ) -> Result<InputStore, TraceError> {
        let opening = Opening {
            path: &self.path,
            format: self.from.as_deref().or(self.format_by_name()),
            options: ReadOptions::in_pieces(self.salvage),
        };
        let recognised = opening.recognise(&signals::stop(), context)?;
        match recognised.store() {
            Some(path) if !self.salvage => Ok(InputStore {
                store: open(path)?,
                conversion: Conversion {
                    lost: false,
                    scratch: None,
                },
            }),
            _ => {
                let store = self.convert(recognised, &opening.options, context);
                store.map_err(|error| match error.kind {
                    ErrorKind::Output => error.remedy(Remedy::TemporaryFolder),
                    _ => error,
                })
            }
        }
    }

    /// Returns the format of stores for a folder with their extension, so that a store without a manifest is an error
    /// that says so.
    fn format_by_name(&self) -> Option<&'static str> {
        let Descriptor {
            name, extensions, ..
        } = FoldFormat.descriptor();
        let extension = self.path.extension().and_then(OsStr::to_str)?;
        (extensions.contains(&extension) && self.path.is_dir()).then_some(name)
    }

    /// Converts a trace to a store in the system's folder for temporary files (`TMPDIR`).
    fn convert(
        &self,
        recognised: Recognised,
        options: &ReadOptions,
        context: Context,
    ) -> Result<InputStore, TraceError> {
        let work = signals::progress();
        let scratch = Scratch::create(&env::temp_dir())?;
        let path = scratch.path().join("run.fold");
        let origin = origin(&recognised, &self.path);
        let reader = recognised.open(options)?.reader;
        let total = convert::total_bytes(&*reader);
        let options = ConvertOptions {
            salvage: self.salvage,
            scratch: scratch.path().to_owned(),
            ..ConvertOptions::default()
        };
        let converted = progress::watch(&work, &self.path, total, context.quiet, || {
            convert::to_store(&*reader, &origin, &path, &options, &work)
        });
        let (_, diagnostics) = converted?;
        let store = StoreReader::open(&path)?;
        let shown = self.path.display();
        let text = format!(
            "{shown} is read through a temporary store; 'foldtrace convert {shown} run.fold' keeps one"
        );
        report::note(&text, context);
        let done = report::diagnostics(&diagnostics, store.names(), context);
        Ok(InputStore {
            store,
            conversion: Conversion {
                lost: done == Done::Loss,
                scratch: Some(scratch),
            },
        })
    }
}

/// A store that an analysis reads. A temporary one is removed when it is dropped.
#[derive(Debug)]
pub struct InputStore {
    store: StoreReader,
    conversion: Conversion,
}

/// The conversion of a trace to a temporary store, which is removed when this is dropped. Nothing, if the input was a store.
#[derive(Debug)]
pub struct Conversion {
    /// Whether it lost a part of the trace.
    lost: bool,
    scratch: Option<Scratch>,
}

impl InputStore {
    /// Returns the store, which must be closed before its conversion is dropped.
    #[must_use]
    pub fn into_parts(self) -> (StoreReader, Conversion) {
        (self.store, self.conversion)
    }

    /// Returns the outcome of an analysis, which has a loss if the conversion of its trace had one.
    pub fn done(&self, outcome: Outcome) -> Outcome {
        self.conversion.done(outcome)
    }

    /// Checks that the input is a store, which several tasks can read.
    ///
    /// # Errors
    /// If it was converted to a temporary store.
    pub fn check_is_lasting(&self) -> Result<(), TraceError> {
        if self.conversion.scratch.is_none() {
            return Ok(());
        }
        let message = "several tasks analyse a store, not a trace that each would convert";
        let error = TraceError::new(ErrorKind::Usage, message);
        Err(error.hint("convert it to a store first"))
    }
}

impl Conversion {
    /// Returns the outcome of an analysis, which has a loss if the conversion had one.
    pub fn done(&self, outcome: Outcome) -> Outcome {
        match outcome? {
            Done::Clean if self.lost => Ok(Done::Loss),
            done => Ok(done),
        }
    }
}

impl Deref for InputStore {
    type Target = StoreReader;

    fn deref(&self) -> &StoreReader {
        &self.store
    }
}
