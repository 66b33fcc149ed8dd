//! Explains why no format recognises an input, and suggests what to name instead.

use std::io;
use std::path::{Path, PathBuf};

use foldtrace_input::entries_in;
use foldtrace_trace::{ErrorKind, PathKind, Place, Probe, Registry, TraceError};
use serde::de::IgnoredAny;

use super::recognised;

/// The maximum number of entries of a folder that are examined.
const MOST_ENTRIES: usize = 1_000;
/// The maximum number of traces that a hint lists.
const MOST_LISTED: usize = 10;

/// Replaces an error of [`Registry::sniff`] with one that describes the input, if
/// its nature is known.
pub(super) fn explained(error: TraceError, probe: &Probe<'_>, formats: &Registry) -> TraceError {
    if error.kind != ErrorKind::Foreign {
        return error;
    }
    let advice = formats.advice(probe);
    let advice = advice.map(|advice| (error.message.clone(), advice.to_owned()));
    let explanation = match probe.kind {
        PathKind::Folder => folder(probe.path, formats).or(advice),
        PathKind::File | PathKind::Stream => advice.or_else(|| json(probe)),
        PathKind::ObjectFolder => advice,
    };
    match explanation {
        Some((message, hint)) => TraceError::new(ErrorKind::Foreign, message)
            .at(Place::file(probe.path))
            .hint(hint),
        None => error,
    }
}

/// Returns the message and the hint for a folder that is empty, or that contains traces instead of being one.
fn folder(path: &Path, formats: &Registry) -> Option<(String, String)> {
    let entries = entries(path).ok()?;
    let shown = path.display();
    if entries.is_empty() {
        let message = format!("{shown} is an empty folder");
        return Some((
            message,
            "name a trace, or a folder that holds one".to_owned(),
        ));
    }
    let traces = entries.iter().take(MOST_ENTRIES);
    let traces = traces.filter_map(|entry| Some((entry, recognised(formats, entry)?.name)));
    let traces: Vec<_> = traces.collect();
    let listed = traces.iter().take(MOST_LISTED);
    let listed = listed.map(|(path, format)| format!("{} ({format})", path.display()));
    let listed: Vec<_> = listed.collect();
    let more = match traces.len() - listed.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let hint = format!("name {}{more}", listed.join(", "));
    match traces.len() {
        0 => None,
        1 => Some((format!("{shown} is no trace, but it holds one"), hint)),
        number => {
            let hint = hint.replacen("name ", "name one of them: ", 1);
            Some((format!("{shown} is no trace, but it holds {number}"), hint))
        }
    }
}

/// Returns the visible entries of a folder in the order of their names.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    entries_in(folder, |entry| {
        !entry.file_name().as_encoded_bytes().starts_with(b".")
    })
}

/// Returns the message and the hint for JSON without trace events.
fn json(probe: &Probe<'_>) -> Option<(String, String)> {
    let head = probe
        .head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(probe.head);
    if !matches!(head.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return None;
    }
    let parsed = serde_json::from_slice::<IgnoredAny>(head);
    if parsed.is_err_and(|error| !error.is_eof()) {
        return None;
    }
    let message = format!("{} is JSON, but has no trace events", probe.path.display());
    let hint =
        "a trace of Chrome has an array of events that have \"ph\", alone or as \"traceEvents\"";
    Some((message, hint.to_owned()))
}
