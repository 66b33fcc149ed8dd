//! The registry of all formats.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use foldtrace_open::{Opened, Recognised};
use foldtrace_trace::{ReadOptions, Registry, TraceError};

/// All formats that are enabled, in the order in which they are asked to recognise an input.
pub const REGISTRY: Registry = Registry::new(&[
    #[cfg(feature = "store")]
    &foldtrace_store::FoldFormat,
    #[cfg(feature = "otf2")]
    &foldtrace_otf2::Otf2,
    #[cfg(feature = "mtf")]
    &foldtrace_mtf::Mtf,
    #[cfg(feature = "chrome")]
    &foldtrace_chrome::Kineto,
    #[cfg(feature = "chrome")]
    &foldtrace_chrome::Chrome,
    #[cfg(feature = "paraver")]
    &foldtrace_paraver::Paraver,
    #[cfg(feature = "text")]
    &foldtrace_text::TextFormat,
    #[cfg(feature = "paje")]
    &foldtrace_paje::Paje,
    #[cfg(feature = "ti")]
    &foldtrace_ti::TimeIndependent,
    #[cfg(feature = "otf2-print")]
    &foldtrace_otf2_print::Otf2Print,
    #[cfg(feature = "perfetto")]
    &foldtrace_perfetto::Perfetto,
    #[cfg(feature = "nsight")]
    &foldtrace_nsight::Nsight,
    #[cfg(feature = "rocpd")]
    &foldtrace_rocpd::Rocpd,
    #[cfg(feature = "ctf")]
    &foldtrace_ctf::Ctf,
    #[cfg(feature = "ctf")]
    &foldtrace_ctf::Ctf2,
    #[cfg(feature = "table")]
    &foldtrace_table::PARQUET,
    #[cfg(feature = "table")]
    &foldtrace_table::ARROW,
    #[cfg(feature = "table")]
    &foldtrace_table::CSV,
    #[cfg(feature = "table")]
    &foldtrace_table::PIPIT,
]);

/// Opens `path` (`-` for standard input) in the format called `name`, or in the format that recognises the input if
/// `name` is `None`. Setting `stop` ends the wait for standard input.
///
/// # Errors
/// If the input cannot be read, no format recognises it, or its reader rejects it.
pub fn open(
    path: &Path,
    name: Option<&str>,
    options: &ReadOptions,
    stop: &Arc<AtomicBool>,
) -> Result<Opened, TraceError> {
    recognise(path, name, stop)?.open(options)
}

/// Recognises the format of `path` among [`REGISTRY`] without opening it, unless its `name` is given; otherwise like [`open`].
///
/// # Errors
/// If the input cannot be read, or no format recognises it.
pub fn recognise(
    path: &Path,
    name: Option<&str>,
    stop: &Arc<AtomicBool>,
) -> Result<Recognised, TraceError> {
    foldtrace_open::recognise(&REGISTRY, path, name, stop)
}
